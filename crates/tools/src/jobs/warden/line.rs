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
const TREE: [&str; 17] = [
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
    "stash",
    "submodule",
    "switch",
];
/// Of these, what brings nothing but commits.
const COMMITS: [&str; 13] = [
    "checkout",
    "cherry-pick",
    "clone",
    "merge",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "stash",
    "submodule",
    "switch",
    "fetch",
];
/// Beside git in a line, these change nothing.
const BESIDE: [&str; 6] = ["cd", "echo", "true", "pwd", ":", "printf"];

impl Line {
    pub(crate) fn of(script: &Script) -> Self {
        let is_tree = |simple: &Simple| {
            simple.program() == "git" && subcommand(simple).is_none_or(|name| TREE.contains(&name))
        };
        if !script.found.iter().any(is_tree) {
            return Self::Plain;
        }
        match script.exact() {
            // Else the shell itself might write somewhere.
            Some(commands) if commands.iter().all(is_harmless) && !script.text.contains('>') => {
                Self::Git
            }
            _ => Self::Mixed,
        }
    }
}

fn is_harmless(simple: &Simple) -> bool {
    if !simple.assignments.is_empty() {
        return false;
    }
    let argv = simple.argv();
    match argv.first() {
        Some(&"git") => {}
        Some(program) => return BESIDE.contains(program),
        None => return false,
    }
    let Some(name) = subcommand(simple) else {
        return false;
    };
    let at = argv.iter().position(|word| *word == name).unwrap_or(0);
    let (before, after) = argv.split_at(at);
    let is_led = before
        .iter()
        .any(|word| word.starts_with("--") || (word.starts_with("-c")));
    // Programs, other settings, other places.
    let runs = after.iter().any(|word| {
        const LONG: [&str; 10] = [
            "--conf", "--uplo", "--rece", "--temp", "--exec", "--stra", "--sepa", "--refe",
            "--filt", "--gpg",
        ];
        let is_short = word.starts_with('-') && !word.starts_with("--");
        LONG.iter().any(|start| word.starts_with(start))
            || (is_short && word.contains(['c', 'u', 'x', 's', 'X']) && takes_programs(name))
            || *word == "foreach"
    });
    (COMMITS.contains(&name) || BENIGN.contains(&name)) && !is_led && !runs
}

/// Of git, what leaves the working tree alone.
const BENIGN: [&str; 8] = [
    "status",
    "log",
    "diff",
    "show",
    "branch",
    "rev-parse",
    "add",
    "commit",
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
