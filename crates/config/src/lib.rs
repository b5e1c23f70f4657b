//! All that a user writes, in two forms: as written, where every value knows the
//! file and line it came from ([`load`]), and ready to act ([`resolve`]).
//!
//! Parsing does nothing but check. Nothing here reads the process environment:
//! it is captured once, by the binary, into [`Env`].
//!
//! One table of keys ([`keys`]) drives the checks, the reference page, the JSON
//! Schema and the template, so they cannot drift apart.

mod address;
mod check;
mod choose;
mod commands;
mod environment;
mod error;
mod expand;
pub mod frontmatter;
mod hooks;
mod jsonc;
pub mod keys;
mod load;
mod locks;
mod managed;
mod models;
mod node;
mod owner;
mod paths;
mod profile;
mod project;
mod provider;
mod reference;
mod resolve;
mod rules;
mod sandbox;
mod saved;
mod secrets;
mod settings;
pub mod skills;
mod slips;
mod snapshot;
mod source;
mod span;
mod suggest;
mod tables;
mod toml;
mod trust;
mod tui;
mod untrusted;
mod variable;

pub use choose::is_undecided;
pub use commands::{CommandPlaces, Commands, commands};
pub use error::{ConfigError, Location};
pub use keys::{Key, Kind, Project};
pub use load::{Curable, Entry, Ignored, Loaded, Origin, Sources, load};
pub use locks::{AllowList, Locks, Minimum};
pub use models::ModelProfile;
pub use owner::is_the_users;
pub use paths::{Env, Paths, Platform};
pub use project::{ProjectContent, Standing, project_key};
pub use reference::{reference_markdown, schema, template};
pub use resolve::{Choice, managed_model, provider_named, resolve, resolve_without_provider};
pub use rules::rules;
pub use sandbox::{
    SandboxAdapter, SandboxLacking, SandboxLimits, SandboxMode, SandboxNetwork, SandboxSettings,
};
pub use settings::{
    AuthStore, Explicit, GrantScope, GrantSettings, KeySource, LogLevel, LogSettings,
    PromptSettings, Proxy, Resolved, ResolvedProvider, ResponsesSettings, RetrySettings,
    SmallModel, SmallNamed,
};
pub use snapshot::{KeptFile, Snapshot};
pub use trust::{Difference, Earlier, ProjectTrust, Trust, TrustAnswer, TrustError, TrustSubject};
pub use tui::{TuiInterface, TuiSettings, TuiTheme};
