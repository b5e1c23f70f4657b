//! What a step's fault finds wrong with a request that any other server would
//! take: parameters, tools, length, reasoning.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::Api;
use crate::conversation::Conversation;
use crate::fault::Fault;
use crate::software::Software;
use crate::tally;
use crate::words::{self, Overflow, Worded};

/// The request as far as a demand looks at it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demanded<'r> {
    pub(crate) api: Api,
    pub(crate) body: &'r [u8],
    pub(crate) conversation: &'r Conversation<'r>,
    pub(crate) model: &'r str,
    /// Whose words a fault has that names none.
    pub(crate) software: Software,
}

impl Fault {
    /// The refusal of the first demand that is not met.
    pub(crate) fn refusal(&self, request: &Demanded<'_>) -> Option<Worded> {
        let software = self.words.unwrap_or(request.software);
        self.by_parameters(software, request)
            .or_else(|| self.by_window(software, request))
            .or_else(|| self.by_reasoning(request))
    }

    fn by_parameters(&self, software: Software, request: &Demanded<'_>) -> Option<Worded> {
        if self.refuse_parameters.is_empty() && !self.refuse_tools {
            return None;
        }
        let parameters: HashMap<String, &RawValue> = serde_json::from_slice(request.body).ok()?;
        let refused = self.refuse_parameters.iter();
        let found = refused
            .into_iter()
            .find(|name| parameters.contains_key(*name));
        if let Some(name) = found {
            return Some(software.parameter(request.api, name, request.model));
        }
        (self.refuse_tools && parameters.contains_key("tools"))
            .then(|| software.tools(request.api, request.model))
    }

    fn by_window(&self, software: Software, request: &Demanded<'_>) -> Option<Worded> {
        let overflow = Overflow {
            window: self.window?,
            prompt: tally::prompt(request.body.len()),
            output: request.conversation.output_limit.unwrap_or(0),
        };
        overflow
            .happens(software)
            .then(|| software.overflow(request.api, request.model, overflow))
    }

    fn by_reasoning(&self, request: &Demanded<'_>) -> Option<Worded> {
        let demanded = self.require_reasoning_content || self.refuse_reasoning_content;
        if !demanded || request.api != Api::Chat {
            return None;
        }
        let body: Body = serde_json::from_slice(request.body).ok()?;
        let said = body.messages.iter().enumerate();
        let mut said = said.filter(|(_, message)| message.role == "assistant");
        if self.refuse_reasoning_content {
            let (index, _) = said.find(|(_, message)| message.reasoning_content.is_some())?;
            return Some(words::reasoning_is_unwanted(index));
        }
        let (index, _) = said.find(|(_, message)| {
            message.tool_calls.is_some() && message.reasoning_content.is_none()
        })?;
        Some(words::reasoning_is_missing(index))
    }
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    role: String,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
}
