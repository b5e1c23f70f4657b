//! All that the interface knows. Changed by [`crate::update`] only, but for the
//! time and the size, which the loop takes over before it draws; drawn by
//! [`crate::view`] only.

use crate::composer::{Aim, Composer};
use crate::flow::Flow;
use crate::house::{Entry, Facts, Listing, Notify, Opened, Wishes};
use crate::input::Focus;
use crate::overlay::ask::{Ask, Before};
use crate::overlay::menu::Menu;
use crate::overlay::pager::Pager;
use crate::overlay::picker::Picker;
use crate::screen::Shown;
use crate::text::Size;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};
use tenon_vocab::slash::Line as Meaning;
use tenon_vocab::{Meter, Part, PermissionMode, Question, RunState, Settings};

/// The second press counts only within this time of the first (U10).
const TWICE: Duration = Duration::from_secs(2);

/// How a typed line is read.
pub type Reader = Box<dyn Fn(&str) -> Meaning>;

pub struct State {
    pub size: Size,
    pub now: Instant,
    pub composer: Composer,
    pub menu: Menu,
    pub entries: Vec<Entry>,
    pub overlay: Option<Overlay>,
    /// Questions that wait behind the one that is shown.
    pub questions: VecDeque<(Question, Asker)>,
    pub flow: Flow,
    pub settings: Settings,
    /// The permission modes that a key goes through.
    pub modes: Vec<PermissionMode>,
    /// The one that was asked for with a key and does not hold yet.
    pub next_mode: Option<PermissionMode>,
    /// The mode that has just been changed to; a word about it follows.
    pub moved_to: Option<PermissionMode>,
    pub facts: Facts,
    pub meter: Option<Meter>,
    pub run: Option<Run>,
    /// Images that go with the next prompt.
    pub attachments: Vec<Part>,
    /// Images for which a mark stands in the text, with it.
    pub images: Vec<(String, Part)>,
    /// Sent, and not yet a part of the conversation.
    pub queue: Vec<Queued>,
    pub focus: Focus,
    pub wishes: Wishes,
    pub read: Reader,
    /// When a key was last pressed: whoever types at the moment in which a
    /// question appears does not answer it.
    pub typed: Option<Instant>,
    /// What that key was for.
    pub last_key: Before,
    pub interrupts: Twice,
    pub escapes: Twice,
    /// What the program around does for the user now: one thing at a time.
    pub busy: Option<Busy>,
    /// When it began that.
    pub busy_since: Option<Instant>,
    /// What the status line says for a moment.
    pub hint: Option<(String, Instant)>,
    /// The theme before the list of themes was opened.
    pub theme_before: Option<String>,
    /// The terminal's title as it was last set.
    pub title: String,
}

/// What the program around is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Busy {
    /// Another session is being opened: what is sent now would be said to the
    /// one that goes. `draft` is for its composer.
    Opening { draft: Option<String> },
    /// Something that leaves the session as it is.
    With(&'static str),
}

impl Busy {
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Opening { .. } => "opening the session",
            Self::With(what) => what,
        }
    }
}

/// Who shows the caret of the composer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cursor {
    /// The terminal's own cursor stands there.
    Terminal,
    /// We draw it, and the terminal's cursor is hidden at the top.
    Drawn,
}

/// What was sent and waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    pub aim: Aim,
    /// As it was typed, but for the `!` of a command.
    pub typed: String,
}

impl fmt::Display for Queued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.aim {
            Aim::Model => write!(f, "{}", self.typed.trim()),
            Aim::Shell => write!(f, "{}{}", Aim::SIGN, self.typed.trim()),
        }
    }
}

/// A run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub since: Instant,
    pub state: RunState,
    /// When it came to be in that state.
    pub changed: Instant,
    /// How much of the prompt the server has read, in percent.
    pub read: Option<u8>,
    /// Esc was pressed.
    pub stopping: bool,
}

/// Who wants the answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    Session,
    House,
}

/// What takes the keys before the composer does.
#[derive(Debug)]
pub enum Overlay {
    Ask(Box<Ask>, Asker),
    Pick(Box<Picker>, Purpose),
    Page(Box<Pager>),
}

/// What a picked row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Resume,
    /// Back to before a prompt, in a copy.
    GoBack,
    Model,
    /// One of whose models is picked next.
    Provider,
    Agent,
    Mode,
    Theme,
}

impl Purpose {
    /// The list that it is picked from, where the program around has it.
    #[must_use]
    pub fn listing(self) -> Option<Listing> {
        match self {
            Self::Resume => Some(Listing::Sessions),
            Self::GoBack => Some(Listing::Prompts),
            Self::Model | Self::Provider | Self::Agent | Self::Mode | Self::Theme => None,
        }
    }
}

/// A key that counts when it is pressed twice.
#[derive(Debug, Clone, Copy, Default)]
pub struct Twice(Option<Instant>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    First,
    Second,
}

impl Twice {
    pub fn press(&mut self, now: Instant) -> Press {
        let soon = self
            .0
            .is_some_and(|last| now.saturating_duration_since(last) <= TWICE);
        self.0 = (!soon).then_some(now);
        if soon { Press::Second } else { Press::First }
    }

    /// Something else was done in between.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}

/// What a state begins with.
pub struct Begin {
    pub size: Size,
    pub now: Instant,
    pub wishes: Wishes,
    pub history: Vec<String>,
    pub read: Reader,
}

impl fmt::Debug for Begin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begin")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl State {
    #[must_use]
    pub fn new(begin: Begin, opened: &Opened) -> Self {
        let Begin {
            size,
            now,
            wishes,
            history,
            read,
        } = begin;
        Self {
            size,
            now,
            composer: Composer::new(wishes.keys, history),
            menu: Menu::new(opened.entries.clone()),
            entries: opened.entries.clone(),
            overlay: None,
            questions: VecDeque::new(),
            flow: Flow::new(wishes.thinking),
            settings: opened.settings.clone(),
            modes: PermissionMode::ALL.to_vec(),
            next_mode: None,
            moved_to: None,
            facts: opened.facts.clone(),
            meter: None,
            run: None,
            attachments: Vec::new(),
            images: Vec::new(),
            queue: Vec::new(),
            focus: Focus::Gained,
            wishes,
            read,
            typed: None,
            last_key: Before::Text,
            interrupts: Twice::default(),
            escapes: Twice::default(),
            busy: None,
            busy_since: None,
            hint: None,
            theme_before: None,
            title: String::new(),
        }
    }

    /// Who shows where the caret is. A resize while much is written finds the
    /// terminal's cursor at the top of the live area, if it waits there: above it
    /// nothing is ours, so that nothing remains and nothing is lost. Whoever writes
    /// has it at the caret: input methods show there what they compose.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        const PAUSE: Duration = Duration::from_secs(10);
        let since = |typed| self.now.saturating_duration_since(typed);
        let writes =
            !self.composer.is_empty() && self.typed.is_some_and(|typed| since(typed) < PAUSE);
        match (&self.run, &self.overlay) {
            (Some(_), None | Some(Overlay::Page(_))) if !writes => Cursor::Drawn,
            _ => Cursor::Terminal,
        }
    }

    /// Something moves by itself: seconds, a spinner.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.run.is_some() || self.busy.is_some() || self.hint.is_some()
    }

    /// Whether the terminal is to be asked for attention.
    #[must_use]
    pub fn wants_notice(&self) -> bool {
        match self.wishes.notify {
            Notify::Always => true,
            Notify::Never => false,
            Notify::Unfocused => self.focus == Focus::Lost,
        }
    }

    /// Whether a question that stands there has been on the screen.
    #[must_use]
    pub fn is_facing(&self) -> bool {
        match &self.overlay {
            Some(Overlay::Ask(ask, _)) => ask.is_shown(),
            _ => true,
        }
    }

    /// The question is on the screen since now.
    pub fn face(&mut self, now: Instant) {
        if let Some(Overlay::Ask(ask, _)) = &mut self.overlay {
            ask.shown(now);
            if let Some(last) = self.typed {
                ask.typed_before(last);
            }
            if !self.composer.is_empty() {
                ask.guard();
            }
        }
    }

    /// The live area is on the screen: what it has of a question was seen. Of one
    /// that was cut nobody knows which part that is.
    pub fn reached(&self, shown: Shown) {
        if let (Some(Overlay::Ask(ask, _)), Shown::Whole) = (&self.overlay, shown) {
            ask.reached();
        }
    }

    /// Keys came in one piece at a question: none of them is an answer. They are
    /// text, unless somebody was about to answer.
    pub fn disturb(&mut self, keys: &[KeyEvent], now: Instant) {
        self.typed = Some(now);
        let Some(Overlay::Ask(ask, _)) = &mut self.overlay else {
            return;
        };
        ask.typed_before(now);
        if ask.is_armed() || ask.takes_paste() {
            return;
        }
        for key in keys {
            if matches!(key.code, KeyCode::Char(_))
                && key.modifiers.difference(KeyModifiers::SHIFT).is_empty()
            {
                self.composer.key(*key, now);
                ask.guard();
            }
        }
    }

    /// The question that comes next, which must not take a key for its own that was
    /// for something else.
    #[must_use]
    pub fn next_ask(&self, question: Question) -> Ask {
        const SOON: Duration = Duration::from_millis(400);
        let is_soon = |at| self.now.saturating_duration_since(at) < SOON;
        Ask::new(question).behind(match self.typed.is_some_and(is_soon) {
            true => self.last_key,
            false => Before::Text,
        })
    }

    /// Opens a page. A question that stands there comes back after it.
    pub fn open_page(&mut self, pager: Pager) {
        if let Some(Overlay::Ask(ask, asker)) = self.overlay.take() {
            self.questions.push_front((ask.question().clone(), asker));
        }
        self.overlay = Some(Overlay::Page(Box::new(pager)));
    }

    /// Whether another session is on its way.
    #[must_use]
    pub fn is_opening(&self) -> bool {
        matches!(self.busy, Some(Busy::Opening { .. }))
    }

    /// Says something for a moment, in the status line.
    pub fn hint(&mut self, text: &str) {
        self.hint = Some((text.to_owned(), self.now));
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("size", &self.size)
            .field("run", &self.run)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_press_counts_within_two_seconds_only() {
        let start = Instant::now();
        let mut twice = Twice::default();
        assert_eq!(twice.press(start), Press::First);
        assert_eq!(twice.press(start + TWICE), Press::Second);
        assert_eq!(twice.press(start + TWICE), Press::First);
        twice.forget();
        assert_eq!(twice.press(start + TWICE), Press::First);
    }
}
