//! What the configuration of a project may do before anybody has trusted it
//! (C7, C9): choose among the user's models, narrow permissions
//! and limits. Everything else is listed and does not hold.

use crate::check::Leaf;
use crate::keys::{Key, Kind, Project};
use crate::load::{Loaded, models_named_in};
use crate::models::names;
use serde_json::Value;
use std::path::Path;
use tenon_policy::{Layer, Rules};
use tenon_vocab::Decision;

/// The models that the user's own files name.
pub(crate) fn models(loaded: &Loaded, extra: Option<&Path>) -> Vec<String> {
    let mut models: Vec<String> = loaded
        .iter()
        .flat_map(|(_, entry)| models_of(entry.key, &entry.value))
        .collect();
    if let Some(path) = extra {
        models.extend(models_named_in(path));
    }
    models
}

pub(crate) fn models_of(key: &Key, value: &Value) -> Vec<String> {
    match (key.name, value) {
        ("model" | "providers.*.model", Value::String(model)) => vec![model.clone()],
        ("providers.*.models", list) => names(list),
        _ => Vec::new(),
    }
}

/// Whether a project's value may hold; if not, why.
pub(crate) fn judge(loaded: &Loaded, leaf: &Leaf, models: &[String]) -> Result<(), String> {
    match leaf.key.project {
        Project::Ignored => Err("you have not trusted the project".into()),
        Project::Allowed if leaf.key.name == "model" => {
            let known = leaf
                .value
                .as_str()
                .is_some_and(|model| models.iter().any(|known| known == model));
            known.then_some(()).ok_or_else(|| {
                "you have not trusted the project, and none of your own providers lists this model".into()
            })
        }
        Project::Allowed => Ok(()),
        Project::Narrowing if leaf.key.name == "permission" => narrows_permission(&leaf.value),
        Project::Narrowing => match leaf.key.kind {
            Kind::Word(_) => narrows_word(loaded, leaf),
            _ => narrows_number(loaded, leaf),
        },
    }
}

/// Words in the order of their strictness, the loosest first.
const STRICTER: &[(&str, &[&str])] = &[
    ("sandbox.mode", &["off", "workspace-write", "read-only"]),
    ("sandbox.network", &["inherit", "deny"]),
    ("sandbox.lacking", &["partial", "refuse"]),
];

fn narrows_word(loaded: &Loaded, leaf: &Leaf) -> Result<(), String> {
    let order = STRICTER
        .iter()
        .find(|(name, _)| *name == leaf.key.name)
        .map(|(_, order)| *order)
        .unwrap_or_default();
    let rank = |word: Option<&str>| order.iter().position(|known| word == Some(known));
    let (wanted, held) = (rank(leaf.value.as_str()), rank(loaded.text(leaf.key.name)));
    if wanted.is_some() && wanted >= held {
        return Ok(());
    }
    Err("an untrusted project can make this stricter, not looser".into())
}

fn narrows_permission(value: &Value) -> Result<(), String> {
    let mut rules = Rules::empty();
    let read = rules.add_config(value, Layer::Project, "").is_ok();
    let allows = rules.iter().any(|rule| rule.decision == Decision::Allow);
    if read && !allows {
        return Ok(());
    }
    Err("rules of an untrusted project can ask, confirm or deny, but not allow".into())
}

fn narrows_number(loaded: &Loaded, leaf: &Leaf) -> Result<(), String> {
    let held = loaded.number(leaf.key.name);
    match (leaf.value.as_u64(), held) {
        (Some(wanted), Some(held)) if wanted <= held => Ok(()),
        _ => Err("an untrusted project can lower this limit, not raise it".into()),
    }
}
