//! Standard error while the interface owns the screen. Whatever any part of the
//! program writes there would be painted over the live area; here it becomes
//! lines of the conversation instead. What nobody has read when the interface
//! ends goes to where it was meant to go.
//!
//! A thread reads, so that nobody who writes has to wait for the one that draws:
//! it may be the same one. Of what comes faster than it is shown, the first part
//! is kept and the rest is counted.

use std::io::{self, IsTerminal, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Longer lines are broken: nobody would read them.
const LONGEST: usize = 16 * 1024;
/// What waits to be shown at most.
const MOST: usize = 256 * 1024;
/// How long the last words are waited for. A program that was started from here
/// may keep the pipe open for longer.
const LAST_WORDS: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct Captured {
    /// Where standard error led before.
    saved: OwnedFd,
    /// Until the end.
    writer: Option<PipeWriter>,
    shared: Arc<Shared>,
    /// Says that nobody can write any more.
    ended: Receiver<()>,
}

#[derive(Debug, Default)]
struct Shared {
    heard: Mutex<Heard>,
    news: Notify,
}

/// What came and was not taken yet.
#[derive(Debug, Default)]
struct Heard {
    bytes: Vec<u8>,
    /// Bytes that found no room behind them.
    lost: u64,
}

impl Heard {
    fn add(&mut self, bytes: &[u8]) {
        let room = match self.lost {
            0 => MOST.saturating_sub(self.bytes.len()).min(bytes.len()),
            // What follows a gap would stand in the wrong place.
            _ => 0,
        };
        let (kept, lost) = bytes.split_at(room);
        self.bytes.extend_from_slice(kept);
        self.lost += lost.len() as u64;
    }

    fn line(&mut self) -> Option<String> {
        let end = self.bytes.iter().position(|&byte| byte == b'\n');
        let (end, rest) = match end {
            Some(at) if at <= LONGEST => (at, at + 1),
            None if self.bytes.len() <= LONGEST => return self.last(),
            _ => (LONGEST, LONGEST),
        };
        let line: Vec<u8> = self.bytes.drain(..rest).take(end).collect();
        Some(text(&line))
    }

    /// The line before a gap, and the gap.
    fn last(&mut self) -> Option<String> {
        if self.lost == 0 {
            return None;
        }
        if !self.bytes.is_empty() {
            return Some(text(&std::mem::take(&mut self.bytes)));
        }
        Some(gap(std::mem::take(&mut self.lost)))
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().to_owned()
}

fn gap(lost: u64) -> String {
    format!("({lost} more bytes on standard error came too fast and were dropped)")
}

impl Shared {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, mut reader: PipeReader) {
        let mut buffer = [0; 4096];
        loop {
            match reader.read(&mut buffer) {
                Ok(count @ 1..) => {
                    let bytes = buffer.get(..count).unwrap_or_default();
                    self.heard().add(bytes);
                    self.news.notify_one();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
            }
        }
    }
}

impl Captured {
    /// `None` where standard error is no terminal: it disturbs nothing there.
    ///
    /// # Errors
    /// When no pipe or thread can be made.
    pub fn begin() -> io::Result<Option<Self>> {
        if !io::stderr().is_terminal() {
            return Ok(None);
        }
        let (reader, writer) = io::pipe()?;
        let saved = rustix::io::dup(io::stderr())?;
        let shared = Arc::new(Shared::default());
        let (end, ended) = channel();
        let listening = Arc::clone(&shared);
        std::thread::Builder::new()
            .name(String::from("stderr"))
            .spawn(move || {
                listening.read(reader);
                // Whoever waited for it may have gone.
                let _ = end.send(());
            })?;
        let captured = Self {
            saved,
            writer: Some(writer),
            shared,
            ended,
        };
        captured.resume();
        Ok(Some(captured))
    }

    /// Another program has the terminal: its errors are its own.
    pub fn pause(&self) {
        let _ = rustix::stdio::dup2_stderr(&self.saved);
    }

    pub fn resume(&self) {
        if let Some(writer) = &self.writer {
            let _ = rustix::stdio::dup2_stderr(writer);
        }
    }

    /// The next line that was written.
    pub async fn line(&mut self) -> String {
        loop {
            let line = self.shared.heard().line();
            match line {
                Some(line) => return line,
                None => self.shared.news.notified().await,
            }
        }
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.pause();
        self.writer = None;
        // The last words of a panic, say.
        let _ = self.ended.recv_timeout(LAST_WORDS);
        let mut heard = self.shared.heard();
        let _ = io::stderr().write_all(&heard.bytes);
        heard.bytes.clear();
        if heard.lost > 0 {
            let _ = writeln!(io::stderr(), "{}", gap(heard.lost));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_long_ones_in_parts() {
        let mut heard = Heard::default();
        heard.add(b"one\ntw");
        assert_eq!(heard.line().as_deref(), Some("one"));
        assert_eq!(heard.line(), None);
        heard.add(b"o\n");
        assert_eq!(heard.line().as_deref(), Some("two"));
        heard.add(&[b'x'; LONGEST + 1]);
        heard.add(b"\n");
        assert_eq!(heard.line().map(|line| line.len()), Some(LONGEST));
        assert_eq!(heard.line().as_deref(), Some("x"));
        assert_eq!(heard.line(), None);
    }

    #[test]
    fn what_is_not_kept_is_counted_behind_what_is() {
        let mut heard = Heard::default();
        let line = [b'x'; 1023];
        for _ in 0..300 {
            heard.add(&line);
            heard.add(b"\n");
        }
        let lines: Vec<String> = std::iter::from_fn(|| heard.line()).collect();
        assert_eq!(lines.len(), MOST / 1024 + 1);
        let lost = 300 * 1024 - MOST;
        assert!(
            lines
                .last()
                .is_some_and(|gap| gap.contains(&lost.to_string()))
        );
        heard.add(b"on\n");
        assert_eq!(heard.line().as_deref(), Some("on"));
    }
}
