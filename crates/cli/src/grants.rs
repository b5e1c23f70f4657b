//! What the user allowed for a project, kept in the state folder and never in
//! the repository.

use crate::place::Place;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_engine::GrantSink;
use tenon_policy::{Grant, Grants};

fn file(place: &Place) -> PathBuf {
    let key = tenon_tools::workspace::sha256(place.root_text().as_bytes());
    place.paths.state.join("grants").join(format!("{key}.json"))
}

/// The grants of this project, without those that have ended; a file that cannot
/// be read is a warning, and then nothing is granted.
pub fn load(place: &Place) -> (Grants, Option<String>) {
    match std::fs::read_to_string(file(place)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Grants::new(), None),
        Err(error) => (
            Grants::new(),
            Some(format!(
                "the grants of this project cannot be read: {error}"
            )),
        ),
        Ok(text) => match parse(&text) {
            Ok(grants) => (grants, None),
            Err(error) => (Grants::new(), Some(error)),
        },
    }
}

fn parse(text: &str) -> Result<Grants, String> {
    let value = serde_json::from_str(text)
        .map_err(|error| format!("the file of grants is damaged: {error}"))?;
    Grants::from_json(&value).map_err(|error| error.to_string())
}

/// Stores a grant as soon as it is given.
pub fn sink(place: &Place) -> GrantSink {
    let path = file(place);
    Arc::new(move |grant: &Grant| {
        // A grant that cannot be stored still holds for this session.
        let _ = store(&path, grant);
    })
}

fn store(path: &Path, grant: &Grant) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut grants = std::fs::read_to_string(path)
        .ok()
        .and_then(|text| parse(&text).ok())
        .unwrap_or_default();
    grants.add(grant.clone());
    // 0600 by default, and never half a file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(grants.to_json().to_string().as_bytes())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
