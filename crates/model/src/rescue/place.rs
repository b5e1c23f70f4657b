//! Whether what stands at a place of a text is said, or only shown: in a code
//! block, a quotation, a list or a tag for such, indented, in the middle of a
//! sentence, after a long text.

use super::Source;
use crate::dialect::Fence;

/// A longer introduction makes an answer of which a call is only a part.
const LEAD_LINES: usize = 3;
const LEAD_BYTES: usize = 600;

/// Tags whose content is shown.
const SHOWING: &[(&str, &str)] = &[
    ("<!--", "-->"),
    ("<pre", "</pre>"),
    ("<code", "</code>"),
    ("<example", "</example"),
    ("<samp", "</samp"),
    ("<blockquote", "</blockquote>"),
    ("<quote", "</quote"),
    ("<xmp", "</xmp>"),
    ("<textarea", "</textarea>"),
];

/// Words that announce an example. They are few and in one language: they only
/// take away from what the place allows.
const EXAMPLE: &[&str] = &[
    "example",
    "e.g.",
    "for instance",
    "looks like",
    "look like",
    "like this",
    "such as",
    "illustrat",
    "not run",
    "n't run",
    "never run",
];
/// Words at the beginning of a line that forbid what follows.
const FORBIDDEN: &[&str] = &["never", "do not", "don't", "don’t", "avoid", "instead of"];

/// Whether a text may introduce a call.
pub(super) fn introduces(lead: &str, lines: usize) -> bool {
    let short = lead.len() <= LEAD_BYTES
        && lead.lines().filter(|line| !line.trim().is_empty()).count() <= lines;
    short && !shows(lead) && !lead.lines().any(announces_an_example)
}

/// Whether calls that begin here are said.
pub(super) fn is_said(text: &str, at: usize, source: Source) -> bool {
    let lead = &text[..at];
    let (before, own) = lead.rsplit_once('\n').unwrap_or(("", lead));
    match source {
        // After the end of a sentence is as good as a line of its own.
        Source::Text => {
            let ended = own
                .trim_end()
                .ends_with(['.', '!', '?', '…', ':', '。', '>']);
            (own.trim().is_empty() || ended) && introduces(lead, LEAD_LINES)
        }
        Source::Reasoning => {
            let last = before.lines().rev().find(|line| !line.trim().is_empty());
            own.trim().is_empty() && !shows(lead) && !last.is_some_and(announces_an_example)
        }
    }
}

/// Whether a tag that only shows its content is open at the end of a text.
fn shows(lead: &str) -> bool {
    let lead = lead.to_ascii_lowercase();
    SHOWING.iter().any(|(open, close)| {
        lead.rfind(open)
            .is_some_and(|open| !lead[open..].contains(close))
    })
}

fn announces_an_example(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    EXAMPLE.iter().any(|word| line.contains(word))
        || FORBIDDEN.iter().any(|word| line.starts_with(word))
}

/// Whether the beginning of a line makes code or an item of a list of the rest.
/// A model's template may put one space there.
fn sets_apart(before: &str) -> bool {
    let text = before.trim();
    let number = text.strip_suffix(['.', ')']);
    let numbered = number.is_some_and(|n| {
        !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_alphanumeric()) && n.len() <= 3
    });
    match text {
        "" => before.len() > 1 || before == "\t",
        "-" | "*" | "+" | "•" => true,
        _ => numbered,
    }
}

/// Follows the code blocks of a text, forward only. One that is never closed
/// shows all that follows.
#[derive(Debug, Default)]
pub(super) struct Place {
    seen: usize,
    fence: Option<(char, usize, usize)>,
}

impl Place {
    pub(super) fn is_quoted(&mut self, text: &str, at: usize) -> bool {
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        while self.seen < line_start {
            let rest = &text[self.seen..line_start];
            let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
            self.take_line(rest[..length].trim_end());
            self.seen += length;
        }
        let before = &text[line_start..at];
        self.fence.is_some()
            || before.matches('`').count() % 2 == 1
            || before.trim_start().starts_with('>')
            || sets_apart(before)
            || before.ends_with(['"', '\'', '“', '‘', '«', '`'])
    }

    fn take_line(&mut self, line: &str) {
        let Some(fence) = Fence::of(line) else { return };
        self.fence = match self.fence {
            None => Some((fence.mark, fence.length, fence.indent)),
            Some((mark, length, indent)) => {
                let open = Fence {
                    mark,
                    length,
                    indent,
                    info: "",
                };
                (!fence.closes(&open)).then_some((mark, length, indent))
            }
        };
    }
}
