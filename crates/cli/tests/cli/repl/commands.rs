//! The `/` commands at the prompt.

use super::terminal::{Model, Setup, Terminal, calls};
use serde_json::json;
use std::time::Duration;
use tenon_testing::TestHome;

fn start(home: &TestHome, model: &Model) -> Option<Terminal> {
    Setup::new(home, model).start()
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
        .see_prompt();
    // A word of a description is not broken where the line ends.
    let screen = terminal.screen();
    assert!(screen.contains("max,\n"), "{screen}");
    terminal
        .line("/?")
        .see_times("list background processes", 2)
        .see_prompt();
    terminal
        .line("/tools")
        .see("what it does")
        .see("ask_user")
        .see_prompt();
    terminal
        .line("/modle")
        .see("There is no /modle. Did you mean /model?")
        .see_prompt();
    terminal
        .line("/modles")
        .see("There is no /modles. Did you mean /models?")
        .see_prompt();
    terminal.line("/models").see("window").see_prompt();
    terminal
        .line("/mode multi")
        .see("stays single")
        .see_prompt();
    terminal
        .line("/stop")
        .see("Nothing is running.")
        .see_prompt();
    terminal
        .text("/ag")
        .key("Tab")
        .see_last("> /agent")
        .key("Enter")
        .see_times("what it does", 2)
        .see_prompt();
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
        .see_prompt();
    terminal
        .line("/clear")
        .see_times("tenon 0", 2)
        .see("The session before: tenon --session ")
        .see_prompt();
    terminal
        .line("what is new")
        .see_times("Done. (", 2)
        .see_prompt();
    assert!(!model.bodies().pop().unwrap().contains("plum"));
    terminal
        .line("/sessions")
        .see("/resume ID continues one.")
        .see_prompt();
    terminal
        .line("/resume")
        .see_times("tenon 0", 3)
        .see_times("The session before:", 2)
        .see_prompt();
    terminal.line("go on").see_times("Done. (", 3).see_prompt();
    assert!(model.bodies().pop().unwrap().contains("plum"));
    terminal.line("/resume nosuch").see("error:").see_prompt();
}

#[test]
fn a_yes_that_came_before_the_draft_was_shown_writes_nothing() {
    let (home, model) = (TestHome::new(), Model::says("yes"));
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal
        .ready()
        .paste_unmarked("/init\ny\n")
        .see("Write this to")
        .see_last("Write this to AGENTS.md? [y/N]")
        .rested()
        .key("Enter")
        .see("Nothing was written")
        .see_last("> y");
    assert!(!home.project().join("AGENTS.md").exists());
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
        .see_prompt();
    assert!(!file.exists());
    terminal
        .line("/init")
        .see_times("[y/N]", 2)
        .line("y")
        .see("Wrote AGENTS.md")
        .see_prompt();
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("`cargo test`")
    );
    terminal.line("/init").see("already exists").see_prompt();
    terminal.line("/new").see("rules").see_prompt();
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
        .see_prompt();
    terminal
        .line("/jobs")
        .see("No command runs in the background.")
        .see_prompt();
    terminal
        .line("/handoff")
        .see("this session has no messages yet")
        .see_prompt();
    terminal
        .line("go")
        .see("[~] repair")
        .see("1 of 2 done")
        .see("It is broken.")
        .see_prompt();
    terminal
        .line("/todo")
        .see_times("[~]  repair", 1)
        .see_prompt();
    terminal
        .line("/handoff make it whole")
        .see("## Repro commands")
        .see("tenon handoff --from-session ")
        .see_prompt();
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
    terminal.ready().line("hello").see("Done. (").see_prompt();
    for (name, begin) in [("a.html", "<!"), ("b.json", "{"), ("c.md", "#")] {
        terminal
            .line(&format!("/export {name}"))
            .see(name)
            .see_prompt();
        let page = std::fs::read_to_string(home.project().join(name)).unwrap();
        assert!(page.to_lowercase().starts_with(begin), "{name}: {page}");
    }
    terminal
        .line("/export c.md")
        .see("c.md already exists")
        .see_prompt();
}

#[test]
fn what_was_granted_free_asked_and_denied_is_listed_with_what_ends_a_grant() {
    let script = calls("go", "bash", json!({"command": "touch made.txt"}), "made");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model) else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("s  allow for this session")
        .see_prompt()
        .line("s")
        .see("Done. (")
        .see_prompt();
    terminal
        .line("/permissions")
        .see("granted  bash: touch made.txt …")
        .see("(this session;")
        .see("ends it)")
        .see("free     ")
        .see("process (list, read, wait)")
        .see("asked    each time: process (write)")
        .see("denied   files outside the project")
        .see_prompt();
}

#[test]
fn context_names_each_file_of_rules_that_was_loaded() {
    let (home, model) = (TestHome::new(), Model::says("hello"));
    std::fs::create_dir_all(home.tenon()).unwrap();
    let own = home.tenon().join("AGENTS.md");
    let of_project = home.project().join("AGENTS.md");
    std::fs::write(&own, "Answer in short sentences.\n").unwrap();
    std::fs::write(&of_project, "Tests are in spec/.\n").unwrap();
    let Some(terminal) = Setup::new(&home, &model).start() else {
        return;
    };
    terminal.ready().line("/context").see("base");
    terminal.see_prompt();
    let screen = terminal.screen();
    let (_, shown) = screen.rsplit_once("/context").unwrap();
    for file in [own, of_project] {
        let name = file.display().to_string();
        assert!(shown.contains(&name), "{name} is not in: {shown}");
    }
}
