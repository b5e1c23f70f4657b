//! What would allow a call that nobody was there to be asked about. Only what
//! was tried is said: the policy decides once more with the rules that would be
//! written, and the walls are asked whether they would let it through.

use crate::run::Run;
use serde_json::{Map, Value, json};
use std::path::Path;
use tenon_policy::{
    Authority, Deed, EXTERNAL_DIRECTORY, Facts, GrantKey, Layer, PathFact, Rule, Rules, Script,
    Subject, decide, offers, open_commands,
};
use tenon_vocab::{Class, Decision, Explanation};

/// How a call that was left open by this decision could be allowed.
pub(super) fn of(run: &Run, facts: &Facts, decided: &Explanation) -> String {
    let outside = match &facts.subject {
        Subject::Command(script) => outside_folders(script),
        _ => Vec::new(),
    };
    let shut: Vec<&String> = outside
        .iter()
        .filter(|folder| !is_open(run, folder))
        .collect();
    let permission = permissions(run, facts, &outside)
        .into_iter()
        .find(|rules| helps(run, facts, rules));
    let walls = (!shut.is_empty()).then(|| json!({ "writable": shut }));
    match (permission, walls) {
        (Some(rules), None) => format!(
            "Allow it with --yes, or with a rule in the configuration: \"permission\": {rules}"
        ),
        (Some(rules), Some(walls)) => format!(
            "It writes outside the project, so it needs both in the configuration: \"permission\": {rules} and \"sandbox\": {walls}. With --yes it still needs the second."
        ),
        (None, None) => match asking(run, facts, decided) {
            Some(rule) => format!(
                "Allow it with --yes, or change the rule that asks, `{rule}` ({}), to allow.",
                rule.origin
            ),
            None => String::from(no_rule(run, facts)),
        },
        (None, Some(walls)) => format!(
            "It writes outside the project: allow it with --yes, and with \"sandbox\": {walls} in the configuration."
        ),
    }
}

fn no_rule(run: &Run, facts: &Facts) -> &'static str {
    match facts.subject {
        _ if run
            .core
            .rules
            .iter()
            .any(|rule| rule.layer == Layer::Managed) =>
        {
            "Allow it with --yes. Tenon can't suggest a rule for it; the administrator's policy may be what asks."
        }
        Subject::Command(_) => {
            "Allow it with --yes. Tenon can't suggest a rule for it; for a rule, use simpler commands, one per call."
        }
        _ => "Allow it with --yes. Tenon can't suggest a rule for it.",
    }
}

/// The rules that would be written for it, the simplest first.
fn permissions(run: &Run, facts: &Facts, outside: &[String]) -> Vec<Value> {
    if matches!(facts.subject, Subject::Command(_)) {
        return for_commands(run, facts, outside).into_iter().collect();
    }
    let tool = facts.tool.as_str();
    let offered = offers(facts);
    let simple = match offered.first().and_then(|offer| offer.keys().next()) {
        Some((tool, GrantKey::Directory(folder))) => {
            json!({ tool: { below(folder): "allow" } })
        }
        _ => json!({ tool: "allow" }),
    };
    std::iter::once(simple).chain(by_name(facts)).collect()
}

fn for_commands(run: &Run, facts: &Facts, outside: &[String]) -> Option<Value> {
    let core = &run.core;
    let open = open_commands(
        facts,
        &core.rules,
        &core.grants(),
        &Authority::of(&core.agent().profile),
        core.ambient.now(),
    );
    let mut rules = Map::new();
    let mut commands = Map::new();
    for command in open {
        let more = if command.may_go_on { " *" } else { "" };
        let pattern = pattern(&command.words)?;
        commands.insert(format!("{pattern}{more}"), json!("allow"));
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
    (!rules.is_empty()).then_some(Value::Object(rules))
}

/// What a call is about, by its name. A default that guards a kind of file, and
/// a rule for one name, yield to nothing less.
fn by_name(facts: &Facts) -> Vec<Value> {
    let tool = facts.tool.as_str();
    match &facts.subject {
        Subject::Name(name) if !name.trim().is_empty() => {
            vec![json!({ tool: { name.as_str(): "allow" } })]
        }
        Subject::Paths(paths) if !paths.is_empty() => {
            let allowed = |facts: &mut dyn Iterator<Item = &PathFact>| -> Map<String, Value> {
                facts
                    .map(|fact| (literal(&fact.path), json!("allow")))
                    .collect()
            };
            let named = allowed(&mut paths.iter());
            let outside = allowed(&mut paths.iter().filter(|fact| !fact.inside));
            let mut rules = Map::from_iter([(tool.to_owned(), Value::Object(named))]);
            if !outside.is_empty() {
                rules.insert(EXTERNAL_DIRECTORY.to_owned(), Value::Object(outside));
            }
            vec![Value::Object(rules)]
        }
        _ => Vec::new(),
    }
}

/// A path as a pattern that means this path.
fn literal(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', c, ']']),
            '\\' => pattern.push_str("\\\\"),
            c => pattern.push(c),
        }
    }
    pattern
}

/// The rule that somebody wrote and that asks, where allowing instead of it is
/// enough: no other rule would be stronger.
fn asking<'r>(run: &'r Run, facts: &Facts, decided: &Explanation) -> Option<&'r Rule> {
    let core = &run.core;
    let tried = decided.tried.iter().rev().find(|tried| tried.matched)?;
    let asks = core.rules.iter().find(|rule| {
        matches!(rule.layer, Layer::User | Layer::Project | Layer::Extra)
            && rule.class() == Class::Ask
            && rule.origin == tried.origin
            && rule.to_string() == tried.rule
    })?;
    let mut changed = core.rules.clone();
    changed.rewrite(asks, Decision::Allow);
    (class(run, facts, &changed) == Class::Allow).then_some(asks)
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
    let mut rules = run.core.rules.clone();
    rules.add_config(written, Layer::User, "advice").is_ok()
        && class(run, facts, &rules) == Class::Allow
}

fn class(run: &Run, facts: &Facts, rules: &Rules) -> Class {
    let core = &run.core;
    decide(
        facts,
        rules,
        &core.grants(),
        &Authority::of(&core.agent().profile),
        core.ambient.now(),
    )
    .class
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
