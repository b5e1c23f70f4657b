//! Lines of a terminal that nobody edits: while a run goes on, and always where
//! the terminal cannot do more. Reads only what is there, so that reading can
//! be stopped at any time.

use super::input::{Entered, NOT_TYPED, Pace};
use super::modes::{Keys, prompt};
use super::paste::{first_input, is_marked, is_open, typed, unmarked};
use crate::screen::complain;
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
/// line is read and stamped under the same lock under which the terminal is
/// emptied, so no line of before can pass for an answer.
#[derive(Debug, Default)]
pub struct Moment(Mutex<Since>);

#[derive(Debug, Default)]
struct Since {
    count: u64,
    /// Typed before it, and taken out of the terminal.
    before: Vec<u8>,
    /// When it was.
    begun: Option<Instant>,
}

impl Moment {
    fn lock(&self) -> MutexGuard<'_, Since> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out of the terminal all that was typed and not read, also a line that
    /// is not at its end, and begins anew.
    pub fn begin(&self) -> u64 {
        let mut moment = self.lock();
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            let _keys = Keys::enter();
            let mut buffer = vec![0; 4096];
            while moment.before.len() < LIMIT && is_readable(&stdin, NOW) {
                match rustix::io::read(&stdin, &mut buffer) {
                    Ok(0) => break,
                    Ok(count) => moment
                        .before
                        .extend_from_slice(buffer.get(..count).unwrap_or_default()),
                    Err(rustix::io::Errno::INTR) => {}
                    Err(_) => break,
                }
            }
        }
        moment.begun = Some(Instant::now());
        moment.count += 1;
        moment.count
    }
}

fn is_readable(stdin: &Stdin, within: Timespec) -> bool {
    let mut watched = [PollFd::new(stdin, PollFlags::IN)];
    matches!(poll(&mut watched, Some(&within)), Ok(ready) if ready > 0)
}

/// A line of this terminal that was typed by itself, and after now; `None` at the end
/// of what is typed. For a question before there is a keyboard.
pub fn typed_alone(label: &str) -> Option<String> {
    let (moment, mut lines) = (Moment::default(), Lines::new());
    let since = moment.begin();
    loop {
        prompt(label);
        match lines.next(None, &moment)? {
            (stamp, Said::Line(line)) if stamp >= since && line.pace == Pace::Alone => {
                return Some(line.text);
            }
            (_, Said::Line(_)) => complain(NOT_TYPED),
            (_, Said::End) => return None,
        }
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
    /// Text without an end that stood there when a question came: what is typed next
    /// is not its continuation.
    draft: String,
    /// The moment of a question that came in the middle of a line: the next line is
    /// the rest of that one.
    broken: Option<u64>,
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
            draft: String::new(),
            broken: None,
            ended: false,
            last: None,
        }
    }

    /// The next input with the moment in which it was read; `None` when `stop`
    /// was closed first.
    pub fn next(&mut self, stop: Option<&PipeReader>, moment: &Moment) -> Option<(u64, Said)> {
        loop {
            if let Some((stamp, mut line)) = self.whole.pop_front() {
                if stop.is_some() && self.broken.take_if(|at| *at == stamp).is_some() {
                    self.rejoin(&mut line);
                }
                // Whoever writes to a pipe has written its answers beforehand.
                let stamp = if self.terminal {
                    stamp
                } else {
                    moment.lock().count
                };
                return Some((stamp, Said::Line(line)));
            }
            if self.ended && stop.is_none() {
                return Some((moment.lock().count, Said::End));
            }
            match self.wait(stop) {
                Ready::Stopped => return None,
                Ready::Input => {
                    let mut since = moment.lock();
                    if self.take(&mut since) == Taken::End {
                        return Some((since.count, Said::End));
                    }
                }
            }
        }
    }

    /// The rest of a line in whose middle a question came: no answer, whatever it
    /// says, and not lost.
    fn rejoin(&mut self, line: &mut Entered) {
        self.draft.push_str(&line.text);
        if line.pace == Pace::Alone {
            line.pace = Pace::Among;
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
        self.take(&mut moment.lock());
        let lines = self.whole.drain(..).map(|(_, entered)| entered.text + "\n");
        let mut text: String = lines.collect();
        text.push_str(&std::mem::take(&mut self.draft));
        let bytes = std::mem::take(&mut self.pending);
        text.push_str(&String::from_utf8_lossy(&bytes).replace('\r', "\n"));
        typed(&text).to_owned()
    }

    /// What stood there without an end when a question came.
    pub fn take_draft(&mut self) -> String {
        std::mem::take(&mut self.draft)
    }

    /// Whether something is to be read after a moment.
    pub fn more(&self) -> bool {
        self.more_within(QUICK)
    }

    /// Whether more of a paste comes.
    pub fn goes_on(&self) -> bool {
        self.more_within(CLOSE)
    }

    fn more_within(&self, gap: Duration) -> bool {
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: gap.subsec_nanos().into(),
        };
        is_readable(&self.stdin, moment)
    }

    /// What was typed in the moments before is sorted by itself. The rest of a paste
    /// that is not at its end comes later and belongs to it.
    fn begin(&mut self, since: &mut Since) {
        let before = std::mem::take(&mut since.before);
        if !before.is_empty() {
            // One that came just as the terminal was emptied is still a key.
            let ended = |byte| if byte == b'\r' { b'\n' } else { byte };
            self.pending.extend(before.into_iter().map(ended));
            self.divide(self.stamp);
            self.last = since.begun.map(|at| (at, CLOSE));
        }
        if !is_open(&self.pending) {
            self.stamp = since.count;
            let rest = std::mem::take(&mut self.pending);
            let rest = unmarked(&String::from_utf8_lossy(&rest));
            self.broken = (!rest.trim().is_empty()).then_some(self.stamp);
            self.draft.push_str(&rest);
        }
    }

    /// Takes what is there. The caller holds the moment.
    fn take(&mut self, since: &mut Since) -> Taken {
        if self.terminal && self.stamp != since.count {
            self.begin(since);
        }
        let mut taken = self.fill();
        // More of a paste may come in a moment: what runs has the time.
        if self.terminal && taken == Taken::Some && self.pending.starts_with(b"!") && self.more() {
            taken = self.fill();
        }
        self.divide(self.stamp);
        taken
    }

    fn fill(&mut self) -> Taken {
        let mut buffer = vec![0; 64 * 1024];
        while self.pending.len() < LIMIT && is_readable(&self.stdin, NOW) {
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
            draft: String::new(),
            broken: None,
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
    fn what_stood_there_when_a_question_came_is_of_the_moment_before() {
        let mut typed = lines(true, "");
        let mut since = Since {
            count: 4,
            before: b"one\nha".to_vec(),
            begun: Some(Instant::now()),
        };
        typed.begin(&mut since);
        assert_eq!(typed.take_draft(), "ha");
        typed.pending = b"y\n".to_vec();
        typed.divide(typed.stamp);
        let whole: Vec<_> = typed.whole.drain(..).collect();
        let stamps: Vec<u64> = whole.iter().map(|(stamp, _)| *stamp).collect();
        assert_eq!(stamps, [3, 4]);
        assert_eq!(whole[1].1.pace, Pace::Pasted, "it came right behind");
    }

    #[test]
    fn the_rest_of_a_line_in_whose_middle_a_question_came_is_no_answer_and_not_lost() {
        let mut typed = lines(true, "");
        let mut since = Since {
            count: 4,
            before: b"hel".to_vec(),
            begun: None,
        };
        typed.begin(&mut since);
        assert_eq!(typed.broken, Some(4));
        let mut line = Entered::alone(String::from("lo"));
        typed.rejoin(&mut line);
        assert_eq!(line.pace, Pace::Among);
        assert_eq!(typed.take_draft(), "hello");
    }

    #[test]
    fn the_rest_of_a_paste_belongs_to_where_it_began() {
        let mut typed = lines(true, "\x1b[200~one\n");
        let mut since = Since {
            count: 4,
            before: Vec::new(),
            begun: None,
        };
        typed.begin(&mut since);
        typed.pending.extend(b"y\n\x1b[201~\n");
        typed.divide(typed.stamp);
        typed.begin(&mut since);
        assert_eq!(typed.stamp, 4);
        let (stamp, entered) = typed.whole.pop_front().unwrap();
        assert_eq!((stamp, entered.text.as_str()), (3, "one\ny"));
    }

    #[test]
    fn lines_of_a_pipe_are_separate_inputs() {
        let mut piped = lines(false, "one\ntwo\nhal");
        assert_eq!(divided(&mut piped), [at(3, "one"), at(3, "two")]);
        piped.ended = true;
        assert_eq!(divided(&mut piped), [at(3, "hal")]);
    }
}
