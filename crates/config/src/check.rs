//! Holds the values of a file against the table of keys, and flattens them.
//! Nothing is dropped in silence: what is not known is an error.

use crate::hooks;
use crate::keys::{self, Key, Kind, key_at};
use crate::models;
use crate::node::{Node, Shape, Trouble, what};
use crate::suggest;
use crate::tables::TYPE_ALIASES;
use serde_json::{Map, Value, json};
use tenon_policy::{Layer, Rules};

/// One value of a file: its path, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaf {
    pub path: Vec<String>,
    pub value: Value,
    pub at: usize,
    pub key: &'static Key,
}

pub(crate) fn flatten(root: &Node) -> Result<Vec<Leaf>, Trouble> {
    let mut leaves = Vec::new();
    match &root.value {
        Shape::Map(fields) => walk(fields, &mut Vec::new(), &mut leaves)?,
        _ => {
            return Err(Trouble::new(
                root.at,
                format!(
                    "expected an object with settings, found {}",
                    what(&root.to_value())
                ),
            ));
        }
    }
    Ok(leaves)
}

/// The same, each key of the top by itself: one that is wrong does not take the
/// others with it. For files that a stranger wrote.
pub(crate) fn flatten_each(root: &Node) -> Vec<(String, Result<Vec<Leaf>, Trouble>)> {
    let Shape::Map(fields) = &root.value else {
        return vec![(String::from("."), flatten(root))];
    };
    fields
        .iter()
        .map(|field| {
            let mut leaves = Vec::new();
            let walked = one_name(fields, field, &[])
                .and_then(|()| walk(std::slice::from_ref(field), &mut Vec::new(), &mut leaves));
            (field.0.clone(), walked.map(|()| leaves))
        })
        .collect()
}

fn walk(
    fields: &[(String, Node)],
    path: &mut Vec<String>,
    leaves: &mut Vec<Leaf>,
) -> Result<(), Trouble> {
    for field in fields {
        let (name, node) = field;
        // An editor's pointer to the schema is not a setting.
        if path.is_empty() && name == "$schema" {
            continue;
        }
        let here: Vec<&str> = path.iter().map(String::as_str).collect();
        one_name(fields, field, &here)?;
        let name = keys::first_name(&here, name);
        path.push(name.to_owned());
        step(name, node, path, leaves)?;
        path.pop();
    }
    Ok(())
}

/// A setting under two of its names: which one was meant, nobody knows.
fn one_name(
    fields: &[(String, Node)],
    (name, node): &(String, Node),
    parent: &[&str],
) -> Result<(), Trouble> {
    let first = keys::first_name(parent, name);
    if first == name || !fields.iter().any(|(other, _)| other == first) {
        return Ok(());
    }
    let dotted = |name: &str| {
        parent
            .iter()
            .copied()
            .chain([name])
            .collect::<Vec<_>>()
            .join(".")
    };
    let (second, first) = (dotted(name), dotted(first));
    Err(Trouble::new(
        node.at,
        format!("`{second}` and `{first}` are the same setting"),
    )
    .with_hint(Some(format!("keep `{first}` and remove `{second}`"))))
}

fn step(
    name: &str,
    node: &Node,
    path: &mut Vec<String>,
    leaves: &mut Vec<Leaf>,
) -> Result<(), Trouble> {
    let here: Vec<&str> = path.iter().map(String::as_str).collect();
    if let Some(key) = key_at(&here) {
        return leaf(key, node, path, leaves);
    }
    let parent = &here[..here.len() - 1];
    let names = keys::children(parent);
    let section = !keys::children(&here).is_empty();
    if !section || !(names.contains(&name) || names.contains(&"*")) {
        let message = match parent {
            [] => format!("unknown key `{name}`"),
            parent => format!("unknown key `{name}` in `{}`", parent.join(".")),
        };
        return Err(Trouble::new(node.at, message).with_hint(suggest::for_key(parent, name)));
    }
    if !names.contains(&name) {
        free_name(name, node)?;
    }
    match &node.value {
        Shape::Map(fields) => walk(fields, path, leaves),
        _ => Err(Trouble::new(
            node.at,
            format!(
                "`{}`: expected an object, found {}",
                path.join("."),
                what(&node.to_value())
            ),
        )),
    }
}

/// A name that the user chose: it is part of dotted names, so it has no dots.
fn free_name(name: &str, node: &Node) -> Result<(), Trouble> {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
        return Err(Trouble::new(
            node.at,
            format!("`{name}` can't be a name: use letters, digits, `-` and `_`"),
        ));
    }
    Ok(())
}

fn leaf(
    key: &'static Key,
    node: &Node,
    path: &[String],
    leaves: &mut Vec<Leaf>,
) -> Result<(), Trouble> {
    match (key.kind, &node.value) {
        (Kind::Permission, _) => permissions(key, node, path, leaves),
        (Kind::Hooks, _) => hooks::leaves(key, node, path, leaves),
        (Kind::Models, _) => {
            models::check(node, &path.join("."))?;
            leaves.push(Leaf {
                path: path.to_vec(),
                value: node.to_value(),
                at: node.at,
                key,
            });
            Ok(())
        }
        (Kind::TextMap, Shape::Map(fields)) => {
            for (name, field) in fields {
                let mut deeper = path.to_vec();
                deeper.push(name.clone());
                let value = field.to_value();
                check(key, &Kind::Text, &value, &deeper, field.at)?;
                leaves.push(Leaf {
                    path: deeper,
                    value,
                    at: field.at,
                    key,
                });
            }
            Ok(())
        }
        _ => {
            let value = spelled(key, node.to_value());
            check(key, &key.kind, &value, path, node.at)?;
            leaves.push(Leaf {
                path: path.to_vec(),
                value,
                at: node.at,
                key,
            });
            Ok(())
        }
    }
}

/// Other spellings of `type` become ours.
pub(crate) fn spelled(key: &Key, value: Value) -> Value {
    if key.name != "providers.*.type" {
        return value;
    }
    let alias = TYPE_ALIASES
        .iter()
        .find(|(alias, _)| value.as_str() == Some(alias));
    alias.map_or(value, |(_, name)| Value::from(*name))
}

fn check(key: &Key, kind: &Kind, value: &Value, path: &[String], at: usize) -> Result<(), Trouble> {
    kind.check(value).map_err(|why| {
        Trouble::new(at, format!("`{}`: {why}", path.join("."))).with_hint(value_hint(key, value))
    })
}

/// What to say of a value that does not fit its key.
pub(crate) fn value_hint(key: &Key, value: &Value) -> Option<String> {
    let text = value.as_str();
    match key.kind {
        _ if key.name == "providers.*.type" && text == Some("claudecode-api-legacy") => Some(
            "this private API isn't supported: use the preset `claudecode` (the installed \
             program) or `anthropic` (an API key)"
                .into(),
        ),
        Kind::Word(words) => suggest::nearest(text?, words.iter().copied())
            .map(|word| format!("did you mean `{word}`?")),
        Kind::Integer { .. } | Kind::Number { .. } => text
            .filter(|text| text.trim().parse::<f64>().is_ok())
            .map(|text| format!("write it without quotes: {}", text.trim())),
        Kind::Boolean if matches!(text, Some("true" | "false")) => {
            Some("write it without quotes".into())
        }
        Kind::Texts | Kind::Words(_) if text.is_some() => {
            Some(format!("write it as a list: [{value}]"))
        }
        _ => None,
    }
}

/// Each rule becomes a leaf of its own, so that it keeps its line.
fn permissions(
    key: &'static Key,
    node: &Node,
    path: &[String],
    leaves: &mut Vec<Leaf>,
) -> Result<(), Trouble> {
    let mut push = |tail: &[&str], value: Value, at: usize| -> Result<(), Trouble> {
        Rules::empty()
            .add_config(&value, Layer::User, "")
            .map_err(|mut error| {
                // Each rule of a list is read alone; its place is that in the list.
                if let (true, Some(first), Some(index)) =
                    (value.is_array(), error.at.first_mut(), tail.first())
                {
                    (*index).clone_into(first);
                }
                let word = error
                    .message
                    .contains("expected allow, ask, confirm or deny");
                let hint = word
                    .then(|| innermost(&value))
                    .flatten()
                    .and_then(|text| suggest::nearest(&text, ["allow", "ask", "confirm", "deny"]))
                    .map(|near| format!("did you mean `{near}`?"));
                Trouble::new(at, error.to_string()).with_hint(hint)
            })?;
        let mut full = path.to_vec();
        full.extend(tail.iter().map(|part| (*part).to_owned()));
        leaves.push(Leaf {
            path: full,
            value,
            at,
            key,
        });
        Ok(())
    };
    match &node.value {
        Shape::Leaf(value) => push(&[], value.clone(), node.at),
        Shape::List(rules) => {
            for (index, rule) in rules.iter().enumerate() {
                push(&[&index.to_string()], json!([rule.to_value()]), rule.at)?;
            }
            Ok(())
        }
        Shape::Map(tools) => {
            for (tool, rule) in tools {
                match &rule.value {
                    Shape::Map(patterns) => {
                        for (pattern, decision) in patterns {
                            let one = object(pattern, decision.to_value());
                            push(&[tool, pattern], object(tool, one), decision.at)?;
                        }
                    }
                    _ => push(&[tool], object(tool, rule.to_value()), rule.at)?,
                }
            }
            Ok(())
        }
    }
}

fn object(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

fn innermost(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => innermost(fields.values().next()?),
        _ => None,
    }
}
