//! Paths as words: nothing is looked up, and no link is followed.

use std::path::{Component, Path, PathBuf};

/// Without `.` and `..`, so that paths can be compared by their parts. `/..` is
/// `/`, as the kernel has it.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut kept = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                kept.pop();
            }
            Component::CurDir => {}
            other => kept.push(other),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::plain;
    use std::path::Path;

    #[test]
    fn a_path_is_compared_by_the_parts_that_stay() {
        let same = [("/a/./b/../c", "/a/c"), ("/../a", "/a"), ("a/b/../..", "")];
        for (path, wanted) in same {
            assert_eq!(plain(Path::new(path)), Path::new(wanted), "{path}");
        }
    }
}
