//! The keys of vim: normal and insert mode, operators with motions and counts.
//! No visual mode, no named registers, no repetition: a place to write prompts,
//! not an editor. What is deleted or yanked goes to the kill ring; whole lines
//! end in a line feed there, and that is how they are known again.

mod motion;
mod operate;

use super::buffer::Place;
use super::keys::Press;
use super::view::Way;
use super::{Composer, Typed};
use crossterm::event::KeyCode;
use motion::{Find, Side, Target, Turn};
use operate::Operator;
use std::time::Instant;

/// Larger counts are taken for this one: nobody means them.
const MOST: usize = 9_999;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Insert,
    Normal,
}

/// What the next key completes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Awaits {
    #[default]
    Command,
    /// After `g`.
    G,
    /// After `f`, `F`, `t` or `T`: a letter to look for.
    Find(Side),
    /// After `r`.
    Replacement,
}

/// A command as far as it was typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pending {
    /// Before the operator.
    times: Option<usize>,
    operator: Option<Operator>,
    /// Behind it, or of a command without one.
    count: Option<usize>,
    awaits: Awaits,
}

impl Pending {
    /// None if no count was typed.
    fn count(self) -> Option<usize> {
        match (self.times, self.count) {
            (None, None) => None,
            (times, count) => Some(
                times
                    .unwrap_or(1)
                    .saturating_mul(count.unwrap_or(1))
                    .min(MOST),
            ),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Vim {
    mode: Mode,
    pending: Pending,
    find: Option<Find>,
}

impl Vim {
    /// Whether letters are written, and not commands.
    pub(super) fn writes(&self) -> bool {
        self.mode == Mode::Insert
    }

    pub(super) fn mode(&self) -> &'static str {
        match self.mode {
            Mode::Insert => "INSERT",
            Mode::Normal => "NORMAL",
        }
    }

    pub(super) fn key(&mut self, composer: &mut Composer, press: Press, now: Instant) -> Typed {
        if self.mode == Mode::Insert {
            if press.code == KeyCode::Esc && !press.ctrl() && !press.alt() {
                self.leave_insert(composer);
                return Typed::Taken;
            }
            return composer.emacs(press, now);
        }
        let typed = self.normal(composer, press, now);
        if matches!(typed, Typed::Submit(_) | Typed::Run(_)) {
            self.mode = Mode::Insert;
        }
        if self.mode == Mode::Normal {
            operate::stand_on_letter(&mut composer.desk);
        }
        typed
    }

    fn leave_insert(&mut self, composer: &mut Composer) {
        self.mode = Mode::Normal;
        self.pending = Pending::default();
        composer.burst.stop();
        let desk = &mut composer.desk;
        if desk.caret.byte > 0 {
            desk.caret = desk.buffer.previous(desk.caret).unwrap_or(desk.caret);
        }
    }

    fn normal(&mut self, composer: &mut Composer, press: Press, now: Instant) -> Typed {
        match press.code {
            KeyCode::Esc if self.pending == Pending::default() => Typed::Passed,
            KeyCode::Esc => {
                self.pending = Pending::default();
                Typed::Taken
            }
            KeyCode::Char('r') if press.ctrl() && !press.alt() => {
                let count = self.take().count().unwrap_or(1);
                (0..count).for_each(|_| composer.desk.redo());
                Typed::Taken
            }
            KeyCode::Char(c) if !press.ctrl() && !press.alt() => {
                self.letter(composer, c);
                Typed::Taken
            }
            KeyCode::Backspace if !press.ctrl() && !press.alt() => {
                self.letter(composer, 'h');
                Typed::Taken
            }
            _ => {
                self.pending = Pending::default();
                composer.emacs(press, now)
            }
        }
    }

    fn take(&mut self) -> Pending {
        std::mem::take(&mut self.pending)
    }

    fn letter(&mut self, composer: &mut Composer, c: char) {
        match (self.pending.awaits, c) {
            (Awaits::G, 'g') => self.move_to(composer, motion::first_line),
            (Awaits::G, _) => self.pending = Pending::default(),
            (Awaits::Find(side), _) => {
                let find = Find { letter: c, side };
                self.find = Some(find);
                self.move_to(composer, |desk, count| {
                    motion::find(desk, find, Turn::First, count)
                });
            }
            (Awaits::Replacement, _) => {
                let count = self.take().count().unwrap_or(1);
                operate::replace(&mut composer.desk, c, count);
            }
            (Awaits::Command, '1'..='9') => self.digit(c),
            (Awaits::Command, '0') if self.pending.count.is_some() => self.digit(c),
            (Awaits::Command, _) => self.command(composer, c),
        }
    }

    fn digit(&mut self, c: char) {
        let digit = c.to_digit(10).unwrap_or(0) as usize;
        let count = self.pending.count.unwrap_or(0) * 10 + digit;
        self.pending.count = Some(count.min(MOST));
    }

    fn command(&mut self, composer: &mut Composer, c: char) {
        if let Some(side) = Side::of(c) {
            self.pending.awaits = Awaits::Find(side);
            return;
        }
        if let Some(operator) = Operator::of(c) {
            self.operator(composer, operator);
            return;
        }
        match c {
            'g' => self.pending.awaits = Awaits::G,
            'j' | 'k' if self.pending.operator.is_none() => {
                let count = self.take().count().unwrap_or(1);
                let way = if c == 'j' { Way::Down } else { Way::Up };
                for turn in 0..count {
                    if turn > 0 {
                        composer.desk.begin();
                    }
                    composer.vertical(way);
                }
            }
            ';' => self.find_again(composer, self.find),
            ',' => self.find_again(composer, self.find.map(Find::turned)),
            _ => match motion::of(c) {
                Some(motion) => self.move_by_name(composer, c, motion),
                None => self.act(composer, c),
            },
        }
    }

    fn find_again(&mut self, composer: &mut Composer, find: Option<Find>) {
        self.move_to(composer, |desk, count| {
            motion::find(desk, find?, Turn::Again, count)
        });
    }

    /// The second one of the same makes it about lines: `dd`.
    fn operator(&mut self, composer: &mut Composer, operator: Operator) {
        match self.pending.operator {
            None => {
                self.pending.operator = Some(operator);
                self.pending.times = self.pending.count.take();
            }
            Some(first) if first == operator => {
                let count = self.take().count().unwrap_or(1);
                let line = composer.desk.caret.line;
                let target = Target::Lines(line, line.saturating_add(count - 1));
                self.apply(composer, operator, target);
            }
            Some(_) => self.pending = Pending::default(),
        }
    }

    /// `cw` reaches to the end of the word, not to the next one, and `dw` not
    /// into the next line.
    fn move_by_name(&mut self, composer: &mut Composer, c: char, motion: motion::Motion) {
        let operator = self.pending.operator;
        match (c, operator) {
            ('w' | 'W', Some(Operator::Change)) => {
                self.move_to(composer, move |desk, n| motion::rest_of_word(desk, c, n));
            }
            ('w' | 'W', Some(_)) => {
                self.move_to(composer, move |desk, n| motion::word_in_line(desk, c, n));
            }
            _ => self.move_to(composer, motion),
        }
    }

    fn move_to(
        &mut self,
        composer: &mut Composer,
        motion: impl FnOnce(&super::Desk, Option<usize>) -> Option<Target>,
    ) {
        let pending = self.take();
        let Some(target) = motion(&composer.desk, pending.count()) else {
            return;
        };
        match pending.operator {
            Some(operator) => self.apply(composer, operator, target),
            None => composer.desk.caret = target.place(&composer.desk),
        }
    }

    fn apply(&mut self, composer: &mut Composer, operator: Operator, target: Target) {
        operate::apply(&mut composer.desk, operator, target);
        if operator == Operator::Change {
            self.mode = Mode::Insert;
        }
    }

    /// Commands that take no motion.
    fn act(&mut self, composer: &mut Composer, c: char) {
        let pending = self.take();
        if pending.operator.is_some() {
            return;
        }
        let count = pending.count().unwrap_or(1);
        let desk = &mut composer.desk;
        let line = desk.caret.line;
        let to_end = Target::Range(desk.caret, desk.buffer.line_end(line));
        let lines = Target::Lines(line, line.saturating_add(count - 1));
        match c {
            'i' | 'a' | 'I' | 'A' | 'o' | 'O' => {
                operate::open(desk, c);
                self.mode = Mode::Insert;
            }
            'x' => operate::apply(desk, Operator::Delete, motion::right(desk, count)),
            'X' => operate::apply(desk, Operator::Delete, motion::left(desk, count)),
            's' => {
                let target = motion::right(desk, count);
                self.apply(composer, Operator::Change, target);
            }
            'D' => operate::apply(desk, Operator::Delete, to_end),
            'C' => self.apply(composer, Operator::Change, to_end),
            'S' => self.apply(composer, Operator::Change, lines),
            'Y' => operate::apply(desk, Operator::Yank, lines),
            'r' => {
                self.pending = Pending {
                    awaits: Awaits::Replacement,
                    ..pending
                };
            }
            '~' => operate::toggle_case(desk, count),
            'J' => operate::join(desk, count),
            'p' => operate::put_back(desk, operate::Where::After, count),
            'P' => operate::put_back(desk, operate::Where::Before, count),
            'u' => (0..count).for_each(|_| desk.undo()),
            _ => {}
        }
    }
}

/// The last letter of a line: normal mode stands on letters, not behind them.
fn last_letter(desk: &super::Desk, line: usize) -> Place {
    let end = desk.buffer.line_end(line);
    desk.buffer
        .previous(end)
        .filter(|place| place.line == line)
        .unwrap_or(end)
}
