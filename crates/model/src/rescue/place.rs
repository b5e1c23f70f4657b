//! Whether what stands at a place of a text is said, or only shown: in a code
//! block, in a quotation, indented as code.

use crate::dialect::Fence;

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
        let indented = before.starts_with("    ") || before.starts_with('\t');
        self.fence.is_some()
            || before.matches('`').count() % 2 == 1
            || before.trim_start().starts_with('>')
            || (indented && before.trim().is_empty())
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
