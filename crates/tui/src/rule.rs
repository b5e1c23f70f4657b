//! Rules across the screen, with a few words in them: they make a field of the
//! input and of what stands in its place.

use crate::text::{Line, Role, Span};

/// Cells of a rule that always stay beside its words.
pub const AROUND: usize = 8;

/// `── search: mai ────────────`
#[must_use]
pub fn above(words: &Line, role: Role, columns: usize) -> Line {
    let words = match fitting(words, role, columns) {
        Ok(words) => words,
        Err(line) => return line,
    };
    let rest = columns.saturating_sub(words.width() + 4);
    let mut line = words.behind(Span::new(role, "── "));
    line.push(role, &format!(" {}", "─".repeat(rest)));
    line
}

/// `──────── enter sends ──`
#[must_use]
pub fn below(words: &Line, role: Role, columns: usize) -> Line {
    let words = match fitting(words, role, columns) {
        Ok(words) => words,
        Err(line) => return line,
    };
    let before = columns.saturating_sub(words.width() + 4);
    let mut line = words.behind(Span::new(role, &format!("{} ", "─".repeat(before))));
    line.push(role, " ──");
    line
}

/// The words as far as they fit. Without any it is a rule all through, and where it
/// is too narrow for a rule they stand alone.
fn fitting(words: &Line, role: Role, columns: usize) -> Result<Line, Line> {
    if words.width() == 0 {
        return Err(Line::new(role, &"─".repeat(columns)));
    }
    match columns > 2 * AROUND {
        true => Ok(words.clone().cut(columns - AROUND)),
        false => Err(words.clone().cut(columns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_as_wide_as_the_screen_and_its_words_stay_where_it_is_narrow() {
        let words = Line::new(Role::Dim, "enter sends");
        for columns in 1..60 {
            for line in [
                above(&words, Role::Border, columns),
                below(&words, Role::Border, columns),
            ] {
                assert!(line.width() <= columns, "{columns}: {}", line.plain());
                assert!(line.plain().contains('e') || columns < 2, "{columns}");
            }
        }
        assert_eq!(
            above(&words, Role::Border, 20).plain(),
            "── enter sends ─────"
        );
        assert_eq!(
            below(&words, Role::Border, 20).plain(),
            "───── enter sends ──"
        );
        assert_eq!(above(&Line::empty(), Role::Border, 3).plain(), "───");
    }
}
