//! Glob patterns as models write them, for `glob`, `list` and `grep`.

use globset::{Candidate, GlobBuilder, GlobMatcher};
use std::path::Path;

/// Matches paths relative to the folder that is searched. A pattern without
/// `/` matches a name at any depth, as in an ignore file.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    matcher: GlobMatcher,
    names_only: bool,
}

impl Pattern {
    /// `base` is the absolute folder that is searched: a pattern that begins
    /// with it is meant relative to it.
    pub(crate) fn new(text: &str, base: &Path) -> Result<Self, String> {
        let base = format!("{}/", base.to_string_lossy().trim_end_matches('/'));
        let text = text.strip_prefix(base.as_str()).unwrap_or(text);
        let text = text.trim_start_matches("./");
        if text.is_empty() {
            return Err(String::from(
                "the pattern is empty; `**/*` matches every file",
            ));
        }
        if text.starts_with('/') || text.split('/').any(|name| name == "..") {
            return Err(format!(
                "the pattern `{text}` leaves the folder; pass the folder as `path` and make the \
                 pattern relative to it"
            ));
        }
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| {
                format!("{error}; `*`, `**`, `?`, `[ab]` and `{{a,b}}` work, `\\` escapes them")
            })?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            names_only: !text.contains('/'),
        })
    }

    pub(crate) fn matches(&self, relative: &Path) -> bool {
        if self.names_only {
            let name = relative.file_name().map_or(relative, Path::new);
            return self.matcher.is_match_candidate(&Candidate::new(name));
        }
        self.matcher.is_match_candidate(&Candidate::new(relative))
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use std::path::Path;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern, Path::new("/project"))
            .unwrap()
            .matches(Path::new(path))
    }

    #[test]
    fn a_pattern_without_a_slash_matches_names_at_any_depth() {
        assert!(matches("*.rs", "src/deep/a.rs"));
        assert!(matches("./*.rs", "a.rs"));
        assert!(!matches("src/*.rs", "src/deep/a.rs"));
        assert!(matches("src/**/*.rs", "src/a.rs"));
        assert!(matches("src/**/*.{rs,toml}", "src/x/y/a.toml"));
        assert!(matches("/project/src/*.rs", "src/a.rs"));
    }

    #[test]
    fn what_leaves_the_folder_or_is_no_pattern_is_refused() {
        for bad in ["../*.rs", "/etc/*", "", "a[", "{a"] {
            assert!(Pattern::new(bad, Path::new("/project")).is_err(), "{bad}");
        }
    }
}
