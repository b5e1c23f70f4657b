//! Values from variables (I7) and from flags. Only what is named in the table of
//! keys; the variables that name a server are read where providers are resolved.

use crate::check::{Leaf, spelled, value_hint};
use crate::keys::{self, Kind};
use crate::load::{Loaded, Origin};
use crate::suggest::{self, nearest};
use crate::{ConfigError, Key};
use serde_json::{Map, Value};
use tenon_policy::{Layer, Rules};

/// Variables of the program that are no settings of the table.
const OTHERS: &[&str] = &[
    "TENON_HOME",
    "TENON_CONFIG",
    "TENON_CACHE_DIR",
    "TENON_LOG",
    "TENON_MANAGED_CONFIG",
    "TENON_NO_COLOR",
    "TENON_BASE_URL",
    "TENON_API_KEY",
];

pub(crate) fn apply(loaded: &mut Loaded) -> Result<(), ConfigError> {
    for key in keys::all() {
        let Some(variable) = key.variable() else {
            continue;
        };
        let Some(text) = loaded.env.get(&variable).map(str::to_owned) else {
            continue;
        };
        let value = typed(key, &text).map_err(|why| {
            ConfigError::hinted(
                format!("the variable {variable}: {why}"),
                format!("unset {variable}, or set it to {}", key.kind.expected()),
            )
        })?;
        let leaf = Leaf {
            path: key.segments().map(str::to_owned).collect(),
            value,
            at: 0,
            key,
        };
        loaded.set(leaf, Layer::Extra, Origin::Environment(variable));
    }
    warn_of_slips(loaded);
    Ok(())
}

fn typed(key: &Key, text: &str) -> Result<Value, String> {
    let value = match key.kind {
        Kind::Integer { .. } | Kind::Number { .. } => {
            serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text))
        }
        Kind::Boolean => match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Value::Bool(true),
            "0" | "false" | "no" | "off" => Value::Bool(false),
            _ => Value::from(text),
        },
        _ => Value::from(text),
    };
    key.kind.check(&value)?;
    Ok(value)
}

/// A variable that looks like one of ours but is none would be ignored in silence.
fn warn_of_slips(loaded: &mut Loaded) {
    let known: Vec<String> = keys::all().iter().filter_map(Key::variable).collect();
    let names = || {
        known
            .iter()
            .map(String::as_str)
            .chain(OTHERS.iter().copied())
    };
    let slips: Vec<String> = loaded
        .env
        .names()
        .filter(|name| name.starts_with("TENON_") && !names().any(|known| known == *name))
        .filter_map(|name| {
            nearest(name, names())
                .map(|near| format!("the variable {name} is not known; did you mean {near}?"))
        })
        .collect();
    loaded.warnings.extend(slips);
}

/// A flag's value as a leaf of the tree.
pub(crate) fn leaf_of(dotted: &str, value: &Value) -> Result<Leaf, ConfigError> {
    let Some(key) = keys::key(dotted) else {
        let (parent, name) = dotted.rsplit_once('.').unwrap_or(("", dotted));
        let parent: Vec<&str> = parent.split('.').filter(|part| !part.is_empty()).collect();
        return Err(ConfigError::General {
            message: format!("there is no setting `{dotted}`"),
            hint: suggest::for_key(&parent, name),
        });
    };
    let depth = key.segments().count();
    let parts: Vec<&str> = dotted.splitn(depth + 1, '.').collect();
    let (value, checked) = match key.kind {
        Kind::Permission => {
            let value = permission(parts.get(depth).copied(), value);
            let checked = Rules::empty().add_config(&value, Layer::Extra, "");
            (value, checked.map_err(|error| error.to_string()))
        }
        Kind::TextMap => (value.clone(), Kind::Text.check(value)),
        _ => {
            let value = spelled(key, value.clone());
            let checked = key.kind.check(&value);
            (value, checked)
        }
    };
    checked.map_err(|why| ConfigError::General {
        message: format!("`{dotted}`: {why}"),
        hint: value_hint(key, &value),
    })?;
    Ok(Leaf {
        path: parts.into_iter().map(str::to_owned).collect(),
        value,
        at: 0,
        key,
    })
}

/// `permission.bash.ls *` = allow, as the object it stands for.
fn permission(rest: Option<&str>, value: &Value) -> Value {
    let wrap = |name: &str, value: Value| Value::Object(Map::from_iter([(name.to_owned(), value)]));
    match rest.map(|rest| rest.split_once('.').unwrap_or((rest, ""))) {
        None => value.clone(),
        Some((tool, "")) => wrap(tool, value.clone()),
        Some((tool, pattern)) => wrap(tool, wrap(pattern, value.clone())),
    }
}
