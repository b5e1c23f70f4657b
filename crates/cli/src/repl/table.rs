//! The answer to a query as a table: columns under each other by the width that
//! a terminal draws, the last one wrapped.

use tenon_vocab::{Printable, Reply, TableReply};
use unicode_width::UnicodeWidthStr;

const GAP: usize = 2;
/// A last column narrower than this is not wrapped: it would be unreadable.
const NARROWEST: usize = 20;

/// As wide as the terminal, 80 where there is none.
pub fn width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|columns| *columns > 0)
        .unwrap_or(80)
}

pub fn reply(reply: &Reply, width: usize) -> String {
    match reply {
        Reply::Table(table) => draw(table, width),
        Reply::Words { words } => Printable::block(&words.join("\n")).into_string(),
        Reply::Unavailable { reason } => format!("not available: {}", Printable::line(reason)),
    }
}

fn draw(reply: &TableReply, width: usize) -> String {
    let mut lines = Vec::new();
    if reply.rows.is_empty() {
        lines.push(String::from("(nothing)"));
    } else {
        let mut rows = vec![printable(&reply.columns)];
        rows.extend(reply.rows.iter().map(|row| printable(row)));
        let widths = widths(&rows);
        for row in &rows {
            lines.extend(row_lines(row, &widths, width));
        }
    }
    lines.extend(
        reply
            .note
            .iter()
            .map(|note| Printable::line(note).into_string()),
    );
    lines.join("\n")
}

fn printable(cells: &[String]) -> Vec<String> {
    cells
        .iter()
        .map(|cell| Printable::line(cell).into_string())
        .collect()
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    widths
}

fn row_lines(row: &[String], widths: &[usize], width: usize) -> Vec<String> {
    let Some((last, before)) = row.split_last() else {
        return Vec::new();
    };
    let mut line = String::new();
    for (cell, column) in before.iter().zip(widths) {
        line.push_str(cell);
        let gap = column.saturating_sub(cell.width()) + GAP;
        line.extend(std::iter::repeat_n(' ', gap));
    }
    let indent = line.width();
    let room = width.saturating_sub(indent);
    let pieces = if room < NARROWEST {
        vec![last.clone()]
    } else {
        wrap(last, room)
    };
    pieces
        .iter()
        .enumerate()
        .map(|(n, piece)| {
            let begin = if n == 0 {
                line.clone()
            } else {
                " ".repeat(indent)
            };
            format!("{begin}{piece}").trim_end().to_owned()
        })
        .collect()
}

/// At words; a word that is too long stands alone.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else {
            continue;
        };
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]]) -> TableReply {
        TableReply {
            columns: vec!["name".into(), "what".into()],
            rows: rows
                .iter()
                .map(|row| row.map(String::from).to_vec())
                .collect(),
            note: None,
        }
    }

    #[test]
    fn columns_stand_under_each_other_by_drawn_width() {
        assert_eq!(
            draw(&table(&[["漢字", "x"], ["ab", "y"]]), 80),
            "name  what\n漢字  x\nab    y"
        );
    }

    #[test]
    fn the_last_column_is_wrapped_to_the_terminal() {
        let drawn = draw(&table(&[["ab", "one two three four five"]]), 27);
        assert_eq!(drawn, "name  what\nab    one two three four\n      five");
    }

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        assert!(!draw(&table(&[["\x1b[2J", "a\nb"]]), 80).contains('\x1b'));
        let refused = reply(
            &Reply::Unavailable {
                reason: "\x1b[2J".into(),
            },
            80,
        );
        assert!(!refused.contains('\x1b'));
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        assert_eq!(draw(&table(&[]), 80), "(nothing)");
    }
}
