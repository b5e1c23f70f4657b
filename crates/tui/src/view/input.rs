//! Where the user writes: rules above and below make a field of it. The upper one
//! says what the field is when that is not the usual, the lower one which keys do
//! something now; their colour is that of the permission mode.

use super::status;
use crate::overlay::menu::HIGHEST;
use crate::rule;
use crate::state::State;
use crate::text::{Frame, Line, Role, Size};
use tenon_vocab::PermissionMode;

/// A lower or narrower window has no row to spare.
const ROWS: usize = 12;
const COLUMNS: usize = 24;

/// Whether the input has its rules.
pub(super) fn is_framed(size: Size) -> bool {
    size.rows >= ROWS && size.columns >= COLUMNS
}

/// The composer with all that belongs to it, but the status line.
pub(super) fn view(state: &State) -> Frame {
    let Size { columns, rows } = state.size;
    let composer = state.composer.view(columns, (rows / 2).clamp(1, 20));
    let mut frame = match is_framed(state.size) {
        false => composer,
        true => {
            let mut frame = Frame::of(vec![upper(state, columns)]);
            frame.below(composer);
            frame.below(Frame::of(vec![lower(state, columns)]));
            frame
        }
    };
    if state.menu.is_open() {
        let rows = HIGHEST.min(rows.saturating_sub(4).max(1));
        frame.below(Frame::of(state.menu.view(columns, rows)));
    }
    frame
}

/// `── search: mai ────────────`
fn upper(state: &State, columns: usize) -> Line {
    let mode = state.composer.mode();
    let label = match (mode.as_str(), state.composer.is_shell()) {
        ("", true) => "shell command",
        (mode, _) => mode,
    };
    let label = status::ending(&Line::new(Role::Accent, label), columns.saturating_sub(8));
    rule::above(&label, colour(state), columns)
}

/// `──────── / commands · @ files · ! shell · ? help ──`: as many of the hints as
/// fit.
fn lower(state: &State, columns: usize) -> Line {
    let mut hints = hints(state).to_vec();
    let said = |hints: &[&str]| Line::new(Role::Dim, &hints.join(" · "));
    while said(&hints).width() + 8 > columns {
        hints.pop();
    }
    rule::below(&said(&hints), colour(state), columns)
}

/// What the keys do now, the most important first.
fn hints(state: &State) -> &'static [&'static str] {
    match (state.composer.is_empty(), state.composer.is_shell()) {
        _ if state.menu.is_open() => &["tab completes", "enter chooses", "esc closes"],
        _ if !state.composer.mode().is_empty() => &[],
        (_, true) => &["enter runs it", "esc back to a prompt"],
        (false, false) if state.run.is_some() => &["enter tells the model now"],
        (false, false) => &["enter sends", "ctrl+j new line"],
        (true, _) if state.run.is_some() => &["write to steer the run"],
        (true, _) => &["/ commands", "@ files", "! shell", "? help"],
    }
}

/// Quiet while everything is asked about.
fn colour(state: &State) -> Role {
    match state.settings.permission_mode {
        PermissionMode::Ask => Role::Border,
        mode => status::colour(mode),
    }
}
