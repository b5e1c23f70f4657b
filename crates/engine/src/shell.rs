//! A command that the user typed with `!`: it passes the same gate as the
//! model's, and the model reads what it printed with the next prompt.

use crate::run::{Flow, Run, begin};
use crate::step::Ending;
use crate::{calls, gate, hooks, schedule};
use serde_json::json;
use tenon_vocab::{CallId, Part, RunOrigin, ShellNote, ToolCallPart};

pub(crate) async fn run(run: &mut Run, command: String) -> Flow<()> {
    begin(run, &format!("!{command}"), RunOrigin::Shell)?;
    hooks::session_started(run).await?;
    let call = ToolCallPart {
        id: CallId::new(format!("shell_{}", run.id)),
        name: String::from("bash"),
        arguments: json!({ "command": command }).to_string(),
        form: tenon_vocab::CallForm::Native,
    };
    let planned = schedule::plan(&run.core, &call, Ending::WHOLE);
    let admitted = gate::admit(run, vec![planned]).await?;
    calls::execute(run, admitted).await?;
    Ok(())
}

/// What the model reads of such a command.
pub(crate) fn note(note: &ShellNote) -> Part {
    Part::text(format!(
        "<user_shell command={:?}>\n{}\n</user_shell>",
        note.command, note.text
    ))
}
