//! What a person may be offered beside "once" (G4). Each offer shows the very
//! rule that would be kept.

use crate::aspect::aspects;
use crate::grant::{GRANT_TTL, Grant, GrantKey, Scope};
use crate::guard::{is_in_vendored, is_secret};
use crate::judge::Judge;
use crate::programs::{
    follows_links, is_granted_exactly, may_be_granted, runs_others, telling_words,
};
use crate::protected::{is_git_internal, is_steering, sensitive};
use crate::reading::secret_words_of;
use crate::rule::Target;
use crate::{
    Access, Authority, EDIT_GROUP, EXTERNAL_DIRECTORY, Facts, Grants, PathFact, Rules, Simple,
    Subject, names,
};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Effect, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub scope: Scope,
    /// The rule exactly as it would hold: `edit: "src/**" = allow`.
    pub rule: String,
    /// Without an end; [`Offer::grant`] gives it one.
    pub grant: Grant,
}

impl Offer {
    /// The grant as it is kept when a person accepts now.
    #[must_use]
    pub fn grant(&self, now: Timestamp) -> Grant {
        self.grant.clone().starting(now, GRANT_TTL)
    }
}

/// The grants that may be offered for a call whose verdict was to ask, by its
/// facts alone. None for what needs a yes each time, for programs that run
/// others, for a line of several commands and for one that was not understood.
#[must_use]
pub fn offers(facts: &Facts) -> Vec<Offer> {
    key_of(facts).map(|key| both(&key)).unwrap_or_default()
}

/// The grants that may be offered for a call whose verdict was to ask, where the
/// rest of the policy is known: of a line of several commands the one that is
/// still open, if it is the only one, and nothing that would not help.
#[must_use]
pub fn offers_within(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Vec<Offer> {
    let Some(key) = open_key(facts, rules, grants, authority, now) else {
        return Vec::new();
    };
    let offers = both(&key);
    // What would be asked again all the same is not worth an offer.
    let helps = |offer: &Offer| {
        let mut with = grants.clone();
        with.add(offer.grant(now));
        crate::decide(facts, rules, &with, authority, now).class == Class::Allow
    };
    if offers.first().is_some_and(helps) {
        offers
    } else {
        Vec::new()
    }
}

fn both((tool, key): &(String, GrantKey)) -> Vec<Offer> {
    [Scope::Session, Scope::Project]
        .into_iter()
        .map(|scope| {
            let grant = Grant {
                tool: tool.clone(),
                key: key.clone(),
                scope,
                expires: None,
                given: None,
            };
            Offer {
                scope,
                rule: grant.to_string(),
                grant,
            }
        })
        .collect()
}

/// The commands of a line that nothing allows yet, with the words that a grant
/// would hold, or all of them where none may be offered. Empty where the line is
/// not certain, and where the commands are not what is open.
#[must_use]
pub fn open_commands(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Vec<Vec<String>> {
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    let words = |command: &Simple| {
        let all = || command.argv().into_iter().map(str::to_owned).collect();
        approved(command).unwrap_or_else(all)
    };
    let open = open_parts(facts, &judge).unwrap_or_default();
    open.into_iter().map(words).collect()
}

/// Why only this once can be said yes to a command line whose verdict was to ask,
/// where that lies in what it is. A sentence without its end.
#[must_use]
pub fn once_only(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Option<String> {
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    let open = open_parts(facts, &judge)?;
    let which = |test: fn(&[&str]) -> bool| {
        let mut found = open.iter().filter(|command| test(&command.argv()));
        found.next().map(|command| command.program())
    };
    if let Some(program) = which(runs_others) {
        return Some(format!("`{program}` can run any program"));
    }
    if let Some(program) = which(follows_links) {
        return Some(format!("`{program}` follows links out of the project"));
    }
    if let Some(program) = which(|argv| !may_be_granted(argv)) {
        return Some(format!(
            "the next `{program}` may do something quite different"
        ));
    }
    (open.len() > 1).then(|| format!("{} of these commands need your yes", open.len()))
}

/// The commands of a line that nothing allows yet; `None` where the line is not
/// certain, and where the commands are not what is open.
fn open_parts<'f>(facts: &'f Facts, judge: &Judge<'_>) -> Option<Vec<&'f Simple>> {
    let Subject::Command(script) = &facts.subject else {
        return None;
    };
    let mut open = Vec::new();
    for aspect in aspects(facts) {
        let found = judge.about(&aspect).verdict;
        if found.is_some_and(|verdict| verdict.class == Class::Allow) {
            continue;
        }
        let Target::Part(_, part) = aspect.target else {
            return None;
        };
        open.push(script.exact()?.get(part)?);
    }
    Some(open)
}

fn open_key(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Option<(String, GrantKey)> {
    let Subject::Command(script) = &facts.subject else {
        return key_of(facts);
    };
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    let parts = aspects(facts);
    let is_allowed = |verdict: &crate::trail::Verdict| verdict.class == Class::Allow;
    let mut open = parts
        .iter()
        .filter(|aspect| !judge.about(aspect).verdict.as_ref().is_some_and(is_allowed));
    let (Some(one), None) = (open.next(), open.next()) else {
        return None;
    };
    let Target::Part(_, part) = one.target else {
        return None;
    };
    let command = script.exact()?.get(part)?;
    Some((facts.tool.clone(), GrantKey::Command(approved(command)?)))
}

fn key_of(facts: &Facts) -> Option<(String, GrantKey)> {
    let tool = facts.tool.clone();
    // It follows bash, and a process id says nothing of the next one.
    if tool == "process" {
        return None;
    }
    match &facts.subject {
        Subject::Command(script) => {
            let harmless = script
                .verdicts()
                .iter()
                .all(|danger| danger.class == Class::Ask);
            let command = script.single().filter(|_| harmless)?;
            Some((tool, GrantKey::Command(approved(command)?)))
        }
        Subject::Paths(paths) if names::in_edit_group(&tool) || facts.effect == Effect::Write => {
            let group = if names::in_edit_group(&tool) {
                EDIT_GROUP.to_owned()
            } else {
                tool
            };
            Some((group, GrantKey::Directory(common_folder(paths)?)))
        }
        Subject::Paths(paths) => outside_read(paths).or_else(|| {
            let inside = paths.iter().all(|fact| fact.inside);
            inside.then(|| (tool, GrantKey::Input(facts.input.clone())))
        }),
        _ if !names::is_built_in(&tool) => Some((tool, GrantKey::Tool)),
        Subject::Name(name) if matches!(tool.as_str(), tool::SKILL | tool::TASK) => {
            Some((tool, GrantKey::Name(name.clone())))
        }
        Subject::Name(_) | Subject::Nothing => Some((tool, GrantKey::Input(facts.input.clone()))),
    }
}

/// The words that a grant would hold: those that say what it does, at least the
/// first two, and all up to the last
/// option with the value that may follow it, for no option is covered that was
/// not seen. All of them where only the very same command may be granted.
fn approved(command: &Simple) -> Option<Vec<String>> {
    let argv = command.argv();
    // Tomorrow `*` may find a file that is named as an option.
    let hidden = (0..argv.len())
        .any(|at| command.may_be_option(at) && argv.get(at).is_some_and(|w| !w.starts_with('-')));
    let plain = command.assignments.is_empty() && secret_words_of(command).is_empty();
    if !plain || hidden || !may_be_granted(&argv) {
        return None;
    }
    let kept = match argv.iter().rposition(|word| word.starts_with('-')) {
        _ if is_granted_exactly(&argv) => argv.len(),
        None => 2,
        Some(last) if argv[last].contains('=') => last + 1,
        Some(last) => last + 2,
    };
    let kept = kept.max(2).max(telling_words(&argv));
    let kept = argv.into_iter().take(kept);
    Some(kept.map(str::to_owned).collect())
}

fn common_folder(paths: &[PathFact]) -> Option<String> {
    let plain = |fact: &PathFact| {
        fact.inside
            && !fact.symlink
            && sensitive(&fact.path).is_none()
            && !is_steering(&fact.path)
            && !is_secret(&fact.path)
            && !is_in_vendored(&fact.path)
            && !is_git_internal(&fact.path)
    };
    if paths.is_empty() || !paths.iter().all(plain) {
        return None;
    }
    let mut common: Option<Vec<&str>> = None;
    for fact in paths {
        let folder: Vec<&str> = match fact.path.rsplit_once('/') {
            Some((folder, _)) => folder.split('/').collect(),
            None => Vec::new(),
        };
        common = Some(match common {
            None => folder,
            Some(held) => held
                .into_iter()
                .zip(folder)
                .take_while(|(a, b)| a == b)
                .map(|(a, _)| a)
                .collect(),
        });
    }
    let folder = common?.join("/");
    if folder.is_empty() && paths.iter().any(PathFact::is_added) {
        return None;
    }
    Some(if folder.is_empty() {
        ".".into()
    } else {
        folder
    })
}

fn outside_read(paths: &[PathFact]) -> Option<(String, GrantKey)> {
    let [fact] = paths else {
        return None;
    };
    let plain = !fact.inside
        && !fact.symlink
        && fact.access == Access::Read
        && sensitive(&fact.path).is_none()
        && !is_secret(&fact.path);
    let (folder, _) = fact.path.rsplit_once('/')?;
    (plain && !folder.is_empty()).then(|| {
        (
            EXTERNAL_DIRECTORY.to_owned(),
            GrantKey::Directory(folder.to_owned()),
        )
    })
}
