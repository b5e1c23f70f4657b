//! A key, typed or piped in. On a terminal nothing of it is shown, not even how
//! long it is.

use crate::error::CliError;
use crate::screen::complain;
use rustix::termios::{
    self, ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex,
    Termios,
};
use std::io::{self, BufRead, IsTerminal, Read, Write};
use tenon_transport::Secret;
use tenon_vocab::Printable;

/// No key comes near this.
const LONGEST: usize = 16 * 1024;

pub fn from_stdin() -> Result<Secret, CliError> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(LONGEST as u64 + 1)
        .read_to_string(&mut text)
        .map_err(|error| CliError::usage(format!("standard input has no key: {error}")))?;
    checked(&text)
}

pub fn from_terminal(provider: &str) -> Result<Secret, CliError> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(CliError::usage("there is no terminal to ask for the key")
            .with_hint("Pass it on standard input: tenon auth login --with-key-stdin < FILE"));
    }
    let label = format!(
        "Key of `{}` (not shown; Ctrl+C cancels): ",
        Printable::line(provider)
    );
    let typed = {
        // Before the question: who pastes at once must not see the key.
        let _hidden = Hidden::begin()?;
        let mut stderr = io::stderr();
        // That nobody reads the question is no reason to fail.
        let _ = stderr.write_all(label.as_bytes());
        let _ = stderr.flush();
        read_line(&mut stdin.lock())
    };
    complain("");
    checked(&typed?)
}

/// One line, byte by byte, with the few keys of an editor that people expect.
fn read_line(input: &mut impl BufRead) -> Result<String, CliError> {
    const INTERRUPT: u8 = 3;
    const END: u8 = 4;
    const BACK: [u8; 2] = [8, 127];
    const KILL: u8 = 21;
    let mut line = Vec::new();
    for byte in input.bytes() {
        match byte? {
            b'\r' | b'\n' => break,
            END if line.is_empty() => return Err(left()),
            INTERRUPT => return Err(left()),
            KILL => line.clear(),
            byte if BACK.contains(&byte) => {
                line.pop();
            }
            byte => line.push(byte),
        }
        if line.len() > LONGEST {
            break;
        }
    }
    String::from_utf8(line).map_err(|_| not_a_key("it isn't text"))
}

fn left() -> CliError {
    CliError::usage("nothing was saved")
}

/// What a header can carry.
fn checked(text: &str) -> Result<Secret, CliError> {
    let key = text.trim();
    if key.is_empty() {
        return Err(not_a_key("it is empty"));
    }
    if key.len() > LONGEST {
        return Err(not_a_key("it is too long"));
    }
    if key.lines().nth(1).is_some() {
        return Err(not_a_key("it has several lines"));
    }
    if !key.chars().all(|letter| letter.is_ascii_graphic()) {
        return Err(not_a_key("it has a space or a special character"));
    }
    Ok(Secret::new(key))
}

fn not_a_key(why: &str) -> CliError {
    CliError::usage(format!("this isn't a key: {why}"))
        .with_hint("Enter only the key, as the service shows it.")
}

/// The terminal without echo, until it is dropped. Signals are off too: a
/// program that a key combination ends would leave the terminal mute.
struct Hidden(Termios);

impl Hidden {
    fn begin() -> Result<Self, CliError> {
        let before = termios::tcgetattr(io::stdin())
            .map_err(|error| CliError::runtime(format!("can't use the terminal: {error}")))?;
        let mut hidden = before.clone();
        hidden.local_modes -=
            LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        hidden.input_modes |= InputModes::ICRNL;
        hidden.output_modes |= OutputModes::OPOST;
        hidden.control_modes |= ControlModes::CREAD;
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        termios::tcsetattr(io::stdin(), OptionalActions::Drain, &hidden)
            .map_err(|error| CliError::runtime(format!("can't use the terminal: {error}")))?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // What was typed too much must not reach the shell.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::{checked, read_line};

    fn typed(keys: &str) -> Option<String> {
        read_line(&mut keys.as_bytes()).ok()
    }

    #[test]
    fn a_line_ends_with_enter_and_can_be_corrected() {
        assert_eq!(typed("abc\rdef").as_deref(), Some("abc"));
        assert_eq!(typed("abx\x7fc\n").as_deref(), Some("abc"));
        assert_eq!(typed("wrong\x15right\n").as_deref(), Some("right"));
        assert_eq!(typed("abc\x03"), None);
        assert_eq!(typed("\x04"), None);
    }

    #[test]
    fn only_what_a_header_can_hold_is_a_key() {
        assert_eq!(checked(" sk-abc\n").unwrap().expose(), "sk-abc");
        for text in ["", "  \n", "two words", "a\nb", "schlüssel", "a\x1b[31m"] {
            let error = checked(text).unwrap_err();
            assert!(text.trim().is_empty() || !error.message.contains(text.trim()));
        }
        assert!(checked(&"x".repeat(20_000)).is_err());
    }
}
