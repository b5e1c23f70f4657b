//! `tenon tools`: what the model can call, and one call by hand. A call by hand
//! takes the way of a call of the model: the same gate, the same tool.

mod new;

use super::pages;
use crate::CommandResult;
use crate::args::{RunArgs, Shared, ToolsCommand};
use crate::assemble::{self, Configured, Options};
use crate::drive::Desk;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::render::lines;
use crate::render::table::Table;
use crate::screen::{Paint, complain};
use crate::signals::Signals;
use crate::skills;
use crate::trust;
use serde_json::{Value, json};
use std::io::Read;
use std::process::ExitCode;
use tenon_engine::{Ambient, Done, RealAmbient, call_once};
use tenon_policy::{Authority, Facts, Grants, Rules, Subject, decide};
use tenon_tools::{BuiltIn, Toolbox};
use tenon_vocab::names::tool;
use tenon_vocab::profile::AgentProfile;
use tenon_vocab::{CallStatus, Class, Display, Effect, ErrorCode, Printable, ToolSpec};
use tokio_util::sync::CancellationToken;

/// An input larger than this is a mistake.
const LIMIT: u64 = 16 * 1024 * 1024;

pub fn run(shared: &Shared, command: ToolsCommand) -> CommandResult {
    match command {
        ToolsCommand::New { name, project } => {
            let owner = if project {
                new::Owner::Project
            } else {
                new::Owner::User
            };
            new::run(&Place::find(shared)?, &name, owner)
        }
        ToolsCommand::List { json } => list(shared, if json { Form::Json } else { Form::Table }),
        ToolsCommand::Run {
            name,
            input,
            yes,
            dry_run,
            add_dir,
        } => {
            let input = match input.as_str() {
                "-" => read_text(std::io::stdin().lock(), "standard input")?,
                _ => input,
            };
            let asked = RunArgs {
                yes,
                dry_run,
                add_dir,
                ..RunArgs::default()
            };
            let Some(called) = call(shared, &asked, &name, &input)? else {
                return Ok(interrupted());
            };
            called.show(shared)?;
            Ok(called.code())
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Table,
    Json,
}

/// All tools, also those that need someone to talk to.
pub fn all() -> Toolbox {
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::every());
    toolbox
}

fn list(shared: &Shared, form: Form) -> CommandResult {
    let place = Place::find(shared)?;
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let configured = Configured::read(&place, &options)?;
    let resolved = &configured.resolved;
    let agent = assemble::agent(&resolved.agent)?;
    let mut toolbox = all();
    let none = skills::find(&place, resolved, &agent).usable.is_empty();
    toolbox.retain(|spec| spec.name != tool::SKILL || !none);
    for told in configured.custom.add_to(&mut toolbox) {
        complain(Printable::line(&told).as_str());
    }
    for told in trust::remarks(&configured.loaded, &configured.custom).all() {
        complain(Printable::line(&told).as_str());
    }
    let rows: Vec<(ToolSpec, Class)> = toolbox
        .specs()
        .into_iter()
        .filter(|spec| agent.tools.is_empty() || agent.tools.contains(&spec.name))
        .map(|spec| {
            let class = plain_decision(&spec, &resolved.rules, &agent);
            (spec, class)
        })
        .collect();
    if form == Form::Json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(spec, class)| {
                let mut row = json!({
                    "name": spec.name, "effect": spec.effect, "source": spec.source,
                    "decision": class.decision(), "description": spec.description,
                    "parameters": spec.parameters,
                });
                if let Some(looks) = looking(spec, &resolved.rules, &agent) {
                    row["looking"] = json!(looks.decision());
                }
                row
            })
            .collect();
        return pages::print_json(&rows);
    }
    let mut table = Table::new(&["name", "effect", "decision", "source"]);
    for (spec, class) in rows {
        let effect = word(&spec.effect);
        let looks = looking(&spec, &resolved.rules, &agent)
            .filter(|looks| looks.decision() != class.decision());
        let decision = match looks {
            Some(looks) => format!(
                "{} (list, read, wait: {})",
                word(&class.decision()),
                word(&looks.decision())
            ),
            None => word(&class.decision()),
        };
        table.row([spec.name, effect, decision, spec.source]);
    }
    pages::print(&pages::fitting(&table))
}

/// What the rules say of a call of which only the tool is known.
pub fn plain_decision(spec: &ToolSpec, rules: &Rules, agent: &AgentProfile) -> Class {
    class_of(
        Facts {
            tool: spec.name.clone(),
            effect: spec.effect,
            subject: Subject::Nothing,
            input: String::from("{}"),
        },
        rules,
        agent,
    )
}

/// `process` is two tools in one: what it only looks at has a decision of its own.
fn looking(spec: &ToolSpec, rules: &Rules, agent: &AgentProfile) -> Option<Class> {
    (spec.name == "process").then(|| {
        class_of(
            Facts {
                tool: spec.name.clone(),
                effect: Effect::Read,
                subject: Subject::Name(String::from("list")),
                input: String::from("{}"),
            },
            rules,
            agent,
        )
    })
}

fn class_of(facts: Facts, rules: &Rules, agent: &AgentProfile) -> Class {
    let authority = Authority::of(agent);
    let now = RealAmbient.now();
    decide(&facts, rules, &Grants::new(), &authority, now).class
}

/// The name of a value on the wire.
pub fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// What became of a call by hand.
#[derive(Debug)]
pub struct Called {
    pub done: Done,
    /// What the call would do, when this was a dry run.
    pub preview: Option<Display>,
}

impl Called {
    /// The envelope for programs, and for people why nothing was done.
    fn show(&self, shared: &Shared) -> CommandResult {
        if let Some(preview) = &self.preview {
            complain("Dry run: nothing was done. This would happen:");
            show_preview(Paint::for_stderr(shared.color), preview);
        }
        if self.done.status == CallStatus::Denied {
            denied();
        }
        for notice in &self.done.repaired {
            complain(Printable::line(&notice.message).as_str());
        }
        let hint = self.done.repaired.iter().find_map(|it| it.hint.as_deref());
        if let Some(hint) = hint {
            complain(hint);
        }
        for id in &self.done.ended {
            complain(&format!(
                "{id} ended with this call, because background processes end with the session that started them. Start it from a session, or in your own shell."
            ));
        }
        let envelope = serde_json::to_string(&self.done.envelope)
            .map_err(|error| CliError::runtime(format!("the result isn't JSON: {error}")))?;
        pages::print_foreign(&envelope)
    }

    fn code(&self) -> ExitCode {
        let failed = self.done.envelope.error();
        match (self.done.status, failed.map(|error| error.code)) {
            (CallStatus::Denied, _) => ExitCode::from(code::DENIED),
            (_, None | Some(ErrorCode::DryRun)) => ExitCode::SUCCESS,
            _ => ExitCode::from(code::RUNTIME),
        }
    }
}

pub fn denied() {
    complain(
        "Not allowed. `tenon policy explain TOOL ARGUMENT` shows the rule that decided; --yes answers ordinary questions.",
    );
}

pub fn show_preview(paint: Paint, preview: &Display) {
    match preview {
        Display::Diff { files } => {
            for file in files {
                complain(&format!("  {} {}", file.operation, lines::name(file)));
                for line in lines::whole_diff(paint, &file.unified) {
                    complain(&line);
                }
                if file.left_out_bytes > 0 {
                    complain(&format!("  … and {} bytes more", file.left_out_bytes));
                }
            }
        }
        Display::Terminal {
            command, output, ..
        } => {
            complain(Printable::block(command).as_str());
            if !output.is_empty() {
                complain(Printable::block(output).as_str());
            }
        }
        Display::Text { summary, body } => {
            complain(Printable::line(summary).as_str());
            if !body.is_empty() {
                complain(Printable::block(body).as_str());
            }
        }
        _ => {}
    }
}

/// One call through the gate, with nobody to ask: what is asked counts as no,
/// unless `--yes` was given. `None` when it was interrupted.
pub fn call(
    shared: &Shared,
    asked: &RunArgs,
    name: &str,
    arguments: &str,
) -> Result<Option<Called>, CliError> {
    let place = Place::find(shared)?;
    let options = Options::from_args(asked, Desk::Nobody);
    let runtime = assemble::runtime()?;
    runtime.block_on(async {
        let parts = assemble::parts_without_model(&place, &options)?;
        let token = CancellationToken::new();
        let stop = tokio::spawn(interrupt(Signals::new()?, token.clone()));
        let done = call_once(parts, name, arguments, token.clone()).await;
        stop.abort();
        let done = match done {
            Ok(done) => done,
            Err(_) if token.is_cancelled() => return Ok(None),
            Err(why) => {
                let message = format!("the call was not completed: {why}");
                return Err(CliError::runtime(message));
            }
        };
        let held_back = done.envelope.error().map(|error| error.code) == Some(ErrorCode::DryRun);
        let preview = held_back.then(|| done.display.clone());
        Ok(Some(Called { done, preview }))
    })
}

pub fn interrupted() -> ExitCode {
    complain("Interrupted.");
    ExitCode::from(code::INTERRUPTED)
}

/// The first signal stops the call and waits for it, the second does not wait.
async fn interrupt(mut signals: Signals, token: CancellationToken) {
    signals.next().await;
    token.cancel();
    signals.next().await;
    std::process::exit(i32::from(code::INTERRUPTED));
}

/// Reads a text of a bounded size.
pub fn read_text(from: impl Read, what: &str) -> Result<String, CliError> {
    let cannot = |error: std::io::Error| CliError::usage(format!("can't read {what}: {error}"));
    let mut bytes = Vec::new();
    from.take(LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::usage(format!(
            "{what} is larger than {LIMIT} bytes"
        )));
    }
    String::from_utf8(bytes).map_err(|_| CliError::usage(format!("{what} isn't UTF-8")))
}
