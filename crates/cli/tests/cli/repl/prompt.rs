//! At the prompt: typing, pasting, history.

use super::terminal::{Model, Setup, Terminal, tenon};
use std::process::Stdio;
use tenon_testing::TestHome;

fn start(home: &TestHome, model: &Model) -> Option<Terminal> {
    Setup::new(home, model).start()
}

#[test]
fn words_behind_the_program_are_the_first_prompt_of_a_session_that_goes_on() {
    let (home, model) = (TestHome::new(), Model::says("the answer is 42"));
    let args = ["--no-save", "what", "is", "it"];
    let Some(terminal) = (Setup {
        args: &args,
        ..Setup::new(&home, &model)
    })
    .start() else {
        return;
    };
    terminal
        .see("> what is it")
        .see("the answer is 42")
        .see("Done. (")
        .see_prompt();
    assert_eq!(model.last_prompt(), "what is it");
    terminal.line("and then").see_times("Done. (", 2);
    assert_eq!(model.last_prompt(), "and then");
}

#[test]
fn a_flag_for_one_answer_makes_one_run_on_a_terminal_too() {
    for args in [["-p", "hello"], ["--final-only", "hello there"]] {
        let (home, model) = (TestHome::new(), Model::says("the answer is 42"));
        let Some(terminal) = (Setup {
            args: &args,
            ..Setup::new(&home, &model)
        })
        .start() else {
            return;
        };
        terminal.see("the answer is 42").left(0);
    }
}

#[test]
fn a_prompt_is_answered_and_the_session_can_be_resumed_by_what_is_printed() {
    let (home, model) = (TestHome::new(), Model::says("the **answer** is 42"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .see("mock-model  (environment: TENON_MODEL)")
        .see("/help lists the commands");
    terminal
        .line("what is it")
        .see("the **answer** is 42")
        .see("Done. (")
        .see_prompt();
    assert_eq!(model.last_prompt(), "what is it");
    terminal
        .key("C-d")
        .see("Resume with: tenon --session ")
        .left(0);
    let screen = terminal.screen();
    let (_, rest) = screen.split_once("--session ").unwrap();
    let id = rest.split_whitespace().next().unwrap();
    let verified = home
        .command(tenon())
        .args(["sessions", "verify", id])
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(verified.success());
    let args = ["--session", id];
    let again = Setup {
        args: &args,
        ..Setup::new(&home, &model)
    }
    .start()
    .unwrap();
    again.ready().line("and now").see("Done. (");
    let last = model.bodies().pop().unwrap();
    assert!(
        last.contains("what is it") && last.contains("and now"),
        "{last}"
    );
}

#[test]
fn wide_characters_are_typed_and_deleted_one_by_one() {
    let (home, model) = (TestHome::new(), Model::says("はい"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .text("漢字を")
        .see_last("> 漢字を")
        .key("BSpace")
        .see_last("> 漢字");
    terminal
        .key("Left")
        .text("ab")
        .see_last("> 漢ab字")
        .key("Enter")
        .see("はい");
    assert_eq!(model.last_prompt(), "漢ab字");
}

#[test]
fn a_paste_of_three_lines_is_one_prompt_and_keeps_its_backslashes() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .paste("one \\\ntwo\nthree")
        .see("three")
        .rested()
        .key("Enter")
        .see("Done. (");
    assert_eq!(model.last_prompt(), "one \\\ntwo\nthree");
    assert_eq!(model.bodies().len(), 1);
}

#[test]
fn a_backslash_alt_enter_and_ctrl_j_make_a_new_line() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .text("one\\")
        .key("Enter")
        .text("two")
        .see("two");
    terminal.key("C-j").text("three").see("three");
    terminal
        .key("M-Enter")
        .text("four")
        .see("four")
        .key("Enter")
        .see("Done. (");
    assert_eq!(model.last_prompt(), "one\ntwo\nthree\nfour");
}

#[test]
fn a_line_that_was_typed_before_the_prompt_was_there_is_answered() {
    let (home, model) = (TestHome::new(), Model::says("good morning"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.line("early bird").text("half").see("good morning");
    terminal
        .see_last("> half")
        .line(" a line")
        .see_times("Done. (", 2);
    assert_eq!(model.last_prompt(), "half a line");
}

#[test]
fn lines_that_come_at_once_and_unbracketed_are_not_lost() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.ready().text("one\rtwo\r").see_times("Done. (", 2);
    assert_eq!(model.last_prompt(), "two");
}

#[test]
fn what_was_typed_is_found_again_after_a_restart_but_no_command() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("the first thing")
        .see("Done. (")
        .see_prompt();
    terminal.line("/cost").see("tokens in").see_prompt();
    terminal.line("/exit").left(0);
    let again = start(&home, &model).unwrap();
    again
        .ready()
        .key("Up")
        .see_last("> the first thing")
        .key("Enter")
        .see("Done. (");
    assert_eq!(model.last_prompt(), "the first thing");
}
