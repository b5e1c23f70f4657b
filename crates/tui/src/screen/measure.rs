//! How much room a line takes on terminals that do not agree about widths.
//!
//! [`crate::text::width`] says what we lay out by. Here is asked whether the
//! terminal must agree: all do about letters and CJK, many do not about emoji,
//! joined sequences and marks. Where it matters, both ends are reckoned with.

use crate::text::Line;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// The columns of a line on every terminal; none if they may differ.
pub(super) fn sure(line: &Line) -> Option<usize> {
    line.spans.iter().map(|span| sure_text(span.text())).sum()
}

pub(super) fn sure_text(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return Some(text.len());
    }
    text.graphemes(true).map(sure_grapheme).sum()
}

fn sure_grapheme(grapheme: &str) -> Option<usize> {
    let mut characters = grapheme.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => sure_character(only),
        _ => None,
    }
}

/// Letters of the large scripts that stand alone, our own marks and frames, CJK.
/// Not emoji: which of them are wide changed with each Unicode.
fn sure_character(c: char) -> Option<usize> {
    let expected = match c {
        ' '..='~' => return Some(1),
        '\u{a0}'..='\u{24f}'
        | '\u{370}'..='\u{3ff}'
        | '\u{400}'..='\u{481}'
        | '\u{48a}'..='\u{52f}'
        | '\u{1e00}'..='\u{1eff}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20bf}'
        | '\u{2400}'..='\u{2426}'
        | '\u{2500}'..='\u{25fc}' => 1,
        '\u{3001}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309b}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff01}'..='\u{ff60}' => 2,
        _ => return None,
    };
    (c.width() == Some(expected)).then_some(expected)
}

/// Which end of what a terminal may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Most,
}

fn columns_of(grapheme: &str, end: End) -> usize {
    match (sure_grapheme(grapheme), end) {
        (Some(width), _) => width,
        (None, End::Least) => 1,
        (None, End::Most) => 2 * grapheme.chars().count(),
    }
}

/// Whether a line takes one row for certain.
pub(super) fn is_one_row(line: &Line, columns: usize) -> bool {
    let most: usize = line
        .spans
        .iter()
        .map(|span| match span.text() {
            text if text.is_ascii() => text.len(),
            text => text.graphemes(true).map(|g| columns_of(g, End::Most)).sum(),
        })
        .sum();
    most <= columns
}

/// Whether a character of it may take two columns.
pub(super) fn has_wide(line: &Line) -> bool {
    let mut texts = line.spans.iter().map(|span| span.text());
    texts.any(|text| !text.is_ascii() && text.graphemes(true).any(|g| columns_of(g, End::Most) > 1))
}

/// The rows that a line takes when the terminal wraps it; none if terminals may
/// differ.
pub(super) fn rows(line: &Line, columns: usize) -> Option<usize> {
    let most = most_rows(line, columns);
    (least_rows(line, columns) == most).then_some(most)
}

pub(super) fn most_rows(line: &Line, columns: usize) -> usize {
    spread(line, columns, 0, End::Most).0
}

/// The row, of those that a wrapped line takes, on which its cell in `column`
/// lies; at least. What lies behind the end of the text goes with its last row.
/// Some terminals move the cursor by counting columns and forget the gaps before
/// wide characters.
pub(super) fn row_of(line: &Line, columns: usize, column: usize) -> usize {
    let row = spread(line, columns, column, End::Least).1;
    row.min(column / columns.max(1))
}

pub(super) fn least_rows(line: &Line, columns: usize) -> usize {
    spread(line, columns, 0, End::Least).0
}

/// Rows in all, and the row of a cell. A wide character that does not fit the
/// rest of a row goes to the next one.
fn spread(line: &Line, columns: usize, column: usize, end: End) -> (usize, usize) {
    let columns = columns.max(1);
    let (mut row, mut used, mut before) = (0, 0, 0);
    let mut found = None;
    for span in &line.spans {
        for grapheme in span.text().graphemes(true) {
            let wide = columns_of(grapheme, end);
            if used + wide > columns && used > 0 {
                row += 1;
                used = 0;
            }
            // Of a character of unknown width the terminal may break the parts.
            row += (used + wide).saturating_sub(1) / columns;
            used = (used + wide).saturating_sub(1) % columns + 1;
            before += wide;
            if found.is_none() && before > column {
                found = Some(row);
            }
        }
    }
    (row + 1, found.unwrap_or(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;

    fn line(text: &str) -> Line {
        Line::new(Role::Text, text)
    }

    #[test]
    fn only_what_all_terminals_agree_on_is_sure() {
        assert_eq!(sure(&line("plain")), Some(5));
        assert_eq!(sure(&line("漢字 ok é─▸")), Some(11));
        for doubtful in ["👨‍👩‍👧", "☺️", "e\u{301}", "👍🏽", "🇩🇪", "\u{1fae8}"]
        {
            assert_eq!(sure(&line(doubtful)), None, "{doubtful}");
        }
    }

    #[test]
    fn a_line_takes_one_row_only_if_no_terminal_needs_two() {
        assert!(is_one_row(&line("12345"), 5));
        assert!(!is_one_row(&line("123456"), 5));
        assert!(is_one_row(&line("漢字"), 4));
        assert!(!is_one_row(&line("👨‍👩‍👧"), 5));
        assert!(is_one_row(&line("👨‍👩‍👧"), 10));
    }

    #[test]
    fn wrapped_lines_are_counted_as_the_terminal_wraps_them() {
        assert_eq!(rows(&line(""), 10), Some(1));
        assert_eq!(rows(&line("1234567890"), 10), Some(1));
        assert_eq!(rows(&line("12345678901"), 10), Some(2));
        // Two columns, of which one stays free on each row.
        assert_eq!(rows(&line("漢字漢字"), 3), Some(4));
        assert_eq!(rows(&line("👨‍👩‍👧"), 3), None);
        assert_eq!(row_of(&line("1234567890abc"), 5, 0), 0);
        assert_eq!(row_of(&line("1234567890abc"), 5, 5), 1);
        assert_eq!(row_of(&line("1234567890abc"), 5, 12), 2);
        assert_eq!(row_of(&line("1234567890"), 5, 10), 1);
        assert_eq!(row_of(&line("> "), 5, 20), 0);
        assert_eq!(row_of(&line("漢字漢字"), 3, 4), 1);
        assert_eq!(row_of(&line("漢字漢字"), 4, 4), 1);
    }
}
