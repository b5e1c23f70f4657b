//! While a run goes on: stopping, steering, answering.

use super::terminal::{Model, Setup, Terminal, calls, signal, tenon};
use serde_json::json;
use std::time::Duration;
use tenon_testing::TestHome;

/// A reply that takes long enough to type meanwhile, then a short one.
fn slow() -> Model {
    let words = "word ".repeat(40);
    let script = json!({
        "scenarios": [{"name": "slow", "trigger": "slowly", "scope": "turn", "steps": [
            {"response": {"content": words, "tool_calls": [{"function": {"name": "list", "arguments": {}}}]}},
            {"response": {"content": "the end"}},
        ]}],
        "default_response": {"content": "short answer"},
    });
    Model::scripted(script, Duration::from_millis(50))
}

fn start(home: &TestHome, model: &Model) -> Option<Terminal> {
    Setup::new(home, model).start()
}

#[test]
fn ctrl_c_stops_a_run_and_the_prompt_comes_back() {
    let (home, model) = (TestHome::new(), slow());
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.ready().line("slowly").see("word word");
    terminal
        .key("C-c")
        .see("(stopping; Ctrl+C again leaves)")
        .see("Stopped. (")
        .see_prompt();
    terminal
        .line("hello")
        .see("short answer")
        .see("Done. (")
        .see_prompt();
    terminal.key("C-d").left(0);
}

#[test]
fn a_signal_during_a_run_ends_it_and_leaves_a_whole_session() {
    let script = calls("go", "bash", json!({"command": "sleep 100"}), "done");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let setup = Setup {
        args: &["--yes"],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal.ready().line("go").see("bash sleep 100");
    signal(&home, "-TERM");
    terminal
        .see("Stopped: Tenon is shutting down.")
        .see("Resume with:")
        .left(130);
    let mut verify = home.command(tenon());
    let verified = verify.args(["sessions", "verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn what_is_typed_during_a_run_reaches_the_model_at_its_next_step() {
    let (home, model) = (TestHome::new(), slow());
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("use the other file")
        .see("(queued: use the other file)");
    terminal
        .line("/clear")
        .see("(/clear has to wait")
        .line("/cost")
        .see("tokens in");
    terminal.see("short answer").see("Done. (").see_prompt();
    let second = model.bodies().get(1).cloned().unwrap_or_default();
    assert!(second.contains("use the other file"), "{second}");
}

#[test]
fn stop_and_exit_act_at_once() {
    let (home, model) = (TestHome::new(), slow());
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("/stop")
        .see("Stopped. (")
        .see_prompt();
    terminal
        .line("slowly")
        .see_times("word word", 2)
        .line("/exit")
        .see("Resume with:")
        .left(0);
}

#[test]
fn what_is_typed_too_late_for_a_step_is_the_next_prompt() {
    let words = "word ".repeat(20);
    let script = json!({"scenarios": [{"name": "one", "trigger": "slowly", "scope": "turn", "steps": [
        {"response": {"content": words}}]}], "default_response": {"content": "short answer"}});
    let (home, model) = (
        TestHome::new(),
        Model::scripted(script, Duration::from_millis(60)),
    );
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("and then this")
        .see("(queued:");
    terminal
        .see("short answer")
        .see_times("Done. (", 1)
        .see_prompt();
    assert_eq!(model.last_prompt(), "and then this");
}

#[test]
fn a_question_is_answered_with_a_key_or_with_a_reason() {
    let script = calls(
        "go",
        "bash",
        json!({"command": "touch made.txt"}),
        "that was it",
    );
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    let made = home.project().join("made.txt");
    terminal
        .ready()
        .line("go")
        .see("touch made.txt")
        .see_prompt()
        .line("use make instead");
    terminal.see_times("that was it", 1).see_prompt();
    assert!(!made.exists());
    assert!(model.bodies().pop().unwrap().contains("use make instead"));
    terminal
        .line("go")
        .see_times("any other text denies", 2)
        .see_prompt()
        .line("n")
        .see_times("that was it", 2)
        .see_prompt();
    assert!(!made.exists());
    terminal
        .line("go")
        .see_times("any other text denies", 3)
        .see_prompt()
        .line("s")
        .see_times("that was it", 3)
        .see_prompt();
    assert!(made.exists());
    std::fs::remove_file(&made).unwrap();
    terminal.line("go").see_times("that was it", 4).see_prompt();
    assert!(made.exists(), "allowed for the session");
}

#[test]
fn a_question_shows_the_rule_that_each_scope_would_keep() {
    let script = calls("go", "bash", json!({"command": "touch made.txt"}), "done");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("s  allow for this session: touch made.txt")
        // What does not fit behind it stands whole on the next line.
        .see("a  allow in this project for 7 days")
        .see_times("touch made.txt …", 2)
        .see_prompt()
        .key("Escape")
        .key("Enter")
        .see("Denied by you.\n")
        .see("Done; you denied 1 call.")
        .see_prompt();
    assert!(!terminal.screen().contains("not allowed"));
    assert!(!home.project().join("made.txt").exists());
}

#[test]
fn a_permission_that_stays_is_said_with_the_way_to_take_it_back() {
    let script = calls("go", "bash", json!({"command": "touch made.txt"}), "done");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("y  allow once")
        .see_prompt()
        .line("a")
        .see("Allowed in this project")
        .see("(`tenon policy remove` takes it back)")
        .see("Done. (");
    assert!(home.project().join("made.txt").exists());
}

#[test]
fn what_must_be_confirmed_shows_why_and_what_and_has_no_lasting_yes() {
    let script = calls("go", "bash", json!({"command": "rm a.txt"}), "that was it");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let file = home.project().join("a.txt");
    std::fs::write(&file, "content").unwrap();
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("the model says: I will.")
        .see("affects: deletes a.txt (1 file, 7 bytes)")
        .see_prompt()
        .line("s")
        .see("`s` is not offered here: y, n")
        .see_prompt()
        .line("/permissions")
        .see("`/permissions` is not offered here: y, n")
        .see_prompt()
        .line("keep it")
        .see("that was it")
        .see("Done; you denied 1 call. (")
        .see_prompt();
    assert!(file.exists());
    let screen = terminal.screen();
    assert!(!screen.contains("The run ended because"), "{screen}");
    terminal
        .line("/permissions")
        .see("bash: commands that only read")
        .see_prompt();
    assert!(model.bodies().pop().unwrap().contains("keep it"));
    terminal
        .line("go")
        .see_times("affects: deletes a.txt", 2)
        .see_prompt()
        .line("y")
        .see("Saved 1 file first; /undo brings it back.")
        .see_times("that was it", 2)
        .see_prompt();
    assert!(!file.exists());
}

#[test]
fn a_yes_that_reaches_beyond_the_project_is_typed_in_full() {
    let home = TestHome::new();
    let outside = home.temp().join("precious.txt");
    std::fs::write(&outside, "precious").unwrap();
    let command = format!("rm {}", outside.display());
    let script = calls("go", "bash", json!({"command": command}), "that was it");
    let model = Model::scripted(script, Duration::ZERO);
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("yes  allow once (type the whole word)")
        .see_prompt()
        .line("y")
        .see("`y` is not enough here: type `yes`")
        .see_prompt()
        .line("n")
        .see("that was it")
        .see_prompt();
    assert!(outside.exists());
}

#[test]
fn ctrl_c_and_ctrl_d_at_a_question_are_no() {
    let script = calls(
        "go",
        "bash",
        json!({"command": "touch made.txt"}),
        "that was it",
    );
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("any other text denies")
        .see_prompt()
        .key("C-d")
        .see("that was it")
        .see_prompt();
    terminal
        .line("go")
        .see_times("any other text denies", 2)
        .see_prompt()
        .key("C-c")
        .see("Stopped. (")
        .see_prompt();
    assert!(!home.project().join("made.txt").exists());
}

/// The `y` is typed, and even sent, before there is a question.
/// A clipboard may hold the mark of its own end.
#[test]
fn what_a_paste_brings_is_no_answer_to_a_question() {
    let command = json!({"command": "touch made.txt"});
    let script = calls("go", "bash", command, "that was it");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("any other text denies")
        .see_prompt();
    for (times, tail) in ["y\n", "copied\ny\n"].iter().enumerate() {
        terminal
            .text(&format!("\x1b[200~\x1b[201~{tail}"))
            .see_times("not taken as an answer", times + 1);
    }
    // Nor where the terminal does not mark it.
    terminal
        .rested()
        .paste_unmarked("copied\ny\n")
        .see_times("not taken as an answer", 4);
    // Sooner it would be a part of the paste.
    std::thread::sleep(Duration::from_millis(300));
    terminal.line("n").see("that was it").see_prompt();
    assert!(!home.project().join("made.txt").exists());
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let words = "word ".repeat(30);
    let script = json!({
        "scenarios": [{"name": "slow", "trigger": "slowly", "scope": "turn", "steps": [
            {"response": {"content": words, "tool_calls": [{"function": {"name": "bash", "arguments": {"command": "touch made.txt"}}}]}},
            {"response": {"content": "that was it"}},
        ]}],
        "default_response": {"content": "short answer"},
    });
    let (home, model) = (
        TestHome::new(),
        Model::scripted(script, Duration::from_millis(50)),
    );
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("y")
        .see("(queued: y)")
        .text("y");
    terminal
        .see("any other text denies")
        .see_prompt()
        .rested()
        .key("Enter")
        // The line was begun before the question: Enter would have sent it.
        .see("not taken as an answer")
        .rested()
        .line("n")
        .see("short answer")
        .see_last("> y");
    assert!(
        !home.project().join("made.txt").exists(),
        "{}",
        terminal.screen()
    );
}

#[test]
fn a_command_that_takes_long_is_said_to_be_running_with_its_last_line() {
    let command = "echo begun; until [ -e go ]; do sleep 0.1; done";
    let script = calls("go", "bash", json!({ "command": command }), "the end");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let setup = Setup {
        args: &["--yes"],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("  still running: bash, 5s; last line: begun\n");
    std::fs::write(home.project().join("go"), "").unwrap();
    terminal.see("the end").see("Done. (").see_prompt();
    let screen = terminal.screen();
    assert!(screen.contains("still running"), "it stays: {screen}");
}

#[test]
fn the_parts_of_a_turn_are_told_apart_in_words() {
    let script = calls("go", "list", json!({}), "the end");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.ready().line("hello").see("nothing\nDone. (");
    terminal
        .see_prompt()
        .line("go")
        .see("> go\nI will.\n  (that was the plan)\n▸ list")
        .see("\nReply:\nthe end\nDone. (");
    let screen = terminal.screen();
    assert_eq!(screen.matches("Reply:").count(), 1, "{screen}");
}

#[test]
fn what_was_not_allowed_is_named_at_the_end_with_the_way_to_ask_why() {
    let script = calls("go", "read", json!({"path": "/etc/passwd"}), "I could not");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("I could not\nDone; 1 call was not allowed. (")
        .see("\n  Which rule that was: tenon policy explain read /etc/passwd\n")
        .see_prompt();
    let screen = terminal.screen();
    assert_eq!(screen.matches("not allowed").count(), 1, "{screen}");
    assert!(!screen.contains("Done. ("), "{screen}");
}

#[test]
fn what_only_reads_acts_while_a_run_goes_on() {
    let (home, model) = (TestHome::new(), slow());
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    let out = home.project().join("out.md");
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("/mode")
        .see("/mode NAME changes the mode")
        .line("/history")
        .see("/revert N takes")
        .line("/diff")
        .see("This session changed no files")
        .line("/export out.md")
        .see("out.md.")
        .line("/sessions")
        .see("/resume ID continues one.")
        .line("/handoff")
        .see("(/handoff has to wait");
    let screen = terminal.screen();
    assert!(!screen.contains("Done. ("), "{screen}");
    assert!(out.exists());
    terminal
        .line("/search slowly")
        .see_times("/resume ID continues one.", 2);
    terminal.see("Done. (").see_prompt();
}

#[test]
fn a_command_of_ones_own_that_is_typed_during_a_run_follows_it() {
    let (home, model) = (TestHome::new(), slow());
    let commands = home.tenon().join("commands");
    std::fs::create_dir_all(&commands).unwrap();
    std::fs::write(commands.join("review.md"), "Look at $1 closely.").unwrap();
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("/review a.txt")
        .see("(after this run)");
    terminal.see("short answer").see("Done. (").see_prompt();
    assert_eq!(model.last_prompt(), "Look at a.txt closely.");
}

#[test]
fn what_waits_for_the_end_of_a_run_is_named_when_the_run_is_stopped() {
    let (home, model) = (TestHome::new(), slow());
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("slowly")
        .see("word word")
        .line("/undo")
        .see("(after this run)");
    terminal
        .key("C-c")
        .see("Not done, because you stopped the run: /undo")
        .see_prompt();
}
