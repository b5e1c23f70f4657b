//! A draft of an AGENTS.md from what stands in the root: build files, their
//! commands, the folders. Reads only, a little of each file, and guesses
//! nothing that it did not see.

use crate::error::CliError;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tenon_engine::prompt::RULES;

/// Of each file that is looked into.
const READ: u64 = 256 * 1024;
/// Lines of one kind, at most.
const LISTED: usize = 12;

/// Where the draft would go.
///
/// # Errors
/// When something is there.
pub fn place(root: &Path) -> Result<PathBuf, CliError> {
    let path = root.join(RULES);
    if path.symlink_metadata().is_err() {
        return Ok(path);
    }
    Err(
        CliError::usage(format!("{} already exists", path.display()))
            .with_hint("Ask the model to improve it, or edit it yourself."),
    )
}

/// Writes it, never over something that is there; what to say of it.
pub fn write(path: &Path, draft: &str) -> Result<String, CliError> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(draft.as_bytes()));
    written
        .map_err(|error| CliError::runtime(format!("can't write {}: {error}", path.display())))?;
    Ok(format!(
        "Wrote {RULES}. The next session reads it; /new starts one."
    ))
}

/// What is said where it was not wanted.
pub const NOT_WRITTEN: &str = "Nothing was written.";

pub fn draft(root: &Path) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy());
    let name = name.as_deref().unwrap_or("this project");
    let mut page = format!("# {}\n\n", one_line(name));
    page.push_str(&match about(root) {
        Some(about) => format!("{about}\n\n"),
        None => String::from("(What this project is, in a sentence.)\n\n"),
    });
    section(
        &mut page,
        "Commands",
        commands(root),
        "(How to build and to test.)",
    );
    section(&mut page, "Layout", folders(root), "(Where things are.)");
    section(
        &mut page,
        "Rules",
        Vec::new(),
        "(What must be kept to: style, what not to touch, what to run before the work is done.)",
    );
    page
}

fn section(page: &mut String, title: &str, lines: Vec<String>, empty: &str) {
    page.push_str(&format!("## {title}\n\n"));
    if lines.is_empty() {
        page.push_str(&format!("- {empty}\n"));
    }
    for line in lines.iter().take(LISTED) {
        page.push_str(&format!("- {line}\n"));
    }
    page.push('\n');
}

/// Text of a file for a line of Markdown.
fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.trim().chars().take(200).collect()
}

fn read(root: &Path, name: &str) -> Option<String> {
    let path = root.join(name);
    // Neither a link out of the project nor a pipe.
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    tenon_files::open(&path)
        .ok()?
        .take(READ)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first paragraph of the README.
fn about(root: &Path) -> Option<String> {
    let text = ["README.md", "README", "README.txt", "README.rst"]
        .iter()
        .find_map(|name| read(root, name))?;
    text.lines()
        .map(str::trim)
        .find(|line| line.chars().next().is_some_and(char::is_alphanumeric))
        .map(one_line)
}

fn commands(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (file, lines) in FIXED {
        if root.join(file).is_file() {
            found.extend(lines.iter().map(|&line| line.to_owned()));
        }
    }
    found.extend(scripts(root));
    found.extend(python(root));
    found.extend(targets(root, "Makefile", "make"));
    found.extend(targets(root, "justfile", "just"));
    found
}

/// What the tool of a build file does, whatever the file says.
const FIXED: &[(&str, &[&str])] = &[
    (
        "Cargo.toml",
        &[
            "Build: `cargo build`",
            "Test: `cargo test`",
            "Check: `cargo clippy --all-targets`, `cargo fmt --check`",
        ],
    ),
    (
        "go.mod",
        &[
            "Build: `go build ./...`",
            "Test: `go test ./...`",
            "Check: `go vet ./...`",
        ],
    ),
    ("pom.xml", &["Test: `mvn test`"]),
    ("gradlew", &["Test: `./gradlew test`"]),
    (
        "CMakeLists.txt",
        &[
            "Build: `cmake -B build && cmake --build build`",
            "Test: `ctest --test-dir build`",
        ],
    ),
    ("mix.exs", &["Test: `mix test`"]),
    ("composer.json", &["Install: `composer install`"]),
    ("Gemfile", &["Install: `bundle install`"]),
];

/// The scripts of a package.json, by the package manager of its lock file.
fn scripts(root: &Path) -> Vec<String> {
    let parsed =
        read(root, "package.json").and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(scripts) = parsed
        .as_ref()
        .and_then(|package| package["scripts"].as_object())
    else {
        return Vec::new();
    };
    let manager = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
    ]
    .iter()
    .find(|(lock, _)| root.join(lock).is_file())
    .map_or("npm", |(_, manager)| manager);
    scripts
        .keys()
        .filter(|name| is_word(name))
        .map(|name| format!("`{manager} run {name}`"))
        .collect()
}

fn python(root: &Path) -> Vec<String> {
    let project = read(root, "pyproject.toml");
    let tests = root.join("tests").is_dir() || root.join("pytest.ini").is_file();
    match project {
        Some(text) if text.contains("pytest") => vec![String::from("Test: `pytest`")],
        Some(_) | None if tests && has_python(root) => {
            vec![String::from("Test: `python -m pytest`")]
        }
        _ => Vec::new(),
    }
}

fn has_python(root: &Path) -> bool {
    ["pyproject.toml", "setup.py", "requirements.txt"]
        .iter()
        .any(|name| root.join(name).is_file())
}

/// The plain targets of a file of rules.
fn targets(root: &Path, file: &str, program: &str) -> Vec<String> {
    let text = read(root, file).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, rest)| is_word(name) && !rest.starts_with('='))
        .map(|(name, _)| format!("`{program} {name}`"))
        .collect()
}

fn is_word(name: &str) -> bool {
    name.chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
}

fn folders(root: &Path) -> Vec<String> {
    const BUILT: &[&str] = &[
        "target",
        "node_modules",
        "build",
        "dist",
        "vendor",
        "__pycache__",
        "venv",
    ];
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && !BUILT.contains(&name.as_str()))
        .filter(|name| !name.contains(char::is_control))
        .collect();
    names.sort();
    names.iter().map(|name| format!("`{name}/`:")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draft_names_what_is_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(root.join("node_modules")).unwrap();
        std::fs::write(root.join("README.md"), "# Shop\n\nSells \x1b[31mthings.\n").unwrap();
        std::fs::write(root.join("Cargo.toml"), "[package]").unwrap();
        std::fs::write(
            root.join("package.json"),
            r#"{"scripts":{"test":"vitest","evil; rm -rf ~":"x"}}"#,
        )
        .unwrap();
        std::fs::write(
            root.join("Makefile"),
            "CC := gcc\nlint: a\n\techo x\n.PHONY: lint\n",
        )
        .unwrap();
        let page = draft(&root);
        for expected in [
            "# shop",
            "Sells  [31mthings.",
            "`cargo test`",
            "`npm run test`",
            "`make lint`",
            "`src/`",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
        for wrong in ["rm -rf", "PHONY", "node_modules", "`go test", "make CC"] {
            assert!(!page.contains(wrong), "{wrong}\n{page}");
        }
    }

    #[test]
    fn an_empty_folder_gives_a_form_to_fill_in() {
        let folder = tempfile::tempdir().unwrap();
        let page = draft(folder.path());
        assert!(page.contains("## Commands\n\n- (How to build"), "{page}");
    }
}
