//! Images as a server reads them: a known kind, sound base64, not too large,
//! and the bytes of the kind that is named.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The base64 text of an image, as the strictest service counts it.
const LARGEST: usize = 5 << 20;

const KINDS: &[(&str, &[u8])] = &[
    ("image/jpeg", &[0xff, 0xd8, 0xff]),
    ("image/png", &[0x89, b'P', b'N', b'G']),
    ("image/gif", b"GIF8"),
    ("image/webp", b"RIFF"),
];

/// The sentence that says what is wrong with it.
pub(super) fn check(media_type: &str, data: &str) -> Result<(), String> {
    let Some((_, magic)) = KINDS.iter().find(|(kind, _)| *kind == media_type) else {
        return Err(format!(
            "{media_type:?} is no kind of image that servers take: jpeg, png, gif, webp."
        ));
    };
    if data.len() > LARGEST {
        return Err(format!(
            "the image has {} bytes, 5 MB are the most.",
            data.len()
        ));
    }
    match STANDARD.decode(data) {
        Ok(bytes) if bytes.starts_with(magic) => Ok(()),
        Ok(_) => Err(format!("the bytes of the image are not {media_type}.")),
        Err(error) => Err(format!("the image is not sound base64: {error}.")),
    }
}

/// `data:image/png;base64,…`, or an address of the web.
pub(super) fn check_url(url: &str) -> Result<(), String> {
    if url.starts_with("https://") || url.starts_with("http://") {
        return Ok(());
    }
    let parts = url
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"));
    match parts {
        Some((media_type, data)) => check(media_type, data),
        None => Err("the URL of an image must be a web address or a base64 data URL.".to_owned()),
    }
}
