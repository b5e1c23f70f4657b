//! The hooks that are about no call: the start and the end of a session, the
//! prompt, each request and its reply, and the end of a run.

use super::answer::Decision;
use super::fire::{Scene, Word};
use crate::core::Core;
use crate::run::{End, Flow, Run};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use tenon_vocab::marked::element;
use tenon_vocab::profile::{HookEvent, HookSpec};
use tenon_vocab::{Message, NoticeLevel, Origin, Outcome, Part, Role};
use tokio_util::sync::CancellationToken;

/// How often hooks may keep one run going.
const CONTINUATIONS: u32 = 3;
/// How long the end of a session waits for all of its hooks together.
const FAREWELL: Duration = Duration::from_secs(10);

/// Asks the hooks of an event in order, until one blocks.
async fn ask_all(
    scene: Scene<'_>,
    event: HookEvent,
    own: Map<String, Value>,
) -> Flow<Vec<(&HookSpec, Word)>> {
    let mut words = Vec::new();
    let hooks = scene.core.hooks.of(event);
    if hooks.is_empty() {
        return Ok(words);
    }
    let mut fields = scene.input(event, None);
    fields.extend(own);
    let input = Value::Object(fields);
    for hook in hooks {
        let word = scene.fire(hook, &input).await?;
        let blocks = word.decision == Decision::Block;
        words.push((hook, word));
        if blocks {
            break;
        }
    }
    Ok(words)
}

fn fields<const N: usize>(own: [(&str, Value); N]) -> Map<String, Value> {
    own.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A block ends the run; what is left are the messages, each with its hook.
fn unless_blocked(words: Vec<(&HookSpec, Word)>) -> Flow<Vec<(&HookSpec, String)>> {
    let mut messages = Vec::new();
    for (hook, word) in words {
        if word.decision == Decision::Block {
            return Err(End::Blocked(word.reason(hook)));
        }
        messages.extend(word.message.map(|message| (hook, message)));
    }
    Ok(messages)
}

fn context(hook: &HookSpec, message: &str) -> String {
    element("hook", &[("name", &hook.name)], message)
}

/// Before the first run of this program in the session. What hooks say waits for
/// the first prompt.
pub(crate) async fn session_started(run: &Run) -> Flow<()> {
    let hooks = &run.core.hooks;
    if hooks.memory().started {
        return Ok(());
    }
    let earlier = run.core.emitter.state(|state| state.runs());
    // The run that is starting is counted already.
    let source = if earlier > 1 { "resume" } else { "start" };
    let own = fields([("source", json!(source))]);
    let words = ask_all(run.into(), HookEvent::SessionStart, own).await?;
    let messages = unless_blocked(words)?;
    let mut memory = hooks.memory();
    memory.started = true;
    memory
        .context
        .extend(messages.iter().map(|(hook, said)| context(hook, said)));
    Ok(())
}

/// What becomes of a prompt.
pub(crate) enum Submitted {
    /// It goes on, with what hooks add to it.
    With(Vec<Part>),
    Blocked(String),
}

/// Before a prompt, or a word in between, becomes a part of the conversation.
pub(crate) async fn prompt_submitted(run: &Run, prompt: &str) -> Flow<Submitted> {
    let own = fields([("prompt", json!(prompt))]);
    let words = ask_all(run.into(), HookEvent::UserPromptSubmit, own).await?;
    let messages = match unless_blocked(words) {
        Ok(messages) => messages,
        Err(End::Blocked(reason)) => return Ok(Submitted::Blocked(reason)),
        Err(end) => return Err(end),
    };
    let mut parts: Vec<Part> = std::mem::take(&mut run.core.hooks.memory().context)
        .into_iter()
        .map(Part::text)
        .collect();
    let said = messages
        .iter()
        .map(|(hook, said)| Part::text(context(hook, said)));
    parts.extend(said);
    Ok(Submitted::With(parts))
}

/// Before a request. What hooks say is added at the end, and once: what was
/// sent before stays as it was sent.
pub(crate) async fn before_request(run: &Run) -> Flow<()> {
    let own = fields([("step", json!(run.tally.steps.saturating_add(1)))]);
    let words = ask_all(run.into(), HookEvent::BeforeModelRequest, own).await?;
    for (hook, said) in unless_blocked(words)? {
        let key = (hook.name.clone(), said.clone());
        let is_new = run.core.hooks.memory().said.insert(key);
        if is_new {
            run.emit(message(context(hook, &said)))?;
        }
    }
    Ok(())
}

fn message(text: String) -> Message {
    Message::new(Role::User, Origin::Hook, vec![Part::text(text)])
}

/// After a reply, which stands in the log by now. A block ends the run before
/// any of its calls.
pub(crate) async fn after_response(run: &Run) -> Flow<()> {
    if run.core.hooks.of(HookEvent::AfterModelResponse).is_empty() {
        return Ok(());
    }
    let own = fields([("message", json!(last_reply(&run.core)))]);
    let words = ask_all(run.into(), HookEvent::AfterModelResponse, own).await?;
    unless_blocked(words).map(|_| ())
}

fn last_reply(core: &Core) -> String {
    let (_, _, messages) = core.emitter.history(0);
    messages
        .iter()
        .rev()
        .find(|message| message.role == Role::Assistant && !message.is_of_shell())
        .map(|message| message.text())
        .unwrap_or_default()
}

/// What hooks make of the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopping {
    Stop,
    GoOn,
}

/// The model has nothing more to do. A hook that blocks sends it on, with its
/// message as the next word.
pub(crate) async fn stopping(run: &mut Run) -> Flow<Stopping> {
    if run.core.hooks.of(HookEvent::Stop).is_empty() {
        return Ok(Stopping::Stop);
    }
    let own = fields([
        ("outcome", json!(Outcome::Completed)),
        ("message", json!(last_reply(&run.core))),
        ("continuations", json!(run.continuations)),
    ]);
    let core = std::sync::Arc::clone(&run.core);
    let scene = Scene {
        core: &core,
        run: Some(run.id),
        token: &run.token,
    };
    let words = ask_all(scene, HookEvent::Stop, own).await?;
    let Some((hook, word)) = words
        .into_iter()
        .find(|(_, word)| word.decision == Decision::Block)
    else {
        return Ok(Stopping::Stop);
    };
    if run.continuations >= CONTINUATIONS {
        core.notice(
            Some(run.id),
            NoticeLevel::Warning,
            "hook",
            format!(
                "The hook `{}` tried {} times to keep the run going; the run ends now.",
                hook.name,
                run.continuations + 1
            ),
        );
        return Ok(Stopping::Stop);
    }
    run.continuations += 1;
    let said = word
        .message
        .unwrap_or_else(|| String::from("You are not done yet: go on."));
    run.emit(message(context(hook, &said)))?;
    Ok(Stopping::GoOn)
}

/// The session ends. Nothing that hooks say changes it, and nobody waits long.
pub(crate) async fn session_ended(core: &Core) {
    let outcome = {
        let memory = core.hooks.memory();
        if !memory.started {
            return;
        }
        memory.last_outcome
    };
    if core.emitter.is_broken() {
        return;
    }
    let token = CancellationToken::new();
    let scene = Scene {
        core,
        run: None,
        token: &token,
    };
    let mut input = scene.input(HookEvent::SessionEnd, None);
    input.insert("outcome".into(), json!(outcome));
    let input = Value::Object(input);
    let until = Instant::now() + FAREWELL;
    for hook in core.hooks.of(HookEvent::SessionEnd) {
        let left = until.saturating_duration_since(Instant::now());
        let hurried = HookSpec {
            timeout: hook.timeout.min(left),
            ..hook.clone()
        };
        // Only an interrupt is an error, and nobody can interrupt this.
        let _ = scene.fire(&hurried, &input).await;
    }
}
