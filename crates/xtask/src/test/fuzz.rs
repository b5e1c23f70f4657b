//! The fuzz targets are compiled, not run: they stand outside of the workspace,
//! and nothing else would notice that the code below them has changed.

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::Result;

const MANIFEST: &str = "fuzz/Cargo.toml";

pub fn check(repository: &Repository) -> Result<()> {
    let fetch = ["fetch", "--locked", "--quiet", "--manifest-path", MANIFEST];
    if !Step::cargo(repository, &fetch).succeeds() {
        say("the fuzz targets are not compiled: what they need cannot be had");
        return Ok(());
    }
    let words = ["check", "--locked", "--manifest-path", MANIFEST];
    Step::cargo(repository, &words)
        .env("CARGO_TARGET_DIR", repository.target().join("fuzz"))
        .run()
}
