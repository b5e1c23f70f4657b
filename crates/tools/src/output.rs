//! What of a long text the model gets: its head and its tail, cut between
//! characters, with a count of what is missing and the place where the whole
//! is kept (T19). Nothing is shortened here without saying by how much.

use std::path::Path;

/// The two ends of a text, and what stood between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends<'a> {
    pub head: &'a str,
    pub tail: &'a str,
    pub left_out_bytes: usize,
    /// Line breaks in what was left out.
    pub left_out_lines: usize,
}

/// Splits a text of more than `cap` bytes into its two ends, together at most
/// `cap` bytes; `None` when it fits. Prefers to cut at line ends.
#[must_use]
pub fn ends(text: &str, cap: usize) -> Option<Ends<'_>> {
    if text.len() <= cap {
        return None;
    }
    let half = cap / 2;
    let head_end = match text[..floor(text, half)].rfind('\n') {
        // A whole last line, unless that would throw away half of the head.
        Some(at) if at + 1 >= half / 2 => at + 1,
        _ => floor(text, half),
    };
    let tail_from = ceil(text, text.len() - (cap - half));
    let tail_start = match text[tail_from..].find('\n') {
        Some(at) if at < half / 2 => tail_from + at + 1,
        _ => tail_from,
    };
    let middle = &text[head_end..tail_start];
    Some(Ends {
        head: &text[..head_end],
        tail: &text[tail_start..],
        left_out_bytes: middle.len(),
        left_out_lines: middle.matches('\n').count(),
    })
}

/// The text as the model gets it: whole, or its ends with a marker between.
/// `whole` is where the whole text is kept.
#[must_use]
pub fn shorten(text: &str, cap: usize, whole: Option<&Path>) -> String {
    let Some(ends) = ends(text, cap) else {
        return text.to_owned();
    };
    let place = whole.map_or_else(String::new, |path| {
        format!(
            "; the whole output is in {}, open it with `read`",
            path.display()
        )
    });
    let Ends {
        head,
        tail,
        left_out_bytes,
        left_out_lines,
    } = ends;
    let newline = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!(
        "{head}{newline}[… {left_out_bytes} bytes ({left_out_lines} lines) left out{place}]\n{tail}"
    )
}

/// The largest index at most `at` that lies between characters.
#[must_use]
pub fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The smallest index at least `at` that lies between characters.
#[must_use]
pub fn ceil(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::{ends, shorten};
    use proptest::prelude::{any, proptest};

    proptest! {
        #[test]
        fn ends_and_what_was_left_out_add_up(text in any::<String>(), cap in 0_usize..64) {
            match ends(&text, cap) {
                None => assert!(text.len() <= cap),
                Some(ends) => {
                    assert!(ends.head.len() + ends.tail.len() <= cap);
                    assert!(text.starts_with(ends.head) && text.ends_with(ends.tail));
                    let sum = ends.head.len() + ends.tail.len() + ends.left_out_bytes;
                    assert_eq!(sum, text.len());
                }
            }
        }
    }

    #[test]
    fn the_last_line_of_a_long_output_is_always_shown() {
        let text = format!("{}error: the real reason\n", "noise\n".repeat(100_000));
        let shown = shorten(&text, 32 * 1024, None);
        assert!(shown.ends_with("error: the real reason\n"));
        assert!(shown.starts_with("noise\n"));
        assert!(shown.contains("left out"));
        assert!(shown.len() < 33 * 1024);
    }
}
