//! A scripted response with its blanks filled in: ready to be written whole or
//! as a stream, but still without a wire format.

use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::choose::Chosen;
use crate::conversation::{Conversation, Seals};
use crate::scenarios::{Response, Scope, ScriptedCall};
use crate::seal;
use crate::shape::Shape;
use crate::tally;

const STEP: &str = "{{step}}";
const LAST_TOOL_RESULT: &str = "{{last_tool_result}}";

/// What the model says.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) created: u64,
    pub(crate) content: Option<String>,
    pub(crate) reasoning: Option<String>,
    /// What the client must give back with the reasoning.
    pub(crate) seal: Option<String>,
    pub(crate) calls: Vec<Call>,
    pub(crate) finish_reason: String,
    /// In the words of the chat format, unless the script has others.
    pub(crate) usage: Option<Map<String, Value>>,
    pub(crate) shape: Shape,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// What the server adds to every reply.
#[derive(Debug)]
pub(crate) struct Letterhead {
    pub(crate) number: u64,
    pub(crate) model: String,
    pub(crate) created: u64,
    /// What the prompt is said to have at most, however long it was.
    pub(crate) truncated_to: Option<u64>,
}

impl Answer {
    pub(crate) fn compose(
        chosen: &Chosen<'_>,
        api: Api,
        request: &Conversation<'_>,
        body_length: usize,
        letterhead: Letterhead,
    ) -> Self {
        let response = chosen.response;
        let blanks = Blanks::of(response, chosen.step, request);
        // Counted over the whole conversation, so that invented ids never meet
        // again in a later turn.
        let round = request.tool_results(Scope::Conversation);
        let calls: Vec<Call> = response
            .tool_calls
            .iter()
            .enumerate()
            .map(|(index, call)| blanks.call(call, round, index))
            .collect();
        let finish = if calls.is_empty() {
            "stop"
        } else {
            "tool_calls"
        };
        let mut answer = Self {
            id: format!("mock-{}", letterhead.number),
            model: letterhead.model,
            created: letterhead.created,
            content: response
                .content
                .as_deref()
                .map(|text| blanks.fill(text, Escape::None)),
            reasoning: response
                .reasoning
                .as_deref()
                .map(|text| blanks.fill(text, Escape::None)),
            seal: None,
            calls,
            finish_reason: response
                .finish_reason
                .clone()
                .unwrap_or_else(|| finish.to_owned()),
            usage: None,
            shape: chosen.shape.clone(),
        };
        answer.seal = answer.seal(response.signature.as_deref(), api, request.seals);
        if answer.shape.sends_usage() {
            let estimate = || answer.estimate(body_length);
            let mut usage = response.usage.clone().unwrap_or_else(estimate);
            if let Some(most) = letterhead.truncated_to {
                tally::truncate(&mut usage, most);
            }
            answer.usage = Some(usage);
        }
        answer
    }

    fn seal(&self, scripted: Option<&str>, api: Api, seals: Seals) -> Option<String> {
        let reasoning = self.reasoning.as_deref()?;
        match (seals, scripted) {
            (Seals::NotWanted, _) => None,
            (Seals::Wanted, Some(scripted)) => Some(scripted.to_owned()),
            (Seals::Wanted, None) => Some(seal::make(api, reasoning)),
        }
    }

    fn estimate(&self, body_length: usize) -> Map<String, Value> {
        let calls: usize = self
            .calls
            .iter()
            .map(|call| call.name.len() + call.arguments.len())
            .sum();
        let texts = [&self.content, &self.reasoning];
        let said: usize = texts.into_iter().flatten().map(String::len).sum();
        let (prompt, completion) = (tally::prompt(body_length), tally::tokens(said + calls));
        let mut usage = Map::new();
        usage.insert("prompt_tokens".to_owned(), json!(prompt));
        usage.insert("completion_tokens".to_owned(), json!(completion));
        usage.insert("total_tokens".to_owned(), json!(prompt + completion));
        usage
    }
}

/// The values that `{{…}}` stands for.
struct Blanks {
    step: String,
    last_tool_result: String,
}

#[derive(Clone, Copy)]
enum Escape {
    None,
    /// The value lands inside a JSON string.
    Json,
}

impl Blanks {
    fn of(response: &Response, step: u64, request: &Conversation<'_>) -> Self {
        let calls = response
            .tool_calls
            .iter()
            .map(|call| call.function.arguments.0.as_str());
        let texts = [&response.content, &response.reasoning];
        let mut texts = texts.into_iter().flatten().map(String::as_str).chain(calls);
        let asks = texts.any(|text| text.contains(LAST_TOOL_RESULT));
        let last_tool_result = if asks {
            request.last_tool_result()
        } else {
            String::new()
        };
        Self {
            step: step.to_string(),
            last_tool_result,
        }
    }

    fn call(&self, call: &ScriptedCall, round: u64, index: usize) -> Call {
        let id = match &call.id {
            Some(id) => self.fill(id, Escape::None),
            None => format!("call_{round}_{index}"),
        };
        Call {
            id,
            name: call.function.name.clone(),
            arguments: self.fill(&call.function.arguments.0, Escape::Json),
        }
    }

    /// One pass from left to right: what a tool printed is never filled again.
    fn fill(&self, template: &str, escape: Escape) -> String {
        let mut filled = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(at) = rest.find("{{") {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix(STEP) {
                filled.push_str(&self.step);
                rest = after;
            } else if let Some(after) = rest.strip_prefix(LAST_TOOL_RESULT) {
                match escape {
                    Escape::None => filled.push_str(&self.last_tool_result),
                    Escape::Json => filled.push_str(&inside_quotes(&self.last_tool_result)),
                }
                rest = after;
            } else {
                filled.push('{');
                rest = &rest[1..];
            }
        }
        filled.push_str(rest);
        filled
    }
}

fn inside_quotes(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
