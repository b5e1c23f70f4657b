//! Which files a search must not look into: those that a `read` or a `grep` of
//! them would have to ask for. Asking once for each file of a tree helps nobody,
//! so a search passes them by and says so.

use crate::guard::is_secret;
use crate::names::speaks_of;
use crate::rule::Target;
use crate::{
    Access, Authority, Facts, Grants, Layer, Matcher, PathFact, Place, ReadOnly, ReadingRoom, Rule,
    Rules, Subject, decide,
};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Decision, Effect, Timestamp};

const LOOKED_INTO_BY: &[&str] = &[tool::READ, tool::GREP];

/// Says of a path, relative to the root, whether reading or searching it is not
/// allowed unasked. Quick for a tree of any size: where nobody has narrowed
/// anything only secret files are looked at closely.
///
/// Where a search itself had to ask, the yes that it got also holds for files
/// that only a rule about the whole tool asks for.
pub fn search_filter(rules: Rules) -> impl Fn(&str) -> bool + Send + Sync {
    let is_narrowed = rules.iter().any(narrows);
    move |path: &str| (is_narrowed || is_secret(path)) && asks(&rules, path)
}

fn asks(rules: &Rules, path: &str) -> bool {
    let fact = PathFact {
        path: path.to_owned(),
        access: Access::Read,
        exists: true,
        inside: true,
        symlink: false,
        place: Place::Ordinary,
    };
    let special = is_secret(path)
        || rules.iter().any(|rule| {
            matches!(rule.matcher, Matcher::Path(_))
                && rule.decision != Decision::Allow
                && LOOKED_INTO_BY
                    .iter()
                    .any(|tool| rule.matches(tool, Target::Path(&fact)))
        });
    let answered = !special && class(rules, tool::GREP, Subject::Nothing) == Class::Ask;
    LOOKED_INTO_BY.iter().any(|tool| {
        let found = class(rules, tool, Subject::Paths(vec![fact.clone()]));
        found != Class::Allow && !(answered && found == Class::Ask)
    })
}

/// Whether a rule may make a plain file private.
fn narrows(rule: &Rule) -> bool {
    let plain = rule.layer == Layer::BuiltIn || rule.decision == Decision::Allow;
    !plain
        && LOOKED_INTO_BY
            .iter()
            .any(|tool| speaks_of(&rule.tool, tool))
}

fn class(rules: &Rules, tool: &str, subject: Subject) -> Class {
    let facts = Facts {
        tool: tool.to_owned(),
        effect: Effect::Read,
        subject,
        input: String::new(),
    };
    let authority = Authority {
        agent: "build",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    };
    let now = Timestamp::UNIX_EPOCH;
    decide(&facts, rules, &Grants::new(), &authority, now).class
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn is_private(rules: &Rules, path: &str) -> bool {
        search_filter(rules.clone())(path)
    }

    fn with(value: &Value) -> Rules {
        let mut rules = Rules::built_in();
        rules.add_config(value, Layer::User, "test").unwrap();
        rules
    }

    #[test]
    fn a_search_passes_by_what_a_read_would_ask_for() {
        let rules = Rules::built_in();
        assert!(is_private(&rules, ".env"));
        assert!(is_private(&rules, "deploy/id_rsa"));
        assert!(!is_private(&rules, ".env.example"));
        assert!(!is_private(&rules, "src/main.rs"));
        let grep_too = json!({
            "read": {"private/**": "deny", ".env": "allow"},
            "grep": {".env": "allow"}
        });
        let rules = with(&grep_too);
        assert!(is_private(&rules, "private/notes.md"));
        assert!(!is_private(&rules, ".env"));
        assert!(!is_private(&rules, "src/main.rs"));
    }

    #[test]
    fn a_search_passes_by_what_only_grep_may_not_look_into() {
        let rules = with(&json!({"grep": {"private/**": "deny"}, "read": {".env": "allow"}}));
        assert!(is_private(&rules, "private/notes.md"));
        assert!(is_private(&rules, ".env"));
        assert!(!is_private(&rules, "src/main.rs"));
    }

    #[test]
    fn a_search_is_no_way_around_a_rule_for_all_reads() {
        assert!(is_private(&with(&json!({"read": "ask"})), "src/main.rs"));
        assert!(is_private(&with(&json!({"read": "deny"})), "src/main.rs"));
    }

    #[test]
    fn a_search_that_had_to_ask_looks_into_plain_files_and_no_others() {
        let rules = with(&json!({"*": "ask", "read": {"private/**": "ask"}}));
        assert!(!is_private(&rules, "src/main.rs"));
        assert!(is_private(&rules, "private/notes.md"));
        assert!(is_private(&rules, ".env"));
    }
}
