//! A line of shell in a command of the user's own, with what was typed after the
//! command's name. What was typed is data: the template's own text is never
//! changed around it, because no quoting is right inside of quotes, of a here
//! document and outside of both.

use super::{Asked, quoted};

/// What else may stand in a line into which words can be put as they are: nothing
/// that means something to a shell beside a word.
const PLAIN: &str = "_-./:,%+=@^";

/// The line as it runs. Where it is made of plain words, the arguments are words
/// of it, so that the policy judges the very command; otherwise they are the
/// shell's own parameters, set before the line.
pub(super) fn line(template: &str, arguments: &str, words: &[String]) -> (String, Asked) {
    let uses = Uses::of(template);
    if uses == Uses::default() {
        return (template.to_owned(), Asked::No);
    }
    let line = plain(template, words).unwrap_or_else(|| {
        let mut line = String::new();
        if uses.words == Asked::Yes && !words.is_empty() {
            line = format!("set -- {}; ", joined(words));
        }
        if uses.all == Asked::Yes {
            line.push_str(&format!("ARGUMENTS={}; ", quoted(arguments.trim())));
        }
        line + template
    });
    (line, Asked::Yes)
}

/// Which parameters a line names; too many do no harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Uses {
    /// `$1` to `$9`, `$@`, `$*` and `$#`, also in braces.
    words: Asked,
    all: Asked,
}

impl Uses {
    fn of(line: &str) -> Self {
        let mut uses = Self::default();
        for after in line.split('$').skip(1) {
            let name = after.strip_prefix('{').unwrap_or(after);
            if name.starts_with("ARGUMENTS") {
                uses.all = Asked::Yes;
            } else if name.starts_with(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
                || name.starts_with(['@', '*', '#'])
            {
                uses.words = Asked::Yes;
            }
        }
        uses
    }
}

fn joined(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// `None` when anything in it means more than a word.
fn plain(template: &str, words: &[String]) -> Option<String> {
    let mut line: Vec<String> = Vec::new();
    for token in template.split(' ') {
        if token == "$ARGUMENTS" {
            line.push(joined(words));
        } else if let Some(name) = token.strip_prefix('$') {
            let at = match name.as_bytes() {
                [digit @ b'1'..=b'9'] => usize::from(digit - b'1'),
                _ => return None,
            };
            line.extend(words.get(at).map(|word| quoted(word)));
        } else if token
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c))
        {
            line.push(token.to_owned());
        } else {
            return None;
        }
    }
    Some(line.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom::words;
    use std::process::Command;

    fn made(template: &str, arguments: &str) -> String {
        line(template, arguments, &words(arguments)).0
    }

    #[test]
    fn a_line_of_plain_words_has_the_arguments_as_words_of_it() {
        for (template, arguments, wanted) in [
            ("git status --short", "x", "git status --short"),
            ("git log $1", "'x; rm -rf ~'", "git log 'x; rm -rf ~'"),
            ("git log $1 -- $2", "a", "git log a --"),
            ("cargo test $ARGUMENTS", "-p 'a b'", "cargo test -p 'a b'"),
        ] {
            assert_eq!(made(template, arguments), wanted);
        }
    }

    #[test]
    fn any_other_line_stays_as_it_is_and_gets_parameters() {
        assert_eq!(
            made("echo \"pre $1 post\"", "a 'b c'"),
            "set -- a 'b c'; echo \"pre $1 post\""
        );
        assert_eq!(
            made("echo \"$ARGUMENTS\"", "it's $x"),
            "ARGUMENTS=\"it's \"'$x'; echo \"$ARGUMENTS\""
        );
        assert_eq!(made("echo \"$HOME\"", "a"), "echo \"$HOME\"");
    }

    /// With a real shell: nothing that is typed runs, wherever its place is.
    #[test]
    fn arguments_are_data_between_quotes_and_in_a_here_document() {
        let place = tempfile::tempdir().unwrap();
        let attacks = [
            "$(touch${IFS}PWN)",
            "`touch${IFS}PWN`",
            "';touch${IFS}PWN;'",
            "\";touch${IFS}PWN;\"",
            "\nEOF\ntouch PWN\n",
            "x; touch PWN",
            "x\ntouch PWN",
            "$1 && touch PWN #",
        ];
        let templates = [
            "echo $1",
            "echo \"pre $1 post\"",
            "echo '$1'",
            "echo \"'$1'\"; echo '\"'$1'\"'",
            "cat <<EOF\n$1\n${2:-$ARGUMENTS}\nEOF",
            "cat <<'EOF'\n$1\nEOF",
            "printf '%s\\n' \"$@\" $* \"$ARGUMENTS\" $ARGUMENTS",
            "bash -c 'echo \"$1\"' _ \"$1\"",
            "for i in $@; do echo \"$i\"; done",
            "echo $ARGUMENTS",
            "echo `echo $1`",
        ];
        for attack in attacks {
            for template in templates {
                for arguments in [attack.to_owned(), quoted(attack)] {
                    let line = made(template, &arguments);
                    let ran = Command::new("bash")
                        .args(["-c", &line])
                        .current_dir(place.path())
                        .output()
                        .unwrap();
                    assert!(ran.status.success(), "{line}: {ran:?}");
                    assert!(!place.path().join("PWN").exists(), "{line}");
                }
            }
        }
    }
}
