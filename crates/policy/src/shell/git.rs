//! Which uses of git destroy work, run other programs, or reach what others see.

use super::argv::Argv;
use super::settings;
use super::word::Term;
use tenon_vocab::Class;

/// Options before the subcommand that take the next word.
const VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];

/// The subcommand and what follows it.
pub(super) fn subcommand<'a>(argv: &Argv<'a>) -> Option<Argv<'a>> {
    let mut at = 1;
    while let Some(term) = argv.words.get(at) {
        let text = term.text.as_str();
        if VALUED.contains(&text) {
            at += 2;
        } else if text.starts_with('-') {
            at += 1;
        } else {
            return Some(Argv {
                words: &argv.words[at..],
            });
        }
    }
    None
}

/// The folder of `-C`.
pub(super) fn folder(argv: &Argv<'_>) -> Option<Term> {
    let words = argv.words;
    let at = words.iter().position(|term| term.text == "-C")?;
    words.get(at + 1).cloned()
}

pub(super) fn danger(argv: Argv<'_>) -> Vec<(Class, String)> {
    let hidden = argv
        .texts()
        .any(|text| text == "--config-env" || text.starts_with("--config-env="));
    let mut found = Vec::new();
    if hidden {
        found.push((
            Class::Confirm,
            "git reads a setting from a variable, and a setting can run a program".to_owned(),
        ));
    }
    let sub = subcommand(&argv);
    let runs = settings::of_git(argv, sub);
    found.extend(runs.map(|what| (Class::Confirm, what)));
    let Some(sub) = sub else {
        return found;
    };
    let name = sub.name();
    let what = destroys(&name, &sub).or_else(|| publishes(&name, &sub));
    found.extend(what.map(|what| (Class::Confirm, format!("`git {name}` {what}"))));
    if sub.words.first().is_some_and(|term| term.open) {
        found.push((
            Class::Confirm,
            "what git does only shows when it runs".to_owned(),
        ));
    }
    found
}

fn first<'a>(sub: &Argv<'a>) -> &'a str {
    sub.operands("")
        .first()
        .map_or("", |term| term.text.as_str())
}

/// Work that is not committed, or commits that nothing else holds.
fn destroys(name: &str, sub: &Argv<'_>) -> Option<&'static str> {
    let texts: Vec<&str> = sub.texts().collect();
    let has = |wanted: &str| texts.contains(&wanted);
    match name {
        "reset" if sub.has_long(&["hard", "merge", "keep"]) => {
            Some("throws away uncommitted changes")
        }
        "clean" if !sub.has_short("n") && !sub.has_long(&["dry-run"]) => {
            Some("deletes untracked files")
        }
        "checkout" | "switch" => leaves_changes(name, sub, &texts),
        "restore" => {
            let staged = sub.has_short("S") || sub.has_long(&["staged"]);
            let tree = sub.has_short("W") || sub.has_long(&["worktree"]);
            (!staged || tree).then_some("throws away uncommitted changes")
        }
        "branch" => {
            let forced = sub.has_short("DMC")
                || (sub.has_short("d") && sub.has_short("f"))
                || sub.has_long(&["force"])
                || (sub.has_short("f"));
            forced.then_some("can lose the commits of a branch")
        }
        "tag" if sub.has_short("df") || sub.has_long(&["delete", "force"]) => {
            Some("removes or moves a tag")
        }
        "stash" => matches!(first(sub), "drop" | "clear").then_some("deletes stashed changes"),
        "worktree" => (first(sub) == "remove" && (sub.has_short("f") || sub.has_long(&["force"])))
            .then_some("deletes a worktree and its changes"),
        "reflog" => matches!(first(sub), "expire" | "delete").then_some(
            "removes data that a recovery \
                 would need",
        ),
        "gc" | "prune" => (name == "prune" || sub.has_long(&["prune"]) || has("--aggressive"))
            .then_some("removes data that a recovery would need"),
        "filter-branch" | "filter-repo" => Some("rewrites history"),
        "update-ref" if sub.has_short("d") || has("--stdin") => Some("removes a reference"),
        "rm" if !sub.has_long(&["cached"]) && !sub.has_short("n") => Some("deletes files"),
        // Without it git refuses to replace anything.
        "mv" if sub.has_short("f") || sub.has_long(&["force"]) => {
            Some("replaces what is in its way")
        }
        "submodule" if first(sub) == "deinit" => Some("deletes the files of a submodule"),
        "read-tree" if sub.has_long(&["reset"]) || sub.has_short("u") => {
            Some("throws away uncommitted changes")
        }
        "checkout-index" if sub.has_short("f") || sub.has_long(&["force"]) => {
            Some("throws away uncommitted changes")
        }
        "apply" if !sub.has_long(&["check", "stat", "numstat", "summary", "cached"]) => {
            Some("changes files")
        }
        "lfs" if first(sub) == "prune" => Some("removes stored files"),
        _ => None,
    }
}

/// `checkout` and `switch` over changes. `checkout NAME` is a branch or a file:
/// a file where it looks like one.
fn leaves_changes(name: &str, sub: &Argv<'_>, texts: &[&str]) -> Option<&'static str> {
    const WHAT: &str = "throws away uncommitted changes";
    let forced = sub.has_short("f")
        || sub.has_long(&["force", "discard-changes"])
        || sub.has_short("BC") && name == "switch"
        || sub.has_short("B") && name == "checkout";
    if forced {
        return Some(WHAT);
    }
    if name == "switch" {
        return None;
    }
    if texts.contains(&"--") || sub.has_long(&["ours", "theirs", "pathspec-from-file"]) {
        return Some(WHAT);
    }
    let operands = sub.operands("b");
    if creates_branch(sub) && operands.len() <= 2 {
        return None;
    }
    let file = |term: &&Term| {
        let text = term.text.as_str();
        term.expands
            || matches!(text, "." | "..")
            || text.starts_with("./")
            || text.starts_with("../")
            || text.starts_with(':')
            || text.ends_with('/')
            || text
                .rsplit('/')
                .next()
                .is_some_and(|last| last.contains('.') && !is_version(last))
    };
    (operands.len() > 1 || operands.iter().any(file)).then_some(WHAT)
}

/// Whether `checkout` is only for branches: then it names no file.
pub(super) fn creates_branch(sub: &Argv<'_>) -> bool {
    sub.has_short("b") || sub.has_long(&["orphan", "track", "detach"])
}

/// `v1.2.3` and `release-1.2` are names of tags and branches.
fn is_version(name: &str) -> bool {
    name.rsplit('.')
        .next()
        .is_some_and(|last| !last.is_empty() && last.chars().all(|c| c.is_ascii_digit()))
}

fn publishes(name: &str, sub: &Argv<'_>) -> Option<&'static str> {
    if name != "push" {
        return None;
    }
    let forced = sub.has_short("fd")
        || sub.has_long(&[
            "force",
            "force-with-lease",
            "force-if-includes",
            "mirror",
            "delete",
            "prune",
        ])
        || sub
            .operands("o")
            .iter()
            .skip(1)
            .any(|term| term.text.starts_with(['+', ':']));
    forced.then_some("can overwrite or delete other people's work")
}

/// The file that a subcommand writes what it shows to.
pub(super) fn output(name: &str, sub: &Argv<'_>) -> Option<Term> {
    let output = match name {
        "archive" => sub.value_of(Some('o'), "output"),
        "bundle" if first(sub) == "create" => sub.operands("").get(1).map(|term| (*term).clone()),
        "diff" | "log" | "show" | "diff-tree" | "diff-index" | "diff-files" | "whatchanged"
        | "format-patch" | "stash" | "range-diff" | "reflog" | "shortlog" => {
            sub.value_of(None, "output")
        }
        _ => None,
    };
    output.filter(|term| term.text != "-")
}

/// Programs that git would run because the line says so.
pub(super) fn runs(argv: &Argv<'_>) -> Vec<Term> {
    let mut found = Vec::new();
    let mut words = argv.arguments().iter().peekable();
    while let Some(term) = words.next() {
        let text = term.text.as_str();
        let setting = match text {
            "-c" => words.peek().map(|next| next.text.clone()),
            _ => text.strip_prefix("-c").map(str::to_owned),
        };
        if let Some(setting) = setting
            && let Some((key, value)) = setting.split_once('=')
        {
            let key = key.to_ascii_lowercase();
            if key.starts_with("alias.") && !value.starts_with('!') {
                // With all that follows the alias.
                let rest: Vec<&str> = subcommand(argv)
                    .map(|sub| sub.texts().collect())
                    .unwrap_or_default();
                found.push(Term {
                    text: format!("git {value} {}", rest.join(" ")),
                    ..term.clone()
                });
            } else if let Some(code) = value.strip_prefix('!') {
                found.push(Term {
                    text: code.to_owned(),
                    ..term.clone()
                });
            } else if settings::names_program(&key) {
                found.push(Term {
                    text: value.to_owned(),
                    ..term.clone()
                });
            }
        }
        for option in [
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "--open-files-in-pager",
            "--extcmd",
            "--tool-cmd",
        ] {
            if let Some(rest) = text.strip_prefix(option) {
                let value = match rest.strip_prefix('=') {
                    Some(value) => Some(value.to_owned()),
                    None if rest.is_empty() => words.peek().map(|next| next.text.clone()),
                    None => None,
                };
                found.extend(value.map(|text| Term {
                    text,
                    ..term.clone()
                }));
            }
        }
        if let Some((_, code)) = text.split_once("ext::") {
            found.push(Term {
                text: code.to_owned(),
                ..term.clone()
            });
        }
        let pager = text.strip_prefix("-O").filter(|value| !value.is_empty());
        found.extend(pager.map(|text| Term {
            text: text.to_owned(),
            ..term.clone()
        }));
    }
    found.extend(by_subcommand(argv));
    found
}

/// `git bisect run CMD`, `git rebase -x CMD`, `git submodule foreach CMD`.
fn by_subcommand(argv: &Argv<'_>) -> Option<Term> {
    let sub = subcommand(argv)?;
    let rest = |skip: usize| {
        let words: Vec<&str> = sub.texts().skip(skip).collect();
        (!words.is_empty()).then(|| Term::literal(&words.join(" ")))
    };
    match (sub.name().as_ref(), first(&sub)) {
        ("bisect", "run") => rest(1),
        ("submodule", "foreach") => {
            let words: Vec<&str> = sub
                .texts()
                .skip(1)
                .filter(|w| !matches!(*w, "--recursive" | "--quiet"))
                .collect();
            (!words.is_empty()).then(|| Term::literal(&words.join(" ")))
        }
        ("rebase", _) => sub.value_of(Some('x'), "exec"),
        ("filter-branch", _) => rest(0),
        ("difftool" | "mergetool", _) => sub.value_of(Some('x'), "extcmd"),
        _ => None,
    }
}
