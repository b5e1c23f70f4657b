//! `@path` in a prompt: the file, the lines of it or the entries of the folder
//! go along with it. Each is an ordinary call to `read` or `list` and passes the
//! same gate, so that what a model may not read cannot be mentioned either.

mod parse;

use crate::calls;
use crate::run::{Flow, Run};
use crate::schedule::Leave;
use parse::{Lines, Reading, Word};
use serde_json::{Value, json};
use tenon_model::estimate_text;
use tenon_policy::Access;
use tenon_tools::Workspace;
use tenon_tools::workspace::WalkOptions;
use tenon_vocab::marked::element;
use tenon_vocab::names::tool;
use tenon_vocab::{CallId, Envelope, ImageSource, NoticeLevel, Part, ToolError, notice};

/// Mentions of one prompt that are followed.
const MOST: usize = 20;
/// Bytes that all of them may bring along.
const BYTES: usize = 200 * 1024;

/// A word that names something that is there.
struct Found {
    reading: Reading,
    tool: &'static str,
}

/// What the mentions of a prompt bring along. A word that names nothing is only
/// a word.
pub(crate) async fn attached(run: &mut Run, text: &str) -> Flow<Vec<Part>> {
    let words = parse::words(text);
    let mut found: Vec<Found> = Vec::new();
    for word in &words {
        match look(&run.core.workspace, word) {
            Some(there) if found.iter().any(|known| known.reading == there.reading) => {}
            Some(there) => found.push(there),
            None => doubt(run, word),
        }
    }
    if found.len() > MOST {
        let message = format!(
            "The prompt mentions {} files; only the first {MOST} are attached.",
            found.len()
        );
        run.core
            .notice(Some(run.id), NoticeLevel::Warning, notice::MENTION, message);
        found.truncate(MOST);
    }
    let mut parts = Vec::new();
    let mut bytes = 0;
    for found in found {
        if bytes > BYTES {
            let message = format!(
                "`{}` is not attached: the files mentioned before it fill the limit of {BYTES} bytes.",
                found.reading.path
            );
            run.core
                .notice(Some(run.id), NoticeLevel::Warning, notice::MENTION, message);
            continue;
        }
        for part in one(run, found).await? {
            if let Part::Text { text } = &part {
                bytes += text.len();
                run.unsent += estimate_text(text);
            }
            parts.push(part);
        }
    }
    Ok(parts)
}

fn look(workspace: &Workspace, word: &Word) -> Option<Found> {
    parse::readings(word).into_iter().find_map(|reading| {
        let fact = workspace.observe(&reading.path, Access::Read);
        if !fact.exists {
            return None;
        }
        let is_folder = is_folder(workspace, &reading.path);
        // Lines of a folder are none.
        (!is_folder || reading.lines.is_none()).then_some(Found {
            reading,
            tool: if is_folder { tool::LIST } else { tool::READ },
        })
    })
}

fn is_folder(workspace: &Workspace, path: &str) -> bool {
    workspace.walk(path, &WalkOptions::default()).is_ok()
}

/// A word with the look of a path, in a folder that is there, is most likely a
/// slip; everything else with an `@` is not ours.
fn doubt(run: &Run, word: &Word) {
    let path = word
        .text
        .trim_end_matches(|c: char| ".,;:!?)]}'\"".contains(c));
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let looks = path.contains('/') || name.contains('.');
    if !looks || name.is_empty() || folder.is_empty() {
        return;
    }
    if is_folder(&run.core.workspace, folder) {
        run.core.notice(
            Some(run.id),
            NoticeLevel::Info,
            notice::MENTION,
            format!("`@{path}` isn't a file; it was sent as text."),
        );
    }
}

async fn one(run: &mut Run, found: Found) -> Flow<Vec<Part>> {
    let Found { reading, tool } = found;
    // One call, one batch: its number tells the mentions of a run apart.
    let id = CallId::of_mention(run.id, run.batch);
    let done = calls::by_user(run, id, tool, input(&reading).to_string(), Leave::ToBeAsked).await?;
    if let Some(error) = done.envelope.error() {
        let message = format!(
            "`@{}` is not attached: {}",
            typed(&reading),
            for_people(&reading, error)
        );
        run.core
            .notice(Some(run.id), NoticeLevel::Warning, notice::MENTION, message);
        return Ok(Vec::new());
    }
    tell_of_the_rest(run, &reading, &done.envelope);
    let name = if tool == tool::LIST { "folder" } else { "file" };
    let lines = reading
        .lines
        .map(|Lines { first, last }| format!("{first}-{last}"));
    let mut attributes = vec![("path", reading.path.as_str())];
    attributes.extend(lines.as_deref().map(|lines| ("lines", lines)));
    let mut parts = vec![Part::text(element(name, &attributes, &done.text))];
    let images = done.images.into_iter();
    parts.extend(images.map(|(blob, media_type)| Part::Image {
        source: ImageSource::Blob(blob),
        media_type,
    }));
    Ok(parts)
}

/// Who mentions a file thinks that the model has all of it.
fn tell_of_the_rest(run: &Run, reading: &Reading, envelope: &Envelope) {
    let number = |name: &str| match envelope {
        Envelope::Ok(data) => data.get(name)?.as_u64(),
        Envelope::Err(_) => None,
    };
    let (Some(next), Some(lines)) = (number("next_offset"), number("lines")) else {
        return;
    };
    if reading.lines.is_some() {
        return;
    }
    let message = format!(
        "Only lines 1-{} of @{} are attached: it has {lines} lines, more than fits. The model can read the rest.",
        next - 1,
        reading.path
    );
    run.core
        .notice(Some(run.id), NoticeLevel::Info, notice::MENTION, message);
}

/// As it stands in the prompt.
fn typed(reading: &Reading) -> String {
    match reading.lines {
        None => reading.path.clone(),
        Some(Lines { first, last }) => format!("{}:{first}-{last}", reading.path),
    }
}

/// The result was written for a model: its advice, its names of errors and of
/// fields say nothing to whoever typed the prompt.
fn for_people(reading: &Reading, error: &ToolError) -> String {
    let said = error.message.as_str();
    let said = said.strip_prefix("not allowed: ").unwrap_or(said);
    match reading.lines {
        Some(Lines { first, .. }) if said.starts_with("offset ") => {
            let has = said.rsplit_once(": ").map_or("", |(_, has)| has);
            format!("there is no line {first}; {has}")
        }
        _ => said.to_owned(),
    }
}

fn input(reading: &Reading) -> Value {
    match reading.lines {
        None => json!({ "path": reading.path }),
        Some(Lines { first, last }) => json!({
            "path": reading.path,
            "offset": first,
            "limit": last - first + 1,
        }),
    }
}
