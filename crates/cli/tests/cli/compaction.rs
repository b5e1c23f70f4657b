//! The conversation made shorter, through the real program: long runs against a
//! server that enforces its window, the words of many servers, `/compact` and
//! `sessions summarize`.

use crate::model::Model;
use crate::program::Program;
use crate::talk::Talk;
use serde_json::{Value, json};
use std::time::Duration;
use tenon_mock::prefix_breaks;
use tenon_testing::TestHome;

const SUMMARY: &str = "## Objective\nThe work goes on, and nothing special is to be said of it.";

/// The question for a summary, and then these scenarios.
fn scenarios(more: Vec<Value>) -> Vec<Value> {
    let mut all = vec![json!({
        "trigger": "Write the summary that replaces it",
        "steps": [{"response": {"content": SUMMARY}}],
    })];
    all.extend(more);
    all
}

fn read_and_answer() -> Value {
    json!({
        "trigger": "look at",
        "scope": "turn",
        "steps": [
            {"response": {"tool_calls": [{"function": {"name": "read", "arguments": {"path": "big.txt"}}}]}},
            {"response": {"content": "I have read it, and it is as it should be."}},
        ],
    })
}

fn compacted(talk: &Talk) -> Vec<Value> {
    let mut found = talk.all("context");
    found.retain(|event| event["change"] == "compacted");
    found.into_iter().cloned().collect()
}

#[test]
fn a_long_session_on_a_16k_window_keeps_its_facts_and_its_prefix() {
    let home = TestHome::new();
    std::fs::write(
        home.project().join("big.txt"),
        "a line of text\n".repeat(170),
    )
    .unwrap();
    let script = json!({
        "scenarios": scenarios(vec![read_and_answer()]),
        "server": "vllm",
        "window": 16384,
        "fault": {"window": 16384},
        "default_response": {"content": "Understood."},
    });
    let model = Model::scripted(script, Duration::ZERO);
    let mut talk = Talk::start(&home, &model, &[]);
    let facts = [
        "Port the importer to the streaming parser (GOAL-7f3a).",
        "Never change anything below vendor/legacy.",
    ];
    for n in 0..30 {
        match facts.get(n) {
            Some(fact) => talk.prompt(fact),
            None => talk.prompt(&format!("Now look at big.txt for the time number {n}.")),
        }
        let finished = talk.until("run_finished");
        assert_eq!(finished["outcome"], "completed", "{n}: {:#?}", talk.events);
    }
    assert_eq!(talk.end(), 0);
    let done = compacted(&talk);
    assert!((2..=12).contains(&done.len()), "{}", done.len());
    assert!(talk.all("retry").is_empty());
    let requests = model.asked();
    for request in &requests {
        assert!(request.violations.is_empty(), "{:?}", request.violations);
        assert!(request.body.len() / 4 <= 16384);
    }
    let breaks = prefix_breaks(&requests);
    assert_eq!(breaks.len(), done.len(), "{breaks:?}");
    let last = model.bodies().pop().unwrap();
    for fact in facts.iter().chain(&["big.txt"]) {
        assert!(last.contains(fact), "no {fact} in {last}");
    }
}

/// Three long prompts; the third does not fit any more.
fn third_prompt_is_too_long(name: &str, script: Value) {
    let home = TestHome::new();
    let model = Model::scripted(script, Duration::ZERO);
    let mut talk = Talk::start(&home, &model, &[]);
    for text in ["first", "second", "third"] {
        talk.prompt(&format!(
            "The {text} one. {}",
            "some more words ".repeat(900)
        ));
        let finished = talk.until("run_finished");
        assert_eq!(
            finished["outcome"], "completed",
            "{name}: {:#?}",
            talk.events
        );
    }
    talk.end();
    assert!(talk.all("retry").is_empty(), "{name}: it was sent again");
    assert_eq!(compacted(&talk).len(), 1, "{name}: {:#?}", talk.events);
    let bodies = model.bodies();
    let twice = bodies.windows(2).any(|pair| pair[0] == pair[1]);
    assert!(!twice, "{name}: the same request twice");
    let last = bodies.last().unwrap();
    assert!(last.contains("The third one."), "{name}");
    assert!(last.contains("The conversation was made shorter"), "{name}");
}

#[test]
fn the_overflow_of_every_server_is_compacted_and_never_just_sent_again() {
    for words in [
        "openai",
        "anthropic",
        "llamacpp",
        "ollama",
        "lmstudio",
        "vllm",
        "litellm",
        "openrouter",
        "gemini",
    ] {
        let script = json!({
            "scenarios": scenarios(Vec::new()),
            "fault": {"window": 11_500, "words": words},
            "default_response": {"content": "Understood."},
        });
        third_prompt_is_too_long(words, script);
    }
    for (name, message) in [
        (
            "sglang",
            "Requested token count exceeds the model's maximum context length of 16384 tokens. You requested a total of 17000 tokens.",
        ),
        (
            "groq",
            "Please reduce the length of the messages or completion.",
        ),
    ] {
        let refused = json!({
            "trigger": "The third one",
            "steps": [{
                "response": {"content": "Understood."},
                "fault": {"status": 400, "body": {"error": {"message": message}}, "times": 1},
            }],
        });
        let script = json!({
            "scenarios": scenarios(vec![refused]),
            "default_response": {"content": "Understood."},
        });
        third_prompt_is_too_long(name, script);
    }
}

#[test]
fn compact_by_hand_and_a_server_that_is_down() {
    let home = TestHome::new();
    let down = json!({
        "trigger": "Write the summary that replaces it",
        "steps": [{"response": {"content": ""}, "fault": {"status": 400}}],
    });
    let script = json!({
        "scenarios": [down],
        "default_response": {"content": "Understood, all of it, and I will go on so."},
    });
    let model = Model::scripted(script, Duration::ZERO);
    let mut talk = Talk::start(&home, &model, &[]);
    for n in 0..5 {
        let more = "and more words ".repeat(if n == 0 { 5 } else { 400 });
        talk.prompt(&format!("Prompt number {n}. {more}"));
        talk.until("run_finished");
    }
    talk.send(&json!({"type": "compact", "focus": "numbers"}));
    let event = talk.until("context");
    assert_eq!(event["change"], "compacted");
    let summary = event["summary"].as_str().unwrap();
    assert!(summary.contains("<summary by=\"log\">"), "{summary}");
    assert!(summary.contains("Prompt number 0."), "{summary}");
    assert_eq!(talk.until("run_finished")["outcome"], "completed");
    assert_eq!(talk.end(), 0);
}

#[test]
fn a_session_is_summarised_without_being_changed_and_appended_when_asked() {
    let program = Program::new();
    let model = Model::scripted(
        json!({"scenarios": scenarios(Vec::new()), "default_response": {"content": "Understood, and done as you said."}}),
        Duration::ZERO,
    );
    let with_model = |args: &[&str]| {
        let output = model.command(&program.home).args(args).output().unwrap();
        crate::program::Ran::of(output)
    };
    with_model(&["exec", "-p", "Never touch vendor/. Port the parser."]).ended(0);
    for n in 0..3 {
        let prompt = format!("Now step {n}. {}", "please ".repeat(900));
        with_model(&["sessions", "resume", "-p", &prompt]).ended(0);
    }
    let log = || {
        let id = program.store().latest(None).unwrap().unwrap();
        std::fs::read(program.store().load(id).unwrap().path).unwrap()
    };
    let before = log();
    program
        .run(&["sessions", "summarize", "--deterministic"])
        .ended(0)
        .says("## Objective")
        .says("Never touch vendor/. Port the parser.")
        .says("## Last request");
    with_model(&["sessions", "summarize"])
        .ended(0)
        .says("nothing special is to be said of it")
        .says("Never touch vendor/. Port the parser.")
        .complains("tokens in");
    assert_eq!(log(), before, "it was only read");
    program
        .run(&["sessions", "summarize"])
        .ended(2)
        .complains("--deterministic");
    with_model(&["sessions", "summarize", "--append"])
        .ended(0)
        .says("<summary by=\"model\">")
        .complains("Compacted: ~");
    assert!(log().len() > before.len());
    program.run(&["sessions", "verify"]).ended(0);
    with_model(&["sessions", "resume", "-p", "And on."]).ended(0);
    let last = model.bodies().pop().unwrap();
    assert!(last.contains("The conversation was made shorter"), "{last}");
    for n in 0..3 {
        let prompt = format!("Then step {n}. {}", "please ".repeat(900));
        with_model(&["sessions", "resume", "-p", &prompt]).ended(0);
    }
    // No server is configured here, and none is needed.
    program
        .run(&["sessions", "summarize", "--deterministic", "--append"])
        .ended(0)
        .says("<summary by=\"log\">")
        .complains("Compacted: ~");
    program.run(&["sessions", "verify"]).ended(0);
    let id = program.store().latest(None).unwrap().unwrap();
    let loaded = program.store().load(id).unwrap();
    assert_eq!(loaded.state().settings().unwrap().model, "mock-model");
    assert_eq!(
        loaded.state().runs(),
        8,
        "a compaction is nothing asked for"
    );
    let empty = Program::new();
    empty
        .run(&["sessions", "summarize", "--deterministic"])
        .ended(1);
}
