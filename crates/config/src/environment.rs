//! Values from variables (I7) and from flags. Only what is named in the table of
//! keys; the variables that name a server are read where providers are resolved.

use crate::check::{Leaf, spelled, value_hint};
use crate::keys::{self, Kind};
use crate::load::{Loaded, Origin};
use crate::suggest::{self, nearest};
use crate::tables::SECOND_VARIABLES;
use crate::{ConfigError, Key};
use serde_json::{Map, Value};
use tenon_policy::{Layer, Rules};

/// Variables of the program that are no settings of the table.
const OTHERS: &[&str] = &[
    "TENON_HOME",
    "TENON_CONFIG",
    "TENON_CACHE_DIR",
    "TENON_MANAGED_CONFIG",
    "TENON_NO_COLOR",
    "TENON_BASE_URL",
    "TENON_API_KEY",
];

/// Set by the program for what it starts, or read by its tests and chores: in a
/// tool or a hook that starts Tenon again they are no slips.
const NOT_OURS: &[&str] = &[
    "TENON_JOB",
    "TENON_KEEP",
    "TENON_KILLS",
    "TENON_LIVE_*",
    "TENON_NAME",
    "TENON_OPENAI_PYTHON",
    "TENON_SCHEDULES",
    "TENON_TEST_*",
    "TENON_TOOL_DIR",
    "TENON_TOOL_NAME",
    "TENON_UPDATE_SNAPSHOTS",
    "TENON_WRITE_CORPUS",
];

const PREFIX: &str = "TENON_";

pub(crate) fn apply(loaded: &mut Loaded) -> Result<(), ConfigError> {
    for key in keys::all() {
        let Some((variable, text)) = given(loaded, key)? else {
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

/// The one variable that sets a key, with its text.
fn given(loaded: &mut Loaded, key: &Key) -> Result<Option<(String, String)>, ConfigError> {
    let Some(first) = key.variable() else {
        return Ok(None);
    };
    let names = std::iter::once(first.clone()).chain(key.second_variables());
    let set: Vec<(String, String)> = names
        .filter_map(|name| Some((name.clone(), loaded.env.get(&name)?.to_owned())))
        .collect();
    match set.as_slice() {
        [(one, _), (other, _), ..] => Err(ConfigError::hinted(
            format!("the variables {one} and {other} are the same setting"),
            format!("keep {one} and unset {other}"),
        )),
        [(name, _)] => {
            // The names of agents may promise more than is kept: there is one agent.
            if SECOND_VARIABLES.iter().any(|(second, _)| second == name) {
                loaded
                    .warnings
                    .push(format!("reading the variable {name} as {first}"));
            }
            Ok(set.into_iter().next())
        }
        [] => Ok(None),
    }
}

fn typed(key: &Key, text: &str) -> Result<Value, String> {
    let value = match key.kind {
        Kind::Integer { .. } | Kind::Number { .. } => {
            serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text))
        }
        Kind::AutoOrOff => match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" | "auto" => Value::from("auto"),
            "0" | "false" | "no" | "off" => Value::from("off"),
            _ => Value::from(text),
        },
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
    let known: Vec<String> = keys::all()
        .iter()
        .flat_map(|key| key.variable().into_iter().chain(key.second_variables()))
        .chain(OTHERS.iter().map(|name| (*name).to_owned()))
        .collect();
    let slips: Vec<String> = loaded
        .env
        .names()
        .filter(|name| name.starts_with(PREFIX) && !is_somebody_elses(name))
        .filter(|name| !known.iter().any(|known| known == name))
        .map(|name| match meant(name, &known) {
            Some(near) => format!("unknown variable {name}; did you mean {near}?"),
            None => format!("unknown variable {name}; it has no effect"),
        })
        .collect();
    loaded.warnings.extend(slips);
}

fn is_somebody_elses(name: &str) -> bool {
    NOT_OURS.iter().any(|other| match other.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *other,
    })
}

/// A slip of a letter, else a name without its section (`TENON_MAX_TURNS`), else
/// what is near. The prefix, which all have, makes no two of them alike.
fn meant<'k>(name: &str, known: &'k [String]) -> Option<&'k str> {
    let rest = name.strip_prefix(PREFIX)?;
    let rests = || known.iter().filter_map(|known| known.strip_prefix(PREFIX));
    // Where agents have settings of their own, `TENON_MAIN_MODEL` is this one's.
    let of_agent = rest.strip_prefix("MAIN_");
    let found = rests()
        .find(|known| of_agent == Some(known))
        .or_else(|| suggest::within(rest, rests(), 1).filter(|_| rest.len() > 2))
        .or_else(|| {
            let inner = format!("_{rest}");
            rests().find(|known| known.ends_with(&inner))
        })
        .or_else(|| nearest(rest, rests()))?;
    known
        .iter()
        .map(String::as_str)
        .find(|known| known.strip_prefix(PREFIX) == Some(found))
}

/// A flag's value as a leaf of the tree.
pub(crate) fn leaf_of(dotted: &str, value: &Value) -> Result<Leaf, ConfigError> {
    let dotted = &*keys::first_names(dotted);
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
