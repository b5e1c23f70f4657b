//! Settings of git and variables by which a program is run, whatever the command
//! is: `-c core.hooksPath=…`, `GIT_CONFIG_COUNT`, `clone -u`. One table, for
//! options, for variables and for `git config`.

use super::argv::Argv;

const KEYS: &[&str] = &[
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.hookspath",
    "core.gitproxy",
    "core.askpass",
    "core.alternaterefscommand",
    "core.worktree",
    "sequence.editor",
    "gpg.program",
    "diff.external",
    "interactive.difffilter",
    "include.path",
    "init.templatedir",
    "uploadpack.packobjectshook",
    "protocol.allow",
    "protocol.ext.allow",
];
const BEGINNINGS: &[&str] = &["pager.", "includeif.", "browser.", "sendemail."];
const ENDINGS: &[&str] = &[
    ".textconv",
    ".command",
    ".cmd",
    ".driver",
    ".process",
    ".clean",
    ".smudge",
    ".helper",
    ".program",
    ".uploadpack",
    ".receivepack",
    ".vcs",
    ".proxycommand",
    ".tocmd",
    ".cccmd",
    ".sendmailcmd",
    ".smtpserver",
];

/// Values that run nothing, or what everybody has.
const PLAIN: &str = "cat less more most true false : yes no on off 0 1 never ssh vi vim nvim nano \
     emacs code delta bat diff-so-fancy store cache osxkeychain manager manager-core libsecret \
     gpg gpg2 gpgsm git-upload-pack git-receive-pack /dev/null";

/// Variables from which git takes settings or programs of its own.
const SETTINGS_IN: &[&str] = &[
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
];
const PROGRAMS_IN: &[&str] = &[
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_PROXY_COMMAND",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
];

/// Options whose value git runs, with the subcommands of a short one.
const OPTIONS: &[&str] = &["--upload-pack", "--receive-pack", "--exec", "--template"];

/// Whether git would run a program for the sake of this setting.
fn runs(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") || (key.starts_with("submodule.") && key.ends_with(".update")) {
        return value.starts_with('!');
    }
    names_program(&key) && !is_plain(value)
}

/// Whether the value of a setting, in small letters, is run or leads to what is.
pub(super) fn names_program(key: &str) -> bool {
    KEYS.contains(&key)
        || BEGINNINGS.iter().any(|start| key.starts_with(start))
        || ENDINGS.iter().any(|end| key.ends_with(end))
}

fn is_plain(value: &str) -> bool {
    let mut words = value.split_ascii_whitespace();
    let Some(first) = words.next() else {
        return true;
    };
    PLAIN.split_ascii_whitespace().any(|plain| plain == first)
        && !value.contains([';', '|', '&', '$', '`', '\n', '<', '>'])
        && !value.to_ascii_lowercase().contains("proxycommand")
}

/// Why a variable of this value may run a program.
pub(super) fn of_variable(assignment: &str) -> Option<String> {
    let (name, value) = assignment.split_once('=')?;
    let value = value.trim_matches(['"', '\'']);
    if name == "PS4" && value.contains(['`', '$']) && value.contains(['`', '(']) {
        return Some(String::from("the shell runs `PS4` before each command"));
    }
    let settings = SETTINGS_IN.contains(&name)
        || name.starts_with("GIT_CONFIG_KEY_")
        || name.starts_with("GIT_CONFIG_VALUE_");
    let held = (settings && value != "/dev/null" && value != "0" && !value.is_empty())
        || (PROGRAMS_IN.contains(&name) && !is_plain(value))
        || (name == "GIT_ALLOW_PROTOCOL" && value.contains("ext"));
    held.then(|| format!("`{name}` can make git run a program"))
}

/// What in the words of a git command runs a program of the line's choice.
/// `sub` begins with the subcommand.
pub(super) fn of_git(argv: Argv<'_>, sub: Option<Argv<'_>>) -> Option<String> {
    let texts: Vec<&str> = argv.texts().collect();
    let verb = sub.map(|sub| sub.name()).unwrap_or_default();
    for (at, text) in texts.iter().enumerate() {
        let next = texts.get(at + 1).copied();
        let setting = match *text {
            "-c" | "--config" => next,
            _ => text
                .strip_prefix("--config=")
                .or_else(|| text.strip_prefix("-c").filter(|rest| rest.contains('='))),
        };
        if let Some((key, value)) = setting.and_then(|setting| setting.split_once('='))
            && runs(key, value)
        {
            return Some(format!("the git setting `{key}` runs a program"));
        }
        if text.starts_with("--exec-path=") {
            return Some(String::from("git takes its programs from another folder"));
        }
        let short = matches!(verb.as_ref(), "clone" | "ls-remote") && *text == "-u";
        let value = match OPTIONS.iter().find_map(|option| text.strip_prefix(option)) {
            Some("") => next,
            Some(rest) => rest.strip_prefix('='),
            None if short => next,
            None => None,
        };
        if value.is_some_and(|value| !is_plain(value)) && verb != "rebase" && verb != "commit" {
            return Some(format!("git runs the command given with `{text}`"));
        }
    }
    sub.filter(|_| verb == "config").and_then(of_config)
}

/// `git config KEY VALUE`, in its spellings: it is run later.
fn of_config(sub: Argv<'_>) -> Option<String> {
    let mut operands: Vec<&str> = sub
        .operands("f")
        .into_iter()
        .map(|term| term.text.as_str())
        .collect();
    if operands.first().is_some_and(|word| *word == "set") {
        operands.remove(0);
    }
    let [key, value, ..] = operands.as_slice() else {
        return None;
    };
    let reads = sub.has_long(&["get", "get-all", "get-regexp", "unset", "unset-all", "list"])
        || matches!(*key, "get" | "unset" | "list");
    (!reads && key.contains('.') && runs(key, value))
        .then(|| format!("git would run a program because of the setting `{key}` from then on"))
}
