//! The user's editor over a private file. It has the terminal for itself, and the
//! session goes on meanwhile: so the file is in the folder that no command of it
//! sees.

use crate::editor::Editor;
use crate::place::Place;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// How long an editor that is to end may take to put the terminal back.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

/// An editor at work. Whoever lets go of it ends it: it would keep a terminal
/// that somebody else reads.
struct Editing(Child);

impl Drop for Editing {
    fn drop(&mut self) {
        let until = Instant::now() + PATIENCE;
        if let Some(pid) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, Signal::TERM);
        }
        while let Ok(None) = self.0.try_wait() {
            if Instant::now() >= until {
                let _ = self.0.start_kill();
                return;
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// The text as it was left; `Err` says why it is as it was.
pub async fn edit(place: &Place, text: &str) -> Result<String, String> {
    let editor = Editor::of(&place.env);
    let folder = folder(place).map_err(|error| format!("can't create a file: {error}"))?;
    let path = folder.path().join("prompt.md");
    crate::screen::write_private(&path, text.as_bytes()).map_err(|error| error.to_string())?;
    let child = Command::from(editor.command(&path))
        .current_dir(&place.root)
        .spawn()
        .map_err(|error| format!("can't start the editor: {error}"))?;
    let mut editing = Editing(child);
    let status = editing
        .0
        .wait()
        .await
        .map_err(|error| format!("can't wait for the editor: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the editor `{}` ended with {status}; the text did not change",
            editor.name()
        ));
    }
    std::fs::read_to_string(&path).map_err(|error| format!("can't read what you wrote: {error}"))
}

fn folder(place: &Place) -> std::io::Result<TempDir> {
    let state = &place.paths.state;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state)?;
    tempfile::Builder::new()
        .prefix("editing-")
        .tempdir_in(state)
}
