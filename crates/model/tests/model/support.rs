//! Running a body through the decoder in pieces, and reading transcripts.

use std::path::PathBuf;
use tenon_model::codec::{ChatDecoder, Decoder};
use tenon_model::{Delta, Finished, ModelError};
use tenon_vocab::{Part, ToolCallPart};

pub struct Run {
    pub deltas: Vec<Delta>,
    pub result: Result<Finished, ModelError>,
}

impl Run {
    pub fn text(&self) -> String {
        self.finished().message.text()
    }

    pub fn finished(&self) -> &Finished {
        self.result.as_ref().expect("the reply should be whole")
    }

    pub fn error(&self) -> &ModelError {
        self.result.as_ref().expect_err("the reply should fail")
    }

    pub fn calls(&self) -> Vec<&ToolCallPart> {
        self.finished().message.tool_calls().collect()
    }

    pub fn reasoning(&self) -> String {
        reasoning(&self.finished().message.parts)
    }

    /// All that can be compared: two runs over the same bytes must be equal.
    pub fn comparable(&self) -> String {
        let result = match &self.result {
            Ok(finished) => format!("{finished:?}"),
            Err(error) => format!(
                "{:?} {} {:?} {:?}",
                error.kind, error.message, error.hint, error.partial
            ),
        };
        format!("{:?}\n{result}", self.deltas)
    }
}

pub fn reasoning(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match part {
            Part::Reasoning { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Feeds the pieces to a new decoder.
pub fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Run {
    resume(ChatDecoder::new(), Vec::new(), pieces)
}

/// Feeds pieces to a decoder that has read something already.
pub fn resume<'b>(
    mut decoder: impl Decoder,
    mut deltas: Vec<Delta>,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> Run {
    let mut result = Ok(());
    for piece in pieces {
        result = decoder.push(piece, &mut |delta| deltas.push(delta));
        if result.is_err() {
            break;
        }
    }
    if result.is_ok() {
        result = decoder.finish(&mut |delta| deltas.push(delta));
    }
    let finished: Vec<Finished> = deltas
        .iter()
        .filter_map(|delta| match delta {
            Delta::Finished(finished) => Some(finished.clone()),
            _ => None,
        })
        .collect();
    match result {
        Ok(()) => {
            assert_eq!(finished.len(), 1, "exactly one Finished");
            assert!(matches!(deltas.last(), Some(Delta::Finished(_))));
        }
        Err(_) => assert!(finished.is_empty(), "either Finished or an error"),
    }
    Run {
        deltas,
        result: result.map(|()| finished.into_iter().next().expect("there is one")),
    }
}

pub fn decode_text(body: &str) -> Run {
    decode([body.as_bytes()])
}

/// A stream of these chunks, ended by `[DONE]`.
pub fn stream(chunks: &[&str]) -> Run {
    decode_text(&events(chunks))
}

pub fn events(chunks: &[&str]) -> String {
    let mut body: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    body.push_str("data: [DONE]\n\n");
    body
}

/// A chunk with this delta.
pub fn chunk(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

/// A delta with one call of these fields.
pub fn call(fields: &str) -> String {
    format!(r#"{{"tool_calls":[{{{fields}}}]}}"#)
}

/// A stream of these deltas that ends with `finish_reason`.
pub fn deltas(deltas: &[&str], finish_reason: &str) -> Run {
    let mut chunks: Vec<String> = deltas.iter().map(|delta| chunk(delta)).collect();
    chunks.push(format!(
        r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{finish_reason}"}}]}}"#
    ));
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    stream(&chunks)
}

pub fn wire_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/wire")
}

/// Status and body of a transcript.
pub fn transcript(name: &str) -> (u16, Vec<u8>) {
    let bytes = std::fs::read(wire_folder().join(format!("{name}.txt"))).expect("a transcript");
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a status line");
    let status = std::str::from_utf8(&bytes[..end])
        .expect("digits")
        .parse()
        .expect("a status");
    (status, bytes[end + 1..].to_vec())
}
