//! A model that learns from refusals, over the wire and in the chat format.

use crate::server::{self, Log, STREAM, chunk, with_status};
use crate::{endpoint, identity, request};
use futures_util::StreamExt as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tenon_model::codec::Chat;
use tenon_model::{
    Adaptive, Build, Configured, Delta, Memory, Model, ModelError, Quirks, Remedy, Variant,
};
use tenon_transport::{HttpModel, NoCredential};

#[derive(Default)]
struct Notes(Mutex<Vec<Remedy>>);

impl Memory for Notes {
    fn recall(&self) -> Vec<Remedy> {
        self.0.lock().unwrap().clone()
    }

    fn learn(&self, remedy: &Remedy) {
        self.0.lock().unwrap().push(remedy.clone());
    }
}

fn adaptive(address: SocketAddr, notes: &Arc<Notes>) -> Adaptive {
    let build: Build = Box::new(move |variant: &Variant| {
        let endpoint = endpoint(format_args!("http://{address}/v1"));
        let codec = Arc::new(Chat::new(variant.quirks.clone()));
        let model = HttpModel::new(endpoint, identity(), codec, Arc::new(NoCredential))?;
        Ok(Arc::new(model) as Arc<dyn Model>)
    });
    let memory: Arc<dyn Memory> = Arc::clone(notes) as Arc<dyn Memory>;
    Adaptive::new(build, Configured::default(), memory).unwrap()
}

fn hello() -> String {
    let event =
        r#"data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}"#;
    format!(
        "{STREAM}{}0\r\n\r\n",
        chunk(&format!("{event}\n\ndata: [DONE]\n\n"))
    )
}

fn refuse(message: &str) -> String {
    let body = format!(r#"{{"error":{{"message":"{message}","type":"invalid_request_error"}}}}"#);
    with_status(
        "400 Bad Request",
        "content-type: application/json\r\n",
        &body,
    )
}

async fn ask(model: &Adaptive) -> (Vec<String>, Result<String, ModelError>) {
    let mut stream = model.stream(request());
    let mut told = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(Delta::Adapted(adapted)) => told.push(adapted.message),
            Ok(Delta::Finished(finished)) => return (told, Ok(finished.message.text())),
            Ok(_) => {}
            Err(error) => return (told, Err(error)),
        }
    }
    panic!("the stream ended without an end");
}

fn holding(log: &Log, field: &str) -> Vec<bool> {
    let field = format!("\"{field}\":");
    let log = log.lock().unwrap();
    log.iter()
        .map(|received| received.body.contains(&field))
        .collect()
}

#[tokio::test]
async fn a_parameter_that_the_server_does_not_take_is_left_out_and_that_is_remembered() {
    let (address, log) = server::serving(|received| {
        if received.body.contains("\"stream_options\"") {
            refuse("Unrecognized request argument supplied: stream_options")
        } else {
            hello()
        }
    })
    .await;
    let notes = Arc::new(Notes::default());
    let model = adaptive(address, &notes);
    let (told, answer) = ask(&model).await;
    assert_eq!(answer.unwrap(), "hello");
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("`stream_options`"), "{}", told[0]);
    let omit = Remedy::Omit {
        field: String::from("stream_options"),
    };
    assert_eq!(*notes.0.lock().unwrap(), [omit]);

    let (told, answer) = ask(&model).await;
    assert_eq!((told.len(), answer.unwrap().as_str()), (0, "hello"));
    // Another session, which remembers.
    let (told, answer) = ask(&adaptive(address, &notes)).await;
    assert_eq!((told.len(), answer.unwrap().as_str()), (0, "hello"));
    assert_eq!(holding(&log, "stream_options"), [true, false, false, false]);
    assert_eq!(notes.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_asked_no_more_than_needed() {
    let (address, log) = server::serving(|_| refuse("Unknown parameter: 'stream_options'")).await;
    let notes = Arc::new(Notes::default());
    let (told, answer) = ask(&adaptive(address, &notes)).await;
    assert_eq!(told.len(), 1);
    assert!(answer.unwrap_err().message.contains("stream_options"));
    assert_eq!(log.lock().unwrap().len(), 2);
    assert!(notes.0.lock().unwrap().is_empty(), "it did not help");
}

#[tokio::test]
async fn a_model_that_is_not_known_is_no_matter_of_the_address() {
    // Also where the server's words are those of our own advice.
    let unknown =
        r#"{"error":{"message":"model x not found, check base_url","code":"model_not_found"}}"#;
    for (body, hint) in [(unknown, "tenon models"), ("{}", "has no /v1")] {
        let reply = with_status("404 Not Found", "content-type: application/json\r\n", body);
        let (address, _) = server::serving(move |_| reply.clone()).await;
        let endpoint = endpoint(format_args!("http://{address}"));
        let codec = Arc::new(Chat::new(Quirks::default()));
        let model = HttpModel::new(endpoint, identity(), codec, Arc::new(NoCredential)).unwrap();
        let error = match model.stream(request()).next().await {
            Some(Err(error)) => error,
            other => panic!("{other:?}"),
        };
        let said = error.hint.unwrap();
        assert!(said.contains(hint), "{said}");
    }
}
