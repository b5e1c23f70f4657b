//! Decides, without input or output, whether a call may run.
//!
//! Three steps: [`analyse`] reads a command line, the tools gather [`Facts`]
//! about what a call would touch, and [`decide`] turns facts, rules and grants
//! into an explained verdict. The verdict does not depend on the order in which
//! rules were written.
//!
//! ```
//! use tenon_policy::{
//!     Authority, Facts, Grants, Mode, ReadOnly, ReadingRoom, Rules, Subject, analyse, decide,
//! };
//! use tenon_vocab::{Class, Effect, Timestamp};
//!
//! let facts = Facts {
//!     tool: "bash".into(),
//!     effect: Effect::Execute,
//!     subject: Subject::Command(analyse("pwd")),
//!     input: r#"{"command":"pwd"}"#.into(),
//! };
//! let authority = Authority {
//!     agent: "build",
//!     read_only: ReadOnly::No,
//!     agent_rules: None,
//!     reading_room: ReadingRoom::Absent,
//!     mode: Mode::default(),
//! };
//! let verdict = decide(&facts, &Rules::built_in(), &Grants::new(), &authority, Timestamp::UNIX_EPOCH);
//! assert_eq!(verdict.class, Class::Allow);
//! ```

mod aspect;
mod command;
mod decide;
mod examples;
mod facts;
mod grant;
mod guard;
mod heard;
mod judge;
mod line;
mod mask;
mod mode;
mod names;
mod offer;
mod parse;
mod path;
mod prefix;
mod programs;
mod protected;
mod readers;
mod reading;
mod room;
mod rule;
mod rules;
mod script;
mod search;
mod shell;
mod trail;

pub use decide::{Authority, ReadOnly, ReadingRoom, decide, error_code, folder_denied};
pub use facts::{Access, Facts, PathFact, Place, Subject};
pub use grant::{GRANT_TTL, Grant, GrantError, GrantKey, Grants, Scope};
pub use guard::{Guard, is_secret};
pub use mask::{Findings, MaskStream, Masker, PatternError, holds_marker};
pub use mode::{Enforced, Mode};
pub use names::{EDIT_ALONE, EDIT_GROUP, EXTERNAL_DIRECTORY, READING, canonical_tool};
pub use offer::{Offer, OpenCommand, offers, offers_within, once_only, open_commands};
pub use parse::RuleError;
pub use protected::runs_later;
pub use rule::{Answers, CommandPattern, Layer, Matcher, PathPattern, Rule, Weight};
pub use rules::Rules;
pub use script::{Commands, Danger, Deed, Foreign, Script, Simple, Target, Word, analyse};
pub use search::search_filter;
