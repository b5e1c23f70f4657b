//! The fuzz targets are compiled, not run: they stand outside of the workspace,
//! and nothing else would notice that the code below them has changed.

use crate::repository::Repository;
use crate::shell::Step;
use crate::skips::Skips;
use anyhow::Result;

const MANIFEST: &str = "fuzz/Cargo.toml";

pub fn check(repository: &Repository, skips: &Skips) -> Result<()> {
    // Their library is C++, which nothing else here needs.
    let compiler = std::env::var("CXX").unwrap_or_else(|_| String::from("c++"));
    if !Step::new(repository, &compiler, &["--version"]).succeeds() {
        skips.add(
            "the fuzz targets",
            &format!("there is no C++ compiler ({compiler})"),
            "install one, as with: apt-get install g++",
        );
        return Ok(());
    }
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
