//! Waits for a job: for its end, or for a line that it prints. One call instead
//! of a question every second. Looks, and changes nothing: what was printed
//! stays unread until the answer takes it.

use super::registry::Job;
use super::run::Live;
use super::running::{Step, lock};
use super::{JobError, JobOutput, JobState, Jobs};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use std::time::Duration;
use tenon_vocab::{JobId, ToolStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often a line is looked at that has not ended: a prompt, a bar of progress.
const QUIET: Duration = Duration::from_millis(200);
/// Between the end of a command and that of what it had started.
const LAST_ONES: Duration = Duration::from_millis(500);
/// Of a line without an end so much is kept.
const LONGEST: usize = 64 * 1024;
/// A pattern that compiles to more than this is a mistake or an attack.
const REGEX_BYTES: usize = 1024 * 1024;

/// What is waited for.
#[derive(Debug, Clone)]
pub enum Until {
    Exit,
    Line(LinePattern),
}

/// A regular expression that is looked for in one line.
#[derive(Debug, Clone)]
pub struct LinePattern(RegexMatcher);

impl LinePattern {
    /// # Errors
    /// What is wrong with the pattern.
    pub fn new(pattern: &str) -> Result<Self, String> {
        RegexMatcherBuilder::new()
            .size_limit(REGEX_BYTES)
            .build(pattern)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    fn is_in(&self, line: &str) -> bool {
        self.0.is_match(line.as_bytes()).unwrap_or(false)
    }
}

/// Why the waiting is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waited {
    /// The process ended, or the command did and left others behind.
    Ended,
    /// It printed this line.
    Line(String),
    TimeUp,
    Interrupted,
}

/// Who sees what is printed meanwhile.
pub type Show<'a> = &'a (dyn Fn(ToolStream, &[u8]) + Send + Sync);

impl Jobs {
    /// Waits until a job ends or prints a line, at most `limit`. Gives what it
    /// has printed since it was last read.
    ///
    /// # Errors
    /// When there is no such job.
    pub async fn wait_for(
        &self,
        id: &JobId,
        until: &Until,
        limit: Duration,
        cancelled: &CancellationToken,
        show: Show<'_>,
    ) -> Result<(Waited, JobOutput), JobError> {
        let job = self.find(id)?;
        let waited = tokio::select! {
            biased;
            () = cancelled.cancelled() => Waited::Interrupted,
            waited = wait(&job, until, limit, show) => waited,
        };
        // A line that had not ended may hold a secret that was not known yet.
        let waited = match waited {
            Waited::Line(line) => Waited::Line(self.masker().mask(&line).into_owned()),
            other => other,
        };
        Ok((waited, job.output()))
    }
}

async fn wait(job: &Job, until: &Until, limit: Duration, show: Show<'_>) -> Waited {
    let deadline = Instant::now() + limit;
    let mut live = Live::new(show);
    let mut lines = Lines::default();
    // Nothing may be printed between the look and the listening.
    let (mut printed, seen) = {
        let mut output = lock(&job.output);
        (output.listen(), output.before_wait())
    };
    if let Some(line) = until.line_of(seen.iter().flat_map(|text| text.lines())) {
        return Waited::Line(line);
    }
    let mut status = job.status.clone();
    let had_code = status.borrow_and_update().exit_code.is_some();
    let mut leaving: Option<Instant> = None;
    loop {
        // Before the last of the output is taken: none comes after the end.
        let now = *status.borrow_and_update();
        while let Ok((stream, text)) = printed.try_recv() {
            let line = lines.add(stream, &text, until);
            live.show(Step::Printed(stream, text));
            if let Some(line) = line {
                return Waited::Line(line);
            }
        }
        if let Some(line) = until.line_of(lock(&job.output).unfinished()) {
            return Waited::Line(line);
        }
        if now.state != JobState::Running {
            let last = until.line_of([lines.stdout.as_str(), &lines.stderr]);
            return last.map_or(Waited::Ended, Waited::Line);
        }
        // The command itself has ended; what it started may be meant to stay.
        if leaving.is_none() && !had_code && now.exit_code.is_some() {
            leaving = Some(Instant::now() + LAST_ONES);
        }
        let stop = leaving.map_or(deadline, |at| at.min(deadline));
        if Instant::now() >= stop {
            return leaving.map_or(Waited::TimeUp, |_| Waited::Ended);
        }
        let look_again = stop.min(Instant::now() + QUIET);
        tokio::select! {
            biased;
            more = printed.recv() => if let Some((stream, text)) = more {
                let line = lines.add(stream, &text, until);
                live.show(Step::Printed(stream, text));
                if let Some(line) = line {
                    return Waited::Line(line);
                }
            },
            _ = status.changed() => {}
            () = tokio::time::sleep_until(look_again) => {}
        }
    }
}

impl Until {
    /// The first of these lines that is waited for.
    fn line_of<'a>(&self, lines: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let Self::Line(pattern) = self else {
            return None;
        };
        let mut lines = lines.into_iter().filter(|line| !line.is_empty());
        lines.find(|line| pattern.is_in(line)).map(str::to_owned)
    }
}

/// The lines of both streams that have begun.
#[derive(Debug, Default)]
struct Lines {
    stdout: String,
    stderr: String,
}

impl Lines {
    /// Takes a piece; gives the line that was waited for.
    fn add(&mut self, stream: ToolStream, piece: &str, until: &Until) -> Option<String> {
        let line = match stream {
            ToolStream::Stderr => &mut self.stderr,
            ToolStream::Stdout | ToolStream::Status => &mut self.stdout,
        };
        for part in piece.split_inclusive('\n') {
            line.push_str(part);
            if part.ends_with('\n') {
                let whole = std::mem::take(line);
                let met = until.line_of([whole.trim_end_matches(['\n', '\r'])]);
                if met.is_some() {
                    return met;
                }
            } else if line.len() > LONGEST {
                let from = line.ceil_char_boundary(line.len() - LONGEST);
                line.drain(..from);
            }
        }
        None
    }
}
