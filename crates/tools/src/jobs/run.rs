//! Runs one command for a caller who waits: until it ends, its time is up, or
//! the caller wants it no more.

use super::running::{AfterInput, Alive, Running, Step, lock};
use super::spec::{
    Collected, Detached, Ended, Input, JobState, Leftovers, NotStarted, Placement, RunOutcome,
    RunSpec, Secrets, shell_code,
};
use super::warden::Parts;
use super::{Jobs, Room, Walls, environment, output::Output, registry, room, walls};
use registry::InputPipe;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tenon_policy::Masker;
use tenon_sandbox::{CommandSpec, Exit, Mode, SpawnError, StdinKind};
use tenon_vocab::profile::OnTimeout;
use tenon_vocab::{JobAction, JobId, ToolStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a killed tree may take to end before its outcome is unknown.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a command in the background is watched for an early end.
const FIRST_LOOK: Duration = Duration::from_millis(150);
const MAX_RUNNING: usize = 64;

/// Why the waiting stopped.
enum Halt {
    Exited(Exit),
    TimedOut,
    Cancelled,
}

impl Jobs {
    /// Runs a command and waits for it as the spec says. The future must be
    /// driven to its end; if it is dropped all the same, the tree is killed.
    ///
    /// `on_output` is called with clean UTF-8 text as it comes, never with a
    /// part of a character.
    pub async fn run(
        &self,
        mut spec: RunSpec,
        cancelled: &CancellationToken,
        on_output: &(dyn Fn(ToolStream, &[u8]) + Send + Sync),
    ) -> RunOutcome {
        let begun = Instant::now();
        spec = spec.settled();
        let parts = self.parts(&spec);
        let line = parts.as_ref().map_or(&spec.command, |parts| &parts.first);
        let mut running = match self.launch(&spec, line, line).await {
            Ok(running) => running,
            Err(reason) => return not_started(reason, begun),
        };
        let mut live = Live::new(on_output);
        let mut halt = self.wait(&mut running, &spec, cancelled, &mut live).await;
        let mut left = None;
        if let Some(parts) = parts {
            match halt {
                Halt::Exited(exit) => {
                    let going = Going {
                        running,
                        exit,
                        begun,
                    };
                    let second = self.second(&spec, &parts, going, &mut live).await;
                    (running, left) = match second {
                        Ok(second) => second,
                        Err(reason) => return not_started(reason, begun),
                    };
                    halt = self.wait(&mut running, &spec, cancelled, &mut live).await;
                }
                Halt::TimedOut | Halt::Cancelled => {
                    let first = parts.first.trim();
                    let rest = parts.rest.trim();
                    let told =
                        format!("`{first}` had not ended, so the rest was not run: `{rest}`");
                    lock(&self.inner.judged).push(told);
                    spec.command = first.to_owned();
                }
            }
        }
        let mut outcome = self.halted(running, spec, halt, &mut live).await;
        outcome.job = outcome.job.or(left);
        outcome.repairs.append(&mut lock(&self.inner.judged));
        outcome
    }

    /// A line that begins with git, and is to be run in two parts.
    fn parts(&self, spec: &RunSpec) -> Option<Parts> {
        let is_walled = matches!(spec.walls, Walls::Inside | Walls::Offline)
            && spec.room == Room::Session
            && (self.sandbox()).is_some_and(|policy| policy.mode == Mode::WorkspaceWrite);
        let is_waited_for = spec.placement == Placement::Foreground && spec.input == Input::Nothing;
        (is_walled && is_waited_for)
            .then(|| Parts::of(&spec.command))
            .flatten()
    }

    /// Starts the second part of a line when the first has ended. What that left
    /// running becomes a job, or is ended, as after any command.
    async fn second(
        &self,
        spec: &RunSpec,
        parts: &Parts,
        first: Going,
        live: &mut Live<'_>,
    ) -> Result<(Running, Option<JobId>), NotStarted> {
        let Going {
            mut running,
            exit,
            begun,
        } = first;
        let alive = running.settle(&mut |step| live.show(step)).await;
        running.close_round().await;
        lock(&self.inner.judged).extend(running.repairs().iter().cloned());
        let output = Arc::clone(&running.output);
        let mut left = None;
        if alive == Alive::Something {
            // What it prints from now on is its own.
            running.output = Arc::new(Mutex::new(self.output(spec)));
            let spec = RunSpec {
                command: parts.first.clone(),
                ..spec.clone()
            };
            let exit = Ended::Exited {
                code: exit.code,
                signal: exit.signal,
            };
            left = match spec.leftovers {
                Leftovers::BecomeJob => self.detach(running, spec, Detached::TimedOut).job,
                Leftovers::Kill => self.killed(running, spec, exit).await.job,
            };
        }
        let status = shell_code(exit.code, exit.signal).unwrap_or(1);
        let line = parts.second(status);
        let mut running = self.launch(spec, &line, &parts.rest).await?;
        running.output = output;
        running.started = begun;
        Ok((running, left))
    }

    fn output(&self, spec: &RunSpec) -> Output {
        let masker = match spec.secrets {
            Secrets::Masked => self.masker(),
            Secrets::Exact => Masker::none(),
        };
        Output::new(
            &self.inner.shelter,
            &spec.label,
            spec.output_bytes,
            spec.kept_bytes,
            &masker,
        )
    }

    async fn halted(
        &self,
        mut running: Running,
        spec: RunSpec,
        halt: Halt,
        live: &mut Live<'_>,
    ) -> RunOutcome {
        if matches!(halt, Halt::TimedOut) {
            running.look_around().await;
        }
        match halt {
            Halt::Exited(exit) => self.exited(running, spec, exit, live).await,
            Halt::Cancelled => self.killed(running, spec, Ended::Interrupted).await,
            Halt::TimedOut => match (spec.placement, spec.on_timeout) {
                (Placement::Background, _) => self.detach(running, spec, Detached::Asked),
                (_, OnTimeout::Background) => self.detach(running, spec, Detached::TimedOut),
                (_, OnTimeout::Kill) => self.killed(running, spec, Ended::TimedOut).await,
            },
        }
    }

    /// `line` goes to the shell; by `meant` it is judged what it may do.
    async fn launch(&self, spec: &RunSpec, line: &str, meant: &str) -> Result<Running, NotStarted> {
        if self.inner.closing.is_cancelled() {
            return Err(NotStarted::Closing);
        }
        if spec.placement == Placement::Background {
            let count = self.running_jobs();
            if count >= MAX_RUNNING {
                return Err(NotStarted::TooMany(count));
            }
        }
        let mut environment = match spec.walls {
            Walls::Own => environment::complete_own(&self.whole(), &spec.environment),
            Walls::Outside => {
                let lent = self.lent(&spec.lent);
                environment::complete(
                    &self.inner.environment,
                    &[lent, spec.environment.clone()].concat(),
                )
            }
            Walls::Inside | Walls::Offline => {
                environment::complete(&self.inner.environment, &spec.environment)
            }
        };
        let shell = environment::shell(&environment);
        let (round, policy) = match (spec.room, spec.walls) {
            (Room::Reading, _) => {
                let walls = self.reading_walls(&environment).await?;
                environment = room::environment(environment, &walls);
                (None, Some(walls))
            }
            (Room::Session, Walls::Inside | Walls::Offline) => {
                let round = self.round(spec, meant).await;
                let policy = round.as_ref().map(|round| Arc::clone(&round.policy));
                (round, policy)
            }
            (Room::Session, Walls::Outside | Walls::Own) => (None, None),
        };
        let spawned = self
            .inner
            .supervisor
            .spawn(CommandSpec {
                argv: vec![shell.into(), "-c".into(), line.into()],
                cwd: spec.cwd.clone(),
                env: environment,
                stdin: match spec.input {
                    Input::Nothing => StdinKind::Null,
                    Input::Bytes(_) | Input::Open => StdinKind::Pipe,
                },
                confinement: policy.as_deref().cloned(),
            })
            .await;
        if let (Room::Reading, Err(SpawnError::Confinement(_))) = (spec.room, &spawned) {
            self.room_failed();
        }
        let mut supervised = spawned?;
        let inner = std::sync::Arc::downgrade(&self.inner);
        supervised.on_repair(move |repair| {
            let listener = inner.upgrade().and_then(|it| lock(&it.repairs).clone());
            if let Some(tell) = listener {
                tell(repair);
            }
        });
        let output = self.output(spec);
        let (bytes, after) = match &spec.input {
            Input::Nothing => (Vec::new(), AfterInput::Close),
            Input::Bytes(bytes) => (bytes.clone(), AfterInput::Close),
            Input::Open => (Vec::new(), AfterInput::KeepOpen),
        };
        let mut running = Running::new(supervised, output, bytes, after);
        running.policy = policy;
        running.round = round;
        Ok(running)
    }

    async fn wait(
        &self,
        running: &mut Running,
        spec: &RunSpec,
        cancelled: &CancellationToken,
        live: &mut Live<'_>,
    ) -> Halt {
        let limit = match spec.placement {
            Placement::Foreground => {
                let spent = running.started.elapsed();
                spec.timeout.map(|limit| limit.saturating_sub(spent))
            }
            Placement::Background => Some(FIRST_LOOK),
        };
        let time_up = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(time_up);
        loop {
            if let Some(exit) = running.exit {
                return Halt::Exited(exit);
            }
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Halt::Cancelled,
                () = self.inner.closing.cancelled() => return Halt::Cancelled,
                () = &mut time_up => return Halt::TimedOut,
                step = running.next() => live.show(step),
            }
        }
    }

    async fn exited(
        &self,
        mut running: Running,
        spec: RunSpec,
        exit: Exit,
        live: &mut Live<'_>,
    ) -> RunOutcome {
        let Exit { code, signal, .. } = exit;
        let alive = running.settle(&mut |step| live.show(step)).await;
        if alive == Alive::Something {
            running.look_around().await;
            match spec.leftovers {
                Leftovers::BecomeJob => {
                    let ended = Ended::Exited { code, signal };
                    let known = self.finish(&running, &spec.command, ended);
                    let mut outcome = self.detach(running, spec, Detached::TimedOut);
                    outcome.ended = known.ended;
                    outcome.denial = known.denial;
                    outcome.missing = known.missing;
                    return outcome;
                }
                Leftovers::Kill => {
                    return self
                        .killed(running, spec, Ended::Exited { code, signal })
                        .await;
                }
            }
        }
        lock(&running.output).close();
        running.close_round().await;
        self.finish(&running, &spec.command, Ended::Exited { code, signal })
    }

    /// Ends what runs; what does not end in time stays visible as a job.
    async fn killed(&self, mut running: Running, spec: RunSpec, ended: Ended) -> RunOutcome {
        match running.end(PATIENCE).await {
            Alive::Nothing => {
                lock(&running.output).close();
                running.close_round().await;
                self.finish(&running, &spec.command, ended)
            }
            Alive::Something => {
                let mut outcome = self.detach(running, spec, Detached::TimedOut);
                outcome.ended = Ended::Unknown;
                outcome
            }
        }
    }

    /// Hands a running command over to a task of its own.
    fn detach(&self, running: Running, spec: RunSpec, why: Detached) -> RunOutcome {
        let mut outcome = self.finish(&running, &spec.command, Ended::Running(why));
        // The caller is told what came so far; a later read starts after it.
        lock(&running.output).show_at_start();
        let input = match spec.input {
            Input::Open => InputPipe::Present,
            Input::Nothing | Input::Bytes(_) => InputPipe::Absent,
        };
        let action = match why {
            Detached::Asked => JobAction::Started,
            Detached::TimedOut => JobAction::Detached,
        };
        outcome.job = Some(self.register(running, spec.command, input, action));
        outcome
    }

    fn register(
        &self,
        running: Running,
        command: String,
        input: InputPipe,
        action: JobAction,
    ) -> JobId {
        let id = {
            let mut shelf = lock(&self.inner.shelf);
            shelf.count += 1;
            JobId(format!("proc_{}", shelf.count))
        };
        let audience = std::sync::Arc::downgrade(&self.inner);
        let job = registry::keep(running, id.clone(), command, input, audience);
        let info = job.info();
        lock(&self.inner.shelf).put(job);
        registry::Audience::tell(&*self.inner, &info, action);
        id
    }

    fn finish(&self, running: &Running, command: &str, ended: Ended) -> RunOutcome {
        let output = lock(&running.output).collected();
        let confinement = running.confinement();
        let policy = running.policy.as_deref();
        let failed = policy.filter(|_| walls::is_failure(confinement, &ended));
        let missing = failed.and_then(|policy| {
            let printed = walls::evidence(&output);
            self.missed(policy, command, &printed.concat())
        });
        // The credential says more than the file that it lies in.
        let denial = failed
            .filter(|_| missing.is_none())
            .and_then(|policy| walls::denial(policy, confinement, &ended, &output));
        RunOutcome {
            ended,
            output,
            duration: running.started.elapsed(),
            job: None,
            sandbox: walls::report(confinement),
            denial,
            missing,
            repairs: running.repairs().to_vec(),
        }
    }

    fn running_jobs(&self) -> usize {
        self.list()
            .iter()
            .filter(|job| job.state == JobState::Running)
            .count()
    }
}

/// A first part that has ended by itself.
struct Going {
    running: Running,
    exit: Exit,
    begun: Instant,
}

fn not_started(reason: NotStarted, begun: Instant) -> RunOutcome {
    RunOutcome {
        ended: Ended::NotStarted(reason),
        output: Collected::default(),
        duration: begun.elapsed(),
        job: None,
        sandbox: walls::nothing_ran(),
        denial: None,
        missing: None,
        repairs: Vec::new(),
    }
}

/// Shows output as it comes, but not a flood: a screen gains nothing from a
/// gigabyte, and the result has head, tail and file.
pub(super) struct Live<'a> {
    show: &'a (dyn Fn(ToolStream, &[u8]) + Send + Sync),
    window: Instant,
    shown: usize,
    skipped: u64,
}

impl<'a> Live<'a> {
    const WINDOW: Duration = Duration::from_millis(100);
    const BYTES: usize = 64 * 1024;

    pub(super) fn new(show: &'a (dyn Fn(ToolStream, &[u8]) + Send + Sync)) -> Self {
        Self {
            show,
            window: Instant::now(),
            shown: 0,
            skipped: 0,
        }
    }

    pub(super) fn show(&mut self, step: Step) {
        let Step::Printed(stream, text) = step else {
            return;
        };
        if text.is_empty() {
            return;
        }
        if self.window.elapsed() >= Self::WINDOW {
            self.window = Instant::now();
            self.shown = 0;
            if self.skipped > 0 {
                let note = format!("[… {} bytes not shown]", self.skipped);
                (self.show)(ToolStream::Status, note.as_bytes());
                self.skipped = 0;
            }
        }
        if self.shown >= Self::BYTES {
            self.skipped += u64::try_from(text.len()).unwrap_or(0);
            return;
        }
        self.shown += text.len();
        (self.show)(stream, text.as_bytes());
    }
}
