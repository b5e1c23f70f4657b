//! Finds the test build of the supervisor, which Cargo does not build for the
//! tests of other crates.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const NAME: &str = "tenon-supervise";

/// The path of the `tenon-supervise` binary of this profile. Built when it is
/// missing or older than the crate's sources, so that a test never runs what
/// was there yesterday.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn supervisor() -> PathBuf {
    let folder = profile_folder();
    let binary = folder.join(NAME);
    if !is_current(&binary) {
        build(&folder);
    }
    if !binary.is_file() {
        panic!(
            "{} is missing; run `cargo build -p tenon-sandbox --bin {NAME}`",
            binary.display()
        );
    }
    binary
}

/// `target/debug`: a test runs as `target/debug/deps/NAME-HASH`.
fn profile_folder() -> PathBuf {
    let Ok(test) = std::env::current_exe() else {
        panic!("this test does not know its own path");
    };
    let folder = test.parent().unwrap_or(Path::new("."));
    if folder.ends_with("deps") {
        folder.parent().unwrap_or(folder).to_owned()
    } else {
        folder.to_owned()
    }
}

fn sandbox_crate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sandbox")
}

fn is_current(binary: &Path) -> bool {
    let Some(built) = modified(binary) else {
        return false;
    };
    newest(&sandbox_crate().join("src")).is_none_or(|source| source <= built)
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => newest(&entry.path()),
            _ => modified(&entry.path()),
        })
        .max()
}

fn build(folder: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--quiet", "-p", "tenon-sandbox", "--bin", NAME])
        .current_dir(sandbox_crate());
    match folder.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => {}
        Some(profile) => {
            command.args(["--profile", profile]);
        }
    }
    if let Some(target) = folder.parent() {
        command.arg("--target-dir").arg(target);
    }
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!(
            "{NAME} does not build:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => panic!("cargo cannot be started: {error}"),
    }
}
