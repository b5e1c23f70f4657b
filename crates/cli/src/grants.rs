//! What the user allowed for a project, kept in the state folder and never in
//! the repository.

use crate::error::CliError;
use crate::place::Place;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tenon_engine::GrantSink;
use tenon_policy::{Grant, Grants};

/// A larger file is not ours.
const LARGEST: u64 = 4 * 1024 * 1024;

fn file(place: &Place) -> PathBuf {
    let key = tenon_tools::workspace::sha256(place.root_text().as_bytes());
    place.paths.state.join("grants").join(format!("{key}.json"))
}

/// The grants of this project, which last so long; those that have ended are among
/// them and count for nothing. A file that cannot be read is a warning, and then nothing is
/// granted.
pub fn load(place: &Place, lasting: Duration) -> (Grants, Option<String>) {
    match read(&file(place)) {
        Ok(grants) => (grants.lasting(lasting), None),
        Err(trouble) => (Grants::new(), Some(trouble)),
    }
}

/// Keeps these and no others.
///
/// # Errors
/// When the file cannot be written.
pub fn keep(place: &Place, grants: &Grants) -> Result<(), CliError> {
    write(&file(place), grants).map_err(|error| {
        CliError::runtime(format!("can't write this project's permissions: {error}"))
    })
}

/// Forgets all of them, also those of a damaged file.
///
/// # Errors
/// When the file is there and cannot be removed.
pub fn forget(place: &Place) -> Result<(), CliError> {
    match std::fs::remove_file(file(place)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CliError::runtime(
            format!("can't remove this project's permissions: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Stores a grant as soon as it is given.
pub fn sink(place: &Place) -> GrantSink {
    let path = file(place);
    Arc::new(move |grant: &Grant| {
        // A grant that cannot be stored still holds for this session.
        let mut grants = read(&path).unwrap_or_default();
        grants.add(grant.clone());
        let _ = write(&path, &grants);
    })
}

fn read(path: &Path) -> Result<Grants, String> {
    let unreadable =
        |error: std::io::Error| format!("can't read this project's permissions: {error}");
    let file = match tenon_files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Grants::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let about = file.metadata().map_err(unreadable)?;
    tenon_config::is_the_users(&about).map_err(|why| {
        format!(
            "this project's permissions are ignored: Tenon doesn't trust {} ({why}); delete it",
            path.display()
        )
    })?;
    let mut text = String::new();
    file.take(LARGEST)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    let value = serde_json::from_str(&text)
        .map_err(|error| format!("the file with this project's permissions is damaged: {error}"))?;
    Grants::from_json(&value).map_err(|error| error.to_string())
}

fn write(path: &Path, grants: &Grants) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // 0600 by default, and never half a file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(grants.to_json().to_string().as_bytes())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
