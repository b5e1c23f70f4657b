//! The folder `.tenon/` of a project: read once, judged by what a person said of
//! this very content (C7). What needs trust is listed whether it holds or not.

use crate::check::{self, Leaf};
use crate::load::{Curable, Ignored, Loaded, Origin, Sources, same_file};
use crate::snapshot::{OTHERS_COMMANDS, Others, Snapshot};
use crate::source::{NAMES, Source};
use crate::trust::{ProjectTrust, Trust, TrustAnswer, TrustSubject};
use crate::{ConfigError, untrusted};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_policy::{Layer, Rules};

/// How a project's content stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Standing {
    /// There is nothing in it that needs trust.
    #[default]
    Nothing,
    /// Nobody was asked about this content.
    Unknown,
    Trusted,
    Refused,
    /// It cannot be trusted, whatever anybody says: why.
    Impossible(String),
}

#[derive(Debug, Clone, Default)]
pub struct ProjectContent {
    /// `None` when there is no `.tenon/`, or when it is the user's own folder.
    pub snapshot: Option<Arc<Snapshot>>,
    pub standing: Standing,
    /// What trust enables, a line each.
    pub(crate) wants: Vec<String>,
}

impl ProjectContent {
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.standing == Standing::Trusted
    }

    /// The content that an answer is about.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        self.snapshot.as_deref().and_then(Snapshot::hash)
    }
}

/// Whether what needs trust holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Yes,
    No,
}

impl Loaded {
    pub(crate) fn apply_project(
        &mut self,
        sources: &Sources,
        users: [Option<&Path>; 2],
    ) -> Result<(), ConfigError> {
        let folder = sources.root.join(".tenon");
        // In the home folder `.tenon` may be the user's own.
        if same_file(&folder, &sources.paths.config) {
            return Ok(());
        }
        let home = sources.env.get("HOME").map(PathBuf::from);
        let at_home = home.is_some_and(|home| same_file(&home, &sources.root));
        let others = if at_home { Others::No } else { Others::Too };
        let snapshot = match Snapshot::of_project(&sources.root, others) {
            Ok(None) => return Ok(()),
            Ok(Some(snapshot)) => Arc::new(snapshot),
            Err(error) => {
                self.warnings
                    .push(format!("{} is ignored: {error}", folder.display()));
                return Ok(());
            }
        };
        for line in snapshot.left_out() {
            let path = snapshot.path_of(line);
            self.warnings
                .push(format!("{}; it is ignored", path.display()));
        }
        let standing = self.standing(sources, &snapshot);
        let holds = match standing {
            Standing::Trusted => Holds::Yes,
            _ => Holds::No,
        };
        self.project.snapshot = Some(Arc::clone(&snapshot));
        let models = untrusted::models(self, users[1]);
        match self.project_leaves(&snapshot, users) {
            Ok(leaves) => {
                for (source, leaf) in leaves {
                    self.project_leaf(&source, leaf, &models, holds);
                }
            }
            Err(error) if holds == Holds::Yes => return Err(error),
            Err(error) => self.ignore_whole(&folder, &error),
        }
        self.project.wants.extend(files_that_act(&snapshot));
        self.project.standing = match standing {
            _ if self.project.wants.is_empty() => Standing::Nothing,
            standing => standing,
        };
        Ok(())
    }

    fn standing(&mut self, sources: &Sources, snapshot: &Snapshot) -> Standing {
        if let Some(why) = snapshot.incomplete() {
            let why = format!("{} can't be trusted: {why}", snapshot.folder().display());
            return Standing::Impossible(why);
        }
        let hash = snapshot.hash().unwrap_or_default();
        match sources.trust {
            ProjectTrust::Untrusted => Standing::Unknown,
            ProjectTrust::Trusted => Standing::Trusted,
            ProjectTrust::Recorded => {
                let root = project_key(&sources.root);
                let subject = TrustSubject::Project(&root);
                match Trust::new(&sources.paths.state).answer(subject, hash) {
                    Ok(Some(TrustAnswer::Trusted)) => Standing::Trusted,
                    Ok(Some(TrustAnswer::Refused)) => Standing::Refused,
                    Ok(None) => Standing::Unknown,
                    Err(error) => {
                        self.warnings.push(error.to_string());
                        Standing::Unknown
                    }
                }
            }
        }
    }

    /// What is understood of a project's file. A key that is not (it may be of a
    /// newer version) is listed with the rest of what does not hold.
    fn project_leaves(
        &mut self,
        snapshot: &Snapshot,
        users: [Option<&Path>; 2],
    ) -> Result<Vec<(Arc<Source>, Leaf)>, ConfigError> {
        let found: Vec<&str> = NAMES
            .iter()
            .copied()
            .filter(|name| snapshot.file(name).is_some())
            .collect();
        let name = match found.as_slice() {
            [] => return Ok(Vec::new()),
            [name] => *name,
            [first, second, ..] => {
                return Err(ConfigError::hinted(
                    format!("there are two configurations: {first} and {second}"),
                    "move what you need into one of them and remove the other",
                ));
            }
        };
        let path = snapshot.folder().join(name);
        // A file that the user names is the user's.
        if users
            .into_iter()
            .flatten()
            .any(|user| same_file(user, &path))
        {
            return Ok(Vec::new());
        }
        let bytes = snapshot.file(name).map(|file| file.bytes.to_vec());
        let source = Arc::new(Source::from_bytes(&path, bytes.unwrap_or_default())?);
        self.read_file(path);
        let Some(root) = source.parse()? else {
            return Ok(Vec::new());
        };
        let mut understood = Vec::new();
        for (key, leaves) in check::flatten_each(&root) {
            match leaves {
                Ok(leaves) => {
                    understood.extend(leaves.into_iter().map(|leaf| (Arc::clone(&source), leaf)));
                }
                Err(trouble) => self.ignored.push(Ignored {
                    key,
                    origin: place(&source, trouble.at),
                    why: trouble.message,
                    curable: Curable::No,
                }),
            }
        }
        Ok(understood)
    }

    fn project_leaf(&mut self, source: &Source, leaf: Leaf, models: &[String], holds: Holds) {
        let origin = place(source, leaf.at);
        match (untrusted::judge(self, &leaf, models), holds) {
            (Ok(()), _) => self.set(leaf, Layer::Project, origin),
            (Err(_), Holds::Yes) => {
                self.project.wants.extend(lines(self, &leaf));
                // A project's rules only narrow. Those that were accepted count
                // as the user's: they may allow, and on a tie with a rule of the
                // user the stricter one holds.
                let layer = match leaf.key.name {
                    "permission" => Layer::User,
                    _ => Layer::Project,
                };
                self.set(leaf, layer, origin);
            }
            (Err(why), Holds::No) => {
                self.project.wants.extend(lines(self, &leaf));
                self.ignored.push(Ignored {
                    key: leaf.path.join("."),
                    origin,
                    why,
                    curable: Curable::ByTrust,
                });
            }
        }
    }

    /// A stranger's mistake is no reason not to start.
    fn ignore_whole(&mut self, folder: &Path, error: &ConfigError) {
        let (path, line, column) = match error {
            ConfigError::InFile { at, .. } => (at.path.clone(), at.line, at.column),
            ConfigError::General { .. } => (folder.to_owned(), 1, 1),
        };
        self.ignored.push(Ignored {
            key: String::from("the whole file"),
            origin: Origin::File {
                path,
                line,
                column,
                layer: Layer::Project,
            },
            why: format!("can't read it: {}", error.message()),
            curable: Curable::No,
        });
    }

    /// The project's own folder and what was said of it.
    #[must_use]
    pub fn project(&self) -> &ProjectContent {
        &self.project
    }

    /// What trust enables, or would enable, a line each; nothing is shortened.
    #[must_use]
    pub fn project_wants(&self) -> Vec<String> {
        self.project.wants.clone()
    }
}

/// The name under which a project's answers are kept.
#[must_use]
pub fn project_key(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
}

fn place(source: &Source, at: usize) -> Origin {
    let at = source.locate(at);
    Origin::File {
        path: at.path,
        line: at.line,
        column: at.column,
        layer: Layer::Project,
    }
}

/// A value as the question shows it: as written, for it is no secret of the
/// user's, and what a header or an address says is what matters.
fn lines(loaded: &Loaded, leaf: &Leaf) -> Vec<String> {
    if leaf.key.name == "permission" {
        let mut rules = Rules::empty();
        if rules.add_config(&leaf.value, Layer::Project, "").is_ok() {
            return rules.iter().map(|rule| format!("rule  {rule}")).collect();
        }
    }
    let dotted = leaf.path.join(".");
    if leaf.key.name == "hooks" {
        return vec![hook(&leaf.value)];
    }
    vec![format!(
        "setting  {dotted} = {}{}",
        leaf.value,
        theft(loaded, leaf)
    )]
}

/// `hook  PreToolUse for bash "git push*": "./check.sh"`
fn hook(value: &Value) -> String {
    let field = |name: &str| value.get(name).filter(|field| !field.is_null());
    let mut line = String::from("hook  ");
    line.push_str(field("event").and_then(Value::as_str).unwrap_or("?"));
    if let Some(tool) = field("tool").and_then(Value::as_str) {
        line.push_str(&format!(" for {tool}"));
    }
    if let Some(pattern) = field("pattern") {
        line.push_str(&format!(" {pattern}"));
    }
    let command = field("command").unwrap_or(&Value::Null);
    format!("{line}: {command}")
}

/// A project that changes the address of the user's own provider gets the
/// user's key: nobody should have to work that out.
fn theft(loaded: &Loaded, leaf: &Leaf) -> &'static str {
    let (Some(name), Some(field)) = (leaf.path.get(1), leaf.path.get(2)) else {
        return "";
    };
    let redirects = matches!(
        field.as_str(),
        "base_url" | "proxy" | "ca_file" | "insecure"
    );
    let known = loaded.provider_names().contains(name) || tenon_model::preset(name).is_some();
    if leaf.path[0] == "providers" && redirects && known && leaf.value != Value::Bool(false) {
        "  (your key for this provider would be sent there)"
    } else {
        ""
    }
}

/// Files that do something once they are believed.
fn files_that_act(snapshot: &Snapshot) -> Vec<String> {
    let mut found = Vec::new();
    for name in snapshot.folders("tools/") {
        let files = snapshot.below(&format!("tools/{name}/")).count();
        let plural = if files == 1 { "file" } else { "files" };
        found.push(format!("tool  .tenon/tools/{name}/ ({files} {plural})"));
    }
    for (folder, what) in [("agents/", "agent"), ("commands/", "command")] {
        found.extend(
            snapshot
                .below(folder)
                .map(|(path, _)| format!("{what}  .tenon/{folder}{path}")),
        );
    }
    let others = snapshot.below(OTHERS_COMMANDS);
    found.extend(others.map(|(path, _)| format!("command  .claude/commands/{path}")));
    found
}
