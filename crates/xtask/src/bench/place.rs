//! Where a measurement happens: the programs, and a folder of its own for each
//! so that no session or cache of one weighs on another.

use super::build;
use super::measure::{Cost, Invocation};
use crate::repository::Repository;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Bench {
    pub tenon: PathBuf,
    pub baseline: PathBuf,
    pub repository: Repository,
    pub folder: PathBuf,
}

impl Bench {
    /// The example of the policy that times a decision.
    pub fn decide(&self) -> Result<PathBuf> {
        build::example(&self.repository, "tenon-policy", "decide")
    }

    /// The example of the model crate that times the wire formats.
    pub fn codecs(&self) -> Result<PathBuf> {
        build::example(&self.repository, "tenon-model", "codecs")
    }

    /// The example of the tools crate that times a look at a tree.
    pub fn scan(&self) -> Result<PathBuf> {
        build::example(&self.repository, "tenon-tools", "scan")
    }

    /// The example of the tools crate that times commands that only read.
    pub fn reading(&self) -> Result<PathBuf> {
        build::example(&self.repository, "tenon-tools", "reading")
    }

    /// An empty folder with a project and a home in it.
    pub fn fresh(&self, name: &str) -> Result<Place> {
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let place = Place {
            home: folder.join("home"),
            project: folder.join("project"),
            folder,
        };
        fs::create_dir_all(&place.home)?;
        fs::create_dir_all(&place.project)?;
        // The scripted conversations are told apart by their length, so nothing
        // may shorten them.
        place.configure(r#"{"compaction": {"auto": false}, "context": {"window": 10000000}}"#)?;
        Ok(place)
    }

    /// A folder that stays from one bench to the next, because it takes long to
    /// fill. `fill` is asked when it was not filled to the end, and says what to
    /// remember.
    pub fn kept(
        &self,
        name: &str,
        fill: impl FnOnce(&Place) -> Result<String>,
    ) -> Result<(Place, String)> {
        let folder = self.folder.join(name);
        let done = folder.join("done");
        if let Ok(remembered) = fs::read_to_string(&done) {
            let place = Place {
                home: folder.join("home"),
                project: folder.join("project"),
                folder,
            };
            return Ok((place, remembered));
        }
        let place = self.fresh(name)?;
        let remember = fill(&place)?;
        fs::write(done, &remember)?;
        Ok((place, remember))
    }

    pub fn tenon(&self, place: &Place, words: &[&str]) -> Invocation {
        Invocation::new(&self.tenon, words)
            .variable("HOME", &place.home)
            .variable("TENON_HOME", &place.home)
    }

    /// `tenon exec` in the project of the place, against a server.
    pub fn exec(&self, place: &Place, base_url: &str, words: &[&str]) -> Invocation {
        let root = place.project.to_string_lossy();
        let mut all = vec!["exec", "--yes", "--root", &root];
        all.extend(words);
        self.tenon(place, &all).toward(base_url)
    }

    /// The same without walls around commands: they are measured by themselves.
    pub fn bare(&self, place: &Place, base_url: &str, words: &[&str]) -> Result<Invocation> {
        let config = place.write("bare.jsonc", r#"{"sandbox": {"mode": "off"}}"#)?;
        let config = config.to_string_lossy();
        let mut all = vec!["--config", &config];
        all.extend(words);
        Ok(self.exec(place, base_url, &all))
    }

    pub fn baseline(&self, words: &[&str]) -> Invocation {
        Invocation::new(&self.baseline, words)
    }

    pub fn least(&self, invocation: &Invocation, runs: usize) -> Result<Cost> {
        invocation.least_cost(&self.figures(), runs)
    }

    pub fn once(&self, invocation: &Invocation) -> Result<Cost> {
        invocation.cost(&self.figures())
    }

    fn figures(&self) -> PathBuf {
        self.folder.join("figures.json")
    }
}

impl Invocation {
    pub fn toward(self, base_url: &str) -> Self {
        self.variable("TENON_BASE_URL", base_url)
            .variable("TENON_MODEL", "mock-model")
    }
}

#[derive(Debug)]
pub struct Place {
    pub folder: PathBuf,
    pub home: PathBuf,
    pub project: PathBuf,
}

impl Place {
    /// Replaces the configuration of the user.
    pub fn configure(&self, text: &str) -> Result<()> {
        Ok(fs::write(self.home.join("tenon.jsonc"), text)?)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.file(name);
        fs::write(&path, text)?;
        Ok(path)
    }
}

pub fn megabytes(path: &Path) -> Result<f64> {
    Ok(fs::metadata(path)?.len() as f64 / 1e6)
}
