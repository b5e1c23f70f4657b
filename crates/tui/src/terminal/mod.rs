//! The terminal's modes, and that they are always put back: at the end, after a
//! panic, by a signal, around another program, before the program is stopped.
//!
//! Also what is told to the terminal around the screen: notification, title.
//! What stands on the screen is [`crate::screen`]'s.

mod escape;
mod ground;
mod modes;

pub use ground::{ground, ground_by, ground_now};
pub use modes::Modes;

use crate::screen::Reflow;
use crate::text::Size;
use crate::theme::Depth;
use rustix::io::Errno;
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::tcgetwinsize;
use std::io;
use std::time::Duration;

/// What the environment says of the terminal; given by the program around.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub term: String,
    pub colorterm: String,
    /// Inside tmux.
    pub tmux: bool,
    /// The value of XTERM_VERSION, of a real xterm.
    pub xterm: bool,
    /// NO_COLOR and its kin.
    pub colourless: bool,
}

impl Environment {
    /// Whether sequences that it does not know are skipped: not by the Linux
    /// console of old, and not where nothing is known.
    fn takes_commands(&self) -> bool {
        !matches!(self.term.as_str(), "" | "dumb" | "linux")
            && (self.tmux || !self.term.starts_with("screen"))
    }
}

#[must_use]
pub fn depth(environment: &Environment) -> Depth {
    let term = environment.term.as_str();
    if environment.colourless || matches!(term, "" | "dumb") || term.ends_with("-mono") {
        return Depth::None;
    }
    if matches!(environment.colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct")
    {
        return Depth::True;
    }
    if term.contains("256color") || matches!(term, "xterm-kitty" | "xterm-ghostty" | "alacritty") {
        return Depth::Many;
    }
    Depth::Sixteen
}

/// What it does with long lines when it gets narrower. tmux wraps whatever the
/// terminal around it does.
#[must_use]
pub fn reflow(environment: &Environment) -> Reflow {
    let term = environment.term.as_str();
    if environment.tmux {
        Reflow::Wraps
    } else if environment.xterm || term == "linux" || term.starts_with("screen") {
        Reflow::Cuts
    } else {
        Reflow::Wraps
    }
}

/// The size of the terminal, if there is one.
#[must_use]
pub fn size() -> Option<Size> {
    let size = tcgetwinsize(io::stdout())
        .or_else(|_| tcgetwinsize(io::stdin()))
        .ok()?;
    let (columns, rows) = (usize::from(size.ws_col), usize::from(size.ws_row));
    (columns > 0 && rows > 0).then_some(Size { columns, rows })
}

/// Asks for attention, with a notification where the terminal has them.
pub fn notify(text: &str, environment: &Environment) {
    send(escape::notification(text, environment).as_bytes());
}

/// Stops the program, as Ctrl+Z does, and returns when it goes on. The modes
/// have to be paused around it.
pub fn stop() {
    // The whole group: also the shell script that started the program, if any,
    // has to stop, or the terminal stays with it.
    if kill_current_process_group(Signal::TSTP).is_ok() {
        // Another thread may be the one that takes the signal, a moment later.
        // Nothing may touch the terminal in that moment.
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Writes past the buffer of standard output, whose lock may be held by the one
/// that panicked. The screen flushes whatever it writes, so that nothing is
/// overtaken. A terminal that is gone is no error here: there is nobody to tell.
fn send(mut bytes: &[u8]) {
    let out = io::stdout();
    let mut refused = 0;
    while !bytes.is_empty() {
        match rustix::io::write(&out, bytes) {
            Ok(count @ 1..) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if refused < 50 => {
                refused += 1;
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(0) | Err(_) => return,
        }
    }
}

/// Whether the terminal says what is a paste: nearly all do, the Linux console
/// does not, and GNU screen only for the terminal around it, not for its own.
#[must_use]
pub fn marks_pastes(environment: &Environment) -> bool {
    environment.tmux
        || !(environment.term.starts_with("screen")
            || matches!(
                environment.term.as_str(),
                "linux" | "vt100" | "vt220" | "ansi"
            ))
}

/// Drops what was typed and not read yet.
pub fn forget_typed() {
    // A terminal that is gone has nothing to forget.
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(term: &str, colorterm: &str) -> Environment {
        Environment {
            term: term.to_owned(),
            colorterm: colorterm.to_owned(),
            ..Environment::default()
        }
    }

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        for (term, colorterm, expected) in [
            ("xterm-256color", "truecolor", Depth::True),
            ("tmux-256color", "24bit", Depth::True),
            ("xterm-256color", "", Depth::Many),
            ("screen-256color", "", Depth::Many),
            ("xterm", "", Depth::Sixteen),
            ("linux", "", Depth::Sixteen),
            ("vt100-mono", "truecolor", Depth::None),
            ("dumb", "truecolor", Depth::None),
            ("", "", Depth::None),
        ] {
            assert_eq!(
                depth(&known(term, colorterm)),
                expected,
                "{term} {colorterm}"
            );
        }
        let colourless = Environment {
            colourless: true,
            ..known("xterm-256color", "truecolor")
        };
        assert_eq!(depth(&colourless), Depth::None);
    }

    #[test]
    fn screen_is_not_trusted_to_mark_pastes_and_tmux_is() {
        for (term, marks) in [
            ("xterm-256color", true),
            ("screen", false),
            ("screen-256color-bce", false),
            ("screen.xterm-256color", false),
            ("linux", false),
        ] {
            assert_eq!(marks_pastes(&known(term, "")), marks, "{term}");
        }
        let inside = Environment {
            tmux: true,
            ..known("screen-256color", "")
        };
        assert!(marks_pastes(&inside));
    }

    #[test]
    fn xterm_the_console_and_screen_cut_and_all_else_wraps() {
        assert_eq!(reflow(&known("linux", "")), Reflow::Cuts);
        assert_eq!(reflow(&known("screen-256color", "")), Reflow::Cuts);
        assert_eq!(reflow(&known("xterm-256color", "")), Reflow::Wraps);
        let real = Environment {
            xterm: true,
            ..known("xterm-256color", "")
        };
        assert_eq!(reflow(&real), Reflow::Cuts);
        let inside = Environment {
            tmux: true,
            xterm: true,
            ..known("screen-256color", "")
        };
        assert_eq!(reflow(&inside), Reflow::Wraps);
    }
}
