//! Before git destroys something, a ref holds it: the working tree with new
//! files, the index, branches and stashes. The user's own index is never
//! touched, no hook runs, nothing is pushed by an ordinary push.
//!
//! Files go in byte for byte: filters are switched off, because a repository that
//! came as an archive brings its own, and looking must not run them.

use super::count;
use crate::run::Run;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenon_policy::{Script, Simple};
use tenon_tools::jobs::{Ended, RunSpec};

/// One shell script does all of it: one process tree with one limit of time.
const SCRIPT: &str = include_str!("keep.sh");
const KEEPING: Duration = Duration::from_secs(10);
const LOOKING: Duration = Duration::from_secs(2);
/// Repositories that one line may be about.
const REPOSITORIES: usize = 4;
/// Branches and stashes that the result names.
const NAMED: usize = 10;

/// Subcommands after which nothing of the working tree or of a branch is gone.
const HARMLESS: [&str; 27] = [
    "add",
    "archive",
    "blame",
    "bundle",
    "cat-file",
    "commit",
    "config",
    "describe",
    "diff",
    "fetch",
    "for-each-ref",
    "grep",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "name-rev",
    "push",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "version",
];
/// Subcommands that may make commits unreachable.
const LOSING_COMMITS: [&str; 8] = [
    "branch",
    "stash",
    "update-ref",
    "reflog",
    "gc",
    "prune",
    "filter-branch",
    "symbolic-ref",
];

/// What a git command may destroy, and where.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Loss {
    tree: bool,
    commits: bool,
    ignored: bool,
    folders: BTreeSet<PathBuf>,
    /// A repository that cannot be followed: `--git-dir`, a variable.
    unknown: bool,
}

/// Keeps what the git commands of a line would destroy.
///
/// # Errors
/// Why it could not be kept.
pub(super) async fn keep(run: &Run, script: &Script, folder: &str) -> Result<Vec<String>, String> {
    let Some(loss) = loss(script, folder) else {
        return Ok(Vec::new());
    };
    let mut lines = Vec::new();
    if loss.unknown {
        lines.push(String::from(
            "Not kept: files in a repository that an option or a variable points to.",
        ));
    }
    let mut wanted = vec!["tree"];
    wanted.retain(|_| loss.tree);
    wanted.extend(loss.commits.then_some("refs"));
    wanted.extend(loss.ignored.then_some("ignored"));
    let mut known = BTreeSet::new();
    for place in loss.folders.iter().take(REPOSITORIES) {
        let Some(report) = report(run, place, &wanted.join(" "), KEEPING).await else {
            continue;
        };
        let report = report.map_err(|why| {
            format!("can't save what git would destroy ({why}), so it was not run")
        })?;
        if known.insert(report.top.clone()) {
            lines.extend(report.lines(script));
        }
    }
    Ok(lines)
}

/// What would be lost, for the question.
pub(super) async fn affects(run: &Run, script: &Script, folder: &str) -> Vec<String> {
    let Some(loss) = loss(script, folder).filter(|loss| loss.tree) else {
        return Vec::new();
    };
    let wanted = if loss.ignored { "look ignored" } else { "look" };
    let mut lines = Vec::new();
    let mut known = BTreeSet::new();
    for place in loss.folders.iter().take(REPOSITORIES) {
        // A question is no place for failures: the yes is followed by `keep`.
        let Some(Ok(report)) = report(run, place, wanted, LOOKING).await else {
            continue;
        };
        if !known.insert(report.top.clone()) {
            continue;
        }
        if report.dirty > 0 {
            let are = if report.dirty == 1 { "is" } else { "are" };
            lines.push(format!(
                "{} {are} in the repository {}; a recovery ref is written first",
                count(report.dirty, "uncommitted file", "uncommitted files"),
                report.top
            ));
        }
        if report.ignored > 0 {
            lines.push(format!(
                "{} would be deleted without a copy",
                count(report.ignored, "ignored entry", "ignored entries")
            ));
        }
    }
    lines
}

/// What the line may destroy with git; `None` when nothing.
fn loss(script: &Script, folder: &str) -> Option<Loss> {
    let mut loss = Loss::default();
    let mut bases = vec![PathBuf::from(folder)];
    for simple in &script.found {
        match simple.program() {
            "cd" | "pushd" => match simple.words.get(1) {
                Some(to) if !to.expands => bases.push(Path::new(folder).join(&to.text)),
                _ => loss.unknown = true,
            },
            "env" | "sudo" | "doas" | "find" | "make" | "chroot" => {
                loss.unknown |= simple.words.iter().any(|word| moves(&word.text));
            }
            "git" => git_command(simple, &mut loss, &bases),
            _ => {}
        }
    }
    (loss.tree || loss.commits).then_some(loss)
}

/// An option with which a wrapper runs its command in another folder.
fn moves(option: &str) -> bool {
    ["-C", "-D", "--chdir", "--directory", "-execdir", "-okdir"]
        .iter()
        .any(|known| option.starts_with(known))
}

fn git_command(simple: &Simple, loss: &mut Loss, bases: &[PathBuf]) {
    let mut words = simple.words.iter().skip(1);
    let mut inside = PathBuf::new();
    let mut unknown = simple
        .assignments
        .iter()
        .any(|set| set.starts_with("GIT_DIR=") || set.starts_with("GIT_WORK_TREE="));
    let subcommand = loop {
        let Some(word) = words.next() else { return };
        match word.text.as_str() {
            "-C" => match words.next() {
                Some(to) if !to.expands => inside.push(&to.text),
                _ => unknown = true,
            },
            "-c" | "--namespace" | "--config-env" | "--attr-source" | "--exec-path" => {
                words.next();
            }
            "--git-dir" | "--work-tree" => {
                words.next();
                unknown = true;
            }
            option if option.starts_with("--git-dir=") || option.starts_with("--work-tree=") => {
                unknown = true;
            }
            option if option.starts_with('-') => {}
            subcommand => break subcommand,
        }
    };
    if HARMLESS.contains(&subcommand) {
        return;
    }
    loss.unknown |= unknown;
    loss.commits |= LOSING_COMMITS.contains(&subcommand);
    loss.tree |= !LOSING_COMMITS.contains(&subcommand) || subcommand == "stash";
    loss.ignored |= subcommand == "clean"
        && words.any(|word| {
            word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.contains(['x', 'X'])
        });
    loss.folders
        .extend(bases.iter().map(|base| base.join(&inside)));
}

/// What the script said.
#[derive(Debug, Default)]
struct Report {
    top: String,
    dirty: usize,
    reference: Option<String>,
    staged: Option<String>,
    commits: Option<String>,
    kept: Vec<String>,
    unkept: usize,
    large: Vec<String>,
    left: usize,
    ignored: usize,
}

/// Runs the script. `None` when there is no repository, or none that may be
/// reached from here.
async fn report(
    run: &Run,
    folder: &Path,
    wanted: &str,
    limit: Duration,
) -> Option<Result<Report, String>> {
    let workspace = &run.core.workspace;
    let text = folder.to_string_lossy();
    let cwd = if text.is_empty() {
        workspace.root().to_owned()
    } else {
        workspace.resolve_dir(&text).ok()?
    };
    let set = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let session = run.core.emitter.state(|state| state.meta().id.to_string());
    let spec = RunSpec {
        timeout: Some(limit),
        environment: vec![set("TENON_NAME", &session), set("TENON_KEEP", wanted)],
        kept_bytes: 64 * 1024,
        output_bytes: 64 * 1024,
        label: String::from("recovery"),
        ..RunSpec::new(SCRIPT, cwd)
    };
    let outcome = run.core.jobs.run(spec, &run.token, &|_, _| {}).await;
    let out = outcome.output.stdout.joined(|_| String::from("\n"));
    match outcome.ended {
        Ended::Exited { code: Some(0), .. } if out.lines().any(|line| line == "none") => None,
        Ended::Exited { code: Some(0), .. } => Some(Ok(parse(&out))),
        Ended::TimedOut => Some(Err(format!("it took longer than {} s", limit.as_secs()))),
        Ended::Interrupted => Some(Err(String::from("it was interrupted"))),
        Ended::NotStarted(why) => Some(Err(why.to_string())),
        _ => Some(Err(why(&out))),
    }
}

/// The script's own word for what failed, and git's.
fn why(out: &str) -> String {
    let said = |key: &str| out.lines().find_map(|line| line.strip_prefix(key));
    match (said("failed "), said("error ")) {
        (Some(what), Some(git)) => format!("{what}: {git}"),
        (Some(what), None) => what.to_owned(),
        _ => String::from("git failed"),
    }
}

fn parse(out: &str) -> Report {
    let mut report = Report::default();
    for line in out.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let number = || value.trim().parse().unwrap_or(0);
        match key {
            "top" => report.top = value.to_owned(),
            "dirty" => report.dirty = number(),
            "ref" => report.reference = Some(value.to_owned()),
            "staged" => report.staged = Some(value.to_owned()).filter(|value| value != "none"),
            "refs" => report.commits = Some(value.to_owned()),
            "kept" => report.kept.push(value.to_owned()),
            "unkept" => report.unkept = number(),
            "large" => report.large.push(value.to_owned()),
            "left" => report.left = number(),
            "ignored" => report.ignored = number(),
            _ => {}
        }
    }
    report
}

impl Report {
    fn lines(&self, script: &Script) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(reference) = &self.reference {
            lines.push(format!(
                "Kept before it ran: {} in {reference} of {}. Restore the files with: git restore --source={reference} --worktree -- :/",
                count(self.dirty, "uncommitted file", "uncommitted files"),
                self.top
            ));
            match &self.staged {
                Some(staged) => lines.push(format!(
                    "Then the index with: git restore --source={staged} --staged -- :/"
                )),
                None => lines.push(String::from(
                    "Not kept: the index, because it has unmerged files.",
                )),
            }
        }
        lines.extend(self.commit_lines(script));
        if !self.large.is_empty() {
            lines.push(format!(
                "Not kept: {} over 50 MB: {}.",
                count(self.large.len(), "new file", "new files"),
                self.large.join(", ")
            ));
        }
        if self.left > 0 {
            lines.push(format!(
                "Not kept: {} (other repositories, pipes, sockets).",
                count(self.left, "untracked entry", "untracked entries")
            ));
        }
        if self.ignored > 0 {
            lines.push(format!(
                "Not kept: {} that git ignores and this command deletes.",
                count(self.ignored, "file or folder", "files and folders")
            ));
        }
        lines
    }

    /// Branches that the line names first: they are what it is about.
    fn commit_lines(&self, script: &Script) -> Vec<String> {
        let Some(reference) = &self.commits else {
            return Vec::new();
        };
        let is_named = |kept: &&String| {
            let name = kept.split_once(' ').map_or("", |(_, name)| name);
            let mut words = script.found.iter().flat_map(|simple| &simple.words);
            words.any(|word| word.text == name) || name.starts_with("stash@")
        };
        let mut shown: Vec<&String> = self.kept.iter().filter(is_named).collect();
        shown.extend(self.kept.iter().filter(|kept| !is_named(kept)));
        let names: Vec<String> = shown
            .iter()
            .take(NAMED)
            .map(|kept| match kept.split_once(' ') {
                Some((sha, name)) => format!("{name} = {sha}"),
                None => (*kept).clone(),
            })
            .collect();
        let more = match self.kept.len().saturating_sub(names.len()) {
            0 => String::new(),
            more => format!(" and {more} more, listed by: git show {reference}"),
        };
        let mut lines = vec![format!(
            "Kept before it ran, in {reference}: {}{more}. Restore with: git branch NAME SHA, or git stash store SHA",
            names.join(", ")
        )];
        if self.unkept > 0 {
            lines.push(format!(
                "Not kept: {}.",
                count(
                    self.unkept,
                    "more branch or stash",
                    "more branches and stashes"
                )
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_policy::analyse;

    fn loss_of(line: &str) -> Option<Loss> {
        loss(&analyse(line), "")
    }

    #[test]
    fn what_git_does_only_elsewhere_or_only_reads_loses_nothing() {
        for line in ["git push --force", "git status", "git diff && ls", "rm x"] {
            assert_eq!(loss_of(line), None, "{line}");
        }
    }

    #[test]
    fn a_destructive_command_is_found_with_its_repository() {
        let loss = loss_of("cd sub && git -C deep reset --hard").unwrap();
        assert!(loss.tree && !loss.commits && !loss.unknown);
        assert!(loss.folders.contains(Path::new("sub/deep")), "{loss:?}");
        assert!(loss_of("git clean -fdx").unwrap().ignored);
        assert!(!loss_of("git clean -fd").unwrap().ignored);
        let stash = loss_of("git stash clear").unwrap();
        assert!(stash.commits);
        assert!(loss_of("git branch -D x").unwrap().commits);
        assert!(loss_of("git --git-dir=/x reset --hard").unwrap().unknown);
    }
}
