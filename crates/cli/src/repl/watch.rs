//! Lines of a terminal that nobody edits: while a run goes on, and always where
//! the terminal cannot do more. Reads only what is there, so that reading can
//! be stopped at any time.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{IsTerminal, PipeReader, Stdin};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One input is never longer than this; what exceeds it is a mistake.
const LIMIT: usize = 1024 * 1024;
const NOW: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Line(String),
    /// Ctrl+D, or the input has ended.
    End,
}

/// Divides what was typed before a question from what was typed after it. A
/// line is read and stamped under the same lock under which the terminal's
/// input is dropped, so no line of before can pass for an answer.
#[derive(Debug, Default)]
pub struct Moment(Mutex<u64>);

impl Moment {
    fn lock(&self) -> MutexGuard<'_, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops all that was typed and not read, and begins anew.
    pub fn begin(&self) -> u64 {
        let mut moment = self.lock();
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        *moment += 1;
        *moment
    }
}

/// Standard input, line by line.
#[derive(Debug)]
pub struct Lines {
    stdin: Stdin,
    terminal: bool,
    pending: Vec<u8>,
    /// A pipe that ended stays so; a terminal can go on after Ctrl+D.
    ended: bool,
}

enum Ready {
    Input,
    Stopped,
}

impl Lines {
    pub fn new() -> Self {
        let stdin = std::io::stdin();
        Self {
            terminal: stdin.is_terminal(),
            stdin,
            pending: Vec::new(),
            ended: false,
        }
    }

    /// The next input with the moment in which it was read; `None` when `stop`
    /// was closed first. Lines of a terminal that come at once were pasted, and
    /// are one input.
    pub fn next(&mut self, stop: Option<&PipeReader>, moment: &Moment) -> Option<(u64, Said)> {
        loop {
            if let Some(line) = self.whole_line() {
                return Some((*moment.lock(), Said::Line(line)));
            }
            if self.ended && stop.is_none() {
                return Some((*moment.lock(), Said::End));
            }
            match self.wait(stop) {
                Ready::Stopped => return None,
                Ready::Input => {
                    let stamp = moment.lock();
                    if self.take() == Taken::End {
                        return Some((*stamp, Said::End));
                    }
                }
            }
        }
    }

    /// Of a pipe one line, of a terminal all that was pasted.
    fn whole_line(&mut self) -> Option<String> {
        if self.pending.is_empty() {
            return None;
        }
        let newline = self.pending.iter().position(|byte| *byte == b'\n');
        let end = match (newline, self.terminal) {
            (_, true) => self.pending.len(),
            (Some(at), false) => at + 1,
            (None, false) if self.ended || self.pending.len() >= LIMIT => self.pending.len(),
            (None, false) => return None,
        };
        let bytes: Vec<u8> = self.pending.drain(..end).collect();
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_end_matches(['\n', '\r']).to_owned())
    }

    fn wait(&self, stop: Option<&PipeReader>) -> Ready {
        loop {
            let mut watched = Vec::with_capacity(2);
            if let Some(stop) = stop {
                watched.push(PollFd::new(stop, PollFlags::IN));
            }
            if !self.ended {
                watched.push(PollFd::new(&self.stdin, PollFlags::IN));
            }
            // A signal only interrupts the wait.
            if poll(&mut watched, None).is_err() {
                continue;
            }
            let stopped =
                stop.is_some() && watched.first().is_some_and(|fd| !fd.revents().is_empty());
            return if stopped {
                Ready::Stopped
            } else {
                Ready::Input
            };
        }
    }

    /// What was typed and not read, without waiting. Ends before the first key
    /// that is no text: nobody can have meant it for a line that was not there.
    pub fn ahead(&mut self, moment: &Moment) -> String {
        let _stamp = moment.lock();
        self.take();
        let bytes = std::mem::take(&mut self.pending);
        let text = String::from_utf8_lossy(&bytes).replace('\r', "\n");
        text.split('\x1b').next().unwrap_or_default().to_owned()
    }

    fn readable(&self) -> bool {
        let mut watched = [PollFd::new(&self.stdin, PollFlags::IN)];
        matches!(poll(&mut watched, Some(&NOW)), Ok(ready) if ready > 0)
    }

    /// Takes what is there. The caller holds the moment.
    fn take(&mut self) -> Taken {
        let mut buffer = vec![0; 64 * 1024];
        while self.pending.len() < LIMIT && self.readable() {
            match rustix::io::read(&self.stdin, &mut buffer) {
                Ok(0) if !self.pending.is_empty() => {
                    self.ended |= !self.terminal;
                    return Taken::Some;
                }
                Ok(0) => {
                    self.ended |= !self.terminal;
                    return Taken::End;
                }
                Ok(count) => {
                    self.pending
                        .extend_from_slice(buffer.get(..count).unwrap_or_default());
                    if !self.terminal {
                        return Taken::Some;
                    }
                }
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return Taken::Some,
                // The terminal is gone.
                Err(_) => {
                    self.ended = true;
                    return Taken::End;
                }
            }
        }
        Taken::Some
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Some,
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(terminal: bool, pending: &str) -> Lines {
        Lines {
            stdin: std::io::stdin(),
            terminal,
            pending: pending.as_bytes().to_vec(),
            ended: false,
        }
    }

    #[test]
    fn lines_that_a_terminal_brings_at_once_are_one_input() {
        let mut pasted = lines(true, "one\ntwo\r\nthree\n");
        assert_eq!(pasted.whole_line().as_deref(), Some("one\ntwo\r\nthree"));
        assert_eq!(pasted.whole_line(), None);
    }

    #[test]
    fn lines_of_a_pipe_are_separate_inputs() {
        let mut piped = lines(false, "one\ntwo\nhal");
        assert_eq!(piped.whole_line().as_deref(), Some("one"));
        assert_eq!(piped.whole_line().as_deref(), Some("two"));
        assert_eq!(piped.whole_line(), None);
        piped.ended = true;
        assert_eq!(piped.whole_line().as_deref(), Some("hal"));
    }
}
