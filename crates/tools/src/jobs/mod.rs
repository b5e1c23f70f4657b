//! The one runner of processes.
//!
//! Every command of a session (tools, hooks, credential commands) runs through
//! [`Jobs`], under a supervisor that ends its whole tree. A command that
//! outlives its call becomes a job with an id, is listed, read, written to and
//! killed by that id, and ends with the session.

mod added;
mod advice;
mod capture;
mod clean;
mod credentials;
mod environment;
mod output;
mod registry;
mod report;
mod room;
mod round;
mod run;
mod running;
mod shelter;
mod sight;
mod spec;
mod spill;
mod wait;
mod walls;
mod warden;

pub(crate) use report::{Report, end_line, left_out, seconds};

pub use added::AddedFolder;
pub use capture::Excerpt;
pub use credentials::Missing;
pub use room::Room;
pub use spec::{
    Collected, Cut, Detached, Ended, Input, JobError, JobEvent, JobInfo, JobOutput, JobState,
    Leftovers, NotStarted, Placement, RunOutcome, RunSpec, Secrets, Whole,
};
pub use tenon_sandbox::{Repair, RepairEffect};
pub use wait::{LinePattern, Show, Until, Waited};
pub use walls::{Walls, WayOut};

use added::SessionWalls;
use registry::{Ending, InputPipe, Job, Order, Written};
use running::{AfterInput, lock};
use shelter::Shelter;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tenon_policy::Masker;
use tenon_sandbox::{SandboxPolicy, Supervisor};
use tenon_vocab::{JobAction, JobId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Jobs that have ended are remembered, the oldest are forgotten first.
const MAX_ENDED: usize = 32;
/// A job that is asked to end gets two seconds from its supervisor, then is
/// killed; after this it is called stuck.
const KILL_PATIENCE: Duration = Duration::from_secs(4);
/// At the end of the session: first asked, then killed.
const ASKED_PATIENCE: Duration = Duration::from_secs(1);
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(1);

type Listener = Arc<dyn Fn(JobEvent) + Send + Sync>;
type RepairListener = Arc<dyn Fn(&Repair) + Send + Sync>;

/// The processes of a session. Clones are the same.
#[derive(Clone)]
pub struct Jobs {
    inner: Arc<Inner>,
}

struct Inner {
    supervisor: Supervisor,
    shelter: Arc<Shelter>,
    environment: Vec<(OsString, OsString)>,
    /// The user's own, for what they type.
    whole: Mutex<Arc<Vec<(OsString, OsString)>>>,
    shelf: Mutex<Shelf>,
    listener: Mutex<Option<Listener>>,
    repairs: Mutex<Option<RepairListener>>,
    sandbox: Mutex<SessionWalls>,
    way_out: Mutex<WayOut>,
    warden: Arc<warden::Warden>,
    reading: Arc<room::ReadingRoom>,
    user: Mutex<warden::User>,
    /// What was set aside, until a result tells it.
    judged: Mutex<Vec<String>>,
    masker: Mutex<Arc<Masker>>,
    /// Set once, when the session ends.
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct Shelf {
    count: u64,
    jobs: Vec<Job>,
}

impl Shelf {
    fn put(&mut self, job: Job) {
        self.jobs.push(job);
        let ended = self.jobs.iter().filter(|job| !job.is_running()).count();
        for _ in MAX_ENDED..ended {
            if let Some(oldest) = self.jobs.iter().position(|job| !job.is_running()) {
                self.jobs.remove(oldest);
            }
        }
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs")
            .field("list", &self.list())
            .finish_non_exhaustive()
    }
}

impl registry::Audience for Inner {
    fn tell(&self, job: &JobInfo, action: JobAction) {
        let listener = lock(&self.listener).clone();
        if let Some(listener) = listener {
            listener(spec::event(job, action));
        }
    }
}

impl Jobs {
    /// `spill` is the folder for outputs that are too long for a result; it is
    /// made when the first one comes. `environment` is what commands get, apart
    /// from what keeps them from asking a person.
    #[must_use]
    pub fn new(
        supervisor: Supervisor,
        spill: PathBuf,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        let user = round::user(&environment);
        Self {
            inner: Arc::new(Inner {
                supervisor,
                shelter: Arc::new(Shelter::new(spill)),
                whole: Mutex::new(Arc::new(environment.clone())),
                environment,
                shelf: Mutex::default(),
                listener: Mutex::default(),
                repairs: Mutex::default(),
                sandbox: Mutex::default(),
                way_out: Mutex::default(),
                warden: Arc::default(),
                reading: Arc::default(),
                user: Mutex::new(user),
                judged: Mutex::default(),
                masker: Mutex::new(Masker::standard()),
                closing: CancellationToken::new(),
            }),
        }
    }

    /// The walls of every command from now on, also of those that clones of
    /// this one start; `None` means none.
    #[must_use]
    pub fn with_sandbox(self, policy: Option<SandboxPolicy>) -> Self {
        lock(&self.inner.sandbox).set(policy);
        self
    }

    /// Protected paths that the user's configuration opens to commands, also
    /// those that do not exist yet.
    #[must_use]
    pub fn with_opened(self, opened: Vec<PathBuf>) -> Self {
        lock(&self.inner.user).opened = opened;
        self
    }

    /// Looks at the project for the first time, while nobody waits for it.
    pub fn look_ahead(&self) {
        let Some(policy) = self.sandbox() else {
            return;
        };
        let warden = Arc::clone(&self.inner.warden);
        let user = lock(&self.inner.user).clone();
        let reading = Arc::clone(&self.inner.reading);
        let added = self.added_folders();
        // Nobody waits for it: a command that comes meanwhile does.
        drop(tokio::task::spawn_blocking(move || {
            warden.look_ahead(&policy, &user);
            reading.look_ahead(&policy, &added);
        }));
    }

    /// A file tool is about to write a path, which was asked about on its own:
    /// a command in the background is not blamed for it.
    pub fn accept(&self, path: PathBuf) {
        self.inner.warden.accept(path);
    }

    /// What takes secrets out of the output of every command from now on; the
    /// standard one until this is called.
    #[must_use]
    pub fn with_masker(self, masker: Arc<Masker>) -> Self {
        *lock(&self.inner.masker) = masker;
        self
    }

    /// What takes secrets out of the output of commands; the same for all who
    /// share this runner.
    #[must_use]
    pub fn masker(&self) -> Arc<Masker> {
        Arc::clone(&lock(&self.inner.masker))
    }

    /// The user's environment with what is withheld from commands: lines that the
    /// user types get it, and a command that a person lets out of the walls gets
    /// what it needs of it.
    #[must_use]
    pub fn with_whole_environment(self, whole: Vec<(OsString, OsString)>) -> Self {
        *lock(&self.inner.whole) = Arc::new(whole);
        self
    }

    fn whole(&self) -> Arc<Vec<(OsString, OsString)>> {
        Arc::clone(&lock(&self.inner.whole))
    }

    /// The credential that a command missed which failed behind these walls.
    fn missed(&self, policy: &SandboxPolicy, command: &str, printed: &str) -> Option<Missing> {
        let text = |text: OsString| text.to_string_lossy().into_owned();
        let withheld = self.withheld(self.whole().as_ref().clone()).into_iter();
        let withheld: Vec<(String, String)> = withheld
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        let home = lock(&self.inner.user).home.clone();
        let kept = credentials::Kept {
            policy,
            home: home.as_deref(),
            withheld: &withheld,
        };
        kept.missed_by(command, printed)
    }

    /// Of the withheld variables, those of these names.
    fn lent(&self, names: &[String]) -> Vec<(OsString, OsString)> {
        let is_named = |name: &OsString| names.iter().any(|wanted| name == wanted.as_str());
        let whole = self.whole();
        let lent = whole.iter().filter(|(name, _)| is_named(name));
        lent.cloned().collect()
    }

    /// Of these variables, those that commands do not get.
    #[must_use]
    pub fn withheld(&self, all: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let given = |name: &OsString| (self.inner.environment.iter()).any(|(held, _)| held == name);
        all.into_iter().filter(|(name, _)| !given(name)).collect()
    }

    /// Whether a run outside the walls may be offered, from now on.
    #[must_use]
    pub fn with_way_out(self, way_out: WayOut) -> Self {
        *lock(&self.inner.way_out) = way_out;
        self
    }

    #[must_use]
    pub fn way_out(&self) -> WayOut {
        *lock(&self.inner.way_out)
    }

    /// The walls that stand around commands, as they are asked for.
    #[must_use]
    pub fn sandbox(&self) -> Option<Arc<SandboxPolicy>> {
        lock(&self.inner.sandbox).now()
    }

    /// Sets who is told when a job starts, is detached from its call, exits or
    /// is killed; the one before is told no more. It must not block.
    pub fn on_change(&self, listener: Arc<dyn Fn(JobEvent) + Send + Sync>) {
        *lock(&self.inner.listener) = Some(listener);
    }

    /// Sets who is told when something was done about a protected path while a
    /// command ran, a sentence each: it may have been a person's own file. It
    /// must not block.
    pub fn on_repair(&self, listener: Arc<dyn Fn(&Repair) + Send + Sync>) {
        *lock(&self.inner.repairs) = Some(listener);
    }

    /// Keeps a text that is too long for a result, as the outputs of commands
    /// are kept: for a tool whose answer is made of what a command printed.
    #[must_use]
    pub fn keep(&self, label: &str, text: &str) -> Whole {
        let mut spill = spill::Spill::new(&self.inner.shelter, label, 0);
        spill.push(&self.masker().mask(text));
        spill.whole()
    }

    /// The jobs of this session, in the order in which they became jobs.
    #[must_use]
    pub fn list(&self) -> Vec<JobInfo> {
        lock(&self.inner.shelf).jobs.iter().map(Job::info).collect()
    }

    /// What a job has printed since it was last read. When that is nothing and
    /// the job still runs, waits up to `patience` for something.
    ///
    /// # Errors
    /// When there is no such job.
    pub async fn read(&self, id: &JobId, patience: Duration) -> Result<JobOutput, JobError> {
        let job = self.find(id)?;
        job.news_within(patience).await;
        Ok(job.output())
    }

    /// Queues input for a job that was started with an open pipe. U+0004 at
    /// the end of the input closes the pipe after it.
    ///
    /// # Errors
    /// When there is no such job, it has ended, or it takes no input.
    pub async fn write(&self, id: &JobId, input: &str) -> Result<JobInfo, JobError> {
        let job = self.taking_input(id)?;
        let (text, after) = match input.strip_suffix('\u{4}') {
            Some(text) => (text, AfterInput::Close),
            None => (input, AfterInput::KeepOpen),
        };
        let (reply, answer) = oneshot::channel();
        let order = Order::Write {
            bytes: text.as_bytes().to_vec(),
            after,
            reply,
        };
        // Nobody to take the order, or to answer it: the job ended just now.
        let _ = job.orders.send(order);
        match answer.await {
            Ok(Written::Queued) => Ok(job.info()),
            Ok(Written::Closed) => Err(JobError::InputClosed(id.clone())),
            Ok(Written::Full(waiting)) => Err(JobError::InputFull(id.clone(), waiting)),
            Err(_) => Err(JobError::Ended {
                id: id.clone(),
                exit_code: job.info().exit_code,
            }),
        }
    }

    /// Ends a job and all of its processes: asked first, killed after two
    /// seconds. Returns when they have ended.
    ///
    /// # Errors
    /// When there is no such job, it has already ended, or it does not end.
    pub async fn kill(&self, id: &JobId) -> Result<JobInfo, JobError> {
        let job = self.running(id)?;
        let _ = job.orders.send(Order::End(Ending::Asked));
        if job.ended_within(KILL_PATIENCE).await {
            Ok(job.info())
        } else {
            Err(JobError::StillAlive(id.clone()))
        }
    }

    /// The model is told of these jobs. Gives those of which it learns now that
    /// they have ended.
    pub fn tell(&self) -> Vec<JobInfo> {
        let jobs: Vec<Job> = lock(&self.inner.shelf).jobs.clone();
        let mut ended = Vec::new();
        for job in jobs {
            let info = job.info();
            if job.tell(&info) {
                ended.push(info);
            }
        }
        ended
    }

    /// The jobs of whose end the model does not know.
    #[must_use]
    pub fn untold(&self) -> Vec<JobInfo> {
        let jobs: Vec<Job> = lock(&self.inner.shelf).jobs.clone();
        let untold = jobs.iter().filter(|job| job.is_untold());
        untold.map(Job::info).collect()
    }

    /// Waits until each job that has ended is said to have.
    pub async fn settled(&self) {
        let jobs: Vec<Job> = lock(&self.inner.shelf).jobs.clone();
        for job in jobs.iter().filter(|job| job.ended.borrow().is_some()) {
            job.ended_within(KILL_PATIENCE).await;
        }
    }

    /// The model is told of this one.
    pub fn tell_of(&self, id: &JobId) {
        if let Ok(job) = self.find(id) {
            job.tell(&job.info());
        }
    }

    /// Ends everything, also commands that someone waits for, and returns the
    /// jobs that were running. Nothing can be started afterwards.
    pub async fn shutdown(&self) -> Vec<JobInfo> {
        self.inner.closing.cancel();
        let jobs: Vec<Job> = lock(&self.inner.shelf)
            .jobs
            .iter()
            .filter(|job| job.is_running())
            .cloned()
            .collect();
        let were_running = jobs.iter().map(Job::info).collect();
        for (order, patience) in [
            (Ending::Asked, ASKED_PATIENCE),
            (Ending::Killed, SHUTDOWN_PATIENCE),
        ] {
            for job in jobs.iter().filter(|job| job.is_running()) {
                let _ = job.orders.send(Order::End(order));
            }
            let _ = tokio::time::timeout(patience, async {
                for job in &jobs {
                    job.ended_within(patience).await;
                }
            })
            .await;
        }
        were_running
    }

    /// Why a job can't be written to.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn can_write(&self, id: &JobId) -> Result<(), JobError> {
        self.taking_input(id).map(drop)
    }

    /// Why a job can't be ended.
    ///
    /// # Errors
    /// As [`Self::kill`].
    pub fn can_kill(&self, id: &JobId) -> Result<(), JobError> {
        self.running(id).map(drop)
    }

    fn running(&self, id: &JobId) -> Result<Job, JobError> {
        let job = self.find(id)?;
        running_only(&job)?;
        Ok(job)
    }

    fn taking_input(&self, id: &JobId) -> Result<Job, JobError> {
        let job = self.running(id)?;
        match job.input {
            InputPipe::Absent => Err(JobError::NoInput(id.clone())),
            _ => Ok(job),
        }
    }

    fn find(&self, id: &JobId) -> Result<Job, JobError> {
        let shelf = lock(&self.inner.shelf);
        let found = shelf.jobs.iter().find(|job| job.id == *id);
        found.cloned().ok_or_else(|| JobError::Unknown {
            id: id.clone(),
            known: shelf.jobs.iter().map(|job| job.id.clone()).collect(),
        })
    }
}

fn running_only(job: &Job) -> Result<(), JobError> {
    if job.is_running() {
        return Ok(());
    }
    Err(JobError::Ended {
        id: job.id.clone(),
        exit_code: job.info().exit_code,
    })
}
