//! Pictures on their way in and out (P13): what a prompt brings is kept beside
//! the log, and a model that cannot look at pictures is told where one stood.
//! Which model can is said by its identity, nothing is guessed here.

use crate::active::Current;
use crate::core::Core;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use std::sync::Arc;
use tenon_model::{Identity, Vision};
use tenon_session::SessionError;
use tenon_vocab::{BlobRef, ImageSource, Message, Part, ToolImage};

const NOT_SHOWN: &str = "[an image was here; this model doesn't accept images]";

/// Whether the model of this step is given pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It looks at them, or nobody knows.
    #[default]
    Seeing,
    Blind,
}

impl Sight {
    pub(crate) fn of(current: &Current) -> Self {
        match current.identity().vision {
            Vision::No => Self::Blind,
            Vision::Yes | Vision::Unknown => Self::Seeing,
        }
    }
}

fn is_image(part: &Part) -> bool {
    matches!(part, Part::Image { .. })
}

/// Why pictures cannot go to this model, in a sentence with what to do.
pub(crate) fn refusal(identity: &Identity, parts: &[Part]) -> Option<String> {
    let blind = identity.vision == Vision::No && parts.iter().any(is_image);
    blind.then(|| {
        format!(
            "`{}` doesn't accept images, so the prompt was not sent; choose a model that does with `/models NAME` or `--model`, or leave the image out",
            identity.model
        )
    })
}

/// A picture that came as text is kept beside the log like every other one.
/// What is not well-formed stays as it is: the server says what is wrong with it.
pub(crate) fn keep(core: &Core, part: Part) -> Result<Part, SessionError> {
    let Part::Image {
        source: ImageSource::Url(url),
        media_type,
    } = &part
    else {
        return Ok(part);
    };
    let Some((told, content)) = data_url(url) else {
        return Ok(part);
    };
    let told = if told.is_empty() { media_type } else { told };
    Ok(Part::Image {
        media_type: true_type(&content).unwrap_or(told).to_owned(),
        source: ImageSource::Blob(core.emitter.blobs().put(&content)?),
    })
}

/// What a picture is by its first bytes. A name that does not fit the content
/// is refused by strict servers, in every later request.
pub(crate) fn true_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
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

/// The message with its pictures named by what they are.
pub(crate) fn named(message: Arc<Message>, blobs: &[(BlobRef, Bytes)]) -> Arc<Message> {
    let truth = |part: &Part| -> Option<&'static str> {
        let Part::Image {
            source: ImageSource::Blob(blob),
            media_type,
        } = part
        else {
            return None;
        };
        let (_, content) = blobs.iter().find(|(known, _)| known == blob)?;
        true_type(content).filter(|truth| truth != media_type)
    };
    if !message.parts.iter().any(|part| truth(part).is_some()) {
        return message;
    }
    let mut corrected = Message::clone(&message);
    for part in &mut corrected.parts {
        if let Some(truth) = truth(part)
            && let Part::Image { media_type, .. } = part
        {
            truth.clone_into(media_type);
        }
    }
    Arc::new(corrected)
}

/// The type and the content of `data:image/png;base64,…`.
fn data_url(url: &str) -> Option<(&str, Vec<u8>)> {
    let (head, body) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    let plain = media_type.split(';').next().unwrap_or_default();
    Some((plain, STANDARD.decode(body.trim()).ok()?))
}

/// The pictures of a result, kept beside the log.
pub(crate) fn keep_all(
    core: &Core,
    images: Vec<ToolImage>,
) -> Result<Vec<(BlobRef, String)>, SessionError> {
    let blobs = core.emitter.blobs();
    images
        .into_iter()
        .map(|image| {
            let media_type = match true_type(&image.content) {
                Some(truth) => truth.to_owned(),
                None => image.media_type,
            };
            Ok((blobs.put(&image.content)?, media_type))
        })
        .collect()
}

/// The message as a model reads it that sees no pictures: each is a line that
/// says so.
pub(crate) fn described(message: Arc<Message>) -> Arc<Message> {
    if !message.parts.iter().any(is_image) {
        return message;
    }
    let mut parts: Vec<Part> = Vec::with_capacity(message.parts.len());
    for part in &message.parts {
        if !is_image(part) {
            parts.push(part.clone());
        } else if let Some(Part::ToolResult { text, .. }) = parts.last_mut() {
            text.push('\n');
            text.push_str(NOT_SHOWN);
        } else {
            parts.push(Part::text(NOT_SHOWN));
        }
    }
    Arc::new(Message {
        parts,
        ..Message::clone(&message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_called_what_it_is() {
        let blob = BlobRef {
            sha256: "a".into(),
            bytes: 3,
        };
        let image = |media_type: &str| Part::Image {
            source: ImageSource::Blob(blob.clone()),
            media_type: media_type.into(),
        };
        let message = |part: Part| {
            let mut message = Message::user("look");
            message.parts.push(part);
            Arc::new(message)
        };
        let jpeg = [(blob.clone(), Bytes::from_static(b"\xff\xd8\xff\xe0"))];
        let corrected = named(message(image("image/png")), &jpeg);
        assert_eq!(corrected, message(image("image/jpeg")));
        let unknown = [(blob.clone(), Bytes::from_static(b"???"))];
        let left = named(message(image("image/png")), &unknown);
        assert_eq!(left, message(image("image/png")));
    }

    #[test]
    fn a_data_url_gives_its_type_and_content() {
        assert_eq!(
            data_url("data:image/png;base64,AAEC"),
            Some(("image/png", vec![0, 1, 2]))
        );
        assert_eq!(data_url("https://example.com/a.png"), None);
        assert_eq!(data_url("data:image/png;base64,%%%"), None);
        assert_eq!(data_url("data:text/plain,hello"), None);
    }
}
