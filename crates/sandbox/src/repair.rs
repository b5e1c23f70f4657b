//! What was done about a protected path that changed while a command ran.

/// A sentence for people and models, and what it means for whose change it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    pub text: String,
    pub effect: RepairEffect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairEffect {
    /// The change was taken back or set aside: whoever made it misses it now.
    Undone,
    /// What was changed stays as it is, or could not be looked at.
    Left,
}

impl Repair {
    pub fn undone(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            effect: RepairEffect::Undone,
        }
    }

    pub fn left(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            effect: RepairEffect::Left,
        }
    }
}
