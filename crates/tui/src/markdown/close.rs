//! Marks that a half-written paragraph has opened and not closed: they are
//! closed for the look, so that text does not jump when the end comes.

/// A line of which only the marks have come says nothing yet: three of these
/// letters could be a rule, a fence, a heading or the begin of a word.
pub(super) fn is_only_marks(line: &str) -> bool {
    line.bytes().all(|byte| b" \t`~#-*+>=|_:".contains(&byte))
}

/// Closes what is open at the end.
pub(super) fn close(text: &mut String) {
    // A mark at the very end may still grow or open something.
    let kept = text.trim_end_matches(['*', '_', '`', '~']);
    let is_opening = kept.is_empty() || kept.ends_with(char::is_whitespace);
    if is_opening {
        let length = kept.trim_end().len();
        text.truncate(length);
    }
    for mark in open(text).iter().rev() {
        text.push_str(mark);
    }
}

/// Whether what follows may belong to a mark, a link or a tag that has begun.
pub(super) fn is_open(text: &str) -> bool {
    !open(text).is_empty() || is_in_link(text) || is_in_tag(text)
}

fn is_in_link(text: &str) -> bool {
    let count = |mark| text.matches(mark).count();
    let target = text.rfind("](").and_then(|at| text.get(at + 2..));
    // A definition may have its title on the next line.
    let is_definition = text.trim_start().starts_with('[') && text.contains("]:");
    count('[') > count(']') || target.is_some_and(|url| !url.contains(')')) || is_definition
}

fn is_in_tag(text: &str) -> bool {
    let begun = text.rfind('<').and_then(|at| text.get(at + 1..));
    begun.is_some_and(|tag| {
        tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
            && !tag.contains('>')
    })
}

/// The marks that are open at the end, the outermost first.
fn open(text: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run: usize = match c {
            '*' | '_' | '`' | '~' => rest.len() - rest.trim_start_matches(c).len(),
            '\\' => {
                let escaped = rest.chars().nth(1).map_or(0, char::len_utf8);
                rest = rest.get(1 + escaped..).unwrap_or_default();
                before = 'x';
                continue;
            }
            _ => {
                before = c;
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            }
        };
        let (mark, behind) = rest.split_at(run);
        rest = behind;
        let in_code = open.last().is_some_and(|mark| mark.starts_with('`'));
        if open.last().is_some_and(|last| last == mark) {
            open.pop();
        } else if !in_code && opens(c, run, before, behind) {
            open.push(mark.to_owned());
        }
        before = c;
    }
    open
}

fn opens(mark: char, run: usize, before: char, behind: &str) -> bool {
    let is_before_text = behind.starts_with(|c: char| !c.is_whitespace());
    match mark {
        '`' => true,
        '*' => run <= 3 && is_before_text,
        '_' => run <= 3 && is_before_text && !before.is_alphanumeric(),
        '~' => run == 2 && is_before_text,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(text: &str) -> String {
        let mut text = text.to_owned();
        close(&mut text);
        text
    }

    #[test]
    fn what_is_open_is_closed_from_the_inside() {
        assert_eq!(closed("a **b"), "a **b**");
        assert_eq!(closed("a **b *c"), "a **b *c***");
        assert_eq!(closed("a `x * y"), "a `x * y`");
        assert_eq!(closed("a **b** c"), "a **b** c");
        assert_eq!(closed("a **"), "a");
        assert_eq!(closed("snake_case 2 * 3"), "snake_case 2 * 3");
        assert_eq!(closed(r"a \*b"), r"a \*b");
        assert_eq!(closed("~~x"), "~~x~~");
    }
}
