//! What exists, for people: one summary for each session. Reads the digest of
//! a session or the two ends of its log, never a whole log. A search in what
//! was said is not here: it has an index of its own.

use crate::SessionError;
use crate::digest::Digest;
use crate::packed::{self, Entry, Packed, Said};
use crate::place::{self, Found};
use serde::Serialize;
use std::collections::HashSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use tenon_vocab::{Cost, ForkPoint, ModelTotals, Outcome, SessionId, Timestamp, Usage};

/// Digests that one thread reads in the time that another needs to begin.
const FEW: usize = 256;
const MOST_THREADS: usize = 8;
/// So many sessions may have changed before the one file is written anew.
const STALE: usize = 64;

/// Which sessions are wanted; the default is all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Only those of this directory, by its exact recorded name.
    pub cwd: Option<String>,
}

impl ListFilter {
    fn fits(&self, summary: &Summary) -> bool {
        self.cwd.as_ref().is_none_or(|cwd| *cwd == summary.cwd)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Newest first.
    pub sessions: Vec<Summary>,
    /// What could not be read, and why.
    pub skipped: Vec<(PathBuf, String)>,
    /// All that there are, in no order, those that are not wanted too.
    pub ids: Vec<SessionId>,
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
    let found = place::all(root);
    let text = if found.len() > FEW {
        packed::read(root)
    } else {
        Vec::new()
    };
    let packed = Packed::parse(&text);
    let parts = in_parts(&found, |part| read(part, filter, &packed));
    if found.len() > FEW {
        repack(root, &found, &packed, &parts);
    }
    let mut listing = Listing {
        ids: found.iter().map(|found| found.id).collect(),
        ..Listing::default()
    };
    for part in parts {
        listing.sessions.extend(part.sessions);
        listing.skipped.extend(part.skipped);
    }
    // Ids of one millisecond break ties by their time too.
    listing
        .sessions
        .sort_by_key(|summary| std::cmp::Reverse((summary.updated, summary.id)));
    listing
}

/// What one thread read.
#[derive(Debug, Default)]
struct Part {
    sessions: Vec<Summary>,
    skipped: Vec<(PathBuf, String)>,
    /// Those that were in the one file, whether they still held or not.
    known: usize,
    /// Those whose digests were read one by one, as the one file has them.
    fresh: Vec<(SessionId, u64, Vec<u8>)>,
}

fn read(found: &[Found], filter: &ListFilter, packed: &Packed<'_>) -> Part {
    let mut part = Part::default();
    for found in found {
        match part.summary(found, filter, packed) {
            Ok(wanted) => part.sessions.extend(wanted),
            Err(error) => {
                let path = found.place.log.clone();
                part.skipped.push((path, error.to_string()));
            }
        }
    }
    part
}

impl Part {
    /// `None` for one that is not wanted.
    fn summary(
        &mut self,
        Found { id, place }: &Found,
        filter: &ListFilter,
        packed: &Packed<'_>,
    ) -> Result<Option<Summary>, SessionError> {
        let (id, length) = (*id, Digest::length(place)?);
        if let Some(entry) = packed.get(id) {
            self.known += 1;
            if entry.length == length {
                match entry.read(id, filter.cwd.as_deref()) {
                    Some(Said::Here(summary)) => return Ok(Some(*summary)),
                    Some(Said::Elsewhere) => return Ok(None),
                    None => {}
                }
            }
        }
        let summary = summary(id, Digest::of_length(place, length)?);
        if summary.bytes == length
            && let Some(row) = packed::row(&summary)
        {
            self.fresh.push((id, length, row));
        }
        Ok(filter.fits(&summary).then_some(summary))
    }
}

/// Writes the one file anew when much of it does not hold, or when a session in
/// it is gone.
fn repack(root: &Path, found: &[Found], packed: &Packed<'_>, parts: &[Part]) {
    let known: usize = parts.iter().map(|part| part.known).sum();
    let fresh = || parts.iter().flat_map(|part| &part.fresh);
    if fresh().count() <= STALE && known == packed.len() {
        return;
    }
    let replaced: HashSet<SessionId> = fresh().map(|(id, ..)| *id).collect();
    let kept = found
        .iter()
        .filter(|found| !replaced.contains(&found.id))
        .filter_map(|found| Some((found.id, packed.get(found.id)?)));
    let fresh = fresh().map(|(id, length, row)| {
        let (length, row) = (*length, row.as_slice());
        (*id, Entry { length, row })
    });
    packed::write(root, kept.chain(fresh));
}

/// Waiting for thousands of small files is done side by side. A few are read
/// sooner than a thread is made.
fn in_parts<T: Send>(found: &[Found], work: impl Fn(&[Found]) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(MOST_THREADS).min(found.len() / FEW);
    if threads < 2 {
        return vec![work(found)];
    }
    let (first, rest) = found.split_at(found.len() / threads);
    let size = rest.len().div_ceil(threads - 1);
    std::thread::scope(|scope| {
        let others: Vec<_> = rest
            .chunks(size)
            .map(|part| (part, scope.spawn(|| work(part))))
            .collect();
        let mut done = vec![work(first)];
        for (part, other) in others {
            // A part whose thread came to grief is read once more, here.
            done.push(other.join().unwrap_or_else(|_| work(part)));
        }
        done
    })
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
