use crate::support::World;
use tenon_config::{ProjectTrust, TuiInterface, TuiSettings, TuiTheme};
use tenon_vocab::wishes::{Keys, Motion, Notify, Thinking};

const ALL: &str = r#"{"tui": {
    "interface": "lines", "theme": "light", "keys": "vim", "status": ["cost", "model"],
    "notify": "never", "motion": "reduced", "thinking": "whole"
}}"#;

fn plain() -> TuiSettings {
    TuiSettings {
        interface: TuiInterface::Screen,
        theme: TuiTheme::Suggested("ansi".into()),
        keys: Keys::Emacs,
        status: Vec::new(),
        notify: Notify::Unfocused,
        motion: Motion::Full,
        thinking: Thinking::Brief,
    }
}

#[test]
fn without_a_word_the_screen_is_as_it_comes() {
    assert_eq!(World::new().resolved().tui, plain());
}

#[test]
fn every_key_of_the_section_is_read() {
    let tui = World::new().user(ALL).resolved().tui;
    assert_eq!(
        tui,
        TuiSettings {
            interface: TuiInterface::Lines,
            theme: TuiTheme::Written("light".into()),
            keys: Keys::Vim,
            status: vec!["cost".into(), "model".into()],
            notify: Notify::Never,
            motion: Motion::Reduced,
            thinking: Thinking::Whole,
        }
    );
    for (written, notify) in [("always", Notify::Always), ("unfocused", Notify::Unfocused)] {
        let page = format!(r#"{{"tui": {{"notify": "{written}", "thinking": "hidden"}}}}"#);
        let tui = World::new().user(&page).resolved().tui;
        assert_eq!((tui.notify, tui.thinking), (notify, Thinking::Hidden));
    }
}

#[test]
fn a_project_that_nobody_trusts_changes_nothing_of_the_screen() {
    assert_eq!(World::new().project(ALL).resolved().tui, plain());
}

#[test]
fn only_what_the_user_wrote_counts_as_a_written_theme() {
    let trusted = World::new()
        .project(ALL)
        .trust(ProjectTrust::Trusted)
        .resolved()
        .tui;
    assert_eq!(trusted.theme, TuiTheme::Suggested("light".into()));
    let variable = World::new().env("TENON_TUI_THEME", "dark").resolved().tui;
    assert_eq!(variable.theme, TuiTheme::Written("dark".into()));
}

#[test]
fn a_word_that_is_none_is_refused_with_those_that_are() {
    for (page, told) in [
        (r#"{"tui": {"theme": "drak"}}"#, "did you mean `dark`?"),
        (
            r#"{"tui": {"status": ["model", "modle"]}}"#,
            "a list of any of permission, model, agent",
        ),
        (r#"{"tui": {"status": "model"}}"#, "write it as a list"),
        (r#"{"tuii": {"theme": "dark"}}"#, "did you mean `tui`?"),
    ] {
        let error = World::new().user(page).load().unwrap_err().to_string();
        assert!(error.contains(told), "{page}: {error}");
    }
}
