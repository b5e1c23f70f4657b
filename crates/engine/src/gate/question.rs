//! What a person is asked before a call, in full: what would run, why it is
//! asked, why the model wants it and what it would affect. It decides nothing;
//! the gate acts on the answer.

use super::admit_paths;
use super::group::{self, Member};
use crate::run::{Flow, Run};
use crate::schedule::{Leave, Ready};
use crate::{ask, recover};
use serde_json::Value;
use std::time::Duration;
use tenon_policy::{
    Access, Authority, Deed, Facts, Findings, Offer, PathFact, Place, Scope, Script, Subject,
    offers_within,
};
use tenon_tools::hidden_from;
use tenon_vocab::figures;
use tenon_vocab::names::tool;
use tenon_vocab::{
    Answer, CallId, Choice, Class, Display, Explanation, Part, Question, QuestionKind, Responders,
};

/// Characters of the model's words that a question shows.
const INTENT: usize = 500;
/// Messages that are looked through for the call.
const RECENT: usize = 200;
/// Levels of an input that are laid out; what lies deeper stays JSON.
const LEVELS: usize = 6;

pub(super) async fn ask_person(
    run: &Run,
    call: &CallId,
    (ready, facts, explanation): (&Ready, &Facts, &Explanation),
    leave: Leave,
    group: &[Member],
) -> Flow<Answer> {
    let view = admit_paths(&run.core.workspace, facts);
    let preview = ready.tool.preview(&ready.input, &view);
    let offers = offered(run, &group::merged(facts, group), explanation);
    let (title, body) = match group.len() {
        0 => describe(facts, &ready.input, &preview),
        more => (format!("Make these {} edits?", more + 1), String::new()),
    };
    let (intent, affects) = match explanation.class {
        Class::Confirm => (intent(run, call), recover::affects(run, facts).await),
        _ => (None, Vec::new()),
    };
    let lasting = run.core.grants().duration();
    let mut choices = choices(&offers, consent(facts, explanation), lasting);
    if !group.is_empty() {
        choices = for_all(choices, group.len() + 1);
    }
    let mut reason = why(run, facts, explanation);
    if offers.is_empty() {
        reason.extend(once_only(facts, explanation));
    }
    let answer = ask::question(&run.core, run.id, &run.token, |id| Question {
        id,
        kind: QuestionKind::Permission,
        title,
        body,
        display: group::shown(preview, group),
        choices,
        // Of a line that the user typed no model asks why it was refused.
        free_text: leave == Leave::ToBeAsked,
        call: Some(call.clone()),
        calls: group::calls(call, group),
        class: Some(explanation.class),
        tool: Some(facts.tool.clone()),
        reason: Some(reason),
        intent,
        affects,
    })
    .await?;
    Ok(answer)
}

/// Why it is asked, and what a yes would not give.
fn why(run: &Run, facts: &Facts, explanation: &Explanation) -> String {
    let hidden = match &facts.subject {
        Subject::Command(script) => hidden_from(script, &run.core.workspace, &run.core.jobs),
        _ => Vec::new(),
    };
    if hidden.is_empty() {
        return explanation.reason.clone();
    }
    format!(
        "{}; the command will see {} empty, because the sandbox hides it (sandbox.show)",
        explanation.reason,
        hidden.join(", ")
    )
}

/// Why nothing longer than once is offered.
fn once_only(facts: &Facts, explanation: &Explanation) -> Option<String> {
    if explanation.class != Class::Ask || explanation.responders == Responders::Person {
        return None;
    }
    tenon_policy::once_only(facts)
        .map(|because| format!(". It can only be allowed once: {because}"))
}

/// What the model said right before the call, in the same message.
fn intent(run: &Run, call: &CallId) -> Option<String> {
    let said = run.core.emitter.state(|state| {
        let messages = state.history().messages();
        let message = messages
            .iter()
            .rev()
            .take(RECENT)
            .find(|message| message.tool_calls().any(|made| made.id == *call))?;
        let mut said = None;
        for part in &message.parts {
            match part {
                Part::Text { text } if !text.trim().is_empty() => said = Some(text.clone()),
                Part::ToolCall(made) if made.id == *call => break,
                _ => {}
            }
        }
        said
    })?;
    let said = said.trim();
    let total = said.chars().count();
    let shown: String = said.chars().take(INTENT).collect();
    Some(match total.saturating_sub(INTENT) {
        0 => shown,
        more => format!("{shown}… (+{more} characters)"),
    })
}

/// How a yes must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    Key,
    /// Written out: it reaches beyond the project, or is all of it.
    Typed,
}

fn consent(facts: &Facts, explanation: &Explanation) -> Consent {
    let far = explanation.class == Class::Confirm
        && match &facts.subject {
            Subject::Command(script) => reaches_far(script),
            Subject::Paths(paths) => paths
                .iter()
                .any(|fact| fact.access == Access::Write && is_far(fact)),
            Subject::Nothing | Subject::Name(_) => false,
        };
    if far { Consent::Typed } else { Consent::Key }
}

fn reaches_far(script: &Script) -> bool {
    script
        .observed()
        .filter(|(target, _)| target.deed != Deed::Read)
        .any(|(target, fact)| match fact {
            Some(fact) if target.certain => is_far(fact),
            // What git sweeps over is kept under a ref before.
            Some(fact) if recover::is_sweep(target) => !fact.inside,
            Some(fact) => {
                !fact.inside
                    || !recover::is_plain_glob(&target.path)
                    || names_everything(&target.path)
            }
            None => true,
        })
}

fn is_far(fact: &PathFact) -> bool {
    !matches!(fact.place, Place::Ordinary | Place::Added) || (fact.exists && !fact.inside)
}

/// `*`, `./*`, `.*`: all that the folder holds.
fn names_everything(glob: &str) -> bool {
    glob.trim_start_matches("./")
        .chars()
        .all(|c| matches!(c, '*' | '.' | '/'))
}

fn is_partly_masked(run: &Run, facts: &Facts) -> bool {
    let mut found = Findings::default();
    let mut input = serde_json::from_str(&facts.input).unwrap_or_default();
    run.core.masker.mask_plain_value(&mut input, &mut found);
    !found.is_empty()
}

/// The grants that this question offers: none where a yes is wanted each time,
/// and only for the session where nothing may be kept.
pub(super) fn offered(run: &Run, facts: &Facts, explanation: &Explanation) -> Vec<Offer> {
    if explanation.class != Class::Ask || explanation.responders == Responders::Person {
        return Vec::new();
    }
    let core = &run.core;
    // What was not seen whole is not allowed for later.
    if is_partly_masked(run, facts) {
        return Vec::new();
    }
    let mut offers = offers_within(
        facts,
        &core.rules,
        &core.grants(),
        &Authority::of(&core.agent().profile),
        core.ambient.now(),
    );
    if core.on_grant.is_none() {
        offers.retain(|offer| offer.scope == Scope::Session);
    }
    offers
}

fn choices(offers: &[Offer], consent: Consent, lasting: Duration) -> Vec<Choice> {
    let mut once = choice(Choice::ONCE, 'y', "allow once", None);
    once.typed = (consent == Consent::Typed).then(|| Choice::YES.to_owned());
    let mut choices = vec![once];
    for offer in offers {
        let (id, key) = match offer.scope {
            Scope::Session => (Choice::SESSION, 's'),
            Scope::Project => (Choice::ALWAYS, 'a'),
        };
        let reach = match offer.scope {
            Scope::Session => Choice::reach(id).unwrap_or_default().to_owned(),
            Scope::Project => format!("in this project for {}", figures::span(lasting)),
        };
        let label = format!("allow {reach}");
        choices.push(choice(id, key, &label, Some(offer.rule.clone())));
    }
    choices.push(choice(Choice::DENY, 'n', "deny", None));
    choices
}

/// The same of a question about several calls: all of them, or one after the
/// other.
fn for_all(choices: Vec<Choice>, count: usize) -> Vec<Choice> {
    choices
        .into_iter()
        .flat_map(|one| match one.id.as_str() {
            Choice::ONCE => vec![
                choice(
                    Choice::ALL,
                    'y',
                    &format!("allow these {count} edits"),
                    None,
                ),
                choice(Choice::EACH, 'o', "one at a time", None),
            ],
            Choice::DENY => vec![choice(
                Choice::DENY,
                'n',
                &format!("deny all {count}"),
                None,
            )],
            _ => vec![one],
        })
        .collect()
}

fn choice(id: &str, key: char, label: &str, rule: Option<String>) -> Choice {
    Choice {
        id: id.to_owned(),
        key,
        label: label.to_owned(),
        rule,
        typed: None,
    }
}

/// A title and a body in which nothing of what would run is left out.
fn describe(facts: &Facts, input: &Value, preview: &Display) -> (String, String) {
    match (&facts.subject, preview) {
        (Subject::Command(script), _) if facts.tool == tool::PROCESS => (
            format!(
                "Type into the process {}?",
                input["id"].as_str().unwrap_or_default()
            ),
            script.text.clone(),
        ),
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
        _ => (format!("Run `{}`?", facts.tool), laid_out(input, 0)),
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

/// An input as lines of names and values. Nothing is left out of it.
fn laid_out(value: &Value, level: usize) -> String {
    let indent = "  ".repeat(level);
    let entry = |name: &str, value: &Value| match value {
        Value::Object(inner) if !inner.is_empty() && level < LEVELS => {
            format!("{indent}{name}\n{}", laid_out(value, level + 1))
        }
        Value::Array(inner) if !inner.is_empty() && level < LEVELS => {
            format!("{indent}{name}\n{}", laid_out(value, level + 1))
        }
        Value::String(text) if text.contains('\n') => {
            let lines: Vec<String> = text
                .split('\n')
                .map(|line| format!("{indent}  {line}"))
                .collect();
            format!("{indent}{name}\n{}", lines.join("\n"))
        }
        Value::String(text) => format!("{indent}{name} {text}"),
        other => format!("{indent}{name} {other}"),
    };
    let lines: Vec<String> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| entry(&format!("{name}:"), value))
            .collect(),
        Value::Array(items) => items.iter().map(|value| entry("-", value)).collect(),
        other => vec![format!("{indent}{other}")],
    };
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_input_is_shown_as_names_and_values() {
        let input = json!({
            "title": "a bug", "labels": ["x", 2], "body": "one\ntwo",
            "owner": {"name": "me", "empty": {}}, "draft": false,
        });
        assert_eq!(
            laid_out(&input, 0),
            "title: a bug\nlabels:\n  - x\n  - 2\nbody:\n  one\n  two\nowner:\n  name: me\n  empty: {}\ndraft: false"
        );
    }

    #[test]
    fn a_glob_that_names_everything_is_no_small_matter() {
        for all in ["*", "./*", ".*", "**/*"] {
            assert!(names_everything(all), "{all}");
        }
        assert!(!names_everything("*.o") && !names_everything("src/*"));
    }
}
