//! The desktop's own store of secrets, through the command that comes with it:
//! `secret-tool` (GNOME Keyring, KWallet and others over the session bus) or
//! macOS' `security`. A secret is given on standard input and never as an
//! argument, which every process of the machine could read.

use crate::place::Place;
use crate::sandbox;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenon_tools::Jobs;
use tenon_tools::jobs::{Ended, Input, RunOutcome, RunSpec, Secrets, Walls};
use tenon_transport::Secret;
use tokio_util::sync::CancellationToken;

/// The desktop may ask a person for the password of the store.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a store may hold for us: the tokens of a login.
const MOST: usize = 512 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    SecretTool,
    Security,
}

/// One secret of the store, named as the keyring libraries name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    service: String,
    account: String,
}

impl Item {
    pub fn new(service: impl Into<String>, account: impl Into<String>) -> Self {
        Self {
            service: service.into(),
            account: account.into(),
        }
    }

    /// The key of a provider.
    pub fn key_of(provider: &str) -> Self {
        Self::new("tenon", provider)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tool} failed: {why}")]
pub struct DesktopError {
    tool: &'static str,
    /// Never what it printed on standard output.
    why: String,
}

/// A store that seems to be there. Whether it works is seen when it is used.
#[derive(Clone)]
pub struct Desktop {
    tool: Tool,
    jobs: Jobs,
    cwd: PathBuf,
}

impl std::fmt::Debug for Desktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Desktop").field(&self.tool).finish()
    }
}

impl Desktop {
    /// Starts nothing.
    pub fn find(place: &Place, jobs: &Jobs) -> Option<Self> {
        let tool = if cfg!(target_os = "macos") {
            Tool::Security
        } else {
            Tool::SecretTool
        };
        let here = on_path(place, tool.name());
        // Without a bus the command would wait for one, or start a new one.
        let usable = here && (tool == Tool::Security || has_bus(place));
        usable.then(|| Self {
            tool,
            jobs: jobs.clone(),
            cwd: place.root.clone(),
        })
    }

    pub fn name(&self) -> &'static str {
        self.tool.name()
    }

    /// # Errors
    /// When the store does not answer. That it has none is no error.
    pub async fn get(&self, item: &Item) -> Result<Option<Secret>, DesktopError> {
        let arguments = match self.tool {
            Tool::SecretTool => format!("lookup {}", attributes(item)),
            Tool::Security => format!("find-generic-password {} -w", flags(item)),
        };
        let outcome = self.run(&arguments, Input::Nothing).await;
        let printed = outcome.output.stdout.head.trim().to_owned();
        match outcome.exit_code() {
            Some(0) if !printed.is_empty() => Ok(Some(Secret::new(printed))),
            Some(0) => Ok(None),
            Some(code) if self.is_absent(code, &outcome) => Ok(None),
            _ => Err(self.failed(&outcome)),
        }
    }

    /// # Errors
    /// When the store does not take it.
    pub async fn set(&self, item: &Item, secret: &Secret) -> Result<(), DesktopError> {
        let (arguments, input) = match self.tool {
            Tool::SecretTool => (
                format!(
                    "store --label={} {}",
                    quoted(&format!("Tenon: key of {}", item.account)),
                    attributes(item)
                ),
                secret.expose().to_owned(),
            ),
            // Its commands can be given on standard input, the secret as hex.
            Tool::Security => (
                String::from("-i"),
                format!(
                    "add-generic-password -U {} -X {}\n",
                    flags(item),
                    hex(secret.expose().as_bytes())
                ),
            ),
        };
        let outcome = self.run(&arguments, Input::Bytes(input.into_bytes())).await;
        match outcome.exit_code() {
            // Some stores take it and drop it: only what comes back is kept.
            Some(0) => match self.get(item).await? {
                Some(kept) if kept == *secret => Ok(()),
                _ => Err(DesktopError {
                    tool: self.name(),
                    why: String::from("it did not save the key"),
                }),
            },
            _ => Err(self.failed(&outcome)),
        }
    }

    /// # Errors
    /// When the store does not answer.
    pub async fn remove(&self, item: &Item) -> Result<(), DesktopError> {
        let arguments = match self.tool {
            Tool::SecretTool => format!("clear {}", attributes(item)),
            Tool::Security => format!("delete-generic-password {}", flags(item)),
        };
        let outcome = self.run(&arguments, Input::Nothing).await;
        match outcome.exit_code() {
            Some(0) => Ok(()),
            Some(code) if self.is_absent(code, &outcome) => Ok(()),
            _ => Err(self.failed(&outcome)),
        }
    }

    /// `secret-tool` ends with 1 both when there is none and when it fails, but
    /// says why only in the second case.
    fn is_absent(&self, code: i32, outcome: &RunOutcome) -> bool {
        match self.tool {
            Tool::SecretTool => code == 1 && outcome.output.stderr.head.trim().is_empty(),
            Tool::Security => code == 44,
        }
    }

    async fn run(&self, arguments: &str, input: Input) -> RunOutcome {
        let spec = RunSpec {
            walls: Walls::Outside,
            secrets: Secrets::Exact,
            environment: self.jobs.withheld(sandbox::whole_environment()),
            timeout: Some(PATIENCE),
            kept_bytes: MOST,
            output_bytes: MOST,
            input,
            ..RunSpec::new(format!("{} {arguments}", self.name()), self.cwd.clone())
        };
        self.jobs
            .run(spec, &CancellationToken::new(), &|_, _| {})
            .await
    }

    fn failed(&self, outcome: &RunOutcome) -> DesktopError {
        let said = outcome
            .output
            .stderr
            .head
            .lines()
            .next()
            .unwrap_or_default();
        let why = match &outcome.ended {
            Ended::TimedOut => format!("no answer within {} s", PATIENCE.as_secs()),
            Ended::NotStarted(error) => error.to_string(),
            _ if said.trim().is_empty() => String::from("it printed nothing"),
            _ => said.trim().chars().take(200).collect(),
        };
        DesktopError {
            tool: self.name(),
            why,
        }
    }
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Self::SecretTool => "secret-tool",
            Self::Security => "security",
        }
    }
}

fn attributes(item: &Item) -> String {
    format!(
        "service {} username {}",
        quoted(&item.service),
        quoted(&item.account)
    )
}

fn flags(item: &Item) -> String {
    format!("-s {} -a {}", quoted(&item.service), quoted(&item.account))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn on_path(place: &Place, name: &str) -> bool {
    let path = place.env.get("PATH").unwrap_or_default();
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .any(|folder| folder.join(name).is_file())
}

fn has_bus(place: &Place) -> bool {
    let socket = |folder: &str| Path::new(folder).join("bus").exists();
    place.env.get("DBUS_SESSION_BUS_ADDRESS").is_some()
        || place.env.get("XDG_RUNTIME_DIR").is_some_and(socket)
}

#[cfg(test)]
mod tests {
    use super::{Item, attributes, hex};

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        let item = Item::new("Codex Auth", "it's; rm -rf $HOME");
        assert_eq!(
            attributes(&item),
            r"service 'Codex Auth' username 'it'\''s; rm -rf $HOME'"
        );
        assert_eq!(hex("aß".as_bytes()), "61c39f");
    }
}
