//! A page on standard output while it is made: that of a session may be larger
//! than the memory. Foreign text throughout, so a terminal gets it harmless.

use crate::CommandResult;
use crate::error::CliError;
use crate::screen;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use tenon_session::SessionError;
use tenon_vocab::Printable;

/// What is printed at once, at whole lines.
const PIECE: usize = 256 * 1024;

/// Prints what `make` writes. A reader that has gone, as `head` does, has what it
/// wanted.
pub fn print(make: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> CommandResult {
    let mut page = Printed {
        held: Vec::new(),
        terminal: io::stdout().is_terminal(),
    };
    match make(&mut page).and_then(|()| page.give(page.held.len())) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(failed(error, |error| {
            CliError::runtime(format!("can't print: {error}"))
        })),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// Whether it was the session that could not be read, or the page not be written.
pub fn failed(error: io::Error, writing: impl FnOnce(io::Error) -> CliError) -> CliError {
    match error.downcast::<SessionError>() {
        Ok(error) => error.into(),
        Err(error) => writing(error),
    }
}

struct Printed {
    held: Vec<u8>,
    terminal: bool,
}

impl Printed {
    fn give(&mut self, count: usize) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        let piece = String::from_utf8_lossy(&self.held[..count]);
        let given = if self.terminal {
            screen::print(Printable::block(&piece).as_str())
        } else {
            screen::print(&piece)
        };
        drop(piece);
        self.held.drain(..count);
        given
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE
            && let Some(feed) = self.held.iter().rposition(|byte| *byte == b'\n')
        {
            self.give(feed + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
