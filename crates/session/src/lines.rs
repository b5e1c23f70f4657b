//! Reading lines of a log: forwards from an offset, one at an offset, and
//! backwards from the end. A line is whole when its line feed is there. Knows
//! bytes only.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;

/// No record that we write comes near this; a file that has no line feed for
/// so long is no log, and must not fill the memory.
pub(crate) const LONGEST: u64 = 64 * 1024 * 1024;
const BLOCK: u64 = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Line {
    pub offset: u64,
    /// Without the line feed.
    pub bytes: Vec<u8>,
}

/// Forwards. Reads by position, so that it shares no cursor with the writer.
#[derive(Debug)]
pub(crate) struct Lines<F> {
    reader: BufReader<Positioned<F>>,
    offset: u64,
}

#[derive(Debug)]
struct Positioned<F> {
    file: F,
    offset: u64,
}

impl<F: Borrow<File>> Read for Positioned<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.borrow().read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl<F: Borrow<File>> Lines<F> {
    pub fn new(file: F, offset: u64) -> Self {
        Self {
            reader: BufReader::with_capacity(128 * 1024, Positioned { file, offset }),
            offset,
        }
    }

    /// The next whole line; `None` at the end, also before a line that is not whole.
    pub fn next_whole(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        let read = (&mut self.reader)
            .take(LONGEST)
            .read_until(b'\n', &mut bytes)?;
        if bytes.last() != Some(&b'\n') {
            if read as u64 == LONGEST {
                return Err(too_long());
            }
            return Ok(None);
        }
        bytes.pop();
        let offset = self.offset;
        self.offset += read as u64;
        Ok(Some(Line { offset, bytes }))
    }

    /// Where the next line begins, or the torn rest of the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// The whole line that begins at `offset`.
pub(crate) fn line_at(file: &File, offset: u64) -> io::Result<Option<Vec<u8>>> {
    line_within(file, offset, LONGEST)
}

/// The same, for a line that is known to be short.
pub(crate) fn line_within(file: &File, offset: u64, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut block = 4 * 1024;
    loop {
        let seen = bytes.len();
        bytes.resize(seen + block, 0);
        let read = read_at(file, &mut bytes[seen..], offset + seen as u64)?;
        bytes.truncate(seen + read);
        if let Some(end) = bytes[seen..].iter().position(|byte| *byte == b'\n') {
            bytes.truncate(seen + end);
            return Ok(Some(bytes));
        }
        if read < block {
            return Ok(None);
        }
        if bytes.len() as u64 > most {
            return Err(too_long());
        }
        block = (block * 2).min(1024 * 1024);
    }
}

/// Fills the buffer as far as the file goes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Backwards, from a given end.
#[derive(Debug)]
pub(crate) struct LinesBack<'a> {
    file: &'a File,
    /// The bytes from `start` on, up to the end of the next line to give.
    held: Vec<u8>,
    start: u64,
}

impl<'a> LinesBack<'a> {
    /// `end` must be just after a line feed, or 0.
    pub fn new(file: &'a File, end: u64) -> Self {
        Self {
            file,
            held: Vec::new(),
            start: end,
        }
    }

    pub fn next_back(&mut self) -> io::Result<Option<Line>> {
        loop {
            // The held bytes end with the feed of the line that is wanted.
            let before = self.held.len().saturating_sub(1);
            if let Some(feed) = self.held[..before].iter().rposition(|byte| *byte == b'\n') {
                let mut bytes = self.held.split_off(feed + 1);
                bytes.pop();
                return Ok(Some(Line {
                    offset: self.start + feed as u64 + 1,
                    bytes,
                }));
            }
            if self.start == 0 {
                let mut bytes = std::mem::take(&mut self.held);
                return Ok(bytes.pop().map(|_| Line { offset: 0, bytes }));
            }
            self.grow()?;
        }
    }

    fn grow(&mut self) -> io::Result<()> {
        if self.held.len() as u64 > LONGEST {
            return Err(too_long());
        }
        // Doubling keeps a very long line from being copied again and again.
        let more = BLOCK.max(self.held.len() as u64).min(self.start);
        let from = self.start - more;
        let mut block = vec![0; usize::try_from(more).map_err(|_| too_long())?];
        let read = read_at(self.file, &mut block, from)?;
        if read < block.len() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        block.append(&mut self.held);
        self.held = block;
        self.start = from;
        Ok(())
    }
}

/// Just after the last line feed of a file of `length` bytes.
pub(crate) fn end_of_whole_lines(file: &File, length: u64) -> io::Result<u64> {
    let mut end = length;
    let mut block = vec![0; BLOCK as usize];
    while end > 0 {
        let from = end.saturating_sub(BLOCK);
        let wanted = (end - from) as usize;
        let read = read_at(file, &mut block[..wanted], from)?;
        if let Some(feed) = block[..read].iter().rposition(|byte| *byte == b'\n') {
            return Ok(from + feed as u64 + 1);
        }
        end = from;
    }
    Ok(0)
}

fn too_long() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a line is longer than any record",
    )
}
