//! What the user said, as it stands in the conversation. A long paste is not
//! written out there: its beginning stands for it, and its end, where the request
//! often is.

use crate::shapes::{Fold, key_of_rest};
use crate::text::{Line, Role, Span, Style, width, wrap};
use tenon_vocab::figures::count;

/// More rows than this are folded to the first and the last of them.
const MOST: usize = 20;
const FIRST: usize = 10;
const LAST: usize = 4;
/// Bytes of a line that are laid out where it is folded.
const LONGEST: usize = 16 * 1024;
const BAR: &str = "▌ ";

pub(super) fn lines(text: &str, fold: Fold, columns: usize) -> Vec<Line> {
    let mut rows = Vec::new();
    for line in text.lines() {
        if fold == Fold::Folded && (rows.len() > MOST || line.len() > LONGEST) {
            return folded(text, columns);
        }
        rows.extend(laid(line, columns));
    }
    match fold {
        Fold::Folded if rows.len() > MOST => folded(text, columns),
        Fold::Folded | Fold::Whole => rows,
    }
}

fn folded(text: &str, columns: usize) -> Vec<Line> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut first, mut begun, mut missing) = (Vec::new(), 0, lines.len());
    for (at, line) in lines.iter().enumerate() {
        let room = FIRST - first.len();
        if room == 0 {
            break;
        }
        let (start, _) = line.split_at(line.floor_char_boundary(LONGEST));
        let rows = laid(start, columns);
        missing -= usize::from(rows.len() <= room && start.len() == line.len());
        first.extend(rows.into_iter().take(room));
        begun = at + 1;
    }
    let mut last = Vec::new();
    for line in lines.iter().skip(begun).rev() {
        let room = LAST - last.len();
        if room == 0 {
            break;
        }
        let from = line.len().saturating_sub(LONGEST);
        let (_, end) = line.split_at(line.ceil_char_boundary(from));
        let rows = laid(end, columns);
        missing -= usize::from(rows.len() <= room && end.len() == line.len());
        last.extend(rows.into_iter().rev().take(room));
    }
    last.reverse();
    let more = format!("… +{}", count(missing, "line"));
    let more = key_of_rest(&more, columns.saturating_sub(2)).behind(Span::new(Role::Accent, BAR));
    first.push(more.cut(columns));
    first.extend(last);
    first
}

/// A bar beside every row: where the user speaks is seen while scrolling by.
fn laid(line: &str, columns: usize) -> Vec<Line> {
    let bar = Span::new(Role::Accent, BAR);
    let line = Line::new(Style::from(Role::User).bold(), line);
    let rows = wrap(&line, columns.saturating_sub(width(BAR)).max(1), 0);
    let rows = rows.into_iter();
    rows.map(|row| row.behind(bar.clone()).cut(columns.max(1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, fold: Fold) -> Vec<String> {
        let lines = lines(text, fold, 30);
        lines.iter().map(Line::plain).collect()
    }

    #[test]
    fn a_long_paste_stands_there_with_its_beginning_and_its_end() {
        let mut text: String = (1..=20_000).map(|n| format!("line {n}\n")).collect();
        text.push_str("why does it fail?");
        let rows = shown(&text, Fold::Folded);
        assert_eq!(rows.len(), FIRST + 1 + LAST, "{rows:?}");
        assert_eq!(rows[0], "▌ line 1");
        assert_eq!(rows[FIRST], "▌ … +19987 lines (ctrl+t)");
        assert_eq!(rows[FIRST + LAST], "▌ why does it fail?");
        assert_eq!(shown(&text, Fold::Whole).len(), 20_001);
    }

    #[test]
    fn what_is_not_long_is_shown_whole_and_rows_count_not_lines() {
        let text = ["word"; MOST].join("\n");
        assert_eq!(shown(&text, Fold::Folded), shown(&text, Fold::Whole));
        // One line, and more than a screen of it.
        let rows = shown(&"word ".repeat(8_000), Fold::Folded);
        assert_eq!(rows.len(), FIRST + 1, "{rows:?}");
        assert!(rows[FIRST].contains("+1 line "), "{rows:?}");
        let rows = shown(&format!("{}\nend", "word ".repeat(300)), Fold::Folded);
        assert_eq!(rows.last().map(String::as_str), Some("▌ end"), "{rows:?}");
    }
}
