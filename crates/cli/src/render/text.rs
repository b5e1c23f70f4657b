//! Text for people: the answer on standard output, all else on standard error.
//!
//! Whether text is a plan or the answer is known only when its message ends. On
//! a terminal both are on the same screen, so text is shown as it streams. In a
//! pipe only the answer may arrive, so the beginning of a message is held until it
//! is longer than a plan (decision 0007).

mod piped;

use super::boxed::Boxed;
use super::standing::Open;
use super::{Renderer, Stands, lines};
use crate::screen::{Paint, Style, complain};
use piped::Piped;
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use tenon_vocab::notice;
use tenon_vocab::{
    Answer, CallForm, CallId, Display, Event, EventKind, Interrupted, JobEvent, Look, Message,
    Notice, NoticeLevel, Outcome, Printable, Refusals, Retry, Role, RunFinished, Segment, Status,
    TextChannel, TodoItem, TodoList, ToolCallPart, ToolResult,
};

/// When text reaches standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// As it streams: standard output is a terminal.
    Live,
    /// Line by line, once its message is longer than a plan: standard output is a
    /// pipe or a file.
    Lines,
    /// Only the last message of the run (`--final-only`).
    Last,
    /// Not here: whoever started the run prints what it makes of the answer.
    Elsewhere,
}

impl Answers {
    pub fn for_stdout() -> Self {
        if std::io::stdout().is_terminal() {
            Self::Live
        } else {
            Self::Lines
        }
    }
}

#[derive(Debug)]
pub struct TextLines {
    paint: Paint,
    answers: Answers,
    /// Text of the current message that is on the screen.
    streamed: usize,
    /// The same in a pipe.
    piped: Piped,
    /// The screen stands inside a line.
    open_line: Option<TextChannel>,
    last: String,
    /// Calls of the last message that have not been started.
    asked: Vec<ToolCallPart>,
    /// Headings of calls that only look: each is one line with what it gave.
    looks: Vec<lines::Pending>,
    /// What this run was not allowed to do.
    refusals: Refusals,
    /// The task list that was drawn since the last result.
    listed: Option<Vec<TodoItem>>,
    /// Questions without an answer so far.
    open: Open,
    parts: Parts,
    place: Place,
    boxed: Boxed,
}

/// Where a run is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// By itself: what it was not allowed to do is said at its end.
    Alone,
    /// In a conversation, where the line about the run says it.
    Conversation,
}

/// Whether the parts of a turn are told apart in words. Colours and marks are
/// not heard, and in a conversation all of them are on one screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    Unnamed,
    /// What stands last.
    Named(Block),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Start,
    Thought,
    Text,
    Tools,
}

impl TextLines {
    pub fn new(paint: Paint, answers: Answers) -> Self {
        Self {
            paint,
            answers,
            streamed: 0,
            piped: Piped::default(),
            open_line: None,
            last: String::new(),
            asked: Vec::new(),
            looks: Vec::new(),
            refusals: Refusals::default(),
            listed: None,
            open: Open::default(),
            parts: Parts::Unnamed,
            place: Place::Alone,
            boxed: Boxed::for_stderr(),
        }
    }

    /// For a conversation on this screen.
    pub fn conversation(paint: Paint) -> Self {
        Self {
            parts: Parts::Named(Block::Start),
            place: Place::Conversation,
            ..Self::new(paint, Answers::Live)
        }
    }

    /// Something of this kind is shown next. A word goes before it, where what
    /// stands above is something else and the eye alone would tell.
    fn begin(&mut self, block: Block, word: &str) -> std::io::Result<()> {
        let Parts::Named(last) = &mut self.parts else {
            return Ok(());
        };
        let last = std::mem::replace(last, block);
        let is_clear = match (last, block) {
            (_, Block::Start | Block::Tools) | (Block::Start, Block::Text) => true,
            (last, block) => last == block,
        };
        if is_clear {
            return Ok(());
        }
        self.say(&self.paint.paint(Style::Dim, word))
    }

    /// What the run that is drawn was not allowed to do, until the next begins.
    pub fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// The call is started; tells how it reached us.
    fn forget(&mut self, id: &CallId) -> CallForm {
        let at = self.asked.iter().position(|call| call.id == *id);
        at.map_or(CallForm::Native, |at| self.asked.remove(at).form)
    }

    fn delta(&mut self, channel: TextChannel, text: &str) -> std::io::Result<()> {
        if (self.answers, channel) == (Answers::Lines, TextChannel::Text) {
            return self.piped.more(text);
        }
        if self.answers != Answers::Live || self.boxed.holds() {
            return Ok(());
        }
        if self.open_line.is_some_and(|open| open != channel) {
            self.close_line()?;
        }
        // Some models write empty lines before a call.
        if !text.trim().is_empty() {
            match channel {
                TextChannel::Reasoning => self.begin(Block::Thought, "Thinking:")?,
                TextChannel::Text => self.begin(Block::Text, "Reply:")?,
            }
        }
        let shown = Printable::block(text);
        match channel {
            TextChannel::Reasoning => {
                let mut stderr = std::io::stderr().lock();
                let _ = write!(stderr, "{}", self.paint.paint(Style::Dim, shown.as_str()));
            }
            TextChannel::Text => {
                self.streamed += text.len();
                let mut stdout = std::io::stdout().lock();
                stdout.write_all(shown.as_str().as_bytes())?;
                stdout.flush()?;
            }
        }
        self.open_line = (!text.ends_with('\n')).then_some(channel);
        Ok(())
    }

    fn close_line(&mut self) -> std::io::Result<()> {
        match self.open_line.take() {
            None => Ok(()),
            Some(TextChannel::Reasoning) => {
                complain("");
                Ok(())
            }
            Some(TextChannel::Text) => {
                let mut stdout = std::io::stdout().lock();
                stdout.write_all(b"\n")?;
                stdout.flush()
            }
        }
    }

    fn say(&mut self, line: &str) -> std::io::Result<()> {
        self.close_line()?;
        complain(line);
        Ok(())
    }

    fn message(&mut self, message: &Message) -> std::io::Result<()> {
        // The call of a `!` and its result show it.
        if message.role != Role::Assistant || message.is_of_shell() {
            return Ok(());
        }
        self.asked = message.tool_calls().cloned().collect();
        let text = message.text();
        let streamed = std::mem::take(&mut self.streamed);
        self.close_line()?;
        let piped = self.piped.end(message.status);
        let thoughts = self.boxed.message(self.paint, message);
        match (message.status, message.segment) {
            (Status::Abandoned, _) => {
                if !text.is_empty() {
                    self.say(&self.paint.paint(Style::Dim, "  (that reply was dropped)"))?;
                }
                return Ok(());
            }
            (Status::Complete, Some(Segment::Answer)) => self.last.clone_from(&text),
            _ => {}
        }
        if streamed == 0 && self.all(thoughts)? && !self.asked.is_empty() {
            return Ok(());
        }
        if text.is_empty() {
            return Ok(());
        }
        if streamed > 0 {
            return self.named_late(message.segment, &text);
        }
        match (self.answers, message.segment) {
            (Answers::Last, _) => Ok(()),
            (Answers::Elsewhere, Some(Segment::Plan)) => self.say(
                &self
                    .paint
                    .paint(Style::Dim, Printable::block(text.trim_end()).as_str()),
            ),
            (Answers::Elsewhere, _) => Ok(()),
            (Answers::Lines, segment) => {
                let rest = piped.rest_of(&text);
                if rest.trim().is_empty() {
                    return Ok(());
                }
                if segment != Some(Segment::Plan) {
                    return answer(rest, Reader::of_stdout());
                }
                let plan = Printable::block(rest.trim_end());
                self.say(&self.paint.paint(Style::Dim, plan.as_str()))
            }
            (Answers::Live, Some(Segment::Plan)) if self.parts == Parts::Unnamed => {
                let plan = Printable::block(text.trim_end());
                self.say(&self.paint.paint(Style::Dim, plan.as_str()))
            }
            (Answers::Live, segment) => {
                self.begin(Block::Text, "Reply:")?;
                answer(&text, Reader::Terminal)?;
                self.named_late(segment, &text)
            }
        }
    }

    /// A box, where there is one.
    fn all(&mut self, lines: Option<Vec<String>>) -> std::io::Result<bool> {
        let Some(lines) = lines else { return Ok(false) };
        self.begin(Block::Tools, "")?;
        for line in &lines {
            self.say(line)?;
        }
        Ok(true)
    }

    /// That a text was a plan is known only when it stands there: calls follow it.
    fn named_late(&mut self, segment: Option<Segment>, text: &str) -> std::io::Result<()> {
        let plan = segment == Some(Segment::Plan) && !text.trim().is_empty();
        match self.parts {
            Parts::Named(_) if plan => {
                self.say(&self.paint.paint(Style::Dim, "  (that was the plan)"))
            }
            _ => Ok(()),
        }
    }

    fn notice(&mut self, notice: &Notice) -> std::io::Result<()> {
        if notice.kind == notice::KNOWN {
            return Ok(());
        }
        let (style, label) = match notice.level {
            NoticeLevel::Info => (Style::Dim, "note:"),
            NoticeLevel::Warning => (Style::Bold, "warning:"),
            NoticeLevel::Error => (Style::Red, "error:"),
        };
        self.say(&format!(
            "{} {}",
            self.paint.paint(style, label),
            Printable::block(&notice.message)
        ))?;
        let hint = match self.place {
            Place::Alone => notice.hint.as_deref(),
            Place::Conversation => notice::hint_in_conversation(notice),
        };
        match hint {
            Some(hint) => self.say(&format!("  {}", Printable::block(hint))),
            None => Ok(()),
        }
    }

    /// A task list that changed, whoever changed it.
    fn todo(&mut self, list: &TodoList) -> std::io::Result<()> {
        // One that was only begun goes away: nobody has to read that.
        if list.items.is_empty() {
            self.listed = Some(Vec::new());
            return Ok(());
        }
        match self.boxed.tasks(self.paint, &list.items) {
            Some(lines) => drop(self.all(Some(lines))?),
            None => {
                for line in lines::checklist(self.paint, &list.items) {
                    self.say(&line)?;
                }
            }
        }
        self.listed = Some(list.items.clone());
        Ok(())
    }

    fn result(&mut self, result: &ToolResult, agent: &str) -> std::io::Result<()> {
        // A call that was refused was never started: say which it was.
        let asked = self.asked.iter().position(|call| call.id == result.call);
        let asked = asked.map(|at| self.asked.remove(at));
        if let Some(call) = &asked {
            let input = serde_json::from_str(&call.arguments).unwrap_or_default();
            let drawn = self.boxed.tool(self.paint, &call.id, &call.name, &input);
            if !self.all(drawn)? {
                self.begin(Block::Tools, "")?;
                self.say(&lines::asked(self.paint, call))?;
            }
        }
        self.refusals.ended(result, asked.as_ref(), agent);
        let look = self.looks.iter().position(|look| look.call == result.call);
        if let Some(look) = look.map(|at| self.looks.remove(at)) {
            self.begin(Block::Tools, "")?;
            if Look::of_result(result).is_some() {
                return self.say(&lines::looked(self.paint, &look, result));
            }
            self.say(&look.heading)?;
        }
        let listed = self.listed.take();
        let drawn = self.boxed.result(self.paint, result);
        if self.all(drawn)? {
            return Ok(());
        }
        // The list that a call wrote stands right above its result.
        let drawn =
            matches!(&result.display, Display::Todo { items } if listed.as_ref() == Some(items));
        let shown = if drawn { 1 } else { usize::MAX };
        for line in lines::finished(self.paint, result).iter().take(shown) {
            self.say(line)?;
        }
        Ok(())
    }

    /// A permission that stays.
    fn answered(&mut self, answer: &Answer) -> std::io::Result<()> {
        match self.open.answered(answer) {
            Some(said) => {
                let said = Printable::line(&said).into_string();
                self.say(&self.paint.paint(Style::Dim, &said))
            }
            None => Ok(()),
        }
    }

    fn retry(&mut self, retry: &Retry) -> std::io::Result<()> {
        let text = format!("  {}; Ctrl+C stops.", Printable::line(&retry.words()));
        self.say(&self.paint.paint(Style::Dim, &text))
    }

    fn job(&mut self, job: &JobEvent) -> std::io::Result<()> {
        let (what, command) = (job.action.words(), lines::brief(&job.command, 100));
        let text = format!("  {} {what}: {command}", job.id);
        self.say(&self.paint.paint(Style::Dim, &text))
    }

    fn finished(&mut self, finished: &RunFinished) -> std::io::Result<()> {
        self.close_line()?;
        if self.answers == Answers::Last && !self.last.is_empty() {
            let last = std::mem::take(&mut self.last);
            answer(&last, Reader::of_stdout())?;
            self.last = last;
        }
        if finished.outcome == Outcome::Denied && self.place == Place::Alone {
            let way = self.refusals.way().map(|way| format!("  {way}"));
            for line in self.refusals.what().into_iter().chain(way) {
                self.say(&self.paint.paint(Style::Red, &line))?;
            }
        }
        Ok(())
    }

    fn interrupted(&mut self, interrupted: &Interrupted) -> std::io::Result<()> {
        // In a conversation the line about the run says it.
        if self.place == Place::Conversation && interrupted.by == Interrupted::USER {
            return Ok(());
        }
        let words = interrupted.words();
        let text = Printable::line(&words);
        self.say(&self.paint.paint(Style::Red, text.as_str()))
    }
}

impl Renderer for TextLines {
    fn stands(&self) -> Stands {
        match self.open_line {
            None => Stands::AtLineStart,
            Some(_) => Stands::InLine,
        }
    }

    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        match &event.kind {
            EventKind::MessageDelta(delta) => self.delta(delta.channel, &delta.text),
            EventKind::Message(message) => self.message(message),
            EventKind::RunStarted(_) if event.parent.is_none() => {
                self.looks.clear();
                self.refusals.forget();
                self.begin(Block::Start, "")
            }
            EventKind::State(changed) => {
                self.boxed.counted(changed, self.streamed);
                Ok(())
            }
            EventKind::ToolUse(used) => {
                let form = self.forget(&used.call);
                let drawn = self
                    .boxed
                    .tool(self.paint, &used.call, &used.name, &used.input);
                if self.all(drawn)? {
                    return Ok(());
                }
                if Look::of(&used.name).is_some() {
                    let look = lines::Pending::new(self.paint, used, form);
                    self.looks.push(look);
                    return Ok(());
                }
                self.begin(Block::Tools, "")?;
                self.say(&lines::started(self.paint, used, form))
            }
            EventKind::ToolResult(result) => self.result(result, &event.agent),
            EventKind::Todo(list) => self.todo(list),
            EventKind::Question(question) => {
                self.open.asked(question);
                Ok(())
            }
            EventKind::Answer(answer) => self.answered(answer),
            EventKind::Notice(notice) => self.notice(notice),
            EventKind::Retry(retry) => self.retry(retry),
            EventKind::Job(job) => self.job(job),
            EventKind::Interrupted(interrupted) => self.interrupted(interrupted),
            EventKind::RunFinished(finished) if event.parent.is_none() => self.finished(finished),
            _ => Ok(()),
        }
    }
}

/// Who takes the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Obeys escape sequences: they must be made visible first.
    Terminal,
    /// A program or a file wants the exact text.
    Program,
}

impl Reader {
    fn of_stdout() -> Self {
        if std::io::stdout().is_terminal() {
            Self::Terminal
        } else {
            Self::Program
        }
    }
}

/// An answer to standard output, as whoever reads it there can take it.
///
/// # Errors
/// When the reader is gone.
pub fn print(text: &str) -> std::io::Result<()> {
    answer(text, Reader::of_stdout())
}

/// An answer to standard output, ending in a newline.
fn answer(text: &str, reader: Reader) -> std::io::Result<()> {
    crate::screen::print(&fit(text, reader))
}

fn fit(text: &str, reader: Reader) -> Cow<'_, str> {
    match reader {
        Reader::Terminal => Cow::Owned(Printable::block(text).into_string()),
        Reader::Program => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, fit};

    #[test]
    fn an_answer_reaches_a_terminal_without_its_escapes_and_a_program_as_it_is() {
        let answer = "done\x1b]52;c;ZXZpbA==\x07\nbye";
        assert_eq!(fit(answer, Reader::Terminal), "done␛]52;c;ZXZpbA==␇\nbye");
        assert_eq!(fit(answer, Reader::Program), answer);
    }
}
