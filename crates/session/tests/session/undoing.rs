//! Which runs can be taken back, as the log tells.

use crate::build::Home;
use tenon_session::{Reach, State};
use tenon_vocab::{
    Checkpoint, CheckpointAction, ContextChange, Event, EventKind, FileChange, FileHash, Message,
    Reverted,
};

fn saved(path: &str) -> Checkpoint {
    Checkpoint {
        action: CheckpointAction::Saved,
        call: None,
        to_seq: None,
        files: vec![FileChange {
            path: path.to_owned(),
            mode: None,
            before: None,
            after: Some(String::from("x")),
            after_mode: None,
            ..FileChange::default()
        }],
        ahead: false,
        untouched: Vec::new(),
        unkept: Vec::new(),
    }
}

fn back(action: CheckpointAction, to_seq: u64) -> Checkpoint {
    Checkpoint {
        action,
        to_seq: Some(to_seq),
        ..saved("a")
    }
}

#[test]
fn runs_go_and_come_back_in_order_and_a_new_change_forgets_those_that_went() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    let first = writer.put(saved("a"));
    let again = writer.put(saved("b"));
    writer.start(2, "two");
    let second = writer.put(saved("a"));
    let places = |state: &State| -> Vec<Vec<u64>> {
        let runs = state.undo().done.iter();
        runs.map(|run| run.at.iter().map(|at| at.seq).collect())
            .collect()
    };
    assert_eq!(places(&writer.state), [vec![first, again], vec![second]]);
    writer.put(back(CheckpointAction::Undone, second - 1));
    assert_eq!(places(&writer.state), [vec![first, again]]);
    writer.put(back(CheckpointAction::Undone, first - 1));
    assert!(writer.state.undo().done.is_empty());
    assert_eq!(writer.state.undo().undone.len(), 2);
    writer.put(back(CheckpointAction::Redone, again));
    assert_eq!(places(&writer.state), [vec![first, again]]);
    // A revert into the middle of a run splits it; a redo joins it again.
    writer.put(back(CheckpointAction::Reverted, first));
    assert_eq!(places(&writer.state), [vec![first]]);
    writer.put(back(CheckpointAction::Redone, again));
    assert_eq!(places(&writer.state), [vec![first, again]]);
    writer.put(saved("c"));
    assert!(writer.state.undo().undone.is_empty());
}

#[test]
fn a_snapshot_knows_what_can_be_taken_back() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    writer.put(saved("a"));
    let second = writer.put(saved("b"));
    writer.put(back(CheckpointAction::Undone, second - 1));
    let snapshot = writer.state.snapshot();
    let text = serde_json::to_string(&snapshot).unwrap();
    let read: tenon_vocab::Snapshot = serde_json::from_str(&text).unwrap();
    assert_eq!(read.undo.as_deref(), Some(writer.state.undo()));
    assert_eq!(writer.state.undo().moved.len(), 1);
    writer.put(Message::user("next"));
    let moved = &writer.state.undo().moved;
    assert!(moved[0].told.is_some(), "the model was told");
    let at = writer.state.undo().done[0].at[0];
    let event: Event = writer.log.record_at(at).unwrap();
    assert!(matches!(event.kind, EventKind::Checkpoint(_)));
}

#[test]
fn what_was_read_only_in_what_was_given_up_is_not_known() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    let read = |id: &str, path: &str| {
        let mut result = crate::build::result(id, "text");
        result.reads = vec![FileHash {
            path: path.to_owned(),
            sha256: String::from("1"),
        }];
        result
    };
    writer.put(read("a", "before"));
    let before = writer.put(Message::user("two"));
    writer.put(read("b", "after"));
    writer.put(ContextChange::Reverted(Reverted { before }));
    let known: Vec<&str> = writer.state.reads().map(|(path, _)| path).collect();
    assert_eq!(known, ["before"]);
}

#[test]
fn a_revert_forgets_what_was_moved_of_changes_that_it_gives_up() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    let first = writer.put(Message::user("one"));
    let change = writer.put(saved("a"));
    writer.put(back(CheckpointAction::Undone, change - 1));
    writer.put(back(CheckpointAction::Redone, change));
    assert_eq!(writer.state.undo().moved.len(), 2);
    writer.put(back(CheckpointAction::Reverted, first));
    writer.put(ContextChange::Reverted(Reverted { before: first }));
    let moved = &writer.state.undo().moved;
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert_eq!(moved[0].action, CheckpointAction::Reverted);
}

#[test]
fn what_was_told_only_in_a_message_that_is_given_up_is_told_again() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    writer.put(Message::user("one"));
    let change = writer.put(saved("a"));
    writer.put(back(CheckpointAction::Undone, change - 1));
    let second = writer.put(Message::user("two"));
    assert_eq!(writer.state.undo().moved[0].told, Some(second));
    writer.put(ContextChange::Reverted(Reverted { before: second }));
    assert_eq!(writer.state.undo().moved[0].told, None);
}

#[test]
fn prompts_are_what_was_typed_with_their_numbers_and_whether_the_model_sees_them() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.run = Some(crate::build::run(1));
    writer.put(crate::build::started("typed by hand"));
    let mut noted = Message::user("<undo>\nfiles went back\n</undo>");
    noted.parts.push(tenon_vocab::Part::text("typed by hand"));
    let first = writer.put(noted);
    writer.run = Some(crate::build::run(2));
    writer.put(crate::build::started("/review a.rs"));
    let second = writer.put(Message::user("Look at a.rs with care."));
    let prompts = writer.log.prompts().unwrap();
    let told: Vec<(u32, u64, &str)> = prompts
        .iter()
        .map(|prompt| (prompt.number, prompt.seq, prompt.text.as_str()))
        .collect();
    assert_eq!(
        told,
        [(1, first, "typed by hand"), (2, second, "/review a.rs")]
    );
    writer.put(ContextChange::Reverted(Reverted { before: second }));
    let prompts = writer.log.prompts().unwrap();
    let reach: Vec<Reach> = prompts.iter().map(|prompt| prompt.reach).collect();
    assert_eq!(reach, [Reach::Seen, Reach::GivenUp]);
}
