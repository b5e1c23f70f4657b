//! Bounds of what is put into a prompt. Nothing is cut in silence: the model
//! reads that something is missing, and so does the user.

use std::fmt;

/// What was left out of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub source: String,
    /// Bytes that there are.
    pub size: u64,
    /// Bytes that are used.
    pub used: usize,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, size, used } = self;
        write!(
            f,
            "{source} is {size} bytes long; only the first {used} are used"
        )
    }
}

/// The beginning of a text, and a line that says so where it is not all.
/// `size` is what there is in all; the text may be its beginning already.
#[must_use]
pub fn cut(text: &str, size: u64, cap: usize, source: &str) -> (String, Option<Cut>) {
    let mut end = text.len().min(cap);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end == text.len() && size <= cap as u64 {
        return (text.to_owned(), None);
    }
    let cut = Cut {
        source: source.to_owned(),
        size,
        used: end,
    };
    let shown = &text[..end];
    (
        format!("{shown}\n[cut here: {end} of {size} bytes]"),
        Some(cut),
    )
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn what_fits_is_left_alone_and_letters_are_never_split() {
        assert_eq!(cut("äöü", 6, 6, "x"), ("äöü".into(), None));
        let (text, told) = cut("äöü", 6, 5, "x");
        assert_eq!(text, "äö\n[cut here: 4 of 6 bytes]");
        assert_eq!(
            told.unwrap().to_string(),
            "x is 6 bytes long; only the first 4 are used"
        );
    }
}
