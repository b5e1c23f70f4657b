//! The last look at the tree, kept true: a sentry tells in which folders
//! something happened since, and only those are looked at again. So a command
//! waits for a question to the kernel and not for a look at all files.
//!
//! The rule that a reader can check: what stands in `Base::scan`, with the events
//! that wait in its sentry, is the tree. Whenever that is in doubt there is no
//! base, and the tree is scanned.

use super::keep::{Budget, Filled};
use super::{Desk, jobs_run};
use crate::core::Core;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};
use tenon_tools::workspace::{Changes, Extent, Noticed, Renewed, Scan, Sentry, Writes};

/// What is written through memory is told late, and through a second name not at
/// all. A look that is older than this is made anew when nobody waits for it.
const OLD: Duration = Duration::from_secs(60);

pub(super) struct Base {
    scan: Arc<Scan>,
    sentry: Sentry,
    /// Whether all contents are laid aside that can be.
    filled: Filled,
    made: Instant,
}

/// The tree as it stands now.
pub(super) struct Looked {
    pub(super) scan: Arc<Scan>,
    /// When it stood so.
    pub(super) at: SystemTime,
    /// Whose the changes are, where that was asked and is known.
    pub(super) parted: Option<Parted>,
    again: Seen,
}

/// What happened until a command had ended, and what came after that: paths,
/// each with all that is below it.
#[derive(Debug, Default)]
pub(super) struct Parted {
    until: BTreeSet<String>,
    /// Not known where the sentry was lost meanwhile.
    later: Option<BTreeSet<String>>,
    /// What was seen to be written until then.
    pub(super) written: Writes,
}

/// Who changed a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Also where nobody can tell.
    Command,
    Other,
    /// First the command, then somebody else.
    Both,
}

impl Parted {
    pub(super) fn whose(&self, path: &str) -> Whose {
        let is_below = |paths: &BTreeSet<String>| {
            let above = path.match_indices('/').map(|(at, _)| &path[..at]);
            above.into_iter().any(|folder| paths.contains(folder))
        };
        let Some(later) = &self.later else {
            let is_until = self.until.contains(path) || is_below(&self.until);
            return if is_until {
                Whose::Command
            } else {
                Whose::Other
            };
        };
        let is_named_later = later.contains(path);
        let is_later = is_named_later || is_below(later);
        // In a folder that is new or was moved nothing is watched. A name that
        // comes later is of a folder that was not.
        let is_until = self.until.contains(path) || (!is_named_later && is_below(&self.until));
        match (is_until, is_later) {
            (false, true) => Whose::Other,
            (true, true) => Whose::Both,
            _ => Whose::Command,
        }
    }
}

enum Seen {
    /// Everything was looked at.
    All,
    /// The rest is as it was.
    Some(Again),
}

/// What was looked at again.
#[derive(Default)]
pub(super) struct Again {
    pub(super) seen: Vec<String>,
    pub(super) gone: Vec<String>,
    pub(super) touched: BTreeSet<String>,
}

impl Desk {
    /// Looks at the tree: at what has changed since the last look, where that is
    /// known, and else at all of it.
    pub(super) fn look(&mut self, core: &Core, deadline: Instant) -> Looked {
        self.look_since(core, deadline, None)
    }

    /// What has happened up to now, for [`Self::look_since`]. Quick: only the
    /// kernel is asked, no folder is looked at.
    pub(super) fn so_far(&self, core: &Core) -> Option<Changes> {
        let base = self.base.as_ref()?;
        match core.workspace.noticed(&base.scan, &base.sentry) {
            Noticed::Nothing => Some(Changes::default()),
            Noticed::Changes(changes) => Some(changes),
            // It stays lost, which the next look finds.
            Noticed::Lost => None,
        }
    }

    /// The same look, that also tells what had happened by then from what came
    /// after.
    pub(super) fn look_since(
        &mut self,
        core: &Core,
        deadline: Instant,
        so_far: Option<Changes>,
    ) -> Looked {
        // A job may write through memory, and what it does is compared later.
        let is_alone = self.last.is_none() && !jobs_run(core);
        let base = self.base.take().filter(|_| is_alone);
        let parted = so_far.as_ref().filter(|_| is_alone).map(|so_far| Parted {
            until: so_far.paths.clone(),
            later: None,
            written: so_far.written.clone(),
        });
        if let Some(looked) = base.and_then(|base| self.renew(core, base, deadline, so_far)) {
            return looked;
        }
        let limits = core.keeper.limits(deadline);
        let is_urgent = core.keeper.urgent.load(Ordering::Relaxed);
        // To watch costs a walk more, which is not for a command to wait for.
        let (scan, sentry) = if is_alone && !is_urgent {
            core.workspace.scan_watched(&limits)
        } else {
            (core.workspace.scan(&limits), None)
        };
        let keeper = &core.keeper;
        keeper
            .entries
            .store(scan.entries().len(), Ordering::Relaxed);
        let at = if sentry.is_some() {
            SystemTime::now()
        } else {
            scan.begun()
        };
        let scan = Arc::new(scan);
        let is_whole = scan.extent() == Extent::Whole;
        self.base = sentry.filter(|_| is_whole).map(|sentry| Base {
            scan: Arc::clone(&scan),
            sentry,
            filled: Filled::Part,
            made: Instant::now(),
        });
        Looked {
            scan,
            at,
            parted,
            again: Seen::All,
        }
    }

    fn renew(
        &mut self,
        core: &Core,
        base: Base,
        deadline: Instant,
        so_far: Option<Changes>,
    ) -> Option<Looked> {
        let limits = core.keeper.limits(deadline);
        let mut parted = so_far.as_ref().map(|so_far| Parted {
            until: so_far.paths.clone(),
            later: Some(BTreeSet::new()),
            written: so_far.written.clone(),
        });
        let renewed = core.workspace.renewed_since(
            &base.scan,
            &base.sentry,
            so_far.unwrap_or_default(),
            &limits,
        );
        let (scan, again) = match renewed {
            Renewed::Lost => return None,
            Renewed::Same => (Arc::clone(&base.scan), Again::default()),
            Renewed::Anew(renewal) => {
                if let Some(parted) = &mut parted {
                    parted.later = Some(renewal.later);
                }
                let again = Again {
                    seen: renewal.seen,
                    gone: renewal.gone,
                    touched: renewal.touched,
                };
                (Arc::new(renewal.scan), again)
            }
        };
        let at = SystemTime::now();
        self.base = Some(Base {
            scan: Arc::clone(&scan),
            ..base
        });
        Some(Looked {
            scan,
            at,
            parted,
            again: Seen::Some(again),
        })
    }

    /// Whether the last look is to be made anew when there is time.
    pub(super) fn is_old(&self) -> bool {
        let is_old = |base: &Base| base.made.elapsed() > OLD;
        self.base.as_ref().is_none_or(is_old)
    }

    /// Lays aside what files hold that were looked at.
    pub(super) fn lay_aside(&mut self, core: &Core, looked: &Looked, budget: &Budget<'_>) {
        let before = self.base.as_ref().map_or(Filled::Part, |base| base.filled);
        let shelf = &mut self.shelf;
        let renewed = match &looked.again {
            Seen::Some(again) => shelf.renew(core, &looked.scan, again, budget),
            Seen::All => Filled::Part,
        };
        let filled = match (before, renewed) {
            (Filled::Whole, Filled::Whole) => Filled::Whole,
            _ => shelf.keep(core, &looked.scan, budget),
        };
        if let Some(base) = &mut self.base {
            base.filled = filled;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(until: &[&str], later: &[&str]) -> Parted {
        let set = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        Parted {
            until: set(until),
            later: Some(set(later)),
            written: Writes::default(),
        }
    }

    #[test]
    fn what_came_when_the_command_had_ended_is_not_the_commands() {
        let mut parted = parted(&["a", "made", "src"], &["b", "a", "gone", "src/mine"]);
        assert_eq!(parted.whose("b"), Whose::Other);
        assert_eq!(parted.whose("gone/in/it"), Whose::Other);
        assert_eq!(parted.whose("src/mine"), Whose::Other);
        assert_eq!(parted.whose("a"), Whose::Both);
        assert_eq!(parted.whose("made/in/it"), Whose::Command);
        assert_eq!(parted.whose("made2"), Whose::Command, "nobody can tell");
        parted.later = None;
        assert_eq!(parted.whose("a"), Whose::Command);
        assert_eq!(parted.whose("made/in/it"), Whose::Command);
        assert_eq!(parted.whose("made2"), Whose::Other);
    }
}
