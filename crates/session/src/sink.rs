//! One record, one write. A record that did not go in whole is taken out
//! again, so that the file ends with a whole line whatever the disk did.

use std::fs::File;
use std::io::{self, Write};

/// What a log is written to. A trait because a disk that fills up in the middle
/// of a record cannot be had on demand.
pub(crate) trait Sink {
    /// One system call.
    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize>;
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Sink for File {
    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

#[derive(Debug)]
pub(crate) struct Appender<S> {
    pub sink: S,
    end: u64,
    /// A failed record could not be taken out yet.
    torn: bool,
}

impl<S: Sink> Appender<S> {
    pub fn new(sink: S, end: u64) -> Self {
        Self {
            sink,
            end,
            torn: false,
        }
    }

    /// Where the next record begins.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Gives the offset of the record.
    pub fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        if self.torn {
            self.sink.cut(self.end)?;
            self.torn = false;
        }
        let written = loop {
            match self.sink.write_once(record) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        match written {
            Ok(count) if count == record.len() => {
                let offset = self.end;
                self.end += count as u64;
                Ok(offset)
            }
            other => {
                self.torn = self.sink.cut(self.end).is_err();
                // A file takes less than it was given only when it is full.
                Err(other
                    .err()
                    .unwrap_or(io::Error::from(io::ErrorKind::StorageFull)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    /// A real file on a disk with room for so many bytes.
    struct Small {
        file: File,
        room: usize,
        cuts_fail: bool,
    }

    impl Sink for Small {
        fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room);
            if fits == 0 {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            self.room -= fits;
            self.file.write(&bytes[..fits])
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            if self.cuts_fail {
                return Err(io::Error::other("no"));
            }
            self.file.set_len(length)
        }
    }

    fn small(room: usize) -> (tempfile::NamedTempFile, Appender<Small>) {
        let temp = tempfile::NamedTempFile::new().unwrap();
        let file = File::options().append(true).open(temp.path()).unwrap();
        let sink = Small {
            file,
            room,
            cuts_fail: false,
        };
        (temp, Appender::new(sink, 0))
    }

    fn content(temp: &tempfile::NamedTempFile) -> String {
        let mut text = String::new();
        temp.reopen().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn takes_a_record_out_again_when_the_disk_fills_up_in_its_middle() {
        let (temp, mut log) = small(10);
        assert_eq!(log.append(b"first\n").unwrap(), 0);
        let error = log.append(b"second\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(content(&temp), "first\n");
        log.sink.room = 100;
        assert_eq!(log.append(b"third\n").unwrap(), 6);
        assert_eq!(content(&temp), "first\nthird\n");
    }

    #[test]
    fn cuts_before_the_next_record_when_it_could_not_cut_at_once() {
        let (temp, mut log) = small(10);
        log.append(b"first\n").unwrap();
        log.sink.cuts_fail = true;
        log.append(b"second\n").unwrap_err();
        assert_eq!(content(&temp), "first\nseco");
        log.sink.room = 100;
        log.append(b"not while the torn record is there\n")
            .unwrap_err();
        assert_eq!(content(&temp), "first\nseco");
        log.sink.cuts_fail = false;
        log.append(b"third\n").unwrap();
        assert_eq!(content(&temp), "first\nthird\n");
    }
}
