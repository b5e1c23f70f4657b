//! What the administrator of a machine decided (G13): a file that only root can
//! write, whose rules, locks and settings nothing else overrides. A file that
//! somebody else could have written stops the start, for believing it and
//! passing over it are both wrong.

use crate::check;
use crate::load::{Loaded, Origin};
use crate::locks::{self, Locks};
use crate::node::{Node, Shape};
use crate::source::Source;
use crate::{ConfigError, keys};
use serde_json::Value;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use tenon_policy::{Layer, Rules};
use tenon_vocab::Decision;

/// Adds a second file; it never stands in for the first.
const VARIABLE: &str = "TENON_MANAGED_CONFIG";
const MAX_LINKS: usize = 16;

/// Which of the two files. The first is the machine's; the second may add to
/// it and weaken nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Only,
    Second,
}

/// Reads the managed files, above everything else. Called last.
pub(crate) fn apply(loaded: &mut Loaded) -> Result<(), ConfigError> {
    let first = loaded.paths.managed.clone();
    let first = is_there(&first)?.then_some(first);
    let second = loaded.env.get(VARIABLE).map(PathBuf::from);
    if let Some(path) = &second {
        let rank = match first {
            Some(_) => Rank::Second,
            None => Rank::Only,
        };
        file(loaded, path, rank)?;
    }
    if let Some(path) = &first {
        // Last, so that its settings win over those of the second.
        file(loaded, path, Rank::Only)?;
    }
    raise(loaded);
    Ok(())
}

fn is_there(path: &Path) -> Result<bool, ConfigError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(ConfigError::general(format!(
            "can't check {}: {error}",
            path.display()
        ))),
    }
}

fn file(loaded: &mut Loaded, path: &Path, rank: Rank) -> Result<(), ConfigError> {
    only_root_writes(path)?;
    let source = Source::read(path)?;
    loaded.read_file(path.to_owned());
    let Some(mut root) = source.parse()? else {
        return Ok(());
    };
    if let Some(node) = take_locks(&mut root) {
        let found = locks::parse(&node, path).map_err(|trouble| source.error(trouble))?;
        loaded.locks = std::mem::take(&mut loaded.locks).and(found);
    }
    let leaves = check::flatten(&root).map_err(|trouble| source.error(trouble))?;
    for leaf in leaves {
        let at = source.locate(leaf.at);
        let origin = Origin::File {
            path: at.path,
            line: at.line,
            column: at.column,
            layer: Layer::Managed,
        };
        if rank == Rank::Second && leaf.key.name == "permission" && allows(&leaf.value) {
            loaded.warnings.push(format!(
                "{origin}: a second managed file can't allow anything; only {} can",
                loaded.paths.managed.display()
            ));
            continue;
        }
        loaded.set(leaf, Layer::Managed, origin);
    }
    Ok(())
}

fn take_locks(root: &mut Node) -> Option<Node> {
    let Shape::Map(fields) = &mut root.value else {
        return None;
    };
    let at = fields.iter().position(|(name, _)| name == "locks")?;
    Some(fields.remove(at).1)
}

fn allows(value: &Value) -> bool {
    let mut rules = Rules::empty();
    rules.add_config(value, Layer::Managed, "").is_err()
        || rules.iter().any(|rule| rule.decision == Decision::Allow)
}

/// The walls are at least as high as the lock says.
fn raise(loaded: &mut Loaded) {
    let minimums = [
        ("sandbox.mode", locks::MODES, loaded.locks.sandbox.clone()),
        (
            "sandbox.network",
            locks::NETWORKS,
            loaded.locks.network.clone(),
        ),
    ];
    for (name, order, minimum) in minimums {
        let (Some(minimum), Some(key)) = (minimum, keys::key(name)) else {
            continue;
        };
        let rank = |word: &str| order.iter().position(|known| *known == word);
        let held = loaded.text(name).unwrap_or_default().to_owned();
        if rank(&held) >= rank(&minimum.word) {
            continue;
        }
        loaded.warnings.push(format!(
            "`{name}` is `{}`, not `{held}`: {} requires it",
            minimum.word,
            minimum.file.display()
        ));
        let leaf = check::Leaf {
            path: name.split('.').map(str::to_owned).collect(),
            value: Value::from(minimum.word),
            at: 0,
            key,
        };
        let origin = Origin::File {
            path: minimum.file,
            line: 1,
            column: 1,
            layer: Layer::Managed,
        };
        loaded.set(leaf, Layer::Managed, origin);
    }
}

/// Whether a path can be changed by nobody but root, link by link and folder by
/// folder: whoever may write to a folder on the way may put another file there.
fn only_root_writes(path: &Path) -> Result<(), ConfigError> {
    if !path.is_absolute() {
        return Err(refused(path, path, "its path must be absolute"));
    }
    let mut waiting: Vec<PathBuf> = parts(path);
    let mut here = PathBuf::from("/");
    let mut links = 0;
    loop {
        let metadata = here
            .symlink_metadata()
            .map_err(|error| unseen(path, &here, &error))?;
        if metadata.uid() != 0 {
            return Err(refused(path, &here, "it doesn't belong to root"));
        }
        if metadata.is_symlink() {
            links += 1;
            let target = here.read_link().ok().filter(|_| links <= MAX_LINKS);
            let Some(target) = target else {
                return Err(refused(path, &here, "it is a link that can't be followed"));
            };
            here.pop();
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            waiting.extend(parts(&target));
        } else if metadata.mode() & 0o022 != 0 {
            // Also a sticky folder such as /tmp: whoever comes first may make
            // there what the administrator has not made yet.
            return Err(refused(
                path,
                &here,
                "users other than root can write to it",
            ));
        }
        match waiting.pop() {
            None => return Ok(()),
            Some(part) if part == Path::new("..") => {
                here.pop();
            }
            Some(part) => here.push(part),
        }
    }
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(PathBuf::from(name)),
            Component::ParentDir => Some(PathBuf::from("..")),
            _ => None,
        })
        .collect();
    parts.reverse();
    parts
}

fn unseen(path: &Path, at: &Path, error: &std::io::Error) -> ConfigError {
    if error.kind() != std::io::ErrorKind::NotFound {
        return refused(path, at, &format!("can't check it: {error}"));
    }
    ConfigError::hinted(
        format!("the managed policy {} does not exist", path.display()),
        format!("create it, or unset {VARIABLE}"),
    )
}

fn refused(path: &Path, at: &Path, why: &str) -> ConfigError {
    let place = if at == path {
        String::new()
    } else {
        format!(" because of {}", at.display())
    };
    ConfigError::hinted(
        format!(
            "Tenon doesn't trust the managed policy {}{place}: {why}",
            path.display()
        ),
        format!(
            "an administrator can fix this with `chown root:root {0}` and `chmod go-w {0}`, or by moving the file to a place where only root writes, such as /etc",
            at.display()
        ),
    )
}

impl Loaded {
    /// What the administrator locked.
    #[must_use]
    pub fn locks(&self) -> &Locks {
        &self.locks
    }
}
