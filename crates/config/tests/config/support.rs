//! A home, a project and an environment of one test's own.

use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tenon_config::{
    Choice, ConfigError, Env, Loaded, Paths, ProjectTrust, Resolved, Sources, load, resolve,
};

pub struct World {
    folder: TempDir,
    env: Vec<(String, String)>,
    extra: Option<PathBuf>,
    flags: Vec<(String, Value)>,
    trust: ProjectTrust,
}

impl World {
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    pub fn below(place: &Path) -> Self {
        let folder = TempDir::new_in(place).unwrap();
        for name in ["home", "root/.tenon", "etc"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            env: Vec::new(),
            extra: None,
            flags: Vec::new(),
            trust: ProjectTrust::Untrusted,
        }
    }

    pub fn trust(mut self, trust: ProjectTrust) -> Self {
        self.trust = trust;
        self
    }

    /// What the administrator wrote; believed only where the tests run as root.
    pub fn managed(self, content: &str) -> Self {
        self.file("etc/managed.jsonc", content)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    /// The user's own configuration.
    pub fn user(self, content: &str) -> Self {
        self.file("home/tenon.jsonc", content)
    }

    pub fn project(self, content: &str) -> Self {
        self.file("root/.tenon/tenon.jsonc", content)
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn extra(mut self, content: &str) -> Self {
        self = self.file("extra.json", content);
        self.extra = Some(self.path("extra.json"));
        self
    }

    pub fn flag(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.flags.push((key.into(), value.into()));
        self
    }

    pub fn sources(&self) -> Sources {
        let mut env = self.env.clone();
        let home = self.path("home").to_string_lossy().into_owned();
        env.push(("TENON_HOME".into(), home));
        let env: Env = env.into_iter().collect();
        Sources {
            paths: Paths {
                // Never that of the machine which runs the tests.
                managed: self.path("etc/managed.jsonc"),
                ..Paths::from_env(&env).unwrap()
            },
            root: self.path("root"),
            trust: self.trust,
            env,
            extra: self.extra.clone(),
            flags: self.flags.clone(),
        }
    }

    pub fn load(&self) -> Result<Loaded, ConfigError> {
        load(&self.sources())
    }

    pub fn loaded(&self) -> Loaded {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn resolve(&self) -> Result<Resolved, ConfigError> {
        self.resolve_with(&Choice::default())
    }

    pub fn resolve_with(&self, choice: &Choice) -> Result<Resolved, ConfigError> {
        resolve(&self.load()?, choice)
    }

    pub fn resolved(&self) -> Resolved {
        self.resolve().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The error's text, with the folder of the test written as `W`.
    pub fn error(&self) -> String {
        let error = match self.resolve() {
            Ok(_) => panic!("it should have failed"),
            Err(error) => error.to_string(),
        };
        error.replace(&*self.folder.path().to_string_lossy(), "W")
    }

    pub fn short(&self, path: &Path) -> String {
        path.to_string_lossy()
            .replace(&*self.folder.path().to_string_lossy(), "W")
    }
}

pub fn provider(name: &str) -> Choice {
    Choice {
        provider: Some(name.into()),
        model: None,
    }
}
