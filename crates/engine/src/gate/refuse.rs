//! How a call that may not run is answered: what was decided, why, and what
//! would allow it.

use super::{Verdict, hint};
use crate::run::Run;
use crate::schedule::Ready;
use tenon_policy::{Facts, error_code};
use tenon_vocab::{
    AnsweredBy, CallStatus, Class, Display, ErrorCode, Explanation, Notice, NoticeLevel, Printable,
    Responders, RuleTried, ToolOutput,
};

/// What the model is to do about a no that says nothing more.
const INSTEAD: &str =
    "Do not try to reach the same effect another way; do something else or say what you need.";

/// The policy, or a hook that was asked, said no.
pub(super) fn denied(explanation: Explanation, said: Option<String>) -> Verdict {
    let code = error_code(&explanation);
    let mut message = format!("not allowed: {}.", explanation.reason.trim_end_matches('.'));
    if let Some(said) = said.filter(|said| !said.trim().is_empty()) {
        let said = said.trim_end_matches('.');
        message.push_str(&format!(" Reason given: {said}."));
    }
    refusal(code, message, explanation)
}

/// Whoever was asked said no. Why it was asked is not why it is refused: the
/// model hears whose no it was, and what was said with it.
pub(super) fn by_answer(
    mut explanation: Explanation,
    by: AnsweredBy,
    said: Option<String>,
) -> Verdict {
    let whose = match by {
        AnsweredBy::User => "the user",
        _ => "the program that runs this session",
    };
    explanation.said = said
        .map(|said| said.trim().to_owned())
        .filter(|said| !said.is_empty());
    let message = format!("not allowed: {whose} said no to this call.");
    let code = error_code(&explanation);
    // Whoever says what to do instead is not contradicted.
    let next = match &explanation.said {
        Some(said) => format!("Go by these words: {said}"),
        None => INSTEAD.to_owned(),
    };
    let mut output = told(code, message, &next);
    // A person knows of the own no: the words are for the model.
    output.display = Display::Nothing;
    refuse(output, explanation)
}

/// The agent does not see the tool: no rule and no grant changes that (A10).
pub(super) fn unseen(run: &Run, tool: &str) -> Verdict {
    let core = &run.core;
    let acting = core.agent();
    let agent = acting.name();
    let seers = core.cast.seers(tool);
    let change = match seers.as_slice() {
        [] => String::new(),
        [first, ..] => format!(
            "; the user can change to one that does with `/agent {}`",
            Printable::line(first)
        ),
    };
    let agent = Printable::line(agent);
    let reason = format!("the agent `{agent}` does not have `{tool}`{change}");
    let mut explanation = Explanation::new(Class::HardDeny, reason);
    explanation.tried.push(RuleTried {
        rule: format!("tools of the agent {agent}"),
        origin: acting.profile.source.clone(),
        matched: true,
    });
    denied(explanation, None)
}

/// A hook that comes along said no: the policy's verdict under its name (H5).
pub(super) fn by_built_in(explanation: Explanation) -> Verdict {
    let message = format!("not allowed: {}.", explanation.reason.trim_end_matches('.'));
    refusal(ErrorCode::BlockedByHook, message, explanation)
}

/// A hook said no to what the policy left open.
pub(super) fn by_hook(
    policy: Explanation,
    hook: &str,
    origin: &'static str,
    reason: String,
) -> Verdict {
    let mut explanation = Explanation::new(Class::Deny, reason);
    explanation.tried = policy.tried;
    explanation.tried.push(RuleTried {
        rule: format!("hook {hook} = block"),
        origin: origin.to_owned(),
        matched: true,
    });
    let message = format!("{}.", explanation.reason.trim_end_matches('.'));
    refusal(ErrorCode::BlockedByHook, message, explanation)
}

fn refusal(code: ErrorCode, message: String, explanation: Explanation) -> Verdict {
    refuse(told(code, message, INSTEAD), explanation)
}

/// What happened is for whoever reads it; what to do next is for the model.
fn told(code: ErrorCode, message: String, next: &str) -> ToolOutput {
    let mut output = ToolOutput::error(code, message);
    output.model_text.push_str(&format!(" {next}"));
    output
}

fn refuse(output: ToolOutput, explanation: Explanation) -> Verdict {
    Verdict::Refuse {
        output: Box::new(output),
        status: CallStatus::Denied,
        explanation: Some(explanation),
    }
}

/// Nobody can be asked: deny, and say which flag or rule would allow it (G15).
pub(super) fn nobody(run: &Run, facts: &Facts, explanation: Explanation) -> Verdict {
    let hint = match (explanation.class, explanation.responders) {
        (_, Responders::Person) => String::from(
            "Run it where someone can answer: at a terminal, or with --input-format json.",
        ),
        (Class::Confirm, _) => String::from(
            "Run it where someone can answer: at a terminal, or with --input-format json. --yolo answers it too.",
        ),
        _ => hint::of(run, facts, &explanation),
    };
    run.core.emit_or_end(
        Some(run.id),
        Notice {
            level: NoticeLevel::Warning,
            kind: String::from("permission"),
            message: format!(
                "{} was denied: there is no one to ask ({}).",
                facts.tool, explanation.reason
            ),
            hint: Some(hint),
        },
    );
    let said = String::from("there is no one to ask, so it is denied");
    denied(explanation, Some(said))
}

/// What would have been done, instead of doing it (T18).
pub(super) fn dry_run(run: &Run, ready: &Ready, explanation: Explanation) -> Verdict {
    let mut output = ToolOutput::error(
        ErrorCode::DryRun,
        "this is a dry run: the call was not executed. Go on as if it had succeeded, and say at the end what would have been done.",
    );
    output.display = ready.tool.preview(&ready.input, &run.core.workspace);
    Verdict::Refuse {
        output: Box::new(output),
        status: CallStatus::Completed,
        explanation: Some(explanation),
    }
}
