//! Whether the background is dark: asked of the terminal, or read from what it
//! put into the environment. Only for a theme that wants to know.

use crate::theme::Ground;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// A start waits no longer than this.
const AT_START: Duration = Duration::from_millis(100);
/// Nor whoever has just chosen a theme. A terminal that answers is not waited for
/// any longer, also over a slow line.
const WHEN_CHOSEN: Duration = Duration::from_secs(1);

/// The colour of the background, and then what every terminal answers: when the
/// second answer came, the first will not come any more.
const QUESTION: &str = "\x1b]11;?\x1b\\\x1b[c";

/// Whether the terminal's background is dark, if it says so quickly.
///
/// To be called before anyone reads keys: the answer comes as input. Keys that
/// are pressed meanwhile are lost. From a terminal that answers later than
/// within a tenth of a second the answer shows up as typed text, therefore
/// only [`crate::theme::Theme::asks_ground`] is a reason to call this.
#[must_use]
pub fn ground() -> Ground {
    ask(AT_START).unwrap_or_default()
}

/// By COLORFGBG, which some terminals set: `15;0` is white on black.
#[must_use]
pub fn ground_by(colorfgbg: &str) -> Option<Ground> {
    let back: u8 = colorfgbg.rsplit(';').next()?.parse().ok()?;
    match back {
        0..=6 | 8 => Some(Ground::Dark),
        7 | 9..=15 => Some(Ground::Light),
        _ => None,
    }
}

/// The same later on, if the terminal says it.
#[must_use]
pub fn ground_now() -> Option<Ground> {
    ask(WHEN_CHOSEN)
}

fn ask(patience: Duration) -> Option<Ground> {
    let input = io::stdin();
    if !input.is_terminal() || !io::stdout().is_terminal() {
        return None;
    }
    let before = tcgetattr(&input).ok()?;
    let mut raw = before.clone();
    raw.make_raw();
    tcsetattr(&input, OptionalActions::Now, &raw).ok()?;
    super::send(QUESTION.as_bytes());
    let answer = answer(input.as_fd(), patience);
    let _ = tcsetattr(&input, OptionalActions::Now, &before);
    read(&answer)
}

fn answer(input: BorrowedFd<'_>, patience: Duration) -> Vec<u8> {
    let until = Instant::now() + patience;
    let mut all = Vec::new();
    let mut part = [0_u8; 256];
    while !is_whole(&all) {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else {
            break;
        };
        let mut waiting = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut waiting, Some(&left)) {
            Ok(1..) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) | Err(_) => break,
        }
        match rustix::io::read(input, &mut part) {
            Ok(count @ 1..) => all.extend(part.iter().take(count)),
            Ok(0) | Err(_) => break,
        }
    }
    all
}

/// Whether the second answer is there: `CSI ? … c`.
fn is_whole(answer: &[u8]) -> bool {
    let start = answer.windows(3).rposition(|three| three == b"\x1b[?");
    start.is_some_and(|at| answer.iter().skip(at).any(|byte| *byte == b'c'))
}

fn read(answer: &[u8]) -> Option<Ground> {
    let text = String::from_utf8_lossy(answer);
    let (_, colour) = text.split_once("]11;")?;
    let (_, parts) = colour.split_once(':')?;
    let mut parts = parts.split(['/', '\x1b', '\x07']).map(share);
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    let bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    Some(match bright > 0.5 {
        true => Ground::Light,
        false => Ground::Dark,
    })
}

/// One to four hexadecimal digits, as a share of the most that they can be.
fn share(digits: &str) -> Option<f64> {
    let most = match digits.len() {
        1 => 0xf,
        2 => 0xff,
        3 => 0xfff,
        4 => 0xffff,
        _ => return None,
    };
    let value = u32::from_str_radix(digits, 16).ok()?;
    Some(f64::from(value) / f64::from(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_any_notation_is_dark_or_light() {
        let answers: [(&[u8], _); 6] = [
            (
                b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;22c",
                Some(Ground::Dark),
            ),
            (
                b"\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?62;22c",
                Some(Ground::Light),
            ),
            (b"\x1b]11;rgb:fd/f6/e3\x07", Some(Ground::Light)),
            (b"\x1b]11;rgba:0000/2b2b/3636/ffff\x07", Some(Ground::Dark)),
            (b"\x1b[?62;22c", None),
            (b"\x1b]11;rgb:zz//\x07", None),
        ];
        for (answer, ground) in answers {
            assert_eq!(
                read(answer),
                ground,
                "{:?}",
                String::from_utf8_lossy(answer)
            );
        }
    }

    #[test]
    fn the_second_answer_ends_the_waiting() {
        assert!(is_whole(b"\x1b]11;rgb:cccc/cccc/cccc\x07\x1b[?1;2c"));
        assert!(is_whole(b"\x1b[?6c"));
        assert!(!is_whole(b"\x1b]11;rgb:cccc/cccc/cccc\x07"));
        assert!(!is_whole(b"\x1b[?62;2"));
    }

    #[test]
    fn the_environment_may_say_it() {
        assert_eq!(ground_by("15;0"), Some(Ground::Dark));
        assert_eq!(ground_by("0;default;15"), Some(Ground::Light));
        assert_eq!(ground_by(""), None);
    }
}
