//! A question with its choices: permission, a question of the model's, trust.
//! What is shown is what runs; nothing is left out without a count and a key.
//!
//! A yes is never given by accident. Letters that were on their way before the
//! question stood on the screen belong to what is being written, Enter says no
//! unless a choice was marked by hand, and where a yes must be meant (a danger, the
//! trust in a project) one to what was not on the screen yet reads on instead.

mod arming;
mod body;
mod draw;
mod write;

use super::field::{Field, Taken};
use super::scroll::{next, previous};
use crate::text::{Frame, Size};
use arming::Arming;
use body::Body;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use draw::Rules;
pub use draw::whole;
use std::time::Instant;
use tenon_vocab::{Answer, AnsweredBy, Choice, Question, QuestionKind};

#[derive(Debug)]
pub struct Ask {
    question: Question,
    body: Body,
    arming: Arming,
    writing: Writing,
    field: Field,
    /// The marked one of [`Ask::items`].
    marked: usize,
    hand: Hand,
    /// Why the last key did nothing.
    notice: Option<String>,
    guard: Guard,
    before: Before,
}

/// What a key was for that came right before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Before {
    /// A text, or there was none.
    #[default]
    Text,
    /// Something else: another question, a page, a list.
    Answer,
}

/// Who put the mark where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hand {
    Ours,
    Users,
}

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    Nothing,
    /// Why not; goes to the model.
    Reason,
    /// The whole word that the choice of this number wants.
    Word(usize),
    /// An answer in the user's own words.
    Answer,
}

/// Whether letters count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    Down,
    Up,
}

/// One line of the list that the mark moves over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Choice(usize),
    /// Deny, and say why.
    Reason(char),
    NotNow,
    /// Where an answer is written.
    Text,
}

/// What a key did.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Scrolled, chosen, typed; or nothing.
    Stay,
    Answered(Answer),
    /// See it whole, in the pager.
    Page,
    /// It is a part of the text that was being written when the question came.
    Elsewhere,
}

/// Whoever writes is told from the beginning, and every time.
const WRITING: &str = "tab to answer · what you type goes into your message";
/// Of a key that is no text, or that may have been meant for what stood there before.
const TOO_EARLY: &str = "too early to count: read it, then press the key again";

impl Ask {
    #[must_use]
    pub fn new(question: Question) -> Self {
        let is_answer = question.kind == QuestionKind::AskUser && question.free_text;
        let mut ask = Self {
            question,
            body: Body::default(),
            arming: Arming::default(),
            writing: if is_answer {
                Writing::Answer
            } else {
                Writing::Nothing
            },
            field: Field::default(),
            marked: 0,
            hand: Hand::Ours,
            notice: None,
            guard: Guard::Down,
            before: Before::Text,
        };
        ask.marked = ask.safest();
        ask
    }

    #[must_use]
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// It stands on the screen since then. Only the first call counts.
    pub fn shown(&mut self, now: Instant) {
        self.arming.shown(now);
    }

    /// A key went elsewhere just before: who is in the middle of typing does
    /// not mean this question.
    pub fn typed_before(&mut self, last: Instant) {
        self.arming.noise(last);
    }

    /// What the last key was for, shortly before it came.
    #[must_use]
    pub fn behind(mut self, before: Before) -> Self {
        self.before = before;
        self
    }

    /// Whether keys are answers now: one has counted, and nothing is half written.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.arming.is_armed() && self.guard == Guard::Down
    }

    /// Whether a paste belongs to a line of this question.
    #[must_use]
    pub fn takes_paste(&self) -> bool {
        self.writing != Writing::Nothing
    }

    /// Whether it has been on the screen.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.arming.is_shown()
    }

    /// Whether keys are letters of a text here, and not answers.
    #[must_use]
    pub fn is_written(&self) -> bool {
        matches!(self.writing, Writing::Reason | Writing::Answer)
    }

    /// Something is half written: the next letter may belong to it, however long
    /// the pause was. Only another key says that the question is meant.
    pub fn guard(&mut self) {
        if self.writing == Writing::Nothing {
            self.guard = Guard::Up;
            self.notice = Some(String::from(WRITING));
        }
    }

    /// What becomes of a key that may belong to a half-written text. An Enter
    /// would have sent it: it is no answer either.
    fn wards_off(&mut self, key: KeyEvent) -> Option<Verdict> {
        if self.guard == Guard::Down {
            return None;
        }
        let verdict = match key.code {
            KeyCode::Char(_) if is_plain(key) => Verdict::Elsewhere,
            KeyCode::Backspace => Verdict::Elsewhere,
            KeyCode::Char(_) | KeyCode::Enter => Verdict::Stay,
            _ => return None,
        };
        self.notice = Some(String::from(WRITING));
        Some(verdict)
    }

    pub fn key(&mut self, key: KeyEvent, now: Instant) -> Verdict {
        if key.kind == KeyEventKind::Release {
            return Verdict::Stay;
        }
        // The key of the modes, pressed by habit: it neither marks an answer nor
        // makes letters count.
        if key.code == KeyCode::BackTab {
            self.arming.noise(now);
            self.notice = Some(String::from("answer first: shift+tab changes the mode"));
            return Verdict::Stay;
        }
        let counts = self.arming.takes(now);
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('t') => return Verdict::Page,
                // To interrupt is more than to answer, and not this one's.
                KeyCode::Char('c') => return Verdict::Stay,
                _ => {}
            }
        }
        if let Some(verdict) = self.wards_off(key) {
            return verdict;
        }
        if !counts {
            return self.early(key);
        }
        let guard = std::mem::replace(&mut self.guard, Guard::Down);
        self.notice = None;
        // It only comes back from the message: the mark stays where it is.
        if (guard, key.code) == (Guard::Up, KeyCode::Tab) {
            return Verdict::Stay;
        }
        if self.scrolled(key) {
            return Verdict::Stay;
        }
        let verdict = match self.writing {
            Writing::Nothing => self.choose(key),
            Writing::Reason => self.reason(key),
            Writing::Word(choice) => self.word(key, choice),
            Writing::Answer => self.answer(key),
        };
        match &verdict {
            Verdict::Answered(answer) if self.allows(answer) && !self.is_read() => {
                self.read_on(now);
                Verdict::Stay
            }
            _ => verdict,
        }
    }

    /// A key from before anybody can have read this. A letter is the beginning of a
    /// text, and goes where texts are written.
    fn early(&mut self, key: KeyEvent) -> Verdict {
        let is_text = matches!(key.code, KeyCode::Char(_)) && is_plain(key);
        if is_text && self.writing == Writing::Nothing && self.before == Before::Text {
            self.guard();
            return Verdict::Elsewhere;
        }
        self.notice = Some(String::from(TOO_EARLY));
        Verdict::Stay
    }

    /// Whether enough of it was on the screen for a yes: all of what is dangerous or
    /// lasts for good, and of the rest what somebody sees who then decides.
    fn is_read(&self) -> bool {
        match self.wants_all_read() {
            true => self.body.is_read(),
            false => self.body.is_begun(),
        }
    }

    fn wants_all_read(&self) -> bool {
        self.question.kind == QuestionKind::Trust || self.question.is_danger()
    }

    fn allows(&self, answer: &Answer) -> bool {
        self.is_yes(&answer.choice)
    }

    fn is_yes(&self, choice: &str) -> bool {
        self.question.kind != QuestionKind::AskUser
            && ![Choice::DENY, Choice::NOT_NOW].contains(&choice)
    }

    /// A yes to what was not shown: a part of it, and no answer.
    fn read_on(&mut self, now: Instant) {
        if self.body.is_hidden() {
            self.notice = Some(String::from(
                "the window is too small to show it: make it taller",
            ));
            return;
        }
        self.body.read_on();
        // A key that is held down must not go on from its last row to a yes.
        let said = if self.body.will_be_read() {
            self.arming.again(now);
            self.before = Before::Answer;
            "that is all of it: press the key again to allow it"
        } else {
            "read it all first: the same key shows the next part"
        };
        self.notice = Some(String::from(said));
    }

    /// Text that was pasted into the reason or the answer. A word that is to be
    /// typed is not pasted.
    pub fn paste(&mut self, text: &str) {
        match self.writing {
            Writing::Reason => {}
            Writing::Answer => self.mark_text(),
            Writing::Nothing | Writing::Word(_) => return,
        }
        if self.field.paste(text) == Taken::Part {
            self.notice = Some(String::from(
                "the paste is too long for one line: its end was cut off",
            ));
        }
    }

    /// At most `size.rows` lines. Nothing counts as seen by it: see
    /// [`Ask::reached`].
    #[must_use]
    pub fn view(&self, size: Size) -> Frame {
        draw::frame(self, size, Rules::None)
    }

    /// The same with rules around it, as the input has them.
    #[must_use]
    pub fn framed(&self, size: Size) -> Frame {
        draw::frame(self, size, Rules::Around)
    }

    /// All that was drawn last stands on the screen.
    pub fn reached(&self) {
        self.body.reached();
    }

    /// What the mark moves over, in the order in which it is shown.
    fn items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = (0..self.question.choices.len()).map(Item::Choice).collect();
        match self.question.kind {
            QuestionKind::Permission if self.question.free_text => {
                items.extend(self.reason_key().map(Item::Reason));
            }
            QuestionKind::AskUser if self.question.free_text => items.push(Item::Text),
            QuestionKind::Trust => items.push(Item::NotNow),
            QuestionKind::Permission | QuestionKind::AskUser => {}
        }
        items
    }

    /// A letter that no choice has.
    fn reason_key(&self) -> Option<char> {
        "rtw".chars().find(|key| self.keyed(*key).is_none())
    }

    /// Where the mark stands until it is moved: where nothing happens.
    fn safest(&self) -> usize {
        let items = self.items();
        let is_safe = |item: &Item| match item {
            Item::NotNow | Item::Text => true,
            Item::Reason(_) => false,
            Item::Choice(at) => {
                self.question.kind == QuestionKind::Permission && self.id(*at) == Choice::DENY
            }
        };
        items.iter().position(is_safe).unwrap_or(items.len())
    }

    fn id(&self, choice: usize) -> &str {
        self.question
            .choices
            .get(choice)
            .map_or(Choice::DENY, |choice| choice.id.as_str())
    }

    fn keyed(&self, key: char) -> Option<usize> {
        self.question
            .choices
            .iter()
            .position(|choice| choice.key.eq_ignore_ascii_case(&key))
    }

    fn scrolled(&mut self, key: KeyEvent) -> bool {
        let is_free = self.writing == Writing::Nothing;
        let is_long = self.body.is_long();
        match key.code {
            KeyCode::PageUp => self.body.page_up(),
            KeyCode::PageDown => self.body.page_down(),
            KeyCode::Up if is_long => self.body.up(1),
            KeyCode::Down if is_long => self.body.down(1),
            KeyCode::Home if is_free => self.body.up(usize::MAX),
            KeyCode::End if is_free => self.body.end(),
            KeyCode::Char(' ') if is_free => self.body.page_down(),
            _ => return false,
        }
        true
    }

    fn choose(&mut self, key: KeyEvent) -> Verdict {
        match key.code {
            KeyCode::Esc => self.refuse(),
            KeyCode::Enter if self.hand == Hand::Users => self.take(),
            KeyCode::Enter => self.refuse(),
            KeyCode::Tab | KeyCode::Right | KeyCode::Down => self.step(next),
            KeyCode::Left | KeyCode::Up => self.step_back(),
            KeyCode::Char(c) if is_plain(key) => self.letter(c),
            _ => Verdict::Stay,
        }
    }

    fn step(&mut self, to: fn(usize, usize) -> usize) -> Verdict {
        let length = self.items().len();
        if length > 0 {
            self.marked = to(self.marked, length);
            self.hand = Hand::Users;
        }
        Verdict::Stay
    }

    /// From what stores nothing the mark does not come upon what lasts: that is
    /// reached over what is allowed once.
    fn step_back(&mut self) -> Verdict {
        let from = self.lasts(self.marked);
        self.step(previous);
        while !from && self.lasts(self.marked) {
            self.step(previous);
        }
        Verdict::Stay
    }

    /// Whether the item of this number would store a rule.
    fn lasts(&self, item: usize) -> bool {
        match self.items().get(item) {
            Some(Item::Choice(at)) => {
                let choice = self.question.choices.get(*at);
                choice.is_some_and(|choice| choice.rule.is_some())
            }
            _ => false,
        }
    }

    fn letter(&mut self, c: char) -> Verdict {
        if let Some(choice) = self.keyed(c) {
            return self.pick(choice);
        }
        let reason = self
            .items()
            .iter()
            .any(|item| matches!(item, Item::Reason(key) if key.eq_ignore_ascii_case(&c)));
        if reason {
            self.writing = Writing::Reason;
            return Verdict::Stay;
        }
        self.notice = Some(format!("`{c}` is not offered here: {}", self.keys()));
        Verdict::Stay
    }

    fn keys(&self) -> String {
        let keys: Vec<String> = self
            .items()
            .iter()
            .filter_map(|item| match item {
                Item::Choice(at) => Some(self.question.choices.get(*at)?.key.to_string()),
                Item::Reason(key) => Some(key.to_string()),
                Item::NotNow => Some(String::from("Enter")),
                Item::Text => None,
            })
            .collect();
        keys.join(", ")
    }

    /// The marked one, which the user marked.
    fn take(&mut self) -> Verdict {
        match self.items().get(self.marked) {
            Some(Item::Choice(choice)) => self.pick(*choice),
            Some(Item::Reason(_)) => {
                self.writing = Writing::Reason;
                Verdict::Stay
            }
            Some(Item::NotNow | Item::Text) | None => self.refuse(),
        }
    }

    fn pick(&mut self, choice: usize) -> Verdict {
        let Some(chosen) = self.question.choices.get(choice) else {
            return Verdict::Stay;
        };
        match &chosen.typed {
            None => self.say(&chosen.id.clone(), None),
            Some(word) => {
                // Whoever types the word at once has its first letter there.
                let begun = word.starts_with(chosen.key) && self.hand == Hand::Ours;
                let first = if begun {
                    chosen.key.to_string()
                } else {
                    String::new()
                };
                self.field.set(&first);
                self.writing = Writing::Word(choice);
                Verdict::Stay
            }
        }
    }

    fn refuse(&self) -> Verdict {
        match self.question.kind {
            QuestionKind::Trust => self.say(Choice::NOT_NOW, None),
            QuestionKind::Permission | QuestionKind::AskUser => self.say(Choice::DENY, None),
        }
    }

    fn say(&self, choice: &str, text: Option<String>) -> Verdict {
        Verdict::Answered(Answer {
            question: self.question.id.clone(),
            choice: choice.to_owned(),
            text,
            by: AnsweredBy::User,
            call: None,
        })
    }
}

fn is_plain(key: KeyEvent) -> bool {
    key.modifiers.difference(KeyModifiers::SHIFT).is_empty()
}
