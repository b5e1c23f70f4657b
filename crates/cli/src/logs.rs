//! A log for diagnosis, in the state folder (B1): lines of what went wrong, and
//! with a higher level of what was done. It is not the log of a session, which
//! holds what was said; nothing reads it but people.
//!
//! It costs nothing until there is a line to write, and never stops a run.

use crate::assemble::Session;
use crate::place::Place;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_config::{LogLevel, LogSettings, Resolved};
use tenon_policy::Masker;
use tenon_vocab::port::{BoxFuture, EventSource, Handle};
use tenon_vocab::{Event, EventKind, NoticeLevel, Outcome, Printable, figures};

/// A longer line is cut.
const LONGEST: usize = 4096;

/// Where it is; older files have a number behind the name.
pub fn path(place: &Place) -> PathBuf {
    place.paths.state.join("logs").join("tenon.log")
}

/// Writes what is of weight.
#[derive(Debug, Clone)]
pub struct Logs {
    path: PathBuf,
    settings: LogSettings,
    masker: Arc<Masker>,
}

impl Logs {
    /// `None` where nothing is to be written: of a session of which nothing is
    /// kept, nothing is logged either.
    pub fn of(
        place: &Place,
        resolved: &Resolved,
        masker: &Arc<Masker>,
        session: Session,
    ) -> Option<Self> {
        let is_wanted = resolved.logs.level > LogLevel::Off && session != Session::Unsaved;
        is_wanted.then(|| Self {
            path: path(place),
            settings: resolved.logs.clone(),
            masker: Arc::clone(masker),
        })
    }

    /// The same handle, whose events are logged as they are read.
    pub fn watch(logs: Option<Self>, handle: Handle) -> Handle {
        let Some(logs) = logs else { return handle };
        let inner = handle.events;
        Handle {
            events: Box::new(Watched { inner, logs }),
            ..handle
        }
    }

    fn event(&self, event: &Event) {
        let Some((level, what)) = line_of(event) else {
            return;
        };
        if level > self.settings.level {
            return;
        }
        let word = match level {
            LogLevel::Error => "ERROR",
            LogLevel::Warn => "WARN ",
            LogLevel::Info => "INFO ",
            LogLevel::Debug | LogLevel::Off => "DEBUG",
        };
        let masked = self.masker.mask(&what);
        let mut text = Printable::line(&masked).into_string();
        if text.len() > LONGEST {
            let cut = text.floor_char_boundary(LONGEST);
            text.truncate(cut);
            text.push('…');
        }
        let line = format!("{} {word} {} {text}\n", event.ts, event.session);
        // What cannot be logged is no reason to stop.
        let _ = self.write(&line);
    }

    fn write(&self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        self.make_room(line.len() as u64)?;
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        // One write: lines of two processes do not mix.
        tenon_files::open_with(&mut options, &self.path)?.write_all(line.as_bytes())
    }

    /// Begins a new file where the line has no room, and drops the oldest.
    fn make_room(&self, more: u64) -> io::Result<()> {
        let is_full = || {
            let held = self.path.symlink_metadata().map_or(0, |about| about.len());
            held > 0 && held + more > self.settings.max_bytes
        };
        if !is_full() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let lock = tenon_files::open_with(&mut options, &self.path.with_extension("lock"))?;
        lock.lock()?;
        // Another process may have done it meanwhile.
        if !is_full() {
            return Ok(());
        }
        let oldest = self.settings.files.saturating_sub(1);
        if oldest == 0 {
            return std::fs::remove_file(&self.path);
        }
        // Fewer may be kept than before.
        for number in oldest..=100 {
            let _ = std::fs::remove_file(numbered(&self.path, number));
        }
        for number in (1..oldest).rev() {
            let _ = std::fs::rename(
                numbered(&self.path, number),
                numbered(&self.path, number + 1),
            );
        }
        std::fs::rename(&self.path, numbered(&self.path, 1))
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    path.with_extension(format!("log.{number}"))
}

struct Watched {
    inner: Box<dyn EventSource>,
    logs: Logs,
}

impl EventSource for Watched {
    fn next(&mut self) -> BoxFuture<'_, Option<Arc<Event>>> {
        Box::pin(async move {
            let event = self.inner.next().await;
            if let Some(event) = &event {
                self.logs.event(event);
            }
            event
        })
    }
}

/// What is said of an event, and how much it weighs.
fn line_of(event: &Event) -> Option<(LogLevel, String)> {
    Some(match &event.kind {
        EventKind::Notice(notice) => {
            let level = match notice.level {
                NoticeLevel::Error => LogLevel::Error,
                NoticeLevel::Warning => LogLevel::Warn,
                NoticeLevel::Info => LogLevel::Info,
            };
            let hint = notice.hint.as_deref().map(|hint| format!(" ({hint})"));
            let hint = hint.unwrap_or_default();
            (level, format!("{}: {}{hint}", notice.kind, notice.message))
        }
        EventKind::Retry(retry) => (LogLevel::Warn, retry.words()),
        EventKind::RunFinished(finished) => {
            let level = match finished.outcome {
                Outcome::Failed => LogLevel::Error,
                Outcome::Completed => LogLevel::Info,
                _ => LogLevel::Warn,
            };
            let figures = figures::of_run(finished).join(", ");
            (
                level,
                format!("run ended: {:?}, {figures}", finished.outcome),
            )
        }
        EventKind::RunStarted(_) => (LogLevel::Info, String::from("run started")),
        EventKind::ToolUse(used) => (LogLevel::Info, format!("{} {}", used.name, used.input)),
        EventKind::ToolResult(result) => (
            LogLevel::Info,
            format!("call {} ended: {:?}", result.call, result.status),
        ),
        // What streams stands in the message that follows it.
        EventKind::MessageDelta(_) => return None,
        other => (
            LogLevel::Debug,
            format!("event {} of kind {}", event.seq, other.name()),
        ),
    })
}

/// Removes what of the cache was not used for a while. Only what is ours by its
/// name: the folder may be anybody's.
pub fn prune_cache(cache: &Path, age: std::time::Duration) {
    for name in ["sessions.db", "sessions.db-wal", "sessions.db-shm"] {
        let path = cache.join(name);
        let is_old = path
            .symlink_metadata()
            .and_then(|about| about.modified())
            .ok()
            .and_then(|at| at.elapsed().ok())
            .is_some_and(|elapsed| elapsed > age);
        if is_old {
            let _ = std::fs::remove_file(&path);
        }
    }
}
