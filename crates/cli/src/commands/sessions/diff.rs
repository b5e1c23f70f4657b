//! `sessions diff` and `/diff`: what a session changed in files, from how each
//! stood before the session to how it stands now. Needs no git. Where somebody
//! else changed a file after the session, that is said: their change is in the
//! diff, too.

use crate::CommandResult;
use crate::commands::pages;
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::{Paint, Style, complain};
use std::fmt::Write as _;
use std::process::ExitCode;
use tenon_session::{After, Before, Blobs, Touched};
use tenon_tools::Workspace;
use tenon_tools::files::diff::difference;
use tenon_tools::workspace::{WorkspaceOptions, sha256};
use tenon_vocab::{Printable, SessionId};

/// Of one file, and of all files together.
const FILE: usize = 4 * 1024 * 1024;
const ALL: usize = 32 * 1024 * 1024;

/// What a mode says of a link.
const LINK: u32 = 0o120_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Patch,
    Stat,
}

/// A page for standard output, and what has to be said beside it.
#[derive(Debug, Default)]
pub struct Told {
    pub page: String,
    pub remarks: Vec<String>,
}

impl Told {
    /// For a screen.
    pub fn painted(&self, paint: Paint) -> String {
        let mut out = String::new();
        for line in Printable::block(&self.page).as_str().lines() {
            let style = match line.as_bytes() {
                [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => Some(Style::Bold),
                [b'+', ..] => Some(Style::Green),
                [b'-', ..] => Some(Style::Red),
                [b'@', ..] => Some(Style::Dim),
                _ => None,
            };
            match style {
                Some(style) => out.push_str(&paint.paint(style, line)),
                None => out.push_str(line),
            }
            out.push('\n');
        }
        out
    }
}

pub fn run(place: &Place, id: SessionId, form: Form) -> CommandResult {
    let told = told(place, id, form)?;
    if !told.page.is_empty() {
        pages::print_foreign(&told.page)?;
    }
    for remark in &told.remarks {
        complain(Printable::block(remark).as_str());
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares, and prints nothing.
pub fn told(place: &Place, id: SessionId, form: Form) -> Result<Told, CliError> {
    let store = place.store();
    let touched = store.touched(id)?;
    if touched.is_empty() {
        return Ok(Told {
            page: String::new(),
            remarks: vec![String::from(
                "This session changed no files (ignored files are not watched).",
            )],
        });
    }
    let place = place.of_session(&store.summary(id)?.cwd)?;
    let workspace = Workspace::open(&place.root, WorkspaceOptions::default())
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let mut comparison = Comparison {
        workspace,
        blobs: store.blobs(id)?,
        form,
        told: Told::default(),
        table: Table::new(&["file", "change", "+", "-", ""]),
        changed: 0,
        unknown: Vec::new(),
        additions: 0,
        deletions: 0,
    };
    for file in &touched {
        comparison.file(file);
    }
    Ok(comparison.finish(touched.len()))
}

/// A state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    bytes: Vec<u8>,
    /// Unix permission bits; none where they were not kept.
    mode: Option<u32>,
}

struct Comparison {
    workspace: Workspace,
    blobs: Blobs,
    form: Form,
    told: Told,
    table: Table,
    changed: usize,
    /// Changed, and how is not known.
    unknown: Vec<String>,
    additions: u64,
    deletions: u64,
}

impl Comparison {
    fn file(&mut self, file: &Touched) {
        let before = match self.before(&file.before) {
            Ok(before) => before,
            Err(why) => return self.unknown(&file.path, &why),
        };
        let now = match self.now(&file.path) {
            Ok(now) => now,
            Err(why) => return self.unknown(&file.path, &why),
        };
        let since = since(&file.after, now.as_ref());
        if is_same(before.as_ref(), now.as_ref()) {
            return self.unchanged(&file.path, since);
        }
        if let Some(since) = since {
            self.told.remarks.push(format!(
                "{}: {since}; the diff includes that too.",
                file.path
            ));
        }
        self.changed += 1;
        self.show(&file.path, before.as_ref(), now.as_ref(), since);
    }

    fn before(&self, before: &Before) -> Result<Option<Content>, String> {
        match before {
            Before::Absent => Ok(None),
            Before::Unkept(why) => Err(format!("its earlier content was not kept ({why})")),
            Before::Kept { content, mode } => {
                let bytes = self.blobs.get(content).map_err(|error| error.to_string())?;
                Ok(Some(Content {
                    bytes,
                    mode: mode.map(compared),
                }))
            }
        }
    }

    fn now(&self, path: &str) -> Result<Option<Content>, String> {
        // A link is compared by where it leads, and not followed.
        if let Some(bytes) = self.workspace.link_target(path) {
            return Ok(Some(Content {
                bytes,
                mode: Some(LINK),
            }));
        }
        match self.workspace.read(path) {
            Ok(found) => Ok(Some(Content {
                bytes: found.bytes,
                mode: Some(compared(found.mode)),
            })),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(format!("can't read its current content ({error})")),
        }
    }

    fn unknown(&mut self, path: &str, why: &str) {
        self.table
            .row([path, "unknown", "", "", why].map(String::from));
        self.unknown.push(path.to_owned());
        self.told
            .remarks
            .push(format!("{path}: not compared: {why}."));
    }

    fn unchanged(&mut self, path: &str, since: Option<&str>) {
        let note = since.unwrap_or("changed and changed back");
        self.table
            .row([path, "as before", "", "", note].map(String::from));
    }

    fn show(
        &mut self,
        path: &str,
        before: Option<&Content>,
        now: Option<&Content>,
        since: Option<&str>,
    ) {
        let bytes =
            |side: Option<&Content>| side.map(|side| side.bytes.clone()).unwrap_or_default();
        let (old, new) = (bytes(before), bytes(now));
        let operation = match (before, now) {
            (None, _) => "created",
            (_, None) => "deleted",
            _ if old == new => "mode",
            _ => "changed",
        };
        let mut patch = heading(path, before, now);
        let note = since.unwrap_or_default().to_owned();
        if is_binary(&old) || is_binary(&new) {
            if old != new {
                let (from, to) = sides(path, before, now);
                let _ = writeln!(patch, "Binary files {from} and {to} differ");
            }
            let sizes = format!("binary, {} to {} bytes", old.len(), new.len());
            let note = [sizes, note].join(" ").trim_end().to_owned();
            self.table.row([
                path.into(),
                operation.into(),
                String::new(),
                String::new(),
                note,
            ]);
            return self.push(&patch);
        }
        let room = ALL.saturating_sub(self.told.page.len()).min(FILE);
        let found = difference(&old, &new, room);
        self.additions += found.additions;
        self.deletions += found.deletions;
        if !found.unified.is_empty() {
            let (from, to) = sides(path, before, now);
            let _ = write!(patch, "--- {from}\n+++ {to}\n{}", found.unified);
        }
        if found.left_out_bytes > 0 {
            self.told.remarks.push(format!(
                "{path}: {} bytes of its diff are left out, so the patch can't be applied.",
                found.left_out_bytes
            ));
        }
        self.table.row([
            path.into(),
            operation.into(),
            found.additions.to_string(),
            found.deletions.to_string(),
            note,
        ]);
        self.push(&patch);
    }

    fn push(&mut self, patch: &str) {
        if self.form == Form::Patch {
            self.told.page.push_str(patch);
        }
    }

    fn finish(mut self, touched: usize) -> Told {
        if self.form == Form::Stat {
            self.told.page = self.table.to_string();
            // The table says it beside each file.
            self.told.remarks.clear();
        }
        self.told
            .remarks
            .push(match (self.changed, self.unknown.as_slice()) {
                (0, [first, rest @ ..]) => format!(
                    "No changes found, and {} could not be compared: {first}{}.",
                    pages::counted(self.unknown.len(), "changed file"),
                    match rest.len() {
                        0 => String::new(),
                        more => format!(" and {more} more"),
                    }
                ),
                (0, []) => format!(
                    "This session touched {}; none of them differs from before.",
                    pages::counted(touched, "file")
                ),
                (changed, _) => format!(
                    "{} changed, +{} -{}, from before the session to now.",
                    pages::counted(changed, "file"),
                    self.additions,
                    self.deletions
                ),
            });
        self.told
    }
}

/// Of a link its kind counts, of a file its permissions.
fn compared(mode: u32) -> u32 {
    if mode & 0o170_000 == LINK {
        LINK
    } else {
        mode & 0o777
    }
}

/// What somebody else did after the session.
fn since(after: &After, now: Option<&Content>) -> Option<&'static str> {
    match (after, now) {
        (After::Unknown, _) | (After::Gone, None) => None,
        (After::Gone, Some(_)) => Some("it was created again after the session"),
        (After::Content(_), None) => Some("it was removed after the session"),
        (After::Content(hash), Some(now)) => {
            (sha256(&now.bytes) != *hash).then_some("it was changed after the session")
        }
    }
}

fn is_same(before: Option<&Content>, now: Option<&Content>) -> bool {
    match (before, now) {
        (None, None) => true,
        (Some(before), Some(now)) => {
            before.bytes == now.bytes && before.mode.is_none_or(|mode| Some(mode) == now.mode)
        }
        _ => false,
    }
}

/// As git decides it, and what could not be shown as text.
fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(8000)].contains(&0) || std::str::from_utf8(bytes).is_err()
}

/// The lines by which `git apply` knows what happens to the file.
fn heading(path: &str, before: Option<&Content>, now: Option<&Content>) -> String {
    let (from, to) = (quoted("a/", path), quoted("b/", path));
    let mut out = format!("diff --git {from} {to}\n");
    // Git knows these three and no others.
    let kind = |side: &Content| match side.mode {
        Some(LINK) => "120000",
        Some(mode) if mode & 0o100 != 0 => "100755",
        _ => "100644",
    };
    let _ = match (before, now) {
        (None, Some(now)) => writeln!(out, "new file mode {}", kind(now)),
        (Some(before), None) => writeln!(out, "deleted file mode {}", kind(before)),
        (Some(before), Some(now)) if before.mode.is_some() && before.mode != now.mode => {
            match (kind(before), kind(now)) {
                (old, new) if old != new => writeln!(out, "old mode {old}\nnew mode {new}"),
                _ => writeln!(
                    out,
                    "# mode {:o} became {:o}",
                    before.mode.unwrap_or_default(),
                    now.mode.unwrap_or_default()
                ),
            }
        }
        _ => Ok(()),
    };
    out
}

fn sides(path: &str, before: Option<&Content>, now: Option<&Content>) -> (String, String) {
    let none = || String::from("/dev/null");
    (
        before.map_or_else(none, |_| quoted("a/", path)),
        now.map_or_else(none, |_| quoted("b/", path)),
    )
}

/// A name that would break the line is quoted as git does it.
fn quoted(side: &str, path: &str) -> String {
    if !path
        .chars()
        .any(|c| c.is_control() || matches!(c, '"' | '\\'))
    {
        return format!("{side}{path}");
    }
    let mut out = format!("\"{side}");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str, mode: u32) -> Content {
        Content {
            bytes: text.as_bytes().to_vec(),
            mode: Some(mode),
        }
    }

    #[test]
    fn headings_say_what_happened_as_git_does() {
        let (plain, runs) = (content("a", 0o644), content("a", 0o755));
        assert_eq!(
            heading("x y", None, Some(&runs)),
            "diff --git a/x y b/x y\nnew file mode 100755\n"
        );
        assert!(heading("x", Some(&plain), None).contains("deleted file mode 100644"));
        assert!(
            heading("x", Some(&plain), Some(&runs)).contains("old mode 100644\nnew mode 100755\n")
        );
        assert_eq!(quoted("a/", "q\"\n\u{1b}"), r#""a/q\"\n\033""#);
    }

    #[test]
    fn what_others_did_since_is_told_apart() {
        let now = content("mine", 0o644);
        let left = After::Content(sha256(b"mine"));
        assert_eq!(since(&left, Some(&now)), None);
        assert!(
            since(&left, Some(&content("theirs", 0o644)))
                .unwrap()
                .contains("changed after")
        );
        assert!(since(&left, None).unwrap().contains("removed"));
        assert!(
            since(&After::Gone, Some(&now))
                .unwrap()
                .contains("created again")
        );
        assert_eq!(since(&After::Gone, None), None);
        assert_eq!(since(&After::Unknown, None), None);
    }
}
