//! The provider and the model that were last chosen by hand in a project (U8):
//! `choices.json` in the state folder, by root. Names only, never a key.
//!
//! In the order of I11 it stands above the files and below the environment. A
//! model counts only with its provider; a provider also where a variable names
//! the model alone. Nothing depends on it: a file that cannot be read is none, and a choice that cannot be used any
//! more is as if it had not been made.

use crate::choose::chosen_provider;
use crate::keys;
use crate::load::{Entry, Loaded, Origin};
use crate::project::project_key;
use crate::resolve::{Choice, provider_named};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::DirBuilder;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

const FILE: &str = "choices.json";
/// Projects that are remembered; the oldest go first.
const MOST: usize = 200;
/// A larger file, or a longer name, is not ours.
const LARGEST: u64 = 1024 * 1024;
const LONGEST: usize = 512;

const PROVIDER: &str = "default_provider";
const MODEL: &str = "model";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Chosen {
    root: String,
    provider: String,
    model: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    /// The one that was made last is the last.
    choices: Vec<Value>,
}

/// What the files said, where a saved choice stands before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Covered {
    provider: Option<Entry>,
    model: Option<Entry>,
}

/// Lets the saved choice hold, if nobody chose otherwise for this run. Last of
/// all layers: only then is it known whether somebody did.
pub(crate) fn apply(loaded: &mut Loaded) {
    if is_chosen_otherwise(loaded) {
        return;
    }
    let all = read(&path(&loaded.paths.state));
    let root = root(&loaded.root);
    let Some(chosen) = all.into_iter().rev().find(|chosen| chosen.root == root) else {
        return;
    };
    if provider_named(loaded, &chosen.provider).is_err() {
        return;
    }
    let provider = put(loaded, PROVIDER, chosen.provider);
    let model = if loaded.by_hand(MODEL).is_some() {
        loaded.entries.get(MODEL).cloned()
    } else {
        put(loaded, MODEL, chosen.model)
    };
    loaded.covered = Some(Covered { provider, model });
}

/// By a flag, a variable or the administrator. Where nothing is configured, an
/// old choice is no configuration either (P16).
fn is_chosen_otherwise(loaded: &Loaded) -> bool {
    let by_hand = loaded.by_hand(PROVIDER).is_some();
    let nothing = loaded.provider_names().is_empty() && loaded.get(PROVIDER).is_none();
    by_hand || nothing || loaded.env.get("TENON_BASE_URL").is_some()
}

/// Gives what was there.
fn put(loaded: &mut Loaded, dotted: &str, value: String) -> Option<Entry> {
    let key = keys::key(dotted)?;
    let entry = Entry {
        value: Value::String(value),
        origin: Origin::Saved,
        key,
    };
    loaded.entries.insert(dotted.to_owned(), entry)
}

impl Loaded {
    /// As it would be without a choice from an earlier session; `None` when
    /// there is none. A flag that names a provider or a model means the files.
    pub(crate) fn without_saved(&self) -> Option<Self> {
        let covered = self.covered.clone()?;
        let mut plain = self.clone();
        plain.covered = None;
        for (dotted, entry) in [(PROVIDER, covered.provider), (MODEL, covered.model)] {
            match entry {
                Some(entry) => plain.entries.insert(dotted.to_owned(), entry),
                None => plain.entries.remove(dotted),
            };
        }
        Some(plain)
    }

    /// Remembers a choice that was made by hand, for the next session in this
    /// project. One that the files make as well is forgotten instead, so that
    /// they hold again; one that could not be found again is not kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_choice(&self, provider: &str, model: &str) -> io::Result<()> {
        let plain = self.without_saved();
        let plain = plain.as_ref().unwrap_or(self);
        let usable = provider_named(plain, provider).is_ok()
            && !model.is_empty()
            && provider.len() <= LONGEST
            && model.len() <= LONGEST;
        if !usable {
            return Ok(());
        }
        let configured = chosen_provider(plain, &Choice::default(), &mut Vec::new());
        let is_configured = configured.is_ok_and(|configured| {
            configured.is_some_and(|it| it.name == provider && it.model.as_deref() == Some(model))
        });
        let chosen = Chosen {
            root: root(&self.root),
            provider: provider.to_owned(),
            model: model.to_owned(),
        };
        let path = path(&self.paths.state);
        let before = read(&path);
        let mut after: Vec<Chosen> = before
            .iter()
            .filter(|other| other.root != chosen.root)
            .cloned()
            .collect();
        if !is_configured {
            after.push(chosen);
        }
        if after == before {
            return Ok(());
        }
        after.drain(..after.len().saturating_sub(MOST));
        write(&path, &after)
    }
}

fn path(state: &Path) -> PathBuf {
    state.join(FILE)
}

fn root(root: &Path) -> String {
    project_key(root).to_string_lossy().into_owned()
}

fn read(path: &Path) -> Vec<Chosen> {
    let text = || -> io::Result<String> {
        let file = tenon_files::open(path)?;
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text)?;
        Ok(text)
    };
    let page: Page = text()
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let fits = |chosen: &Chosen| {
        let names = [&chosen.provider, &chosen.model];
        names
            .iter()
            .all(|name| !name.is_empty() && name.len() <= LONGEST)
    };
    page.choices
        .into_iter()
        .filter_map(|chosen| serde_json::from_value(chosen).ok())
        .filter(fits)
        .collect()
}

/// For nobody else to read, and never half a file.
fn write(path: &Path, choices: &[Chosen]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    let page = serde_json::json!({ "choices": choices });
    temporary.write_all(page.to_string().as_bytes())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
