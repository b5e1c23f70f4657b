//! A command that the user typed with `!`: it passes the same gate as the
//! model's. It is kept as two messages, the line of the user and what became of
//! it, which the model reads when it is next asked. Typing it is
//! the yes to what would be a plain question; what is denied stays denied, and
//! what is confirmed each time is confirmed here, too.

use crate::calls::Done;
use crate::run::{End, Flow, Run, begin};
use crate::schedule::Leave;
use crate::{calls, hooks};
use serde_json::json;
use tenon_vocab::marked::{Mark, element};
use tenon_vocab::names::tool;
use tenon_vocab::{
    CallId, CallStatus, Envelope, Message, Origin, Part, Role, RunOrigin, ShellNote,
};

pub(crate) async fn run(run: &mut Run, command: String) -> Flow<()> {
    begin(run, &format!("!{command}"), RunOrigin::Shell)?;
    hooks::session_started(run).await?;
    let id = CallId::new(format!("shell_{}", run.id));
    let input = json!({ "command": command.as_str() }).to_string();
    let done = calls::to_its_end(run, id, tool::BASH, input, Leave::Typed).await;
    // Nothing can be kept in a log that cannot be written.
    if !matches!(done, Err(End::Log(_))) {
        keep(run, &command, done.as_ref())?;
    }
    // There is nothing else in this run that its end could tell.
    run.tally.last_denied = done?.denial();
    match run.token.is_cancelled() {
        true => Err(End::Interrupted),
        false => Ok(()),
    }
}

/// User and assistant take turns with it, as every server wants. The output
/// stands in an element that it cannot close: it is not what a model said.
fn keep(run: &Run, command: &str, done: Result<&Done, &End>) -> Flow<()> {
    // Escaped, a secret could no longer be told by its form.
    let command = run.core.masker.mask(command);
    let code = done.ok().and_then(|done| exit_code(&done.envelope));
    let code = code.map(|code| code.to_string());
    let mut attributes = vec![("command", &*command)];
    attributes.extend(code.as_deref().map(|code| ("exit_code", code)));
    attributes.extend(outcome(done).map(|outcome| ("outcome", outcome)));
    let text = match done {
        Ok(done) => done.text.clone(),
        Err(end) => format!("the command was not run: {end}"),
    };
    let became = element(Mark::Shell.tag(), &attributes, &text);
    let said = |role, text: String| Message::new(role, Origin::Shell, vec![Part::text(text)]);
    run.emit(said(Role::User, format!("!{command}")))?;
    run.emit(said(Role::Assistant, became))?;
    Ok(())
}

fn exit_code(envelope: &Envelope) -> Option<i64> {
    let data = match envelope {
        Envelope::Ok(data) => Some(data),
        Envelope::Err(error) => error.details.as_ref(),
    };
    data.and_then(|data| data["exit_code"].as_i64())
}

/// How it ended where that was not by itself.
fn outcome(done: Result<&Done, &End>) -> Option<&'static str> {
    match done.map(|done| done.status) {
        Ok(CallStatus::Completed) => None,
        Ok(CallStatus::Denied) => Some("denied"),
        Ok(CallStatus::Interrupted) => Some("interrupted"),
        Ok(CallStatus::NotStarted) | Err(_) => Some("not run"),
        Ok(CallStatus::UnknownOutcome) => Some("unknown"),
    }
}

/// What the model reads of a command whose messages are not in the log: the
/// program ended during it, or it ran before there were such messages.
pub(crate) fn note(note: &ShellNote) -> Part {
    Part::text(element(
        Mark::Shell.tag(),
        &[("command", &note.command)],
        &note.text,
    ))
}
