//! The program itself, the terminal, other programs and the folders.

use super::Finding;
use crate::place::Place;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "program";
const TERMINAL: &str = "terminal";
const PROGRAMS: &str = "programs";
const FOLDERS: &str = "folders";

pub(super) fn program() -> Vec<Finding> {
    let path = std::env::current_exe()
        .map(|path| path.display().to_string())
        .unwrap_or_else(|_| String::from("unknown"));
    vec![Finding::ok(
        PROGRAM,
        format!(
            "tenon {} for {} {}, {path}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
    )]
}

pub(super) fn terminal(place: &Place) -> Vec<Finding> {
    let mut findings = Vec::new();
    let here = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !here {
        findings.push(Finding::ok(
            TERMINAL,
            "none: there is no one to ask, so calls that need a yes are denied",
        ));
    } else {
        let width = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(0, |size| size.ws_col);
        findings.push(if (1..40).contains(&width) {
            Finding::warn(
                TERMINAL,
                format!("{width} columns wide"),
                "make it wider than 40 columns; diffs are hard to read",
            )
        } else {
            Finding::ok(TERMINAL, format!("{width} columns wide"))
        });
    }
    let set = |name: &str| place.env.get(name);
    let term = set("TERM").unwrap_or("not set");
    let colours = if set("NO_COLOR").is_some() || set("TENON_NO_COLOR").is_some() {
        "off"
    } else if term == "dumb" || term == "not set" {
        "none"
    } else {
        "yes"
    };
    findings.push(Finding::ok(
        TERMINAL,
        format!("TERM {term}, colours: {colours}"),
    ));
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(set)
        .unwrap_or("C");
    let folded = locale.to_ascii_lowercase().replace('-', "");
    findings.push(if folded.contains("utf8") {
        Finding::ok(TERMINAL, format!("locale {locale}"))
    } else {
        Finding::warn(
            TERMINAL,
            format!("locale {locale} isn't UTF-8"),
            "characters may look wrong; set LANG to a UTF-8 locale, for example C.UTF-8",
        )
    });
    findings
}

pub(super) fn programs(place: &Place) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.push(match (found(place, "bash"), found(place, "sh")) {
        (Some(path), _) => Finding::ok(PROGRAMS, format!("shell: {}", path.display())),
        (None, Some(path)) => Finding::warn(
            PROGRAMS,
            format!("shell: {}; there is no bash", path.display()),
            "install bash; models write commands for it",
        ),
        (None, None) => Finding::problem(
            PROGRAMS,
            "there is no shell in the PATH",
            "install bash, or correct the PATH",
        ),
    });
    findings.push(match found(place, "git") {
        Some(path) => Finding::ok(PROGRAMS, format!("git: {}", path.display())),
        None => Finding::warn(
            PROGRAMS,
            "git: not found",
            "install it to work on repositories",
        ),
    });
    findings.push(match found(place, "bwrap") {
        Some(path) => Finding::ok(PROGRAMS, format!("bwrap: {}", path.display())),
        None => Finding::ok(
            PROGRAMS,
            "bwrap: not found; it is only needed for `sandbox.adapter` = `bubblewrap`",
        ),
    });
    findings
}

fn found(place: &Place, name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let path = place.env.get("PATH")?;
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| {
            path.metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
}

pub(super) fn folders(place: &Place) -> Vec<Finding> {
    let state = &place.paths.state;
    let mut findings = Vec::new();
    findings.push(match writable(state) {
        Ok(()) => Finding::ok(
            FOLDERS,
            format!("state: {}, {}", state.display(), size_of(state)),
        ),
        Err(error) => Finding::problem(
            FOLDERS,
            format!("state: can't write {}: {error}", state.display()),
            "sessions can't be saved: make the folder writable, or set TENON_HOME to another",
        ),
    });
    findings.push(Finding::ok(
        FOLDERS,
        format!("root: {}", place.root.display()),
    ));
    findings
}

/// Tries it where the folder is, or where it would be made. Leaves nothing.
fn writable(folder: &Path) -> std::io::Result<()> {
    let there = folder
        .ancestors()
        .find(|folder| folder.is_dir())
        .unwrap_or(folder);
    tempfile::Builder::new()
        .prefix(".tenon-doctor-")
        .tempfile_in(there)
        .map(drop)
}

/// Bounded: a doctor that hangs on a large folder helps nobody.
fn size_of(folder: &Path) -> String {
    const ENTRIES: usize = 100_000;
    let mut open = vec![folder.to_owned()];
    let (mut bytes, mut files, mut seen) = (0_u64, 0_u64, 0_usize);
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES {
                return format!("more than {files} files");
            }
            match entry.metadata() {
                Ok(found) if found.is_dir() => open.push(entry.path()),
                Ok(found) => {
                    bytes = bytes.saturating_add(found.len());
                    files += 1;
                }
                Err(_) => {}
            }
        }
    }
    format!("{files} files, {:.1} MB", bytes as f64 / 1e6)
}
