//! What a file is, by its first bytes: text that can be shown, or something
//! that is named and refused.

use super::page::Page;
use crate::files::failure::Failure;
use tenon_vocab::ErrorCode;

pub(super) const LOOKED_AT: usize = 8 * 1024;
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The order of bytes in UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// Text with a mark at its start that is not a part of it.
    TextWithBom,
    Wide(Order),
    /// Readable in part: Latin-1, GBK and the like.
    OtherText,
    Image(&'static str),
    Binary(Option<&'static str>),
}

pub(super) fn of(head: &[u8]) -> Kind {
    if head.starts_with(BOM) {
        return Kind::TextWithBom;
    }
    if head.starts_with(b"\xFF\xFE") && head.get(2..4) != Some(b"\0\0") {
        return Kind::Wide(Order::Little);
    }
    if head.starts_with(b"\xFE\xFF") {
        return Kind::Wide(Order::Big);
    }
    // A PDF may look like text for a while.
    if head.starts_with(b"%PDF-") {
        return Kind::Binary(Some("application/pdf"));
    }
    let known = infer::get(head);
    let plain = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    // The signatures of some formats are two letters long: text wins.
    if plain && memchr::memchr(0, head).is_none() {
        return Kind::Text;
    }
    match known {
        Some(found) if found.matcher_type() == infer::MatcherType::Image => {
            Kind::Image(found.mime_type())
        }
        Some(found) if found.matcher_type() != infer::MatcherType::Text => {
            Kind::Binary(Some(found.mime_type()))
        }
        _ if memchr::memchr(0, head).is_some() || is_noise(head) => Kind::Binary(None),
        _ => Kind::OtherText,
    }
}

/// Text in any encoding has few control characters.
fn is_noise(head: &[u8]) -> bool {
    let controls = head
        .iter()
        .filter(|byte| **byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
        .count();
    controls * 20 > head.len()
}

pub(super) fn decode_wide(bytes: &[u8], order: Order) -> String {
    let units = bytes.get(2..).unwrap_or_default().chunks(2).map(|pair| {
        let pair = [pair[0], pair.get(1).copied().unwrap_or(0)];
        match order {
            Order::Little => u16::from_le_bytes(pair),
            Order::Big => u16::from_be_bytes(pair),
        }
    });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

impl Kind {
    /// The type of an image that models are shown; others no provider takes.
    pub(super) fn picture(self) -> Option<&'static str> {
        match self {
            Self::Image(mime @ ("image/png" | "image/jpeg" | "image/gif" | "image/webp")) => {
                Some(mime)
            }
            _ => None,
        }
    }

    pub(super) fn wide(self) -> Option<Order> {
        match self {
            Self::Wide(order) => Some(order),
            _ => None,
        }
    }

    pub(super) fn without_bom(self, bytes: &[u8]) -> &[u8] {
        bytes.strip_prefix(BOM).unwrap_or(bytes)
    }

    /// The answer for what cannot be shown as text.
    pub(super) fn refusal(self, path: &str, size: u64, head: &[u8]) -> Option<Failure> {
        let what = match self {
            Self::Image(mime) => {
                let dimensions = dimensions(head);
                format!("`{path}` is an image ({mime}{dimensions}, {size} bytes)")
            }
            Self::Binary(Some(mime)) => format!("`{path}` is binary ({mime}, {size} bytes)"),
            Self::Binary(None) => format!("`{path}` is binary ({size} bytes)"),
            _ => return None,
        };
        let message = format!("{what} and can't be shown as text");
        Some(Failure::new(ErrorCode::ReadError, message))
    }

    /// What the model must know to change this file without harm.
    pub(super) fn note(self, page: &Page) -> String {
        let mut notes = Vec::new();
        match self {
            Self::Wide(order) => notes.push(format!(
                "the file is UTF-16 ({} endian); `write` would turn it into UTF-8",
                match order {
                    Order::Little => "little",
                    Order::Big => "big",
                }
            )),
            Self::OtherText => notes.push(not_utf8()),
            _ if page.is_lossy() => notes.push(not_utf8()),
            _ => {}
        }
        if page.has_crlf() {
            notes.push(String::from("line endings are CRLF"));
        }
        if notes.is_empty() {
            return String::new();
        }
        format!("[{}]", notes.join("; "))
    }
}

/// `, 640 x 480 pixels`, where the beginning of the file tells.
pub(super) fn dimensions(head: &[u8]) -> String {
    imagesize::blob_size(head).map_or_else(
        |_| String::new(),
        |found| format!(", {} x {} pixels", found.width, found.height),
    )
}

fn not_utf8() -> String {
    String::from(
        "the file is not UTF-8: other bytes are shown as \u{FFFD}; change its readable parts \
         with `edit`, which keeps the rest, not with `write`",
    )
}
