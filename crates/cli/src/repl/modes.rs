//! The terminal as it was found, put back at the end whatever the end is: the
//! editor's thread may stand in the middle of a line.

use super::input::Editing;
use crate::render::waiting::Motion;
use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{IsTerminal, Write};
use tenon_config::Env;

/// Also what a paste is bracketed with is switched off.
const PASTE_OFF: &str = "\x1b[?2004l";

#[derive(Debug)]
pub struct Saved(Option<Termios>);

impl Saved {
    pub fn take() -> Self {
        Self(tcgetattr(std::io::stdin()).ok())
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let Some(saved) = &self.0 else {
            return;
        };
        let changed =
            tcgetattr(std::io::stdin()).is_ok_and(|now| now.local_modes != saved.local_modes);
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, saved);
        let mut stderr = std::io::stderr().lock();
        if Motion::for_stderr() == Motion::Redrawn {
            let _ = write!(stderr, "{PASTE_OFF}");
        }
        if changed {
            let _ = writeln!(stderr);
        }
    }
}

/// The terminal gives keys instead of lines, until this is dropped. Entered
/// before the editor takes over, so that no Enter is typed in between that
/// would arrive as the end of a line and not as a key.
#[derive(Debug)]
pub struct Keys(Option<Termios>);

impl Keys {
    pub fn enter() -> Self {
        let saved = tcgetattr(std::io::stdin()).ok();
        if let Some(mut modes) = saved.clone() {
            modes
                .local_modes
                .remove(LocalModes::ICANON | LocalModes::ECHO);
            modes.input_modes.remove(InputModes::ICRNL);
            // A terminal that is gone gives nothing, and the editor notices.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &modes);
        }
        Self(saved)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(saved) = &self.0 {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, saved);
        }
    }
}

/// What this terminal can do.
pub fn editing(motion: Motion, env: &Env) -> Editing {
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    // A screen reader reads what is appended, not what is drawn anew.
    let read_aloud = env.get("ACCESSIBLE").is_some_and(|value| !value.is_empty());
    if terminal && motion == Motion::Redrawn && !read_aloud {
        Editing::Full
    } else {
        Editing::Plain
    }
}

pub fn prompt(label: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{label}").and_then(|()| stderr.flush());
}
