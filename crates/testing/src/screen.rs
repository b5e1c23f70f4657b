//! A terminal with a program in it: a real pty, and an emulator that reads what
//! the program writes and answers what it asks, as a terminal does. Keys go in
//! as bytes. Nothing here knows what the program is meant to show.

use crate::wait_until;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Long, because it only costs time in a test that fails.
const DEADLINE: Duration = Duration::from_secs(30);
/// What comes faster than this is taken for a paste. A person is slower.
const PACE: Duration = Duration::from_millis(20);
/// A frame takes no longer, unless the program has stopped inside of it.
const FRAME: Duration = Duration::from_secs(1);
const SCROLLBACK: usize = 100_000;

pub const ENTER: &str = "\r";
pub const ESC: &str = "\x1b";
pub const BACKSPACE: &str = "\x7f";
pub const UP: &str = "\x1b[A";
pub const DOWN: &str = "\x1b[B";
pub const RIGHT: &str = "\x1b[C";
pub const LEFT: &str = "\x1b[D";

/// The byte of a letter that is pressed together with Ctrl.
#[must_use]
pub fn control(letter: char) -> String {
    let byte = u8::try_from(letter).unwrap_or(b'@') & 0x1f;
    char::from(byte).to_string()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cells {
    pub columns: u16,
    pub rows: u16,
}

/// The colour of the terminal's background, which a program may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    Dark,
    Light,
}

/// Ends the program when it is dropped.
#[derive(Debug)]
pub struct Screen {
    child: Child,
    controller: File,
    seen: Arc<Mutex<Seen>>,
    before: Termios,
}

struct Seen {
    emulator: vt100::Parser,
    raw: Vec<u8>,
    /// Bytes of `raw` in which the program's questions have been answered.
    answered: usize,
    /// Inside of a frame: what is shown is half old and half new.
    drawing: bool,
    ended: bool,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen")
            .field("bytes", &self.raw.len())
            .finish_non_exhaustive()
    }
}

/// What is on the screen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Without the blanks at their ends.
    pub rows: Vec<String>,
    /// Row and column, from 0.
    pub cursor: (usize, usize),
    pub cursor_shown: bool,
    /// The other page is shown, not the one with the scrollback.
    pub paged: bool,
    pub bracketed_paste: bool,
}

impl View {
    #[must_use]
    pub fn text(&self) -> String {
        self.rows.join("\n").trim_end().to_owned()
    }

    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.rows.iter().any(|row| row.contains(text))
    }

    /// The first row with this text.
    #[must_use]
    pub fn row(&self, text: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.contains(text))
    }

    /// The row that the cursor is in.
    #[must_use]
    pub fn at_cursor(&self) -> &str {
        self.rows.get(self.cursor.0).map_or("", String::as_str)
    }
}

impl Screen {
    /// # Panics
    /// When there is no pty, or the program does not start.
    #[must_use]
    pub fn start(command: Command, cells: Cells) -> Self {
        Self::start_on(command, cells, Paper::Dark)
    }

    /// # Panics
    /// When there is no pty, or the program does not start.
    #[must_use]
    pub fn start_on(mut command: Command, cells: Cells, paper: Paper) -> Self {
        let (controller, user) = match pair(cells) {
            Ok(pair) => pair,
            Err(error) => panic!("no pseudo terminal: {error}"),
        };
        let before = match tcgetattr(&controller) {
            Ok(before) => before,
            Err(error) => panic!("the terminal cannot be asked: {error}"),
        };
        let seen = Arc::new(Mutex::new(Seen {
            emulator: vt100::Parser::new(count(cells.rows), count(cells.columns), SCROLLBACK),
            raw: Vec::new(),
            answered: 0,
            drawing: false,
            ended: false,
        }));
        let started = user.try_clone().and_then(|input| {
            let output = user.try_clone()?;
            // A group of its own: a program that stops its group with Ctrl+Z
            // must not stop the test.
            command
                .stdin(input)
                .stdout(output)
                .stderr(user)
                .process_group(0)
                .spawn()
        });
        drop(command);
        let child = match started {
            Ok(child) => child,
            Err(error) => panic!("the program did not start: {error}"),
        };
        let screen = Self {
            child,
            controller,
            seen,
            before,
        };
        screen.read(paper);
        screen
    }

    /// Reads for as long as anybody has the terminal open.
    fn read(&self, paper: Paper) {
        let both = self.controller.try_clone().and_then(|reader| {
            let writer = self.controller.try_clone()?;
            Ok((reader, writer))
        });
        let (mut reader, mut writer) = match both {
            Ok(both) => both,
            Err(error) => panic!("the terminal cannot be read: {error}"),
        };
        let seen = Arc::clone(&self.seen);
        std::thread::spawn(move || {
            let mut piece = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = reader.read(&mut piece) {
                let answer = {
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.take(piece.get(..length).unwrap_or_default(), paper)
                };
                // A program that has gone hears no answer.
                let _ = writer.write_all(answer.as_bytes());
            }
            seen.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        });
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Presses keys, as the bytes that a terminal makes of them.
    ///
    /// # Panics
    /// When the terminal takes nothing more.
    pub fn keys(&self, bytes: &str) -> &Self {
        if let Err(error) = (&self.controller).write_all(bytes.as_bytes()) {
            panic!("keys cannot be pressed: {error}\n{}", self.view().text());
        }
        self
    }

    /// A key at the pace of a person, after everything before it is done.
    ///
    /// # Panics
    /// When the terminal takes nothing more.
    pub fn key(&self, bytes: &str) -> &Self {
        std::thread::sleep(PACE);
        self.keys(bytes)
    }

    /// Types a text that fits in one row, and waits until it is shown.
    ///
    /// # Panics
    /// When it is not shown in time.
    pub fn text(&self, text: &str) -> &Self {
        self.key(text).see(text.trim())
    }

    /// Types a line and sends it.
    ///
    /// # Panics
    /// When it is not shown in time.
    pub fn line(&self, text: &str) -> &Self {
        self.text(text).key(ENTER)
    }

    /// As a terminal marks what is pasted.
    ///
    /// # Panics
    /// When the terminal takes nothing more.
    pub fn paste(&self, text: &str) -> &Self {
        self.keys(&format!("\x1b[200~{text}\x1b[201~"))
    }

    /// Between two frames, of a program that marks them.
    #[must_use]
    pub fn view(&self) -> View {
        let _ = wait_until(FRAME, || !self.seen().drawing);
        let seen = self.seen();
        let screen = seen.emulator.screen();
        let rows = screen.rows(0, screen.size().1.get());
        let (row, column) = screen.cursor_position();
        View {
            rows: rows.map(|row| row.trim_end().to_owned()).collect(),
            cursor: (usize::from(row), usize::from(column)),
            cursor_shown: !screen.hide_cursor(),
            paged: screen.alternate_screen(),
            bracketed_paste: screen.bracketed_paste(),
        }
    }

    /// Waits until the screen is so, and gives it.
    ///
    /// # Panics
    /// When it never is.
    pub fn until(&self, what: &str, mut holds: impl FnMut(&View) -> bool) -> View {
        let mut view = self.view();
        let held = wait_until(DEADLINE, || {
            view = self.view();
            holds(&view)
        });
        assert!(held, "{what} did not come:\n{}", self.report());
        view
    }

    /// Waits until a text is on the screen, in one row.
    ///
    /// # Panics
    /// When it never is.
    pub fn see(&self, text: &str) -> &Self {
        self.until(&format!("{text:?}"), |view| view.has(text));
        self
    }

    /// Waits until a text is on the screen no more.
    ///
    /// # Panics
    /// When it stays.
    pub fn gone(&self, text: &str) -> &Self {
        self.until(&format!("the end of {text:?}"), |view| !view.has(text));
        self
    }

    /// All that was shown and scrolled away, and the screen.
    #[must_use]
    pub fn all(&self) -> Vec<String> {
        let mut seen = self.seen();
        let screen = seen.emulator.screen_mut();
        let columns = screen.size().1.get();
        let mut lines = Vec::new();
        for above in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(above);
            lines.extend(screen.rows(0, columns).next());
        }
        screen.set_scrollback(0);
        lines.extend(screen.rows(0, columns));
        let mut lines: Vec<String> = lines.iter().map(|row| row.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Waits until a text was shown, wherever it is now.
    ///
    /// # Panics
    /// When it never was.
    pub fn saw(&self, text: &str) -> &Self {
        let shown = || self.all().iter().any(|line| line.contains(text));
        let held = wait_until(DEADLINE, shown);
        assert!(held, "{text:?} did not come:\n{}", self.report());
        self
    }

    fn report(&self) -> String {
        let view = self.view();
        let ended = if self.seen().ended {
            " (nobody has it open)"
        } else {
            ""
        };
        format!("cursor {:?}{ended}\n{}", view.cursor, self.all().join("\n"))
    }

    /// The bytes that the program has written so far.
    #[must_use]
    pub fn raw(&self) -> Vec<u8> {
        self.seen().raw.clone()
    }

    /// What the emulator knows, with colours.
    #[must_use]
    pub fn emulated(&self) -> vt100::Screen {
        self.seen().emulator.screen().clone()
    }

    /// # Panics
    /// When the terminal cannot have that size.
    pub fn resize(&self, cells: Cells) -> &Self {
        // Both under one lock: nothing is read for the wrong size between them.
        let mut seen = self.seen();
        seen.emulator
            .set_size(count(cells.rows), count(cells.columns));
        if let Err(error) = tcsetwinsize(&self.controller, size(cells)) {
            panic!("the terminal cannot be resized: {error}");
        }
        drop(seen);
        // The terminal controls nobody, so nobody is told by the system.
        self.signal(Signal::WINCH)
    }

    /// # Panics
    /// When the program has ended.
    pub fn signal(&self, signal: Signal) -> &Self {
        let pid = Pid::from_child(&self.child);
        if let Err(error) = kill_process(pid, signal) {
            panic!("{signal:?} cannot be sent: {error}\n{}", self.report());
        }
        self
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How the terminal was set before the program had it.
    #[must_use]
    pub fn settings_before(&self) -> &Termios {
        &self.before
    }

    /// How the terminal is set now.
    ///
    /// # Panics
    /// When it cannot be asked.
    #[must_use]
    pub fn settings(&self) -> Termios {
        match tcgetattr(&self.controller) {
            Ok(settings) => settings,
            Err(error) => panic!("the terminal cannot be asked: {error}"),
        }
    }

    /// Waits until the program has ended and all that it wrote is on the screen.
    ///
    /// # Panics
    /// When it does not end.
    pub fn left(&mut self) -> ExitStatus {
        let mut status = None;
        let ended = wait_until(DEADLINE, || {
            status = self.child.try_wait().ok().flatten();
            status.is_some() && self.seen().ended
        });
        match status {
            Some(status) if ended => status,
            _ => panic!("the program did not end:\n{}", self.report()),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Seen {
    /// Shows it, and gives what a terminal answers.
    fn take(&mut self, bytes: &[u8], paper: Paper) -> String {
        self.emulator.process(bytes);
        let from = self.raw.len().saturating_sub(8);
        self.raw.extend_from_slice(bytes);
        let fresh = self.raw.get(from..).unwrap_or_default();
        let last = |mark: &[u8]| fresh.windows(mark.len()).rposition(|window| window == mark);
        match (last(b"\x1b[?2026h"), last(b"\x1b[?2026l")) {
            (None, None) => {}
            (begun, ended) => self.drawing = begun > ended,
        }
        let mut answer = String::new();
        let asked = |raw: &[u8], from: usize, question: &[u8]| {
            let fresh = raw.get(from..).unwrap_or_default();
            fresh
                .windows(question.len())
                .position(|window| window == question)
                .map(|at| from + at + question.len())
        };
        if let Some(end) = asked(&self.raw, self.answered, b"\x1b]11;?\x1b\\") {
            self.answered = end;
            answer.push_str(match paper {
                Paper::Dark => "\x1b]11;rgb:1010/1010/1414\x1b\\",
                Paper::Light => "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
            });
        }
        if let Some(end) = asked(&self.raw, self.answered, b"\x1b[c") {
            self.answered = end;
            answer.push_str("\x1b[?62;22c");
        }
        // What was looked through need not be looked through again, but for a
        // question that was cut in two.
        self.answered = self.answered.max(self.raw.len().saturating_sub(16));
        answer
    }
}

fn pair(cells: Cells) -> std::io::Result<(File, OwnedFd)> {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&controller)?;
    unlockpt(&controller)?;
    tcsetwinsize(&controller, size(cells))?;
    let name = ptsname(&controller, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let user = rustix::fs::open(name, flags, Mode::empty())?;
    Ok((File::from(controller), user))
}

fn size(cells: Cells) -> Winsize {
    Winsize {
        ws_row: cells.rows,
        ws_col: cells.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

fn count(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}
