//! Secrets in structured data: the strings of a JSON value, where the name of a
//! field stands for the name in a line of text.

use super::random::{is_one_long_piece, is_placeholder};
use super::sight::{Sight, Verdict};
use super::table::{KEYWORDS, Secret, TOKENS};
use super::{Extent, Findings, Masker, State, assign, marker, parts, token};
use serde_json::Value;

/// Masks the strings of a value in place. Names of fields stay as they are.
fn mask(masker: &Masker, extent: Extent, value: &mut Value, found: &mut Findings) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = masker.mask_within(extent, text, found) {
                *text = masked;
            }
        }
        Value::Array(items) => {
            if extent == Extent::All {
                parts::mask(items, found);
            }
            for item in items {
                mask(masker, extent, item, found);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields.iter_mut() {
                match item {
                    Value::String(text) if extent.covers(text) && named(name, text).is_some() => {
                        let kind = named(name, text).unwrap_or("secret");
                        found.note(kind);
                        *text = marker(kind);
                    }
                    Value::String(text) if bearer(name, text).is_some() => {
                        found.note("bearer-token");
                        let scheme = bearer(name, text).unwrap_or_default();
                        *text = format!("{scheme} {}", marker("bearer-token"));
                    }
                    _ => mask(masker, extent, item, found),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The kind of secret that a field holds by its name.
fn named(name: &str, value: &str) -> Option<&'static str> {
    if is_placeholder(value) || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    KEYWORDS.iter().find_map(|keyword| match keyword.value {
        Secret::Random(_) => {
            let before = lower.strip_suffix(keyword.word)?;
            assign::fits(keyword, before, value)
        }
        Secret::Docker if lower == "auth" => assign::fits(keyword, "", value),
        Secret::Docker | Secret::Bearer | Secret::Basic => None,
    })
}

/// The scheme before a token that only the name of the header betrays.
fn bearer<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    let (scheme, token) = value.split_once(' ')?;
    let is_header = name.to_ascii_lowercase().ends_with("authorization");
    (is_header && scheme.eq_ignore_ascii_case("bearer") && is_one_long_piece(token))
        .then_some(scheme)
}

/// The verdict on a token that says by itself what it is and begins here: its
/// own name tells more than that of the variable it is kept in.
pub(super) fn known(sight: Sight<'_>, at: usize) -> Option<Verdict> {
    let rest = sight.text.get(at..)?;
    let longest = TOKENS
        .iter()
        .filter(|token| rest.starts_with(token.prefix))
        .max_by_key(|token| token.prefix.len());
    let set = |length: usize| Sight {
        start: at,
        end: at + length,
        ..sight
    };
    let verdict = match longest {
        Some(token) => token::judge(set(token.prefix.len()), token),
        None if rest.starts_with("eyJ") => token::jwt(set("eyJ".len())),
        None => return None,
    };
    (verdict != Verdict::No).then_some(verdict)
}

impl Masker {
    /// Masks the strings of a JSON value in place.
    pub fn mask_value(&self, value: &mut Value, found: &mut Findings) {
        if self.state == State::On {
            mask(self, Extent::All, value, found);
        }
    }

    /// The same, as far as [`Masker::mask_plain`] goes.
    pub fn mask_plain_value(&self, value: &mut Value, found: &mut Findings) {
        if self.state == State::On {
            mask(self, Extent::Plain, value, found);
        }
    }
}
