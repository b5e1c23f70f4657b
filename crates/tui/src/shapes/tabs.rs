//! Tabs as the space that they stand for. Not for what somebody decides by:
//! there a tab stays visible.

use crate::text::width;

/// Remembers the column, so that a line may come in pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stops {
    every: usize,
    column: usize,
}

impl Stops {
    /// As code is shown: narrow, because the screen may be.
    pub(crate) fn code() -> Self {
        Self {
            every: 4,
            column: 0,
        }
    }

    /// As programs that print tables expect it of a terminal.
    pub(crate) fn terminal() -> Self {
        Self {
            every: 8,
            column: 0,
        }
    }

    pub(crate) fn spaced(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for (n, piece) in text.split('\t').enumerate() {
            if n > 0 {
                let gap = self.every - self.column % self.every;
                out.extend(std::iter::repeat_n(' ', gap));
                self.column += gap;
            }
            out.push_str(piece);
            self.column += width(piece);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_goes_to_the_next_stop_by_width() {
        assert_eq!(Stops::terminal().spaced("a\tb"), "a       b");
        assert_eq!(Stops::terminal().spaced("漢\tb"), "漢      b");
        let mut stops = Stops::code();
        assert_eq!(stops.spaced("ab"), "ab");
        assert_eq!(stops.spaced("\tc"), "  c");
    }
}
