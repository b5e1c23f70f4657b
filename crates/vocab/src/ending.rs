//! How something ended, in the words that every front end says. Colours and how
//! much of a text is shown are theirs; foreign text in it still needs
//! [`crate::Printable`].

use crate::{
    AnsweredBy, CallStatus, Display, ErrorCode, Interrupted, JobAction, Outcome, Retry, TodoItem,
    TodoStatus, ToolResult, figures,
};
use std::borrow::Cow;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending<'a> {
    Done,
    /// It ran, and says itself that it failed.
    EndedBadly,
    /// Why it was not allowed.
    Denied(&'a str),
    /// By the user in person, with what was said with it. Why it was asked at
    /// all is no reason for a no.
    DeniedByUser(Option<&'a str>),
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
            Self::DeniedByUser(None) => "Denied by you.",
            Self::DeniedByUser(Some(_)) => "Denied by you:",
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
            Self::DeniedByUser(said) => said,
            Self::Denied(why) | Self::NotRun(why) | Self::Failed(why) => Some(why),
        }
    }

    /// Whether it ran, so that it took time.
    #[must_use]
    pub fn is_timed(self) -> bool {
        matches!(self, Self::Done | Self::EndedBadly | Self::Failed(_))
    }
}

impl ToolResult {
    /// Whether it took so long that the time is worth a word.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.duration_ms >= 1_000
    }

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
                    true => Ending::DeniedByUser(why.and_then(|why| why.said.as_deref())),
                    false => Ending::Denied(reason),
                }
            }
            CallStatus::NotStarted => Ending::NotRun(&error.message),
            _ if error.code == ErrorCode::DryRun => Ending::DryRun,
            _ => Ending::Failed(before_the_lines(&error.message)),
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

/// A message of several lines without them: they show the model what it needs to
/// go on. What only leads to them (`It occurs at:`) goes with them; where nothing
/// else is there, all of it stays.
fn before_the_lines(message: &str) -> &str {
    let Some((first, _)) = message.split_once('\n') else {
        return message;
    };
    let first = first.trim_end();
    if !first.ends_with(':') {
        return first;
    }
    match first.rfind(". ") {
        Some(at) => &first[..=at],
        None => message,
    }
}

/// How a run ended. [`crate::Refusals`] knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnding {
    Done,
    /// The user in person said no to the last call, and to so many in all.
    DoneAfterOwnNo(u32),
    /// The model has heard that so many calls were not allowed, and went on to
    /// its end.
    DoneWithout(u32),
    /// It was not begun.
    NotAllowed,
    Stopped,
    AtLimit,
    Failed,
}

impl RunEnding {
    #[must_use]
    pub fn words(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Done => "Done.",
            Self::DoneAfterOwnNo(calls) => {
                let calls = figures::count(calls as usize, "call");
                return Cow::Owned(format!("Done; you denied {calls}."));
            }
            Self::DoneWithout(calls) => {
                let were = if calls == 1 { "was" } else { "were" };
                let calls = figures::count(calls as usize, "call");
                return Cow::Owned(format!("Done; {calls} {were} not allowed."));
            }
            Self::NotAllowed => "Not done, because something was not allowed.",
            Self::Stopped => "Stopped.",
            Self::AtLimit => "Stopped at a limit.",
            Self::Failed => "Failed.",
        })
    }
}

impl Outcome {
    /// How the last run of a session ended, where that is no good end: a part of
    /// a sentence.
    #[must_use]
    pub fn broken(self) -> Option<&'static str> {
        match self {
            Self::Completed | Self::Denied => None,
            Self::Interrupted => Some("the run was stopped"),
            Self::Limit | Self::Loop => Some("the run was stopped at a limit"),
            Self::Failed | Self::Filtered => Some("the run failed"),
        }
    }
}

/// Why a run has no end of its own: the record of it is of whoever opened the
/// session next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Crash,
    Fork,
}

impl Cut {
    /// A part of a sentence.
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Self::Crash => "broken off: the program ended here",
            Self::Fork => "the copy was cut here",
        }
    }

    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Crash => "Broken off: the program ended here.",
            Self::Fork => "The copy was cut here.",
        }
    }
}

impl Interrupted {
    pub const USER: &'static str = "user";
    pub const SHUTDOWN: &'static str = "shutdown";
    pub const CRASH: &'static str = "crash";
    pub const FORK: &'static str = "fork";

    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        match self.by.as_str() {
            Self::CRASH => Some(Cut::Crash),
            Self::FORK => Some(Cut::Fork),
            _ => None,
        }
    }

    /// `Stopped.`, and by what where that was not the user.
    #[must_use]
    pub fn words(&self) -> Cow<'static, str> {
        match (self.cut(), self.by.as_str()) {
            (Some(cut), _) => Cow::Borrowed(cut.sentence()),
            (None, Self::USER) => Cow::Borrowed("Stopped."),
            (None, Self::SHUTDOWN) => Cow::Borrowed("Stopped: Tenon is shutting down."),
            (None, by) => Cow::Owned(format!("Stopped ({by}).")),
        }
    }
}

impl Display {
    /// `exit 2`, or where a command goes on or what became of it; `None` for what
    /// is no command.
    #[must_use]
    pub fn exit(&self) -> Option<String> {
        let Self::Terminal {
            exit_code,
            job,
            state,
            ..
        } = self
        else {
            return None;
        };
        if let Some(state) = state {
            return Some(state.clone());
        }
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
            "{}. Retrying in {:.0} s ({} of {})",
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
        let mut own = denied(Some("user"));
        assert!(own.is_refused_by_user());
        let ending =
            |result: &ToolResult| (result.ending().word(), result.ending().why().is_some());
        assert_eq!(ending(&own), ("Denied by you.", false));
        own.explanation.as_mut().unwrap().said = Some("use make".into());
        assert_eq!(ending(&own), ("Denied by you:", true));
        assert_eq!(own.ending().why(), Some("use make"));
        // A yes of the user is no no.
        let failed = result(&refused, CallStatus::Completed, Some("user"));
        assert!(!failed.is_refused_by_user());
        assert_eq!(failed.ending(), Ending::Failed("for the model"));
    }

    #[test]
    fn a_failure_is_told_to_people_without_the_lines_for_the_model() {
        let told = |message: &str| {
            let failed = ToolOutput::error(ErrorCode::OldNotFound, message).envelope;
            let failed = result(&failed, CallStatus::Completed, None);
            failed.ending().why().unwrap().to_owned()
        };
        let found =
            "`old` is not in `a.py`; nothing was changed. The closest match is at line 3:\n3  x";
        assert_eq!(told(found), "`old` is not in `a.py`; nothing was changed.");
        assert_eq!(told("It broke.\nSee the log"), "It broke.");
        let whole = "Traceback (most recent call last):\n  a";
        assert_eq!(told(whole), whole);
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
                state: None,
            };
            ended.ending().word()
        };
        assert_eq!((ended(0), ended(127)), ("Done.", "Failed."));
    }

    #[test]
    fn what_has_no_end_of_its_own_is_not_said_to_be_interrupted() {
        let by = |by: &str| Interrupted { by: by.to_owned() };
        assert_eq!(by(Interrupted::USER).words(), "Stopped.");
        assert_eq!(by(Interrupted::SHUTDOWN).cut(), None);
        for (cause, cut) in [("crash", Cut::Crash), ("fork", Cut::Fork)] {
            assert_eq!(by(cause).cut(), Some(cut));
            assert_eq!(by(cause).words(), cut.sentence());
            // One sentence in two forms.
            let clause = format!("{}.", cut.clause());
            assert!(clause.eq_ignore_ascii_case(cut.sentence()), "{clause}");
        }
    }
}
