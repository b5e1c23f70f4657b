//! Cuts the bytes of a recorded reply into the pieces in which they are sent.

use std::str::FromStr;

use bytes::Bytes;

/// In which pieces a recorded reply is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slicing {
    /// As they came from the server.
    #[default]
    Recorded,
    /// So many bytes each, also through the middle of a character.
    Bytes(usize),
    /// A line with its end.
    Lines,
    /// An event with the blank line after it.
    Events,
}

impl FromStr for Slicing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "recorded" => Ok(Self::Recorded),
            "line" => Ok(Self::Lines),
            "event" => Ok(Self::Events),
            number => match number.parse() {
                Ok(bytes) if bytes > 0 => Ok(Self::Bytes(bytes)),
                _ => Err(
                    "expected a number of bytes above 0, `line`, `event` or `recorded`".to_owned(),
                ),
            },
        }
    }
}

/// The rest of a reply, from which pieces are taken one after the other.
#[derive(Debug)]
pub(super) struct Slices {
    rest: Bytes,
    how: Slicing,
}

impl Slices {
    pub(super) fn new(bytes: Bytes, how: Slicing) -> Self {
        Self { rest: bytes, how }
    }
}

impl Iterator for Slices {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.rest.is_empty() {
            return None;
        }
        let length = match self.how {
            Slicing::Recorded => self.rest.len(),
            Slicing::Bytes(bytes) => bytes.clamp(1, self.rest.len()),
            Slicing::Lines => line(&self.rest),
            Slicing::Events => event(&self.rest),
        };
        Some(self.rest.split_to(length))
    }
}

fn line(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    end.map_or(bytes.len(), |end| end + 1)
}

fn event(bytes: &[u8]) -> usize {
    let mut length = 0;
    while length < bytes.len() {
        let step = line(&bytes[length..]);
        let blank = bytes[length..length + step].trim_ascii().is_empty();
        length += step;
        if blank {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &'static str, how: Slicing) -> Vec<String> {
        Slices::new(Bytes::from_static(text.as_bytes()), how)
            .map(|piece| String::from_utf8_lossy(&piece).into_owned())
            .collect()
    }

    #[test]
    fn lines_and_events_keep_their_ends() {
        let text = "event: a\r\ndata: 1\r\n\r\ndata: 2\n\ntail";
        assert_eq!(
            pieces(text, Slicing::Lines),
            [
                "event: a\r\n",
                "data: 1\r\n",
                "\r\n",
                "data: 2\n",
                "\n",
                "tail"
            ]
        );
        assert_eq!(
            pieces(text, Slicing::Events),
            ["event: a\r\ndata: 1\r\n\r\n", "data: 2\n\n", "tail"]
        );
    }

    #[test]
    fn bytes_are_counted_and_not_characters() {
        assert_eq!(
            Slices::new(Bytes::from_static("é".as_bytes()), Slicing::Bytes(1)).count(),
            2
        );
        assert_eq!(pieces("abcde", Slicing::Bytes(2)), ["ab", "cd", "e"]);
        assert!(pieces("", Slicing::Bytes(2)).is_empty());
    }

    #[test]
    fn the_words_of_the_flag_are_read() {
        assert_eq!("7".parse(), Ok(Slicing::Bytes(7)));
        assert_eq!("line".parse(), Ok(Slicing::Lines));
        assert_eq!("event".parse(), Ok(Slicing::Events));
        assert!("0".parse::<Slicing>().is_err() && "word".parse::<Slicing>().is_err());
    }
}
