//! The transport against servers on this machine, over real sockets.

mod answers;
mod chat;
mod environment;
mod learning;
mod lines;
mod network;
mod proxies;
mod refusals;
mod renewal;
mod server;
mod tls;
mod waiting;
mod windows;

use futures_util::StreamExt as _;
use lines::Lines;
use std::sync::Arc;
use tenon_model::{
    Delivery, Delta, Entry, Identity, Model as _, ModelError, Parameters, Prefix, Request,
};
use tenon_transport::{CredentialSource, Endpoint, Fixed, HttpModel, NoCredential, Secret};
use tenon_vocab::Message;

pub const KEY: &str = "sk-hunter2-hunter2";

pub fn identity() -> Identity {
    Identity::new("test", "small")
}

pub fn request() -> Request {
    let entry = |text| Arc::new(Entry::new(Arc::new(Message::user(text))));
    Request {
        prefix: Arc::new(Prefix {
            system: String::new(),
            tools: Vec::new(),
        }),
        entries: vec![entry("first"), entry("second")],
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    }
}

pub fn endpoint(base_url: impl std::fmt::Display) -> Endpoint {
    Endpoint::new("test", base_url.to_string())
}

pub fn model_with(endpoint: Endpoint, credentials: impl CredentialSource + 'static) -> HttpModel {
    HttpModel::new(endpoint, identity(), Arc::new(Lines), Arc::new(credentials)).unwrap()
}

/// With a key, so that every test may look for it where it must not be.
pub fn model(endpoint: Endpoint) -> HttpModel {
    model_with(endpoint, Fixed(Secret::new(KEY)))
}

pub fn model_without_key(endpoint: Endpoint) -> HttpModel {
    model_with(endpoint, NoCredential)
}

#[derive(Debug)]
pub struct Outcome {
    pub texts: Vec<String>,
    pub finished: Option<String>,
    pub error: Option<ModelError>,
}

impl Outcome {
    pub fn error(self) -> ModelError {
        let error = self.error.expect("an error was expected");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        error
    }
}

/// One request from beginning to end. Checks what holds for every stream: one
/// end, and nothing after it.
pub async fn ask(model: &HttpModel) -> Outcome {
    let mut stream = model.stream(request());
    let mut outcome = Outcome {
        texts: Vec::new(),
        finished: None,
        error: None,
    };
    while let Some(item) = stream.next().await {
        let ended = outcome.finished.is_some() || outcome.error.is_some();
        assert!(!ended, "something came after the end: {item:?}");
        match item {
            Ok(Delta::Text(text)) => outcome.texts.push(text),
            Ok(Delta::Finished(finished)) => outcome.finished = Some(finished.message.text()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => outcome.error = Some(error),
        }
    }
    let ended = outcome.finished.is_some() || outcome.error.is_some();
    assert!(ended, "the stream ended without an end");
    outcome
}

/// A request that succeeds; gives its text.
pub async fn answer(model: &HttpModel) -> String {
    let outcome = ask(model).await;
    match outcome.error {
        None => outcome.finished.unwrap_or_default(),
        Some(error) => panic!("{error:?}"),
    }
}
