//! What the model is asked for a summary with: the same conversation and one more
//! message, so that the server's cache is warm; or, where that does not fit, the
//! conversation as a text that was cut by rule. Makes requests, sends none.

use crate::aside::{self, limited};
use crate::compact::compose::written_by_model;
use crate::compact::sections::heading;
use crate::compact::summary::Question;
use crate::compact::text::{figure, within};
use crate::compact::view::View;
use std::sync::Arc;
use tenon_model::{Entry, Request, estimate_text};
use tenon_vocab::marked::element;
use tenon_vocab::{Message, Origin, Part, Role};

const SYSTEM: &str = "You write summaries of working sessions of a coding assistant, for the assistant itself, which continues with nothing but the summary. Be exact: names of files, commands, errors and decisions as they are.";
/// Characters of the messages that are shown as text.
const MESSAGE: u64 = 600;
const CALL: u64 = 80;
const RESULT: u64 = 120;
/// The share of the text that is its beginning, in percent.
const HEAD: u64 = 30;

/// What is asked for.
pub(crate) fn instruction(tokens: u64, focus: Option<&str>, previous: Option<&str>) -> String {
    let words = figure((tokens * 6 / 10).max(40));
    let headings = headings();
    let mut text = format!(
        "The conversation is about to be made shorter. Write the summary that replaces it. Do not call tools and do not continue the work. At most {words} words, in the language of the user, with these headings:\n\
         {headings}\
         Write file names, commands, identifiers, errors and numbers exactly as they are. Leave out a heading if there is nothing to say under it. Answer with the summary alone."
    );
    if previous.is_some() {
        text.push_str("\n\nThe conversation begins with an earlier summary. Update that summary: keep everything that still applies, word for word where you can, correct what has changed, and add what is new. Do not summarise it again.");
    }
    if let Some(focus) = focus {
        text.push_str("\n\nThe user asks you to pay special attention to this:\n");
        text.push_str(focus);
    }
    text
}

/// Each on a line of its own, with what is wanted below it.
fn headings() -> String {
    let wanted = [
        (heading::OBJECTIVE, ""),
        (heading::REQUEST, "(as the user wrote it; quote it)\n"),
        (heading::COMPLETED, ""),
        (
            heading::STATE,
            "(what works, what does not, what is being done right now)\n",
        ),
        (
            heading::CONTEXT,
            "(constraints, decisions with their reasons, facts of the environment, commands that work)\n",
        ),
        (heading::FILES, "(path and what was changed)\n"),
        (heading::RISKS, ""),
        (heading::NEXT, ""),
    ];
    wanted
        .map(|(heading, below)| format!("## {heading}\n{below}"))
        .concat()
}

/// The conversation as it was sent last, and the instruction behind it.
pub(crate) fn warm(mut request: Request, instruction: String, most: u64) -> Request {
    let ends_with_user = request
        .entries
        .last()
        .is_some_and(|entry| entry.message.role == Role::User);
    let mut add = |message: Message| {
        request
            .entries
            .push(Arc::new(Entry::new(Arc::new(message))))
    };
    if ends_with_user {
        // Roles take turns.
        add(Message::assistant("(noted)"));
    }
    // Not the user's words: it follows results like anything that the program says.
    let parts = vec![Part::text(instruction)];
    add(Message::new(Role::User, Origin::Compaction, parts));
    request.parameters = limited(request.parameters, most);
    request
}

/// The same as a text, in at most so many tokens.
pub(crate) fn cold(
    template: &Request,
    view: &View,
    cut: usize,
    instruction: &str,
    tokens: u64,
    most: u64,
) -> Request {
    let question = as_text(view, cut, instruction, tokens);
    let parameters = limited(template.parameters.clone(), most);
    Request {
        room: template.room,
        ..aside::request(
            question.system,
            question.text,
            parameters,
            template.delivery,
        )
    }
}

pub(crate) fn as_text(view: &View, cut: usize, instruction: &str, tokens: u64) -> Question {
    let shown = transcript(view, cut, tokens.saturating_sub(estimate_text(instruction)));
    Question {
        system: String::from(SYSTEM),
        text: format!("{shown}\n\n{instruction}"),
    }
}

/// The part that is replaced, as a text: its beginning and its end, whole
/// messages, and how many are missing in between.
fn transcript(view: &View, cut: usize, tokens: u64) -> String {
    let earlier = view
        .previous
        .as_ref()
        .map(|compacted| {
            let text = written_by_model(&compacted.summary).unwrap_or(&compacted.summary);
            let short = within(text, tokens / 3);
            element("summary", &[], &short)
        })
        .unwrap_or_default();
    let left = tokens.saturating_sub(estimate_text(&earlier));
    let lines: Vec<String> = view
        .items
        .iter()
        .take(cut)
        .map(|item| line(&item.message))
        .filter(|line| !line.is_empty())
        .collect();
    let body = ends(&lines, left.saturating_mul(9) / 10);
    let body = element("conversation", &[], &body);
    if earlier.is_empty() {
        body
    } else {
        format!("{earlier}\n\n{body}")
    }
}

fn ends(lines: &[String], tokens: u64) -> String {
    let cost = |line: &String| estimate_text(line) + 2;
    if lines.iter().map(cost).sum::<u64>() <= tokens {
        return lines.join("\n");
    }
    let mut left = tokens.saturating_mul(HEAD) / 100;
    let head = lines
        .iter()
        .take_while(|line| take(&mut left, cost(line)))
        .count();
    let mut left = tokens.saturating_mul(100 - HEAD) / 100;
    let tail = lines
        .iter()
        .skip(head)
        .rev()
        .take_while(|line| take(&mut left, cost(line)))
        .count();
    let missing = lines.len() - head - tail;
    let mut shown: Vec<String> = lines.iter().take(head).cloned().collect();
    shown.push(format!("[… {missing} messages left out …]"));
    shown.extend(lines.iter().skip(lines.len() - tail).cloned());
    shown.join("\n")
}

fn take(left: &mut u64, cost: u64) -> bool {
    match left.checked_sub(cost) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

fn line(message: &Message) -> String {
    let who = match message.role {
        Role::User => "User",
        // What became of a command of the user's own.
        Role::Assistant if message.is_of_shell() => "Result",
        Role::Assistant => "Assistant",
        Role::Tool => "Result",
    };
    let mut pieces = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } if !text.trim().is_empty() => {
                pieces.push(format!("{who}: {}", within(text.trim(), MESSAGE)));
            }
            Part::ToolCall(call) => {
                pieces.push(format!(
                    "Call: {} {}",
                    call.name,
                    within(&call.arguments, CALL)
                ));
            }
            Part::ToolResult { name, text, .. } => {
                pieces.push(format!("{who} of {name}: {}", within(text, RESULT)));
            }
            _ => {}
        }
    }
    pieces.join("\n")
}
