//! The page: five sections that always come in the same order, so that people
//! and programs find them. What was said stands in fences that it cannot close.

use std::fmt::Write as _;
use tenon_vocab::{CommandFact, FileFact, TodoItem};

#[derive(Debug)]
pub struct Page {
    /// One line: where it comes from.
    pub origin: String,
    pub goal: String,
    pub starter: String,
    pub files: Vec<FileFact>,
    /// Files that were left out.
    pub more_files: usize,
    pub tasks: Vec<TodoItem>,
    /// The directory that the commands run in.
    pub root: String,
    pub commands: Vec<CommandFact>,
}

impl Page {
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "# Handoff\n\n{}\n", self.origin);
        let _ = writeln!(out, "## Goal\n\n{}\n", self.goal.trim());
        out.push_str("## Starter prompt\n\n");
        fence(&mut out, "text", self.starter.trim());
        out.push_str("\n## Relevant files\n\n");
        self.write_files(&mut out);
        out.push_str("\n## Open tasks\n\n");
        for task in &self.tasks {
            let _ = writeln!(out, "- {} {}", task.status.mark(), one_line(&task.text));
        }
        out.push_str("\n## Repro commands\n\n");
        fence(&mut out, "sh", &self.script());
        out
    }

    fn write_files(&self, out: &mut String) {
        if self.files.is_empty() {
            out.push_str("None was touched.\n");
        }
        for file in &self.files {
            let _ = writeln!(out, "- {} ({})", code(&file.path), file.done.name());
        }
        if self.more_files > 0 {
            let _ = writeln!(out, "- and {} more", self.more_files);
        }
    }

    /// How each one ended stands above it, so that it can be copied as it is.
    fn script(&self) -> String {
        let mut lines = vec![format!("cd {}", shell_word(&self.root))];
        for ran in &self.commands {
            lines.push(format!("# {}", one_line(&ran.outcome)));
            lines.push(ran.command.trim().to_owned());
        }
        lines.join("\n")
    }
}

/// Blanks and control characters become single spaces.
pub fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The first characters, and how many were left out.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            format!("{} […{left_out} more characters]", text[..end].trim_end())
        }
    }
}

/// A fence longer than any run of backticks inside.
fn fence(out: &mut String, language: &str, text: &str) {
    let ticks = "`".repeat(longest_ticks(text).max(2) + 1);
    let _ = writeln!(out, "{ticks}{language}\n{text}\n{ticks}");
}

pub fn code(text: &str) -> String {
    let text = one_line(text);
    match longest_ticks(&text) {
        0 => format!("`{text}`"),
        longest => {
            let ticks = "`".repeat(longest + 1);
            format!("{ticks} {text} {ticks}")
        }
    }
}

fn longest_ticks(text: &str) -> usize {
    let (mut longest, mut current) = (0, 0);
    for c in text.chars() {
        current = if c == '`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}

fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,@:=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::{FileDone, TodoStatus};

    #[test]
    fn nothing_that_was_said_leaves_its_place() {
        let page = Page {
            origin: "From a session.".into(),
            goal: "g".into(),
            starter: "```\n## Open tasks\n```".into(),
            files: vec![FileFact {
                path: "a`b\n## Goal".into(),
                done: FileDone::Edited,
            }],
            more_files: 2,
            tasks: vec![TodoItem {
                text: "one\n## Goal\r\x1b[2J".into(),
                status: TodoStatus::Pending,
            }],
            root: "/a b".into(),
            commands: vec![CommandFact {
                command: "echo '```'".into(),
                outcome: "exit 1: a\nrm -rf x".into(),
                times: 1,
            }],
        }
        .markdown();
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(
            headings,
            [
                "# Handoff",
                "## Goal",
                "## Starter prompt",
                "## Open tasks",
                "## Relevant files",
                "## Open tasks",
                "## Repro commands",
                "# exit 1: a rm -rf x"
            ]
        );
        assert!(page.contains("````text\n```\n## Open tasks\n```\n````"));
        assert!(page.contains("- `` a`b ## Goal `` (edited)\n- and 2 more\n"));
        assert!(page.contains("- [ ] one ## Goal [2J\n"));
        assert!(page.contains("````sh\ncd '/a b'\n"));
    }
}
