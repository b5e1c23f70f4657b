//! Finds the rules of the folders between the root and a file. They are data of
//! the project: read through the workspace, never from outside the root, never
//! what a search would have to pass by.

use crate::prompt::{FragmentKind, RULE_NAMES, RuleFile, cut, may_lead_to};
use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;
use tenon_policy::{Rules, search_filter};
use tenon_tools::Workspace;
use tenon_vocab::marked::{self, Mark};
use tenon_vocab::{Message, Part, Printable};

/// Folders that are looked into for one call.
const FOLDERS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Nested {
    /// The most specific last.
    pub(super) files: Vec<RuleFile>,
    pub(super) troubles: Vec<String>,
}

/// The folders above these paths and below the root, from the outside in. A path
/// that is not relative to the root, such as that of a skill's file, has none.
pub(super) fn folders(paths: &[String]) -> Vec<String> {
    let mut all = BTreeSet::new();
    for path in paths.iter().filter(|path| !path.starts_with('/')) {
        for (at, _) in path.match_indices('/') {
            all.insert(path[..at].to_owned());
        }
    }
    all.into_iter().take(FOLDERS).collect()
}

/// The folders whose rules the conversation seems to hold. Anybody can write
/// such a tag, so this only says where to look.
pub(super) fn mentioned(history: &[Arc<Message>]) -> Vec<String> {
    let mut all = BTreeSet::new();
    let parts = history.iter().flat_map(|message| &message.parts);
    for part in parts {
        let (Part::Text { text } | Part::ToolResult { text, .. }) = part else {
            continue;
        };
        let paths = marked::mentioned(Mark::Rules, "path", text);
        let folders = paths.iter().filter_map(|path| path.rsplit_once('/'));
        let nested = folders.filter(|(folder, name)| {
            RULE_NAMES.contains(name) && !folder.is_empty() && !folder.starts_with('/')
        });
        all.extend(nested.map(|(folder, _)| folder.to_owned()));
    }
    all.into_iter().take(FOLDERS).collect()
}

/// The rules of these folders. Blocks: not for the thread of the runtime.
pub(super) fn find(workspace: &Workspace, rules: &Rules, folders: &[String]) -> Nested {
    let is_private = search_filter(rules.clone());
    let mut found = Nested::default();
    for folder in folders {
        let paths = RULE_NAMES.iter().map(|name| format!("{folder}/{name}"));
        for path in paths.filter(|path| !is_private(path)) {
            match read(workspace, &path) {
                Ok(None) => continue,
                Ok(Some((text, cut))) => {
                    found.troubles.extend(cut);
                    if !text.trim().is_empty() {
                        found.files.push(RuleFile { path, text });
                    }
                }
                Err(why) => {
                    let path = Printable::line(&path);
                    found.troubles.push(format!("{path} was not read: {why}"));
                }
            }
            break;
        }
    }
    found
}

/// The text, and what to say when it was cut; `None` where there is no file.
fn read(workspace: &Workspace, path: &str) -> Result<Option<(String, Option<String>)>, String> {
    let open = match workspace.open_file(path) {
        Ok(open) => open,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !may_lead_to(&open.absolute, workspace.root()) {
        return Err(String::from(
            "it is a link that leads out of the project or to a file that is not .md",
        ));
    }
    let cap = FragmentKind::Rules.cap();
    let mut bytes = Vec::new();
    open.file
        .take(cap as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let (text, told) = cut(&text, open.size, cap, path);
    Ok(Some((text, told.map(|cut| cut.to_string()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_from_the_outside_in_and_the_root_is_not_one() {
        let paths = ["a/b/c.rs", "a/d.rs", "e.rs"].map(String::from);
        assert_eq!(folders(&paths), ["a", "a/b"]);
        assert!(folders(&[String::from("e.rs")]).is_empty());
        let of_a_skill = String::from("/home/u/.config/tenon/skills/a/b.md");
        assert!(folders(&[of_a_skill]).is_empty());
    }
}
