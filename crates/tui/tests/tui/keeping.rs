//! What was typed is never lost: not while another session opens, not at a
//! question, not by a stop.

use crate::stage::{Stage, session};
use crate::talk::{finished, permission, sent};
use crossterm::event::KeyCode;
use tenon_tui::house::{Listing, Notify, Outcome as Came, Row};
use tenon_tui::input::{Effect, Focus, Input, Leaving};
use tenon_vocab::slash::Local;
use tenon_vocab::{
    Command, ContextChange, Message, Notice, NoticeLevel, Outcome, Query, Reply, Reverted,
    RunFinished, TableReply, notice,
};

fn acts(effects: &[Effect]) -> usize {
    let acts = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Act(_)));
    acts.count()
}

fn open(stage: &mut Stage) {
    stage.input(Input::Acted(Came::Opened(Box::new(session()))));
}

fn failed() -> Came {
    Came::Failed {
        message: "it cannot be opened".into(),
        hint: None,
    }
}

fn said(kind: &str, message: &str) -> Notice {
    Notice {
        level: NoticeLevel::Info,
        kind: kind.into(),
        message: message.into(),
        hint: None,
    }
}

#[test]
fn what_is_sent_while_another_session_opens_stays_in_the_composer() {
    let mut stage = Stage::new(70, 20);
    assert_eq!(acts(&stage.send("/new")), 1);
    let effects = stage.send("hello there");
    assert!(effects.is_empty(), "{effects:?}");
    assert!(stage.shown().contains("One moment"), "{}", stage.shown());
    assert_eq!(stage.state.composer.text(), "hello there");
    open(&mut stage);
    let effects = stage.key(KeyCode::Enter);
    assert!(
        matches!(sent(&effects)[..], [Command::Prompt { text, .. }] if text == "hello there"),
        "{effects:?}"
    );
}

#[test]
fn a_second_session_is_not_opened_before_the_first_one_is_there() {
    let mut stage = Stage::new(70, 20);
    assert_eq!(acts(&stage.send("/new")), 1);
    assert_eq!(acts(&stage.send("/new")), 0);
    // Nor is it left behind by going back.
    stage.control('u');
    stage.key(KeyCode::Esc);
    assert!(stage.key(KeyCode::Esc).is_empty());
    open(&mut stage);
    assert_eq!(acts(&stage.send("/new")), 1);
}

#[test]
fn a_session_that_opens_can_be_left_behind() {
    let mut stage = Stage::new(70, 20);
    stage.send("/new");
    stage.control('c');
    let effects = stage.control('c');
    assert!(
        matches!(effects[..], [Effect::Leave(Leaving::Asked)]),
        "{effects:?}"
    );
}

#[test]
fn the_program_around_does_one_thing_at_a_time_and_esc_gives_it_up() {
    let mut stage = Stage::new(70, 20);
    assert_eq!(acts(&stage.send("/search it")), 1);
    assert_eq!(acts(&stage.send("/diff")), 0);
    assert_eq!(stage.state.composer.text(), "/diff");
    let effects = stage.key(KeyCode::Esc);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::GiveUp)),
        "{effects:?}"
    );
    assert_eq!(acts(&stage.key(KeyCode::Enter)), 1);
}

#[test]
fn the_draft_of_a_copy_that_failed_does_not_turn_up_in_another_session() {
    let mut stage = Stage::new(70, 20);
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    let row = Row {
        id: "5".into(),
        label: "the third thing".into(),
        detail: String::new(),
    };
    stage.input(Input::Listed(Listing::Prompts, Ok(vec![row])));
    let effects = stage.key(KeyCode::Enter);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Act(Local::Fork(Some(4))))),
        "{effects:?}"
    );
    stage.input(Input::Acted(failed()));
    stage.send("/new");
    open(&mut stage);
    assert_eq!(stage.state.composer.text(), "");
}

#[test]
fn commands_that_waited_are_named_when_the_run_is_stopped() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    stage.send("/undo");
    stage.key(KeyCode::Esc);
    stage.event(said(notice::DROPPED, "Not done: /undo"));
    assert!(
        stage.shown().contains("Not done: /undo"),
        "{}",
        stage.shown()
    );
}

#[test]
fn ctrl_c_at_a_question_stops_the_run_and_leaves_the_input_behind_it_alone() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    stage.write("half a thought");
    stage.event(permission("q1"));
    let effects = stage.control('c');
    assert!(
        matches!(sent(&effects)[..], [Command::Interrupt]),
        "{effects:?}"
    );
    assert_eq!(stage.state.composer.text(), "half a thought");
    // And leaves when it is pressed twice.
    let effects = stage.control('c');
    assert!(
        matches!(effects[..], [Effect::Leave(Leaving::Asked)]),
        "{effects:?}"
    );
}

fn remembered(effects: &[Effect]) -> Vec<&str> {
    let texts = effects.iter().filter_map(|effect| match effect {
        Effect::Remember(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_blank_before_an_input_keeps_it_out_of_the_history() {
    let mut stage = Stage::new(70, 20);
    let effects = stage.send(" the key is 123");
    assert_eq!(remembered(&effects), [""; 0]);
    assert!(
        matches!(sent(&effects)[..], [Command::Prompt { .. }]),
        "{effects:?}"
    );
    stage.key(KeyCode::Up);
    assert_eq!(stage.state.composer.text(), "");
    // What is said in the words of a command is said.
    assert_eq!(remembered(&stage.send("/review it")), ["/review it"]);
}

#[test]
fn after_a_revert_the_prompt_is_there_to_be_changed() {
    let mut stage = Stage::new(70, 20);
    let effects = stage.event(ContextChange::Reverted(Reverted { before: 7 }));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::PromptAt(7))),
        "{effects:?}"
    );
    stage.input(Input::Prompted(Some("do it".into())));
    assert_eq!(stage.state.composer.text(), " do it");
    // Never over what is written there.
    stage.input(Input::Prompted(Some("another".into())));
    assert_eq!(stage.state.composer.text(), " do it");
}

#[test]
fn what_the_heading_says_is_not_said_again_below_it() {
    let mut stage = Stage::new(70, 20);
    stage.event(said(notice::START, "rules: from the start"));
    stage.event(said(notice::KNOWN, "rules: known before"));
    assert!(!stage.shown().contains("rules:"), "{}", stage.shown());
}

#[test]
fn a_word_that_is_part_of_another_one_waits_for_its_own_turn() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    stage.send("fix it");
    stage.send("it");
    stage.event(Message::user("fix it"));
    let queue: Vec<String> = stage.state.queue.iter().map(ToString::to_string).collect();
    assert_eq!(queue, ["it"]);
    stage.send("more");
    // As one message, in their order.
    stage.event(Message::user("it\n\nmore"));
    assert!(stage.state.queue.is_empty(), "{:?}", stage.state.queue);
}

#[test]
fn a_change_of_the_model_during_a_run_is_said_to_wait() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    stage.send("/effort high");
    assert!(
        stage.shown().contains("(/effort high: after this run)"),
        "{}",
        stage.shown()
    );
}

#[test]
fn the_list_of_models_says_that_the_server_gave_none() {
    let mut stage = Stage::new(70, 20);
    stage.send("/models");
    let row = ["*", "small", "", "in use"].map(String::from).to_vec();
    let table = TableReply {
        columns: Vec::new(),
        rows: vec![row],
        note: Some("can't get the server's list: it refused".into()),
    };
    stage.input(Input::Replied(Query::Models, Reply::Table(table)));
    let shown = stage.shown();
    assert!(shown.contains("it refused"), "{shown}");
    assert!(shown.contains("small"), "{shown}");
}

#[test]
fn a_notice_says_how_the_run_ended() {
    let mut stage = Stage::new(70, 20);
    stage.state.wishes.notify = Notify::Unfocused;
    stage.input(Input::Focus(Focus::Lost));
    for (outcome, word) in [
        (Outcome::Completed, "Done."),
        (Outcome::Failed, "Failed."),
        (Outcome::Interrupted, "Stopped."),
    ] {
        stage.begin_run("go");
        let effects = stage.event(RunFinished {
            duration_ms: 185_000,
            ..finished(outcome)
        });
        let told = effects.iter().find_map(|effect| match effect {
            Effect::Notify(text) => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(told, Some(format!("{word} 3m 05s").as_str()));
    }
}

#[test]
fn the_branch_is_looked_at_again_when_a_run_is_over() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("git checkout other");
    let effects = stage.event(finished(Outcome::Completed));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Branch)),
        "{effects:?}"
    );
    stage.input(Input::Branch(Some("other".into())));
    assert!(stage.shown().contains("other"), "{}", stage.shown());
}

#[test]
fn walls_that_do_not_all_stand_are_in_the_status_line() {
    let mut stage = Stage::new(100, 20);
    stage.state.facts.walls = Some("partial".into());
    stage.draw();
    assert!(
        stage.shown().contains("workspace-write (partial)"),
        "{}",
        stage.shown()
    );
}

#[test]
fn a_question_over_the_list_of_themes_puts_the_old_theme_back() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    stage.send("/theme");
    stage.key(KeyCode::Down);
    assert_eq!(stage.state.wishes.theme, "auto");
    stage.event(permission("q1"));
    assert_eq!(stage.state.wishes.theme, "ansi");
}
