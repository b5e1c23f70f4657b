//! What a run was not allowed to do, said at its end: which call, and how to read
//! why. The reason itself stands with the call.

use super::lines;
use tenon_vocab::figures::count;
use tenon_vocab::{ErrorCode, Printable, ToolCallPart, ToolResult};

/// Longer inputs are not repeated.
const LONGEST: usize = 100;

/// A call that was not allowed.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    tool: String,
    /// What it was about, as one would write it in a shell.
    about: Option<String>,
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Policy,
    Hook,
}

impl Refused {
    pub fn of(result: &ToolResult, asked: Option<&ToolCallPart>) -> Self {
        let hook = |code: ErrorCode| code == ErrorCode::BlockedByHook;
        Self {
            tool: Printable::line(&result.name).into_string(),
            about: asked.and_then(|call| quoted(&lines::about(&call.arguments)?)),
            by: match result
                .envelope
                .error()
                .is_some_and(|error| hook(error.code))
            {
                true => By::Hook,
                false => By::Policy,
            },
        }
    }

    fn name(&self) -> String {
        match &self.about {
            Some(about) => format!("{} {about}", self.tool),
            None => self.tool.clone(),
        }
    }
}

/// A word of a shell that stands for this text; `None` where it would be hard to
/// read.
fn quoted(text: &str) -> Option<String> {
    let is_fit = |c: char| !c.is_control() && c != '\'';
    if text.len() > LONGEST || !text.chars().all(is_fit) {
        return None;
    }
    let text = Printable::line(text).into_string();
    let is_word = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    Some(match !text.is_empty() && text.chars().all(is_word) {
        true => text,
        false => format!("'{text}'"),
    })
}

/// Nothing where nothing was refused: what else ended the run was said already.
pub fn told(refused: &[Refused]) -> Vec<String> {
    let Some(last) = refused.last() else {
        return Vec::new();
    };
    let what = match refused.len() {
        1 => format!("Not allowed: {}", last.name()),
        many => format!(
            "Not allowed: {}, at last {}",
            count(many, "call"),
            last.name()
        ),
    };
    let next = match (last.by, &last.about) {
        (By::Hook, _) => String::from("  Which hook that was: tenon hooks list"),
        (By::Policy, Some(_)) => {
            format!(
                "  Which rule that was: tenon policy explain {}",
                last.name()
            )
        }
        (By::Policy, None) => String::from("  All rules: tenon policy list"),
    };
    vec![what, next]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(tool: &str, about: &str) -> Refused {
        Refused {
            tool: tool.into(),
            about: quoted(about),
            by: By::Policy,
        }
    }

    #[test]
    fn the_call_that_was_refused_is_named_as_one_would_ask_about_it() {
        assert_eq!(
            told(&[refused("read", "a"), refused("bash", "rm -r b\u{202e}")]),
            [
                "Not allowed: 2 calls, at last bash 'rm -r b⟨U+202E⟩'",
                "  Which rule that was: tenon policy explain bash 'rm -r b⟨U+202E⟩'",
            ]
        );
        assert_eq!(told(&[]), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_typed_again_is_left_out() {
        for text in ["echo 'a'", "a\nb", &"x".repeat(LONGEST + 1)] {
            let said = told(&[refused("bash", text)]);
            assert_eq!(
                said,
                ["Not allowed: bash", "  All rules: tenon policy list"]
            );
        }
    }
}
