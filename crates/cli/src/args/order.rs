//! Flags of a run that stand before a subcommand. The parser takes them for the
//! program's own, where nobody reads them: `tenon --dry-run exec` would not be a
//! dry run. So they are refused, with the place where they belong.

use super::Cli;
use crate::error::CliError;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};

/// What is wrong with the order, if anything.
pub fn misplaced(matches: &ArgMatches) -> Option<CliError> {
    matches.subcommand()?;
    let top = Cli::command();
    let given: Vec<&Arg> = top
        .get_arguments()
        .filter(|arg| !arg.is_global_set())
        .filter(|arg| {
            let id = arg.get_id().as_str();
            matches.value_source(id) == Some(ValueSource::CommandLine)
        })
        .collect();
    let first = given.first()?;
    let (path, command) = chosen(&top, matches);
    let takes = |arg: &Arg| {
        command
            .get_arguments()
            .any(|own| own.get_long().is_some() && own.get_long() == arg.get_long())
    };
    let refused = CliError::usage(format!(
        "`{}` stands before `{path}`, where it would not count",
        spelled(first)
    ));
    Some(match given.iter().find(|arg| !takes(arg)) {
        Some(foreign) => refused.with_hint(format!(
            "`tenon {path}` does not take `{}`.",
            spelled(foreign)
        )),
        None => {
            let flags: Vec<String> = given.iter().map(|arg| spelled(arg)).collect();
            refused.with_hint(format!("Put it after: tenon {path} {} …", flags.join(" ")))
        }
    })
}

/// The innermost subcommand and how it is called.
fn chosen<'a>(top: &'a Command, matches: &ArgMatches) -> (String, &'a Command) {
    let (mut command, mut matches) = (top, matches);
    let mut path = Vec::new();
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else {
            break;
        };
        path.push(name);
        (command, matches) = (found, inner);
    }
    (path.join(" "), command)
}

fn spelled(arg: &Arg) -> String {
    match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => arg.get_id().to_string().to_uppercase(),
    }
}
