//! The conversation as it goes by: events become finished lines, and what is not
//! finished is kept until it is. Finished lines are given away, so that a long
//! session needs no more memory than a short one.

mod answers;
mod calls;
mod held;
mod looks;
mod prompt;
mod remarks;
mod telling;

use crate::boxes;
use crate::house::Thinking;
use crate::markdown::Stream;
use crate::shapes::Fold;
use crate::text::{Line, Role, Style, wrap};
use answers::Answers;
pub use calls::Running;
use calls::{Shell, Tasks};
use held::Held;
use looks::Looks;
use std::time::{Duration, Instant};
pub use telling::Telling;
use tenon_vocab::figures;
use tenon_vocab::form;
use tenon_vocab::marked;
use tenon_vocab::{
    ContextChange, Cut, Event, EventKind, Message, Origin, Part, Refusals, Role as Speaker,
    Segment, Status, TextChannel, TextDelta, TodoItem, ToolCallPart,
};

/// How much of a thought is kept while it streams.
const THOUGHT: usize = 4 * 1024;
/// Shorter thoughts leave no line.
const WORTH_TELLING: Duration = Duration::from_secs(1);

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

/// How much of the current message was shown before it was whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Streamed {
    #[default]
    Nothing,
    /// Only in the live area: it can be taken back.
    Open,
    /// Lines of it stand above.
    Settled,
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
    /// The width that it was last told.
    columns: usize,
    rows: usize,
    /// Calls that only looked, while others may follow them.
    looks: Option<Looks>,
    /// What came in the middle of something, and stands behind it.
    held: Held,
    text: Stream,
    streamed: Streamed,
    /// Characters of the current message, for the count of tokens.
    written: usize,
    thought: Thought,
    pub running: Vec<Running>,
    asked: Vec<ToolCallPart>,
    pub todo: Vec<TodoItem>,
    tasks: Tasks,
    thinking: Thinking,
    fold: Fold,
    /// The other agent whose lines stand last.
    child: Option<String>,
    /// What this run was not allowed to do.
    refusals: Refusals,
    /// Nothing ended the run: its end was put in afterwards.
    cut: Option<Cut>,
    answers: Answers,
    /// A command of the user's own that runs, as far as the log tells.
    shell: Option<Shell>,
    form: Form,
}

/// A reply of the markdown dialect is held back and drawn when it is whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Streams,
    /// Its tokens were counted before any text of it came.
    Held,
    /// The last message was one, and stands in boxes.
    Boxed,
}

impl Flow {
    #[must_use]
    pub fn new(thinking: Thinking) -> Self {
        Self {
            out: Vec::new(),
            last: Block::Start,
            columns: 80,
            rows: 24,
            looks: None,
            held: Held::default(),
            text: Stream::new(),
            streamed: Streamed::Nothing,
            written: 0,
            thought: Thought::default(),
            running: Vec::new(),
            asked: Vec::new(),
            todo: Vec::new(),
            tasks: Tasks::default(),
            thinking,
            fold: Fold::Folded,
            child: None,
            refusals: Refusals::default(),
            cut: None,
            answers: Answers::default(),
            shell: None,
            form: Form::default(),
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
        self.columns = columns;
        let settled = self.text.settled(columns);
        if !settled.is_empty() {
            self.streamed = Streamed::Settled;
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
        let lines = self.text.open(columns);
        self.parted(Block::Text, lines)
    }

    /// A gap before what will stand here, as it will have when it is finished.
    fn parted(&self, block: Block, mut lines: Vec<Line>) -> Vec<Line> {
        if self.parts_from(block) && !lines.is_empty() {
            lines.insert(0, Line::empty());
        }
        lines
    }

    /// The calls at work, one below the other, each as `draw` has it.
    pub fn at_work(&self, draw: impl Fn(&Running) -> Vec<Line>) -> Vec<Line> {
        let lines = self.running.iter().flat_map(draw).collect();
        match self.text.is_empty() && self.thought.text.is_empty() {
            true => self.parted(Block::Tool, lines),
            false => lines,
        }
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
        self.parted(Block::Thought, lines)
    }

    /// About how many tokens the model has written of its message.
    #[must_use]
    pub fn tokens_written(&self) -> u64 {
        (self.written / 4) as u64
    }

    fn parts_from(&self, next: Block) -> bool {
        let above = match self.looks {
            Some(_) => Block::Tool,
            None => self.last,
        };
        !matches!(
            (above, next),
            (Block::Start, _)
                | (Block::Text, Block::Text)
                | (Block::Tool, Block::Tool | Block::Remark)
                | (Block::Remark, Block::Remark)
                | (Block::Thought, Block::Thought)
        )
    }

    fn begin(&mut self, block: Block) {
        self.settle_looks();
        if self.parts_from(block) {
            self.out.push(Line::empty());
        }
        self.last = block;
    }

    /// A session begins or another one is opened.
    pub fn heading(&mut self, lines: Vec<Line>) {
        self.show(lines);
        self.last = Block::Remark;
    }

    pub fn event(&mut self, event: &Event, columns: usize, now: Instant) {
        self.columns = columns;
        if self.comes_too_early(event) {
            return;
        }
        self.held.note(event, &self.running);
        self.tell(event, columns, now);
        self.held.of_call = false;
        if self.is_waited_for(event) {
            self.release(columns, now);
        }
    }

    fn tell(&mut self, event: &Event, columns: usize, now: Instant) {
        match &event.kind {
            EventKind::Question(question) => self.answers.asked(question),
            EventKind::Answer(answer) => self.answered(answer, columns),
            _ => {}
        }
        if event.parent.is_some() {
            return self.of_child(event, columns, now);
        }
        if event.is_durable() {
            self.settle_looks_of_child();
            self.child = None;
        }
        match &event.kind {
            EventKind::RunStarted(started) => {
                self.refusals.forget();
                self.shell = Shell::of(started);
            }
            EventKind::MessageDelta(delta) => self.delta(delta, columns, now),
            EventKind::State(changed) => {
                if let Some(tokens) = changed.written_tokens {
                    self.written = usize::try_from(tokens)
                        .unwrap_or(usize::MAX)
                        .saturating_mul(4);
                    if self.streamed == Streamed::Nothing {
                        self.form = Form::Held;
                    }
                }
            }
            EventKind::Message(message) => self.message(message, columns, now),
            EventKind::ToolDelta(delta) => self.output(delta),
            EventKind::ToolUse(used) => self.started(used, None, now),
            EventKind::ToolResult(result) => self.result(result, &event.agent, None, columns),
            EventKind::Todo(list) => {
                self.todo.clone_from(&list.items);
                if self.form == Form::Boxed && !list.items.is_empty() && boxes::fit(columns) {
                    self.boxed(boxes::tasks(&list.items, columns));
                }
            }
            EventKind::Notice(notice) => self.notice(notice, columns),
            EventKind::Retry(retry) => self.retry(retry, columns),
            EventKind::Job(job) => self.job(job, columns),
            EventKind::Interrupted(interrupted) => self.interrupted(interrupted, columns),
            EventKind::RunFinished(finished) => self.finished(finished, columns, now),
            EventKind::Context(ContextChange::Compacted(_)) => {
                self.remark(Role::Dim, "The conversation was compacted.", columns);
            }
            EventKind::Context(ContextChange::Reverted(_)) => {
                self.remark(Role::Dim, "The conversation was reverted.", columns);
            }
            _ => {}
        }
    }

    fn delta(&mut self, delta: &TextDelta, columns: usize, now: Instant) {
        self.written += delta.text.len();
        if self.form == Form::Held && boxes::fit(columns) {
            return;
        }
        match delta.channel {
            TextChannel::Text => {
                self.end_thought(columns, now);
                self.stream(&delta.text);
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

    /// A piece of a message that follows whole.
    pub fn stream(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.settle_looks();
        }
        if self.streamed == Streamed::Nothing && !text.is_empty() {
            self.streamed = Streamed::Open;
        }
        self.text.push(text);
    }

    fn end_thought(&mut self, columns: usize, now: Instant) {
        let Thought { text, since } = std::mem::take(&mut self.thought);
        let Some(since) = since else { return };
        let style = Style::from(Role::Dim).italic();
        match self.thinking {
            Thinking::Hidden => {}
            Thinking::Brief => {
                let time = now.saturating_duration_since(since);
                // A shorter one was seen while it streamed.
                if time >= WORTH_TELLING {
                    let time = figures::elapsed(time);
                    let line = Line::new(style, &format!("Thought for {time}."));
                    self.thought_between(line);
                }
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
        self.put_text(rest);
    }

    fn put_text(&mut self, lines: Vec<Line>) {
        if !lines.is_empty() {
            self.begin(Block::Text);
            self.out.extend(lines);
        }
    }

    fn message(&mut self, message: &Message, columns: usize, now: Instant) {
        // The call of a `!` and its result show it.
        if message.is_of_shell() {
            return;
        }
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
        // Nobody typed it, and what it is about has been said.
        if message.origin == Origin::Rule {
            if self.fold == Fold::Whole {
                self.remark(Role::Dim, &text, columns);
            }
            return;
        }
        self.begin(Block::User);
        self.out.extend(prompt::lines(&text, self.fold, columns));
    }

    fn assistant(&mut self, message: &Message, columns: usize, now: Instant) {
        self.written = 0;
        self.form = Form::Streams;
        let streamed = std::mem::take(&mut self.streamed);
        if message.status == Status::Abandoned {
            return self.abandoned(streamed, columns);
        }
        self.end_thought(columns, now);
        self.asked = message.tool_calls().cloned().collect();
        if streamed == Streamed::Nothing && form::is_of(message) && boxes::fit(columns) {
            return self.in_boxes(message, columns);
        }
        if streamed == Streamed::Nothing {
            self.text.push(&message.text());
        }
        let rest = self.text.finish(columns);
        // What of it is above already was not known to be no answer.
        let is_plan = message.segment == Some(Segment::Plan) && streamed != Streamed::Settled;
        self.put_text(match is_plan {
            true => rest.into_iter().map(stepped_back).collect(),
            false => rest,
        });
    }

    /// Thoughts, and below them an answer; calls come with their results.
    fn in_boxes(&mut self, message: &Message, columns: usize) {
        self.form = Form::Boxed;
        let thoughts = form::thoughts(message);
        if !thoughts.trim().is_empty() {
            self.boxed(boxes::thoughts(&thoughts, columns));
        }
        if self.asked.is_empty() {
            self.text.push(&message.text());
            self.end_text(columns);
        }
    }

    fn boxed(&mut self, lines: Vec<Line>) {
        self.begin(Block::ToolBody);
        self.out.extend(lines);
    }

    /// A reply that broke off, and is asked for again: what can be taken back is,
    /// and the rest is said not to count.
    fn abandoned(&mut self, streamed: Streamed, columns: usize) {
        self.thought = Thought::default();
        self.text = Stream::new();
        self.asked.clear();
        if streamed == Streamed::Settled {
            self.remark(Role::Dim, "(the reply above was dropped)", columns);
        }
    }

    /// Nothing of the session before goes on in the next one.
    pub fn forget_all(&mut self, columns: usize) {
        self.settle_looks();
        self.end_text(columns);
        self.streamed = Streamed::Nothing;
        self.forget_held();
        self.thought = Thought::default();
        self.running.clear();
        self.asked.clear();
        self.answers = Answers::default();
        self.shell = None;
        self.refusals.forget();
        self.cut = None;
        self.todo.clear();
        self.tasks = Tasks::default();
        self.written = 0;
    }
}

/// A line that is read, but is not what was asked for.
fn stepped_back(mut line: Line) -> Line {
    for span in &mut line.spans {
        if span.style.role == Role::Text {
            span.style.role = Role::Dim;
        }
    }
    line
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
        text.push_str(&format!(" [{}]", figures::count(images, "image")));
    }
    text
}

/// Drops the beginning of what is longer than it may be.
fn keep_end(text: &mut String, limit: usize) {
    if text.len() <= limit * 2 {
        return;
    }
    let from = text.ceil_char_boundary(text.len() - limit);
    text.drain(..from);
}
