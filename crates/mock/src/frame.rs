//! The framing of server-sent events, with the liberties that servers take.

use crate::shape::{Quirk, Shape};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    space: &'static str,
    newline: &'static str,
}

impl Frame {
    pub(crate) fn of(shape: &Shape) -> Self {
        Self {
            space: if shape.has(Quirk::NoSpace) { "" } else { " " },
            newline: if shape.has(Quirk::Crlf) { "\r\n" } else { "\n" },
        }
    }

    /// Everything before the data of an event.
    pub(crate) fn begin(self, out: &mut Vec<u8>, name: Option<&str>) {
        if let Some(name) = name {
            for part in ["event:", self.space, name, self.newline] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        out.extend_from_slice(b"data:");
        out.extend_from_slice(self.space.as_bytes());
    }

    pub(crate) fn end(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.newline.as_bytes());
        out.extend_from_slice(self.newline.as_bytes());
    }

    pub(crate) fn write(self, out: &mut Vec<u8>, name: Option<&str>, data: &[u8]) {
        self.begin(out, name);
        out.extend_from_slice(data);
        self.end(out);
    }
}
