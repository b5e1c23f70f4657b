//! Whether the way to a place is open: something else may stand by now where one
//! of its folders was. Asked before anything is done, so that nothing is taken
//! from its new place that cannot come back to its old one.

use super::super::chain::{Item, Was};
use std::collections::{BTreeMap, BTreeSet};
use tenon_tools::Workspace;
use tenon_tools::workspace::Standing;

pub(super) struct Ways<'a> {
    workspace: &'a Workspace,
    /// Whether something that is no folder stands there.
    known: BTreeMap<String, bool>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(workspace: &'a Workspace) -> Self {
        Self {
            workspace,
            known: BTreeMap::new(),
        }
    }

    /// Items to which nothing can be brought back, and why.
    pub(super) fn shut(&mut self, items: &[Item]) -> Vec<(String, String)> {
        let gives_way = |item: &&Item| matches!(item.to, Was::Folder { .. } | Was::Absent);
        let open: BTreeSet<&str> = items
            .iter()
            .filter(gives_way)
            .map(|item| item.path.as_str())
            .collect();
        let mut shut = Vec::new();
        for item in items.iter().filter(|item| item.to != Was::Absent) {
            let above = item.path.match_indices('/').map(|(at, _)| &item.path[..at]);
            let above = above.filter(|folder| self.workspace.holds_folder(folder));
            let closed: Vec<&str> = above.filter(|folder| !open.contains(folder)).collect();
            if let Some(folder) = closed.into_iter().find(|folder| self.is_taken(folder)) {
                let why = format!("{folder} isn't a folder any more");
                shut.push((item.path.clone(), why));
            }
        }
        shut
    }

    fn is_taken(&mut self, folder: &str) -> bool {
        if let Some(known) = self.known.get(folder) {
            return *known;
        }
        let stand = self.workspace.stand(folder);
        let is_taken = !stand.is_ok_and(|stand| {
            matches!(stand.standing, Standing::Absent | Standing::Folder { .. })
        });
        self.known.insert(folder.to_owned(), is_taken);
        is_taken
    }
}
