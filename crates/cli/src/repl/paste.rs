//! Where one input ends. Enter ends a line; inside of a paste it does not, and a
//! paste is what the terminal marks as one. How fast bytes arrive says nothing: on
//! a busy machine two lines that were typed arrive together.

/// What a terminal puts around a paste when it is asked to.
const BEGIN: &str = "\x1b[200~";
const END: &str = "\x1b[201~";
/// Asks for it.
pub const MARKED: &str = "\x1b[?2004h";

/// The length of the first input with the end of its line; `None` where there is
/// no whole one yet.
pub fn first_input(bytes: &[u8]) -> Option<usize> {
    match read(bytes) {
        Read::Input(length) => Some(length),
        Read::Line | Read::Paste => None,
    }
}

/// Whether it ends inside of a paste: the rest of that is still to come.
pub fn is_open(bytes: &[u8]) -> bool {
    read(bytes) == Read::Paste
}

/// What some bytes begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// A whole input of this length.
    Input(usize),
    /// A line without its end.
    Line,
    /// The same, with a paste without its end.
    Paste,
}

fn read(bytes: &[u8]) -> Read {
    let mut inside = Read::Line;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' if inside == Read::Line => return Read::Input(at + 1),
            0x1b => {
                let rest = bytes.get(at..).unwrap_or_default();
                inside = match inside {
                    Read::Paste if rest.starts_with(END.as_bytes()) => Read::Line,
                    Read::Line if rest.starts_with(BEGIN.as_bytes()) => Read::Paste,
                    inside => inside,
                };
            }
            _ => {}
        }
    }
    inside
}

/// Whether a part of it was pasted, or came with the end of a paste.
pub fn is_marked(text: &str) -> bool {
    text.contains(BEGIN) || text.contains(END)
}

/// The text without the marks.
pub fn unmarked(text: &str) -> String {
    text.replace(BEGIN, "").replace(END, "")
}

/// The beginning up to the first key that is no text. What is pasted is text.
pub fn typed(text: &str) -> &str {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('\x1b')) {
        let rest = text.get(from + at..).unwrap_or_default();
        if !rest.starts_with(BEGIN) && !rest.starts_with(END) {
            return text.get(..from + at).unwrap_or_default();
        }
        from += at + BEGIN.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_ends_an_input_however_fast_the_next_one_comes() {
        assert_eq!(first_input(b"one\ntwo\n"), Some(4));
        assert_eq!(first_input(b"hal"), None);
        assert_eq!(first_input(b"\x1b[31mone\ntwo"), Some(9));
    }

    #[test]
    fn inside_of_a_paste_enter_ends_nothing() {
        let pasted = b"say \x1b[200~one\ntwo\n\x1b[201~ now\nnext\n";
        let end = first_input(pasted).unwrap();
        let text = String::from_utf8_lossy(&pasted[..end]);
        assert_eq!(unmarked(&text), "say one\ntwo\n now\n");
        assert_eq!(first_input(b"\x1b[200~one\ntwo\n"), None);
    }

    #[test]
    fn a_key_that_is_no_text_ends_what_was_typed_and_a_paste_does_not() {
        assert_eq!(typed("ab\x1b[Acd"), "ab");
        assert_eq!(typed("a\x1b[200~b\x1b[201~c"), "a\x1b[200~b\x1b[201~c");
        assert_eq!(typed("\x1b[200~b\x1b[201~\x1b[A"), "\x1b[200~b\x1b[201~");
        assert_eq!(typed("\x1b"), "");
    }
}
