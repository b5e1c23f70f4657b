//! Finds skills (Y1): folders with a `SKILL.md` in the project, with the user
//! and where the settings point. Reads the heads of the files and nothing else;
//! a text is loaded when somebody asks for it. What is read here is data, also
//! that of a project nobody trusts (C7), so it is never followed out of the
//! project.
//!
//! Loading forgives, [`validate`] does not.

mod head;
mod search;
mod validate;

pub use validate::{Finding, Level, folders, validate};

use search::Search;
use std::path::{Path, PathBuf};
use tenon_vocab::profile::{SkillInfo, Whose};

/// The folders below a place that may hold skills, the nearest first.
const OF_PROJECT: [&str; 3] = [".tenon/skills", ".agents/skills", ".claude/skills"];
const OF_HOME: [&str; 2] = [".agents/skills", ".claude/skills"];

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// The project.
    pub root: &'a Path,
    /// The user's folder of configuration.
    pub config: &'a Path,
    pub home: Option<&'a Path>,
    /// As `skills.paths` has them: absolute, relative to the root, or `~/…`.
    pub paths: &'a [String],
}

/// What there is, and what a person should know of it.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The project's before the user's, then by name; no name twice.
    pub skills: Vec<SkillInfo>,
    pub remarks: Vec<String>,
}

/// Whether a folder that is missing is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Perhaps,
    Surely,
}

/// A folder of skills.
#[derive(Debug)]
struct Base {
    folder: PathBuf,
    /// A project's may not lead out of it.
    source: Whose,
    expected: Expected,
}

/// All skills that can be used here. Never fails: what is wrong is a remark.
#[must_use]
pub fn discover(places: &Places<'_>) -> Found {
    let root = places
        .root
        .canonicalize()
        .unwrap_or_else(|_| places.root.to_owned());
    let bases = bases(places, &root);
    let mut search = Search::new(root);
    for base in &bases {
        search.base(base);
    }
    search.finish()
}

fn bases(places: &Places<'_>, root: &Path) -> Vec<Base> {
    let usual = |folder: PathBuf, source| Base {
        folder,
        source,
        expected: Expected::Perhaps,
    };
    let mut bases: Vec<Base> = OF_PROJECT
        .iter()
        .map(|name| usual(root.join(name), Whose::Project))
        .collect();
    bases.push(usual(places.config.join("skills"), Whose::User));
    if let Some(home) = places.home {
        bases.extend(OF_HOME.map(|name| usual(home.join(name), Whose::User)));
    }
    bases.extend(places.paths.iter().map(|text| {
        let folder = match (text.strip_prefix("~/"), places.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => root.join(text),
        };
        // Whoever may write it decides what it is, not whoever named it.
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let source = if real.starts_with(root) {
            Whose::Project
        } else {
            Whose::User
        };
        Base {
            folder,
            source,
            expected: Expected::Surely,
        }
    }));
    bases
}
