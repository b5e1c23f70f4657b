//! A task with several parts begins with a task list (T10): the first call with
//! effects is answered, once, with a list that was begun for the model and the
//! request to write a better one. Whoever goes on without it is let: a small
//! model must not be held up by a rule that it does not understand.

use super::complex::is_complex;
use super::replace;
use crate::core::Core;
use crate::run::{End, Flow, Run};
use crate::schedule::Ready;
use tenon_policy::{Authority, Grants, ReadOnly, ReadingRoom, Rules, decide};
use tenon_vocab::names::tool;
use tenon_vocab::profile::TodoFirst;
use tenon_vocab::{
    Class, Effect, ErrorCode, Message, Origin, Part, Role, TodoItem, TodoStatus, ToolOutput,
};

/// Characters of the request that the first item holds.
const REQUEST: usize = 120;

const TOLD: &str = "Not run yet: this request has several parts, but there was no task list. One was started with the request as its only item. Replace it now with `todowrite`: one item for each part, the first one in_progress. Then make this call again. This is a one-time reminder; after it, calls run as usual.";
const WITH_IT: &str = "Not run yet: an earlier call of this reply waits for the task list. Make this one again after it.";

/// How often a model that stops is told that its call still waits.
const REMINDERS: u32 = 2;
const REMINDER: &str = "The call that waited for the task list has not run, so nothing was changed. Make that call again now; calls run as usual. If you need an answer from the user first, end with that question.";

/// Where a run stands with the rule.
#[derive(Debug, Default)]
pub(crate) enum First {
    /// Nothing is asked of the model, or not any more.
    #[default]
    Settled,
    /// The first call with effects waits, if there is no list by then.
    Due { request: String },
    /// The model was told in this step; what else the reply does waits with it,
    /// so that nothing runs out of its order.
    Told { step: u32, reminded: u32 },
}

impl First {
    /// The user said something. A word in between that asks for little changes
    /// nothing about what the prompt asked for.
    pub(crate) fn hear(&mut self, core: &Core, said: &str) {
        if let due @ Self::Due { .. } = Self::of(core, said) {
            *self = due;
        }
    }

    /// What a prompt asks for.
    fn of(core: &Core, prompt: &str) -> Self {
        let wanted = core.given.todo_first == TodoFirst::Asked
            && core.agent().sees(tool::TODO_WRITE)
            && is_complex(prompt);
        if wanted {
            Self::Due {
                request: one_line(prompt),
            }
        } else {
            Self::Settled
        }
    }
}

/// The answer to a call that must wait for the list; `None` when it need not.
pub(crate) fn hold(run: &mut Run, ready: &Ready) -> Flow<Option<ToolOutput>> {
    let step = run.tally.steps;
    if matches!(run.todo_first, First::Settled) || !has_effects(run, ready) {
        return Ok(None);
    }
    match std::mem::take(&mut run.todo_first) {
        First::Settled => Ok(None),
        // Made again, or another one: whoever goes on without a list is let.
        First::Told { step: told, .. } if told != step => Ok(None),
        told @ First::Told { .. } => {
            run.todo_first = told;
            Ok(Some(waiting(WITH_IT)))
        }
        First::Due { request } => {
            if is_listed(&run.core) {
                return Ok(None);
            }
            let begun = TodoItem {
                text: request,
                status: TodoStatus::InProgress,
            };
            replace(&run.core, run.id, vec![begun.clone()])?;
            run.starter = Some(begun);
            run.todo_first = First::Told { step, reminded: 0 };
            Ok(Some(waiting(TOLD)))
        }
    }
}

/// Whether a call still waits when the model has nothing more to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The model was told so.
    Reminded,
    Nothing,
}

/// The model stops. A call that was held back and never made again is no work
/// that is done: it is told so, and asked again.
pub(crate) fn remind(run: &mut Run) -> Flow<Waiting> {
    let First::Told { reminded, .. } = &mut run.todo_first else {
        return Ok(Waiting::Nothing);
    };
    if *reminded >= REMINDERS {
        return Err(End::Failed(String::from(
            "the model stopped without making the call that had waited for the task list; nothing was changed. Say how to continue, or set `todo.first` to off",
        )));
    }
    *reminded += 1;
    // What it wants to know first is for the user to say.
    if has_asked(&run.core) {
        return Ok(Waiting::Nothing);
    }
    run.emit(Message::new(
        Role::User,
        Origin::Rule,
        vec![Part::text(REMINDER)],
    ))?;
    Ok(Waiting::Reminded)
}

fn has_asked(core: &Core) -> bool {
    let history = core.emitter.history(0).2;
    let said = history
        .iter()
        .rev()
        .find(|message| message.role == Role::Assistant);
    said.is_some_and(|said| said.text().trim_end().ends_with(['?', '？', '؟']))
}

/// A list that was begun for the model goes with its run when nobody touched it:
/// it says nothing that the prompt does not say.
pub(crate) fn take_back(run: &mut Run) -> Flow<()> {
    let Some(begun) = run.starter.take() else {
        return Ok(());
    };
    let is_untouched = run.core.emitter.state(|state| *state.todo() == [begun]);
    if is_untouched {
        replace(&run.core, run.id, Vec::new())?;
    }
    Ok(())
}

/// A list on which nothing is left to do is one of an earlier task.
fn is_listed(core: &Core) -> bool {
    core.emitter
        .state(|state| state.todo().iter().any(|item| item.status.is_open()))
}

/// Looking at things is how a list comes to be, also with a command.
fn has_effects(run: &Run, ready: &Ready) -> bool {
    match ready.tool.spec().effect {
        Effect::Read | Effect::Interact => false,
        Effect::Write => true,
        Effect::Execute => {
            let facts = ready.tool.facts(&ready.input, &run.core.workspace);
            // The rules that come along allow a command only when it is certain
            // that it reads; here it does not matter what holds it to that. Those
            // of the user say what may run, which is something else.
            let nobody = Authority {
                agent: "",
                read_only: ReadOnly::No,
                agent_rules: None,
                reading_room: ReadingRoom::Enforced,
                mode: Default::default(),
            };
            let now = run.core.ambient.now();
            let decided = decide(&facts, &Rules::built_in(), &Grants::new(), &nobody, now);
            facts.effect != Effect::Read && decided.class != Class::Allow
        }
    }
}

/// No failure: nothing was tried. People read the short form of it.
fn waiting(text: &str) -> ToolOutput {
    let short = "the task list comes first; the model was told to write it and to call again";
    let mut output = ToolOutput::error(ErrorCode::NotStarted, short);
    output.model_text = text.to_owned();
    output
}

fn one_line(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(REQUEST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
