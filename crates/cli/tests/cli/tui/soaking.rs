//! A long day: turns with long outputs leave nothing behind in memory. Here a
//! short one; `cargo xtask bench --only soak` does two thousand turns.

use super::stage::{Prompt, Stage};
use crate::model::Model;
use serde_json::json;
use std::time::Duration;
use tenon_testing::screen::Screen;

const TURNS: usize = 36;
/// Until then buffers and the conversation grow to what they need.
const WARM: usize = 18;
/// Two outputs are larger than this.
const ALLOWED_KB: usize = 3_000;

fn resident_kb(screen: &Screen) -> usize {
    let path = format!("/proc/{}/status", screen.pid());
    let status = std::fs::read_to_string(path).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let word = line.and_then(|line| line.split_whitespace().nth(1));
    word.unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn turns_with_long_outputs_and_answers_leave_the_memory_as_it_was() {
    let answer = "a line of a long answer, with `code` and **weight**\n".repeat(400);
    let command = "printf x >> turns; seq 1 300000; echo turn-$(wc -c < turns)-over";
    let stage = Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "long", "trigger": "again", "scope": "turn", "steps": [
                {"response": {"content": "I will.", "tool_calls": [
                    {"function": {"name": "bash", "arguments": {"command": command}}},
                ]}},
                {"response": {"content": format!("{answer}\n{{{{last_tool_result}}}}\n")}},
            ]}],
            "default_response": {"content": "nothing"},
            "window": 40_000,
        }),
        Duration::ZERO,
    ));
    let screen = stage.open_with(&["--yes"], &[], super::stage::USUAL);
    screen.ready();
    let mut warm = 0;
    for turn in 1..=TURNS {
        screen.line("again");
        screen.see(&format!("turn-{turn}-over")).ready();
        if turn == WARM {
            warm = resident_kb(&screen);
        }
    }
    let grown = resident_kb(&screen).saturating_sub(warm);
    assert!(
        grown < ALLOWED_KB,
        "{} turns after {warm} kB: {grown} kB more",
        TURNS - WARM
    );
}
