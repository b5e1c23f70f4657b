//! Bytes that a program wrote become text that a model can read: UTF-8, without
//! escape sequences, with progress lines reduced to their last state.
//!
//! It is fed in pieces of any size and keeps what a cut left unfinished. It is
//! not a terminal: movements of the cursor are dropped, not followed.

/// A line is held back until it ends, since a carriage return may still take
/// it back; a longer one is let go.
const MAX_HELD: usize = 8 * 1024;
/// An escape sequence that does not end is given up, else it would swallow all.
const MAX_SEQUENCE: usize = 4096;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// After ESC.
    Start,
    /// ESC and intermediates, as in a choice of character set.
    Intermediate,
    /// ESC `[`, up to a final letter.
    Control(usize),
    /// A title, a link, a device string: up to BEL or ESC `\`.
    Text(usize),
    /// ESC inside such a text: its end, or the start of another sequence.
    TextPaused,
}

/// What a fed piece became.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cleaned {
    /// For the record: whole lines, each in its last state.
    pub(super) text: String,
    /// For a screen, now: also unfinished lines.
    pub(super) live: String,
}

#[derive(Debug, Default)]
pub(super) struct Cleaner {
    /// The bytes of a character that is not complete yet.
    cut: Vec<u8>,
    escape: Escape,
    line: String,
    /// A part of the line has been let go and cannot be taken back.
    released: bool,
    /// A carriage return was seen: the next visible character starts the line anew.
    returned: bool,
}

impl Cleaner {
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Cleaned {
        let mut out = Cleaned::default();
        let joined;
        let mut rest = if self.cut.is_empty() {
            bytes
        } else {
            joined = [self.cut.as_slice(), bytes].concat();
            self.cut.clear();
            joined.as_slice()
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text, &mut out);
                    return out;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(valid).unwrap_or_default(), &mut out);
                    let Some(bad) = error.error_len() else {
                        self.cut = after.to_vec();
                        return out;
                    };
                    self.visible("\u{fffd}", &mut out);
                    rest = after.get(bad..).unwrap_or_default();
                }
            }
        }
    }

    /// Lets go of an unfinished line: someone wants to see all there is.
    pub(super) fn flush(&mut self) -> String {
        if self.line.is_empty() {
            return String::new();
        }
        self.released = true;
        std::mem::take(&mut self.line)
    }

    /// The line that is held back.
    pub(super) fn held(&self) -> &str {
        &self.line
    }

    /// The stream has ended.
    pub(super) fn finish(&mut self) -> Cleaned {
        let mut out = Cleaned::default();
        if !self.cut.is_empty() {
            self.cut.clear();
            self.visible("\u{fffd}", &mut out);
        }
        out.text.push_str(&self.flush());
        out
    }

    fn text(&mut self, mut text: &str, out: &mut Cleaned) {
        while !text.is_empty() {
            if self.escape != Escape::None {
                let Some(c) = text.chars().next() else { return };
                if self.sequence(c) {
                    text = text.get(c.len_utf8()..).unwrap_or_default();
                }
                continue;
            }
            let plain = text.bytes().position(is_special).unwrap_or(text.len());
            let (now, after) = text.split_at(plain);
            self.plain(now, out);
            let mut following = after.chars();
            match following.next() {
                Some(c) if c.is_control() => self.control(c, out),
                Some(c) => self.visible(c.encode_utf8(&mut [0; 4]), out),
                None => {}
            }
            text = following.as_str();
        }
    }

    /// Text with nothing in it but line ends: most of what there is.
    fn plain(&mut self, text: &str, out: &mut Cleaned) {
        let Some(last) = memchr::memrchr(b'\n', text.as_bytes()) else {
            if !text.is_empty() {
                self.visible(text, out);
            }
            return;
        };
        let (lines, rest) = text.split_at(last + 1);
        if self.returned && !lines.starts_with('\n') {
            self.take_back(out);
        }
        out.text.push_str(&self.line);
        out.text.push_str(lines);
        out.live.push_str(lines);
        self.line.clear();
        self.released = false;
        self.returned = false;
        if !rest.is_empty() {
            self.visible(rest, out);
        }
    }

    fn visible(&mut self, text: &str, out: &mut Cleaned) {
        if self.escape != Escape::None {
            return;
        }
        if self.returned {
            self.returned = false;
            self.take_back(out);
        }
        self.line.push_str(text);
        out.live.push_str(text);
        if self.line.len() > MAX_HELD {
            out.text.push_str(&self.flush());
        }
    }

    /// The line is written over.
    fn take_back(&mut self, out: &mut Cleaned) {
        if self.released {
            self.end_line(out);
            return;
        }
        if self.line.is_empty() {
            return;
        }
        self.line.clear();
        match out.live.rfind('\n') {
            Some(at) => out.live.truncate(at + 1),
            // Its start went out with an earlier piece.
            None => out.live = String::from("\n"),
        }
    }

    fn end_line(&mut self, out: &mut Cleaned) {
        out.text.push_str(&self.line);
        out.text.push('\n');
        out.live.push('\n');
        self.line.clear();
        self.released = false;
        self.returned = false;
    }

    fn control(&mut self, c: char, out: &mut Cleaned) {
        match c {
            '\x0b' | '\x0c' => self.end_line(out),
            '\r' => self.returned = true,
            '\x08' => self.step_back(out),
            '\0' => self.visible("␀", out),
            '\x1b' => self.escape = Escape::Start,
            '\u{9b}' => self.escape = Escape::Control(0),
            _ => {}
        }
    }

    /// Overstruck text, as `man` writes it.
    fn step_back(&mut self, out: &mut Cleaned) {
        if self.line.pop().is_some() && !out.live.ends_with('\n') {
            out.live.pop();
        }
    }

    /// Takes a character inside an escape sequence; false: the sequence was
    /// broken off before it, and it is ordinary text.
    fn sequence(&mut self, c: char) -> bool {
        let (next, taken) = match (self.escape, c) {
            (Escape::None, _) => (Escape::None, false),
            (Escape::Start, '[') => (Escape::Control(0), true),
            (Escape::Start | Escape::TextPaused, ']' | 'P' | 'X' | '^' | '_') => {
                (Escape::Text(0), true)
            }
            (Escape::TextPaused, '\\') => (Escape::None, true),
            (Escape::TextPaused, '[') => (Escape::Control(0), true),
            (Escape::Start | Escape::Intermediate, ' '..='/') => (Escape::Intermediate, true),
            (Escape::Start | Escape::Intermediate | Escape::TextPaused, c) if !c.is_control() => {
                (Escape::None, true)
            }
            (Escape::Control(count), ' '..='?') if count < MAX_SEQUENCE => {
                (Escape::Control(count + 1), true)
            }
            (Escape::Control(_), '@'..='~') => (Escape::None, true),
            (Escape::Text(_), '\x07' | '\u{9c}') => (Escape::None, true),
            (Escape::Text(_), '\x1b') => (Escape::TextPaused, true),
            (Escape::Text(count), c) if c != '\n' && count < MAX_SEQUENCE => {
                (Escape::Text(count + 1), true)
            }
            _ => (Escape::None, false),
        };
        self.escape = next;
        taken
    }
}

/// A control other than a tab or a line end, or the first byte of what may be one.
fn is_special(byte: u8) -> bool {
    matches!(byte, 0..0x09 | 0x0b..0x20 | 0x7f | 0xc2)
}

#[cfg(test)]
mod tests {
    use super::{Cleaner, MAX_HELD, MAX_SEQUENCE};

    fn clean(bytes: &[u8]) -> String {
        let mut cleaner = Cleaner::default();
        let mut text = cleaner.feed(bytes).text;
        text.push_str(&cleaner.finish().text);
        text
    }

    #[test]
    fn colours_titles_and_links_are_removed() {
        assert_eq!(clean(b"\x1b[1;31merror\x1b[0m: x"), "error: x");
        assert_eq!(clean(b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b"), "ab");
        assert_eq!(clean(b"\x1b(Bplain\x1b=\x1bPdcs\x1b\\!"), "plain!");
        assert_eq!(clean("\u{9b}31mred".as_bytes()), "red");
    }

    #[test]
    fn letters_that_share_a_byte_with_controls_stay() {
        assert_eq!(clean("§ © «x»\u{85}\n".as_bytes()), "§ © «x»\n");
    }

    #[test]
    fn progress_is_reduced_to_its_last_state() {
        assert_eq!(clean(b"10%\r50%\r100%\ndone\n"), "100%\ndone\n");
        assert_eq!(clean(b"10%\r\x1b[K50%"), "50%");
        assert_eq!(clean(b"kept\r"), "kept");
        assert_eq!(clean(b"1%\r2%\nnext\r\nlast\n"), "2%\nnext\nlast\n");
    }

    #[test]
    fn windows_line_ends_stay_lines() {
        assert_eq!(clean(b"a\r\nb\r\r\nc\r\n"), "a\nb\nc\n");
    }

    #[test]
    fn overstruck_letters_become_letters() {
        assert_eq!(clean(b"N\x08NA\x08AM\x08M\n"), "NAM\n");
    }

    #[test]
    fn bytes_that_are_not_utf8_do_not_hide_the_rest() {
        let gbk = b"\xc4\xe3\xba\xc3 ok\n";
        assert_eq!(clean(gbk), String::from_utf8_lossy(gbk));
        assert_eq!(clean(b"a\0b"), "a␀b");
        assert_eq!(clean(b"cut \xe6\x97"), "cut \u{fffd}");
    }

    #[test]
    fn any_cut_of_the_input_gives_the_same_text() {
        let input = "日本 \x1b[31mrot\x1b[0m 10%\r20%\r\né\x1b]0;t\x07\x08x\n".as_bytes();
        let whole = clean(input);
        for first in 0..=input.len() {
            for second in first..=input.len() {
                let mut cleaner = Cleaner::default();
                let mut text = String::new();
                for piece in [&input[..first], &input[first..second], &input[second..]] {
                    text.push_str(&cleaner.feed(piece).text);
                }
                text.push_str(&cleaner.finish().text);
                assert_eq!(text, whole, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn a_sequence_without_an_end_does_not_swallow_the_output() {
        let title = clean(b"\x1b]0;never ended\nnext line\n");
        assert_eq!(title, "\nnext line\n");
        let long = format!("\x1b]0;{}END", "x".repeat(MAX_SEQUENCE));
        assert!(clean(long.as_bytes()).ends_with("END"));
        let digits = format!("\x1b[{}", "1".repeat(3 * MAX_SEQUENCE));
        assert!(clean(digits.as_bytes()).len() > MAX_SEQUENCE);
    }

    #[test]
    fn a_line_without_an_end_is_not_held_for_ever() {
        let mut cleaner = Cleaner::default();
        for _ in 0..100 {
            cleaner.feed(&[b'x'; 1000]);
            assert!(cleaner.line.len() <= MAX_HELD + 1000);
        }
    }

    #[test]
    fn an_unfinished_line_is_live_at_once() {
        let mut cleaner = Cleaner::default();
        let first = cleaner.feed(b"Password: ");
        assert_eq!(
            (first.text.as_str(), first.live.as_str()),
            ("", "Password: ")
        );
        assert_eq!(cleaner.flush(), "Password: ");
        assert_eq!(cleaner.feed(b"secret\n").text, "secret\n");
    }
}
