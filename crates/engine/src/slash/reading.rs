//! What a typed line means: the same at the prompt and while a run goes on. How
//! it is then done is not the same, and stands where it is done.
//!
//! Whether a text is for the shell is not read off it where there is a screen,
//! whose composer knows. A line has nothing but its `!`.

use super::{Line, Local, Names, Slash, resolve};
use tenon_vocab::{Command, Printable};

/// A line, whose `!` is all that tells a command.
#[must_use]
pub fn read(text: &str, names: &Names) -> Line {
    match text.trim().strip_prefix('!').map(str::trim) {
        Some("") => Line::Nothing,
        Some(command) => Line::Command(Command::Shell {
            command: command.to_owned(),
        }),
        None => words(text, names),
    }
}

/// A text that is known not to be for the shell.
#[must_use]
pub fn words(text: &str, names: &Names) -> Line {
    let text = text.trim();
    // Asked of the program, not of the model.
    if text == "?" {
        return Line::Local(Local::Help);
    }
    match resolve(text, names) {
        Some(Slash::Local(command)) => Line::Local(command),
        Some(Slash::Query(query)) => Line::Query(query),
        Some(Slash::Command(command)) => Line::Command(command),
        Some(Slash::Misused(what)) => Line::Wrong(what),
        Some(Slash::Unknown { name, nearest }) => Line::Wrong(unknown(&name, nearest)),
        None if text.is_empty() => Line::Nothing,
        None => Line::Command(Command::Prompt {
            text: text.to_owned(),
            attachments: Vec::new(),
        }),
    }
}

fn unknown(name: &str, nearest: Option<String>) -> String {
    let name = Printable::line(name);
    match nearest {
        Some(nearest) => format!("There is no /{name}. Did you mean /{nearest}?"),
        None => format!("There is no /{name}. /help lists the commands."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_nothing_a_prompt_a_line_of_shell_or_a_command() {
        let names = Names {
            commands: vec![String::from("review")],
            ..Names::default()
        };
        assert_eq!(read("  ", &names), Line::Nothing);
        assert_eq!(read("! ", &names), Line::Nothing);
        assert_eq!(
            read("! ls ", &names),
            Line::Command(Command::Shell {
                command: "ls".into()
            })
        );
        assert_eq!(
            read("/etc/hosts is odd", &names),
            Line::Command(Command::Prompt {
                text: "/etc/hosts is odd".into(),
                attachments: Vec::new()
            })
        );
        assert_eq!(
            read("/review a", &names),
            Line::Command(Command::Custom {
                name: "review".into(),
                arguments: "a".into()
            })
        );
        assert!(matches!(read("/reviw", &names), Line::Wrong(_)));
    }

    #[test]
    fn a_lone_question_mark_asks_for_help_and_one_with_words_asks_the_model() {
        for text in ["?", " ? "] {
            let names = Names::default();
            assert_eq!(read(text, &names), Line::Local(Local::Help), "{text:?}");
            assert_eq!(words(text, &names), Line::Local(Local::Help), "{text:?}");
        }
        assert!(matches!(
            read("why?", &Names::default()),
            Line::Command(Command::Prompt { .. })
        ));
    }

    #[test]
    fn words_are_never_for_the_shell() {
        for text in ["!touch x", "\n\n  !touch x"] {
            let prompt = Line::Command(Command::Prompt {
                text: text.trim().into(),
                attachments: Vec::new(),
            });
            assert_eq!(words(text, &Names::default()), prompt);
        }
    }

    #[test]
    fn what_was_said_is_remembered_and_control_commands_and_hidden_inputs_are_not() {
        let names = Names {
            commands: vec![String::from("review")],
            ..Names::default()
        };
        let kept = |text: &str| read(text, &names).is_remembered(text);
        for text in ["fix the test", "!ls", "/etc/hosts is broken", "/review a"] {
            assert!(kept(text), "{text:?}");
        }
        for text in [
            "/help",
            "/clear",
            "/undo",
            "/nosuch",
            "",
            "  ",
            " secret",
            " /review a",
        ] {
            assert!(!kept(text), "{text:?}");
        }
    }
}
