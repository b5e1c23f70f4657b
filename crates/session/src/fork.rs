//! A copy of a session under a new id, to go on differently: all of it, or up
//! to a message. The first session is only read, line by line, so this also
//! works while another process has it open (N13), and a log of any size is not
//! held. Knows nothing of files of the project: a copy changes none.

use crate::calls::asks;
use crate::digest::{Digest, first_record};
use crate::leftovers::Leftovers;
use crate::lines::{Line, Lines, LinesBack, end_of_whole_lines};
use crate::log::Log;
use crate::place::{self, Place, private_folder};
use crate::record::decode;
use crate::recover::{Cause, closing_events};
use crate::{Blobs, SessionError, State, Store};
use serde_json::Value;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use tenon_vocab::{
    CallId, ContextChange, Event, EventKind, ForkPoint, Message, Role, RunId, SessionId, Timestamp,
};

/// Records that are looked at for the end of the run that a cut stands in.
const LOOK_AHEAD: usize = 64;
/// The envelope begins a line: its session stands within so many bytes.
const ENVELOPE: usize = 160;

impl Store {
    /// Copies the session `from` as `into` and opens the copy. With `at`, the
    /// seq of a message, the copy ends with that message and the results of its
    /// calls; what stands open there is closed. What this version does not know
    /// in a record is copied as it stands.
    ///
    /// # Errors
    /// When `from` cannot be read as far as it is wanted, `at` is no message of
    /// it, `into` is taken, or nothing can be written. Then there is no copy.
    pub fn fork(
        &self,
        from: SessionId,
        into: SessionId,
        at: Option<u64>,
    ) -> Result<(Log, State), SessionError> {
        let source = Source::open(self.place(from)?, from)?;
        let title = source.title();
        let (log, state) = self.create(&source.first(into, at)?)?;
        let mut copy = Copy {
            log,
            state,
            from,
            into,
        };
        match copy.fill(&source, at, title) {
            Ok(()) => Ok((copy.log, copy.state)),
            Err(error) => {
                drop(copy);
                // The error is what counts; a rest of the copy is only untidy.
                let _ = self.delete(into);
                Err(error)
            }
        }
    }
}

/// The session that is copied, as far as it went when it was opened.
struct Source {
    id: SessionId,
    place: Place,
    left: Leftovers,
    file: File,
    end: u64,
}

impl Source {
    fn open(place: Place, id: SessionId) -> Result<Self, SessionError> {
        let say = |error| SessionError::io("read", &place.log, error);
        // The partial file first: whatever supersedes it is then surely in the log.
        let left = Leftovers::read(&place)?;
        let file = tenon_files::open(&place.log).map_err(say)?;
        let length = file.metadata().map_err(say)?.len();
        let end = end_of_whole_lines(&file, length).map_err(say)?;
        Ok(Self {
            id,
            left,
            file,
            end,
            place,
        })
    }

    fn say(&self, error: io::Error) -> SessionError {
        SessionError::io("read", &self.place.log, error)
    }

    /// What lists call it.
    fn title(&self) -> Option<String> {
        let digest = Digest::of(&self.place).ok()?;
        let title = crate::list::summary(self.id, digest).title;
        (!title.trim().is_empty()).then_some(title)
    }

    /// The `meta` of the copy, which says where it comes from.
    fn first(&self, into: SessionId, at: Option<u64>) -> Result<Event, SessionError> {
        let mut event = first_record(&self.file, &self.place)?;
        event.session = into;
        if let EventKind::Meta(meta) = &mut event.kind {
            meta.id = into;
            meta.forked_from = Some(ForkPoint {
                session: self.id,
                seq: match at {
                    Some(seq) => seq,
                    None => self.last_seq()?,
                },
            });
        }
        Ok(event)
    }

    fn last_seq(&self) -> Result<u64, SessionError> {
        let last = LinesBack::new(&self.file, self.end)
            .next_back()
            .map_err(|error| self.say(error))?;
        let event = last.and_then(|line| serde_json::from_slice::<Event>(&line.bytes).ok());
        Ok(event.map_or(0, |event| event.seq))
    }

    fn damaged(&self, offset: u64, reason: String) -> SessionError {
        SessionError::Damaged {
            path: self.place.log.clone(),
            offset,
            reason,
        }
    }
}

/// One record of the source.
struct Taken {
    event: Event,
    line: String,
}

struct Copy {
    log: Log,
    state: State,
    from: SessionId,
    into: SessionId,
}

impl Copy {
    fn fill(
        &mut self,
        source: &Source,
        at: Option<u64>,
        title: Option<String>,
    ) -> Result<(), SessionError> {
        // All that the records up to `end` refer to is there by now.
        copy_content(&source.place.blobs(), &self.log.folder()?.join("blobs"))?;
        let blobs = Blobs::in_folder(source.place.blobs());
        let mut left = source.left.clone();
        let mut cut = Cut::new(at);
        let mut last = None;
        let mut lines = Lines::new(&source.file, 0);
        while lines.offset() < source.end {
            let Some(line) = lines.next_whole().map_err(|error| source.say(error))? else {
                break;
            };
            let taken = read(line, &blobs).map_err(|(at, why)| source.damaged(at, why))?;
            if taken.event.seq == 0 {
                continue;
            }
            left.supersede(&taken.event);
            last = Some(taken.event.ts);
            match cut.take(taken) {
                Step::Copy(records) => {
                    for record in records {
                        self.put(record)?;
                    }
                }
                Step::Wait => {}
                Step::Stop => break,
            }
        }
        match cut.stands {
            Stands::Before => {
                return Err(SessionError::NoMessage {
                    id: self.from,
                    seq: at.unwrap_or_default(),
                });
            }
            // What streamed belongs to what came after the cut.
            Stands::Settling { .. } | Stands::Ending { .. } => left = Leftovers::default(),
            Stands::Whole => {}
        }
        self.close(&left, last, at)?;
        self.mark(title, last)?;
        self.log.sync()
    }

    /// One record: its own line with another session id. Snapshots hold offsets
    /// of the file that they stand in, so they are made anew.
    fn put(&mut self, taken: Taken) -> Result<(), SessionError> {
        let Taken { mut event, line } = taken;
        event.session = self.into;
        let offset = match &mut event.kind {
            EventKind::Snapshot(snapshot) => {
                *snapshot = self.state.snapshot();
                self.log.append(&event)?
            }
            EventKind::RunFinished(finished) => {
                finished.snapshot = self.state.last_snapshot();
                let mut line: Value = serde_json::from_str(&line)?;
                line["session"] = Value::String(self.into.to_string());
                if let Some(fields) = line.as_object_mut() {
                    fields.shift_remove("snapshot");
                    if let Some(offset) = finished.snapshot {
                        fields.insert(String::from("snapshot"), offset.into());
                    }
                }
                self.log.append_line(&event, line.to_string())?
            }
            _ => {
                let line = renamed(line, self.from, self.into)?;
                self.log.append_line(&event, line)?
            }
        };
        self.state.apply(&event, offset);
        Ok(())
    }

    fn append(&mut self, event: &Event) -> Result<(), SessionError> {
        let offset = self.log.append(event)?;
        self.state.apply(event, offset);
        Ok(())
    }

    fn close(
        &mut self,
        left: &Leftovers,
        now: Option<Timestamp>,
        at: Option<u64>,
    ) -> Result<(), SessionError> {
        let Some(now) = now else { return Ok(()) };
        let cause = match at {
            Some(_) => Cause::Fork,
            None => Cause::Crash,
        };
        let next = self.log.next_seq();
        for event in closing_events(self.state.open(), left, next, now, cause) {
            self.append(&event)?;
        }
        Ok(())
    }

    /// The title with a mark, so that a list tells the copy from the first.
    fn mark(&mut self, title: Option<String>, last: Option<Timestamp>) -> Result<(), SessionError> {
        let (Some(title), Some(last), Some(known)) = (title, last, self.state.settings()) else {
            return Ok(());
        };
        // Lists put the copy where it was made, which its id tells.
        let made = place::made_at(self.into).unwrap_or(last);
        let mut settings = known.clone();
        settings.title = Some(marked(&title));
        let event = Event {
            seq: self.log.next_seq(),
            sub: None,
            ts: made.max(last),
            session: self.into,
            run: None,
            parent: None,
            agent: settings.agent_name.clone(),
            kind: settings.into(),
        };
        self.append(&event)
    }
}

/// `title (fork)`, and of that `title (fork 2)`.
fn marked(title: &str) -> String {
    const LONGEST: usize = 180;
    if let Some(inner) = title.strip_suffix(')')
        && let Some((stem, mark)) = inner.rsplit_once(" (fork")
        && let Some(number) = match mark.trim() {
            "" => Some(1_u32),
            digits => digits.parse().ok(),
        }
    {
        return format!("{stem} (fork {})", number.saturating_add(1));
    }
    let stem: String = title.trim().chars().take(LONGEST).collect();
    format!("{stem} (fork)")
}

fn read(line: Line, blobs: &Blobs) -> Result<Taken, (u64, String)> {
    let offset = line.offset;
    let text = String::from_utf8(line.bytes).map_err(|error| (offset, error.to_string()))?;
    let event = decode(&text, blobs).map_err(|error| (offset, error.to_string()))?;
    Ok(Taken { event, line: text })
}

/// The line with another session in its envelope. Ours begin with the envelope,
/// so the name is replaced where it stands; of others the line is made anew.
fn renamed(line: String, from: SessionId, into: SessionId) -> Result<String, SessionError> {
    let name = format!("\"session\":\"{from}\"");
    let head = line.floor_char_boundary(ENVELOPE);
    match line[..head].find(&name) {
        Some(begin) if line.starts_with("{\"seq\":") => {
            let rest = &line[begin + name.len()..];
            Ok(format!("{}\"session\":\"{into}\"{rest}", &line[..begin]))
        }
        _ => {
            let mut value: Value = serde_json::from_str(&line)?;
            value["session"] = Value::String(into.to_string());
            Ok(value.to_string())
        }
    }
}

/// Where the reading stands in relation to the cut.
#[derive(Debug)]
enum Stands {
    /// All is copied.
    Whole,
    /// The message has not come yet.
    Before,
    /// The results of its calls are waited for.
    Settling {
        run: Option<RunId>,
        open: Vec<CallId>,
    },
    /// All is there. When the run ends here by itself, its end is copied, too.
    Ending { run: Option<RunId> },
}

enum Step {
    Copy(Vec<Taken>),
    /// Not yet known.
    Wait,
    Stop,
}

struct Cut {
    at: Option<u64>,
    stands: Stands,
    held: Vec<Taken>,
}

impl Cut {
    fn new(at: Option<u64>) -> Self {
        Self {
            at,
            stands: match at {
                Some(_) => Stands::Before,
                None => Stands::Whole,
            },
            held: Vec::new(),
        }
    }

    fn take(&mut self, taken: Taken) -> Step {
        match &mut self.stands {
            Stands::Whole => Step::Copy(vec![taken]),
            Stands::Before => self.approach(taken),
            Stands::Settling { run, open } => {
                let event = &taken.event;
                if event.run == *run && is_over(event) {
                    return Step::Stop;
                }
                if let EventKind::ToolResult(result) = &event.kind
                    && event.run == *run
                    && let Some(index) = open.iter().position(|call| *call == result.call)
                {
                    open.remove(index);
                    if open.is_empty() {
                        self.stands = Stands::Ending { run: *run };
                    }
                }
                Step::Copy(vec![taken])
            }
            Stands::Ending { run } => {
                let event = &taken.event;
                let ends = event.run == *run && matches!(event.kind, EventKind::RunFinished(_));
                if run.is_none() || (is_over(event) && !ends) || self.held.len() >= LOOK_AHEAD {
                    return Step::Stop;
                }
                self.held.push(taken);
                if !ends {
                    return Step::Wait;
                }
                *run = None;
                Step::Copy(std::mem::take(&mut self.held))
            }
        }
    }

    /// Up to the message, and it itself.
    fn approach(&mut self, taken: Taken) -> Step {
        let event = &taken.event;
        match &event.kind {
            EventKind::Message(message) if Some(event.seq) == self.at && event.parent.is_none() => {
                self.stands = after(event.run, message);
                Step::Copy(vec![taken])
            }
            _ if Some(event.seq) >= self.at => Step::Stop,
            _ => Step::Copy(vec![taken]),
        }
    }
}

fn after(run: Option<RunId>, message: &Message) -> Stands {
    let open: Vec<CallId> = if asks(message) {
        message.tool_calls().map(|call| call.id.clone()).collect()
    } else {
        Vec::new()
    };
    match (&open[..], message.role) {
        // A run goes on after a prompt; it does not end there.
        ([], Role::User) => Stands::Ending { run: None },
        ([], _) => Stands::Ending { run },
        _ => Stands::Settling { run, open },
    }
}

/// What can no longer belong to the message of the cut.
fn is_over(event: &Event) -> bool {
    match &event.kind {
        _ if event.parent.is_some() => false,
        EventKind::Message(message) => message.role != Role::Tool,
        EventKind::Context(change) => !matches!(change, ContextChange::Compiled(_)),
        EventKind::RunStarted(_) | EventKind::RunFinished(_) => true,
        _ => false,
    }
}

/// Content is named by its hash and never changes, so a link is a copy.
fn copy_content(from: &Path, to: &Path) -> Result<(), SessionError> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SessionError::io("read", from, error)),
    };
    private_folder(to)?;
    for entry in entries {
        let entry = entry.map_err(|error| SessionError::io("read", from, error))?;
        let name = entry.file_name();
        // What is being written now; no record refers to it.
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let target = to.join(&name);
        if fs::hard_link(entry.path(), &target).is_err() && !target.exists() {
            match fs::copy(entry.path(), &target) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SessionError::io("write", &target, error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{marked, renamed};
    use tenon_vocab::SessionId;

    #[test]
    fn a_copy_of_a_copy_counts_on() {
        assert_eq!(marked("fix it"), "fix it (fork)");
        assert_eq!(marked("fix it (fork)"), "fix it (fork 2)");
        assert_eq!(marked("fix it (fork 9)"), "fix it (fork 10)");
        assert_eq!(marked("fix (forks)"), "fix (forks) (fork)");
    }

    #[test]
    fn only_the_envelope_of_a_line_gets_another_session() {
        let (from, into) = (SessionId::generate(), SessionId::generate());
        let ours =
            format!(r#"{{"seq":1,"ts":"t","session":"{from}","text":"\"session\":\"{from}\""}}"#);
        let made = renamed(ours, from, into).unwrap();
        assert!(made.contains(&format!(r#""session":"{into}""#)), "{made}");
        assert!(
            made.contains(&format!(r#"\"session\":\"{from}\""#)),
            "{made}"
        );
        let foreign = format!(r#"{{"a":{{"session":"{from}"}},"session":"{from}"}}"#);
        let made = renamed(foreign, from, into).unwrap();
        assert_eq!(
            made,
            format!(r#"{{"a":{{"session":"{from}"}},"session":"{into}"}}"#)
        );
    }
}
