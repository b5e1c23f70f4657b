//! The name of a variable that holds a key. People put the key itself there; what
//! is no name is therefore refused, and never repeated.

use crate::ConfigError;
use crate::profile::Entry;
use serde_json::Value;

/// Names of variables are not as long as this and of digits and small letters.
const KEY_LENGTH: usize = 20;

/// Where such names are written.
pub(crate) const KEY: &str = "providers.*.api_key_env";

/// Whether a value is a name, or a list of names.
pub(crate) fn are_names(value: &Value) -> bool {
    match value {
        Value::String(name) => names_a_variable(name),
        Value::Array(names) => names.iter().all(are_names),
        _ => false,
    }
}

/// Whether this can be the name of a variable, and not a key in its place.
fn names_a_variable(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let has = |kind: fn(&char) -> bool| text.chars().any(|c| kind(&c));
    let random = has(char::is_ascii_digit) && has(char::is_ascii_lowercase);
    starts && plain && !(random && text.len() >= KEY_LENGTH)
}

pub(crate) fn check(entry: &Entry<'_>, names: &[String]) -> Result<(), ConfigError> {
    if names.iter().all(|name| names_a_variable(name)) {
        return Ok(());
    }
    let dollar = names.iter().any(|name| {
        let bare = name
            .strip_prefix('$')
            .map(|rest| rest.trim_matches(['{', '}']));
        bare.is_some_and(names_a_variable)
    });
    let hint = if dollar {
        String::from("write only the name, without `$`")
    } else {
        format!(
            "write the name, such as MY_API_KEY. If this is the key itself, remove it from the file and save it with `tenon auth login {}`",
            entry.name
        )
    };
    Err(entry.wrong("api_key_env", "this isn't the name of a variable", &hint))
}
