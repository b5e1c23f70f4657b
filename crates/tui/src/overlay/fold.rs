//! Breaks a line where a terminal would: at the edge, after whatever stands
//! there. Unlike [`crate::text::wrap`] it loses no space, so what is decided on
//! is shown to the letter, and a match is found again in the pieces.

use crate::text::{Break, Line, Span, Style, grapheme_width, wrap};
use unicode_segmentation::UnicodeSegmentation;

/// The rows that a line takes. Joined again they are the line, but for a wide
/// character on a screen of one column, which only an ellipsis can stand for.
#[must_use]
pub fn fold(mut line: Line, columns: usize) -> Vec<Line> {
    line.ends = Break::Made;
    if columns == 0 {
        return vec![Line::empty()];
    }
    if line.width() <= columns {
        return vec![line];
    }
    let mut rows = Rows::new(columns);
    for span in &line.spans {
        rows.span(span);
    }
    rows.done
}

/// Words of our own, broken between them; what follows the first row is indented.
#[must_use]
pub fn worded(line: &Line, columns: usize, indent: usize) -> Vec<Line> {
    fold_all(wrap(line, columns, indent), columns)
}

/// All of them, in their order.
#[must_use]
pub fn fold_all(lines: Vec<Line>, columns: usize) -> Vec<Line> {
    lines
        .into_iter()
        .flat_map(|line| fold(line, columns))
        .collect()
}

struct Rows {
    columns: usize,
    used: usize,
    done: Vec<Line>,
}

impl Rows {
    fn new(columns: usize) -> Self {
        Self {
            columns,
            used: 0,
            done: vec![Line::empty()],
        }
    }

    fn span(&mut self, span: &Span) {
        let text = span.text();
        let mut from = 0;
        for (at, grapheme) in text.grapheme_indices(true) {
            let wide = grapheme_width(grapheme);
            let fits = wide <= self.columns;
            let takes = if fits { wide } else { 1 };
            if self.used + takes > self.columns {
                self.add(span.style, text.get(from..at));
                self.done.push(Line::empty());
                self.used = 0;
                from = at;
            }
            if !fits {
                self.add(span.style, text.get(from..at));
                self.add(span.style, Some("…"));
                from = at + grapheme.len();
            }
            self.used += takes;
        }
        self.add(span.style, text.get(from..));
    }

    fn add(&mut self, style: Style, text: Option<&str>) {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return;
        };
        if let Some(row) = self.done.last_mut() {
            row.push(style, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;
    use proptest::prelude::*;

    fn plain(text: &str, columns: usize) -> Vec<String> {
        fold(Line::new(Role::Text, text), columns)
            .iter()
            .map(Line::plain)
            .collect()
    }

    #[test]
    fn spaces_at_the_edge_stay() {
        assert_eq!(plain("ab   cd", 3), ["ab ", "  c", "d"]);
        assert_eq!(plain("漢字x", 3), ["漢", "字x"]);
        assert_eq!(plain("漢a", 1), ["…", "a"]);
        assert_eq!(plain("", 5), [""]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_row_fits(
            parts in prop::collection::vec("\\PC{0,20}|[ -~]{0,30}", 0..5),
            columns in 2_usize..30,
        ) {
            let line = Line::of(parts.iter().map(|part| Span::new(Role::Text, part)));
            let whole = line.plain();
            let rows = fold(line, columns);
            for row in &rows {
                prop_assert!(row.width() <= columns, "{row:?}");
            }
            prop_assert_eq!(rows.iter().map(Line::plain).collect::<String>(), whole);
        }
    }
}
