//! What stands over the composer: keys in, rows out.

mod any_keys;
mod ask;
mod careful;
mod low;
mod menu;
mod narrow;
mod pager;
mod pages;
mod picker;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tenon_tui::overlay::ask::Ask;
use tenon_tui::text::{Frame, Line, Role, Size};

pub fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

pub fn letter(c: char) -> KeyEvent {
    key(KeyCode::Char(c))
}

pub fn control(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)
}

pub fn plain(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::plain).collect()
}

pub fn text(frame: &Frame) -> String {
    plain(&frame.lines).join("\n")
}

/// The question as it comes on a screen on which all of that is seen.
pub fn look(ask: &Ask, size: Size) -> Frame {
    let frame = ask.view(size);
    ask.reached();
    frame
}

/// The text with what has a role in angle brackets.
pub fn with(role: Role, line: &Line) -> String {
    let pieces = line.spans.iter().map(|span| {
        if span.style.role == role {
            format!("<{}>", span.text())
        } else {
            span.text().to_owned()
        }
    });
    pieces.collect::<String>().trim_end().to_owned()
}
