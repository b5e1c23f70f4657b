//! The text under `## Tool Input` becomes arguments (K4). Whatever the form,
//! a JSON object is understood as well: it is how more than the simple form
//! holds is said.

use super::control::{Reading, escape, unmeant};
use super::forms::{Form, property, required};
use super::headings::{Heading, heading, without_bullet};
use super::lines::{Block, Content, NoBlock, block, opening};
use super::paths::{clean_path, content_of, is_pattern, quoted, split_pattern};
use super::problem::Problem;
use crate::repair::{Arguments, JsonScan, parse_arguments};
use serde_json::{Map, Value, json};
use tenon_vocab::ToolSpec;
use tenon_vocab::names::implied_action;

/// Paths that one reply may ask for.
const MOST_PATHS: usize = 16;
/// As deep as `list` goes: a pattern is meant for the whole tree.
const WHOLE_TREE: u64 = 20;
/// How models say that there is no input.
const NOTHING: &[&str] = &["none", "n/a", "(none)", "null", "empty", "no input"];

/// What was understood: one or more inputs of the same tool, and the last line
/// that belongs to them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Taken {
    pub(super) inputs: Vec<Map<String, Value>>,
    pub(super) last: usize,
}

/// One choice and what was written for it.
pub(super) struct Given<'s, 't> {
    pub(super) spec: &'s ToolSpec,
    /// The tool's name as the model wrote it.
    pub(super) written: &'t str,
    pub(super) lines: &'t [&'t str],
}

impl Given<'_, '_> {
    pub(super) fn take(&self) -> Result<Taken, Problem> {
        let form = Form::of(self.spec);
        if let Some(taken) = self.json(form)? {
            self.no_control(taken.last, Reading::Strict)?;
            return Ok(taken);
        }
        match form {
            Form::Text(_) => {}
            Form::Write | Form::Edit => {
                self.no_control(self.first().unwrap_or(0), Reading::Strict)?;
                self.no_control(self.end(), Reading::Quotes)?;
            }
            Form::Command | Form::Block(_) => self.no_control(self.end(), Reading::Quotes)?,
            Form::Path | Form::Folder | Form::Process | Form::Json => {
                self.no_control(self.end(), Reading::Strict)?;
            }
        }
        match form {
            Form::Path => self.paths(),
            Form::Folder => self.folder(),
            Form::Write => self.write(),
            Form::Edit => self.edit(),
            Form::Command => self.command(),
            Form::Process => self.process(),
            Form::Text(field) => self.text(field),
            Form::Block(field) => self.block(field),
            Form::Json => self.plain(),
        }
    }

    /// Nothing of a chat template is run or written, up to this line.
    fn no_control(&self, last: usize, reading: Reading) -> Result<(), Problem> {
        let mut lines = self.lines.iter().take(last + 1);
        match lines.find_map(|line| unmeant(line, reading)) {
            None => Ok(()),
            Some(token) => Err(Problem::Control {
                tool: self.tool(),
                token: token.to_owned(),
                escape: token.chars().next().map(escape).unwrap_or_default(),
            }),
        }
    }

    fn tool(&self) -> String {
        self.spec.name.clone()
    }

    fn expected(&self) -> String {
        Form::of(self.spec).expected().to_owned()
    }

    fn no_input(&self) -> Problem {
        Problem::NoInput {
            tool: self.tool(),
            expected: self.expected(),
        }
    }

    pub(super) fn bad(&self, found: impl Into<String>) -> Problem {
        Problem::BadInput {
            tool: self.tool(),
            found: found.into(),
            expected: self.expected(),
        }
    }

    fn one(&self, input: Map<String, Value>, last: usize) -> Taken {
        Taken {
            inputs: vec![input],
            last,
        }
    }

    /// The first line that says something.
    fn first(&self) -> Option<usize> {
        self.lines.iter().position(|line| !line.trim().is_empty())
    }

    fn is_nothing(&self) -> bool {
        let text = self.all_text().to_lowercase();
        text.is_empty() || NOTHING.contains(&text.as_str())
    }

    fn end(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    fn all_text(&self) -> String {
        self.lines.join("\n").trim().to_owned()
    }

    pub(super) fn block_at(&self, opens: usize, content: Content) -> Result<Block<'_>, Problem> {
        let found = block(self.lines, opens, content).map_err(|error| match error {
            NoBlock::Missing => Problem::NoBlock {
                tool: self.tool(),
                expected: self.expected(),
            },
            NoBlock::Unclosed => Problem::Unclosed { tool: self.tool() },
            NoBlock::Unclear => Problem::Unclear { tool: self.tool() },
        })?;
        self.trust(found)
    }

    /// A text that begins with a backtick and is not quoted by it was cut, or is
    /// no input at all.
    fn not_half_a_fence(&self, text: &str) -> Result<(), Problem> {
        if text.starts_with('`') && quoted(text).is_none_or(|(_, rest)| !rest.is_empty()) {
            return Err(self.bad("it begins with a backtick"));
        }
        Ok(())
    }

    /// A block whose end was guessed must not have swallowed another response.
    fn trust<'b>(&self, found: Block<'b>) -> Result<Block<'b>, Problem> {
        let swallowed = |line: &str| {
            heading(line).is_some_and(|f| matches!(f.heading, Heading::Response | Heading::Choice))
        };
        if !found.certain && found.text.lines().any(swallowed) {
            return Err(Problem::Unclear { tool: self.tool() });
        }
        Ok(found)
    }

    /// A JSON object as the whole input.
    fn json(&self, form: Form) -> Result<Option<Taken>, Problem> {
        let Some(first) = self.first() else {
            return Ok(None);
        };
        let line = self.lines[first].trim_start();
        let (text, last) = if line.starts_with('{') {
            (first_value(&self.all_text()).to_owned(), self.end())
        } else if line.starts_with("```") || line.starts_with("~~~") {
            match block(self.lines, first, Content::Code) {
                Ok(found) if found.text.trim_start().starts_with('{') => (found.text, found.closes),
                Err(NoBlock::Unclosed) if form == Form::Json => {
                    return Err(Problem::Unclosed { tool: self.tool() });
                }
                _ => return Ok(None),
            }
        } else {
            return Ok(None);
        };
        let object = match parse_arguments(&text) {
            Arguments::Object(object) => object,
            Arguments::Invalid { error } if form == Form::Json => return Err(self.bad(error)),
            _ => return Ok(None),
        };
        let known = |name: &String| property(self.spec, name).is_some();
        let meant = match form {
            Form::Command | Form::Text(_) | Form::Block(_) => {
                !object.is_empty() && object.keys().all(known)
            }
            _ => true,
        };
        Ok(meant.then(|| self.one(object, last)))
    }

    fn paths(&self) -> Result<Taken, Problem> {
        let found = self.quoted_lines();
        if found.len() > 1 {
            let last = found.last().map_or(0, |(line, _)| *line);
            let inputs = found
                .into_iter()
                .take(MOST_PATHS)
                .map(|(_, path)| path_input(&path));
            return Ok(Taken {
                inputs: inputs.collect(),
                last,
            });
        }
        let (path, last) = self.path(self.lines.len())?;
        Ok(self.one(path_input(&path), last))
    }

    /// The lines at the beginning that are quoted paths and nothing else.
    fn quoted_lines(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            match quoted(without_bullet(line)) {
                Some((path, rest)) if rest.trim().is_empty() => {
                    found.push((number, path.to_owned()))
                }
                _ => break,
            }
        }
        found
    }

    fn folder(&self) -> Result<Taken, Problem> {
        if self.is_nothing() {
            return Ok(self.one(Map::new(), 0));
        }
        let (path, last) = self.path(self.lines.len())?;
        let input = if is_pattern(&path) {
            let (folder, pattern) = split_pattern(&path);
            object(json!({"path": folder, "glob": pattern, "depth": WHOLE_TREE}))
        } else {
            path_input(&path)
        };
        Ok(self.one(input, last))
    }

    /// The path before line `before`, and the line it is on.
    fn path(&self, before: usize) -> Result<(String, usize), Problem> {
        let missing = || Problem::NoPath {
            tool: self.tool(),
            expected: self.expected(),
        };
        let mut lines = self.lines[..before.min(self.lines.len())]
            .iter()
            .enumerate();
        let line = lines.find(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("```") && !line.starts_with("~~~")
        });
        let (number, line) = line.ok_or_else(missing)?;
        let path = clean_path(line).ok_or_else(missing)?;
        Ok((path, number))
    }

    fn write(&self) -> Result<Taken, Problem> {
        if self.first().is_none() {
            return Err(self.no_input());
        }
        let opens = opening(self.lines, 0).unwrap_or(self.lines.len());
        let (path, _) = self.path(opens)?;
        let info = self
            .lines
            .get(opens)
            .map_or("", |line| line.trim_start_matches(['`', '~', ' ']));
        let found = self.block_at(opens, content_of(&path, info))?;
        let mut content = found.text;
        // A block is lines, and a file of lines ends with one.
        if found.closes > found.opens + 1 {
            content.push('\n');
        }
        let input = object(json!({"path": path, "content": content}));
        Ok(self.one(input, found.closes))
    }

    fn edit(&self) -> Result<Taken, Problem> {
        if self.first().is_none() {
            return Err(self.no_input());
        }
        let opens = opening(self.lines, 0).unwrap_or(self.lines.len());
        let (path, _) = self.path(opens)?;
        let pairs = self.pairs(opens, &path)?;
        let last = pairs.last().map_or(0, |pair| pair.2);
        let inputs = pairs
            .into_iter()
            .map(|(old, new, _)| object(json!({"path": path, "old": old, "new": new})))
            .collect();
        Ok(Taken { inputs, last })
    }

    fn command(&self) -> Result<Taken, Problem> {
        let first = self.first().ok_or_else(|| self.no_input())?;
        let opens = opening(self.lines, first);
        let (command, last) = match opens {
            Some(opens) if opens == first || self.lines[first].trim_end().ends_with(':') => {
                let found = self.block_at(opens, Content::Code)?;
                // What is run is never guessed.
                if !found.certain {
                    return Err(Problem::Unclear { tool: self.tool() });
                }
                (found.text, found.closes)
            }
            // Backticks would be run by the shell; a here-document may hold some.
            Some(_) if !self.lines.iter().any(|line| line.contains("<<")) => {
                return Err(self.bad("there is text around the code block"));
            }
            _ => (bare_command(&self.all_text()), self.end()),
        };
        self.not_half_a_fence(&command)?;
        let command = command.trim_matches('\n');
        if command.trim().is_empty() {
            return Err(self.no_input());
        }
        Ok(self.one(object(json!({"command": command})), last))
    }

    fn process(&self) -> Result<Taken, Problem> {
        let first = self.first();
        let line = first.map_or("", |line| without_bullet(self.lines[line]));
        let mut words = line
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', '`', ',', '.']));
        let action = match implied_action(self.written) {
            Some(action) => action,
            None => match words.next().unwrap_or_default().to_lowercase().as_str() {
                "list" => "list",
                "read" => "read",
                "kill" => "kill",
                "write" => "write",
                "wait" => "wait",
                _ => return Err(self.bad("it has none of list, read, wait, kill")),
            },
        };
        let mut input = object(json!({"action": action}));
        if action == "list" {
            return Ok(self.one(input, first.unwrap_or(0)));
        }
        let id = words.find(|word| !word.is_empty());
        let id = id.ok_or_else(|| self.bad("it has no process id"))?;
        input.insert("id".into(), id.into());
        let mut last = first.unwrap_or(0);
        if action == "write" {
            let opens = opening(self.lines, last).unwrap_or(self.lines.len());
            let found = self.block_at(opens, Content::Code)?;
            input.insert("input".into(), format!("{}\n", found.text).into());
            last = found.closes;
        }
        Ok(self.one(input, last))
    }

    fn text(&self, field: &str) -> Result<Taken, Problem> {
        let text = free_text(self.lines);
        if text.is_empty() {
            return Err(self.no_input());
        }
        Ok(self.one(field_input(field, text), self.end()))
    }

    fn block(&self, field: &str) -> Result<Taken, Problem> {
        let first = self.first().ok_or_else(|| self.no_input())?;
        match opening(self.lines, first) {
            Some(opens) => {
                let found = self.block_at(opens, Content::Code)?;
                let input = field_input(field, format!("{}\n", found.text));
                Ok(self.one(input, found.closes))
            }
            None => {
                let text = self.all_text();
                self.not_half_a_fence(&text)?;
                Ok(self.one(field_input(field, text), self.end()))
            }
        }
    }

    /// A tool that takes JSON and got something else: nothing at all, or the
    /// one text that it needs.
    fn plain(&self) -> Result<Taken, Problem> {
        let needs = required(self.spec);
        let text = free_text(self.lines);
        if needs.is_empty() && self.is_nothing() {
            return Ok(self.one(Map::new(), 0));
        }
        if text.is_empty() {
            return Err(self.no_input());
        }
        let [only] = needs.as_slice() else {
            return Err(self.bad("it isn't a JSON object"));
        };
        self.not_half_a_fence(&text)?;
        let is_text = property(self.spec, only).is_some_and(|p| {
            p.get("type").is_some_and(|t| t == "string") && p.get("enum").is_none()
        });
        if !is_text {
            return Err(self.bad("it isn't a JSON object"));
        }
        let text = match quoted(&text) {
            Some((inner, "")) => inner.to_owned(),
            _ => text,
        };
        Ok(self.one(field_input(only, text), self.end()))
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The JSON value that a text begins with; the rest is talk.
fn first_value(text: &str) -> &str {
    let end = JsonScan::default().feed_until_closed(text.as_bytes());
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn field_input(field: &str, text: String) -> Map<String, Value> {
    Map::from_iter([(field.to_owned(), Value::String(text))])
}

fn path_input(path: &str) -> Map<String, Value> {
    field_input("path", path.to_owned())
}

/// The input of a tool that nobody knows: what the engine says of it is an
/// error, but the history shows what was meant.
pub(super) fn unknown(lines: &[&str]) -> Map<String, Value> {
    let text = free_text(lines);
    let inner = block(lines, opening(lines, 0).unwrap_or(0), Content::Code).map(|block| block.text);
    match parse_arguments(inner.as_deref().unwrap_or(&text)) {
        Arguments::Object(object) => object,
        _ => field_input("input", text),
    }
}

/// Text for people: a block around all of it is no part of it.
pub(super) fn free_text(lines: &[&str]) -> String {
    let all = lines.join("\n");
    let all = all.trim();
    let inner: Vec<&str> = all.split('\n').collect();
    if let Ok(found) = block(&inner, 0, Content::Code)
        && found.certain
        && found.closes + 1 == inner.len()
        && matches!(found.info, "" | "md" | "markdown" | "text" | "txt")
    {
        return found.text.trim().to_owned();
    }
    all.to_owned()
}

fn bare_command(text: &str) -> String {
    let inline = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    let text = inline.filter(|inner| !inner.contains('`')).unwrap_or(text);
    match text.strip_prefix("$ ") {
        Some(rest) if !rest.contains('\n') => rest.to_owned(),
        _ => text.to_owned(),
    }
}
