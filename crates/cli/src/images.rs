//! Images that go along with a prompt (P13): files of the user become data
//! URLs, addresses are passed on as they are. What a file is, its content says
//! and not its name. Nothing is ever fetched here: the provider does that, or
//! refuses.

use crate::assemble::{Configured, Options, Session};
use crate::error::CliError;
use crate::place::Place;
use crate::provider;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Read;
use std::path::Path;
use tenon_config::ResolvedProvider;
use tenon_vocab::{ImageSource, Part};

/// Images of one prompt, at most; more are a mistake.
const MOST: usize = 50;
/// What an error repeats of an address, at most.
const QUOTED: usize = 100;

/// What is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub max_bytes: u64,
    pub set_by: SetBy,
}

/// Who says how large an image may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    Configuration,
    /// The wire format of the provider. What is larger would be left out, and
    /// only the model would be told.
    Format,
}

impl Limits {
    /// Those of the provider that the session goes on with, which need not be
    /// the configured one.
    ///
    /// # Errors
    /// When the configuration or the session cannot be read.
    pub fn of(place: &Place, options: &Options, session: Session) -> Result<Self, CliError> {
        let configured = Configured::read(place, options)?;
        let known = match session.existing() {
            Some(id) => place.store().standing(id)?.state().settings().cloned(),
            None => None,
        };
        // That nothing is configured is told when the session is opened.
        let wanted = provider::wanted(&place.env, &configured, options, known.as_ref()).ok();
        Ok(Self::for_provider(
            configured.resolved.tools.image_bytes,
            wanted.as_ref().map(|wanted| &wanted.provider),
        ))
    }

    /// Those of this provider, by what the configuration allows.
    pub fn for_provider(configured: u64, provider: Option<&ResolvedProvider>) -> Self {
        match provider.and_then(|provider| provider.kind.image_bytes()) {
            Some(largest) if largest < configured => Self {
                max_bytes: largest,
                set_by: SetBy::Format,
            },
            _ => Self {
                max_bytes: configured,
                set_by: SetBy::Configuration,
            },
        }
    }
}

/// The images of flags, in their order.
///
/// # Errors
/// With what to do, when one cannot be sent.
pub fn of_flags(
    place: &Place,
    options: &Options,
    session: Session,
    given: &[String],
) -> Result<Vec<Part>, CliError> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let limits = Limits::of(place, options, session)?;
    too_many(given.len())?;
    given.iter().map(|one| attach(one, limits)).collect()
}

/// # Errors
/// When there are more than anybody means to send.
pub fn too_many(count: usize) -> Result<(), CliError> {
    if count <= MOST {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "{count} images are too many for one prompt; {MOST} are accepted"
    )))
}

/// A file or an address.
///
/// # Errors
/// With what to do, when it cannot be sent.
pub fn attach(given: &str, limits: Limits) -> Result<Part, CliError> {
    match scheme(given) {
        Some("https") => Ok(Part::Image {
            source: ImageSource::Url(given.trim().to_owned()),
            media_type: type_by_name(given).to_owned(),
        }),
        Some("data") => inline(given, limits),
        Some("http") => Err(CliError::usage(format!(
            "the image {} was not sent: its address must be https",
            quoted(given)
        ))
        .with_hint("The provider would fetch it unencrypted. Download it and pass the file.")),
        Some(other) => Err(
            CliError::usage(format!("`{other}:` isn't an image address"))
                .with_hint("Pass a file, or an address that starts with https://."),
        ),
        None => file(Path::new(given), limits),
    }
}

/// The scheme of an address; a file has none.
fn scheme(given: &str) -> Option<&str> {
    let (scheme, rest) = given.trim_start().split_once(':')?;
    let plain = scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric());
    (plain && (rest.starts_with("//") || scheme == "data")).then_some(scheme)
}

/// A file that exists.
///
/// # Errors
/// With what to do, when it cannot be sent.
pub fn file(path: &Path, limits: Limits) -> Result<Part, CliError> {
    let shown = path.display();
    let cannot = |why: String| {
        CliError::usage(format!("can't read the image {shown}: {why}"))
            .with_hint("Check the path; it is relative to the current directory.")
    };
    let opened = tenon_files::open(path).map_err(|error| cannot(error.to_string()))?;
    let facts = opened
        .metadata()
        .map_err(|error| cannot(error.to_string()))?;
    let mut content = Vec::new();
    opened
        .take(limits.max_bytes + 1)
        .read_to_end(&mut content)
        .map_err(|error| cannot(error.to_string()))?;
    let size = facts.len().max(content.len() as u64);
    part(&content, size, &shown.to_string(), limits)
}

/// An image that stands in its own address.
fn inline(given: &str, limits: Limits) -> Result<Part, CliError> {
    let wrong = || {
        CliError::usage("a data URL of an image looks like data:image/png;base64,…")
            .with_hint("Pass a file instead.")
    };
    let (head, data) = given.trim().split_once(',').ok_or_else(wrong)?;
    if !head.ends_with(";base64") {
        return Err(wrong());
    }
    let content = STANDARD.decode(data.trim()).map_err(|_| wrong())?;
    part(&content, content.len() as u64, "in the data URL", limits)
}

/// What was read already.
///
/// # Errors
/// With what to do, when it cannot be sent.
pub fn part(content: &[u8], size: u64, shown: &str, limits: Limits) -> Result<Part, CliError> {
    if size > limits.max_bytes {
        return Err(CliError::usage(format!(
            "the image {shown} has {size} bytes; {} are accepted",
            limits.max_bytes
        ))
        .with_hint(match limits.set_by {
            SetBy::Configuration => {
                "Make it smaller, or raise `multimodal.max_bytes` in the configuration."
            }
            SetBy::Format => {
                "Make it smaller: servers of the type `messages` accept no larger images."
            }
        }));
    }
    let Some(media_type) = type_by_content(content) else {
        return Err(CliError::usage(format!(
            "the image {shown} is neither PNG, JPEG, GIF nor WebP"
        ))
        .with_hint("Convert it. Tenon looks at the content, not at the name."));
    };
    Ok(Part::Image {
        source: ImageSource::Url(format!(
            "data:{media_type};base64,{}",
            STANDARD.encode(content)
        )),
        media_type: media_type.to_owned(),
    })
}

fn type_by_content(content: &[u8]) -> Option<&'static str> {
    if content.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if content.starts_with(&[0xff, 0xd8, 0xff]) {
        Some("image/jpeg")
    } else if content.starts_with(b"GIF87a") || content.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// For an address nobody has looked at; no format depends on it.
fn type_by_name(url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => "image/jpeg",
    }
}

fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        max_bytes: 64,
        set_by: SetBy::Configuration,
    };
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0123";

    fn written(content: &[u8]) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.txt");
        std::fs::write(&path, content).unwrap();
        let path = path.to_string_lossy().into_owned();
        (folder, path)
    }

    fn media_type(part: &Part) -> &str {
        match part {
            Part::Image { media_type, .. } => media_type,
            _ => "no image",
        }
    }

    #[test]
    fn what_a_file_is_its_content_says() {
        for (content, expected) in [
            (PNG, "image/png"),
            (b"\xff\xd8\xff\xe0".as_slice(), "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ] {
            let (_folder, path) = written(content);
            let part = attach(&path, LIMITS).unwrap();
            assert_eq!(media_type(&part), expected);
        }
        for content in [b"".as_slice(), b"\x89PN", b"<svg/>", b"RIFF\0\0\0\0WAVE"] {
            let (_folder, path) = written(content);
            let error = attach(&path, LIMITS).unwrap_err();
            assert!(error.message.contains("neither PNG"), "{}", error.message);
        }
    }

    #[test]
    fn a_large_file_a_folder_and_a_pipe_are_refused_without_being_read() {
        let (folder, path) = written(&[PNG, &[0; 100]].concat());
        let error = attach(&path, LIMITS).unwrap_err();
        assert!(error.message.contains("has 112 bytes"), "{}", error.message);
        let error = attach(&folder.path().to_string_lossy(), LIMITS).unwrap_err();
        assert!(
            error.message.contains("isn't a regular file"),
            "{}",
            error.message
        );
        let endless = attach("/dev/zero", LIMITS).unwrap_err();
        assert!(
            endless.message.contains("isn't a regular file"),
            "{}",
            endless.message
        );
    }

    #[test]
    fn addresses_are_passed_on_only_when_they_are_https() {
        let part = attach("https://example.com/a.PNG?x=1", LIMITS).unwrap();
        assert_eq!(media_type(&part), "image/png");
        for (given, why) in [
            ("http://example.com/a.png", "must be https"),
            ("file:///etc/passwd", "isn't an image address"),
            ("data:image/png;base64,%%%", "looks like data:"),
            ("data:image/png,abc", "looks like data:"),
            ("no-such.png", "can't read"),
        ] {
            let error = attach(given, LIMITS).unwrap_err();
            assert!(error.message.contains(why), "{given}: {}", error.message);
        }
        let inline = format!("data:text/plain;base64,{}", STANDARD.encode(PNG));
        assert_eq!(media_type(&attach(&inline, LIMITS).unwrap()), "image/png");
    }
}
