//! Ids as types of their own, because a call id given where a run id was
//! expected is a bug that no test would name.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// What was given as an id is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdError(pub String);

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a UUID", self.0)
    }
}

impl std::error::Error for IdError {}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id that sorts by time (UUID v7).
            #[must_use]
            pub fn generate() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::try_parse(text)
                    .map(Self)
                    .map_err(|_| IdError(text.to_owned()))
            }
        }
    };
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

uuid_id! {
    /// One conversation with its log.
    SessionId
}
uuid_id! {
    /// One prompt and all that follows from it.
    RunId
}
text_id! {
    /// One tool call, as the model named it (or as we did, where it did not).
    CallId
}
text_id! {
    /// One process that outlives its call: `proc_1`.
    JobId
}
text_id! {
    /// One question to whoever sits in front of a front end: `q_1`.
    QuestionId
}

/// In front of the calls that a prompt makes by what it mentions.
const MENTION: &str = "mention_";

impl CallId {
    /// The call for an `@path` of a prompt.
    #[must_use]
    pub fn of_mention(run: RunId, number: u32) -> Self {
        Self(format!("{MENTION}{run}_{number}"))
    }

    /// Whether it is one of those: they come before the message of their prompt.
    #[must_use]
    pub fn is_mention(&self) -> bool {
        self.0.starts_with(MENTION)
    }
}
