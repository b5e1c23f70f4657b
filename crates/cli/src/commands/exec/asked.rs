//! What a prompt that begins with `/` asks `tenon exec` for. A command of one's
//! own and a skill are prompts too; what Tenon itself can do with a `/` is for
//! whoever sits in front of a session. A path is a prompt like any other.

use crate::drive::Prompt;
use crate::error::CliError;
use crate::screen::complain;
use tenon_engine::slash::{self, Names, Slash};
use tenon_vocab::{Command, Printable};

/// Refuses what is refused in every session, before one is opened.
pub fn check(text: &str) -> Result<(), CliError> {
    match slash::parse(text) {
        None | Some(Slash::Unknown { .. } | Slash::Command(Command::Skill { .. })) => Ok(()),
        Some(_) => Err(CliError::usage(format!(
            "{} is a command of the line interface and does nothing here",
            named(text)
        ))
        .with_hint("Start `tenon` to use it. `tenon exec` takes a prompt, one of your own commands, or `/skill NAME TEXT`. To send it as text, put a word in front.")),
    }
}

/// The command that a prompt stands for.
pub fn meant(prompt: Prompt, names: &Names) -> Result<Command, CliError> {
    match slash::resolve(&prompt.text, names) {
        Some(Slash::Command(_)) if !prompt.images.is_empty() => Err(CliError::usage(format!(
            "--image goes with a prompt, not with {}",
            named(&prompt.text)
        ))
        .with_hint("Mention the picture instead: @PATH.")),
        Some(Slash::Command(command)) => Ok(command),
        Some(Slash::Misused(what)) => Err(CliError::usage(what)),
        Some(Slash::Unknown {
            nearest: Some(near),
            ..
        }) => {
            complain(&format!(
                "There is no {}, so it is sent as text. Did you mean /{near}?",
                named(&prompt.text)
            ));
            Ok(prompt.into())
        }
        _ => Ok(prompt.into()),
    }
}

fn named(text: &str) -> String {
    let name = text.split_whitespace().next().unwrap_or_default();
    Printable::line(name).into_string()
}
