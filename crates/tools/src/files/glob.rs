//! `glob`: files by the pattern of their path, newest first.

use super::blocking::{Blocking, Stopped, blocking};
use super::failure::Failure;
use super::pattern::Pattern;
use crate::builtin::{facts, number, spec, text};
use crate::contract::{Host, Tool};
use crate::workspace::{Entry, EntryKind, Walk, WalkOptions, Walked, Workspace};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use tenon_policy::{Access, Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Display, Effect, FileEntry, ToolOutput, ToolSpec};

const DESCRIPTION: &str = "Find files by a pattern such as `src/**/*.rs`, newest first. A pattern without `/` matches at any depth. What .gitignore names, .git and node_modules are left out.";

/// Finds files by pattern.
#[derive(Debug)]
pub struct Glob {
    spec: ToolSpec,
}

impl Glob {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "minLength": 1},
                "path": {"type": "string", "description": "Folder to search; the project root when left out."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many paths to show at most."}
            },
            "required": ["pattern"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::GLOB, DESCRIPTION, Effect::Read, parameters),
        }
    }
}

impl Default for Glob {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Glob {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        folder_facts(&self.spec, input, workspace)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Text {
            summary: text(input, "pattern").unwrap_or_default().to_owned(),
            body: String::new(),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(blocking(host, move |given| glob(given, &input)))
    }
}

/// The facts of a tool that looks through a folder.
pub(super) fn folder_facts(spec: &ToolSpec, input: &Value, workspace: &Workspace) -> Facts {
    let seen = workspace.observe(folder(input), Access::Read);
    facts(spec, Subject::Paths(vec![seen]), input)
}

/// Models leave the folder out, or give it as an empty text.
pub(super) fn folder(input: &Value) -> &str {
    match text(input, "path") {
        None | Some("") => ".",
        Some(path) => path,
    }
}

/// How many threads look through a tree.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 12))
}

fn glob(given: &Blocking, input: &Value) -> Result<ToolOutput, Failure> {
    let walk = given
        .workspace
        .walk(folder(input), &WalkOptions::default())?;
    let pattern = Pattern::new(text(input, "pattern").unwrap_or_default(), walk.absolute())
        .map_err(Failure::input)?;
    let (mut found, walked) = matching(given, &walk, &pattern)?;
    found.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
    let most = number(input, "limit").map_or(given.limits.glob_paths, |n| {
        usize::try_from(n)
            .unwrap_or(usize::MAX)
            .min(given.limits.glob_paths)
    });
    let paths: Vec<String> = found.into_iter().map(|(_, path)| path).collect();
    Ok(answer(&paths, most, given.limits.output_bytes, walked))
}

type Dated = (SystemTime, String);

fn matching(
    given: &Blocking,
    walk: &Walk,
    pattern: &Pattern,
) -> Result<(Vec<Dated>, Walked), Failure> {
    let found: Mutex<Vec<Dated>> = Mutex::default();
    let stopped: Mutex<Option<Stopped>> = Mutex::default();
    let walked = walk.parallel(threads(), || {
        Box::new(|entry: &Entry| {
            if let Some(reason) = given.stop.reason() {
                *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
                return ControlFlow::Break(());
            }
            let wanted = matches!(entry.kind(), EntryKind::File | EntryKind::Link);
            if wanted && pattern.matches(entry.relative()) {
                let modified = entry
                    .metadata()
                    .and_then(|metadata| metadata.modified().ok())
                    .unwrap_or(SystemTime::UNIX_EPOCH);
                let path = walk.shown(entry);
                found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push((modified, path));
            }
            ControlFlow::Continue(())
        })
    });
    if let Some(stopped) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(stopped.failure());
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((found, walked))
}

fn answer(paths: &[String], most: usize, cap: usize, walked: Walked) -> ToolOutput {
    let mut model = String::new();
    let mut shown = 0;
    for path in paths.iter().take(most) {
        if model.len() + path.len() > cap {
            break;
        }
        model.push_str(path);
        model.push('\n');
        shown += 1;
    }
    let mut notes = Vec::new();
    if paths.is_empty() {
        notes.push(String::from(
            "[no file matches; ignored files (.gitignore) are not searched]",
        ));
    } else if shown < paths.len() {
        notes.push(format!(
            "[the newest {shown} of {} files; narrow the pattern to see the others]",
            paths.len()
        ));
    }
    if walked == Walked::Part {
        notes.push(String::from(
            "[the tree is too large, so only part of it was searched; pass a `path`]",
        ));
    }
    let truncated = shown < paths.len() || walked == Walked::Part;
    let mut data = json!({"paths": &paths[..shown], "count": paths.len(), "truncated": truncated});
    if !notes.is_empty() {
        let note = notes.join("\n");
        model.push_str(&note);
        model.push('\n');
        data["note"] = json!(note);
    }
    let display = Display::Files {
        summary: match paths.len() {
            1 => String::from("1 file"),
            n => format!("{n} files"),
        },
        entries: paths[..shown].iter().map(|path| entry(path)).collect(),
    };
    ToolOutput::ok(data, model, display)
}

fn entry(path: &str) -> FileEntry {
    FileEntry {
        path: path.to_owned(),
        line: None,
        text: None,
    }
}
