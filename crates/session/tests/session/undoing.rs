//! Which runs can be taken back, as the log tells.

use crate::build::Home;
use tenon_session::State;
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
        }],
        ahead: false,
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
    assert!(writer.state.undo().moved.is_empty(), "the model was told");
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
