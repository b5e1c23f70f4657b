//! A command that the user typed with `!`: it passes the same gate as the
//! model's, and the model reads what it printed with the next prompt. Typing it is
//! the yes to what would be a plain question; what is denied stays denied, and
//! what is confirmed each time is confirmed here, too.

use crate::run::{Flow, Run, begin};
use crate::schedule::Leave;
use crate::{calls, hooks};
use serde_json::json;
use tenon_vocab::marked::element;
use tenon_vocab::names::tool;
use tenon_vocab::{CallId, Part, RunOrigin, ShellNote};

pub(crate) async fn run(run: &mut Run, command: String) -> Flow<()> {
    begin(run, &format!("!{command}"), RunOrigin::Shell)?;
    hooks::session_started(run).await?;
    let id = CallId::new(format!("shell_{}", run.id));
    let input = json!({ "command": command }).to_string();
    let done = calls::by_user(run, id, tool::BASH, input, Leave::Typed).await?;
    // There is nothing else in this run that its end could tell.
    run.tally.last_denied = done.denial();
    Ok(())
}

/// What the model reads of such a command.
pub(crate) fn note(note: &ShellNote) -> Part {
    Part::text(element(
        "user_shell",
        &[("command", &note.command)],
        &note.text,
    ))
}
