//! Parts of the history that a server refused are not sent again: an image, or
//! reasoning that it cannot open, would otherwise end every later request of the
//! session. Where an image was stands text, so that the model knows that
//! something was there.
//!
//! It lasts as long as the session's model. A session that is resumed is refused
//! once more and goes on.

use crate::{Entry, Request};
use serde_json::Value;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use tenon_vocab::{CallId, ImageSource, Message, Part};

const LEFT_OUT: &str = "[an image was left out: the server refused it]";

/// What a server refuses of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Image,
    /// Reasoning that only its provider can open.
    Seal,
}

/// One refused part, by its content.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name {
    sort: Sort,
    content: String,
}

/// The refused parts of a session.
#[derive(Default)]
pub(super) struct Refused {
    names: HashSet<Name>,
    /// What is sent instead of an entry. The same piece each time, because it
    /// keeps what a codec made of it; weak, because the history owns entries.
    instead: Vec<(Weak<Entry>, Arc<Entry>)>,
}

impl Refused {
    /// How people know these images: by the file that was read, by the address,
    /// else by kind and size.
    pub(super) fn labels(request: &Request, names: &[Name]) -> Vec<String> {
        let mut labels: Vec<String> = Vec::new();
        for entry in &request.entries {
            let mut call = None;
            for part in &entry.message.parts {
                if let Part::ToolResult { call: of, .. } = part {
                    call = Some(of);
                }
                let Part::Image { source, media_type } = part else {
                    continue;
                };
                if !names.contains(&image(source)) {
                    continue;
                }
                let file = call.and_then(|call| path_of(request, call));
                let label = file.unwrap_or_else(|| described(source, media_type));
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
        }
        labels
    }

    /// Takes note of these parts of the request; gives those that are new.
    pub(super) fn refuse(&mut self, request: &Request, sort: Sort) -> Vec<Name> {
        let mut new = Vec::new();
        for entry in request
            .entries
            .iter()
            .filter(|entry| entry.message.in_context)
        {
            for name in entry.message.parts.iter().filter_map(name) {
                if name.sort == sort && self.names.insert(name.clone()) {
                    new.push(name);
                }
            }
        }
        // What was made of an entry may still hold a part of these.
        self.instead.clear();
        new
    }

    /// The request was refused without them, too: it was not about them.
    pub(super) fn forgive(&mut self, names: &[Name]) {
        for name in names {
            self.names.remove(name);
        }
        self.instead.clear();
    }

    /// For the log: what requests lack that the history has.
    pub(super) fn quirks(&self) -> Vec<String> {
        [
            (Sort::Image, "images_left_out"),
            (Sort::Seal, "sealed_reasoning_left_out"),
        ]
        .into_iter()
        .filter(|(sort, _)| self.names.iter().any(|name| name.sort == *sort))
        .map(|(_, word)| word.to_owned())
        .collect()
    }

    pub(super) fn leave_out(&mut self, request: &mut Request) {
        if self.names.is_empty() {
            return;
        }
        self.instead
            .retain(|(original, _)| original.strong_count() > 0);
        for entry in &mut request.entries {
            if entry.message.parts.iter().any(|part| self.holds(part)) {
                *entry = self.instead_of(entry);
            }
        }
    }

    fn holds(&self, part: &Part) -> bool {
        name(part).is_some_and(|name| self.names.contains(&name))
    }

    fn instead_of(&mut self, entry: &Arc<Entry>) -> Arc<Entry> {
        let address = Arc::downgrade(entry);
        let known = self
            .instead
            .iter()
            .find(|(known, _)| known.ptr_eq(&address));
        if let Some((_, instead)) = known {
            return Arc::clone(instead);
        }
        let message = Arc::new(self.without(&entry.message));
        let blobs = entry
            .blobs
            .iter()
            .filter(|(blob, _)| {
                let source = ImageSource::Blob(blob.clone());
                !self.names.contains(&image(&source))
            })
            .cloned()
            .collect();
        let instead = Arc::new(Entry::with_blobs(message, blobs));
        self.instead.push((address, Arc::clone(&instead)));
        instead
    }

    fn without(&self, message: &Message) -> Message {
        let mut kept: Vec<Part> = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            if !self.holds(part) {
                kept.push(part.clone());
                continue;
            }
            if !matches!(part, Part::Image { .. }) {
                continue;
            }
            // A result has no text beside it: the note belongs to its own.
            match kept.last_mut() {
                Some(Part::ToolResult { text, .. }) if !text.ends_with(LEFT_OUT) => {
                    text.push('\n');
                    text.push_str(LEFT_OUT);
                }
                Some(Part::ToolResult { .. }) => {}
                _ => kept.push(Part::text(LEFT_OUT)),
            }
        }
        Message {
            parts: kept,
            ..message.clone()
        }
    }
}

/// The file that this call was to read.
fn path_of(request: &Request, id: &CallId) -> Option<String> {
    let mut calls = request
        .entries
        .iter()
        .flat_map(|entry| entry.message.tool_calls());
    let call = calls.find(|call| call.id == *id)?;
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let path = arguments.get("path")?.as_str()?;
    Some(shortened(path))
}

fn described(source: &ImageSource, media_type: &str) -> String {
    match source {
        ImageSource::Url(url) if !url.starts_with("data:") => shortened(url),
        ImageSource::Url(_) => shortened(media_type),
        ImageSource::Blob(blob) => {
            format!("{} of {} bytes", shortened(media_type), blob.bytes)
        }
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let short: String = text.chars().take(MOST).collect();
    match short.len() < text.len() {
        true => format!("{short}…"),
        false => short,
    }
}

/// The name of a part that can be refused.
fn name(part: &Part) -> Option<Name> {
    match part {
        Part::Image { source, .. } => Some(image(source)),
        Part::Reasoning {
            signature: Some(signature),
            ..
        } => Some(seal(signature)),
        Part::Opaque { raw, .. } => {
            let redacted = raw.get("type").and_then(Value::as_str) == Some("redacted_thinking");
            let sealed = redacted || raw.get("encrypted_content").is_some();
            sealed.then(|| seal(&raw.to_string()))
        }
        _ => None,
    }
}

fn image(source: &ImageSource) -> Name {
    Name {
        sort: Sort::Image,
        content: match source {
            ImageSource::Blob(blob) => format!("blob {}", blob.sha256),
            ImageSource::Url(url) => format!("url {url}"),
        },
    }
}

/// Seals are long, and nothing but their equality is wanted.
fn seal(content: &str) -> Name {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    Name {
        sort: Sort::Seal,
        content: format!("{} {:x}", content.len(), hasher.finish()),
    }
}
