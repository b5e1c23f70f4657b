//! Whether a prompt looks as if it binds the work that follows. A guess by words
//! that only orders what is kept first: a missed one is not lost before the room
//! is. Whole words, so that "because" does not count for its "use".

/// Where a word may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Nothing of a word before it and behind it.
    Word,
    /// At the beginning of a word: its endings count, too.
    Stem,
    /// Anywhere: the language puts no spaces between words.
    Anywhere,
}

const BINDING: &[(Edge, &[&str])] = &[
    (
        Edge::Word,
        &[
            "must",
            "mustn't",
            "never",
            "always",
            "do not",
            "don't",
            "don’t",
            "dont",
            "only",
            "without",
            "instead",
            "keep",
            "use",
            "make sure",
            "no longer",
            "from now on",
            "nicht",
            "immer",
            "niemals",
            "nur",
            "ohne",
            "statt",
            "muss",
            "jamais",
            "toujours",
            "siempre",
            "nunca",
        ],
    ),
    (
        Edge::Stem,
        &[
            "avoid",
            "remember",
            "important",
            "requir",
            "forbid",
            "constrain",
        ],
    ),
    (Edge::Anywhere, &["不要", "必须", "禁止", "しない", "必ず"]),
];

/// Whether a prompt looks as if it binds later work.
#[must_use]
pub fn binds(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    BINDING
        .iter()
        .any(|(edge, words)| words.iter().any(|word| holds(&lower, word, *edge)))
}

fn holds(text: &str, word: &str, edge: Edge) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let is_free = |beside: Option<char>| !beside.is_some_and(char::is_alphanumeric);
        match edge {
            Edge::Word => is_free(before) && is_free(after),
            Edge::Stem => is_free(before),
            Edge::Anywhere => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::binds;

    #[test]
    fn a_word_counts_only_when_it_is_a_whole_one() {
        for plain in [
            "It fails because the house is on fire.",
            "I mustered the users of the keeper.",
            "Eine Pause; die Natur ist muessig.",
            "",
        ] {
            assert!(!binds(plain), "{plain}");
        }
        for binding in [
            "Use tabs.",
            "please keep it small",
            "It is required that x",
            "Only src/, not vendor/",
            "(never)",
            "Bitte nur Python",
            "Don’t touch it",
            "请不要修改",
        ] {
            assert!(binds(binding), "{binding}");
        }
    }
}
