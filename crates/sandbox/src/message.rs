//! What the supervisor and Tenon say to each other: lines of ASCII one way,
//! single bytes the other. Both ends are the same binary, so there is no
//! version; what does not parse is treated as a lost supervisor.

use rustix::process::WaitStatus;
use std::io;

/// Tenon to supervisor: end the whole tree now.
pub(crate) const KILL: u8 = b'K';
/// Tenon to supervisor: ask the tree to end, and kill what is left after the grace.
pub(crate) const TERMINATE: u8 = b'T';
/// Tenon to supervisor: the byte that carries the command's standard input.
pub(crate) const STDIN: u8 = b'S';

/// No message is longer; a peer that sends more is not ours.
pub(crate) const MAX_LINE: usize = 1024;

/// Whether processes of the command were still alive when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivors {
    None,
    Some,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// The command runs, as this process.
    Started(u32),
    /// The command could not be started; the number is the system's error.
    Failed(i32),
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
        survivors: Survivors,
    },
    /// No descendant is left.
    Emptied,
}

impl Status {
    pub(crate) fn exited(status: WaitStatus, survivors: Survivors) -> Self {
        Self::Exited {
            code: status.exit_status(),
            signal: status.terminating_signal(),
            survivors,
        }
    }

    pub(crate) fn failed(error: &io::Error) -> Self {
        Self::Failed(error.raw_os_error().unwrap_or(0))
    }

    pub(crate) fn line(self) -> String {
        match self {
            Self::Started(pid) => format!("pid {pid}\n"),
            Self::Failed(number) => format!("failed {number}\n"),
            Self::Exited {
                code,
                signal,
                survivors,
            } => {
                let code = code.map_or_else(|| String::from("-"), |code| code.to_string());
                let signal = signal.map_or_else(|| String::from("-"), |signal| signal.to_string());
                let survivors = match survivors {
                    Survivors::None => "none",
                    Survivors::Some => "some",
                };
                format!("exited {code} {signal} {survivors}\n")
            }
            Self::Emptied => String::from("emptied\n"),
        }
    }

    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let status = match words.next()? {
            "pid" => Self::Started(words.next()?.parse().ok()?),
            "failed" => Self::Failed(words.next()?.parse().ok()?),
            "exited" => Self::Exited {
                code: number(words.next()?)?,
                signal: number(words.next()?)?,
                survivors: match words.next()? {
                    "none" => Survivors::None,
                    "some" => Survivors::Some,
                    _ => return None,
                },
            },
            "emptied" => Self::Emptied,
            _ => return None,
        };
        words.next().is_none().then_some(status)
    }
}

/// `-` is no number; anything else that is not one is an error.
fn number(word: &str) -> Option<Option<i32>> {
    match word {
        "-" => Some(None),
        digits => digits.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::{Status, Survivors};

    #[test]
    fn every_status_survives_the_wire() {
        for status in [
            Status::Started(42),
            Status::Failed(2),
            Status::Exited {
                code: Some(3),
                signal: None,
                survivors: Survivors::Some,
            },
            Status::Exited {
                code: None,
                signal: Some(9),
                survivors: Survivors::None,
            },
            Status::Emptied,
        ] {
            let line = status.line();
            let bare = line.strip_suffix('\n').unwrap();
            assert_eq!(Status::parse(bare.as_bytes()), Some(status));
        }
    }

    #[test]
    fn what_is_not_a_status_is_refused() {
        for line in [
            "",
            "pid",
            "pid x",
            "pid 1 2",
            "exited 1 -",
            "exited 1 - few",
            "\u{ff}",
        ] {
            assert_eq!(Status::parse(line.as_bytes()), None, "{line}");
        }
    }
}
