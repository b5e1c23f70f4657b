//! Commands that the user ran with `!`: two messages of the conversation, and
//! neither a prompt nor an answer to whoever asks for these.

use crate::build::{Home, Writer, result, run, session, texts, used, written};
use serde_json::json;
use tenon_session::export;
use tenon_vocab::{
    Checkpoint, CheckpointAction, Message, Origin, Part, Role, RunOrigin, RunStarted, ToolResult,
    ToolUse,
};

/// A run of a command up to its result.
fn shell(writer: &mut Writer, n: u32, command: &str) {
    writer.run = Some(run(n));
    writer.put(RunStarted {
        prompt: format!("!{command}"),
        origin: RunOrigin::Shell,
    });
    writer.put(ToolUse {
        name: String::from("bash"),
        input: json!({"command": command}),
        ..used("shell")
    });
    writer.put(ToolResult {
        name: String::from("bash"),
        ..result("shell", &format!("printed by {command}"))
    });
}

fn said(writer: &mut Writer, command: &str) {
    let became = format!("<user_shell command=\"{command}\">\nprinted\n</user_shell>");
    for (role, text) in [
        (Role::User, format!("!{command}")),
        (Role::Assistant, became),
    ] {
        writer.put(Message::new(role, Origin::Shell, vec![Part::text(text)]));
    }
}

fn notes(writer: &Writer) -> Vec<&str> {
    let notes = writer.state.shell_notes().iter();
    notes.map(|note| note.command.as_str()).collect()
}

#[test]
fn the_messages_of_a_command_say_what_it_printed_and_older_ones_wait_for_a_prompt() {
    let home = Home::new();
    let mut writer = home.begin(1);
    // As logs were written before there were such messages.
    shell(&mut writer, 1, "old");
    writer.finish();
    assert_eq!(notes(&writer), ["old"]);
    shell(&mut writer, 2, "new");
    assert_eq!(
        notes(&writer),
        ["old", "new"],
        "as long as nothing else says it"
    );
    said(&mut writer, "new");
    writer.finish();
    assert_eq!(notes(&writer), ["old"]);
    // Stopped before it had a result.
    writer.run = Some(run(3));
    writer.put(RunStarted {
        prompt: String::from("!stopped"),
        origin: RunOrigin::Shell,
    });
    said(&mut writer, "stopped");
    writer.finish();
    assert_eq!(notes(&writer), ["old"]);
    assert_eq!(
        texts(&writer.state),
        [
            "user: !new",
            "assistant: <user_shell command=\"new\">\nprinted\n</user_shell>",
            "user: !stopped",
            "assistant: <user_shell command=\"stopped\">\nprinted\n</user_shell>",
        ]
    );
    writer.small_run(4);
    assert!(notes(&writer).is_empty());
    drop(writer);
    assert_eq!(home.findings(1), []);
}

#[test]
fn a_command_is_no_prompt_no_step_and_no_title_and_an_export_shows_it_as_a_call() {
    let home = Home::new();
    let mut writer = home.begin(1);
    shell(&mut writer, 1, "ls");
    said(&mut writer, "ls");
    writer.finish();
    writer.small_run(2);
    shell(&mut writer, 3, "make");
    said(&mut writer, "make");
    writer.finish();
    drop(writer);
    let prompts = home.store.prompts(session(1)).unwrap();
    let prompts: Vec<&str> = prompts.iter().map(|prompt| prompt.text.as_str()).collect();
    assert_eq!(prompts, ["prompt 2"]);
    let reading = home.store.read(session(1)).unwrap();
    assert_eq!(reading.outline().first_prompt(), "prompt 2");
    assert_eq!(reading.outline().title(), Some("prompt 2"));
    for page in [
        written(&reading, export::write_text),
        written(&reading, export::write_markdown),
        written(&reading, export::write_html),
    ] {
        assert!(page.contains("answer 2") && page.contains("bash"), "{page}");
        assert!(!page.contains("user_shell"), "{page}");
        assert!(!page.contains("!make"), "{page}");
    }
}

#[test]
fn what_an_undo_changed_is_told_with_the_next_prompt_and_not_with_a_command() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    let saved = Checkpoint {
        action: CheckpointAction::Saved,
        call: None,
        to_seq: None,
        files: vec![tenon_vocab::FileChange {
            path: String::from("a"),
            after: Some(String::from("x")),
            ..tenon_vocab::FileChange::default()
        }],
        ahead: false,
        untouched: Vec::new(),
        unkept: Vec::new(),
    };
    let seq = writer.put(saved.clone());
    writer.finish();
    writer.put(Checkpoint {
        action: CheckpointAction::Undone,
        to_seq: Some(seq - 1),
        ..saved
    });
    shell(&mut writer, 2, "ls");
    said(&mut writer, "ls");
    writer.finish();
    assert_eq!(writer.state.undo().moved[0].told, None);
    writer.start(3, "two");
    assert!(writer.state.undo().moved[0].told.is_some());
}
