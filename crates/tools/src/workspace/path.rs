//! Paths as text: what may be written as a path, and where it points before
//! any link is followed. Touches no disk; [`super::resolve`] does.

use super::error::WorkspaceError;
use std::path::{Path, PathBuf};
use tenon_sandbox::plain;

/// Linux' limits; a longer name could not exist.
const NAME_BYTES: usize = 255;
const PATH_BYTES: usize = 4095;

/// Where a path points by its letters alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lexical {
    /// Relative to the root; empty is the root itself.
    Inside(PathBuf),
    Outside(PathBuf),
}

/// The root by its true name, and by the name it was opened with (a temporary
/// folder is often a link): absolute paths that begin with either are inside.
#[derive(Debug)]
pub(super) struct RootNames {
    pub(super) canonical: PathBuf,
    pub(super) given: PathBuf,
}

pub(super) fn normalise(root: &RootNames, text: &str) -> Result<Lexical, WorkspaceError> {
    check(text).map_err(|reason| WorkspaceError::BadPath {
        path: shorten(text),
        reason,
    })?;
    let path = Path::new(text);
    let absolute = if path.is_absolute() {
        plain(path)
    } else {
        plain(&root.canonical.join(path))
    };
    for name in [&root.canonical, &root.given] {
        if let Ok(relative) = absolute.strip_prefix(name) {
            return Ok(Lexical::Inside(relative.to_path_buf()));
        }
    }
    Ok(Lexical::Outside(absolute))
}

fn check(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(String::from("it is empty; `.` is the project folder"));
    }
    if text.contains('\0') {
        return Err(String::from("it contains a NUL byte"));
    }
    if text == "~" || text.starts_with("~/") {
        return Err(String::from(
            "`~` is not expanded; write the path relative to the project folder, or absolute",
        ));
    }
    if text.len() > PATH_BYTES {
        return Err(format!("it is longer than {PATH_BYTES} bytes"));
    }
    if text.split('/').any(|name| name.len() > NAME_BYTES) {
        return Err(format!("a name in it is longer than {NAME_BYTES} bytes"));
    }
    Ok(())
}

/// A path as facts, logs and results show it: `.` for the root, always `/`.
pub(super) fn shown(relative: &Path) -> String {
    if relative.as_os_str().is_empty() {
        String::from(".")
    } else {
        relative.to_string_lossy().into_owned()
    }
}

fn shorten(text: &str) -> String {
    const SHOWN: usize = 120;
    if text.len() <= SHOWN {
        return text.replace('\0', "␀");
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("{}… ({} bytes)", head.replace('\0', "␀"), text.len())
}

#[cfg(test)]
mod tests {
    use super::{Lexical, RootNames, normalise};
    use std::path::PathBuf;

    fn root() -> RootNames {
        RootNames {
            canonical: PathBuf::from("/real/project"),
            given: PathBuf::from("/alias/project"),
        }
    }

    fn inside(text: &str) -> Option<String> {
        match normalise(&root(), text) {
            Ok(Lexical::Inside(path)) => Some(path.to_string_lossy().into_owned()),
            _ => None,
        }
    }

    #[test]
    fn dots_are_folded_and_both_names_of_the_root_are_inside() {
        assert_eq!(inside("a/./b/../c").as_deref(), Some("a/c"));
        assert_eq!(inside(".").as_deref(), Some(""));
        assert_eq!(inside("../project/x").as_deref(), Some("x"));
        assert_eq!(inside("/real/project/x").as_deref(), Some("x"));
        assert_eq!(inside("/alias/project/x").as_deref(), Some("x"));
    }

    #[test]
    fn a_sibling_with_the_same_beginning_is_outside() {
        assert_eq!(inside("/real/project-two/x"), None);
        assert_eq!(inside("../x"), None);
        assert_eq!(inside("a/../../x"), None);
    }

    #[test]
    fn what_cannot_be_a_path_is_named() {
        for (text, word) in [
            ("", "empty"),
            ("  ", "empty"),
            ("a\0b", "NUL"),
            ("~/x", "not expanded"),
            (&"n".repeat(300), "255"),
            (&"n/".repeat(4000), "4095"),
        ] {
            let error = normalise(&root(), text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
