//! A skill that the user names: its text goes along with the prompt, whatever
//! the model would have chosen, and the screen says so. The user's own word
//! answers a rule that asks; a rule that denies stands.

use crate::run::{End, Flow, Run};
use tenon_policy::{Authority, decide};
use tenon_tools::skill;
use tenon_vocab::{Class, NoticeLevel, Part};

/// What the name of a skill means in a prompt; it stands behind the skill.
const NAMED: &str = "The user has named this skill: apply it to what they write after its name. If it needs something that is not clear from the conversation, ask.";

/// What was typed, so that every list, summary and handoff has it so.
pub(crate) fn prompt(name: &str, text: &str) -> String {
    format!("/{name} {}", text.trim()).trim_end().to_owned()
}

pub(crate) async fn named(run: &Run, name: &str) -> Flow<Vec<Part>> {
    let core = &run.core;
    let acting = core.agent();
    let found = skill::find(&core.given.skills, name);
    let known = found.as_ref().map_or(name, |skill| skill.name.as_str());
    let verdict = decide(
        &skill::facts_of(known),
        &core.rules,
        &core.grants(),
        &Authority::of(&acting.profile),
        core.ambient.now(),
    );
    if matches!(verdict.class, Class::Deny | Class::HardDeny) {
        return Err(End::Blocked(format!(
            "nothing was sent: the skill `{known}` is denied ({})",
            verdict.reason
        )));
    }
    let skill = match found {
        Ok(skill) => skill.clone(),
        Err(why) => {
            return Err(End::Failed(format!(
                "nothing was sent: {why} (/skills lists them)"
            )));
        }
    };
    let (workspace, limits) = (core.workspace.clone(), core.tool_limits.clone());
    let reading = tokio::task::spawn_blocking(move || {
        let loaded = skill::load(&workspace, &limits, &skill);
        (skill, loaded)
    });
    let (skill, loaded) = reading
        .await
        .map_err(|_| End::Failed(String::from("can't read the skill")))?;
    let loaded = loaded.map_err(|error| {
        End::Failed(format!(
            "nothing was sent: can't load the skill `{}`: {error}",
            skill.name
        ))
    })?;
    let said = skill::said(&skill, &loaded);
    core.notice(Some(run.id), NoticeLevel::Info, "skill", said);
    Ok(vec![Part::text(format!("{}\n{NAMED}", loaded.text))])
}
