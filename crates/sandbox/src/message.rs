//! What the supervisor and Tenon say to each other, and what the first process
//! of a sandbox says to the supervisor: lines of text one way, single bytes the
//! other. Both ends are the same binary, so there is no version; what does not
//! parse is treated as a lost supervisor.

use crate::confinement::Level;
use crate::repair::{Repair, RepairEffect};
use rustix::process::WaitStatus;
use std::io;

/// Tenon to supervisor: end the whole tree now.
pub(crate) const KILL: u8 = b'K';
/// Tenon to supervisor: ask the tree to end, and kill what is left after the grace.
pub(crate) const TERMINATE: u8 = b'T';
/// Tenon to supervisor: the byte that carries the command's standard input.
pub(crate) const STDIN: u8 = b'S';
/// Supervisor to the first process of a sandbox: go on.
pub(crate) const GO: u8 = b'G';

/// Words after the kind of input: whether a policy follows over the socket.
pub(crate) const OPEN: &str = "open";
pub(crate) const WALLED: &str = "walled";

/// The words of a repair, by its effect.
const UNDONE: &str = "undone";
const LEFT: &str = "left";

/// No message is longer; a peer that sends more is not ours.
pub(crate) const MAX_LINE: usize = 8 * 1024;
/// Free text is cut here.
const MAX_TEXT: usize = 4 * 1024;

/// Whether processes of the command were still alive when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivors {
    None,
    Some,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// From now on the command may run, whatever is said later.
    Starting,
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
    /// Something asked for that is not held, though the walls count as full.
    Note(String),
    /// Something asked for that is not held, so that the walls are partial.
    Gap(String),
    /// A descriptor follows when the other side says that it may.
    Handing,
    /// The walls stand; notes and gaps have been told before.
    Confined { adapter: &'static str, level: Level },
    /// This machine has no such walls; others may do.
    Unavailable(String),
    /// The walls could not be built and the command does not run.
    Refused(String),
    /// A protected path was changed; what was done about it.
    Repaired(Repair),
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

    pub(crate) fn line(&self) -> String {
        match self {
            Self::Starting => String::from("starting\n"),
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
            Self::Handing => String::from("handing\n"),
            Self::Note(text) => format!("note {}\n", one_line(text)),
            Self::Gap(text) => format!("gap {}\n", one_line(text)),
            Self::Confined { adapter, level } => format!("walls {adapter} {}\n", level.name()),
            Self::Unavailable(text) => format!("unavailable {}\n", one_line(text)),
            Self::Refused(text) => format!("refused {}\n", one_line(text)),
            Self::Repaired(Repair { text, effect }) => {
                let word = match effect {
                    RepairEffect::Undone => UNDONE,
                    RepairEffect::Left => LEFT,
                };
                format!("{word} {}\n", one_line(text))
            }
        }
    }

    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        if let Some((word, text)) = line.split_once(' ') {
            let text = || text.to_owned();
            match word {
                "note" => return Some(Self::Note(text())),
                "gap" => return Some(Self::Gap(text())),
                "unavailable" => return Some(Self::Unavailable(text())),
                "refused" => return Some(Self::Refused(text())),
                UNDONE => return Some(Self::Repaired(Repair::undone(text()))),
                LEFT => return Some(Self::Repaired(Repair::left(text()))),
                _ => {}
            }
        }
        let mut words = line.split(' ');
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
            "starting" => Self::Starting,
            "emptied" => Self::Emptied,
            "handing" => Self::Handing,
            "walls" => Self::Confined {
                adapter: adapter(words.next()?)?,
                level: match words.next()? {
                    "full" => Level::Full,
                    "partial" => Level::Partial,
                    "none" => Level::None,
                    _ => return None,
                },
            },
            _ => return None,
        };
        words.next().is_none().then_some(status)
    }
}

/// Takes the next whole line out of what was received.
pub(crate) fn take_line(received: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = received.iter().position(|byte| *byte == b'\n')?;
    let mut line: Vec<u8> = received.drain(..=end).collect();
    line.pop();
    Some(line)
}

fn adapter(word: &str) -> Option<&'static str> {
    ["native", "landlock", "bubblewrap", "none"]
        .into_iter()
        .find(|known| *known == word)
}

/// Paths may hold line ends; a message may not.
fn one_line(text: &str) -> String {
    let mut clean: String = text
        .chars()
        .map(|each| if each == '\n' { ' ' } else { each })
        .collect();
    if clean.len() > MAX_TEXT {
        let mut end = MAX_TEXT;
        while !clean.is_char_boundary(end) {
            end -= 1;
        }
        clean.truncate(end);
        clean.push('…');
    }
    clean
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
    use super::{MAX_LINE, Status, Survivors};
    use crate::confinement::Level;
    use crate::repair::Repair;

    #[test]
    fn every_status_survives_the_wire() {
        for status in [
            Status::Starting,
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
            Status::Note(String::from("a b  c")),
            Status::Gap(String::from("`x`")),
            Status::Confined {
                adapter: "landlock",
                level: Level::Partial,
            },
            Status::Unavailable(String::from("why")),
            Status::Refused(String::from("why not")),
            Status::Repaired(Repair::undone("é")),
            Status::Repaired(Repair::left("a b")),
        ] {
            let line = status.line();
            let bare = line.strip_suffix('\n').unwrap();
            assert_eq!(Status::parse(bare.as_bytes()), Some(status));
        }
    }

    #[test]
    fn text_with_line_ends_or_too_much_of_it_stays_one_line() {
        let long = format!("a\nexited 0 - none\n{}", "é".repeat(MAX_LINE));
        let line = Status::Note(long).line();
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.len() < MAX_LINE);
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
            "walls wooden full",
            "walls native",
            "\u{ff}",
        ] {
            assert_eq!(Status::parse(line.as_bytes()), None, "{line}");
        }
    }
}
