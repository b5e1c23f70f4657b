//! JSON that can be looked at in a terminal: characters that act or deceive there
//! stand as `\u` escapes, which mean the same to every program.

use std::io::{self, Write};
use tenon_vocab::Printable;

/// Takes whole pieces of text, as a serializer writes them. What is not ASCII
/// can only stand in a string there.
pub(super) struct Harmless<W>(pub W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        if Printable::block(text).as_str() == text {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let (mut one, mut units) = ([0; 4], [0; 2]);
        for c in text.chars() {
            let shown: &str = c.encode_utf8(&mut one);
            if Printable::block(shown).as_str() == shown {
                self.0.write_all(shown.as_bytes())?;
                continue;
            }
            for unit in c.encode_utf16(&mut units) {
                write!(self.0, "\\u{unit:04x}")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_acts_in_a_terminal_is_escaped_and_means_the_same() {
        let value = json!({"a\u{9b}": ["\u{7f}x", "\u{202e}", "\u{e0041}", "漢字 é\n\t"]});
        let mut out = Harmless(Vec::new());
        serde_json::to_writer_pretty(&mut out, &value).unwrap();
        let text = String::from_utf8(out.0).unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
        assert_eq!(Printable::block(&text).as_str(), text);
        assert!(
            text.contains("漢字 é") && text.contains(r"\u202e"),
            "{text}"
        );
    }
}
