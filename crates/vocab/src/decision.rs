//! The verdict of the policy and the way it was reached, as logged with each
//! call and as printed by `tenon policy explain`.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

/// The strength of a decision: what may and what may not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Nothing can change it.
    HardDeny,
    Deny,
    /// A person must say yes, each time; `--yes` does not.
    Confirm,
    Ask,
    Allow,
}

impl Class {
    #[must_use]
    pub fn decision(self) -> Decision {
        match self {
            Self::HardDeny | Self::Deny => Decision::Deny,
            Self::Confirm | Self::Ask => Decision::Ask,
            Self::Allow => Decision::Allow,
        }
    }
}

/// One rule that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleTried {
    /// As a user would write it: `bash: "ls *" = allow`.
    pub rule: String,
    /// Where it is written: `built-in`, `user`, a file and line, `grant`.
    pub origin: String,
    pub matched: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    pub class: Class,
    /// One sentence for people and for the model.
    pub reason: String,
    /// In the order in which they were tried; the last one that matched decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<RuleTried>,
    /// Who answered, where the decision was to ask: `user`, `--yes`, a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// What the user said with a no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Who may answer, where the decision is to ask.
    #[serde(default, skip_serializing_if = "Responders::is_any")]
    pub responders: Responders,
    /// Whether every command of the line only reads, and runs where the sandbox
    /// holds it to that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_only: bool,
    /// Where a line that the user typed runs; of a model's call nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_line: Option<OwnLine>,
    /// The sandbox that the call needs to be allowed, where it needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<RequiredSandbox>,
}

/// What a sandbox has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredSandbox {
    pub mode: RequiredMode,
    pub network: RequiredNetwork,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequiredMode {
    ReadOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequiredNetwork {
    Deny,
}

/// Where a command runs that the user typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnLine {
    /// As in a shell of theirs, with their environment.
    OutsideSandbox,
    /// As a model's: the administrator wants a sandbox around every command.
    KeptInSandbox,
}

impl OwnLine {
    /// What stands beside the line.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::OutsideSandbox => "outside the sandbox",
            Self::KeptInSandbox => "in the sandbox: a managed policy requires it",
        }
    }
}

/// Who may say yes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Responders {
    /// A person, a hook of the user, or the flag that is made for the class.
    #[default]
    Any,
    /// Only a person, now: no flag, no hook, no earlier grant (G17).
    Person,
}

impl Responders {
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

impl Explanation {
    #[must_use]
    pub fn new(class: Class, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            tried: Vec::new(),
            answered_by: None,
            said: None,
            responders: Responders::Any,
            reads_only: false,
            own_line: None,
            sandbox: None,
        }
    }

    /// The same of a line that only reads, held to it by the sandbox.
    #[must_use]
    pub fn held_read_only(self) -> Self {
        Self {
            reason: String::from("reads only; the sandbox holds it read-only"),
            reads_only: true,
            sandbox: Some(RequiredSandbox {
                mode: RequiredMode::ReadOnly,
                network: RequiredNetwork::Deny,
            }),
            ..self
        }
    }

    #[must_use]
    pub fn decision(&self) -> Decision {
        self.class.decision()
    }
}
