//! `ask_user`: a question to whoever sits in front of a front end.

use crate::builtin::{facts, spec, text};
use crate::contract::{Host, HostReply, HostRequest, Tool};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use tenon_policy::{Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Display, Effect, ErrorCode, ToolOutput, ToolSpec};

const DESCRIPTION: &str = "Ask the user a question and wait for the answer. Use it only if the answer changes what you do and can't be found in the project.";

/// Puts one question to the user.
#[derive(Debug)]
pub struct AskUser {
    spec: ToolSpec,
}

impl AskUser {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "minLength": 1},
                "options": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Answers to choose from; the user can always give another one."
                }
            },
            "required": ["question"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::ASK_USER, DESCRIPTION, Effect::Interact, parameters),
        }
    }
}

impl Default for AskUser {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        facts(&self.spec, Subject::Nothing, input)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Text {
            summary: text(input, "question").unwrap_or_default().to_owned(),
            body: String::new(),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let options = input.get("options").and_then(Value::as_array);
            let request = HostRequest::Ask {
                question: text(&input, "question").unwrap_or_default().to_owned(),
                options: options
                    .into_iter()
                    .flatten()
                    .filter_map(|option| option.as_str().map(str::to_owned))
                    .collect(),
            };
            let reply = tokio::select! {
                biased;
                () = host.cancelled().cancelled() => HostReply::Unavailable(
                    String::from("interrupted before the user answered"),
                ),
                reply = host.request(request) => reply,
            };
            match reply {
                HostReply::Answer(answer) => ToolOutput::ok(
                    json!({"answer": answer}),
                    format!("The user answered: {answer}"),
                    Display::Text {
                        summary: answer,
                        body: String::new(),
                    },
                ),
                HostReply::Unavailable(reason) | HostReply::Refused(reason) => ToolOutput::error(
                    ErrorCode::Interrupted,
                    format!("the user did not answer: {reason}"),
                ),
                // A yes to another question is no answer to this one.
                HostReply::Allowed | HostReply::Todo(_) => {
                    ToolOutput::error(ErrorCode::Interrupted, "the user did not answer")
                }
            }
        })
    }
}
