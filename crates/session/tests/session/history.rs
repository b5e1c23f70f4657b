//! The rules by which a log becomes what the model sees.

use crate::build::{
    Home, asks, assert_valid, broken, call, compacted, denied, result, run, texts, used,
};
use tenon_vocab::{CallId, Compacted, ContextChange, Message, Origin, PrunedCall, Role, Status};

#[test]
fn results_stand_in_the_order_of_the_calls_whatever_order_they_come_in() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a", "b", "c"]));
    writer.put(result("c", "3"));
    assert_eq!(
        texts(&writer.state).len(),
        2,
        "a result waits for those before it"
    );
    writer.put(result("a", "1"));
    assert_eq!(texts(&writer.state)[2..], ["tool: a=1"]);
    writer.put(denied("b"));
    assert_eq!(
        texts(&writer.state)[2..],
        [
            "tool: a=1",
            "tool: b=error: permission_denied: the user said no",
            "tool: c=3"
        ]
    );
}

#[test]
fn a_prompt_after_an_interrupted_run_is_preceded_by_a_filler() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "first");
    writer.start(2, "second");
    assert_eq!(
        texts(&writer.state),
        [
            "user: first",
            "assistant: (no reply: interrupted)",
            "user: second"
        ]
    );
    assert_eq!(writer.state.history().messages()[1].origin, Origin::Filler);
}

#[test]
fn messages_of_the_users_side_that_come_together_are_not_called_interrupted() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "first");
    let mut steer = Message::user("and quickly");
    steer.origin = Origin::Steer;
    writer.put(steer);
    assert_eq!(texts(&writer.state)[1], "assistant: (noted)");
    assert_valid(writer.state.history().messages());
}

#[test]
fn a_prompt_that_comes_while_calls_are_open_closes_them_with_fillers() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a", "b"]));
    writer.put(result("b", "2"));
    writer.start(2, "next");
    writer.put(result("a", "too late"));
    assert_eq!(
        texts(&writer.state)[1..],
        [
            "assistant: call(a) call(b)",
            "tool: a=no result was recorded",
            "tool: b=2",
            "user: next"
        ]
    );
}

#[test]
fn a_result_of_an_unknown_call_is_ignored() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(result("nobody", "?"));
    assert_eq!(texts(&writer.state), ["user: go"]);
}

#[test]
fn a_reused_id_goes_to_the_newest_message_that_waits_for_it() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    for round in ["one", "two"] {
        writer.put(asks(round, &["call_0", "call_0"]));
        writer.put(result("call_0", &format!("{round} a")));
        writer.put(result("call_0", &format!("{round} b")));
    }
    assert_eq!(
        texts(&writer.state)[1..],
        [
            "assistant: one call(call_0) call(call_0)",
            "tool: call_0=one a",
            "tool: call_0=one b",
            "assistant: two call(call_0) call(call_0)",
            "tool: call_0=two a",
            "tool: call_0=two b"
        ]
    );
    assert!(writer.state.open_calls().is_empty());
}

#[test]
fn abandoned_empty_and_hidden_messages_are_not_seen() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(broken("half", Status::Abandoned));
    writer.put(Message::assistant("  \n"));
    writer.put(Message::new(Role::Assistant, Origin::Model, vec![]));
    let mut hidden = Message::assistant("hidden");
    hidden.in_context = false;
    writer.put(hidden);
    writer.put(Message::new(Role::User, Origin::User, vec![]));
    assert_eq!(texts(&writer.state), ["user: go"]);
}

#[test]
fn a_message_that_broke_off_keeps_its_text_and_loses_its_calls() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    let mut message = asks("I will", &["a"]);
    message.status = Status::Interrupted;
    writer.put(message);
    assert_eq!(texts(&writer.state)[1..], ["assistant: I will"]);
    assert!(writer.state.open_calls().is_empty());
    let mut only_calls = asks("", &["b"]);
    only_calls.status = Status::Broken;
    writer.put(only_calls);
    assert_eq!(texts(&writer.state).len(), 2);
}

#[test]
fn two_replies_in_a_row_and_a_reply_at_the_start_get_a_users_filler() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(Message::assistant("one"));
    writer.put(Message::assistant("two"));
    assert_valid(writer.state.history().messages());
    assert_eq!(writer.state.history().messages().len(), 4);
}

#[test]
fn pictures_of_a_result_follow_its_text() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let blob = writer.log.blobs().put(b"png").unwrap();
    writer.start(1, "look");
    writer.put(asks("", &["a"]));
    let mut seen = result("a", "a picture");
    seen.images = vec![(blob, String::from("image/png"))];
    writer.put(seen);
    assert_eq!(texts(&writer.state)[2], "tool: a=a picture image");
}

#[test]
fn child_runs_are_not_in_the_history_and_their_calls_not_among_the_open_ones() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "delegate");
    writer.put(asks("", &["a"]));
    let outer = writer.run;
    writer.parent = outer;
    writer.run = Some(run(2));
    writer.start(2, "child");
    writer.put(asks("child", &["x"]));
    assert_eq!(texts(&writer.state).len(), 2);
    assert_eq!(writer.state.open_calls().len(), 1);
    assert_eq!(writer.state.open_run(), outer);
    assert_eq!(writer.state.runs(), 1);
    assert_eq!(writer.state.usage().input, 200, "but their tokens count");
}

#[test]
fn open_calls_say_whether_they_were_started() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a", "b", "c"]));
    let mut canonical = used("b");
    canonical.name = String::from("bash");
    writer.put(canonical);
    writer.put(result("a", "1"));
    let open = writer.state.open_calls();
    let open: Vec<_> = open
        .iter()
        .map(|open| (open.call.as_str(), open.name.as_str(), open.started))
        .collect();
    assert_eq!(open, [("b", "bash", true), ("c", "read", false)]);
}

#[test]
fn a_compaction_replaces_what_stands_before_and_raises_the_generation() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.start(2, "second");
    let kept = writer.put(asks("look", &["c2"]));
    writer.put(result("c2", "long output"));
    assert_eq!(writer.state.history().generation(), 0);
    writer.put(ContextChange::Compacted(Compacted {
        kept_from: kept,
        summary: String::from("what happened"),
        pruned: vec![PrunedCall {
            call: CallId::new("c2"),
            model_text: String::from("[pruned]"),
        }],
        recap: None,
        refused: None,
        untold: Vec::new(),
        tokens_before: 10,
        tokens_after: 5,
    }));
    assert_eq!(
        texts(&writer.state),
        [
            "user: what happened",
            "assistant: look call(c2)",
            "tool: c2=[pruned]"
        ]
    );
    assert_eq!(writer.state.history().generation(), 1);
    assert_eq!(writer.state.compactions(), 1);
    assert_eq!(
        writer.state.history().messages()[0].origin,
        Origin::Compaction
    );
    // Pruning alone keeps the summary, and what was pruned stays so.
    writer.put(compacted(0, ""));
    assert_eq!(texts(&writer.state)[0], "user: what happened");
    assert_eq!(texts(&writer.state)[2], "tool: c2=[pruned]");
    assert_eq!(writer.state.history().generation(), 2);
}

#[test]
fn a_compaction_in_the_middle_of_results_leaves_no_orphan() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a", "b"]));
    writer.put(result("a", "1"));
    let kept = writer.put(result("b", "2"));
    writer.put(compacted(kept, "summary"));
    assert_eq!(texts(&writer.state), ["user: summary"]);
    writer.start(2, "on");
    assert_eq!(
        texts(&writer.state),
        ["user: summary", "assistant: (noted)", "user: on"]
    );
    assert_valid(writer.state.history().messages());
}

#[test]
fn open_calls_survive_a_compaction_of_their_message() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a"]));
    let next = writer.log.next_seq();
    writer.put(compacted(next, "summary"));
    assert_eq!(writer.state.open_calls().len(), 1);
    writer.put(result("a", "late"));
    assert_eq!(texts(&writer.state), ["user: summary"]);
    writer.snapshot();
    writer.finish();
    drop(writer);
    assert_eq!(home.findings(1), []);
}

#[test]
fn state_tells_what_was_read_and_where_the_files_stand() {
    use tenon_vocab::{Checkpoint, CheckpointAction, FileHash, TodoItem, TodoList, TodoStatus};
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(Message::new(
        Role::Assistant,
        Origin::Model,
        vec![call("a", "read"), call("b", "read")],
    ));
    for (id, hash) in [("a", "1"), ("b", "2")] {
        let mut read = result(id, "x");
        read.reads = vec![FileHash {
            path: String::from("src/a.rs"),
            sha256: hash.to_owned(),
        }];
        writer.put(read);
    }
    assert_eq!(
        writer.state.reads().collect::<Vec<_>>(),
        [("src/a.rs", "2")]
    );
    let checkpoint = |action, to_seq| Checkpoint {
        action,
        call: None,
        to_seq,
        files: Vec::new(),
        ahead: false,
        untouched: Vec::new(),
        unkept: Vec::new(),
    };
    let saved = writer.put(checkpoint(CheckpointAction::Saved, None));
    writer.put(checkpoint(CheckpointAction::Saved, None));
    writer.put(checkpoint(CheckpointAction::Undone, Some(saved)));
    assert_eq!(writer.state.checkpoint_head(), Some(saved));
    let items = vec![TodoItem {
        text: String::from("test"),
        status: TodoStatus::Pending,
    }];
    writer.put(TodoList {
        items: items.clone(),
    });
    assert_eq!(writer.state.todo(), items);
    assert_eq!(writer.state.first_prompt(), "go");
}
