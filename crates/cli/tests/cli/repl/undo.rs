//! `/undo`, `/redo` and `/revert` at the prompt.

use super::terminal::{Model, Setup, calls};
use serde_json::json;
use std::time::Duration;
use tenon_testing::TestHome;

#[test]
fn what_a_run_changed_is_taken_back_and_given_again_at_the_prompt() {
    let command = json!({"command": "sed -i s/as/AS/ file.txt"});
    let script = calls("go", "bash", command, "done");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let file = home.project().join("file.txt");
    std::fs::write(&file, "as it was\n").unwrap();
    let setup = Setup {
        args: &["--yes"],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    let content = || std::fs::read_to_string(&file).unwrap();
    terminal.ready().line("go").see("Done. (").see_prompt();
    terminal
        .line("/undo")
        .see("Undone: 1 file is")
        .see("restored")
        .see_prompt();
    assert_eq!(content(), "as it was\n");
    terminal
        .line("/redo")
        .see("Redone: 1 file is as left by the session.")
        .see_prompt();
    assert_eq!(content(), "AS it was\n");
    terminal.line("/history").see("1  go").see_prompt();
    terminal
        .line("/revert")
        .see("Back to before message 1.")
        .see("To get it back");
    assert_eq!(content(), "as it was\n");
    // What was typed stands in the line again.
    terminal.see_last("ask --yes > go");
    terminal.key("C-c");
    terminal.line("/undo").see("Nothing to undo").see_prompt();
    terminal
        .line("/history")
        .see("There is no prompt yet")
        .see_prompt();
    terminal.key("C-d").left(0);
}
