//! What a running call has of the world: its own narrow view of the engine.

use crate::checkpoint::{self, Before, Losses};
use crate::core::Core;
use crate::run::Run;
use crate::{ask, outside, todo};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_policy::{Deed, Facts, Subject};
use tenon_session::Blobs;
use tenon_tools::jobs::{Room, Walls};
use tenon_tools::workspace::{Change, JournalError, MadeFolder};
use tenon_tools::{Host, HostReply, HostRequest, Jobs, Journal, ToolLimits, Workspace};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{
    CallId, Checkpoint, CheckpointAction, Class, Explanation, FileChange, OwnLine, RunId, ToolDelta,
};
use tokio_util::sync::CancellationToken;

pub(crate) struct CallHost {
    core: Arc<Core>,
    run: RunId,
    call: CallId,
    name: String,
    token: CancellationToken,
    workspace: Workspace,
    confirmed: Vec<PathBuf>,
    room: Room,
    own_line: Option<OwnLine>,
    limits: ToolLimits,
}

impl CallHost {
    pub(crate) fn new(
        run: &Run,
        call: CallId,
        name: String,
        token: CancellationToken,
        workspace: &Workspace,
        limits: ToolLimits,
    ) -> Self {
        let journal = CallJournal {
            core: Arc::clone(&run.core),
            run: run.id,
            call: call.clone(),
        };
        Self {
            core: Arc::clone(&run.core),
            run: run.id,
            call,
            name,
            token,
            workspace: workspace.with_journal(Arc::new(journal)),
            confirmed: Vec::new(),
            room: Room::Session,
            own_line: None,
            limits,
        }
    }

    /// With where it was admitted to run, and what the yes to it was given for.
    pub(crate) fn admitted_for(mut self, facts: &Facts, explanation: &Explanation) -> Self {
        if explanation.reads_only {
            self.room = Room::Reading;
        }
        self.own_line = explanation.own_line;
        let Subject::Command(script) = &facts.subject else {
            return self;
        };
        if explanation.class != Class::Confirm {
            return self;
        }
        let root = self.workspace.root();
        let named = script.observed().filter_map(|(target, fact)| {
            let path = &fact.filter(|fact| fact.inside)?.path;
            // Of a pattern, the folder that it stands in.
            let path = match path.find(['*', '?', '[', '{', '$']) {
                Some(at) => Path::new(path.get(..at)?.rsplit_once('/')?.0),
                None => Path::new(path),
            };
            let whole: PathBuf = root.join(path).components().collect();
            (target.deed != Deed::Read && whole != root).then_some(whole)
        });
        self.confirmed = named.collect();
        self
    }
}

impl CallHost {
    /// The look at the tree before this call runs, where it needs one. What ran
    /// before must be recorded first, or its changes would be taken for those of
    /// this call.
    pub(crate) async fn look_before(&self, watch: Watch) -> Option<Before> {
        match watch {
            Watch::Commands => checkpoint::before(&self.core, self.run).await,
            Watch::Edits => {
                self.core.keeper.settled().await;
                None
            }
            Watch::Nothing => None,
        }
    }

    /// The look after it, which nobody waits for.
    pub(crate) async fn look_after(&self, before: Option<Before>, losses: Losses) {
        match before {
            Some(before) => {
                let call = self.call.clone();
                checkpoint::after(&self.core, self.run, call, before, losses).await;
            }
            None => checkpoint::after_unwatched(&self.core, self.run, &self.call).await,
        }
    }
}

/// What has to be looked at around a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// It starts something.
    Commands,
    /// It tells the journal.
    Edits,
    Nothing,
}

impl Host for CallHost {
    fn call(&self) -> &CallId {
        &self.call
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.token
    }

    fn progress(&self, delta: ToolDelta) {
        if self
            .core
            .emitter
            .output(self.run, &self.name, delta)
            .is_err()
        {
            self.core.inbox.shutdown.cancel();
        }
    }

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn jobs(&self) -> &Jobs {
        &self.core.jobs
    }

    fn limits(&self) -> &ToolLimits {
        &self.limits
    }

    fn confirmed(&self) -> &[PathBuf] {
        &self.confirmed
    }

    fn room(&self) -> Room {
        self.room
    }

    fn walls(&self) -> Walls {
        match self.own_line {
            Some(OwnLine::OutsideSandbox) => Walls::Own,
            Some(OwnLine::KeptInSandbox) => Walls::Inside,
            None => self.core.usual_walls(),
        }
    }

    fn request(&self, request: HostRequest) -> BoxFuture<'_, HostReply> {
        Box::pin(async move {
            match request {
                HostRequest::Ask { question, options } => {
                    ask::user(
                        &self.core,
                        self.run,
                        &self.token,
                        &self.call,
                        question,
                        options,
                    )
                    .await
                }
                HostRequest::Todo(update) => todo::request(&self.core, self.run, update),
                HostRequest::RunAgain {
                    command,
                    denial,
                    switch,
                    walls,
                    variables,
                    folder,
                    changed,
                } => {
                    outside::ask(
                        &self.core,
                        self.run,
                        &self.token,
                        &self.call,
                        command,
                        &outside::Blocked {
                            denial,
                            switch,
                            walls,
                            variables,
                            folder,
                            changed,
                        },
                    )
                    .await
                }
            }
        })
    }
}

/// Keeps what a file held before a call changes it. An error stops the change:
/// what cannot be kept is not overwritten.
struct CallJournal {
    core: Arc<Core>,
    run: RunId,
    call: CallId,
}

impl CallJournal {
    fn keep(blobs: &Blobs, change: &Change<'_>) -> Result<FileChange, JournalError> {
        let failed = |error: tenon_session::SessionError| JournalError(error.to_string());
        Ok(FileChange {
            path: change.path.to_owned(),
            mode: change.mode,
            before: change
                .before
                .map(|bytes| blobs.put_file(bytes))
                .transpose()
                .map_err(failed)?,
            after: change.after.map(tenon_tools::workspace::sha256),
            after_mode: change.after_mode,
            ..FileChange::default()
        })
    }
}

impl Journal for CallJournal {
    fn changing(&self, change: &Change<'_>) -> Result<(), JournalError> {
        let file = Self::keep(&self.core.emitter.blobs(), change)?;
        let mut files: Vec<FileChange> = change.folders.iter().map(folder).collect();
        files.push(file);
        for file in &files {
            self.core.keeper.edited(file);
            let whole = self.core.workspace.root().join(&file.path);
            self.core.jobs.accept(whole);
        }
        let checkpoint = Checkpoint {
            action: CheckpointAction::Saved,
            call: Some(self.call.clone()),
            to_seq: None,
            files,
            unkept: Vec::new(),
            ahead: false,
            untouched: Vec::new(),
        };
        self.core
            .emitter
            .emit(Some(self.run), checkpoint)
            .map(|_| ())
            .map_err(|error| JournalError(error.to_string()))
    }
}

/// A folder that was made for a file: it goes with it, when it is empty then.
fn folder(made: &MadeFolder) -> FileChange {
    FileChange {
        path: made.path.clone(),
        mode: None,
        before: None,
        after: None,
        after_mode: Some(made.mode | FileChange::FOLDER),
        ..FileChange::default()
    }
}
