//! The conversation as it goes by: events become finished lines, and what is not
//! finished is kept until it is. Finished lines are given away, so that a long
//! session needs no more memory than a short one.

use crate::figures;
use crate::house::Thinking;
use crate::markdown::Stream;
use crate::shapes::{self, Fold};
use crate::text::{Line, Role, Span, Style, wrap};
use std::time::{Duration, Instant};
use tenon_vocab::marked;
use tenon_vocab::{
    AnsweredBy, CallId, CallStatus, ContextChange, Display, Event, EventKind, Interrupted,
    JobAction, JobEvent, Message, Notice, NoticeLevel, Outcome, Part, Retry, Role as Speaker,
    RunFinished, Status, TextChannel, TextDelta, TodoItem, ToolCallPart, ToolDelta, ToolResult,
    ToolStream, ToolUse,
};

/// How much of a running command's output is kept to be looked at.
const KEPT: usize = 8 * 1024;
/// How much of a thought is kept while it streams.
const THOUGHT: usize = 4 * 1024;

/// What stands above the live area last; a blank line parts different things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Start,
    User,
    Text,
    Tool,
    /// A tool that showed something below its heading.
    ToolBody,
    Thought,
    Remark,
}

/// A call at work.
#[derive(Debug)]
pub struct Running {
    pub used: ToolUse,
    pub since: Instant,
    /// The end of what it has printed.
    pub output: String,
    /// The agent, where it is not the first one.
    pub child: Option<String>,
}

#[derive(Debug, Default)]
struct Thought {
    text: String,
    since: Option<Instant>,
}

#[derive(Debug)]
pub struct Flow {
    out: Vec<Line>,
    last: Block,
    text: Stream,
    /// Something of the current message was given to `text`.
    streamed: bool,
    /// Characters of the current message, for the count of tokens.
    written: usize,
    thought: Thought,
    pub running: Vec<Running>,
    asked: Vec<ToolCallPart>,
    pub todo: Vec<TodoItem>,
    thinking: Thinking,
    fold: Fold,
    /// The other agent whose lines stand last.
    child: Option<String>,
    /// The last no of this run was the user's own.
    own_no: bool,
}

impl Flow {
    #[must_use]
    pub fn new(thinking: Thinking) -> Self {
        Self {
            out: Vec::new(),
            last: Block::Start,
            text: Stream::new(),
            streamed: false,
            written: 0,
            thought: Thought::default(),
            running: Vec::new(),
            asked: Vec::new(),
            todo: Vec::new(),
            thinking,
            fold: Fold::Folded,
            child: None,
            own_no: false,
        }
    }

    /// For the pager: nothing is folded.
    #[must_use]
    pub fn whole(thinking: Thinking) -> Self {
        Self {
            fold: Fold::Whole,
            ..Self::new(thinking)
        }
    }

    /// Finished lines that are not on the screen yet; they are settled for this
    /// width.
    pub fn take(&mut self, columns: usize) -> Vec<Line> {
        let settled = self.text.settled(columns);
        if !settled.is_empty() {
            self.begin(Block::Text);
            self.out.extend(settled);
        }
        std::mem::take(&mut self.out)
    }

    /// The end of the text that is being written, as it looks now.
    #[must_use]
    pub fn open(&self, columns: usize) -> Vec<Line> {
        if self.text.is_empty() {
            return Vec::new();
        }
        let mut lines = self.text.open(columns);
        if self.parts_from(Block::Text) && !lines.is_empty() {
            lines.insert(0, Line::empty());
        }
        lines
    }

    /// The thought that streams now, its last lines.
    #[must_use]
    pub fn thought(&self, columns: usize, rows: usize) -> Vec<Line> {
        if self.thought.text.is_empty() || self.thinking == Thinking::Hidden {
            return Vec::new();
        }
        let style = Style::from(Role::Dim).italic();
        let mut lines: Vec<Line> = self
            .thought
            .text
            .trim_end()
            .lines()
            .flat_map(|line| wrap(&Line::new(style, line), columns, 0))
            .collect();
        let from = lines.len().saturating_sub(rows);
        lines.drain(..from);
        lines
    }

    /// About how many tokens the model has written of its message.
    #[must_use]
    pub fn tokens_written(&self) -> u64 {
        (self.written / 4) as u64
    }

    fn parts_from(&self, next: Block) -> bool {
        !matches!(
            (self.last, next),
            (Block::Start, _)
                | (Block::Text, Block::Text)
                | (Block::Tool, Block::Tool | Block::Remark)
                | (Block::Remark, Block::Remark)
                | (Block::Thought, Block::Thought)
        )
    }

    fn begin(&mut self, block: Block) {
        if self.parts_from(block) {
            self.out.push(Line::empty());
        }
        self.last = block;
    }

    /// Lines of something that is no part of the conversation.
    pub fn say(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.begin(Block::Remark);
        self.out.extend(lines);
    }

    /// The same, apart from what stands before and after.
    pub fn show(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.last = match self.last {
            Block::Start => Block::Start,
            _ => Block::ToolBody,
        };
        self.begin(Block::Remark);
        self.out.extend(lines);
        self.last = Block::ToolBody;
    }

    /// A session begins or another one is opened.
    pub fn heading(&mut self, lines: Vec<Line>) {
        self.show(lines);
        self.last = Block::Remark;
    }

    pub fn event(&mut self, event: &Event, columns: usize, now: Instant) {
        if event.parent.is_some() {
            return self.of_child(event, columns, now);
        }
        if event.is_durable() {
            self.child = None;
        }
        match &event.kind {
            EventKind::MessageDelta(delta) => self.delta(delta, columns, now),
            EventKind::Message(message) => self.message(message, columns, now),
            EventKind::ToolDelta(delta) => self.output(delta),
            EventKind::ToolUse(used) => self.started(used, None, now),
            EventKind::ToolResult(result) => self.result(result, columns),
            EventKind::Todo(list) => self.todo.clone_from(&list.items),
            EventKind::Notice(notice) => self.notice(notice, columns),
            EventKind::Retry(retry) => self.retry(retry, columns),
            EventKind::Job(job) => self.job(job, columns),
            EventKind::Interrupted(interrupted) => self.interrupted(interrupted, columns),
            EventKind::RunFinished(finished) => self.finished(finished, columns, now),
            EventKind::Context(ContextChange::Compacted(_)) => {
                self.remark(Role::Dim, "The conversation was made shorter.", columns);
            }
            EventKind::Context(ContextChange::Reverted(_)) => {
                self.remark(Role::Dim, "The conversation went back.", columns);
            }
            _ => {}
        }
    }

    fn remark(&mut self, role: Role, text: &str, columns: usize) {
        self.say(
            text.lines()
                .flat_map(|line| wrap(&Line::new(role, line), columns, 2)),
        );
    }

    fn delta(&mut self, delta: &TextDelta, columns: usize, now: Instant) {
        self.written += delta.text.len();
        match delta.channel {
            TextChannel::Text => {
                self.end_thought(columns, now);
                self.streamed = true;
                self.text.push(&delta.text);
            }
            TextChannel::Reasoning => {
                self.thought.since.get_or_insert(now);
                self.thought.text.push_str(&delta.text);
                if self.thinking != Thinking::Whole {
                    keep_end(&mut self.thought.text, THOUGHT);
                }
            }
        }
    }

    fn end_thought(&mut self, columns: usize, now: Instant) {
        let Thought { text, since } = std::mem::take(&mut self.thought);
        let Some(since) = since else { return };
        let style = Style::from(Role::Dim).italic();
        match self.thinking {
            Thinking::Hidden => {}
            Thinking::Brief => {
                let time = figures::elapsed(now.saturating_duration_since(since));
                self.begin(Block::Thought);
                self.out
                    .push(Line::new(style, &format!("Thought for {time}.")));
            }
            Thinking::Whole => {
                self.begin(Block::Thought);
                let lines = text.trim().lines();
                self.out
                    .extend(lines.flat_map(|line| wrap(&Line::new(style, line), columns, 0)));
            }
        }
    }

    /// What streamed is complete.
    fn end_text(&mut self, columns: usize) {
        let rest = self.text.finish(columns);
        if !rest.is_empty() {
            self.begin(Block::Text);
            self.out.extend(rest);
        }
    }

    fn message(&mut self, message: &Message, columns: usize, now: Instant) {
        match message.role {
            Speaker::User => self.user(message, columns),
            Speaker::Assistant => self.assistant(message, columns, now),
            Speaker::Tool => {}
        }
    }

    fn user(&mut self, message: &Message, columns: usize) {
        let text = said(message);
        if text.is_empty() {
            return;
        }
        self.own_no = false;
        self.begin(Block::User);
        let style = Style::from(Role::User).bold();
        for (at, line) in text.lines().enumerate() {
            let mark = if at == 0 { "› " } else { "  " };
            let line = Line::of([Span::new(Role::Accent, mark), Span::new(style, line)]);
            self.out.extend(wrap(&line, columns, 2));
        }
    }

    fn assistant(&mut self, message: &Message, columns: usize, now: Instant) {
        self.end_thought(columns, now);
        self.asked = message.tool_calls().cloned().collect();
        self.written = 0;
        let text = message.text();
        if !std::mem::take(&mut self.streamed) && message.status != Status::Abandoned {
            self.text.push(&text);
        }
        self.end_text(columns);
        if message.status == Status::Abandoned && !text.is_empty() {
            self.remark(Role::Dim, "(that reply was abandoned)", columns);
        }
    }

    fn output(&mut self, delta: &ToolDelta) {
        let Some(running) = self
            .running
            .iter_mut()
            .find(|run| run.used.call == delta.call)
        else {
            return;
        };
        running.output.push_str(&delta.text);
        if delta.stream == ToolStream::Status {
            running.output.push('\n');
        }
        keep_end(&mut running.output, KEPT);
    }

    fn started(&mut self, used: &ToolUse, child: Option<String>, now: Instant) {
        self.forget(&used.call);
        self.running.push(Running {
            used: used.clone(),
            since: now,
            output: String::new(),
            child,
        });
    }

    fn forget(&mut self, call: &CallId) -> Option<ToolCallPart> {
        let at = self.asked.iter().position(|asked| asked.id == *call)?;
        Some(self.asked.remove(at))
    }

    fn result(&mut self, result: &ToolResult, columns: usize) {
        let at = self
            .running
            .iter()
            .position(|running| running.used.call == result.call);
        let heading = match at {
            Some(at) => shapes::heading(&self.running.remove(at).used, columns),
            // A call that was refused was never started: say which it was.
            None => match self.forget(&result.call) {
                Some(asked) => shapes::asked(&asked.name, &asked.arguments, columns),
                None => shapes::asked(&result.name, "", columns),
            },
        };
        if result.status == CallStatus::Denied {
            self.own_no = answered_by(result) == Some(AnsweredBy::User.name());
        }
        if let Display::Todo { items } = &result.display {
            self.todo.clone_from(items);
        }
        let lines = shapes::result(result, self.fold, columns);
        let body = lines.len() > 1;
        self.begin(Block::Tool);
        self.out.push(heading);
        self.out.extend(lines);
        if body {
            self.last = Block::ToolBody;
        }
    }

    /// What another agent does for this one: its calls, not its words.
    fn of_child(&mut self, event: &Event, columns: usize, now: Instant) {
        let inner = columns.saturating_sub(2).max(1);
        match &event.kind {
            EventKind::ToolUse(used) => self.started(used, Some(event.agent.clone()), now),
            EventKind::ToolDelta(delta) => self.output(delta),
            EventKind::ToolResult(_) | EventKind::Notice(_) => {
                let before = self.out.len();
                match &event.kind {
                    EventKind::ToolResult(result) => self.result(result, inner),
                    EventKind::Notice(notice) => self.notice(notice, inner),
                    _ => {}
                }
                let lines = self.out.split_off(before);
                // Named once, above the first of its lines.
                let name = match self.child.as_deref() == Some(&event.agent) {
                    true => "",
                    false => event.agent.as_str(),
                };
                self.out.extend(shapes::indent(lines, 1, name));
                self.child = Some(event.agent.clone());
            }
            EventKind::RunFinished(_) => self.running.retain(|run| run.child.is_none()),
            _ => {}
        }
    }

    fn notice(&mut self, notice: &Notice, columns: usize) {
        // The heading has the first; the composer has the text of the second.
        if matches!(notice.kind.as_str(), "start" | "dropped") {
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

    fn retry(&mut self, retry: &Retry, columns: usize) {
        let text = format!(
            "{}; trying again in {:.0} s ({} of {})",
            retry.reason,
            retry.delay_ms as f64 / 1000.0,
            retry.attempt,
            retry.of
        );
        self.remark(Role::Warning, &text, columns);
    }

    fn job(&mut self, job: &JobEvent, columns: usize) {
        let what = match job.action {
            JobAction::Started => "started in the background",
            JobAction::Detached => "goes on in the background",
            JobAction::Exited => "ended",
            JobAction::Killed => "was ended",
        };
        let line = Line::new(Role::Dim, &format!("{} {what}: {}", job.id, job.command));
        self.say([line.cut(columns)]);
    }

    fn interrupted(&mut self, interrupted: &Interrupted, columns: usize) {
        self.remark(
            Role::Error,
            &format!("Interrupted ({}).", interrupted.by),
            columns,
        );
    }

    /// `Done. 3.2s · 4 steps · 1.2k tokens`; nothing for a command of the user's.
    fn finished(&mut self, finished: &RunFinished, columns: usize, now: Instant) {
        self.end_thought(columns, now);
        self.end_text(columns);
        self.running.clear();
        self.streamed = false;
        self.written = 0;
        if finished.steps == 0 && finished.outcome == Outcome::Completed {
            return;
        }
        let (role, word) = match finished.outcome {
            Outcome::Completed => (Role::Success, "Done."),
            Outcome::Denied if self.own_no => (Role::Dim, "Done."),
            Outcome::Denied => (Role::Error, "Ended, because something was not allowed."),
            Outcome::Interrupted => (Role::Dim, "Stopped."),
            Outcome::Limit | Outcome::Loop => (Role::Warning, "Stopped at a limit."),
            Outcome::Failed | Outcome::Filtered => (Role::Error, "Failed."),
        };
        let mut figures = vec![
            figures::elapsed(Duration::from_millis(finished.duration_ms)),
            figures::count(finished.steps, "step"),
        ];
        if finished.usage.total() > 0 {
            figures.push(figures::tokens(finished.usage));
        }
        figures.extend(finished.cost.map(|cost| cost.to_string()));
        if finished.failed_calls > 0 {
            figures.push(figures::count(finished.failed_calls, "failed call"));
        }
        let line = Line::of([
            Span::new(role, word),
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

    /// Nothing of the session before goes on in the next one.
    pub fn forget_all(&mut self, columns: usize) {
        self.end_text(columns);
        self.thought = Thought::default();
        self.running.clear();
        self.asked.clear();
        self.todo.clear();
        self.streamed = false;
        self.written = 0;
    }
}

fn answered_by(result: &ToolResult) -> Option<&str> {
    result.explanation.as_ref()?.answered_by.as_deref()
}

/// What the user wrote, without what went along with it.
#[must_use]
pub fn said(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } if marked::of(text).is_none() => Some(text.as_str()),
        _ => None,
    });
    let mut text = texts.collect::<Vec<_>>().join("\n");
    let images = message.parts.iter();
    let images = images
        .filter(|part| matches!(part, Part::Image { .. }))
        .count();
    if images > 0 {
        text.push_str(&format!(" [{}]", figures::count(images as u32, "image")));
    }
    text
}

/// Drops the beginning of what is longer than it may be.
fn keep_end(text: &mut String, limit: usize) {
    if text.len() <= limit * 2 {
        return;
    }
    let mut from = text.len() - limit;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.drain(..from);
}
