//! Programs that tests start beside ours: the terminal for the interactive
//! session, and the other maker of walls. CI installs what is missing; elsewhere
//! those tests are passed over, and it is said.

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::Result;

/// The program, how to ask whether it is there, its package, what is tested with it.
const PROGRAMS: [(&str, &str, &str, &str); 2] = [
    ("tmux", "-V", "tmux", "the interactive session"),
    (
        "bwrap",
        "--version",
        "bubblewrap",
        "the sandbox by bubblewrap",
    ),
];

pub fn prepare(repository: &Repository) -> Result<()> {
    let mut missing = PROGRAMS.to_vec();
    missing
        .retain(|(program, question, ..)| !Step::new(repository, program, &[*question]).succeeds());
    if missing.is_empty() {
        return Ok(());
    }
    if std::env::var_os("CI").is_none_or(|value| value != "true") {
        for (program, _, _, tested) in missing {
            say(format!(
                "skipped: the tests of {tested}, because there is no {program}"
            ));
        }
        return Ok(());
    }
    Step::new(repository, "apt-get", &["update", "--quiet"]).run()?;
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(missing.iter().map(|(_, _, package, _)| *package));
    Step::new(repository, "apt-get", &words).run()
}
