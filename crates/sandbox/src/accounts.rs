//! What the user database says of accounts: their homes. `HOME` is a variable
//! and says what it was set to; the account's keys stay where they are.

use crate::raw;
use std::path::{Path, PathBuf};

/// Homes are looked at one by one; more than these nobody logs in to.
const MOST: usize = 64;
/// Folders of the system hold homes of services, and are no homes themselves.
const NO_HOMES: [&str; 13] = [
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/nonexistent",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/usr/sbin",
    "/var",
];

/// The home of this account by the user database and, for root, which can read
/// them all, every home of the machine. Existing ones, each once.
#[must_use]
pub fn homes() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = raw::home_of_account().into_iter().collect();
    if rustix::process::geteuid().is_root() {
        let table = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        found.extend(listed(&table));
        // Accounts of a directory service are in no table.
        let folders = std::fs::read_dir("/home").into_iter().flatten().flatten();
        found.extend(folders.take(MOST).map(|entry| entry.path()));
    }
    let mut homes: Vec<PathBuf> = Vec::new();
    for home in found {
        if homes.len() < MOST && is_home(&home) && !homes.contains(&home) {
            homes.push(home);
        }
    }
    homes
}

/// The homes of a table of accounts, as `/etc/passwd` is one.
fn listed(table: &str) -> impl Iterator<Item = PathBuf> {
    table
        .lines()
        .filter_map(|line| line.split(':').nth(5))
        .map(PathBuf::from)
}

fn is_home(path: &Path) -> bool {
    path.is_absolute() && !NO_HOMES.iter().any(|folder| path == Path::new(folder)) && path.is_dir()
}

#[cfg(test)]
mod tests {
    use super::{homes, is_home, listed};
    use std::path::{Path, PathBuf};

    #[test]
    fn the_table_gives_each_home_and_broken_lines_give_none() {
        let table = "root:x:0:0:root:/root:/bin/bash\n\nbroken\nme:x:1000:1000:Me, 2nd floor:/home/me:/bin/zsh\n";
        let found: Vec<PathBuf> = listed(table).collect();
        assert_eq!(found, [Path::new("/root"), Path::new("/home/me")]);
    }

    #[test]
    fn the_home_of_the_user_database_is_found_without_any_variable() {
        let own = rustix::process::getuid().as_raw().to_string();
        let table = std::fs::read_to_string("/etc/passwd").unwrap();
        let line = table
            .lines()
            .find(|line| line.split(':').nth(2) == Some(&own));
        let Some(home) = line.and_then(|line| listed(line).next()) else {
            return;
        };
        assert_eq!(
            homes().contains(&home),
            is_home(&home),
            "{}",
            home.display()
        );
    }

    #[test]
    fn a_folder_of_the_system_is_nobodys_home() {
        assert!(!is_home(Path::new("/")));
        assert!(!is_home(Path::new("/usr/sbin")));
    }
}
