//! A command that the user typed with `!`: it passes the same gate as the
//! model's, and the model reads what it printed with the next prompt.

use crate::run::{Flow, Run, begin};
use crate::{calls, gate, schedule};
use serde_json::json;
use tenon_vocab::{CallId, RunOrigin, StopReason, ToolCallPart};

pub(crate) async fn run(run: &mut Run, command: String, notes: &mut Vec<String>) -> Flow<()> {
    begin(run, &format!("!{command}"), RunOrigin::Shell)?;
    let call = ToolCallPart {
        id: CallId::new(format!("shell_{}", run.id)),
        name: String::from("bash"),
        arguments: json!({ "command": command }).to_string(),
    };
    let planned = schedule::plan(&run.core, &call, StopReason::ToolUse);
    let admitted = gate::admit(run, vec![planned]).await?;
    let results = calls::execute(run, admitted).await?;
    for done in results {
        let text = done.text;
        notes.push(format!(
            "<user_shell command={:?}>\n{text}\n</user_shell>",
            command
        ));
    }
    Ok(())
}
