//! The agent, the provider and the MCP servers: picked from a list, shown in the
//! status line. The permission mode: changed with a key.

use crate::stage::{Stage, session, settings};
use crate::talk::sent;
use crossterm::event::{KeyCode, KeyModifiers};
use tenon_tui::house::Outcome as Came;
use tenon_tui::input::{Effect, Input};
use tenon_tui::text::Role;
use tenon_vocab::PermissionMode::{self, AcceptEdits, Ask, Auto, Plan};
use tenon_vocab::{
    Command, Notice, NoticeLevel, Query, Reply, Settings, Switch, TableReply, notice,
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

/// As the session says which modes there are; a reason is why one is forbidden.
fn modes(auto: &str) -> Reply {
    let rows = [
        ["*", "ask", "Asks.", ""],
        ["", "accept-edits", "Asks less.", ""],
        ["", "auto", "Asks least.", auto],
        ["", "plan", "Reads.", ""],
    ];
    table(&rows, None)
}

fn next(stage: &mut Stage) -> Vec<Effect> {
    stage.press(KeyCode::BackTab, KeyModifiers::SHIFT)
}

fn to_mode(effects: &[Effect]) -> Option<PermissionMode> {
    match sent(effects)[..] {
        [Command::Settings(change)] => change.permission_mode,
        _ => None,
    }
}

fn to_agent(effects: &[Effect]) -> Option<&str> {
    match sent(effects)[..] {
        [Command::Switch(Switch { agent, .. })] => agent.as_deref(),
        _ => None,
    }
}

fn said(stage: &mut Stage, kind: &str, message: &str, hint: Option<&str>) {
    stage.event(Notice {
        level: NoticeLevel::Info,
        kind: kind.into(),
        message: message.into(),
        hint: hint.map(String::from),
    });
}

/// What the session says of a change of the agent.
fn changed(stage: &mut Stage, agent: &str, hint: Option<&str>) {
    let mut settings = settings();
    settings.act_as(agent);
    stage.event(settings);
    let message = format!("The agent is {agent}, from the next prompt on.");
    said(stage, notice::SWITCHED, &message, hint);
}

/// And of a change of the mode that is no agent's.
fn is_now(stage: &mut Stage, mode: PermissionMode, hint: Option<&str>) {
    stage.event(Settings {
        permission_mode: mode,
        ..settings()
    });
    said(
        stage,
        notice::SETTINGS,
        &format!("The mode is {mode}."),
        hint,
    );
}

fn status(stage: &Stage) -> String {
    stage.shown().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn shift_tab_goes_through_the_modes_and_from_the_last_to_the_first() {
    let mut stage = Stage::new(80, 20);
    assert!(
        status(&stage).trim_start().starts_with("ask ·"),
        "{}",
        stage.shown()
    );
    for mode in [AcceptEdits, Auto, Plan, Ask] {
        let effects = next(&mut stage);
        assert_eq!(to_mode(&effects), Some(mode), "{effects:?}");
        match mode {
            Plan => changed(&mut stage, "plan", None),
            mode => is_now(&mut stage, mode, None),
        }
        // What a key does is not written into the conversation.
        assert!(stage.state.hint.is_some());
        stage.state.hint = None;
        stage.draw();
        assert!(
            status(&stage).trim_start().starts_with(mode.label()),
            "{}",
            stage.shown()
        );
        assert!(!stage.shown().contains("The mode is"), "{}", stage.shown());
        assert!(!stage.shown().contains("The agent is"), "{}", stage.shown());
    }
}

#[test]
fn a_mode_that_a_policy_forbids_is_passed_over() {
    let mut stage = Stage::new(80, 20);
    let forbidden = modes("/etc/x forbids it");
    stage.input(Input::Replied(Query::Modes, forbidden));
    assert_eq!(to_mode(&next(&mut stage)), Some(AcceptEdits));
    is_now(&mut stage, AcceptEdits, None);
    assert_eq!(to_mode(&next(&mut stage)), Some(Plan));
}

#[test]
fn what_a_change_costs_or_does_not_do_is_written_down() {
    let mut stage = Stage::new(80, 20);
    next(&mut stage);
    is_now(&mut stage, AcceptEdits, None);
    next(&mut stage);
    is_now(&mut stage, Auto, Some("Commands are still asked about."));
    assert!(
        stage.shown().contains("Commands are still asked about"),
        "{}",
        stage.shown()
    );
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
    let mut stage = Stage::new(80, 20);
    is_now(&mut stage, Auto, None);
    stage.begin_run("go");
    assert_eq!(to_mode(&next(&mut stage)), Some(Plan));
    said(
        &mut stage,
        notice::SETTINGS,
        "The mode will be plan after this run.",
        None,
    );
    assert!(status(&stage).contains("auto → plan"), "{}", stage.shown());
    // The last word counts.
    assert_eq!(to_mode(&next(&mut stage)), Some(Ask));
    is_now(&mut stage, Ask, None);
    stage.state.hint = None;
    stage.draw();
    let status = status(&stage);
    assert!(
        status.trim_start().starts_with("ask ·") && !status.contains('→'),
        "{status}"
    );
}

#[test]
fn what_is_written_stays_while_a_key_changes_the_mode() {
    let mut stage = Stage::new(80, 20);
    stage.write("half a prompt");
    assert_eq!(to_mode(&next(&mut stage)), Some(AcceptEdits));
    assert_eq!(stage.state.composer.text(), "half a prompt");
}

#[test]
fn the_mode_is_shown_in_colour_whatever_parts_were_chosen_and_however_narrow_it_is() {
    for columns in [80, 24, 14] {
        let mut stage = Stage::new(columns, 20);
        stage.state.wishes.status = vec!["model".into()];
        stage.state.facts.flags = vec!["--yolo"];
        is_now(&mut stage, Auto, None);
        stage.state.hint = None;
        let line = tenon_tui::view::live(&stage.state).lines.pop().unwrap();
        assert!(line.plain().starts_with("auto --yolo"), "{line:?}");
        let role = line.spans[0].style;
        assert_eq!(role, Role::Warning.into(), "{line:?}");
    }
}

#[test]
fn the_list_of_agents_marks_the_one_in_use_and_letters_narrow_it() {
    let mut stage = Stage::new(80, 20);
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
    let mut stage = Stage::new(80, 20);
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
    let mut stage = Stage::new(80, 20);
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
    let mut stage = Stage::new(80, 20);
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
fn while_another_session_opens_no_key_changes_the_mode_of_the_one_that_goes() {
    let mut stage = Stage::new(80, 20);
    stage.send("/new");
    let effects = next(&mut stage);
    assert!(effects.is_empty(), "{effects:?}");
    assert_eq!(stage.state.next_mode, None);
    stage.input(Input::Acted(Came::Opened(Box::new(session()))));
    assert_eq!(to_mode(&next(&mut stage)), Some(AcceptEdits));
}

#[test]
fn a_mode_is_picked_from_a_list() {
    let mut stage = Stage::new(80, 20);
    stage.send("/mode");
    stage.input(Input::Replied(Query::Modes, modes("")));
    stage.write("auto");
    let effects = stage.key(KeyCode::Enter);
    assert_eq!(to_mode(&effects), Some(Auto), "{effects:?}");
}
