//! The section `hooks`: events with lists of hooks. Checked where it is
//! written, so that a slip has a line; each hook is a value of its own, so that
//! one file adds to the other instead of replacing it.

use crate::check::Leaf;
use crate::keys::Key;
use crate::load::{Loaded, Origin};
use crate::node::{Node, Shape, Trouble, what};
use crate::suggest;
use serde_json::{Value, json};
use std::time::Duration;
use tenon_policy::{Layer, Rules};
use tenon_vocab::profile::{HookEvent, HookSource, HookSpec};

const FIELDS: [&str; 6] = [
    "name",
    "tool",
    "pattern",
    "command",
    "timeout_secs",
    "required",
];
const LONGEST_TIMEOUT: u64 = 600;
const LONGEST_NAME: usize = 64;
/// Hooks that come along; nobody else's may look like one of them.
const TAKEN: [&str; 4] = [
    "block-dangerous-bash",
    "protect-env-files",
    "mask-secrets",
    "inject-env-info",
];

/// One hook as written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    pub value: Value,
    pub layer: Layer,
    pub origin: Origin,
}

/// Each hook becomes a leaf `hooks.EVENT.N`.
pub(crate) fn leaves(
    key: &'static Key,
    node: &Node,
    path: &[String],
    leaves: &mut Vec<Leaf>,
) -> Result<(), Trouble> {
    for (name, list) in map(node, "hooks", "an object with events")? {
        let event = event(name, list)?;
        let place = format!("hooks.{}", event.name());
        let Shape::List(hooks) = &list.value else {
            let found = what(&list.to_value());
            let hint = matches!(list.value, Shape::Map(_)).then(|| String::from("write [{…}]"));
            let message = format!("`{place}`: expected a list of hooks, found {found}");
            return Err(Trouble::new(list.at, message).with_hint(hint));
        };
        for (index, hook) in hooks.iter().enumerate() {
            let place = format!("{place}.{index}");
            let mut full = path.to_vec();
            full.extend([event.name().to_owned(), index.to_string()]);
            leaves.push(Leaf {
                path: full,
                value: checked(event, index, hook, &place)?,
                at: hook.at,
                key,
            });
        }
    }
    Ok(())
}

fn map<'n>(node: &'n Node, place: &str, expected: &str) -> Result<&'n [(String, Node)], Trouble> {
    match &node.value {
        Shape::Map(fields) => Ok(fields),
        _ => Err(Trouble::new(
            node.at,
            format!(
                "`{place}`: expected {expected}, found {}",
                what(&node.to_value())
            ),
        )),
    }
}

fn event(name: &str, node: &Node) -> Result<HookEvent, Trouble> {
    HookEvent::parse(name).ok_or_else(|| {
        let known = HookEvent::ALL.map(HookEvent::name);
        let hint = match suggest::nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the events are: {}", known.join(", ")),
        };
        Trouble::new(node.at, format!("`hooks`: there is no event `{name}`")).with_hint(Some(hint))
    })
}

/// The hook as an object that [`spec`] can read without fail.
fn checked(event: HookEvent, index: usize, node: &Node, place: &str) -> Result<Value, Trouble> {
    let fields = map(node, place, "a hook: {tool, pattern, command, …}")?;
    for (name, field) in fields {
        field_is_good(event, name, field, place)?;
    }
    let get = |wanted: &str| fields.iter().find(|(name, _)| name == wanted);
    if get("command").is_none() {
        return Err(Trouble::new(
            node.at,
            format!("`{place}`: `command`, the line to run, is missing"),
        ));
    }
    pattern_is_good(fields, place)?;
    let mut value = node.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("event".into(), json!(event.name()));
        let name = format!("{}-{}", event.name(), index + 1);
        fields.entry("name").or_insert(json!(name));
    }
    Ok(value)
}

fn field_is_good(event: HookEvent, name: &str, node: &Node, place: &str) -> Result<(), Trouble> {
    let value = node.to_value();
    let wrong = |why: String| Err(Trouble::new(node.at, format!("`{place}.{name}`: {why}")));
    let expected = |text: &str| format!("expected {text}, found {}", what(&value));
    let filled = value.as_str().filter(|text| !text.trim().is_empty());
    match name {
        "tool" | "pattern" if !event.is_about_a_call() => wrong(format!(
            "{} isn't about a call, so there is nothing to match",
            event.name()
        )),
        "command" if filled.is_some_and(|text| !text.contains('\0')) => Ok(()),
        "name" => match filled {
            Some(text) if TAKEN.contains(&text) => {
                wrong(format!("`{text}` is the name of a built-in hook"))
            }
            Some(text) if is_name(text) => Ok(()),
            _ => wrong(expected("up to 64 letters, digits, `-`, `_` and `.`")),
        },
        "tool" | "pattern" if filled.is_some() => Ok(()),
        "command" | "tool" | "pattern" => wrong(expected("a string")),
        "required" if value.is_boolean() => Ok(()),
        "required" => wrong(expected("true or false")),
        "timeout_secs" => match value.as_u64() {
            Some(1..=LONGEST_TIMEOUT) => Ok(()),
            _ => wrong(expected("a whole number from 1 to 600")),
        },
        other => Err(
            Trouble::new(node.at, format!("unknown key `{other}` in `{place}`")).with_hint(Some(
                match suggest::nearest(other, FIELDS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known here: {}", FIELDS.join(", ")),
                },
            )),
        ),
    }
}

fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Tool and pattern are read as a rule would be.
fn pattern_is_good(fields: &[(String, Node)], place: &str) -> Result<(), Trouble> {
    let text = |wanted: &str| {
        fields
            .iter()
            .find(|(name, _)| name == wanted)
            .and_then(|(_, node)| Some((node.at, node.to_value().as_str()?.to_owned())))
    };
    let (tool, pattern) = (text("tool"), text("pattern"));
    let name = tool.as_ref().map_or("*", |(_, tool)| tool.as_str());
    let rules = [
        tool.as_ref().map(|(at, _)| (*at, json!({ name: "deny" }))),
        pattern.map(|(at, pattern)| (at, json!({ name: { pattern: "deny" } }))),
    ];
    for (at, rule) in rules.into_iter().flatten() {
        if let Err(error) = Rules::empty().add_config(&rule, Layer::User, "") {
            return Err(Trouble::new(at, format!("`{place}`: {}", error.message)));
        }
    }
    Ok(())
}

/// The hooks of all layers, in the order in which they run.
pub(crate) fn resolve(loaded: &Loaded) -> Vec<HookSpec> {
    let mut hooks: Vec<HookSpec> = loaded.hooks.iter().filter_map(spec).collect();
    hooks.sort_by_key(|hook| hook.source);
    hooks
}

pub(crate) fn spec(written: &Written) -> Option<HookSpec> {
    let text = |name: &str| written.value.get(name).and_then(Value::as_str);
    let event = HookEvent::parse(text("event")?)?;
    Some(HookSpec {
        name: text("name").unwrap_or(event.name()).to_owned(),
        event,
        tool: text("tool").map(str::to_owned),
        pattern: text("pattern").map(str::to_owned),
        command: text("command")?.to_owned(),
        timeout: written
            .value
            .get("timeout_secs")
            .and_then(Value::as_u64)
            .map_or(HookSpec::TIMEOUT, Duration::from_secs),
        required: written.value.get("required").and_then(Value::as_bool) == Some(true),
        source: match written.layer {
            Layer::Managed => HookSource::Managed,
            Layer::Project | Layer::Agent => HookSource::Project,
            Layer::BuiltIn | Layer::User | Layer::Extra => HookSource::User,
        },
    })
}

impl Loaded {
    /// Keeps a hook beside those of other files, and gives it a key of its own.
    pub(crate) fn add_hook(&mut self, leaf: Leaf, layer: Layer, origin: Origin) {
        let event = leaf.path.get(1).cloned().unwrap_or_default();
        let prefix = format!("hooks.{event}.");
        let count = self
            .entries
            .keys()
            .filter(|dotted| dotted.starts_with(&prefix))
            .count();
        self.hooks.push(Written {
            value: leaf.value.clone(),
            layer,
            origin: origin.clone(),
        });
        self.entries.insert(
            format!("{prefix}{count}"),
            crate::load::Entry {
                value: leaf.value,
                origin,
                key: leaf.key,
            },
        );
    }
}
