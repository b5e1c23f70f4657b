//! `${VAR}` and `${VAR:-default}` in addresses and headers. Nothing nested, no
//! commands: this is not a shell.

use crate::Env;

/// # Errors
/// A sentence that names the variable, or what is not closed.
pub(crate) fn expand(text: &str, env: &Env) -> Result<String, String> {
    let mut full = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        full.push_str(before);
        let (inside, behind) = after
            .split_once('}')
            .ok_or_else(|| "`${` has no closing `}`".to_owned())?;
        let (name, fallback) = match inside.split_once(":-") {
            Some((name, fallback)) => (name, Some(fallback)),
            None => (inside, None),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!("`${{{name}}}` isn't the name of a variable"));
        }
        match env.get(name).or(fallback) {
            Some(value) => full.push_str(value),
            None => return Err(format!("the variable {name} isn't set")),
        }
        rest = behind;
    }
    full.push_str(rest);
    Ok(full)
}
