//! `cargo xtask`: the chores of the project, so that CI, a contributor and a
//! release run the same commands. Not part of the product; it knows the
//! repository's layout and no more of the crates than their public faces.

mod bench;
mod check;
mod docs;
mod eval;
mod manifest;
mod repository;
mod say;
mod screens;
mod server;
mod shell;
mod skips;
mod steps;
mod test;

use anyhow::{Result, bail};
use repository::Repository;
use say::{complain, say};
use std::ffi::OsString;
use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask <chore>

  check [--tree]              formatting, lints, layers, sizes, forgotten files,
                              dependencies, hygiene, generated reference
       --tree                 only what needs no compiler
  test [--fast] [--live] [--kills N]
                              everything that CI runs
       --fast                 without lints, doctests and the Python client
       --live                 also against a real llama.cpp server
       --kills N              rounds of the kill test (TENON_KILLS)
  docs                        write docs/reference anew
  bench [--json FILE] [--only WORD] [--program PATH]
                              speed and size of the release build, or of another
  eval [--base-url URL --model NAME [--key-env NAME]] [--prompt WORD]...
       [--only WORD] [--rounds N] [--jobs N] [--program PATH]
                              how well a model solves the tasks in eval/tasks;
                              without an address, whether their own scripts do
       --prompt WORD          compact, full, auto, a name in eval/prompts or a
                              file; several are compared
  screens [--only NAME] [--program PATH]
                              draw the pictures in docs/screens anew (needs chromium)
";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[OsString]) -> Result<()> {
    // The measuring process must stay small: nothing is set up before it.
    if arguments.first().is_some_and(|word| word == bench::MEASURE) {
        return bench::measure_one(arguments.get(1..).unwrap_or_default());
    }
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let Some((chore, options)) = words.split_first() else {
        say(HELP);
        return Ok(());
    };
    let repository = Repository::find()?;
    match *chore {
        "check" if options == ["--tree"] => check::tree(&repository),
        "check" => {
            none(options)?;
            check::run(&repository)
        }
        "test" => test::run(&repository, &test::Options::parse(options)?),
        "docs" => {
            none(options)?;
            docs::write(&repository)
        }
        "bench" => bench::run(&repository, &bench::Options::parse(options)?),
        "eval" => eval::run(&repository, &eval::Options::parse(options)?),
        "screens" => screens::run(&repository, &screens::Options::parse(options)?),
        "help" | "--help" | "-h" => {
            say(HELP);
            Ok(())
        }
        other => bail!("there is no chore `{other}`\n\n{HELP}"),
    }
}

fn none(options: &[&str]) -> Result<()> {
    match options.first() {
        None => Ok(()),
        Some(option) => bail!("unknown option `{option}`\n\n{HELP}"),
    }
}
