//! Writes a plan, all of it or nothing: when one file fails, those written
//! before are put back, and the answer says what truly happened.

use super::plan::{Operation, Planned};
use crate::workspace::{Expect, Workspace, WorkspaceError, sha256};
use tenon_vocab::ErrorCode;

/// A change that was made and how to take it back.
enum Done<'p> {
    Written {
        path: &'p str,
        before: &'p [u8],
        after: &'p [u8],
    },
    Created {
        path: &'p str,
        after: &'p [u8],
    },
    Moved {
        from: &'p str,
        to: &'p str,
    },
    Removed {
        path: &'p str,
        before: &'p [u8],
    },
}

/// What failed, and what it left.
#[derive(Debug)]
pub(super) struct Failed {
    pub code: ErrorCode,
    pub reason: String,
    /// Files that had been changed and are as before again.
    pub restored: Vec<String>,
    /// Files that are still changed, each with the reason.
    pub left: Vec<String>,
}

/// Carries out the plan. Files are removed last, so that most failures come
/// while everything can still be put back whole, with its mode.
pub(super) fn commit(workspace: &Workspace, plan: &[Planned]) -> Result<(), Failed> {
    let mut done = Vec::new();
    let writes = plan
        .iter()
        .filter(|file| file.operation != Operation::Deleted);
    let removals = plan
        .iter()
        .filter(|file| file.operation == Operation::Deleted);
    for file in writes.chain(removals) {
        if let Err(error) = step(workspace, file, &mut done) {
            return Err(take_back(workspace, &done, &error));
        }
    }
    Ok(())
}

fn step<'p>(
    workspace: &Workspace,
    file: &'p Planned,
    done: &mut Vec<Done<'p>>,
) -> Result<(), WorkspaceError> {
    let path = file.path.as_str();
    let before = file.before.as_deref().unwrap_or_default();
    let after = file.after.as_deref().unwrap_or_default();
    let expect = || Expect::Content(sha256(before));
    match file.operation {
        Operation::Unchanged => {}
        Operation::Created => {
            workspace.write(path, after, Expect::Absent)?;
            done.push(Done::Created { path, after });
        }
        Operation::Updated => {
            workspace.write(path, after, expect())?;
            done.push(Done::Written {
                path,
                before,
                after,
            });
        }
        Operation::Deleted => {
            workspace.remove(path, expect())?;
            done.push(Done::Removed { path, before });
        }
        Operation::Renamed => {
            let from = file.from.as_deref().unwrap_or_default();
            workspace.rename(from, path)?;
            done.push(Done::Moved { from, to: path });
            if before != after {
                workspace.write(path, after, expect())?;
                done.push(Done::Written {
                    path,
                    before,
                    after,
                });
            }
        }
    }
    Ok(())
}

fn take_back(workspace: &Workspace, done: &[Done<'_>], error: &WorkspaceError) -> Failed {
    let mut failed = Failed {
        code: error.code(),
        reason: error.to_string(),
        restored: Vec::new(),
        left: Vec::new(),
    };
    for change in done.iter().rev() {
        let (path, result) = undo(workspace, change);
        match result {
            Ok(()) if failed.restored.iter().any(|known| known == path) => {}
            Ok(()) => failed.restored.push(path.to_owned()),
            Err(error) => failed.left.push(format!("{path}: {error}")),
        }
    }
    failed
}

fn undo<'p>(workspace: &Workspace, change: &Done<'p>) -> (&'p str, Result<(), WorkspaceError>) {
    match change {
        Done::Written {
            path,
            before,
            after,
        } => {
            let expect = Expect::Content(sha256(after));
            (path, workspace.write(path, before, expect).map(drop))
        }
        Done::Created { path, after } => {
            let expect = Expect::Content(sha256(after));
            (path, workspace.remove(path, expect).map(drop))
        }
        Done::Moved { from, to } => (to, workspace.rename(to, from).map(drop)),
        Done::Removed { path, before } => (
            path,
            workspace.write(path, before, Expect::Absent).map(drop),
        ),
    }
}
