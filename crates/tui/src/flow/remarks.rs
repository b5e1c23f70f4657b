//! What is said beside the conversation: notices, jobs, how a run ended.

use super::calls::Refused;
use super::{Block, Flow};
use crate::text::{Line, Role, Span, wrap};
use std::borrow::Cow;
use std::time::Instant;
use tenon_vocab::{Interrupted, JobEvent, Notice, NoticeLevel, Outcome, Retry, RunFinished};
use tenon_vocab::{figures, notice};

impl Flow {
    pub(super) fn remark(&mut self, role: Role, text: &str, columns: usize) {
        self.say(
            text.lines()
                .flat_map(|line| wrap(&Line::new(role, line), columns, 2)),
        );
    }

    pub(super) fn notice(&mut self, notice: &Notice, columns: usize) {
        if notice::is_of_the_start(&notice.kind) {
            return;
        }
        let (role, label) = match notice.level {
            NoticeLevel::Info => (Role::Dim, ""),
            NoticeLevel::Warning => (Role::Warning, "warning: "),
            NoticeLevel::Error => (Role::Error, "error: "),
        };
        self.remark(role, &format!("{label}{}", notice.message), columns);
        if let Some(hint) = &notice.hint {
            self.remark(Role::Text, &format!("  {hint}"), columns);
        }
    }

    pub(super) fn retry(&mut self, retry: &Retry, columns: usize) {
        self.remark(Role::Warning, &retry.words(), columns);
    }

    pub(super) fn job(&mut self, job: &JobEvent, columns: usize) {
        let what = job.action.words();
        let line = Line::new(Role::Dim, &format!("{} {what}: {}", job.id, job.command));
        self.say([line.cut(columns)]);
    }

    pub(super) fn interrupted(&mut self, interrupted: &Interrupted, columns: usize) {
        self.remark(
            Role::Error,
            &format!("Interrupted ({}).", interrupted.by),
            columns,
        );
    }

    /// How a run ended, in a word.
    pub(crate) fn ending(&self, finished: &RunFinished) -> (Role, Cow<'static, str>) {
        let (role, word) = match finished.outcome {
            Outcome::Completed => (Role::Success, "Done."),
            Outcome::Denied if self.own_no => (Role::Dim, "Done."),
            // The model has heard of it, and went on to its end.
            Outcome::Denied if finished.steps > 0 && finished.denied_calls > 0 => {
                return (Role::Warning, Cow::Owned(refused(finished.denied_calls)));
            }
            Outcome::Denied => (Role::Error, "Not done, because something was not allowed."),
            Outcome::Interrupted => (Role::Dim, "Stopped."),
            Outcome::Limit | Outcome::Loop => (Role::Warning, "Stopped at a limit."),
            Outcome::Failed | Outcome::Filtered => (Role::Error, "Failed."),
        };
        (role, Cow::Borrowed(word))
    }

    /// `Done. 3.2s · 4 steps · 1.2k tokens`; nothing for a command of the user's.
    pub(super) fn finished(&mut self, finished: &RunFinished, columns: usize, now: Instant) {
        self.end_thought(columns, now);
        self.end_text(columns);
        self.running.clear();
        self.streamed = super::Streamed::Nothing;
        self.written = 0;
        let shell = self.shell.take();
        if finished.steps == 0 && finished.outcome == Outcome::Completed {
            return;
        }
        if let Some(refused) = shell.and_then(|shell| shell.refused) {
            // It stands above that it was not run, and why.
            if refused == Refused::ForTheAgent {
                let other = "You can change the agent with Shift+Tab.";
                self.remark(Role::Text, other, columns);
            }
            return;
        }
        let (role, word) = self.ending(finished);
        let figures = figures::of_run(finished);
        let line = Line::of([
            Span::new(role, &word),
            Span::new(Role::Dim, &format!(" {}", figures.join(" · "))),
        ]);
        let mut lines = wrap(&line, columns, 2);
        // What a model or a server said stands above, but for limits.
        if let (Outcome::Limit | Outcome::Loop, Some(reason)) = (finished.outcome, &finished.reason)
        {
            lines.extend(wrap(&Line::new(Role::Dim, reason), columns, 2));
        }
        self.last = match self.last {
            Block::Start => Block::Start,
            _ => Block::ToolBody,
        };
        self.say(lines);
        self.last = Block::ToolBody;
    }
}

fn refused(calls: u32) -> String {
    let were = if calls == 1 { "was" } else { "were" };
    let calls = figures::count(calls as usize, "call");
    format!("Done; {calls} {were} not allowed.")
}
