//! What a typed line means: the same at the prompt and while a run goes on. How
//! it is then done is not the same, and stands where it is done.

use super::local;
pub use tenon_engine::slash::Line;
use tenon_engine::slash::{self, Names, Slash};
use tenon_vocab::Command;

pub fn read(text: &str, names: &Names) -> Line {
    let text = text.trim();
    match (slash::resolve(text, names), text.strip_prefix('!')) {
        (Some(Slash::Local(command)), _) => Line::Local(command),
        (Some(Slash::Query(query)), _) => Line::Query(query),
        (Some(Slash::Command(command)), _) => Line::Command(command),
        (Some(Slash::Misused(what)), _) => Line::Wrong(what),
        (Some(Slash::Unknown { name, nearest }), _) => Line::Wrong(local::unknown(&name, nearest)),
        (None, Some(command)) if command.trim().is_empty() => Line::Nothing,
        (None, Some(command)) => Line::Command(Command::Shell {
            command: command.trim().to_owned(),
        }),
        (None, None) if text.is_empty() => Line::Nothing,
        (None, None) => Line::Command(Command::Prompt {
            text: text.to_owned(),
            attachments: Vec::new(),
        }),
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
