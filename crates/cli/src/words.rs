//! Words behind `tenon` that are no command. A slip must not become a prompt: it
//! would cost money and do things. What is a prompt all the same is said here, and
//! in docs/commands.md in the same words.

use crate::args::Cli;
use crate::error::CliError;
use clap::{Command, CommandFactory};

/// Subcommands of the whole program that this version does not have, and words
/// that other agents have in their place.
const UNBUILT: &[&str] = &["acp", "audit", "batch", "mcp", "plugin", "plugins", "web"];

/// Words for what a subcommand of another name does.
const ELSEWHERE: &[(&str, &str)] = &[
    ("help", "--help"),
    ("login", "auth login"),
    ("logout", "auth logout"),
    ("run", "exec"),
    ("version", "--version"),
];

/// Whether the words may be sent to a model. They may not
/// 1. when there is one word that looks like a name;
/// 2. when the first is a command that is not there yet;
/// 3. when the first is a slip of a command, and the second is one of its own
///    commands or is the last.
///
/// # Errors
/// A usage error that says what may have been meant.
pub fn check(words: &[String]) -> Result<(), CliError> {
    let Some(first) = words.first().filter(|word| is_name(word)) else {
        return Ok(());
    };
    let line = words.join(" ");
    let unbuilt = UNBUILT.contains(&first.as_str());
    let program = Cli::command();
    let near = near(&program, first);
    let is_slip = match words {
        [_] => true,
        _ if unbuilt => true,
        [_, second, rest @ ..] => near.as_deref().is_some_and(|near| {
            has_command(&program, near, second) || (rest.is_empty() && is_name(second))
        }),
        [] => false,
    };
    if !is_slip {
        return Ok(());
    }
    let message = match near {
        _ if unbuilt => format!("this version doesn't have the command `{first}` yet"),
        Some(near) => format!("there is no command `{line}`; did you mean `tenon {near}`?"),
        None => format!("there is no command `{line}`"),
    };
    let elsewhere = match first.as_str() {
        "mcp" => {
            "`/mcp` in a session lists the MCP servers, `tenon config show` those that are configured. "
        }
        _ => "",
    };
    Err(CliError::usage(message).with_hint(format!(
        "{elsewhere}`tenon --help` lists the commands. To send it to the model: tenon exec {line:?}"
    )))
}

/// Letters and digits as names have them, and not the blanks and marks of a
/// sentence. Sentences of scripts without blanks are none.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':'))
}

/// The command that a word is a slip of.
fn near(program: &Command, word: &str) -> Option<String> {
    if let Some((_, meant)) = ELSEWHERE.iter().find(|(other, _)| *other == word) {
        return Some((*meant).to_owned());
    }
    let names: Vec<&str> = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(Command::get_name)
        .collect();
    tenon_tools::input::suggest_name(word, &names)
}

fn has_command(program: &Command, name: &str, second: &str) -> bool {
    program
        .find_subcommand(name)
        .is_some_and(|command| command.find_subcommand(second).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &[&str]) -> Option<String> {
        let words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        check(&words).err().map(|error| error.message)
    }

    #[test]
    fn a_word_that_is_no_command_and_no_sentence_is_never_a_prompt() {
        for line in [
            &["wbe"][..],
            &["hello"],
            &["sesions"],
            &["mcp", "list"],
            &["mcp"],
            &["audit", "the", "code"],
            &["web", "--app"],
            &["sesions", "list"],
            &["confg", "show"],
            &["handof", "0199"],
            &["doctr", "now"],
            &["src/main.rs"],
        ] {
            assert!(refused(line).is_some(), "{line:?}");
        }
        assert!(
            refused(&["sesions", "list"])
                .unwrap()
                .contains("`tenon sessions`")
        );
    }

    #[test]
    fn sentences_stay_prompts() {
        for line in [
            &[][..],
            &["-"],
            &["why?"],
            &["explain this project"],
            &["audit the code"],
            &["tests fail, fix them"],
            &["tests", "fail", "on", "main"],
            &["fix", "tests"],
            &["explain", "main.rs"],
            &["@README.md"],
            &["/review"],
            &["erkläre"],
            &["解释这个项目"],
        ] {
            assert_eq!(refused(line), None, "{line:?}");
        }
    }
}
