//! `tenon apply-patch`: a patch from a file or a pipe, by the tool that the model
//! uses, through the gate that the model's call would take.

use super::pages;
use super::tools::{self, Called};
use crate::CommandResult;
use crate::args::{ApplyPatchArgs, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::screen::{Paint, complain};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use tenon_tools::files::patch::{Apply, apply_text};
use tenon_vocab::names::tool;
use tenon_vocab::{CallStatus, Envelope, ErrorCode, Printable};

pub fn run(shared: &Shared, args: &ApplyPatchArgs) -> CommandResult {
    let patch = read(args.file.as_deref())?;
    if patch.trim().is_empty() {
        return Err(CliError::usage("the patch is empty"));
    }
    let asked = RunArgs {
        yes: args.yes,
        dry_run: args.dry_run,
        ..RunArgs::default()
    };
    let input = json!({ "patch": patch }).to_string();
    let Some(called) = tools::call(shared, &asked, tool::PATCH, &input)? else {
        return Ok(tools::interrupted());
    };
    let error = called.done.envelope.error().map(|error| error.code);
    if error == Some(ErrorCode::DryRun) {
        return try_out(shared, &asked, &patch);
    }
    conclude(&called)
}

fn read(file: Option<&Path>) -> Result<String, CliError> {
    match file {
        Some(path) if path != Path::new("-") => {
            let what = path.display().to_string();
            let opened = std::fs::File::open(path)
                .map_err(|error| CliError::usage(format!("can't read {what}: {error}")))?;
            tools::read_text(opened, &what)
        }
        _ => tools::read_text(std::io::stdin().lock(), "standard input"),
    }
}

fn conclude(called: &Called) -> CommandResult {
    let done = &called.done;
    let exit = match done.status {
        CallStatus::Denied => {
            tools::denied();
            ExitCode::from(code::DENIED)
        }
        _ => {
            complain(Printable::block(&done.text).as_str());
            code_of(&done.envelope)
        }
    };
    print(&done.envelope)?;
    Ok(exit)
}

/// The gate let it pass, and it is a dry run: whether it fits can be said now.
fn try_out(shared: &Shared, asked: &RunArgs, patch: &str) -> CommandResult {
    let place = Place::find(shared)?;
    let options = Options::from_args(asked, Desk::Nobody);
    let parts = assemble::parts_without_model(&place, &options)?;
    let output = apply_text(&parts.workspace, patch, Apply::Check);
    complain(Printable::block(&output.model_text).as_str());
    if output.envelope.is_ok() {
        tools::show_preview(Paint::for_stderr(shared.color), &output.display);
    }
    print(&output.envelope)?;
    Ok(code_of(&output.envelope))
}

fn code_of(envelope: &Envelope) -> ExitCode {
    if envelope.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(code::RUNTIME)
    }
}

fn print(envelope: &Envelope) -> CommandResult {
    let line = serde_json::to_string(envelope)
        .map_err(|error| CliError::runtime(format!("the result isn't JSON: {error}")))?;
    pages::print_foreign(&line)
}
