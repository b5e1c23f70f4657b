//! What a person has allowed for longer than once. A convenience, not an
//! authority: no grant reaches what is denied or needs a yes each time.

use crate::guard::{is_in_vendored, is_secret};
use crate::prefix;
use crate::programs::{follows_links, is_granted_exactly, may_go_on, telling_words};
use crate::protected::{is_steering, sensitive};
use crate::rule::Target;
use crate::script::Deed;
use crate::{Access, EDIT_GROUP, EXTERNAL_DIRECTORY, Facts, PathFact, Script, Simple, names};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use tenon_vocab::Timestamp;

/// How long a grant for a project lasts.
pub const GRANT_TTL: Duration = Duration::from_secs(7 * 24 * 60 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Session,
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantKey {
    /// The first words of a command. Further words may follow that are no
    /// options; none may where not [`may_go_on`]. Behind a known prefix there may
    /// be flags as well.
    Command(Vec<String>),
    /// One line for the shell, whatever it runs.
    Line(ExactLine),
    /// All files of a folder and below; `.` is the root.
    Directory(String),
    /// A skill, or `agent:name:profile`.
    Name(String),
    /// Every call of the tool.
    Tool,
    /// Exactly this input, as canonical JSON.
    Input(String),
}

/// A line byte for byte, run in the same way, as long as it reaches nothing
/// further than it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactLine {
    text: String,
    /// The rest of the input: in which folder it runs, and whether beside the
    /// session.
    input: Value,
    /// What it named outside the project, through links or of secrets, and which
    /// of its programs the project brings.
    reach: Vec<String>,
}

impl ExactLine {
    pub(crate) fn of(facts: &Facts, script: &Script) -> Self {
        let mut input: Value = serde_json::from_str(&facts.input).unwrap_or_default();
        if let Some(fields) = input.as_object_mut() {
            fields.retain(|name, _| !matches!(name.as_str(), "command" | "timeout_ms"));
        }
        Self {
            text: script.text.clone(),
            input,
            reach: reach(script),
        }
    }

    fn covers(&self, facts: &Facts, script: &Script) -> bool {
        let now = Self::of(facts, script);
        now.text == self.text
            && now.input == self.input
            && now.reach.iter().all(|one| self.reach.contains(one))
    }
}

fn reach(script: &Script) -> Vec<String> {
    let paths = script.observed().filter_map(|(target, fact)| {
        let verb = match target.deed {
            Deed::Read => "read",
            _ => "write",
        };
        let Some(fact) = fact else {
            return Some(format!("{verb} {}", target.path));
        };
        let is_plain = fact.inside && !fact.symlink && !is_secret(&fact.path);
        (!is_plain).then(|| format!("{verb} {}", fact.path))
    });
    let programs = script.foreign.iter();
    let programs = programs.map(|foreign| format!("run {}", foreign.path));
    let mut all: Vec<String> = paths.chain(programs).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The first line of a text, as far as it helps to tell it from others.
fn head(text: &str) -> String {
    const MOST: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(MOST).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown}{cut}")
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// A canonical name, or the group `edit`.
    pub tool: String,
    pub key: GrantKey,
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// When it was given; older files have only the end, of [`GRANT_TTL`] later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Timestamp>,
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            GrantKey::Command(words) => {
                let shown = shlex::try_join(words.iter().map(String::as_str))
                    .unwrap_or_else(|_| words.join(" "));
                let argv: Vec<&str> = words.iter().map(String::as_str).collect();
                let tool = &self.tool;
                match prefix::of_words(&argv) {
                    Some(known) => write!(f, "{tool}: {shown} … ({}) = allow", known.covers),
                    None if may_go_on(&argv) => write!(
                        f,
                        "{tool}: {shown} … (any further words, no further flags) = allow"
                    ),
                    None => write!(f, "{tool}: exactly \"{shown}\" = allow"),
                }
            }
            GrantKey::Line(line) => {
                write!(f, "{}: exactly \"{}\" = allow", self.tool, head(&line.text))
            }
            GrantKey::Directory(folder) if folder == "." => {
                write!(f, "{}: all files of the project = allow", self.tool)
            }
            GrantKey::Directory(folder) => {
                write!(
                    f,
                    "{}: \"{}/**\" = allow",
                    self.tool,
                    folder.trim_end_matches('/')
                )
            }
            GrantKey::Name(name) => write!(f, "{}: \"{name}\" = allow", self.tool),
            GrantKey::Tool => write!(f, "{}: allow", self.tool),
            GrantKey::Input(input) => write!(f, "{}: exactly {input} = allow", self.tool),
        }
    }
}

impl Grant {
    /// The same with an end: a grant for a project lasts so long from now.
    #[must_use]
    pub fn starting(mut self, now: Timestamp, lasting: Duration) -> Self {
        if self.scope == Scope::Project {
            self.given = Some(now);
            self.expires = Some(now.checked_add(lasting).unwrap_or(now));
        }
        self
    }

    /// When it was given, where that is known.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        self.given
            .or_else(|| self.expires?.checked_sub(GRANT_TTL).ok())
    }

    /// The same where grants last so long now: it may end earlier, never later.
    #[must_use]
    pub fn within(mut self, lasting: Duration) -> Self {
        let latest = self
            .since()
            .and_then(|given| given.checked_add(lasting).ok());
        if let (Some(end), Some(latest)) = (self.expires, latest) {
            self.expires = Some(end.min(latest));
        }
        self
    }

    /// A grant that has ended, or one for a project that never got an end.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        match self.expires {
            Some(end) => end <= now,
            None => self.scope == Scope::Project,
        }
    }

    pub(crate) fn speaks_of(&self, tool: &str) -> bool {
        self.tool == tool || (self.tool == EDIT_GROUP && names::in_edit_group(tool))
    }

    pub(crate) fn covers(&self, tool: &str, target: Target<'_>, facts: &Facts) -> bool {
        if !self.speaks_of(tool) {
            return false;
        }
        match (&self.key, target) {
            (GrantKey::Command(words), Target::Part(script, part)) => script
                .exact()
                .and_then(|all| all.get(part))
                .is_some_and(|command| {
                    covers_command(words, command) && leads_where_seen(words, script, part)
                }),
            (GrantKey::Line(line), Target::Part(script, _) | Target::Line(script)) => {
                line.covers(facts, script)
            }
            (GrantKey::Directory(folder), Target::Path(fact)) => {
                covers_path(folder, fact, tool == EXTERNAL_DIRECTORY)
            }
            (GrantKey::Name(name), Target::Name(named)) => name == named,
            (GrantKey::Tool, _) => !names::is_built_in(tool),
            (GrantKey::Input(input), _) => *input == facts.input,
            _ => false,
        }
    }
}

/// An option can make of a harmless program one that writes or runs: it counts
/// only where it was seen when the grant was given.
fn covers_command(words: &[String], command: &Simple) -> bool {
    let argv = command.argv();
    // A variable before the command was not there when the grant was given.
    if words.is_empty() || !command.assignments.is_empty() || argv.len() < words.len() {
        return false;
    }
    if follows_links(&argv) {
        return false;
    }
    let same = words.iter().zip(&argv).all(|(word, given)| word == given);
    let held: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Some(known) = prefix::of_words(&held) {
        return same && known.covers(command);
    }
    let further = || {
        !is_granted_exactly(&argv)
            && words.len() >= telling_words(&argv)
            && !(words.len()..argv.len()).any(|at| command.may_be_option(at))
    };
    same && (argv.len() == words.len() || further())
}

/// Whether each path that the command names lies in the project as it is now, or
/// leads out of it by words that stood there when the grant was given. A link that
/// came since, and a word that nobody has seen, are a question of their own.
fn leads_where_seen(words: &[String], script: &Script, part: usize) -> bool {
    // Who said yes to `git` did not say it to one that the project brings.
    let program = words.first().map_or("", String::as_str);
    if script.foreign.iter().any(|foreign| foreign.name == program) {
        return false;
    }
    script.observed_of(part).all(|(target, fact)| {
        let path = target.path.as_str();
        let leads_out =
            path.starts_with(['/', '~']) || path.split('/').any(|component| component == "..");
        match fact {
            Some(fact) if fact.inside => true,
            None if !leads_out => true,
            _ => leads_out && words.iter().any(|word| word.contains(path)),
        }
    })
}

/// A folder's grant stops at links, at protected files and at guarded ones, and
/// crosses the border of the root only where it was given for that.
fn covers_path(folder: &str, fact: &PathFact, external: bool) -> bool {
    let steers = fact.access == Access::Write && is_steering(&fact.path);
    let plain = !steers
        && !fact.symlink
        && fact.inside != external
        && sensitive(&fact.path).is_none()
        && !is_secret(&fact.path)
        && !is_in_vendored(&fact.path);
    let below = (folder == "." && !fact.is_added())
        || fact
            .path
            .strip_prefix(folder.trim_end_matches('/'))
            .is_some_and(|rest| rest.starts_with('/'));
    plain && below
}

/// A file of grants that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("can't read the saved permissions: {0}. Delete the file to be asked again")]
pub struct GrantError(pub String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    grants: Vec<Grant>,
    /// How long a new one for the project lasts.
    lasting: Duration,
}

impl Default for Grants {
    fn default() -> Self {
        Self {
            grants: Vec::new(),
            lasting: GRANT_TTL,
        }
    }
}

impl Grants {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same where a grant for the project lasts so long, also one that was
    /// given before.
    #[must_use]
    pub fn lasting(self, lasting: Duration) -> Self {
        let grants = self.grants.into_iter();
        Self {
            grants: grants.map(|grant| grant.within(lasting)).collect(),
            lasting,
        }
    }

    /// How long a grant for the project lasts.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.lasting
    }

    /// Adds a grant; the same one again only changes its end.
    pub fn add(&mut self, grant: Grant) {
        self.remove(&grant);
        self.grants.push(grant);
    }

    /// Takes back a grant, whatever its end.
    pub fn remove(&mut self, grant: &Grant) {
        self.grants.retain(|held| {
            held.tool != grant.tool || held.key != grant.key || held.scope != grant.scope
        });
    }

    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.grants.iter()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    /// Those for the project: what a file keeps. Those of a session are not in it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let kept: Vec<&Grant> = self
            .grants
            .iter()
            .filter(|grant| grant.scope == Scope::Project)
            .collect();
        serde_json::json!({ "version": 1, "grants": kept })
    }

    /// # Errors
    /// When the value is not what [`Grants::to_json`] writes.
    pub fn from_json(value: &Value) -> Result<Self, GrantError> {
        if value.get("version") != Some(&Value::from(1)) {
            return Err(GrantError("its version isn't 1".into()));
        }
        let list = value.get("grants").cloned().unwrap_or_default();
        let grants: Vec<Grant> =
            serde_json::from_value(list).map_err(|error| GrantError(error.to_string()))?;
        Ok(Self {
            grants,
            ..Self::default()
        })
    }
}
