//! At the prompt: typing, pasting, history, commands, leaving.

use super::terminal::{Model, Setup, Terminal, signal, tenon};
use serde_json::json;
use std::process::{Command, Stdio};
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
        .see_last(">");
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
fn ctrl_c_clears_the_input_first_and_leaves_when_pressed_twice() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .text("half a thought")
        .see_last("> half a thought");
    terminal.key("C-c").see_last(">");
    terminal.key("C-c").see("Ctrl+C again leaves").see_last(">");
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
fn what_was_typed_is_found_again_after_a_restart_but_no_command() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("the first thing")
        .see("Done. (")
        .see_last(">");
    terminal.line("/cost").see("tokens in").see_last(">");
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

#[test]
fn commands_are_helped_completed_and_corrected() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("/help")
        .see("list background processes")
        .see_last(">");
    terminal
        .line("/tools")
        .see("what it does")
        .see("ask_user")
        .see_last(">");
    terminal
        .line("/modles")
        .see("There is no /modles. Did you mean /models?")
        .see_last(">");
    terminal.line("/models").see("window").see_last(">");
    terminal
        .line("/mode multi")
        .see("stays single")
        .see_last(">");
    terminal
        .line("/stop")
        .see("Nothing is running.")
        .see_last(">");
    terminal
        .text("/ag")
        .key("Tab")
        .see_last("> /agent")
        .key("Enter")
        .see_times("what it does", 2)
        .see_last(">");
    std::fs::write(home.project().join("notes.txt"), "x").unwrap();
    terminal
        .text("look at @no")
        .key("Tab")
        .see_last("> look at @notes.txt");
    assert_eq!(
        model
            .bodies()
            .iter()
            .filter(|body| !body.is_empty())
            .count(),
        0,
        "none of this is for the model"
    );
}

#[test]
fn clear_starts_another_session_and_resume_goes_back() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("remember the plum")
        .see("Done. (")
        .see_last(">");
    terminal
        .line("/clear")
        .see_times("tenon 0", 2)
        .see("The session before: tenon --session ")
        .see_last(">");
    terminal
        .line("what is new")
        .see_times("Done. (", 2)
        .see_last(">");
    assert!(!model.bodies().pop().unwrap().contains("plum"));
    terminal
        .line("/sessions")
        .see("/resume ID goes on with one.")
        .see_last(">");
    terminal
        .line("/resume")
        .see_times("tenon 0", 3)
        .see_times("The session before:", 2)
        .see_last(">");
    terminal.line("go on").see_times("Done. (", 3).see_last(">");
    assert!(model.bodies().pop().unwrap().contains("plum"));
    terminal.line("/resume nosuch").see("error:").see_last(">");
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
        .see_last(">");
    assert!(!terminal.screen().contains("Run a command?"));
    assert_eq!(model.bodies().len(), 0);
    terminal.line("what did it print").see_times("Done. (", 2);
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
            .see("Not run.");
        assert!(!home.project().join("ran-it").exists());
    }
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
        .see_last(">")
        .line("n")
        .see("Denied")
        .see_last(">");
    assert!(file.exists());
}

#[test]
fn init_asks_before_it_writes_and_never_overwrites() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    std::fs::write(home.project().join("Cargo.toml"), "[package]").unwrap();
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    let file = home.project().join("AGENTS.md");
    terminal
        .ready()
        .line("/init")
        .see("[y/N]")
        .key("Enter")
        .see("Nothing was written.")
        .see_last(">");
    assert!(!file.exists());
    terminal
        .line("/init")
        .see_times("[y/N]", 2)
        .line("y")
        .see("AGENTS.md was written")
        .see_last(">");
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("`cargo test`")
    );
    terminal.line("/init").see("is there already").see_last(">");
    terminal.line("/new").see("rules").see_last(">");
}

#[test]
fn a_dumb_terminal_gets_lines_and_no_escape_sequence() {
    let (home, model) = (TestHome::new(), Model::says("plain answer"));
    let setup = Setup {
        env: &[("TERM", "dumb")],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("one\\")
        .see_last(".")
        .line("two")
        .see("plain answer")
        .see_last(">");
    assert_eq!(model.last_prompt(), "one\ntwo");
    terminal
        .key("C-c")
        .see("Ctrl+C again leaves")
        .see_last(">")
        .key("C-d")
        .see("Resume with:")
        .left(0);
    let shown = Command::new("script")
        .args([
            "-qec",
            &format!("{} --plain", tenon().display()),
            "/dev/null",
        ])
        .env_clear()
        .envs([("TERM", "dumb"), ("PATH", "/usr/bin:/bin")])
        .env("HOME", home.home())
        .env("TENON_HOME", home.tenon())
        .env("TENON_BASE_URL", &model.url)
        .env("TENON_MODEL", "mock-model")
        .current_dir(home.project())
        .stdin(Stdio::null())
        .output();
    if let Ok(output) = shown {
        assert!(
            !output.stdout.contains(&0x1b),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
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
        .see_last(">")
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

#[test]
fn the_task_list_and_the_handoff_of_a_session_are_shown_on_demand() {
    let list = json!({"items": ["[x] look", "[~] repair"]});
    let script = super::terminal::calls("go", "todowrite", list, "It is broken.");
    let (home, model) = (
        TestHome::new(),
        Model::scripted(script, std::time::Duration::ZERO),
    );
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("/todo")
        .see("There is no task list.")
        .see_last(">");
    terminal
        .line("/jobs")
        .see("No command runs in the background.")
        .see_last(">");
    terminal
        .line("/handoff")
        .see("nothing was said in this session yet")
        .see_last(">");
    terminal
        .line("go")
        .see("[~] repair")
        .see("1 of 2 done")
        .see("It is broken.")
        .see_last(">");
    terminal
        .line("/todo")
        .see_times("[~]  repair", 1)
        .see_last(">");
    terminal
        .line("/handoff make it whole")
        .see("## Repro commands")
        .see("tenon handoff --from-session ")
        .see_last(">");
    let screen = terminal.screen();
    assert!(screen.contains("make it whole"), "{screen}");
    assert!(screen.contains("- [~] repair"), "{screen}");
    assert!(screen.contains("mock-model: "), "{screen}");
    terminal.key("C-d").left(0);
}

#[test]
fn a_session_is_exported_as_what_the_ending_says() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal.ready().line("hello").see("Done. (").see_last(">");
    for (name, begin) in [("a.html", "<!"), ("b.json", "{"), ("c.md", "#")] {
        terminal
            .line(&format!("/export {name}"))
            .see(name)
            .see_last(">");
        let page = std::fs::read_to_string(home.project().join(name)).unwrap();
        assert!(page.to_lowercase().starts_with(begin), "{name}: {page}");
    }
    terminal
        .line("/export c.md")
        .see("c.md is there already")
        .see_last(">");
}
