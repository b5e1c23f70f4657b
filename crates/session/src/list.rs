//! What exists, for people: one summary for each session. Reads the digest of
//! a session or the two ends of its log, never a whole log. A search in what
//! was said is not here: it has an index of its own.

use crate::SessionError;
use crate::digest::Digest;
use crate::packed::{self, Entry, Packed, Said};
use crate::place::{self, Found};
use crate::stamp::Stamp;
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Instant;
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
    let begun = Instant::now();
    let found = place::all(root);
    let text = OnceCell::new();
    let (stamps, mut list) = beside(
        found.len(),
        || found.iter().map(Found::stamp).collect::<Vec<_>>(),
        || {
            let text = text.get_or_init(|| match found.len() {
                ..=FEW => Vec::new(),
                _ => packed::read(root),
            });
            List::read(&found, filter, &Packed::parse(text))
        },
    );
    list.check(&found, stamps);
    let parts = in_parts(&list.unknown, |part| read(part, filter));
    if found.len() > FEW {
        list.repack(root, begun, &parts);
    }
    let List {
        mut sessions,
        mut skipped,
        ..
    } = list;
    for part in parts {
        sessions.extend(part.sessions);
        skipped.extend(part.skipped);
    }
    // Ids of one millisecond break ties by their time too.
    sessions.sort_by_cached_key(|summary| std::cmp::Reverse((summary.updated, summary.id)));
    Listing {
        sessions,
        skipped,
        ids: found.iter().map(|found| found.id).collect(),
    }
}

/// What a list has after a look at each log and into the one file.
#[derive(Debug, Default)]
struct List<'a> {
    sessions: Vec<Summary>,
    skipped: Vec<(PathBuf, String)>,
    /// What the one file has of those that were found, wanted or not, in their
    /// order.
    kept: Vec<Option<Kept<'a>>>,
    /// How many the one file has that were not found.
    lost: usize,
    /// Those whose digests must be read one by one.
    unknown: Vec<(Found, Stamp)>,
}

#[derive(Debug)]
struct Kept<'a> {
    id: SessionId,
    entry: Entry<'a>,
    /// Whether its summary is among the sessions.
    wanted: bool,
}

impl<'a> List<'a> {
    /// Takes what the one file says, whether it still holds or not.
    fn read(found: &[Found], filter: &ListFilter, packed: &Packed<'a>) -> Self {
        let mut list = Self {
            sessions: Vec::with_capacity(packed.len()),
            kept: Vec::with_capacity(found.len()),
            lost: packed.len(),
            ..Self::default()
        };
        for found in found {
            let entry = packed.get(found.id);
            list.lost = list.lost.saturating_sub(usize::from(entry.is_some()));
            let kept = entry.and_then(|entry| {
                let said = entry.read(found.id, filter.cwd.as_deref())?;
                Some((entry, said))
            });
            list.kept.push(kept.map(|(entry, said)| {
                let wanted = matches!(said, Said::Here(_));
                if let Said::Here(summary) = said {
                    list.sessions.push(summary);
                }
                Kept {
                    id: found.id,
                    entry,
                    wanted,
                }
            }));
        }
        list
    }

    /// Leaves of it what holds for the logs as they stand.
    fn check(&mut self, found: &[Found], stamps: Vec<io::Result<Stamp>>) {
        let mut gone = HashSet::new();
        for ((found, stamp), kept) in found.iter().zip(stamps).zip(&mut self.kept) {
            let holds = |kept: &Kept<'_>| stamp.as_ref().is_ok_and(|now| *now == kept.entry.stamp);
            if kept.as_ref().is_some_and(holds) {
                continue;
            }
            if kept.take().is_some_and(|kept| kept.wanted) {
                gone.insert(found.id);
            }
            match stamp {
                Ok(stamp) => self.unknown.push((found.clone(), stamp)),
                Err(error) => {
                    let log = found.place().log;
                    let why = SessionError::io("read", &log, error).to_string();
                    self.skipped.push((log, why));
                }
            }
        }
        if !gone.is_empty() {
            self.sessions.retain(|summary| !gone.contains(&summary.id));
        }
    }

    /// Writes the one file anew when much of it does not hold, or when a session
    /// in it is gone.
    fn repack(&self, root: &Path, begun: Instant, parts: &[Part]) {
        let fresh = || parts.iter().flat_map(|part| &part.fresh);
        if fresh().count() <= STALE && self.lost == 0 {
            return;
        }
        let fresh = fresh().map(|(id, stamp, row)| {
            let (stamp, row) = (*stamp, row.as_slice());
            (*id, Entry { stamp, row })
        });
        let kept = self.kept.iter().flatten().map(|kept| (kept.id, kept.entry));
        packed::write(root, begun, kept.chain(fresh));
    }
}

/// What one thread read.
#[derive(Debug, Default)]
struct Part {
    sessions: Vec<Summary>,
    skipped: Vec<(PathBuf, String)>,
    /// As the one file has them.
    fresh: Vec<(SessionId, Stamp, Vec<u8>)>,
}

fn read(unknown: &[(Found, Stamp)], filter: &ListFilter) -> Part {
    let mut part = Part::default();
    for (found, stamp) in unknown {
        let place = found.place();
        match Digest::of_stamp(&place, *stamp) {
            Ok(digest) => {
                let summary = summary(found.id, digest);
                if summary.bytes == stamp.length
                    && let Some(row) = packed::row(&summary)
                {
                    part.fresh.push((found.id, *stamp, row));
                }
                part.sessions
                    .extend(filter.fits(&summary).then_some(summary));
            }
            Err(error) => part.skipped.push((place.log, error.to_string())),
        }
    }
    part
}

/// Does two things at once; a few are done sooner than a thread is made.
fn beside<T: Send, U>(
    count: usize,
    other: impl Fn() -> T + Sync,
    this: impl FnOnce() -> U,
) -> (T, U) {
    if count <= FEW {
        return (other(), this());
    }
    std::thread::scope(|scope| {
        let done = scope.spawn(&other);
        let own = this();
        (done.join().unwrap_or_else(|_| other()), own)
    })
}

/// Waiting for thousands of small files is done side by side. A few are read
/// sooner than a thread is made.
fn in_parts<I: Sync, T: Send>(all: &[I], work: impl Fn(&[I]) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(MOST_THREADS).min(all.len() / FEW);
    if threads < 2 {
        return vec![work(all)];
    }
    let (first, rest) = all.split_at(all.len() / threads);
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
