//! Finds the files of rules (AGENTS.md): the user's, then each folder from the
//! home to the root, the most specific last. They are data: read once at the
//! start, never followed out of where they stand.

use std::io::Read;
use std::path::{Path, PathBuf};
use tenon_engine::prompt::RuleFile;

/// A file of rules larger than this is cut, and the cut is reported.
const LIMIT: usize = 64 * 1024;

/// What was found, and what the user should know of it.
#[derive(Debug, Default)]
pub struct Found {
    pub files: Vec<RuleFile>,
    pub warnings: Vec<String>,
}

pub fn find(config: &Path, home: Option<&Path>, root: &Path) -> Found {
    let mut found = Found::default();
    for folder in folders(config, home, root) {
        // CLAUDE.md is read where there is no AGENTS.md.
        for name in ["AGENTS.md", "CLAUDE.md"] {
            let path = folder.join(name);
            if path.symlink_metadata().is_ok() {
                take(&mut found, &path);
                break;
            }
        }
    }
    found
}

/// The configuration's folder, the ancestors of the root below the home, the root.
fn folders(config: &Path, home: Option<&Path>, root: &Path) -> Vec<PathBuf> {
    let mut chain: Vec<PathBuf> = match home.filter(|home| root.starts_with(home)) {
        Some(home) => root
            .ancestors()
            .take_while(|folder| folder.starts_with(home))
            .map(Path::to_owned)
            .collect(),
        None => vec![root.to_owned()],
    };
    chain.push(config.to_owned());
    chain.reverse();
    chain.dedup();
    chain
}

fn take(found: &mut Found, path: &Path) {
    // A link could lead to a secret that then stands in every request.
    if path.is_symlink() {
        found.warnings.push(format!(
            "{} was not read: it is a link; put the text there, or name the file in `instructions`",
            path.display()
        ));
        return;
    }
    read(found, path);
}

/// Only a real file: opening a pipe would wait for whoever writes into it.
fn read(found: &mut Found, path: &Path) {
    if !path.is_file() {
        found
            .warnings
            .push(format!("{} was not read: it is not a file", path.display()));
        return;
    }
    let (text, size) = match start_of(path) {
        Ok(read) => read,
        Err(error) => {
            found
                .warnings
                .push(format!("{} could not be read: {error}", path.display()));
            return;
        }
    };
    if text.len() as u64 != size && size > LIMIT as u64 {
        found.warnings.push(format!(
            "{} is {size} bytes long; only the first {} are used",
            path.display(),
            text.len()
        ));
    }
    if !text.trim().is_empty() {
        found.files.push(RuleFile {
            path: path.display().to_string(),
            text,
        });
    }
}

/// The text up to the limit, and the size of the file.
fn start_of(path: &Path) -> std::io::Result<(String, u64)> {
    let file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(LIMIT as u64).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok((cut(&text).to_owned(), size))
}

/// The files that `instructions` names: paths relative to the root, absolute
/// ones, `~/…`, and a `*` in the last part.
pub fn instructions(found: &mut Found, named: &[String], home: Option<&Path>, root: &Path) {
    for entry in named {
        let path = match (entry.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => root.join(entry),
        };
        let files = expand(&path);
        if files.is_empty() {
            found
                .warnings
                .push(format!("instructions: `{entry}` names no file"));
        }
        for file in files {
            read(found, &file);
        }
    }
}

fn expand(path: &Path) -> Vec<PathBuf> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let Some((before, after)) = name.split_once('*') else {
        return path
            .is_file()
            .then(|| path.to_owned())
            .into_iter()
            .collect();
    };
    let entries = path.parent().and_then(|folder| folder.read_dir().ok());
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| {
            let name = file
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
                && file.is_file()
        })
        .collect();
    files.sort();
    files
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_rules_come_last() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (config, root) = (home.join("config"), home.join("a/b"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("AGENTS.md"), "user").unwrap();
        std::fs::write(home.join("a/CLAUDE.md"), "middle").unwrap();
        std::fs::write(root.join("AGENTS.md"), "root").unwrap();
        std::fs::write(root.join("CLAUDE.md"), "not read").unwrap();
        let found = find(&config, Some(&home), &root);
        let texts: Vec<_> = found.files.iter().map(|file| file.text.as_str()).collect();
        assert_eq!(texts, ["user", "middle", "root"]);
    }

    #[test]
    fn instructions_name_files_and_patterns() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("style.md"), "style").unwrap();
        std::fs::write(root.path().join("a.rules"), "a").unwrap();
        std::fs::write(root.path().join("b.rules"), "b").unwrap();
        let mut found = Found::default();
        let named = ["style.md", "*.rules", "missing.md"].map(String::from);
        instructions(&mut found, &named, None, root.path());
        let texts: Vec<_> = found.files.iter().map(|file| file.text.as_str()).collect();
        assert_eq!(texts, ["style", "a", "b"]);
        assert_eq!(found.warnings, ["instructions: `missing.md` names no file"]);
    }

    #[test]
    fn a_link_is_not_followed_because_it_may_lead_to_a_secret() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().join("p");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(world.path().join("secret"), "s3cret").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("AGENTS.md")).unwrap();
        let found = find(&world.path().join("none"), None, &root);
        assert!(found.files.is_empty());
        assert_eq!(found.warnings.len(), 1);
    }
}
