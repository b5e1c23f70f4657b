//! Programs that tests start beside ours: the terminal for the interactive
//! session, and the other maker of walls. CI installs what is missing; elsewhere
//! those tests are passed over, and it is said.

use crate::repository::Repository;
use crate::shell::Step;
use crate::skips::Skips;
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

pub fn prepare(repository: &Repository, skips: &Skips) -> Result<()> {
    let mut missing = PROGRAMS.to_vec();
    missing
        .retain(|(program, question, ..)| !Step::new(repository, program, &[*question]).succeeds());
    if missing.is_empty() {
        return Ok(());
    }
    if std::env::var_os("CI").is_none_or(|value| value != "true") {
        for (program, _, package, tested) in missing {
            skips.add(
                &format!("the tests of {tested}"),
                &format!("there is no {program}"),
                &format!("install {package}, as with: apt-get install {package}"),
            );
        }
        return Ok(());
    }
    Step::new(repository, "apt-get", &["update", "--quiet"]).run()?;
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(missing.iter().map(|(_, _, package, _)| *package));
    Step::new(repository, "apt-get", &words).run()
}
