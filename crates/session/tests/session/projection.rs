//! Any prefix of any log: also logs that no engine would write.

use crate::build::{
    asks, assert_valid, at, broken, compacted, denied, event, finished, meta, result, run, session,
    started, used,
};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use proptest::test_runner::Config;
use std::collections::HashMap;
use std::sync::Arc;
use tenon_session::{Frame, Leftovers, State, recovery_events};
use tenon_vocab::{
    CallId, Compacted, ContextChange, Event, EventKind, Message, Origin, Outcome, PrunedCall, Role,
    Status, TextChannel,
};

#[derive(Debug, Clone)]
enum Step {
    Start(u32),
    Finish(u32),
    User(u32),
    Asks(u32, Vec<usize>, Status),
    Says(u32, Status),
    Hidden(u32),
    Empty(u32),
    Use(u32, usize),
    Result(u32, usize),
    Denied(u32, usize),
    Compact(usize, bool, Vec<usize>),
    Snapshot,
}

const IDS: [&str; 4] = ["a", "b", "c", "d"];

/// Runs 0 and 1 are the session's own; 2 and 3 are children of 0.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let run = 0_u32..4;
    let id = 0_usize..4;
    let status = prop_oneof![
        4 => Just(Status::Complete),
        1 => Just(Status::Interrupted),
        1 => Just(Status::Broken),
        1 => Just(Status::Abandoned),
    ];
    let step = prop_oneof![
        2 => run.clone().prop_map(Step::Start),
        2 => run.clone().prop_map(Step::Finish),
        4 => run.clone().prop_map(Step::User),
        6 => (run.clone(), prop::collection::vec(id.clone(), 1..4), status.clone())
            .prop_map(|(run, ids, status)| Step::Asks(run, ids, status)),
        3 => (run.clone(), status).prop_map(|(run, status)| Step::Says(run, status)),
        1 => run.clone().prop_map(Step::Hidden),
        1 => run.clone().prop_map(Step::Empty),
        4 => (run.clone(), id.clone()).prop_map(|(run, id)| Step::Use(run, id)),
        8 => (run.clone(), id.clone()).prop_map(|(run, id)| Step::Result(run, id)),
        1 => (run, id.clone()).prop_map(|(run, id)| Step::Denied(run, id)),
        1 => (0_usize..40, any::<bool>(), prop::collection::vec(id, 0..3))
            .prop_map(|(back, says, pruned)| Step::Compact(back, says, pruned)),
        2 => Just(Step::Snapshot),
    ];
    prop::collection::vec(step, 1..60)
}

fn kind(step: &Step, seq: u64, state: &State) -> (Option<u32>, EventKind) {
    match step {
        Step::Start(run) => (Some(*run), started("p").into()),
        Step::Finish(run) => (Some(*run), finished(Outcome::Completed).into()),
        Step::User(run) => (Some(*run), Message::user(format!("u{seq}")).into()),
        Step::Asks(run, ids, status) => {
            let ids: Vec<&str> = ids.iter().map(|id| IDS[*id]).collect();
            let mut message = asks(&format!("m{seq}"), &ids);
            message.status = *status;
            (Some(*run), message.into())
        }
        Step::Says(run, status) => (Some(*run), broken(&format!("s{seq}"), *status).into()),
        Step::Hidden(run) => {
            let mut message = asks("hidden", &["a"]);
            message.in_context = false;
            (Some(*run), message.into())
        }
        Step::Empty(run) => {
            let message = Message::new(Role::Assistant, Origin::Model, vec![]);
            (Some(*run), message.into())
        }
        Step::Use(run, id) => (Some(*run), used(IDS[*id]).into()),
        Step::Result(run, id) => (Some(*run), result(IDS[*id], &format!("r{seq}")).into()),
        Step::Denied(run, id) => (Some(*run), denied(IDS[*id]).into()),
        Step::Compact(back, says, pruned) => {
            let ContextChange::Compacted(base) = compacted(
                seq.saturating_sub(*back as u64),
                if *says { "summary" } else { "" },
            ) else {
                unreachable!()
            };
            let pruned = pruned
                .iter()
                .map(|id| PrunedCall {
                    call: CallId::new(IDS[*id]),
                    model_text: format!("pruned at {seq}"),
                })
                .collect();
            let change = ContextChange::Compacted(Compacted { pruned, ..base });
            (None, change.into())
        }
        Step::Snapshot => (None, state.snapshot().into()),
    }
}

fn next(step: &Step, seq: u64, state: &State) -> Event {
    let (number, kind) = kind(step, seq, state);
    let parent = number.filter(|n| *n >= 2).map(|_| run(0));
    event(seq, session(1), number.map(run), parent, kind)
}

fn fake_offset(seq: u64) -> u64 {
    seq * 100
}

proptest! {
    #![proptest_config(Config { cases: 400, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_prefix_of_any_log_gives_a_valid_conversation(steps in steps()) {
        let mut state = State::new(&meta(session(1), "/p")).unwrap();
        let mut before: Vec<Arc<Message>> = Vec::new();
        let mut generation = 0;
        for (seq, step) in (1..).zip(&steps) {
            state.apply(&next(step, seq, &state), fake_offset(seq));
            let history = state.history();
            assert_valid(history.messages());
            if history.generation() == generation {
                assert!(history.messages().starts_with(&before), "only ever added to");
            }
            generation = history.generation();
            before = history.messages().to_vec();
        }
    }

    #[test]
    fn recovery_closes_everything_that_any_log_leaves_open(steps in steps()) {
        let mut state = State::new(&meta(session(1), "/p")).unwrap();
        for (seq, step) in (1..).zip(&steps) {
            state.apply(&next(step, seq, &state), fake_offset(seq));
            let mut closed = state.clone();
            let left = Leftovers::from_frames([(seq + 1, Frame::Message {
                run: run(0),
                channel: TextChannel::Text,
                text: String::from("half a sent"),
            })]);
            for event in recovery_events(&state, &left, seq + 1, at(0)) {
                closed.apply(&event, fake_offset(event.seq));
            }
            assert!(closed.open_calls().is_empty());
            assert_eq!(closed.open_run(), None);
            assert_valid(closed.history().messages());
            assert!(recovery_events(&closed, &Leftovers::default(), 0, at(0)).is_empty());
            let text = closed.history().messages().iter().any(|m| m.text() == "half a sent");
            assert!(text, "what streamed is in the history");
        }
    }

    #[test]
    fn a_snapshot_at_any_point_gives_the_same_state_as_all_the_records(steps in steps()) {
        same_from_a_snapshot(&steps);
    }
}

/// An id of a call comes twice, and so does its start: the second one must not be
/// given to the older message once the newer one is closed and left out.
#[test]
fn a_call_that_is_started_twice_is_the_same_from_a_snapshot() {
    same_from_a_snapshot(&[
        Step::Asks(1, vec![1], Status::Complete),
        Step::Asks(1, vec![1], Status::Complete),
        Step::Use(1, 1),
        Step::Use(1, 1),
        Step::Result(1, 1),
    ]);
}

#[track_caller]
fn same_from_a_snapshot(steps: &[Step]) {
    let first = meta(session(1), "/p");
    let mut state = State::new(&first).unwrap();
    let mut events: HashMap<u64, Event> = HashMap::new();
    for (seq, step) in (1..).zip(steps) {
        let event = next(step, seq, &state);
        state.apply(&event, fake_offset(seq));
        events.insert(fake_offset(seq), event);
    }
    let seq = steps.len() as u64 + 1;
    let snapshot = state.snapshot();
    let event = event(seq, session(1), None, None, snapshot.clone());
    state.apply(&event, fake_offset(seq));
    let mut restored = State::from_snapshot(&first, fake_offset(seq), &snapshot, |at| {
        events.get(&at.offset).cloned()
    })
    .unwrap();
    assert_eq!(restored, state);
    // And goes on the same.
    for (seq, step) in (seq + 1..).zip(steps) {
        let event = next(step, seq, &state);
        state.apply(&event, fake_offset(seq));
        restored.apply(&event, fake_offset(seq));
    }
    assert_eq!(restored, state);
}
