//! One configuration file: found, read with a limit, and able to say where a
//! byte stands.

use crate::node::{Node, Trouble};
use crate::owner::is_the_users;
use crate::{ConfigError, Location};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const MAX_BYTES: u64 = 1024 * 1024;
pub(crate) const NAMES: &[&str] = &["tenon.jsonc", "tenon.json", "tenon.toml"];

#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub path: PathBuf,
    pub text: String,
}

/// The one configuration file of a folder, if it has one.
pub(crate) fn find(folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let mut found = NAMES
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.symlink_metadata().is_ok());
    let first = found.next();
    if let (Some(first), Some(second)) = (&first, found.next()) {
        return Err(ConfigError::hinted(
            format!(
                "there are two configurations: {} and {}",
                first.display(),
                second.display()
            ),
            "move what you need into one of them and remove the other",
        ));
    }
    Ok(first)
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError::general(format!("can't read {}: {error}", path.display()))
}

impl Source {
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::read_if(path, |_| Ok(()))
    }

    /// One that decides for the user: nobody else may have written it.
    pub(crate) fn read_own(path: &Path) -> Result<Self, ConfigError> {
        Self::read_if(path, |file| {
            let about = file.metadata().map_err(|error| unreadable(path, &error))?;
            is_the_users(&about).map_err(|why| {
                ConfigError::hinted(
                    format!("Tenon doesn't trust {}: {why}", path.display()),
                    format!(
                        "read it; if you agree with it, make it yours: `chown $(id -u) {0}` and `chmod go-w {0}`",
                        path.display()
                    ),
                )
            })
        })
    }

    fn read_if(
        path: &Path,
        is_good: impl FnOnce(&File) -> Result<(), ConfigError>,
    ) -> Result<Self, ConfigError> {
        let file = tenon_files::open(path).map_err(|error| unreadable(path, &error))?;
        is_good(&file)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(path, &error))?;
        Self::from_bytes(path, bytes)
    }

    /// The same from bytes that were read before.
    pub(crate) fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(ConfigError::general(format!(
                "{} is larger than 1 MiB, which is too large for a configuration",
                path.display()
            )));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
            ConfigError::hinted(
                format!("{}:{line}: this line isn't UTF-8", path.display()),
                "save the file as UTF-8",
            )
        })?;
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    /// `None` for a file without any value.
    pub(crate) fn parse(&self) -> Result<Option<Node>, ConfigError> {
        let extension = self.path.extension().and_then(|ending| ending.to_str());
        let parsed = match extension {
            Some("toml") => crate::toml::parse(&self.text),
            Some("json" | "jsonc") => crate::jsonc::parse(&self.text),
            _ => {
                return Err(ConfigError::general(format!(
                    "the name {} must end in .jsonc, .json or .toml",
                    self.path.display()
                )));
            }
        };
        parsed.map_err(|trouble| self.error(trouble))
    }

    pub(crate) fn error(&self, trouble: Trouble) -> ConfigError {
        ConfigError::InFile {
            at: self.locate(trouble.at),
            message: trouble.message,
            hint: trouble.hint,
        }
    }

    pub(crate) fn locate(&self, at: usize) -> Location {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        Location {
            path: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: self.text[start..at].chars().count() + 1,
            source: shown(line),
        }
    }
}

/// A line of a foreign file, fit for a screen. A line that may hold a key ends
/// where the value begins.
fn shown(line: &str) -> String {
    const MAX: usize = 160;
    let folded = line.to_ascii_lowercase();
    let private = ["api_key", "authorization", "token", "secret", "password"]
        .iter()
        .any(|word| folded.contains(word));
    let visible = match line.find([':', '=']).filter(|_| private) {
        Some(at) => &line[..=at],
        None => line,
    };
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut text: String = visible.chars().take(MAX).map(plain).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}
