//! The folders beside the project that a session begins with: those of the
//! flags, those of the configuration, and those that are on its record.

use super::Options;
use crate::error::CliError;
use crate::place::Place;
use crate::sandbox::{Author, Folders};
use crate::settings::Configured;
use std::path::PathBuf;
use std::sync::Arc;
use tenon_config::{Loaded, Origin};
use tenon_engine::folders;
use tenon_policy::Layer;
use tenon_tools::jobs::AddedFolder;
use tenon_tools::{Jobs, Workspace};
use tenon_vocab::Settings;

/// What is open at the start, and what is said of what is not.
#[derive(Debug)]
pub(super) struct Opened {
    pub folders: Arc<Folders>,
    /// Absolute, in the order in which they were opened.
    pub paths: Vec<String>,
    pub remarks: Vec<String>,
}

/// What a session reads and runs with.
type Doors<'a> = (&'a Workspace, &'a Jobs);

pub(super) fn open(
    place: &Place,
    options: &Options,
    configured: &Configured,
    session: (PathBuf, Option<&Settings>),
    doors: Doors<'_>,
) -> Result<Opened, CliError> {
    let (folder, settings) = session;
    let folders = Folders::of(place, &configured.resolved, Some(&folder));
    let mut opened = Opened {
        paths: Vec::new(),
        remarks: Vec::new(),
        folders: Arc::new(folders),
    };
    for found in by_flag(&opened.folders, options)? {
        opened.take(doors, Ok(found));
    }
    let author = author(&configured.loaded);
    for written in &configured.resolved.add_dirs {
        let found = opened.folders.find(written, author);
        opened.take(doors, found);
    }
    for found in recorded(&opened.folders, settings) {
        opened.take(doors, found);
    }
    Ok(opened)
}

/// Those on the record of a session. An imported one says no provider, and opens
/// no folder either.
pub fn recorded(folders: &Folders, session: Option<&Settings>) -> Vec<Result<AddedFolder, String>> {
    let own = session.filter(|session| !session.provider.is_empty());
    let written = own.into_iter().flat_map(|session| &session.add_dirs);
    written
        .map(|written| folders.find(written, Author::User))
        .collect()
}

/// Those of the flags. Whoever writes one is told at once what is wrong with it.
pub fn by_flag(folders: &Folders, options: &Options) -> Result<Vec<AddedFolder>, CliError> {
    let found = options.add_dirs.iter().map(|written| {
        let written = std::path::absolute(written)?;
        folders
            .find(&written.to_string_lossy(), Author::User)
            .map_err(|why| CliError::usage(format!("--add-dir: {why}")))
    });
    found.collect()
}

/// Who wrote the list that holds.
pub fn author(loaded: &Loaded) -> Author {
    match loaded.get("add_dirs") {
        Some((
            _,
            Origin::File {
                layer: Layer::Project,
                ..
            },
        )) => Author::Project,
        _ => Author::User,
    }
}

impl Opened {
    fn take(&mut self, doors: Doors<'_>, found: Result<AddedFolder, String>) {
        let opened = found.and_then(|found| folders::open(doors.0, doors.1, found));
        match opened {
            Ok(path) => {
                let path = path.to_string_lossy().into_owned();
                if !self.paths.contains(&path) {
                    self.paths.push(path);
                }
            }
            Err(why) => self.remarks.push(format!("Folder not added: {why}.")),
        }
    }
}
