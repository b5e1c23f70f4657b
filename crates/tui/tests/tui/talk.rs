//! A conversation, from keys and events to the screen.

use crate::stage::Stage;
use crossterm::event::KeyCode;
use tenon_tui::house::{Listing, Row};
use tenon_tui::input::{Effect, Input, Leaving};
use tenon_vocab::slash::{Line as Meaning, Local};
use tenon_vocab::{
    Choice, Command, Display, Message, Outcome, Query, Question, QuestionId, QuestionKind,
    RunFinished, Segment, Status, Turn, Usage,
};

pub fn finished(outcome: Outcome) -> RunFinished {
    RunFinished {
        outcome,
        reason: None,
        steps: 1,
        calls: 0,
        failed_calls: 0,
        denied_calls: 0,
        usage: Usage {
            input: 1200,
            output: 34,
            ..Usage::default()
        },
        cost: None,
        duration_ms: 3200,
        snapshot: None,
    }
}

pub fn permission(id: &str) -> Question {
    let choice = |id: &str, key| Choice {
        id: id.into(),
        key,
        label: id.into(),
        rule: None,
        typed: None,
    };
    Question {
        id: QuestionId::new(id),
        kind: QuestionKind::Permission,
        title: "bash wants to run a command".into(),
        body: "rm -rf build".into(),
        display: Display::Nothing,
        choices: vec![choice(Choice::ONCE, 'y'), choice(Choice::DENY, 'n')],
        free_text: false,
        call: None,
        tool: None,
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    }
}

pub fn sent(effects: &[Effect]) -> Vec<&Command> {
    let commands = effects.iter().filter_map(|effect| match effect {
        Effect::Send(command) => Some(command),
        _ => None,
    });
    commands.collect()
}

#[test]
fn a_prompt_is_sent_and_the_answer_stands_above_the_next_one() {
    let mut stage = Stage::new(60, 20);
    assert!(stage.shown().contains("local/small"), "{}", stage.shown());
    let effects = stage.send("what is this?");
    assert!(
        matches!(sent(&effects)[..], [Command::Prompt { text, .. }] if text == "what is this?"),
        "{effects:?}"
    );
    stage.begin_run("what is this?");
    stage.say("It is **a test");
    assert!(stage.shown().contains("It is a test"), "{}", stage.shown());
    stage.say("**.\n\nBye.");
    stage.answer("It is **a test**.\n\nBye.");
    stage.end_run(finished(Outcome::Completed));
    let shown = stage.shown();
    for line in [
        "▌ what is this?",
        "It is a test.",
        "Bye.",
        "Done. 3.2s · 1 step · 1.2k tokens",
    ] {
        assert_eq!(shown.matches(line).count(), 1, "{line}\n{shown}");
    }
}

#[test]
fn while_a_run_goes_on_a_prompt_is_a_word_in_between_and_comes_back_when_it_is_stopped() {
    let mut stage = Stage::new(60, 20);
    stage.send("go");
    stage.begin_run("go");
    let effects = stage.send("but carefully");
    assert!(
        matches!(sent(&effects)[..], [Command::Steer { .. }]),
        "{effects:?}"
    );
    assert!(
        stage.shown().contains("› but carefully"),
        "{}",
        stage.shown()
    );
    stage.write("and");
    let effects = stage.key(KeyCode::Esc);
    assert!(
        matches!(sent(&effects)[..], [Command::Interrupt]),
        "{effects:?}"
    );
    assert_eq!(stage.state.composer.text(), "but carefully\nand");
    assert!(stage.state.queue.is_empty());
}

#[test]
fn stop_as_a_command_gives_back_what_waits_as_the_key_does() {
    let mut stage = Stage::new(60, 20);
    stage.begin_run("go");
    stage.send("but carefully");
    let effects = stage.send("/stop");
    let sent = sent(&effects);
    assert!(matches!(sent[..], [Command::Interrupt]), "{effects:?}");
    assert_eq!(stage.state.composer.text(), "but carefully");
    assert!(stage.state.queue.is_empty());
    assert!(stage.shown().contains("Stopping"), "{}", stage.shown());
}

#[test]
fn what_changes_the_session_waits_for_the_run_and_says_so() {
    let mut stage = Stage::new(60, 20);
    stage.begin_run("go");
    let effects = stage.send("/new");
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::Act(_))),
        "{effects:?}"
    );
    assert!(
        stage.shown().contains("/new has to wait"),
        "{}",
        stage.shown()
    );
    let effects = stage.send("/context");
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Ask(Query::Context))),
        "{effects:?}"
    );
}

/// Sends a line that means this, while a run goes on.
fn during_a_run(stage: &mut Stage, command: Local) -> Vec<Effect> {
    stage.begin_run("go");
    stage.state.read = Box::new(move |_| Meaning::Local(command.clone()));
    stage.send("/command")
}

fn acts(effects: &[Effect]) -> bool {
    effects.iter().any(|one| matches!(one, Effect::Act(_)))
}

#[test]
fn what_only_reads_acts_while_a_run_goes_on_and_the_rest_waits() {
    let text = || String::from("a");
    for command in [
        Local::Search(text()),
        Local::Diff,
        Local::Effort,
        Local::Export(Some(text())),
        Local::Clear,
        Local::Resume(None),
        Local::Resume(Some(text())),
        Local::Fork(None),
        Local::Init,
        Local::Handoff(None),
    ] {
        let mut stage = Stage::new(60, 20);
        let waits = command.turn() == Turn::After;
        let effects = during_a_run(&mut stage, command);
        assert_eq!(acts(&effects), !waits, "{effects:?}");
        let shown = stage.shown();
        assert_eq!(shown.contains("/command has to wait"), waits, "{shown}");
    }
}

#[test]
fn lists_are_looked_at_during_a_run_and_what_is_picked_waits_for_it() {
    for (command, listing) in [
        (Local::Sessions, Listing::Sessions),
        (Local::History, Listing::Prompts),
    ] {
        let mut stage = Stage::new(60, 20);
        let effects = during_a_run(&mut stage, command);
        let asks = |one: &Effect| matches!(one, Effect::List(wanted) if *wanted == listing);
        assert!(effects.iter().any(asks), "{effects:?}");
        let row = Row {
            id: String::from("2"),
            label: String::from("another one"),
            detail: String::new(),
        };
        stage.input(Input::Listed(listing, Ok(vec![row])));
        assert!(stage.shown().contains("another one"), "{}", stage.shown());
        let effects = stage.key(KeyCode::Enter);
        assert!(!acts(&effects), "{effects:?}");
        assert!(stage.shown().contains("has to wait"), "{}", stage.shown());
        assert!(stage.state.busy.is_none());
    }
}

#[test]
fn a_question_comes_before_the_composer_and_the_text_there_stays() {
    let mut stage = Stage::new(60, 20);
    stage.begin_run("go");
    stage.write("half a tho");
    stage.event(permission("q1"));
    stage.event(permission("q2"));
    assert!(stage.shown().contains("rm -rf build"), "{}", stage.shown());
    for _ in 0..10 {
        stage.input(Input::Tick);
    }
    // It is told before a key is pressed.
    assert!(
        stage.shown().contains("goes into your message"),
        "{}",
        stage.shown()
    );
    // The letters belong to the half thought, however long the pause was, and so
    // does the Enter that would have sent it.
    for code in [KeyCode::Char('y'), KeyCode::Backspace, KeyCode::Enter] {
        let effects = stage.key(code);
        assert!(sent(&effects).is_empty(), "{effects:?}");
    }
    stage.write("ught");
    assert_eq!(stage.state.composer.text(), "half a thought");
    for _ in 0..10 {
        stage.input(Input::Tick);
    }
    assert!(
        stage.shown().contains("goes into your message"),
        "{}",
        stage.shown()
    );
    stage.key(KeyCode::Tab);
    let effects = stage.key(KeyCode::Char('y'));
    assert!(
        matches!(sent(&effects)[..], [Command::Answer(answer)]
            if answer.choice == Choice::ONCE && answer.question == QuestionId::new("q1")),
        "{effects:?}"
    );
    for _ in 0..10 {
        stage.input(Input::Tick);
    }
    let effects = stage.key(KeyCode::Esc);
    assert!(
        matches!(sent(&effects)[..], [Command::Answer(answer)]
            if answer.choice == Choice::DENY && answer.question == QuestionId::new("q2")),
        "{effects:?}"
    );
    assert!(stage.shown().contains("half a tho"), "{}", stage.shown());
}

#[test]
fn ctrl_c_clears_the_input_stops_a_run_and_leaves_when_pressed_twice() {
    let mut stage = Stage::new(60, 20);
    stage.write("text");
    assert!(stage.control('c').is_empty());
    assert!(stage.state.composer.is_empty());
    assert!(stage.control('c').is_empty());
    assert!(
        stage.shown().contains("Ctrl+C again leaves"),
        "{}",
        stage.shown()
    );
    let effects = stage.control('c');
    assert!(
        matches!(effects[..], [Effect::Leave(Leaving::Asked)]),
        "{effects:?}"
    );
    let mut stage = Stage::new(60, 20);
    stage.begin_run("go");
    let effects = stage.control('c');
    assert!(
        matches!(sent(&effects)[..], [Command::Interrupt]),
        "{effects:?}"
    );
}

#[test]
fn control_commands_enter_no_history() {
    let mut stage = Stage::new(60, 20);
    let effects = stage.send("/undo");
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::Remember(_))),
        "{effects:?}"
    );
    let effects = stage.send("!ls");
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Remember(text) if text == "!ls")),
        "{effects:?}"
    );
}

#[test]
fn a_slip_is_given_back_to_be_mended() {
    let mut stage = Stage::new(60, 20);
    stage.send("/wrong");
    assert_eq!(stage.state.composer.text(), "/wrong");
    assert!(
        stage.shown().contains("There is no /wrong."),
        "{}",
        stage.shown()
    );
}

#[test]
fn esc_twice_at_an_empty_prompt_goes_back_to_a_prompt_in_a_copy() {
    let mut stage = Stage::new(60, 20);
    stage.key(KeyCode::Esc);
    let effects = stage.key(KeyCode::Esc);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::List(tenon_tui::house::Listing::Prompts))),
        "{effects:?}"
    );
    let row = tenon_tui::house::Row {
        id: "5".into(),
        label: "the third thing\nin two lines".into(),
        detail: String::new(),
    };
    stage.input(Input::Listed(
        tenon_tui::house::Listing::Prompts,
        Ok(vec![row]),
    ));
    let effects = stage.key(KeyCode::Enter);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Act(Local::Fork(Some(4))))),
        "{effects:?}"
    );
    let session = crate::stage::session();
    stage.input(Input::Acted(tenon_tui::house::Outcome::Opened(Box::new(
        session,
    ))));
    // It is in no history, and so it stays out of it.
    assert_eq!(
        stage.state.composer.text(),
        " the third thing\nin two lines"
    );
}

fn remembers(effects: &[Effect]) -> bool {
    let mut effects = effects.iter();
    effects.any(|effect| matches!(effect, Effect::Remember(_)))
}

#[test]
fn what_began_with_a_blank_stays_out_of_the_history_when_it_is_given_back() {
    for words in [[" token=x", "and more"], ["and more", " token=x"]] {
        let mut stage = Stage::new(60, 20);
        stage.begin_run("go");
        for text in words {
            stage.send(text);
        }
        stage.key(KeyCode::Esc);
        stage.end_run(finished(Outcome::Interrupted));
        assert!(
            stage.state.composer.text().contains("token=x\n")
                || stage.state.composer.text().ends_with("token=x")
        );
        let effects = stage.key(KeyCode::Enter);
        assert!(matches!(sent(&effects)[..], [Command::Prompt { .. }]));
        assert!(!remembers(&effects), "{effects:?}");
    }
    // The same by way of a prompt that a revert took back.
    let mut stage = Stage::new(60, 20);
    assert!(remembers(&stage.send("known")));
    stage.input(Input::Prompted(Some("known".into())));
    assert!(remembers(&stage.key(KeyCode::Enter)));
    stage.input(Input::Prompted(Some("token=x".into())));
    let effects = stage.key(KeyCode::Enter);
    assert!(matches!(sent(&effects)[..], [Command::Prompt { .. }]));
    assert!(!remembers(&effects), "{effects:?}");
}

#[test]
fn a_prompt_of_a_session_is_a_prompt_whatever_it_begins_with() {
    let mut stage = Stage::new(60, 20);
    stage.input(Input::Prompted(Some("\n  !touch x\nplease go on".into())));
    let effects = stage.key(KeyCode::Enter);
    assert!(
        matches!(&sent(&effects)[..], [Command::Prompt { text, .. }] if text.starts_with("!touch")),
        "{effects:?}"
    );
    // In the history a `!` tells what was run.
    assert!(!remembers(&effects), "{effects:?}");
}

#[test]
fn a_command_that_waited_comes_back_as_a_command_and_esc_leaves_it() {
    let mut stage = Stage::new(60, 20);
    stage.begin_run("go");
    let effects = stage.send("!make");
    assert!(matches!(&sent(&effects)[..], [Command::Shell { command }] if command == "make"));
    assert!(stage.shown().contains("› !make"), "{}", stage.shown());
    stage.key(KeyCode::Esc);
    stage.end_run(finished(Outcome::Interrupted));
    assert!(stage.shown().contains("! make"), "{}", stage.shown());
    stage.key(KeyCode::Esc);
    assert!(stage.shown().contains("> make"), "{}", stage.shown());
    let effects = stage.key(KeyCode::Enter);
    assert!(matches!(sent(&effects)[..], [Command::Prompt { .. }]));
}

#[test]
fn the_status_line_fits_forty_columns_and_keeps_the_model() {
    let mut stage = Stage::new(40, 12);
    stage.write("x");
    let shown = stage.shown();
    let last = shown.lines().last().unwrap_or_default();
    assert!(last.contains("local/small"), "{shown}");
    assert!(last.chars().count() <= 40, "{last}");
    assert_eq!(stage.caret().1, 3, "behind `> x`");
}

fn abandoned(text: &str) -> Message {
    Message {
        status: Status::Abandoned,
        in_context: false,
        ..Message::assistant(text)
    }
}

#[test]
fn a_reply_that_breaks_off_is_taken_back_or_said_not_to_count() {
    let mut stage = Stage::new(60, 20);
    stage.begin_run("tell me");
    // Only in the live area: it goes.
    stage.say("The answer beg");
    stage.event(abandoned("The answer beg"));
    assert!(!stage.shown().contains("The answer"), "{}", stage.shown());
    assert!(!stage.shown().contains("dropped"), "{}", stage.shown());
    // Lines of it stand above: they are said to be none of the answer.
    stage.say("The answer begins\nwith more\nand mo");
    stage.event(abandoned("The answer begins\nwith more\nand mo"));
    let shown = stage.shown();
    assert!(shown.contains("The answer begins\n"), "{shown}");
    assert!(!shown.contains("and mo"), "{shown}");
    let begun = shown.find("The answer begins").unwrap();
    let dropped = shown.find("(the reply above was dropped)").unwrap();
    assert!(begun < dropped, "{shown}");
    stage.say("The answer begins\nwith more\nand more.");
    stage.answer("The answer begins\nwith more\nand more.");
    stage.end_run(finished(Outcome::Completed));
    let shown = stage.shown();
    assert!(
        shown.rfind("The answer begins").unwrap() > dropped,
        "{shown}"
    );
    assert_eq!(shown.matches("and more.").count(), 1, "{shown}");
}

#[test]
fn what_a_turn_says_before_its_calls_steps_back_and_an_answer_does_not() {
    let is_dim = |text: &str, segment: Segment, streamed: &str| {
        let mut stage = Stage::new(60, 20);
        stage.begin_run("do it");
        stage.say(streamed);
        stage.event(Message {
            segment: Some(segment),
            ..Message::assistant(text)
        });
        let screen = stage.emulated();
        let row = (0..20).find(|row| {
            let text = screen.contents_between(*row, 0, *row, 60);
            text.contains("I look")
        });
        screen.cell(row.unwrap(), 0).unwrap().dim()
    };
    assert!(is_dim("I look at it.", Segment::Plan, "I look"));
    assert!(is_dim("I look at it.", Segment::Plan, ""));
    assert!(!is_dim("I look at it.", Segment::Answer, "I look"));
    // What was above before that was known stays as it is, all of it.
    let long = "I look at it.\nAnd then\nI see.";
    assert!(!is_dim(long, Segment::Plan, long));
}
