//! `patch`: changes several files at once, all or nothing.
//!
//! Both formats become the same sections, every hunk of every file is worked
//! out in memory, and only then is anything written. Hunks are placed by the
//! same tolerant matching as `edit`, which splices raw bytes; a patch library
//! that rewrites the text as a whole, or does not tell how each hunk was
//! placed, would not do.

use super::blocking::blocking;
use super::diff::{self, Audience, Heading};
use crate::builtin::{facts, spec, text};
use crate::contract::{FileUse, Host, Tool};
use crate::workspace::Workspace;
use plan::{Operation, Planned, Refused, plan};
use section::{Action, Section};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tenon_policy::{Access, Facts, PathFact, Subject};
use tenon_vocab::figures::count;
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{DiffFile, Display, Effect, ErrorCode, FileHash, ToolOutput, ToolSpec};

mod apply;
mod commit;
mod marked;
mod parse;
mod place;
mod plan;
mod section;
mod unified;

const DESCRIPTION: &str = "Change one or more files with a patch: a unified diff (plain or git), or the format `*** Begin Patch` / `*** Add File: p` / `*** Update File: p` / `*** Delete File: p` / `*** End Patch`. All hunks must fit, or nothing is written. Give three lines of context around each change.";

const EXAMPLE: &str = "Every line of a hunk begins with a blank (context, copied exactly), `-` or `+`; `@@` may name a line above the hunk that says which of several equal places is meant:
*** Begin Patch
*** Update File: src/greet.py
@@ class Greeter:
     def greet(self, name):
-        return \"hello\"
+        return f\"hello, {name}\"
*** Add File: src/__init__.py
+from .greet import Greeter
*** End Patch";

/// Rejected sections that an answer tells of in full.
const REJECTED: usize = 5;

/// Applies a patch.
#[derive(Debug)]
pub struct Patch {
    spec: ToolSpec,
}

impl Patch {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "patch": {"type": "string", "minLength": 1, "description": "The patch as text."}
            },
            "required": ["patch"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::PATCH, DESCRIPTION, Effect::Write, parameters),
        }
    }
}

impl Default for Patch {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a patch is carried out or only tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apply {
    Write,
    Check,
}

impl Tool for Patch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn example(&self) -> Option<&str> {
        Some(EXAMPLE)
    }

    /// Every path that the patch could touch, also the other readings of a
    /// plain diff's names: none may get past the policy.
    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        let patch = text(input, "patch").unwrap_or_default();
        let sections = parse::parse(patch).unwrap_or_default();
        let mut seen: Vec<PathFact> = Vec::new();
        for path in sections.iter().flat_map(touched) {
            let fact = workspace.observe(path, Access::Write);
            if !seen.contains(&fact) {
                seen.push(fact);
            }
        }
        facts(&self.spec, Subject::Paths(seen), input)
    }

    fn preview(&self, input: &Value, workspace: &Workspace) -> Display {
        let output = apply_text(
            workspace,
            text(input, "patch").unwrap_or_default(),
            Apply::Check,
        );
        output.display
    }

    fn file_use(&self) -> FileUse {
        FileUse::Edits
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(blocking(host, move |given| {
            let patch = text(&input, "patch").unwrap_or_default();
            apply_text(&given.workspace, patch, Apply::Write)
        }))
    }
}

fn touched<'s>(section: &'s Section<'_>) -> impl Iterator<Item = &'s str> {
    let target = match &section.action {
        Action::Rename { to, .. } => Some(to.as_str()),
        _ => None,
    };
    section.paths.iter().map(String::as_str).chain(target)
}

/// Applies a patch to the workspace, or only says what it would do.
#[must_use]
pub fn apply_text(workspace: &Workspace, patch: &str, mode: Apply) -> ToolOutput {
    let sections = match parse::parse(patch) {
        Ok(sections) => sections,
        Err(error) => {
            return ToolOutput::error(
                ErrorCode::InvalidInput,
                format!("can't read the patch: {error}; nothing was changed"),
            );
        }
    };
    let planned = match plan(workspace, &sections) {
        Ok(planned) => planned,
        Err(refused) => return rejected(&refused),
    };
    if mode == Apply::Write
        && let Err(failed) = commit::commit(workspace, &planned)
    {
        return broken_off(&failed);
    }
    let mut output = report(workspace, &planned, mode);
    if mode == Apply::Write {
        output.reads = noted(workspace, &planned);
    }
    output
}

/// Keeps the ledger true: what the model had read, or has just written whole,
/// it still knows; what it never read stays unread (T2).
fn noted(workspace: &Workspace, planned: &[Planned]) -> Vec<FileHash> {
    let ledger = workspace.ledger();
    let mut reads = Vec::new();
    for file in planned {
        let source = file.from.as_deref().unwrap_or(&file.path);
        let is_written_whole = file.operation == Operation::Created || file.overwrites;
        let known = ledger.get(source).is_some() || is_written_whole;
        if matches!(file.operation, Operation::Deleted | Operation::Renamed) {
            ledger.forget(source);
        }
        if let Some(after) = &file.after
            && known
            && file.operation != Operation::Unchanged
        {
            reads.push(FileHash {
                path: file.path.clone(),
                sha256: ledger.note_content(&file.path, after),
            });
        }
    }
    reads
}

fn report(workspace: &Workspace, planned: &[Planned], mode: Apply) -> ToolOutput {
    let unchanged = planned
        .iter()
        .all(|file| file.operation == Operation::Unchanged);
    let mut text = match (mode, unchanged) {
        (_, true) => String::from("already applied: nothing was changed"),
        (Apply::Write, false) => String::from("patch applied"),
        (Apply::Check, false) => String::from("the patch fits; nothing was written"),
    };
    let mut files = Vec::new();
    let mut shown = Vec::new();
    let mut audience = match mode {
        Apply::Write => Audience::Result,
        Apply::Check => Audience::question(),
    };
    for file in planned {
        let heading = Heading {
            path: &file.path,
            from: file.from.as_deref().or(file.link.as_deref()),
            operation: file.operation.name(),
        };
        let (before, after) = (file.before.as_deref(), file.after.as_deref());
        let diff = diff::file(heading, before, after, &mut audience);
        tell(&mut text, file, &diff);
        files.push(data(workspace, file, &diff));
        shown.push(diff);
    }
    let mut data = json!({"files": files});
    if unchanged {
        data["already_applied"] = json!(true);
    }
    ToolOutput::ok(data, text, Display::Diff { files: shown })
}

fn data(workspace: &Workspace, file: &Planned, diff: &DiffFile) -> Value {
    let hunks: Vec<Value> = file
        .hunks
        .iter()
        .map(|hunk| {
            let mut value = json!({"offset": hunk.offset, "fuzz": hunk.fuzz});
            if !hunk.repairs.is_empty() {
                let names: Vec<&str> = hunk.repairs.iter().map(|r| r.name()).collect();
                value["repairs"] = json!(names);
            }
            if hunk.already {
                value["already_applied"] = json!(true);
            }
            value
        })
        .collect();
    let mut value = json!({
        "path": workspace.root().join(&file.path),
        "operation": file.operation.name(),
        "additions": diff.additions,
        "deletions": diff.deletions,
        "hunks": hunks,
    });
    if file.overwrites {
        value["overwritten"] = json!(true);
    }
    if let Some(from) = &file.from {
        value["from"] = json!(workspace.root().join(from));
    }
    value
}

/// One line for a file, and one for each hunk that did not go in as written.
fn tell(text: &mut String, file: &Planned, diff: &DiffFile) {
    let _ = write!(
        text,
        "\n{} `{}`, +{} -{}",
        file.operation.name(),
        file.path,
        diff.additions,
        diff.deletions
    );
    if let Some(from) = &file.from {
        let _ = write!(text, " (from `{from}`)");
    }
    if file.overwrites && file.operation == Operation::Updated {
        text.push_str(" (replaced an existing file; its old content is kept for undo)");
    }
    for (i, hunk) in file.hunks.iter().enumerate() {
        let mut notes = Vec::new();
        if hunk.already {
            notes.push(String::from("was already applied"));
        }
        if hunk.offset != 0 {
            let lines = count(hunk.offset.unsigned_abs(), "line");
            let way = if hunk.offset < 0 { " up" } else { "" };
            notes.push(format!("moved by {lines}{way}"));
        }
        if hunk.fuzz != 0 {
            notes.push(format!(
                "ignored up to {} at its ends that did not match (fuzz), because the \
                 removed lines occur only once",
                count(hunk.fuzz, "context line"),
            ));
        }
        if !hunk.repairs.is_empty() {
            let names: Vec<&str> = hunk.repairs.iter().map(|r| r.name()).collect();
            notes.push(format!("matched after repairing: {}", names.join(", ")));
        }
        if !notes.is_empty() {
            let _ = write!(text, "\n  hunk {}: {}", i + 1, notes.join("; "));
        }
    }
}

fn rejected(refused: &[Refused]) -> ToolOutput {
    let mut text = String::from("the whole patch was rejected; nothing was changed.");
    for fault in refused.iter().take(REJECTED) {
        let _ = write!(text, "\n`{}`: {}", fault.path, fault.reason);
    }
    if refused.len() > REJECTED {
        let _ = write!(text, "\n[{} more files]", refused.len() - REJECTED);
    }
    let files: Vec<Value> = refused
        .iter()
        .map(|fault| json!({"path": fault.path, "hunk": fault.hunk}))
        .collect();
    // A path outside the project or a file that cannot be read is its own error.
    let code = refused
        .iter()
        .map(|fault| fault.code)
        .find(|code| *code != ErrorCode::PatchRejected)
        .unwrap_or(ErrorCode::PatchRejected);
    ToolOutput::error(code, text).with_details(json!({"rejected": files}))
}

fn broken_off(failed: &commit::Failed) -> ToolOutput {
    let mut text = failed.reason.clone();
    if failed.restored.is_empty() && failed.left.is_empty() {
        text.push_str(". No file was changed.");
    }
    if !failed.restored.is_empty() {
        let _ = write!(text, ". Restored: {}.", failed.restored.join(", "));
    }
    if !failed.left.is_empty() {
        let _ = write!(
            text,
            ". STILL CHANGED, could not be restored: {}. Check these files.",
            failed.left.join("; ")
        );
    }
    ToolOutput::error(failed.code, text)
        .with_details(json!({"restored": failed.restored, "left_changed": failed.left}))
}
