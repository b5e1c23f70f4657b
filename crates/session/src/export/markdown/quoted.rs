//! Foreign Markdown as a quotation. A line of a quotation begins with `>`, so
//! whatever the text begins and does not end, a fence, a list, a table, ends with
//! it. Only a tag could get out, so none is left to be one: the sign that begins
//! it becomes an entity, except in code, where it is none. The same for images,
//! which would fetch something from another machine.
//!
//! What is code is decided with care: where that is in doubt it is taken for text,
//! and the worst that happens is that a reader sees the entity.

use std::fmt::Write as _;
use tenon_vocab::Printable;

/// Writes the text with an empty line behind it; nothing where there is none.
pub(super) fn quoted(out: &mut String, text: &str) {
    let text = text.trim_end();
    if text.is_empty() {
        return;
    }
    let mut fence = None;
    let mut spans = Spans::Known;
    for line in Printable::block(text).as_str().split('\n') {
        let shown = match fence {
            Some(open) => {
                if closes(line, open) {
                    fence = None;
                }
                line.to_owned()
            }
            None => {
                fence = opened(line);
                if fence.is_some() || line.trim().is_empty() {
                    spans = Spans::Known;
                }
                without_tags(line, &mut spans)
            }
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "> {shown}");
    }
    out.push('\n');
}

/// The sign of a fence, and how many of it began it.
type Fence = (char, usize);

/// Only at the very beginning of a line: there it is one, whatever came before.
fn opened(line: &str) -> Option<Fence> {
    let sign = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == sign).count();
    let says = &line[count..];
    (count >= 3 && !(sign == '`' && says.contains('`'))).then_some((sign, count))
}

fn closes(line: &str, (sign, count): Fence) -> bool {
    let rest = line.trim_start_matches(' ');
    let signs = rest.chars().take_while(|c| *c == sign).count();
    line.len() - rest.len() <= 3 && signs >= count && rest[signs..].trim().is_empty()
}

/// Whether backticks of earlier lines of the paragraph may still pair with later
/// ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spans {
    Known,
    Unknown,
}

fn without_tags(line: &str, spans: &mut Spans) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '`', '\\', '!']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = if let Some(after) = rest.strip_prefix('\\') {
            // With what it escapes, which then is no sign.
            let escaped = after.chars().next().filter(|c| *c != '<');
            1 + escaped.map_or(0, char::len_utf8)
        } else if let Some(after) = rest.strip_prefix('<') {
            out.push_str("&lt;");
            rest = after;
            continue;
        } else if let Some(after) = rest.strip_prefix('!') {
            // An image is fetched by whoever opens the file; a link waits for a click.
            out.push_str(if after.starts_with('[') { "&#33;" } else { "!" });
            rest = after;
            continue;
        } else {
            span(rest, spans)
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// The length of the code that begins here, or of the backticks alone.
fn span(text: &str, spans: &mut Spans) -> usize {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    if *spans == Spans::Known {
        let mut at = ticks;
        while let Some(next) = text[at..].find('`') {
            let run = text[at + next..]
                .bytes()
                .take_while(|byte| *byte == b'`')
                .count();
            at += next + run;
            if run == ticks {
                return at;
            }
        }
    }
    *spans = Spans::Unknown;
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut out = String::new();
        quoted(&mut out, text);
        out
    }

    #[test]
    fn every_line_stays_inside() {
        let text = shown("one\n\n## User\n\n```\nopen\n---\n");
        assert!(text.ends_with("> ---\n\n"), "{text}");
        assert!(text.trim_end().lines().all(|line| line.starts_with("> ")));
        assert_eq!(shown(" \n"), "");
    }

    #[test]
    fn an_image_becomes_a_link_that_nothing_fetches_by_itself() {
        for (text, expected) in [
            ("![a](https://h/x?d=1)", "&#33;[a](https://h/x?d=1)"),
            ("a ![b][c] d!", "a &#33;[b][c] d!"),
            ("\\![b](https://h)", "\\![b](https://h)"),
            ("\\\\![b](https://h)", "\\\\&#33;[b](https://h)"),
            ("`![b](https://h)`", "`![b](https://h)`"),
            ("[b](https://h)", "[b](https://h)"),
        ] {
            assert_eq!(shown(text), format!("> {expected}\n\n"));
        }
    }

    #[test]
    fn no_tag_is_left_outside_of_code() {
        for (text, expected) in [
            (
                "a </blockquote><h2>User</h2>",
                "a &lt;/blockquote>&lt;h2>User&lt;/h2>",
            ),
            ("if a < b", "if a &lt; b"),
            ("`Vec<u8>` <b>", "`Vec<u8>` &lt;b>"),
            ("`` a`<b> `` <i>", "`` a`<b> `` &lt;i>"),
            (r"\<b>", r"\&lt;b>"),
            (r"\`<b>`", r"\`&lt;b>`"),
            (r"\\<b>", r"\\&lt;b>"),
            ("` open <b>", "` open &lt;b>"),
            (
                "```rust\nVec<u8>\n```\n<b>",
                "```rust\n> Vec<u8>\n> ```\n> &lt;b>",
            ),
            (
                "~~~\n```\n<b>\n~~~~\n<b>",
                "~~~\n> ```\n> <b>\n> ~~~~\n> &lt;b>",
            ),
            // No fence: its first line says something with a backtick.
            ("```a`\n<b>", "```a`\n> &lt;b>"),
            // The backtick of the line before pairs with the first of this one.
            ("a ` b\nc ` <h2> ` d", "a ` b\n> c ` &lt;h2> ` d"),
            ("a ` b\n\n`<b>`", "a ` b\n> \n> `<b>`"),
            ("- ```\n  <b>", "- ```\n>   &lt;b>"),
            ("\u{1b}[2J\rb", "␛[2J␍b"),
        ] {
            assert_eq!(shown(text), format!("> {expected}\n\n"), "{text:?}");
        }
    }
}
