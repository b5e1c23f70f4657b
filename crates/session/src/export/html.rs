//! One page that needs nothing else: no network, no script, no other file. It is
//! made of foreign text throughout, so every piece passes through [`escaped`],
//! and a policy in the head forbids the page to load or run anything, should one
//! ever slip through. Bounded: what does not fit is counted, never dropped in
//! silence.

mod escaped;
mod pictures;
mod prose;

use super::{result_summary, status_note};
use crate::{GivenUp, Numbers, Reading};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use escaped::{block, ends, escaped, push};
use pictures::Pictures;
use prose::prose;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use tenon_vocab::{
    CallId, ContextChange, DiffFile, Display, Event, EventKind, ImageSource, Message, Notice,
    NoticeLevel, Origin, Part, Role, RunId, TodoItem, TodoStatus, ToolResult, subject,
};

const STYLE: &str = include_str!("html/style.css");

/// What is shown of one result, of one text, and of the whole page.
const RESULT: usize = 48 * 1024;
const TEXT: usize = 512 * 1024;
const PAGE: usize = 48 * 1024 * 1024;
/// Of the input of a call, in its heading and below it.
const HEADING: usize = 120;
const INPUT: usize = 16 * 1024;
/// Calls that wait for their results; more are none that will ever have one.
const WAITING: usize = 1_000;

/// The session as a page.
///
/// # Errors
/// When the log cannot be read, or the page not be written.
pub fn write_html(reading: &Reading, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page {
        out: String::new(),
        pictures: Pictures::new(reading.blobs()),
        inputs: HashMap::new(),
        given_up: reading.outline().given_up(),
    };
    page.head(reading);
    let mut numbers = Numbers::default();
    let (mut written, mut left_out) = (0, 0_usize);
    for event in reading.events() {
        let event = &event.map_err(io::Error::other)?;
        let number = numbers.of(event);
        if written > PAGE {
            left_out += 1;
            continue;
        }
        page.event(event, number);
        written += page.out.len();
        out.write_all(page.out.as_bytes())?;
        page.out.clear();
    }
    page.foot(reading, left_out);
    out.write_all(page.out.as_bytes())
}

struct Page<'a> {
    out: String,
    pictures: Pictures,
    /// What calls were given, until their results come.
    inputs: HashMap<(Option<RunId>, CallId), Value>,
    given_up: &'a GivenUp,
}

/// Nothing is loaded, nothing runs, nothing is sent; only our own style counts.
fn policy() -> String {
    let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

impl Page<'_> {
    fn head(&mut self, reading: &Reading) {
        let outline = reading.outline();
        let title = escaped(outline.title().unwrap_or("Session"));
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            self.out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1 dir=\"auto\">{title}</h1>\n",
            policy()
        );
        self.facts(reading);
        if !outline.todo().is_empty() {
            self.todo(outline.todo());
        }
        self.out.push_str("<hr>\n<main>\n");
    }

    fn facts(&mut self, reading: &Reading) {
        let state = reading.outline();
        let meta = state.meta();
        self.out.push_str("<dl>\n");
        self.fact("Session", &reading.id.to_string());
        self.fact("Created", &reading.created.to_string());
        self.fact("Updated", &reading.updated.to_string());
        self.fact("Directory", &meta.cwd);
        if let Some(branch) = &meta.git_branch {
            self.fact("Branch", branch);
        }
        if let Some(settings) = state.settings() {
            self.fact(
                "Model",
                &format!("{} of {}", settings.model, settings.provider),
            );
        }
        let usage = state.usage();
        self.fact(
            "Tokens",
            &format!("{} in, {} out", usage.input, usage.output),
        );
        if let Some(cost) = state.cost() {
            self.fact("Cost", &cost.to_string());
        }
        if let Some(origin) = &meta.forked_from {
            let from = format!("{}, at record {}", origin.session, origin.seq);
            self.fact("Copy of", &from);
        }
        self.out.push_str("</dl>\n");
    }

    fn fact(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.out, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    }

    fn foot(&mut self, reading: &Reading, left_out: usize) {
        if left_out > 0 {
            let _ = writeln!(
                self.out,
                "<p class=\"cut\">[… the page is full: {left_out} more records are left out. To \
                 see all: tenon sessions show {} …]</p>",
                reading.id
            );
        }
        if !reading.virtual_tail.is_empty() {
            self.out.push_str(
                "<p class=\"dim\">The session was not finished when this was written.</p>\n",
            );
        }
        self.out.push_str("</main>\n</body>\n</html>\n");
    }

    fn event(&mut self, event: &Event, number: Option<u32>) {
        let child = if event.parent.is_some() { " child" } else { "" };
        match &event.kind {
            // The command of a `!` stands there as a call.
            EventKind::Message(message) if message.is_of_shell() => {}
            EventKind::Message(message) => self.message(event, message, number, child),
            EventKind::ToolUse(used) => {
                self.given(event.run, &used.call, used.input.clone());
            }
            EventKind::ToolResult(result) => self.result(event.run, result, child),
            EventKind::Context(change) => self.context(change),
            EventKind::Notice(notice) => self.notice(notice, child),
            EventKind::Answer(answer) => {
                let text = answer.text.as_deref().unwrap_or_default();
                let said = format!("Answered: {} {text}", answer.choice);
                self.line(&format!("notice{child}"), &said);
            }
            EventKind::Interrupted(interrupted) => {
                let said = format!("Interrupted by {}.", interrupted.by);
                self.line(&format!("notice warning{child}"), &said);
            }
            EventKind::RunFinished(finished) if event.parent.is_none() => {
                if let Some(reason) = &finished.reason {
                    self.line("notice warning", &format!("Ended: {reason}"));
                }
                self.out.push_str("<hr>\n");
            }
            _ => {}
        }
    }

    fn given(&mut self, run: Option<RunId>, call: &CallId, input: Value) {
        if self.inputs.len() >= WAITING {
            self.inputs.clear();
        }
        self.inputs.insert((run, call.clone()), input);
    }

    fn line(&mut self, class: &str, text: &str) {
        let _ = writeln!(self.out, "<p class=\"{class}\">{}</p>", escaped(text));
    }

    fn message(&mut self, event: &Event, message: &Message, number: Option<u32>, child: &str) {
        let (kind, speaker) = match (message.role, message.origin) {
            (Role::Assistant, _) if event.parent.is_some() => ("model", escaped(&event.agent)),
            (Role::Assistant, _) => ("model", String::from("Model")),
            (_, Origin::User) => ("user", String::from("User")),
            (_, Origin::Steer) => ("user", String::from("User, while it worked")),
            _ => ("other", String::from("Tenon")),
        };
        let given_up = if event.parent.is_none() && self.given_up.reverted(event.seq) {
            " given-up"
        } else {
            ""
        };
        let _ = write!(self.out, "<article class=\"{kind}{child}{given_up}\"");
        if let Some(number) = number {
            let _ = write!(self.out, " id=\"m{number}\"><h2>#{number} {speaker}");
        } else {
            let _ = write!(self.out, "><h2>{speaker}");
        }
        if !given_up.is_empty() {
            self.out.push_str(" (dropped)");
        }
        if let Some(note) = status_note(message.status) {
            let _ = write!(self.out, " ({note})");
        }
        self.out.push_str("</h2>\n<div>\n");
        for part in &message.parts {
            self.part(event.run, message.role, part);
        }
        self.out.push_str("</div></article>\n");
    }

    fn part(&mut self, run: Option<RunId>, role: Role, part: &Part) {
        match part {
            Part::Text { text } if role == Role::Assistant => match ends(text, TEXT) {
                None => prose(&mut self.out, text),
                Some(_) => block(&mut self.out, "wrap", text, TEXT),
            },
            // What people type is shown as they typed it.
            Part::Text { text } => block(&mut self.out, "said", text, TEXT),
            Part::Reasoning { text, .. } if !text.trim().is_empty() => {
                self.out
                    .push_str("<details><summary class=\"dim\">Reasoning</summary>\n");
                block(&mut self.out, "wrap", text, RESULT);
                self.out.push_str("</details>\n");
            }
            Part::Image { source, media_type } => match source {
                ImageSource::Blob(name) => self.pictures.show(&mut self.out, name, media_type),
                ImageSource::Url(url) => {
                    let said = format!("[an image ({media_type}) at {url}]");
                    self.line("dim", &said);
                }
            },
            Part::ToolCall(call) => {
                let text = || Value::String(call.arguments.clone());
                let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| text());
                self.given(run, &call.id, input);
            }
            Part::Reasoning { .. } | Part::ToolResult { .. } | Part::Opaque { .. } => {}
        }
    }

    fn result(&mut self, run: Option<RunId>, result: &ToolResult, child: &str) {
        let input = self
            .inputs
            .remove(&(run, result.call.clone()))
            .unwrap_or_default();
        let class = if result.ok { "ok" } else { "failed" };
        let subject = about(&result.name, &input);
        // What was changed is what a reader looks for.
        let open = match result.display {
            Display::Diff { .. } => " open",
            _ => "",
        };
        let _ = writeln!(
            self.out,
            "<details class=\"call{child}\"{open}><summary><code>{}</code> {} <span class=\"{class}\">{}</span></summary>",
            escaped(&result.name),
            escaped(&first_line(&subject, HEADING)),
            escaped(&result_summary(result))
        );
        let says_all = first_line(&subject, HEADING) == subject && is_single(&input);
        if !says_all && open.is_empty() && !input.is_null() {
            let text = if is_single(&input) {
                subject
            } else {
                serde_json::to_string_pretty(&input).unwrap_or_default()
            };
            block(&mut self.out, "wrap", &text, INPUT);
        }
        match &result.display {
            Display::Diff { files } => files.iter().for_each(|file| diff(&mut self.out, file)),
            Display::Todo { items } => self.todo(items),
            _ => block(&mut self.out, "result", &result.model_text, RESULT),
        }
        for (name, media_type) in &result.images {
            self.pictures.show(&mut self.out, name, media_type);
        }
        self.out.push_str("</details>\n");
    }

    fn todo(&mut self, items: &[TodoItem]) {
        self.out.push_str("<ul class=\"todo\">\n");
        for item in items {
            let mark = match item.status {
                TodoStatus::Completed => "☑",
                TodoStatus::InProgress => "▶",
                TodoStatus::Pending => "☐",
                TodoStatus::Cancelled => "☒",
            };
            let _ = writeln!(
                self.out,
                "<li dir=\"auto\">{mark} {}</li>",
                escaped(&item.text)
            );
        }
        self.out.push_str("</ul>\n");
    }

    fn context(&mut self, change: &ContextChange) {
        match change {
            ContextChange::Compiled(_) => {}
            ContextChange::Compacted(compacted) => {
                let _ = writeln!(
                    self.out,
                    "<details><summary class=\"dim\">Context compacted: {} tokens before, {} after</summary>",
                    compacted.tokens_before, compacted.tokens_after
                );
                block(&mut self.out, "wrap", &compacted.summary, RESULT);
                self.out.push_str("</details>\n");
            }
            ContextChange::Reverted(_) => self.line(
                "notice warning",
                "Reverted: the model no longer sees the messages marked as dropped.",
            ),
        }
    }

    fn notice(&mut self, notice: &Notice, child: &str) {
        let level = match notice.level {
            NoticeLevel::Info => "",
            NoticeLevel::Warning => " warning",
            NoticeLevel::Error => " error",
        };
        self.line(&format!("notice{level}{child}"), &notice.message);
    }
}

/// What a call is about, or else all of its input.
fn about(name: &str, input: &Value) -> String {
    match (subject(name, input), input) {
        (Some(said), _) => said.to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, Value::Null) => String::new(),
        (None, other) => other.to_string(),
    }
}

/// Whether the subject is all that the call was given.
fn is_single(input: &Value) -> bool {
    input.as_object().is_none_or(|fields| fields.len() == 1)
}

fn first_line(text: &str, longest: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(longest) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

fn diff(out: &mut String, file: &DiffFile) {
    let _ = writeln!(
        out,
        "<p><code>{}</code> <span class=\"dim\">{}, +{} -{}</span></p>",
        escaped(&file.path),
        escaped(&file.operation),
        file.additions,
        file.deletions
    );
    out.push_str("<pre class=\"diff\">");
    let shown = &file.unified[..file.unified.floor_char_boundary(RESULT)];
    for line in shown.lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "del",
            Some(b'@') => "hunk",
            _ => "same",
        };
        let _ = write!(out, "<span class=\"{class}\">");
        push(out, line);
        // An empty line must still have a height.
        out.push_str(if line.is_empty() {
            " </span>"
        } else {
            "</span>"
        });
    }
    let beyond = (file.unified.len() - shown.len()) as u64 + file.left_out_bytes;
    if beyond > 0 {
        let _ = write!(
            out,
            "<span class=\"cut\">[… {beyond} bytes of the diff left out …]</span>"
        );
    }
    out.push_str("</pre>\n");
}

#[cfg(test)]
mod tests {
    use super::about;
    use serde_json::json;

    #[test]
    fn a_heading_says_what_runs_and_not_what_stands_first() {
        let input = json!({"path": "src", "command": "rm -r ."});
        assert_eq!(about("bash", &input), "rm -r .");
        assert_eq!(about("todowrite", &json!({"items": []})), "{\"items\":[]}");
    }
}
