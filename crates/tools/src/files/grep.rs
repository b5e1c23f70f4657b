//! `grep`: lines that match a regular expression, with ripgrep's own engine,
//! in this process.

use super::blocking::{Blocking, blocking};
use super::failure::Failure;
use super::glob::{folder, folder_facts};
use super::pattern::Pattern;
use crate::builtin::{number, spec, text};
use crate::contract::{Host, Tool};
use crate::workspace::{WalkOptions, Workspace, WorkspaceError};
use collect::Found;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use search::{Job, Mode};
use serde_json::{Value, json};
use tenon_policy::Facts;
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Display, Effect, ErrorCode, ToolOutput, ToolSpec};

mod answer;
mod collect;
mod search;

const DESCRIPTION: &str = "Search file contents with a regular expression (Rust syntax). Binary files, what .gitignore names, .git and node_modules are left out. mode: `content` (default) shows lines, `files` paths, `count` the number of matching lines per file.";

const EXAMPLE: &str = "Escape what is meant literally: `parse\\(` finds calls of parse, `Vec<u8>\\[` an index, `\\bid\\b` the whole word.";

const MOST_CONTEXT: u64 = 20;
/// A pattern that compiles to more than this is a mistake or an attack.
const REGEX_BYTES: usize = 10 * 1024 * 1024;

/// Searches the content of files.
#[derive(Debug)]
pub struct Grep {
    spec: ToolSpec,
}

impl Grep {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "minLength": 1},
                "path": {"type": "string", "description": "Folder or file; the project root when left out."},
                "glob": {"type": "string", "description": "Only files that match, such as `*.rs`."},
                "context": {"type": "integer", "minimum": 0, "description": "Lines to show around each match."},
                "mode": {"type": "string", "enum": ["content", "files", "count"]},
                "ignore_case": {"type": "boolean"}
            },
            "required": ["pattern"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::GREP, DESCRIPTION, Effect::Read, parameters),
        }
    }
}

impl Default for Grep {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn example(&self) -> Option<&str> {
        Some(EXAMPLE)
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        folder_facts(&self.spec, input, workspace)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        let pattern = text(input, "pattern").unwrap_or_default();
        Display::Text {
            summary: format!("{pattern} in {}", folder(input)),
            body: String::new(),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(blocking(host, move |given| grep(given, &input)))
    }
}

fn grep(given: &Blocking, input: &Value) -> Result<ToolOutput, Failure> {
    let mode = match text(input, "mode") {
        Some("files") => Mode::Files,
        Some("count") => Mode::Count,
        _ => Mode::Content,
    };
    let job = Job {
        matcher: matcher(input)?,
        mode,
        context: number(input, "context").unwrap_or(0).min(MOST_CONTEXT),
        most: match mode {
            Mode::Content => given.limits.grep_matches,
            Mode::Files | Mode::Count => given.limits.glob_paths,
        },
        stop: &given.stop,
    };
    let found = find(given, &job, input)?;
    if let Some(stopped) = given.stop.reason() {
        return Err(stopped.failure());
    }
    Ok(answer::answer(&found, &job, given.limits.output_bytes))
}

fn find(given: &Blocking, job: &Job<'_>, input: &Value) -> Result<Found, Failure> {
    let path = folder(input);
    let walk = match given.workspace.walk(path, &WalkOptions::default()) {
        Ok(walk) => walk,
        Err(WorkspaceError::NotAFolder { .. }) => {
            let open = given.workspace.open_file(path)?;
            return Ok(job.in_file(&open));
        }
        Err(error) => return Err(error.into()),
    };
    let pattern = text(input, "glob")
        .filter(|glob| !glob.is_empty())
        .map(|glob| Pattern::new(glob, walk.absolute()))
        .transpose()
        .map_err(Failure::input)?;
    Ok(job.in_folder(&walk, pattern.as_ref()))
}

fn matcher(input: &Value) -> Result<RegexMatcher, Failure> {
    let pattern = text(input, "pattern").unwrap_or_default();
    let ignore_case = input.get("ignore_case").and_then(Value::as_bool);
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case == Some(true))
        .line_terminator(Some(b'\n'))
        .size_limit(REGEX_BYTES)
        .build(pattern)
        .map_err(|error| {
            let hint = if pattern.contains("\\n") || pattern.contains('\n') {
                "a pattern can only match within one line"
            } else {
                "to search for ( ) [ ] { } . * + ? | ^ $ or \\ literally, put a \\ before each; \
                 look-around and back-references are not supported"
            };
            Failure::new(
                ErrorCode::InvalidInput,
                format!("can't search for `pattern` as a regular expression: {error}; {hint}"),
            )
        })
}
