//! The facts of a session from its events alone (C5, C8): prompts word for word,
//! files with what was done to them, commands with how they ended. Bounded in
//! every direction, so that it can stand in a record and be carried on from one
//! compaction to the next. It writes no sentences and knows no window.

mod binding;

pub use binding::binds;

use crate::numbers::GivenUp;
use tenon_vocab::marked::{self, Mark};
use tenon_vocab::names::tool;
use tenon_vocab::{
    Answer, AnsweredBy, CallId, CallStatus, Checkpoint, CheckpointAction, Choice, CommandFact,
    Display, Envelope, Event, EventKind, FileDone, FileFact, KeptText, Message, OpenFact, Origin,
    Part, Question, QuestionKind, Recap, Role, ToolResult, ToolUse,
};

/// Characters that are kept of one prompt. The first one is kept whole, but for
/// one that is a book.
const PROMPT: usize = 2_000;
pub const GOAL: usize = 40_000;
/// Of the prompts and the commands so many of the first ones are never forgotten:
/// what binds a whole session is said at its beginning, in whatever words.
pub const FIRST: usize = 5;
const PROMPTS: usize = 100;
const FILES: usize = 300;
const COMMANDS: usize = 60;
const COMMAND: usize = 400;
const OUTCOME: usize = 160;
const ERRORS: usize = 20;
const DECISIONS: usize = 40;
const SKILLS: usize = 20;
/// Calls that wait for their results.
const OPEN: usize = 100;
/// Bytes of a path: a longer one is no file.
const PATH: usize = 1_000;
/// Characters of one skill.
const TEXT: usize = 24_000;

/// The facts of these events, which begin with the first of their session.
pub fn recap<'a>(events: impl IntoIterator<Item = &'a Event>) -> Recap {
    let mut recap = Recap::default();
    extend_recap(&mut recap, events);
    recap
}

/// Adds the facts of later events. What is before `recap.until` is known already
/// and is passed over. All that later events are read by is in the recap itself:
/// where the events are cut changes nothing, unless a later revert gives up what
/// came before the cut; what a compaction has replaced cannot be given up.
pub fn extend_recap<'a>(recap: &mut Recap, events: impl IntoIterator<Item = &'a Event>) {
    let events: Vec<&Event> = events
        .into_iter()
        .filter(|event| event.seq >= recap.until)
        .collect();
    let given_up = GivenUp::of(events.iter().copied());
    for event in &events {
        note(recap, event, &given_up);
    }
}

/// The next event, where it is known what of the whole was given up.
pub(crate) fn note(recap: &mut Recap, event: &Event, given_up: &GivenUp) {
    if event.seq < recap.until {
        return;
    }
    recap.until = recap.until.max(event.seq.saturating_add(1));
    // What child runs were told and did is in the results of their parents.
    if event.parent.is_none() && !given_up.reverted(event.seq) {
        take(recap, event);
    }
}

fn take(recap: &mut Recap, event: &Event) {
    match &event.kind {
        EventKind::Meta(meta) => recap.root.clone_from(&meta.cwd),
        EventKind::Message(message) if message.role == Role::User && message.in_context => {
            said(recap, message);
        }
        EventKind::ToolUse(used) => asked(recap, used),
        EventKind::ToolResult(result) => {
            let at = recap.open.iter().position(|open| open.call == result.call);
            let used = at.map(|at| recap.open.remove(at));
            done(recap, used.as_ref(), result);
        }
        EventKind::Question(question) if question.kind == QuestionKind::Permission => {
            put(recap, question);
        }
        EventKind::Answer(answer) => answered(recap, answer),
        EventKind::Checkpoint(checkpoint) => changed(recap, checkpoint),
        EventKind::Todo(todo) => recap.todo.clone_from(&todo.items),
        _ => {}
    }
}

/// Keeps of a call what its result will be told with.
fn asked(recap: &mut Recap, used: &ToolUse) {
    let input = |name: &str| used.input.get(name)?.as_str();
    recap.open.retain(|open| open.call != used.call);
    let open = OpenFact {
        call: used.call.clone(),
        command: input("command").map(|command| shortened(command.trim(), COMMAND)),
        path: input("path")
            .filter(|path| path.len() <= PATH)
            .map(ToOwned::to_owned),
        question: input("question").map(|question| shortened(question, PROMPT)),
    };
    push(&mut recap.open, open, OPEN);
}

/// A question before a call waits for its answer as a call does for its result.
fn put(recap: &mut Recap, question: &Question) {
    let about = first_line(&question.body);
    let asked = if about.is_empty() || question.title.contains(about) {
        question.title.clone()
    } else {
        format!("{} ({})", question.title, shortened(about, OUTCOME))
    };
    let open = OpenFact {
        call: CallId::new(question.id.as_str()),
        command: None,
        path: None,
        question: Some(shortened(&asked, PROMPT)),
    };
    push(&mut recap.open, open, OPEN);
}

/// Who says no and writes why has said what binds the work: these words stand
/// nowhere else but in the result of a call, which is given up.
fn answered(recap: &mut Recap, answer: &Answer) {
    let is_it = |open: &OpenFact| open.call.as_str() == answer.question.as_str();
    let Some(at) = recap.open.iter().position(is_it) else {
        return;
    };
    let question = recap.open.remove(at).question.unwrap_or_default();
    let is_yes = matches!(
        answer.choice.as_str(),
        Choice::ONCE | Choice::SESSION | Choice::ALWAYS | Choice::ALL
    );
    let words = answer.text.as_deref().unwrap_or_default().trim();
    let is_somebody = matches!(answer.by, AnsweredBy::User | AnsweredBy::Client);
    if is_yes || words.is_empty() || !is_somebody {
        return;
    }
    let decision = format!("{question}: no: {}", shortened(words, PROMPT));
    push(&mut recap.decisions, decision, DECISIONS);
}

/// A message of the user's side. What goes along with a prompt stands in parts of
/// its own, which are marked.
fn said(recap: &mut Recap, message: &Message) {
    let mut plain: Vec<&str> = Vec::new();
    for part in &message.parts {
        let Part::Text { text } = part else { continue };
        match marked::of(text) {
            Some(Mark::Skill) => loaded(recap, text),
            Some(_) => {}
            None => plain.push(text),
        }
    }
    if !matches!(message.origin, Origin::User | Origin::Steer) {
        return;
    }
    let prompt = plain.join("\n");
    let prompt = prompt.trim();
    if prompt.is_empty() {
        return;
    }
    if recap.goal.is_empty() {
        recap.goal = shortened(prompt, GOAL);
        return;
    }
    let prompt = shortened(prompt, PROMPT);
    // The same words again say nothing new, and the later place is the better one;
    // only what was said at the beginning keeps its place there, too.
    let first = recap.prompts.iter().position(|known| *known == prompt);
    let first = first.filter(|at| *at < FIRST);
    let mut at = 0..;
    recap
        .prompts
        .retain(|known| at.next() == first || *known != prompt);
    recap.prompts.push(prompt);
    if recap.prompts.len() > PROMPTS {
        forget_one(recap);
    }
}

/// The one that matters least: of the older half the shortest that binds nobody,
/// else the oldest. Never one of the first.
fn forget_one(recap: &mut Recap) {
    let older = recap.prompts.len() / 2;
    let least = recap
        .prompts
        .iter()
        .enumerate()
        .take(older)
        .skip(FIRST)
        .filter(|(_, prompt)| !binds(prompt))
        .min_by_key(|(index, prompt)| (prompt.len(), *index))
        .map_or(FIRST, |(index, _)| index);
    recap.prompts.remove(least);
    recap.left_out = recap.left_out.saturating_add(1);
}

fn loaded(recap: &mut Recap, text: &str) {
    if let Some((name, text)) = marked::read(Mark::Skill, "name", text) {
        keep(&mut recap.skills, name, text, SKILLS);
    }
}

fn done(recap: &mut Recap, used: Option<&OpenFact>, result: &ToolResult) {
    if result.name == tool::SKILL && result.ok {
        loaded(recap, &result.model_text);
    }
    match result.name.as_str() {
        tool::BASH | tool::PROCESS => {
            if let Some(command) = used.and_then(|used| used.command.clone()) {
                ran(recap, command, result);
            }
            return;
        }
        tool::ASK_USER if result.ok => {
            let question = used.and_then(|used| used.question.as_deref());
            let answer = shortened(&answer(result), PROMPT);
            let decision = format!("{}: {answer}", question.unwrap_or_default());
            push(&mut recap.decisions, decision, DECISIONS);
            return;
        }
        _ => {}
    }
    let path = used.and_then(|used| used.path.as_deref());
    if result.ok {
        if let (Some(path), Some(done)) = (path, kind_of(&result.name)) {
            touch(recap, path, done);
        }
    } else if !matches!(result.status, CallStatus::NotStarted) {
        let about = path.map_or(String::new(), |path| format!(" {path}"));
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
        tool::WRITE => Some(FileDone::Created),
        tool::EDIT => Some(FileDone::Edited),
        tool::READ => Some(FileDone::Read),
        _ => None,
    }
}

fn ran(recap: &mut Recap, command: String, result: &ToolResult) {
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
        // What ran only once goes first, the oldest of it, but for the first ones:
        // how a project is built is found out at the beginning.
        let later = recap.commands.iter().enumerate().skip(FIRST);
        let least = later
            .filter(|(_, known)| known.times == 1)
            .map(|(at, _)| at);
        let least = least.min().unwrap_or(FIRST);
        recap.commands.remove(least);
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
        // What is told are files; where one is, its folder is too.
        if file.is_of_folder() {
            continue;
        }
        let stood = file.before.is_some() || file.before_mark.is_some();
        let stands = file.after.is_some() || file.after_mark.is_some();
        let done = match (checkpoint.action, stood, stands) {
            (CheckpointAction::Undone | CheckpointAction::Reverted, _, _) => FileDone::TakenBack,
            (_, false, true) => FileDone::Created,
            (_, _, false) => FileDone::Deleted,
            _ => FileDone::Edited,
        };
        touch(recap, &file.path, done);
    }
}

/// A file that was made in this session stays made when it is edited or read; one
/// that came back after it was deleted is not deleted.
fn touch(recap: &mut Recap, path: &str, done: FileDone) {
    let path = relative(&recap.root, path);
    if path.len() > PATH {
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

fn keep(kept: &mut Vec<KeptText>, name: String, text: &str, most: usize) {
    kept.retain(|known| known.name != name);
    let text = shortened(text, TEXT);
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
