//! What a token says of itself. The signature is not checked: the token is only
//! sent back to where it came from, and what it says decides nothing but when
//! to renew it and which account to name. Hostile all the same: whoever can
//! write the file can write anything.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// A real token has one or two thousand bytes.
const LONGEST: usize = 64 * 1024;
/// Of an account, an address or a plan.
const WORD: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// In seconds since 1970.
    pub expires: Option<i64>,
    pub account: Option<String>,
    pub email: Option<String>,
    pub plan: Option<String>,
    pub fedramp: bool,
}

impl Claims {
    /// Nothing at all of what is no token.
    pub fn of(token: &str) -> Self {
        payload(token)
            .map(|claims| read(&claims))
            .unwrap_or_default()
    }
}

fn payload(token: &str) -> Option<Value> {
    if token.len() > LONGEST {
        return None;
    }
    let mut parts = token.split('.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    // Some write the padding, which the format does not have.
    let bytes = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn read(claims: &Value) -> Claims {
    let auth = &claims["https://api.openai.com/auth"];
    let profile = &claims["https://api.openai.com/profile"];
    Claims {
        expires: claims["exp"]
            .as_i64()
            .or_else(|| claims["exp"].as_f64().map(|seconds| seconds as i64))
            .filter(|seconds| *seconds > 0),
        account: word(&auth["chatgpt_account_id"]),
        email: word(&claims["email"]).or_else(|| word(&profile["email"])),
        plan: word(&auth["chatgpt_plan_type"]),
        fedramp: auth["chatgpt_account_is_fedramp"].as_bool() == Some(true),
    }
}

/// Fit for a header.
pub fn word(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let fits = !text.is_empty()
        && text.len() <= WORD
        && text.chars().all(|letter| letter.is_ascii_graphic());
    fits.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn token(claims: &Value) -> String {
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims.to_string()))
    }

    #[test]
    fn expiry_account_and_plan_are_read() {
        let claims = Claims::of(&token(&json!({
            "exp": 1_900_000_000,
            "email": "a@b.example",
            "https://api.openai.com/auth": {
                "chatgpt_account_id": "acc-1", "chatgpt_plan_type": "plus",
                "chatgpt_account_is_fedramp": true
            }
        })));
        let read = Claims {
            expires: Some(1_900_000_000),
            account: Some("acc-1".into()),
            email: Some("a@b.example".into()),
            plan: Some("plus".into()),
            fedramp: true,
        };
        assert_eq!(claims, read);
    }

    #[test]
    fn padding_is_forgiven() {
        let padded = token(&json!({"exp": 12})).replace(".c2ln", "==.c2ln");
        assert_eq!(Claims::of(&padded).expires, Some(12));
    }

    #[test]
    fn what_is_no_token_says_nothing() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let deep = format!("a.{}.c", URL_SAFE_NO_PAD.encode(deep));
        let long = format!("a.{}.c", "A".repeat(LONGEST));
        for text in ["", "a", "a.b", "a.!!.c", "sk-key", "a.e30.c", &deep, &long] {
            assert_eq!(Claims::of(text), Claims::default(), "{text:.40}");
        }
    }

    #[test]
    fn a_claim_that_no_header_can_hold_is_left_out() {
        for account in ["a\r\nx-evil: 1", "", "ä", &"x".repeat(WORD + 1)] {
            let claims = Claims::of(&token(&json!({
                "exp": "soon",
                "https://api.openai.com/auth": {"chatgpt_account_id": account}
            })));
            assert_eq!(claims, Claims::default(), "{account:?}");
        }
    }
}
