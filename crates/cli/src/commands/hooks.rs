//! `tenon hooks`: what is asked at which event, and one try of it. A try runs
//! the commands as a session would, behind the same walls, and nothing else.

mod meaning;

use super::pages;
use crate::CommandResult;
use crate::args::{HooksCommand, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use tenon_engine::hooks::{
    Asked, BUILT_IN, Circumstances, Decision, Reply, ask, behind, sample, speaks_of,
};
use tenon_engine::{Ambient, Parts, RealAmbient};
use tenon_policy::{Authority, Facts, Subject, decide};
use tenon_tools::input;
use tenon_vocab::names::tool;
use tenon_vocab::profile::{HookEvent, HookSource, HookSpec};
use tenon_vocab::{Decision as Verdict, Effect, Explanation, Printable};
use tokio_util::sync::CancellationToken;

pub fn run(shared: &Shared, command: HooksCommand) -> CommandResult {
    match command {
        HooksCommand::List { json } => list(shared, if json { Form::Json } else { Form::Text }),
        HooksCommand::Test {
            event,
            tool,
            input,
            json,
        } => {
            let form = if json { Form::Json } else { Form::Text };
            test(shared, &event, &tool, input.as_deref(), form)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

fn options() -> Options {
    Options::from_args(&RunArgs::default(), Desk::Nobody)
}

fn list(shared: &Shared, form: Form) -> CommandResult {
    let place = Place::find(shared)?;
    let (loaded, resolved) = assemble::settings(&place, &options())?;
    let built_in = BUILT_IN.iter().map(|hook| {
        json!({
            "name": hook.name, "event": hook.event.name(), "source": HookSource::BuiltIn.name(),
            "required": true, "about": hook.about,
        })
    });
    let written = resolved.hooks.iter().map(|hook| {
        json!({
            "name": hook.name, "event": hook.event.name(), "source": hook.source.name(),
            "tool": hook.tool, "pattern": hook.pattern, "command": hook.command,
            "timeout_secs": hook.timeout.as_secs(), "required": hook.required,
        })
    });
    let rows: Vec<Value> = built_in.chain(written).collect();
    if form == Form::Json {
        return pages::print_json(&rows);
    }
    let mut table = Table::new(&["name", "event", "source", "about", "fails", "command"]);
    for row in &rows {
        table.row(cells(row));
    }
    let held_back = loaded
        .ignored()
        .iter()
        .filter(|ignored| ignored.key == "hooks" || ignored.key.starts_with("hooks."))
        .count();
    if held_back > 0 {
        complain(&format!(
            "Ignored hooks of the project: {held_back}. `tenon config show` says why."
        ));
    }
    pages::print(&pages::fitting(&table))
}

fn cells(row: &Value) -> [String; 6] {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let about = [text("tool"), text("pattern")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let fails = match row["required"].as_bool() {
        Some(true) => "closed",
        _ => "open",
    };
    let command = match row["command"].as_str() {
        Some(command) => command.to_owned(),
        None => format!("(built in) {}", text("about")),
    };
    [
        text("name"),
        text("event"),
        text("source"),
        about,
        fails.to_owned(),
        command,
    ]
}

/// What is tried: the input that all hooks of the event get.
struct Trial {
    input: Value,
    /// Of the call, where the event is about one.
    facts: Option<Facts>,
}

fn test(
    shared: &Shared,
    event: &str,
    tool: &str,
    given: Option<&str>,
    form: Form,
) -> CommandResult {
    let event = HookEvent::parse(event).ok_or_else(|| no_event(event))?;
    let place = Place::find(shared)?;
    let runtime = assemble::runtime()?;
    let (first, tried) = runtime.block_on(async {
        let parts = assemble::parts_without_model(&place, &options())?;
        let trial = trial(&parts, event, tool, given)?;
        let first = built_in(&parts, event, &trial);
        let mut tried = Vec::new();
        for hook in &parts.hooks {
            let about = trial
                .facts
                .as_ref()
                .is_none_or(|facts| speaks_of(hook, facts));
            if hook.event == event && about {
                let root = parts.workspace.root();
                let token = CancellationToken::new();
                let asked = ask(&parts.jobs, root, hook, &trial.input, &token).await;
                tried.push((hook.clone(), asked));
            }
        }
        parts.jobs.shutdown().await;
        Ok::<_, CliError>((first, tried))
    })?;
    if form == Form::Json {
        let written = tried.iter().map(|(hook, asked)| row(hook, asked));
        let rows: Vec<Value> = first.iter().map(Guarded::row).chain(written).collect();
        return pages::print_json(&rows);
    }
    if tried.is_empty() && first.is_none() {
        return pages::print("No hook matches this.\n");
    }
    let written = tried.iter().map(|(hook, asked)| page(hook, asked));
    let page: String = first.iter().map(Guarded::page).chain(written).collect();
    pages::print(&page)
}

/// What a hook that comes along says of the call, before any other is asked.
struct Guarded {
    name: &'static str,
    event: HookEvent,
    explanation: Explanation,
}

/// Only those before a call have a word of their own: the policy's verdict that
/// is known by their name.
fn built_in(parts: &Parts, event: HookEvent, trial: &Trial) -> Option<Guarded> {
    let facts = trial.facts.as_ref()?;
    if event != HookEvent::PreToolUse {
        return None;
    }
    let authority = Authority::of(&parts.agent);
    let now = RealAmbient.now();
    let explanation = decide(facts, &parts.rules, &parts.grants, &authority, now);
    Some(Guarded {
        name: behind(&explanation)?,
        event,
        explanation,
    })
}

impl Guarded {
    fn result(&self) -> &'static str {
        match self.explanation.decision() {
            Verdict::Deny => "block",
            Verdict::Ask => "ask",
            Verdict::Allow => "pass",
        }
    }

    fn means(&self) -> &'static str {
        match self.explanation.decision() {
            Verdict::Deny => "the call is refused; in a session, no further hook runs",
            Verdict::Ask => "the call needs a yes",
            Verdict::Allow => "the call continues",
        }
    }

    fn row(&self) -> Value {
        json!({
            "name": self.name, "event": self.event.name(), "source": HookSource::BuiltIn.name(),
            "result": self.result(), "message": self.explanation.reason, "patch": null,
            "duration_ms": 0, "means": self.means(),
        })
    }

    fn page(&self) -> String {
        format!(
            "{} ({}): {}\n  said:  {}\n  means: {}\n",
            self.name,
            HookSource::BuiltIn.name(),
            self.result(),
            Printable::line(&self.explanation.reason),
            self.means()
        )
    }
}

fn no_event(wrong: &str) -> CliError {
    let names = HookEvent::ALL.map(HookEvent::name);
    let near = input::suggest_name(wrong, &names)
        .map(|near| format!(" Did you mean `{near}`?"))
        .unwrap_or_default();
    CliError::usage(format!("there is no event `{wrong}`.{near}"))
        .with_hint(format!("The events are: {}.", names.join(", ")))
}

fn trial(
    parts: &Parts,
    event: HookEvent,
    tool: &str,
    given: Option<&str>,
) -> Result<Trial, CliError> {
    let given: Option<Map<String, Value>> = given
        .map(serde_json::from_str)
        .transpose()
        .map_err(|error| CliError::usage(format!("--input isn't a JSON object: {error}")))?;
    let place = Circumstances {
        session: parts.log.id().to_string(),
        run: Some(String::from("00000000-0000-0000-0000-000000000000")),
        agent: parts.agent.name.clone(),
        root: parts.workspace.root().to_string_lossy().into_owned(),
    };
    if event.is_about_a_call() {
        let (facts, tool_input) = call(parts, tool, given)?;
        return Ok(Trial {
            input: sample(event, &place, &facts.tool, &tool_input),
            facts: Some(facts),
        });
    }
    let mut input = sample(event, &place, tool, &Value::Null);
    if let Some(fields) = input.as_object_mut() {
        fields.extend(given.unwrap_or_default());
    }
    Ok(Trial { input, facts: None })
}

/// The call that is made up, as the gate would see it.
fn call(
    parts: &Parts,
    name: &str,
    given: Option<Map<String, Value>>,
) -> Result<(Facts, Value), CliError> {
    let known = parts
        .toolbox
        .get(name)
        .or_else(|| parts.toolbox.get(input::canonical_name(name)?));
    let Some(tool) = known else {
        let facts = Facts {
            tool: name.to_owned(),
            effect: Effect::Execute,
            subject: Subject::Nothing,
            input: String::from("{}"),
        };
        return Ok((facts, Value::Object(given.unwrap_or_default())));
    };
    let spec = tool.spec();
    let given = match given {
        Some(fields) => Value::Object(fields),
        None if spec.name == tool::BASH => json!({"command": "true"}),
        None => json!({}),
    };
    let (repaired, _) = input::repair(name, &spec.parameters, given);
    input::check(&spec.parameters, &repaired)
        .map_err(|why| CliError::usage(format!("--input doesn't match `{}`: {why}", spec.name)))?;
    Ok((tool.facts(&repaired, &parts.workspace), repaired))
}

/// The word of the log for a reply.
fn result(reply: &Reply) -> &'static str {
    match reply {
        Reply::Answer(answer) => match answer.decision {
            Decision::Pass => "pass",
            Decision::Allow => "allow",
            Decision::Warn => "warn",
            Decision::Block => "block",
        },
        Reply::Failed(_) | Reply::Interrupted => "failed",
    }
}

fn message(reply: &Reply) -> Option<&str> {
    match reply {
        Reply::Answer(answer) => answer.message.as_deref(),
        Reply::Failed(why) => Some(why),
        Reply::Interrupted => Some("interrupted"),
    }
}

fn row(hook: &HookSpec, asked: &Asked) -> Value {
    let patch = match &asked.reply {
        Reply::Answer(answer) => json!(answer.patch),
        _ => Value::Null,
    };
    json!({
        "name": hook.name, "event": hook.event.name(), "source": hook.source.name(),
        "result": result(&asked.reply), "message": message(&asked.reply), "patch": patch,
        "duration_ms": u64::try_from(asked.duration.as_millis()).unwrap_or(u64::MAX),
        "means": meaning::of(hook, &asked.reply),
    })
}

fn page(hook: &HookSpec, asked: &Asked) -> String {
    // Writing to a String cannot fail.
    let mut page = String::new();
    let _ = writeln!(
        page,
        "{} ({}): {}, {} ms",
        Printable::line(&hook.name),
        hook.source.name(),
        result(&asked.reply),
        asked.duration.as_millis()
    );
    if let Some(message) = message(&asked.reply) {
        let _ = writeln!(page, "  said:  {}", Printable::line(message));
    }
    if let Reply::Answer(answer) = &asked.reply
        && let Some(patch) = &answer.patch
    {
        let patch = Value::Object(patch.clone()).to_string();
        let _ = writeln!(page, "  patch: {}", Printable::line(&patch));
    }
    let _ = writeln!(page, "  means: {}", meaning::of(hook, &asked.reply));
    page
}
