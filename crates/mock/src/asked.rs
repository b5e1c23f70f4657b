//! A request to the script: which step answers it, what goes wrong, and in
//! which form the answer leaves.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, HeaderValue, RETRY_AFTER};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use crate::answer::{Answer, Letterhead};
use crate::api::{Api, RequestKind, below_the_base};
use crate::choose::{Chosen, choose};
use crate::connection::Delivered;
use crate::conversation::{Conversation, Delivery};
use crate::demand::Demanded;
use crate::events::{Events, Health};
use crate::fault::Fault;
use crate::options::{Options, Strictness};
use crate::record;
use crate::reply::{Ending, Manner, Reply};
use crate::route::{JSON, Shared, json_response, not_found, refuse, response};
use crate::scenarios::Scenarios;
use crate::shape::Quirk;
use crate::software::Software;
use crate::words::Worded;
use crate::{chat, messages, refusal, responses, tally};

/// A request to a scripted server.
pub(crate) struct Asked<'r> {
    pub(crate) shared: &'r Shared,
    pub(crate) scenarios: &'r Scenarios,
    pub(crate) head: &'r Parts,
    pub(crate) body: &'r Bytes,
}

impl Asked<'_> {
    pub(crate) async fn answer(&self, kind: RequestKind, delivered: Delivered) -> Response<Reply> {
        let Some(api) = kind.api() else {
            return self.about_itself();
        };
        if self.shared.options.strict == Strictness::Strict {
            let violations = record::violations(self.body, kind, self.scenarios.server);
            if !violations.is_empty() {
                return refuse(api, StatusCode::BAD_REQUEST, &violations.join("\n"));
            }
        }
        let conversation = match Conversation::parse(api, self.body) {
            Ok(conversation) => conversation,
            Err(sentence) => return refuse(api, StatusCode::BAD_REQUEST, &sentence),
        };
        if kind == RequestKind::CountTokens {
            let tokens = tally::prompt(self.body.len());
            return json_response(StatusCode::OK, &json!({"input_tokens": tokens}));
        }
        let chosen = choose(self.scenarios, &self.shared.plain, &conversation);
        let sound = Fault::default();
        let fault = match chosen.fault {
            Some((place, fault)) if self.shared.faults.strikes(place, fault) => fault,
            _ => &sound,
        };
        if !fault.delay_ms.is_zero() {
            tokio::time::sleep(fault.delay_ms).await;
        }
        if let Some(refused) = self.refused(api, fault, &conversation) {
            return refused;
        }
        let answer = self.compose(api, &chosen, fault, &conversation);
        let options = &self.shared.options;
        deliver(
            api,
            answer,
            conversation.delivery(),
            fault,
            options,
            delivered,
        )
    }

    fn about_itself(&self) -> Response<Reply> {
        let path = self.head.uri.path();
        let card = self.shared.card(self.scenarios);
        let about = match below_the_base(path) {
            "/health" => json!({"status": "ok"}),
            "/models" if self.head.headers.contains_key("anthropic-version") => card.of_anthropic(),
            "/models" => card.models(),
            _ => match card.endpoint(path) {
                Some((_, about)) => about,
                None => return not_found(path),
            },
        };
        json_response(StatusCode::OK, &about)
    }

    fn refused(
        &self,
        api: Api,
        fault: &Fault,
        conversation: &Conversation<'_>,
    ) -> Option<Response<Reply>> {
        if fault.replaces_reply() {
            return Some(refusal_as_scripted(api, fault));
        }
        let own = match api {
            Api::Messages => Software::Anthropic,
            Api::Chat | Api::Responses => Software::OpenAi,
        };
        let worded = fault.refusal(&Demanded {
            api,
            body: self.body,
            conversation,
            model: &self.shared.options.model,
            software: self.scenarios.server.unwrap_or(own),
        });
        worded.map(|Worded { status, body }| {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
            json_response(status, &body)
        })
    }

    fn compose(
        &self,
        api: Api,
        chosen: &Chosen<'_>,
        fault: &Fault,
        conversation: &Conversation<'_>,
    ) -> Answer {
        let letterhead = Letterhead {
            number: self.shared.replies.fetch_add(1, Ordering::Relaxed) + 1,
            model: self.shared.options.model.clone(),
            created: now(),
            truncated_to: fault.truncate_to,
        };
        let mut answer = Answer::compose(chosen, api, conversation, self.body.len(), letterhead);
        let quirk = self.scenarios.server.and_then(Software::quirk);
        answer.shape = answer.shape.with(quirk);
        if self.scenarios.server == Some(Software::LlamaCpp) && self.asks_for_progress() {
            answer.shape = answer.shape.with(Some(Quirk::PromptProgress));
        }
        answer
    }
}

impl Asked<'_> {
    fn asks_for_progress(&self) -> bool {
        let request: Value = serde_json::from_slice(self.body).unwrap_or_default();
        request.get("return_progress") == Some(&Value::Bool(true))
    }
}

fn deliver(
    api: Api,
    answer: Answer,
    delivery: Delivery,
    fault: &Fault,
    options: &Options,
    delivered: Delivered,
) -> Response<Reply> {
    let ending = match (fault.cut_after_bytes, fault.stall_after_bytes) {
        (Some(cut), _) => Ending::Cut(cut),
        (None, Some(stall)) => Ending::Stall(stall),
        (None, None) => Ending::Complete,
    };
    let mut manner = Manner {
        first: fault.first_token_ms,
        between: options.delay,
        ending,
        delivered,
    };
    match delivery {
        Delivery::Whole => {
            manner.between = Duration::ZERO;
            let text = whole(api, answer, fault);
            response(StatusCode::OK, JSON, Reply::whole(text.into(), manner))
        }
        Delivery::Stream { usage } => {
            let health = if fault.malformed_chunk {
                Health::OneMalformedChunk
            } else {
                Health::Sound
            };
            let events = Events::new(api, answer, options.chunk, usage)
                .with_accidents(health, fault.error_event.clone());
            let stream = Reply::stream(events, manner);
            let mut response = response(StatusCode::OK, "text/event-stream; charset=utf-8", stream);
            response
                .headers_mut()
                .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            response
        }
    }
}

fn whole(api: Api, answer: Answer, fault: &Fault) -> String {
    if let Some(error) = &fault.error_event {
        return refusal::instead_of_reply(api, error).to_string();
    }
    let value = match api {
        Api::Chat => chat::whole::completion(answer),
        Api::Messages => messages::whole::message(answer),
        Api::Responses => responses::whole::response(&answer),
    };
    let mut text = value.to_string();
    if fault.malformed_chunk {
        text.truncate(text.floor_char_boundary(text.len() / 2));
    }
    text
}

fn refusal_as_scripted(api: Api, fault: &Fault) -> Response<Reply> {
    let status = fault
        .status
        .and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.unwrap_or(StatusCode::OK);
    let mut refused = match &fault.body {
        None => {
            let sentence = format!("The script answers this step with {status}.");
            refuse(api, status, &sentence)
        }
        Some(Value::String(text)) => {
            let looks_like_json = text.trim_start().starts_with(['{', '[']);
            let kind = if looks_like_json {
                JSON
            } else {
                "text/plain; charset=utf-8"
            };
            response(status, kind, Reply::plain(text.clone().into()))
        }
        Some(value) => json_response(status, value),
    };
    if let Some(retry_after) = &fault.retry_after {
        refused
            .headers_mut()
            .insert(RETRY_AFTER, retry_after.clone());
    }
    refused
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
