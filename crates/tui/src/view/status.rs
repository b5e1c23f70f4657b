//! The status line: what the user has set, and how full the window is. What does
//! not fit goes, the least important first.

use super::input::is_framed;
use crate::house::Facts;
use crate::state::State;
use crate::text::{Line, Role, Span, split_at};
use tenon_vocab::{PermissionMode, figures};

/// What a status line may show, in the order in which it does by default.
pub const PARTS: &[&str] = &[
    PERMISSION, "model", "agent", "root", "branch", "context", "tokens", "cost", "sandbox", "mode",
];
/// What may run without a question. It is always shown, whatever was chosen.
const PERMISSION: &str = "permission";
/// What goes first where not all fits.
const LEAST: &[&str] = &["tokens", "branch", "sandbox", "root", "cost", "context"];
/// The agent says what a prompt may do, and `mode` what a key does: those stay as
/// long as something else can be cut. Below so many columns a part says nothing,
/// and goes.
const CUT: &[(&str, usize)] = &[("model", 8), ("agent", 6)];
const BAR: usize = 8;

type Parts<'a> = Vec<(&'a str, Line)>;

#[must_use]
pub fn line(state: &State) -> Line {
    let columns = state.size.columns;
    let wanted: Vec<&str> = match state.wishes.status.as_slice() {
        [] => PARTS.to_vec(),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    let always = (!wanted.contains(&PERMISSION)).then_some(PERMISSION);
    let shown = always.into_iter().chain(wanted);
    let shown = shown.filter_map(|name| Some((name, Line::of(part(state, name)?))));
    let mut parts: Parts<'_> = shown.collect();
    for name in LEAST {
        if over(&parts, columns) > 0 {
            parts.retain(|(part, _)| part != name);
        }
    }
    for (name, least) in CUT {
        shrink(&mut parts, name, *least, columns);
    }
    match parts.as_slice() {
        [(PERMISSION, permission), ("mode", mode)] => beside(permission, mode, columns),
        parts => joined(parts).cut(columns),
    }
}

/// The end of what is being typed, beside what may run without a question as
/// long as both fit.
fn beside(permission: &Line, typed: &Line, columns: usize) -> Line {
    const LEAST: usize = 12;
    let room = columns.saturating_sub(permission.width() + " · ".chars().count());
    match room {
        LEAST.. => joined(&[
            (PERMISSION, permission.clone()),
            ("mode", ending(typed, room)),
        ]),
        _ => ending(typed, columns),
    }
}

/// Columns that are missing.
fn over(parts: &[(&str, Line)], columns: usize) -> usize {
    joined(parts).width().saturating_sub(columns)
}

fn shrink(parts: &mut Parts<'_>, name: &str, least: usize, columns: usize) {
    let over = over(parts, columns);
    let alone = parts.len() == 1;
    let at = parts.iter().position(|(part, _)| *part == name);
    let Some(at) = at.filter(|_| over > 0 && !alone) else {
        return;
    };
    let (part, line) = parts.remove(at);
    let room = line.width().saturating_sub(over);
    if room >= least {
        parts.insert(at, (part, line.cut(room)));
    }
}

/// The end of a text: what is being typed, and what came of it.
pub(super) fn ending(line: &Line, columns: usize) -> Line {
    let over = line.width().saturating_sub(columns);
    if over == 0 {
        return line.clone();
    }
    let text = line.plain();
    let (_, end) = split_at(&text, over + 1);
    Line::new(Role::Accent, &format!("…{end}")).cut(columns)
}

fn joined(parts: &[(&str, Line)]) -> Line {
    let mut line = Line::empty();
    for (_, part) in parts {
        if !line.spans.is_empty() {
            line.push(Role::Border, " · ");
        }
        line.spans.extend(part.spans.iter().cloned());
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
        PERMISSION => Some(permission(state)),
        "agent" => dim(settings.agent_name.clone()),
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
        "sandbox" => Some(vec![sandbox(&state.facts, &settings.agent_name)?]),
        // Where the input has rules it stands there.
        "mode" if is_framed(state.size) => None,
        "mode" => {
            let mode = state.composer.mode();
            (!mode.is_empty()).then(|| vec![Span::new(Role::Accent, &mode)])
        }
        _ => None,
    }
}

/// How a permission mode is coloured, everywhere.
pub(super) fn colour(mode: PermissionMode) -> Role {
    match mode {
        PermissionMode::Ask => Role::Success,
        PermissionMode::AcceptEdits => Role::Accent,
        PermissionMode::Auto => Role::Warning,
        PermissionMode::Plan => Role::Link,
    }
}

/// The mode, the one that follows it where a run is waited for, and the flags
/// that go with it.
fn permission(state: &State) -> Vec<Span> {
    let now = state.settings.permission_mode;
    let mut spans = vec![Span::new(colour(now), now.label())];
    if let Some(next) = state.next_mode.filter(|next| *next != now) {
        spans.push(Span::new(Role::Border, " → "));
        spans.push(Span::new(colour(next), next.label()));
    }
    for flag in &state.facts.flags {
        spans.push(Span::new(Role::Warning, &format!(" {flag}")));
    }
    spans
}

/// Walls that do not all stand are worth a colour.
fn sandbox(facts: &Facts, agent: &str) -> Option<Span> {
    let mode = facts.sandboxes.get(agent).unwrap_or(&facts.sandbox);
    match (mode.as_str(), &facts.walls) {
        ("", _) => None,
        (mode @ ("off" | "none"), _) => Some(Span::new(Role::Warning, &format!("sandbox {mode}"))),
        (mode, Some(walls)) => Some(Span::new(Role::Warning, &format!("{mode} ({walls})"))),
        (mode, None) => Some(Span::new(Role::Dim, mode)),
    }
}

/// `██░░░░░░ 23 %`, with `~` where it is estimated. In a session that is resumed
/// the server has not said yet what it holds: then only how much there is.
fn context(state: &State) -> Option<Vec<Span>> {
    let meter = state.meter?;
    let Some(limit) = meter.limit.filter(|limit| *limit > 0) else {
        let text = format!("~{} in context", figures::short(meter.used));
        return (meter.usage.total() > 0).then(|| vec![Span::new(Role::Dim, &text)]);
    };
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
