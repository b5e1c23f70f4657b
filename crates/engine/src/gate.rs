//! The only way to a tool's `run`: facts are gathered now, the policy decides,
//! whoever is in front is asked where it says so, and the explanation goes to
//! the log with the call.

use crate::ask;
use crate::parts::{Approval, Confirm, Effects};
use crate::run::{End, Flow, Run};
use crate::schedule::{Planned, Ready};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_policy::{Authority, Facts, GrantKey, Offer, Scope, Subject, decide, error_code, offers};
use tenon_tools::{Tool, Workspace};
use tenon_vocab::{
    Answer, AnsweredBy, CallId, CallStatus, Choice, Class, Display, Effect, ErrorCode, Explanation,
    Notice, NoticeLevel, Question, QuestionKind, ToolOutput,
};

pub(crate) enum Verdict {
    Run {
        tool: Arc<dyn Tool>,
        input: Value,
        explanation: Explanation,
        /// Of this call, which may be less than the tool could do.
        effect: Effect,
        /// The view of the workspace that this call may use.
        workspace: Workspace,
    },
    Refuse {
        output: Box<ToolOutput>,
        status: CallStatus,
        explanation: Option<Explanation>,
    },
}

pub(crate) struct Admitted {
    pub(crate) call: CallId,
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
}

/// Decides each call of a batch, in order. A denied call does not stop its
/// siblings; only an interrupt does.
pub(crate) async fn admit(run: &mut Run, batch: Vec<Planned>) -> Flow<Vec<Admitted>> {
    let mut admitted = Vec::with_capacity(batch.len());
    for Planned { call, name, ready } in batch {
        if run.token.is_cancelled() {
            return Err(End::Interrupted);
        }
        let verdict = match ready {
            Err(output) => Verdict::Refuse {
                output,
                status: CallStatus::Completed,
                explanation: None,
            },
            Ok(ready) => judge(run, &call, ready).await?,
        };
        admitted.push(Admitted {
            call,
            name,
            verdict,
        });
    }
    Ok(admitted)
}

async fn judge(run: &Run, call: &CallId, ready: Ready) -> Flow<Verdict> {
    let core = &run.core;
    let facts = ready.tool.facts(&ready.input, &core.workspace);
    let mut explanation = {
        let authority = Authority::of(&core.agent);
        decide(
            &facts,
            &core.rules,
            &core.grants(),
            &authority,
            core.ambient.now(),
        )
    };
    if matches!(explanation.class, Class::HardDeny | Class::Deny) {
        return Ok(refuse(explanation, None));
    }
    if core.effects == Effects::DryRun && matches!(facts.effect, Effect::Write | Effect::Execute) {
        return Ok(dry_run(run, &ready, explanation));
    }
    match responder(core.approval, explanation.class) {
        Responder::NotNeeded => {}
        Responder::Flag(flag) => explanation.answered_by = Some(flag.to_owned()),
        Responder::Nobody => return Ok(nobody(run, &facts, explanation)),
        Responder::Person => {
            let answer = ask_person(run, call, &ready, &facts, &explanation).await?;
            if answer.by == AnsweredBy::Interrupt {
                return Err(End::Interrupted);
            }
            explanation.answered_by = Some(answer.by.name().to_owned());
            if !accept(run, &facts, &explanation, &answer) {
                return Ok(refuse(explanation, answer.text));
            }
        }
    }
    let workspace = admit_paths(&core.workspace, &facts);
    Ok(Verdict::Run {
        tool: ready.tool,
        input: ready.input,
        explanation,
        effect: facts.effect,
        workspace,
    })
}

/// Paths outside the root that were admitted are open to this call alone.
fn admit_paths(workspace: &Workspace, facts: &Facts) -> Workspace {
    let Subject::Paths(paths) = &facts.subject else {
        return workspace.clone();
    };
    let outside: Vec<String> = paths
        .iter()
        .filter(|fact| !fact.inside)
        .map(|fact| fact.path.clone())
        .collect();
    if outside.is_empty() {
        workspace.clone()
    } else {
        workspace.admit_external(&outside)
    }
}

/// Who answers a decision to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Responder {
    NotNeeded,
    Flag(&'static str),
    Person,
    Nobody,
}

fn responder(approval: Approval, class: Class) -> Responder {
    match (class, approval) {
        (Class::Allow, _) => Responder::NotNeeded,
        (Class::Ask | Class::Confirm, Approval::Yolo) => Responder::Flag("--yolo"),
        (Class::Ask, Approval::Yes(_)) => Responder::Flag("--yes"),
        (Class::Ask | Class::Confirm, Approval::Ask)
        | (Class::Confirm, Approval::Yes(Confirm::Ask)) => Responder::Person,
        _ => Responder::Nobody,
    }
}

async fn ask_person(
    run: &Run,
    call: &CallId,
    ready: &Ready,
    facts: &Facts,
    explanation: &Explanation,
) -> Flow<Answer> {
    let view = admit_paths(&run.core.workspace, facts);
    let preview = ready.tool.preview(&ready.input, &view);
    let offers = offered(run, facts, explanation);
    let (title, body) = describe(facts, &ready.input, &preview);
    let answer = ask::question(&run.core, run.id, &run.token, |id| Question {
        id,
        kind: QuestionKind::Permission,
        title,
        body,
        display: preview,
        choices: choices(&offers),
        free_text: true,
        call: Some(call.clone()),
        tool: Some(facts.tool.clone()),
        reason: Some(explanation.reason.clone()),
        intent: None,
        affects: Vec::new(),
    })
    .await?;
    Ok(answer)
}

/// The grants that this question offers: none where a yes is wanted each time,
/// and only for the session where nothing may be kept.
fn offered(run: &Run, facts: &Facts, explanation: &Explanation) -> Vec<Offer> {
    if explanation.class != Class::Ask {
        return Vec::new();
    }
    let mut offers = offers(facts);
    if run.core.on_grant.is_none() {
        offers.retain(|offer| offer.scope == Scope::Session);
    }
    offers
}

fn choices(offers: &[Offer]) -> Vec<Choice> {
    let mut choices = vec![choice(Choice::ONCE, 'y', "allow once", None)];
    for offer in offers {
        choices.push(match offer.scope {
            Scope::Session => choice(
                Choice::SESSION,
                's',
                "allow for this session",
                Some(offer.rule.clone()),
            ),
            Scope::Project => choice(
                Choice::ALWAYS,
                'a',
                "always allow in this project, for 7 days",
                Some(offer.rule.clone()),
            ),
        });
    }
    choices.push(choice(Choice::DENY, 'n', "deny", None));
    choices
}

fn choice(id: &str, key: char, label: &str, rule: Option<String>) -> Choice {
    Choice {
        id: id.to_owned(),
        key,
        label: label.to_owned(),
        rule,
    }
}

/// A title and a body in which nothing of what would run is left out.
fn describe(facts: &Facts, input: &Value, preview: &Display) -> (String, String) {
    match (&facts.subject, preview) {
        (Subject::Command(script), _) => (
            String::from("Run a command?"),
            format!("{}{}", script.text, circumstances(input)),
        ),
        (_, Display::Diff { files }) => {
            let names: Vec<String> = files
                .iter()
                .map(|file| match &file.from {
                    Some(from) => format!("{from} → {}", file.path),
                    None => file.path.clone(),
                })
                .collect();
            (format!("Change {}?", names.join(", ")), String::new())
        }
        (Subject::Paths(paths), _) => {
            let names: Vec<&str> = paths.iter().map(|fact| fact.path.as_str()).collect();
            (
                format!("Let `{}` use {}?", facts.tool, names.join(", ")),
                String::new(),
            )
        }
        _ => (
            format!("Run `{}`?", facts.tool),
            serde_json::to_string_pretty(input).unwrap_or_default(),
        ),
    }
}

/// How a command would run, where that is not the usual way.
fn circumstances(input: &Value) -> String {
    let mut text = String::new();
    if let Some(folder) = input["workdir"].as_str() {
        text.push_str(&format!("\n(in the folder `{folder}`)"));
    }
    if input["background"].as_bool() == Some(true) {
        text.push_str("\n(in the background)");
    }
    text
}

/// Whether the answer allows the call; stores the grant that came with it.
fn accept(run: &Run, facts: &Facts, explanation: &Explanation, answer: &Answer) -> bool {
    let scope = match answer.choice.as_str() {
        Choice::ONCE => return true,
        Choice::SESSION => Scope::Session,
        Choice::ALWAYS => Scope::Project,
        _ => return false,
    };
    // A choice that was not offered grants nothing.
    let Some(offer) = offered(run, facts, explanation)
        .into_iter()
        .find(|offer| offer.scope == scope)
    else {
        return false;
    };
    let grant = offer.grant.starting(run.core.ambient.now());
    if scope == Scope::Project
        && let Some(keep) = &run.core.on_grant
    {
        keep(&grant);
    }
    run.core.grants().add(grant);
    true
}

/// Nobody can be asked: deny, and say which flag or rule would allow it (G15).
fn nobody(run: &Run, facts: &Facts, explanation: Explanation) -> Verdict {
    let hint = match explanation.class {
        Class::Confirm => String::from("Run it where someone can answer."),
        _ => format!(
            "Allow it with --yes, or with a rule in the configuration: {}",
            rule_hint(facts)
        ),
    };
    run.core.emit_or_end(
        Some(run.id),
        Notice {
            level: NoticeLevel::Warning,
            kind: String::from("permission"),
            message: format!(
                "{} was denied: nobody is there to be asked ({}).",
                facts.tool, explanation.reason
            ),
            hint: Some(hint),
        },
    );
    refuse(
        explanation,
        Some(String::from(
            "nobody is there to be asked, so it counts as denied",
        )),
    )
}

/// A rule as it would be written in the configuration.
fn rule_hint(facts: &Facts) -> String {
    let rule = match offers(facts)
        .first()
        .map(|offer| (&offer.grant.tool, &offer.grant.key))
    {
        Some((tool, GrantKey::Command(words))) => {
            json!({ tool.as_str(): { words.join(" "): "allow" } })
        }
        Some((tool, GrantKey::Directory(folder))) => {
            json!({ tool.as_str(): { format!("{}/**", folder.trim_end_matches('/')): "allow" } })
        }
        _ => json!({ facts.tool.as_str(): "allow" }),
    };
    format!("\"permission\": {rule}")
}

fn refuse(explanation: Explanation, said: Option<String>) -> Verdict {
    let code = error_code(&explanation);
    let mut message = format!("not allowed: {}.", explanation.reason.trim_end_matches('.'));
    if let Some(said) = said.filter(|said| !said.trim().is_empty()) {
        message.push_str(&format!(" Reason given: {said}."));
    }
    message.push_str(
        " Do not try to reach the same effect another way; do something else or say what you need.",
    );
    Verdict::Refuse {
        output: Box::new(ToolOutput::error(code, message)),
        status: CallStatus::Denied,
        explanation: Some(explanation),
    }
}

/// What would have been done, instead of doing it (T18).
fn dry_run(run: &Run, ready: &Ready, explanation: Explanation) -> Verdict {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_never_answers_what_must_be_confirmed() {
        assert_eq!(
            responder(Approval::Yes(Confirm::Nobody), Class::Confirm),
            Responder::Nobody
        );
        assert_eq!(
            responder(Approval::Yes(Confirm::Ask), Class::Confirm),
            Responder::Person
        );
        assert_eq!(
            responder(Approval::Yes(Confirm::Nobody), Class::Ask),
            Responder::Flag("--yes")
        );
    }

    #[test]
    fn with_nobody_in_front_ask_is_denied_at_once() {
        assert_eq!(responder(Approval::Nobody, Class::Ask), Responder::Nobody);
        assert_eq!(
            responder(Approval::Nobody, Class::Confirm),
            Responder::Nobody
        );
        assert_eq!(
            responder(Approval::Nobody, Class::Allow),
            Responder::NotNeeded
        );
    }

    #[test]
    fn nothing_answers_a_deny() {
        for approval in [
            Approval::Ask,
            Approval::Nobody,
            Approval::Yes(Confirm::Ask),
            Approval::Yolo,
        ] {
            assert_eq!(responder(approval, Class::Deny), Responder::Nobody);
            assert_eq!(responder(approval, Class::HardDeny), Responder::Nobody);
        }
    }
}
