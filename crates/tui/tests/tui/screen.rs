//! The screen on real terminal emulators: every finished line is in scrollback
//! or screen exactly once, the live area stands below as it was given, and the
//! cursor is where the caret is. Whatever is drawn, however it is resized.

mod any;
mod desk;
mod resize;

use crate::emulator::{Cutting, Emulator, Wrapping, look};
use desk::{Desk, frame, on_a_cell, text};
use std::num::NonZero;
use tenon_tui::screen::{Screen, Shown};
use tenon_tui::text::{Band, Frame, Line, Role, Size, Span};
use tenon_tui::theme::{Depth, Ground, Theme};

const SIZE: Size = Size {
    columns: 40,
    rows: 10,
};

/// Both terminals.
macro_rules! on_both {
    ($(#[$meta:meta])* $name:ident, $body:expr) => {
        mod $name {
            use super::*;
            $(#[$meta])*
            #[test]
            fn on_a_terminal_that_wraps() {
                let body: fn(Desk<Wrapping>) = $body;
                body(Desk::of(SIZE));
            }
            $(#[$meta])*
            #[test]
            fn on_a_terminal_that_cuts() {
                let body: fn(Desk<Cutting>) = $body;
                body(Desk::of(SIZE));
            }
        }
    };
}

use on_both;

on_both!(finished_lines_go_above_the_live_area, |mut desk| {
    desk.draw(&[], frame(&["status", "> "], Some((1, 2))));
    for at in 0..30 {
        desk.draw(
            &[text(&format!("F{at}. said"))],
            frame(&["status", "> "], Some((1, 2))),
        );
        desk.check_all();
    }
    desk.draw(
        &[
            text("漢字 👍 wide"),
            text(&"long ".repeat(30)).unbroken(),
            text(""),
        ],
        frame(&["a", "b", "c", "> x"], Some((3, 3))),
    );
    desk.check_all();
});

#[test]
fn the_background_of_a_changed_line_runs_to_the_edge_and_no_space_is_copied() {
    let size = Size {
        columns: 20,
        rows: 6,
    };
    let mut dark = look(Cutting::REFLOW);
    dark.theme = Theme::named("dark", Ground::Dark);
    dark.depth = Depth::True;
    let row = |text: &str| Line::new(Role::Added, text).in_band(Band::Added);
    let full = "x".repeat(20);
    let mut terminal = vt100::Parser::new(NonZero::new(6).unwrap(), NonZero::new(20).unwrap(), 0);
    let mut screen = Screen::new(Vec::new(), size, dark);
    let mut draw = |finished: &[Line], live: &[Line]| {
        let now = std::time::Instant::now();
        let live = Frame::of(live.to_vec());
        screen.draw(now, size, finished, &live).unwrap();
        terminal.process(&std::mem::take(screen.out_mut()));
        terminal.screen().clone()
    };
    let said = [row("+ a"), row(&full), text("same")];
    let shown = draw(&said, &[row("+ b"), text("> ")]);
    let tinted = |shown: &vt100::Screen, row| {
        let cell = shown.cell(row, 19).unwrap();
        cell.bgcolor() != vt100::Color::Default
    };
    assert_eq!(
        [0, 1, 2, 3, 4].map(|row| tinted(&shown, row)),
        [true, false, false, true, false]
    );
    assert_eq!(shown.rows(0, 20).nth(1).unwrap(), full);
    assert_eq!(shown.rows(0, 20).next().unwrap(), "+ a");
    // What takes its place has none.
    let shown = draw(&[], &[text("+ b c"), row("> ")]);
    assert_eq!([3, 4].map(|row| tinted(&shown, row)), [false, true]);
}

#[test]
fn a_live_area_that_is_too_high_is_said_to_be_cut() {
    let size = Size {
        columns: 20,
        rows: 4,
    };
    let mut screen = Screen::new(Vec::new(), size, look(Cutting::REFLOW));
    let mut drawn = |lines: &[&str]| {
        let now = std::time::Instant::now();
        screen.draw(now, size, &[], &frame(lines, None)).unwrap()
    };
    // One row is left to what was said.
    assert_eq!(drawn(&["a", "b", "c"]), Shown::Whole);
    assert_eq!(drawn(&["a", "b", "c", "d"]), Shown::Cut);
    // Also where nothing is written, for it stands there already.
    assert_eq!(drawn(&["a", "b", "c", "d"]), Shown::Cut);
    assert_eq!(drawn(&[]), Shown::Whole);
}

on_both!(rows_come_and_go_and_change, |mut desk| {
    let full = "x".repeat(40);
    for lines in [
        &["one", "two", "three"][..],
        &["one", "2", "three", "four"],
        &["one"],
        &[],
        &[&full, &full],
        &[&full[1..], "漢字漢字", "漢字x"],
        &["👨‍👩‍👧 family", "e\u{301}", ""],
        &["", "", ">"],
    ] {
        let caret = lines
            .last()
            .map(|last| (lines.len() - 1, on_a_cell(last, 1)));
        desk.draw(&[], frame(lines, caret));
        desk.check_live();
    }
});

on_both!(a_live_area_that_is_too_high_shows_its_end, |mut desk| {
    let lines: Vec<String> = (0..30).map(|at| format!("L{at}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    desk.draw(&[text("F0. said")], frame(&lines, Some((29, 2))));
    assert_eq!(desk.terminal.rows()[0], "F0. said");
    assert_eq!(desk.terminal.rows()[1..], lines[21..]);
    assert_eq!(desk.terminal.cursor(), Some((9, 2)));
    desk.draw(&[text("F1. said")], frame(&lines, Some((29, 2))));
    desk.draw(&[], frame(&["> "], Some((0, 2))));
    desk.check_all();
});

on_both!(
    the_cursor_is_hidden_without_a_caret_and_shown_after_clear,
    |mut desk| {
        desk.draw(&[text("F0. said")], frame(&["one", "two"], None));
        assert_eq!(desk.terminal.cursor(), None);
        desk.draw(&[], frame(&["one", "two"], Some((1, 1))));
        assert_eq!(desk.terminal.cursor(), Some((2, 1)));
        desk.screen.clear().expect("cleared");
        desk.pass();
        assert_eq!(desk.terminal.lines(), ["F0. said"]);
        assert_eq!(desk.terminal.cursor(), Some((1, 0)));
        desk.terminal.feed(b"from elsewhere\r\n");
        desk.draw(&[], frame(&["one"], Some((0, 3))));
        assert_eq!(desk.terminal.lines(), ["F0. said", "from elsewhere", "one"]);
    }
);

on_both!(where_another_has_written_drawing_begins_anew, |mut desk| {
    desk.draw(
        &[text("F0.")],
        frame(&["one", "> two", "three"], Some((1, 2))),
    );
    desk.terminal.feed(b"\r\n\x1b[Jit broke\r\n");
    desk.screen.forget();
    desk.draw(&[text("F1.")], frame(&["one", "> two"], Some((1, 2))));
    let expected = ["F0.", "one", "> two", "it broke", "F1.", "one", "> two"];
    assert_eq!(desk.terminal.lines(), expected);
    desk.check_live();
});

on_both!(the_other_page_leaves_the_first_as_it_was, |mut desk| {
    desk.draw(&[text("F0. said")], frame(&["status", "> a"], Some((1, 3))));
    let before = (desk.terminal.rows(), desk.terminal.cursor());
    let lines: Vec<String> = (0..20).map(|at| format!("page {at}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    desk.screen.page(SIZE, &frame(&lines, None)).expect("paged");
    let first = std::mem::take(desk.screen.out_mut());
    desk.terminal.feed(&first);
    assert_eq!(desk.terminal.rows(), lines[..10]);
    assert_eq!(desk.terminal.cursor(), None);
    desk.screen
        .page(SIZE, &frame(&["page 0", "other"], Some((1, 2))))
        .expect("paged");
    let second = std::mem::take(desk.screen.out_mut());
    desk.terminal.feed(&second);
    assert_eq!(desk.terminal.rows()[..3], ["page 0", "other", ""]);
    assert_eq!(desk.terminal.cursor(), Some((1, 2)));
    assert!(!String::from_utf8_lossy(&second).contains("page 0"));
    desk.screen.unpage().expect("back");
    let third = std::mem::take(desk.screen.out_mut());
    desk.terminal.feed(&third);
    assert_eq!((desk.terminal.rows(), desk.terminal.cursor()), before);
    desk.draw(
        &[text("F1. said")],
        frame(&["status", "> ab"], Some((1, 4))),
    );
    desk.check_all();
});

on_both!(
    a_resize_on_the_other_page_is_one_of_the_first_too,
    |mut desk| {
        desk.draw(&[text("F0. said")], frame(&["status", "> a"], Some((1, 3))));
        desk.screen
            .page(SIZE, &frame(&["page"], None))
            .expect("paged");
        let bytes = std::mem::take(desk.screen.out_mut());
        desk.terminal.feed(&bytes);
        desk.resize(Size {
            columns: 25,
            rows: 9,
        });
        desk.screen
            .page(desk.size, &frame(&["page"], None))
            .expect("paged");
        desk.screen.unpage().expect("back");
        let bytes = std::mem::take(desk.screen.out_mut());
        desk.terminal.feed(&bytes);
        desk.draw(
            &[text("F1. said")],
            frame(&["status", "> ab"], Some((1, 4))),
        );
        desk.check_all();
    }
);

on_both!(what_changed_nothing_writes_nothing, |mut desk| {
    let live = frame(&["status", "> x"], Some((1, 3)));
    desk.draw(&[text("F0.")], live.clone());
    let before = desk.bytes;
    desk.draw(&[], live.clone());
    assert_eq!(desk.bytes, before);
    desk.draw(&[], frame(&["status", "> xy"], Some((1, 4))));
    let appended = desk.bytes - before;
    assert!(appended < 60, "{appended}");
});

on_both!(
    five_hundred_lines_cost_at_most_three_times_their_text,
    |mut desk| {
        let live = frame(
            &["running · 12 s", "", "> what is typed", "model · 12 %"],
            Some((2, 6)),
        );
        let mut written = 0;
        for at in 0..500 {
            let line = format!("F{at}. a line of the answer, as they come");
            written += line.len();
            desk.draw(&[text(&line)], live.clone());
        }
        desk.check_all();
        assert!(desk.bytes <= 3 * written, "{} for {written}", desk.bytes);
    }
);
#[test]
fn a_theme_that_changes_is_seen_on_every_row() {
    use tenon_tui::theme::{Ground, Theme};
    let mut desk: Desk<Cutting> = Desk::of(SIZE);
    let live = Frame::of(vec![
        Line::new(Role::Error, "wrong"),
        Line::new(Role::Tool, "read"),
    ]);
    desk.draw(&[], live.clone());
    desk.screen.set_theme(Theme::named("ansi", Ground::Dark));
    let before = desk.bytes;
    desk.draw(&[], live.clone());
    assert_eq!(desk.bytes, before);
    desk.screen.set_theme(Theme::named("mono", Ground::Dark));
    desk.draw(&[], live);
    let cell = desk.terminal.0.screen().cell(0, 0).expect("a cell");
    assert_eq!(
        (cell.contents(), cell.fgcolor()),
        ("w", vt100::Color::Default)
    );
    desk.check_live();
}

#[test]
fn styles_are_written_where_they_change_and_end_with_the_line() {
    let mut screen = Screen::new(Vec::new(), SIZE, look(tenon_tui::screen::Reflow::Wraps));
    let line = Line::of([
        Span::new(Role::Tool, "read"),
        Span::new(Role::Tool, " it"),
        Span::new(Role::Text, " plain "),
        Span::new(Role::Error, "red"),
    ]);
    screen
        .draw(std::time::Instant::now(), SIZE, &[line], &Frame::default())
        .expect("drawn");
    let bytes = String::from_utf8(std::mem::take(screen.out_mut())).expect("text");
    assert!(
        bytes.contains("\x1b[1;33mread it\x1b[0m plain \x1b[31mred\x1b[0m\r\n"),
        "{bytes:?}"
    );
}

#[test]
fn who_lets_go_of_the_screen_is_back_from_the_other_page() {
    let mut written = Vec::new();
    let look = look(tenon_tui::screen::Reflow::Wraps);
    let mut screen = Screen::new(&mut written, SIZE, look.clone());
    screen.page(SIZE, &frame(&["page"], None)).expect("paged");
    drop(screen);
    assert!(String::from_utf8_lossy(&written).contains("\x1b[?1049l"));
    // Nothing is left that was never entered: that would move the cursor.
    let mut written = Vec::new();
    drop(Screen::new(&mut written, SIZE, look));
    assert!(written.is_empty());
}
