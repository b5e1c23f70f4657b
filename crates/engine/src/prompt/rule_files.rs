//! What a file of rules is called, and where a link of that name may lead. The
//! rules of the prompt and those of folders below are found in different places
//! and by the same names.

use std::path::Path;

/// The usual name.
pub const RULES: &str = "AGENTS.md";
pub const RULES_OF_OTHERS: &str = "CLAUDE.md";

/// In this order; the second is read where there is no first (C2).
pub const RULE_NAMES: [&str; 2] = [RULES, RULES_OF_OTHERS];

/// A link may lead to a secret that then stands in every request: it is followed
/// only to a file of the same kind in the same place. Both with links followed.
#[must_use]
pub fn may_lead_to(target: &Path, place: &Path) -> bool {
    target.starts_with(place) && target.extension().is_some_and(|end| end == "md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_neighbour_of_its_kind_and_nowhere_else() {
        let place = Path::new("/p");
        assert!(may_lead_to(Path::new("/p/CLAUDE.md"), place));
        for target in ["/p/.env", "/q/CLAUDE.md", "/pp/CLAUDE.md", "/p"] {
            assert!(!may_lead_to(Path::new(target), place), "{target}");
        }
    }
}
