//! Looks at the files of rules again while a session runs. It says what they
//! hold now; what of it is news to the model, the engine knows.

use super::cache::Cache;
use super::{Found, Places};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tenon_engine::prompt::{RULES, RULES_OF_OTHERS, RuleFile, RuleSource};

#[derive(Debug)]
pub struct Watched {
    places: Places,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    cache: Cache,
    /// All that were ever found, as they were last.
    files: Vec<RuleFile>,
}

impl Watched {
    /// Reads the files for the first time.
    pub fn begin(places: Places) -> (Self, Found) {
        let mut seen = Seen::default();
        let found = places.find_with(&mut seen.cache);
        seen.files = found.files().cloned().collect();
        let seen = Mutex::new(seen);
        (Self { places, seen }, found)
    }
}

impl RuleSource for Watched {
    fn current(&self) -> Vec<RuleFile> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Seen { cache, files } = &mut *seen;
        let found = self.places.find_with(cache);
        let mut now: Vec<RuleFile> = found.files().cloned().collect();
        for before in files.iter() {
            if !now.iter().any(|file| file.path == before.path) {
                now.push(RuleFile {
                    path: before.path.clone(),
                    text: absent(cache, before),
                });
            }
        }
        files.clone_from(&now);
        now
    }
}

/// The text of a file that was there and is not found: none when it is gone or
/// empty, else what it was.
fn absent(cache: &mut Cache, before: &RuleFile) -> String {
    match cache.text(Path::new(&before.path)) {
        Ok((text, _)) if text.trim().is_empty() => String::new(),
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        // Now that there is one of the usual name beside it.
        Ok(_) if has_other(&before.path) => String::new(),
        Ok(_) | Err(_) => before.text.clone(),
    }
}

fn has_other(path: &str) -> bool {
    let path = Path::new(path);
    path.ends_with(RULES_OF_OTHERS) && path.with_file_name(RULES).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_given_as_it_is_now_and_a_gone_one_is_empty() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("AGENTS.md");
        std::fs::write(&path, "one").unwrap();
        let places = Places {
            config: "/none".into(),
            root: root.path().to_owned(),
            ..Places::default()
        };
        let (watched, found) = Watched::begin(places);
        assert_eq!(found.rules[0].text, "one");
        let texts = || -> Vec<String> {
            let now = watched.current().into_iter();
            now.map(|file| file.text).collect()
        };
        assert_eq!(texts(), ["one"]);
        // The same length, at once: the time of the change tells.
        std::fs::write(&path, "two").unwrap();
        assert_eq!(texts(), ["two"]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(texts(), [""]);
        std::fs::write(root.path().join("CLAUDE.md"), "three").unwrap();
        assert_eq!(texts(), ["three", ""]);
        std::fs::write(&path, "four").unwrap();
        assert_eq!(texts(), ["four", ""]);
        // What cannot be read for the moment still holds.
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
        assert_eq!(texts()[0], "four");
    }
}
