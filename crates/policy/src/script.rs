//! (to come)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub text: String,
}
#[must_use]
pub fn analyse(text: &str) -> Script {
    Script { text: text.to_owned() }
}
