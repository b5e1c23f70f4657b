//! What a document refers to beside its records. Content is taken from the
//! document alone and stored under its true hash, whatever the reference says;
//! what is not there is replaced by words, so that the session is whole.

use super::ImportError;
use super::document::Piece;
use crate::Blobs;
use crate::export::NOT_CARRIED;
use crate::record::moved_strings;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use tenon_vocab::{
    BlobRef, Checkpoint, Compiled, ImageSource, Message, Part, Role, Settings, ToolResult, Unkept,
};

const NO_IMAGE: &str = "[an image that the imported document does not include]";

pub(super) struct Carried<'a> {
    content: &'a HashMap<String, Piece<'a>>,
    blobs: Blobs,
    /// What was stored already, by the name that the document uses.
    stored: HashMap<String, BlobRef>,
    missing: u32,
}

impl<'a> Carried<'a> {
    pub(super) fn new(content: &'a HashMap<String, Piece<'a>>, blobs: Blobs) -> Self {
        Self {
            content,
            blobs,
            stored: HashMap::new(),
            missing: 0,
        }
    }

    pub(super) fn missing(&self) -> u32 {
        self.missing
    }

    /// Long strings of a log that stand beside it.
    pub(super) fn count_moved(&mut self, records: &[&RawValue]) {
        let moved: usize = records
            .iter()
            .map(|raw| moved_strings(raw.get()).len())
            .sum();
        self.missing = self
            .missing
            .saturating_add(u32::try_from(moved).unwrap_or(u32::MAX));
    }

    /// `None` when the document does not hold it, or holds something else.
    fn take(&mut self, name: &BlobRef) -> Result<Option<BlobRef>, ImportError> {
        if let Some(known) = self.stored.get(&name.sha256) {
            return Ok(Some(known.clone()));
        }
        let bytes =
            self.content
                .get(&name.sha256)
                .and_then(|piece| match (&piece.text, &piece.base64) {
                    (Some(text), _) => Some(text.as_bytes().to_vec()),
                    (None, Some(data)) => STANDARD.decode(data.as_bytes()).ok(),
                    (None, None) => None,
                });
        let Some(bytes) = bytes else {
            self.missing = self.missing.saturating_add(1);
            return Ok(None);
        };
        let stored = self.blobs.put(&bytes)?;
        if stored.sha256 != name.sha256 {
            self.missing = self.missing.saturating_add(1);
            return Ok(None);
        }
        self.stored.insert(name.sha256.clone(), stored.clone());
        Ok(Some(stored))
    }

    pub(super) fn message(
        &mut self,
        index: usize,
        message: &mut Message,
    ) -> Result<(), ImportError> {
        if message.role == Role::Tool {
            return Err(super::refused(
                index,
                "a result that is written as a message",
            ));
        }
        for part in &mut message.parts {
            let Part::Image { source, .. } = part else {
                continue;
            };
            let stored = match source {
                ImageSource::Blob(name) => self.take(name)?,
                // A server would fetch it, and its owner would learn of that.
                ImageSource::Url(_) => {
                    self.missing = self.missing.saturating_add(1);
                    None
                }
            };
            match stored {
                Some(stored) => *source = ImageSource::Blob(stored),
                None => *part = Part::text(NO_IMAGE),
            }
        }
        Ok(())
    }

    pub(super) fn result(&mut self, result: &mut ToolResult) -> Result<(), ImportError> {
        let mut images = Vec::new();
        for (name, media_type) in std::mem::take(&mut result.images) {
            if let Some(stored) = self.take(&name)? {
                images.push((stored, media_type));
            }
        }
        result.images = images;
        Ok(())
    }

    /// The prompt and the tools as they were sent are what the next run would
    /// begin with, so a document cannot bring them: they are made anew, with the
    /// rules of this place and the server that its user has chosen.
    pub(super) fn compiled(&self, compiled: &mut Compiled) -> Result<(), ImportError> {
        let none = self.blobs.put(b"")?;
        *compiled = Compiled {
            system: none.clone(),
            tools: none,
            fragments: None,
            agent_name: None,
            model: std::mem::take(&mut compiled.model),
            endpoint: String::new(),
            dialect: std::mem::take(&mut compiled.dialect),
            parameters: Value::Null,
            quirks: Vec::new(),
            tier: None,
            reason: std::mem::take(&mut compiled.reason),
        };
        Ok(())
    }
}

/// Who is asked is for this user to say. The name of the model stays, for people
/// to read: without a provider it chooses nothing.
pub(super) fn forget_provider(settings: &mut Settings) {
    settings.provider.clear();
    settings.effort = None;
}

/// Paths of another machine: they are named, and nothing is ever brought back.
pub(super) fn forget_files(checkpoint: &mut Checkpoint) {
    checkpoint.untouched.clear();
    for file in std::mem::take(&mut checkpoint.files) {
        checkpoint.unkept.push(Unkept {
            path: file.path,
            reason: NOT_CARRIED.to_owned(),
        });
    }
}
