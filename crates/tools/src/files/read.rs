//! `read`: a page of a text file, with line numbers and the way to the next, or
//! an image to look at.

use super::blocking::{Blocking, blocking};
use super::failure::Failure;
use super::read::page::{Page, Shape};
use crate::builtin::{facts, number, spec, text};
use crate::contract::{FileUse, Host, Tool};
use crate::output;
use crate::workspace::{OpenFile, READ_CAP, Running, Workspace};
use serde_json::{Value, json};
use std::io::Read as _;
use tenon_policy::{Access, Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::ToolLimits;
use tenon_vocab::{Display, Effect, ErrorCode, FileHash, ToolOutput, ToolSpec};

mod image;
mod kind;
mod page;

const DESCRIPTION: &str = "Read a text file, or look at an image (PNG, JPEG, GIF, WebP). Each line comes as its number, a tab and its text. A long file comes in pages: pass `offset` to go on where the last page ended.";

/// Files up to this size are taken whole, so that the ledger can keep a copy.
const WHOLE: u64 = 1024 * 1024;

/// Reads a text file page by page.
#[derive(Debug)]
pub struct Read {
    spec: ToolSpec,
}

impl Read {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "description": "Relative to the project root, or absolute."},
                "offset": {"type": "integer", "minimum": 1, "description": "First line to show, counted from 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines to show at most."},
                "byte_offset": {"type": "integer", "minimum": 0, "description": "Read raw text from this byte on, for very long lines. Not together with `offset`."}
            },
            "required": ["path"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::READ, DESCRIPTION, Effect::Read, parameters),
        }
    }
}

impl Default for Read {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        let path = text(input, "path").unwrap_or_default();
        let seen = workspace.observe(path, Access::Read);
        facts(&self.spec, Subject::Paths(vec![seen]), input)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Text {
            summary: text(input, "path").unwrap_or_default().to_owned(),
            body: String::new(),
        }
    }

    fn file_use(&self) -> FileUse {
        FileUse::Reads
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(blocking(host, move |given| {
            let path = text(&input, "path").unwrap_or_default();
            match number(&input, "byte_offset") {
                Some(offset) => bytes(given, path, offset),
                None => lines(given, path, &input),
            }
        }))
    }
}

fn lines(given: &Blocking, path: &str, input: &Value) -> Result<ToolOutput, Failure> {
    let open = given.workspace.open_file(path)?;
    let mut source = Source::new(open)?;
    let kind = kind::of(&source.head);
    if let Some(media_type) = kind.picture() {
        return image::show(&mut source, media_type, given.limits.image_bytes);
    }
    if let Some(refusal) = kind.refusal(&source.open.path, source.open.size, &source.head) {
        return Err(refusal);
    }
    let limits = &given.limits;
    let shape = shape(input, limits);
    let mut page = Page::new(shape);
    let hash = if let Some(order) = kind.wide() {
        let whole = source.whole()?;
        page.feed(kind::decode_wide(&whole, order).as_bytes());
        Some(
            given
                .workspace
                .ledger()
                .note_content(&source.open.path, &whole),
        )
    } else if source.open.size <= WHOLE {
        let whole = source.whole()?;
        let text = kind.without_bom(&whole);
        page.skipped_bytes(whole.len() - text.len());
        page.feed(text);
        Some(
            given
                .workspace
                .ledger()
                .note_content(&source.open.path, &whole),
        )
    } else {
        stream(given, &mut source, &mut page)?
    };
    page.finish(hash.is_some());
    if let Some(beyond) = page.beyond(&source.open.path) {
        return Err(Failure::new(ErrorCode::InvalidInput, beyond));
    }
    Ok(answer(&source.open, &page, &kind.note(&page), hash))
}

fn shape(input: &Value, limits: &ToolLimits) -> Shape {
    let as_usize = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Shape {
        first: number(input, "offset").unwrap_or(1).max(1),
        lines: number(input, "limit").map_or(limits.read_lines, |n| {
            as_usize(n).clamp(1, limits.read_lines.max(1))
        }),
        bytes: limits.read_bytes,
        line_bytes: limits.line_bytes,
    }
}

/// Feeds a large file piece by piece. Beyond [`READ_CAP`] it stops after the
/// page: then there is no hash, and the number of lines stays unknown.
fn stream(
    given: &Blocking,
    source: &mut Source,
    page: &mut Page,
) -> Result<Option<String>, Failure> {
    let to_the_end = source.open.size <= READ_CAP;
    let mut hash = Running::default();
    let mut buffer = std::mem::take(&mut source.head);
    let bom = kind::BOM.len();
    if buffer.starts_with(kind::BOM) {
        hash.update(kind::BOM);
        page.skipped_bytes(bom);
        buffer.drain(..bom);
    }
    loop {
        if buffer.is_empty() {
            return Ok(to_the_end.then(|| hash.finish())).inspect(|hash| {
                if let Some(hash) = hash {
                    given.workspace.ledger().note(&source.open.path, hash);
                }
            });
        }
        if let Some(stopped) = given.stop.reason() {
            return Err(stopped.failure());
        }
        hash.update(&buffer);
        page.feed(&buffer);
        if !to_the_end && page.is_full() {
            return Ok(None);
        }
        buffer.resize(256 * 1024, 0);
        let read = source.read(&mut buffer)?;
        buffer.truncate(read);
    }
}

/// A file whose beginning has been looked at.
struct Source {
    open: OpenFile,
    head: Vec<u8>,
}

impl Source {
    fn new(open: OpenFile) -> Result<Self, Failure> {
        let mut source = Self {
            open,
            head: Vec::new(),
        };
        let mut head = vec![0; kind::LOOKED_AT];
        let mut filled = 0;
        while filled < head.len() {
            match source.read(&mut head[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        head.truncate(filled);
        source.head = head;
        Ok(source)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.open.file.read(buffer) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let message = format!("could not read `{}`: {error}", self.open.path);
                    return Err(Failure::new(ErrorCode::ReadError, message));
                }
                Ok(read) => return Ok(read),
            }
        }
    }

    /// The rest of the file after its head; at most [`READ_CAP`] bytes.
    fn whole(&mut self) -> Result<Vec<u8>, Failure> {
        let mut whole = std::mem::take(&mut self.head);
        let rest = READ_CAP.saturating_sub(whole.len() as u64);
        let path = &self.open.path;
        (&self.open.file)
            .take(rest)
            .read_to_end(&mut whole)
            .map_err(|error| {
                Failure::new(
                    ErrorCode::ReadError,
                    format!("could not read `{path}`: {error}"),
                )
            })?;
        Ok(whole)
    }
}

fn answer(open: &OpenFile, page: &Page, note: &str, hash: Option<String>) -> ToolOutput {
    let marker = page.marker(open.size);
    let mut model = page.numbered().to_owned();
    for line in [note, &marker] {
        if !line.is_empty() {
            model.push_str(line);
            model.push('\n');
        }
    }
    let mut data = json!({
        "path": open.absolute.to_string_lossy(),
        "content": page.content(),
        "truncated": page.is_cut(),
        "bytes": open.size,
        "lines": page.total(),
    });
    if let Some(next) = page.next() {
        data["next_offset"] = json!(next);
    }
    if !marker.is_empty() {
        data["note"] = json!(marker);
    }
    if !page.long_lines().is_empty() {
        let cut = page.long_lines().iter();
        data["cut_lines"] = cut
            .map(|(line, next)| json!({"line": line, "byte_offset": next}))
            .collect();
    }
    let display = Display::Text {
        summary: page.summary(&open.path),
        body: String::new(),
    };
    let mut output = ToolOutput::ok(data, model, display);
    output.reads = hash
        .map(|sha256| FileHash {
            path: open.path.clone(),
            sha256,
        })
        .into_iter()
        .collect();
    output
}

/// A piece by bytes: the way through a line that no page can hold.
fn bytes(given: &Blocking, path: &str, offset: u64) -> Result<ToolOutput, Failure> {
    let range = given
        .workspace
        .read_range(path, offset, given.limits.read_bytes)?;
    if offset >= range.size && range.size > 0 {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            format!(
                "byte_offset {offset} is past the end of `{path}`: it has {} bytes",
                range.size
            ),
        ));
    }
    let kind = kind::of(&range.bytes);
    if let Some(refusal) = kind.refusal(&range.path, range.size, &range.bytes) {
        return Err(refusal);
    }
    let (start, piece) = whole_characters(&range.bytes);
    let content = String::from_utf8_lossy(piece);
    let from = offset + start as u64;
    let to = from + piece.len() as u64;
    let marker = if to < range.size {
        format!(
            "[bytes {from}-{to} of {}; use byte_offset={to} to continue]",
            range.size
        )
    } else {
        format!("[bytes {from}-{to} of {}, the end]", range.size)
    };
    let mut data = json!({
        "path": range.absolute.to_string_lossy(),
        "content": content,
        "truncated": to < range.size,
        "bytes": range.size,
        "note": marker,
    });
    if to < range.size {
        data["next_byte_offset"] = json!(to);
    }
    let summary = format!("bytes {from}-{to} of {}", range.size);
    let display = Display::Text {
        summary,
        body: String::new(),
    };
    Ok(ToolOutput::ok(
        data,
        format!("{content}\n{marker}\n"),
        display,
    ))
}

/// Leaves out the pieces of characters at both ends of a cut.
fn whole_characters(bytes: &[u8]) -> (usize, &[u8]) {
    let is_middle = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let start = bytes.iter().take(3).take_while(|b| is_middle(b)).count();
    let rest = &bytes[start..];
    let end = match std::str::from_utf8(rest) {
        Ok(_) => rest.len(),
        // Only an unfinished character at the very end is left for later.
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        Err(_) => rest.len(),
    };
    (start, &rest[..end])
}

/// Cuts a line of text for the page; shared with `page`.
fn cut_line(line: &[u8], cap: usize) -> usize {
    let text = String::from_utf8_lossy(&line[..line.len().min(cap)]);
    match text {
        std::borrow::Cow::Borrowed(text) => output::floor(text, cap),
        std::borrow::Cow::Owned(_) => whole_characters(&line[..line.len().min(cap)]).1.len(),
    }
}
