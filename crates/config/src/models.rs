//! What a user writes about single models: a name alone, or a profile with what
//! holds for that model only. Checked where it is written, so that a slip has a
//! line; one list is one value, so the list of a higher file replaces a lower one.

use crate::node::{Node, Shape, Trouble, what};
use crate::suggest;
use serde_json::Value;
use tenon_model::{Dialect, Prices};
use tenon_vocab::effort;

pub(crate) const FIELDS: [&str; 8] = [
    "id",
    "context_window",
    "max_tokens",
    "reasoning_effort",
    "temperature",
    "vision",
    "dialect",
    "prices",
];
const PRICES: [&str; 4] = ["input", "output", "cached", "cache_write"];
pub(crate) const DIALECTS: &[&str] = &["auto", "native", "markdown"];
/// Dollars for a million tokens; more is a slip of a unit.
pub(crate) const DEAREST: f64 = 100_000.0;

/// What holds for one model of a provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelProfile {
    pub id: String,
    pub context_window: Option<u64>,
    pub max_tokens: Option<u64>,
    pub reasoning_effort: Option<String>,
    pub temperature: Option<f64>,
    pub vision: Option<bool>,
    pub dialect: Option<Dialect>,
    pub prices: Option<Prices>,
}

/// The list as it stands in a file.
pub(crate) fn check(node: &Node, place: &str) -> Result<(), Trouble> {
    let Shape::List(models) = &node.value else {
        let value = node.to_value();
        let hint = value
            .is_string()
            .then(|| format!("write it as a list: [{value}]"));
        let message = format!(
            "`{place}`: expected a list of models, found {}",
            what(&value)
        );
        return Err(Trouble::new(node.at, message).with_hint(hint));
    };
    for (index, model) in models.iter().enumerate() {
        let place = format!("{place}.{index}");
        match &model.value {
            Shape::Leaf(Value::String(id)) => name(id, model, &place)?,
            Shape::Map(fields) => profile(fields, model, &place)?,
            _ => {
                let message = format!(
                    "`{place}`: expected the name of a model or an object with its `id`, found {}",
                    what(&model.to_value())
                );
                return Err(Trouble::new(model.at, message));
            }
        }
    }
    Ok(())
}

/// The same for a value that has no place, of a flag.
pub(crate) fn check_value(value: &Value) -> Result<(), String> {
    check(&unplaced(value), "models").map_err(|trouble| trouble.message)
}

fn unplaced(value: &Value) -> Node {
    let value = match value {
        Value::Array(items) => Shape::List(items.iter().map(unplaced).collect()),
        Value::Object(fields) => Shape::Map(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), unplaced(value)))
                .collect(),
        ),
        other => Shape::Leaf(other.clone()),
    };
    Node { at: 0, value }
}

fn name(id: &str, node: &Node, place: &str) -> Result<(), Trouble> {
    if id.trim().is_empty() {
        return Err(Trouble::new(
            node.at,
            format!("`{place}`: a model without a name"),
        ));
    }
    Ok(())
}

fn profile(fields: &[(String, Node)], node: &Node, place: &str) -> Result<(), Trouble> {
    for (field, value) in fields {
        known(field, &FIELDS, value, place)?;
        fits(field, value, place)?;
    }
    if !fields.iter().any(|(name, _)| name == "id") {
        return Err(Trouble::new(
            node.at,
            format!("`{place}`: `id`, the model's name on the server, is missing"),
        ));
    }
    Ok(())
}

fn known(name: &str, names: &[&str], node: &Node, place: &str) -> Result<(), Trouble> {
    if names.contains(&name) {
        return Ok(());
    }
    let hint = match suggest::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", names.join(", ")),
    };
    let message = format!("unknown key `{name}` in `{place}`");
    Err(Trouble::new(node.at, message).with_hint(Some(hint)))
}

fn fits(field: &str, node: &Node, place: &str) -> Result<(), Trouble> {
    let value = node.to_value();
    let text = value.as_str();
    let good = match field {
        "id" => text.is_some_and(|text| !text.trim().is_empty()),
        "reasoning_effort" => text.is_some_and(|text| effort::read(text).is_ok()),
        "context_window" | "max_tokens" => value.as_u64().is_some_and(|number| number > 0),
        "temperature" => value
            .as_f64()
            .is_some_and(|number| (0.0..=2.0).contains(&number)),
        "vision" => value.is_boolean(),
        "dialect" => text.is_some_and(|word| DIALECTS.contains(&word)),
        _ => return prices_fit(node, &format!("{place}.prices")),
    };
    if good {
        return Ok(());
    }
    let expected = match field {
        "id" => String::from("a string"),
        "reasoning_effort" => String::from("one word"),
        "context_window" | "max_tokens" => String::from("a whole number of at least 1"),
        "temperature" => String::from("a number from 0 to 2"),
        "vision" => String::from("true or false"),
        _ => format!("one of {}", DIALECTS.join(", ")),
    };
    Err(Trouble::new(
        node.at,
        format!(
            "`{place}.{field}`: expected {expected}, found {}",
            what(&value)
        ),
    ))
}

fn prices_fit(node: &Node, place: &str) -> Result<(), Trouble> {
    let Shape::Map(fields) = &node.value else {
        let found = what(&node.to_value());
        let message =
            format!("`{place}`: expected an object with `input` and `output`, found {found}");
        return Err(Trouble::new(node.at, message));
    };
    for (name, value) in fields {
        known(name, &PRICES, value, place)?;
        let price = value.to_value();
        if !price
            .as_f64()
            .is_some_and(|price| (0.0..=DEAREST).contains(&price))
        {
            let message = format!(
                "`{place}.{name}`: expected dollars per million tokens, found {}",
                what(&price)
            );
            return Err(Trouble::new(value.at, message));
        }
    }
    for wanted in ["input", "output"] {
        if !fields.iter().any(|(name, _)| name == wanted) {
            return Err(Trouble::new(
                node.at,
                format!("`{place}`: `{wanted}`, in dollars per million tokens, is missing"),
            ));
        }
    }
    Ok(())
}

/// The profiles of a list that was checked; what does not fit is not there.
pub(crate) fn profiles(value: &Value) -> Vec<ModelProfile> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(read).collect()
}

fn read(value: &Value) -> Option<ModelProfile> {
    let text = |field: &str| value.get(field)?.as_str().map(str::to_owned);
    if let Value::String(id) = value {
        return Some(ModelProfile {
            id: id.clone(),
            ..ModelProfile::default()
        });
    }
    Some(ModelProfile {
        id: text("id")?,
        context_window: value.get("context_window").and_then(Value::as_u64),
        max_tokens: value.get("max_tokens").and_then(Value::as_u64),
        reasoning_effort: text("reasoning_effort").and_then(|word| effort::read(&word).ok()),
        temperature: value.get("temperature").and_then(Value::as_f64),
        vision: value.get("vision").and_then(Value::as_bool),
        dialect: text("dialect").and_then(|word| dialect(&word)),
        prices: value
            .get("prices")
            .and_then(|prices| serde_json::from_value(prices.clone()).ok()),
    })
}

pub(crate) fn dialect(word: &str) -> Option<Dialect> {
    match word {
        "auto" => Some(Dialect::Auto),
        "native" => Some(Dialect::Native),
        "markdown" => Some(Dialect::Markdown),
        _ => None,
    }
}

/// The names in a list of models, whatever else it says of them.
pub(crate) fn names(value: &Value) -> Vec<String> {
    profiles(value)
        .into_iter()
        .map(|profile| profile.id)
        .collect()
}
