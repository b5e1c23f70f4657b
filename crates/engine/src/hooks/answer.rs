//! What a hook answered: its exit code and what it printed become one decision.
//! Pure, so that `tenon hooks test` and a run understand the same thing.

use serde_json::{Map, Value};

/// What the decision of a hook is called in its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It has nothing to say.
    Pass,
    /// A yes. It counts only where a question waits for one.
    Allow,
    Warn,
    Block,
}

impl Decision {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub decision: Decision,
    pub message: Option<String>,
    /// Changes to the input of the call, at `PreToolUse`.
    pub patch: Option<Map<String, Value>>,
    /// Kept by nobody; for programs that read the hook's output elsewhere.
    pub metadata: Option<Value>,
}

impl Answer {
    fn of(decision: Decision, message: Option<String>) -> Self {
        Self {
            decision,
            message,
            patch: None,
            metadata: None,
        }
    }
}

/// The exit code with which a hook blocks, without any JSON.
const BLOCKS: i32 = 2;
/// More than this of a message helps neither a person nor a model.
const LONGEST_MESSAGE: usize = 16 * 1024;

/// Reads what a hook left behind. `code` is the exit code as a shell gives it.
///
/// # Errors
/// A sentence about why it is no answer.
pub fn understand(code: i32, stdout: &str, stderr: &str) -> Result<Answer, String> {
    match code {
        0 => printed(stdout.trim()),
        BLOCKS => {
            let said = [stderr, stdout]
                .into_iter()
                .map(str::trim)
                .find(|text| !text.is_empty());
            Ok(Answer::of(Decision::Block, said.map(shortened)))
        }
        code => {
            let first = stderr.lines().find(|line| !line.trim().is_empty());
            let why = first.map(|line| format!(": {}", line.trim()));
            Err(format!("exit code {code}{}", why.unwrap_or_default()))
        }
    }
}

fn printed(text: &str) -> Result<Answer, String> {
    if text.is_empty() {
        return Ok(Answer::of(Decision::Pass, None));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("its output isn't JSON ({error})"))?;
    let Value::Object(mut fields) = value else {
        return Err("its output isn't a JSON object".into());
    };
    let decision = match fields.get("decision") {
        None | Some(Value::Null) => Decision::Pass,
        Some(Value::String(word)) => decision(word)?,
        Some(other) => return Err(format!("`decision` is {other}, not a word")),
    };
    let message = match fields.shift_remove("message") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(shortened(text.trim())).filter(|text| !text.is_empty()),
        Some(_) => return Err("`message` isn't a string".into()),
    };
    let patch = match fields.shift_remove("patch") {
        None | Some(Value::Null) => None,
        Some(Value::Object(patch)) => Some(patch),
        Some(_) => return Err("`patch` is not an object".into()),
    };
    Ok(Answer {
        decision,
        message,
        patch,
        metadata: fields.shift_remove("metadata"),
    })
}

/// `deny` and `approve` are how other programs say it: a hook that was moved
/// over must not let through what it means to stop.
fn decision(word: &str) -> Result<Decision, String> {
    match word {
        "allow" | "approve" => Ok(Decision::Allow),
        "warn" => Ok(Decision::Warn),
        "block" | "deny" => Ok(Decision::Block),
        "" | "pass" => Ok(Decision::Pass),
        other => Err(format!(
            "`decision` is `{other}`; it must be allow, warn or block"
        )),
    }
}

fn shortened(text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST_MESSAGE.min(text.len()));
    match text.get(..end) {
        Some(kept) if end < text.len() => {
            format!("{kept} [… {} bytes more]", text.len() - end)
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stdout: &str) -> Result<Answer, String> {
        understand(0, stdout, "")
    }

    #[test]
    fn silence_is_a_pass_and_so_is_an_empty_object() {
        assert_eq!(read("\n").unwrap().decision, Decision::Pass);
        assert_eq!(read("{}").unwrap().decision, Decision::Pass);
    }

    #[test]
    fn exit_two_blocks_with_what_stands_on_standard_error() {
        let answer = understand(2, "ignored", " not on a friday \n").unwrap();
        assert_eq!(answer.decision, Decision::Block);
        assert_eq!(answer.message.as_deref(), Some("not on a friday"));
        assert_eq!(understand(2, "", "").unwrap().decision, Decision::Block);
    }

    #[test]
    fn any_other_exit_code_is_a_failure_whatever_was_printed() {
        assert_eq!(
            understand(1, r#"{"decision":"allow"}"#, "\nno such file\n"),
            Err("exit code 1: no such file".into())
        );
        assert!(understand(139, "", "").is_err());
    }

    #[test]
    fn what_is_not_understood_is_never_an_answer() {
        for text in [
            "yes",
            "[]",
            "{",
            r#"{"decision":"maybe"}"#,
            r#"{"decision":true}"#,
            r#"{"message":1}"#,
            r#"{"patch":[]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_deny_of_another_program_blocks() {
        assert_eq!(
            read(r#"{"decision":"deny"}"#).unwrap().decision,
            Decision::Block
        );
    }

    #[test]
    fn a_long_message_is_cut_with_a_count() {
        let text = format!(
            r#"{{"decision":"warn","message":"{}"}}"#,
            "ä".repeat(20_000)
        );
        let message = read(&text).unwrap().message.unwrap();
        assert!(message.ends_with("bytes more]"), "{message}");
        assert!(message.len() < LONGEST_MESSAGE + 64);
    }
}
