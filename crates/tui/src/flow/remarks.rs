//! What is said beside the conversation: notices, jobs, how a run ended.

use super::calls::Refused;
use super::{Block, Flow};
use crate::text::{Line, Role, Span, wrap};
use std::borrow::Cow;
use std::time::Instant;
use tenon_vocab::{
    Interrupted, JobEvent, Notice, NoticeLevel, Outcome, Retry, RunEnding, RunFinished, figures,
    notice,
};

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
        if let Some(hint) = notice::hint_in_conversation(notice) {
            self.remark(Role::Text, &format!("  {hint}"), columns);
        }
    }

    pub(super) fn retry(&mut self, retry: &Retry, columns: usize) {
        let words = format!("{}; Esc stops.", retry.words());
        self.remark(Role::Warning, &words, columns);
    }

    pub(super) fn job(&mut self, job: &JobEvent, columns: usize) {
        let what = job.action.words();
        let line = Line::new(Role::Dim, &format!("{} {what}: {}", job.id, job.command));
        self.say([line.cut(columns)]);
    }

    pub(super) fn interrupted(&mut self, interrupted: &Interrupted, columns: usize) {
        self.cut = interrupted.cut();
        // That a run was stopped is said where it ends.
        if self.cut.is_some() {
            self.remark(Role::Error, &interrupted.words(), columns);
        }
    }

    /// How a run ended, in a word.
    pub(crate) fn ending(&self, finished: &RunFinished) -> (Role, Cow<'static, str>) {
        let ending = self.refusals.ending(finished);
        let role = match ending {
            RunEnding::Done => Role::Success,
            RunEnding::DoneAfterOwnNo(_) | RunEnding::Stopped => Role::Dim,
            RunEnding::DoneWithout(_) | RunEnding::AtLimit => Role::Warning,
            RunEnding::NotAllowed | RunEnding::Failed => Role::Error,
        };
        (role, ending.words())
    }

    /// `Done. 3.2s · 4 steps · 1.2k tokens`; nothing for a command of the user's.
    pub(super) fn finished(&mut self, finished: &RunFinished, columns: usize, now: Instant) {
        self.end_thought(columns, now);
        self.settle_looks();
        self.end_text(columns);
        self.running.clear();
        self.streamed = super::Streamed::Nothing;
        self.written = 0;
        let shell = self.shell.take();
        // Its figures are of whoever opened the session next.
        if self.cut.take().is_some() {
            return;
        }
        if self.refusals.is_silent(finished) {
            let refused = shell.and_then(|shell| shell.refused);
            if refused == Some(Refused::ForTheAgent) {
                let other = "Shift+Tab leaves plan mode.";
                self.remark(Role::Text, other, columns);
            }
            return;
        }
        self.leave_tasks(columns);
        let (role, word) = self.ending(finished);
        let figures = figures::of_run(finished);
        let line = Line::of([
            Span::new(role, &word),
            Span::new(Role::Dim, &format!(" {}", figures.join(" · "))),
        ]);
        // Why it stopped stands above.
        let mut lines = wrap(&line, columns, 2);
        if finished.outcome == Outcome::Denied
            && let Some(way) = self.refusals.way()
        {
            lines.extend(wrap(&Line::new(Role::Dim, &way), columns, 2));
        }
        self.last = match self.last {
            Block::Start => Block::Start,
            _ => Block::ToolBody,
        };
        self.say(lines);
        self.last = Block::ToolBody;
    }
}
