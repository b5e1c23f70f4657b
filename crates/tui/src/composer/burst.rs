//! Tells keys that came faster than fingers are: a paste into a terminal that
//! does not mark pastes. Such a paste must not be sent at its first line end.
//! Nothing is held back for it: every key is obeyed when it comes, only Enter
//! means something else.
//!
//! Input methods commit a word or a sentence at once, some with the Enter that
//! ended it. A short run with letters beyond ASCII and no space is taken for
//! such a commit, at the price that a short first line of such a paste is sent.

use super::buffer::Place;
use std::time::{Duration, Instant};

/// Keys of one burst are not further apart.
const GAP: Duration = Duration::from_millis(5);
/// Nor are keys behind a `!`: what runs has to be typed beyond doubt.
const SHELL: Duration = Duration::from_millis(10);
/// Nor what comes behind a paste that was marked: the mark of its end may be a part
/// of the paste.
const PASTED: Duration = Duration::from_millis(50);
/// Characters before an Enter that make a burst of it.
const CHARACTERS: usize = 2;
/// What an input method commits at once is not longer.
const COMMIT: usize = 32;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Origin {
    #[default]
    Letter,
    /// The `!` that began a command.
    Sign,
    /// A paste that the terminal marked.
    Paste,
}

#[derive(Debug, Default)]
pub(super) struct Burst {
    origin: Origin,
    last: Option<Instant>,
    /// Characters of the run so far.
    run: usize,
    foreign: Script,
    spaced: Spaced,
    /// A line end was part of it: it is a paste beyond doubt.
    sure: Sure,
    /// Where it began.
    from: Place,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Script {
    #[default]
    Ascii,
    Beyond,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Spaced {
    #[default]
    No,
    Yes,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Sure {
    #[default]
    No,
    Yes,
}

impl Burst {
    /// A character came, at a place.
    pub(super) fn typed(&mut self, c: char, now: Instant, at: Place) {
        if !self.goes_on(now) {
            *self = Self {
                from: at,
                ..Self::default()
            };
        }
        self.last = Some(now);
        self.run += 1;
        if !c.is_ascii() {
            self.foreign = Script::Beyond;
        }
        if c.is_whitespace() {
            self.spaced = Spaced::Yes;
        }
    }

    /// The character that came is the sign of the shell.
    pub(super) fn opens_shell(&mut self) {
        self.origin = Origin::Sign;
    }

    /// A marked paste ended at a place.
    pub(super) fn pasted(&mut self, now: Instant, at: Place) {
        *self = Self {
            origin: Origin::Paste,
            last: Some(now),
            sure: Sure::Yes,
            from: at,
            ..Self::default()
        };
    }

    pub(super) fn follows_paste(&self) -> bool {
        self.origin == Origin::Paste
    }

    /// Several lines at once, of which the first began with a `!`.
    pub(super) fn is_script(&self) -> bool {
        self.origin == Origin::Sign && self.sure == Sure::Yes
    }

    /// Enter or Tab came: whether it belongs to a burst, and is a character.
    pub(super) fn holds(&self, now: Instant) -> bool {
        self.goes_on(now) && self.is_paste()
    }

    /// Enter was a line end of it.
    pub(super) fn broken(&mut self, now: Instant) {
        self.last = Some(now);
        self.run += 1;
        self.sure = Sure::Yes;
    }

    pub(super) fn is_paste(&self) -> bool {
        let commit =
            self.foreign == Script::Beyond && self.spaced == Spaced::No && self.run <= COMMIT;
        self.sure == Sure::Yes || (self.run >= CHARACTERS && !commit)
    }

    /// Where a paste began that is over now; told once.
    pub(super) fn ended(&mut self, now: Instant) -> Option<Place> {
        if self.goes_on(now) {
            return None;
        }
        let burst = std::mem::take(self);
        (burst.sure == Sure::Yes || burst.run > COMMIT).then_some(burst.from)
    }

    /// Another key: no paste has it.
    pub(super) fn stop(&mut self) {
        *self = Self::default();
    }

    fn goes_on(&self, now: Instant) -> bool {
        let gap = match self.origin {
            Origin::Letter => GAP,
            Origin::Sign => SHELL,
            Origin::Paste => PASTED,
        };
        self.last
            .is_some_and(|last| now.saturating_duration_since(last) <= gap)
    }
}
