//! The one task that receives commands. It never waits for a run: an answer, an
//! interrupt or a steering message acts at once, whatever the run is doing.

use crate::core::Core;
use crate::{custom, named, skills};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_vocab::notice;
use tenon_vocab::{Command, JobId, Notice, NoticeLevel, Part, PermissionMode, RunOrigin, Switch};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// What a run is started with.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    Prompt {
        text: String,
        attachments: Vec<Part>,
        origin: RunOrigin,
        /// A skill whose text goes along, by name.
        skill: Option<String>,
    },
    /// A command of the user's or the project's own, which becomes a prompt.
    Custom {
        name: String,
        arguments: String,
        origin: RunOrigin,
    },
    Shell {
        command: String,
    },
    Compact {
        focus: Option<String>,
    },
    /// Another model, or another effort.
    Switch(Switch),
    /// Into the mode `plan`, or out of it.
    Mode(PermissionMode),
    Undo,
    Redo,
    Revert {
        message: Option<u32>,
    },
}

impl Work {
    /// The line that it was typed as; `None` for a change of the model.
    fn typed(&self) -> Option<String> {
        let named = |name: &str, rest: &str| format!("/{name} {rest}").trim_end().to_owned();
        Some(match self {
            Self::Switch(_)
            | Self::Mode(_)
            | Self::Prompt {
                origin: RunOrigin::Job,
                ..
            } => return None,
            Self::Prompt { text, .. } => text.clone(),
            Self::Custom {
                name, arguments, ..
            } => named(name, arguments),
            Self::Shell { command } => format!("!{command}"),
            Self::Compact { focus } => named("compact", focus.as_deref().unwrap_or_default()),
            Self::Undo => named("undo", ""),
            Self::Redo => named("redo", ""),
            Self::Revert { message } => {
                let number = message.map(|number| number.to_string());
                named("revert", &number.unwrap_or_default())
            }
        })
    }
}

#[derive(Debug, Default)]
struct Desk {
    work: VecDeque<Work>,
    /// Cancels the run that is going on; none while idle.
    run: Option<CancellationToken>,
    steer: Vec<String>,
}

impl Desk {
    /// Whether another agent waits for the end of the run.
    fn is_changing_agent(&self) -> bool {
        self.work.iter().any(|work| match work {
            Work::Switch(switch) => switch.agent.is_some(),
            Work::Mode(_) => true,
            _ => false,
        })
    }
}

/// What the inbox and the runs share.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    desk: Mutex<Desk>,
    arrived: Notify,
    /// Fires when the session ends.
    pub(crate) shutdown: CancellationToken,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece of work, and the token of the run that does it. `None`
    /// when the session ends.
    pub(crate) async fn next(&self) -> Option<(Work, CancellationToken)> {
        loop {
            if self.shutdown.is_cancelled() {
                return None;
            }
            if let Some(work) = self.take() {
                return Some(work);
            }
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return None,
                () = self.arrived.notified() => {}
            }
        }
    }

    fn take(&self) -> Option<(Work, CancellationToken)> {
        let mut desk = self.lock();
        let work = desk.work.pop_front()?;
        let token = self.shutdown.child_token();
        desk.run = Some(token.clone());
        Some((work, token))
    }

    /// The run is over. Steering that came too late becomes the next prompt.
    pub(crate) fn run_over(&self) {
        let mut desk = self.lock();
        desk.run = None;
        let late = std::mem::take(&mut desk.steer);
        for text in late.into_iter().rev() {
            desk.work.push_front(Work::Prompt {
                text,
                attachments: Vec::new(),
                origin: RunOrigin::FollowUp,
                skill: None,
            });
        }
    }

    /// Steering messages since the last step, as one text.
    pub(crate) fn take_steering(&self) -> Option<String> {
        let texts = std::mem::take(&mut self.lock().steer);
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    pub(crate) fn is_running(&self) -> bool {
        self.lock().run.is_some()
    }

    /// Whether something is done, or waits to be.
    pub(crate) fn is_busy(&self) -> bool {
        let desk = self.lock();
        desk.run.is_some() || !desk.work.is_empty()
    }

    /// A change of the mode that waits is not wanted any more.
    pub(crate) fn forget_modes(&self) {
        let wanted = |work: &Work| !matches!(work, Work::Mode(_));
        self.lock().work.retain(wanted);
    }

    pub(crate) fn push(&self, work: Work) {
        let mut desk = self.lock();
        let work = match work {
            Work::Prompt {
                text,
                attachments,
                skill,
                ..
            } if desk.run.is_some() => Work::Prompt {
                text,
                attachments,
                origin: RunOrigin::FollowUp,
                skill,
            },
            Work::Custom {
                name, arguments, ..
            } if desk.run.is_some() => Work::Custom {
                name,
                arguments,
                origin: RunOrigin::FollowUp,
            },
            other => other,
        };
        desk.work.push_back(work);
        drop(desk);
        self.arrived.notify_one();
    }

    /// A word in between, for the run that goes on. Behind a change of the agent
    /// it is no longer for that run: what is said after the change must not be
    /// done with the rights from before it.
    fn steer(&self, text: String) {
        let mut desk = self.lock();
        if desk.run.is_some() && !desk.is_changing_agent() {
            desk.steer.push(text);
        } else {
            drop(desk);
            self.push(Work::Prompt {
                text,
                attachments: Vec::new(),
                origin: RunOrigin::Prompt,
                skill: None,
            });
        }
    }

    /// Stops the run. Who says stop does not want what was queued to start:
    /// it is given back, to be shown. A change of the model starts nothing and
    /// stays.
    fn interrupt(&self) -> Vec<String> {
        let mut desk = self.lock();
        let Some(token) = &desk.run else {
            return Vec::new();
        };
        token.cancel();
        let mut dropped = std::mem::take(&mut desk.steer);
        for work in std::mem::take(&mut desk.work) {
            match work.typed() {
                Some(line) => dropped.push(line),
                None => desk.work.push_back(work),
            }
        }
        dropped
    }
}

/// Receives until the session ends or every sender is gone.
pub(crate) async fn receive(core: Arc<Core>, mut commands: mpsc::UnboundedReceiver<Command>) {
    loop {
        let command = tokio::select! {
            biased;
            () = core.inbox.shutdown.cancelled() => return,
            command = commands.recv() => command,
        };
        match command {
            // Every front end is gone: nobody could see or stop what runs.
            None => return core.inbox.shutdown.cancel(),
            Some(command) => dispatch(&core, command),
        }
    }
}

fn dispatch(core: &Arc<Core>, command: Command) {
    if is_said(&command) {
        core.wakes.begin_anew();
    }
    match command {
        Command::Prompt { text, attachments } => {
            core.inbox.push(Work::Prompt {
                text,
                attachments,
                origin: RunOrigin::Prompt,
                skill: None,
            });
        }
        Command::Steer { text } => core.inbox.steer(text),
        Command::Shell { command } => core.inbox.push(Work::Shell { command }),
        Command::Interrupt => {
            let dropped = core.inbox.interrupt();
            if !dropped.is_empty() {
                let message = format!(
                    "Not done, because you stopped the run: {}",
                    dropped.join(" | ")
                );
                core.notice(None, NoticeLevel::Info, notice::DROPPED, message);
            }
        }
        Command::Shutdown => core.inbox.shutdown.cancel(),
        Command::Skill { name, text } => core.inbox.push(Work::Prompt {
            text: skills::prompt(&name, &text),
            attachments: Vec::new(),
            origin: RunOrigin::Prompt,
            skill: Some(name),
        }),
        Command::Custom { name, arguments } => match custom::find(core, &name) {
            Ok(_) => core.inbox.push(Work::Custom {
                name,
                arguments,
                origin: RunOrigin::Prompt,
            }),
            Err(why) => core.notice(None, NoticeLevel::Warning, "command", why),
        },
        Command::Compact { focus } => core.inbox.push(Work::Compact { focus }),
        Command::Switch(switch) => core.inbox.push(Work::Switch(switch)),
        Command::Settings(change) => named::change(core, change),
        Command::Undo => core.inbox.push(Work::Undo),
        Command::Redo => core.inbox.push(Work::Redo),
        Command::Revert { message } => core.inbox.push(Work::Revert { message }),
        Command::KillJob { id } => kill(core, id),
        Command::Answer(answer) => {
            let id = answer.question.clone();
            if !core.questions.deliver(answer) {
                core.notice(
                    None,
                    NoticeLevel::Info,
                    "late_answer",
                    format!(
                        "No question {id} is waiting: it was already answered, or its run has ended."
                    ),
                );
            }
        }
    }
}

/// Whether it is a word of the user to the model.
fn is_said(command: &Command) -> bool {
    matches!(
        command,
        Command::Prompt { .. }
            | Command::Steer { .. }
            | Command::Skill { .. }
            | Command::Custom { .. }
    )
}

fn kill(core: &Arc<Core>, id: JobId) {
    let core = Arc::clone(core);
    tokio::spawn(async move {
        if let Err(error) = core.jobs.kill(&id).await {
            let notice = Notice {
                level: NoticeLevel::Warning,
                kind: String::from("job"),
                message: error.to_string(),
                hint: None,
            };
            core.emit_or_end(None, notice);
        }
    });
}
