//! Rows under headings, as wide as a terminal draws them. For people only: a
//! program reads `--json`.

use std::fmt;
use tenon_vocab::Printable;
use unicode_width::UnicodeWidthStr;

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
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                let gap = width.saturating_sub(cell.width()) + 2;
                line.extend(std::iter::repeat_n(' ', gap));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
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
    fn an_escape_sequence_in_a_cell_is_made_visible() {
        let mut table = Table::new(&["a"]);
        table.row([String::from("\x1b[31mred\nline")]);
        assert_eq!(table.to_string(), "a\n␛[31mred␊line\n");
    }
}
