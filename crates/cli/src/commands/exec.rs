//! `tenon exec`: one prompt, one run, an exit code; or, for a program in front,
//! as many as it asks for.

mod asked;
mod fitting;

use crate::args::{Format, InputFormat, RunArgs, Shared};
use crate::assemble::{self, Neighbours, Options, Session};
use crate::client::Client;
use crate::drive::{self, Desk, Ended, Prompt, drive};
use crate::error::{CliError, code};
use crate::images::{self, Limits};
use crate::logs::Logs;
use crate::place::Place;
use crate::render::Renderer;
use crate::render::json::JsonLines;
use crate::render::text::{self, Answers, TextLines};
use crate::render::waiting::{self, Motion};
use crate::screen::{Paint, complain};
use crate::trust::{self, Asking};
use crate::{CommandResult, prompt};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use tenon_engine::slash::Names;
use tenon_engine::{Engine, Parts};
use tenon_vocab::Command;

pub fn run(shared: &Shared, args: &RunArgs) -> CommandResult {
    if args.input_format == InputFormat::Json {
        return converse(shared, args);
    }
    let Some(prompt) = prompt::gather(args)? else {
        return Err(CliError::usage("there is no prompt")
            .with_hint("Pass one with -p, as words, or on standard input: tenon exec -p \"explain this project\""));
    };
    if prompt.trim().is_empty() {
        return Err(CliError::usage("the prompt is empty"));
    }
    let place = Place::find(shared)?;
    let session = choose(&place, args)?;
    run_at(shared, args, &place, prompt, session)
}

/// A program in front: commands on standard input, events on standard output.
fn converse(shared: &Shared, args: &RunArgs) -> CommandResult {
    if args.format != Format::Json {
        return Err(CliError::usage("--input-format json needs --format json")
            .with_hint("A program that answers questions reads them as events."));
    }
    let given = prompt::given(args)?;
    given.as_deref().map_or(Ok(()), asked::check)?;
    let place = Place::find(shared)?;
    let session = choose(&place, args)?;
    let options = Options::from_args(args, Desk::Client);
    let images = images::of_flags(&place, &options, session, &args.image)?;
    if given.is_none() && !images.is_empty() {
        return Err(
            CliError::usage("--image needs a prompt on the command line here")
                .with_hint("Pass one with -p, or send the image as an attachment of a prompt."),
        );
    }
    let mut client = Client::listen(Limits::of(&place, &options, session)?);
    let mut lines = JsonLines::default();
    let first = match given {
        Some(text) => Some(First::Typed(Prompt { text, images })),
        // A reader that is gone cannot be told.
        None => client
            .first(|why| drop(lines.complaint(why)))
            .map(First::Command),
    };
    let Some(first) = first else {
        return Err(CliError::usage("standard input ended without a prompt")
            .with_hint(r#"Give one with -p, or as a line: {"type":"prompt","text":"…"}"#));
    };
    in_session(shared, args, &place, (first, Some(client)), session)
}

/// One prompt on a session that is already chosen.
pub fn run_session(
    shared: &Shared,
    args: &RunArgs,
    prompt: String,
    session: Session,
) -> CommandResult {
    run_at(shared, args, &Place::find(shared)?, prompt, session)
}

fn run_at(
    shared: &Shared,
    args: &RunArgs,
    place: &Place,
    text: String,
    session: Session,
) -> CommandResult {
    asked::check(&text)?;
    let options = Options::from_args(args, Desk::Nobody);
    let images = images::of_flags(place, &options, session, &args.image)?;
    let first = First::Typed(Prompt { text, images });
    in_session(shared, args, place, (first, None), session)
}

/// What a session begins with.
enum First {
    /// By a person, who may have named a command of their own or a skill.
    Typed(Prompt),
    /// By a program, word for word.
    Command(Command),
}

fn in_session(
    shared: &Shared,
    args: &RunArgs,
    place: &Place,
    (first, client): (First, Option<Client>),
    session: Session,
) -> CommandResult {
    let schema = args.output_schema.as_deref().map(read_schema).transpose()?;
    let paint = Paint::for_stderr(shared.color);
    let desk = match client {
        None => desk(args.format, paint),
        Some(_) => Desk::Client,
    };
    let mut options = Options::from_args(args, desk);
    if client.is_none() {
        options.neighbours = Neighbours::Unsaid;
    }
    options.instruction = schema.as_ref().map(|schema| {
        format!("Your final answer must be only a JSON value that fits this JSON Schema, without any other text:\n{schema}")
    });
    if let Desk::Terminal(paint) = desk {
        let at = at_session(place, session)?;
        trust::ask_at_terminal(&mut Asking::default(), &at, &options, paint)?;
    }
    let runtime = assemble::runtime()?;
    let ended = runtime.block_on(async {
        let opening = assemble::open(place, &options, session);
        let assembled = waiting::during(Motion::for_stderr(), opening).await?;
        let first = match first {
            First::Typed(prompt) => asked::meant(prompt, &Names::of(&assembled.parts.context))?,
            First::Command(command) => command,
        };
        let renderer = renderer(args, paint, &assembled.parts);
        let resolved = &assembled.configured.resolved;
        let logs = Logs::of(place, resolved, &assembled.parts.masker, session);
        let handle = Logs::watch(logs, Engine::start(assembled.session, assembled.parts));
        match client {
            None => drive(handle, first, renderer, desk).await,
            Some(client) => drive::converse(handle, first, renderer, client).await,
        }
    })?;
    conclude(args, schema.as_ref(), &ended)
}

/// The place that a session is held at.
fn at_session(place: &Place, session: Session) -> Result<Place, CliError> {
    match session {
        Session::Existing(id) | Session::Fork(id, _) => {
            place.of_session(&place.store().summary(id)?.cwd)
        }
        Session::New(_) | Session::Unsaved => Ok(place.clone()),
    }
}

/// The flag that asks for a session that is there.
fn asked_for(args: &RunArgs) -> Option<&'static str> {
    match args {
        _ if args.resume.is_some() => Some("--resume"),
        _ if args.go_on => Some("--continue"),
        _ if args.session.is_some() => Some("--session"),
        _ if args.fork => Some("--fork"),
        _ => None,
    }
}

/// Which session the flags ask for.
pub fn choose(place: &Place, args: &RunArgs) -> Result<Session, CliError> {
    let existing = |id| {
        if args.fork {
            Session::Fork(id, None)
        } else {
            Session::Existing(id)
        }
    };
    if args.no_save {
        return match asked_for(args) {
            None => Ok(Session::Unsaved),
            Some(flag) => Err(CliError::usage(format!(
                "{flag} continues a saved session, and --no-save saves nothing"
            ))
            .with_hint("Remove one of the two.")),
        };
    }
    if let Some(Some(named)) = &args.resume {
        return Ok(existing(place.store().find(named)?));
    }
    if args.go_on || args.resume.is_some() {
        let last = place.store().latest(Some(&place.root_text()))?;
        return last.map(existing).ok_or_else(|| {
            CliError::runtime("there is no session in this directory to resume")
                .with_hint("`tenon sessions list --all` shows the sessions of other directories.")
        });
    }
    match &args.session {
        None if args.fork => Err(CliError::usage(
            "--fork needs a session: add --session ID or --resume",
        )),
        None => Ok(Session::New(None)),
        Some(text) => match text.parse() {
            Ok(id) if place.store().exists(id) => Ok(existing(id)),
            Ok(id) if args.fork => Err(CliError::runtime(format!(
                "there is no session {id} to copy"
            ))),
            Ok(id) => Ok(Session::New(Some(id))),
            Err(_) => Ok(existing(place.store().find(text)?)),
        },
    }
}

/// Someone can be asked only at a terminal, and never in a JSON stream.
pub fn desk(format: Format, paint: Paint) -> Desk {
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if format == Format::Text && terminal {
        Desk::Terminal(paint)
    } else {
        Desk::Nobody
    }
}

fn renderer(args: &RunArgs, paint: Paint, parts: &Parts) -> Box<dyn Renderer + Send> {
    match args.format {
        Format::Json => Box::new(JsonLines::of(parts)),
        // The value alone is printed, at the end.
        Format::Text if args.output_schema.is_some() => {
            Box::new(TextLines::new(paint, Answers::Elsewhere))
        }
        Format::Text if args.final_only => Box::new(TextLines::new(paint, Answers::Last)),
        Format::Text => Box::new(TextLines::new(paint, Answers::for_stdout())),
    }
}

fn read_schema(path: &Path) -> Result<serde_json::Value, CliError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        CliError::usage(format!("can't read the schema {}: {error}", path.display()))
    })?;
    serde_json::from_str(&text).map_err(|error| {
        CliError::usage(format!("the schema {} isn't JSON: {error}", path.display()))
    })
}

fn conclude(args: &RunArgs, schema: Option<&serde_json::Value>, ended: &Ended) -> CommandResult {
    let fitted = schema.map(|schema| fitting::bare(schema, &ended.answer));
    let answer = match &fitted {
        Some(Ok(value)) => value,
        Some(Err(_)) | None => ended.answer.as_str(),
    };
    if let Some(path) = &args.output_last_message {
        crate::screen::write_private(path, answer.as_bytes()).map_err(|error| {
            CliError::runtime(format!("can't write {}: {error}", path.display()))
        })?;
    }
    if schema.is_some() && args.format == Format::Text && !answer.is_empty() {
        text::print(answer)?;
    }
    if let (Some(Err(why)), Some(tenon_vocab::Outcome::Completed)) = (fitted, ended.outcome) {
        complain(&format!(
            "error: the answer doesn't match the output schema: {why}"
        ));
        return Ok(ExitCode::from(code::SCHEMA));
    }
    Ok(ended.code())
}
