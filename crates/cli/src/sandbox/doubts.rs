//! Paths of the configuration that do not do what whoever wrote them expects:
//! for `tenon doctor`, since a session passes over them in silence.

use super::Ground;
use crate::place::Place;
use std::path::Path;
use tenon_config::SandboxSettings;

/// One entry of a list below `sandbox` that has no effect, or too much of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `sandbox.writable` and the like.
    pub key: &'static str,
    /// As it is written there.
    pub entry: String,
    pub why: &'static str,
    pub advice: &'static str,
}

pub fn find(place: &Place, settings: &SandboxSettings) -> Vec<Doubt> {
    type Look = fn(&Path, &Place) -> Option<(&'static str, &'static str)>;
    let lists: [(&'static str, &[String], Look); 3] = [
        ("sandbox.writable", &settings.writable, of_writable),
        ("sandbox.hidden", &settings.hidden, of_hidden),
        ("sandbox.show", &settings.show, of_shown),
    ];
    let ground = Ground::of(place, settings);
    let mut doubts = Vec::new();
    for (key, entries, look) in lists {
        for entry in entries {
            if let Some((why, advice)) = look(&ground.written(entry), place) {
                doubts.push(Doubt {
                    key,
                    entry: entry.clone(),
                    why,
                    advice,
                });
            }
        }
    }
    doubts
}

const ABSENT: &str = "does not exist";
const MAKE_IT: &str =
    "create it, or correct the path; only paths that exist when a session starts count";

fn is_absent(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

fn of_writable(path: &Path, _: &Place) -> Option<(&'static str, &'static str)> {
    if is_absent(path) {
        return Some((ABSENT, MAKE_IT));
    }
    path.parent().is_none().then_some((
        "is the whole disk, so commands do not run",
        "name the folders that commands need, or set `sandbox.mode` to `off`",
    ))
}

fn of_hidden(path: &Path, place: &Place) -> Option<(&'static str, &'static str)> {
    if is_absent(path) {
        return Some((ABSENT, MAKE_IT));
    }
    place.root.starts_with(path).then_some((
        "contains the project, so it is not hidden",
        "name what to hide inside it",
    ))
}

fn of_shown(path: &Path, _: &Place) -> Option<(&'static str, &'static str)> {
    is_absent(path).then_some((ABSENT, "correct the path, or remove the entry"))
}
