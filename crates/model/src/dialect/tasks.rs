//! The task list of a reply: `[ ]`, `[~]`, `[x]`, one a line (K3).

use super::headings::without_bullet;
use tenon_vocab::{TodoItem, TodoStatus};

/// More is no list that anybody works on.
const MOST: usize = 200;

/// The items; none when the list is empty, which changes nothing (K7).
pub(super) fn tasks<'t>(lines: impl IntoIterator<Item = &'t str>) -> Vec<TodoItem> {
    lines.into_iter().filter_map(item).take(MOST).collect()
}

fn item(line: &str) -> Option<TodoItem> {
    let rest = without_bullet(line).strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let status = match mark.trim() {
        "" => TodoStatus::Pending,
        "~" | "/" | ">" => TodoStatus::InProgress,
        "x" | "X" | "✓" | "✔" => TodoStatus::Completed,
        "-" => TodoStatus::Cancelled,
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| TodoItem {
        text: text.to_owned(),
        status,
    })
}

pub(super) fn mark(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "[ ]",
        TodoStatus::InProgress => "[~]",
        TodoStatus::Completed => "[x]",
        TodoStatus::Cancelled => "[-]",
    }
}

pub(super) fn write(items: &[TodoItem]) -> String {
    items
        .iter()
        .map(|item| format!("{} {}", mark(item.status), item.text))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::{tasks, write};

    #[test]
    fn items_are_read_with_and_without_bullets_and_written_the_same_way_again() {
        let list = tasks("- [x] one\n* [~] two\n3. [ ] three\n[-] four\n[?] no\nNone\n[ ]".lines());
        let written = "[x] one\n[~] two\n[ ] three\n[-] four";
        assert_eq!(write(&list), written);
        assert_eq!(tasks(written.lines()), list);
    }
}
