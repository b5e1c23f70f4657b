//! What the scripted model says in the measurements, and the files it works on.

use super::place::Place;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;

pub const HELLO: &str = "bench hello";
pub const LOOP: &str = "bench loop";
pub const DELTAS: &str = "bench deltas";
pub const SOAK: &str = "bench soak";

const LINES: u32 = 400;

pub fn hello() -> Value {
    scenario(HELLO, vec![says("Hello.")])
}

/// So many steps of one call each: a page of a file, a command, an edit.
pub fn steps(count: u32) -> Value {
    let mut steps: Vec<Value> = (0..count).map(step).collect();
    steps.push(says("Done."));
    scenario(LOOP, steps)
}

/// So many commands, one a step.
pub fn commands_only(count: u32) -> Value {
    let mut steps: Vec<Value> = (0..count)
        .map(|number| calls("bash", json!({"command": command(number)})))
        .collect();
    steps.push(says("Done."));
    scenario(LOOP, steps)
}

/// So many commands that write a file, one a step.
pub fn commands_that_write(count: u32) -> Value {
    let mut steps: Vec<Value> = (0..count)
        .map(|number| {
            // At its end: to overwrite would have to be confirmed.
            let command = format!("echo step {number} >> written.txt");
            calls("bash", json!({ "command": command }))
        })
        .collect();
    steps.push(says("Done."));
    scenario(LOOP, steps)
}

/// One command that the policy asks about.
pub fn one_question() -> Value {
    let command = json!({"command": "printf '%s-%s-%s\\n' approved and run; exit 0"});
    scenario(LOOP, vec![calls("bash", command), says("Done.")])
}

/// An answer of so many words, each of them a delta, with so many to a line.
pub fn deltas(count: u32, to_a_line: u32) -> Value {
    let mut text = String::new();
    for number in 1..=count {
        let end = if number.is_multiple_of(to_a_line) {
            '\n'
        } else {
            ' '
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "w{number:05}{end}");
    }
    scenario(DELTAS, vec![says(&text)])
}

/// At each prompt a command with a long output, and an answer that repeats it.
/// The file of one byte for each turn tells them apart.
pub fn soak() -> Value {
    let command = "printf x >> turns; seq -f 'line %g of a long output' 1 1500; \
                   echo turn-$(wc -c < turns)-over";
    json!({
        "scenarios": [{"name": SOAK, "trigger": SOAK, "scope": "turn", "steps": [
            calls("bash", json!({ "command": command })),
            says("It said:\n\n```text\n{{last_tool_result}}\n```\n\nDone."),
        ]}],
        "default_response": {"content": "Well."},
        "window": 65_536,
    })
}

/// What stands in the last lines of the answer of a turn.
pub fn soaked(turn: u32) -> String {
    format!("turn-{turn}-over")
}

/// The commands of `steps`, one on a line, for the plain program.
pub fn commands(count: u32) -> String {
    let mut text = String::new();
    for number in (0..count).filter(|number| number % 3 == 1) {
        text.push_str(&command(number));
        text.push('\n');
    }
    text
}

/// The files that `steps` reads and changes.
pub fn project(place: &Place) -> Result<()> {
    let mut notes = String::new();
    for line in 1..=LINES {
        let _ = writeln!(
            notes,
            "line {line}: the quick brown fox jumps over the lazy dog"
        );
    }
    fs::write(place.project.join("notes.txt"), notes)?;
    fs::write(place.project.join("counter.txt"), "value = 0;\n")?;
    Ok(())
}

fn step(number: u32) -> Value {
    match number % 3 {
        // The file must be known before it is changed.
        0 if number == 0 => calls("read", json!({"path": "counter.txt"})),
        0 => calls(
            "read",
            json!({"path": "notes.txt", "offset": number, "limit": 40}),
        ),
        1 => calls("bash", json!({"command": command(number)})),
        _ => {
            let before = number / 3;
            let (old, new) = (
                format!("value = {before};"),
                format!("value = {};", before + 1),
            );
            calls(
                "edit",
                json!({"path": "counter.txt", "old": old, "new": new}),
            )
        }
    }
}

fn command(number: u32) -> String {
    format!("echo step {number}")
}

fn calls(name: &str, arguments: Value) -> Value {
    json!({"response": {
        "content": "Next.",
        "tool_calls": [{"id": "call_{{step}}", "function": {"name": name, "arguments": arguments}}],
    }})
}

fn says(text: &str) -> Value {
    json!({"response": {"content": text}})
}

fn scenario(trigger: &str, steps: Vec<Value>) -> Value {
    json!({
        "scenarios": [{"name": trigger, "trigger": trigger, "steps": steps}],
        "default_response": {"content": "Well."},
    })
}

#[cfg(test)]
mod tests {
    use super::{commands, deltas, steps};

    #[test]
    fn fifty_steps_hold_seventeen_commands() {
        assert_eq!(commands(50).lines().count(), 17);
        assert_eq!(
            steps(50)["scenarios"][0]["steps"].as_array().unwrap().len(),
            51
        );
    }

    #[test]
    fn a_delta_is_a_word() {
        let script = deltas(40, 16);
        let text = script["scenarios"][0]["steps"][0]["response"]["content"]
            .as_str()
            .unwrap();
        assert_eq!(text.split_whitespace().count(), 40);
    }
}
