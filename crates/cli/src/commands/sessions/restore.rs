//! `sessions restore`: back with what the checkpoints of a session kept. Writes
//! only beneath the root of the session, never deletes, and overwrites what
//! differs only after a yes.

use crate::CommandResult;
use crate::commands::pages;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use tenon_session::{Blobs, KeptFile, Reading};
use tenon_tools::Workspace;
use tenon_tools::workspace::{Expect, WorkspaceOptions, sha256};
use tenon_vocab::{CallId, Printable};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Listing,
    /// Asks before it overwrites, where somebody can be asked.
    Restoring,
    /// `--yes`
    Overwriting,
}

/// What is wanted of a session.
#[derive(Debug)]
pub struct Wanted {
    pub paths: Vec<String>,
    pub call: Option<String>,
    pub doing: Doing,
}

/// Where a kept file stands now.
#[derive(Debug, PartialEq, Eq)]
enum Now {
    Gone,
    /// Content and permission bits.
    Same,
    /// The hash of what is there.
    Differs(String),
    Unusable(String),
}

pub fn run(place: &Place, reading: &Reading, wanted: &Wanted) -> CommandResult {
    let place = place.of_session(&reading.outline().meta().cwd)?;
    let call = wanted.call.as_deref().map(CallId::new);
    let mut files = reading.kept_files(call.as_ref())?;
    if files.is_empty() {
        return Err(CliError::runtime(match &wanted.call {
            Some(call) => format!("nothing was kept for the call `{}`", Printable::line(call)),
            None => format!("the session {} kept no files", reading.id),
        })
        .with_hint(format!(
            "`tenon sessions restore {} --list` lists what a session kept.",
            reading.id
        )));
    }
    chosen(&mut files, &wanted.paths, &place.root)?;
    let workspace = Workspace::open(&place.root, WorkspaceOptions::default())
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let found: Vec<(KeptFile, Now)> = files
        .into_iter()
        .map(|file| {
            let now = look(&workspace, &file);
            (file, now)
        })
        .collect();
    if wanted.doing == Doing::Listing {
        return list(&found);
    }
    let overwrite = may_overwrite(&found, wanted.doing)?;
    write_back(&workspace, &reading.blobs(), &found, overwrite)
}

/// Leaves those that are named; a name that means none of them is a mistake.
fn chosen(files: &mut Vec<KeptFile>, paths: &[String], root: &Path) -> Result<(), CliError> {
    let names: Vec<String> = paths.iter().map(|path| relative(path, root)).collect();
    for (name, given) in names.iter().zip(paths) {
        if !files.iter().any(|file| is_within(&file.path, name)) {
            return Err(CliError::usage(format!(
                "no copy of `{}` was kept",
                Printable::line(given)
            ))
            .with_hint("--list shows what was kept; paths are relative to the session's root."));
        }
    }
    if !names.is_empty() {
        files.retain(|file| names.iter().any(|name| is_within(&file.path, name)));
    }
    Ok(())
}

fn relative(path: &str, root: &Path) -> String {
    let below = Path::new(path).strip_prefix(root);
    let path = below.map_or_else(|_| path.into(), |below| below.to_string_lossy());
    let path = path.trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    if path == "." { "" } else { path }.to_owned()
}

fn is_within(path: &str, name: &str) -> bool {
    let rest = path.strip_prefix(name);
    name.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn look(workspace: &Workspace, file: &KeptFile) -> Now {
    match workspace.read(&file.path) {
        Err(error) if error.is_not_found() => Now::Gone,
        Err(error) => Now::Unusable(error.to_string()),
        Ok(there) => {
            let hash = sha256(&there.bytes);
            let mode = file
                .mode
                .is_none_or(|mode| mode & 0o777 == there.mode & 0o777);
            if hash == file.content.sha256 && mode {
                Now::Same
            } else {
                Now::Differs(hash)
            }
        }
    }
}

fn list(found: &[(KeptFile, Now)]) -> CommandResult {
    let mut table = Table::new(&["file", "bytes", "kept", "call", "now"]);
    for (file, now) in found {
        table.row([
            file.path.clone(),
            file.content.bytes.to_string(),
            file.at.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
            file.call
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            match now {
                Now::Gone => String::from("gone"),
                Now::Same => String::from("the same"),
                Now::Differs(_) => String::from("differs"),
                Now::Unusable(why) => why.clone(),
            },
        ]);
    }
    pages::print(&pages::fitting(&table))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overwrite {
    Yes,
    No,
}

fn may_overwrite(found: &[(KeptFile, Now)], doing: Doing) -> Result<Overwrite, CliError> {
    let differing: Vec<&str> = found
        .iter()
        .filter(|(_, now)| matches!(now, Now::Differs(_)))
        .map(|(file, _)| file.path.as_str())
        .collect();
    let someone = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if doing == Doing::Overwriting {
        return Ok(Overwrite::Yes);
    }
    if differing.is_empty() || !someone {
        return Ok(Overwrite::No);
    }
    complain("These files exist and differ from the copies:");
    for path in differing {
        complain(&format!("  {}", Printable::line(path)));
    }
    // A terminal that is gone answers nothing, which is a no.
    let _ = write!(std::io::stderr().lock(), "Overwrite them? [y/N] ");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(match line.trim() {
        "y" | "Y" | "yes" => Overwrite::Yes,
        _ => Overwrite::No,
    })
}

fn write_back(
    workspace: &Workspace,
    blobs: &Blobs,
    found: &[(KeptFile, Now)],
    overwrite: Overwrite,
) -> CommandResult {
    let (mut done, mut failed) = (String::new(), 0);
    for (file, now) in found {
        let result = match now {
            Now::Gone => put(workspace, blobs, file, Expect::Absent).map(|()| "restored"),
            Now::Same => Ok("already the same"),
            Now::Differs(hash) if overwrite == Overwrite::Yes => {
                put(workspace, blobs, file, Expect::Content(hash.clone())).map(|()| "overwritten")
            }
            Now::Differs(_) => Err(String::from("it exists and differs; --yes overwrites it")),
            Now::Unusable(why) => Err(why.clone()),
        };
        let path = Printable::line(&file.path);
        match result {
            Ok(what) => done.push_str(&format!("{what}: {path}\n")),
            Err(why) => {
                failed += 1;
                complain(&format!("not restored: {path}: {}", Printable::line(&why)));
            }
        }
    }
    pages::print(&done)?;
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(code::RUNTIME)
    })
}

fn put(
    workspace: &Workspace,
    blobs: &Blobs,
    file: &KeptFile,
    expect: Expect,
) -> Result<(), String> {
    let content = blobs
        .get(&file.content)
        .map_err(|error| error.to_string())?;
    let written = match file.mode {
        Some(mode) => workspace.restore(&file.path, &content, mode, expect),
        None => workspace.write(&file.path, &content, expect),
    };
    written.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_means_a_file_or_all_of_a_folder() {
        let root = Path::new("/p");
        for (given, kept, meant) in [
            ("src", "src/a.rs", true),
            ("src/", "src/a.rs", true),
            ("./src/a.rs", "src/a.rs", true),
            ("/p/src/a.rs", "src/a.rs", true),
            (".", "src/a.rs", true),
            ("sr", "src/a.rs", false),
            ("src/a.rs", "src/a.rs.bak", false),
        ] {
            assert_eq!(is_within(kept, &relative(given, root)), meant, "{given}");
        }
    }
}
