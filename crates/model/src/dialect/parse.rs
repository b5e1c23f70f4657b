//! A reply becomes what it asks for. Tolerant of how it is written, strict
//! about what would be run: what is not clear goes back to the model (K5).

use super::forms::{self, Choice, Form};
use super::input::{Given, free_text, unknown};
use super::lines::{balanced, without_blank_edges};
use super::problem::Problem;
use super::template::{Pair, Reply, Sections, chosen, sections, shows_choice};
use super::{control, render, tasks};
use serde_json::{Map, Value};
use tenon_vocab::{TodoItem, ToolSpec};

/// A longer reply is not read: whoever waits for it could not stop it.
pub(super) const LONGEST: usize = 2 * 1024 * 1024;
/// Calls that one reply may make.
const MOST_CALLS: usize = 16;

/// One reply, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub thoughts: String,
    /// Empty when the reply has none, which changes nothing.
    pub tasks: Vec<TodoItem>,
    pub action: Action,
    /// What was put right, each in a sentence.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Names and arguments of the tools to call.
    Calls(Vec<Call>),
    /// The work is done; this is for the user.
    Answer(String),
    /// Only the task list is new.
    Tasks,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub name: String,
    pub input: Map<String, Value>,
}

impl Parsed {
    /// As the history keeps it: the template, written in one way only (K2).
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let calls: Vec<(String, String)> = match &self.action {
            Action::Answer(text) => return render::answer(&self.thoughts, &self.tasks, text),
            Action::Tasks => return render::only_tasks(&self.thoughts, &self.tasks),
            Action::Calls(calls) => calls
                .iter()
                .map(|call| {
                    (
                        call.name.clone(),
                        Value::Object(call.input.clone()).to_string(),
                    )
                })
                .collect(),
        };
        let calls = calls
            .iter()
            .map(|(name, input)| (name.as_str(), input.as_str()));
        render::calls(&self.thoughts, &self.tasks, calls)
    }
}

/// Reads a reply of the dialect.
///
/// # Errors
/// What was wrong, in words for the model.
pub fn parse(reply: &str, tools: &[ToolSpec]) -> Result<Parsed, Problem> {
    if reply.trim().is_empty() {
        return Err(Problem::Empty);
    }
    if reply.len() > LONGEST {
        return Err(Problem::TooLong);
    }
    let clean = control::without_tokens(reply);
    let mut parsed = parse_clean(&clean, tools)?;
    if clean.len() < reply.len() {
        parsed.notes.push(String::from(
            "control tokens of a chat template were left out",
        ));
    }
    Ok(parsed)
}

fn parse_clean(reply: &str, tools: &[ToolSpec]) -> Result<Parsed, Problem> {
    if reply.trim().is_empty() {
        return Err(Problem::Empty);
    }
    let read = Reply::new(reply);
    let Some(start) = read.last_response() else {
        if !read.has_choice() {
            let shown = read.shows_response();
            return Err(if shown {
                Problem::Shown
            } else {
                Problem::NoResponse
            });
        }
        let (mut parsed, _) = response(&read, None, tools)?;
        parsed
            .notes
            .push(String::from("the reply had no `# Agent Response` heading"));
        return Ok(parsed);
    };
    let (parsed, taken) = response(&read, Some(start), tools)?;
    // One in a block that is no part of the input: an example, or what is meant
    // after all. Neither is run.
    if read
        .starts
        .last()
        .is_some_and(|&last| last > taken.max(start))
    {
        return Err(Problem::Second);
    }
    Ok(parsed)
}

/// The response at `start`, and the last line of the reply that it used.
fn response(
    read: &Reply<'_>,
    start: Option<usize>,
    tools: &[ToolSpec],
) -> Result<(Parsed, usize), Problem> {
    let (at, body) = read.body(start);
    let parts = sections(at, body, tools);
    if parts.pairs.is_empty() && shows_choice(body) {
        return Err(Problem::Shown);
    }
    let (action, last) = action(&parts, at + body.len(), tools)?;
    let mut notes = Vec::new();
    if read.invented {
        notes.push(String::from(
            "the reply contained made-up results; they were left out",
        ));
    }
    let parsed = Parsed {
        thoughts: balanced(without_blank_edges(&parts.thoughts.join("\n"))),
        tasks: list_of(&parts, tools),
        action,
        notes,
    };
    Ok((parsed, last))
}

/// The task list of the reply. Some write it as the input of the tool that is named
/// after it.
fn list_of(parts: &Sections<'_>, tools: &[ToolSpec]) -> Vec<TodoItem> {
    let list = tasks::tasks(parts.tasks.iter().copied());
    if !list.is_empty() {
        return list;
    }
    let updates = parts.pairs.iter().filter(|pair| {
        let name = chosen(&pair.choice, tools).map(|(name, _)| name);
        name.is_some_and(|name| forms::is_tasks(&name))
    });
    updates
        .map(|pair| tasks::tasks(pair.input.iter().copied()))
        .find(|list| !list.is_empty())
        .unwrap_or_default()
}

fn action(
    parts: &Sections<'_>,
    end: usize,
    tools: &[ToolSpec],
) -> Result<(Action, usize), Problem> {
    let mut calls = Vec::new();
    let mut last = 0;
    let mut only_tasks = false;
    for pair in &parts.pairs {
        let (written, choice) = choice(pair, tools)?;
        match choice {
            // What was to be done first has not been seen yet.
            Choice::Answer if !calls.is_empty() => break,
            Choice::Answer => {
                let text = free_text(&pair.input);
                if text.is_empty() {
                    return Err(Problem::NoInput {
                        tool: forms::ANSWER.to_owned(),
                        expected: String::from("the answer for the user"),
                    });
                }
                return Ok((Action::Answer(text), end));
            }
            Choice::Tasks => only_tasks = true,
            // Nothing is guessed about what comes after, or why it was named.
            Choice::Unknown(_) if !calls.is_empty() => break,
            Choice::Unknown(name) => {
                let input = unknown(&pair.input);
                return Ok((Action::Calls(vec![Call { name, input }]), end));
            }
            Choice::Tool(spec) if is_todo(spec) && Form::of(spec) == Form::Json => {
                match todo(spec, &list_of(parts, tools), pair, &written)? {
                    Some(call) => calls.push(call),
                    None => only_tasks = true,
                }
                last = pair.at;
            }
            Choice::Tool(spec) => {
                let given = Given {
                    spec,
                    written: &written,
                    lines: &pair.input,
                };
                let taken = given.take()?;
                last = pair.at + taken.last;
                calls.extend(taken.inputs.into_iter().map(|input| Call {
                    name: spec.name.clone(),
                    input,
                }));
            }
        }
        if calls.len() >= MOST_CALLS {
            calls.truncate(MOST_CALLS);
            break;
        }
    }
    match (calls.is_empty(), only_tasks) {
        (false, _) => Ok((Action::Calls(calls), last)),
        (true, true) => Ok((Action::Tasks, end)),
        (true, false) => Err(Problem::NoChoice),
    }
}

fn choice<'s>(pair: &Pair<'_>, tools: &'s [ToolSpec]) -> Result<(String, Choice<'s>), Problem> {
    let line = pair
        .choice
        .iter()
        .map(|line| line.trim())
        .find(|line| !line.is_empty());
    chosen(&pair.choice, tools).ok_or_else(|| match line {
        Some(line) if line.split_whitespace().count() > 1 => {
            Problem::NotAName(line.chars().take(80).collect())
        }
        _ => Problem::NoChoice,
    })
}

fn is_todo(spec: &ToolSpec) -> bool {
    spec.name == "todowrite"
}

/// The reply's own list as the input of `todowrite`, in the fields it has. By the
/// name that the dialect has for it, whatever its input is; where there is no list,
/// nothing changes (K7). By any other name an input of its own wins.
fn todo(
    spec: &ToolSpec,
    list: &[TodoItem],
    pair: &Pair<'_>,
    written: &str,
) -> Result<Option<Call>, Problem> {
    let name = spec.name.clone();
    let empty = pair.input.iter().all(|line| line.trim().is_empty());
    let by_dialect = forms::is_tasks(written);
    if list.is_empty() || !(empty || by_dialect) {
        let given = Given {
            spec,
            written,
            lines: &pair.input,
        };
        let own = given.take().map(|taken| taken.inputs.into_iter().next());
        return match own {
            Ok(input) => Ok(Some(Call {
                name,
                input: input.unwrap_or_default(),
            })),
            Err(_) if by_dialect => Ok(None),
            Err(problem) if list.is_empty() => Err(problem),
            Err(_) => Ok(Some(listed(spec, list))),
        };
    }
    Ok(Some(listed(spec, list)))
}

fn listed(spec: &ToolSpec, list: &[TodoItem]) -> Call {
    let name = spec.name.clone();
    let properties = spec.parameters.get("properties").and_then(Value::as_object);
    let field = properties
        .and_then(|all| {
            all.iter()
                .find(|(_, p)| p.get("type").is_some_and(|t| t == "array"))
        })
        .map_or("todos", |(name, _)| name.as_str());
    let item = properties.and_then(|all| all.get(field)?.get("items")?.get("properties"));
    let text = ["text", "content", "task", "title", "description"]
        .into_iter()
        .find(|name| item.is_some_and(|item| item.get(name).is_some()))
        .unwrap_or("text");
    let items = list.iter().map(|item| {
        let mut fields = Map::new();
        fields.insert(text.to_owned(), item.text.clone().into());
        let status = serde_json::to_value(item.status).unwrap_or_default();
        fields.insert(String::from("status"), status);
        Value::Object(fields)
    });
    let input = Map::from_iter([(field.to_owned(), Value::Array(items.collect()))]);
    Call { name, input }
}
