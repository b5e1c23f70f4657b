//! What a model writes, as a page: the few marks of Markdown that it uses all
//! the time, and everything else as it stands. No HTML of the text survives, and
//! no mark can make the page do anything: a link is one only when it leads to
//! http or https. One pass, so that no text takes long.

use super::escaped::{block, push};
use std::fmt::Write as _;

/// A code block of a message is shown up to this.
const CODE: usize = 64 * 1024;
const LONGEST_LINK: usize = 2048;

pub(super) fn prose(out: &mut String, text: &str) {
    let mut lines = text.lines().peekable();
    let mut open = Open::Nothing;
    while let Some(line) = lines.next() {
        if let Some(fence) = fence(line) {
            open.close(out);
            let mut code = String::new();
            for inner in lines.by_ref() {
                if closes(inner, fence) {
                    break;
                }
                code.push_str(inner);
                code.push('\n');
            }
            block(out, "code", &code, CODE);
            continue;
        }
        let trimmed = line.trim_start();
        if trimmed.is_empty() {
            open.close(out);
        } else if let Some((level, title)) = heading(trimmed) {
            open.close(out);
            let tag = if level <= 2 { "h3" } else { "h4" };
            let _ = write!(out, "<{tag} dir=\"auto\">");
            inline(out, title);
            let _ = writeln!(out, "</{tag}>");
        } else if let Some(item) = bullet(trimmed) {
            open.item(out, Open::Bullets);
            inline(out, item);
        } else if let Some((number, item)) = numbered(trimmed) {
            open.item(out, Open::Numbers);
            let _ = write!(out, "<span class=\"dim\">{number}.</span> ");
            inline(out, item);
        } else {
            open.line(out);
            inline(out, trimmed);
        }
    }
    open.close(out);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Paragraph,
    Bullets,
    Numbers,
}

impl Open {
    fn close(&mut self, out: &mut String) {
        out.push_str(match self {
            Self::Nothing => "",
            Self::Paragraph => "</p>\n",
            Self::Bullets | Self::Numbers => "</li></ul>\n",
        });
        *self = Self::Nothing;
    }

    /// One more line of what is open, or a new paragraph.
    fn line(&mut self, out: &mut String) {
        if *self == Self::Nothing {
            out.push_str("<p dir=\"auto\">");
            *self = Self::Paragraph;
        } else {
            out.push_str("<br>\n");
        }
    }

    fn item(&mut self, out: &mut String, wanted: Self) {
        if *self == wanted {
            out.push_str("</li>\n<li dir=\"auto\">");
            return;
        }
        self.close(out);
        *self = wanted;
        // The numbers stand in the text: they are the writer's, not ours.
        out.push_str(match wanted {
            Self::Numbers => "<ul class=\"todo\"><li dir=\"auto\">",
            _ => "<ul><li dir=\"auto\">",
        });
    }
}

/// The mark and how often it stands there.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == mark).count();
    let rest = &line[count..];
    (count >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, count))
}

fn closes(line: &str, (mark, count): (char, usize)) -> bool {
    let line = line.trim();
    line.chars().all(|c| c == mark) && line.chars().count() >= count
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((level, title.trim()))
}

fn bullet(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
}

fn numbered(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.split_once(". ")?;
    let is_number = (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some((number, rest))
}

/// Code, bold and links of one line. A mark that is not closed stands as it is.
fn inline(out: &mut String, line: &str) {
    let mut rest = line;
    // Once the end of a mark was looked for in vain, the rest has none either.
    let (mut code, mut bold) = (true, true);
    let mut plain = 0;
    while let Some(at) = rest[plain..].find(['`', '*', '[']).map(|at| at + plain) {
        let (before, from) = rest.split_at(at);
        let found = match from.as_bytes() {
            [b'`', ..] if code => span(from, "`").map_or_else(
                || {
                    code = false;
                    None
                },
                |(inner, after)| Some((Mark::Code(inner), after)),
            ),
            [b'*', b'*', ..] if bold => span(from, "**").map_or_else(
                || {
                    bold = false;
                    None
                },
                |(inner, after)| Some((Mark::Bold(inner), after)),
            ),
            [b'[', ..] => link(from).map(|(text, to, after)| (Mark::Link(text, to), after)),
            _ => None,
        };
        let Some((mark, after)) = found else {
            plain = at + 1;
            continue;
        };
        push(out, before);
        mark.write(out);
        rest = after;
        plain = 0;
    }
    push(out, rest);
}

enum Mark<'a> {
    Code(&'a str),
    Bold(&'a str),
    Link(&'a str, &'a str),
}

impl Mark<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Self::Code(inner) => {
                out.push_str("<code>");
                push(out, inner);
                out.push_str("</code>");
            }
            Self::Bold(inner) => {
                out.push_str("<strong>");
                push(out, inner);
                out.push_str("</strong>");
            }
            Self::Link(text, to) => {
                out.push_str("<a rel=\"noopener noreferrer nofollow\" href=\"");
                push(out, to);
                out.push_str("\">");
                push(out, text);
                out.push_str("</a>");
                // Where it leads stands in the text: a name can say anything.
                if text != to {
                    out.push_str(" <span class=\"dim\">(");
                    push(out, to);
                    out.push_str(")</span>");
                }
            }
        }
    }
}

fn span<'a>(from: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let inner = &from[mark.len()..];
    let end = inner.find(mark)?;
    Some((&inner[..end], &inner[end + mark.len()..])).filter(|(inner, _)| !inner.is_empty())
}

/// Text, target and what follows.
fn link(from: &str) -> Option<(&str, &str, &str)> {
    // No link is longer, and each bracket of a text may ask.
    let near = &from[..from.floor_char_boundary(LONGEST_LINK)];
    let middle = near.find("](")?;
    let end = middle + near[middle..].find(')')?;
    let (text, to) = (&near[1..middle], &near[middle + 2..end]);
    let leads = (to.starts_with("https://") || to.starts_with("http://"))
        && to.chars().all(|c| c.is_ascii_graphic());
    (leads && !text.is_empty() && !text.contains('[')).then_some((text, to, &from[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::prose;

    fn made(text: &str) -> String {
        let mut out = String::new();
        prose(&mut out, text);
        out
    }

    #[test]
    fn the_usual_marks_become_a_page() {
        let out = made(
            "# Title\n\nSome **bold** and `code`.\nMore.\n\n- a\n- b\n\n1. x\n\n```rust\nlet a = \"<b>\";\n```",
        );
        for wanted in [
            "<h3 dir=\"auto\">Title</h3>",
            "<strong>bold</strong> and <code>code</code>.<br>\nMore.</p>",
            "<ul><li dir=\"auto\">a</li>\n<li dir=\"auto\">b</li></ul>",
            "<span class=\"dim\">1.</span> x",
            "<pre class=\"code\">let a = &quot;&lt;b&gt;&quot;;</pre>",
        ] {
            assert!(out.contains(wanted), "{wanted}\n in \n{out}");
        }
    }

    #[test]
    fn only_http_makes_a_link_and_its_target_is_shown() {
        for hostile in [
            "[x](javascript:alert(1))",
            "[x](JAVASCRIPT:alert(1))",
            "[x](data:text/html,<script>)",
            "[x]( https://a)",
            "[x](//evil)",
            "[x](https://a\u{202e}b)",
        ] {
            assert!(!made(hostile).contains("<a "), "{hostile}");
        }
        let out = made("[good](https://a.example/\"onmouseover=1)");
        assert!(
            out.contains("href=\"https://a.example/&quot;onmouseover=1\""),
            "{out}"
        );
        assert!(
            out.contains("(https://a.example/&quot;onmouseover=1)</span>"),
            "{out}"
        );
    }

    #[test]
    fn marks_that_are_not_closed_stand_as_they_are_and_cost_one_look() {
        assert_eq!(
            made("a ** b ` c [ d"),
            "<p dir=\"auto\">a ** b &#96; c [ d</p>\n"
        );
        assert_eq!(made("****"), "<p dir=\"auto\">****</p>\n");
        let long = "[`**".repeat(200_000);
        assert!(made(&long).len() > long.len());
    }

    #[test]
    fn no_text_leaves_an_element_open() {
        for text in [
            "- a\n\n- b\n\ntext",
            "```\nnever closed",
            "- a\n1. b\n# c",
            "",
            "\n\n",
        ] {
            let out = made(text);
            for tag in ["p", "ul", "li", "pre", "h3"] {
                let opened = out.matches(&format!("<{tag} ")).count()
                    + out.matches(&format!("<{tag}>")).count();
                assert_eq!(
                    opened,
                    out.matches(&format!("</{tag}>")).count(),
                    "{tag} in {out}"
                );
            }
        }
    }
}
