//! The `tenon` program: arguments in, exit code out. The only place that knows
//! every part.

mod again;
mod args;
mod aside;
mod assemble;
mod auth;
mod briefing;
mod client;
mod commands;
mod custom;
mod drive;
mod editor;
mod error;
mod grants;
mod images;
mod logs;
mod new_file;
mod outputs;
mod own_commands;
mod place;
mod plain_file;
mod prompt;
mod provider;
mod record;
mod render;
mod repl;
mod rules;
mod runner;
mod sandbox;
mod screen;
mod secrets;
mod settings;
mod signals;
mod skills;
mod talk;
mod told;
mod trust;
mod tui;
mod words;

use args::{Cli, Command, Format};
use clap::{CommandFactory, FromArgMatches};
use error::CliError;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Each command of the agent runs under this same program as its supervisor:
    // nothing may stand before this, because it is started so often.
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|first| first == assemble::SUPERVISE)
    {
        return tenon_sandbox::supervise(arguments);
    }
    say_panics_in_a_line();
    let read = read(std::env::args_os().collect());
    let (cli, misplaced) = match read {
        Ok(read) => read,
        Err(error) => return usage(&error),
    };
    let format = format_of(&cli);
    let paint = screen::Paint::for_stderr(cli.shared.color);
    if let Some(error) = misplaced {
        // `--format` itself may be what stands at the wrong place.
        let asked = [format, cli.run.format];
        let json = asked.contains(&Format::Json);
        return render::failure(&error, if json { Format::Json } else { format }, paint);
    }
    match commands::dispatch(cli) {
        Ok(code) => code,
        Err(error) => render::failure(&error, format, paint),
    }
}

/// Flags count on both sides of the subcommand.
fn read(arguments: Vec<OsString>) -> Result<(Cli, Option<CliError>), clap::Error> {
    let matches = Cli::command().try_get_matches_from(&arguments)?;
    let (matches, wrong) = match args::order(&matches, &arguments) {
        args::Order::AsItIs => (matches, None),
        args::Order::Moved(ordered) => (Cli::command().try_get_matches_from(ordered)?, None),
        args::Order::Wrong(error) => (matches, Some(error)),
    };
    let mut cli = Cli::from_arg_matches(&matches)?;
    cli.run.name_session();
    if let Some(Command::Exec(run)) = &mut cli.command {
        run.name_session();
    }
    Ok((cli, wrong))
}

/// Help and version go to standard output and are no errors.
fn usage(error: &clap::Error) -> ExitCode {
    if let Some(error) = args::meant(error) {
        let paint = screen::Paint::for_stderr(args::ColorChoice::Auto);
        return render::failure(&error, Format::Text, paint);
    }
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    // A closed pipe is the reader's choice.
    let _ = error.print();
    ExitCode::from(code)
}

fn format_of(cli: &Cli) -> Format {
    match &cli.command {
        Some(Command::Exec(run)) => run.format,
        Some(Command::Demo(demo)) => demo.format,
        Some(
            Command::Resume(wanted) | Command::Sessions(args::SessionsCommand::Resume(wanted)),
        ) => wanted.run.format,
        None => cli.run.format,
        _ => Format::Text,
    }
}

/// A tool that panics is reported in its result; here only a line for whoever
/// reads standard error, instead of a stack trace.
fn say_panics_in_a_line() {
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map(|at| format!(" at {}:{}", at.file(), at.line()))
            .unwrap_or_default();
        screen::complain(&format!(
            "tenon: internal error{place}; this is a bug, please report it"
        ));
    }));
}

/// What a subcommand gives back.
type CommandResult = Result<ExitCode, CliError>;
