//! Old outputs are replaced by a line that says what they were and how to get
//! them again. The largest and oldest first: a file that was read an hour ago is
//! what fills a window and what nobody misses. Pure; nothing is sent for it.

use crate::compact::text::figure;
use crate::compact::view::{Item, View};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tenon_model::estimate_text;
use tenon_vocab::names::tool;
use tenon_vocab::{CallId, Part, PrunedCall};

/// A shorter output is not worth a line about it.
const WORTH: u64 = 120;
/// Characters of the input that name a call, and of the end of what it printed.
const NAMED: usize = 160;
const TAIL: usize = 200;

/// Why an output goes, as its line says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Because {
    Old,
    /// It alone is too long for the window, although it is recent.
    TooLong,
}

/// What is replaced, with the tokens that it frees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pruned {
    pub(crate) calls: Vec<PrunedCall>,
    pub(crate) freed: u64,
    /// How many outputs are shorter now.
    pub(crate) count: usize,
}

/// Prunes outputs of this part of the items until so much is free, or nothing is
/// left. Only of items from `kept` on the calls are named: what stands before is
/// replaced as a whole.
pub(crate) fn outputs(
    view: &View,
    within: Range<usize>,
    kept: usize,
    wanted: u64,
    because: Because,
) -> Pruned {
    let count = within.len().max(1) as u64;
    let mut candidates: Vec<(u64, usize)> = view
        .items
        .iter()
        .enumerate()
        .skip(within.start)
        .take(within.len())
        .filter(|(_, item)| may_go(item, because))
        .map(|(index, item)| {
            let age = count - (index - within.start) as u64;
            (item.tokens.saturating_mul(age), index)
        })
        .collect();
    candidates.sort_unstable_by_key(|(weight, index)| (std::cmp::Reverse(*weight), *index));
    let mut texts = HashMap::new();
    let mut freed = 0;
    for (_, index) in candidates {
        if freed >= wanted {
            break;
        }
        let Some(item) = view.items.get(index) else {
            continue;
        };
        let line = placeholder(view, item, because);
        let gain = item.tokens.saturating_sub(estimate_text(&line) + 8);
        if gain > 0 {
            freed += gain;
            texts.insert(index, line);
        }
    }
    Pruned {
        count: texts.len(),
        calls: named(view, kept, texts),
        freed,
    }
}

fn may_go(item: &Item, because: Because) -> bool {
    let Some((name, _)) = item.result() else {
        return false;
    };
    // What a skill says holds for as long as the session works by it.
    let is_skill = name == tool::SKILL && because == Because::Old;
    !item.pruned && !is_skill && item.tokens >= WORTH
}

/// The record goes by the ids of calls, the first entry for the first result with
/// an id. Where an id came twice, the earlier result gets its own text again.
fn named(view: &View, kept: usize, mut texts: HashMap<usize, String>) -> Vec<PrunedCall> {
    let id = |item: &Item| match item.message.parts.first() {
        Some(Part::ToolResult { call, .. }) => Some(call.clone()),
        _ => None,
    };
    let mut wanted: HashSet<CallId> = HashSet::new();
    let mut calls = Vec::new();
    for (index, item) in view.items.iter().enumerate().skip(kept).rev() {
        let Some(call) = id(item) else { continue };
        let own = item.result().map(|(_, text)| text.to_owned());
        let model_text = match texts.remove(&index) {
            Some(line) => {
                wanted.insert(call.clone());
                Some(line)
            }
            None => own.filter(|_| wanted.contains(&call)),
        };
        if let Some(model_text) = model_text {
            calls.push(PrunedCall { call, model_text });
        }
    }
    calls.reverse();
    calls
}

fn placeholder(view: &View, item: &Item, because: Because) -> String {
    let (name, text) = item.result().unwrap_or_default();
    let input = view
        .call_of(item)
        .map(|call| one_line(&call.arguments, NAMED))
        .unwrap_or_default();
    let bytes = figure(text.len() as u64);
    let why = match because {
        Because::Old => "Removed to make room",
        Because::TooLong => "Removed because it is too long for the window",
    };
    let again = match name {
        tool::BASH | tool::PROCESS => {
            let end: String = last_characters(text.trim_end(), TAIL);
            return format!(
                "[{why}: the output of {name} {input}, {bytes} bytes. It has run; run it again only if that is harmless, and print less. It ended with:]\n{end}"
            );
        }
        tool::READ => "Read it again, in parts, if you need it.",
        _ => "Call it again, for less at a time, if you need it.",
    };
    format!("[{why}: the output of {name} {input}, {bytes} bytes. {again}]")
}

fn one_line(text: &str, most: usize) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(most)
        .collect();
    if text.chars().nth(most).is_some() {
        format!("{line}…")
    } else {
        line
    }
}

fn last_characters(text: &str, most: usize) -> String {
    let all = text.chars().count();
    text.chars().skip(all.saturating_sub(most)).collect()
}
