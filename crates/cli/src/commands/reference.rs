//! `docs/reference/`, written from the code, so that it cannot say anything else.

mod events;
mod exit_codes;
mod flags;
mod hooks;
mod tools;

use crate::CommandResult;
use crate::error::{CliError, code};
use crate::screen::complain;
use std::path::Path;
use std::process::ExitCode;

/// How to bring the pages up to date.
const REMEDY: &str = "cargo run -q -- __reference --write docs/reference";

pub fn run(write: Option<&Path>, check: Option<&Path>) -> CommandResult {
    match (write, check) {
        (Some(folder), _) => write_all(folder),
        (None, Some(folder)) => check_all(folder),
        (None, None) => Err(CliError::usage("pass --write DIR or --check DIR")),
    }
}

/// Every page with the name of its file.
fn pages() -> Result<Vec<(&'static str, String)>, CliError> {
    Ok(vec![
        ("flags.md", flags::page()),
        ("config.md", tenon_config::reference_markdown()),
        ("events.md", events::page()?),
        ("tools.md", tools::page()?),
        ("exit-codes.md", exit_codes::page()),
        ("hook-input.schema.json", hooks::input()?),
        ("hook-output.schema.json", hooks::output()?),
    ])
}

fn write_all(folder: &Path) -> CommandResult {
    std::fs::create_dir_all(folder)?;
    for (name, page) in pages()? {
        let path = folder.join(name);
        std::fs::write(&path, page).map_err(|error| {
            CliError::runtime(format!("can't write {}: {error}", path.display()))
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check_all(folder: &Path) -> CommandResult {
    let mut drifted = Vec::new();
    for (name, page) in pages()? {
        let path = folder.join(name);
        let held = std::fs::read_to_string(&path).unwrap_or_default();
        if held != page {
            drifted.push(path.display().to_string());
        }
    }
    if drifted.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    complain(&format!(
        "These pages no longer say what the code says: {}\nWrite them again: {REMEDY}",
        drifted.join(", ")
    ));
    Ok(ExitCode::from(code::RUNTIME))
}

/// A cell of a table: one line, without a bar that would end it.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}
