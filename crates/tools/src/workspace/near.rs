//! Names like the one that was not found, from the nearest folder that exists.

use super::Workspace;
use super::beneath;
use super::path;
use super::resolve::Place;
use rustix::fs::{Dir, OFlags};
use std::path::Path;

/// A folder with more entries than this is looked at in part.
const LOOKED_AT: usize = 5_000;
const OFFERED: usize = 3;
const ALIKE: f64 = 0.6;

pub(super) fn names(workspace: &Workspace, place: &Place) -> Vec<String> {
    let mut wanted = place.relative.as_path();
    loop {
        let (Some(parent), Some(name)) = (wanted.parent(), wanted.file_name()) else {
            return Vec::new();
        };
        if let Some(found) = entries(workspace, place, parent) {
            return rank(&name.to_string_lossy(), found)
                .into_iter()
                .map(|name| shown(place, parent, &name))
                .collect();
        }
        wanted = parent;
    }
}

fn entries(workspace: &Workspace, place: &Place, folder: &Path) -> Option<Vec<String>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let handle = beneath::open(workspace.resolution, place.door(), folder, flags).ok()?;
    let mut names = Vec::new();
    for entry in Dir::new(handle).ok()?.take(LOOKED_AT) {
        let Ok(name) = entry.map(|entry| entry.file_name().to_string_lossy().into_owned()) else {
            break;
        };
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    Some(names)
}

fn shown(place: &Place, parent: &Path, name: &str) -> String {
    let relative = parent.join(name);
    if place.shown.starts_with('/') {
        let depth = place.relative.components().count();
        let door = place.absolute.ancestors().nth(depth);
        door.unwrap_or(Path::new("/"))
            .join(relative)
            .to_string_lossy()
            .into_owned()
    } else {
        path::shown(&relative)
    }
}

fn rank(wanted: &str, names: Vec<String>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, String)> = names
        .into_iter()
        .map(|name| (likeness(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.truncate(OFFERED);
    scored.into_iter().map(|(_, name)| name).collect()
}

fn likeness(wanted: &str, name: &str) -> f64 {
    let whole = strsim::normalized_damerau_levenshtein(wanted, name);
    // The same name with another ending is the commonest slip.
    let stem = |text: &str| text.split('.').next().unwrap_or(text).to_owned();
    if stem(wanted) == stem(name) && !stem(name).is_empty() {
        return whole.max(0.9);
    }
    whole
}
