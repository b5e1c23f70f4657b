//! Which tools a reply can choose, and the form of input that each takes: the
//! simple ones for the tools that every model knows, a JSON object for all
//! others (K4, K6).

use serde_json::Value;
use tenon_vocab::names::{canonical_name, squash};
use tenon_vocab::{ToolCallPart, ToolSpec};

/// Ends the run: its input is the answer.
pub(super) const ANSWER: &str = "answer";
/// Changes nothing but the task list.
pub(super) const TASKS: &str = "update_task_list";

/// How models say that they are done.
const ANSWERS: &[&str] = &[
    "answer",
    "finalanswer",
    "finalresponse",
    "respond",
    "respondtouser",
    "answeruser",
    "reply",
];

/// What stands for no choice at all.
const NOTHING: &[&str] = &["none", "null", "na", "n/a", "nothing", "notool", "notools"];

/// What a reply chose.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice<'s> {
    Answer,
    Tasks,
    Tool(&'s ToolSpec),
    /// Nobody's name; the engine says which tools there are.
    Unknown(String),
}

/// How the input of a tool is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One or more quoted paths.
    Path,
    /// A quoted path or a pattern, or nothing.
    Folder,
    /// A quoted path and a block.
    Write,
    /// A quoted path, a `find` and a `replace` block.
    Edit,
    /// A command line, plain or in a block.
    Command,
    /// What to do, and the id of a process.
    Process,
    /// Free text for this field.
    Text(&'static str),
    /// A block for this field.
    Block(&'static str),
    Json,
}

impl Form {
    pub(super) fn of(spec: &ToolSpec) -> Self {
        let (form, fields): (Self, &[&str]) = match spec.name.as_str() {
            "read" => (Self::Path, &["path"]),
            "list" => (Self::Folder, &["path", "glob", "depth"]),
            "write" => (Self::Write, &["path", "content"]),
            "edit" => (Self::Edit, &["path", "old", "new"]),
            "bash" => (Self::Command, &["command"]),
            "process" => (Self::Process, &["action", "id"]),
            "ask_user" => (Self::Text("question"), &["question"]),
            "done" => (Self::Text("summary"), &["summary"]),
            "patch" => (Self::Block("patch"), &["patch"]),
            _ => (Self::Json, &[]),
        };
        // A tool of somebody else may have the same name and other fields.
        if fields.iter().all(|field| property(spec, field).is_some()) {
            form
        } else {
            Self::Json
        }
    }

    /// For the model, in half a sentence.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Path => "the path in double quotes; several paths on lines of their own",
            Self::Folder => {
                "the path of a folder in double quotes, or a pattern such as \"src/**/*.ts\"; nothing for the project's root"
            }
            Self::Write => {
                "the path in double quotes, then one code block with all of the file's content"
            }
            Self::Edit => {
                "the path in double quotes, then a ```find block with the exact text to replace and a ```replace block with the new text"
            }
            Self::Command => "the command line alone, or in one ```bash block",
            Self::Process => "`list`, `read proc_1`, `wait proc_1` or `kill proc_1`",
            Self::Text(_) => "plain text",
            Self::Block(_) => "one code block",
            Self::Json => "a JSON object in one ```json block",
        }
    }
}

/// Whether this is a spelling of `update_task_list` itself.
pub(super) fn is_tasks(name: &str) -> bool {
    squash(name) == squash(TASKS)
}

pub(super) fn property<'s>(spec: &'s ToolSpec, name: &str) -> Option<&'s Value> {
    spec.parameters.get("properties")?.get(name)
}

pub(super) fn required(spec: &ToolSpec) -> Vec<&str> {
    spec.parameters
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

/// The tool that a name means: as it is, without regard to case, by an alias.
pub(super) fn choose<'s>(name: &str, tools: &'s [ToolSpec]) -> Option<Choice<'s>> {
    let plain = squash(name)?;
    let by_name = tools.iter().find(|tool| tool.name == name).or_else(|| {
        tools
            .iter()
            .find(|t| squash(&t.name).as_deref() == Some(&plain))
    });
    let canonical = canonical_name(name);
    let by_alias = || {
        tools
            .iter()
            .find(|tool| Some(tool.name.as_str()) == canonical)
    };
    if let Some(tool) = by_name.or_else(by_alias) {
        return Some(Choice::Tool(tool));
    }
    if ANSWERS.contains(&plain.as_str()) || canonical == Some("done") {
        return Some(Choice::Answer);
    }
    if canonical == Some("todowrite") {
        return Some(Choice::Tasks);
    }
    if NOTHING.contains(&plain.as_str()) {
        return None;
    }
    let name = canonical.unwrap_or(name);
    let usable = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    name.chars()
        .all(usable)
        .then(|| Choice::Unknown(name.to_owned()))
}

/// Whether this call is the one with which a reply that could not be read goes
/// back to the model.
pub(super) fn is_reply_format(call: &ToolCallPart) -> bool {
    call.name == super::REPLY_FORMAT
}
