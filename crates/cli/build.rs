//! A flag of the linker for the shipped program: the table of addresses that a
//! start has to adjust is packed, half a megabyte less
//! (docs/decisions/0025-size.md).
//!
//! Here and not in `.cargo/config.toml`: a flag there is lost as soon as
//! somebody sets RUSTFLAGS, makes every crate anew, and cannot ask whether
//! this linker and this C library take it.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Relative relocations as a bitmap. Needs glibc 2.36 or musl 1.2.4 where the
/// program runs; an older one refuses to start it.
const PACK: &str = "-Wl,-z,pack-relative-relocs";

fn main() -> io::Result<()> {
    let mut cargo = io::stdout();
    writeln!(cargo, "cargo::rerun-if-changed=build.rs")?;
    // Also the profiles that inherit from release. Nobody weighs the others.
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release && runs_with(PACK)? {
        writeln!(cargo, "cargo::rustc-link-arg-bins={PACK}")?;
    }
    Ok(())
}

/// Whether a program that was linked with the flag runs here. One for another
/// machine does not, and the flag stays away: larger is better than one that
/// may not start.
fn runs_with(flag: &str) -> io::Result<bool> {
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        return Ok(false);
    };
    let (source, program) = (folder.join("probe.rs"), folder.join("probe"));
    std::fs::write(&source, "fn main() {}\n")?;
    Ok(link(&source, &program, flag) && succeeds(&mut Command::new(&program)))
}

/// As cargo will link the real one: same compiler, linker and flags.
fn link(source: &Path, program: &Path, flag: &str) -> bool {
    let (Some(rustc), Ok(target)) = (env::var_os("RUSTC"), env::var("TARGET")) else {
        return false;
    };
    let mut rustc = Command::new(rustc);
    rustc.args(["--edition", "2024", "--target", &target]);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", linker.display()));
    }
    if let Ok(flags) = env::var("CARGO_ENCODED_RUSTFLAGS") {
        rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    }
    rustc.arg("-C").arg(format!("link-arg={flag}"));
    succeeds(rustc.arg("-o").arg(program).arg(source))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
