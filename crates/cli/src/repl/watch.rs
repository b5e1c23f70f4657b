//! Lines of a terminal that nobody edits: while a run goes on, and always where
//! the terminal cannot do more. Reads only what is there, so that reading can
//! be stopped at any time.

use super::input::{Entered, Pace};
use super::paste::{first_input, is_marked, typed, unmarked};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::io::{IsTerminal, PipeReader, Stdin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One input is never longer than this; what exceeds it is a mistake.
const LIMIT: usize = 1024 * 1024;
/// Lines that come closer together than this were not typed one after the other.
const QUICK: Duration = Duration::from_millis(20);
/// Nor is a line that comes so soon behind a marked paste: the mark of its end may
/// stand in the clipboard.
const CLOSE: Duration = Duration::from_millis(50);
const NOW: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Line(Entered),
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
    /// Whole inputs, with the moment in which each was read.
    whole: VecDeque<(u64, Entered)>,
    /// Of an input that is not at its end, and its moment.
    pending: Vec<u8>,
    stamp: u64,
    /// A pipe that ended stays so; a terminal can go on after Ctrl+D.
    ended: bool,
    /// When the last whole input was read, and how long what follows belongs to it.
    last: Option<(Instant, Duration)>,
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
            whole: VecDeque::new(),
            pending: Vec::new(),
            stamp: 0,
            ended: false,
            last: None,
        }
    }

    /// The next input with the moment in which it was read; `None` when `stop`
    /// was closed first.
    pub fn next(&mut self, stop: Option<&PipeReader>, moment: &Moment) -> Option<(u64, Said)> {
        loop {
            if let Some((stamp, line)) = self.whole.pop_front() {
                // Whoever writes to a pipe has written its answers beforehand.
                let stamp = if self.terminal { stamp } else { *moment.lock() };
                return Some((stamp, Said::Line(line)));
            }
            if self.ended && stop.is_none() {
                return Some((*moment.lock(), Said::End));
            }
            match self.wait(stop) {
                Ready::Stopped => return None,
                Ready::Input => {
                    let stamp = moment.lock();
                    if self.take(*stamp) == Taken::End {
                        return Some((*stamp, Said::End));
                    }
                }
            }
        }
    }

    /// Sorts what was read in this moment into inputs. They are stamped here: a
    /// line of before must not become an answer because it waited in a row.
    fn divide(&mut self, stamp: u64) {
        let before = self.whole.len();
        let mut pasted = false;
        while let Some(end) = self.first_end() {
            let bytes: Vec<u8> = self.pending.drain(..end).collect();
            let text = String::from_utf8_lossy(&bytes);
            pasted |= is_marked(&text);
            let text = unmarked(&text);
            let line = text.trim_end_matches(['\n', '\r']).to_owned();
            self.whole.push_back((stamp, Entered::alone(line)));
        }
        if !self.terminal || self.whole.len() == before {
            return;
        }
        let close = self.last.filter(|(at, gap)| at.elapsed() <= *gap);
        let behind = close.is_some_and(|(_, gap)| gap == CLOSE);
        let pasted = pasted || behind || is_marked(&String::from_utf8_lossy(&self.pending));
        let gap = if pasted { CLOSE } else { QUICK };
        self.last = Some((Instant::now(), gap));
        let soon = close.is_some();
        let pace = if pasted { Pace::Pasted } else { Pace::Among };
        if soon || pasted || self.whole.len() > before + 1 || !self.pending.is_empty() {
            for (_, entered) in self.whole.iter_mut().skip(before) {
                entered.pace = pace;
            }
        }
    }

    fn first_end(&self) -> Option<usize> {
        let all = Some(self.pending.len()).filter(|length| *length > 0);
        let whole = match self.terminal {
            true => first_input(&self.pending),
            false => self
                .pending
                .iter()
                .position(|byte| *byte == b'\n')
                .map(|at| at + 1),
        };
        whole.or(all.filter(|length| self.ended || *length >= LIMIT))
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
        let stamp = moment.lock();
        self.take(*stamp);
        let lines = self.whole.drain(..).map(|(_, entered)| entered.text + "\n");
        let mut text: String = lines.collect();
        let bytes = std::mem::take(&mut self.pending);
        text.push_str(&String::from_utf8_lossy(&bytes).replace('\r', "\n"));
        typed(&text).to_owned()
    }

    fn readable(&self) -> bool {
        let mut watched = [PollFd::new(&self.stdin, PollFlags::IN)];
        matches!(poll(&mut watched, Some(&NOW)), Ok(ready) if ready > 0)
    }

    /// Whether something is to be read after a moment.
    pub fn more(&self) -> bool {
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: QUICK.subsec_nanos().into(),
        };
        let mut watched = [PollFd::new(&self.stdin, PollFlags::IN)];
        matches!(poll(&mut watched, Some(&moment)), Ok(ready) if ready > 0)
    }

    /// Takes what is there. The caller holds the moment.
    fn take(&mut self, stamp: u64) -> Taken {
        if self.terminal && self.stamp != stamp {
            // The rest of it was dropped.
            self.pending.clear();
            self.last = None;
            self.stamp = stamp;
        }
        let mut taken = self.fill();
        // More of a paste may come in a moment: what runs has the time.
        if self.terminal && taken == Taken::Some && self.pending.starts_with(b"!") && self.more() {
            taken = self.fill();
        }
        self.divide(stamp);
        taken
    }

    fn fill(&mut self) -> Taken {
        let mut buffer = vec![0; 64 * 1024];
        while self.pending.len() < LIMIT && self.readable() {
            match rustix::io::read(&self.stdin, &mut buffer) {
                Ok(0) if !self.pending.is_empty() => {
                    self.ended |= !self.terminal;
                    // Ctrl+D ends a line that has begun.
                    self.pending.push(b'\n');
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
            whole: VecDeque::new(),
            pending: pending.as_bytes().to_vec(),
            stamp: 3,
            ended: false,
            last: None,
        }
    }

    fn divided(lines: &mut Lines) -> Vec<(u64, String)> {
        lines.divide(3);
        let whole = lines.whole.drain(..);
        whole
            .map(|(stamp, entered)| (stamp, entered.text))
            .collect()
    }

    fn at(moment: u64, line: &str) -> (u64, String) {
        (moment, line.to_owned())
    }

    #[test]
    fn lines_that_a_terminal_brings_at_once_are_each_an_input_of_their_moment() {
        let mut typed = lines(true, "/effort\n/cost\nhal");
        assert_eq!(divided(&mut typed), [at(3, "/effort"), at(3, "/cost")]);
        assert_eq!(typed.pending, b"hal");
    }

    #[test]
    fn a_line_of_a_terminal_is_alone_or_among_others() {
        let paces = |terminal, text| {
            let mut lines = lines(terminal, text);
            lines.divide(3);
            lines
                .whole
                .iter()
                .map(|(_, line)| line.pace)
                .collect::<Vec<_>>()
        };
        assert_eq!(paces(true, "!ls\n"), [Pace::Alone]);
        assert_eq!(paces(true, "look\n!ls\n"), [Pace::Among; 2]);
        assert_eq!(paces(true, "!ls\nhal"), [Pace::Among]);
        assert_eq!(paces(true, "\x1b[200~a\x1b[201~y\n"), [Pace::Pasted]);
        assert_eq!(paces(true, "\x1b[201~y\n"), [Pace::Pasted]);
        assert_eq!(paces(true, "a\x1b[201~\ny\n"), [Pace::Pasted; 2]);
        assert_eq!(paces(false, "look\n!ls\n"), [Pace::Alone; 2], "of a pipe");
        let mut quick = lines(true, "look\n");
        quick.divide(3);
        quick.pending = b"!ls\n".to_vec();
        quick.divide(3);
        assert_eq!(quick.whole[1].1.pace, Pace::Among);
    }

    #[test]
    fn what_is_marked_as_a_paste_is_one_input() {
        let mut pasted = lines(true, "\x1b[200~one\ntwo\r\nthree\x1b[201~\nnext\n");
        assert_eq!(
            divided(&mut pasted),
            [at(3, "one\ntwo\r\nthree"), at(3, "next")]
        );
    }

    #[test]
    fn lines_of_a_pipe_are_separate_inputs() {
        let mut piped = lines(false, "one\ntwo\nhal");
        assert_eq!(divided(&mut piped), [at(3, "one"), at(3, "two")]);
        piped.ended = true;
        assert_eq!(divided(&mut piped), [at(3, "hal")]);
    }
}
