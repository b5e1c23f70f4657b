//! What the user's own commands (`!cmd`) printed, where no messages of theirs say
//! it: those of older logs, and one during which the program ended. The model
//! reads it with the next prompt.

use tenon_vocab::{Event, EventKind, Role, RunId, RunOrigin, ShellNote};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ShellNotes {
    /// The run of a command that goes on.
    run: Option<RunId>,
    command: String,
    notes: Vec<ShellNote>,
}

impl ShellNotes {
    pub(crate) fn restored(notes: Vec<ShellNote>) -> Self {
        Self {
            notes,
            ..Self::default()
        }
    }

    pub(crate) fn all(&self) -> &[ShellNote] {
        &self.notes
    }

    pub(crate) fn apply(&mut self, event: &Event) {
        match &event.kind {
            // Other commands of the user, such as `/compact`, print nothing to read.
            EventKind::RunStarted(started)
                if started.origin == RunOrigin::Shell && started.prompt.starts_with('!') =>
            {
                self.run = event.run;
                started
                    .prompt
                    .trim_start_matches('!')
                    .clone_into(&mut self.command);
            }
            // The prompt of the run is shortened; the input is not.
            EventKind::ToolUse(used) if self.run.is_some() && event.run == self.run => {
                if let Some(command) = used.input["command"].as_str() {
                    command.clone_into(&mut self.command);
                }
            }
            EventKind::ToolResult(result) if self.run.is_some() && event.run == self.run => {
                self.notes.push(ShellNote {
                    command: std::mem::take(&mut self.command),
                    text: result.model_text.clone(),
                });
                self.run = None;
            }
            // It says what its own run gave; older ones still wait.
            EventKind::Message(message) if message.is_of_shell() => {
                let had_result = self.run.is_none() || self.run != event.run;
                match message.role {
                    Role::User if had_result => drop(self.notes.pop()),
                    Role::User => self.run = None,
                    Role::Assistant | Role::Tool => {}
                }
            }
            EventKind::Message(message) if message.role == Role::User => self.notes.clear(),
            _ => {}
        }
    }
}
