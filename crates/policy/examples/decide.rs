//! Times one decision about a command line: `decide 'git status'` prints the
//! microseconds that reading it and judging it take. Used by `cargo xtask bench`.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use tenon_policy::{
    Authority, Facts, Grants, ReadOnly, ReadingRoom, Rules, Subject, analyse, decide,
};
use tenon_vocab::{Effect, Timestamp};

const BATCHES: usize = 50;
const EACH: u32 = 100;

fn main() -> ExitCode {
    let Some(line) = std::env::args().nth(1) else {
        eprintln!("decide COMMAND");
        return ExitCode::from(2);
    };
    let rules = Rules::built_in();
    let grants = Grants::new();
    let authority = Authority {
        agent: "build",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    };
    let one = || {
        let facts = Facts {
            tool: "bash".into(),
            effect: Effect::Execute,
            subject: Subject::Command(analyse(black_box(&line))),
            input: String::new(),
        };
        black_box(decide(
            &facts,
            &rules,
            &grants,
            &authority,
            Timestamp::UNIX_EPOCH,
        ))
    };
    let least = (0..BATCHES)
        .map(|_| {
            let started = Instant::now();
            for _ in 0..EACH {
                one();
            }
            started.elapsed().as_secs_f64() * 1e6 / f64::from(EACH)
        })
        .fold(f64::INFINITY, f64::min);
    println!("{least:.1}");
    ExitCode::SUCCESS
}
