//! Seeded interleavings of commands, deltas and failures under paused time:
//! whatever the order, each call has one result and each run one end.

use crate::formats::Format;
use crate::models::{Scripted, Shelf, Turn};
use crate::support::World;
use std::sync::Arc;
use std::time::Duration;
use tenon_engine::{Approval, Engine};
use tenon_model::{Identity, ModelErrorKind};
use tenon_vocab::profile::{HookEvent, HookSource, HookSpec};
use tenon_vocab::{Answer, AnsweredBy, Command, EventKind, SessionId, Switch};

/// Small and repeatable; quality does not matter here.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn turn(dice: &mut Dice, n: u64) -> Turn {
    let mut turn = Turn::default();
    for piece in 0..dice.roll(4) {
        turn.pieces.push((
            Duration::from_millis(dice.roll(60)),
            format!("piece {piece} "),
        ));
    }
    for call in 0..dice.roll(4) {
        let name = ["look", "act", "deaf", "boom", "fail", "danger"][dice.roll(6) as usize];
        turn = turn.and_call(
            &format!("c{n}_{call}"),
            name,
            &format!(r#"{{"ms":{}}}"#, dice.roll(200)),
        );
    }
    match dice.roll(12) {
        0 => turn.fails(ModelErrorKind::Broken),
        1 => turn.fails(ModelErrorKind::RateLimited),
        2 => turn.fails(ModelErrorKind::Auth),
        3 => turn.hangs(),
        _ => turn,
    }
}

fn command(dice: &mut Dice) -> Command {
    match dice.roll(8) {
        0 | 1 => Command::Interrupt,
        2 => Command::Steer {
            text: "steer".into(),
        },
        3 => Command::Prompt {
            text: "follow".into(),
            attachments: vec![],
        },
        4 => Command::Answer(Answer {
            question: tenon_vocab::QuestionId::new(format!("q_{}", dice.roll(3))),
            choice: "once".into(),
            text: None,
            by: AnsweredBy::User,
            call: None,
        }),
        5 | 6 => Command::Switch(Switch {
            model: Some(["first", "other", "nothing"][dice.roll(3) as usize].into()),
            ..Switch::default()
        }),
        _ => Command::Interrupt,
    }
}

/// Hooks that cannot be started, which is the way to fail without a process:
/// passed over, or a block at any moment of a run.
fn hooks(dice: &mut Dice) -> Vec<HookSpec> {
    if dice.roll(8) > 0 {
        return Vec::new();
    }
    HookEvent::ALL
        .into_iter()
        .filter(|_| dice.roll(3) == 0)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|event| HookSpec {
            name: event.name().into(),
            event,
            tool: None,
            pattern: None,
            command: "true".into(),
            timeout: HookSpec::TIMEOUT,
            required: dice.roll(2) == 0,
            source: HookSource::User,
        })
        .collect()
}

/// The model that is begun with, and another one of another format.
fn shelf(dice: &mut Dice, turns: Vec<Turn>) -> (Arc<Scripted>, Shelf) {
    let first = Scripted::new(turns);
    let format = Format::ALL[dice.roll(3) as usize];
    let more: Vec<Turn> = (10..12).map(|n| turn(dice, n)).collect();
    let identity = Identity::new("elsewhere", "other");
    let other = Arc::new(Scripted::with(format, identity, more));
    let shelf = Shelf {
        models: vec![
            ("first".into(), Arc::clone(&first)),
            ("other".into(), other),
        ],
        ..Shelf::default()
    };
    (first, shelf)
}

async fn schedule(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(7919).wrapping_add(17));
    let (mut world, id) = (World::new(), SessionId::generate());
    if dice.roll(2) == 0 {
        world.approval = Approval::Ask;
    }
    let turns: Vec<Turn> = (0..2 + dice.roll(4)).map(|n| turn(&mut dice, n)).collect();
    let (model, shelf) = shelf(&mut dice, turns);
    let mut parts = world.parts(id, model);
    parts.models = Some(Arc::new(shelf));
    parts.hooks = hooks(&mut dice);
    let mut handle = Engine::start(id, parts);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: vec![],
    });
    let mut pending = 1 + dice.roll(5);
    let (mut started, mut finished) = (0, 0);
    loop {
        let pause = tokio::time::sleep(Duration::from_millis(dice.roll(150)));
        tokio::select! {
            event = handle.events.next() => match event.as_ref().map(|event| &event.kind) {
                None => break,
                Some(EventKind::RunStarted(_)) => started += 1,
                Some(EventKind::RunFinished(_)) => finished += 1,
                // A request that a strict server refuses panics in the model's check.
                Some(EventKind::Notice(notice)) => {
                    assert_ne!(notice.kind, "internal", "seed {seed}: {}", notice.message);
                }
                _ => {}
            },
            () = pause => {
                if pending == 0 {
                    handle.commands.send(Command::Shutdown);
                } else {
                    pending -= 1;
                    handle.commands.send(command(&mut dice));
                }
            }
        }
    }
    assert_eq!(started, finished, "seed {seed}");
    world.verify(id);
}

#[test]
fn every_schedule_leaves_one_result_for_each_call_and_one_end_for_each_run() {
    let count = std::env::var("TENON_SCHEDULES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(10_000);
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for seed in (thread..count).step_by(threads as usize) {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_time()
                        .start_paused(true)
                        .build()
                        .unwrap();
                    runtime.block_on(schedule(seed));
                }
            });
        }
    });
}
