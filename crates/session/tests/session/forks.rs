//! Copies that end at a message: equal to the beginning of what they were made
//! from, whole, and without a trace when they fail.

use crate::build::{
    Home, Writer, asks, assert_valid, broken, compacted, denied, finished, result, run, session,
    settings, started, texts, used, written,
};
use std::fs;
use std::sync::Arc;
use tenon_session::export::write_text;
use tenon_session::{Loaded, SessionError, State, numbered, verify};
use tenon_vocab::{
    ContextChange, EventKind, FileHash, Message, Notice, NoticeLevel, Outcome, Part, Reverted,
    Role, Status, TodoItem, TodoList, TodoStatus,
};

/// Numbers that repeat for a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

fn todo(text: &str) -> TodoList {
    TodoList {
        items: vec![TodoItem {
            text: text.to_owned(),
            status: TodoStatus::InProgress,
        }],
    }
}

fn notice() -> Notice {
    Notice {
        level: NoticeLevel::Info,
        kind: String::from("note"),
        message: String::from("by the way"),
        hint: None,
    }
}

fn child(writer: &mut Writer, n: u32) {
    let (outer, parent) = (writer.run, writer.parent);
    (writer.run, writer.parent) = (Some(run(n)), outer);
    writer.put(started("child"));
    writer.put(Message::user("child prompt"));
    writer.put(asks("child asks", &["c0"]));
    writer.put(used("c0"));
    writer.put(result("c0", "child result"));
    writer.put(Message::assistant("child answer"));
    writer.put(finished(Outcome::Completed));
    (writer.run, writer.parent) = (outer, parent);
}

fn step(writer: &mut Writer, dice: &mut Dice, children: &mut u32) {
    let ids: Vec<String> = (0..1 + dice.below(3)).map(|n| format!("c{n}")).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    if dice.one_in(6) {
        writer.put(broken("tried before", Status::Abandoned));
    }
    writer.put(asks(&format!("step {}", writer.log.next_seq()), &names));
    let mut left = names.clone();
    while !left.is_empty() {
        let id = left.remove(usize::try_from(dice.below(left.len() as u64)).unwrap());
        if dice.one_in(5) {
            writer.put(denied(id));
            continue;
        }
        writer.put(used(id));
        if dice.one_in(4) {
            *children += 1;
            child(writer, *children);
        }
        if dice.one_in(4) {
            writer.put(todo(&format!("at {}", writer.log.next_seq())));
        }
        let mut done = result(id, &format!("result {}", writer.log.next_seq()));
        done.reads.push(FileHash {
            path: String::from("a.txt"),
            sha256: format!("{:064x}", writer.log.next_seq()),
        });
        writer.put(done);
    }
}

/// A log as an engine writes it: runs, calls in any order, children, retries,
/// compactions, reverts; the last run may be unfinished.
fn random_log(home: &Home, n: u128) {
    let mut dice = Dice(u64::try_from(n).unwrap().wrapping_mul(77).wrapping_add(5));
    let mut writer = home.begin(n);
    let mut children = 1000;
    writer.put(settings(Some("The title")));
    let mut prompts: Vec<u64> = Vec::new();
    let mut kept_from = 0;
    for turn in 0..2 + u32::try_from(dice.below(4)).unwrap() {
        prompts.push(writer.log.next_seq() + 1);
        writer.start(turn, &format!("prompt {turn}"));
        for _ in 0..dice.below(3) {
            step(&mut writer, &mut dice, &mut children);
            if dice.one_in(4) {
                writer.put(Message::new(
                    Role::User,
                    tenon_vocab::Origin::Steer,
                    vec![Part::text("steer")],
                ));
            }
            if dice.one_in(5) {
                writer.snapshot();
            }
        }
        match dice.below(6) {
            0 => {
                writer.put(broken("cut sho", Status::Interrupted));
                writer.put(finished(Outcome::Interrupted));
                writer.run = None;
            }
            1 if turn > 2 => return,
            _ => {
                writer.put(Message::assistant(format!("answer {turn}")));
                if dice.one_in(3) {
                    writer.put(notice());
                }
                writer.finish();
            }
        }
        if dice.one_in(4) {
            kept_from = *prompts.last().unwrap();
            writer.put(compacted(kept_from, &format!("summary {turn}")));
        }
        if dice.one_in(4) {
            let before = prompts[usize::try_from(dice.below(prompts.len() as u64)).unwrap()];
            if before >= kept_from {
                writer.put(ContextChange::Reverted(Reverted { before }));
            }
        }
        if dice.one_in(3) {
            writer.snapshot();
        }
    }
}

/// The history of the source when the message and its results were there,
/// counted anew from the records.
fn expected(source: &Loaded, seq: u64) -> State {
    let mut state = State::new(&source.records[0].event).unwrap();
    let (before, after): (Vec<_>, Vec<_>) = source.records[1..]
        .iter()
        .partition(|record| record.event.seq <= seq);
    for record in &before {
        state.apply(&record.event, record.offset);
    }
    let mut open = state.open_calls().len();
    for record in after {
        if open == 0 {
            break;
        }
        match &record.event.kind {
            EventKind::ToolResult(_) if record.event.parent.is_none() => {
                state.apply(&record.event, record.offset);
                open -= 1;
            }
            EventKind::Message(_) | EventKind::RunFinished(_) if record.event.parent.is_none() => {
                break;
            }
            _ => {}
        }
    }
    state
}

#[test]
fn a_copy_at_any_message_of_any_log_is_whole_and_equal_to_the_beginning_of_the_source() {
    let home = Home::new();
    let (mut copies, mut copy) = (0, 10_000);
    for n in 1..30 {
        random_log(&home, n);
        let source = home.store.load(session(n)).unwrap();
        let bytes = fs::read(&source.path).unwrap();
        let numbers = source.numbered();
        assert_eq!(numbers, home.store.numbered(session(n)).unwrap());
        for (number, seq) in numbers {
            copy += 1;
            let (log, state) = home
                .store
                .fork(session(n), session(copy), Some(seq))
                .unwrap();
            let wanted = expected(&source, seq);
            let told = format!("log {n}, message {number}, record {seq}");
            let (made, history) = (state.history().messages(), wanted.history().messages());
            assert!(
                made.starts_with(history),
                "{told}:\n{:#?}\n{:#?}",
                texts(&state),
                texts(&wanted)
            );
            assert!(
                made[history.len()..].iter().all(|m| m.role == Role::Tool),
                "{told}"
            );
            assert_valid(made);
            assert!(
                state.open_calls().is_empty() && state.open_run().is_none(),
                "{told}"
            );
            assert_eq!(
                state.reads().collect::<Vec<_>>(),
                wanted.reads().collect::<Vec<_>>(),
                "{told}"
            );
            drop(log);
            let loaded = home.store.load(session(copy)).unwrap();
            assert_eq!(
                verify(&home.store.read(loaded.id).unwrap()).unwrap(),
                [],
                "{told}"
            );
            assert_eq!(loaded.numbered().last(), Some(&(number, seq)), "{told}");
            assert_eq!(loaded.state().meta().forked_from.as_ref().unwrap().seq, seq);
            let again = home
                .store
                .open(session(copy), crate::build::at(9))
                .unwrap()
                .1;
            assert_eq!(again.history().messages(), made, "{told}");
            copies += 1;
        }
        assert_eq!(
            fs::read(&source.path).unwrap(),
            bytes,
            "the source is only read"
        );
    }
    assert!(copies > 200, "{copies}");
}

#[test]
fn a_copy_from_before_a_compaction_has_the_whole_history_again() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.small_run(2);
    let kept_from = writer.log.next_seq();
    writer.put(compacted(kept_from, "all of it in short"));
    writer.small_run(3);
    let numbers = home.store.numbered(session(1)).unwrap();
    assert_eq!(texts(&writer.state)[0], "user: all of it in short");
    let (_, state) = home
        .store
        .fork(session(1), session(2), Some(numbers[5].1))
        .unwrap();
    let said = texts(&state);
    assert_eq!(said[0], "user: prompt 1");
    assert_eq!(said.last().unwrap(), "assistant: answer 2");
    assert_eq!(state.compactions(), 0);
}

#[test]
fn tasks_settings_and_reads_of_a_copy_are_as_they_were_then_and_its_title_is_marked() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(settings(None));
    writer.start(1, "first prompt");
    writer.put(todo("early"));
    let cut = writer.put(Message::assistant("one"));
    writer.finish();
    let mut later = settings(Some("Renamed later"));
    later.model = String::from("large");
    writer.put(later);
    writer.start(2, "more");
    writer.put(todo("late"));
    writer.put(Message::assistant("two"));
    writer.finish();
    let (_, state) = home.store.fork(session(1), session(2), Some(cut)).unwrap();
    assert_eq!(state.todo()[0].text, "early");
    assert_eq!(state.settings().unwrap().model, "small");
    assert_eq!(
        state.settings().unwrap().title.as_deref(),
        Some("Renamed later (fork)")
    );
    assert_eq!(state.runs(), 1);
    // The run had ended there by itself, so nothing says that it was cut.
    let copy = home.store.load(session(2)).unwrap();
    let outcomes: Vec<Outcome> = copy
        .events()
        .filter_map(|event| match &event.kind {
            EventKind::RunFinished(finished) => Some(finished.outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Outcome::Completed]);
    let (_, state) = home.store.fork(session(2), session(3), None).unwrap();
    assert_eq!(
        state.settings().unwrap().title.as_deref(),
        Some("Renamed later (fork 2)")
    );
}

#[test]
fn a_copy_that_ends_inside_of_a_run_says_that_it_was_cut() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    let numbers = home.store.numbered(session(1)).unwrap();
    drop(writer);
    drop(
        home.store
            .fork(session(1), session(2), Some(numbers[0].1))
            .unwrap(),
    );
    let copy = home.store.load(session(2)).unwrap();
    let text = written(&home.store.read(copy.id).unwrap(), write_text);
    assert!(text.contains("-- interrupted by fork"), "{text}");
    assert!(text.contains("the copy was cut here"), "{text}");
}

#[test]
fn a_session_that_is_written_can_be_copied_and_both_go_on() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.start(2, "running");
    writer.put(asks("I look.", &["x"]));
    writer.put(used("x"));
    let (log, state) = home.store.fork(session(1), session(2), None).unwrap();
    let mut copy = Writer {
        log,
        state,
        run: None,
        parent: None,
    };
    writer.put(result("x", "came later"));
    writer.put(Message::assistant("done"));
    writer.finish();
    copy.small_run(3);
    drop((writer, copy));
    assert_eq!(home.findings(1), []);
    assert_eq!(home.findings(2), []);
}

#[test]
fn a_copy_that_cannot_be_made_leaves_nothing() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.small_run(2);
    let path = writer.path();
    drop(writer);
    let numbers = home.store.numbered(session(1)).unwrap();
    for seq in [0, 1, 5, 999] {
        let error = home
            .store
            .fork(session(1), session(2), Some(seq))
            .unwrap_err();
        assert!(
            matches!(error, SessionError::NoMessage { .. }),
            "{seq}: {error}"
        );
        assert!(!home.store.exists(session(2)));
    }
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[9] = "no record";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let error = home.store.fork(session(1), session(2), None).unwrap_err();
    assert!(matches!(error, SessionError::Damaged { .. }), "{error}");
    assert!(!home.store.exists(session(2)));
    // What stands before the damage can be had.
    let (_, state) = home
        .store
        .fork(session(1), session(2), Some(numbers[2].1))
        .unwrap();
    assert_eq!(texts(&state).last().unwrap(), "assistant: answer 1");
}

#[test]
fn messages_are_counted_as_people_see_them() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    writer.put(broken("no", Status::Abandoned));
    let mut hidden = Message::assistant("hidden");
    hidden.in_context = false;
    writer.put(hidden);
    writer.put(asks("two", &["a"]));
    writer.put(used("a"));
    child(&mut writer, 50);
    writer.put(result("a", "text with \"type\":\"message\" in it"));
    writer.put(broken("three", Status::Interrupted));
    writer.finish();
    let before = writer.log.next_seq();
    writer.put(ContextChange::Reverted(Reverted { before: 2 }));
    writer.start(2, "four");
    assert_eq!(writer.log.next_seq(), before + 3);
    let loaded = home.store.load(session(1)).unwrap();
    let said: Vec<(u32, String)> = loaded
        .numbered()
        .into_iter()
        .map(|(number, seq)| {
            let event = &loaded.records[usize::try_from(seq).unwrap()].event;
            let EventKind::Message(message) = &event.kind else {
                panic!("a message")
            };
            (number, message.text())
        })
        .collect();
    let wanted = [(1, "one"), (2, "two"), (3, "three"), (4, "four")];
    assert_eq!(said, wanted.map(|(n, text)| (n, text.to_owned())));
    assert_eq!(writer.log.numbered().unwrap(), loaded.numbered());
    assert_eq!(numbered(loaded.events()), loaded.numbered());
    let shown = written(&home.store.read(loaded.id).unwrap(), write_text);
    for wanted in [
        "#1 you> one",
        "#2 (dropped) model> two",
        "#3 (dropped) [interrupted]\nmodel> three",
        "#4 you> four",
    ] {
        assert_eq!(
            shown.contains(wanted),
            wanted != "#1 you> one",
            "{wanted} in:\n{shown}"
        );
    }
    assert!(shown.contains("#1 (dropped) you> one"), "{shown}");
    let _: Arc<Message> = Arc::new(Message::user(""));
}

#[test]
fn a_list_shows_of_a_copy_only_what_the_copy_itself_took() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.small_run(2);
    drop(writer);
    let of = |n| home.store.summary(session(n)).unwrap();
    let source = of(1);
    assert!(source.usage.input > 0 && source.models.len() == 1);
    drop(home.store.fork(session(1), session(2), None).unwrap());
    assert_eq!(of(2).usage.input, 0);
    assert_eq!((of(2).runs, &of(2).models), (2, &Vec::new()));
}
