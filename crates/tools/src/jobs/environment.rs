//! The environment and the shell of commands. Nobody sits in front of them, so
//! everything that would ask a person is told to fail at once instead of
//! waiting.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Programs that would page, colour, prompt or open an editor are kept from it.
/// The editors are `false`, never `true`: `git rebase -i` takes an editor that
/// succeeds without a change for consent.
const UNATTENDED: [(&str, &str); 15] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("SUDO_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS_REQUIRE", "force"),
    ("GIT_ASKPASS", "/bin/false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("npm_config_update_notifier", "false"),
];

pub(super) fn complete(
    base: &[(OsString, OsString)],
    extra: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let unattended = UNATTENDED
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    base.iter()
        .cloned()
        .chain(unattended)
        .chain(extra.iter().cloned())
        .collect()
}

/// The names by which programs find a window that asks for a password: a line of
/// the user's own may use theirs.
const ASKING: [&str; 4] = [
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "SSH_ASKPASS_REQUIRE",
    "GIT_ASKPASS",
];

/// For a line that the user typed: their environment, but that nothing waits for
/// a terminal, which there is none.
pub(super) fn complete_own(
    whole: &[(OsString, OsString)],
    extra: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let is_set = |wanted: &str| whole.iter().any(|(name, _)| name == wanted);
    let theirs: Vec<(OsString, OsString)> = whole
        .iter()
        .filter(|(name, _)| ASKING.iter().any(|own| name == own))
        .cloned()
        .collect();
    let asks = is_set("SSH_ASKPASS") && !is_set("SSH_ASKPASS_REQUIRE");
    // Without a terminal the program is asked for in any case.
    let require = asks.then(|| ("SSH_ASKPASS_REQUIRE".into(), "force".into()));
    complete(
        whole,
        &[theirs, require.into_iter().collect(), extra.to_vec()].concat(),
    )
}

/// `bash` where there is one in the `PATH` of commands, else `sh`.
pub(super) fn shell(environment: &[(OsString, OsString)]) -> PathBuf {
    environment
        .iter()
        .rev()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value.as_os_str())
        .into_iter()
        .flat_map(std::env::split_paths::<OsStr>)
        .chain([PathBuf::from("/usr/bin"), PathBuf::from("/bin")])
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bash"))
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from("/bin/sh"))
}
