//! The lines that a run shows about itself: how it ended, and what waits.

use crate::screen::{Paint, Style, complain};
use std::io::{IsTerminal, Write};
use tenon_vocab::{Outcome, Printable, RunFinished, Usage};

/// A run that took longer rings: someone may have looked away.
const LONG: u64 = 10_000;

/// `Done. (3.2s, 4 steps, ~1.2k tokens, $0.0123; 12 % of 32768 tokens (your setting))`;
/// nothing for a command of the user, whose own line says it.
pub fn finished(paint: Paint, finished: &RunFinished, room: Option<&str>) {
    if finished.steps == 0 && finished.outcome == Outcome::Completed {
        return;
    }
    let (style, word) = match finished.outcome {
        Outcome::Completed => (Style::Green, "Done."),
        Outcome::Interrupted => (Style::Dim, "Stopped."),
        Outcome::Limit | Outcome::Loop => (Style::Dim, "Stopped at a limit."),
        // What was refused, and by whom, stands above.
        Outcome::Denied => (Style::Dim, "Done."),
        Outcome::Failed | Outcome::Filtered => (Style::Red, "Failed."),
    };
    let room = room.map_or_else(String::new, |room| format!("; {}", Printable::line(room)));
    let figures = format!("({}{room})", figures(finished));
    let figures = paint.paint(Style::Dim, &figures);
    complain(&format!("{} {figures}", paint.paint(style, word)));
    if finished.duration_ms > LONG && std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr().lock(), "\x07");
    }
}

fn figures(finished: &RunFinished) -> String {
    let seconds = finished.duration_ms as f64 / 1000.0;
    let mut text = format!("{seconds:.1}s, {}", count(finished.steps, "step"));
    if finished.usage.total() > 0 {
        text.push_str(&format!(", {} tokens", tokens(finished.usage)));
    }
    if let Some(cost) = finished.cost {
        text.push_str(&format!(", {cost}"));
    }
    if finished.failed_calls > 0 {
        text.push_str(&format!(", {} failed calls", finished.failed_calls));
    }
    text
}

fn count(n: u32, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}

/// `950`, `~950` when estimated, `~1.2k` when rounded.
fn tokens(usage: Usage) -> String {
    let total = usage.total();
    match (total, usage.estimated) {
        (..1000, false) => total.to_string(),
        (..1000, true) => format!("~{total}"),
        (1000..1_000_000, _) => format!("~{:.1}k", total as f64 / 1000.0),
        _ => format!("~{:.1}M", total as f64 / 1_000_000.0),
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

    fn run(total: u64, estimated: bool) -> RunFinished {
        RunFinished {
            outcome: Outcome::Completed,
            reason: None,
            steps: 4,
            calls: 0,
            failed_calls: 0,
            denied_calls: 0,
            usage: Usage {
                input: total,
                estimated,
                ..Usage::default()
            },
            cost: None,
            duration_ms: 3210,
            snapshot: None,
        }
    }

    #[test]
    fn a_figure_that_is_not_exact_says_so() {
        assert_eq!(figures(&run(1234, false)), "3.2s, 4 steps, ~1.2k tokens");
        assert_eq!(figures(&run(950, true)), "3.2s, 4 steps, ~950 tokens");
        assert_eq!(figures(&run(950, false)), "3.2s, 4 steps, 950 tokens");
        assert_eq!(figures(&run(0, false)), "3.2s, 4 steps");
        assert_eq!(tokens(run(2_500_000, false).usage), "~2.5M");
        let paid = RunFinished {
            cost: Some(tenon_vocab::Cost(12_340)),
            ..run(950, false)
        };
        assert_eq!(figures(&paid), "3.2s, 4 steps, 950 tokens, $0.0123");
    }
}
