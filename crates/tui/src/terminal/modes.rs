//! The modes in force, and the way back from them: at the end of the program, on
//! the way out of a panic, around another program.

use super::{Environment, escape, send};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal};

/// Bracketed paste and reports of focus.
const REPORTS_ON: &str = "\x1b[?2004h\x1b[?1004h";
/// The title is put aside; keys that were not told apart are (kitty's protocol,
/// its first step only: text still comes as text).
const TITLE_AND_KEYS_ON: &str = "\x1b[22;2t\x1b[>1u";
/// xterm's way of the same: asked of xterm and tmux, which have no other. In
/// its first step, where only keys change that had no code of their own; and
/// as `CSI … u`, the one notation of it that is read here.
const OTHER_KEYS_ON: &str = "\x1b[>4;1m\x1b[>4;1f";
const OTHER_KEYS_OFF: &str = "\x1b[>4m\x1b[>4f";
const TITLE_AND_KEYS_OFF: &str = "\x1b[<1u\x1b[23;2t";
/// An update that was not ended, mouse reports of whatever kind (never asked
/// for, but a program that was started from here may have left them on), focus,
/// paste; then autowrap, the cursor, the colours.
const RESET: &str = "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m";

/// The modes in force while it lives.
#[derive(Debug)]
pub struct Modes {
    before: Termios,
    able: Able,
    state: State,
}

/// What the terminal takes beyond colours, the cursor and reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Able {
    Nothing,
    TitleAndKeys,
    /// And xterm's way to tell keys apart.
    OtherKeys,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Entered,
    Paused,
}

impl Modes {
    /// Raw mode, bracketed paste, focus reports, and the keyboard protocol that
    /// tells Shift+Enter from Enter.
    ///
    /// # Errors
    /// When standard input is no terminal.
    pub fn enter() -> io::Result<Self> {
        Self::enter_in(&Environment {
            term: String::from("unknown"),
            ..Environment::default()
        })
    }

    /// The same, knowing the terminal: xterm and tmux are asked in their own
    /// way, the Linux console for nothing that it does not have.
    ///
    /// # Errors
    /// When standard input is no terminal.
    pub fn enter_in(environment: &Environment) -> io::Result<Self> {
        let input = io::stdin();
        if !input.is_terminal() {
            return Err(io::Error::other("standard input is not a terminal"));
        }
        let before = tcgetattr(&input)?;
        let able = match environment {
            known if !known.takes_commands() => Able::Nothing,
            known if known.tmux || known.xterm => Able::OtherKeys,
            _ => Able::TitleAndKeys,
        };
        start(able)?;
        Ok(Self {
            before,
            able,
            state: State::Entered,
        })
    }

    /// As it was before, for another program or for a stop; [`Modes::resume`]
    /// comes back.
    pub fn pause(&mut self) {
        self.leave(Below::Untouched);
    }

    pub fn resume(&mut self) {
        self.state = State::Entered;
        let _ = start(self.able);
    }

    /// The title of the window. The one before comes back with the old modes.
    pub fn title(&self, text: &str) {
        if self.state == State::Entered && self.able != Able::Nothing {
            send(escape::title(text).as_bytes());
        }
    }

    fn leave(&mut self, below: Below) {
        if std::mem::replace(&mut self.state, State::Paused) == State::Paused {
            return;
        }
        send(undoing(self.able, below).as_bytes());
        let _ = crossterm::terminal::disable_raw_mode();
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

impl Drop for Modes {
    /// Also on the way out of a panic, whose message follows.
    fn drop(&mut self) {
        self.leave(match std::thread::panicking() {
            true => Below::Erased,
            false => Below::Untouched,
        });
    }
}

fn start(able: Able) -> io::Result<()> {
    // Through crossterm: its reader takes a line feed for Enter unless it set
    // raw mode itself, and Ctrl+J would be lost.
    crossterm::terminal::enable_raw_mode()?;
    let mut out = String::from(REPORTS_ON);
    if able != Able::Nothing {
        out.push_str(TITLE_AND_KEYS_ON);
    }
    if able == Able::OtherKeys {
        out.push_str(OTHER_KEYS_ON);
    }
    send(out.as_bytes());
    Ok(())
}

/// What becomes of the rows below the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    Untouched,
    /// A message follows: it begins on a row of its own.
    Erased,
}

/// Only what was done is undone: popping a keyboard mode twice takes away
/// someone else's.
fn undoing(able: Able, below: Below) -> String {
    let mut out = String::new();
    if able == Able::OtherKeys {
        out.push_str(OTHER_KEYS_OFF);
    }
    if able != Able::Nothing {
        out.push_str(TITLE_AND_KEYS_OFF);
    }
    out.push_str(RESET);
    if below == Below::Erased {
        out.push_str("\r\n\x1b[J");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_done_is_undone() {
        let plain = undoing(Able::TitleAndKeys, Below::Untouched);
        assert!(plain.ends_with("\x1b[?7h\x1b[?25h\x1b[0m"), "{plain:?}");
        assert!(plain.contains("\x1b[<1u") && plain.contains("\x1b[23;2t"));
        assert!(!plain.contains("1049") && !plain.contains("\x1b[>4"));
        let xterm = undoing(Able::OtherKeys, Below::Erased);
        assert!(xterm.contains("\x1b[>4m") && xterm.ends_with("\x1b[J"));
        let console = undoing(Able::Nothing, Below::Untouched);
        assert!(
            !console.contains("\x1b[<") && !console.contains('t'),
            "{console:?}"
        );
        for off in [
            "1000l", "1002l", "1003l", "1006l", "2004l", "1004l", "2026l",
        ] {
            assert!(console.contains(off), "{off}");
        }
    }
}
