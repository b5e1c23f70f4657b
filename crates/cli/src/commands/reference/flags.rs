//! `flags.md`: the tree of commands, walked as clap built it.

use super::cell;
use crate::args::Cli;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::fmt::Write as _;

pub fn page() -> String {
    let mut root = Cli::command();
    root.build();
    let mut page = String::from(
        "# Commands and flags\n\nGenerated from the command line's declaration.\n\n\
         ## For every command\n\n",
    );
    let global: Vec<&Arg> = root.get_arguments().filter(|arg| shared(arg)).collect();
    table(&mut page, &global);
    section(&mut page, &root);
    page
}

/// Flags of every command are told of once.
fn shared(arg: &Arg) -> bool {
    arg.is_global_set() || matches!(arg.get_id().as_str(), "help" | "version")
}

fn section(page: &mut String, command: &Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(page, "\n## {name}\n");
    let about = command.get_long_about().or_else(|| command.get_about());
    if let Some(about) = about {
        let _ = writeln!(page, "{}\n", sentence(&about.to_string()));
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage:").unwrap_or(&usage);
    let usage: Vec<&str> = usage
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let _ = writeln!(page, "```\n{}\n```", usage.join("\n"));
    let own: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !shared(arg) && !arg.is_hide_set())
        .collect();
    if !own.is_empty() {
        page.push('\n');
        table(page, &own);
    }
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        section(page, below);
    }
}

fn table(page: &mut String, args: &[&Arg]) {
    page.push_str("| | default | |\n|---|---|---|\n");
    for arg in args {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            spelled(arg).replace('|', "\\|"),
            default(arg),
            cell(&described(arg))
        );
    }
}

/// `-m, --model ID`, or `[PROMPT]...` for what has no dashes.
fn spelled(arg: &Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    names.extend(aliases.iter().map(|alias| format!("--{alias}")));
    if names.is_empty() {
        return arg.to_string();
    }
    let mut spelled = names.join(", ");
    if matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
        for value in arg.get_value_names().unwrap_or_default() {
            let _ = write!(spelled, " {value}");
        }
    }
    spelled
}

fn default(arg: &Arg) -> String {
    if !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
        return String::new();
    }
    let values: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    values.join(", ")
}

/// The derive macro takes the last full stop away.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', ')', '…']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

fn described(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let mut text = help
        .map(|help| sentence(&help.to_string()))
        .unwrap_or_default();
    let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let words: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|_| takes)
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !words.is_empty() {
        let _ = write!(text, " One of {}.", words.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same page is built by the program and by the test of drift.
    #[test]
    fn every_visible_flag_says_what_it_does() {
        fn walk(command: &Command, silent: &mut Vec<String>) {
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                if described(arg).trim().is_empty() {
                    silent.push(format!("{} {arg}", command.get_name()));
                }
            }
            for below in command
                .get_subcommands()
                .filter(|below| !below.is_hide_set())
            {
                walk(below, silent);
            }
        }
        let mut silent = Vec::new();
        let mut root = Cli::command();
        root.build();
        walk(&root, &mut silent);
        assert_eq!(silent, Vec::<String>::new());
    }
}
