//! What servers refused and what helped, kept in the state folder so that it is
//! learned once: `learned.json`, by address, wire format and model.
//!
//! Nothing depends on it: a file that cannot be read or written means that the
//! same is learned again. What is old is forgotten, because servers are updated.

use super::windows;
use crate::error::CliError;
use crate::place::Place;
use crate::plain_file;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tenon_config::ResolvedProvider;
use tenon_model::{Configured, Memory, Remedy};
use tenon_vocab::Timestamp;

const FILE: &str = "learned.json";
/// A server that was updated is tried again after this long.
pub(super) const KEPT_SECONDS: u64 = 30 * 24 * 60 * 60;
/// The oldest go first.
pub(super) const MOST: usize = 500;
/// A larger file is not ours.
pub(super) const LARGEST: u64 = 4 * 1024 * 1024;
/// Of an address or a model's name, which a server may have given. So long as
/// none is longer, the file stays below [`LARGEST`].
pub(super) const LONGEST: usize = 512;

/// The memory of one model of one server.
#[derive(Debug)]
pub struct Learned {
    path: PathBuf,
    base_url: String,
    format: String,
    model: String,
}

/// What is done differently for a model since a server refused something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    pub model: String,
    pub remedy: Remedy,
    /// When it is forgotten.
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Lesson {
    base_url: String,
    /// As the configuration names it; what one format lacks, another may have.
    format: String,
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
    pub fn of(place: &Place, provider: &ResolvedProvider, model: &str) -> Self {
        Self {
            path: file(place),
            base_url: without_user(&provider.base_url),
            format: provider.kind.name().to_owned(),
            model: model.to_owned(),
        }
    }

    fn is_of_server(&self, lesson: &Lesson) -> bool {
        lesson.base_url == self.base_url && lesson.format == self.format
    }

    fn is_mine(&self, lesson: &Lesson) -> bool {
        self.is_of_server(lesson) && lesson.model == self.model
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
        if self.base_url.len() > LONGEST || self.model.len() > LONGEST {
            return;
        }
        let mut lessons = read(&self.path);
        lessons.retain(|lesson| !(self.is_mine(lesson) && is_about_the_same(lesson, remedy)));
        lessons.push(Lesson {
            base_url: self.base_url.clone(),
            format: self.format.clone(),
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

/// A field is left out beside others; of everything else the newest counts.
fn is_about_the_same(lesson: &Lesson, remedy: &Remedy) -> bool {
    lesson.remedy == *remedy
        || (!matches!(remedy, Remedy::Omit { .. })
            && std::mem::discriminant(&lesson.remedy) == std::mem::discriminant(remedy))
}

/// What was learned of a provider's models, or of this one, and holds: what the
/// configuration says otherwise does not.
pub fn in_force(place: &Place, provider: &ResolvedProvider, model: Option<&str>) -> Vec<InForce> {
    let server = Learned::of(place, provider, model.unwrap_or_default());
    read(&server.path)
        .into_iter()
        .filter(|lesson| server.is_of_server(lesson))
        .filter(|lesson| model.is_none_or(|model| lesson.model == model))
        .filter(|lesson| configured(provider, &lesson.model).leaves_open(&lesson.remedy))
        .filter_map(|lesson| {
            let end = i64::try_from(lesson.learned_at + KEPT_SECONDS).ok()?;
            Some(InForce {
                model: lesson.model,
                remedy: lesson.remedy,
                until: Timestamp::from_second(end).ok()?,
            })
        })
        .collect()
}

/// What the user wrote of how a model is spoken to.
pub fn configured(provider: &ResolvedProvider, model: &str) -> Configured {
    Configured {
        quirks: provider.quirks.clone(),
        written: provider.written_quirks.clone(),
        dialect: provider.dialect_of(model),
    }
}

/// Forgets everything that was learned of every server; gives how much that was.
///
/// # Errors
/// When a file is there and cannot be removed.
pub fn forget(place: &Place) -> Result<usize, CliError> {
    let lessons = file(place);
    let windows = place.paths.state.join(windows::FILE);
    let count = read(&lessons).len() + windows::count(&windows);
    for path in [lessons, windows] {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(CliError::runtime(format!(
                    "can't remove {}: {error}",
                    path.display()
                )));
            }
            _ => {}
        }
    }
    Ok(count)
}

fn file(place: &Place) -> PathBuf {
    place.paths.state.join(FILE)
}

/// An address may hold a password; none is written here.
pub(super) fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    // A key may stand in the query.
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// What still holds, the oldest first. A lesson of another version is skipped.
fn read(path: &Path) -> Vec<Lesson> {
    let Ok(text) = tenon_files::read(path, LARGEST) else {
        return Vec::new();
    };
    let page: Page = serde_json::from_slice(&text).unwrap_or_default();
    let now = now();
    page.lessons
        .into_iter()
        .filter_map(|lesson| serde_json::from_value::<Lesson>(lesson).ok())
        // What was learned in the future would never be old.
        .filter(|lesson| now.abs_diff(lesson.learned_at) < KEPT_SECONDS)
        .filter(|lesson| lesson.base_url.len() <= LONGEST && lesson.model.len() <= LONGEST)
        .collect()
}

fn write(path: &Path, lessons: &[Lesson]) -> std::io::Result<()> {
    plain_file::replace(path, &serde_json::json!({ "lessons": lessons }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tenon_model::MaxTokensField;

    fn memory(folder: &Path, base_url: &str, model: &str) -> Learned {
        Learned {
            path: folder.join(FILE),
            base_url: without_user(base_url),
            format: String::from("chat"),
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
        let same = memory(folder.path(), "http://a/v1?key=secret", "m");
        assert_eq!(same.recall().len(), 2);
        let other = Learned {
            format: String::from("messages"),
            ..memory(folder.path(), "http://a/v1", "m")
        };
        assert!(other.recall().is_empty(), "another format");
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
                "base_url": "http://a/v1", "format": "chat", "model": "m",
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
    fn names_that_a_server_gives_neither_fill_the_file_nor_push_others_out() {
        let folder = tempfile::tempdir().unwrap();
        let mine = memory(folder.path(), "http://a", "m");
        mine.learn(&omit("top_p"));
        let long = "x".repeat(LONGEST + 1);
        for (url, model) in [("http://b", long.as_str()), (long.as_str(), "m")] {
            let other = memory(folder.path(), url, model);
            other.learn(&Remedy::Markdown);
            assert!(other.recall().is_empty());
        }
        assert_eq!(mine.recall(), [omit("top_p")]);
        let longest = "\u{1}".repeat(LONGEST);
        let full: Vec<Lesson> = (0..MOST)
            .map(|_| Lesson {
                base_url: longest.clone(),
                format: String::from("responses"),
                model: longest.clone(),
                learned_at: now(),
                remedy: omit("reasoning.encrypted_content"),
            })
            .collect();
        write(&mine.path, &full).unwrap();
        assert_eq!(read(&mine.path).len(), MOST, "the largest file is read");
    }

    #[test]
    fn one_lesson_of_a_kind_is_kept_and_none_from_the_future() {
        let folder = tempfile::tempdir().unwrap();
        let one = memory(folder.path(), "http://a", "m");
        let limit = |field| Remedy::MaxTokensField { field };
        for _ in 0..3 {
            one.learn(&limit(MaxTokensField::MaxCompletionTokens));
            one.learn(&limit(MaxTokensField::MaxTokens));
        }
        assert_eq!(one.recall(), [limit(MaxTokensField::MaxTokens)]);
        let late = Lesson {
            base_url: String::from("http://a"),
            format: String::from("chat"),
            model: String::from("m"),
            learned_at: now() + 2 * KEPT_SECONDS,
            remedy: Remedy::Markdown,
        };
        write(&one.path, &[late]).unwrap();
        assert!(one.recall().is_empty());
    }

    #[test]
    fn the_file_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let lessons: Vec<Lesson> = (0..MOST)
            .map(|n| Lesson {
                base_url: String::from("http://a"),
                format: String::from("chat"),
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
