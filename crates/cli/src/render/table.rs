//! Rows under headings, as wide as a terminal draws them. For people only: a
//! program reads `--json`.

use super::wrap::wrap;
use std::fmt;
use tenon_vocab::Printable;
use unicode_width::UnicodeWidthStr;

const GAP: usize = 2;
/// A last column narrower than this is not wrapped: it would be unreadable.
const NARROWEST: usize = 20;

/// Every cell is made printable when it comes in. All of them stand in one text:
/// a list may have thousands of rows.
#[derive(Debug, Default)]
pub struct Table {
    text: String,
    cells: Vec<Cell>,
    /// For each row, where its cells end.
    rows: Vec<usize>,
}

#[derive(Debug)]
struct Cell {
    /// In the text.
    end: usize,
    /// As a terminal draws it.
    width: usize,
}

impl Table {
    pub fn new(headings: &[&str]) -> Self {
        let mut table = Self::default();
        table.row(headings);
        table
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        for cell in cells {
            self.cell(cell.as_ref());
        }
        self.rows.push(self.cells.len());
    }

    fn cell(&mut self, cell: &str) {
        let odd = cell.bytes().position(|byte| !matches!(byte, b' '..=b'~'));
        let width = match odd {
            None => {
                self.text.push_str(cell);
                cell.len()
            }
            Some(odd) => {
                // What follows may join the letter before it.
                let (plain, rest) = cell.split_at(odd.saturating_sub(1));
                let rest = Printable::line(rest);
                self.text.push_str(plain);
                self.text.push_str(rest.as_str());
                plain.len() + rest.as_str().width()
            }
        };
        let end = self.text.len();
        self.cells.push(Cell { end, width });
    }

    /// Text and width of each cell, row by row.
    fn rows(&self) -> impl Iterator<Item = Vec<(&str, usize)>> {
        let (mut first, mut start) = (0, 0);
        self.rows.iter().map(move |end| {
            let cells = self.cells.get(first..*end).unwrap_or_default();
            first = *end;
            cells
                .iter()
                .map(|cell| {
                    let text = self.text.get(start..cell.end).unwrap_or_default();
                    start = cell.end;
                    (text, cell.width)
                })
                .collect()
        })
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        let mut first = 0;
        for end in &self.rows {
            let cells = self.cells.get(first..*end).unwrap_or_default();
            first = *end;
            widths.resize(widths.len().max(cells.len()), 0);
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.width);
            }
        }
        widths
    }

    /// The lines, with the last column wrapped to this width; where the others leave
    /// no room for it, each row as a record: its first cell, and the rest below.
    pub fn wrapped(&self, width: usize) -> Vec<String> {
        let widths = self.widths();
        let all: usize = widths.iter().map(|width| width + GAP).sum();
        let last = widths.last().map_or(0, |width| width + GAP);
        if all > width.saturating_add(GAP) && all - last + NARROWEST > width {
            return self
                .rows()
                .skip(1)
                .flat_map(|row| record(&row, width))
                .collect();
        }
        self.rows()
            .flat_map(|row| row_lines(&row, &widths, width))
            .collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let mut line = String::new();
        for row in self.rows() {
            line.clear();
            if let Some(((last, _), before)) = row.split_last() {
                columns(&mut line, before, &widths);
                line.push_str(last);
            }
            f.write_str(line.trim_end())?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}

/// Cells as wide as their columns, each with the gap behind it. Gives the width.
fn columns(line: &mut String, cells: &[(&str, usize)], widths: &[usize]) -> usize {
    let mut indent = 0;
    for ((cell, width), column) in cells.iter().zip(widths) {
        line.push_str(cell);
        let gap = column.saturating_sub(*width) + GAP;
        line.extend(std::iter::repeat_n(' ', gap));
        indent += column + GAP;
    }
    indent
}

/// A row under its first cell.
fn record(row: &[(&str, usize)], width: usize) -> Vec<String> {
    let Some(((first, _), rest)) = row.split_first() else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    if !first.is_empty() {
        lines.extend(wrap(first, width));
    }
    let room = width.saturating_sub(GAP);
    let mut line = String::new();
    for (cell, wide) in rest.iter().filter(|(cell, _)| !cell.is_empty()) {
        if !line.is_empty() && line.width() + GAP + wide <= room {
            line.extend([" ".repeat(GAP).as_str(), cell]);
        } else {
            lines.extend(set_in(&line, room));
            (*cell).clone_into(&mut line);
        }
    }
    lines.extend(set_in(&line, room));
    lines
}

fn set_in(line: &str, room: usize) -> Vec<String> {
    let pieces = match line {
        "" => Vec::new(),
        line => wrap(line, room),
    };
    let indent = " ".repeat(GAP);
    pieces
        .iter()
        .map(|piece| format!("{indent}{piece}"))
        .collect()
}

fn row_lines(row: &[(&str, usize)], widths: &[usize], width: usize) -> Vec<String> {
    let Some(((last, _), before)) = row.split_last() else {
        return Vec::new();
    };
    let mut line = String::new();
    let indent = columns(&mut line, before, widths);
    let room = width.saturating_sub(indent);
    let pieces = if room < NARROWEST {
        vec![(*last).to_owned()]
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
    fn columns_that_do_not_fit_beside_each_other_stand_below_the_first() {
        let mut table = Table::new(&["key", "value", "from"]);
        table.row(["permission", "grep: allow", "built-in"]);
        table.row(["", "a", "b"]);
        table.row(["url", "http://127.0.0.1:8911/v1", "a variable that is set"]);
        assert_eq!(
            table.wrapped(30),
            [
                "permission",
                "  grep: allow  built-in",
                "  a  b",
                "url",
                "  http://127.0.0.1:8911/v1",
                "  a variable that is set"
            ]
        );
        let beside = table.to_string();
        assert_eq!(table.wrapped(60), beside.lines().collect::<Vec<_>>());
    }

    #[test]
    fn an_escape_sequence_in_a_cell_is_made_visible() {
        let mut table = Table::new(&["a"]);
        table.row([String::from("\x1b[31mred\nline")]);
        assert_eq!(table.to_string(), "a\n␛[31mred␊line\n");
    }
}
