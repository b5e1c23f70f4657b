//! What is wrong with a scenario file, said so that its writer can mend it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a scenario file was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    #[error("cannot read the scenario file {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}line {line}, column {column}: {expected}", prefix(path.as_deref()))]
    Syntax {
        path: Option<PathBuf>,
        line: usize,
        column: usize,
        /// What was found and what was expected there.
        expected: String,
    },
}

impl ScenarioError {
    /// Line and column, both from 1, when the file could be read.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Self::Read { .. } => None,
            Self::Syntax { line, column, .. } => Some((*line, *column)),
        }
    }

    pub(crate) fn of_json(error: &serde_json::Error) -> Self {
        Self::Syntax {
            path: None,
            line: error.line(),
            column: error.column(),
            expected: explain(error),
        }
    }

    pub(crate) fn in_file(self, file: &Path) -> Self {
        match self {
            Self::Syntax {
                line,
                column,
                expected,
                ..
            } => Self::Syntax {
                path: Some(file.to_owned()),
                line,
                column,
                expected,
            },
            read @ Self::Read { .. } => read,
        }
    }
}

fn prefix(path: Option<&Path>) -> String {
    path.map_or_else(
        || "scenarios, ".to_owned(),
        |path| format!("{}, ", path.display()),
    )
}

fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let message = text.strip_suffix(&suffix).unwrap_or(&text);
    unknown_word(message).unwrap_or_else(|| message.to_owned())
}

/// serde names unknown keys and values only in its text: "unknown field `a`,
/// expected one of `b`, `c`". Reading it back keeps the position, which a
/// second pass over parsed values would lose.
fn unknown_word(message: &str) -> Option<String> {
    let what = match message {
        m if m.starts_with("unknown field ") => "key",
        m if m.starts_with("unknown variant ") => "value",
        _ => return None,
    };
    let mut words = message.split('`').skip(1).step_by(2);
    let found = words.next()?;
    let known: Vec<&str> = words.collect();
    let nearest = known
        .iter()
        .map(|word| (likeness(found, word), word))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = nearest
        .map(|(_, word)| format!(" Did you mean `{word}`?"))
        .unwrap_or_default();
    Some(format!(
        "unknown {what} `{found}`.{hint} Known here: {}.",
        known.join(", ")
    ))
}

/// A word that was not written to its end is nearer than any that only looks
/// like it.
fn likeness(found: &str, word: &str) -> f64 {
    if found.len() > 3 && word.starts_with(found) {
        return 1.0;
    }
    strsim::jaro_winkler(found, word)
}
