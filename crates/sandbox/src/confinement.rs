//! What really stands around a command: told by the supervisor once the walls
//! are up, never assumed.

/// How much of what was asked for is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    None,
    Partial,
    Full,
}

impl Level {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// `native`, `landlock`, `bubblewrap` or `none`.
    pub adapter: &'static str,
    pub level: Level,
    /// What was asked for and is not held, a sentence each.
    pub not_covered: Vec<String>,
}

impl Confinement {
    /// For a command that runs without walls because none were asked for.
    #[must_use]
    pub fn none() -> Self {
        Self {
            adapter: "none",
            level: Level::None,
            not_covered: Vec::new(),
        }
    }
}
