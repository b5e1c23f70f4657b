use super::*;
use serde_json::json;
use tenon_vocab::{StateChanged, TextChannel, TextDelta};

fn generating() -> EventKind {
    EventKind::State(StateChanged::from(RunState::ModelGenerating))
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn a_server_that_says_nothing_is_said_to_be_silent_as_soon_as_on_the_whole_screen() {
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Redrawn);
    waiting.event(&generating(), start);
    assert_eq!(waiting.text(start + seconds(1)), None);
    assert_eq!(
        waiting.text(start + silence::AFTER).as_deref(),
        Some("No answer from the server yet (1 s)")
    );
    assert_eq!(
        waiting.say(start + seconds(12)).as_deref(),
        Some("  No answer from the server yet, 12s")
    );
}

#[test]
fn how_much_of_the_prompt_is_read_stands_in_the_line_until_content_comes() {
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Redrawn);
    waiting.event(&generating(), start);
    let reading = EventKind::State(StateChanged {
        read_percent: Some(43),
        ..StateChanged::from(RunState::ModelGenerating)
    });
    let later = start + seconds(12);
    waiting.event(&reading, later);
    assert_eq!(
        waiting.text(later).as_deref(),
        Some("waiting for the model (12 s, ~43 % read)"),
        "since the beginning, not since the last figure"
    );
    assert_eq!(
        waiting.say(later).as_deref(),
        Some("  still waiting for the model, 12s, ~43 % read")
    );
    waiting.event(&generating(), later);
    let again = waiting.text(later + seconds(2)).unwrap();
    assert!(!again.contains("read"), "{again}");
}

#[test]
fn the_tokens_of_a_reply_that_is_held_back_are_counted_while_it_is_written() {
    let counted = |tokens| {
        EventKind::State(StateChanged {
            written_tokens: Some(tokens),
            ..StateChanged::from(RunState::ModelGenerating)
        })
    };
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Redrawn);
    waiting.event(&generating(), start);
    assert!(!waiting.is_counting());
    waiting.event(&counted(7), start);
    assert!(waiting.is_counting());
    let text = |waiting: &Waiting| waiting.text(start).unwrap();
    assert_eq!(text(&waiting), "⠋ Thinking... [7 tokens]");
    waiting.event(&counted(1_247), start);
    assert_eq!(text(&waiting), "⠋ Thinking... [1,247 tokens]");
    waiting.event(&generating(), start);
    assert_eq!(waiting.text(start), None, "another request");
    let mut lines = Waiting::new(Motion::Appended);
    lines.event(&generating(), start);
    lines.event(&counted(1_234_567), start);
    assert_eq!(
        said(&mut lines, start, 5),
        [
            "  Thinking... [1,234,567 tokens], 1s",
            "  Thinking... [1,234,567 tokens], 2s",
            "  Thinking... [1,234,567 tokens], 4s",
        ]
    );
}

#[test]
fn a_stream_that_falls_silent_is_waited_for_again() {
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Redrawn);
    waiting.event(&generating(), start);
    let delta = EventKind::MessageDelta(TextDelta {
        channel: TextChannel::Text,
        text: "Once".into(),
    });
    waiting.event(&delta, start);
    assert_eq!(waiting.text(start + seconds(2)), None);
    assert!(waiting.text(start + seconds(5)).is_some());
}

fn started(call: &str) -> EventKind {
    let used = json!({
        "call": call, "name": "bash", "input": {}, "batch": 0,
        "explanation": {"class": "allow", "reason": ""},
    });
    EventKind::ToolUse(serde_json::from_value(used).unwrap())
}

fn printed(text: &str) -> EventKind {
    EventKind::ToolDelta(ToolDelta {
        call: CallId::new("c1"),
        stream: ToolStream::Stdout,
        text: text.to_owned(),
    })
}

fn said(waiting: &mut Waiting, start: Instant, until: u64) -> Vec<String> {
    let ticks = (0..=until).map(|second| start + seconds(second));
    ticks.filter_map(|now| waiting.say(now)).collect()
}

#[test]
fn a_long_command_is_said_to_be_running_ever_more_seldom_and_a_short_one_is_not() {
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Appended);
    waiting.event(&started("c1"), start);
    assert!(said(&mut waiting, start, 4).is_empty());
    assert_eq!(
        said(&mut waiting, start, 100),
        [
            "  still running: bash, 5s",
            "  still running: bash, 10s",
            "  still running: bash, 20s",
            "  still running: bash, 40s",
            "  still running: bash, 1m 20s",
        ]
    );
}

#[test]
fn the_last_line_of_an_output_goes_along_and_steers_no_terminal() {
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Appended);
    waiting.event(&started("c1"), start);
    for piece in ["one\ntw", "o \x1b[2J", "\r\n \n"] {
        waiting.event(&printed(piece), start);
    }
    assert_eq!(
        waiting.say(start + seconds(5)).as_deref(),
        Some("  still running: bash, 5s; last line: two ␛[2J")
    );
    waiting.event(&printed(&"ü".repeat(KEPT)), start);
    let long = waiting.say(start + seconds(10)).unwrap();
    assert!(long.contains("ü… (+"), "{long}");
}

#[test]
fn while_a_person_is_asked_nothing_is_said_to_be_running() {
    let start = Instant::now();
    let mut waiting = Waiting::new(Motion::Appended);
    waiting.event(&started("c1"), start);
    let asked = json!({"id": "q1", "kind": "ask_user", "title": "", "body": "", "choices": []});
    let asked = EventKind::Question(serde_json::from_value(asked).unwrap());
    waiting.event(&asked, start);
    assert!(said(&mut waiting, start, 60).is_empty());
    let answer = json!({"question": "q1", "choice": "deny", "by": "user"});
    let answer = EventKind::Answer(serde_json::from_value(answer).unwrap());
    waiting.event(&answer, start);
    assert!(waiting.say(start + seconds(60)).is_some());
}
