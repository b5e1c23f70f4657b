//! Escape sequences that carry a text out of the program: notification, title.
//! Only made here, never written; the text in them is made harmless.

use super::Environment;
use tenon_vocab::Printable;

const TITLE: usize = 200;

/// Asks for attention: OSC 9, which many terminals show as a notification, and
/// the bell, which all others and tmux understand.
pub(super) fn notification(text: &str, environment: &Environment) -> String {
    let shown = short(text, TITLE);
    if !environment.takes_commands() {
        return String::from("\x07");
    }
    // `9;4;…` is a progress bar in some terminals: a text must not be one.
    let gap = if shown.starts_with(|c: char| c.is_ascii_digit()) {
        " "
    } else {
        ""
    };
    let message = format!("\x1b]9;{gap}{shown}\x07");
    if environment.tmux {
        format!("{}\x07", through_tmux(&message))
    } else {
        format!("{message}\x07")
    }
}

pub(super) fn title(text: &str) -> String {
    format!("\x1b]2;{}\x07", short(text, TITLE))
}

fn short(text: &str, characters: usize) -> String {
    Printable::line(text)
        .as_str()
        .chars()
        .take(characters)
        .collect()
}

/// Past tmux to the terminal around it.
fn through_tmux(message: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", message.replace('\x1b', "\x1b\x1b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xterm() -> Environment {
        Environment {
            term: String::from("xterm-256color"),
            ..Environment::default()
        }
    }

    #[test]
    fn a_notification_is_a_message_and_a_bell_and_goes_through_tmux() {
        assert_eq!(notification("done", &xterm()), "\x1b]9;done\x07\x07");
        let inside = Environment {
            tmux: true,
            ..xterm()
        };
        assert_eq!(
            notification("done", &inside),
            "\x1bPtmux;\x1b\x1b]9;done\x07\x1b\\\x07"
        );
        let console = Environment {
            term: String::from("linux"),
            ..Environment::default()
        };
        assert_eq!(notification("done", &console), "\x07");
    }

    #[test]
    fn no_text_can_end_its_sequence_or_become_another_one() {
        let hostile = "a\x07b\x1b\\c\u{9c}d\n";
        for made in [notification(hostile, &xterm()), title(hostile)] {
            let inside = made.trim_start_matches('\x1b').trim_end_matches('\x07');
            assert!(!inside.chars().any(char::is_control), "{made:?}");
        }
        assert_eq!(notification("4;3;50", &xterm()), "\x1b]9; 4;3;50\x07\x07");
    }
}
