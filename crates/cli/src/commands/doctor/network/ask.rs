//! The questions themselves, each one small request, and what came back. Knows
//! no advice.

use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_model::rescue::rescue;
use tenon_model::{
    Delivery, Delta, Entry, Finished, Model, ModelError, ModelErrorKind, Parameters, Prefix,
    Remedy, Request,
};
use tenon_vocab::{BlobRef, Effect, ImageSource, Message, Origin, Part, Role, ToolSpec};

/// For one answer, thinking included.
const PATIENCE: Duration = Duration::from_secs(180);
/// Enough for a model that thinks before it answers in a few words.
const LONGEST: u64 = 1024;
const TOOL: &str = "get_weather";

/// An answer and how it came.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) first: Option<Duration>,
    pub(super) took: Duration,
    /// Of the answer.
    pub(super) pieces: usize,
    /// Of the reasoning.
    pub(super) reasoning: usize,
    pub(super) end: Result<Finished, ModelError>,
}

impl Heard {
    pub(super) fn first_ms(&self) -> Option<u64> {
        u64::try_from(self.first?.as_millis()).ok()
    }
}

/// What became of a tool that the model was told to call.
#[derive(Debug)]
pub(super) enum Call {
    /// So many calls, as the format has them.
    Called(usize),
    /// The model wrote it, and the server did not understand it.
    WrittenAsText,
    /// The answer is words.
    Ignored(String),
    /// The server takes no tools.
    Refused(ModelError),
    Failed(ModelError),
}

impl Call {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Called(_) => "called",
            Self::WrittenAsText => "written_as_text",
            Self::Ignored(_) => "ignored",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
        }
    }

    pub(super) fn told(&self) -> String {
        match self {
            Self::Called(calls) => format!("{calls} calls"),
            Self::WrittenAsText => String::from("they were written as text"),
            Self::Ignored(_) => String::from("the model called nothing"),
            Self::Refused(error) | Self::Failed(error) => error.message.clone(),
        }
    }
}

#[derive(Debug)]
pub(super) enum Sight {
    Seen,
    /// Answered, but not what is to be seen.
    Missed(String),
    Refused(ModelError),
}

impl Sight {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Missed(_) => "not_seen",
            Self::Refused(_) => "refused",
        }
    }
}

pub(super) async fn count(model: &dyn Model) -> Heard {
    let text = "Count from 1 to 10, separated by commas. Nothing else.";
    ask(model, Vec::new(), said(text), Delivery::Streamed).await
}

/// Servers differ in this: some take tools only where nothing streams.
pub(super) async fn one_call(model: &dyn Model, delivery: Delivery) -> Heard {
    let text = "Call the tool get_weather for the city Paris now. Do not answer in words.";
    ask(model, vec![weather()], said(text), delivery).await
}

pub(super) async fn two_calls(model: &dyn Model) -> Heard {
    let text = "Call the tool get_weather twice in one answer, side by side: for the city Paris and for the city Oslo. Do not answer in words.";
    ask(model, vec![weather()], said(text), Delivery::Streamed).await
}

fn said(text: &str) -> Entry {
    Entry::new(Arc::new(Message::user(text)))
}

/// A red square of 32 times 32 points.
pub(super) async fn image(model: &dyn Model) -> Heard {
    let content = red_square();
    let blob = BlobRef {
        sha256: Sha256::digest(&content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        bytes: content.len() as u64,
    };
    let parts = vec![
        Part::text("Which colour is this picture? One word."),
        Part::Image {
            source: ImageSource::Blob(blob.clone()),
            media_type: String::from("image/png"),
        },
    ];
    let message = Message::new(Role::User, Origin::User, parts);
    let entry = Entry::with_blobs(Arc::new(message), vec![(blob, content.into())]);
    ask(model, Vec::new(), entry, Delivery::Streamed).await
}

fn red_square() -> Vec<u8> {
    use base64::Engine;
    const RED: &str = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42mN4ICBAU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMWDBULALgcAD3G45K4AAAAAElFTkSuQmCC";
    base64::engine::general_purpose::STANDARD
        .decode(RED)
        .unwrap_or_default()
}

fn weather() -> ToolSpec {
    ToolSpec {
        name: String::from(TOOL),
        description: String::from("Tells the weather in a city."),
        parameters: serde_json::json!({
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The name of the city."}},
            "required": ["city"],
        }),
        effect: Effect::Read,
        source: String::from("built-in"),
    }
}

async fn ask(model: &dyn Model, tools: Vec<ToolSpec>, entry: Entry, delivery: Delivery) -> Heard {
    let request = Request {
        prefix: Arc::new(Prefix {
            system: String::from("You do exactly what you are asked, in as few words as possible."),
            tools,
        }),
        entries: vec![Arc::new(entry)],
        parameters: Parameters {
            max_tokens: Some(LONGEST),
            ..Parameters::default()
        },
        delivery,
        cache_key: None,
        room: None,
    };
    let begin = Instant::now();
    let mut heard = Heard {
        first: None,
        took: Duration::ZERO,
        pieces: 0,
        reasoning: 0,
        end: Err(ModelError::new(
            ModelErrorKind::Broken,
            "the answer broke off",
        )),
    };
    let mut deltas = model.stream(request);
    let reading = async {
        while let Some(delta) = deltas.next().await {
            match delta {
                Ok(Delta::Text(_)) => heard.pieces += 1,
                Ok(Delta::Reasoning(_)) => heard.reasoning += 1,
                Ok(Delta::ToolCall { .. } | Delta::Reading { .. }) => {}
                Ok(Delta::Adapted(_) | Delta::Warned(_) | Delta::Unanswered(_)) => continue,
                Ok(Delta::Finished(finished)) => heard.end = Ok(finished),
                Err(error) => heard.end = Err(error),
            }
            heard.first.get_or_insert_with(|| begin.elapsed());
        }
    };
    if tokio::time::timeout(PATIENCE, reading).await.is_err() {
        let message = format!("no complete answer within {} s", PATIENCE.as_secs());
        heard.end = Err(ModelError::new(ModelErrorKind::Timeout, message)
            .with_hint("The server may be loading the model, or be very slow; try again."));
    }
    heard.took = begin.elapsed();
    heard
}

pub(super) fn called(heard: &Heard) -> Call {
    let finished = match &heard.end {
        Ok(finished) => finished,
        Err(error) => {
            let refused = matches!(error.remedy.as_deref(), Some(Remedy::Markdown));
            return if refused {
                Call::Refused(error.clone())
            } else {
                Call::Failed(error.clone())
            };
        }
    };
    let calls = finished
        .message
        .parts
        .iter()
        .filter(|part| matches!(part, Part::ToolCall(call) if call.name == TOOL))
        .count();
    if calls > 0 {
        return Call::Called(calls);
    }
    match rescue(&finished.message, &|name| name == TOOL) {
        Some(_) => Call::WrittenAsText,
        None => Call::Ignored(super::excerpt(heard)),
    }
}

pub(super) fn saw_red(heard: &Heard) -> Sight {
    match &heard.end {
        Err(error) => Sight::Refused(error.clone()),
        Ok(finished) if finished.message.text().to_lowercase().contains("red") => Sight::Seen,
        Ok(_) => Sight::Missed(super::excerpt(heard)),
    }
}
