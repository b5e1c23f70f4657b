//! Images that a server refused are not sent again: an image in the history
//! would otherwise end every later request of the session. What stands in
//! their place is text, so that the model knows that something was there.

use crate::{Entry, Request};
use std::collections::HashSet;
use std::sync::{Arc, Weak};
use tenon_vocab::{ImageSource, Message, Part};

const LEFT_OUT: &str = "[an image was left out: the server refused it]";

/// The refused images of a session.
#[derive(Default)]
pub(super) struct Refused {
    images: HashSet<String>,
    /// What is sent instead of an entry. The same piece each time, because it
    /// keeps what a codec made of it; weak, because the history owns entries.
    instead: Vec<(Weak<Entry>, Arc<Entry>)>,
}

impl Refused {
    /// Takes note of the images of this request; gives those that are new.
    pub(super) fn refuse(&mut self, request: &Request) -> Vec<String> {
        let mut new = Vec::new();
        for entry in request
            .entries
            .iter()
            .filter(|entry| entry.message.in_context)
        {
            for source in sources(&entry.message) {
                let name = name(source);
                if self.images.insert(name.clone()) {
                    new.push(name);
                }
            }
        }
        // What was made of an entry may still hold an image of these.
        self.instead.clear();
        new
    }

    /// The request was refused without them, too: it was not about them.
    pub(super) fn forgive(&mut self, names: &[String]) {
        for name in names {
            self.images.remove(name);
        }
        self.instead.clear();
    }

    pub(super) fn leave_out(&mut self, request: &mut Request) {
        if self.images.is_empty() {
            return;
        }
        self.instead
            .retain(|(original, _)| original.strong_count() > 0);
        for entry in &mut request.entries {
            let refused = sources(&entry.message).any(|source| self.images.contains(&name(source)));
            if refused {
                *entry = self.instead_of(entry);
            }
        }
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
        let message = Arc::new(self.without_images(&entry.message));
        let blobs = entry
            .blobs
            .iter()
            .filter(|(blob, _)| {
                !self
                    .images
                    .contains(&name(&ImageSource::Blob(blob.clone())))
            })
            .cloned()
            .collect();
        let instead = Arc::new(Entry::with_blobs(message, blobs));
        self.instead.push((address, Arc::clone(&instead)));
        instead
    }

    fn without_images(&self, message: &Message) -> Message {
        let mut kept: Vec<Part> = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            let refused =
                matches!(part, Part::Image { source, .. } if self.images.contains(&name(source)));
            if !refused {
                kept.push(part.clone());
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

fn sources(message: &Message) -> impl Iterator<Item = &ImageSource> {
    message.parts.iter().filter_map(|part| match part {
        Part::Image { source, .. } => Some(source),
        _ => None,
    })
}

fn name(source: &ImageSource) -> String {
    match source {
        ImageSource::Blob(blob) => format!("blob {}", blob.sha256),
        ImageSource::Url(url) => format!("url {url}"),
    }
}
