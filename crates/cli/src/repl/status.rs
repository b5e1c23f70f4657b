//! The lines that a run shows about itself: how it ended, and what waits.

use crate::screen::{Paint, Style, complain};
use std::io::{IsTerminal, Write};
use std::time::Duration;
use tenon_tui::house::LONG;
use tenon_vocab::wishes::Notify;
use tenon_vocab::{Outcome, Printable, Refusals, RunEnding, RunFinished, figures};

/// Whether the terminal is to ring when a run is over. Lines do not know whether
/// anybody looks at them: a long run rings, unless the user wants none of it.
pub fn rings(notify: Notify, took: Duration) -> bool {
    match notify {
        Notify::Always => true,
        Notify::Unfocused => took > LONG,
        Notify::Never => false,
    }
}

/// `Done. (3.2s, 4 steps, 1.2k tokens, $0.0123; 12 % of 32768 tokens (your setting))`,
/// and how to read why something was not allowed; nothing for a command of the
/// user, whose own line says it, or why it did not run.
pub fn finished(
    paint: Paint,
    finished: &RunFinished,
    refusals: &Refusals,
    room: Option<&str>,
    notify: Notify,
) {
    if refusals.is_silent(finished) {
        return;
    }
    let ending = refusals.ending(finished);
    let style = match ending {
        RunEnding::Done => Style::Green,
        RunEnding::DoneAfterOwnNo(_) | RunEnding::Stopped | RunEnding::AtLimit => Style::Dim,
        RunEnding::DoneWithout(_) => Style::Bold,
        RunEnding::NotAllowed | RunEnding::Failed => Style::Red,
    };
    let room = room.map_or_else(String::new, |room| format!("; {}", Printable::line(room)));
    let figures = format!("({}{room})", figures::of_run(finished).join(", "));
    let figures = paint.paint(Style::Dim, &figures);
    let words = paint.paint(style, &ending.words()).to_string();
    complain(&format!("{words} {figures}"));
    if finished.outcome == Outcome::Denied
        && let Some(way) = refusals.way()
    {
        complain(&paint.paint(Style::Dim, &format!("  {way}")));
    }
    let took = Duration::from_millis(finished.duration_ms);
    if rings(notify, took) && std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr().lock(), "\x07");
    }
}

/// What was typed during a run and waits.
pub fn queued(paint: Paint, text: &str) {
    let shown = crate::render::lines::shorten(text, 100);
    let line = Printable::line(&format!("(queued: {shown})")).into_string();
    complain(&paint.paint(Style::Dim, &line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_rings_unless_nobody_wants_to_hear_it() {
        let (short, long) = (LONG, LONG + Duration::from_millis(1));
        assert!(!rings(Notify::Unfocused, short) && rings(Notify::Unfocused, long));
        assert!(rings(Notify::Always, short));
        assert!(!rings(Notify::Never, long));
    }
}
