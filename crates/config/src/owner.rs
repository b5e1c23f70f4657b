//! Whose a file is: only somebody who may decide for this user is believed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

/// Why a file must not decide for this user, if it must not: somebody else
/// could have written it.
///
/// # Errors
/// A sentence that begins with "it" or "others".
pub fn is_the_users(about: &Metadata) -> Result<(), String> {
    let user = rustix::process::geteuid().as_raw();
    if about.uid() != user && about.uid() != 0 {
        return Err(format!(
            "it belongs to another user (number {}; you are {user})",
            about.uid()
        ));
    }
    if about.mode() & 0o002 != 0 || (about.mode() & 0o020 != 0 && !is_own_group(about.gid())) {
        return Err("other users can write to it".into());
    }
    Ok(())
}

/// Whether nobody else is in a group: many systems give each user one of their
/// own, and let it write what the user makes.
fn is_own_group(group: u32) -> bool {
    if group != rustix::process::getegid().as_raw() {
        return false;
    }
    let user = rustix::process::geteuid().as_raw().to_string();
    let group = group.to_string();
    let lines = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let nth = |line: &str, at: usize| line.split(':').nth(at).unwrap_or_default().to_owned();
    let accounts = lines("/etc/passwd");
    let is_name_of_user = |name: &str| {
        accounts
            .lines()
            .any(|line| nth(line, 0) == name && nth(line, 2) == user)
    };
    let shared = lines("/etc/group").lines().any(|line| {
        let members = nth(line, 3);
        let mut others = members.split(',').filter(|name| !name.is_empty());
        nth(line, 2) == group && others.any(|name| !is_name_of_user(name))
    });
    let primary = accounts
        .lines()
        .any(|line| nth(line, 3) == group && nth(line, 2) != user);
    !shared && !primary
}
