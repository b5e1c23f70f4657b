//! Which files were written, as far as that was seen, under the names that they
//! have now: a file that is written, renamed and given its old time again looks
//! as if it were only moved. What is not in here may still have been written.

use std::collections::{BTreeSet, HashMap};

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Writes {
    paths: BTreeSet<String>,
    /// Of renames whose second half was not told yet.
    under_way: HashMap<u32, Going>,
    /// Folders that were renamed, from and to. What happens in one is told under
    /// its old name, since it was watched under that.
    folders: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Going {
    from: String,
    is_written: bool,
}

impl Writes {
    /// Whether the file that stands there now was written.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        let told_as = |(from, to): &(String, String)| {
            let rest = path.strip_prefix(to.as_str())?.strip_prefix('/')?;
            Some(super::below(from, rest))
        };
        self.paths.contains(path)
            || self
                .folders
                .iter()
                .filter_map(told_as)
                .any(|told| self.paths.contains(&told))
    }

    pub(super) fn wrote(&mut self, path: &str) {
        self.paths.insert(path.to_owned());
    }

    /// The first half of a rename.
    pub(super) fn left(&mut self, path: &str, rename: u32) {
        let going = Going {
            from: path.to_owned(),
            is_written: self.paths.remove(path),
        };
        self.under_way.insert(rename, going);
    }

    /// The second half, of a file.
    pub(super) fn came(&mut self, path: &str, rename: u32) {
        let going = self.under_way.remove(&rename);
        if going.is_some_and(|going| going.is_written) {
            self.paths.insert(path.to_owned());
        } else {
            self.paths.remove(path);
        }
    }

    /// The second half, of a folder.
    pub(super) fn folder_came(&mut self, path: &str, rename: u32) {
        let Some(Going { from, .. }) = self.under_way.remove(&rename) else {
            return;
        };
        match self.folders.iter_mut().find(|(_, to)| *to == from) {
            Some((_, to)) => path.clone_into(to),
            None => self.folders.push((from, path.to_owned())),
        }
    }

    pub(super) fn add(&mut self, mut more: Self) {
        self.paths.append(&mut more.paths);
        self.folders.append(&mut more.folders);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_stays_so_under_every_later_name() {
        let mut written = Writes::default();
        written.wrote("a");
        written.left("a", 1);
        written.came("b", 1);
        written.wrote("a");
        assert!(written.holds("b"));
        assert!(written.holds("a"), "another file, and written too");
        written.left("clean", 2);
        written.came("a", 2);
        assert!(
            !written.holds("a"),
            "one that was only moved took its place"
        );
        written.left("b", 3);
        assert!(!written.holds("b"), "nobody knows where it is");
    }

    #[test]
    fn what_is_written_in_a_folder_is_known_under_its_new_name() {
        let mut written = Writes::default();
        written.wrote("d/before");
        written.left("d", 1);
        written.folder_came("e", 1);
        written.left("e", 2);
        written.folder_came("f", 2);
        written.wrote("d/after");
        assert!(written.holds("f/before") && written.holds("f/after"));
        assert!(!written.holds("e/before") && !written.holds("f/other"));
    }
}
