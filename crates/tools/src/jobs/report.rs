//! How the outcome of a command reads: for a model, in bounded text that names
//! the next step, and as data.

use super::advice;
use super::capture::Excerpt;
use super::spec::{Collected, Cut, Detached, Ended, RunOutcome, Whole};
use std::time::Duration;

/// A shorter run is not worth a word, and leaving it out keeps the text of
/// equal runs equal.
const WORTH_TELLING: Duration = Duration::from_secs(1);

/// The parts of an answer about a command that ran.
#[derive(Debug)]
pub(crate) struct Report {
    /// As data: whole, unless it is longer than anybody keeps.
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Whether something is left out of either.
    pub(crate) truncated: bool,
    /// Both streams within the bounds of a model, then one line of facts in
    /// brackets.
    pub(crate) text: String,
    /// The line of facts, without brackets.
    pub(crate) facts: String,
    screen: String,
}

impl Report {
    /// `limit` bounds what a model reads of both streams together.
    pub(crate) fn new(outcome: &RunOutcome, command: &str, limit: usize) -> Self {
        let output = &outcome.output;
        let truncated = output.stdout.left_out_bytes > 0 || output.stderr.left_out_bytes > 0;
        let marker = |excerpt: &Excerpt| left_out(excerpt, &output.whole);
        let (stdout, stderr) = shared(output, limit);
        let (stdout, stderr) = (stdout.joined(marker), stderr.joined(marker));
        let facts = facts(outcome, command, &stdout, &stderr);
        let screen = both(&stdout, &stderr);
        let mut text = screen.clone();
        if text.is_empty() && matches!(outcome.ended, Ended::Exited { .. }) {
            text.push_str("(no output)");
        }
        end_line(&mut text);
        text.push_str(&format!("[{facts}]"));
        Self {
            stdout: output.stdout.joined(marker),
            stderr: output.stderr.joined(marker),
            truncated,
            text,
            facts,
            screen,
        }
    }

    /// The end of what was printed, for a screen.
    pub(crate) fn screen(&self) -> String {
        const SCREEN: usize = 8 * 1024;
        let text = &self.screen;
        let start = text.ceil_char_boundary(text.len().saturating_sub(SCREEN));
        let shown = text.get(start..).unwrap_or_default();
        if start == 0 {
            shown.to_owned()
        } else {
            format!("[… {start} bytes before]\n{shown}")
        }
    }
}

/// Errors are short and matter most: they get what they need up to a half, and
/// each stream gets what the other leaves.
fn shared(output: &Collected, limit: usize) -> (Excerpt, Excerpt) {
    let size = |excerpt: &Excerpt| usize::try_from(excerpt.total_bytes()).unwrap_or(usize::MAX);
    let (out, err) = (size(&output.stdout), size(&output.stderr));
    let half = limit / 2;
    let err_limit = if err <= half {
        err
    } else if out <= half {
        limit - out
    } else {
        half
    };
    (
        output.stdout.within(limit - err_limit),
        output.stderr.within(err_limit),
    )
}

fn both(stdout: &str, stderr: &str) -> String {
    if stdout.is_empty() || stderr.is_empty() {
        return format!("{stdout}{stderr}");
    }
    let mut text = stdout.to_owned();
    end_line(&mut text);
    text.push_str("[stderr]\n");
    text.push_str(stderr);
    text
}

pub(crate) fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The line that stands for what is not shown.
pub(crate) fn left_out(excerpt: &Excerpt, whole: &Whole) -> String {
    let place = match whole {
        Whole::Here => String::new(),
        Whole::File(path) => format!(
            "; the whole output is in {}; use `read` with offset, or `grep`, on that file",
            path.display()
        ),
        Whole::FileCut(path, Cut::Session(kept)) => format!(
            "; only the first {kept} bytes are in {}, because this session has no room for more; \
             pipe the next commands through grep or tail",
            path.display()
        ),
        Whole::FileCut(path, Cut::File) => format!(
            "; the first 64 MiB of the output are in {}; use `read` with offset, or `grep`, on \
             that file",
            path.display()
        ),
        Whole::Lost(reason) => format!("; can't save the whole output: {reason}"),
    };
    let Excerpt {
        left_out_bytes,
        left_out_lines,
        ..
    } = excerpt;
    format!("[… {left_out_bytes} bytes ({left_out_lines} lines) left out{place}]")
}

fn facts(outcome: &RunOutcome, command: &str, stdout: &str, stderr: &str) -> String {
    let mut parts = Vec::new();
    let after = seconds(outcome.duration);
    match &outcome.ended {
        Ended::Exited { code, signal } => {
            match (code, signal) {
                (Some(code), _) => parts.push(format!("exit code {code}")),
                (None, Some(_)) => {}
                (None, None) => parts.push(String::from(
                    "exit code unknown: the process that supervised the command was killed",
                )),
            }
            let printed = if stderr.is_empty() { stdout } else { stderr };
            let advice = advice::on_exit(command, *code, *signal, printed);
            // It wanted what is hidden, and no person.
            parts.extend(advice.filter(|_| outcome.missing.is_none()));
            if outcome.duration >= WORTH_TELLING {
                parts.push(after);
            }
            parts.extend(outcome.denial.as_ref().map(|denial| {
                format!(
                    "the sandbox blocked it: {}. Only the user can allow that, with `{}` in the \
                     configuration. Work inside the project, or say what you need",
                    denial.what, denial.switch
                )
            }));
            parts.extend(outcome.missing.as_ref().map(|missing| {
                format!(
                    "{}. Only the user can allow that, with `{}` in the configuration. Do not \
                     look for another way to the credential; say what you need",
                    missing.what, missing.switch
                )
            }));
            parts.extend(outcome.job.as_ref().map(|job| {
                format!(
                    "it left processes running, now the job {job}: `process` with action read \
                     shows their output, kill ends them"
                )
            }));
        }
        Ended::Running(why) => {
            let job = outcome.job.as_ref().map_or("?", |job| job.as_str());
            parts.push(match why {
                Detached::Asked => format!("running in the background as {job}"),
                Detached::TimedOut => {
                    format!("still running after {after}, now in the background as {job}")
                }
            });
            parts.push(match why {
                Detached::Asked => format!(
                    "`process` with id {job}: action read shows new output, wait waits for a \
                     line or for the end, kill ends it"
                ),
                Detached::TimedOut => format!(
                    "do not start it again. `process` with id {job}: action wait waits for the \
                     end, kill ends it. Next time, a larger timeout_ms waits longer"
                ),
            });
        }
        Ended::TimedOut => {
            parts.push(format!("timed out after {after} and was killed"));
            parts.push(String::from(
                "pass a larger timeout_ms, or background true for a long-running command",
            ));
        }
        Ended::Interrupted => parts.push(format!("interrupted after {after} and killed")),
        Ended::Unknown => {
            let job = outcome.job.as_ref().map_or("?", |job| job.as_str());
            parts.push(format!(
                "killed after {after}, but some of its processes are still running ({job}); \
                 check what it did before you continue"
            ));
        }
        Ended::NotStarted(reason) => parts.push(reason.to_string()),
    }
    parts.extend(outcome.repairs.iter().cloned());
    parts.join("; ")
}

/// `0.4 s`, `12 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(10) {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} s", duration.as_secs())
    }
}
