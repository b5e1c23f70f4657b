//! The conversation as a compaction looks at it: what stands in it, from which
//! record, how long it is. A copy of cheap handles; changes nothing.

use crate::core::Core;
use std::sync::Arc;
use tenon_model::{estimate_message, estimate_text, estimate_tool};
use tenon_session::State;
use tenon_vocab::marked::Mark;
use tenon_vocab::{Compacted, HistoryRef, Message, Part, Role, RunId, ToolCallPart};

#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) at: HistoryRef,
    pub(crate) run: Option<RunId>,
    pub(crate) message: Arc<Message>,
    /// For a result: the seq of the message that asked for it.
    pub(crate) asked_at: Option<u64>,
    pub(crate) pruned: bool,
    pub(crate) tokens: u64,
}

impl Item {
    /// Name and text of a result.
    pub(crate) fn result(&self) -> Option<(&str, &str)> {
        match self.message.parts.first() {
            Some(Part::ToolResult { name, text, .. }) => Some((name, text)),
            _ => None,
        }
    }
}

/// Estimated tokens of the system prompt and of the tools.
fn prefix(core: &Core) -> (u64, u64) {
    let prefix = &core.layout().prefix;
    let tools = prefix.tools.iter().map(estimate_tool).sum();
    (estimate_text(&prefix.system), tools)
}

/// What no compaction makes shorter.
pub(crate) fn fixed(core: &Core) -> u64 {
    let (system, tools) = prefix(core);
    system + tools
}

#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) items: Vec<Item>,
    /// The compaction that stands.
    pub(crate) previous: Option<Compacted>,
    /// Estimated tokens of the system prompt, the tools and the standing summary.
    pub(crate) system: u64,
    pub(crate) tools: u64,
    pub(crate) summary: u64,
}

impl View {
    pub(crate) fn of(core: &Core) -> Self {
        let (system, tools) = prefix(core);
        core.emitter
            .state(|state| Self::of_state(state, system, tools))
    }

    pub(crate) fn of_state(state: &State, system: u64, tools: u64) -> Self {
        let previous = state.compacted().cloned();
        Self {
            items: state
                .live()
                .map(|live| Item {
                    at: HistoryRef {
                        seq: live.seq,
                        offset: live.offset,
                    },
                    run: live.run,
                    message: Arc::clone(live.message),
                    asked_at: live.asked_at,
                    pruned: live.pruned,
                    tokens: estimate_message(live.message),
                })
                .collect(),
            summary: previous
                .as_ref()
                .map_or(0, |compacted| estimate_text(&compacted.summary)),
            previous,
            system,
            tools,
        }
    }

    /// The same of this copy.
    pub(crate) fn fixed(&self) -> u64 {
        self.system + self.tools
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.fixed() + self.summary + self.tokens_from(0)
    }

    pub(crate) fn tokens_from(&self, index: usize) -> u64 {
        self.items.iter().skip(index).map(|item| item.tokens).sum()
    }

    /// Where a cut may fall: a message with the results that belong to it.
    pub(crate) fn starts(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.asked_at.is_none())
            .map(|(index, _)| index)
    }

    /// The call that a result answers.
    pub(crate) fn call_of(&self, item: &Item) -> Option<&ToolCallPart> {
        let Some(Part::ToolResult { call, .. }) = item.message.parts.first() else {
            return None;
        };
        let asked_at = item.asked_at?;
        self.items
            .iter()
            .find(|asking| asking.at.seq == asked_at && asking.asked_at.is_none())?
            .message
            .tool_calls()
            .find(|asked| asked.id == *call)
    }

    /// Whether the marked part of a note stands in what is kept.
    pub(crate) fn stays(&self, cut: usize, note: &str) -> bool {
        let tag = format!("<{} ", Mark::Rules.tag());
        let block = note.find(&tag).map_or(note, |at| &note[at..]);
        self.items
            .iter()
            .skip(cut)
            .flat_map(|item| &item.message.parts)
            .any(|part| match part {
                Part::Text { text } | Part::ToolResult { text, .. } => text.contains(block),
                _ => false,
            })
    }

    /// What the model last said before this item.
    pub(crate) fn last_said(&self, before: usize) -> Option<String> {
        self.items
            .iter()
            .take(before)
            .rev()
            .filter(|item| item.message.role == Role::Assistant && !item.message.is_of_shell())
            .map(|item| item.message.text())
            .find(|text| !text.trim().is_empty())
    }
}
