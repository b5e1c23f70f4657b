//! Commands of the user and of the project (`commands/NAME.md`): a template
//! becomes a prompt. Lines of shell in it (`` !`git status` ``) run as if the
//! user had typed them with `!`: through the gate, and the model reads what they
//! printed.

mod line;

use crate::calls;
use crate::core::Core;
use crate::run::{End, Flow, Run};
use crate::schedule::Leave;
use serde_json::json;
use tenon_tools::input::suggest_name;
use tenon_vocab::marked::element;
use tenon_vocab::names::tool;
use tenon_vocab::profile::CommandInfo;
use tenon_vocab::{CallId, Notice, NoticeLevel};

/// Lines of shell in one command.
const MOST: usize = 10;

/// The command of this name, or a sentence.
pub(crate) fn find<'a>(core: &'a Core, name: &str) -> Result<&'a CommandInfo, String> {
    let commands = &core.given.commands;
    if let Some(command) = commands.iter().find(|command| command.name == name) {
        return Ok(command);
    }
    let names: Vec<&str> = commands
        .iter()
        .map(|command| command.name.as_str())
        .collect();
    Err(match suggest_name(name, &names) {
        Some(near) => format!("There is no /{name}. Did you mean /{near}?"),
        None => format!("There is no /{name}. /help lists the commands, /commands your own."),
    })
}

/// The prompt that a command stands for.
pub(crate) async fn prompt(run: &mut Run, command: &CommandInfo, arguments: &str) -> Flow<String> {
    let template = &command.template;
    let lacking = missing(template, arguments);
    if !lacking.is_empty() {
        // Some templates can do without; only their author knows.
        let message = format!(
            "{} of /{} got no argument and was left empty.",
            lacking.join(" and "),
            command.name
        );
        let hint = Some(command.argument_hint.as_str()).filter(|hint| !hint.is_empty());
        run.core.emit_or_end(
            Some(run.id),
            Notice {
                level: NoticeLevel::Warning,
                kind: String::from("command"),
                message,
                hint: hint.map(|hint| format!("It is used as: /{} {hint}", command.name)),
            },
        );
    }
    let mut text = String::new();
    let mut ran = 0;
    for piece in pieces(template, arguments) {
        match piece {
            Piece::Text(piece) => text.push_str(&piece),
            Piece::Shell(command) if ran < MOST => {
                ran += 1;
                let printed = shell(run, ran, &command).await?;
                text.push_str(&element("user_shell", &[("command", &command)], &printed));
            }
            Piece::Shell(command) => {
                let refused = format!("[not run: a command may have {MOST} lines of shell]");
                text.push_str(&element("user_shell", &[("command", &command)], &refused));
            }
        }
    }
    Ok(text.trim().to_owned())
}

async fn shell(run: &mut Run, number: usize, command: &str) -> Flow<String> {
    let id = CallId::new(format!("command_{}_{number}", run.id));
    let input = json!({ "command": command }).to_string();
    let done = calls::by_user(run, id, tool::BASH, input, Leave::ToBeAsked).await?;
    // Without what it was to say, the prompt is another one.
    if done.denial().is_some() {
        return Err(End::Blocked(format!(
            "nothing was sent: `{command}` of this command was denied"
        )));
    }
    Ok(done.text)
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Shell(String),
}

/// The template cut at its lines of shell, with the arguments filled in. In a
/// line of shell they are data; see [`line`]. A template that asks for no
/// arguments gets them at its end.
fn pieces(template: &str, arguments: &str) -> Vec<Piece> {
    let words = words(arguments);
    let mut pieces = Vec::new();
    let mut rest = template;
    let mut asked = Asked::No;
    while let Some((before, after)) = rest.split_once("!`") {
        let Some((command, after)) = after.split_once('`') else {
            break;
        };
        let (text, asks) = filled(before, arguments, &words);
        asked = asked.or(asks);
        pieces.push(Piece::Text(text));
        let (command, asks) = line::line(command, arguments, &words);
        asked = asked.or(asks);
        pieces.push(Piece::Shell(command));
        rest = after;
    }
    let (text, asks) = filled(rest, arguments, &words);
    pieces.push(Piece::Text(text));
    if asked.or(asks) == Asked::No && !arguments.trim().is_empty() {
        pieces.push(Piece::Text(format!("\n\n{}", arguments.trim())));
    }
    pieces
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Asked {
    Yes,
    #[default]
    No,
}

impl Asked {
    fn or(self, other: Self) -> Self {
        if self == Self::Yes { self } else { other }
    }
}

/// Arguments as a shell would split them; a quote that is not closed is a letter.
fn words(arguments: &str) -> Vec<String> {
    shlex::split(arguments)
        .unwrap_or_else(|| arguments.split_whitespace().map(str::to_owned).collect())
}

fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| String::from("''"), |text| text.into_owned())
}

/// The places of a template for which there is no argument, each once.
fn missing(template: &str, arguments: &str) -> Vec<String> {
    let given = words(arguments).len();
    let mut missing = Vec::new();
    let mut rest = template;
    while let Some((_, after)) = rest.split_once('$') {
        let digit = after.chars().next().and_then(|c| c.to_digit(10));
        if let Some(number @ 1..) = digit {
            let place = format!("${number}");
            if number as usize > given && !missing.contains(&place) {
                missing.push(place);
            }
        }
        rest = after.strip_prefix('$').unwrap_or(after);
    }
    missing.sort();
    missing
}

/// `$ARGUMENTS` is all of them, `$1` to `$9` one, `$$` a dollar. In one pass, so
/// that what is filled in is never read as a place to fill in.
fn filled(text: &str, all: &str, words: &[String]) -> (String, Asked) {
    let mut out = String::with_capacity(text.len());
    let mut asked = Asked::No;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix("ARGUMENTS") {
            out.push_str(all.trim());
            asked = Asked::Yes;
            rest = after;
        } else if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some(digit @ 1..) = after.chars().next().and_then(|c| c.to_digit(10)) {
            out.push_str(words.get(digit as usize - 1).map_or("", String::as_str));
            asked = Asked::Yes;
            rest = &after[1..];
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    (out, asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(template: &str, arguments: &str) -> String {
        let mut all = String::new();
        for piece in pieces(template, arguments) {
            match piece {
                Piece::Text(text) => all.push_str(&text),
                Piece::Shell(command) => all.push_str(&format!("<{command}>")),
            }
        }
        all
    }

    #[test]
    fn arguments_are_filled_in_once_and_never_read_again() {
        for (template, arguments, wanted) in [
            ("Fix $ARGUMENTS now", "issue 7", "Fix issue 7 now"),
            ("$1 before $2", "'a b' c", "a b before c"),
            ("$1 and $2", "x", "x and "),
            ("cost $$5 $0 $x", "", "cost $5 $0 $x"),
            ("say $1", "'$2' secret", "say $2"),
            ("Review.", "src/a.rs", "Review.\n\nsrc/a.rs"),
            ("Review.", "", "Review."),
            ("$ARGUMENTS", "it's", "it's"),
        ] {
            assert_eq!(
                text(template, arguments),
                wanted,
                "{template} / {arguments}"
            );
        }
    }

    #[test]
    fn what_got_no_argument_is_named() {
        for (template, arguments, wanted) in [
            ("$1 before $2", "x", vec!["$2"]),
            ("$2 !`ls $1` $2", "", vec!["$1", "$2"]),
            ("$1 $ARGUMENTS $$2 $0 $x", "'a b'", vec![]),
        ] {
            assert_eq!(missing(template, arguments), wanted, "{template}");
        }
    }

    #[test]
    fn arguments_are_data_in_a_line_of_shell() {
        let template = "State: !`git log $1` and !`echo $ARGUMENTS`.";
        assert_eq!(
            text(template, "'x; rm -rf ~'"),
            "State: <git log 'x; rm -rf ~'> and <echo 'x; rm -rf ~'>."
        );
        assert_eq!(text("open !`ls", ""), "open !`ls");
    }
}
