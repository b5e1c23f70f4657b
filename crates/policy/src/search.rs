//! Which files a search must not look into: those that a `read` would have to
//! ask for. Asking once for each file of a tree helps nobody, so a search passes
//! them by and says so.

use crate::guard::is_secret;
use crate::{
    Access, Authority, Facts, Grants, Matcher, PathFact, ReadOnly, Rules, Subject, decide,
};
use tenon_vocab::{Class, Effect, Timestamp};

/// True when reading this path, relative to the root, is not allowed unasked.
/// Quick for a tree of any size: without rules about paths only secret files are
/// looked at closely.
#[must_use]
pub fn is_private(rules: &Rules, path: &str) -> bool {
    let plain = !rules
        .iter()
        .any(|rule| matches!(rule.matcher, Matcher::Path(_)));
    if plain && !is_secret(path) {
        return false;
    }
    let facts = Facts {
        tool: String::from("read"),
        effect: Effect::Read,
        subject: Subject::Paths(vec![PathFact {
            path: path.to_owned(),
            access: Access::Read,
            exists: true,
            inside: true,
            symlink: false,
        }]),
        input: String::new(),
    };
    let authority = Authority {
        agent: "build",
        read_only: ReadOnly::No,
        agent_rules: None,
    };
    let verdict = decide(
        &facts,
        rules,
        &Grants::new(),
        &authority,
        Timestamp::UNIX_EPOCH,
    );
    verdict.class != Class::Allow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;
    use serde_json::json;

    #[test]
    fn a_search_passes_by_what_a_read_would_ask_for() {
        let mut rules = Rules::built_in();
        assert!(is_private(&rules, ".env"));
        assert!(is_private(&rules, "deploy/id_rsa"));
        assert!(!is_private(&rules, ".env.example"));
        assert!(!is_private(&rules, "src/main.rs"));
        let more = json!({"read": {"private/**": "deny", ".env": "allow"}});
        rules.add_config(&more, Layer::User, "test").unwrap();
        assert!(is_private(&rules, "private/notes.md"));
        assert!(!is_private(&rules, ".env"));
        assert!(!is_private(&rules, "src/main.rs"));
    }
}
