//! Images as blocks: four kinds of files, or a link. The kind is told by the
//! first bytes, because an image that is not what it is said to be is refused.
//! What cannot be sent is replaced by a sentence: one image would fail every
//! later request.

use super::wire::{Block, Source};
use crate::Entry;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_vocab::ImageSource;

/// Of the text that an image is sent as; a larger one is refused.
const LARGEST: usize = 5 * 1024 * 1024;
const MISSING: &str = "[an image was here; its content is no longer available]";
const NOT_TAKEN: &str = "[an image was left out: this server only accepts PNG, JPEG, GIF and WebP]";
const TOO_LARGE: &str = "[an image was left out: it is too large for this server]";

pub(super) fn image<'r>(entry: &'r Entry, source: &'r ImageSource) -> Block<'r> {
    match source {
        ImageSource::Url(url) => linked(url),
        ImageSource::Blob(wanted) => {
            let held = entry.blobs.iter().find(|(blob, _)| blob == wanted);
            match held {
                Some((_, bytes)) => inline(bytes),
                None => Block::Text { text: MISSING },
            }
        }
    }
}

fn linked(url: &str) -> Block<'_> {
    if let Some(data) = url.strip_prefix("data:") {
        let data = data.split_once(";base64,").map(|(_, data)| data);
        return match data.and_then(|data| STANDARD.decode(data).ok()) {
            Some(bytes) => inline(&bytes),
            None => Block::Text { text: NOT_TAKEN },
        };
    }
    let scheme = url.split("://").next().unwrap_or_default();
    if scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") {
        return Block::Image {
            source: Source::Url { url },
        };
    }
    Block::Text { text: NOT_TAKEN }
}

fn inline(bytes: &[u8]) -> Block<'static> {
    let Some(media_type) = media_type(bytes) else {
        return Block::Text { text: NOT_TAKEN };
    };
    // Four letters for three bytes.
    if bytes.len().div_ceil(3).saturating_mul(4) > LARGEST {
        return Block::Text { text: TOO_LARGE };
    }
    let data = STANDARD.encode(bytes);
    Block::Image {
        source: Source::Base64 { media_type, data },
    }
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}
