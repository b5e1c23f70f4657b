//! Models in a conversation: which there are, changing to another one, how hard
//! it thinks, and what is shown of its window.

use super::terminal::{Model, Setup};
use serde_json::json;
use std::time::Duration;
use tenon_testing::TestHome;

fn configure(home: &TestHome, content: &serde_json::Value) {
    std::fs::write(home.tenon().join("tenon.jsonc"), content.to_string()).unwrap();
}

#[test]
fn the_model_and_its_effort_are_changed_by_name_and_clear_keeps_them() {
    let (home, one, two) = (TestHome::new(), Model::says("one"), Model::says("two"));
    configure(
        &home,
        &json!({"default_provider": "first", "providers": {
            "first": {"base_url": one.url, "model": "mock-model", "context_window": 65536},
            "second": {"type": "messages", "base_url": two.url, "model": "mock-model", "api_key": "k"},
        }}),
    );
    let setup = Setup {
        model: None,
        ..Setup::new(&home, &one)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("hello")
        .see("% of 65536 tokens (your setting))")
        .see_prompt();
    terminal
        .line("/models")
        .see("second/mock-model")
        .see("(now: default)")
        .see_prompt();
    terminal
        .line("/effort very high")
        .see("/effort: an effort is one word")
        .see_prompt();
    terminal
        .line("/effort low")
        .see("effort low, from the next request on.")
        .see_prompt();
    terminal
        .line("/models nosuch/thing")
        .see("warning:")
        .see_prompt();
    terminal
        .line("/models second/mock-model")
        .see("mock-model of second")
        .see_prompt();
    terminal
        .line("who is it")
        .see("two")
        .see_times("Done. (", 2)
        .see_prompt();
    assert_eq!((one.bodies().len(), two.bodies().len()), (1, 1));
    terminal.line("/clear").see("provider second").see_prompt();
    terminal
        .line("and now")
        .see_times("Done. (", 3)
        .see_prompt();
    assert_eq!((one.bodies().len(), two.bodies().len()), (1, 2));
    terminal
        .text("/models fi")
        .key("Tab")
        .see_last("> /models first/mock-model");
}

#[test]
fn clear_keeps_the_effort_of_the_session_above_the_one_of_the_start() {
    let (home, model) = (TestHome::new(), Model::says("fine"));
    let setup = Setup {
        args: &["--effort", "low"],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("/effort high")
        .see("effort high, from the next request on.")
        .see_prompt();
    terminal
        .line("/clear")
        .see_times("tenon 0.", 2)
        .see_prompt();
    terminal.line("hello").see("Done. (").see_prompt();
    let body: serde_json::Value = serde_json::from_str(&model.bodies()[0]).unwrap();
    assert_eq!(body["reasoning_effort"], "high", "{body}");
}

#[test]
fn a_call_that_was_written_as_text_says_so_in_its_line() {
    let text = "<tool_call>\n{\"name\": \"list\", \"arguments\": {\"path\": \".\"}}\n</tool_call>";
    let model = Model::scripted(
        json!({
            "scenarios": [{"name": "one", "trigger": "go", "scope": "turn", "steps": [
                {"response": {"content": text}},
                {"response": {"content": "that is all"}},
            ]}],
            "default_response": {"content": "nothing"},
        }),
        Duration::ZERO,
    );
    let home = TestHome::new();
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("(recovered from text)")
        .see("that is all")
        .see_prompt();
    assert_eq!(model.bodies().len(), 2);
}

/// Two servers; the first is the one that is configured.
fn two(home: &TestHome, one: &Model, two: &Model) {
    configure(
        home,
        &json!({"default_provider": "first", "providers": {
            "first": {"base_url": one.url, "model": "mock-model"},
            "second": {"type": "messages", "base_url": two.url, "model": "mock-model", "api_key": "k"},
            "third": {"base_url": "http://127.0.0.1:1/v1"},
        }}),
    );
}

#[test]
fn before_the_first_prompt_a_providers_name_chooses_it_and_a_mark_lists_them() {
    let (home, one, other) = (TestHome::new(), Model::says("one"), Model::says("two"));
    two(&home, &one, &other);
    let setup = Setup {
        model: None,
        ..Setup::new(&home, &one)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .see("? lists the providers")
        .line("?")
        .see(&other.url)
        .see_prompt();
    terminal
        .line("third")
        .see("/models third/MODEL")
        .see_prompt();
    terminal
        .line("second")
        .see("mock-model of second")
        .see_prompt();
    terminal.line("who is it").see("two").see_prompt();
    // Now it is a prompt like any other.
    terminal.line("first").see_times("Done. (", 2).see_prompt();
    terminal.line("/exit").left(0);
    assert!(one.asked().is_empty());
}

#[test]
fn enter_before_the_first_prompt_goes_through_the_settings_and_enter_keeps_each() {
    let (home, one, other) = (TestHome::new(), Model::says("one"), Model::says("two"));
    two(&home, &one, &other);
    let setup = Setup {
        model: None,
        ..Setup::new(&home, &one)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .see("Enter goes through the settings")
        .key("Enter")
        .see_last("Provider: a name, ? lists them [first]")
        .line("?")
        .see(&other.url)
        .line("secnd")
        .see("Did you mean `second`?")
        .key("Enter")
        .see_last("Model: a name, ? lists those of the server [mock-model]")
        .key("Enter")
        .see("mock-model of first stays.")
        .see_prompt();
    terminal
        .key("Enter")
        .line("second")
        .see_last("Model: a name, ? lists those of the server [mock-model]")
        .line("?")
        .see("   1  mock-model")
        .line("another")
        .see("The server doesn't list `another`.")
        .line("n")
        .line("1")
        .see("mock-model of second")
        .see_prompt();
    terminal.line("who is it").see("two").see_prompt();
    // From now on an empty line is nothing, as everywhere.
    terminal.key("Enter").see_prompt().line("/exit").left(0);
    assert_eq!(
        terminal.screen().matches("Provider: a name").count(),
        // It was asked anew after `?`, and after the slip.
        4
    );
    assert!(one.asked().is_empty());
}

#[test]
fn several_providers_of_which_none_is_chosen_are_asked_about_once() {
    let (home, one, other) = (TestHome::new(), Model::says("one"), Model::says("two"));
    configure(
        &home,
        &json!({"providers": {
            "first": {"base_url": one.url, "model": "mock-model"},
            "second": {"type": "messages", "base_url": other.url, "model": "own", "api_key": "k"},
        }}),
    );
    let setup = Setup {
        model: None,
        ..Setup::new(&home, &one)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .see("Several providers are configured")
        .see_last("Provider: a name, ? lists them [first]")
        .line("second")
        .see_last("Model: a name, ? lists those of the server [own]")
        .key("Enter")
        .ready()
        .see("second  (chosen now)")
        .line("who is it")
        .see("two")
        .see_prompt()
        .line("/exit")
        .left(0);
    let again = setup.start().unwrap();
    again.ready().see("second  (saved choice)");
    assert!(!again.screen().contains("Several providers"));
    again.line("/exit").left(0);
    assert!(one.asked().is_empty());
}

#[test]
fn what_a_flag_chose_is_chosen_the_next_time_in_this_project() {
    let (home, one, other) = (TestHome::new(), Model::says("one"), Model::says("two"));
    two(&home, &one, &other);
    for args in [&["--provider", "second"][..], &[]] {
        let setup = Setup {
            model: None,
            args,
            ..Setup::new(&home, &one)
        };
        let Some(terminal) = setup.start() else {
            return;
        };
        terminal.ready().line("who is it").see("two").see_prompt();
        terminal.line("/exit").left(0);
    }
    assert!(one.asked().is_empty());
}
