//! Finds the tools that people added: those of the user and those of a trusted
//! project. Reads each folder once; what was hashed is what runs.

use crate::error::CliError;
use crate::place::Place;
use crate::trust::{self, Accept, Whose};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_config::{Loaded, Snapshot, Standing, TrustAnswer, TrustSubject};
use tenon_tools::custom::FolderFile;
use tenon_tools::{CustomTools, ToolFolder, Toolbox};

/// The folder of the user's own tools.
pub fn folder(place: &Place) -> PathBuf {
    place.paths.config.join("tools")
}

/// The user's own tools, and whether they were accepted (T22).
#[derive(Debug, Clone, Default)]
pub struct UserTools {
    pub snapshot: Option<Arc<Snapshot>>,
    pub standing: Standing,
    trouble: Option<String>,
}

impl UserTools {
    pub fn find(place: &Place, accept: Accept) -> Result<Self, CliError> {
        let folder = folder(place);
        let snapshot = match Snapshot::read(&folder) {
            Ok(Some(snapshot)) if !snapshot.is_empty() => snapshot,
            Ok(_) => return Ok(Self::default()),
            Err(error) => {
                let trouble = format!("{} is ignored: {error}", folder.display());
                return Ok(Self {
                    trouble: Some(trouble),
                    ..Self::default()
                });
            }
        };
        let mut trouble = None;
        let standing = match snapshot.hash() {
            None => Standing::Impossible(format!(
                "can't use {}: {}",
                folder.display(),
                snapshot.incomplete().unwrap_or_default()
            )),
            Some(hash) => {
                if accept == Accept::Now {
                    let whose = Whose::UserTools(folder.clone());
                    let lines = trust::user_lines(&snapshot);
                    trust::record(place, &whose, hash, &lines, TrustAnswer::Trusted)?;
                }
                match trust::store(place).answer(TrustSubject::UserTools(&folder), hash) {
                    Ok(Some(TrustAnswer::Trusted)) => Standing::Trusted,
                    Ok(Some(TrustAnswer::Refused)) => Standing::Refused,
                    Ok(None) => Standing::Unknown,
                    Err(error) => {
                        trouble = Some(error.to_string());
                        Standing::Unknown
                    }
                }
            }
        };
        Ok(Self {
            snapshot: Some(Arc::new(snapshot)),
            standing,
            trouble,
        })
    }
}

/// All tools that may be used, in the order in which they claim their names.
#[derive(Debug, Clone, Default)]
pub struct Custom {
    pub user: UserTools,
    users: CustomTools,
    projects: CustomTools,
}

impl Custom {
    pub fn find(place: &Place, loaded: &Loaded, accept: Accept) -> Result<Self, CliError> {
        let user = UserTools::find(place, accept)?;
        let store = place.paths.cache.join("tools");
        let make = |snapshot: Option<&Arc<Snapshot>>, prefix: &str, place: &Path| {
            let folders = snapshot.map(|snapshot| folders(snapshot, prefix, place));
            CustomTools::new(folders.unwrap_or_default(), store.clone())
        };
        let users = match user.standing {
            Standing::Trusted => make(user.snapshot.as_ref(), "", &folder(place)),
            _ => CustomTools::default(),
        };
        let project = loaded.project();
        let projects = if project.is_trusted() {
            make(
                project.snapshot.as_ref(),
                "tools/",
                Path::new(".tenon/tools"),
            )
        } else {
            CustomTools::default()
        };
        Ok(Self {
            user,
            users,
            projects,
        })
    }

    /// Adds them after the tools that are there: built-in names win, then the
    /// user's (E11). Gives what the user should know.
    pub fn add_to(&self, toolbox: &mut Toolbox) -> Vec<String> {
        let mut told: Vec<String> = self.user.trouble.iter().cloned().collect();
        for source in [&self.users, &self.projects] {
            told.extend(source.refused.iter().cloned());
            for name in toolbox.add(source) {
                let place = source.place_of(&name).unwrap_or_default();
                told.push(format!(
                    "the tool `{name}` of {place} is ignored: the name is taken"
                ));
            }
        }
        told
    }
}

fn folders(snapshot: &Snapshot, prefix: &str, place: &Path) -> Vec<ToolFolder> {
    snapshot
        .folders(prefix)
        .into_iter()
        .map(|name| {
            let below = format!("{prefix}{name}/");
            let files: BTreeMap<String, FolderFile> = snapshot
                .below(&below)
                .map(|(path, file)| {
                    let file = FolderFile {
                        bytes: Arc::clone(&file.bytes),
                        executable: file.executable,
                    };
                    (path.to_owned(), file)
                })
                .collect();
            ToolFolder {
                place: place.join(&name).display().to_string(),
                name,
                files,
            }
        })
        .collect()
}

/// What each tool of a folder says of itself and would run, a line each.
pub fn lines(snapshot: &Snapshot, prefix: &str, place: &Path) -> Vec<String> {
    folders(snapshot, prefix, place)
        .iter()
        .map(|folder| match folder.manifest() {
            Ok(manifest) => format!(
                "tool `{}` runs {} ({} files in {}): {}",
                manifest.name,
                serde_json::to_string(&manifest.command).unwrap_or_default(),
                folder.files.len(),
                folder.place,
                manifest.description
            ),
            Err(why) => format!("{} is not a tool: {why}", folder.place),
        })
        .collect()
}
