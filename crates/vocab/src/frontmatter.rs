//! The lines between two `---` at the head of a Markdown file, and the rest.
//! Skills, commands and agents are written so. This only cuts; what stands in
//! the frontmatter is read in `config`.

/// A Markdown file in its two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split<'a> {
    /// What stands between the marks; `None` where the file does not begin with
    /// one.
    pub front: Option<&'a str>,
    /// All that follows.
    pub body: &'a str,
    /// Whether the second mark is there. Without it the frontmatter ends at the
    /// first empty line, which is what its author saw.
    pub closed: bool,
}

/// Cuts a text. A byte order mark and blanks after a mark are forgiven.
///
/// ```
/// use tenon_vocab::frontmatter::split;
///
/// let found = split("---\nname: a\n---\n\n# Title\n");
/// assert_eq!(found.front, Some("name: a\n"));
/// assert_eq!(found.body, "\n# Title\n");
/// ```
#[must_use]
pub fn split(text: &str) -> Split<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let none = Split {
        front: None,
        body: text,
        closed: true,
    };
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_mark(line)) else {
        return none;
    };
    let from = first.len();
    let mut at = from;
    let mut gap = None;
    for line in lines {
        let next = at + line.len();
        if is_mark(line) || line.trim_end() == "..." {
            return Split {
                front: text.get(from..at),
                body: text.get(next..).unwrap_or_default(),
                closed: true,
            };
        }
        if line.trim().is_empty() && gap.is_none() {
            gap = Some((at, next));
        }
        at = next;
    }
    let (end, next) = gap.unwrap_or((text.len(), text.len()));
    Split {
        front: text.get(from..end),
        body: text.get(next..).unwrap_or_default(),
        closed: false,
    }
}

fn is_mark(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_text_without_marks_is_all_body() {
        for text in [
            "",
            "# Title\n",
            " ---\nx\n---\n",
            "----\nx\n---\n",
            "a\n---\nb\n---\n",
        ] {
            let found = split(text);
            assert_eq!((found.front, found.body), (None, text));
        }
    }

    #[test]
    fn windows_line_ends_and_a_byte_order_mark_are_forgiven() {
        let found = split("\u{feff}--- \r\nname: a\r\n---\r\nbody");
        assert_eq!(found.front, Some("name: a\r\n"));
        assert_eq!(found.body, "body");
        assert!(found.closed);
    }

    #[test]
    fn a_frontmatter_that_is_not_closed_ends_at_the_first_empty_line() {
        let found = split("---\nname: a\n\n# Title\n");
        assert_eq!(found.front, Some("name: a\n"));
        assert_eq!(found.body, "# Title\n");
        assert!(!found.closed);
        let found = split("---\nname: a");
        assert_eq!((found.front, found.body), (Some("name: a"), ""));
    }

    #[test]
    fn a_rule_in_the_body_stays_there() {
        let found = split("---\nname: a\n---\none\n---\ntwo\n");
        assert_eq!(found.body, "one\n---\ntwo\n");
    }
}
