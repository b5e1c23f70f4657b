//! A dependency that no line of the crate names is weight for nothing. Looks
//! for the name as a path in the source; a crate that is there only to switch
//! a feature on must be named in a `use` or go.

use super::Findings;
use crate::manifest::{Member, members, workspace_dependencies};
use crate::repository::{Repository, rust_files};
use anyhow::Result;
use std::fs;

pub fn check(repository: &Repository) -> Result<Findings> {
    let members = members(repository)?;
    let mut problems = Vec::new();
    for member in &members {
        problems.extend(of_member(member)?);
    }
    for name in workspace_dependencies(repository)? {
        let used = members.iter().any(|member| {
            member.dependencies.contains(&name) || member.dev_dependencies.contains(&name)
        });
        if !used {
            problems.push(format!(
                "`{name}` of the root Cargo.toml is used by no crate"
            ));
        }
    }
    Ok(problems.into())
}

fn of_member(member: &Member) -> Result<Vec<String>> {
    let product = text_of(member, &["src", "benches", "build.rs"], Comments::Leave)?;
    let everything = text_of(
        member,
        &["src", "tests", "examples", "benches", "build.rs"],
        Comments::Keep,
    )?;
    let unused = |name: &&String, text: &str| !is_named(text, &name.replace('-', "_"));
    let plain = member
        .dependencies
        .iter()
        .filter(|name| unused(name, &product))
        .map(|name| format!("crates/{} does not use `{name}`", member.name));
    let dev = member
        .dev_dependencies
        .iter()
        .filter(|name| unused(name, &everything))
        .map(|name| format!("the tests of crates/{} do not use `{name}`", member.name));
    Ok(plain.chain(dev).collect())
}

/// Whether comments count: examples in them are compiled as tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comments {
    Keep,
    Leave,
}

fn text_of(member: &Member, places: &[&str], comments: Comments) -> Result<String> {
    let mut text = String::new();
    for place in places {
        let path = member.folder.join(place);
        let files = if path.is_file() {
            vec![path]
        } else {
            rust_files(&path)?
        };
        for file in files {
            for line in fs::read_to_string(file)?.lines() {
                if comments == Comments::Keep || !line.trim_start().starts_with("//") {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    Ok(text)
}

/// As `name::…`, `use name;` or `use name as …`, and not as a part of a longer name.
fn is_named(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + name.len()..];
        let whole = !before.ends_with(part) && !after.starts_with(part);
        let path = after.starts_with("::") && !before.ends_with("crate::");
        let imported = before.ends_with("use ") || before.ends_with("extern crate ");
        whole && (path || imported)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_named, of_member};
    use crate::manifest::Member;
    use std::fs;

    #[test]
    fn finds_a_dependency_that_only_a_comment_or_a_longer_name_mentions() {
        assert!(is_named("use serde::Serialize;", "serde"));
        assert!(is_named("#[derive(thiserror::Error)]", "thiserror"));
        assert!(is_named("use libc;", "libc"));
        assert!(!is_named("use serde_json::Value;", "serde"));
        assert!(!is_named("let bytes = 3;", "bytes"));
        assert!(!is_named("use crate::http::Thing;", "http"));
    }

    #[test]
    fn an_example_in_a_comment_counts_for_tests_only() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(
            folder.path().join("src/lib.rs"),
            "//! let home = tempfile::tempdir();\n//! bytes::Bytes::new();\n",
        )
        .unwrap();
        let member = Member {
            name: String::from("x"),
            folder: folder.path().to_owned(),
            dependencies: vec![String::from("bytes")],
            dev_dependencies: vec![String::from("tempfile"), String::from("insta")],
        };
        assert_eq!(
            of_member(&member).unwrap(),
            [
                "crates/x does not use `bytes`",
                "the tests of crates/x do not use `insta`"
            ]
        );
    }
}
