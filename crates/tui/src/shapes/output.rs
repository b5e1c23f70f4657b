//! What a command printed, as a person would want to see it: without the
//! sequences that steer a terminal, and a progress bar in its last state. Not
//! for what somebody decides by: there all of it is made visible.

use super::{Fold, count, margin, more, shown, within};
use crate::text::{Line, Role};

/// Lines that are shown folded: the last ones.
const SHOWN: usize = 8;
/// Lines of a command of the user's own, which are shown whole: as many as two
/// thirds of the window, within these.
const LEAST_OWN: usize = 8;
const MOST_OWN: usize = 40;
/// Bytes of a line that are looked at; the end says more than the begin.
const LONGEST: usize = 64 * 1024;

pub(super) fn lines(output: &str, fold: Fold, columns: usize) -> Vec<Line> {
    let output = output.trim_end_matches(['\n', '\r']);
    if output.is_empty() {
        return Vec::new();
    }
    if fold == Fold::Whole {
        return output
            .split('\n')
            .flat_map(|line| within(&shown(Role::Text, &settled(line)), columns))
            .collect();
    }
    let total = output.split('\n').count();
    let limit = if total == SHOWN + 1 { total } else { SHOWN };
    let mut lines = Vec::new();
    if total > limit {
        let before = format!("… +{} before", count(total - limit, "line"));
        lines.push(more(&before, columns));
    }
    lines.extend(last(output, limit, columns));
    lines
}

/// What a command of the user's own printed, in a window of so many rows: its
/// beginning and its end.
pub(super) fn both_ends(output: &str, rows: usize, fold: Fold, columns: usize) -> Vec<Line> {
    let most = (rows * 2 / 3).clamp(LEAST_OWN, MOST_OWN);
    let (top, bottom) = (most / 2, most * 3 / 8);
    let output = output.trim_end_matches(['\n', '\r']);
    let total = output.split('\n').count();
    if fold == Fold::Whole || output.is_empty() {
        return lines(output, fold, columns);
    }
    if total <= most {
        return last(output, most, columns);
    }
    let first = output.split('\n').take(top);
    let mut shown: Vec<Line> = first.map(|line| row(line, columns)).collect();
    let between = format!("… +{}", count(total - top - bottom, "line"));
    shown.push(more(&between, columns));
    shown.extend(last(output, bottom, columns));
    shown
}

fn row(line: &str, columns: usize) -> Line {
    shown(Role::Dim, &settled(line))
        .behind(margin())
        .cut(columns)
}

/// The last rows, each cut.
pub(super) fn last(output: &str, rows: usize, columns: usize) -> Vec<Line> {
    let output = output.trim_end_matches(['\n', '\r']);
    if output.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<Line> = output
        .rsplit('\n')
        .take(rows)
        .map(|line| row(line, columns))
        .collect();
    lines.reverse();
    lines
}

/// A line as it stood when the command had written all of it.
fn settled(line: &str) -> String {
    let from = line.ceil_char_boundary(line.len().saturating_sub(LONGEST));
    let line = line.get(from..).unwrap_or_default();
    let line = line.trim_end_matches('\r');
    let mut out = String::new();
    // Where the letters of the last state begin: what stood there is overwritten.
    let mut returned = false;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => skip(&mut rest),
            '\r' => returned = true,
            '\x08' => {
                out.pop();
            }
            c => {
                if std::mem::take(&mut returned) {
                    out.clear();
                }
                out.push(c);
            }
        }
    }
    out
}

/// Passes over an escape sequence.
fn skip(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        // Up to the letter that says what it does.
        Some('[') => {
            for c in rest.by_ref() {
                if matches!(c, '\x40'..='\x7e') {
                    break;
                }
            }
        }
        // A title or a link: up to the bell or the string terminator.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            let mut escaped = false;
            for c in rest.by_ref() {
                if c == '\x07' || (escaped && c == '\\') {
                    break;
                }
                escaped = c == '\x1b';
            }
        }
        Some('(' | ')' | '#' | '%') => {
            rest.next();
        }
        Some(_) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_bar_is_its_last_state_and_colours_are_gone() {
        assert_eq!(settled("10%\r50%\r100%\r"), "100%");
        assert_eq!(settled("\x1b[32mok\x1b[0m \x1b]8;;http://x\x1b\\y"), "ok y");
        assert_eq!(settled("ab\x08c"), "ac");
        assert_eq!(settled("\x1b(Bx\x1b"), "x");
        assert_eq!(settled("a\x1b[2K\rb"), "b");
    }
}
