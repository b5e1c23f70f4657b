//! Images that a person pastes: from the clipboard, by the program that the platform
//! has for it, or by the path of a file that was dropped into the terminal.

use super::house::Program;
use crate::error::CliError;
use crate::images::{Limits, file, part};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tenon_config::Env;
use tenon_tui::house::{Attached, ImageFrom};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// A program whose owner is gone may wait for ever.
const PATIENCE: Duration = Duration::from_secs(5);

/// The image, if there is one.
pub async fn find(program: &Program, from: ImageFrom) -> Result<Option<Attached>, CliError> {
    let talk = program.talk()?;
    let resolved = &talk.configured.resolved;
    let limits = Limits::for_provider(resolved.tools.image_bytes, resolved.provider.as_ref());
    match from {
        ImageFrom::Text(text) => {
            let home = talk.place.env.get("HOME").map(Path::new);
            let path = path(&text, home, &talk.place.root);
            if !path.is_file() {
                return Ok(None);
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let part = file(&path, limits)?;
            let name = name.into_owned();
            Ok(Some(Attached { part, name }))
        }
        ImageFrom::Clipboard => {
            for reader in READERS.iter().filter(|reader| reader.fits(&talk.place.env)) {
                let Some(content) = reader.read(limits.max_bytes).await else {
                    continue;
                };
                let part = part(&content, content.len() as u64, "in the clipboard", limits)?;
                let name = String::from("clipboard");
                return Ok(Some(Attached { part, name }));
            }
            Ok(None)
        }
    }
}

/// A program that writes the image in the clipboard.
struct Reader {
    /// The variable without which it has nothing to ask.
    needs: Option<&'static str>,
    argv: &'static [&'static str],
    form: Form,
}

/// What it writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bytes,
    /// `«data PNGf89504E47…»`
    AppleScript,
}

const READERS: [Reader; 3] = [
    Reader {
        needs: Some("WAYLAND_DISPLAY"),
        argv: &["wl-paste", "--no-newline", "--type", "image/png"],
        form: Form::Bytes,
    },
    Reader {
        needs: Some("DISPLAY"),
        argv: &[
            "xclip",
            "-selection",
            "clipboard",
            "-target",
            "image/png",
            "-out",
        ],
        form: Form::Bytes,
    },
    Reader {
        needs: None,
        argv: &["osascript", "-e", "the clipboard as «class PNGf»"],
        form: Form::AppleScript,
    },
];

impl Reader {
    fn fits(&self, env: &Env) -> bool {
        match self.needs {
            Some(name) => env.get(name).is_some_and(|value| !value.is_empty()),
            None => cfg!(target_os = "macos"),
        }
    }

    /// `None` where it is not there, fails, or has no image.
    async fn read(&self, max_bytes: u64) -> Option<Vec<u8>> {
        let (program, arguments) = self.argv.split_first()?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let most = match self.form {
            Form::Bytes => max_bytes,
            Form::AppleScript => max_bytes.saturating_mul(2) + 64,
        };
        let mut out = child.stdout.take()?.take(most + 1);
        let mut content = Vec::new();
        let read = tokio::time::timeout(PATIENCE, out.read_to_end(&mut content)).await;
        read.ok()?.ok()?;
        let content = match self.form {
            Form::Bytes => content,
            Form::AppleScript => unhexed(&content)?,
        };
        (!content.is_empty()).then_some(content)
    }
}

fn unhexed(printed: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(printed).ok()?;
    let hex = text.split_once("PNGf")?.1.split('»').next()?;
    let digits: Option<Vec<u8>> = hex
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|value| u8::try_from(value).ok())
        })
        .collect();
    Some(
        digits?
            .chunks(2)
            .map(|two| two.iter().fold(0, |byte, digit| byte << 4 | digit))
            .collect(),
    )
}

/// The path that a terminal writes when a file is dropped into it: quoted, with
/// escaped blanks, or as an address.
fn path(text: &str, home: Option<&Path>, root: &Path) -> PathBuf {
    let text = text.trim();
    let quoted = ['\'', '"']
        .iter()
        .find_map(|mark| text.strip_prefix(*mark)?.strip_suffix(*mark));
    let plain = match (quoted, text.strip_prefix("file://")) {
        (Some(inside), _) => inside.to_owned(),
        (None, Some(address)) => decoded(address),
        (None, None) => unescaped(text),
    };
    match (plain.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => root.join(plain),
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            other => plain.push(other),
        }
    }
    plain
}

/// `%20` and the like; a host before the path is this machine.
fn decoded(address: &str) -> String {
    let path = address.find('/').map_or(address, |at| &address[at..]);
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_is_found_however_the_terminal_writes_its_path() {
        let (home, root) = (Path::new("/home/me"), Path::new("/srv/project"));
        for text in [
            "/tmp/a b.png",
            "'/tmp/a b.png'",
            "\"/tmp/a b.png\" ",
            "/tmp/a\\ b.png",
            "file:///tmp/a%20b.png",
            "file://localhost/tmp/a%20b.png",
        ] {
            assert_eq!(
                path(text, Some(home), root),
                Path::new("/tmp/a b.png"),
                "{text}"
            );
        }
        assert_eq!(
            path("~/x.png", Some(home), root),
            Path::new("/home/me/x.png")
        );
        assert_eq!(
            path("x.png", Some(home), root),
            Path::new("/srv/project/x.png")
        );
    }

    #[test]
    fn what_applescript_prints_are_the_bytes_of_the_image() {
        let printed = "«data PNGf89504E470D0A1A0A»\n";
        assert_eq!(unhexed(printed.as_bytes()).unwrap(), b"\x89PNG\r\n\x1a\n");
        assert!(unhexed(b"execution error").is_none());
    }
}
