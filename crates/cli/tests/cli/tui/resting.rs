//! A screen on which nothing happens: nothing is written and nobody wakes up.
//! And one whose size changes: nothing is drawn before it is still.

use super::stage::{Prompt, Stage, USUAL};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tenon_testing::screen::{Cells, Screen, control};
use tenon_testing::wait_until;

/// Longer than any step of what shows seconds.
const WHILE: Duration = Duration::from_secs(2);
/// Helping threads end by themselves after a while.
const DEADLINE: Duration = Duration::from_secs(60);

#[derive(Debug, PartialEq)]
struct Stirrings {
    /// How often each thread was given a processor.
    threads: BTreeMap<PathBuf, String>,
    written: usize,
}

fn stirrings(screen: &Screen) -> Stirrings {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", screen.pid())).unwrap();
    let threads = tasks.flatten().map(|task| {
        let status = std::fs::read_to_string(task.path().join("status")).unwrap_or_default();
        let switches = status.lines().filter(|line| line.contains("ctxt_switches"));
        (task.path(), switches.collect())
    });
    Stirrings {
        threads: threads.collect(),
        written: screen.raw().len(),
    }
}

#[track_caller]
fn rests(screen: &Screen, when: &str) {
    let mut last = stirrings(screen);
    let rested = wait_until(DEADLINE, || {
        std::thread::sleep(WHILE);
        let before = std::mem::replace(&mut last, stirrings(screen));
        before == last
    });
    assert!(rested, "{when}: {last:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_screen_on_which_nothing_moves_wakes_nobody() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready();
    rests(&screen, "after the start");
    screen.line("hello").done().ready();
    screen.text("half a thought");
    rests(&screen, "after a run");
    screen.key(&control('t'));
    screen.until("the page", |view| view.paged && view.has("hello"));
    rests(&screen, "on a page");
}

/// Changes the size again and again, with a pause that is shorter than the rest.
/// Gives whether anything was drawn in between; `None` where this machine was too
/// slow to keep that pause.
fn drawn_between(screen: &Screen, pause: Duration, rest: Duration) -> Option<bool> {
    let before = screen.raw().len();
    let mut last = Instant::now();
    let mut kept = true;
    for step in 0..12 {
        screen.resize(Cells {
            columns: USUAL.columns - 1 - step % 5,
            rows: USUAL.rows,
        });
        let drawn = screen.raw().len() != before;
        kept &= last.elapsed() < rest;
        if drawn && kept {
            return Some(true);
        }
        last = Instant::now();
        std::thread::sleep(pause);
    }
    screen.resize(USUAL);
    kept.then_some(false)
}

#[test]
fn while_the_size_changes_nothing_is_drawn_and_in_tmux_for_longer() {
    let ms = Duration::from_millis;
    // The second pause is longer than the rest outside of tmux.
    for (env, pause, rest) in [
        (&[][..], ms(18), ms(45)),
        (&[("TMUX", "/nowhere,1,0")][..], ms(90), ms(250)),
    ] {
        let stage = Stage::says("fine");
        let screen = stage.open_with(&[], env, USUAL);
        screen.ready().text("half a thought");
        let mut drawn = None;
        let measured = wait_until(DEADLINE, || {
            screen.composed("half a thought");
            rests(&screen, "before the size changes");
            drawn = drawn_between(&screen, pause, rest);
            drawn.is_some()
        });
        assert!(measured, "too slow to change the size quickly");
        assert_eq!(drawn, Some(false), "{env:?}");
        screen.composed("half a thought");
    }
}
