//! Changes of files that one reply asks for can be answered together: they are
//! shown in one question, each under its path, and one answer may be for all of
//! them. That answer is no admission. Each call is judged again when its turn
//! comes, is recorded by itself, and is asked about again where it would do
//! anything but what was shown.

use super::{Reading, decided};
use crate::gate::respond::{Responder, responder};
use crate::run::{Flow, Run};
use crate::schedule::{Leave, Planned, Ready};
use serde_json::Value;
use std::collections::VecDeque;
use tenon_policy::{Facts, Subject};
use tenon_vocab::{
    Answer, AnsweredBy, CallId, Choice, Class, DiffFile, Display, Effect, Explanation,
};

/// More than so many calls are asked about in several questions.
const CALLS: usize = 20;
/// So many bytes of changes are as much as a person reads at once.
const BYTES: usize = 256 * 1024;

/// The calls of a reply in their order, with what was said about those to come.
#[derive(Default)]
pub(crate) struct CallQueue {
    upcoming: VecDeque<Vec<Planned>>,
    early: Vec<EarlyAnswer>,
    manner: Manner,
}

/// Whether several may be asked about together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Manner {
    #[default]
    Together,
    /// Somebody wants to be asked about each.
    OneByOne,
}

/// What was said about a call before its turn.
struct EarlyAnswer {
    answer: Answer,
    change: Change,
}

/// A later call that is asked about with the first.
pub(super) struct Member {
    call: CallId,
    change: Change,
    files: Vec<DiffFile>,
}

/// What a call would change, as it is shown. The lines around a change are not
/// part of it: another change of the same file may stand between them.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    input: Value,
    facts: Facts,
    files: Vec<FileChange>,
}

#[derive(Debug, Clone, PartialEq)]
struct FileChange {
    path: String,
    from: Option<String>,
    operation: String,
    lines: Vec<String>,
}

impl CallQueue {
    pub(crate) fn of(batches: Vec<Vec<Planned>>) -> Self {
        Self {
            upcoming: batches.into(),
            ..Self::default()
        }
    }

    /// The calls whose turn it is.
    pub(crate) fn next_batch(&mut self) -> Option<Vec<Planned>> {
        self.upcoming.pop_front()
    }

    pub(super) fn one_by_one(&mut self) {
        self.manner = Manner::OneByOne;
    }

    /// What was said about this call with another, where it still holds. A no
    /// holds whatever the call would do now.
    pub(super) fn take_early(
        &mut self,
        run: &Run,
        call: &CallId,
        (ready, facts, explanation): (&Ready, &Facts, &Explanation),
    ) -> Option<Answer> {
        let is_it = |early: &EarlyAnswer| early.answer.call.as_ref() == Some(call);
        let at = self.early.iter().position(is_it)?;
        let EarlyAnswer { answer, change } = self.early.remove(at);
        let is_yes = answer.choice == Choice::ALL;
        let is_as_shown = || {
            let now = change_of(run, ready, facts, explanation);
            now.is_some_and(|(now, _)| now == change)
        };
        (!is_yes || is_as_shown()).then_some(answer)
    }

    /// Keeps an answer that was given for all of the group.
    pub(super) fn keep(&mut self, group: Vec<Member>, answer: &Answer) {
        if answer.by == AnsweredBy::Interrupt {
            return;
        }
        self.early
            .extend(group.into_iter().map(|member| EarlyAnswer {
                answer: Answer {
                    call: Some(member.call),
                    ..answer.clone()
                },
                change: member.change,
            }));
    }

    /// The changes of files further on in the reply that would be asked about for
    /// the same reason as this one. It ends at a call that may change more than it
    /// says.
    pub(super) fn group(
        &self,
        run: &Run,
        (ready, facts, explanation): (&Ready, &Facts, &Explanation),
        leave: Leave,
    ) -> Vec<Member> {
        let first = change_of(run, ready, facts, explanation);
        let (Some((_, files)), Manner::Together, Leave::ToBeAsked) = (first, self.manner, leave)
        else {
            return Vec::new();
        };
        let cause = cause(facts, explanation);
        let mut bytes = size(&files);
        let mut members = Vec::new();
        for planned in self.upcoming.iter().flatten() {
            let Ok(next) = &planned.ready else { continue };
            let spec = next.tool.spec();
            match spec.effect {
                Effect::Write => {}
                Effect::Read => continue,
                Effect::Execute | Effect::Interact => break,
            }
            let is_told = |early: &EarlyAnswer| early.answer.call.as_ref() == Some(&planned.call);
            if !run.core.agent().sees(&spec.name) || self.early.iter().any(is_told) {
                continue;
            }
            let (facts, explanation) = decided(run, next, Reading::Offered);
            let Some((change, files)) = change_of(run, next, &facts, &explanation) else {
                continue;
            };
            let core = &run.core;
            let view = super::admit_paths(&core.workspace, &facts);
            let (input, limits) = (&next.input, &core.tool_limits);
            let obstacle = next.tool.obstacle(input, &view, &core.jobs, limits);
            if self::cause(&facts, &explanation) != cause || obstacle.is_some() {
                continue;
            }
            bytes += size(&files);
            if bytes > BYTES || members.len() + 1 >= CALLS {
                break;
            }
            members.push(Member {
                call: planned.call.clone(),
                change,
                files,
            });
        }
        members
    }
}

/// Why it is asked, whichever tool it is.
fn cause(facts: &Facts, explanation: &Explanation) -> String {
    explanation.reason.replace(&format!("`{}`", facts.tool), "")
}

fn size(files: &[DiffFile]) -> usize {
    files.iter().map(|file| file.unified.len()).sum()
}

/// What a call would change, where that is all of it, a person is to be asked, and
/// a key is enough for a yes.
fn change_of(
    run: &Run,
    ready: &Ready,
    facts: &Facts,
    explanation: &Explanation,
) -> Option<(Change, Vec<DiffFile>)> {
    let asks = explanation.class == Class::Ask
        && explanation.responders.is_any()
        && ready.tool.spec().effect == Effect::Write
        && responder(run.core.approval, Leave::ToBeAsked, explanation) == Responder::Person;
    if !asks {
        return None;
    }
    let view = super::admit_paths(&run.core.workspace, facts);
    let Display::Diff { files } = ready.tool.preview(&ready.input, &view) else {
        return None;
    };
    if files.is_empty() || files.iter().any(|file| file.left_out_bytes > 0) {
        return None;
    }
    let change = Change {
        input: ready.input.clone(),
        facts: facts.clone(),
        files: files.iter().map(changed).collect(),
    };
    Some((change, files))
}

fn changed(file: &DiffFile) -> FileChange {
    let is_change = |line: &&str| !line.starts_with(' ') && !line.starts_with("@@");
    FileChange {
        path: file.path.clone(),
        from: file.from.clone(),
        operation: file.operation.clone(),
        lines: file
            .unified
            .split('\n')
            .filter(is_change)
            .map(str::to_owned)
            .collect(),
    }
}

/// Every call that a question is about.
pub(super) fn calls(first: &CallId, group: &[Member]) -> Vec<CallId> {
    match group {
        [] => Vec::new(),
        _ => std::iter::once(first)
            .chain(group.iter().map(|member| &member.call))
            .cloned()
            .collect(),
    }
}

/// What the first would change, and then the others.
pub(super) fn shown(first: Display, group: &[Member]) -> Display {
    match first {
        Display::Diff { mut files } => {
            files.extend(group.iter().flat_map(|member| member.files.clone()));
            Display::Diff { files }
        }
        other => other,
    }
}

/// What all of them touch, as one: a lasting yes has to be for all of it.
pub(super) fn merged(facts: &Facts, group: &[Member]) -> Facts {
    let mut merged = facts.clone();
    let mut inputs = vec![facts.input.as_str()];
    for Member { change, .. } in group {
        inputs.push(&change.facts.input);
        if let (Subject::Paths(all), Subject::Paths(more)) =
            (&mut merged.subject, &change.facts.subject)
        {
            all.extend(more.iter().cloned());
        }
    }
    if !group.is_empty() {
        merged.input = format!("[{}]", inputs.join(","));
    }
    merged
}

/// The record of an answer that was given earlier, beside the call it is for.
pub(super) fn record(run: &Run, answer: &Answer) -> Flow<()> {
    run.emit(answer.clone())?;
    Ok(())
}
