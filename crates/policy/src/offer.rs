//! What a person may be offered beside "once" (G4). Each offer shows the very
//! rule that would be kept.

use crate::aspect::aspects;
use crate::grant::{ExactLine, GRANT_TTL, Grant, GrantKey, Scope};
use crate::guard::{is_in_vendored, is_secret};
use crate::judge::Judge;
use crate::prefix;
use crate::programs::{follows_links, is_granted_exactly, may_be_granted, telling_words};
use crate::protected::{is_git_internal, is_steering, sensitive};
use crate::reading::secret_words_of;
use crate::rule::Target;
use crate::{
    Access, Authority, EDIT_GROUP, EXTERNAL_DIRECTORY, Facts, Grants, PathFact, Rules, Script,
    Simple, Subject, names,
};
use std::time::Duration;
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Effect, Timestamp};

/// Grants that would be given together: one for each command of a line.
const MOST_TOGETHER: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub scope: Scope,
    /// The rule exactly as it would hold: `edit: "src/**" = allow`.
    pub rule: String,
    /// Without an end; [`Offer::grants`] gives them one.
    grants: Vec<Grant>,
}

impl Offer {
    /// The grants as they are kept when a person accepts now.
    #[must_use]
    pub fn grants(&self, now: Timestamp) -> Vec<Grant> {
        self.lasting(now, GRANT_TTL)
    }

    /// The same where those for a project last so long.
    #[must_use]
    pub fn lasting(&self, now: Timestamp, lasting: Duration) -> Vec<Grant> {
        let grants = self.grants.iter().cloned();
        grants.map(|grant| grant.starting(now, lasting)).collect()
    }

    /// What they are for.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &GrantKey)> {
        self.grants
            .iter()
            .map(|grant| (grant.tool.as_str(), &grant.key))
    }

    fn of(tool: &str, keys: &[GrantKey], scope: Scope) -> Self {
        let grant = |key: &GrantKey| Grant {
            tool: tool.to_owned(),
            key: key.clone(),
            scope,
            expires: None,
            given: None,
        };
        let grants: Vec<Grant> = keys.iter().map(grant).collect();
        let rules: Vec<String> = grants.iter().map(Grant::to_string).collect();
        Self {
            scope,
            rule: rules.join("; "),
            grants,
        }
    }
}

/// A command that nothing allows yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCommand {
    /// What a rule for it would hold.
    pub words: Vec<String>,
    /// Whether the words are a prefix of which it is known what may follow.
    pub may_go_on: bool,
}

/// The grants that may be offered for a call whose verdict was to ask, by its
/// facts alone. None for what needs a yes each time, for programs that run
/// others, for a line of several commands and for one that was not understood.
#[must_use]
pub fn offers(facts: &Facts) -> Vec<Offer> {
    key_of(facts)
        .map(|(tool, key)| both(&tool, &[key]))
        .unwrap_or_default()
}

/// The grants that may be offered for a call whose verdict was to ask, where the
/// rest of the policy is known: one for each command of a line that is still
/// open, else the line as it is, and nothing that would not help.
#[must_use]
pub fn offers_within(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Vec<Offer> {
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    // What would be asked again all the same is not worth an offer.
    let helps = |offer: &Offer| {
        let mut with = grants.clone();
        offer
            .grants(now)
            .into_iter()
            .for_each(|grant| with.add(grant));
        crate::decide(facts, rules, &with, authority, now).class == Class::Allow
    };
    let Subject::Command(script) = &facts.subject else {
        let offers = offers(facts);
        return if offers.first().is_some_and(helps) {
            offers
        } else {
            Vec::new()
        };
    };
    let by_words = open_parts(facts, &judge).and_then(|open| by_words(&open));
    if let Some(keys) = by_words {
        let offers = both(&facts.tool, &keys);
        if offers.first().is_some_and(helps) {
            return offers;
        }
    }
    let exact = may_be_repeated(facts, script).then(|| {
        let key = GrantKey::Line(ExactLine::of(facts, script));
        Offer::of(&facts.tool, &[key], Scope::Session)
    });
    exact.into_iter().filter(helps).collect()
}

/// The keys for these commands, where each of them has one.
fn by_words(open: &[&Simple]) -> Option<Vec<GrantKey>> {
    let mut keys: Vec<GrantKey> = Vec::new();
    for command in open {
        let key = GrantKey::Command(approved(command)?);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    (1..=MOST_TOGETHER).contains(&keys.len()).then_some(keys)
}

/// Whether the very same line does the same thing the next time.
fn may_be_repeated(facts: &Facts, script: &Script) -> bool {
    facts.tool == tool::BASH && what_changes(script).is_none()
}

/// The command of a line that stands for something else the next time, and why.
fn what_changes(script: &Script) -> Option<String> {
    script.found.iter().find_map(|command| {
        let program = command.program();
        if program == "kill" {
            let why = "the next process with that number can be another one";
            return Some(why.to_owned());
        }
        follows_links(&command.argv())
            .then(|| format!("`{program}` follows links out of the project"))
    })
}

fn both(tool: &str, keys: &[GrantKey]) -> Vec<Offer> {
    [Scope::Session, Scope::Project]
        .into_iter()
        .map(|scope| Offer::of(tool, keys, scope))
        .collect()
}

/// The commands of a line that nothing allows yet, with the words that a rule
/// would hold. Empty where the line is not certain, and where the commands are
/// not what is open.
#[must_use]
pub fn open_commands(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Vec<OpenCommand> {
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    let open = open_parts(facts, &judge).unwrap_or_default();
    let words = |command: &Simple| {
        let all = || command.argv().into_iter().map(str::to_owned).collect();
        let words: Vec<String> = approved(command).unwrap_or_else(all);
        let may_go_on = prefix::length_in(command).is_some();
        OpenCommand { words, may_go_on }
    };
    open.into_iter().map(words).collect()
}

/// Why only this once can be said yes to a command line whose verdict was to ask,
/// where that lies in what it is. A sentence without its end.
#[must_use]
pub fn once_only(facts: &Facts) -> Option<String> {
    match &facts.subject {
        Subject::Command(script) => what_changes(script),
        _ => None,
    }
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
    if !plain || hidden {
        return None;
    }
    if let Some(known) = prefix::length_in(command) {
        let kept = argv.into_iter().take(known);
        return Some(kept.map(str::to_owned).collect());
    }
    if !may_be_granted(&argv) {
        return None;
    }
    let kept = match argv.iter().rposition(|word| word.starts_with('-')) {
        _ if is_granted_exactly(&argv) => argv.len(),
        None => 2,
        Some(last) if argv[last].contains('=') => last + 1,
        Some(last) => last + 2,
    };
    let kept = kept.max(2).max(telling_words(&argv));
    // What the shell makes of a word is not what stands in it.
    if command.words.iter().take(kept).any(|word| word.expands) {
        return None;
    }
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
