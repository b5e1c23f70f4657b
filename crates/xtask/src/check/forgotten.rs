//! A file that no `mod` leads to is not compiled, and a test in it never runs.
//! Also: one integration binary per crate, and no fixture that no test names.

use super::Findings;
use crate::manifest::members;
use crate::repository::{Repository, relative, rust_files, walk};
use anyhow::Result;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub fn check(repository: &Repository) -> Result<Findings> {
    let mut problems = Vec::new();
    for member in members(repository)? {
        for problem in of_crate(&member.folder)? {
            problems.push(format!("crates/{}/{problem}", member.name));
        }
    }
    Ok(problems.into())
}

fn of_crate(folder: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let tests = test_roots(&folder.join("tests"))?;
    if tests.len() > 1 {
        problems.push(format!(
            "tests has {} integration binaries; keep one, each costs a link",
            tests.len()
        ));
    }
    for (below, roots) in [("src", source_roots(folder)?), ("tests", tests)] {
        let mut reached = BTreeSet::new();
        for root in roots {
            follow(&root, Kind::Root, &mut reached);
        }
        for file in rust_files(&folder.join(below))? {
            let Some(name) = relative(folder, &file) else {
                continue;
            };
            // Text of a project that tests or the demo write out, not ours.
            if !reached.contains(&file) && !name.contains("/fixtures/") {
                problems.push(format!("{name} is forgotten: no `mod` leads to it"));
            }
        }
    }
    problems.extend(unnamed_fixtures(folder)?);
    Ok(problems)
}

fn source_roots(folder: &Path) -> Result<Vec<PathBuf>> {
    let source = folder.join("src");
    let mut roots = vec![source.join("lib.rs"), source.join("main.rs")];
    roots.extend(rust_files(&source.join("bin"))?);
    roots.retain(|root| root.is_file());
    Ok(roots)
}

/// `tests/x.rs` and `tests/x/main.rs`, as cargo finds them.
fn test_roots(tests: &Path) -> Result<Vec<PathBuf>> {
    let mut roots = Vec::new();
    let Ok(entries) = fs::read_dir(tests) else {
        return Ok(roots);
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            roots.push(path);
        } else if path.join("main.rs").is_file() {
            roots.push(path.join("main.rs"));
        }
    }
    roots.sort();
    Ok(roots)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its modules stand beside it.
    Root,
    /// Its modules stand in a folder of its name.
    Module,
}

fn follow(file: &Path, kind: Kind, reached: &mut BTreeSet<PathBuf>) {
    let Ok(text) = fs::read_to_string(file) else {
        return;
    };
    if !reached.insert(file.to_owned()) {
        return;
    }
    let beside = file.parent().unwrap_or(file);
    let folder = match kind {
        Kind::Root => beside.to_owned(),
        Kind::Module => beside.join(file.file_stem().unwrap_or_default()),
    };
    for module in modules(&text) {
        match module {
            Module::At(path) => follow(&beside.join(path), Kind::Root, reached),
            Module::Named(name) => {
                follow(&folder.join(format!("{name}.rs")), Kind::Module, reached);
                follow(&folder.join(name).join("mod.rs"), Kind::Root, reached);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Module<'a> {
    Named(&'a str),
    /// `#[path = "…"]`
    At(&'a str),
}

fn modules(text: &str) -> Vec<Module<'_>> {
    let mut found = Vec::new();
    let mut path = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("#[path") {
            path = rest.split('"').nth(1);
            continue;
        }
        let declared = visible(line)
            .strip_prefix("mod ")
            .and_then(|rest| rest.split_once(';'))
            .map(|(name, _)| name.trim());
        match declared {
            Some(name) => found.push(path.take().map_or(Module::Named(name), Module::At)),
            None if line.starts_with("#[") => {}
            None => path = None,
        }
    }
    found
}

/// The declaration without its `pub`.
fn visible(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    match rest.strip_prefix('(') {
        Some(inner) => inner
            .split_once(')')
            .map_or(line, |(_, after)| after)
            .trim_start(),
        None => rest.trim_start(),
    }
}

/// Files beside the tests that no Rust file of the crate names, neither
/// themselves nor through a folder that they stand in.
fn unnamed_fixtures(folder: &Path) -> Result<Vec<String>> {
    let mut text = String::new();
    for file in rust_files(folder)? {
        text.push_str(&fs::read_to_string(file)?);
    }
    let tests = folder.join("tests");
    let mut problems = Vec::new();
    for file in walk(&tests)? {
        let Some(path) = relative(&tests, &file) else {
            continue;
        };
        if !path.ends_with(".rs") && !is_named(&path, &text) {
            problems.push(format!("tests/{path} is forgotten: no test names it"));
        }
    }
    Ok(problems)
}

fn is_named(path: &str, text: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    let Some(name) = folders.pop() else {
        return false;
    };
    // proptest finds its own.
    if folders.contains(&"proptest-regressions") {
        return true;
    }
    if let Some(snapshot) = name.strip_suffix(".snap") {
        let test = snapshot.rsplit("__").next().unwrap_or(snapshot);
        let test = test.trim_end_matches(|c: char| c.is_ascii_digit());
        return text.contains(test.trim_end_matches('-'));
    }
    text.contains(name) || folders.iter().any(|folder| names_folder(text, folder))
}

/// Whether the folder stands in a path: between quotes or slashes.
fn names_folder(text: &str, folder: &str) -> bool {
    let edge = |c: Option<char>| matches!(c, Some('/' | '"'));
    text.match_indices(folder).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + folder.len()..].chars().next();
        edge(before) && edge(after)
    })
}

#[cfg(test)]
mod tests {
    use super::{Module, modules, of_crate};
    use std::fs;
    use std::path::Path;

    fn write(folder: &Path, path: &str, text: &str) {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn finds_a_test_file_that_no_mod_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "src/lib.rs", "pub(crate) mod words;\n");
        write(root, "src/words.rs", "mod deep;\n");
        write(root, "src/words/deep.rs", "");
        write(root, "tests/x/main.rs", "mod one;\n// mod two;\n");
        write(root, "tests/x/one.rs", "");
        write(root, "tests/x/two.rs", "");
        write(root, "src/lost.rs", "");
        assert_eq!(
            of_crate(root).unwrap(),
            [
                "src/lost.rs is forgotten: no `mod` leads to it",
                "tests/x/two.rs is forgotten: no `mod` leads to it"
            ]
        );
    }

    #[test]
    fn finds_a_second_integration_binary() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "tests/a.rs", "");
        write(folder.path(), "tests/b/main.rs", "");
        let found = of_crate(folder.path()).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("2 integration binaries"));
    }

    #[test]
    fn finds_a_fixture_that_no_test_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let text =
            "const A: &str = \"tests/wire/\"; const B: &str = \"one.json\"; fn draws_a_box() {}";
        write(root, "tests/a.rs", text);
        write(root, "tests/wire/any.sse", "");
        write(root, "tests/one.json", "");
        write(root, "tests/two.json", "");
        write(root, "tests/wired/three.json", "");
        write(root, "tests/proptest-regressions/a.txt", "");
        write(root, "tests/snapshots/a__draws_a_box-2.snap", "");
        write(root, "tests/snapshots/a__draws_a_line.snap", "");
        assert_eq!(
            of_crate(root).unwrap(),
            [
                "tests/snapshots/a__draws_a_line.snap is forgotten: no test names it",
                "tests/two.json is forgotten: no test names it",
                "tests/wired/three.json is forgotten: no test names it"
            ]
        );
    }

    #[test]
    fn a_path_attribute_names_the_file_itself() {
        let text = "#[path = \"../a.rs\"]\n#[cfg(test)]\nmod a;\nmod b;\npub mod c { }\n";
        assert_eq!(modules(text), [Module::At("../a.rs"), Module::Named("b")]);
    }
}
