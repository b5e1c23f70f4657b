//! Readings of what a model sent, besides the plain one: with the line numbers
//! that `read` had put before each line, and with escapes written out.

use super::locate::Repair;
use std::borrow::Cow;

/// One reading of the old and the new text.
pub(super) struct Sent<'a> {
    pub old: Cow<'a, str>,
    pub new: Cow<'a, str>,
    pub repair: Option<Repair>,
}

/// The plain reading first.
pub(super) fn variants<'a>(old: &'a str, new: &'a str) -> Vec<Sent<'a>> {
    let mut all = vec![Sent {
        old: Cow::Borrowed(old),
        new: Cow::Borrowed(new),
        repair: None,
    }];
    if let Some(stripped) = without_numbers(old) {
        all.push(Sent {
            old: Cow::Owned(stripped),
            new: without_numbers(new).map_or(Cow::Borrowed(new), Cow::Owned),
            repair: Some(Repair::LineNumbers),
        });
    }
    if let Some(plain) = unescaped(old) {
        // Real line breaks in the new text alone: its escapes are meant.
        let meant = new.contains('\n') && !old.contains('\n');
        let new = match unescaped(new) {
            Some(plain) if !meant => Cow::Owned(plain),
            _ => Cow::Borrowed(new),
        };
        all.push(Sent {
            old: Cow::Owned(plain),
            new,
            repair: Some(Repair::Escapes),
        });
    }
    all.retain(|sent| !sent.old.is_empty());
    all
}

/// The text without `12<tab>` before each line, when every line has it and the
/// numbers count up.
fn without_numbers(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut expected: Option<u64> = None;
    for line in text.split_inclusive('\n') {
        let (number, rest) = numbered(line)?;
        if expected.is_some_and(|wanted| wanted != number) {
            return None;
        }
        expected = number.checked_add(1);
        out.push_str(rest);
    }
    expected.map(|_| out)
}

fn numbered(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start_matches([' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line.get(..digits)?.parse().ok()?;
    let rest = &line[digits..];
    let rest = ["\t", "→", "| ", "|", ": "]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    Some((number, rest))
}

/// One level of backslash escapes undone; `None` when there is none.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut undone = 0_usize;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let plain = match rest.clone().next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some(quote @ ('"' | '\'' | '\\' | '`' | '/')) => quote,
            _ => {
                out.push(c);
                continue;
            }
        };
        rest.next();
        undone += 1;
        out.push(plain);
    }
    (undone > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{unescaped, without_numbers};

    #[test]
    fn numbers_that_do_not_count_up_are_text() {
        assert_eq!(without_numbers("1\ta\n3\tb"), None);
        assert_eq!(without_numbers("7\ta\n8\tb").as_deref(), Some("a\nb"));
        assert_eq!(without_numbers("   9→\tx").as_deref(), Some("\tx"));
        assert_eq!(without_numbers("plain"), None);
    }

    #[test]
    fn only_one_level_of_escapes_is_undone() {
        assert_eq!(unescaped(r#"a\n\"b\\n\""#).as_deref(), Some("a\n\"b\\n\""));
        assert_eq!(unescaped("no escapes"), None);
        assert_eq!(unescaped(r"\d+"), None);
    }
}
