//! `list`: a folder as a tree. Shows every entry of a level or none below it,
//! so that one large folder does not hide its neighbours.

use super::blocking::{Blocking, blocking};
use super::failure::Failure;
use super::glob::{folder, folder_facts};
use super::pattern::Pattern;
use crate::builtin::{number, spec, text};
use crate::contract::{Host, Tool};
use crate::workspace::{EntryKind, Walk, WalkOptions, Walked, Workspace};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tenon_policy::Facts;
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Display, Effect, ToolOutput, ToolSpec};

const DESCRIPTION: &str = "List a folder as a tree; folders end with `/`. Entries that .gitignore names, .git and node_modules are left out.";

const DEPTH: usize = 3;
const DEEPEST: usize = 20;
/// Entries that are looked at to decide how deep the tree can be shown.
const LOOKED_AT: usize = 20_000;

/// Shows a folder as a tree.
#[derive(Debug)]
pub struct List {
    spec: ToolSpec,
}

impl List {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The project folder when left out."},
                "depth": {"type": "integer", "minimum": 1, "description": "Levels to show, 3 when left out."},
                "glob": {"type": "string", "description": "Only files that match, such as `*.rs`."}
            },
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::LIST, DESCRIPTION, Effect::Read, parameters),
        }
    }
}

impl Default for List {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for List {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        folder_facts(&self.spec, input, workspace)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Text {
            summary: folder(input).to_owned(),
            body: String::new(),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(blocking(host, move |given| list(given, &input)))
    }
}

struct Row {
    relative: PathBuf,
    name: String,
    depth: usize,
    kind: EntryKind,
}

fn list(given: &Blocking, input: &Value) -> Result<ToolOutput, Failure> {
    let depth = number(input, "depth").map_or(DEPTH, |n| {
        usize::try_from(n).unwrap_or(DEEPEST).clamp(1, DEEPEST)
    });
    let pattern = text(input, "glob").filter(|glob| !glob.is_empty());
    let options = WalkOptions {
        depth: Some(depth),
        limit: LOOKED_AT,
        ..WalkOptions::default()
    };
    let walk = given.workspace.walk(folder(input), &options)?;
    let pattern = pattern
        .map(|glob| Pattern::new(glob, walk.absolute()))
        .transpose()
        .map_err(Failure::input)?;
    let (rows, walked) = rows(given, &walk, pattern.as_ref())?;
    Ok(tree(given, &walk, &rows, depth, walked))
}

fn rows(
    given: &Blocking,
    walk: &Walk,
    pattern: Option<&Pattern>,
) -> Result<(Vec<Row>, Walked), Failure> {
    let mut rows = Vec::new();
    let mut stopped = None;
    let walked = walk.each(|entry| {
        stopped = given.stop.reason();
        if stopped.is_some() {
            return ControlFlow::Break(());
        }
        let kind = entry.kind();
        let relative = entry.relative();
        let wanted = kind == EntryKind::Folder || pattern.is_none_or(|p| p.matches(relative));
        if wanted {
            let name = relative.file_name().unwrap_or(relative.as_os_str());
            let mut name = name.to_string_lossy().into_owned();
            if kind == EntryKind::Link
                && let Ok(target) = std::fs::read_link(entry.absolute())
            {
                name = format!("{name} -> {}", target.to_string_lossy());
            }
            rows.push(Row {
                relative: relative.to_path_buf(),
                name,
                depth: entry.depth(),
                kind,
            });
        }
        ControlFlow::Continue(())
    });
    if let Some(stopped) = stopped {
        return Err(stopped.failure());
    }
    if pattern.is_some() {
        rows = without_empty_folders(rows);
    }
    Ok((rows, walked))
}

fn without_empty_folders(rows: Vec<Row>) -> Vec<Row> {
    let mut needed: HashSet<PathBuf> = HashSet::new();
    for row in rows.iter().filter(|row| row.kind != EntryKind::Folder) {
        needed.extend(row.relative.ancestors().skip(1).map(PathBuf::from));
    }
    rows.into_iter()
        .filter(|row| row.kind != EntryKind::Folder || needed.contains(&row.relative))
        .collect()
}

fn tree(given: &Blocking, walk: &Walk, rows: &[Row], depth: usize, walked: Walked) -> ToolOutput {
    let most = given.limits.list_entries;
    let up_to = |level| rows.iter().filter(|row| row.depth <= level).count();
    let level = (1..=depth)
        .rev()
        .find(|level| up_to(*level) <= most)
        .unwrap_or(1);
    let mut tree = String::new();
    let mut shown = 0;
    for row in rows.iter().filter(|row| row.depth <= level).take(most) {
        if tree.len() + row.name.len() > given.limits.output_bytes {
            break;
        }
        tree.push_str(&"  ".repeat(row.depth - 1));
        tree.push_str(&row.name);
        tree.push_str(if row.kind == EntryKind::Folder {
            "/\n"
        } else {
            "\n"
        });
        shown += 1;
    }
    let mut notes = Vec::new();
    if rows.is_empty() {
        notes.push(String::from("nothing here"));
    }
    if shown < up_to(level) {
        notes.push(format!(
            "{shown} of {} entries shown; use `glob` to narrow",
            up_to(level)
        ));
    } else if level < depth && shown < rows.len() {
        notes.push(format!(
            "shown to depth {level}, below are {} more entries; list a folder of it to see them",
            rows.len() - shown
        ));
    }
    if walked == Walked::Part {
        notes.push(format!(
            "the folder holds more than {LOOKED_AT} entries, seen in part"
        ));
    }
    let truncated = shown < rows.len() || walked == Walked::Part;
    let data = json!({
        "path": walk.absolute().to_string_lossy(),
        "tree": tree,
        "entries": shown,
        "truncated": truncated,
    });
    let mut model = format!("{}/\n{tree}", walk.folder().trim_end_matches('/'));
    if !notes.is_empty() {
        model.push_str(&format!("[{}]\n", notes.join("; ")));
    }
    let display = Display::Text {
        summary: format!("{}: {shown} entries", walk.folder()),
        body: tree,
    };
    let mut output = ToolOutput::ok(data, model, display);
    output.folded = vec!["tree"];
    output
}
