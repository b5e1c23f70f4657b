//! `list`: a folder as a tree. Shows every entry of a level before any below it,
//! so that one large folder does not hide its neighbours, then of the next level
//! as much as fits, and says how to see the rest.

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
use tenon_vocab::figures::count;
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Display, Effect, ErrorCode, ToolOutput, ToolSpec};
use tree::{Limits, Tree};

mod tree;

const DESCRIPTION: &str = "List a folder as a tree; folders end with `/`. What .gitignore names, .git and node_modules are left out.";

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
                "path": {"type": "string", "description": "The project root when left out."},
                "depth": {"type": "integer", "minimum": 1, "description": "Levels to show; 3 when left out."},
                "glob": {"type": "string", "description": "Only files that match, such as `*.rs`."},
                "offset": {"type": "integer", "minimum": 1, "description": "First entry to show, counted from 1: to go on where a page ended."}
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
    let as_usize = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let asked = number(input, "depth").map_or(DEPTH, |n| as_usize(n).clamp(1, DEEPEST));
    let limits = Limits {
        offset: number(input, "offset").map_or(1, as_usize).max(1),
        entries: given.limits.list_entries,
        bytes: given.limits.output_bytes,
    };
    let glob = text(input, "glob").filter(|glob| !glob.is_empty());
    let mut depth = asked;
    loop {
        let options = WalkOptions {
            depth: Some(depth),
            limit: LOOKED_AT.max(limits.offset.saturating_add(limits.entries)),
            ..WalkOptions::default()
        };
        let walk = given.workspace.walk(folder(input), &options)?;
        let pattern = glob
            .map(|glob| Pattern::new(glob, walk.absolute()))
            .transpose()
            .map_err(Failure::input)?;
        let (rows, walked) = rows(given, &walk, pattern.as_ref())?;
        // What is cut in the middle of the tree hides what comes after it.
        if walked == Walked::Part && depth > 1 {
            depth -= 1;
            continue;
        }
        let tree = Tree::of(&rows, depth, limits, walked);
        if limits.offset > 1 && tree.shown == 0 {
            let message = format!(
                "offset {} is past the end of `{}`: it has {}",
                limits.offset,
                walk.folder(),
                count(tree.total, "entry")
            );
            return Err(Failure::new(ErrorCode::InvalidInput, message));
        }
        return Ok(answer(&walk, &tree, (depth, asked), glob));
    }
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

fn answer(
    walk: &Walk,
    tree: &Tree,
    (depth, asked): (usize, usize),
    glob: Option<&str>,
) -> ToolOutput {
    let mut notes = tree.notes();
    if depth < asked {
        notes.push(format!(
            "the folder has too many entries to show below depth {depth}; list one of its folders"
        ));
    }
    let again = match (glob, notes.is_empty()) {
        (Some(glob), false) => format!(", each time with the glob `{glob}`"),
        _ => String::new(),
    };
    let mut data = json!({
        "path": walk.absolute().to_string_lossy(),
        "tree": tree.text,
        "entries": tree.shown,
        "truncated": tree.is_cut() || depth < asked,
    });
    if tree.walked == Walked::Whole {
        data["total"] = json!(tree.total);
    }
    if let Some(next) = tree.next {
        data["next_offset"] = json!(next);
    }
    if !tree.left_out.is_empty() {
        data["left_out"] = tree.left_out.iter().map(|it| it.data(walk)).collect();
    }
    let mut model = format!("{}/\n{}", walk.folder().trim_end_matches('/'), tree.text);
    if !notes.is_empty() {
        let note = format!("[{}{again}]", notes.join("; "));
        model.push_str(&note);
        model.push('\n');
        data["note"] = json!(note);
    }
    let display = Display::Text {
        summary: format!("{}: {}", walk.folder(), count(tree.shown, "entry")),
        body: tree.text.clone(),
    };
    ToolOutput::ok(data, model, display)
}
