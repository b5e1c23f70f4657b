//! What servers refused and what helped, kept in the state folder so that it is
//! learned once: `learned.json`, by address and model.
//!
//! Nothing depends on it: a file that cannot be read or written means that the
//! same is learned again. What is old is forgotten, because servers are updated.

use crate::error::CliError;
use crate::place::Place;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tenon_model::{Memory, Remedy};

const FILE: &str = "learned.json";
/// A server that was updated is tried again after this long.
const KEPT_SECONDS: u64 = 30 * 24 * 60 * 60;
/// The oldest go first.
const MOST: usize = 500;
/// A larger file is not ours.
const LARGEST: u64 = 1024 * 1024;

/// The memory of one model of one server.
#[derive(Debug)]
pub struct Learned {
    path: PathBuf,
    base_url: String,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Lesson {
    base_url: String,
    model: String,
    /// Seconds since 1970.
    learned_at: u64,
    #[serde(flatten)]
    remedy: Remedy,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    lessons: Vec<serde_json::Value>,
}

impl Learned {
    pub fn of(place: &Place, base_url: &str, model: &str) -> Self {
        Self {
            path: file(place),
            base_url: without_user(base_url),
            model: model.to_owned(),
        }
    }

    fn is_mine(&self, lesson: &Lesson) -> bool {
        lesson.base_url == self.base_url && lesson.model == self.model
    }
}

impl Memory for Learned {
    fn recall(&self) -> Vec<Remedy> {
        read(&self.path)
            .into_iter()
            .filter(|lesson| self.is_mine(lesson))
            .map(|lesson| lesson.remedy)
            .collect()
    }

    fn learn(&self, remedy: &Remedy) {
        let mut lessons = read(&self.path);
        lessons.retain(|lesson| !(self.is_mine(lesson) && lesson.remedy == *remedy));
        lessons.push(Lesson {
            base_url: self.base_url.clone(),
            model: self.model.clone(),
            learned_at: now(),
            remedy: remedy.clone(),
        });
        let surplus = lessons.len().saturating_sub(MOST);
        lessons.drain(..surplus);
        // What cannot be kept is learned again.
        let _ = write(&self.path, &lessons);
    }
}

/// Forgets everything that was learned of every server.
///
/// # Errors
/// When the file is there and cannot be removed.
pub fn forget(place: &Place) -> Result<usize, CliError> {
    let path = file(place);
    let count = read(&path).len();
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CliError::runtime(
            format!("{} cannot be removed: {error}", path.display()),
        )),
        _ => Ok(count),
    }
}

fn file(place: &Place) -> PathBuf {
    place.paths.state.join(FILE)
}

/// An address may hold a password; none is written here.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// What still holds, the oldest first. A lesson of another version is skipped.
fn read(path: &Path) -> Vec<Lesson> {
    let Ok(file) = std::fs::File::open(path) else {
        return Vec::new();
    };
    let mut text = String::new();
    if file.take(LARGEST).read_to_string(&mut text).is_err() {
        return Vec::new();
    }
    let page: Page = serde_json::from_str(&text).unwrap_or_default();
    let now = now();
    page.lessons
        .into_iter()
        .filter_map(|lesson| serde_json::from_value::<Lesson>(lesson).ok())
        .filter(|lesson| now.saturating_sub(lesson.learned_at) < KEPT_SECONDS)
        .collect()
}

fn write(path: &Path, lessons: &[Lesson]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // 0600 by default, and never half a file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    let page = serde_json::json!({ "lessons": lessons });
    temporary.write_all(page.to_string().as_bytes())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn memory(folder: &Path, base_url: &str, model: &str) -> Learned {
        Learned {
            path: folder.join(FILE),
            base_url: without_user(base_url),
            model: model.to_owned(),
        }
    }

    fn omit(field: &str) -> Remedy {
        Remedy::Omit {
            field: field.to_owned(),
        }
    }

    #[test]
    fn what_was_learned_of_one_model_is_not_believed_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let one = memory(folder.path(), "http://u:secret@a/v1", "m");
        one.learn(&omit("temperature"));
        one.learn(&Remedy::Markdown);
        one.learn(&omit("temperature"));
        assert_eq!(one.recall(), [Remedy::Markdown, omit("temperature")]);
        for (url, model) in [("http://a/v1", "n"), ("http://b/v1", "m")] {
            assert!(memory(folder.path(), url, model).recall().is_empty());
        }
        let same = memory(folder.path(), "http://a/v1", "m");
        assert_eq!(same.recall().len(), 2);
        let path = folder.path().join(FILE);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("secret"), "{text}");
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_is_old_is_forgotten_and_damage_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let one = memory(folder.path(), "http://a/v1", "m");
        let lesson = |days: u64, field: &str| {
            serde_json::json!({
                "base_url": "http://a/v1", "model": "m",
                "learned_at": now() - days * 24 * 60 * 60,
                "remedy": "omit", "field": field,
            })
        };
        let page = serde_json::json!({"lessons": [
            lesson(31, "old"), {"remedy": "of a newer version"}, 7, lesson(29, "young"),
        ]});
        std::fs::write(&one.path, page.to_string()).unwrap();
        assert_eq!(one.recall(), [omit("young")]);
        for damaged in ["", "{", "[]", "{\"lessons\": 3}", "\u{0}"] {
            std::fs::write(&one.path, damaged).unwrap();
            assert!(one.recall().is_empty());
        }
        one.learn(&omit("top_p"));
        assert_eq!(one.recall(), [omit("top_p")]);
    }

    #[test]
    fn the_file_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let lessons: Vec<Lesson> = (0..MOST)
            .map(|n| Lesson {
                base_url: String::from("http://a"),
                model: n.to_string(),
                learned_at: now(),
                remedy: Remedy::Markdown,
            })
            .collect();
        write(&path, &lessons).unwrap();
        memory(folder.path(), "http://a", "new").learn(&Remedy::Markdown);
        assert_eq!(read(&path).len(), MOST);
        assert!(memory(folder.path(), "http://a", "0").recall().is_empty());
        assert_eq!(memory(folder.path(), "http://a", "new").recall().len(), 1);
    }
}
