//! How the project stood in git when the session began: the branch, and what was
//! not committed. Told once in the full tier, with the first prompt, so that the
//! prefix of two sessions stays the same and a resumed one sends what it sent.
//!
//! Looked up beside the start, and only where the same command of the model would
//! run unasked, behind the same walls. The first prompt waits for it, but no
//! longer than git may look; then only the branch is told, which is known anyway.

use crate::core::Core;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tenon_policy::{Facts, Grants, decide};
use tenon_tools::jobs::{Room, RunSpec};
use tenon_vocab::marked::{Mark, element};
use tenon_vocab::names::tool;
use tenon_vocab::profile::PromptTier;
use tenon_vocab::{Class, Part, Printable};
use tokio::sync::oneshot;

const COMMAND: &str = "git status --porcelain --branch -- .";
/// How long git may look.
const LONGEST: Duration = Duration::from_secs(2);
/// Files that are named; the rest is counted.
const NAMED: usize = 12;
/// Of a name, which may be of any length and whoever's.
const SHOWN: usize = 200;
const OUTPUT: usize = 256 * 1024;

/// What git says, as soon as it has said it.
#[derive(Debug, Default)]
pub(crate) struct Beginning(Mutex<Option<oneshot::Receiver<String>>>);

/// Lets git look while the session gets ready. Only for a conversation that has
/// not begun.
pub(crate) fn look_ahead(core: &Arc<Core>) {
    let is_begun = core.emitter.history(usize::MAX).1 > 0;
    if is_begun || core.layout().tier.tier == PromptTier::Compact {
        return;
    }
    let (sender, receiver) = oneshot::channel();
    *core.git.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(receiver);
    let core = Arc::clone(core);
    tokio::spawn(async move {
        if let Some(said) = ask(&core).await {
            let _ = sender.send(said);
        }
    });
}

async fn ask(core: &Arc<Core>) -> Option<String> {
    let judge = Arc::clone(core);
    let may = tokio::task::spawn_blocking(move || runs_unasked(&judge)).await;
    if !may.unwrap_or(false) {
        return None;
    }
    let spec = RunSpec {
        timeout: Some(LONGEST),
        kept_bytes: OUTPUT,
        output_bytes: OUTPUT,
        room: Room::Reading,
        label: String::from("git-status"),
        ..RunSpec::new(COMMAND, core.workspace.root())
    };
    let token = &core.inbox.shutdown;
    let outcome = core.jobs.run(spec, token, &|_, _| {}).await;
    let said = &outcome.output.stdout;
    let is_whole = outcome.exit_code() == Some(0) && said.left_out_bytes == 0;
    is_whole.then(|| said.joined(|_| String::new()))
}

fn runs_unasked(core: &Core) -> bool {
    let Some(bash) = core.cast.tools().get(tool::BASH) else {
        return false;
    };
    let input = serde_json::json!({ "command": COMMAND });
    let facts: Facts = bash.facts(&input, &core.workspace);
    let acting = core.agent();
    let authority = core.authority_about(&acting.profile, &facts);
    let now = core.ambient.now();
    decide(&facts, &core.rules, &Grants::new(), &authority, now).class == Class::Allow
}

/// What goes along with the first prompt.
pub(crate) async fn note(core: &Core) -> Option<Part> {
    let is_begun = core.emitter.history(usize::MAX).1 > 0;
    if is_begun || core.layout().tier.tier == PromptTier::Compact {
        return None;
    }
    let looked = {
        let mut held = core.git.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take()
    };
    let said = match looked {
        Some(looked) => looked.await.ok(),
        None => None,
    };
    let branch = core.emitter.state(|state| state.meta().git_branch.clone());
    let words = told(branch.as_deref(), said.as_deref())?;
    let words = core.masker.mask(&words);
    Some(Part::text(element(Mark::Git.tag(), &[], &words)))
}

/// In words for the model; `status` is what git said, if it did.
fn told(branch: Option<&str>, status: Option<&str>) -> Option<String> {
    let began = match branch {
        Some(branch) => format!(
            "When this session began, the branch was `{}`",
            shown(branch)
        ),
        None => {
            status?;
            String::from("When this session began, no branch was checked out")
        }
    };
    let Some(status) = status else {
        return Some(format!("{began}."));
    };
    let changes: Vec<&str> = status
        .lines()
        .filter(|line| !line.starts_with("## ") && !line.is_empty())
        .collect();
    let mut text = match changes.len() {
        0 => return Some(format!("{began}, and everything was committed.")),
        1 => format!("{began}, and 1 change was not committed. It is not yours:"),
        many => format!("{began}, and {many} changes were not committed. They are not yours:"),
    };
    for line in changes.iter().take(NAMED) {
        text.push('\n');
        text.push_str(&shown(line));
    }
    if changes.len() > NAMED {
        text.push_str(&format!("\n[{} more]", changes.len() - NAMED));
    }
    Some(text)
}

/// A name of the repository's, of which nothing hides.
fn shown(name: &str) -> String {
    let whole = Printable::line(name).to_string();
    match whole.char_indices().nth(SHOWN) {
        None => whole,
        Some((at, _)) => format!("{}…", whole.get(..at).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED, SHOWN, told};

    #[test]
    fn names_of_a_repository_hide_nothing_and_fill_nothing() {
        let long = format!("?? {}", "a".repeat(4000));
        let text = told(Some("x\u{202e}y`\u{1b}[31m"), Some(&long)).unwrap();
        assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
        assert!(text.chars().count() < 2 * SHOWN, "{text}");
        assert!(text.ends_with("aaa…"), "{text}");
    }

    #[test]
    fn a_clean_tree_a_dirty_one_and_none_are_told_apart() {
        let clean = told(Some("main"), Some("## main...origin/main\n")).unwrap();
        assert_eq!(
            clean,
            "When this session began, the branch was `main`, and everything was committed."
        );
        let dirty = told(None, Some("## HEAD (no branch)\n M a.rs\n?? b/\n")).unwrap();
        assert_eq!(
            dirty,
            "When this session began, no branch was checked out, and 2 changes were not committed. They are not yours:\n M a.rs\n?? b/"
        );
        assert_eq!(told(None, None), None);
    }

    #[test]
    fn what_git_has_not_said_in_time_is_not_guessed() {
        assert_eq!(
            told(Some("main"), None).unwrap(),
            "When this session began, the branch was `main`."
        );
    }

    #[test]
    fn of_many_changes_the_first_are_named_and_the_rest_is_counted() {
        let status: String = (0..NAMED + 3).map(|n| format!(" M f{n}\n")).collect();
        let text = told(Some("main"), Some(&status)).unwrap();
        assert!(text.ends_with("\n M f11\n[3 more]"), "{text}");
        assert!(text.contains("and 15 changes were not committed"), "{text}");
    }
}
