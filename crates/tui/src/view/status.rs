//! The status line: what the user has set, and how full the window is. What does
//! not fit goes, the least important first.

use crate::house::Facts;
use crate::state::State;
use crate::text::{Line, Role, Span};
use tenon_vocab::figures;

/// What a status line may show, in the order in which it does by default.
pub const PARTS: &[&str] = &[
    "model", "agent", "root", "branch", "context", "tokens", "cost", "sandbox", "mode",
];
/// What goes first where not all fits.
const LEAST: &[&str] = &[
    "tokens", "branch", "sandbox", "agent", "root", "cost", "context", "mode",
];
const BAR: usize = 8;

#[must_use]
pub fn line(state: &State) -> Line {
    let mut wanted: Vec<&str> = match state.wishes.status.as_slice() {
        [] => PARTS.to_vec(),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    loop {
        let line = joined(state, &wanted);
        let drop = LEAST.iter().find(|name| wanted.contains(name));
        match drop {
            Some(name) if line.width() > state.size.columns => {
                wanted.retain(|part| part != name);
            }
            _ => return line.cut(state.size.columns),
        }
    }
}

fn joined(state: &State, wanted: &[&str]) -> Line {
    let mut line = Line::empty();
    for spans in wanted.iter().filter_map(|name| part(state, name)) {
        if !line.spans.is_empty() {
            line.push(Role::Border, " · ");
        }
        line.spans.extend(spans);
    }
    line
}

fn part(state: &State, name: &str) -> Option<Vec<Span>> {
    let dim = |text: String| Some(vec![Span::new(Role::Dim, &text)]);
    let settings = &state.settings;
    match name {
        "model" => {
            let effort = settings.effort.as_deref();
            let effort = effort.map_or(String::new(), |effort| format!(" {effort}"));
            dim(format!("{}/{}{effort}", settings.provider, settings.model))
        }
        "agent" => match &state.next_agent {
            Some(next) if *next != settings.agent_name => {
                dim(format!("{} → {next}", settings.agent_name))
            }
            _ => dim(settings.agent_name.clone()),
        },
        "root" => dim(state.facts.root.clone()),
        "branch" => dim(state.facts.branch.clone()?),
        "context" => context(state),
        "tokens" => {
            let usage = state.meter?.usage;
            (usage.total() > 0).then(|| {
                let text = format!(
                    "↑{} ↓{}",
                    figures::short(usage.input),
                    figures::short(usage.output)
                );
                vec![Span::new(Role::Dim, &text)]
            })
        }
        "cost" => dim(state.meter?.cost?.to_string()),
        "sandbox" => Some(vec![sandbox(&state.facts)?]),
        "mode" => {
            let mode = state.composer.mode();
            (!mode.is_empty()).then(|| vec![Span::new(Role::Accent, &mode)])
        }
        _ => None,
    }
}

/// Walls that do not all stand are worth a colour.
fn sandbox(facts: &Facts) -> Option<Span> {
    match (facts.sandbox.as_str(), &facts.walls) {
        ("", _) => None,
        (mode @ ("off" | "none"), _) => Some(Span::new(Role::Warning, &format!("sandbox {mode}"))),
        (mode, Some(walls)) => Some(Span::new(Role::Warning, &format!("{mode} ({walls})"))),
        (mode, None) => Some(Span::new(Role::Dim, mode)),
    }
}

/// `██░░░░░░ 23 %`, with `~` where it is estimated.
fn context(state: &State) -> Option<Vec<Span>> {
    let meter = state.meter?;
    let limit = meter.limit.filter(|limit| *limit > 0)?;
    let percent = (meter.used.saturating_mul(100) / limit).min(100);
    let full = usize::try_from(percent).unwrap_or(100) * BAR / 100;
    let role = match percent {
        0..figures::FILLING => Role::Dim,
        figures::FILLING..figures::FULL => Role::Warning,
        _ => Role::Error,
    };
    let mark = if meter.estimated { "~" } else { "" };
    Some(vec![
        Span::new(role, &"█".repeat(full)),
        Span::new(Role::Border, &"░".repeat(BAR - full)),
        Span::new(role, &format!(" {mark}{percent} %")),
    ])
}
