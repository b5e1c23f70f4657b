//! What would allow a call that nobody was there to be asked about. Only what
//! was tried is said: the policy decides once more with the rules that would be
//! written, and the walls are asked whether they would let it through.

use crate::run::Run;
use serde_json::{Map, Value, json};
use std::path::Path;
use tenon_policy::{
    Authority, Deed, EXTERNAL_DIRECTORY, Facts, GrantKey, Layer, Script, Subject, decide, offers,
    open_commands,
};
use tenon_vocab::Class;

pub(super) fn of(run: &Run, facts: &Facts) -> String {
    let outside = match &facts.subject {
        Subject::Command(script) => outside_folders(script),
        _ => Vec::new(),
    };
    let shut: Vec<&String> = outside
        .iter()
        .filter(|folder| !is_open(run, folder))
        .collect();
    let permission = permission(run, facts, &outside).filter(|rules| helps(run, facts, rules));
    let walls = (!shut.is_empty()).then(|| json!({ "writable": shut }));
    match (permission, walls) {
        (Some(rules), None) => format!(
            "Allow it with --yes, or with a rule in the configuration: \"permission\": {rules}"
        ),
        (Some(rules), Some(walls)) => format!(
            "It writes outside the project, so it needs both in the configuration: \"permission\": {rules} and \"sandbox\": {walls}. With --yes it needs the second all the same."
        ),
        (None, None) if !matches!(facts.subject, Subject::Command(_)) => String::from(
            "Allow it with --yes; no rule in the configuration would be enough for it.",
        ),
        (None, None) => String::from(
            "Allow it with --yes. There is no rule to advise for it: write simpler commands, one in each call, if you want one.",
        ),
        (None, Some(walls)) => format!(
            "It writes outside the project: allow it with --yes, and with \"sandbox\": {walls} in the configuration."
        ),
    }
}

/// The rule alone that would allow it, where one does.
pub(super) fn rule(run: &Run, facts: &Facts) -> Option<Value> {
    permission(run, facts, &[]).filter(|rules| helps(run, facts, rules))
}

/// The rules that would be written for it.
fn permission(run: &Run, facts: &Facts, outside: &[String]) -> Option<Value> {
    let mut rules = Map::new();
    if matches!(facts.subject, Subject::Command(_)) {
        let core = &run.core;
        let open = open_commands(
            facts,
            &core.rules,
            &core.grants(),
            &Authority::of(&core.agent().profile),
            core.ambient.now(),
        );
        let mut commands = Map::new();
        for words in open {
            commands.insert(pattern(&words)?, json!("allow"));
        }
        if !commands.is_empty() {
            rules.insert(facts.tool.clone(), Value::Object(commands));
        }
        let folders: Map<String, Value> = outside
            .iter()
            .map(|folder| (below(folder), json!("allow")))
            .collect();
        if !folders.is_empty() {
            rules.insert(EXTERNAL_DIRECTORY.to_owned(), Value::Object(folders));
        }
        return (!rules.is_empty()).then_some(Value::Object(rules));
    }
    let offered = offers(facts).into_iter().next().map(|offer| offer.grant);
    Some(
        match offered.as_ref().map(|grant| (&grant.tool, &grant.key)) {
            Some((tool, GrantKey::Directory(folder))) => {
                json!({ tool.as_str(): { below(folder): "allow" } })
            }
            _ => json!({ facts.tool.as_str(): "allow" }),
        },
    )
}

/// Words as a rule writes them: quoted where a rule would read them otherwise.
/// `None` where a word would be taken for a wildcard.
fn pattern(words: &[String]) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%~".contains(c);
    let quoted = words.iter().map(|word| {
        if word.contains(['*', '?', '\'', '\n']) {
            return None;
        }
        let plain = !word.is_empty() && word.chars().all(is_plain);
        Some(if plain {
            word.clone()
        } else {
            format!("'{word}'")
        })
    });
    quoted
        .collect::<Option<Vec<_>>>()
        .map(|words| words.join(" "))
}

fn below(folder: &str) -> String {
    match folder.trim_end_matches('/') {
        "." => String::from("**"),
        folder => format!("{folder}/**"),
    }
}

/// The folders outside of the root in which a line would change something.
fn outside_folders(script: &Script) -> Vec<String> {
    let mut folders: Vec<String> = script
        .observed()
        .filter(|(target, _)| target.deed != Deed::Read && target.certain)
        .filter_map(|(_, fact)| fact.filter(|fact| !fact.inside))
        .filter_map(|fact| Path::new(&fact.path).parent())
        .filter(|folder| folder.parent().is_some())
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// Whether the walls let a command write there.
fn is_open(run: &Run, folder: &str) -> bool {
    let Some(policy) = run.core.jobs.sandbox() else {
        return true;
    };
    let folder = Path::new(folder);
    let under = |path: &std::path::PathBuf| folder.starts_with(path);
    policy.writable_roots().any(under)
        && !policy.read_only.iter().any(under)
        && !policy.hidden.iter().any(under)
}

fn helps(run: &Run, facts: &Facts, written: &Value) -> bool {
    let core = &run.core;
    let mut rules = core.rules.clone();
    rules.add_config(written, Layer::User, "advice").is_ok()
        && decide(
            facts,
            &rules,
            &core.grants(),
            &Authority::of(&core.agent().profile),
            core.ambient.now(),
        )
        .class
            == Class::Allow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_so_that_a_rule_reads_them_back() {
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            pattern(&words(&["git", "push"])).as_deref(),
            Some("git push")
        );
        assert_eq!(
            pattern(&words(&["echo", "a b"])).as_deref(),
            Some("echo 'a b'")
        );
        assert_eq!(pattern(&words(&["rm", "*.o"])), None);
    }
}
