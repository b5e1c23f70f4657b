//! What a search says: matches under the path of their file, and every limit
//! that was met.

use super::collect::{FileHits, Found, Line, LineKind};
use super::search::{Job, Mode};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tenon_vocab::{Display, FileEntry, ToolOutput};

pub(super) fn answer(found: &Found, job: &Job<'_>, cap: usize) -> ToolOutput {
    let mut page = Page {
        text: String::new(),
        entries: Vec::new(),
        files: 0,
        left: job.most,
        cap,
        cut: false,
    };
    for file in &found.files {
        if !page.add(file, job.mode) {
            break;
        }
    }
    let truncated = found.more || found.partial || page.cut;
    let shown = page.entries.len();
    let note = notes(&page, found, job.mode, shown).join("\n");
    let results: Vec<Value> = page.entries.iter().map(result).collect();
    let mut data = json!({
        "results": results,
        "count": shown,
        "files": page.files,
        "truncated": truncated,
    });
    if !note.is_empty() {
        page.push(&note);
        page.push("\n");
        data["note"] = json!(note);
    }
    let plus = if truncated { "+" } else { "" };
    let display = Display::Files {
        summary: match job.mode {
            Mode::Content => format!("{shown}{plus} matches in {} files", page.files),
            Mode::Files | Mode::Count => format!("{}{plus} files", page.files),
        },
        entries: page.entries,
    };
    ToolOutput::ok(data, page.text, display)
}

struct Page {
    text: String,
    entries: Vec<FileEntry>,
    files: usize,
    left: usize,
    cap: usize,
    /// Whether something found did not fit.
    cut: bool,
}

impl Page {
    /// Adds a file; false when the page is full.
    fn add(&mut self, file: &FileHits, mode: Mode) -> bool {
        if self.left == 0 || self.text.len() + file.shown.len() > self.cap {
            self.cut = true;
            return false;
        }
        self.files += 1;
        match mode {
            Mode::Content => return self.add_lines(file),
            Mode::Files => self.push(&format!("{}\n", file.shown)),
            Mode::Count => self.push(&format!("{}:{}\n", file.shown, file.matches)),
        }
        self.left -= 1;
        self.entries.push(FileEntry {
            path: file.shown.clone(),
            line: None,
            text: (mode == Mode::Count).then(|| file.matches.to_string()),
        });
        true
    }

    fn add_lines(&mut self, file: &FileHits) -> bool {
        if !self.text.is_empty() {
            self.push("\n");
        }
        self.push(&format!("{}\n", file.shown));
        let has_context = file.lines.iter().any(|line| line.kind == LineKind::Context);
        let mut last: Option<u64> = None;
        for line in &file.lines {
            let matched = line.kind == LineKind::Match;
            if (matched && self.left == 0) || self.text.len() + line.text.len() > self.cap {
                self.cut = true;
                return false;
            }
            if has_context && last.is_some_and(|last| last + 1 != line.number) {
                self.push("--\n");
            }
            last = Some(line.number);
            self.push_line(line);
            if matched {
                self.left -= 1;
                self.entries.push(FileEntry {
                    path: file.shown.clone(),
                    line: Some(line.number),
                    text: Some(line.text.clone()),
                });
            }
        }
        true
    }

    fn push_line(&mut self, line: &Line) {
        let sign = match line.kind {
            LineKind::Match => ':',
            LineKind::Context => '-',
        };
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}{sign}{}", line.number, line.text);
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

fn notes(page: &Page, found: &Found, mode: Mode, shown: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if found.files.is_empty() {
        notes.push(String::from(
            "[no match; ignored files (.gitignore) and binary files are not searched]",
        ));
    } else if found.more || page.cut {
        let what = match mode {
            Mode::Content => "matches",
            Mode::Files | Mode::Count => "files",
        };
        notes.push(format!(
            "[the first {shown} {what} by path; there may be more. Narrow the search with \
             `path`, `glob` or a longer pattern]"
        ));
    }
    if found.partial {
        notes.push(String::from(
            "[the tree is too large, so only part of it was searched; pass a `path`]",
        ));
    }
    if found.private > 0 {
        notes.push(format!(
            "[{} files were not searched because reading them needs permission]",
            found.private
        ));
    }
    if found.unsearchable > 0 {
        notes.push(format!(
            "[{} files could not be searched: unreadable, or lines too long]",
            found.unsearchable
        ));
    }
    notes
}

fn result(entry: &FileEntry) -> Value {
    match (&entry.line, &entry.text) {
        (Some(line), Some(text)) => json!({"path": entry.path, "line": line, "text": text}),
        (None, Some(count)) => json!({"path": entry.path, "matches": count}),
        _ => json!({"path": entry.path}),
    }
}
