//! A conversation that is over, told again in pieces: for the pager, which lays
//! out the next one when nobody waits for anything else.

use super::Flow;
use crate::house::Thinking;
use crate::markdown::PIECE;
use crate::text::{Line, Role};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use tenon_vocab::{Event, EventKind, Message, Part, Role as Speaker, Status};

/// Gives the lines of one event after the other, of a long answer a part.
#[derive(Debug)]
pub struct Telling {
    events: Rc<[Arc<Event>]>,
    at: usize,
    flow: Flow,
    columns: usize,
    now: Instant,
    /// A long text, and how much of it was told.
    long: Option<(String, usize)>,
}

impl Telling {
    #[must_use]
    pub fn new(events: Rc<[Arc<Event>]>, columns: usize, now: Instant) -> Self {
        Self {
            events,
            at: 0,
            flow: Flow::whole(Thinking::Whole),
            columns,
            now,
            long: None,
        }
    }

    /// The next piece of a long text; `None` when all of it was given.
    fn piece(&mut self, event: &Event) -> Option<Vec<Line>> {
        if self.long.is_none() {
            self.long = long(event).map(|text| (text, 0));
        }
        let (text, told) = self.long.as_mut()?;
        let rest = text.get(*told..).filter(|rest| !rest.is_empty())?;
        let (piece, _) = rest.split_at(rest.floor_char_boundary(PIECE));
        *told += piece.len();
        self.flow.stream(piece);
        Some(self.flow.take(self.columns))
    }
}

impl Iterator for Telling {
    type Item = Vec<Line>;

    fn next(&mut self) -> Option<Vec<Line>> {
        let event = Arc::clone(self.events.get(self.at)?);
        if let Some(lines) = self.piece(&event) {
            return Some(lines);
        }
        self.long = None;
        self.at += 1;
        self.flow.event(&event, self.columns, self.now);
        Some(self.flow.take(self.columns))
    }
}

/// How much of an answer is shown again when a session is resumed.
const AGAIN: usize = 4 * PIECE;

impl Flow {
    /// An event of a session that is resumed. Of a very long answer the end is
    /// shown: all of it would fill the scrollback a second time.
    pub fn past(&mut self, event: &Event, columns: usize, now: Instant) {
        match end_of(event) {
            None => self.event(event, columns, now),
            Some(end) => {
                let text = "… ctrl+t shows the beginning of this answer";
                self.remark(Role::Dim, text, columns);
                self.event(&end, columns, now);
            }
        }
        // Where the next run begins is not among them.
        if matches!(event.kind, EventKind::RunFinished(_)) && event.parent.is_none() {
            self.refusals.forget();
        }
    }
}

/// The same event with the end of its text, if that is very long.
fn end_of(event: &Event) -> Option<Event> {
    let text = long(event).filter(|text| text.len() > AGAIN)?;
    let (before, end) = text.split_at(text.ceil_char_boundary(text.len() - AGAIN));
    let (cut, end) = end.split_once('\n').unwrap_or(("", end));
    let fences = before.lines().chain([cut]);
    let fences = fences.filter(|line| line.trim_start().starts_with("```"));
    // A block of code whose beginning is not shown is still one.
    let open = if fences.count() % 2 == 1 { "```\n" } else { "" };
    let EventKind::Message(message) = &event.kind else {
        return None;
    };
    let mut message = message.clone();
    message
        .parts
        .retain(|part| !matches!(part, Part::Text { .. }));
    message.parts.insert(0, Part::text(format!("{open}{end}")));
    Some(Event {
        kind: EventKind::Message(message),
        ..event.clone()
    })
}

/// The text of an answer that is too long to be laid out at once.
fn long(event: &Event) -> Option<String> {
    let EventKind::Message(message) = &event.kind else {
        return None;
    };
    let counts = event.parent.is_none()
        && !message.is_of_shell()
        && message.role == Speaker::Assistant
        && message.status != Status::Abandoned;
    counts
        .then(|| Message::text(message))
        .filter(|text| text.len() > PIECE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::{Interrupted, Outcome, RunFinished, Segment, SessionId, Timestamp, Usage};

    fn event(kind: impl Into<EventKind>) -> Arc<Event> {
        Arc::new(Event {
            seq: 1,
            sub: None,
            ts: Timestamp::UNIX_EPOCH,
            session: SessionId::generate(),
            run: None,
            parent: None,
            agent: String::from("build"),
            kind: kind.into(),
        })
    }

    #[test]
    fn a_long_answer_is_told_in_pieces_and_as_if_at_once() {
        let part = "# Part\n\nWords **of it**\nand more\n\n```rs\nlet a = 1;\n```\n\n";
        let text = part.repeat(20 * PIECE / part.len());
        let answer = Message {
            segment: Some(Segment::Answer),
            ..Message::assistant(&text)
        };
        let events = vec![event(Message::user("tell")), event(answer)];
        let now = Instant::now();
        let mut flow = Flow::whole(Thinking::Whole);
        for event in &events {
            flow.event(event, 60, now);
        }
        let pieces: Vec<Vec<Line>> = Telling::new(Rc::from(events), 60, now).collect();
        let most = pieces.iter().map(Vec::len).max();
        assert!(pieces.len() > 19 && most < Some(PIECE), "{most:?}");
        assert_eq!(pieces.concat(), flow.take(60));
    }

    #[test]
    fn where_nothing_ended_the_page_and_the_resumed_session_say_so_in_the_same_words() {
        let by = |by: &str| Interrupted { by: by.to_owned() };
        let finished = RunFinished {
            outcome: Outcome::Interrupted,
            reason: None,
            steps: 2,
            calls: 0,
            failed_calls: 0,
            denied_calls: 0,
            usage: Usage::default(),
            cost: None,
            duration_ms: 9,
            snapshot: None,
        };
        let now = Instant::now();
        let told = |cause: &str| {
            let events = vec![event(by(cause)), event(finished.clone())];
            let mut flow = Flow::new(Thinking::Brief);
            for event in &events {
                flow.past(event, 60, now);
            }
            let page: Vec<Line> = Telling::new(Rc::from(events), 60, now).flatten().collect();
            let page: Vec<String> = page.iter().map(Line::plain).collect();
            let again: Vec<String> = flow.take(60).iter().map(Line::plain).collect();
            assert_eq!(page, again);
            page
        };
        for cut in [Interrupted::CRASH, Interrupted::FORK] {
            assert_eq!(told(cut), [by(cut).words()]);
        }
        let stopped = told(Interrupted::USER).join("\n");
        assert_eq!(stopped.matches("Stopped.").count(), 1, "{stopped}");
    }

    #[test]
    fn of_a_very_long_answer_the_end_is_shown_again() {
        let shown = |text: &str| -> Vec<String> {
            let mut flow = Flow::new(Thinking::Brief);
            flow.past(&event(Message::assistant(text)), 60, Instant::now());
            flow.take(60).iter().map(Line::plain).collect()
        };
        let short = shown("a\n\nb");
        assert_eq!(short, ["a", "", "b"]);
        let code = "let a = 1;\n".repeat(AGAIN / 5);
        let lines = shown(&format!("Begin\n\n```rs\n{code}```\n\n# End"));
        assert!(lines[0].contains("ctrl+t"), "{}", lines[0]);
        assert!(!lines.iter().any(|line| line == "Begin"));
        // Still code, set in, down to its end; and then what is no code.
        assert!(lines.iter().any(|line| line == "  let a = 1;"));
        assert_eq!(lines.last().map(String::as_str), Some("End"));
        assert!(lines.len() * 11 < AGAIN + 200, "{}", lines.len());
    }
}
