//! The terminal in which the interactive session is tested: tmux. CI installs
//! it where it is missing; elsewhere those tests say that they were skipped.

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::Result;

pub fn prepare(repository: &Repository) -> Result<()> {
    if Step::new(repository, "tmux", &["-V"]).succeeds() {
        return Ok(());
    }
    if std::env::var_os("CI").is_none_or(|value| value != "true") {
        say("skipped: the tests of the interactive session, because there is no tmux");
        return Ok(());
    }
    Step::new(repository, "apt-get", &["update", "--quiet"]).run()?;
    let words = ["install", "--yes", "--no-install-recommends", "tmux"];
    Step::new(repository, "apt-get", &words).run()
}
