//! The question about a project that somebody else wrote, and settings that
//! stay or are read anew.

use super::terminal::{Model, Setup};
use std::path::Path;
use tenon_testing::TestHome;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn stranger(home: &TestHome) {
    write(
        &home.project().join(".tenon/tenon.jsonc"),
        r#"{"hooks": {"UserPromptSubmit": [{"command": "touch by-hook"}]}, "append_system_prompt": "OBEY"}"#,
    );
}

#[test]
fn a_project_is_asked_about_before_the_session_starts_and_a_yes_is_remembered() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal
        .see("This project wants to change how Tenon works. Trust it?")
        .see("hook  UserPromptSubmit: \"touch by-hook\"")
        .see("setting  append_system_prompt = \"OBEY\"")
        .see("y  trust this content")
        .see_prompt();
    assert!(
        !terminal.screen().contains("tenon 0"),
        "nothing has started"
    );
    terminal.line("y").ready();
    terminal.line("hi").see("Done. (");
    assert!(model.bodies().pop().unwrap().contains("OBEY"));
    assert!(home.project().join("by-hook").exists());
    terminal.see_prompt().key("C-d").left(0);
    let again = Setup::new(&home, &model).start().unwrap();
    again.ready().see("you trust the project");
    assert!(!again.screen().contains("Trust it?"));
}

#[test]
fn content_that_changed_after_a_yes_is_asked_about_line_by_line() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.asked("Trust it?").line("y").ready();
    terminal.see_prompt().key("C-d").left(0);
    write(
        &home.project().join(".tenon/tenon.jsonc"),
        r#"{"hooks": {"UserPromptSubmit": [{"command": "touch other"}]}, "append_system_prompt": "OBEY"}"#,
    );
    let again = Setup::new(&home, &model).start().unwrap();
    again
        .see("This project changed since you trusted it. Trust it?")
        .see("It would enable 2 (1 new, 1 gone):")
        .see("- hook  UserPromptSubmit: \"touch by-hook\"")
        .see("+ hook  UserPromptSubmit: \"touch other\"")
        .see_prompt();
    assert!(!again.screen().contains("+ setting"), "that is not new");
    again.line("y").ready().see("you trust the project");
}

#[test]
fn a_no_is_remembered_and_nothing_of_it_holds() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.asked("Trust it?").line("n").ready();
    terminal.line("hi").see("Done. (");
    assert!(!model.bodies().pop().unwrap().contains("OBEY"));
    assert!(!home.project().join("by-hook").exists());
    terminal.see_prompt().key("C-d").left(0);
    let again = Setup::new(&home, &model).start().unwrap();
    again.ready().see("as you said");
    assert!(!again.screen().contains("Trust it?"));
    again.key("C-d").left(0);
    // One byte, and it is asked again.
    write(
        &home.project().join(".tenon/tenon.jsonc"),
        r#"{"append_system_prompt": "OBEY!"}"#,
    );
    let third = Setup::new(&home, &model).start().unwrap();
    third.asked("Trust it?").key("Enter");
    third.ready();
}

#[test]
fn a_slip_is_asked_again_and_enter_is_not_now() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal
        .see("Enter  not now")
        .see_prompt()
        .line("quit")
        .see("`quit` is not offered here: y, n")
        .see_prompt()
        .key("Enter");
    terminal.ready().see("Not now: what it would enable");
    assert!(!home.tenon().join("trust.json").exists());
    terminal.key("C-d").left(0);
    let again = Setup::new(&home, &model).start().unwrap();
    again.asked("Trust it?").line("n").ready();
}

#[test]
fn tools_of_ones_own_are_asked_about_once() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    let made = home
        .command(super::terminal::tenon())
        .args(["tools", "new", "greet"])
        .output()
        .unwrap();
    assert!(made.status.success());
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal
        .see("There are new tools in your configuration folder. Use them?")
        .asked("tool `greet` runs [\"./run.sh\"]")
        .line("y")
        .ready();
    terminal.line("hi").see("Done. (");
    assert!(model.bodies().pop().unwrap().contains("\"greet\""));
    terminal.see_prompt().key("C-d").left(0);
    let again = Setup::new(&home, &model).start().unwrap();
    again.ready();
    assert!(!again.screen().contains("Use them?"));
}

#[test]
fn ctrl_c_at_the_question_is_no_answer_and_nothing_is_kept() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.asked("Trust it?").key("C-c");
    terminal.ready().see("you have not trusted the project");
    assert!(!home.tenon().join("trust.json").exists());
}

#[test]
fn another_session_says_what_is_left_out_once_and_asks_nothing_again() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.asked("Trust it?").key("Enter");
    terminal.ready().line("/new").see_times("tenon 0", 2);
    terminal.see_prompt().line("hi").see("Done. (");
    let screen = terminal.screen();
    assert_eq!(screen.matches("Trust it?").count(), 1, "{screen}");
    // Once in the header of each.
    let said = screen.matches("you have not trusted the project").count();
    assert_eq!(said, 2, "{screen}");
}

#[test]
fn a_single_run_on_a_terminal_asks_too() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    stranger(&home);
    let args = ["exec", "-p", "hi"];
    let Some(terminal) = (Setup {
        args: &args,
        ..Setup::new(&home, &model)
    })
    .start() else {
        return;
    };
    terminal
        .asked("Trust it?")
        .paste_unmarked("y\nand more\n")
        .see("not taken as an answer")
        .see_prompt();
    assert!(!home.tenon().join("trust.json").exists());
    terminal.rested().line("y").see("hello").left(0);
    assert!(model.bodies().pop().unwrap().contains("OBEY"));
}

#[test]
fn clear_keeps_the_settings_and_new_reads_them_again() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    let configure = |word: &str| {
        let text = format!("{{\"append_system_prompt\": \"{word}\"}}");
        write(&home.tenon().join("tenon.jsonc"), &text);
    };
    configure("FIRST");
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    let says = |word: &str, other: &str| {
        let body = model.bodies().pop().unwrap();
        assert!(body.contains(word) && !body.contains(other), "{body}");
    };
    terminal.ready().line("one").see_times("Done. (", 1);
    says("FIRST", "SECOND");
    configure("SECOND");
    terminal.see_prompt().line("/clear").see_times("tenon 0", 2);
    terminal.see_prompt().line("two").see_times("Done. (", 2);
    says("FIRST", "SECOND");
    terminal.see_prompt().line("/new").see_times("tenon 0", 3);
    terminal.see_prompt().line("three").see_times("Done. (", 3);
    says("SECOND", "FIRST");
    terminal.see_prompt().key("C-d").left(0);
}

/// The paste of a terminal that does not mark it: its first line opens the session.
#[test]
fn a_paste_that_was_there_before_the_question_is_no_answer_and_not_lost() {
    for env in [&[][..], &[("TERM", "dumb")]] {
        let (home, model) = (TestHome::new(), Model::says("hello"));
        let setup = Setup {
            env,
            ..Setup::new(&home, &model)
        };
        let Some(terminal) = setup.start() else {
            return;
        };
        terminal.ready();
        stranger(&home);
        terminal
            .paste_unmarked("/new\ny\nthe rest")
            .see("Trust it?")
            .see("Enter  not now")
            .see_prompt();
        assert!(!home.tenon().join("trust.json").exists());
        terminal.rested().line("n").see("Not trusted");
        match env {
            [] => terminal.see("> y\n").see("the rest"),
            _ => terminal
                .see("Done. (")
                .see("Not sent, because a question came: the rest"),
        };
        assert!(!home.project().join("by-hook").exists());
    }
}
