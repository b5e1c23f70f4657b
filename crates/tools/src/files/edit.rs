//! `edit`: replaces a text of a file by another.
//!
//! Matching is tolerant, writing is not: only the matched bytes change, all
//! others are copied as they are, whatever their encoding. The text engine in
//! [`replace`] knows no files; this file knows the workspace, what was read
//! before, and how often an edit has missed.

use super::blocking::blocking;
use super::diff::{self, Audience, Heading};
use crate::builtin::{facts, number, spec, text};
use crate::contract::{FileUse, Host, Tool};
use crate::jobs::Jobs;
use crate::workspace::{Expect, FileContent, Knowledge, Workspace, sha256};
use applied::Made;
use misses::{Escalation, Misses};
use replace::{Count, Miss, Replaced, replace};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_policy::{Access, Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::{StaleWrites, ToolLimits};
use tenon_vocab::{DiffFile, Display, Effect, ErrorCode, FileHash, ToolOutput, ToolSpec};

mod applied;
mod compose;
pub(crate) mod encoding;
pub(crate) mod indent;
pub(crate) mod lines;
pub(crate) mod locate;
mod lookalike;
mod misses;
pub(crate) mod nearest;
pub(crate) mod replace;
mod report;
mod sent;

const DESCRIPTION: &str = "Replace text in a file. `old` must occur in it exactly once: copy it from `read` without the line numbers, with enough lines around it to be unique. To change several places, set `replace_all`, or set `expected_replacements` to their number.";

const EXAMPLE: &str = "If `    return None` occurs in three functions, it is not unique. Take the line that makes it so as well: `old` is
def load(path):
    return None
and `new` is
def load(path):
    return read(path)
Keep the indentation as it is in the file.";

/// Replaces a text in a file.
#[derive(Debug)]
pub struct Edit {
    spec: ToolSpec,
    memory: Arc<Memory>,
}

/// What is known of the edits of this session.
#[derive(Debug, Default)]
struct Memory {
    misses: Misses,
    made: Made,
}

impl Edit {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "description": "Relative to the project root, or absolute."},
                "old": {"type": "string", "description": "The text to replace."},
                "new": {"type": "string", "description": "The text to put there."},
                "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
                "expected_replacements": {"type": "integer", "minimum": 1, "description": "How often `old` must occur; 1 when left out."}
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::EDIT, DESCRIPTION, Effect::Write, parameters),
            memory: Arc::default(),
        }
    }
}

impl Default for Edit {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn example(&self) -> Option<&str> {
        Some(EXAMPLE)
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        let path = text(input, "path").unwrap_or_default();
        let seen = workspace.observe(path, Access::Write);
        facts(&self.spec, Subject::Paths(vec![seen]), input)
    }

    fn preview(&self, input: &Value, workspace: &Workspace) -> Display {
        let call = Call::of(input);
        let shown = workspace
            .read(&call.path)
            .map_err(|error| error.to_string())
            .and_then(|file| {
                let replaced = replace(&file.bytes, &call.old, &call.new, call.count)
                    .map_err(|miss| report::brief(&miss).to_owned())?;
                let link = workspace.alias(&call.path, &file.path);
                let question = Audience::question();
                Ok(difference(&file, link.as_deref(), &replaced, question))
            });
        match shown {
            Ok(file) => Display::Diff { files: vec![file] },
            Err(reason) => Display::Text {
                summary: format!("{}: this edit would change nothing: {reason}", call.path),
                body: String::new(),
            },
        }
    }

    fn file_use(&self) -> FileUse {
        FileUse::Edits
    }

    fn obstacle(
        &self,
        input: &Value,
        workspace: &Workspace,
        _: &Jobs,
        limits: &ToolLimits,
    ) -> Option<ToolOutput> {
        let path = text(input, "path").filter(|_| limits.stale_writes == StaleWrites::Refuse)?;
        let file = workspace.read(path).ok()?;
        let known = workspace
            .ledger()
            .knowledge(&file.path, &sha256(&file.bytes));
        (known == Knowledge::Changed).then(|| report::stale(&file, None))
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        let memory = Arc::clone(&self.memory);
        Box::pin(blocking(host, move |given| {
            let call = Call::of(&input);
            let stale = given.limits.stale_writes;
            run(&call, &given.workspace, stale, &memory).unwrap_or_else(|failed| *failed)
        }))
    }
}

/// The input of one call.
#[derive(Debug, Hash)]
struct Call {
    path: String,
    old: String,
    new: String,
    count: Count,
}

impl Call {
    fn of(input: &Value) -> Self {
        let own = |key| text(input, key).unwrap_or_default().to_owned();
        let all = input.get("replace_all").and_then(Value::as_bool) == Some(true);
        let expected = number(input, "expected_replacements");
        Self {
            path: own("path"),
            old: own("old"),
            new: own("new"),
            // A number that is given is meant, also beside `replace_all`.
            count: match expected.map(usize::try_from) {
                Some(Ok(count)) => Count::Exactly(count),
                Some(Err(_)) => Count::Exactly(usize::MAX),
                None if all => Count::All,
                None => Count::Exactly(1),
            },
        }
    }
}

fn run(
    call: &Call,
    workspace: &Workspace,
    stale: StaleWrites,
    memory: &Memory,
) -> Result<ToolOutput, Box<ToolOutput>> {
    let file = workspace.read(&call.path).map_err(|error| {
        Box::new(match error.is_not_found() {
            true => report::missing(&call.path, &error.to_string()),
            false => error.output(),
        })
    })?;
    let before = sha256(&file.bytes);
    if stale == StaleWrites::Refuse {
        refuse_stale(workspace, &file, &before)?;
    }
    if let Some(reason) = encoding::refusal(&file.bytes, &call.new) {
        return Err(Box::new(ToolOutput::error(
            ErrorCode::InvalidInput,
            format!("`{}` {reason}; nothing was changed", file.path),
        )));
    }
    let Memory { misses, made } = memory;
    match replace(&file.bytes, &call.old, &call.new, call.count) {
        Ok(replaced) => {
            workspace
                .write(&call.path, &replaced.bytes, Expect::Content(before))
                .map_err(|error| Box::new(error.output()))?;
            misses.clear(&file.path);
            made.note(&file.path, &call.old, &call.new);
            Ok(changed(workspace, call, &file, &replaced))
        }
        Err(Miss::AlreadyApplied { lines }) => {
            misses.clear(&file.path);
            Ok(already_applied(&file, &lines))
        }
        Err(miss) => {
            let texts = (call.old.as_str(), call.new.as_str());
            if miss == Miss::NotFound
                && let Some(lines) = made.still(&file.path, &file.bytes, texts, call.count)
            {
                misses.clear(&file.path);
                return Ok(already_applied(&file, &lines));
            }
            let escalation = match miss {
                Miss::NotFound | Miss::Mismatch { .. } => misses.note(&file.path, call),
                _ => Escalation::First,
            };
            Err(Box::new(report::miss(&file, call, &miss, escalation)))
        }
    }
}

/// Refuses once when the file is not what the model last saw, and shows what
/// has changed; after that the model has seen it, so the next try works.
fn refuse_stale(
    workspace: &Workspace,
    file: &FileContent,
    hash: &str,
) -> Result<(), Box<ToolOutput>> {
    let ledger = workspace.ledger();
    // What was never read may be edited: `old` says what is meant.
    if ledger.knowledge(&file.path, hash) != Knowledge::Changed {
        return Ok(());
    }
    let seen = ledger.copy(&file.path);
    ledger.note_content(&file.path, &file.bytes);
    let mut output = report::stale(file, seen.as_deref());
    output.reads.push(hash_of(&file.path, hash));
    Err(Box::new(output))
}

fn hash_of(path: &str, sha256: &str) -> FileHash {
    FileHash {
        path: path.to_owned(),
        sha256: sha256.to_owned(),
    }
}

fn difference(
    file: &FileContent,
    link: Option<&str>,
    replaced: &Replaced,
    mut audience: Audience,
) -> DiffFile {
    let heading = Heading {
        path: &file.path,
        from: link,
        operation: "updated",
    };
    let (before, after) = (&file.bytes, &replaced.bytes);
    diff::file(heading, Some(before), Some(after), &mut audience)
}

fn changed(
    workspace: &Workspace,
    call: &Call,
    file: &FileContent,
    replaced: &Replaced,
) -> ToolOutput {
    let link = workspace.alias(&call.path, &file.path);
    let shown = difference(file, link.as_deref(), replaced, Audience::Result);
    let repairs: Vec<&str> = replaced.repairs.iter().map(|r| r.name()).collect();
    let mut data = json!({
        "path": file.absolute,
        "replacements": replaced.replacements,
        "matched": if repairs.is_empty() { "exact" } else { "repaired" },
        "diff": shown.unified,
    });
    if !repairs.is_empty() {
        data["repairs"] = json!(repairs);
    }
    let text = report::changed(file, replaced, &shown);
    let mut output = ToolOutput::ok(data, text, Display::Diff { files: vec![shown] });
    // A file that was never read stays unread: the model knows this place of
    // it only, so `write` must still refuse to overwrite the rest (T2).
    if workspace.ledger().get(&file.path).is_some() {
        let hash = workspace.ledger().note_content(&file.path, &replaced.bytes);
        output.reads.push(hash_of(&file.path, &hash));
    }
    output
}

fn already_applied(file: &FileContent, lines: &[usize]) -> ToolOutput {
    let place = match lines {
        [] => String::new(),
        lines => format!(" (line {})", report::listed(lines)),
    };
    let text = format!(
        "already applied: `{}` has the new text{place} and not the old one; nothing was changed",
        file.path
    );
    let data = json!({
        "path": file.absolute,
        "replacements": 0,
        "matched": "exact",
        "diff": "",
        "already_applied": true,
    });
    let display = Display::Text {
        summary: text.clone(),
        body: String::new(),
    };
    ToolOutput::ok(data, text, display)
}
