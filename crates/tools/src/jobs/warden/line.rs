//! What a command line is for the files that run code later: git itself changes
//! them when it goes from one commit to another, and must not be stopped half
//! way.

use tenon_policy::{Script, Simple};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Line {
    #[default]
    Plain,
    /// Git changes the working tree somewhere in it: a mount in its way would
    /// stop it half way, so that what it changed is put back afterwards.
    Mixed,
    /// Certainly nothing but git, with nothing that makes it run a program: what
    /// it changes comes from commits.
    Git,
}

/// Changes the working tree to what a commit holds.
const TREE: [&str; 19] = [
    "am",
    "apply",
    "bisect",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clone",
    "merge",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "sparse-checkout",
    "stash",
    "submodule",
    "switch",
    "worktree",
];
/// Of these, what brings other files than those of commits.
const LOOSE: [&str; 2] = ["apply", "checkout-index"];
/// Beside git in a line, these change nothing, whatever their words become.
const BESIDE: [&str; 6] = ["cd", "echo", "true", "pwd", ":", "printf"];

impl Line {
    pub(crate) fn of(script: &Script) -> Self {
        if tree_moves(script) == 0 {
            return Self::Plain;
        }
        // The shell itself writes nowhere: such a line is not certain.
        if is_plain_git(script) {
            Self::Git
        } else {
            Self::Mixed
        }
    }
}

/// How many commands of a line have git change the working tree.
pub(super) fn tree_moves(script: &Script) -> usize {
    let is_tree = |simple: &&Simple| {
        simple.program() == "git" && subcommand(simple).is_none_or(|name| TREE.contains(&name))
    };
    script.found.iter().filter(is_tree).count()
}

/// Whether it is certain that a line holds nothing but git and what changes
/// nothing.
pub(super) fn is_plain_git(script: &Script) -> bool {
    let count = script.exact().map_or(0, <[Simple]>::len);
    count > 0 && (0..count).all(|part| is_harmless(script, part))
}

fn is_harmless(script: &Script, part: usize) -> bool {
    let Some(simple) = script.exact().and_then(|commands| commands.get(part)) else {
        return false;
    };
    if !simple.assignments.is_empty() {
        return false;
    }
    match simple.argv().first() {
        Some(&"git") => is_harmless_git(simple),
        Some(program) => BESIDE.contains(program) || script.changes_nothing(part),
        None => false,
    }
}

fn brings_commits(name: &str) -> bool {
    name == "fetch" || (TREE.contains(&name) && !LOOSE.contains(&name))
}

fn is_harmless_git(simple: &Simple) -> bool {
    let argv = simple.argv();
    let Some(name) = subcommand(simple) else {
        return false;
    };
    let at = argv.iter().position(|word| *word == name).unwrap_or(0);
    let (before, after) = argv.split_at(at);
    let is_led = before
        .iter()
        .any(|word| *word != "--no-pager" && (word.starts_with("--") || word.starts_with("-c")));
    let runs = after.iter().any(|word| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        is_led_astray(word)
            || (is_short && word.contains(['c', 'u', 'x', 's', 'X']) && takes_programs(name))
            || *word == "foreach"
            || (*word == "run" && name == "bisect")
    });
    (brings_commits(name) || BENIGN.contains(&name)) && !is_led && !runs
}

/// Options that give programs, other settings, other places, also shortened as
/// git allows.
fn is_led_astray(word: &str) -> bool {
    const LONG: [&str; 11] = [
        "config",
        "exec",
        "filter",
        "gpg-sign",
        "output",
        "receive-pack",
        "reference",
        "separate-git-dir",
        "strategy",
        "template",
        "upload-pack",
    ];
    let name = word.strip_prefix("--").unwrap_or_default();
    let name = name.split('=').next().unwrap_or_default();
    !name.is_empty()
        && LONG
            .iter()
            .any(|long| long.starts_with(name) || name.starts_with(long))
}

/// Of git, what leaves the working tree alone.
const BENIGN: [&str; 12] = [
    "status",
    "log",
    "diff",
    "show",
    "branch",
    "rev-parse",
    "add",
    "commit",
    "describe",
    "ls-files",
    "rev-list",
    "shortlog",
];

/// Where a short option gives a program or a setting.
fn takes_programs(name: &str) -> bool {
    matches!(
        name,
        "clone" | "rebase" | "merge" | "pull" | "cherry-pick" | "revert"
    )
}

fn subcommand(simple: &Simple) -> Option<&str> {
    let argv = simple.argv();
    let mut words = argv.into_iter().skip(1);
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path"
            | "--config-env" | "--attr-source" => {
                words.next();
            }
            word if word.starts_with('-') => {}
            word => return Some(word),
        }
    }
    None
}
