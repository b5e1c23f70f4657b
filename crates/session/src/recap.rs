//! The facts of a session from its events alone (C5, C8): prompts word for word,
//! files with what was done to them, commands with how they ended. Bounded in
//! every direction, so that it can stand in a record and be carried on from one
//! compaction to the next. It writes no sentences and knows no window.

mod marks;

use std::collections::HashMap;
use tenon_vocab::{
    CallId, CallStatus, Checkpoint, CheckpointAction, CommandFact, ContextChange, Display,
    Envelope, Event, EventKind, FileDone, FileFact, KeptText, Message, Origin, Part, Recap, Role,
    ToolResult, ToolUse,
};

/// Characters that are kept of one prompt; the first one gets four times as many.
const PROMPT: usize = 2_000;
const GOAL: usize = 8_000;
const PROMPTS: usize = 100;
const FILES: usize = 300;
const COMMANDS: usize = 60;
const COMMAND: usize = 400;
const OUTCOME: usize = 160;
const ERRORS: usize = 20;
const DECISIONS: usize = 40;
const SKILLS: usize = 20;
/// Characters of one skill.
const TEXT: usize = 24_000;

/// The facts of these events, which begin with the first of their session.
pub fn recap<'a>(events: impl IntoIterator<Item = &'a Event>) -> Recap {
    let mut recap = Recap::default();
    extend_recap(&mut recap, events);
    recap
}

/// Adds the facts of later events. What is before `recap.until` is known already
/// and is passed over.
pub fn extend_recap<'a>(recap: &mut Recap, events: impl IntoIterator<Item = &'a Event>) {
    let events: Vec<&Event> = events
        .into_iter()
        .filter(|event| event.seq >= recap.until)
        .collect();
    let given_up = given_up(&events);
    let mut open = Open::default();
    for event in &events {
        recap.until = recap.until.max(event.seq.saturating_add(1));
        let is_gone = given_up.iter().any(|range| range.contains(&event.seq));
        // What child runs were told and did is in the results of their parents.
        if event.parent.is_none() && !is_gone {
            note(recap, event, &mut open);
        }
    }
}

/// What the user took back, with all that followed from it.
fn given_up(events: &[&Event]) -> Vec<std::ops::Range<u64>> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Context(ContextChange::Reverted(reverted)) => {
                Some(reverted.before..event.seq)
            }
            _ => None,
        })
        .collect()
}

/// What later events are read by.
#[derive(Default)]
struct Open<'a> {
    calls: HashMap<&'a CallId, &'a ToolUse>,
    /// How the prompt of the run begins: what goes along with it is not part of it.
    begins: &'a str,
}

fn note<'a>(recap: &mut Recap, event: &'a Event, open: &mut Open<'a>) {
    match &event.kind {
        EventKind::RunStarted(started) => open.begins = &started.prompt,
        EventKind::Meta(meta) => recap.root.clone_from(&meta.cwd),
        EventKind::Message(message) if message.role == Role::User && message.in_context => {
            said(recap, message, open.begins);
        }
        EventKind::ToolUse(used) => {
            open.calls.insert(&used.call, used);
        }
        EventKind::ToolResult(result) => {
            done(recap, open.calls.remove(&result.call), result);
        }
        EventKind::Checkpoint(checkpoint) => changed(recap, checkpoint),
        EventKind::Todo(todo) => recap.todo.clone_from(&todo.items),
        _ => {}
    }
}

/// A message of the user's side. What goes along with a prompt stands in parts of
/// its own.
fn said(recap: &mut Recap, message: &Message, begins: &str) {
    let texts = || {
        message.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
    };
    for text in texts() {
        if let Some(marks::Marked::Skill { name, text }) = marks::of(text) {
            keep(&mut recap.skills, name, text, SKILLS);
        }
    }
    let is_prompt = |text: &&str| !begins.is_empty() && text.starts_with(begins);
    let prompt = match texts().find(is_prompt) {
        Some(prompt) if message.origin == Origin::User => prompt.to_owned(),
        _ => {
            let plain: Vec<&str> = texts().filter(|text| marks::of(text).is_none()).collect();
            plain.join("\n")
        }
    };
    if !matches!(message.origin, Origin::User | Origin::Steer) {
        return;
    }
    let prompt = prompt.trim();
    if prompt.is_empty() {
        return;
    }
    if recap.goal.is_empty() {
        recap.goal = shortened(prompt, GOAL);
        return;
    }
    let prompt = shortened(prompt, PROMPT);
    // The same words again say nothing new, and the later place is the better one.
    recap.prompts.retain(|known| *known != prompt);
    recap.prompts.push(prompt);
    if recap.prompts.len() > PROMPTS {
        forget_one(recap);
    }
}

/// The one that matters least: of the older half the shortest that binds nobody,
/// else the oldest.
fn forget_one(recap: &mut Recap) {
    let older = recap.prompts.len() / 2;
    let least = recap
        .prompts
        .iter()
        .take(older)
        .enumerate()
        .filter(|(_, prompt)| !binds(prompt))
        .min_by_key(|(index, prompt)| (prompt.len(), *index))
        .map_or(0, |(index, _)| index);
    recap.prompts.remove(least);
    recap.left_out = recap.left_out.saturating_add(1);
}

/// Words by which people bind the work that follows. A guess that only orders
/// what is kept first: a missed one is not lost before the room is.
const BINDING: &[&str] = &[
    "must",
    "never",
    "always",
    "do not",
    "don't",
    "dont",
    "only ",
    "without",
    "avoid",
    "instead",
    "keep ",
    "use ",
    "make sure",
    "remember",
    "important",
    "require",
    "forbid",
    "no longer",
    "from now on",
    "constraint",
    "nicht",
    "immer",
    "niemals",
    "nur ",
    "ohne",
    "statt",
    "muss",
    "jamais",
    "toujours",
    "siempre",
    "nunca",
    "不要",
    "必须",
    "禁止",
    "しない",
    "必ず",
];

/// Whether a prompt looks as if it binds later work.
#[must_use]
pub fn binds(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    BINDING.iter().any(|word| lower.contains(word))
}

fn done(recap: &mut Recap, used: Option<&ToolUse>, result: &ToolResult) {
    if let Some(marks::Marked::Skill { name, text }) = (result.name == "skill" && result.ok)
        .then(|| marks::of(&result.model_text))
        .flatten()
    {
        keep(&mut recap.skills, name, text, SKILLS);
    }
    let input = |name: &str| used.and_then(|used| used.input.get(name)?.as_str());
    match result.name.as_str() {
        "bash" | "process" => {
            if let Some(command) = input("command") {
                ran(recap, command, result);
            }
            return;
        }
        "ask_user" if result.ok => {
            let question = input("question").unwrap_or_default();
            let answer = answer(result);
            let decision = shortened(&format!("{question}: {answer}"), PROMPT);
            push(&mut recap.decisions, decision, DECISIONS);
            return;
        }
        _ => {}
    }
    if result.ok {
        if let (Some(path), Some(done)) = (input("path"), kind_of(&result.name)) {
            touch(recap, path, done);
        }
    } else if !matches!(result.status, CallStatus::NotStarted) {
        let about = input("path").map_or(String::new(), |path| format!(" {path}"));
        let why = first_line(&result.model_text);
        let error = format!("{}{about}: {}", result.name, shortened(why, OUTCOME));
        recap.errors.retain(|known| *known != error);
        push(&mut recap.errors, error, ERRORS);
    }
}

fn answer(result: &ToolResult) -> String {
    match &result.envelope {
        Envelope::Ok(data) => data["answer"].as_str().map(ToOwned::to_owned),
        Envelope::Err(_) => None,
    }
    .unwrap_or_else(|| result.model_text.clone())
}

/// Tools that search take the path of a folder: it is not a file that was touched.
fn kind_of(tool: &str) -> Option<FileDone> {
    match tool {
        "write" => Some(FileDone::Created),
        "edit" => Some(FileDone::Edited),
        "read" => Some(FileDone::Read),
        _ => None,
    }
}

fn ran(recap: &mut Recap, command: &str, result: &ToolResult) {
    let command = shortened(command.trim(), COMMAND);
    let outcome = outcome(result);
    let mut times = 1;
    recap.commands.retain(|known| {
        if known.command == command {
            times = known.times.saturating_add(1);
        }
        known.command != command
    });
    recap.commands.push(CommandFact {
        command,
        outcome,
        times,
    });
    if recap.commands.len() > COMMANDS {
        // What ran only once goes first, the oldest of it.
        let least = recap.commands.iter().position(|known| known.times == 1);
        recap.commands.remove(least.unwrap_or(0));
    }
}

fn outcome(result: &ToolResult) -> String {
    if result.status == CallStatus::Denied {
        return String::from("denied");
    }
    let data = match &result.envelope {
        Envelope::Ok(data) => Some(data),
        Envelope::Err(error) => error.details.as_ref(),
    };
    let timed_out = data.is_some_and(|data| data["timed_out"].as_bool() == Some(true));
    let exit = data.and_then(|data| data["exit_code"].as_i64());
    match (timed_out, exit) {
        (true, _) => String::from("timed out"),
        (false, Some(0)) => String::from("exit 0"),
        (false, Some(code)) => match last_line(printed(result)) {
            "" => format!("exit {code}"),
            line => format!("exit {code}: {}", shortened(line, OUTCOME)),
        },
        (false, None) if result.ok => String::from("done"),
        (false, None) => shortened(first_line(&result.model_text), OUTCOME),
    }
}

fn changed(recap: &mut Recap, checkpoint: &Checkpoint) {
    if checkpoint.ahead {
        // Kept in case; whether it was changed is in another record.
        return;
    }
    for file in &checkpoint.files {
        let done = match (checkpoint.action, &file.before, &file.after) {
            (CheckpointAction::Undone | CheckpointAction::Reverted, _, _) => FileDone::TakenBack,
            (_, None, Some(_)) => FileDone::Created,
            (_, _, None) => FileDone::Deleted,
            _ => FileDone::Edited,
        };
        touch(recap, &file.path, done);
    }
}

/// A file that was made in this session stays made when it is edited or read; one
/// that came back after it was deleted is not deleted.
fn touch(recap: &mut Recap, path: &str, done: FileDone) {
    let path = relative(&recap.root, path);
    if path.len() > 1_000 {
        return;
    }
    let before = recap
        .files
        .iter()
        .find(|file| file.path == path)
        .map(|file| file.done);
    let done = match (before, done) {
        (Some(known), FileDone::Read) => known,
        (Some(FileDone::Created), FileDone::Edited) => FileDone::Created,
        (Some(FileDone::Edited), FileDone::Created) => FileDone::Edited,
        (_, done) => done,
    };
    recap.files.retain(|file| file.path != path);
    recap.files.push(FileFact { path, done });
    if recap.files.len() > FILES {
        let least = recap
            .files
            .iter()
            .position(|file| file.done == FileDone::Read);
        recap.files.remove(least.unwrap_or(0));
    }
}

fn relative(root: &str, path: &str) -> String {
    let below = path
        .strip_prefix(root)
        .filter(|_| !root.is_empty())
        .and_then(|rest| rest.strip_prefix('/'));
    let path = below.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

fn keep(kept: &mut Vec<KeptText>, name: String, text: String, most: usize) {
    kept.retain(|known| known.name != name);
    let text = shortened(&text, TEXT);
    push(kept, KeptText { name, text }, most);
}

fn push<T>(list: &mut Vec<T>, item: T, most: usize) {
    list.push(item);
    if list.len() > most {
        list.remove(0);
    }
}

fn first_line(text: &str) -> &str {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
}

/// What a command printed, without what was added to it for the model.
fn printed(result: &ToolResult) -> &str {
    match &result.display {
        Display::Terminal { output, .. } => output,
        _ => &result.model_text,
    }
}

fn last_line(text: &str) -> &str {
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
}

/// Head and tail, with what was left out said in between.
fn shortened(text: &str, most: usize) -> String {
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most * 3 / 4).collect();
    let tail: String = text.chars().skip(all - most / 4).collect();
    let cut = all - most * 3 / 4 - most / 4;
    format!("{head} […{cut} characters left out…] {tail}")
}
