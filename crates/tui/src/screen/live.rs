//! The live area as it stands on the screen: the rows that fit, cut to the
//! width, and where the cursor is. Nothing is written here.

use super::measure;
use crate::text::{Frame, Line, Role, Ruled, Size, Span, Style};

/// A row of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub line: Line,
    /// Its columns, if every terminal agrees.
    pub sure: Option<usize>,
}

impl Row {
    pub(super) fn new(line: &Line, columns: usize) -> Self {
        let line = trimmed(line.clone().cut(columns));
        let sure = measure::sure(&line);
        Self { line, sure }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Live {
    pub rows: Vec<Row>,
    pub caret: Option<(usize, usize)>,
}

/// The rows that a live area can have: one is left to what was said before.
#[must_use]
pub fn room(size: Size) -> usize {
    size.rows.saturating_sub(1).max(1)
}

impl Live {
    /// What of a frame can be shown: its last rows. The row of the caret is among
    /// them.
    pub(super) fn fit(frame: &Frame, size: Size) -> Self {
        let room = room(size);
        let columns = size.columns.max(1);
        let count = frame.lines.len();
        let last = count.saturating_sub(1);
        let caret = frame.caret.map(|(row, column)| (row.min(last), column));
        let hidden = count.saturating_sub(room);
        let first = caret.map_or(hidden, |(row, _)| hidden.min(row));
        let shown = frame.lines.iter().skip(first).take(room);
        Self {
            rows: shown.map(|line| Row::new(line, columns)).collect(),
            caret: caret.map(|(row, column)| (row - first, column.min(columns - 1))),
        }
    }

    /// Where the cursor stands. Hidden it rests at the top, which no terminal
    /// moves away from the rows above when it is resized.
    pub(super) fn cursor(&self) -> (usize, usize) {
        self.caret.unwrap_or((0, 0))
    }

    /// How many rows more than before lie between the top and the cursor, once
    /// the terminal has wrapped the rows at a new width. Rather too few.
    pub(super) fn deeper(&self, columns: usize) -> usize {
        let (row, column) = self.cursor();
        let above = self.rows.iter().take(row);
        let above: usize = above
            .map(|row| measure::least_rows(&row.line, columns) - 1)
            .sum();
        let own = self.rows.get(row);
        above + own.map_or(0, |row| measure::row_of(&row.line, columns, column))
    }

    /// The rows of all of it, wrapped at a width; at most. An empty one is the
    /// row of the cursor.
    pub(super) fn height(&self, columns: usize) -> usize {
        let rows = self.rows.iter();
        let all: usize = rows.map(|row| measure::most_rows(&row.line, columns)).sum();
        all.max(1)
    }
}

/// Without spaces at its end: they would be copied. Where they are seen they stay.
pub(super) fn trimmed(mut line: Line) -> Line {
    while let Some(last) = line.spans.last() {
        let kept = last.text().trim_end_matches(' ');
        if kept.len() == last.text().len() && !kept.is_empty() || is_seen(last.style) {
            break;
        }
        let kept = (!kept.is_empty()).then(|| Span::new(last.style, kept));
        line.spans.pop();
        if let Some(kept) = kept {
            line.spans.push(kept);
            break;
        }
    }
    line
}

/// Whether a space in this style is more than a gap.
fn is_seen(style: Style) -> bool {
    style.line != Ruled::No
        || matches!(
            style.role,
            Role::Selected | Role::Caret | Role::AddedWord | Role::RemovedWord
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(count: usize, caret: Option<(usize, usize)>) -> Frame {
        Frame {
            lines: (0..count)
                .map(|at| Line::new(Role::Text, &format!("row {at}  ")))
                .collect(),
            caret,
        }
    }

    fn shown(live: &Live) -> Vec<String> {
        live.rows.iter().map(|row| row.line.plain()).collect()
    }

    #[test]
    fn of_a_frame_that_is_too_high_the_end_is_shown_with_the_caret_inside() {
        let size = Size {
            columns: 20,
            rows: 4,
        };
        let live = Live::fit(&frame(6, Some((5, 2))), size);
        assert_eq!(shown(&live), ["row 3", "row 4", "row 5"]);
        assert_eq!(live.caret, Some((2, 2)));
        let live = Live::fit(&frame(6, Some((1, 90))), size);
        assert_eq!(shown(&live), ["row 1", "row 2", "row 3"]);
        assert_eq!(live.caret, Some((0, 19)));
        let live = Live::fit(&frame(6, None), size);
        assert_eq!((live.cursor(), live.rows.len()), ((0, 0), 3));
    }

    #[test]
    fn spaces_at_the_end_go_unless_they_are_seen() {
        let mut line = Line::new(Role::Text, "a b  ");
        line.push(Role::Dim, "   ");
        assert_eq!(trimmed(line).plain(), "a b");
        let mut line = Line::new(Role::Text, "a");
        line.push(Role::Selected, "  ");
        assert_eq!(trimmed(line).plain(), "a  ");
        assert_eq!(trimmed(Line::new(Role::Text, "   ")).plain(), "");
    }
}
