//! What the beginning of a line means in Markdown. It looks at one line and
//! knows nothing of the lines around it.

use std::borrow::Cow;

/// The columns of white space that a line begins with, and their bytes. A tab
/// goes to the next multiple of four.
pub(super) fn indent(line: &str) -> (usize, usize) {
    let mut columns = 0;
    for (at, c) in line.char_indices() {
        match c {
            ' ' => columns += 1,
            '\t' => columns += 4 - columns % 4,
            _ => return (columns, at),
        }
    }
    (columns, line.len())
}

/// The line without so many columns of its indent; what is left of a tab is
/// spaces.
pub(super) fn strip(line: &str, columns: usize) -> Cow<'_, str> {
    let mut used = 0;
    for (at, c) in line.char_indices() {
        if used >= columns {
            return match used - columns {
                0 => Cow::Borrowed(line.get(at..).unwrap_or_default()),
                more => Cow::Owned(format!(
                    "{}{}",
                    " ".repeat(more),
                    line.get(at..).unwrap_or_default()
                )),
            };
        }
        match c {
            ' ' => used += 1,
            '\t' => used += 4 - used % 4,
            _ => return Cow::Borrowed(line.get(at..).unwrap_or_default()),
        }
    }
    Cow::Borrowed("")
}

/// The line without the indent that its fence has, or as much as it has of it.
pub(super) fn strip_at_most(line: &str, columns: usize) -> Cow<'_, str> {
    strip(line, columns.min(indent(line).0))
}

pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// What follows a `>`.
pub(super) fn quoted(line: &str) -> Option<Cow<'_, str>> {
    let (columns, at) = indent(line);
    if columns > 3 {
        return None;
    }
    let rest = line.get(at..)?.strip_prefix('>')?;
    Some(match rest.as_bytes().first() {
        Some(b' ' | b'\t') => strip(rest, 1),
        _ => Cow::Borrowed(rest),
    })
}

/// The begin or the end of a fenced block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    pub mark: char,
    pub length: usize,
    pub indent: usize,
    pub info: String,
}

pub(super) fn fence(line: &str) -> Option<Fence> {
    let (indent, at) = indent(line);
    let rest = line.get(at..)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = rest.trim_start_matches(mark);
    let length = rest.len() - info.len();
    if indent > 3 || length < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    Some(Fence {
        mark,
        length,
        indent,
        info: info.trim().to_owned(),
    })
}

impl Fence {
    pub fn is_closed_by(&self, line: &str) -> bool {
        fence(line).is_some_and(|end| {
            end.mark == self.mark && end.length >= self.length && end.info.is_empty()
        })
    }

    /// The word for the language: `rust` of `rust,ignore` and of `{.rust}`.
    pub fn language(&self) -> &str {
        let word = self.info.split([' ', ',', '\t']).next().unwrap_or_default();
        word.trim_matches(|c| matches!(c, '{' | '}' | '.'))
    }
}

pub(super) fn is_heading(line: &str) -> bool {
    let (columns, at) = indent(line);
    let rest = line.get(at..).unwrap_or_default();
    let text = rest.trim_start_matches('#');
    let level = rest.len() - text.len();
    columns <= 3 && (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']))
}

pub(super) fn is_rule(line: &str) -> bool {
    let (columns, at) = indent(line);
    let rest = line.get(at..).unwrap_or_default();
    let Some(mark) = rest.chars().next().filter(|c| "*-_".contains(*c)) else {
        return false;
    };
    columns <= 3
        && rest.chars().all(|c| c == mark || c == ' ' || c == '\t')
        && rest.chars().filter(|c| *c == mark).count() >= 3
}

/// What makes a heading of the paragraph before it.
pub(super) fn is_underline(line: &str) -> bool {
    let (columns, at) = indent(line);
    let rest = line.get(at..).unwrap_or_default().trim_end();
    columns <= 3
        && !rest.is_empty()
        && (rest.bytes().all(|b| b == b'-') || rest.bytes().all(|b| b == b'='))
}

/// The line between the head of a table and its rows.
pub(super) fn is_delimiter_row(line: &str) -> bool {
    line.contains('-')
        && line.contains('|')
        && line
            .bytes()
            .all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t'))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bullet {
    Mark(char),
    /// With the character behind the number.
    Number(char),
}

/// The begin of an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemMark<'a> {
    pub bullet: Bullet,
    pub number: u64,
    /// Columns that a line needs to belong to the item.
    pub indent: usize,
    pub rest: Cow<'a, str>,
}

pub(super) fn item(line: &str) -> Option<ItemMark<'_>> {
    let (before, at) = indent(line);
    let text = line.get(at..)?;
    if before > 3 {
        return None;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = text.get(digits..)?.chars().next()?;
    let (bullet, number) = match (digits, mark) {
        (0, '-' | '*' | '+') => (Bullet::Mark(mark), 0),
        (1..=9, '.' | ')') => (Bullet::Number(mark), text.get(..digits)?.parse().ok()?),
        _ => return None,
    };
    let behind = text.get(digits + 1..)?;
    let wide = before + digits + 1;
    if is_blank(behind) {
        return Some(ItemMark {
            bullet,
            number,
            indent: wide + 1,
            rest: Cow::Borrowed(""),
        });
    }
    let (gap, _) = indent(behind);
    let gap = match gap {
        0 => return None,
        // What stands further right is code inside the item.
        5.. => 1,
        gap => gap,
    };
    Some(ItemMark {
        bullet,
        number,
        indent: wide + gap,
        rest: strip(behind, gap),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_know_where_their_text_begins() {
        let read = |line| item(line).map(|mark| (mark.number, mark.indent, mark.rest.into_owned()));
        assert_eq!(read("- a"), Some((0, 2, "a".into())));
        assert_eq!(read("  12.  a"), Some((12, 7, "a".into())));
        assert_eq!(read("-"), Some((0, 2, String::new())));
        assert_eq!(read("-      code"), Some((0, 2, "     code".into())));
        assert_eq!(read("-a"), None);
        assert_eq!(read("    - a"), None);
        assert_eq!(read("1234567890. a"), None);
        assert_eq!(read("漢"), None);
    }

    #[test]
    fn fences_rules_and_underlines_are_told_apart() {
        assert_eq!(
            fence("```rust,x").map(|f| f.language().to_owned()),
            Some("rust".into())
        );
        assert!(fence("```a`b").is_none());
        assert!(fence("````").is_some_and(|f| !f.is_closed_by("```") && f.is_closed_by("`````")));
        assert!(is_rule("- - -") && is_rule("***") && !is_rule("--") && !is_rule("--- a"));
        assert!(is_underline("---") && is_underline("=") && !is_underline("- - -"));
        assert!(is_heading("## a") && is_heading("#") && !is_heading("#a"));
    }

    #[test]
    fn a_tab_that_is_used_in_part_leaves_spaces() {
        assert_eq!(strip("\ta", 2), "  a");
        assert_eq!(strip("  \ta", 3), " a");
        assert_eq!(strip("a", 2), "a");
        assert_eq!(indent("\t b"), (5, 2));
    }
}
