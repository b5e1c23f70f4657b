//! The demo: a small project with a failing test, and the script that mends it.
//!
//! Only the texts. The command line writes the project, runs the loop with real
//! tools and talks to a server with these scenarios.

use crate::scenarios::Scenarios;

/// What the user of the demo asks for.
pub const PROMPT: &str = "There is a failing test in this project. Find out why and fix it.";

const SCENARIOS: &str = include_str!("demo/scenarios.json");

/// The files of the project: path and content. POSIX `sh` only, so that the
/// demo runs where nothing is installed.
pub fn files() -> &'static [(&'static str, &'static str)] {
    &[
        ("README.md", include_str!("demo/README.md")),
        ("src/price.sh", include_str!("demo/src/price.sh")),
        ("tests/run.sh", include_str!("demo/tests/run.sh")),
    ]
}

/// A test holds that the script parses; the fallback only spares a panic.
pub(crate) fn scenarios() -> Scenarios {
    Scenarios::parse(SCENARIOS).unwrap_or_else(|_| Scenarios::none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_script_parses() {
        Scenarios::parse(SCENARIOS).unwrap();
        assert_eq!(scenarios().scenarios.len(), 3);
    }
}
