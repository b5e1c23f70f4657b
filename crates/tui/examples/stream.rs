//! Streams numbered lines above a live area, as an answer does: to look at in a
//! real terminal while it is resized. `stream [lines] [milliseconds between]`.

use std::io::{self, Write};
use std::time::{Duration, Instant};
use tenon_tui::screen::{Look, Reflow, Screen};
use tenon_tui::terminal;
use tenon_tui::text::{Frame, Line, Role, Size, Span};
use tenon_tui::theme::{Depth, Ground, Theme};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise: u64| {
        let given = arguments.next().and_then(|text| text.parse().ok());
        given.unwrap_or(otherwise)
    };
    let (lines, pause) = (number(500), Duration::from_millis(number(10)));
    let mut modes = terminal::Modes::enter()?;
    let look = Look {
        theme: Theme::named("ansi", Ground::Dark),
        depth: Depth::Sixteen,
        reflow: Reflow::Wraps,
    };
    let mut size = size();
    let mut screen = Screen::new(io::stdout(), size, look);
    for at in 0..lines {
        let line = Line::of([
            Span::new(Role::Tool, &format!("F{at}.")),
            Span::new(
                Role::Text,
                " a line of the answer, long enough to be wrapped somewhere 漢字",
            ),
        ]);
        size = settled(size, &mut screen);
        screen.draw(Instant::now(), size, &[line.unbroken()], &live(at, size))?;
        std::thread::sleep(pause);
    }
    screen.draw(
        Instant::now(),
        size,
        &[Line::new(Role::Success, "Fend.")],
        &live(lines, size),
    )?;
    std::thread::sleep(Duration::from_secs(1));
    screen.clear()?;
    modes.pause();
    io::stdout().flush()
}

/// The size, once it stays as it is: as the program does it, for tmux tells of
/// resizes late.
fn settled(mut size: Size, screen: &mut Screen<io::Stdout>) -> Size {
    while size != self::size() {
        size = self::size();
        screen.notice_resize();
        std::thread::sleep(Duration::from_millis(300));
    }
    size
}

fn size() -> Size {
    terminal::size().unwrap_or(Size {
        columns: 80,
        rows: 24,
    })
}

fn live(at: u64, size: Size) -> Frame {
    let rule = Line::new(Role::Border, &"─".repeat(size.columns));
    let running = format!("running · {at} · {}", "status ".repeat(8));
    let lines = vec![
        Line::new(Role::Dim, &running).cut(size.columns),
        rule.clone(),
        Line::new(Role::Text, "> what is typed"),
        rule,
        Line::new(Role::Dim, "model · 12 %"),
    ];
    Frame {
        lines,
        caret: Some((2, 9)),
    }
}
