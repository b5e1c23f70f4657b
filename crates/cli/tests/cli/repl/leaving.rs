//! How a conversation is left: keys, signals, and what stands on the screen then.

use super::terminal::{Model, Setup, Terminal, calls, signal, tenon};
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;
use tenon_testing::TestHome;

fn start(home: &TestHome, model: &Model) -> Option<Terminal> {
    Setup::new(home, model).start()
}

fn sessions(home: &TestHome) -> String {
    let listed = home
        .command(tenon())
        .args(["sessions", "list", "--json"])
        .output()
        .unwrap();
    String::from_utf8_lossy(&listed.stdout).into_owned()
}

#[test]
fn ctrl_c_clears_the_input_first_and_leaves_when_pressed_twice() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .text("half a thought")
        .see_last("> half a thought");
    terminal.key("C-c").see_prompt();
    terminal.key("C-c").see("Ctrl+C again leaves").see_prompt();
    terminal.key("C-c").left(0);
    assert!(
        !terminal.screen().contains("Resume with"),
        "{}",
        terminal.screen()
    );
    assert_eq!(
        sessions(&home).trim(),
        "[]",
        "nothing was said, so nothing is kept"
    );
}

#[test]
fn a_signal_at_the_prompt_leaves_a_whole_session_and_a_sane_terminal() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("hello")
        .see("Done. (")
        .see_prompt()
        .text("half")
        .see_last("> half");
    signal(&home, "-TERM");
    terminal.see("Resume with:").left(130);
    let verified = home
        .command(tenon())
        .args(["sessions", "verify"])
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(verified.success());
    assert!(sessions(&home).contains(&json!("hello").to_string()));
}

/// What the terminal shows of a key has a line of its own.
fn stands_alone(terminal: &Terminal) {
    let screen = terminal.screen();
    let shared = |line: &&str| line.contains("^C") && !line.trim_end().ends_with("^C");
    assert_eq!(screen.lines().find(shared), None, "{screen}");
    let resume = screen.lines().find(|line| line.contains("Resume with:"));
    assert!(
        resume.is_some_and(|line| line.starts_with("Resume with:")),
        "{screen}"
    );
}

/// What is done at an empty prompt to leave it.
#[derive(Clone, Copy)]
enum Leave {
    CtrlCTwice,
    CtrlD,
    Signal,
}

#[test]
fn how_to_come_back_begins_a_line_whichever_key_or_signal_left() {
    let accessible: &[(&str, &str)] = &[("ACCESSIBLE", "1")];
    let ways = [
        (accessible, Leave::CtrlCTwice),
        (accessible, Leave::CtrlD),
        (accessible, Leave::Signal),
        (&[], Leave::Signal),
    ];
    for (env, leave) in ways {
        let (home, model) = (TestHome::new(), Model::says("yes"));
        let setup = Setup {
            env,
            ..Setup::new(&home, &model)
        };
        let Some(terminal) = setup.start() else {
            return;
        };
        terminal.ready().line("hello").see("Done. (").see_prompt();
        match leave {
            Leave::CtrlCTwice => {
                terminal.key("C-c").see("Ctrl+C again leaves").see_prompt();
                terminal.key("C-c");
            }
            Leave::CtrlD => {
                terminal.key("C-d");
            }
            Leave::Signal => signal(&home, "-TERM"),
        }
        terminal.see("Resume with:").see("exit=");
        stands_alone(&terminal);
    }
}

#[test]
fn what_is_said_at_the_end_begins_a_line_also_where_a_question_was_open() {
    let script = calls("go", "bash", json!({"command": "touch made.txt"}), "made");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.ready().line("go").see("n  deny").see_prompt();
    signal(&home, "-TERM");
    terminal
        .see("\nStopped: Tenon is shutting down.\n")
        .left(130);
    stands_alone(&terminal);
    let screen = terminal.screen();
    let after = screen.split("n  deny").last().unwrap_or_default();
    let prompt = after.lines().find(|line| line.starts_with('>'));
    assert_eq!(prompt.map(str::trim_end), Some(">"), "{screen}");
}

#[test]
fn ctrl_c_in_a_run_from_the_shell_shares_its_line_with_nothing() {
    let script = calls(
        "go",
        "bash",
        json!({"command": "echo begun; sleep 100"}),
        "done",
    );
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let setup = Setup {
        args: &["exec", "--yes", "-p", "go"],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal.see("▸ bash echo begun").key("C-c").left(130);
    terminal.see("\n^C\n");
}
