//! What the model has to be told that came after the prompt was fixed: rules
//! that were edited, rules of a folder that it works in for the first time,
//! changes that the user took back, another agent, what may run. All of it is
//! appended, once, and never moved (C1, C2, E9).
//!
//! What was told is not remembered: it is read from the conversation itself. So
//! a resumed session knows it, and what a compaction or a revert has taken away
//! is told again.

mod agent;
mod git;
mod nested;
mod permissions;
mod told;

pub(crate) use agent::is_told_of;
pub(crate) use git::{Beginning, look_ahead, note as beginning};
pub(crate) use told::Told;

use crate::core::Core;
use crate::prompt::{self, Fragment, FragmentKind, RuleFile};
use crate::run::{Flow, Run};
use crate::{layout, undo};
use nested::Nested;
use std::sync::Arc;
use tenon_policy::{Facts, Subject};
use tenon_tools::FileUse;
use tenon_vocab::marked::{Mark, element};
use tenon_vocab::{Message, NoticeLevel, Part, Printable, ToolOutput};
use told::{In, last_told};

/// The parts that go before the text of the next prompt. What the agent needs of
/// the prompt and the tools is seen to first.
pub(crate) fn pending(run: &Run) -> Flow<Vec<Part>> {
    let core = &run.core;
    let history = core.emitter.history(0).2;
    let mut parts = Vec::new();
    let is_known = history.is_empty() || agent::is_told_in(core, &history, core.agent().name());
    layout::settle(core)?;
    if !is_known {
        parts.push(agent::note(core));
    }
    parts.extend(permissions::note(core, &history));
    let taken_back = undo::note(core).map(|text| element(Mark::Undo.tag(), &[], &text));
    parts.extend(taken_back.map(Part::text));
    for change in edited(core, &history) {
        let path = &change.path;
        let said = match change.news {
            News::Changed | News::New => {
                format!("the rules changed: {path}; the model is told now")
            }
            News::Again => format!("the rules of {path} are told again"),
        };
        core.notice(Some(run.id), NoticeLevel::Info, "rules", said);
        parts.push(Part::text(change.text));
    }
    Ok(parts)
}

/// What is new about rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    /// The model knows another text of this file.
    Changed,
    /// It knows none.
    New,
    /// It was told, and a compaction has taken it away.
    Again,
}

/// A file of the prompt that has another text than the model knows.
struct Edited {
    path: String,
    text: String,
    news: News,
}

fn edited(core: &Core, history: &[Arc<Message>]) -> Vec<Edited> {
    let layout = core.layout();
    let known = &layout.fragments;
    let untold = core.emitter.state(|state| {
        let compacted = state.compacted();
        compacted.map_or_else(Vec::new, |compacted| compacted.untold.clone())
    });
    current(core)
        .into_iter()
        .filter_map(|file| {
            let block = block(core, &file);
            let (is_told, news) = match last_told(history, &file.path, In::Prompts) {
                Some(rest) => (rest.starts_with(&block), News::Changed),
                None if untold.contains(&file.path) => (is_in_prompt(known, &file), News::Again),
                None if of_file(known, &file.path).is_some() => {
                    (is_in_prompt(known, &file), News::Changed)
                }
                None => (is_in_prompt(known, &file), News::New),
            };
            (!is_told).then(|| Edited {
                text: format!("{}\n{block}", sentence(&file, news)),
                path: file.path,
                news,
            })
        })
        .collect()
}

/// The files as they are now, without secrets, as in the prompt; and with an
/// empty text those of the prompt that are gone.
fn current(core: &Core) -> Vec<RuleFile> {
    let Some(source) = &core.given.rule_source else {
        return Vec::new();
    };
    let mut files = source.current();
    for file in &mut files {
        file.text = core.masker.mask(file.text.trim_end()).into_owned();
    }
    for piece in &core.layout().fragments {
        let is_file = matches!(piece.kind, FragmentKind::Rules | FragmentKind::Instructions);
        if is_file && !files.iter().any(|file| file.path == piece.source) {
            files.push(RuleFile {
                path: piece.source.clone(),
                text: String::new(),
            });
        }
    }
    files
}

fn of_file<'a>(pieces: &'a [Fragment], path: &str) -> Option<&'a Fragment> {
    pieces.iter().find(|piece| piece.source == path)
}

/// An empty file and none are the same: neither has rules.
fn is_in_prompt(pieces: &[Fragment], file: &RuleFile) -> bool {
    match of_file(pieces, &file.path) {
        None => file.text.trim().is_empty(),
        Some(_) if file.text.trim().is_empty() => false,
        Some(piece) => piece.text.ends_with(&prompt::section(file)),
    }
}

fn sentence(file: &RuleFile, news: News) -> String {
    let path = Printable::line(&file.path);
    if file.text.trim().is_empty() {
        return format!("The rules in {path} were removed and no longer apply.");
    }
    match news {
        News::Changed => {
            format!("The rules in {path} have changed. From now on, these apply instead:")
        }
        News::New => format!("There are new rules in {path}. From now on, they apply as well:"),
        News::Again => format!(
            "The rules in {path} follow once more, because the conversation was shortened. They replace what the instructions say of this file:"
        ),
    }
}

/// The rules as the model reads them, without secrets.
fn block(core: &Core, file: &RuleFile) -> String {
    let text = core.masker.mask(file.text.trim_end());
    element(Mark::Rules.tag(), &[("path", &file.path)], &text)
}

/// The rules of the folders that a call has worked in for the first time, to be
/// read after its result.
pub(crate) async fn below(
    run: &Run,
    file_use: FileUse,
    facts: &Facts,
    output: &ToolOutput,
) -> Vec<String> {
    let core = &run.core;
    let Subject::Paths(paths) = &facts.subject else {
        return Vec::new();
    };
    let is_work = file_use != FileUse::Unknown && output.envelope.is_ok();
    if core.given.rule_source.is_none() || !is_work {
        return Vec::new();
    }
    let inside = paths.iter().filter(|fact| fact.inside);
    let touched: Vec<String> = inside.map(|fact| fact.path.clone()).collect();
    let folders = nested::folders(&touched);
    if folders.is_empty() {
        return Vec::new();
    }
    let (workspace, rules) = (core.workspace.clone(), core.rules.clone());
    let found =
        tokio::task::spawn_blocking(move || nested::find(&workspace, &rules, &folders)).await;
    let Nested { files, troubles } = found.unwrap_or_default();
    for trouble in troubles {
        if core.told.is_news(&trouble) {
            core.notice(Some(run.id), NoticeLevel::Warning, "rules", trouble);
        }
    }
    let mut notes = Vec::new();
    for file in files {
        // Whoever reads the rules themselves need not be told them.
        if !touched.contains(&file.path) {
            notes.extend(tell(run, &file));
        }
    }
    notes
}

fn tell(run: &Run, file: &RuleFile) -> Option<String> {
    let core = &run.core;
    let block = block(core, file);
    let (generation, _, _) = core.emitter.history(usize::MAX);
    if core.told.knows(generation, &file.path, &block) {
        return None;
    }
    let history = core.emitter.history(0).2;
    let told = last_told(&history, &file.path, In::Everything);
    core.told.note(generation, &file.path, &block);
    if told.is_some_and(|rest| rest.starts_with(&block)) {
        return None;
    }
    let said = format!("rules: {}", Printable::line(&file.path));
    core.notice(Some(run.id), NoticeLevel::Info, "rules", said);
    Some(format!("{}\n{block}", here(file)))
}

fn here(file: &RuleFile) -> String {
    let folder = file.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let folder = Printable::line(folder);
    format!("Rules of the project for what is below {folder}:")
}

/// For what rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of the work.
    Project,
    /// What is below their folder; each touch of it tells them where they are missing.
    Folder,
}

/// Rules that the conversation was told after the prompt was fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) path: String,
    /// With the sentence before it.
    pub(crate) text: String,
    pub(crate) scope: Scope,
}

pub(crate) fn of_project(rules: &[Standing]) -> impl Iterator<Item = &Standing> {
    rules.iter().filter(|rule| rule.scope == Scope::Project)
}

/// The rules that came after the prompt and that the conversation holds now, to
/// be kept word for word by a compaction; those of the whole project first. They
/// are read from their files: what stands in a conversation may be forged. Any
/// that is left out is told again by itself.
pub(crate) fn standing(core: &Core) -> Vec<Standing> {
    let history = core.emitter.history(0).2;
    let layout = core.layout();
    let known = &layout.fragments;
    let mut all: Vec<Standing> = current(core)
        .into_iter()
        .filter(|file| !is_in_prompt(known, file))
        .filter(|file| holds(core, &history, file, In::Prompts))
        .map(|file| Standing {
            text: format!("{}\n{}", sentence(&file, News::Again), block(core, &file)),
            path: file.path,
            scope: Scope::Project,
        })
        .collect();
    if core.given.rule_source.is_some() {
        let folders = nested::mentioned(&history);
        let found = nested::find(&core.workspace, &core.rules, &folders);
        let told = found.files.into_iter();
        let told = told.filter(|file| holds(core, &history, file, In::Everything));
        all.extend(told.map(|file| Standing {
            text: format!("{}\n{}", here(&file), block(core, &file)),
            path: file.path,
            scope: Scope::Folder,
        }));
    }
    all
}

/// Whether this is the text that the conversation has last of this file.
fn holds(core: &Core, history: &[Arc<Message>], file: &RuleFile, place: In) -> bool {
    last_told(history, &file.path, place).is_some_and(|rest| rest.starts_with(&block(core, file)))
}
