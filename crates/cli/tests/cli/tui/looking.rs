//! Terminals that can do less, and people who want less.

use super::stage::{Prompt, Stage, USUAL};
use super::talking::numbered;
use tenon_testing::screen::{Cells, ENTER, Paper, Screen, control};

fn text(screen: &Screen) -> String {
    String::from_utf8_lossy(&screen.raw()).into_owned()
}

/// The parameters of every `CSI … m`.
fn colours(raw: &str) -> Vec<&str> {
    raw.split("\x1b[")
        .skip(1)
        .filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
            rest[end..].starts_with('m').then_some(&rest[..end])
        })
        .flat_map(|parameters| parameters.split(';'))
        .filter(|number| {
            let number: u32 = number.parse().unwrap_or(0);
            matches!(number, 30..=49 | 90..=107)
        })
        .collect()
}

const MANY: &str = "# A title\n\nsome `code` and **bold**\n\n```rust\nfn main() {}\n```\n";

#[test]
fn there_are_colours_and_with_no_color_there_are_none() {
    let stage = Stage::says(MANY);
    for (env, expected) in [(&[][..], true), (&[("NO_COLOR", "1")][..], false)] {
        let screen = stage.open_with(&[], env, USUAL);
        screen.ready().line("hello").see("fn main").done().ready();
        screen.key("/").see("/").key(&control('c')).ready();
        let raw = text(&screen);
        assert_eq!(!colours(&raw).is_empty(), expected, "{env:?}: {raw:?}");
    }
}

#[test]
fn who_asks_for_lines_gets_lines_that_are_only_appended() {
    let stage = Stage::says("the answer");
    for (args, env) in [
        (&["--plain"][..], &[][..]),
        (&[], &[("ACCESSIBLE", "1")]),
        (&[], &[("TERM", "dumb")]),
    ] {
        let mut screen = stage.open_with(args, env, USUAL);
        screen.until("the prompt", |view| view.at_cursor() == ">");
        screen.line("hello").see("the answer").done();
        screen.until("the prompt", |view| view.at_cursor() == ">");
        let raw = text(&screen);
        for never in [
            "\x1b[?1049h",
            "\x1b[2J",
            "\x1b[H",
            "\x1b[?1004h",
            "\x1b[>1u",
        ] {
            assert!(!raw.contains(never), "{args:?} {env:?} {never:?}: {raw:?}");
        }
        screen.key(&control('d'));
        assert!(screen.left().success());
    }
}

#[test]
fn nothing_is_wider_than_forty_columns() {
    let stage = Stage::says(&format!(
        "A paragraph of words that is much longer than forty columns can hold.\n\n\
         | name | value |\n|---|---|\n| one | a long cell with many words in it |\n\n{}",
        numbered(5)
    ));
    let cells = Cells {
        columns: 40,
        rows: 20,
    };
    let screen = stage.open_with(&[], &[], cells);
    screen
        .ready()
        .line("hello")
        .see("numbered 0005")
        .done()
        .ready();
    for said in ["forty columns can", "hold.", "many", "numbered 0001"] {
        screen.saw(said);
    }
    let raw = text(&screen);
    // The emulator wraps by itself what is too wide: no row of the program may.
    let wide = raw
        .split(['\n', '\r'])
        .map(|line| visible(line).chars().count())
        .max();
    assert!(wide <= Some(40), "{wide:?}: {raw:?}");
    screen.key("/").see("/help");
    screen.key(&control('c')).ready().key("?");
    screen.until("help", |view| view.paged && view.has("Keys: Writing"));
    screen.key("q").ready();
}

/// Without escape sequences.
fn visible(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\x1b') {
        shown.push_str(before);
        rest = match after.chars().next() {
            Some('[') => after
                .find(|c: char| c.is_ascii_alphabetic())
                .map_or("", |end| &after[end + 1..]),
            Some(']') => after.split_once('\x07').map_or("", |(_, rest)| rest),
            _ => after,
        };
    }
    shown.push_str(rest);
    shown
}

#[test]
fn a_very_small_window_still_has_a_composer() {
    let stage = Stage::says("fine");
    let cells = Cells {
        columns: 10,
        rows: 4,
    };
    let screen = stage.open_with(&[], &[], cells);
    screen.until("a composer", |view| {
        view.cursor_shown && view.at_cursor().starts_with('>')
    });
    screen
        .key("hi")
        .until("what is typed", |view| view.at_cursor() == "> hi");
    screen.key(ENTER).saw("fine");
}

#[test]
fn the_background_is_asked_for_only_where_it_matters() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready();
    assert!(!text(&screen).contains("]11;?"));
    let config = stage.home.tenon().join("tenon.jsonc");
    std::fs::write(config, r#"{"tui": {"theme": "auto"}}"#).unwrap();
    let screen = stage.open();
    screen.ready();
    assert!(text(&screen).contains("]11;?"));
    // The answer is no input.
    assert!(!screen.view().has("rgb"));
}

#[test]
fn a_window_that_is_not_looked_at_is_told_of_the_end() {
    let stage = Stage::says("fine");
    for (focus, expected) in [("\x1b[I", false), ("\x1b[O", true)] {
        let screen = stage.open();
        screen.ready().key(focus).line("hello").done().ready();
        let raw = text(&screen);
        assert_eq!(raw.contains("\x1b]9;"), expected, "{focus:?}: {raw:?}");
        assert!(raw.contains("\x1b]2;project - tenon"), "no title: {raw:?}");
    }
}

#[test]
fn the_theme_auto_looks_at_the_background_when_it_is_chosen() {
    let stage = Stage::says("fine");
    let mut command = stage.model.command(&stage.home);
    command
        .env("TERM", "xterm-256color")
        .env("XTERM_VERSION", "XTerm(390)");
    let screen = Screen::start_on(command, USUAL, Paper::Light);
    screen.ready();
    assert!(!text(&screen).contains("]11;?"));
    let before = screen.raw().len();
    screen.line("/theme auto").ready();
    let raw = text(&screen);
    assert!(raw[before..].contains("]11;?"), "{raw:?}");
    // The answer is no input, and what is typed afterwards is.
    screen.line("hello").see("fine").done().ready();
    assert!(!screen.view().has("rgb"));
    // The bright theme: its own colours, and not those of the dark one.
    let light = colour_of("light");
    assert_eq!(colour_of("auto"), light);
    assert_ne!(colour_of("dark"), light);
}

/// What a theme colours a title with, on bright paper.
fn colour_of(theme: &str) -> String {
    let stage = Stage::says(MANY);
    let mut command = stage.model.command(&stage.home);
    command
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor")
        .env("XTERM_VERSION", "XTerm(390)");
    let screen = Screen::start_on(command, USUAL, Paper::Light);
    screen.ready().line(&format!("/theme {theme}")).ready();
    screen.line("hello").see("fn main").done().ready();
    let emulated = screen.emulated();
    let row = screen.view().row("A title").unwrap();
    let cell = emulated.cell(u16::try_from(row).unwrap(), 0).unwrap();
    format!("{:?}", cell.fgcolor())
}
