//! How large the window of a model was when its server was last asked, kept in
//! the state folder: `windows.json`, by address and model. A server is asked
//! between replies (0015), so that the first request of every session would go
//! out without knowing; with this it only guesses what was true the last time.
//!
//! Nothing depends on it: the server is asked anew after the first reply, what
//! the user says comes first, and a file that cannot be read is none.

use super::learned::{KEPT_SECONDS, LARGEST, LONGEST, MOST, now, without_user};
use crate::place::Place;
use crate::plain_file;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_config::ResolvedProvider;
use tenon_model::{
    DeltaStream, Identity, Model, ModelEntry, ModelError, Request, Window, WindowSource,
};
use tenon_vocab::Timestamp;
use tenon_vocab::port::BoxFuture;

pub(super) const FILE: &str = "windows.json";
/// The same number is written again when the old one is this old.
const FRESH_SECONDS: u64 = 24 * 60 * 60;
/// No agent works in less.
const SMALLEST: u64 = 256;

/// What is known of one model of one server.
#[derive(Debug, Clone)]
pub struct Windows {
    path: PathBuf,
    base_url: String,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    base_url: String,
    model: String,
    tokens: u64,
    /// Where the server said it: `/props`.
    place: String,
    /// Seconds since 1970.
    said_at: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    windows: Vec<serde_json::Value>,
}

impl Windows {
    pub fn of(place: &Place, provider: &ResolvedProvider, model: &str) -> Self {
        Self {
            path: place.paths.state.join(FILE),
            base_url: without_user(&provider.base_url),
            model: model.to_owned(),
        }
    }

    fn is_mine(&self, said: &Said) -> bool {
        said.base_url == self.base_url && said.model == self.model
    }

    fn said(&self) -> Option<Said> {
        read(&self.path).into_iter().find(|said| self.is_mine(said))
    }

    /// What the server said the last time, with that in its source.
    pub fn recall(&self) -> Option<Window> {
        let said = self.said()?;
        let at = Timestamp::from_second(i64::try_from(said.said_at).ok()?).ok()?;
        let day = at.strftime("%Y-%m-%d");
        Some(Window {
            tokens: said.tokens,
            source: WindowSource::Server(format!("{}, remembered from {day}", said.place)),
        })
    }

    /// Where it was said: that tells which program serves the model.
    pub fn place(&self) -> Option<String> {
        self.said().map(|said| said.place)
    }

    fn keep(&self, window: &Window) {
        let WindowSource::Server(place) = &window.source else {
            return;
        };
        let parts = [&self.base_url, &self.model, place];
        if parts.iter().any(|part| part.len() > LONGEST) {
            return;
        }
        let mut all = read(&self.path);
        let now = now();
        let is_fresh = |said: &Said| {
            self.is_mine(said)
                && (said.tokens, &said.place) == (window.tokens, place)
                && now.abs_diff(said.said_at) < FRESH_SECONDS
        };
        if all.iter().any(is_fresh) {
            return;
        }
        all.retain(|said| !self.is_mine(said));
        all.push(Said {
            base_url: self.base_url.clone(),
            model: self.model.clone(),
            tokens: window.tokens,
            place: place.clone(),
            said_at: now,
        });
        let surplus = all.len().saturating_sub(MOST);
        all.drain(..surplus);
        // What cannot be kept is asked for again.
        let _ = plain_file::replace(&self.path, &serde_json::json!({ "windows": all }));
    }
}

/// How many there are.
pub(super) fn count(path: &Path) -> usize {
    read(path).len()
}

fn read(path: &Path) -> Vec<Said> {
    let Ok(text) = tenon_files::read(path, LARGEST) else {
        return Vec::new();
    };
    let page: Page = serde_json::from_slice(&text).unwrap_or_default();
    let now = now();
    page.windows
        .into_iter()
        .filter_map(|said| serde_json::from_value::<Said>(said).ok())
        .filter(|said| now.abs_diff(said.said_at) < KEPT_SECONDS)
        .filter(|said| said.tokens >= SMALLEST)
        .filter(|said| {
            [&said.base_url, &said.model, &said.place]
                .iter()
                .all(|it| it.len() <= LONGEST)
        })
        .collect()
}

/// A model that notes what its server says of its window.
pub struct Remembering {
    pub model: Arc<dyn Model>,
    pub windows: Windows,
}

impl Model for Remembering {
    fn identity(&self) -> Arc<Identity> {
        self.model.identity()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.model.stream(request)
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        self.model.models()
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        Box::pin(async move {
            let served = self.model.served_window().await;
            if let Some(window) = &served {
                self.windows.keep(window);
            }
            served
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(folder: &Path, base_url: &str, model: &str) -> Windows {
        Windows {
            path: folder.join(FILE),
            base_url: without_user(base_url),
            model: model.to_owned(),
        }
    }

    fn served(tokens: u64) -> Window {
        Window {
            tokens,
            source: WindowSource::Server(String::from("/props")),
        }
    }

    #[test]
    fn what_a_server_said_is_remembered_for_this_address_and_model_with_the_day() {
        let folder = tempfile::tempdir().unwrap();
        let one = windows(folder.path(), "http://u:secret@a/v1", "m");
        one.keep(&served(4096));
        one.keep(&served(8192));
        let found = windows(folder.path(), "http://a/v1", "m").recall().unwrap();
        assert_eq!(found.tokens, 8192);
        let WindowSource::Server(place) = &found.source else {
            panic!("{found:?}");
        };
        assert!(place.starts_with("/props, remembered from 2"), "{place}");
        assert_eq!(one.place().as_deref(), Some("/props"));
        for (url, model) in [("http://b/v1", "m"), ("http://a/v1", "n")] {
            assert_eq!(windows(folder.path(), url, model).recall(), None);
        }
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!text.contains("secret"), "{text}");
        assert_eq!(count(&folder.path().join(FILE)), 1);
    }

    #[test]
    fn only_servers_are_remembered_and_nothing_old_or_impossible_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let one = windows(folder.path(), "http://a/v1", "m");
        for source in [WindowSource::User, WindowSource::Catalogue] {
            one.keep(&Window {
                tokens: 9000,
                source,
            });
        }
        one.keep(&Window {
            tokens: 9000,
            source: WindowSource::Server("x".repeat(LONGEST + 1)),
        });
        assert_eq!(one.recall(), None);
        for (tokens, age) in [(8192, KEPT_SECONDS + 1), (1, 0)] {
            let page = serde_json::json!({"windows": [{
                "base_url": "http://a/v1", "model": "m", "tokens": tokens,
                "place": "/props", "said_at": now() - age,
            }, 7]});
            std::fs::write(&one.path, page.to_string()).unwrap();
            assert_eq!(one.recall(), None, "{tokens} {age}");
        }
        for damaged in ["", "[]", "{\"windows\": 1}", "\u{0}"] {
            std::fs::write(&one.path, damaged).unwrap();
            assert_eq!(one.recall(), None);
        }
        one.keep(&served(4096));
        assert_eq!(one.recall().unwrap().tokens, 4096);
    }

    #[test]
    fn the_same_number_is_not_written_at_every_session() {
        let folder = tempfile::tempdir().unwrap();
        let one = windows(folder.path(), "http://a/v1", "m");
        one.keep(&served(4096));
        let first = std::fs::metadata(&one.path).unwrap();
        one.keep(&served(4096));
        use std::os::unix::fs::MetadataExt;
        assert_eq!(first.ino(), std::fs::metadata(&one.path).unwrap().ino());
    }
}
