//! The system prompt: base, rules, environment, in that order and without
//! anything that changes between two starts in the same folder. No clock, no git
//! status, no id: a local server keeps its cache of the prefix (C1, E9).

use std::fmt::Write as _;

/// A file of rules (AGENTS.md), as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    pub path: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// `linux x86_64`
    pub platform: String,
    pub shell: String,
    /// The project's root.
    pub root: String,
}

/// Puts the parts together. An empty base leaves only the rest (I15).
#[must_use]
pub fn system(
    base: &str,
    appended: Option<&str>,
    rules: &[RuleFile],
    environment: &Environment,
) -> String {
    let mut text = String::new();
    for part in [Some(base), appended].into_iter().flatten() {
        if !part.trim().is_empty() {
            text.push_str(part.trim_end());
            text.push_str("\n\n");
        }
    }
    if !rules.is_empty() {
        text.push_str(
            "# Project Context\n\nRules of the user and of the project; the later ones win.\n\n",
        );
        for rule in rules {
            let _ = write!(text, "## {}\n\n{}\n\n", rule.path, rule.text.trim_end());
        }
    }
    let _ = write!(
        text,
        "# Environment\n\nPlatform: {}\nShell: {}\nProject root: {}\n",
        environment.platform, environment.shell, environment.root
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment {
            platform: "linux x86_64".into(),
            shell: "bash".into(),
            root: "/p".into(),
        }
    }

    #[test]
    fn the_root_is_the_last_line_so_that_two_projects_share_the_longest_prefix() {
        let text = system("base", None, &[], &environment());
        assert_eq!(
            text,
            "base\n\n# Environment\n\nPlatform: linux x86_64\nShell: bash\nProject root: /p\n"
        );
    }

    #[test]
    fn an_empty_base_still_leaves_rules_and_environment() {
        let rules = [RuleFile {
            path: "/p/AGENTS.md".into(),
            text: "tabs only\n".into(),
        }];
        let text = system("", Some("be brief"), &rules, &environment());
        assert!(
            text.starts_with("be brief\n\n# Project Context\n"),
            "{text}"
        );
        assert!(text.contains("## /p/AGENTS.md\n\ntabs only\n"), "{text}");
    }
}
