//! Which part of a list is on the screen. Drawing alone knows how high the list
//! is, and keys need that for a page: so it is kept in cells.

use crate::text::{Band, Line, Role, Style};
use std::cell::Cell;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Scroll {
    top: Cell<usize>,
    height: Cell<usize>,
}

impl Scroll {
    /// The rows to draw, so that the selected one is among them and the list
    /// moves no more than it must.
    pub fn around(&self, selected: usize, length: usize, height: usize) -> Range<usize> {
        self.height.set(height);
        let last = length.saturating_sub(height);
        let lowest = (selected + 1).saturating_sub(height);
        let top = self.top.get().clamp(lowest, selected.max(lowest)).min(last);
        self.top.set(top);
        top..(top + height).min(length)
    }

    /// How many rows a page is: as many as were drawn, but one that stays.
    #[must_use]
    pub fn page(&self) -> usize {
        self.height.get().saturating_sub(1).max(1)
    }
}

/// Whether a row is the chosen one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    On,
    Off,
}

impl Mark {
    #[must_use]
    pub fn of(row: usize, selected: usize) -> Self {
        if row == selected { Self::On } else { Self::Off }
    }

    /// What stands before the row: seen also where there are no colours.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::On => "▸ ",
            Self::Off => "  ",
        }
    }

    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::On => Role::Selected,
            Self::Off => Role::Text,
        }
    }

    /// A row as wide as the list: the chosen one is a bar over all of it. The
    /// letters that were typed stay marked in it.
    #[must_use]
    pub fn row(self, line: Line, columns: usize) -> Line {
        let mut line = line.cut(columns);
        if self == Self::Off {
            return line;
        }
        for span in &mut line.spans {
            span.style = match span.style.role {
                Role::Match => span.style.within(Band::Chosen),
                _ => Style::from(Role::Selected),
            };
        }
        let rest = columns.saturating_sub(line.width());
        line.push(Role::Selected, &" ".repeat(rest));
        line
    }

    /// For the key that takes the row.
    #[must_use]
    pub fn key_role(self) -> Role {
        match self {
            Self::On => Role::Selected,
            Self::Off => Role::Accent,
        }
    }
}

/// A place in a list, one step on, around its ends.
#[must_use]
pub fn next(selected: usize, length: usize) -> usize {
    if selected + 1 < length {
        selected + 1
    } else {
        0
    }
}

#[must_use]
pub fn previous(selected: usize, length: usize) -> usize {
    selected
        .checked_sub(1)
        .unwrap_or_else(|| length.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_moves_only_when_it_must() {
        let scroll = Scroll::default();
        assert_eq!(scroll.around(0, 10, 3), 0..3);
        assert_eq!(scroll.around(2, 10, 3), 0..3);
        assert_eq!(scroll.around(3, 10, 3), 1..4);
        assert_eq!(scroll.around(2, 10, 3), 1..4);
        assert_eq!(scroll.around(9, 10, 3), 7..10);
        assert_eq!(scroll.around(0, 2, 3), 0..2);
        assert_eq!(scroll.around(0, 0, 3), 0..0);
        assert_eq!(scroll.around(4, 9, 0), 5..5);
    }
}
