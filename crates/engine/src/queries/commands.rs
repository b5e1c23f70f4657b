//! The commands of the user and of the project, beside those that are built in.

use super::table;
use crate::core::Core;
use crate::slash;
use tenon_vocab::Reply;

pub(super) fn list(core: &Core) -> Reply {
    let rows = core
        .given
        .commands
        .iter()
        .map(|command| {
            vec![
                command.name.clone(),
                command.argument_hint.clone(),
                command.source.name().to_owned(),
                command.description.clone(),
            ]
        })
        .collect();
    let note = core.given.commands.is_empty().then(|| {
        String::from(
            "none yet: a command is a file commands/NAME.md in your configuration folder (`tenon config path`), or .tenon/commands/NAME.md in a trusted project",
        )
    });
    table(
        &["command", "arguments", "source", "what it does"],
        rows,
        note,
    )
}

/// Commands that begin with what was typed, ours first.
pub(super) fn beginning_with(core: &Core, line: &str) -> Vec<String> {
    let mut words = slash::complete(line);
    let own = core.given.commands.iter();
    words.extend(
        own.map(|command| format!("/{}", command.name))
            .filter(|name| name.starts_with(line)),
    );
    words
}
