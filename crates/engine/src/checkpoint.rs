//! What commands change (N5). The tree is looked at before a command and after
//! it; what differs is recorded with what it was before, so that it can be taken
//! back. The file tools need none of this: they report each change themselves.
//!
//! A command normally waits for nothing: the look before it is the last look at
//! the tree, which [`base`] keeps true. The look after, and keeping what is new,
//! happen while the model goes on. Looking and reading is done on blocking
//! threads, behind one lock.

mod base;
mod compare;
mod guessed;
mod ignored;
mod keep;
mod moved;
mod record;

use crate::core::Core;
use base::{Base, Looked, Parted};
use guessed::{Guesses, Watched};
use ignored::Folders;
use keep::{Budget, Shelf};
use record::{destroyed, record, unwatched};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tenon_policy::{Danger, Facts, Script, Subject};
use tenon_session::Log;
use tenon_tools::workspace::{Extent, Moment, SCAN_ENTRIES, Scan, ScanLimits};
use tenon_vocab::{CallId, Class, Effect, Explanation, FileChange, NoticeLevel, RunId, Unkept};
use tokio::task::JoinHandle;

/// Longer than this no command waits for the look at the tree, and once more as
/// long for what is to be kept of it.
const WAIT: Duration = Duration::from_secs(2);
/// How long the look while the model thinks may take: a command that comes
/// meanwhile waits for it.
const LOOK: Duration = Duration::from_secs(5);
/// How long it may then read.
const AHEAD: Duration = Duration::from_secs(20);
/// How long a command waits for a count of what ignored folders hold.
const COUNT: Duration = Duration::from_millis(20);
/// A tree that takes too long so often is not looked at again.
const SLOW: u32 = 2;
/// From so many entries on a look is worth more than one thread.
const LARGE: usize = 2_000;
/// Files in one record of the log.
pub(crate) const RECORD: usize = 500;

/// Watches the tree around commands.
pub(crate) struct Keeper {
    /// Tenon's own folders.
    without: Vec<PathBuf>,
    desk: Mutex<Desk>,
    /// What the file tools changed since the last look, by path.
    edits: Mutex<HashMap<String, Edited>>,
    /// What was kept ahead of commands that have not ended.
    guesses: Guesses,
    /// The look after the last command.
    pending: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    /// The look while the model thinks.
    ahead: Mutex<Option<JoinHandle<()>>>,
    /// How many entries the last look found.
    entries: AtomicUsize,
    /// A command waits.
    urgent: AtomicBool,
    /// The session ends.
    stop: AtomicBool,
    /// It was said that commands are not watched.
    said: AtomicBool,
    /// Of these it was said that no copy is kept.
    named: Mutex<HashSet<String>>,
}

#[derive(Default)]
struct Desk {
    shelf: Shelf,
    /// The last look, where it can be kept true.
    base: Option<Base>,
    last: Option<Last>,
    /// Those that are ignored.
    folders: Folders,
    /// There are too many files, or the disk is too slow: nothing is watched.
    off: Option<Extent>,
    /// How often a look took too long.
    slow: u32,
    /// A command runs. Whoever laid aside now would forget what it removes.
    running: bool,
}

/// What a file tool left at a path.
enum Edited {
    /// With the hash of its content.
    File(String),
    Folder,
    Gone,
}

/// The look after a command that left something running.
struct Last {
    scan: Arc<Scan>,
    since: Moment,
    run: RunId,
}

/// The tree just before a command.
pub(crate) struct Before {
    scan: Arc<Scan>,
    /// What was there by then is not the command's, whenever it was looked at.
    since: Moment,
}

/// Two looks, and the time from which on what happened counts.
struct Between<'a> {
    before: &'a Scan,
    since: Moment,
    after: &'a Scan,
    /// What is not the command's, though it was changed between them.
    parted: Option<&'a Parted>,
}

/// What was found to have changed.
#[derive(Default)]
struct Found {
    files: Vec<FileChange>,
    unkept: Vec<Unkept>,
    /// Nothing was passed over for want of time or room.
    is_whole: bool,
    /// Files that still begin with all that they held.
    grown: HashSet<String>,
    /// Of what cannot be taken back, what took nothing away: only an undo that
    /// passes it over says so.
    harmless: HashSet<String>,
}

impl Found {
    /// All that it names.
    fn paths(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|file| file.path.as_str());
        files.chain(self.unkept.iter().map(|unkept| unkept.path.as_str()))
    }
}

impl Keeper {
    pub(crate) fn new(log: &Log, root: &Path) -> Self {
        Self {
            without: own_folder(log, root).into_iter().collect(),
            desk: Mutex::default(),
            edits: Mutex::default(),
            guesses: Guesses::default(),
            pending: tokio::sync::Mutex::default(),
            ahead: Mutex::default(),
            entries: AtomicUsize::new(0),
            urgent: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            said: AtomicBool::new(false),
            named: Mutex::default(),
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file tool has changed this.
    pub(crate) fn edited(&self, change: &FileChange) {
        let left = match &change.after {
            Some(hash) => Edited::File(hash.clone()),
            None if FileChange::is_folder(change.after_mode) => Edited::Folder,
            None => Edited::Gone,
        };
        self.edits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(change.path.clone(), left);
    }

    /// This was kept before a call that may destroy it.
    pub(crate) fn kept_ahead(&self, run: RunId, call: &CallId, files: &[FileChange]) {
        self.guesses.add(run, call, files);
    }

    /// Waits until all that has run is recorded.
    pub(crate) async fn settled(&self) {
        if let Some(pending) = self.pending.lock().await.take() {
            // One that crashed leaves a command without a record; there is
            // nothing to wait for.
            let _ = pending.await;
        }
    }

    /// Ends what goes on beside the session. Until then it holds the log.
    pub(crate) async fn end(&self) {
        self.settled().await;
        self.stop.store(true, Ordering::Relaxed);
        let ahead = self.ahead().take();
        if let Some(ahead) = ahead {
            let _ = ahead.await;
        }
    }

    fn ahead(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self, deadline: Instant) -> ScanLimits<'_> {
        // What the tree was like the last time tells what it is worth.
        let threads = match self.entries.load(Ordering::Relaxed) {
            0..LARGE => 1,
            _ => std::thread::available_parallelism().map_or(1, |count| count.get().min(4)),
        };
        ScanLimits {
            entries: SCAN_ENTRIES,
            deadline: Some(deadline),
            threads,
            stop: &self.stop,
            without: &self.without,
        }
    }
}

/// Whether the tree must be looked at around a call: it starts something that is
/// not known to only read, or held to it.
pub(crate) fn is_watched(core: &Core, facts: &Facts, explanation: &Explanation) -> bool {
    let reads = match &facts.subject {
        _ if explanation.reads_only => true,
        Subject::Command(script) => script.only_reads(),
        _ => false,
    };
    core.given.checkpoints.commands && facts.effect == Effect::Execute && !reads
}

/// Looks at the tree and keeps what files hold, while the model thinks: then the
/// first command has little to wait for.
pub(crate) fn prepare(core: &Arc<Core>) {
    let starts_something = core
        .agent()
        .toolbox
        .iter()
        .any(|tool| tool.spec().effect == Effect::Execute);
    if !core.given.checkpoints.commands || !starts_something {
        return;
    }
    let mut ahead = core.keeper.ahead();
    if ahead.as_ref().is_some_and(|ahead| !ahead.is_finished()) {
        return;
    }
    let core = Arc::clone(core);
    *ahead = Some(tokio::task::spawn_blocking(move || {
        let keeper = &core.keeper;
        // Whoever is at the desk does the same.
        let Ok(mut desk) = keeper.desk.try_lock() else {
            return;
        };
        if desk.off.is_some() || desk.running {
            return;
        }
        if desk.is_old() {
            desk.base = None;
        }
        let looked = desk.look(&core, Instant::now() + LOOK);
        if looked.scan.extent() == Extent::Whole {
            let until = Instant::now() + AHEAD;
            let budget = Budget::ahead(until, &keeper.urgent, &keeper.stop);
            desk.lay_aside(&core, &looked, &budget);
            desk.ask_folders(&core, &looked.scan);
            desk.count_folders(&core, &budget);
        }
    }));
}

/// The look before a command. `None` when the tree cannot be watched; people are
/// told once.
pub(crate) async fn before(core: &Arc<Core>, run: RunId) -> Option<Before> {
    core.keeper.settled().await;
    core.keeper.urgent.store(true, Ordering::Relaxed);
    let engine = Arc::clone(core);
    let looked = tokio::task::spawn_blocking(move || look_before(&engine, run)).await;
    core.keeper.urgent.store(false, Ordering::Relaxed);
    looked.ok().flatten()
}

fn look_before(core: &Arc<Core>, run: RunId) -> Option<Before> {
    let keeper = &core.keeper;
    let mut desk = keeper.desk();
    if let Some(extent) = desk.off {
        unwatched(core, run, extent, WAIT);
        return None;
    }
    let now = Instant::now();
    let looked = desk.look(core, now + WAIT);
    let extent = looked.scan.extent();
    if extent != Extent::Whole {
        desk.slow += 1;
        let is_off = extent == Extent::TooMany || desk.slow >= SLOW;
        desk.off = is_off.then_some(extent);
        unwatched(core, run, extent, WAIT);
        return None;
    }
    let found = desk.by_jobs(core, run, &looked.scan);
    let budget = Budget::waited_for(now + 2 * WAIT, &keeper.stop);
    desk.lay_aside(core, &looked, &budget);
    record(core, run, None, found);
    desk.ask_folders(core, &looked.scan);
    desk.count_folders(
        core,
        &Budget::waited_for(Instant::now() + COUNT, &keeper.stop),
    );
    desk.running = true;
    Some(Before {
        scan: looked.scan,
        since: core.workspace.moment(),
    })
}

/// The look after a command, beside what follows. Only for the question what
/// has happened until now the call waits: what comes later is somebody else's.
pub(crate) async fn after(
    core: &Arc<Core>,
    run: RunId,
    call: CallId,
    before: Before,
    losses: Losses,
) {
    let engine = Arc::clone(core);
    let (ended, is_ended) = tokio::sync::oneshot::channel();
    let look = tokio::task::spawn_blocking(move || {
        let mut desk = engine.keeper.desk();
        let so_far = desk.so_far(&engine);
        // Nobody listens any more when the session ends.
        let _ = ended.send(());
        desk.running = false;
        let looked = desk.look_since(&engine, Instant::now() + AHEAD, so_far);
        let around = Around {
            before,
            looked,
            losses,
        };
        look_after(&engine, desk, run, &call, &around);
    });
    *core.keeper.pending.lock().await = Some(look);
    // One that crashed says nothing.
    let _ = is_ended.await;
}

/// The same after a call that nobody watched: only what was kept ahead of it is
/// looked at.
pub(crate) async fn after_unwatched(core: &Arc<Core>, run: RunId, call: &CallId) {
    let guessed = core.keeper.guesses.of_call(run, call);
    if guessed.is_empty() {
        return;
    }
    core.keeper.settled().await;
    let engine = Arc::clone(core);
    let look = tokio::task::spawn_blocking(move || guessed::settle(&engine, guessed, None));
    *core.keeper.pending.lock().await = Some(look);
}

/// The two looks at one command.
struct Around {
    before: Before,
    looked: Looked,
    losses: Losses,
}

/// Whether people are told what a command destroyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Losses {
    Told,
    /// They were asked about it, or git keeps it.
    Known,
}

impl Losses {
    pub(crate) fn of(facts: &Facts, class: Class) -> Self {
        let is_known = match &facts.subject {
            _ if class == Class::Confirm => true,
            Subject::Command(script) => is_of_git(script),
            _ => false,
        };
        if is_known { Self::Known } else { Self::Told }
    }
}

/// Whether a line is git alone, and none of what makes git forget.
fn is_of_git(script: &Script) -> bool {
    let forgets = |danger: &Danger| matches!(danger.class, Class::Confirm | Class::HardDeny);
    let commands = script.exact().unwrap_or_default();
    commands.iter().any(|command| command.program() == "git")
        && (commands.iter()).all(|command| matches!(command.program(), "git" | "cd"))
        && !script.dangers.iter().any(forgets)
}

fn look_after(
    core: &Arc<Core>,
    mut desk: MutexGuard<'_, Desk>,
    run: RunId,
    call: &CallId,
    around: &Around,
) {
    let keeper = &core.keeper;
    let Around {
        before,
        looked,
        losses,
    } = around;
    let guessed = keeper.guesses.of_call(run, call);
    if looked.scan.extent() != Extent::Whole {
        unwatched(core, run, looked.scan.extent(), AHEAD);
        return guessed::settle(core, guessed, None);
    }
    keeper
        .edits
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
    let between = Between {
        before: &before.scan,
        since: before.since,
        after: &looked.scan,
        parted: looked.parted.as_ref(),
    };
    let mut found = compare::changes(core, &mut desk.shelf, &between, &HashMap::new());
    let mut told = guessed::paths(&guessed);
    let lost = ignored::losses(core, &desk.folders, &between, &told, &mut found);
    let budget = Budget::ahead(Instant::now() + AHEAD, &keeper.urgent, &keeper.stop);
    desk.lay_aside(core, looked, &budget);
    desk.last = jobs_run(core).then_some(Last {
        scan: Arc::clone(&looked.scan),
        since: Moment::about(looked.at),
        run,
    });
    drop(desk);
    let watched = Watched {
        before: &before.scan,
        found: &found,
    };
    guessed::settle(core, guessed, Some(&watched));
    let is_told = *losses == Losses::Told;
    told.extend(ignored::said_before(core, &before.scan, &found));
    let destroyed = destroyed(core, call, &found, &told);
    record(core, run, Some(call), found);
    for (kind, message) in [("kept", destroyed), ("unkept", lost)] {
        if let Some(message) = message.filter(|_| is_told) {
            core.notice(Some(run), NoticeLevel::Info, kind, message);
        }
    }
}

/// All of a run is recorded, also what its jobs did until now. What they do
/// later cannot be told from what the user does.
pub(crate) async fn run_over(core: &Arc<Core>, run: RunId) {
    core.keeper.settled().await;
    let guessed = core.keeper.guesses.of_run(run);
    if !guessed.is_empty() {
        let engine = Arc::clone(core);
        let look = tokio::task::spawn_blocking(move || guessed::settle(&engine, guessed, None));
        // One that crashed has said nothing, and the guess stands.
        let _ = look.await;
    }
    let engine = Arc::clone(core);
    let is_due = {
        let desk = core.keeper.desk.try_lock();
        desk.is_ok_and(|desk| desk.last.as_ref().is_some_and(|last| last.run == run))
    };
    if is_due {
        let look = tokio::task::spawn_blocking(move || {
            let keeper = &engine.keeper;
            let mut desk = keeper.desk();
            let limits = keeper.limits(Instant::now() + WAIT);
            let scan = engine.workspace.scan(&limits);
            if scan.extent() == Extent::Whole {
                let found = desk.by_jobs(&engine, run, &scan);
                record(&engine, run, None, found);
            } else {
                unwatched(&engine, run, scan.extent(), WAIT);
            }
            desk.last = None;
        });
        let _ = look.await;
    }
}

impl Desk {
    /// What jobs of this run did since the last look. In another run it may have
    /// been the user, and is left alone.
    fn by_jobs(&mut self, core: &Arc<Core>, run: RunId, scan: &Scan) -> Found {
        let edits = std::mem::take(
            &mut *core
                .keeper
                .edits
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        match self.last.take() {
            Some(last) if last.run == run => {
                let between = Between {
                    before: &last.scan,
                    since: last.since,
                    after: scan,
                    parted: None,
                };
                compare::changes(core, &mut self.shelf, &between, &edits)
            }
            _ => Found::default(),
        }
    }
}

fn jobs_run(core: &Core) -> bool {
    core.jobs
        .list()
        .iter()
        .any(|job| job.state == tenon_tools::jobs::JobState::Running)
}

/// Where Tenon keeps its own files, when that is inside the project: they change
/// with every event.
fn own_folder(log: &Log, root: &Path) -> Option<PathBuf> {
    let sessions = log.path()?.ancestors().nth(3)?.canonicalize().ok()?;
    let home = sessions.parent().filter(|home| *home != root);
    let folder = home.unwrap_or(&sessions);
    (folder.starts_with(root) && folder != root).then(|| folder.to_owned())
}
