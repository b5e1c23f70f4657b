//! The whole patch worked out in memory: every section on the state that the
//! ones before it leave, nothing written. What cannot be done is collected, so
//! that one answer names every hunk that does not fit.

use super::apply::{Applied, apply};
use super::section::{Action, Existing, Hunk, Section, Sign};
use crate::files::edit::encoding;
use crate::workspace::{Workspace, WorkspaceError};
use std::collections::BTreeMap;
use tenon_policy::Access;
use tenon_vocab::ErrorCode;

/// What will become of one file.
#[derive(Debug)]
pub(super) struct Planned {
    pub path: String,
    /// For a rename: where it comes from.
    pub from: Option<String>,
    /// The link by which the patch calls it.
    pub link: Option<String>,
    pub operation: Operation,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    pub hunks: Vec<Applied>,
    /// It took the place of a file that was there, whatever that held.
    pub overwrites: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Created,
    Updated,
    Deleted,
    Renamed,
    /// The file is already as the patch wants it.
    Unchanged,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// A section that cannot be carried out.
#[derive(Debug)]
pub(super) struct Refused {
    pub path: String,
    pub hunk: Option<usize>,
    pub code: ErrorCode,
    pub reason: String,
}

pub(super) fn plan(
    workspace: &Workspace,
    sections: &[Section<'_>],
) -> Result<Vec<Planned>, Vec<Refused>> {
    let mut tree = Tree {
        workspace,
        files: BTreeMap::new(),
        order: Vec::new(),
    };
    let mut refused = Vec::new();
    for section in sections {
        if let Err(fault) = tree.enact(section) {
            refused.push(fault);
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    Ok(tree.planned())
}

/// A file as the patch has left it so far.
#[derive(Debug, Default)]
struct Entry {
    before: Option<Vec<u8>>,
    now: Option<Vec<u8>>,
    from: Option<String>,
    link: Option<String>,
    moved_away: bool,
    hunks: Vec<Applied>,
    overwritten: bool,
}

struct Tree<'w> {
    workspace: &'w Workspace,
    files: BTreeMap<String, Entry>,
    order: Vec<String>,
}

impl Tree<'_> {
    fn enact(&mut self, section: &Section<'_>) -> Result<(), Refused> {
        let path = self.find(section)?;
        if self.files.get(&path).is_some_and(|entry| entry.moved_away) {
            return Err(refuse(&path, "it was moved away earlier in this patch"));
        }
        match &section.action {
            Action::Create(existing) => self.create(&path, &section.hunks, *existing),
            Action::Delete => self.delete(&path, &section.hunks),
            Action::Update => {
                let content = self.content(&path)?;
                self.update(&path, content, &section.hunks)
            }
            Action::Rename { to, existing } => self.rename(&path, to, &section.hunks, *existing),
        }
    }

    /// Loads the file that a section means and gives its normalised path.
    fn find(&mut self, section: &Section<'_>) -> Result<String, Refused> {
        let mut missing = None;
        for candidate in &section.paths {
            let path = self.load(candidate)?;
            let present = self.files.get(&path).is_some_and(|file| file.now.is_some());
            if present || matches!(section.action, Action::Create(_)) {
                return Ok(path);
            }
            missing.get_or_insert(path);
        }
        missing.ok_or_else(|| refuse(section.path(), "it names no file"))
    }

    fn load(&mut self, path: &str) -> Result<String, Refused> {
        let (key, content) = match self.workspace.read(path) {
            Ok(file) => (file.path, Some(file.bytes)),
            Err(WorkspaceError::NotFound { .. }) => {
                (self.workspace.observe(path, Access::Write).path, None)
            }
            Err(error) => {
                return Err(Refused {
                    path: path.to_owned(),
                    hunk: None,
                    code: error.code(),
                    reason: error.to_string(),
                });
            }
        };
        if !self.files.contains_key(&key) {
            self.order.push(key.clone());
            self.files.insert(
                key.clone(),
                Entry {
                    link: self.workspace.alias(path, &key),
                    before: content.clone(),
                    now: content,
                    ..Entry::default()
                },
            );
        }
        Ok(key)
    }

    fn content(&self, path: &str) -> Result<Vec<u8>, Refused> {
        self.files
            .get(path)
            .and_then(|file| file.now.clone())
            .ok_or_else(|| refuse(path, &self.not_there(path)))
    }

    /// In the workspace's own words, which name what is near.
    fn not_there(&self, path: &str) -> String {
        match self.workspace.read(path) {
            Err(error) => error.to_string(),
            Ok(_) => String::from("it was deleted earlier in this patch"),
        }
    }

    fn create(
        &mut self,
        path: &str,
        hunks: &[Hunk<'_>],
        existing: Existing,
    ) -> Result<(), Refused> {
        let rows = hunks.iter().flat_map(|hunk| &hunk.lines);
        let mut content = Vec::new();
        for row in rows {
            if row.sign != Sign::Add {
                return Err(refuse(
                    path,
                    "a new file can only have added lines, but the patch also expects old ones",
                ));
            }
            content.extend_from_slice(row.text.as_bytes());
            content.extend_from_slice(row.end.bytes());
        }
        let entry = self.files.entry(path.to_owned()).or_default();
        match &entry.now {
            Some(there) if *there == content => Ok(()),
            Some(_) if existing == Existing::Replace => {
                entry.overwritten = entry.before.is_some();
                entry.now = Some(content);
                Ok(())
            }
            Some(_) => Err(refuse(
                path,
                "it already exists with different content; update it instead of creating it",
            )),
            None => {
                entry.now = Some(content);
                Ok(())
            }
        }
    }

    fn delete(&mut self, path: &str, hunks: &[Hunk<'_>]) -> Result<(), Refused> {
        let content = self.content(path)?;
        if !hunks.is_empty() {
            let (rest, _) = apply(&content, hunks).map_err(|rejected| Refused {
                hunk: Some(rejected.hunk),
                ..refuse(path, &rejected.reason)
            })?;
            if !rest.is_empty() {
                return Err(refuse(
                    path,
                    "it has more lines than the patch deletes; read it and decide again",
                ));
            }
        }
        if let Some(entry) = self.files.get_mut(path) {
            entry.now = None;
        }
        Ok(())
    }

    fn update(&mut self, path: &str, content: Vec<u8>, hunks: &[Hunk<'_>]) -> Result<(), Refused> {
        for row in hunks.iter().flat_map(|hunk| &hunk.lines) {
            if row.sign == Sign::Add
                && let Some(reason) = encoding::refusal(&content, row.text)
            {
                return Err(refuse(path, &format!("it {reason}")));
            }
        }
        let (after, applied) = apply(&content, hunks).map_err(|rejected| Refused {
            hunk: Some(rejected.hunk),
            ..refuse(path, &rejected.reason)
        })?;
        if let Some(entry) = self.files.get_mut(path) {
            entry.now = Some(after);
            entry.hunks.extend(applied);
        }
        Ok(())
    }

    fn rename(
        &mut self,
        path: &str,
        to: &str,
        hunks: &[Hunk<'_>],
        existing: Existing,
    ) -> Result<(), Refused> {
        let content = self.content(path)?;
        let target = self.load(to)?;
        if target == path {
            return self.update(path, content, hunks);
        }
        let entry = |path: &str| self.files.get(path);
        if entry(&target).is_some_and(|file| file.moved_away) {
            return Err(refuse(
                path,
                &format!("`{target}` was moved away earlier in this patch"),
            ));
        }
        if entry(path).is_some_and(|file| file.overwritten) {
            return Err(refuse(
                path,
                "it was overwritten earlier in this patch; move it in another one",
            ));
        }
        let stood_there = entry(&target).is_some_and(|file| file.before.is_some());
        let taken = entry(&target).is_some_and(|file| file.now.is_some());
        if existing == Existing::Refuse && (taken || stood_there) {
            return Err(refuse(
                path,
                &format!("`{target}` already exists, so it was not moved there"),
            ));
        }
        let created_here = entry(path).is_some_and(|file| file.before.is_none());
        let origin = entry(path).and_then(|file| file.from.clone());
        self.update(&target, content, hunks)?;
        if stood_there {
            return self.replaced(path, &target);
        }
        if let Some(source) = self.files.get_mut(path) {
            source.now = None;
            source.moved_away = true;
        }
        if let Some(entry) = self.files.get_mut(&target) {
            entry.from = if created_here {
                origin
            } else {
                Some(path.to_owned())
            };
        }
        Ok(())
    }

    /// A move onto a file that was there is a write and a removal, so that what
    /// both held is kept.
    fn replaced(&mut self, path: &str, target: &str) -> Result<(), Refused> {
        if let Some(entry) = self.files.get_mut(target) {
            entry.overwritten = true;
        }
        if let Some(source) = self.files.get_mut(path) {
            source.now = None;
        }
        Ok(())
    }

    fn planned(mut self) -> Vec<Planned> {
        let mut all = Vec::new();
        for path in std::mem::take(&mut self.order) {
            let Some(mut entry) = self.files.remove(&path) else {
                continue;
            };
            if entry.moved_away || (entry.before.is_none() && entry.now.is_none()) {
                // The target of the move tells of it.
                self.files.insert(path, entry);
                continue;
            }
            let from = entry.from.take();
            let moved = from
                .as_ref()
                .and_then(|from| self.files.get(from))
                .and_then(|source| source.before.clone());
            let before = entry.before.or(moved);
            let operation = match (&before, &entry.now) {
                (None, _) => Operation::Created,
                (Some(_), None) => Operation::Deleted,
                _ if from.is_some() => Operation::Renamed,
                (Some(before), Some(now)) if before == now => Operation::Unchanged,
                _ => Operation::Updated,
            };
            all.push(Planned {
                path,
                from,
                link: entry.link,
                operation,
                before,
                after: entry.now,
                hunks: entry.hunks,
                overwrites: entry.overwritten,
            });
        }
        all
    }
}

fn refuse(path: &str, reason: &str) -> Refused {
    Refused {
        path: path.to_owned(),
        hunk: None,
        code: ErrorCode::PatchRejected,
        reason: reason.to_owned(),
    }
}
