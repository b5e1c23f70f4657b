//! `write`: a whole file, new or replaced. A file that the model has not seen,
//! or has not seen as it is now, is not written over (T2).

use super::blocking::{Blocking, blocking};
use super::diff::{self, Audience, Heading};
use super::failure::Failure;
use crate::builtin::{facts, spec, text};
use crate::contract::{FileUse, Host, Tool};
use crate::jobs::Jobs;
use crate::workspace::{
    Expect, FileContent, Knowledge, Workspace, WorkspaceError, Written, changed_since, sha256,
    unread,
};
use serde_json::{Value, json};
use tenon_policy::{Access, Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::{StaleWrites, ToolLimits};
use tenon_vocab::{DiffFile, Display, Effect, ErrorCode, FileHash, ToolOutput, ToolSpec};

const DESCRIPTION: &str = "Write a whole file; missing folders are created. A file that exists must have been read first. To change part of a file, use `edit`.";

/// What a refusal shows of the changes since the last read.
const STALE_DIFF_BYTES: usize = 8 * 1024;

/// Writes a whole file.
#[derive(Debug)]
pub struct Write {
    spec: ToolSpec,
}

impl Write {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "description": "Relative to the project root, or absolute."},
                "content": {"type": "string", "description": "The whole content of the file."}
            },
            "required": ["path", "content"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::WRITE, DESCRIPTION, Effect::Write, parameters),
        }
    }
}

impl Default for Write {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        let path = text(input, "path").unwrap_or_default();
        let seen = workspace.observe(path, Access::Write);
        facts(&self.spec, Subject::Paths(vec![seen]), input)
    }

    fn preview(&self, input: &Value, workspace: &Workspace) -> Display {
        let path = text(input, "path").unwrap_or_default();
        let content = text(input, "content").unwrap_or_default();
        let before = workspace.read(path).ok();
        let seen = workspace.observe(path, Access::Write);
        let link = workspace.alias(path, &seen.path);
        let heading = Heading {
            path: &seen.path,
            from: link.as_deref(),
            operation: if seen.exists { "updated" } else { "created" },
        };
        let bytes = before.as_ref().map(|found| found.bytes.as_slice());
        let after = Some(content.as_bytes());
        let file = diff::file(heading, bytes, after, &mut Audience::question());
        Display::Diff { files: vec![file] }
    }

    fn file_use(&self) -> FileUse {
        FileUse::Overwrites
    }

    fn obstacle(
        &self,
        input: &Value,
        workspace: &Workspace,
        _: &Jobs,
        limits: &ToolLimits,
    ) -> Option<ToolOutput> {
        let path = text(input, "path").filter(|_| limits.stale_writes == StaleWrites::Refuse)?;
        let content = text(input, "content").unwrap_or_default();
        let found = workspace.read(path).ok()?;
        let said = match knowledge(workspace, &found, content) {
            Knowledge::Current => return None,
            Knowledge::None => unread(&found.path),
            Knowledge::Changed => changed_since(&found.path),
        };
        Some(ToolOutput::error(ErrorCode::Stale, said))
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(blocking(host, move |given| {
            let path = text(&input, "path").unwrap_or_default();
            let content = text(&input, "content").unwrap_or_default();
            write(given, path, content)
        }))
    }
}

fn write(given: &Blocking, path: &str, content: &str) -> Result<ToolOutput, Failure> {
    let workspace = &given.workspace;
    let expect = match workspace.read(path) {
        Ok(found) => {
            if given.limits.stale_writes == StaleWrites::Refuse {
                refuse_stale(workspace, &found, content)?;
            }
            Expect::Content(sha256(&found.bytes))
        }
        Err(WorkspaceError::NotFound { .. }) => Expect::Absent,
        Err(error) => return Err(error.while_writing().into()),
    };
    let written = workspace.write(path, content.as_bytes(), expect)?;
    workspace
        .ledger()
        .note_content(&written.path, content.as_bytes());
    let link = workspace.alias(path, &written.path);
    Ok(answer(&written, link.as_deref(), content))
}

/// What would be lost of a file that is written over. Nothing can be where nothing
/// is, or where nothing would change.
fn knowledge(workspace: &Workspace, found: &FileContent, content: &str) -> Knowledge {
    if found.bytes.is_empty() || found.bytes == content.as_bytes() {
        return Knowledge::Current;
    }
    let hash = sha256(&found.bytes);
    workspace.ledger().knowledge(&found.path, &hash)
}

fn refuse_stale(workspace: &Workspace, found: &FileContent, content: &str) -> Result<(), Failure> {
    let path = &found.path;
    match knowledge(workspace, found, content) {
        Knowledge::Current => return Ok(()),
        Knowledge::None => return Err(Failure::new(ErrorCode::Stale, unread(path))),
        Knowledge::Changed => {}
    }
    let ledger = workspace.ledger();
    let said = changed_since(path);
    let Some(copy) = ledger.copy(path) else {
        let said = format!("{said} `read` it again first.");
        return Err(Failure::new(ErrorCode::Stale, said));
    };
    let since = diff::difference(&copy, &found.bytes, STALE_DIFF_BYTES);
    let next = if since.is_cut() {
        "`read` it again first."
    } else {
        // The model has now seen all of it: the next try may go through.
        ledger.note_content(path, &found.bytes);
        "Take this into account and write again."
    };
    Err(Failure::new(
        ErrorCode::Stale,
        format!("{said} {next} Changes since then:\n{}", since.unified),
    ))
}

fn answer(written: &Written, link: Option<&str>, content: &str) -> ToolOutput {
    let operation = match (written.created, written.changed) {
        (true, _) => "created",
        (false, true) => "updated",
        (false, false) => "unchanged",
    };
    let before = written.before.as_deref();
    let heading = Heading {
        path: &written.path,
        from: link,
        operation,
    };
    let after = Some(content.as_bytes());
    let file = diff::file(heading, before, after, &mut Audience::Result);
    let data = json!({
        "path": written.absolute.to_string_lossy(),
        "bytes": content.len(),
        "created": written.created,
        "operation": operation,
        "additions": file.additions,
        "deletions": file.deletions,
    });
    let model = sentence(written, &file, content);
    let display = if written.changed {
        Display::Diff { files: vec![file] }
    } else {
        Display::Text {
            summary: format!("{}: unchanged", written.path),
            body: String::new(),
        }
    };
    let mut output = ToolOutput::ok(data, model, display);
    output.reads = vec![FileHash {
        path: written.path.clone(),
        sha256: written.sha256.clone(),
    }];
    output
}

fn sentence(written: &Written, file: &DiffFile, content: &str) -> String {
    let path = &written.path;
    let bytes = content.len();
    let mut text = match file.operation.as_str() {
        "created" => format!(
            "created {path} ({} {}, {bytes} {})",
            file.additions,
            if file.additions == 1 { "line" } else { "lines" },
            if bytes == 1 { "byte" } else { "bytes" }
        ),
        "updated" => format!(
            "updated {path} (+{} -{} lines, {bytes} {})",
            file.additions,
            file.deletions,
            if bytes == 1 { "byte" } else { "bytes" }
        ),
        _ => format!("unchanged: {path} already has exactly this content"),
    };
    let before = written.before.as_deref().unwrap_or_default();
    if before.starts_with(b"\xEF\xBB\xBF") && !content.starts_with('\u{FEFF}') {
        text.push_str("; its byte order mark is gone");
    }
    if memchr::memmem::find(before, b"\r\n").is_some() && !content.contains("\r\n") {
        text.push_str("; its line endings were CRLF and are now LF");
    }
    text
}
