//! How something ended, in the words that every front end says. Colours and how
//! much of a text is shown are theirs; foreign text in it still needs
//! [`crate::Printable`].

use crate::{
    AnsweredBy, CallStatus, Display, ErrorCode, JobAction, Retry, TodoItem, TodoStatus, ToolResult,
};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending<'a> {
    Done,
    /// It ran, and says itself that it failed.
    EndedBadly,
    /// Why it was not allowed.
    Denied(&'a str),
    /// The same, by the user in person.
    DeniedByUser(&'a str),
    NotRun(&'a str),
    DryRun,
    Failed(&'a str),
}

impl<'a> Ending<'a> {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "Done.",
            Self::EndedBadly => "Failed.",
            Self::Denied(_) => "Denied:",
            Self::DeniedByUser(_) => "Denied by you:",
            Self::NotRun(_) => "Not run:",
            Self::DryRun => "Not done (dry run).",
            Self::Failed(_) => "Failed:",
        }
    }

    /// What follows the word.
    #[must_use]
    pub fn why(self) -> Option<&'a str> {
        match self {
            Self::Done | Self::EndedBadly | Self::DryRun => None,
            Self::Denied(why) | Self::DeniedByUser(why) | Self::NotRun(why) | Self::Failed(why) => {
                Some(why)
            }
        }
    }

    /// Whether it ran, so that it took time.
    #[must_use]
    pub fn is_timed(self) -> bool {
        matches!(self, Self::Done | Self::EndedBadly | Self::Failed(_))
    }
}

impl ToolResult {
    #[must_use]
    pub fn ending(&self) -> Ending<'_> {
        let Some(error) = self.envelope.error() else {
            return match &self.display {
                Display::Terminal {
                    exit_code: Some(code),
                    ..
                } if *code != 0 => Ending::EndedBadly,
                _ => Ending::Done,
            };
        };
        // What is written for the model says nothing to people here.
        let why = self.explanation.as_ref();
        match self.status {
            CallStatus::Denied => {
                let reason = why.map_or(error.message.as_str(), |why| &why.reason);
                match self.is_refused_by_user() {
                    true => Ending::DeniedByUser(reason),
                    false => Ending::Denied(reason),
                }
            }
            CallStatus::NotStarted => Ending::NotRun(&error.message),
            _ if error.code == ErrorCode::DryRun => Ending::DryRun,
            _ => Ending::Failed(&error.message),
        }
    }

    /// Whether the user in person said no to it.
    #[must_use]
    pub fn is_refused_by_user(&self) -> bool {
        let by = self.explanation.as_ref();
        self.status == CallStatus::Denied
            && by.and_then(|why| why.answered_by.as_deref()) == Some(AnsweredBy::User.name())
    }
}

impl Display {
    /// `exit 2`, or where a command goes on; `None` for what is no command.
    #[must_use]
    pub fn exit(&self) -> Option<String> {
        let Self::Terminal { exit_code, job, .. } = self else {
            return None;
        };
        Some(match (exit_code, job) {
            (_, Some(job)) => format!("running in the background as {job}"),
            (Some(code), None) => format!("exit {code}"),
            (None, None) => String::from("no exit code"),
        })
    }
}

/// `2 of 5 done`
#[must_use]
pub fn progress(items: &[TodoItem]) -> String {
    let is_done = |item: &&TodoItem| item.status == TodoStatus::Completed;
    match items.len() {
        0 => String::from("no items"),
        all => format!("{} of {all} done", items.iter().filter(is_done).count()),
    }
}

impl JobAction {
    /// What became of a process.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Started => "started in the background",
            Self::Detached => "goes on in the background",
            Self::Exited => "ended",
            Self::Killed => "was ended",
        }
    }
}

impl Retry {
    /// Why something is tried again, and when.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "{}; trying again in {:.0} s ({} of {})",
            self.reason,
            self.delay_ms as f64 / 1000.0,
            self.attempt,
            self.of
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Envelope, Explanation, ToolOutput};
    use serde_json::json;

    fn result(envelope: &Envelope, status: CallStatus, by: Option<&str>) -> ToolResult {
        let mut why = Explanation::new(Class::Ask, "a rule");
        why.answered_by = by.map(str::to_owned);
        serde_json::from_value(json!({
            "call": "c1", "name": "bash", "ok": true, "status": status, "model_text": "",
            "envelope": envelope, "duration_ms": 0, "explanation": why,
        }))
        .unwrap()
    }

    #[test]
    fn whose_no_it_was_is_said_and_the_reason_is_the_one_for_people() {
        let refused = ToolOutput::error(ErrorCode::PermissionDenied, "for the model").envelope;
        let denied = |by| result(&refused, CallStatus::Denied, by);
        assert_eq!(denied(None).ending(), Ending::Denied("a rule"));
        assert_eq!(denied(Some("--yes")).ending().word(), "Denied:");
        assert_eq!(denied(Some("user")).ending().word(), "Denied by you:");
        assert!(denied(Some("user")).is_refused_by_user());
        // A yes of the user is no no.
        let failed = result(&refused, CallStatus::Completed, Some("user"));
        assert!(!failed.is_refused_by_user());
        assert_eq!(failed.ending(), Ending::Failed("for the model"));
    }

    #[test]
    fn a_command_that_says_that_it_failed_is_not_done() {
        let done = ToolOutput::ok(json!(null), "", Display::Nothing).envelope;
        let ended = |code| {
            let mut ended = result(&done, CallStatus::Completed, None);
            ended.display = Display::Terminal {
                command: String::new(),
                output: String::new(),
                exit_code: Some(code),
                job: None,
            };
            ended.ending().word()
        };
        assert_eq!((ended(0), ended(127)), ("Done.", "Failed."));
    }
}
