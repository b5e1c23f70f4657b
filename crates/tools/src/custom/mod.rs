//! Tools that people add without writing Rust (T16, T22): a folder with a
//! manifest and a program, called with JSON on standard input, answered on
//! standard output. They take the way of every tool: the same gate, the same
//! runner, the same walls.
//!
//! Whether a folder may be used at all is decided before it comes here. What
//! comes here are bytes that were read once; the program that runs is made of
//! those bytes and not of what the folder holds by then.

mod answer;
mod layout;
mod manifest;

pub use layout::FolderFile;
pub use manifest::{MANIFEST, Manifest, is_name};

use crate::builtin::facts;
use crate::contract::{Host, Tool, ToolSource};
use crate::jobs::{Input, Leftovers, RunSpec};
use crate::workspace::Workspace;
use layout::{Laid, lay_out};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tenon_policy::{Facts, Subject};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::OnTimeout;
use tenon_vocab::{Display, Effect, ErrorCode, ToolDelta, ToolOutput, ToolSpec, ToolStream};

/// What a tool may answer as one JSON value.
const ANSWER: usize = 1024 * 1024;

/// One tool's folder, as it was read.
#[derive(Debug, Clone)]
pub struct ToolFolder {
    /// The folder's own name, which is the tool's.
    pub name: String,
    /// For people: `.tenon/tools/lint`.
    pub place: String,
    /// By their path in the folder.
    pub files: BTreeMap<String, FolderFile>,
}

impl ToolFolder {
    /// What the folder says of itself.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence without the place.
    pub fn manifest(&self) -> Result<Manifest, String> {
        let file = self
            .files
            .get(MANIFEST)
            .ok_or_else(|| format!("there is no {MANIFEST}"))?;
        let manifest = Manifest::parse(&self.name, &file.bytes)?;
        manifest.fits(&self.files)?;
        Ok(manifest)
    }
}

/// A tool made of a folder.
#[derive(Debug)]
pub struct CustomTool {
    spec: ToolSpec,
    manifest: Manifest,
    place: String,
    files: Arc<BTreeMap<String, FolderFile>>,
    /// Where its program is laid out for a call.
    store: PathBuf,
}

/// The tools of some folders.
#[derive(Debug, Clone, Default)]
pub struct CustomTools {
    tools: Vec<Arc<CustomTool>>,
    /// Folders that are no tools, with the reason.
    pub refused: Vec<String>,
}

impl CustomTools {
    /// `store` is a folder that commands inside the walls may read and not
    /// write; it is made when the first tool is called.
    #[must_use]
    pub fn new(folders: Vec<ToolFolder>, store: PathBuf) -> Self {
        let mut found = Self::default();
        for folder in folders {
            match folder.manifest() {
                Ok(manifest) => found.tools.push(Arc::new(CustomTool {
                    spec: ToolSpec {
                        name: manifest.name.clone(),
                        description: manifest.description.clone(),
                        parameters: manifest.parameters.clone(),
                        effect: manifest.effect,
                        source: String::from("custom"),
                    },
                    manifest,
                    place: folder.place,
                    files: Arc::new(folder.files),
                    store: store.clone(),
                })),
                Err(why) => found
                    .refused
                    .push(format!("{} is not a tool: {why}", folder.place)),
            }
        }
        found
    }

    /// Where a tool of this name comes from.
    #[must_use]
    pub fn place_of(&self, name: &str) -> Option<&str> {
        self.tools
            .iter()
            .find(|tool| tool.spec.name == name)
            .map(|tool| tool.place.as_str())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl ToolSource for CustomTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools
            .iter()
            .map(|tool| Arc::clone(tool) as Arc<dyn Tool>)
            .collect()
    }
}

impl Tool for CustomTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Always as something that runs: that a tool only reads is its own claim,
    /// and nothing but the order of calls rests on it.
    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        let mut facts = facts(&self.spec, Subject::Nothing, input);
        facts.effect = Effect::Execute;
        facts
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Text {
            summary: format!(
                "{} ({}) runs {}",
                self.spec.name,
                self.place,
                self.manifest.command.join(" ")
            ),
            body: serde_json::to_string_pretty(input).unwrap_or_default(),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let (files, store) = (Arc::clone(&self.files), self.store.clone());
            // Short, and never torn apart: what it made is removed with it.
            let laid = tokio::task::spawn_blocking(move || lay_out(&store, &files)).await;
            let laid = match laid {
                Ok(Ok(laid)) => laid,
                Ok(Err(error)) => {
                    return ToolOutput::error(
                        ErrorCode::Internal,
                        format!(
                            "can't copy `{}` to {}: {error}",
                            self.spec.name,
                            self.store.display()
                        ),
                    );
                }
                Err(_) => {
                    return ToolOutput::error(ErrorCode::Interrupted, "Tenon is shutting down");
                }
            };
            let show = |stream, bytes: &[u8]| {
                // Standard output is the answer; the rest is for whoever watches.
                if stream != ToolStream::Stdout {
                    host.progress(ToolDelta {
                        call: host.call().clone(),
                        stream,
                        text: String::from_utf8_lossy(bytes).into_owned(),
                    });
                }
            };
            let spec = self.run_spec(&laid, &input, host);
            let outcome = host.jobs().run(spec, host.cancelled(), &show).await;
            answer::answer(&self.spec.name, &outcome, host)
        })
    }
}

impl CustomTool {
    fn run_spec(&self, laid: &Laid, input: &Value, host: &dyn Host) -> RunSpec {
        let mut bytes = input.to_string().into_bytes();
        bytes.push(b'\n');
        let variable = |name: &str, value: &std::ffi::OsStr| (OsString::from(name), value.into());
        RunSpec {
            timeout: match self.manifest.timeout_secs {
                Some(seconds) => Some(Duration::from_secs(seconds)),
                None => host.limits().timeout,
            },
            on_timeout: OnTimeout::Kill,
            input: Input::Bytes(bytes),
            leftovers: Leftovers::Kill,
            environment: vec![
                variable("TENON_TOOL_NAME", self.spec.name.as_ref()),
                variable("TENON_TOOL_DIR", laid.folder().as_os_str()),
            ],
            kept_bytes: ANSWER.max(host.limits().output_bytes),
            output_bytes: ANSWER.max(host.limits().output_bytes),
            label: format!("{}-{}", self.spec.name, host.call()),
            walls: host.walls(),
            ..RunSpec::new(
                laid.line(&self.manifest.command),
                host.workspace().root().to_owned(),
            )
        }
    }
}
