//! Rows under headings, as wide as a terminal draws them. For people only: a
//! program reads `--json`.

use std::fmt;
use tenon_vocab::Printable;
use unicode_width::UnicodeWidthStr;

const GAP: usize = 2;
/// A last column narrower than this is not wrapped: it would be unreadable.
const NARROWEST: usize = 20;

/// Every cell is made printable when it comes in.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headings: &[&str]) -> Self {
        let mut table = Self { rows: Vec::new() };
        table.row(headings.iter().map(|&heading| heading.to_owned()));
        table
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|cell| Printable::line(&cell).into_string())
                .collect(),
        );
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }

    /// The lines, with the last column wrapped to this width.
    pub fn wrapped(&self, width: usize) -> Vec<String> {
        let widths = self.widths();
        self.rows
            .iter()
            .flat_map(|row| row_lines(row, &widths, width))
            .collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.wrapped(usize::MAX) {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
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

    #[test]
    fn columns_stand_under_each_other_by_width_and_not_by_characters() {
        let mut table = Table::new(&["name", "value"]);
        table.row([String::from("漢字"), String::from("x")]);
        table.row([String::from("ab"), String::new()]);
        assert_eq!(table.to_string(), "name  value\n漢字  x\nab\n");
    }

    #[test]
    fn the_last_column_is_wrapped_to_a_width() {
        let mut table = Table::new(&["name", "what"]);
        table.row(["ab", "one two three four five"].map(String::from));
        assert_eq!(
            table.wrapped(27),
            ["name  what", "ab    one two three four", "      five"]
        );
    }

    #[test]
    fn an_escape_sequence_in_a_cell_is_made_visible() {
        let mut table = Table::new(&["a"]);
        table.row([String::from("\x1b[31mred\nline")]);
        assert_eq!(table.to_string(), "a\n␛[31mred␊line\n");
    }
}
