//! How hard a model is to think, as a word: one reading of it for the flag, for
//! `/effort` and for the configuration. Not a list of what servers take: a word
//! that is not known here is sent as it is.

use std::fmt;

/// What providers know as levels, from little to much.
pub const LEVELS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// Leaves it to the server, also where something below says otherwise.
pub const DEFAULT: &str = "default";

/// A longer word is a mistake.
const LONGEST: usize = 32;

/// The text is no word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffortError;

impl fmt::Display for EffortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = LEVELS.join(", ");
        write!(
            f,
            "an effort is one word: {levels}, {DEFAULT}, or what the server knows"
        )
    }
}

impl std::error::Error for EffortError {}

/// The word in its usual spelling; [`DEFAULT`] stays, so that it can win over
/// what is configured.
///
/// # Errors
/// When it is no word.
pub fn read(text: &str) -> Result<String, EffortError> {
    let word = text.trim().to_lowercase();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if word.is_empty() || word.len() > LONGEST || !word.chars().all(fits) {
        return Err(EffortError);
    }
    Ok(word)
}

/// What is sent for a word: nothing for [`DEFAULT`].
#[must_use]
pub fn sent(word: Option<String>) -> Option<String> {
    word.filter(|word| word != DEFAULT)
}

/// What a user should know of a word: not every format can say every word.
#[must_use]
pub fn doubt(word: &str) -> Option<String> {
    (!LEVELS.contains(&word) && word != DEFAULT).then(|| {
        format!(
            "the effort `{word}` is none of {}: it is sent as it is, and with the format `messages` not at all",
            LEVELS.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_alike_everywhere_and_nothing_is_no_word() {
        assert_eq!(read(" High ").as_deref(), Ok("high"));
        assert_eq!(read("default").as_deref(), Ok(DEFAULT));
        assert_eq!(read("turbo-2").as_deref(), Ok("turbo-2"));
        for bad in ["", "  ", "very high", "\"high\"", &"x".repeat(33)] {
            assert_eq!(read(bad), Err(EffortError), "{bad}");
        }
    }

    #[test]
    fn default_sends_nothing_and_an_unknown_word_is_doubted() {
        assert_eq!(sent(Some(DEFAULT.into())), None);
        assert_eq!(sent(Some("low".into())).as_deref(), Some("low"));
        assert!(doubt("hihg").is_some_and(|why| why.contains("`hihg`")));
        assert!(LEVELS.iter().all(|level| doubt(level).is_none()));
    }
}
