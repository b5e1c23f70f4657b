//! Flags of a run that stand before a subcommand. The parser takes them for the
//! program's own, where nobody reads them: `tenon --dry-run exec` would not be a
//! dry run. So those that the subcommand knows are read again behind its name,
//! and the others are refused.

use super::Cli;
use crate::error::CliError;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};
use std::ffi::OsString;

/// How flags and subcommand stand to each other.
#[derive(Debug)]
pub enum Order {
    AsItIs,
    /// The same arguments with the flags behind the subcommand that reads them.
    Moved(Vec<OsString>),
    /// A flag that the subcommand does not have.
    Wrong(CliError),
}

pub fn order(matches: &ArgMatches, arguments: &[OsString]) -> Order {
    // Before the tree of commands is built: most starts have no subcommand.
    if matches.subcommand().is_none() {
        return Order::AsItIs;
    }
    let top = Cli::command();
    let given = given(&top, matches);
    if given.is_empty() {
        return Order::AsItIs;
    }
    let (path, command) = chosen(&top, matches);
    let all = given.iter().all(|arg| takes(command, arg));
    match moved(&top, &path, arguments).filter(|_| all) {
        Some(ordered) => Order::Moved(ordered),
        None => Order::Wrong(misplaced(&given, &path.join(" "), command)),
    }
}

fn moved(top: &Command, path: &[&str], arguments: &[OsString]) -> Option<Vec<OsString>> {
    let start = before(top, arguments, path.first()?)?;
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
fn given<'t>(top: &'t Command, matches: &ArgMatches) -> Vec<&'t Arg> {
    let is_given = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        !arg.is_global_set() && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    top.get_arguments().filter(is_given).collect()
}

fn takes(command: &Command, arg: &Arg) -> bool {
    command
        .get_arguments()
        .any(|own| own.get_long().is_some() && own.get_long() == arg.get_long())
}

fn misplaced(given: &[&Arg], path: &str, command: &Command) -> CliError {
    let foreign = given.iter().find(|arg| !takes(command, arg));
    let (what, hint) = match foreign {
        Some(foreign) => {
            let what = spelled(foreign);
            let hint = format!("`tenon {path}` does not take `{what}`.");
            (what, hint)
        }
        None => {
            let flags: Vec<String> = given.iter().map(|arg| spelled(arg)).collect();
            let flags = flags.join(" ");
            (
                flags.clone(),
                format!("Put it after: tenon {path} {flags} …"),
            )
        }
    };
    CliError::usage(format!(
        "`{what}` comes before `{path}`, where it has no effect"
    ))
    .with_hint(hint)
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
