//! Append, then publish: the one place where an event gets its number, goes to
//! the log and then to the subscribers. A thing that a person saw is already on
//! the disk, and no secret goes past here: events are masked first.

use crate::mask;
use crate::parts::Ambient;
use crate::publish::{Mailbox, Publisher, Taken};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_policy::Masker;
use tenon_session::{Frame, FrameOf, Log, SessionError, State};
use tenon_vocab::port::{BoxFuture, EventSource};
use tenon_vocab::{
    Durability, Event, EventKind, HistoryRef, McpEvent, Message, Notice, NoticeLevel, RunId,
    SessionId, TextChannel, TextDelta, ToolDelta,
};

/// A snapshot is due after this many bytes of log.
const SNAPSHOT_EVERY: u64 = 8 * 1024 * 1024;

struct Inner {
    /// Who works, in every event.
    agent: String,
    log: Log,
    state: State,
    publisher: Publisher,
    /// Ephemeral events since the last durable one.
    sub: u32,
    /// The MCP servers and what was last said of each, since this was opened:
    /// those of an earlier process are gone.
    servers: Vec<McpEvent>,
    /// The log could not be written: nothing durable can be said any more.
    broken: Option<String>,
}

pub(crate) struct Emitter {
    session: SessionId,
    ambient: Arc<dyn Ambient>,
    masker: Arc<Masker>,
    inner: Mutex<Inner>,
}

impl fmt::Debug for Emitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emitter")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Emitter {
    pub(crate) fn new(
        log: Log,
        state: State,
        agent: String,
        ambient: Arc<dyn Ambient>,
        masker: Arc<Masker>,
    ) -> Self {
        Self {
            session: log.id(),
            ambient,
            masker,
            inner: Mutex::new(Inner {
                agent,
                log,
                state,
                publisher: Publisher::default(),
                sub: 0,
                servers: Vec::new(),
                broken: None,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Events are of this agent from now on.
    pub(crate) fn set_agent(&self, agent: &str) {
        agent.clone_into(&mut self.lock().agent);
    }

    fn event(&self, inner: &Inner, run: Option<RunId>, kind: EventKind) -> Event {
        let (seq, sub) = match kind.durability() {
            Durability::Durable => (inner.log.next_seq(), None),
            Durability::Ephemeral => (inner.log.next_seq().saturating_sub(1), Some(inner.sub + 1)),
        };
        Event {
            seq,
            sub,
            ts: self.ambient.now(),
            session: self.session,
            run,
            parent: None,
            agent: inner.agent.clone(),
            kind,
        }
    }

    /// Appends a durable event, then publishes it; an ephemeral one is only
    /// published.
    ///
    /// # Errors
    /// When the log cannot be written. The cause has then been published as a
    /// notice, once, and the run must end.
    pub(crate) fn emit(
        &self,
        run: Option<RunId>,
        kind: impl Into<EventKind>,
    ) -> Result<u64, SessionError> {
        let (kind, found) = mask::event(&self.masker, kind.into());
        let remark = mask::remark(&kind, &found);
        let mut inner = self.lock();
        let event = self.event(&inner, run, kind);
        if !event.is_durable() {
            inner.sub += 1;
            inner.publisher.publish(&Arc::new(event));
            return Ok(0);
        }
        let seq = self.append(&mut inner, event)?;
        if let Some(remark) = remark {
            let event = self.event(&inner, run, remark.into());
            self.append(&mut inner, event)?;
        }
        Ok(seq)
    }

    fn append(&self, inner: &mut Inner, event: Event) -> Result<u64, SessionError> {
        let seq = event.seq;
        match inner.log.append(&event) {
            Ok(offset) => {
                inner.state.apply(&event, offset);
                if let EventKind::Mcp(told) = &event.kind {
                    inner.servers.retain(|known| known.server != told.server);
                    inner.servers.push(told.clone());
                }
                inner.sub = 0;
                inner.publisher.publish(&Arc::new(event));
                Ok(seq)
            }
            Err(error) => {
                self.publish_failure(inner, event.run, &error);
                Err(error)
            }
        }
    }

    /// What was last said of each MCP server.
    pub(crate) fn servers(&self) -> Vec<McpEvent> {
        self.lock().servers.clone()
    }

    /// Publishes what can no longer be logged, so that every front end learns
    /// how the run ended.
    pub(crate) fn publish_only(&self, run: Option<RunId>, kind: EventKind) {
        let mut inner = self.lock();
        let event = self.event(&inner, run, mask::event(&self.masker, kind).0);
        inner.publisher.publish(&Arc::new(event));
    }

    fn publish_failure(&self, inner: &mut Inner, run: Option<RunId>, error: &SessionError) {
        if inner.broken.is_some() {
            return;
        }
        inner.broken = Some(error.to_string());
        let notice = Notice {
            level: NoticeLevel::Error,
            kind: String::from("log"),
            message: error.to_string(),
            hint: Some(String::from(
                "Free some space or choose another TENON_HOME, then resume this session.",
            )),
        };
        let event = self.event(inner, run, notice.into());
        inner.publisher.publish(&Arc::new(event));
    }

    /// Text of a message that is being written, masked already: to the partial
    /// file, then out.
    pub(crate) fn text(
        &self,
        run: RunId,
        channel: TextChannel,
        text: String,
    ) -> Result<(), SessionError> {
        let mut inner = self.lock();
        let frame = Frame::Message { run, channel, text };
        let written = inner.log.frame(&frame);
        self.check(&mut inner, run, written)?;
        let Frame::Message { text, .. } = frame else {
            return Ok(());
        };
        let event = self.event(&inner, Some(run), TextDelta { channel, text }.into());
        inner.sub += 1;
        inner.publisher.publish(&Arc::new(event));
        Ok(())
    }

    /// Output of a running call, masked already: to the partial file, then out.
    pub(crate) fn output(
        &self,
        run: RunId,
        name: &str,
        delta: ToolDelta,
    ) -> Result<(), SessionError> {
        let mut inner = self.lock();
        let written = inner.log.frame(&Frame::Tool {
            run,
            call: delta.call.clone(),
            name: name.to_owned(),
            stream: delta.stream,
            text: delta.text.clone(),
        });
        self.check(&mut inner, run, written)?;
        let event = self.event(&inner, Some(run), delta.into());
        inner.sub += 1;
        inner.publisher.publish(&Arc::new(event));
        Ok(())
    }

    fn check(
        &self,
        inner: &mut Inner,
        run: RunId,
        written: Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        written.inspect_err(|error| self.publish_failure(inner, Some(run), error))
    }

    /// The durable record of a stream is written: its frames are superseded.
    pub(crate) fn superseded(&self, of: &FrameOf) -> Result<(), SessionError> {
        self.lock().log.clear_frames(of)
    }

    pub(crate) fn sync(&self) -> Result<(), SessionError> {
        self.lock().log.sync()
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.lock().broken.is_some()
    }

    /// A look at the projected state, under the lock: keep it short.
    pub(crate) fn state<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock().state)
    }

    /// A look at the log, under the lock.
    pub(crate) fn log<T>(&self, look: impl FnOnce(&Log) -> T) -> T {
        look(&self.lock().log)
    }

    /// A look at both, under the lock.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Log, &State) -> T) -> T {
        let inner = self.lock();
        look(&inner.log, &inner.state)
    }

    pub(crate) fn session(&self) -> SessionId {
        self.session
    }

    pub(crate) fn blobs(&self) -> tenon_session::Blobs {
        self.lock().log.blobs()
    }

    /// Writes a snapshot when one is due; gives the offset of the last one.
    pub(crate) fn snapshot_if_due(&self) -> Result<Option<u64>, SessionError> {
        let mut inner = self.lock();
        if inner.log.bytes_since_snapshot() < SNAPSHOT_EVERY {
            return Ok(inner.state.last_snapshot());
        }
        self.write_snapshot(&mut inner)
    }

    /// Writes one now: what stands before it need not be read again.
    pub(crate) fn snapshot(&self) -> Result<(), SessionError> {
        self.write_snapshot(&mut self.lock()).map(|_| ())
    }

    fn write_snapshot(&self, inner: &mut Inner) -> Result<Option<u64>, SessionError> {
        let snapshot = inner.state.snapshot();
        let event = self.event(inner, None, snapshot.into());
        let offset = inner.log.append(&event)?;
        inner.state.apply(&event, offset);
        inner.sub = 0;
        inner.publisher.publish(&Arc::new(event));
        Ok(inner.state.last_snapshot())
    }

    /// The durable events from `seq` on. Where a record before it is known, what
    /// stands before that is not read.
    pub(crate) fn events(
        &self,
        known: Option<HistoryRef>,
        seq: u64,
    ) -> Result<Vec<Event>, SessionError> {
        let inner = self.lock();
        match known {
            Some(known) => inner.log.read_after(known, seq),
            None => inner.log.read_from(seq),
        }
    }

    /// Messages that the model sees, and the generation of the history.
    pub(crate) fn history(&self, from: usize) -> (u64, usize, Vec<Arc<Message>>) {
        let inner = self.lock();
        let history = inner.state.history();
        let messages = history.messages();
        let new = messages.get(from..).unwrap_or_default().to_vec();
        (history.generation(), messages.len(), new)
    }

    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        // Nothing more can be done about a failure here; every record is written.
        let _ = inner.log.sync();
        inner.publisher.close();
    }

    pub(crate) fn subscribe(self: &Arc<Self>) -> Subscription {
        let mailbox = self.lock().publisher.subscribe();
        Subscription {
            emitter: Arc::clone(self),
            mailbox,
        }
    }

    fn catch_up(&self, mailbox: &Mailbox, seq: u64) {
        let inner = self.lock();
        // A log that cannot be read back leaves the reader with what comes next.
        mailbox.catch_up(inner.log.read_from(seq).unwrap_or_default());
    }
}

/// A front end's receiver of events.
#[derive(Debug)]
pub(crate) struct Subscription {
    emitter: Arc<Emitter>,
    mailbox: Arc<Mailbox>,
}

impl EventSource for Subscription {
    fn next(&mut self) -> BoxFuture<'_, Option<Arc<Event>>> {
        Box::pin(async move {
            loop {
                match self.mailbox.take() {
                    Taken::Event(event) => return Some(event),
                    Taken::Lagging(seq) => self.emitter.catch_up(&self.mailbox, seq),
                    Taken::Closed => return None,
                    Taken::Empty => self.mailbox.arrived().await,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::RealAmbient;
    use tenon_vocab::{Meta, SCHEMA_VERSION, Timestamp};

    fn emitter() -> Emitter {
        let id = SessionId::generate();
        let first = Event {
            seq: 0,
            sub: None,
            ts: Timestamp::UNIX_EPOCH,
            session: id,
            run: None,
            parent: None,
            agent: String::from("build"),
            kind: Meta {
                schema_version: SCHEMA_VERSION,
                id,
                cwd: String::from("/p"),
                program_version: String::from("test"),
                git_branch: None,
                forked_from: None,
            }
            .into(),
        };
        let (log, state) = Log::ephemeral(&first).unwrap();
        let (ambient, masker) = (Arc::new(RealAmbient), Masker::standard());
        Emitter::new(log, state, String::from("build"), ambient, masker)
    }

    #[test]
    fn of_each_mcp_server_the_last_word_is_known() {
        let emitter = emitter();
        assert_eq!(emitter.servers(), []);
        let said = |server: &str, state: &str, detail: Option<&str>| McpEvent {
            server: server.to_owned(),
            state: state.to_owned(),
            detail: detail.map(str::to_owned),
        };
        for event in [
            said("files", "starting", None),
            said("web", "ready", None),
            said("files", "failed", Some("it ended")),
        ] {
            emitter.emit(None, event).unwrap();
        }
        assert_eq!(
            emitter.servers(),
            [
                said("web", "ready", None),
                said("files", "failed", Some("it ended"))
            ]
        );
    }
}
