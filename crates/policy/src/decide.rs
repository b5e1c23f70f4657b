//! The verdict about a call: the strictest over all that it touches, with the
//! whole way to it. What is asked of each part is in `judge`, what holds for a
//! command line as a whole in `line`.

use crate::aspect::aspects;
use crate::grant::Grants;
use crate::judge::Judge;
use crate::rule::strictness;
use crate::trail::{Finding, Verdict};
use crate::{Access, EXTERNAL_DIRECTORY, Facts, Mode, PathFact, Place, Rules, Subject};
use tenon_vocab::profile::AgentProfile;
use tenon_vocab::{Class, Effect, ErrorCode, Explanation, Responders, RuleTried, Timestamp};

/// A line may have many commands; the log need not have all that was tried for
/// each of them.
const MOST_PARTS_TOLD: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOnly {
    Yes,
    No,
}

/// Whether a command that only reads can be run where nothing can be written,
/// nobody can be reached and secrets of the project are hidden.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadingRoom {
    /// The kernel holds it.
    Enforced,
    /// The same, but the project has more secrets or folders than are hidden:
    /// what shows files that nobody named is not let loose on it.
    SomeSecretsShown,
    /// There is no sandbox, or a part of it is missing here.
    #[default]
    Absent,
}

/// On whose behalf a call is made, and what stands around it.
#[derive(Debug, Clone, Copy)]
pub struct Authority<'a> {
    pub agent: &'a str,
    pub read_only: ReadOnly,
    pub agent_rules: Option<&'a Rules>,
    pub reading_room: ReadingRoom,
    /// What is answered without a question.
    pub mode: Mode<'a>,
}

impl<'a> Authority<'a> {
    /// That of an agent by its profile, without rules of its own.
    #[must_use]
    pub fn of(agent: &'a AgentProfile) -> Self {
        Self {
            agent: &agent.name,
            read_only: if agent.read_only {
                ReadOnly::Yes
            } else {
                ReadOnly::No
            },
            agent_rules: None,
            reading_room: ReadingRoom::Absent,
            mode: Mode::default(),
        }
    }

    /// The same with what a command that only reads can be held to.
    #[must_use]
    pub fn with_reading_room(self, reading_room: ReadingRoom) -> Self {
        Self {
            reading_room,
            ..self
        }
    }

    /// The same in another permission mode.
    #[must_use]
    pub fn in_mode(self, mode: Mode<'a>) -> Self {
        Self { mode, ..self }
    }
}

/// Decides about one call. The strictest verdict over all that it touches
/// counts, and the result does not depend on the order of rules or grants.
#[must_use]
pub fn decide(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Explanation {
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    let parts = aspects(facts);
    let mut findings = Vec::with_capacity(parts.len() + 1);
    if let Subject::Command(script) = &facts.subject {
        findings.push(judge.whole_line(facts, script));
    }
    findings.extend(parts.iter().map(|aspect| judge.about(aspect)));
    findings.extend(judge.of_added_folders(facts));
    let held = judge.holds_read_only(facts, &findings);
    let explanation = settle(findings);
    if held {
        return explanation.held_read_only();
    }
    // Beside what is more than a reader nothing holds it to reading.
    let is_held_to_nothing =
        explanation.class == Class::Allow && authority.reading_room != ReadingRoom::Absent;
    if is_held_to_nothing && matches!(facts.subject, Subject::Command(_)) {
        let outside = authority.with_reading_room(ReadingRoom::Absent);
        return decide(facts, rules, grants, &outside, now);
    }
    explanation
}

/// Why a folder outside the project must not be opened beside it, where a rule
/// denies it or what it holds.
#[must_use]
pub fn folder_denied(rules: &Rules, folder: &str, now: Timestamp) -> Option<String> {
    let fact = |path: String, place| PathFact {
        path,
        access: Access::Write,
        exists: true,
        inside: true,
        symlink: false,
        place,
    };
    let facts = Facts {
        tool: EXTERNAL_DIRECTORY.to_owned(),
        effect: Effect::Write,
        subject: Subject::Paths(vec![
            fact(folder.to_owned(), Place::AddedRoot),
            fact(format!("{folder}/_"), Place::Added),
        ]),
        input: String::new(),
    };
    let authority = Authority {
        agent: "",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Mode::default(),
    };
    let judge = Judge {
        rules,
        grants: &Grants::new(),
        authority: &authority,
        now,
    };
    let found = judge.of_added_folders(&facts);
    let mut verdicts = found.into_iter().flat_map(|finding| finding.verdict);
    verdicts
        .find(|verdict| verdict.class == Class::Deny)
        .map(|verdict| verdict.reason)
}

/// The code that a denied call answers with.
#[must_use]
pub fn error_code(explanation: &Explanation) -> ErrorCode {
    let decider = explanation.tried.iter().rev().find(|rule| rule.matched);
    match decider {
        Some(rule) if rule.rule.starts_with(EXTERNAL_DIRECTORY) => ErrorCode::PathOutsideRoot,
        _ => ErrorCode::PermissionDenied,
    }
}

/// The first of the strictest findings decides. Its trail comes last, so that the
/// last rule that matched is the one that decided.
fn settle(findings: Vec<Finding>) -> Explanation {
    let mut deciding: Option<(usize, &Verdict)> = None;
    for (at, finding) in findings.iter().enumerate() {
        let Some(verdict) = &finding.verdict else {
            continue;
        };
        let stricter =
            deciding.is_none_or(|(_, held)| strictness(verdict.class) > strictness(held.class));
        if stricter {
            deciding = Some((at, verdict));
        }
    }
    let parts = distinct(&findings);
    let Some((at, verdict)) = deciding else {
        return Explanation::new(Class::Ask, "nothing is known about this call");
    };
    let mut explanation =
        Explanation::new(verdict.class, reason(verdict, &findings[at].part, parts));
    // Whoever must be asked in person for one part is asked in person for all.
    let in_person = findings
        .iter()
        .flat_map(|finding| &finding.verdict)
        .any(|one| one.class == verdict.class && one.responders == Responders::Person);
    if in_person {
        explanation.responders = Responders::Person;
    }
    explanation.tried = told(findings, at, parts);
    explanation
}

/// How many things the call is about: a path outside is asked for twice.
fn distinct(findings: &[Finding]) -> usize {
    let mut parts: Vec<&str> = findings
        .iter()
        .map(|finding| finding.part.as_str())
        .collect();
    parts.retain(|part| !part.is_empty());
    parts.sort_unstable();
    parts.dedup();
    parts.len()
}

fn reason(verdict: &Verdict, part: &str, parts: usize) -> String {
    let several = parts > 1;
    match verdict.class {
        Class::Allow if several => format!("all {parts} commands are allowed"),
        Class::Ask if several && !part.is_empty() => format!("{part}: {}", verdict.reason),
        _ => verdict.reason.clone(),
    }
}

fn told(findings: Vec<Finding>, deciding: usize, parts: usize) -> Vec<RuleTried> {
    let several = parts > 1;
    let mut told = Vec::new();
    let mut last = Vec::new();
    let mut untold = 0;
    for (at, finding) in findings.into_iter().enumerate() {
        if at != deciding && at > MOST_PARTS_TOLD {
            untold += 1;
            continue;
        }
        let into = if at == deciding { &mut last } else { &mut told };
        if several && !finding.part.is_empty() && !finding.trail.0.is_empty() {
            into.push(heading(format!("part: {}", finding.part)));
        }
        into.extend(finding.trail.0);
    }
    if untold > 0 {
        told.push(heading(format!(
            "part: {untold} more, none of them stricter"
        )));
    }
    told.append(&mut last);
    told
}

fn heading(rule: String) -> RuleTried {
    RuleTried {
        rule,
        origin: String::new(),
        matched: false,
    }
}
