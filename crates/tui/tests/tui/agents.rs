//! The agent, the provider and the MCP servers: picked from a list, changed with a
//! key, shown in the status line.

use crate::stage::{Stage, session, settings};
use crate::talk::{finished, sent};
use crossterm::event::{KeyCode, KeyModifiers};
use tenon_tui::house::Outcome as Came;
use tenon_tui::input::{Effect, Input};
use tenon_vocab::{
    Command, Notice, NoticeLevel, Outcome, Query, Reply, Settings, Switch, TableReply, notice,
};

fn table(rows: &[[&str; 4]], note: Option<&str>) -> Reply {
    Reply::Table(TableReply {
        columns: ["", "name", "what", "from"].map(String::from).to_vec(),
        rows: rows
            .iter()
            .map(|row| row.map(String::from).to_vec())
            .collect(),
        note: note.map(String::from),
    })
}

fn agents() -> Reply {
    let rows = [
        ["*", "build", "Changes things.", "built-in"],
        ["", "plan", "Writes a plan.", "built-in"],
        ["", "review", "Looks twice.", "user"],
    ];
    table(&rows, None)
}

fn stage() -> Stage {
    let mut stage = Stage::new(80, 20);
    stage.input(Input::Replied(Query::Agents, agents()));
    stage
}

fn next(stage: &mut Stage) -> Vec<Effect> {
    stage.press(KeyCode::BackTab, KeyModifiers::SHIFT)
}

fn to_agent(effects: &[Effect]) -> Option<&str> {
    match sent(effects)[..] {
        [Command::Switch(Switch { agent, .. })] => agent.as_deref(),
        _ => None,
    }
}

/// What the session says of a change.
fn changed(stage: &mut Stage, agent: &str, hint: Option<&str>) {
    stage.event(Settings {
        agent_name: agent.into(),
        ..settings()
    });
    stage.event(Notice {
        level: NoticeLevel::Info,
        kind: notice::SWITCHED.into(),
        message: format!("The agent is {agent}, from the next prompt on."),
        hint: hint.map(String::from),
    });
}

fn status(stage: &Stage) -> String {
    stage.shown().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn shift_tab_goes_to_the_next_agent_and_from_the_last_to_the_first() {
    let mut stage = stage();
    for name in ["plan", "review", "build"] {
        let effects = next(&mut stage);
        assert_eq!(to_agent(&effects), Some(name), "{effects:?}");
        changed(&mut stage, name, None);
        // What a key does is not written into the conversation.
        assert!(stage.state.hint.is_some());
        stage.state.hint = None;
        stage.draw();
        assert!(status(&stage).contains(name), "{}", stage.shown());
        assert!(!stage.shown().contains("The agent is"), "{}", stage.shown());
    }
}

#[test]
fn what_a_change_costs_is_written_down() {
    let mut stage = stage();
    next(&mut stage);
    changed(
        &mut stage,
        "plan",
        Some("The server reads all of it again."),
    );
    assert!(
        stage.shown().contains("reads all of it again"),
        "{}",
        stage.shown()
    );
}

#[test]
fn while_a_run_goes_on_the_status_line_shows_what_comes_after_it() {
    let mut stage = stage();
    stage.begin_run("go");
    assert_eq!(to_agent(&next(&mut stage)), Some("plan"));
    assert!(status(&stage).contains("build → plan"), "{}", stage.shown());
    assert_eq!(to_agent(&next(&mut stage)), Some("review"));
    assert!(
        status(&stage).contains("build → review"),
        "{}",
        stage.shown()
    );
    stage.end_run(finished(Outcome::Completed));
    changed(&mut stage, "plan", None);
    changed(&mut stage, "review", None);
    stage.state.hint = None;
    stage.draw();
    let status = status(&stage);
    assert!(
        status.contains("review") && !status.contains('→'),
        "{status}"
    );
}

#[test]
fn what_is_written_stays_and_no_other_agent_is_said() {
    let mut stage = Stage::new(80, 20);
    stage.write("half a prompt");
    assert_eq!(to_agent(&next(&mut stage)), None);
    assert!(stage.shown().contains("There is no other agent"));
    assert_eq!(stage.state.composer.text(), "half a prompt");
}

#[test]
fn the_list_of_agents_marks_the_one_in_use_and_letters_narrow_it() {
    let mut stage = stage();
    let effects = stage.send("/agent");
    assert!(
        matches!(effects[..], [Effect::Ask(Query::Agents)]),
        "{effects:?}"
    );
    stage.input(Input::Replied(Query::Agents, agents()));
    let shown = stage.shown();
    let line = shown.lines().find(|line| line.contains("build")).unwrap();
    assert!(line.contains("in use"), "{shown}");
    stage.write("pln");
    let effects = stage.key(KeyCode::Enter);
    assert_eq!(to_agent(&effects), Some("plan"), "{effects:?}");
    changed(&mut stage, "plan", None);
    // Chosen from a list it is said as every choice is.
    assert!(
        stage.shown().contains("The agent is plan"),
        "{}",
        stage.shown()
    );
}

#[test]
fn the_status_line_names_the_walls_of_the_agent_that_works() {
    let mut stage = stage();
    stage.send("/agent plan");
    changed(&mut stage, "plan", None);
    assert!(status(&stage).contains("read-only"), "{}", stage.shown());
    changed(&mut stage, "build", None);
    assert!(
        status(&stage).contains("workspace-write"),
        "{}",
        stage.shown()
    );
}

#[test]
fn a_provider_is_picked_and_then_one_of_its_models() {
    let mut stage = stage();
    stage.send("/provider");
    let providers = [
        ["*", "local", "small", "http://127.0.0.1:1/v1"],
        ["", "other", "big", "https://other.example/v1"],
    ];
    stage.input(Input::Replied(Query::Providers, table(&providers, None)));
    // The mark stands on the one in use.
    stage.key(KeyCode::Down);
    let effects = stage.key(KeyCode::Enter);
    let query = Query::ModelsOf {
        provider: "other".into(),
    };
    assert!(
        matches!(&effects[..], [Effect::Ask(asked)] if *asked == query),
        "{effects:?}"
    );
    let models = [
        ["", "other/big", "", "configured"],
        ["", "other/huge", "", "server"],
    ];
    stage.input(Input::Replied(query, table(&models, None)));
    assert!(
        stage.shown().contains("Models of other"),
        "{}",
        stage.shown()
    );
    stage.write("huge");
    let effects = stage.key(KeyCode::Enter);
    assert!(
        matches!(sent(&effects)[..], [Command::Switch(Switch { model: Some(model), .. })] if model == "other/huge"),
        "{effects:?}"
    );
}

#[test]
fn mcp_servers_are_a_page_and_none_is_a_sentence() {
    let mut stage = stage();
    stage.send("/mcp");
    let none = "No MCP server is running in this session.";
    stage.input(Input::Replied(Query::Mcp, table(&[], Some(none))));
    assert!(stage.shown().contains(none), "{}", stage.shown());
    stage.send("/mcp");
    let servers = [["files", "failed", "0", "it does not start"]];
    stage.input(Input::Replied(Query::Mcp, table(&servers, None)));
    let page = tenon_tui::view::page(&mut stage.state).unwrap();
    let page: String = page.lines.iter().map(|line| line.plain() + "\n").collect();
    assert!(page.contains("MCP servers"), "{page}");
    assert!(page.contains("it does not start"), "{page}");
}

#[test]
fn while_another_session_opens_no_key_changes_the_agent_of_the_one_that_goes() {
    let mut stage = stage();
    stage.send("/new");
    let effects = next(&mut stage);
    assert!(effects.is_empty(), "{effects:?}");
    assert_eq!(stage.state.next_agent, None);
    stage.input(Input::Acted(Came::Opened(Box::new(session()))));
    stage.input(Input::Replied(Query::Agents, agents()));
    assert_eq!(to_agent(&next(&mut stage)), Some("plan"));
}
