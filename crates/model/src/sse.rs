//! Server-sent events, pushed in pieces of any size. Written here and not taken
//! from a library because the parser must be sans-I/O, bounded, and must hand
//! out an unterminated last event: servers forget the last empty line.
//!
//! Not a client: no reconnection, no `id`, no `retry`.

/// No honest event is larger; a bigger one would only fill the memory.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Empty when the server gave none.
    pub name: String,
    pub data: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("an event of the stream is larger than {MAX_EVENT_BYTES} bytes")]
    TooLarge,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Position {
    /// Nothing read yet: a byte order mark may stand here.
    #[default]
    Start,
    InText,
    /// After CR: a following LF belongs to it.
    AfterCr,
}

#[derive(Debug, Clone, Default)]
pub struct SseDecoder {
    position: Position,
    line: Vec<u8>,
    name: String,
    data: Option<Vec<u8>>,
}

impl SseDecoder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and gives the events that they complete.
    ///
    /// # Errors
    /// When an event exceeds [`MAX_EVENT_BYTES`].
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        sink: &mut dyn FnMut(SseEvent),
    ) -> Result<(), SseError> {
        while !bytes.is_empty() {
            if self.position == Position::AfterCr {
                self.position = Position::InText;
                if let [b'\n', rest @ ..] = bytes {
                    bytes = rest;
                    continue;
                }
            }
            let Some(end) = bytes.iter().position(|&byte| matches!(byte, b'\n' | b'\r')) else {
                return self.append(bytes);
            };
            self.append(&bytes[..end])?;
            let terminator = bytes[end];
            bytes = &bytes[end + 1..];
            self.end_line(sink)?;
            self.position = match terminator {
                b'\r' => Position::AfterCr,
                _ => Position::InText,
            };
        }
        Ok(())
    }

    /// The bytes have ended: an event without its empty line is given out.
    ///
    /// # Errors
    /// When that event exceeds [`MAX_EVENT_BYTES`].
    pub fn finish(&mut self, sink: &mut dyn FnMut(SseEvent)) -> Result<(), SseError> {
        if !self.line.is_empty() {
            self.end_line(sink)?;
        }
        self.dispatch(sink);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        let held = self.data.as_ref().map_or(0, Vec::len);
        if self.line.len() + bytes.len() + held > MAX_EVENT_BYTES {
            return Err(SseError::TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, sink: &mut dyn FnMut(SseEvent)) -> Result<(), SseError> {
        let mut line = std::mem::take(&mut self.line);
        let mut text: &[u8] = &line;
        if self.position == Position::Start {
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        }
        if text.is_empty() {
            self.dispatch(sink);
        } else {
            self.field(text)?;
        }
        line.clear();
        self.line = line;
        Ok(())
    }

    fn field(&mut self, line: &[u8]) -> Result<(), SseError> {
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add_data(value)?,
            // Older llama.cpp servers report a failure in a field of this name.
            b"error" => {
                "error".clone_into(&mut self.name);
                self.add_data(value)?;
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // Comments, `id`, `retry` and what is unknown.
            _ => {}
        }
        Ok(())
    }

    fn add_data(&mut self, value: &[u8]) -> Result<(), SseError> {
        match &mut self.data {
            Some(data) => {
                if data.len() + value.len() >= MAX_EVENT_BYTES {
                    return Err(SseError::TooLarge);
                }
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        Ok(())
    }

    fn dispatch(&mut self, sink: &mut dyn FnMut(SseEvent)) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            sink(SseEvent { name, data });
        }
    }
}
