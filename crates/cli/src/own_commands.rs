//! The commands that people wrote for themselves: those of the user, and those of
//! a project that is trusted.

use crate::place::Place;
use std::path::Path;
use tenon_config::{CommandPlaces, Commands, Loaded, commands};
use tenon_engine::slash::{Own, SLASH};

pub fn find(place: &Place, loaded: &Loaded) -> Commands {
    let reserved: Vec<&str> = SLASH.iter().flat_map(Own::names).collect();
    let project = loaded.project();
    let trusted = project.snapshot.as_deref().filter(|_| project.is_trusted());
    let home = place.env.get("HOME").map(Path::new);
    commands(&CommandPlaces {
        config: &place.paths.config,
        home,
        project: trusted,
        reserved: &reserved,
    })
}
