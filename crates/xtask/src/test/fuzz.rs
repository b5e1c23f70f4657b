//! The fuzz targets are compiled, not run: they stand outside of the workspace,
//! and nothing else would notice that the code below them has changed.

use crate::repository::Repository;
use crate::shell::Step;
use crate::skips::Skips;
use anyhow::Result;

const MANIFEST: &str = "fuzz/Cargo.toml";

pub fn check(repository: &Repository, skips: &Skips) -> Result<()> {
    // They keep no lock file: whatever fits is taken.
    let fetch = ["fetch", "--quiet", "--manifest-path", MANIFEST];
    if !Step::cargo(repository, &fetch).succeeds() {
        skips.add(
            "the fuzz targets",
            "the crates that they need cannot be fetched",
            "cargo fetch --manifest-path fuzz/Cargo.toml, with a network",
        );
        return Ok(());
    }
    let words = ["check", "--manifest-path", MANIFEST];
    Step::cargo(repository, &words)
        .env("CARGO_TARGET_DIR", repository.target().join("fuzz"))
        .run()
}
