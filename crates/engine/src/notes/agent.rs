//! Another agent took over: what it is and what it may, told once with the next
//! prompt. Who was told is read from the conversation, as with rules.

use crate::core::Core;
use std::sync::Arc;
use tenon_vocab::marked::{self, Mark, element, opening};
use tenon_vocab::{Message, Part, Printable, Role};

/// Whether the conversation, or the prompt before it, says that this agent works.
pub(crate) fn is_told_of(core: &Core, name: &str) -> bool {
    let history = core.emitter.history(0).2;
    is_told_in(core, &history, name)
}

pub(super) fn is_told_in(core: &Core, history: &[Arc<Message>], name: &str) -> bool {
    let told = last_told(history);
    told.as_deref().unwrap_or(&core.layout().agent) == name
}

/// What goes along with the next prompt.
pub(super) fn note(core: &Core) -> Part {
    let text = words(core);
    let acting = core.agent();
    let (tag, attributes) = (Mark::Agent.tag(), [("name", acting.name())]);
    let end = format!("</{tag}>");
    // Its words are the user's or ours, and may speak of tags: where they do not
    // end the element, they stand as they are.
    Part::text(if text.contains(&end) {
        element(tag, &attributes, &text)
    } else {
        format!("{}\n{text}\n{end}", opening(tag, &attributes))
    })
}

/// The agent of the last note.
fn last_told(history: &[Arc<Message>]) -> Option<String> {
    let said = history.iter().rev().filter(|said| said.role == Role::User);
    said.flat_map(|message| message.parts.iter().rev())
        .find_map(|part| match part {
            Part::Text { text } if marked::of(text) == Some(Mark::Agent) => {
                marked::read(Mark::Agent, "name", text).map(|(name, _)| name)
            }
            _ => None,
        })
}

fn words(core: &Core) -> String {
    let (acting, layout) = (core.agent(), core.layout());
    let name = Printable::line(acting.name()).into_string();
    let base = core.cast.base(acting.name(), layout.tier.tier);
    let own = base.map(|piece| piece.text.as_str());
    let known = own.is_none() || own == layout.base().as_deref();
    let mut text = format!("The user has changed the agent: from here on you are `{name}`.");
    if known {
        text.push_str(" The instructions at the start apply to you as they are.");
    } else {
        text.push_str(
            " The following replaces the beginning of the instructions at the start:\n\n",
        );
        text.push_str(own.unwrap_or_default());
        text.push_str("\n\n");
    }
    let offered = layout.prefix.tools.iter().map(|spec| spec.name.as_str());
    let (yours, not): (Vec<&str>, Vec<&str>) = offered.partition(|tool| acting.sees(tool));
    if known {
        text.push(' ');
    }
    if not.is_empty() {
        text.push_str("You can use all of your tools.");
    } else {
        text.push_str(&format!(
            "You can use these tools: {}. Calls to {} are refused, and only the user can change that.",
            yours.join(", "),
            either(&not)
        ));
    }
    text
}

fn either(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
