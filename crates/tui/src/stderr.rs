//! Standard error while the interface owns the screen. Whatever any part of the
//! program writes there would be painted over the live area; here it becomes
//! lines of the conversation instead. What nobody has read when the interface
//! ends goes to where it was meant to go.

use std::io::{self, IsTerminal, PipeReader, PipeWriter, Write};
use std::os::fd::OwnedFd;
use tokio::net::unix::pipe::Receiver;

/// Longer lines are cut: nobody would read them.
const LONGEST: usize = 16 * 1024;

/// What reading gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filled {
    Some,
    Nothing,
    Ended,
}

#[derive(Debug)]
pub struct Captured {
    /// Where standard error led before.
    saved: OwnedFd,
    writer: PipeWriter,
    reader: Receiver,
    pending: Vec<u8>,
}

impl Captured {
    /// `None` where standard error is no terminal: it disturbs nothing there.
    ///
    /// # Errors
    /// When no pipe can be made.
    pub fn begin() -> io::Result<Option<Self>> {
        if !io::stderr().is_terminal() {
            return Ok(None);
        }
        let (reader, writer): (PipeReader, PipeWriter) = io::pipe()?;
        // Who writes more than is read must not wait for the one who reads: it
        // may be the same thread.
        rustix::io::ioctl_fionbio(&writer, true)?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        let saved = rustix::io::dup(io::stderr())?;
        let captured = Self {
            saved,
            reader: Receiver::from_owned_fd(reader.into())?,
            writer,
            pending: Vec::new(),
        };
        captured.resume();
        Ok(Some(captured))
    }

    /// Another program has the terminal: its errors are its own.
    pub fn pause(&self) {
        let _ = rustix::stdio::dup2_stderr(&self.saved);
    }

    pub fn resume(&self) {
        let _ = rustix::stdio::dup2_stderr(&self.writer);
    }

    /// The next line that was written.
    pub async fn line(&mut self) -> String {
        loop {
            if let Some(line) = self.whole() {
                return line;
            }
            // Only the end of the program closes the other side.
            if self.reader.readable().await.is_err() || self.fill() == Filled::Ended {
                return std::future::pending().await;
            }
        }
    }

    fn fill(&mut self) -> Filled {
        let mut buffer = [0; 4096];
        match self.reader.try_read(&mut buffer) {
            Ok(0) => Filled::Ended,
            Ok(count) => {
                self.pending
                    .extend_from_slice(buffer.get(..count).unwrap_or_default());
                Filled::Some
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Filled::Nothing,
            Err(_) => Filled::Ended,
        }
    }

    fn whole(&mut self) -> Option<String> {
        let end = self.pending.iter().position(|&byte| byte == b'\n');
        let (end, rest) = match end {
            Some(at) => (at, at + 1),
            None if self.pending.len() > LONGEST => (self.pending.len(), self.pending.len()),
            None => return None,
        };
        let line: Vec<u8> = self.pending.drain(..rest).take(end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.pause();
        // The last words of a panic, say.
        while self.fill() == Filled::Some {}
        let _ = io::stderr().write_all(&self.pending);
    }
}
