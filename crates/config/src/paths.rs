//! Where things are kept (N2), from an environment that was captured once.

use crate::ConfigError;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The environment of the process. Its values may be keys, so only names are
/// ever shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Env(BTreeMap<String, String>);

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl FromIterator<(String, String)> for Env {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl Env {
    #[must_use]
    pub fn new(variables: BTreeMap<String, String>) -> Self {
        Self(variables)
    }

    /// A variable that is set to nothing counts as not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The same with one variable set.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Unix,
    MacOs,
    Windows,
}

impl Platform {
    #[must_use]
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Unix
        }
    }
}

/// The three folders of the program. With `TENON_HOME` they are one: its files
/// beside `sessions/`, `grants/` and `cache/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub config: PathBuf,
    pub state: PathBuf,
    pub cache: PathBuf,
    /// What the administrator of this machine decided (G13). The same for
    /// everybody and never from the environment: whoever could move it could
    /// escape it. Only tests set another.
    pub managed: PathBuf,
}

const MANAGED: &str = "/etc/tenon/managed.jsonc";

impl Paths {
    /// # Errors
    /// When there is no home, or `TENON_HOME` is not absolute.
    pub fn from_env(env: &Env) -> Result<Self, ConfigError> {
        Self::on(Platform::current(), env)
    }

    /// The same for a named platform.
    ///
    /// # Errors
    /// As [`Paths::from_env`].
    pub fn on(platform: Platform, env: &Env) -> Result<Self, ConfigError> {
        let mut paths = match env.get("TENON_HOME") {
            Some(home) => {
                let home = absolute(platform, "TENON_HOME", home)?;
                Self {
                    cache: home.join("cache"),
                    state: home.clone(),
                    config: home,
                    managed: PathBuf::from(MANAGED),
                }
            }
            None => Self::of_platform(platform, env)?,
        };
        if let Some(cache) = env.get("TENON_CACHE_DIR") {
            paths.cache = absolute(platform, "TENON_CACHE_DIR", cache)?;
        }
        Ok(paths)
    }

    fn of_platform(platform: Platform, env: &Env) -> Result<Self, ConfigError> {
        match platform {
            Platform::Unix => {
                // The XDG rules: what is not absolute is ignored.
                let folder = |name: &str, below: &str| {
                    env.get(name)
                        .filter(|value| value.starts_with('/'))
                        .map(PathBuf::from)
                        .map_or_else(|| Ok(home(env, "HOME")?.join(below)), Ok)
                };
                Ok(Self {
                    config: folder("XDG_CONFIG_HOME", ".config")?.join("tenon"),
                    state: folder("XDG_STATE_HOME", ".local/state")?.join("tenon"),
                    cache: folder("XDG_CACHE_HOME", ".cache")?.join("tenon"),
                    managed: PathBuf::from(MANAGED),
                })
            }
            Platform::MacOs => {
                let library = home(env, "HOME")?.join("Library");
                let support = library.join("Application Support").join("tenon");
                Ok(Self {
                    state: support.join("state"),
                    config: support,
                    cache: library.join("Caches").join("tenon"),
                    managed: PathBuf::from(MANAGED),
                })
            }
            Platform::Windows => {
                let local = home(env, "LOCALAPPDATA")?.join("tenon");
                Ok(Self {
                    config: home(env, "APPDATA")?.join("tenon"),
                    state: local.join("state"),
                    cache: local.join("cache"),
                    managed: PathBuf::from("C:\\ProgramData\\tenon\\managed.jsonc"),
                })
            }
        }
    }
}

fn home(env: &Env, name: &str) -> Result<PathBuf, ConfigError> {
    env.get(name).map(PathBuf::from).ok_or_else(|| {
        ConfigError::hinted(
            format!("Tenon has no folder for its files: `{name}` isn't set"),
            format!("set `{name}`, or set TENON_HOME to a folder of your choice"),
        )
    })
}

fn absolute(platform: Platform, name: &str, value: &str) -> Result<PathBuf, ConfigError> {
    let drive = value.as_bytes().get(1) == Some(&b':');
    let fine = value.starts_with('/')
        || (platform == Platform::Windows && (drive || value.starts_with('\\')));
    if fine {
        return Ok(PathBuf::from(value));
    }
    Err(ConfigError::hinted(
        format!("`{name}` is `{value}`, which isn't an absolute path"),
        format!("set `{name}` to a path that starts with /"),
    ))
}
