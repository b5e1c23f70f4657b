//! The rules of all layers, in the form in which the policy reads them.

use crate::ConfigError;
use crate::load::{Loaded, Permission};
use std::path::Path;
use tenon_policy::{EXTERNAL_DIRECTORY, Layer, Matcher, Rule, Rules, Weight};
use tenon_vocab::{Class, Decision};

/// All rules: those that come along, then each layer's. A higher layer replaces
/// the same rule of a lower one, but an explicit deny or confirm stays, and a
/// project only adds.
///
/// # Errors
/// When a rule cannot be read.
pub fn rules(loaded: &Loaded) -> Result<Rules, ConfigError> {
    let mut kept: Vec<Rule> = Vec::new();
    for permission in &loaded.permissions {
        for rule in parsed(permission)? {
            if rule.layer != Layer::Project {
                kept.retain(|held| !replaces(&rule, held));
            }
            kept.push(rule);
        }
    }
    let mut rules = Rules::built_in();
    kept.into_iter().for_each(|rule| rules.add(rule));
    for folder in [
        &loaded.paths.config,
        &loaded.paths.state,
        &loaded.paths.cache,
    ] {
        protect(&mut rules, folder, &loaded.root);
    }
    Ok(rules)
}

fn parsed(permission: &Permission) -> Result<Vec<Rule>, ConfigError> {
    let mut rules = Rules::empty();
    rules
        .add_config(
            &permission.value,
            permission.layer,
            &permission.origin.to_string(),
        )
        .map_err(|error| ConfigError::general(format!("{}: {error}", permission.origin)))?;
    Ok(rules.iter().cloned().collect())
}

fn replaces(new: &Rule, held: &Rule) -> bool {
    let stays =
        matches!(held.class(), Class::Deny | Class::Confirm) && held.weight == Weight::Explicit;
    held.layer < new.layer
        && held.layer != Layer::Project
        && !stays
        && held.tool == new.tool
        && pattern(&held.matcher) == pattern(&new.matcher)
}

fn pattern(matcher: &Matcher) -> &str {
    match matcher {
        Matcher::Any => "",
        Matcher::Command(pattern) => &pattern.text,
        Matcher::Path(pattern) => &pattern.text,
        Matcher::Name(name) => name,
        Matcher::Guarded(_) | Matcher::Reads => "\0built in",
    }
}

/// The folder by both of its names, and as it is seen from the root.
fn protect(rules: &mut Rules, folder: &Path, root: &Path) {
    let real = folder.canonicalize().ok();
    let roots = [Some(root.to_owned()), root.canonicalize().ok()];
    for name in [Some(folder.to_owned()), real].into_iter().flatten() {
        rules.protect_folder(&name.to_string_lossy());
        for root in roots.iter().flatten() {
            if let Ok(inside) = name.strip_prefix(root) {
                rules.protect_folder(&inside.to_string_lossy());
            }
        }
    }
}

/// What the file tools have to be ready for; the rules decide about each path.
pub(crate) fn external(rules: &Rules) -> Decision {
    let decisions: Vec<Decision> = rules
        .iter()
        .filter(|rule| rule.tool == EXTERNAL_DIRECTORY)
        .filter(|rule| !matches!(rule.layer, Layer::BuiltIn | Layer::Project))
        .map(|rule| rule.decision)
        .collect();
    if decisions.iter().all(|decision| *decision == Decision::Deny) {
        Decision::Deny
    } else if decisions
        .iter()
        .all(|decision| *decision == Decision::Allow)
    {
        Decision::Allow
    } else {
        Decision::Ask
    }
}
