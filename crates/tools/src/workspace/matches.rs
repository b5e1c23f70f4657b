//! The files that a shell would put in the place of a pattern such as `src/*.rs`,
//! for the decision about a command that reads them. No second `glob`: that one
//! has patterns of its own, and leaves out what is ignored.

use super::{Ignored, WalkOptions, Walked, Workspace};
use globset::GlobBuilder;
use std::ops::ControlFlow;
use std::path::Path;

/// A pattern may stand for so many files: each is looked at.
const MATCHES: usize = 100;
/// In a folder of so many entries.
const ENTRIES: usize = 4_096;

impl Workspace {
    /// As paths like the pattern's own, relative to the folder that a command
    /// runs in. `None` where that is not certain, or where one could be taken for
    /// an option. Only the last name may have wildcards.
    pub(crate) fn matches(&self, pattern: &str, folder: &Path) -> Option<Vec<String>> {
        let (base, name) = match pattern.rsplit_once('/') {
            Some((base, name)) => (Some(base), name),
            None => (None, pattern),
        };
        let looked_in = folder.join(base.unwrap_or_default());
        let options = WalkOptions {
            depth: Some(1),
            ignored: Ignored::Include,
            limit: ENTRIES,
        };
        let walk = match looked_in.to_string_lossy() {
            here if here.is_empty() => self.walk(".", &options),
            there => self.walk(&there, &options),
        };
        let glob = GlobBuilder::new(&name.replace("**", "*")).build().ok()?;
        let matcher = glob.compile_matcher();
        let mut names = Vec::new();
        let walked = walk.ok()?.each(|entry| {
            let found = entry.relative().to_string_lossy();
            if !found.starts_with('.') && matcher.is_match(entry.relative()) {
                names.push(found.into_owned());
            }
            match names.len() > MATCHES {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if walked != Walked::Whole || names.iter().any(|name| name.starts_with('-')) {
            return None;
        }
        let path = |name: String| match base {
            Some(base) => format!("{base}/{name}"),
            None => name,
        };
        Some(names.into_iter().map(path).collect())
    }
}
