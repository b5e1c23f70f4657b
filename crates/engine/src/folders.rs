//! Folders that the user opens beside the project. Which may be opened, and what
//! of one stays closed to commands, is known by whoever assembled the session;
//! here one is opened for the tools and for commands, and goes on record.

use crate::core::Core;
use std::path::PathBuf;
use tenon_tools::jobs::AddedFolder;
use tenon_tools::{Jobs, Workspace};
use tenon_vocab::{Printable, Settings};

/// Looks at a folder as the user wrote it, and says what of it commands may use.
pub trait FolderSource: Send + Sync {
    /// # Errors
    /// Why it is not opened, as the end of a sentence.
    fn look(&self, written: &str) -> Result<AddedFolder, String>;
}

/// Nobody can say what a folder holds, so none is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFolders;

impl FolderSource for NoFolders {
    fn look(&self, _written: &str) -> Result<AddedFolder, String> {
        Err(String::from("no folder can be added to this session"))
    }
}

/// Opens a folder for the tools and for commands.
///
/// # Errors
/// Why it is not opened, as the end of a sentence.
pub fn open(workspace: &Workspace, jobs: &Jobs, folder: AddedFolder) -> Result<PathBuf, String> {
    let path = workspace
        .add_root(&folder.path)
        .map_err(|error| error.to_string())?;
    jobs.add_folder(folder);
    Ok(path)
}

/// # Errors
/// Why it stays as it is, in a sentence.
pub(crate) fn add(core: &Core, written: &str, settings: &mut Settings) -> Result<String, String> {
    let failed = |why: String| format!("Not added: {why}.");
    let folder = core.folders.look(written).map_err(failed)?;
    let shown = folder.path.to_string_lossy().into_owned();
    if settings.add_dirs.contains(&shown) {
        return Err(format!("{} is open already.", Printable::line(&shown)));
    }
    open(&core.workspace, &core.jobs, folder).map_err(failed)?;
    let said = format!(
        "{} is open now: it is read and changed under the same rules as the project.",
        Printable::line(&shown)
    );
    settings.add_dirs.push(shown);
    Ok(said)
}

impl Core {
    /// The folders that are open beside the project.
    pub(crate) fn added_folders(&self) -> Vec<String> {
        let roots = self.workspace.added_roots().into_iter();
        roots
            .map(|root| root.to_string_lossy().into_owned())
            .collect()
    }
}
