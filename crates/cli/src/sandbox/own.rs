//! Tenon's own folders: commands neither write nor, apart from the
//! configuration, see them.
//!
//! They differ from all else that is protected in one thing: Tenon writes them
//! while commands run. Where walls are lacking, the sandbox puts back what has
//! changed behind a command's back, and would put back the log of the session.
//! So there, and only where such a folder lies in one that commands may write,
//! what changes all the time is left out, and that is said.

use crate::place::Place;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use tenon_engine::prompt::RULES;

pub(super) struct Own {
    config: PathBuf,
    state: PathBuf,
    cache: PathBuf,
    /// The folder of this session, which lies elsewhere when nothing is kept.
    session: Option<PathBuf>,
}

impl Own {
    pub(super) fn of(place: &Place, session: Option<&Path>) -> Self {
        Self {
            config: place.paths.config.clone(),
            state: place.paths.state.clone(),
            cache: place.paths.cache.clone(),
            session: session
                .filter(|folder| !folder.starts_with(&place.paths.state))
                .map(Path::to_owned),
        }
    }

    /// Sessions, grants, trust and history. Where the configuration lies in the
    /// same folder (`TENON_HOME`), that stays readable.
    pub(super) fn hidden(&self) -> Vec<PathBuf> {
        if self.config.starts_with(&self.state) || self.cache.starts_with(&self.state) {
            ["sessions", "grants", "history", "trust.json", "keys.json"]
                .map(|name| self.state.join(name))
                .to_vec()
        } else {
            vec![self.state.clone()]
        }
    }

    /// Makes those that are not there, where commands could make them: what
    /// appears in such a place while a command runs is taken for the command's
    /// and set aside, with the sessions that another Tenon has just begun. Where
    /// it fails, it is as if they were not asked for.
    pub(super) fn make(&self, open: impl Fn(&Path) -> bool) {
        let missing = [&self.config, &self.state, &self.cache]
            .into_iter()
            .filter(|folder| open(folder) && !folder.exists());
        for folder in missing {
            let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        }
    }

    pub(super) fn read_only(&self) -> Vec<PathBuf> {
        [&self.config, &self.state, &self.cache]
            .into_iter()
            .chain(&self.session)
            .cloned()
            .collect()
    }

    /// Takes what changes while commands run out of both lists, where it is
    /// open to them, and puts what rarely does in its place. Gives what was
    /// taken out.
    pub(super) fn release(
        &self,
        read_only: &mut Vec<PathBuf>,
        hidden: &mut Vec<PathBuf>,
        open: impl Fn(&Path) -> bool,
    ) -> Vec<PathBuf> {
        let changing: Vec<PathBuf> = [
            self.state.join("sessions"),
            self.state.join("history"),
            self.cache.clone(),
        ]
        .into_iter()
        .chain(self.session.clone())
        .filter(|path| open(path))
        .collect();
        let holds = |path: &PathBuf| {
            changing
                .iter()
                .any(|own| own.starts_with(path) || path.starts_with(own))
        };
        read_only.retain(|path| !holds(path));
        hidden.retain(|path| !holds(path));
        if !changing.is_empty() {
            read_only.extend(self.settled());
        }
        changing.into_iter().filter(|path| path.exists()).collect()
    }

    /// What decides over what commands may do, or runs.
    fn settled(&self) -> Vec<PathBuf> {
        const OF_CONFIG: [&str; 8] = [
            "tenon.jsonc",
            "tenon.json",
            "tenon.toml",
            RULES,
            "tools",
            "agents",
            "commands",
            "skills",
        ];
        OF_CONFIG
            .iter()
            .map(|name| self.config.join(name))
            .chain(["grants", "trust.json", "keys.json"].map(|name| self.state.join(name)))
            .collect()
    }
}
