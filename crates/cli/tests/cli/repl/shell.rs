//! Commands of the shell that are typed at the prompt.

use super::terminal::{Model, Setup, Terminal};
use tenon_testing::TestHome;

fn start(home: &TestHome, model: &Model) -> Option<Terminal> {
    Setup::new(home, model).start()
}

#[test]
fn a_command_of_the_shell_needs_no_second_yes_and_is_shown_to_the_model_with_the_next_prompt() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("!echo hi from $((40+2))")
        .see("hi from 42")
        .see_prompt();
    assert!(!terminal.screen().contains("Run a command?"));
    assert_eq!(model.bodies().len(), 0);
    terminal.line("what did it print").see("Done. (");
    assert!(model.bodies().pop().unwrap().contains("hi from 42"));
}

#[test]
fn a_command_that_comes_among_other_lines_is_asked_about_and_they_are_no_answer() {
    for env in [&[][..], &[("TERM", "dumb")]] {
        let (home, model) = (TestHome::new(), Model::says("yes"));
        let setup = Setup {
            env,
            ..Setup::new(&home, &model)
        };
        let Some(terminal) = setup.start() else {
            return;
        };
        terminal
            .ready()
            .paste_unmarked("/effort\n!touch ran-it\ny\n")
            .see("came with other lines")
            .see_last("Run it? [y/N]");
        terminal.rested().key("Enter").see("Not run.");
        assert!(!home.project().join("ran-it").exists());
    }
}

#[test]
fn a_command_is_asked_about_also_where_it_is_the_first_of_the_lines() {
    for env in [&[][..], &[("TERM", "dumb")]] {
        let (home, model) = (TestHome::new(), Model::says("yes"));
        let setup = Setup {
            env,
            ..Setup::new(&home, &model)
        };
        let Some(terminal) = setup.start() else {
            return;
        };
        terminal
            .ready()
            .paste_unmarked("!touch ran-it\necho a\n")
            .see("came with other lines")
            .see_last("Run it? [y/N]");
        terminal.rested().key("Enter").see("Not run.");
        assert!(!home.project().join("ran-it").exists());
        // What stood there is not lost: a draft, or the next prompt.
        match env {
            [] => terminal.see_last("> echo a").key("C-u"),
            _ => terminal.see("Done. ("),
        };
        // A line that is typed later is alone again.
        terminal.see_prompt().line("!touch typed").see("no output");
        assert!(home.project().join("typed").exists());
    }
}

/// A clipboard may hold the mark of its own end.
#[test]
fn what_a_paste_brings_behind_its_end_runs_nothing() {
    for (tail, said) in [
        ("!touch ran-it\r", "Not run."),
        ("x\x1b[201~\r!touch ran-it\r", "Done. ("),
        ("\r!touch ran-it\ry\r", "Not run."),
    ] {
        let (home, model) = (TestHome::new(), Model::says("yes"));
        let Some(terminal) = start(&home, &model) else {
            return;
        };
        terminal
            .ready()
            .text(&format!("\x1b[200~\x1b[201~{tail}"))
            .see("ran-it");
        // What stands there is sent, and a question about it is denied.
        for _ in 0..2 {
            // Sooner it would be a part of the paste.
            std::thread::sleep(std::time::Duration::from_millis(300));
            terminal.key("Enter");
        }
        terminal.see(said);
        assert!(!home.project().join("ran-it").exists(), "{tail:?}");
    }
}

#[test]
fn what_is_typed_before_the_paste_makes_no_command_of_it() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.ready().text("!touch ").see_last("> !touch");
    terminal
        .paste_unmarked("ran-it\nhal")
        .see("came with other lines")
        .see_last("Run it? [y/N]");
    terminal
        .rested()
        .key("Enter")
        .see("Not run.")
        .see_last("> hal");
    assert!(!home.project().join("ran-it").exists());
}

#[test]
fn a_command_of_the_shell_that_destroys_is_confirmed_also_where_the_user_typed_it() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let file = home.project().join("kept.txt");
    std::fs::write(&file, "kept").unwrap();
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("!rm kept.txt")
        .see("why: `rm` deletes files")
        .see_prompt()
        .line("n")
        .see("Denied")
        .see_prompt();
    assert!(file.exists());
}

#[test]
fn nobody_is_told_why_a_command_of_the_shell_was_refused_and_none_is_said_to_be() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    std::fs::write(home.project().join("kept.txt"), "kept").unwrap();
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("!rm kept.txt")
        .see("n  deny")
        .see_prompt()
        .line("use make instead")
        .see("`use make instead` is not offered here: y, n")
        .rested()
        .line("n")
        .see("Denied")
        .see_prompt();
    let screen = terminal.screen();
    assert!(!screen.contains("told to the model"), "{screen}");
    assert!(!screen.contains("Done."), "nothing was done: {screen}");
}
