//! `/fork`, `/rename`, `/pin` and `/diff` in a conversation.

use super::terminal::{Model, Setup, calls};
use crate::program::Ran;
use serde_json::json;
use tenon_testing::TestHome;

fn listed(home: &TestHome) -> serde_json::Value {
    let mut command = home.command(crate::model::tenon());
    Ran::of(
        command
            .args(["sessions", "list", "--json"])
            .output()
            .unwrap(),
    )
    .json()
}

#[test]
fn a_session_is_renamed_and_pinned_while_it_is_open() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal
        .ready()
        .line("say hello")
        .see("Done. (")
        .see_prompt();
    terminal
        .line("/rename  The   good one ")
        .see("The session is now called `The good one`.")
        .see_prompt();
    terminal
        .line("/pin")
        .see("This session is kept when old ones are removed.")
        .see_prompt();
    let sessions = listed(&home);
    assert_eq!(sessions[0]["title"], "The good one");
    assert_eq!(sessions[0]["pinned"], true);
    terminal
        .line("/pin")
        .see("This session is removed when it gets old.")
        .see_prompt();
    terminal.line("again").see_times("Done. (", 2).see_prompt();
    terminal.line("/exit").see("exit=0");
    let sessions = listed(&home);
    assert_eq!(sessions[0]["title"], "The good one");
    assert_eq!(sessions[0]["pinned"], false);
}

#[test]
fn a_fork_goes_on_in_the_copy_and_leaves_the_first_as_it_was() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.ready().line("one").see("Done. (").see_prompt();
    terminal.line("two").see_times("Done. (", 2).see_prompt();
    terminal
        .line("/fork 9")
        .see("there is no message 9: the session has 4")
        .see_prompt();
    terminal
        .line("/fork 2")
        .see("Made a copy up to message 2. Your files did not change")
        .see("The session before: tenon --session ")
        .see("You are now in a copy; `/resume ")
        .see_prompt();
    terminal.line("three").see_times("Done. (", 3).see_prompt();
    let body = model.bodies().pop().unwrap();
    assert!(
        body.contains("\"one\"") && body.contains("\"three\""),
        "{body}"
    );
    assert!(!body.contains("\"two\""), "{body}");
    terminal.line("/exit").see("exit=0");
    let sessions = listed(&home);
    assert_eq!(sessions.as_array().unwrap().len(), 2);
    assert_eq!(sessions[0]["title"], "one (fork)");
    assert_eq!(sessions[0]["forked_from"]["session"], sessions[1]["id"]);
}

#[test]
fn what_the_session_changed_is_shown_in_it() {
    let home = TestHome::new();
    let arguments = json!({"path": "new.txt", "content": "fresh\n"});
    let model = Model::scripted(
        calls("make", "write", arguments, "made"),
        std::time::Duration::ZERO,
    );
    let setup = Setup {
        args: &["--yes"],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("/diff")
        .see("This session changed no files")
        .see_prompt();
    terminal.line("make it").see("made").see_prompt();
    terminal
        .line("/diff")
        .see("+++ b/new.txt")
        .see("1 file changed, +1 -0, from before the session to now.")
        .see_prompt();
    terminal.line("/exit").see("exit=0");
}

#[test]
fn an_old_answer_does_not_stand_under_a_prompt_that_has_none() {
    let home = TestHome::new();
    let script = json!({
        "scenarios": [{"name": "refused", "trigger": "second", "steps": [
            {"response": {"content": "never"}, "fault": {"status": 401}},
        ]}],
        "default_response": {"content": "I hear you."},
    });
    let model = Model::scripted(script, std::time::Duration::ZERO);
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.ready().line("first").see("Done. (").see_prompt();
    terminal.line("second").see("Failed").see_prompt();
    terminal.key("C-d").left(0);
    let setup = Setup {
        args: &["-c"],
        ..Setup::new(&home, &model)
    };
    let again = setup.start().unwrap();
    again
        .ready()
        .see("> second")
        .see("(no answer: the run failed)");
    assert!(!again.screen().contains("I hear you."));
}
