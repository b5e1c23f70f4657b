//! `@path` in a prompt: the file, the lines of it or the entries of the folder
//! go along with it. Each is an ordinary call to `read` or `list` and passes the
//! same gate, so that what a model may not read cannot be mentioned either.

mod parse;

use crate::run::{End, Flow, Run};
use crate::step::Ending;
use crate::{calls, gate, schedule};
use parse::{Lines, Reading, Word};
use serde_json::{Value, json};
use tenon_policy::Access;
use tenon_tools::Workspace;
use tenon_tools::workspace::WalkOptions;
use tenon_vocab::marked::element;
use tenon_vocab::{CallForm, CallId, ImageSource, NoticeLevel, Part, ToolCallPart};

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
            "{} files are mentioned; the first {MOST} go along with the prompt.",
            found.len()
        );
        run.core
            .notice(Some(run.id), NoticeLevel::Warning, "mention", message);
        found.truncate(MOST);
    }
    let mut parts = Vec::new();
    let mut bytes = 0;
    for (index, found) in found.into_iter().enumerate() {
        if bytes > BYTES {
            let message = format!(
                "`{}` does not go along: the mentions before it fill {BYTES} bytes.",
                found.reading.path
            );
            run.core
                .notice(Some(run.id), NoticeLevel::Warning, "mention", message);
            continue;
        }
        for part in one(run, index, found).await? {
            if let Part::Text { text } = &part {
                bytes += text.len();
            }
            parts.push(part);
        }
    }
    // What could not be read is said by its result; it is no failure of the model.
    run.tally.failures_in_a_row = 0;
    run.tally.last_denied = None;
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
            tool: if is_folder { "list" } else { "read" },
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
            "mention",
            format!("`@{path}` names no file; it was sent as text."),
        );
    }
}

async fn one(run: &mut Run, index: usize, found: Found) -> Flow<Vec<Part>> {
    let Found { reading, tool } = found;
    let call = ToolCallPart {
        id: CallId::new(format!("mention_{}_{index}", run.id)),
        name: String::from(tool),
        arguments: input(&reading).to_string(),
        form: CallForm::Native,
    };
    let planned = schedule::plan(&run.core, &call, Ending::WHOLE);
    let admitted = gate::admit(run, vec![planned]).await?;
    let done = match calls::execute(run, admitted).await {
        Ok(done) => done,
        Err(end @ (End::Interrupted | End::Log(_))) => return Err(end),
        // Limits are for the model's calls.
        Err(_) => return Ok(Vec::new()),
    };
    let mut parts = Vec::new();
    for done in done {
        if !done.envelope.is_ok() {
            let message = format!(
                "`@{}` does not go along: {}",
                reading.path,
                done.envelope
                    .error()
                    .map(|error| error.message.clone())
                    .unwrap_or_default()
            );
            run.core
                .notice(Some(run.id), NoticeLevel::Warning, "mention", message);
            continue;
        }
        let name = if tool == "list" { "folder" } else { "file" };
        let lines = reading
            .lines
            .map(|Lines { first, last }| format!("{first}-{last}"));
        let mut attributes = vec![("path", reading.path.as_str())];
        attributes.extend(lines.as_deref().map(|lines| ("lines", lines)));
        parts.push(Part::text(element(name, &attributes, &done.text)));
        parts.extend(
            done.images
                .into_iter()
                .map(|(blob, media_type)| Part::Image {
                    source: ImageSource::Blob(blob),
                    media_type,
                }),
        );
    }
    Ok(parts)
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
