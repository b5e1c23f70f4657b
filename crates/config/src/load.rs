//! Reads all layers, lowest first (I11), into one flat tree in which each value
//! knows where it was written.

use crate::check::{self, Leaf};
use crate::hooks;
use crate::keys::{self, Key, Privacy};
use crate::paths::{Env, Paths};
use crate::source::{self, Source};
use crate::trust::ProjectTrust;
use crate::{ConfigError, Locks, ProjectContent, environment, managed, saved, untrusted, variable};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use tenon_policy::Layer;

/// All that settings can come from.
#[derive(Debug, Clone)]
pub struct Sources {
    pub paths: Paths,
    /// The project's root; its `.tenon/` may hold a configuration.
    pub root: PathBuf,
    /// Whether that configuration holds.
    pub trust: ProjectTrust,
    pub env: Env,
    /// `--config`; stands in for `TENON_CONFIG`.
    pub extra: Option<PathBuf>,
    /// Dotted keys with their values, as the command line gave them.
    pub flags: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
    File {
        path: PathBuf,
        line: usize,
        column: usize,
        layer: Layer,
    },
    Environment(String),
    Flag(String),
    /// A choice that was made in an earlier session.
    Saved,
}

impl Origin {
    /// Higher wins.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::BuiltIn => 0,
            Self::File { layer, .. } => match layer {
                Layer::BuiltIn => 0,
                Layer::User => 1,
                Layer::Project | Layer::Agent => 2,
                Layer::Extra => 3,
                Layer::Managed => 9,
            },
            Self::Saved => 4,
            Self::Environment(_) => 5,
            Self::Flag(_) => 6,
        }
    }

    /// The folder of the file, for paths that are written relative to it.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. } => path.parent(),
            _ => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => write!(f, "variable {name}"),
            Self::Flag(name) => write!(f, "flag for {name}"),
            Self::Saved => f.write_str("saved choice"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub value: Value,
    pub origin: Origin,
    pub key: &'static Key,
}

impl Entry {
    /// The value for a screen or a log: what may be a secret is not shown.
    #[must_use]
    pub fn shown(&self) -> String {
        if self.is_hidden() {
            "(hidden)".into()
        } else {
            self.value.to_string()
        }
    }

    /// Also of what stands where a variable's name belongs and is none: it may
    /// well be the key itself.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        let names_a_key = self.key.name == variable::KEY;
        self.key.privacy == Privacy::Secret || (names_a_key && !variable::are_names(&self.value))
    }
}

/// A value that was read and does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    pub key: String,
    pub origin: Origin,
    pub why: String,
    pub curable: Curable,
}

/// What would make an ignored value hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curable {
    /// Trust in the project.
    ByTrust,
    No,
}

/// One rule as written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Permission {
    pub value: Value,
    pub layer: Layer,
    pub origin: Origin,
}

/// The configuration as written.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub(crate) entries: BTreeMap<String, Entry>,
    pub(crate) permissions: Vec<Permission>,
    pub(crate) hooks: Vec<hooks::Written>,
    pub(crate) ignored: Vec<Ignored>,
    pub(crate) warnings: Vec<String>,
    pub(crate) env: Env,
    pub(crate) paths: Paths,
    pub(crate) root: PathBuf,
    pub(crate) project: ProjectContent,
    pub(crate) locks: Locks,
    /// What a saved choice stands before.
    pub(crate) covered: Option<saved::Covered>,
    files: Vec<PathBuf>,
}

/// Reads and checks everything. Does nothing else.
///
/// # Errors
/// At the first thing that is wrong, with its place and what to do.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let mut loaded = Loaded {
        entries: built_in(),
        permissions: Vec::new(),
        hooks: Vec::new(),
        ignored: Vec::new(),
        warnings: Vec::new(),
        env: sources.env.clone(),
        paths: sources.paths.clone(),
        root: sources.root.clone(),
        project: ProjectContent::default(),
        locks: Locks::default(),
        covered: None,
        files: Vec::new(),
    };
    let user = source::find(&sources.paths.config)?;
    if let Some(path) = &user {
        loaded.file(path, Layer::User)?;
    }
    // Read now, applied after the extra file has named its models too: that
    // file is the user's, and a project may choose only among the user's models.
    let extra = match &sources.extra {
        Some(path) => Some(path.clone()),
        None => sources.env.get("TENON_CONFIG").map(PathBuf::from),
    };
    loaded.apply_project(sources, [user.as_deref(), extra.as_deref()])?;
    if let Some(path) = &extra {
        loaded.file(path, Layer::Extra)?;
    }
    environment::apply(&mut loaded)?;
    for (dotted, value) in &sources.flags {
        loaded.flag(dotted, value)?;
    }
    // Above all else, whoever wrote it.
    managed::apply(&mut loaded)?;
    saved::apply(&mut loaded);
    Ok(loaded)
}

fn built_in() -> BTreeMap<String, Entry> {
    keys::all()
        .iter()
        .filter(|key| !key.name.contains('*'))
        .filter_map(|key| {
            let entry = Entry {
                value: key.default_value()?,
                origin: Origin::BuiltIn,
                key,
            };
            Some((key.name.to_owned(), entry))
        })
        .collect()
}

fn leaves_of(source: &Source) -> Result<Vec<Leaf>, ConfigError> {
    match source.parse()? {
        None => Ok(Vec::new()),
        Some(root) => check::flatten(&root).map_err(|trouble| source.error(trouble)),
    }
}

impl Loaded {
    fn file(&mut self, path: &Path, layer: Layer) -> Result<(), ConfigError> {
        let source = Source::read_own(path)?;
        for leaf in leaves_of(&source)? {
            let origin = origin(&source, &leaf, layer);
            self.set(leaf, layer, origin);
        }
        self.files.push(path.to_owned());
        Ok(())
    }

    /// Notes that a file took part.
    pub(crate) fn read_file(&mut self, path: PathBuf) {
        self.files.push(path);
    }

    pub(crate) fn set(&mut self, leaf: Leaf, layer: Layer, origin: Origin) {
        if leaf.key.name == "hooks" {
            self.add_hook(leaf, layer, origin);
            return;
        }
        if leaf.key.name == "permission" {
            self.permissions.push(Permission {
                value: leaf.value.clone(),
                layer,
                origin: origin.clone(),
            });
        }
        self.entries.insert(
            leaf.path.join("."),
            Entry {
                value: leaf.value,
                origin,
                key: leaf.key,
            },
        );
    }

    fn flag(&mut self, dotted: &str, value: &Value) -> Result<(), ConfigError> {
        let leaf = environment::leaf_of(dotted, value)?;
        self.set(leaf, Layer::Extra, Origin::Flag(dotted.to_owned()));
        Ok(())
    }

    #[must_use]
    pub fn get(&self, dotted: &str) -> Option<(&Value, &Origin)> {
        self.entries
            .get(dotted)
            .map(|entry| (&entry.value, &entry.origin))
    }

    /// Every value that holds, by dotted key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries
            .iter()
            .map(|(dotted, entry)| (dotted.as_str(), entry))
    }

    /// What was read and does not hold, with the reason.
    #[must_use]
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The files that were read, lowest first.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    pub(crate) fn text(&self, dotted: &str) -> Option<&str> {
        self.get(dotted).and_then(|(value, _)| value.as_str())
    }

    pub(crate) fn number(&self, dotted: &str) -> Option<u64> {
        self.get(dotted).and_then(|(value, _)| value.as_u64())
    }

    /// The value, if it was set for this run or by the administrator.
    pub(crate) fn by_hand(&self, dotted: &str) -> Option<&Value> {
        let least = Origin::Environment(String::new()).rank();
        self.get(dotted)
            .filter(|(_, origin)| origin.rank() >= least)
            .map(|(value, _)| value)
    }

    /// The names below `providers`.
    #[must_use]
    pub fn provider_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .entries
            .keys()
            .filter_map(|dotted| dotted.strip_prefix("providers."))
            .filter_map(|rest| rest.split('.').next())
            .map(str::to_owned)
            .collect();
        names.dedup();
        names
    }
}

fn origin(source: &Source, leaf: &Leaf, layer: Layer) -> Origin {
    let at = source.locate(leaf.at);
    Origin::File {
        path: at.path,
        line: at.line,
        column: at.column,
        layer,
    }
}

/// Whether two names lead to one thing that is there.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    let (one, other) = (one.canonicalize().ok(), other.canonicalize().ok());
    one.is_some() && one == other
}

/// The models that a file of the user names; for a file that is read later.
pub(crate) fn models_named_in(path: &Path) -> Vec<String> {
    let Ok(source) = Source::read(path) else {
        return Vec::new();
    };
    leaves_of(&source)
        .unwrap_or_default()
        .iter()
        .flat_map(|leaf| untrusted::models_of(leaf.key, &leaf.value))
        .collect()
}
