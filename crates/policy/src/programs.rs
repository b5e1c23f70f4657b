//! Programs of which a prefix of the command says little: those that run others,
//! and those that destroy. Lists to be careful by, never to allow by.

use crate::readers::reader_of;
use crate::room;
use crate::script::{Script, Simple};
use crate::shell;

/// Programs whose arguments are, or can name, another program.
const RUNNERS: &str = "
    sh bash dash zsh ksh fish csh tcsh busybox pwsh powershell cmd env sudo doas su runuser
    pkexec command builtin exec eval source . trap xargs parallel find fd nohup nice ionice
    time timeout setsid stdbuf unbuffer script watch strace ltrace gdb chroot unshare
    nsenter flock at batch crontab entr ssh scp rsync python python2 python3 pypy pypy3 node
    nodejs deno bun bunx npx pnpx tsx ts-node ruby irb perl php lua luajit tclsh Rscript
    java jshell osascript awk gawk mawk sed ed ex vi vim nvim emacs make gmake just task
    docker podman kubectl uvx pipx uv poetry tmux screen expect socat nc ncat systemd-run
    tenon
";

/// Programs that replace or hand over, beside those that always need a yes: never
/// for a standing permission.
const REPLACING: &str = "kill tee cp ln install curl wget";

/// Programs of which one more word can write a file, run a program or read what
/// nobody has seen: only the very same words count as approved.
const EXACT: &str = "
    tar bsdtar cpio zip unzip 7z sort uniq split csplit rsync find rg sed awk gawk mawk perl
    tee dd cat tac head tail less more grep egrep fgrep zgrep ls diff cmp xxd od strings base64
";

/// One more word of `config` is a value that it sets, of `bisect` a program.
const EXACT_IN_GIT: &[&str] = &[
    "fetch",
    "pull",
    "push",
    "clone",
    "submodule",
    "ls-remote",
    "config",
    "bisect",
    "checkout",
];

/// Options with which a program goes on behind the links that it meets, out of the
/// project as well: short ones and long ones.
const FOLLOWING: &[(&str, &str, &[&str])] = &[
    ("ls du cp rg fd fdfind ag", "L", &["dereference", "follow"]),
    (
        "grep egrep fgrep zgrep rgrep",
        "R",
        &["dereference-recursive"],
    ),
    ("ack", "", &["follow"]),
    ("ag", "f", &[]),
    ("tree", "l", &[]),
    ("tar bsdtar gtar", "h", &["dereference"]),
    ("rsync", "Lk", &["copy-links", "copy-dirlinks"]),
    ("find", "L", &["follow"]),
    ("diff", "r", &["recursive"]),
    ("chmod chown chgrp", "L", &["dereference"]),
];

/// Programs whose second word only says what the third one is about. `*` is every
/// second word.
const DEEP: &[(&str, &str)] = &[
    (
        "git",
        "remote stash worktree notes tag branch reflog bundle lfs flow sparse-checkout",
    ),
    ("gh glab aws az doctl oci flyctl fly vercel", "*"),
    ("gcloud", "*"),
    (
        "npm pnpm yarn",
        "run run-script config cache dist-tag workspace team access token",
    ),
    ("go", "mod tool work env"),
    ("rustup", "toolchain component target override default"),
    ("cargo", "nextest make xtask"),
    ("helm", "repo plugin registry get"),
    ("terraform tofu", "state workspace providers"),
    ("pip pip3", "config cache"),
    ("brew", "services"),
    ("dotnet", "nuget tool"),
    ("hg", "bookmarks"),
    ("apt snap", "*"),
];

/// Readers that the shell has itself: for them it looks nowhere.
const BUILT_IN: &str = "echo printf pwd cd test [ true false type command";

/// Wrappers that are taken off a command and start it as a program.
const STARTERS: &str = "env nice nohup timeout";

/// The programs of a certain line that run unasked if they are the system's.
pub(crate) fn looked_up(script: &Script) -> Vec<&str> {
    if script.exact().is_none() {
        return Vec::new();
    }
    let mut names = vec!["bash"];
    let found: Vec<Vec<&str>> = script.found.iter().map(Simple::argv).collect();
    let starts = |argv: &Vec<&str>| argv.first().is_some_and(|name| lists(STARTERS, name));
    let started = found.iter().any(starts);
    for argv in &found {
        let Some(&name) = argv.first() else { continue };
        let is_built_in = lists(BUILT_IN, name) && !started;
        let matters = reader_of(name).is_some()
            || lists(STARTERS, name)
            || name == "git"
            || room::reading(argv).is_ok();
        if matters && !is_built_in && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|entry| entry == name)
}

fn program<'a>(argv: &[&'a str]) -> &'a str {
    argv.first()
        .map_or("", |head| head.rsplit('/').next().unwrap_or(head))
}

/// Whether the command may run another one that its arguments name.
pub(crate) fn runs_others(argv: &[&str]) -> bool {
    let name = program(argv);
    // `python3.12` is a `python`.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let second = argv.get(1).copied();
    lists(RUNNERS, name)
        || (!bare.is_empty() && lists(RUNNERS, bare))
        || name.starts_with("mkfs")
        || (name == "git" && second.is_some_and(|word| word.starts_with('-')))
        || matches!(
            (name, second),
            ("npm" | "pnpm" | "yarn", Some("exec" | "x" | "dlx"))
        )
}

/// Whether a prefix of this command may be granted for longer than once (G4).
pub(crate) fn may_be_granted(argv: &[&str]) -> bool {
    !argv.is_empty()
        && !runs_others(argv)
        && !shell::is_dangerous_name(program(argv))
        && !lists(REPLACING, program(argv))
        && !follows_links(argv)
}

/// Whether the command reads what links lead to that no word of it names: what
/// that is can be another file tomorrow.
pub(crate) fn follows_links(argv: &[&str]) -> bool {
    let name = program(argv);
    FOLLOWING.iter().any(|(names, short, long)| {
        lists(names, name)
            && argv
                .iter()
                .skip(1)
                .any(|word| match word.strip_prefix("--") {
                    Some(given) => long.iter().any(|long| is_short_for(given, long)),
                    None => word.strip_prefix('-').is_some_and(|letters| {
                        letters.contains(|c: char| short.contains(c)) || long.contains(&letters)
                    }),
                })
    })
}

/// Whether it is the option, or so much of it that `getopt` takes it for that.
fn is_short_for(given: &str, long: &str) -> bool {
    const LEAST: usize = 3;
    let name = given.split('=').next().unwrap_or(given);
    name.len() >= LEAST && long.starts_with(name)
}

/// How many words say what the command does: a grant for fewer is for exactly
/// those.
pub(crate) fn telling_words(argv: &[&str]) -> usize {
    let name = program(argv);
    let deep = |second: &str| {
        DEEP.iter().any(|(names, seconds)| {
            lists(names, name) && (*seconds == "*" || lists(seconds, second))
        })
    };
    match (name, argv.get(1)) {
        // A group, what is in it, and what is to be done with that.
        ("gcloud", _) => 4,
        (_, Some(second)) if deep(second) => 3,
        _ => 1,
    }
}

/// Whether further words may follow these in a command that a grant allows.
pub(crate) fn may_go_on(words: &[&str]) -> bool {
    !is_granted_exactly(words) && words.len() >= telling_words(words)
}

/// Whether a grant for this command is for exactly its words.
pub(crate) fn is_granted_exactly(argv: &[&str]) -> bool {
    let name = program(argv);
    let in_git = || {
        argv.get(1)
            .is_none_or(|second| EXACT_IN_GIT.contains(second))
    };
    lists(EXACT, name) || (name == "git" && in_git())
}
