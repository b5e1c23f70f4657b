//! What came in, for tests that look at it afterwards and for people who want
//! to see what their client really sends.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use hyper::HeaderMap;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::api::RequestKind;
use crate::options::Recording;
use crate::software::Software;
use crate::wire;

/// One request as it came in.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// Path and query.
    pub path: String,
    pub kind: RequestKind,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// What the strictest server would reject, each a sentence.
    pub violations: Vec<String>,
}

#[derive(Debug, Clone)]
struct Kept {
    path: String,
    headers: HeaderMap,
    body: Bytes,
    kind: RequestKind,
}

#[derive(Debug)]
pub(crate) struct Recorder {
    /// Which server this one pretends to be.
    server: Option<Software>,
    memory: usize,
    kept: Mutex<(VecDeque<Kept>, usize)>,
    file: Option<Mutex<File>>,
}

impl Recorder {
    pub(crate) fn open(
        recording: Option<&Recording>,
        server: Option<Software>,
    ) -> io::Result<Self> {
        let file = recording
            .and_then(|recording| recording.file.as_deref())
            .map(|path| File::options().append(true).create(true).open(path))
            .transpose()?;
        Ok(Self {
            server,
            memory: recording.map_or(0, |recording| recording.memory),
            kept: Mutex::default(),
            file: file.map(Mutex::new),
        })
    }

    /// A file that can no longer be written is left alone: the reply matters
    /// more than its record.
    pub(crate) fn add(&self, path: &str, headers: &HeaderMap, body: &Bytes, kind: RequestKind) {
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_all(&line(path, body, kind, self.server));
        }
        if size(body) > self.memory {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (requests, bytes) = &mut *kept;
        requests.push_back(Kept {
            path: path.to_owned(),
            headers: headers.clone(),
            body: body.clone(),
            kind,
        });
        *bytes += size(body);
        while *bytes > self.memory
            && let Some(oldest) = requests.pop_front()
        {
            *bytes -= size(&oldest.body);
        }
    }

    /// Validated here and not when they came in: a long conversation would
    /// otherwise slow every step of its client down.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        let kept = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .0
            .clone();
        kept.into_iter()
            .map(|request| RecordedRequest {
                violations: violations(&request.body, request.kind, self.server),
                path: request.path,
                kind: request.kind,
                headers: request.headers,
                body: request.body,
            })
            .collect()
    }
}

/// What a kept request costs, its headers guessed.
fn size(body: &Bytes) -> usize {
    body.len() + 1024
}

/// By the validator of the request's own format. What only one server takes is
/// a violation everywhere but there.
pub(crate) fn violations(body: &[u8], kind: RequestKind, server: Option<Software>) -> Vec<String> {
    match kind {
        RequestKind::Chat => {
            let mut found = wire::chat::validate(body);
            if server == Some(Software::LlamaCpp) {
                found.retain(|sentence| !sentence.starts_with("`return_progress` "));
            }
            found
        }
        RequestKind::Messages => wire::messages::validate(body),
        RequestKind::CountTokens => wire::messages::validate_count(body),
        RequestKind::Responses => wire::responses::validate(body),
        RequestKind::Other => Vec::new(),
    }
}

/// The body goes in byte for byte when it is JSON on one line, else as a string.
fn line(path: &str, body: &[u8], kind: RequestKind, server: Option<Software>) -> Vec<u8> {
    let head = json!({"path": path, "violations": violations(body, kind, server)}).to_string();
    let text = String::from_utf8_lossy(body);
    let raw = serde_json::from_str::<&RawValue>(&text)
        .ok()
        .map(RawValue::get);
    let body = match raw {
        Some(raw) if !raw.contains(['\n', '\r']) => raw.to_owned(),
        _ => Value::from(text.as_ref()).to_string(),
    };
    format!("{},\"body\":{body}}}\n", &head[..head.len() - 1]).into_bytes()
}
