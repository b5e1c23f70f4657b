//! The modes in force, and the way back from them, which works from anywhere:
//! from the end of the program, a panic, a signal.

use super::{Environment, send};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// What a panic hook must know and nobody can hand to it: the hook is called
/// without arguments, on any thread, while the owner of [`Modes`] may be the one
/// that panicked. The settings are written once; the marks say which sequences
/// have been sent, so that nothing is undone that was not done: leaving a page
/// that was never entered moves the cursor, popping a keyboard mode twice takes
/// away someone else's.
static BEFORE: OnceLock<Termios> = OnceLock::new();
static MARKS: AtomicU8 = AtomicU8::new(0);

/// Bits of [`MARKS`].
const IN_FORCE: u8 = 1;
const OTHER_KEYS: u8 = 2;
const PAGED: u8 = 4;
/// The terminal takes no commands beyond colours and the cursor.
const SPARE: u8 = 8;

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
const PAGE_OFF: &str = "\x1b[?1049l";
/// An update that was not ended, mouse reports of whatever kind (never asked
/// for, but a program that was started from here may have left them on), focus,
/// paste; then autowrap, the cursor, the colours.
const RESET: &str = "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m";

/// The modes in force while it lives.
#[derive(Debug)]
pub struct Modes {
    extra: u8,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Entered,
    Paused,
}

/// Whether the modes were still in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Yes,
    /// They had been put back: something panicked, and the program went on. They
    /// are in force again, but the message stands somewhere on the screen.
    Lost,
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
        let _ = BEFORE.set(before);
        let extra = match environment {
            known if !known.takes_commands() => SPARE,
            known if known.tmux || known.xterm => OTHER_KEYS,
            _ => 0,
        };
        start(extra)?;
        Ok(Self {
            extra,
            state: State::Entered,
        })
    }

    /// As it was before, for another program or for a stop; [`Modes::resume`]
    /// comes back.
    pub fn pause(&mut self) {
        self.state = State::Paused;
        leave(Below::Untouched);
    }

    pub fn resume(&mut self) {
        self.state = State::Entered;
        let _ = start(self.extra);
    }

    /// To be called before drawing: a panic that someone caught has put the
    /// terminal back all the same, for the hook cannot know. Costs nothing.
    pub fn ensure(&mut self) -> Kept {
        if self.state == State::Paused || MARKS.load(Ordering::SeqCst) & IN_FORCE != 0 {
            return Kept::Yes;
        }
        let _ = crossterm::terminal::disable_raw_mode();
        let _ = start(self.extra);
        Kept::Lost
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        leave(Below::Untouched);
    }
}

fn start(extra: u8) -> io::Result<()> {
    // Through crossterm: its reader takes a line feed for Enter unless it set
    // raw mode itself, and Ctrl+J would be lost.
    crossterm::terminal::enable_raw_mode()?;
    MARKS.fetch_or(IN_FORCE | extra, Ordering::SeqCst);
    let mut out = String::from(REPORTS_ON);
    if extra & SPARE == 0 {
        out.push_str(TITLE_AND_KEYS_ON);
    }
    if extra & OTHER_KEYS != 0 {
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

fn leave(below: Below) {
    let marks = MARKS.swap(0, Ordering::SeqCst);
    if marks & IN_FORCE == 0 {
        return;
    }
    send(undoing(marks, below).as_bytes());
    let _ = crossterm::terminal::disable_raw_mode();
    settings_back();
}

fn undoing(marks: u8, below: Below) -> String {
    let mut out = String::new();
    if marks & PAGED != 0 {
        out.push_str(PAGE_OFF);
    }
    if marks & OTHER_KEYS != 0 {
        out.push_str(OTHER_KEYS_OFF);
    }
    if marks & SPARE == 0 {
        out.push_str(TITLE_AND_KEYS_OFF);
    }
    out.push_str(RESET);
    if below == Below::Erased {
        out.push_str("\r\n\x1b[J");
    }
    out
}

fn settings_back() {
    if let Some(before) = BEFORE.get() {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
    }
}

/// Puts the terminal back, whoever calls and whatever is going on: takes no
/// lock, allocates little, does nothing the second time.
pub fn restore_now() {
    let marks = MARKS.swap(0, Ordering::SeqCst);
    if marks & IN_FORCE == 0 {
        return;
    }
    // Not through crossterm, whose lock the panicking thread may hold.
    send(undoing(marks, Below::Erased).as_bytes());
    settings_back();
}

/// After this a panic leaves a terminal that can be used, with its message on
/// it. To be called once.
pub fn install_panic_hook() {
    let former = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore_now();
        former(panic);
    }));
}

/// Which page of the terminal is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    Main,
    Other,
}

/// Remembers which page is shown, for whoever must put the terminal back.
pub(crate) fn turned(page: Page) {
    match page {
        Page::Main => MARKS.fetch_and(!PAGED, Ordering::SeqCst),
        Page::Other => MARKS.fetch_or(PAGED, Ordering::SeqCst),
    };
}

/// Whether a title can be set: not before the modes are in force, for then the
/// old one is not kept.
pub(super) fn takes_title() -> bool {
    let marks = MARKS.load(Ordering::SeqCst);
    marks & IN_FORCE != 0 && marks & SPARE == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_done_is_undone() {
        let plain = undoing(IN_FORCE, Below::Untouched);
        assert!(plain.ends_with("\x1b[?7h\x1b[?25h\x1b[0m"), "{plain:?}");
        assert!(plain.contains("\x1b[<1u") && plain.contains("\x1b[23;2t"));
        assert!(!plain.contains("1049") && !plain.contains("\x1b[>4"));
        let paged = undoing(IN_FORCE | PAGED | OTHER_KEYS, Below::Erased);
        assert!(paged.starts_with("\x1b[?1049l") && paged.contains("\x1b[>4m"));
        assert!(paged.ends_with("\x1b[J"));
        let console = undoing(IN_FORCE | SPARE, Below::Untouched);
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

    #[test]
    fn nothing_is_put_back_that_was_never_taken() {
        turned(Page::Other);
        turned(Page::Main);
        restore_now();
        assert!(!takes_title());
    }
}
