//! The last run of a session, for whoever comes back to it: what was asked, what
//! was done, how it ended. Not the whole conversation; the pager has that.

use crate::assemble::Session;
use tenon_engine::Parts;
use tenon_session::GivenUp;
use tenon_vocab::{
    ContextChange, Cut, Event, EventKind, HistoryRef, Message, Notice, NoticeLevel, Role, RunId,
};

/// Events that are shown again, at most: a run of a day would fill the
/// scrollback.
const MOST: usize = 120;

/// Said at the top of a copy: it looks like the session that it was made from.
pub fn copied(session: Session) -> Option<String> {
    let Session::Fork(id, _) = session else {
        return None;
    };
    Some(format!(
        "You are now in a copy; `/resume {id}` goes back to the original session."
    ))
}

/// The end of a conversation.
#[derive(Debug, Default)]
pub struct LastRun {
    pub events: Vec<Event>,
    /// How many runs these events are of.
    pub runs: u32,
}

impl LastRun {
    /// Of what the model still knows, with what was done since.
    pub fn of(parts: &Parts) -> Self {
        // Where it cannot be read, nothing is shown; the engine says why.
        let events = since(parts).unwrap_or_default();
        let given_up = GivenUp::of(&events);
        let cut: Vec<Option<RunId>> = events
            .iter()
            .filter(|event| cut(event).is_some())
            .map(|event| event.run)
            .collect();
        let events: Vec<Event> = events
            .into_iter()
            .filter(|event| !given_up.reverted(event.seq) && is_shown(event))
            // Its figures are of whoever opened the session next.
            .filter(|event| {
                let end = matches!(event.kind, EventKind::RunFinished(_));
                !(end && event.parent.is_none() && cut.contains(&event.run))
            })
            .collect();
        let mut runs: Vec<RunId> = Vec::new();
        for event in events.iter().filter(|event| event.parent.is_none()) {
            if let Some(run) = event.run.filter(|run| !runs.contains(run)) {
                runs.push(run);
            }
        }
        Self {
            runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
            events: shortened(events),
        }
    }

    /// What was asked last.
    pub fn prompt(&self) -> Option<&Message> {
        self.messages().find(|message| message.role == Role::User)
    }

    /// What was answered to it, as far as it came.
    pub fn answer(&self) -> Option<&Message> {
        self.messages()
            .filter(|message| message.role == Role::Assistant)
            .filter(|message| !message.text().trim().is_empty())
            .last()
    }

    fn messages(&self) -> impl Iterator<Item = &Message> {
        let own = self.events.iter().filter(|event| event.parent.is_none());
        own.filter_map(|event| match &event.kind {
            EventKind::Message(message) => Some(message),
            _ => None,
        })
    }

    /// How it ended, where that is no good end.
    pub fn broken(&self) -> Option<&'static str> {
        let own = self.events.iter().filter(|event| event.parent.is_none());
        let mut ended = None;
        for event in own {
            match &event.kind {
                EventKind::Interrupted(_) => ended = cut(event).map(Cut::clause),
                EventKind::RunFinished(finished) => ended = finished.outcome.broken(),
                _ => {}
            }
        }
        ended
    }
}

/// From the beginning of the run whose words the model knows last.
fn since(parts: &Parts) -> Option<Vec<Event>> {
    let (state, log) = (&parts.state, &parts.log);
    let said = state.live().filter(|live| !live.message.is_of_shell());
    let Some(last) = said.last().map(|live| live.run) else {
        // There may be commands of the user's own, and nothing that was said.
        let shell = !state.shell_notes().is_empty() || state.live().next().is_some();
        return shell.then(|| log.read_from(0).ok()).flatten();
    };
    let first = state.live().find(|live| live.run == last)?;
    let at = HistoryRef {
        seq: first.seq,
        offset: first.offset,
    };
    log.read_after(at, first.seq).ok()
}

fn is_shown(event: &Event) -> bool {
    match &event.kind {
        // The command of a `!` stands there as a call.
        EventKind::Message(message) => !message.is_of_shell(),
        EventKind::ToolUse(_)
        | EventKind::ToolResult(_)
        | EventKind::Notice(_)
        | EventKind::Interrupted(_)
        | EventKind::RunFinished(_) => true,
        EventKind::Context(change) => !matches!(change, ContextChange::Compiled(_)),
        _ => false,
    }
}

/// Why nothing ended there: the record is of whoever opened the session next.
fn cut(event: &Event) -> Option<Cut> {
    match &event.kind {
        EventKind::Interrupted(by) if event.parent.is_none() => by.cut(),
        _ => None,
    }
}

/// The first event and the last ones.
fn shortened(mut events: Vec<Event>) -> Vec<Event> {
    let Some(over) = events.len().checked_sub(MOST + 1).filter(|over| *over > 0) else {
        return events;
    };
    let rest = events.split_off(over);
    events.truncate(1);
    if let Some(first) = events.first() {
        let gap = Notice {
            level: NoticeLevel::Info,
            kind: String::from("past"),
            message: String::from("… ctrl+t shows what came in between"),
            hint: None,
        };
        let gap = Event {
            kind: gap.into(),
            ..first.clone()
        };
        events.push(gap);
    }
    events.extend(rest);
    events
}
