//! The task list of a session, and the one way in which it is written as text:
//! for the model, for a screen, for a page.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

impl TodoStatus {
    /// `[ ]`, `[~]`, `[x]`, `[-]`
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[~]",
            Self::Completed => "[x]",
            Self::Cancelled => "[-]",
        }
    }

    /// Whether there is still something to do.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    pub text: String,
    pub status: TodoStatus,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoList {
    pub items: Vec<TodoItem>,
}

/// One item a line, each with its mark. The text is as it was given: a screen
/// needs [`crate::Printable`].
///
/// ```
/// use tenon_vocab::{TodoItem, TodoStatus, checklist};
///
/// let item = |text: &str, status| TodoItem { text: text.into(), status };
/// let items = [item("look", TodoStatus::Completed), item("repair", TodoStatus::InProgress)];
/// assert_eq!(checklist(&items), "[x] look\n[~] repair");
/// ```
#[must_use]
pub fn checklist(items: &[TodoItem]) -> String {
    let line = |item: &TodoItem| format!("{} {}", item.status.mark(), item.text);
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}
