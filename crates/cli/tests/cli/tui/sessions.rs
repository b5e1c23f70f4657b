//! Sessions: coming back to one, changing to another, going back in one.

use super::stage::{Prompt, Stage, USUAL};
use tenon_testing::screen::{ENTER, ESC, Screen, control};

const DEADLINE: std::time::Duration = std::time::Duration::from_secs(30);

/// Says it and waits for the answer.
fn said(screen: &Screen, text: &str, answers: usize) {
    screen.line(text);
    let done = |screen: &Screen| {
        let all = screen.all();
        all.iter().filter(|line| line.starts_with("Done.")).count()
    };
    let came = tenon_testing::wait_until(DEADLINE, || done(screen) == answers);
    assert!(came, "{}", screen.all().join("\n"));
    screen.ready();
}

fn left(mut screen: Screen) -> String {
    screen.key(&control('d'));
    assert!(screen.left().success());
    let all = screen.all().join("\n");
    let (_, rest) = all
        .split_once("tenon --session ")
        .expect("how to come back");
    rest.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn users(stage: &Stage) -> Vec<String> {
    stage
        .last_messages()
        .into_iter()
        .filter(|(role, _)| role == "user")
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn a_resumed_session_shows_the_last_exchange_and_goes_on() {
    let stage = Stage::says("the answer to it");
    let screen = stage.open();
    screen.ready();
    said(&screen, "the first thing", 1);
    said(&screen, "the second thing", 2);
    let id = left(screen);
    let screen = stage.open_with(&["--session", &id], &[], USUAL);
    screen
        .ready()
        .see("▌ the second thing")
        .see("the answer to it")
        .see("1 run before");
    assert!(!screen.view().has("the first thing"));
    // One end is that of the run that is shown again.
    said(&screen, "the third thing", 2);
    assert_eq!(
        users(&stage),
        ["the first thing", "the second thing", "the third thing"]
    );
}

#[test]
fn another_session_is_picked_from_a_list() {
    let stage = Stage::says("the answer to it");
    let screen = stage.open();
    screen.ready();
    said(&screen, "about apples", 1);
    left(screen);
    let screen = stage.open();
    screen.ready();
    said(&screen, "about pears", 1);
    screen.line("/resume").see("▸ about apples").key(ENTER);
    screen.see("▌ about apples").ready();
    said(&screen, "more of them", 3);
    assert_eq!(users(&stage), ["about apples", "more of them"]);
    screen.line("/sessions").see("Resume a session").key(ESC);
    screen.gone("Resume a session").ready();
}

#[test]
fn new_and_clear_begin_again_and_the_old_session_stays() {
    let stage = Stage::says("the answer to it");
    let screen = stage.open();
    screen.ready();
    said(&screen, "the first thing", 1);
    for (command, next, answers) in [("/new", "something else", 2), ("/clear", "a third one", 3)] {
        screen.line(command);
        screen.until("the heading of another session", |view| {
            let headings = view.rows.iter().filter(|row| row.starts_with("tenon 0."));
            headings.count() == answers
        });
        screen.ready();
        said(&screen, next, answers);
        assert_eq!(users(&stage), [next]);
    }
    let listed = stage
        .model
        .command(&stage.home)
        .args(["sessions", "list"])
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for text in ["the first thing", "something else", "a third one"] {
        assert!(listed.contains(text), "{listed}");
    }
}

#[test]
fn double_esc_goes_back_to_before_a_prompt_in_a_copy() {
    let stage = Stage::says("the answer to it");
    let screen = stage.open();
    screen.ready();
    said(&screen, "the first thing", 1);
    said(&screen, "the second thing", 2);
    said(&screen, "the third thing", 3);
    screen
        .key(ESC)
        .see("Esc again")
        .key(ESC)
        .see("Go back in a copy, to before")
        .see("▸ the third thing");
    screen.key("second").see("▸ the second thing").key(ENTER);
    screen.composed("the second thing");
    screen
        .key(", but better")
        .composed("the second thing, but better");
    screen.key(ENTER);
    screen.saw("▌ the second thing, but better").ready();
    let answered = |screen: &Screen| {
        let all = screen.all();
        let last = |text: &str| all.iter().rposition(|line| line.contains(text));
        last("Done.") > last("but better")
    };
    assert!(tenon_testing::wait_until(DEADLINE, || answered(&screen)));
    assert_eq!(
        users(&stage),
        ["the first thing", "the second thing, but better"]
    );
}

#[test]
fn going_back_to_before_the_first_prompt_begins_again() {
    let stage = Stage::says("the answer to it");
    let screen = stage.open();
    screen.ready();
    said(&screen, "the first thing", 1);
    screen
        .key(ESC)
        .see("Esc again")
        .key(ESC)
        .see("▸ the first thing");
    screen.key(ENTER).composed("the first thing").key(ENTER);
    screen.until("another answer", |view| {
        view.rows
            .iter()
            .filter(|row| row.starts_with("Done."))
            .count()
            == 2
    });
    assert_eq!(users(&stage), ["the first thing"]);
}

#[test]
fn history_is_there_after_a_restart_and_can_be_searched() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready();
    said(&screen, "请用中文回答", 1);
    said(&screen, "the second prompt", 2);
    left(screen);
    let screen = stage.open();
    screen.ready().key("\x1b[A").composed("the second prompt");
    screen.key("\x1b[A").composed("请用中文回答");
    screen.key("\x1b[B").composed("the second prompt");
    screen.key("\x1b[B").ready();
    screen
        .key(&control('r'))
        .key("中文")
        .see("请用中文回答")
        .key(ENTER);
    // It is taken, and not sent: that is another Enter.
    screen.composed("请用中文回答");
    assert_eq!(stage.model.last_prompt(), "the second prompt");
    screen.key(ENTER).done();
    assert_eq!(stage.model.last_prompt(), "请用中文回答");
}
