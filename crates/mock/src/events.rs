//! A streamed reply of any format, one event at a time, with the accidents
//! that happen between events. What happens to bytes is `reply`'s.

use bytes::Bytes;

use crate::answer::Answer;
use crate::api::Api;
use crate::chat;
use crate::conversation::UsageChunk;
use crate::fault::ErrorEvent;
use crate::frame::Frame;
use crate::messages;
use crate::options::Chunking;
use crate::queue::Queue;
use crate::refusal;
use crate::responses;

/// Whether one event in the middle is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    Sound,
    OneMalformedChunk,
}

#[derive(Debug)]
pub(crate) struct Events {
    format: Format,
    frame: Frame,
    /// Whole events so far.
    sent: u64,
    health: Health,
    error: Option<ErrorEvent>,
    ended: bool,
}

#[derive(Debug)]
enum Format {
    Chat(Box<chat::stream::Stream>),
    Messages(Queue),
    Responses(Queue),
}

impl Events {
    pub(crate) fn new(api: Api, answer: Answer, chunking: Chunking, usage: UsageChunk) -> Self {
        let frame = Frame::of(&answer.shape);
        let format = match api {
            Api::Chat => Format::Chat(Box::new(chat::stream::Stream::new(answer, chunking, usage))),
            Api::Messages => Format::Messages(messages::stream::queue(answer, chunking)),
            Api::Responses => Format::Responses(responses::stream::queue(answer, chunking)),
        };
        Self {
            format,
            frame,
            sent: 0,
            health: Health::Sound,
            error: None,
            ended: false,
        }
    }

    pub(crate) fn with_accidents(mut self, health: Health, error: Option<ErrorEvent>) -> Self {
        self.health = health;
        self.error = error;
        self
    }

    /// Appends the next event; `false` when there is none.
    pub(crate) fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        if self.ended {
            return false;
        }
        if self.error.as_ref().is_some_and(|at| at.after <= self.sent)
            && let Some(error) = self.error.take()
        {
            self.ended = true;
            self.write_error(out, &error);
            return true;
        }
        if self.health == Health::OneMalformedChunk && self.sent == 1 {
            self.health = Health::Sound;
            self.write_broken(out);
            return true;
        }
        let before = out.len();
        let more = match &mut self.format {
            Format::Chat(stream) => stream.write_next(out),
            Format::Messages(queue) | Format::Responses(queue) => queue.write_next(self.frame, out),
        };
        self.sent += u64::from(out.len() > before);
        more
    }

    fn write_broken(&self, out: &mut Vec<u8>) {
        let (name, data) = match &self.format {
            Format::Chat(_) => (
                None,
                r#"{"id":"mock","choices":[{"index":0,"delta":{"content": "this chunk ends too ear"#,
            ),
            Format::Messages(_) => (
                Some("content_block_delta"),
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text": "this ends too ear"#,
            ),
            Format::Responses(_) => (
                Some("response.output_text.delta"),
                r#"{"type":"response.output_text.delta","delta": "this event ends too ear"#,
            ),
        };
        self.frame.write(out, name, data.as_bytes());
    }

    fn write_error(&mut self, out: &mut Vec<u8>, error: &ErrorEvent) {
        match &mut self.format {
            Format::Chat(_) => {
                let data = refusal::event_of_chat(error).to_string();
                self.frame.write(out, None, data.as_bytes());
                self.frame.write(out, None, b"[DONE]");
            }
            Format::Messages(queue) => {
                let data = refusal::event_of_messages(error);
                queue.write(self.frame, out, &data);
            }
            Format::Responses(queue) => {
                let data = refusal::event_of_responses(error);
                queue.write(self.frame, out, &data);
            }
        }
    }

    /// What shows that a silent connection still lives.
    pub(crate) fn keep_alive(&self) -> Bytes {
        Bytes::from_static(match self.format {
            Format::Messages(_) => b"event: ping\ndata: {\"type\": \"ping\"}\n\n",
            Format::Chat(_) | Format::Responses(_) => b": keep-alive\n\n",
        })
    }
}
