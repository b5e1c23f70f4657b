//! Events that wait to be written, for the formats whose events have names.
//! Long texts stay in one piece until the socket asks for more.

use std::collections::VecDeque;

use serde_json::Value;

use crate::cut::Cutter;
use crate::frame::Frame;

/// Whether events carry their place in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbering {
    Numbered,
    Unnumbered,
}

/// Whether events have an `event:` line besides the type in their data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    Named,
    Unnamed,
}

#[derive(Debug)]
pub(crate) struct Queue {
    items: VecDeque<Item>,
    numbering: Numbering,
    naming: Naming,
    next: u64,
}

#[derive(Debug)]
enum Item {
    /// An object whose `type` is the event's name.
    Event(Value),
    /// One event for each piece of a text: an object that is open where the
    /// text goes.
    Texts {
        name: &'static str,
        head: String,
        text: Cutter,
        tail: &'static str,
    },
    /// The data of an event without a name, as it is.
    Raw(&'static str),
}

impl Queue {
    pub(crate) fn new(numbering: Numbering, naming: Naming) -> Self {
        Self {
            items: VecDeque::new(),
            numbering,
            naming,
            next: 0,
        }
    }

    pub(crate) fn event(&mut self, data: Value) {
        self.items.push_back(Item::Event(data));
    }

    /// `head` ends before the text, `tail` begins after it and leaves the last
    /// brace out.
    pub(crate) fn texts(
        &mut self,
        name: &'static str,
        head: String,
        text: Cutter,
        tail: &'static str,
    ) {
        if !text.is_done() {
            self.items.push_back(Item::Texts {
                name,
                head,
                text,
                tail,
            });
        }
    }

    pub(crate) fn raw(&mut self, data: &'static str) {
        self.items.push_back(Item::Raw(data));
    }

    /// Appends the next event; `false` when there is none.
    pub(crate) fn write_next(&mut self, frame: Frame, out: &mut Vec<u8>) -> bool {
        let Some(item) = self.items.pop_front() else {
            return false;
        };
        match item {
            Item::Event(data) => self.write(frame, out, &data),
            Item::Texts {
                name,
                head,
                mut text,
                tail,
            } => {
                frame.begin(out, self.name(name));
                out.extend_from_slice(head.as_bytes());
                // Writing a string into memory cannot fail.
                let _ = serde_json::to_writer(&mut *out, text.next().unwrap_or_default());
                out.extend_from_slice(tail.as_bytes());
                self.close(out);
                frame.end(out);
                if !text.is_done() {
                    self.items.push_front(Item::Texts {
                        name,
                        head,
                        text,
                        tail,
                    });
                }
            }
            Item::Raw(data) => frame.write(out, None, data.as_bytes()),
        }
        true
    }

    pub(crate) fn write(&mut self, frame: Frame, out: &mut Vec<u8>, data: &Value) {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
        frame.begin(out, self.name(name));
        let mut text = data.to_string();
        text.pop();
        out.extend_from_slice(text.as_bytes());
        self.close(out);
        frame.end(out);
    }

    fn name<'n>(&self, name: &'n str) -> Option<&'n str> {
        (self.naming == Naming::Named).then_some(name)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        if self.numbering == Numbering::Numbered {
            out.extend_from_slice(format!(",\"sequence_number\":{}", self.next).as_bytes());
            self.next += 1;
        }
        out.push(b'}');
    }
}
