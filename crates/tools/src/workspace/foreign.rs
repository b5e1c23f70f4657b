//! Paths as Windows writes them, which models use out of habit: `src\main.rs`,
//! `C:\project\src\main.rs`. Those of a project's own files are understood; one
//! that names no place in the project is refused, or a file of that very name
//! would come of it. A backslash is a letter to this system, so a file that has
//! the text as its name goes first.

use super::Workspace;
use super::error::WorkspaceError;
use super::path::{self, Lexical};

/// A path of Windows, taken apart.
#[derive(Debug, PartialEq, Eq)]
enum Foreign<'t> {
    /// Without a drive or a server: the same path with slashes.
    Relative(String),
    /// The names below a drive, a server, or the root of a drive.
    Absolute(Vec<&'t str>),
}

impl Workspace {
    /// Where a path points by its letters, in this system's notation or in that
    /// of Windows.
    pub(super) fn lexical(&self, text: &str) -> Result<Lexical, WorkspaceError> {
        let names = &self.shared.names;
        let Some(foreign) = foreign(text) else {
            return path::normalise(names, text);
        };
        if self.has(text) {
            return path::normalise(names, text);
        }
        match foreign {
            Foreign::Relative(own) => path::normalise(names, &own),
            Foreign::Absolute(parts) => match self.own(&parts) {
                Some(own) => path::normalise(names, &own),
                None => Err(WorkspaceError::Foreign {
                    path: text.to_owned(),
                    root: names.canonical.to_string_lossy().into_owned(),
                }),
            },
        }
    }

    /// Whether something stands at this path, taken as it is.
    fn has(&self, text: &str) -> bool {
        match path::normalise(&self.shared.names, text) {
            Ok(Lexical::Inside(relative)) => {
                std::fs::symlink_metadata(self.root().join(relative)).is_ok()
            }
            Ok(Lexical::Outside(absolute)) => std::fs::symlink_metadata(absolute).is_ok(),
            Err(_) => false,
        }
    }

    /// The path within the project that these names mean: the longest end of
    /// them that is there, else what comes after the name of the project folder.
    fn own(&self, parts: &[&str]) -> Option<String> {
        let is_plain = |part: &&str| *part != "." && *part != "..";
        if !parts.iter().all(is_plain) {
            return None;
        }
        let there = (0..parts.len())
            .map(|from| parts[from..].join("/"))
            .find(|tail| self.has(tail));
        if there.is_some() {
            return there;
        }
        let root = self.root().file_name()?.to_str()?;
        let at = (parts.iter()).rposition(|part| part.eq_ignore_ascii_case(root))?;
        match &parts[at + 1..] {
            [] => Some(String::from(".")),
            below => Some(below.join("/")),
        }
    }
}

/// `None` for a path that Windows would not write in this way.
fn foreign(text: &str) -> Option<Foreign<'_>> {
    let (rest, has_drive) = match drive(text.trim_start_matches(r"\\?\")) {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    if !has_drive && !text.contains('\\') {
        return None;
    }
    // A blank after a backslash was escaped for a shell.
    if !has_drive && rest.contains(r"\ ") {
        return None;
    }
    if has_drive || rest.starts_with('\\') {
        let parts = rest.split(['\\', '/']).filter(|part| !part.is_empty());
        return Some(Foreign::Absolute(parts.collect()));
    }
    let slashed = rest.replace('\\', "/");
    Some(Foreign::Relative(slashed))
}

/// What follows `C:`, where a separator or nothing follows it.
fn drive(text: &str) -> Option<&str> {
    let rest = text.get(1..)?.strip_prefix(':')?;
    let is_letter = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_end = rest.is_empty() || rest.starts_with(['\\', '/']);
    (is_letter && is_end).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Foreign, foreign};

    #[test]
    fn what_windows_would_write_is_told_from_what_it_would_not() {
        let relative = |text: &str| Some(Foreign::Relative(text.to_owned()));
        assert_eq!(foreign(r"src\main.rs"), relative("src/main.rs"));
        assert_eq!(foreign(r".\src\\main.rs"), relative("./src//main.rs"));
        assert_eq!(foreign(r"..\other"), relative("../other"));
        assert_eq!(foreign(r"~\x"), relative("~/x"));
        for text in [
            r"C:\proj\a.rs",
            r"c:/proj/a.rs",
            r"C:\\proj\\a.rs",
            r"\\?\C:\proj\a.rs",
            r"\proj\a.rs",
            r"\\proj\a.rs",
        ] {
            let expected = Some(Foreign::Absolute(vec!["proj", "a.rs"]));
            assert_eq!(foreign(text), expected, "{text}");
        }
        for text in [
            "src/main.rs",
            "a:b",
            "/abs",
            "",
            "C",
            "é:/x",
            r"my\ file",
            "ab:/c",
        ] {
            assert_eq!(foreign(text), None, "{text}");
        }
    }
}
