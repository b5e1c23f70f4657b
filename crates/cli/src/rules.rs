//! Finds the files of rules (AGENTS.md): the user's, then each folder from the
//! home to the root, the most specific last; and the files that `instructions`
//! names. They are data: what they say is told to the model, and nothing of them
//! is done here. Rules of folders below the root are the engine's to find, when
//! it works there.

mod cache;
mod watch;

pub use watch::Watched;

use cache::Cache;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tenon_engine::prompt::{FragmentKind, RULE_NAMES, RuleFile, cut, may_lead_to};

/// A pattern in `instructions` that names more files than this is a mistake.
const FILES: usize = 100;
/// All files together; a prompt of this size fills most windows.
const TOTAL: usize = 256 * 1024;

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The configuration's folder.
    pub config: PathBuf,
    pub home: Option<PathBuf>,
    pub root: PathBuf,
    /// As written.
    pub instructions: Vec<String>,
}

/// What was found, and what the user should know of it.
#[derive(Debug, Default)]
pub struct Found {
    pub rules: Vec<RuleFile>,
    pub instructions: Vec<RuleFile>,
    pub warnings: Vec<String>,
}

impl Found {
    fn bytes(&self) -> usize {
        self.files().map(|file| file.text.len()).sum()
    }

    fn files(&self) -> impl Iterator<Item = &RuleFile> {
        self.rules.iter().chain(&self.instructions)
    }

    fn add(&mut self, kind: FragmentKind, cache: &mut Cache, path: &Path) {
        let shown = path.display().to_string();
        if self.files().any(|file| file.path == shown) {
            return;
        }
        let (text, size) = match cache.text(path) {
            Ok(read) => read,
            Err(error) => {
                let said = format!("can't read {shown}: {error}");
                return self.warnings.push(said);
            }
        };
        if text.trim().is_empty() {
            return;
        }
        if self.bytes() + text.len() > TOTAL {
            let said = format!(
                "{shown} was left out: the files before it have {} bytes, and the limit for all is {TOTAL}",
                self.bytes()
            );
            return self.warnings.push(said);
        }
        let (text, cut) = cut(&text, size, kind.cap(), &shown);
        self.warnings.extend(cut.map(|cut| cut.to_string()));
        let file = RuleFile { path: shown, text };
        match kind {
            FragmentKind::Instructions => self.instructions.push(file),
            _ => self.rules.push(file),
        }
    }
}

impl Places {
    /// Reads what is there now, and what the cache does not have yet.
    fn find_with(&self, cache: &mut Cache) -> Found {
        let mut found = Found::default();
        for folder in self.folders() {
            let paths = RULE_NAMES.iter().map(|name| folder.join(name));
            if let Some(path) = paths
                .into_iter()
                .find(|path| path.symlink_metadata().is_ok())
            {
                match self.followed(&folder, &path) {
                    Ok(()) => found.add(FragmentKind::Rules, cache, &path),
                    Err(why) => found
                        .warnings
                        .push(format!("{} was not read: {why}", path.display())),
                }
            }
        }
        self.named(&mut found, cache);
        found
    }

    /// The configuration's folder, the ancestors of the root below the home, the root.
    fn folders(&self) -> Vec<PathBuf> {
        let root = &self.root;
        let home = self.home.as_deref().filter(|home| root.starts_with(home));
        let mut chain: Vec<PathBuf> = match home {
            Some(home) => root
                .ancestors()
                .take_while(|folder| folder.starts_with(home))
                .map(Path::to_owned)
                .collect(),
            None => vec![root.clone()],
        };
        chain.push(self.config.clone());
        chain.reverse();
        chain.dedup();
        chain
    }

    /// A link is followed only where that can do no harm.
    fn followed(&self, folder: &Path, path: &Path) -> Result<(), String> {
        if !path.is_symlink() {
            return Ok(());
        }
        let target = path.canonicalize().map_err(|error| error.to_string())?;
        let folder = folder.canonicalize().map_err(|error| error.to_string())?;
        if may_lead_to(&target, &folder) {
            return Ok(());
        }
        Err(String::from(
            "it is a link out of its folder, or to a file that is not .md; copy the text there, or name the file in `instructions`",
        ))
    }

    /// The files that `instructions` names: paths relative to the root, absolute
    /// ones, `~/…`, and a `*` in the last part.
    fn named(&self, found: &mut Found, cache: &mut Cache) {
        for entry in &self.instructions {
            let path = match (entry.strip_prefix("~/"), &self.home) {
                (Some(below), Some(home)) => home.join(below),
                _ => self.root.join(entry),
            };
            let files = expand(&path);
            if files.is_empty() {
                found
                    .warnings
                    .push(format!("instructions: `{entry}` matches no file"));
            }
            if files.len() > FILES {
                found.warnings.push(format!(
                    "instructions: `{entry}` matches {} files; only the first {FILES} are used",
                    files.len()
                ));
            }
            for file in files.iter().take(FILES) {
                found.add(FragmentKind::Instructions, cache, file);
            }
        }
    }
}

fn expand(path: &Path) -> Vec<PathBuf> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let Some((before, after)) = name.split_once('*') else {
        let exists = path.metadata();
        let is_there = !matches!(exists, Err(error) if error.kind() == ErrorKind::NotFound);
        return is_there.then(|| path.to_owned()).into_iter().collect();
    };
    let entries = path.parent().and_then(|folder| folder.read_dir().ok());
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| {
            let name = file
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
                && file.is_file()
        })
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(config: &Path, home: Option<&Path>, root: &Path) -> Places {
        Places {
            config: config.to_owned(),
            home: home.map(Path::to_owned),
            root: root.to_owned(),
            instructions: Vec::new(),
        }
    }

    fn find(places: &Places) -> Found {
        places.find_with(&mut Cache::default())
    }

    fn texts(files: &[RuleFile]) -> Vec<&str> {
        files.iter().map(|file| file.text.as_str()).collect()
    }

    #[test]
    fn the_most_specific_rules_come_last() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (config, root) = (home.join("config"), home.join("a/b"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("AGENTS.md"), "user").unwrap();
        std::fs::write(home.join("a/CLAUDE.md"), "middle").unwrap();
        std::fs::write(root.join("AGENTS.md"), "root").unwrap();
        std::fs::write(root.join("CLAUDE.md"), "not read").unwrap();
        let found = find(&places(&config, Some(&home), &root));
        assert_eq!(texts(&found.rules), ["user", "middle", "root"]);
    }

    #[test]
    fn instructions_name_files_and_patterns_and_a_file_is_read_once() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("AGENTS.md"), "rules").unwrap();
        std::fs::write(root.path().join("style.md"), "style").unwrap();
        std::fs::write(root.path().join("a.rules"), "a").unwrap();
        std::fs::write(root.path().join("b.rules"), "b").unwrap();
        let mut places = places(Path::new("/none"), None, root.path());
        places.instructions = ["style.md", "*.rules", "missing.md", "AGENTS.md"]
            .map(String::from)
            .to_vec();
        let found = find(&places);
        assert_eq!(texts(&found.instructions), ["style", "a", "b"]);
        assert_eq!(texts(&found.rules), ["rules"]);
        assert_eq!(
            found.warnings,
            ["instructions: `missing.md` matches no file"]
        );
    }

    #[test]
    fn a_link_is_followed_only_to_markdown_beside_it_because_it_may_lead_to_a_secret() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().join("p");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(world.path().join("secret.md"), "s3cret").unwrap();
        std::fs::write(root.join(".env"), "s3cret").unwrap();
        std::fs::write(root.join("CLAUDE.md"), "rules").unwrap();
        let places = places(&world.path().join("none"), None, &root);
        for target in ["../secret.md", ".env", "gone.md"] {
            std::os::unix::fs::symlink(target, root.join("AGENTS.md")).unwrap();
            let found = find(&places);
            assert!(found.rules.is_empty(), "{target}");
            assert_eq!(found.warnings.len(), 1, "{target}");
            std::fs::remove_file(root.join("AGENTS.md")).unwrap();
        }
        std::os::unix::fs::symlink("CLAUDE.md", root.join("AGENTS.md")).unwrap();
        assert_eq!(texts(&find(&places).rules), ["rules"]);
    }

    #[test]
    fn what_is_too_long_is_cut_and_what_has_no_room_is_left_out_and_both_are_said() {
        let root = tempfile::tempdir().unwrap();
        for n in 0..5 {
            let long = "x".repeat(70 * 1024);
            std::fs::write(root.path().join(format!("{n}.rules")), long).unwrap();
        }
        let mut places = places(Path::new("/none"), None, root.path());
        places.instructions = vec![String::from("*.rules")];
        let found = find(&places);
        assert!(
            found.instructions[0]
                .text
                .ends_with("\n[cut here: 65536 of 71680 bytes]")
        );
        assert_eq!(found.instructions.len(), 3);
        let said = found.warnings.join("\n");
        assert!(
            said.contains("0.rules is 71680 bytes long; only the first 65536 are used"),
            "{said}"
        );
        assert!(said.contains("4.rules was left out"), "{said}");
    }

    #[test]
    fn a_pipe_under_the_name_of_rules_is_said_and_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let pipe = root.path().join("AGENTS.md");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        let found = find(&places(Path::new("/none"), None, root.path()));
        assert!(found.rules.is_empty());
        assert!(
            found.warnings[0].contains("can't read"),
            "{:?}",
            found.warnings
        );
    }
}
