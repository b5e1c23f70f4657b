//! The walk over folders of skills: bounded, nearest first, no name twice.

use super::head::{self, Head};
use super::{Base, Expected, Found};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::FileType;
use std::path::{Path, PathBuf};
use tenon_vocab::profile::{SkillInfo, Whose};

/// Folders that are looked into, in all.
const MOST_FOLDERS: usize = 4000;
const MOST_SKILLS: usize = 1000;
/// Bytes of all heads together.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// Entries of one folder, of whatever kind.
const MOST_ENTRIES: usize = 20_000;
/// Skills may stand in groups, and groups in groups.
const DEEPEST: usize = 4;
/// Names that one remark tells.
const TOLD: usize = 8;
/// The usual name first.
pub(super) const FILES: [&str; 2] = ["SKILL.md", "skill.md"];

pub(super) struct Search {
    root: PathBuf,
    folders: usize,
    bytes: u64,
    /// With links followed, so that no folder is looked into twice.
    seen: BTreeSet<PathBuf>,
    /// Where a name is taken; upper case makes no other name.
    taken: BTreeMap<String, PathBuf>,
    skills: Vec<SkillInfo>,
    shadowed: Vec<String>,
    /// The bound that ended the search.
    full: Option<String>,
    remarks: Vec<String>,
}

/// Whether a path may be used.
enum Leads {
    Here(PathBuf),
    Nowhere,
    Out,
}

impl Search {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            folders: 0,
            bytes: 0,
            seen: BTreeSet::new(),
            taken: BTreeMap::new(),
            skills: Vec::new(),
            shadowed: Vec::new(),
            full: None,
            remarks: Vec::new(),
        }
    }

    pub(super) fn base(&mut self, base: &Base) {
        match self.follow(&base.folder, base.source) {
            Leads::Here(folder) if folder.is_dir() => self.folder(&folder, base.source, 1),
            Leads::Out => self.led_out(&base.folder),
            _ if base.expected == Expected::Surely => self.remarks.push(format!(
                "skills.paths: {} isn't a folder",
                base.folder.display()
            )),
            _ => {}
        }
    }

    fn follow(&self, path: &Path, source: Whose) -> Leads {
        match path.canonicalize() {
            Err(_) => Leads::Nowhere,
            Ok(real) if source == Whose::Project && !real.starts_with(&self.root) => Leads::Out,
            Ok(real) => Leads::Here(real),
        }
    }

    fn led_out(&mut self, path: &Path) {
        self.remarks.push(format!(
            "{} is ignored: it is a link out of the project; move the skill into the project, or name its folder in `skills.paths`",
            path.display()
        ));
    }

    /// Looks at the entries of a folder without links.
    fn folder(&mut self, folder: &Path, source: Whose, depth: usize) {
        if !self.seen.insert(folder.to_owned()) {
            return;
        }
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) => {
                let place = folder.display();
                self.remarks
                    .push(format!("skills in {place} are ignored: {error}"));
                return;
            }
        };
        let mut entries: Vec<(std::ffi::OsString, FileType)> = entries
            .take(MOST_ENTRIES)
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.file_name(), entry.file_type().ok()?))
            })
            .collect();
        entries.sort_by(|one, two| one.0.cmp(&two.0));
        for (name, kind) in entries {
            let hidden = name.to_string_lossy().starts_with('.');
            let may_be = kind.is_dir() || kind.is_symlink();
            if hidden || !may_be || name == "node_modules" {
                continue;
            }
            self.full = self.full();
            if self.full.is_some() {
                return;
            }
            self.folders += 1;
            self.entry(&folder.join(&name), kind, source, depth);
        }
    }

    fn full(&self) -> Option<String> {
        if self.folders >= MOST_FOLDERS {
            return Some(format!("{MOST_FOLDERS} folders"));
        }
        if self.skills.len() >= MOST_SKILLS {
            return Some(format!("{MOST_SKILLS} skills"));
        }
        (self.bytes >= MOST_BYTES).then(|| format!("{MOST_BYTES} bytes of descriptions"))
    }

    fn entry(&mut self, path: &Path, kind: FileType, source: Whose, depth: usize) {
        let folder = if kind.is_symlink() {
            match self.follow(path, source) {
                Leads::Here(real) if real.is_dir() => real,
                Leads::Out => return self.led_out(path),
                _ => return,
            }
        } else {
            path.to_owned()
        };
        let file = FILES.iter().find_map(|name| {
            let file = folder.join(name);
            Some((file.symlink_metadata().ok()?.file_type(), file))
        });
        match file {
            Some((kind, file)) => self.skill(path, folder, &file, kind, source),
            None if depth < DEEPEST => self.folder(&folder, source, depth + 1),
            None => {}
        }
    }

    /// `path` is how the folder is named here, `folder` where it is.
    fn skill(&mut self, path: &Path, folder: PathBuf, file: &Path, kind: FileType, source: Whose) {
        if !self.seen.insert(folder.clone()) {
            return;
        }
        let real = if kind.is_symlink() {
            match self.follow(file, source) {
                // The first lines of it go to the model unasked: a project must
                // not be able to show its `.env` so.
                Leads::Here(real) if source == Whose::Project && !is_named_so(&real) => {
                    self.remarks.push(format!(
                        "the skill {} is ignored: it is a link to a file with another name",
                        file.display()
                    ));
                    return;
                }
                Leads::Here(real) => real,
                Leads::Out => return self.led_out(file),
                Leads::Nowhere => file.to_owned(),
            }
        } else {
            file.to_owned()
        };
        let named = path.file_name().unwrap_or_default().to_string_lossy();
        let Head {
            name,
            description,
            user_only,
        } = match head::read(&real, &named, &mut self.bytes) {
            Ok(head) => head,
            Err(why) => {
                let place = file.display();
                self.remarks
                    .push(format!("the skill {place} is ignored: {why}"));
                return;
            }
        };
        if let Some(first) = self.taken.get(&name.to_lowercase()) {
            self.shadowed.push(format!(
                "`{name}` ({}, not {})",
                first.display(),
                path.display()
            ));
            return;
        }
        self.taken.insert(name.to_lowercase(), path.to_owned());
        let info = SkillInfo {
            name,
            description,
            folder,
            file: real,
            source,
            user_only,
        };
        self.skills.push(info);
    }

    pub(super) fn finish(mut self) -> Found {
        if !self.shadowed.is_empty() {
            self.remarks.push(format!(
                "skills found more than once, using the nearest: {}",
                told(&self.shadowed)
            ));
        }
        if let Some(what) = &self.full {
            self.remarks.push(format!(
                "some skills were not loaded: there are more than {what}"
            ));
        }
        self.skills
            .sort_by(|one, two| (one.source, &one.name).cmp(&(two.source, &two.name)));
        Found {
            skills: self.skills,
            remarks: self.remarks,
        }
    }
}

fn is_named_so(file: &Path) -> bool {
    let name = file.file_name();
    FILES.iter().any(|wanted| name == Some(wanted.as_ref()))
}

fn told(all: &[String]) -> String {
    let first = all
        .iter()
        .take(TOLD)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match all.len().saturating_sub(TOLD) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
