//! Draws the live area: what is not finished, and below it where the user
//! writes. Changes nothing but what only drawing can know, such as how many rows
//! of a list fit: that is kept in cells, and keys go by it.

mod input;
mod status;

pub use status::PARTS;

/// Whether the input has rules around it, with hints in them.
#[must_use]
pub fn is_framed(size: Size) -> bool {
    input::is_framed(size)
}

use crate::flow::Running;
use crate::house::Motion;
use crate::screen::room;
use crate::shapes;
use crate::state::{Busy, Cursor, Overlay, Run, State};
use crate::text::{Frame, Line, Role, Size, Span, Style, wrap};
use std::time::Instant;
use tenon_vocab::figures::{self, count};
use tenon_vocab::{QuestionKind, RunState, silence};

/// Rows of a thought, of a running command, of the task list, of what waits.
const THOUGHT: usize = 3;
const OUTPUT: usize = 5;
const TODO: usize = 6;
const QUEUE: usize = 3;
/// Rows of a question and of a list, where the window has them.
const ASKED: usize = 6;
/// Rows of what goes on that are always shown, and the width of a narrow window.
const LEAST: usize = 4;
const NARROW: usize = 40;
/// Frames of the sign that something goes on.
const SPINNER: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Everything below the finished output.
#[must_use]
pub fn live(state: &State) -> Frame {
    let Size { columns, rows } = state.size;
    let below = lower(state);
    let mut above = upper(state, rows.saturating_sub(below.lines.len() + 1));
    above.below(below);
    if state.cursor() == Cursor::Drawn {
        above = above.with_drawn_caret();
    }
    for line in &mut above.lines {
        if line.width() > columns {
            *line = std::mem::take(line).cut(columns);
        }
    }
    above
}

/// The whole page of the pager, where one is open.
pub fn page(state: &mut State) -> Option<Frame> {
    let size = state.size;
    match &mut state.overlay {
        Some(Overlay::Page(pager)) => Some(pager.view(size)),
        _ => None,
    }
}

/// What goes on, the last rows of it.
fn upper(state: &State, rows: usize) -> Frame {
    let columns = state.size.columns;
    let mut lines = state.flow.looks(columns);
    lines.extend(state.flow.open(columns));
    lines.extend(state.flow.thought(columns, THOUGHT));
    lines.extend(state.flow.at_work(|running| at_work(state, running)));
    let mut tail = held(state, rows / 2);
    let mut end = Vec::new();
    if let Some(line) = progress(state) {
        end.push(Line::empty());
        end.push(line);
    }
    end.extend(queued(state));
    // A part of the list would be no list.
    let tasks = tasks(state);
    if tasks.len() + tail.len() + end.len() < rows {
        tail.extend(tasks);
    }
    tail.extend(end);
    // The text that streams gives way first: what is cut off comes again when
    // it is finished.
    let room = rows.saturating_sub(tail.len());
    let from = lines.len() - within_reach(&lines, state.size).min(room);
    lines.drain(..from);
    lines.extend(tail);
    let from = lines.len().saturating_sub(rows);
    lines.drain(..from);
    Frame::of(lines)
}

/// What was said beside an answer or a call that goes on, as far as there is room:
/// all of it comes behind that.
fn held(state: &State, most: usize) -> Vec<Line> {
    let mut lines = state.flow.held();
    if lines.len() > most {
        lines.truncate(most.saturating_sub(1));
        lines.push(Line::new(Role::Dim, "… the rest follows"));
    }
    lines
}

/// How many of the last lines stay on the screen whatever becomes of the window,
/// even where there is room for more: what a lower or narrower one pushes into
/// the scrollback is out of reach, and comes again when it is finished.
fn within_reach(lines: &[Line], size: Size) -> usize {
    let most = (size.rows / 3).max(LEAST);
    let mut wrapped = 0;
    let count = lines.iter().rev().take_while(|line| {
        wrapped += line.width().div_ceil(NARROW).max(1);
        wrapped <= size.rows / 2
    });
    count.take(most).count().max(LEAST.min(lines.len()))
}

fn at_work(state: &State, running: &Running) -> Vec<Line> {
    let columns = state.size.columns;
    // A question of the model's stands below in its own words.
    if let Some(Overlay::Ask(ask, _)) = &state.overlay
        && ask.question().kind == QuestionKind::AskUser
        && ask.question().call.as_ref() == Some(&running.used.call)
    {
        return Vec::new();
    }
    let time = state.now.saturating_duration_since(running.since);
    let mut heading = shapes::heading(&running.used, columns.saturating_sub(9));
    if time.as_secs() > 0 {
        heading.push(Role::Dim, &format!("  {}", figures::elapsed(time)));
    }
    let mut lines = vec![heading];
    lines.extend(shapes::tail(&running.output, OUTPUT, columns));
    match &running.child {
        None => lines,
        Some(agent) => shapes::indent(lines, 1, agent),
    }
}

/// The tasks of a run, apart from what stands above.
fn tasks(state: &State) -> Vec<Line> {
    if state.run.is_none() || state.flow.todo.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::empty()];
    lines.extend(todo(state));
    lines
}

/// Those around the one that is worked on.
fn todo(state: &State) -> Vec<Line> {
    let items = &state.flow.todo;
    let lines = shapes::todo(items, state.size.columns);
    if lines.len() <= TODO {
        return lines;
    }
    let at = items
        .iter()
        .position(|item| item.status == tenon_vocab::TodoStatus::InProgress)
        .unwrap_or(0);
    let from = at
        .saturating_sub(1)
        .min(lines.len().saturating_sub(TODO - 1));
    let left = lines.len().saturating_sub(TODO - 1);
    let mut shown: Vec<Line> = lines.into_iter().skip(from).take(TODO - 1).collect();
    shown.push(Line::new(Role::Dim, &format!("  … +{left} tasks")));
    shown
}

/// `⠋ Thinking 12s · ~340 tokens · esc stops`
fn progress(state: &State) -> Option<Line> {
    let spinner = spinner(state);
    if let Some(run) = &state.run {
        let mut line = Line::of([
            Span::new(Role::Accent, &format!("{spinner} ")),
            Span::new(Role::Text, doing(state, run)),
        ]);
        let mut facts = String::new();
        // Nothing goes on, and how long somebody takes is nobody's business.
        if !is_waiting(run) {
            let time = state.now.saturating_duration_since(run.since);
            facts = format!(" {}", figures::elapsed(time));
        }
        if let Some(percent) = run.read {
            facts.push_str(&format!(" · prompt read to {percent} %"));
        }
        let written = state.flow.tokens_written();
        if written > 0 {
            facts.push_str(&format!(" · ~{} tokens", figures::short(written)));
        }
        if !run.stopping {
            facts.push_str(&stops(state));
        }
        line.push(Role::Dim, &facts);
        return Some(line);
    }
    let busy = state.busy.as_ref()?;
    let time = state.now.saturating_duration_since(since(state));
    let mut text = format!("{} {}", busy.word(), figures::elapsed(time));
    if state.overlay.is_none() && matches!(busy, Busy::With(_)) {
        text.push_str(" · esc cancels");
    }
    Some(Line::of([
        Span::new(Role::Accent, &format!("{spinner} ")),
        Span::new(Role::Dim, &text),
    ]))
}

/// The key that stops a run: at a question Esc answers it, and in a list it
/// closes that.
fn stops(state: &State) -> String {
    match (&state.overlay, state.questions.len()) {
        (None | Some(Overlay::Page(_)), _) => String::from(" · esc stops"),
        (Some(Overlay::Ask(..)), 0) => String::from(" · ctrl+c stops"),
        (Some(Overlay::Ask(..)), more) => {
            format!(" · {} · ctrl+c stops", count(more, "more question"))
        }
        (Some(Overlay::Pick(..)), _) => String::new(),
    }
}

/// Since when something goes on.
fn since(state: &State) -> Instant {
    let since = state.run.map(|run| run.since).or(state.busy_since);
    since.unwrap_or(state.now)
}

fn is_waiting(run: &Run) -> bool {
    run.state == RunState::AwaitingPermission && !run.stopping
}

fn spinner(state: &State) -> &'static str {
    if state.wishes.motion == Motion::Reduced || state.run.as_ref().is_some_and(is_waiting) {
        return "•";
    }
    let time = state.now.saturating_duration_since(since(state));
    let at = time.as_millis() / 100;
    let at = usize::try_from(at).unwrap_or(0) % SPINNER.len();
    SPINNER.get(at).copied().unwrap_or("•")
}

/// The state of the run in a word (E3).
fn doing(state: &State, run: &Run) -> &'static str {
    if run.stopping {
        return "Stopping";
    }
    match run.state {
        RunState::AwaitingPermission => "Waiting for you",
        RunState::ToolRunning => "Working",
        RunState::ModelGenerating if is_silent(state, run) => silence::SAID,
        RunState::ModelGenerating if state.flow.tokens_written() == 0 => "Waiting for the model",
        RunState::ModelGenerating => "Writing",
        RunState::Planning | RunState::Idle => "Planning",
        RunState::Done => "Finishing",
        RunState::Error => "Failed",
    }
}

/// Nothing came for so long that it is to be said: not a word, nor how much of the
/// prompt was read.
fn is_silent(state: &State, run: &Run) -> bool {
    state.flow.tokens_written() == 0
        && run.read.is_none()
        && state.now.saturating_duration_since(run.changed) >= silence::AFTER
}

/// What was sent and waits for its turn.
fn queued(state: &State) -> Vec<Line> {
    let columns = state.size.columns;
    let mut lines: Vec<Line> = state
        .queue
        .iter()
        .take(QUEUE)
        .map(|queued| {
            let text = queued.to_string();
            let first = text.lines().next().unwrap_or_default();
            let more = text.lines().count().saturating_sub(1);
            let mut line = Line::of([
                Span::new(Role::Dim, "› "),
                Span::new(Style::from(Role::Dim).italic(), first),
            ]);
            if more > 0 {
                line.push(Role::Dim, &format!(" … +{more} lines"));
            }
            line.cut(columns)
        })
        .collect();
    let more = state.queue.len().saturating_sub(QUEUE);
    if more > 0 {
        lines.push(Line::new(Role::Dim, &format!("  … +{more} more")));
    }
    if !lines.is_empty() {
        lines.insert(0, Line::empty());
    }
    lines
}

/// The composer or what stands over it, the menu, the status line.
fn lower(state: &State) -> Frame {
    let rows = state.size.rows;
    match &state.overlay {
        // Most of the screen: it is to be read before it is decided.
        Some(Overlay::Ask(ask, _)) => {
            let draft = draft(state);
            let below = draft.len() + usize::from(is_framed(state.size));
            let wanted = rows.saturating_sub(4 + below);
            let mut frame = over(state, wanted, |size| match is_framed(state.size) {
                true => ask.framed(size),
                false => ask.view(size),
            });
            frame.below(Frame::of(draft));
            frame.below(standing(state));
            return frame;
        }
        Some(Overlay::Pick(picker, _)) => {
            let mut frame = over(state, rows / 2, |size| match is_framed(state.size) {
                true => picker.framed(size),
                false => picker.view(size),
            });
            frame.below(standing(state));
            return frame;
        }
        // It has a page of its own.
        Some(Overlay::Page(_)) | None => {}
    }
    let mut frame = Frame::of(vec![Line::empty()]);
    frame.below(input::view(state));
    frame.below(Frame::of(hint(state)));
    frame.below(Frame::of(vec![status::line(state)]));
    frame
}

/// The status line below what stands in place of the input, where it has rules.
fn standing(state: &State) -> Frame {
    match is_framed(state.size) {
        true => Frame::of(vec![status::line(state)]),
        false => Frame::default(),
    }
}

/// What is being written behind a question, where there is a row for it: letters
/// go there and not to the question.
fn draft(state: &State) -> Vec<Line> {
    const LEAST: usize = 12;
    let Size { columns, rows } = state.size;
    let text = state.composer.text();
    if rows < LEAST || text.is_empty() {
        return Vec::new();
    }
    let last = text.lines().next_back().unwrap_or_default();
    let label = "your message: ";
    let room = columns.saturating_sub(label.len() + 2);
    let over = last.chars().count().saturating_sub(room);
    let end: String = last.chars().skip(over).collect();
    let mut line = Line::new(Role::Dim, label);
    line.push(Role::Text, &end);
    vec![line.cut(columns)]
}

/// What stands over the composer, with a line above it where there is one to
/// spare. Never higher than the window: it would be cut.
fn over(state: &State, wanted: usize, view: impl FnOnce(Size) -> Frame) -> Frame {
    let room = room(state.size);
    let rows = wanted
        .max(ASKED)
        .min(room - usize::from(is_framed(state.size)));
    let mut frame = match rows < room {
        true => Frame::of(vec![Line::empty()]),
        false => Frame::default(),
    };
    frame.below(view(Size {
        columns: state.size.columns,
        rows,
    }));
    frame
}

fn hint(state: &State) -> Vec<Line> {
    match &state.hint {
        None => Vec::new(),
        Some((text, _)) => wrap(&Line::new(Role::Warning, text), state.size.columns, 2),
    }
}
