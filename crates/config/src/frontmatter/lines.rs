//! What is no YAML, read line by line: what people meant is mostly plain.

use super::{Fields, MOST_KEYS, Value};

/// `key: all that follows`, and indented lines go on.
pub(super) fn read(front: &str) -> Fields {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in front.lines() {
        if fields.len() > MOST_KEYS {
            break;
        }
        let goes_on = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line
            .split_once(':')
            .filter(|(key, _)| !goes_on && is_key(key))
        {
            Some((key, value)) => fields.push((key.to_owned(), opened(value).to_owned())),
            None => {
                if let Some((_, held)) = fields.last_mut().filter(|_| goes_on) {
                    if !held.is_empty() {
                        held.push(' ');
                    }
                    held.push_str(line);
                }
            }
        }
    }
    let mut found: Vec<(String, Value)> = Vec::new();
    for (key, value) in fields {
        if found.iter().all(|(held, _)| *held != key) {
            found.push((key, Value::Text(unquoted(&value).to_owned())));
        }
    }
    Fields(found)
}

fn is_key(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= 64 && text.chars().all(plain)
}

/// The value of a line, without the mark that a block follows.
fn opened(value: &str) -> &str {
    let value = value.trim();
    let is_block = value.starts_with(['|', '>'])
        && value.len() <= 3
        && value
            .chars()
            .skip(1)
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '+'));
    if is_block { "" } else { value }
}

fn unquoted(text: &str) -> &str {
    let between = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.is_empty()).then_some(inner)
    };
    between('"').or_else(|| between('\'')).unwrap_or(text)
}
