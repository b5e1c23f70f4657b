//! What was done to the text, so that it can be taken back and done again. A
//! bounded memory: the oldest steps are forgotten first, by number and by size.

use super::Aim;
use super::buffer::Place;
use std::collections::VecDeque;

/// Steps that are kept.
const STEPS: usize = 200;
/// Bytes of text that all of them may hold; the newest is kept at any size.
const BYTES: usize = 8 * 1024 * 1024;

/// Bytes after which typed text without spaces is a new step.
const UNSPACED: usize = 60;

/// One replacement: where, what was there, what is there now. Folded pastes are
/// one character in both, so their text is not copied here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) at: Place,
    pub(super) removed: String,
    pub(super) inserted: String,
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) change: Change,
    /// Where what was inserted ends.
    pub(super) end: Place,
    /// Where the caret was, and where it came to stand.
    pub(super) before: Place,
    pub(super) after: Place,
    /// Whom the text was for, and whom it is for since.
    pub(super) was: Aim,
    pub(super) is: Aim,
}

impl Step {
    fn bytes(&self) -> usize {
        self.change.removed.len() + self.change.inserted.len()
    }
}

/// Whether a change goes on with the step before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// A step of its own.
    Alone,
    /// Joined until a new word begins.
    Typed,
    /// Joined whatever it is: keys that came faster than fingers are.
    Burst,
}

#[derive(Debug, Default)]
pub(super) struct Undo {
    done: VecDeque<Step>,
    undone: Vec<Step>,
    bytes: usize,
}

impl Undo {
    pub(super) fn record(&mut self, step: Step, group: Group) {
        for lost in self.undone.drain(..) {
            self.bytes -= lost.bytes().min(self.bytes);
        }
        self.bytes += step.bytes();
        if let Some(last) = self.done.back_mut()
            && joins(last, &step, group)
        {
            last.change.inserted.push_str(&step.change.inserted);
            last.end = step.end;
            last.after = step.after;
            last.is = step.is;
        } else {
            self.done.push_back(step);
        }
        while self.done.len() > 1 && (self.done.len() > STEPS || self.bytes > BYTES) {
            let Some(lost) = self.done.pop_front() else {
                break;
            };
            self.bytes -= lost.bytes().min(self.bytes);
        }
    }

    /// The step to take back; the caller does it.
    pub(super) fn back(&mut self) -> Option<Step> {
        let step = self.done.pop_back()?;
        self.undone.push(step.clone());
        Some(step)
    }

    /// The step to do again.
    pub(super) fn again(&mut self) -> Option<Step> {
        let step = self.undone.pop()?;
        self.done.push_back(step.clone());
        Some(step)
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Every text that is kept.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.done
            .iter()
            .chain(&self.undone)
            .flat_map(|step| [&step.change.removed, &step.change.inserted])
            .map(String::as_str)
    }
}

fn joins(last: &Step, next: &Step, group: Group) -> bool {
    let written = last.change.inserted.as_str();
    let coming = next.change.inserted.as_str();
    let follows = last.after == next.change.at && last.after == last.end;
    let adds = next.change.removed.is_empty() && !written.is_empty() && last.is == next.was;
    match group {
        Group::Alone => false,
        Group::Burst => follows && adds,
        Group::Typed => follows && adds && !ends_word(written, coming),
    }
}

fn ends_word(written: &str, coming: &str) -> bool {
    let word = written.ends_with(char::is_whitespace) && !coming.starts_with(char::is_whitespace);
    let line = written.ends_with('\n') || coming.starts_with('\n');
    // Scripts without spaces: with a clause, or when it has become long.
    let clause = written.ends_with(['、', '。', '，', '！', '？', '；', '：']);
    let long = written.len() >= UNSPACED && !coming.is_ascii();
    word || line || clause || long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(byte: usize, text: &str) -> Step {
        let at = Place::new(0, byte);
        Step {
            change: Change {
                at,
                removed: String::new(),
                inserted: text.to_owned(),
            },
            end: at.after(text),
            before: at,
            after: at.after(text),
            was: Aim::Model,
            is: Aim::Model,
        }
    }

    #[test]
    fn typed_letters_join_to_words_with_the_spaces_behind_them() {
        let mut undo = Undo::default();
        for (at, letter) in "ab  cd".chars().enumerate() {
            undo.record(step(at, &letter.to_string()), Group::Typed);
        }
        let texts: Vec<&str> = undo.texts().filter(|text| !text.is_empty()).collect();
        assert_eq!(texts, ["ab  ", "cd"]);
    }

    #[test]
    fn the_memory_is_bounded_by_number_and_by_size() {
        let mut undo = Undo::default();
        for _ in 0..500 {
            undo.record(step(0, "x"), Group::Alone);
        }
        assert_eq!(undo.done.len(), STEPS);
        let large = "x".repeat(BYTES / 2 + 1);
        for _ in 0..3 {
            undo.record(step(0, &large), Group::Alone);
        }
        assert_eq!(undo.done.len(), 1, "the newest stays at any size");
        assert_eq!(undo.bytes, large.len());
    }
}
