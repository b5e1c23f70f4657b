//! Calls that only look: reads, searches, lists. They come in rows and say little
//! each, so that every front end tells several of them in one line.

use crate::figures::count;
use crate::names::{canonical_name, tool};
use crate::{Display, Ending, ToolResult};

/// What a call looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    Read,
    Search,
    List,
}

impl Look {
    /// What the tool of this name does, where it only looks.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match canonical_name(name) {
            Some(tool::READ) => Some(Self::Read),
            Some(tool::GREP | tool::GLOB) => Some(Self::Search),
            Some(tool::LIST) => Some(Self::List),
            _ => None,
        }
    }

    /// The same for a call that is over and went well: a failure has its own line.
    #[must_use]
    pub fn of_result(result: &ToolResult) -> Option<Self> {
        let plain = matches!(
            result.display,
            Display::Nothing | Display::Text { .. } | Display::Files { .. }
        );
        let went_well = plain && result.ending() == Ending::Done && !result.is_slow();
        Self::of(&result.name).filter(|_| went_well)
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Search => "searched",
            Self::List => "listed",
        }
    }

    fn amount(self, number: usize) -> String {
        match self {
            Self::Read => count(number, "file"),
            Self::Search => count(number, "time"),
            Self::List => count(number, "folder"),
        }
    }
}

/// What a row of such calls did: verb and number of each kind, in the order in
/// which the kinds came: `read` `4 files`, `searched` `2 times`. What was read
/// twice counts once.
#[must_use]
pub fn told<'a>(looks: impl IntoIterator<Item = (Look, &'a str)>) -> Vec<(&'static str, String)> {
    let mut kinds: Vec<(Look, Vec<&str>)> = Vec::new();
    for (look, subject) in looks {
        let at = kinds.iter().position(|(kind, _)| *kind == look);
        let at = at.unwrap_or_else(|| {
            kinds.push((look, Vec::new()));
            kinds.len() - 1
        });
        if let Some((_, subjects)) = kinds.get_mut(at)
            && (look == Look::Search || !subjects.contains(&subject))
        {
            subjects.push(subject);
        }
    }
    let each = kinds.iter();
    each.map(|(look, subjects)| (look.verb(), look.amount(subjects.len())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_looks_is_told_by_kind_and_a_file_counts_once() {
        let looks = [
            (Look::Read, "a.rs"),
            (Look::Search, "fn main"),
            (Look::Read, "b.rs"),
            (Look::Search, "fn main"),
            (Look::Read, "a.rs"),
            (Look::List, "src"),
        ];
        let told: Vec<String> = told(looks)
            .into_iter()
            .map(|(verb, amount)| format!("{verb} {amount}"))
            .collect();
        assert_eq!(
            told,
            ["read 2 files", "searched 2 times", "listed 1 folder"]
        );
    }

    #[test]
    fn only_what_looks_is_a_look_however_a_model_spells_it() {
        assert_eq!(Look::of("read_file"), Some(Look::Read));
        assert_eq!(Look::of("glob"), Some(Look::Search));
        for acts in ["bash", "edit", "write", "mcp__x__read", "todowrite"] {
            assert_eq!(Look::of(acts), None, "{acts}");
        }
    }
}
