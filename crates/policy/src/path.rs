//! Patterns of paths: `*.rs` by name at any depth, `src/**` from the root,
//! `/etc/**` outside of it.

use crate::guard::{Guard, guard_named_by};
use globset::{GlobBuilder, GlobMatcher};
use tenon_vocab::Decision;

const MAX_PATTERN: usize = 4096;

#[derive(Debug, Clone)]
pub struct PathPattern {
    pub text: String,
    exact: bool,
    literal: usize,
    by_name: bool,
    strict: bool,
    glob: GlobMatcher,
    /// The guarded kind of file that the pattern itself speaks of.
    pub(crate) names: Option<Guard>,
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.strict == other.strict
    }
}

impl Eq for PathPattern {}

impl PathPattern {
    /// A pattern that asks or denies ignores case and covers all below a folder
    /// that it matches; one that allows does neither.
    pub(crate) fn new(text: &str, decision: Decision) -> Result<Self, String> {
        let trimmed = text.trim();
        let wanted = trimmed.strip_prefix("./").unwrap_or(trimmed);
        if wanted.is_empty() {
            return Err("it is empty".into());
        }
        if wanted.len() > MAX_PATTERN {
            return Err(format!("it is longer than {MAX_PATTERN} bytes"));
        }
        if wanted.split('/').any(|part| part == "..") {
            return Err("it contains `..`: write the path relative to the root".into());
        }
        let folder = wanted.ends_with('/');
        let pattern = if folder {
            format!("{wanted}**")
        } else {
            wanted.to_owned()
        };
        let strict = decision != Decision::Allow;
        let glob = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .case_insensitive(strict)
            .build()
            .map_err(|error| error.kind().to_string())?
            .compile_matcher();
        let first_wild = pattern.find(['*', '?', '[', '{']);
        Ok(Self {
            text: text.to_owned(),
            exact: first_wild.is_none(),
            literal: first_wild.unwrap_or(pattern.len()),
            by_name: !wanted.trim_end_matches('/').contains('/') && !folder,
            strict,
            glob,
            names: guard_named_by(wanted),
        })
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.exact && !self.by_name
    }

    pub(crate) fn literal_length(&self) -> usize {
        self.literal
    }

    /// `path` as in [`crate::PathFact`].
    pub(crate) fn matches(&self, path: &str) -> bool {
        if self.by_name {
            return if self.strict {
                path.split('/').any(|part| self.glob.is_match(part))
            } else {
                path.rsplit('/')
                    .next()
                    .is_some_and(|name| self.glob.is_match(name))
            };
        }
        self.glob.is_match(path)
            || (self.strict
                && path
                    .match_indices('/')
                    .any(|(at, _)| at > 0 && self.glob.is_match(&path[..at])))
    }
}
