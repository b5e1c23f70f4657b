//! A wire format small enough to write by hand: one event a line. `text:…` is
//! content, a line that begins with `:` is a keep-alive, `error:…` an error of
//! the server, `done` the end.

use bytes::Bytes;
use std::time::Duration;
use tenon_model::codec::{Codec, Decoder};
use tenon_model::{Delta, Finished, ModelEntry, ModelError, ModelErrorKind, Request};
use tenon_vocab::{Message, Status, StopReason};

pub struct Lines;

impl Codec for Lines {
    fn key(&self) -> &'static str {
        "lines"
    }

    fn path(&self) -> &'static str {
        "/ask"
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![("x-lines-version", String::from("1"))]
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn body(&self, model: &str, request: &Request) -> Vec<Bytes> {
        let mut pieces = vec![Bytes::from(format!("model {model}\n"))];
        for entry in &request.entries {
            pieces.push(Bytes::from(format!("{}\n", entry.message.text())));
        }
        pieces
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Reader::default())
    }

    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
        let ids = String::from_utf8_lossy(body);
        Ok(ids
            .lines()
            .map(|id| ModelEntry {
                id: id.to_owned(),
                context_window: None,
            })
            .collect())
    }

    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
        let kind = match status {
            401 | 403 => ModelErrorKind::Auth,
            404 => ModelErrorKind::NotFound,
            429 => ModelErrorKind::RateLimited,
            408 | 500.. => ModelErrorKind::Unavailable,
            _ => ModelErrorKind::Rejected,
        };
        let start = String::from_utf8_lossy(&body[..body.len().min(60)]);
        let text = format!("HTTP {status}, {} bytes: {start}", body.len());
        let mut error = ModelError::new(kind, text);
        error.retry_after = retry_after;
        error
    }
}

#[derive(Default)]
struct Reader {
    line: Vec<u8>,
    text: String,
    content: u64,
    done: bool,
}

impl Decoder for Reader {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                continue;
            }
            let line = String::from_utf8(std::mem::take(&mut self.line)).unwrap();
            if let Some(text) = line.strip_prefix("text:") {
                self.content += 1;
                self.text.push_str(text);
                sink(Delta::Text(text.to_owned()));
            } else if let Some(error) = line.strip_prefix("error:") {
                return Err(ModelError::new(ModelErrorKind::Rejected, error));
            } else if line == "done" {
                self.done = true;
            }
        }
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        if !self.done {
            let error = ModelError::new(ModelErrorKind::Broken, "no `done`");
            return Err(error.with_partial(self.partial()));
        }
        sink(Delta::Finished(Finished {
            message: Message::assistant(self.text.clone()),
            stop: StopReason::EndTurn,
            usage: None,
            repairs: Vec::new(),
            todo: None,
        }));
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn content_events(&self) -> u64 {
        self.content
    }

    fn partial(&self) -> Message {
        let mut message = Message::assistant(self.text.clone());
        message.status = Status::Broken;
        message
    }
}
