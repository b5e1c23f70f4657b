//! One file for each subcommand.

mod agents;
mod apply_patch;
mod auth;
mod config;
mod context;
mod cost;
mod demo;
mod doctor;
pub mod exec;
pub mod handoff;
mod hooks;
mod logs;
mod mock_llm;
mod models;
mod pages;
mod policy;
mod reference;
pub mod sessions;
mod skills;
mod tools;
mod trust;

use crate::args::{Cli, Command, Format, RunArgs, SessionsCommand, Shared};
use crate::{CommandResult, repl, words};
use std::io::IsTerminal;

pub fn dispatch(cli: Cli) -> CommandResult {
    let Cli {
        shared,
        run,
        command,
    } = cli;
    match command {
        None => bare(&shared, &run),
        Some(Command::Exec(run)) => exec::run(&shared, &run),
        Some(Command::Sessions(command)) => sessions::run(&shared, command),
        Some(Command::Resume(wanted)) => sessions::run(&shared, SessionsCommand::Resume(wanted)),
        Some(Command::Config(command)) => config::run(&shared, command),
        Some(Command::Tools(command)) => tools::run(&shared, command),
        Some(Command::Agents(command)) => agents::run(command),
        Some(Command::Context(command)) => context::run(&shared, command),
        Some(Command::Skills(command)) => skills::run(&shared, command),
        Some(Command::Handoff(args)) => handoff::run(&shared, &args),
        Some(Command::Models(args)) => models::run(&shared, &args),
        Some(Command::Auth(command)) => auth::run(&shared, command),
        Some(Command::Cost(args)) => cost::run(&shared, &args),
        Some(Command::Policy(command)) => policy::run(&shared, command),
        Some(Command::Hooks(command)) => hooks::run(&shared, command),
        Some(Command::Trust(args)) => trust::run(&shared, &args),
        Some(Command::Doctor(args)) => doctor::run(&shared, &args),
        Some(Command::Logs(args)) => logs::run(&shared, args.command),
        Some(Command::ApplyPatch(args)) => apply_patch::run(&shared, &args),
        Some(Command::Demo(args)) => demo::run(&shared, &args),
        Some(Command::MockLlm(args)) => mock_llm::run(&args),
        Some(Command::Completions { shell }) => pages::completions(shell),
        Some(Command::Man { dir }) => pages::man(dir.as_deref()),
        Some(Command::Reference { write, check }) => {
            reference::run(write.as_deref(), check.as_deref())
        }
    }
}

/// `tenon` alone: a terminal gets an interactive session, which begins with the
/// words if there are any; a pipe, `-p` and what is asked of one answer make one run.
fn bare(shared: &Shared, run: &RunArgs) -> CommandResult {
    words::check(&run.words)?;
    let piped = match run.words.is_empty() {
        true => !std::io::stdin().is_terminal(),
        false => !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal(),
    };
    if piped || run.prompt.is_some() || is_of_one_answer(run) {
        return exec::run(shared, run);
    }
    repl::run(shared, run)
}

/// Whether a flag says what becomes of a single answer.
fn is_of_one_answer(run: &RunArgs) -> bool {
    run.format == Format::Json
        || run.final_only
        || run.output_last_message.is_some()
        || run.output_schema.is_some()
        || run.words == ["-"]
}
