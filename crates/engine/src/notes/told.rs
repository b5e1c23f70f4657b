//! Which rules the model has been told, as the conversation shows it. A file may
//! hold a block that looks like ours; the worst that it brings about is that the
//! true one is told once more, because a block counts only when it is the same
//! to the last byte.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_vocab::marked::{Mark, opening};
use tenon_vocab::{Message, Part, Role};

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum In {
    /// What goes along with prompts, and summaries.
    Prompts,
    /// The results of calls, too.
    Everything,
}

/// What follows the last block about a file, from its opening tag on.
pub(super) fn last_told<'a>(history: &'a [Arc<Message>], path: &str, place: In) -> Option<&'a str> {
    let opening = opening(Mark::Rules.tag(), &[("path", path)]);
    history.iter().rev().find_map(|message| {
        let texts = message.parts.iter().rev().filter_map(|part| match part {
            Part::Text { text } if message.role == Role::User => Some(text),
            Part::ToolResult { text, .. } if place == In::Everything => Some(text),
            _ => None,
        });
        texts
            .filter_map(|text| text.rfind(&opening).and_then(|at| text.get(at..)))
            .next()
    })
}

/// What was looked up before, so that a long conversation is not searched for
/// every call. It holds for one generation of the history.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    generation: u64,
    blocks: HashMap<String, String>,
    troubles: HashSet<String>,
}

impl Told {
    fn lock(&self, generation: u64) -> MutexGuard<'_, Known> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.generation != generation {
            known.generation = generation;
            known.blocks.clear();
        }
        known
    }

    pub(super) fn knows(&self, generation: u64, path: &str, block: &str) -> bool {
        let known = self.lock(generation);
        known.blocks.get(path).is_some_and(|told| told == block)
    }

    pub(super) fn note(&self, generation: u64, path: &str, block: &str) {
        let mut known = self.lock(generation);
        known.blocks.insert(path.to_owned(), block.to_owned());
    }

    /// Whether this was not said before.
    pub(crate) fn is_news(&self, trouble: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.troubles.insert(trouble.to_owned())
    }
}
