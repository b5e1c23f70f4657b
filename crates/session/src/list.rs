//! What exists, for people: one summary for each session. Reads the digest of
//! a session or the two ends of its log, never a whole log, unless text is
//! searched for in messages.

use crate::Blobs;
use crate::digest::Digest;
use crate::lines::Lines;
use crate::place::{self, Found, Place};
use crate::record::decode;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use tenon_vocab::{
    Cost, Event, EventKind, ForkPoint, ModelTotals, Outcome, SessionId, Timestamp, Usage,
};

/// Which sessions are wanted; the default is all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Only those of this directory, by its exact recorded name.
    pub cwd: Option<String>,
    /// Only those with this text, in any case, in the title, the prompt or a message.
    pub text: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Newest first.
    pub sessions: Vec<Summary>,
    /// What could not be read, and why.
    pub skipped: Vec<(PathBuf, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub id: SessionId,
    pub created: Timestamp,
    pub updated: Timestamp,
    pub cwd: String,
    pub git_branch: Option<String>,
    /// As set, else the first line of the first prompt.
    pub title: String,
    pub prompt: String,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub runs: u32,
    pub usage: Usage,
    /// `None` where no price is known.
    pub cost: Option<Cost>,
    /// Usage and cost by model.
    pub models: Vec<ModelTotals>,
    pub compactions: u32,
    pub forked_from: Option<ForkPoint>,
    pub bytes: u64,
    pub pinned: bool,
    /// Of the last run; none while it is unfinished, or when there was none.
    pub outcome: Option<Outcome>,
    /// The log was too long to be read in full for a list: runs, usage and
    /// compactions are at least these.
    pub partial: bool,
}

pub(crate) fn list(root: &Path, filter: &ListFilter) -> Listing {
    let mut listing = Listing::default();
    let wanted = filter.text.as_ref().map(|text| text.to_lowercase());
    for Found { id, place } in place::all(root) {
        let digest = match Digest::of(&place) {
            Ok(digest) => digest,
            Err(error) => {
                listing.skipped.push((place.log, error.to_string()));
                continue;
            }
        };
        if filter
            .cwd
            .as_ref()
            .is_some_and(|cwd| *cwd != digest.meta.cwd)
        {
            continue;
        }
        let summary = summary(id, digest);
        if wanted
            .as_ref()
            .is_none_or(|text| says(&summary, &place, text))
        {
            listing.sessions.push(summary);
        }
    }
    // Ids of one millisecond break ties by their time too.
    listing
        .sessions
        .sort_by_key(|summary| std::cmp::Reverse((summary.updated, summary.id)));
    listing
}

pub(crate) fn summary(id: SessionId, digest: Digest) -> Summary {
    let cost = digest.totals.cost();
    let settings = digest.totals.settings;
    let prompt = digest.totals.prompt;
    let first_line = prompt.trim().lines().next().unwrap_or_default().to_owned();
    let title = settings
        .as_ref()
        .and_then(|settings| settings.title.clone())
        .unwrap_or(first_line);
    Summary {
        id,
        created: digest.created,
        updated: digest.updated,
        cwd: digest.meta.cwd,
        git_branch: digest.meta.git_branch,
        title,
        prompt,
        model: settings.as_ref().map(|settings| settings.model.clone()),
        agent: settings
            .as_ref()
            .map(|settings| settings.agent_name.clone()),
        runs: digest.totals.runs,
        usage: digest.totals.usage,
        cost,
        models: digest.totals.models,
        compactions: digest.totals.compactions,
        forked_from: digest.meta.forked_from,
        bytes: digest.bytes,
        pinned: settings.is_some_and(|settings| settings.pinned),
        outcome: digest.outcome,
        partial: digest.partial,
    }
}

fn says(summary: &Summary, place: &Place, text: &str) -> bool {
    summary.title.to_lowercase().contains(text)
        || summary.prompt.to_lowercase().contains(text)
        || message_says(place, text).unwrap_or(false)
}

fn message_says(place: &Place, text: &str) -> Option<bool> {
    let file = File::open(&place.log).ok()?;
    let blobs = Blobs::in_folder(place.blobs());
    let mut lines = Lines::new(&file, 0);
    while let Some(line) = lines.next_whole().ok()? {
        let is_message = std::str::from_utf8(&line.bytes)
            .ok()
            .filter(|line| line.contains(r#""type":"message""#))
            .and_then(|line| decode(line, &blobs).ok());
        if let Some(Event {
            kind: EventKind::Message(message),
            ..
        }) = is_message
            && message.text().to_lowercase().contains(text)
        {
            return Some(true);
        }
    }
    Some(false)
}
