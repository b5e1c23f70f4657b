//! What a key of the configuration is: the shape of the one table from which
//! checks, reference, schema and template are made. The table itself is
//! in `tables.rs`.

use crate::models;
use crate::node::what;
use crate::span;
use crate::tables;
use serde_json::Value;
use tenon_vocab::effort;

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Text,
    /// How hard a model is to think.
    Effort,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words.
    Words(&'static [&'static str]),
    Integer {
        least: u64,
        most: u64,
    },
    Number {
        least: f64,
        most: f64,
    },
    Boolean,
    /// `auto` or `off`; what was a yes or a no before stays one.
    AutoOrOff,
    /// A length of time: `12h`, `7d`.
    Span,
    /// A list of texts.
    Texts,
    /// One text or a list of texts.
    TextOrTexts,
    /// An object of texts by free names.
    TextMap,
    /// A list of models, each a name or an object with its `id`.
    Models,
    /// Rules: see the policy.
    Permission,
    /// Events with lists of hooks.
    Hooks,
}

/// What the configuration of a project that nobody has trusted may do with a key (C7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    Allowed,
    /// Only to something stricter than what holds without it.
    Narrowing,
    Ignored,
}

/// Whether a value may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
    Open,
    Secret,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Dotted; `*` stands for a name that the user chooses.
    pub name: &'static str,
    pub kind: Kind,
    /// As JSON; empty when there is none.
    pub default: &'static str,
    pub doc: &'static str,
    pub project: Project,
    pub privacy: Privacy,
}

/// Every key, in the order of the reference.
#[must_use]
pub fn all() -> &'static [Key] {
    tables::KEYS
}

impl Key {
    pub(crate) fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.name.split('.')
    }

    fn fits(&self, path: &[&str]) -> bool {
        let mut count = 0;
        for segment in self.segments() {
            let fits = path
                .get(count)
                .is_some_and(|part| segment == "*" || segment == *part);
            if !fits {
                return false;
            }
            count += 1;
        }
        count == path.len()
    }

    /// The variable that sets it: only keys with one plain value have one.
    #[must_use]
    pub fn variable(&self) -> Option<String> {
        let plain = !matches!(
            self.kind,
            Kind::TextMap
                | Kind::Permission
                | Kind::Texts
                | Kind::Words(_)
                | Kind::Models
                | Kind::Hooks
        );
        if self.name.contains('*') || !plain {
            return None;
        }
        Some(match self.name {
            "default_provider" => "TENON_PROVIDER".into(),
            "default_agent" => "TENON_AGENT".into(),
            "logs.level" => "TENON_LOG".into(),
            name => variable_of(name),
        })
    }

    /// Dotted names that are accepted in place of this key's own.
    #[must_use]
    pub fn second_names(&self) -> Vec<String> {
        tables::SECOND_NAMES
            .iter()
            .filter_map(|(second, first)| {
                let rest = self.name.strip_prefix(first)?;
                (rest.is_empty() || rest.starts_with('.')).then(|| format!("{second}{rest}"))
            })
            .collect()
    }

    /// Variables that are accepted in place of [`Key::variable`].
    #[must_use]
    pub fn second_variables(&self) -> Vec<String> {
        if self.variable().is_none() {
            return Vec::new();
        }
        let own = self
            .second_names()
            .into_iter()
            .map(|name| variable_of(&name));
        let further = tables::SECOND_VARIABLES
            .iter()
            .filter(|(_, key)| *key == self.name)
            .map(|(variable, _)| (*variable).to_owned());
        own.chain(further).collect()
    }

    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        serde_json::from_str(self.default).ok()
    }
}

fn variable_of(dotted: &str) -> String {
    format!("TENON_{}", dotted.to_ascii_uppercase().replace('.', "_"))
}

/// The first name of what is called so below this path.
pub(crate) fn first_name<'n>(parent: &[&str], name: &'n str) -> &'n str {
    let parts = |dotted: &'static str| dotted.rsplit_once('.').unwrap_or(("", dotted));
    let parent = parent.join(".");
    tables::SECOND_NAMES
        .iter()
        .find(|(second, _)| parts(second) == (parent.as_str(), name))
        .map_or(name, |(_, first)| parts(first).1)
}

/// A dotted name with the first names of all its parts.
pub(crate) fn first_names(dotted: &str) -> String {
    let mut path: Vec<&str> = Vec::new();
    for part in dotted.split('.') {
        let name = first_name(&path, part);
        path.push(name);
    }
    path.join(".")
}

/// The key at this path, if it is one.
pub(crate) fn key_at(path: &[&str]) -> Option<&'static Key> {
    all().iter().find(|key| key.fits(path))
}

/// The key of a dotted name, where free names hold no dots.
#[must_use]
pub fn key(dotted: &str) -> Option<&'static Key> {
    let path: Vec<&str> = dotted.split('.').collect();
    key_at(&path).or_else(|| {
        // A header's name may hold a dot; a pattern of a permission often does.
        all().iter().find(|key| match key.kind {
            Kind::TextMap | Kind::Permission | Kind::Hooks => {
                let depth = key.segments().count();
                path.len() > depth && key.fits(&path[..depth])
            }
            _ => false,
        })
    })
}

/// The names that may stand below this path; `*` for a free one.
pub(crate) fn children(path: &[&str]) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for key in all() {
        let segments: Vec<&'static str> = key.segments().collect();
        let below = segments.len() > path.len()
            && path
                .iter()
                .zip(&segments)
                .all(|(part, segment)| *segment == "*" || segment == part);
        if below && !found.contains(&segments[path.len()]) {
            found.push(segments[path.len()]);
        }
    }
    found
}

impl Kind {
    /// What it takes, for a sentence that begins with "expected".
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Text => "a string".into(),
            Self::Effort => format!(
                "one of {}, {}, or another word that the server accepts",
                effort::LEVELS.join(", "),
                effort::DEFAULT
            ),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Words(words) => format!("a list of any of {}", words.join(", ")),
            Self::Integer { least, most } if *most == u64::MAX => {
                format!("a whole number of at least {least}")
            }
            Self::Integer { least, most } => format!("a whole number from {least} to {most}"),
            Self::Number { least, most } => format!("a number from {least} to {most}"),
            Self::Boolean => "true or false".into(),
            Self::AutoOrOff => "one of auto, off".into(),
            Self::Span => "a time such as `30m`, `12h` or `7d`, at most a year".into(),
            Self::Texts => "a list of strings".into(),
            Self::TextOrTexts => "a string or a list of strings".into(),
            Self::Hooks => "an object with a list of hooks for each event".into(),
            Self::TextMap => "an object with strings as values".into(),
            Self::Models => "a list of models, each a name or an object with its `id`".into(),
            Self::Permission => {
                "an object with a rule for each tool, a list of rules, or allow, ask, confirm or \
                 deny"
                    .into()
            }
        }
    }

    /// Whether the value is of this kind.
    ///
    /// # Errors
    /// A sentence that says what was expected and what was found.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let texts = |value: &Value| {
            value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string))
        };
        let fits = match self {
            Self::Text => value.is_string(),
            Self::Effort => value
                .as_str()
                .is_some_and(|word| effort::read(word).is_ok()),
            Self::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::Words(words) => value.as_array().is_some_and(|items| {
                let known = |item: &Value| item.as_str().is_some_and(|word| words.contains(&word));
                items.iter().all(known)
            }),
            Self::Integer { least, most } => value
                .as_u64()
                .is_some_and(|number| (*least..=*most).contains(&number)),
            Self::Number { least, most } => value
                .as_f64()
                .is_some_and(|number| (*least..=*most).contains(&number)),
            Self::Boolean => value.is_boolean(),
            Self::AutoOrOff => value.is_boolean() || matches!(value.as_str(), Some("auto" | "off")),
            Self::Span => span::read(value).is_some(),
            Self::Texts => texts(value),
            Self::TextOrTexts => value.is_string() || texts(value),
            Self::TextMap => value
                .as_object()
                .is_some_and(|fields| fields.values().all(Value::is_string)),
            Self::Permission => true,
            Self::Models => return models::check_value(value),
            Self::Hooks => value.is_object(),
        };
        if fits {
            Ok(())
        } else {
            Err(format!(
                "expected {}, found {}",
                self.expected(),
                what(value)
            ))
        }
    }
}
