//! Paths and patterns as models write them: quoted, in a list, with a label, in
//! bold, for Windows or for the rest of the world.

use super::headings::without_bullet;
use super::lines::Content;

/// Files in which a line of backticks is likely content.
const PROSE: &[&str] = &[
    "md", "markdown", "mdx", "mdc", "qmd", "rmd", "rst", "adoc", "txt",
];

/// What stands in the quotes at the beginning, and what follows.
pub(super) fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let close = match text.chars().next()? {
        '"' => '"',
        '\'' => '\'',
        '`' => '`',
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let mut rest = text.chars();
    rest.next();
    let (inner, after) = rest.as_str().split_once(close)?;
    (!inner.trim().is_empty()).then_some((inner, after))
}

/// A path as models write it: quoted, in a list, with a label, in bold.
pub(super) fn clean_path(line: &str) -> Option<String> {
    let mut line = without_bullet(line).trim_matches('*').trim();
    if let Some((label, rest)) = line.split_once(':')
        && matches!(
            label.trim().trim_matches('*').to_lowercase().as_str(),
            "path" | "file" | "file path" | "filepath" | "filename" | "directory" | "folder"
        )
    {
        line = rest.trim_start_matches('*').trim();
    }
    let path = match quoted(line) {
        Some((inner, _)) => inner.trim(),
        None => line.trim_end_matches(':').trim(),
    };
    let usable = !path.is_empty() && !path.contains(['\0', '\n']);
    usable.then(|| undoubled(path))
}

/// `C:\\src\\main.ts` has its backslashes escaped; `\\server\share` has not.
fn undoubled(path: &str) -> String {
    let mut start = path.chars();
    let drive = start.next().is_some_and(|c| c.is_ascii_alphabetic())
        && start.as_str().starts_with(":\\\\");
    if drive {
        path.replace("\\\\", "\\")
    } else {
        path.to_owned()
    }
}

pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?']) || (path.contains('{') && path.contains(','))
}

/// The folder that a pattern begins with, and the pattern inside it.
pub(super) fn split_pattern(path: &str) -> (String, String) {
    let path = if path.contains('/') {
        path.to_owned()
    } else {
        path.replace('\\', "/")
    };
    let parts: Vec<&str> = path.split('/').collect();
    let fixed = parts
        .iter()
        .take(parts.len() - 1)
        .take_while(|part| !is_pattern(part))
        .count();
    let folder = match parts[..fixed].join("/") {
        empty if empty.is_empty() && fixed > 0 => String::from("/"),
        empty if empty.is_empty() => String::from("."),
        folder => folder,
    };
    (folder, parts[fixed..].join("/"))
}

/// Whether a file is likely to hold fences of its own.
pub(super) fn content_of(path: &str, info: &str) -> Content {
    let kind = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = kind.rsplit_once('.').map_or("", |(_, extension)| extension);
    let prose = |name: &str| PROSE.iter().any(|known| name.eq_ignore_ascii_case(known));
    if prose(extension) || (extension.is_empty() && prose(info.trim())) {
        Content::Prose
    } else {
        Content::Code
    }
}

#[cfg(test)]
mod tests {
    use super::{clean_path, split_pattern};

    #[test]
    fn paths_are_read_from_every_dress() {
        for (line, path) in [
            (r#""src/main.rs""#, "src/main.rs"),
            (r#""C:\Users\me\a b.ts""#, r"C:\Users\me\a b.ts"),
            (r#""C:\\src\\a.ts""#, r"C:\src\a.ts"),
            (r#""\\server\share\a.ts""#, r"\\server\share\a.ts"),
            ("- `src/a.rs`", "src/a.rs"),
            ("Path: src/a.rs", "src/a.rs"),
            ("**Path:** \"a b.rs\"", "a b.rs"),
            ("**src/a.rs**", "src/a.rs"),
            ("“docs/x.md”", "docs/x.md"),
            ("src/with space.rs", "src/with space.rs"),
            ("\"a.rs\" please", "a.rs"),
            ("src/a.rs:", "src/a.rs"),
            (r"C:\src\a.ts", r"C:\src\a.ts"),
        ] {
            assert_eq!(clean_path(line).as_deref(), Some(path), "{line}");
        }
        assert_eq!(clean_path("  "), None);
    }

    #[test]
    fn a_pattern_is_split_where_it_begins() {
        let split = |path| split_pattern(path);
        assert_eq!(split("src/**/*.ts"), ("src".into(), "**/*.ts".into()));
        assert_eq!(split("*.rs"), (".".into(), "*.rs".into()));
        assert_eq!(split(r"src\a\*.ts"), ("src/a".into(), "*.ts".into()));
        assert_eq!(split("/tmp/*.log"), ("/tmp".into(), "*.log".into()));
        assert_eq!(split("/*.log"), ("/".into(), "*.log".into()));
    }
}
