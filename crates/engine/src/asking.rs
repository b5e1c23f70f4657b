//! What the user says, as one message with all that goes along with it: the
//! prompt that a run begins with, and a word in between. One way for both, so
//! that a mention, a note or a hook means the same wherever it is typed.

use crate::hooks::{self, Submitted};
use crate::run::{End, Flow, Run};
use crate::{images, mentions, notes, shell, skills, wake};
use tenon_model::estimate_text;
use tenon_vocab::{Message, Origin, Part, Role};

/// Something that the user says to the model.
pub(crate) struct Saying {
    pub(crate) text: String,
    pub(crate) attachments: Vec<Part>,
    /// A skill whose text goes along, by name.
    pub(crate) skill: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) author: Author,
}

/// Who wrote the words of a saying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The user, just now.
    User,
    /// Whoever wrote the command that the user named.
    Template,
}

impl Saying {
    /// A word in between.
    pub(crate) fn between(text: String) -> Self {
        Self {
            text,
            attachments: Vec::new(),
            skill: None,
            origin: Origin::Steer,
            author: Author::User,
        }
    }
}

/// Records it. What did not pass the hooks, or cannot be shown to this model, is
/// kept for the reader and is no part of the conversation.
///
/// # Errors
/// Why the model does not get to read it.
pub(crate) async fn say(run: &mut Run, saying: Saying) -> Flow<()> {
    let Saying {
        text,
        attachments,
        skill,
        origin,
        author,
    } = saying;
    let submitted = hooks::prompt_submitted(run, &text).await;
    let mut parts: Vec<Part> = run
        .core
        .emitter
        .state(|state| state.shell_notes().iter().map(shell::note).collect());
    parts.extend(notes::pending(run)?);
    parts.extend(notes::beginning(&run.core).await);
    if let (Some(name), Ok(Submitted::With(_))) = (skill, &submitted) {
        parts.extend(skills::named(run, &name).await?);
    }
    if let Ok(Submitted::With(_)) = &submitted {
        parts.extend(wake::note(&run.core));
    }
    let tokens = |part: &Part| match part {
        Part::Text { text } => estimate_text(text),
        _ => 0,
    };
    run.unsent = estimate_text(&text) + parts.iter().map(tokens).sum::<u64>();
    let mentioned = match &submitted {
        Ok(Submitted::With(_)) => mentions::attached(run, &text).await?,
        _ => Vec::new(),
    };
    run.unsent = 0;
    if let (Ok(Submitted::With(_)), Author::User) = (&submitted, author) {
        run.todo_first.hear(&run.core, &text);
    }
    parts.push(Part::text(text));
    let identity = run.core.active.get().identity();
    let refused =
        images::refusal(&identity, &attachments).or_else(|| images::refusal(&identity, &mentioned));
    parts.extend(mentioned);
    for part in attachments {
        parts.push(images::keep(&run.core, part)?);
    }
    let mut message = Message::new(Role::User, origin, parts);
    let result = match submitted {
        Ok(Submitted::With(context)) => {
            message.parts.extend(context);
            Ok(())
        }
        Ok(Submitted::Blocked(reason)) => Err(End::Blocked(reason)),
        Err(end) => Err(end),
    };
    let result = result.and_then(|()| refused.map_or(Ok(()), |why| Err(End::Failed(why))));
    message.in_context = result.is_ok();
    run.emit(message)?;
    result
}
