//! What a run was not allowed to do: which call, how to read why, and what that
//! makes of the run's end. The reason itself stands with the call.

use crate::figures::count;
use crate::{
    CallStatus, Class, ErrorCode, Outcome, Printable, RunEnding, RunFinished, ToolCallPart,
    ToolResult, judged,
};
use serde_json::Value;

/// Who works where nothing else was said: whoever asks about a call need not name
/// it.
const USUAL_AGENT: &str = "build";

/// Longer inputs are not repeated.
const LONGEST: usize = 100;

/// The calls of one run that were not allowed. What the user refused in person
/// is known to the user: it and what was refused before it are not told again.
#[derive(Debug, Default)]
pub struct Refusals {
    calls: Vec<Refusal>,
    last: Option<Whose>,
    /// How often the user said no.
    own: u32,
}

/// Whose no the last one was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    User,
    Other,
}

#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    tool: String,
    about: Option<String>,
    /// On whose behalf it was made.
    agent: String,
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Policy,
    Hook,
    /// Built in, and nobody can allow it.
    Never,
}

impl Refusals {
    /// Another run begins.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// A call of this agent came to its end; `asked` is the call as the model
    /// wrote it.
    pub fn ended(&mut self, result: &ToolResult, asked: Option<&ToolCallPart>, agent: &str) {
        if result.status != CallStatus::Denied {
            return;
        }
        if result.is_refused_by_user() {
            self.calls.clear();
            self.own = self.own.saturating_add(1);
            self.last = Some(Whose::User);
        } else {
            self.calls.push(Refusal::of(result, asked, agent));
            self.last = Some(Whose::Other);
        }
    }

    /// How the run ended.
    #[must_use]
    pub fn ending(&self, finished: &RunFinished) -> RunEnding {
        match finished.outcome {
            Outcome::Completed => RunEnding::Done,
            Outcome::Denied if self.last == Some(Whose::User) => {
                RunEnding::DoneAfterOwnNo(self.own)
            }
            Outcome::Denied if finished.steps > 0 && finished.denied_calls > 0 => {
                RunEnding::DoneWithout(finished.denied_calls)
            }
            Outcome::Denied => RunEnding::NotAllowed,
            Outcome::Interrupted => RunEnding::Stopped,
            Outcome::Limit | Outcome::Loop => RunEnding::AtLimit,
            Outcome::Failed | Outcome::Filtered => RunEnding::Failed,
        }
    }

    /// Whether the end of a run needs no word. Of a command of the user's own,
    /// which has no steps, its own line says how it ended, or why it did not run.
    #[must_use]
    pub fn is_silent(&self, finished: &RunFinished) -> bool {
        finished.steps == 0
            && match finished.outcome {
                Outcome::Completed => true,
                Outcome::Denied => self.last.is_some(),
                _ => false,
            }
    }

    /// `Not allowed: bash 'rm -r b'`; nothing where nothing was refused: what else
    /// ended the run was said already.
    #[must_use]
    pub fn what(&self) -> Option<String> {
        let last = self.calls.last()?.name();
        Some(match self.calls.len() {
            1 => format!("Not allowed: {last}"),
            many => format!("Not allowed: {}, at last {last}", count(many, "call")),
        })
    }

    /// How to read why the last one was refused.
    #[must_use]
    pub fn way(&self) -> Option<String> {
        let last = self.calls.last()?;
        Some(match (last.by, last.words()) {
            (By::Never, _) => {
                String::from("Tenon never runs this. If you mean it, run it in your own terminal.")
            }
            (By::Hook, _) => String::from("Which hook that was: tenon hooks list"),
            (By::Policy, Some(words)) => {
                format!("Which rule that was: tenon policy explain {words}")
            }
            (By::Policy, None) => String::from("All rules: tenon policy list"),
        })
    }
}

impl Refusal {
    fn of(result: &ToolResult, asked: Option<&ToolCallPart>, agent: &str) -> Self {
        let code = result.envelope.error().map(|error| error.code);
        let class = result.explanation.as_ref().map(|why| why.class);
        Self {
            tool: result.name.clone(),
            about: asked.and_then(|call| about(&result.name, &call.arguments)),
            agent: agent.to_owned(),
            by: match (code, class) {
                (Some(ErrorCode::BlockedByHook), Some(Class::HardDeny)) => By::Never,
                (Some(ErrorCode::BlockedByHook), _) => By::Hook,
                _ => By::Policy,
            },
        }
    }

    /// The call in a sentence.
    fn name(&self) -> String {
        let tool = Printable::line(&self.tool).into_string();
        match self.about.as_deref().and_then(quoted) {
            Some(about) => format!("{tool} {about}"),
            None => tool,
        }
    }

    /// The words of a shell that name tool and argument, where they can be written.
    fn words(&self) -> Option<String> {
        let about = self.about.as_deref()?;
        // What begins with a dash would be a flag.
        let dashes = match about.starts_with('-') || self.tool.starts_with('-') {
            true => "-- ",
            false => "",
        };
        // What one agent may not do another may: the answer is about this one.
        let agent = match self.agent.as_str() {
            "" | USUAL_AGENT => String::new(),
            agent => format!("--agent {} ", quoted(agent)?),
        };
        Some(format!(
            "{agent}{dashes}{} {}",
            quoted(&self.tool)?,
            quoted(about)?
        ))
    }
}

/// By which argument the call was judged.
fn about(name: &str, arguments: &str) -> Option<String> {
    let input: Value = serde_json::from_str(arguments).ok()?;
    judged(name, &input).map(str::to_owned)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnsweredBy, CallForm, CallId, Explanation, ToolOutput};
    use serde_json::json;

    fn refuse(refusals: &mut Refusals, tool: &str, about: &str, code: ErrorCode, by: AnsweredBy) {
        let mut why = Explanation::new(Class::Ask, "a rule");
        why.answered_by = (by == AnsweredBy::User).then(|| by.name().to_owned());
        let result: ToolResult = serde_json::from_value(json!({
            "call": "c1", "name": tool, "ok": false, "status": CallStatus::Denied,
            "model_text": "", "envelope": ToolOutput::error(code, "").envelope,
            "duration_ms": 0, "explanation": why,
        }))
        .unwrap();
        let asked = ToolCallPart {
            id: CallId::new("c1"),
            name: tool.to_owned(),
            arguments: json!({ "note": "ls", "path": about, "command": about }).to_string(),
            form: CallForm::Native,
        };
        refusals.ended(&result, Some(&asked), "build");
    }

    fn by_rule(refusals: &mut Refusals, tool: &str, about: &str) {
        let code = ErrorCode::PermissionDenied;
        refuse(refusals, tool, about, code, AnsweredBy::Nobody);
    }

    fn finished(outcome: Outcome, steps: u32, denied_calls: u32) -> RunFinished {
        serde_json::from_value(json!({
            "outcome": outcome, "steps": steps, "calls": denied_calls,
            "denied_calls": denied_calls, "usage": {"input": 0, "output": 0},
            "duration_ms": 0,
        }))
        .unwrap()
    }

    #[test]
    fn the_call_that_was_refused_is_named_as_one_would_ask_about_it() {
        let mut refusals = Refusals::default();
        assert_eq!((refusals.what(), refusals.way()), (None, None));
        by_rule(&mut refusals, "read", "a");
        by_rule(&mut refusals, "bash", "rm -r b\u{202e}");
        assert_eq!(
            refusals.what().unwrap(),
            "Not allowed: 2 calls, at last bash 'rm -r b⟨U+202E⟩'"
        );
        assert_eq!(
            refusals.way().unwrap(),
            "Which rule that was: tenon policy explain bash 'rm -r b⟨U+202E⟩'"
        );
    }

    #[test]
    fn another_agent_is_named_in_the_line_to_copy() {
        for (agent, way) in [
            ("plan", "--agent plan bash ls"),
            ("my agent", "--agent 'my agent' bash ls"),
            ("build", "bash ls"),
        ] {
            let result: ToolResult = serde_json::from_value(json!({
                "call": "c1", "name": "bash", "ok": false, "status": CallStatus::Denied,
                "model_text": "", "duration_ms": 0,
                "envelope": ToolOutput::error(ErrorCode::PermissionDenied, "").envelope,
                "explanation": Explanation::new(Class::HardDeny, "it only reads"),
            }))
            .unwrap();
            let asked = ToolCallPart {
                id: CallId::new("c1"),
                name: String::from("bash"),
                arguments: json!({ "command": "ls" }).to_string(),
                form: CallForm::Native,
            };
            let mut refusals = Refusals::default();
            refusals.ended(&result, Some(&asked), agent);
            let expected = format!("Which rule that was: tenon policy explain {way}");
            assert_eq!(refusals.way().unwrap(), expected);
        }
    }

    #[test]
    fn what_cannot_be_typed_again_is_left_out() {
        for text in ["echo 'a'", "a\nb", &"x".repeat(LONGEST + 1)] {
            let mut refusals = Refusals::default();
            by_rule(&mut refusals, "bash", text);
            assert_eq!(refusals.what().unwrap(), "Not allowed: bash");
            assert_eq!(refusals.way().unwrap(), "All rules: tenon policy list");
        }
    }

    #[test]
    fn the_line_to_copy_is_one_call_of_the_program_whatever_was_refused() {
        for (tool, about, way) in [
            ("bash", "-x; ls", "-- bash '-x; ls'"),
            ("read", "--help", "-- read --help"),
            ("my tool;id", "a", "'my tool;id' a"),
        ] {
            let mut refusals = Refusals::default();
            by_rule(&mut refusals, tool, about);
            let expected = format!("Which rule that was: tenon policy explain {way}");
            assert_eq!(refusals.way().unwrap(), expected);
        }
    }

    #[test]
    fn a_hook_is_not_looked_for_among_the_rules() {
        let mut refusals = Refusals::default();
        let (code, by) = (ErrorCode::BlockedByHook, AnsweredBy::Nobody);
        refuse(&mut refusals, "bash", "ls", code, by);
        assert!(refusals.way().unwrap().ends_with("tenon hooks list"));
    }

    #[test]
    fn what_nobody_can_allow_is_said_to_be_so_and_no_hook_is_looked_for() {
        let mut refusals = Refusals::default();
        let result: ToolResult = serde_json::from_value(json!({
            "call": "c1", "name": "bash", "ok": false, "status": CallStatus::Denied,
            "model_text": "", "duration_ms": 0,
            "envelope": ToolOutput::error(ErrorCode::BlockedByHook, "").envelope,
            "explanation": Explanation::new(Class::HardDeny, "a download would run"),
        }))
        .unwrap();
        refusals.ended(&result, None, "build");
        assert!(
            refusals
                .way()
                .unwrap()
                .starts_with("Tenon never runs this.")
        );
    }

    #[test]
    fn the_users_own_no_is_not_told_again_and_another_one_is() {
        let mut refusals = Refusals::default();
        let end = finished(Outcome::Denied, 2, 1);
        by_rule(&mut refusals, "bash", "ls");
        assert_eq!(refusals.ending(&end), RunEnding::DoneWithout(1));
        let (code, by) = (ErrorCode::PermissionDenied, AnsweredBy::User);
        refuse(&mut refusals, "bash", "rm a", code, by);
        assert_eq!(refusals.ending(&end), RunEnding::DoneAfterOwnNo(1));
        assert_eq!(refusals.ending(&end).words(), "Done; you denied 1 call.");
        assert_eq!((refusals.what(), refusals.way()), (None, None));
        by_rule(&mut refusals, "bash", "ls");
        assert_eq!(refusals.ending(&end), RunEnding::DoneWithout(1));
        assert_eq!(refusals.what().unwrap(), "Not allowed: bash ls");
    }

    #[test]
    fn a_run_that_went_on_after_a_refusal_never_says_done_alone() {
        let refusals = Refusals::default();
        for (outcome, steps, denied, words) in [
            (Outcome::Completed, 1, 1, "Done."),
            (Outcome::Denied, 1, 1, "Done; 1 call was not allowed."),
            (Outcome::Denied, 4, 3, "Done; 3 calls were not allowed."),
            (
                Outcome::Denied,
                0,
                0,
                "Not done, because something was not allowed.",
            ),
            (Outcome::Interrupted, 1, 0, "Stopped."),
            (Outcome::Limit, 1, 0, "Stopped at a limit."),
            (Outcome::Loop, 1, 0, "Stopped at a limit."),
            (Outcome::Failed, 1, 0, "Failed."),
            (Outcome::Filtered, 1, 0, "Failed."),
        ] {
            let end = finished(outcome, steps, denied);
            assert_eq!(refusals.ending(&end).words(), words);
            assert!(!refusals.is_silent(&end), "{words}");
        }
    }

    #[test]
    fn a_command_of_the_users_own_says_by_its_own_line_how_it_ended() {
        let mut refusals = Refusals::default();
        assert!(refusals.is_silent(&finished(Outcome::Completed, 0, 0)));
        let refused = finished(Outcome::Denied, 0, 1);
        // Nothing was refused that stands above: a prompt was blocked.
        assert!(!refusals.is_silent(&refused));
        by_rule(&mut refusals, "bash", "ls");
        assert!(refusals.is_silent(&refused));
    }
}
