//! Whole pages on standard output: completion scripts, man pages, and the way in
//! which the other commands print theirs. Nothing here knows a session or a run.

/// A number with its noun.
pub use tenon_vocab::figures::count as counted;

use crate::args::Cli;
use crate::error::CliError;
use crate::render::table::Table;
use crate::repl::table::width;
use crate::{CommandResult, screen};
use clap::CommandFactory;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use tenon_vocab::Printable;

/// Prints a result that is fit for a screen. A reader that has gone, as `head`
/// does, has what it wanted.
pub fn print(page: &str) -> CommandResult {
    printed(screen::print(page))
}

/// A table that fits the terminal, or all of it beside each other in a pipe.
pub fn fitting(table: &Table) -> String {
    match io::stdout().is_terminal() {
        true => format!("{}\n", table.wrapped(width()).join("\n")),
        false => table.to_string(),
    }
}

/// A table may have thousands of rows.
pub fn print_table(table: &Table) -> CommandResult {
    printed(screen::print_lines(table))
}

fn printed(result: io::Result<()>) -> CommandResult {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::runtime(format!("can't print: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Prints foreign text: as it is for a program, made harmless for a terminal.
pub fn print_foreign(page: &str) -> CommandResult {
    if io::stdout().is_terminal() {
        print(Printable::block(page).as_str())
    } else {
        print(page)
    }
}

pub fn print_json<T: serde::Serialize>(value: &T) -> CommandResult {
    let page = serde_json::to_string_pretty(value)
        .map_err(|error| CliError::runtime(format!("can't write it as JSON: {error}")))?;
    print_foreign(&page)
}

pub fn completions(shell: clap_complete::Shell) -> CommandResult {
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tenon", &mut page);
    print(&String::from_utf8_lossy(&page))
}

/// The page of the program, or one file for it and for each subcommand.
pub fn man(folder: Option<&Path>) -> CommandResult {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        return print(&String::from_utf8_lossy(&page));
    };
    let cannot = |error: io::Error| {
        CliError::runtime(format!(
            "can't write the man pages to {}: {error}",
            folder.display()
        ))
    };
    std::fs::create_dir_all(folder).map_err(cannot)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(cannot)?;
    screen::complain(&format!("Wrote the man pages to {}.", folder.display()));
    Ok(ExitCode::SUCCESS)
}
