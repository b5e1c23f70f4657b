//! Rows and columns, as wide as the screen: for tables of the model, of tools
//! and of replies. Where the columns do not fit beside each other, each row is
//! a list of `column: value`.

use crate::text::{Line, Role, Span, Style, width, wrap};

/// A column narrower than this is unreadable.
pub(crate) const NARROWEST: usize = 6;
/// So much of a word stays in one piece; a table in which that does not fit is
/// read more easily as records.
const WORD: usize = 14;
const BETWEEN: &str = " │ ";
const GAP: usize = 3;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Align {
    #[default]
    Left,
    Middle,
    Right,
}

/// A cell is lines; one that is too wide is wrapped.
type Cell = Vec<Line>;

#[derive(Debug, Default)]
pub(crate) struct Grid {
    aligned: Vec<Align>,
    head: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

impl Grid {
    pub(crate) fn aligned(aligned: Vec<Align>) -> Self {
        Self {
            aligned,
            ..Self::default()
        }
    }

    pub(crate) fn head(&mut self, cells: Vec<Cell>) {
        self.head = cells;
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    pub(crate) fn lay(&self, columns: usize) -> Vec<Line> {
        match fit(self.natural(columns), &self.least(), columns) {
            Some(widths) => self.beside(&widths),
            None => self.below(columns),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Vec<Cell>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    /// As wide as the columns would be, at most the screen.
    fn natural(&self, columns: usize) -> Vec<usize> {
        let widths = self.widest(|cell| cell.iter().map(Line::width).max().unwrap_or(0));
        widths
            .into_iter()
            .map(|wide| wide.min(columns.max(1)))
            .collect()
    }

    /// As narrow as they may be: the longest word stays whole.
    fn least(&self) -> Vec<usize> {
        self.widest(|cell| {
            let words = cell.iter().flat_map(|line| {
                let words: Vec<usize> = line.plain().split_whitespace().map(width).collect();
                words
            });
            words.max().unwrap_or(0).clamp(1, WORD)
        })
    }

    fn widest(&self, of: impl Fn(&Cell) -> usize) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in self.all() {
            widths.resize(widths.len().max(row.len()), 1);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = of(cell).max(*width);
            }
        }
        widths
    }

    fn beside(&self, widths: &[usize]) -> Vec<Line> {
        let mut lines = Vec::new();
        if !self.head.is_empty() {
            self.drawn(&mut lines, &self.head, widths);
            let rules: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
            lines.push(Line::new(Role::Border, &rules.join("─┼─")));
        }
        for row in &self.rows {
            self.drawn(&mut lines, row, widths);
        }
        lines
    }

    fn drawn(&self, lines: &mut Vec<Line>, row: &[Cell], widths: &[usize]) {
        let cells: Vec<Vec<Line>> = widths
            .iter()
            .enumerate()
            .map(|(n, wide)| {
                let cell = row.get(n).map(Vec::as_slice).unwrap_or_default();
                cell.iter().flat_map(|line| wrap(line, *wide, 0)).collect()
            })
            .collect();
        let high = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for at in 0..high {
            let mut line = Line::empty();
            // Nothing is padded behind the last text of a line.
            let last = widths.len().saturating_sub(1);
            for (n, wide) in widths.iter().enumerate() {
                if n > 0 {
                    line.spans.push(Span::new(Role::Border, BETWEEN));
                }
                let cell = cells.get(n).and_then(|cell| cell.get(at));
                let free = wide.saturating_sub(cell.map_or(0, Line::width));
                let before = match self.aligned.get(n).copied().unwrap_or_default() {
                    Align::Left => 0,
                    Align::Middle => free / 2,
                    Align::Right => free,
                };
                pad(&mut line, before);
                line.spans
                    .extend(cell.iter().flat_map(|cell| cell.spans.clone()));
                if n < last {
                    pad(&mut line, free - before);
                }
            }
            lines.push(trimmed(line));
        }
    }

    /// Each row for itself, one column a line.
    fn below(&self, columns: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let name = |n: usize| -> String {
            let cell = self.head.get(n).map(Vec::as_slice).unwrap_or_default();
            let words: Vec<String> = cell.iter().map(Line::plain).collect();
            words.join(" ")
        };
        if self.rows.is_empty() {
            let names = self.head.iter().flatten();
            lines.extend(names.flat_map(|line| wrap(line, columns, 0)));
        }
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                lines.push(Line::empty());
            }
            for (n, cell) in row.iter().enumerate() {
                let mut label = name(n);
                if !label.is_empty() {
                    label.push_str(": ");
                }
                let mut line = Line::of([Span::new(Style::from(Role::Text).bold(), &label)]);
                for (part, more) in cell.iter().enumerate() {
                    if part > 0 {
                        line.push(Role::Text, " ");
                    }
                    line.spans.extend(more.spans.clone());
                }
                lines.extend(wrap(&line, columns, 2).into_iter().map(trimmed));
            }
        }
        lines
    }
}

fn pad(line: &mut Line, columns: usize) {
    if columns > 0 {
        line.push(Role::Text, &" ".repeat(columns));
    }
}

/// Without spaces at the end: they would be copied.
pub(crate) fn trimmed(mut line: Line) -> Line {
    while let Some(last) = line.spans.last() {
        let kept = last.text().trim_end_matches(' ');
        if kept.len() == last.text().len() && !kept.is_empty() {
            break;
        }
        let (style, kept) = (last.style, kept.to_owned());
        line.spans.pop();
        if !kept.is_empty() {
            line.spans.push(Span::new(style, &kept));
            break;
        }
    }
    line
}

/// Widths that fit: what is widest gives first, down to what a column needs.
/// `None` if they cannot.
fn fit(mut widths: Vec<usize>, least: &[usize], columns: usize) -> Option<Vec<usize>> {
    let gaps = GAP * widths.len().saturating_sub(1);
    let room = columns.checked_sub(gaps)?;
    let floor = |at: usize, wide: usize| {
        let needed = least.get(at).copied().unwrap_or(NARROWEST);
        needed.max(NARROWEST).min(wide)
    };
    let floors: Vec<usize> = (0..)
        .zip(&widths)
        .map(|(at, wide)| floor(at, *wide))
        .collect();
    if floors.iter().sum::<usize>() > room {
        return None;
    }
    let mut over = widths.iter().sum::<usize>().saturating_sub(room);
    while over > 0 {
        let columns = widths.iter_mut().zip(&floors);
        let (widest, _) = columns
            .filter(|(wide, floor)| **wide > **floor)
            .max_by_key(|(wide, _)| **wide)?;
        *widest -= 1;
        over -= 1;
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_columns_give_first_and_all_fit() {
        let fit = |widths, columns| fit(widths, &[], columns);
        assert_eq!(fit(vec![4, 10], 17), Some(vec![4, 10]));
        assert_eq!(fit(vec![4, 40], 27), Some(vec![4, 20]));
        assert_eq!(fit(vec![30, 40, 5], 41), Some(vec![15, 15, 5]));
        assert_eq!(fit(vec![30, 40, 50], 20), None);
        for columns in 20..120 {
            let fitted = fit(vec![33, 7, 90, 12], columns);
            if let Some(widths) = fitted {
                assert!(widths.iter().sum::<usize>() + 3 * GAP <= columns);
            }
        }
    }

    #[test]
    fn a_table_whose_words_would_be_broken_becomes_records() {
        let cells = |texts: [&str; 4]| texts.map(|text| vec![Line::new(Role::Text, text)]).to_vec();
        let mut grid = Grid::aligned(vec![Align::Left; 4]);
        grid.head(cells(["crate", "responsible for", "depends on", "tests"]));
        grid.row(cells([
            "transport",
            "connections",
            "configuration",
            "all pass",
        ]));
        let plain =
            |columns| -> Vec<String> { grid.lay(columns).iter().map(Line::plain).collect() };
        assert_eq!(plain(120).len(), 3);
        assert!(plain(50)[0].starts_with("crate"), "{:?}", plain(50));
        assert_eq!(
            plain(40),
            [
                "crate: transport",
                "responsible for: connections",
                "depends on: configuration",
                "tests: all pass"
            ]
        );
    }
}
