//! Flags of a run that stand before a subcommand. The parser takes them for the
//! program's own, where nobody reads them: `tenon --dry-run exec` would not be a
//! dry run. So those that the subcommand knows are read again behind its name,
//! and the others are refused.

use super::Cli;
use crate::error::CliError;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};
use std::ffi::OsString;

/// The same arguments with the flags behind the subcommand that reads them;
/// `None` where they stand there already, or where [`misplaced`] has to speak.
pub fn in_order(matches: &ArgMatches, arguments: &[OsString]) -> Option<Vec<OsString>> {
    let top = Cli::command();
    let given = given(&top, matches)?;
    let (path, command) = chosen(&top, matches);
    if given.is_empty() || !given.iter().all(|arg| takes(command, arg)) {
        return None;
    }
    let start = before(&top, arguments, path.first()?)?;
    // Between the words of the subcommand only flags of the whole program stand.
    let end = path.iter().skip(1).try_fold(start, |at, word| {
        let behind = arguments.get(at + 1..)?;
        Some(at + 1 + behind.iter().position(|argument| argument == word)?)
    })?;
    let (name, rest) = (&arguments[..1], &arguments[end + 1..]);
    let (flags, words) = (&arguments[1..start], &arguments[start..=end]);
    Some([name, words, flags, rest].concat())
}

/// Where the subcommand stands: what is before it has to be a whole command
/// line, so a value that is called like it is passed over.
fn before(top: &Command, arguments: &[OsString], word: &str) -> Option<usize> {
    (1..arguments.len())
        .filter(|at| arguments[*at] == word)
        .find(|at| {
            let read = top.clone().try_get_matches_from(&arguments[..*at]);
            read.is_ok_and(|read| read.subcommand().is_none())
        })
}

/// The program's own arguments on a command line with a subcommand.
fn given<'t>(top: &'t Command, matches: &ArgMatches) -> Option<Vec<&'t Arg>> {
    matches.subcommand()?;
    let is_given = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        !arg.is_global_set() && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    Some(top.get_arguments().filter(is_given).collect())
}

fn takes(command: &Command, arg: &Arg) -> bool {
    command
        .get_arguments()
        .any(|own| own.get_long().is_some() && own.get_long() == arg.get_long())
}

/// What is wrong with the order, if anything.
pub fn misplaced(matches: &ArgMatches) -> Option<CliError> {
    let top = Cli::command();
    let given = given(&top, matches)?;
    let first = given.first()?;
    let (path, command) = chosen(&top, matches);
    let path = path.join(" ");
    let foreign = given.iter().find(|arg| !takes(command, arg));
    let hint = match foreign {
        Some(foreign) => format!("`tenon {path}` does not take `{}`.", spelled(foreign)),
        None => {
            let flags: Vec<String> = given.iter().map(|arg| spelled(arg)).collect();
            format!("Put it after: tenon {path} {} …", flags.join(" "))
        }
    };
    let first = foreign.unwrap_or(first);
    Some(
        CliError::usage(format!(
            "`{}` stands before `{path}`, where it would not count",
            spelled(first)
        ))
        .with_hint(hint),
    )
}

/// The innermost subcommand and how it is called.
fn chosen<'a>(top: &'a Command, matches: &'a ArgMatches) -> (Vec<&'a str>, &'a Command) {
    let (mut command, mut matches) = (top, matches);
    let mut path = Vec::new();
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else {
            break;
        };
        path.push(name);
        (command, matches) = (found, inner);
    }
    (path, command)
}

fn spelled(arg: &Arg) -> String {
    match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => arg.get_id().to_string().to_uppercase(),
    }
}
