//! `skill`: the list of what can be loaded, or the text of one skill (T11). The
//! index in the prompt has names and descriptions only; the text comes as a
//! result, once it is wanted, and stays in the history (Y2, E12).
//!
//! Where skills are looked for is not decided here: the session has a list.

use crate::builtin::{facts, spec, text};
use crate::contract::{Host, Tool};
use crate::files::blocking::blocking;
use crate::files::failure::Failure;
use crate::input::suggest_name;
use crate::workspace::{EntryKind, Ignored, WalkOptions, Workspace, WorkspaceError};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use tenon_policy::{Facts, Subject};
use tenon_vocab::frontmatter::split;
use tenon_vocab::marked::element;
use tenon_vocab::names::squash;
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::{SkillInfo, ToolLimits};
use tenon_vocab::{Display, Effect, ErrorCode, ToolOutput, ToolSpec};

const DESCRIPTION: &str = "Load a skill: instructions for one kind of task, with the files that belong to it. If a task fits the description of a skill, load it before anything else; don't look for its file. Without a name, lists the skills.";

/// A frontmatter is not shown, so it is read in addition to what is.
const FRONT: usize = 64 * 1024;
/// The least that a skill may show, however small results are set.
const LEAST: usize = 8 * 1024;
const FILES_TOLD: usize = 50;
const ENTRIES: usize = 500;
const DEPTH: usize = 4;
/// What the list may have of a description.
const DESCRIBED: usize = 300;

/// Lists and loads the skills of a session.
#[derive(Debug)]
pub struct Skill {
    spec: ToolSpec,
    skills: Arc<[SkillInfo]>,
}

impl Skill {
    #[must_use]
    pub fn new(skills: Vec<SkillInfo>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name as the list has it."}
            },
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::SKILL, DESCRIPTION, Effect::Read, parameters),
            skills: skills.into(),
        }
    }
}

impl Tool for Skill {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Rules speak of the skill by the name that it has, not by the one that the
    /// model wrote.
    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        let subject = match wanted(input) {
            None => Subject::Nothing,
            Some(name) => Subject::Name(
                find(&self.skills, name)
                    .map_or_else(|_| name.to_owned(), |skill| skill.name.clone()),
            ),
        };
        facts(&self.spec, subject, input)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Text {
            summary: wanted(input).unwrap_or("list").to_owned(),
            body: String::new(),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        let skills = Arc::clone(&self.skills);
        Box::pin(blocking(host, move |given| {
            let Some(name) = wanted(&input) else {
                return Ok(list(&skills));
            };
            let skill =
                find(&skills, name).map_err(|why| Failure::new(ErrorCode::NotFound, why))?;
            let loaded = load(&given.workspace, &given.limits, skill)?;
            Ok(answer(skill, loaded))
        }))
    }
}

fn wanted(input: &Value) -> Option<&str> {
    text(input, "name")
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// The skill that a name means; case and hyphens do not matter.
///
/// # Errors
/// A sentence with the name that was probably meant, or with those there are.
pub fn find<'a>(skills: &'a [SkillInfo], name: &str) -> Result<&'a SkillInfo, String> {
    let name = name.trim();
    let plain = squash(name);
    let exact = skills.iter().find(|skill| skill.name == name);
    let alike = || {
        let is = |skill: &&SkillInfo| plain.is_some() && squash(&skill.name) == plain;
        skills.iter().find(is)
    };
    if let Some(skill) = exact.or_else(alike) {
        return Ok(skill);
    }
    let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
    // Of a name that is longer than any, the beginning says enough.
    let short: String = name.chars().take(64).collect();
    Err(match suggest_name(&short, &names) {
        Some(near) => format!("there is no skill `{short}`; did you mean `{near}`?"),
        None if names.is_empty() => {
            format!("there is no skill `{short}`; there are no skills here")
        }
        None => {
            let more = names.len().saturating_sub(FILES_TOLD);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let some: Vec<&str> = names.into_iter().take(FILES_TOLD).collect();
            format!(
                "there is no skill `{short}`; the skills are: {}{rest}",
                some.join(", ")
            )
        }
    })
}

/// What rules are held against for a skill of this name.
#[must_use]
pub fn facts_of(name: &str) -> Facts {
    Facts {
        tool: String::from("skill"),
        effect: Effect::Read,
        subject: Subject::Name(name.to_owned()),
        input: json!({ "name": name }).to_string(),
    }
}

/// A skill as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Marked, with the files beside it.
    pub text: String,
    pub lines: usize,
    /// Relative to the folder; the first of them.
    pub files: Vec<String>,
    /// How much of the text is not in `text`.
    pub left_out_bytes: u64,
}

/// Reads a skill through the workspace, which lets its folder be read. Blocks.
///
/// # Errors
/// When its file is gone, or cannot be read.
pub fn load(
    workspace: &Workspace,
    limits: &ToolLimits,
    skill: &SkillInfo,
) -> Result<Loaded, WorkspaceError> {
    let path = skill.file.to_string_lossy();
    let most = limits.output_bytes.max(LEAST);
    let range = workspace.read_range(&path, 0, FRONT + most + 4)?;
    let whole = String::from_utf8_lossy(&range.bytes);
    let body = split(&whole).body;
    let skipped = whole.len() - body.len();
    let blank = body.len() - body.trim_start_matches(['\r', '\n']).len();
    let body = &body[blank..];
    let shown = head(body, most);
    let left_out_bytes = range
        .size
        .saturating_sub((skipped + blank + shown.len()) as u64);
    let cut = shown.len() < body.len() || range.size > range.bytes.len() as u64;
    let folder = skill.folder.to_string_lossy();
    let attributes = [("name", skill.name.as_str()), ("folder", folder.as_ref())];
    let mut text = element("skill", &attributes, shown.trim_end());
    if cut {
        let before = whole.get(..skipped + blank + shown.len());
        let next = before.unwrap_or_default().matches('\n').count() + 1;
        text.push_str(&format!(
            "\n[{left_out_bytes} more bytes; continue with `read`, path {path}, offset {next}]"
        ));
    }
    let (files, more) = beside(workspace, skill);
    if !files.is_empty() {
        let mut names = files.join("\n");
        if more > 0 {
            names.push_str(&format!("\n[and {more} more]"));
        }
        text.push('\n');
        text.push_str(&element(
            "skill_files",
            &[("folder", folder.as_ref())],
            &names,
        ));
        text.push_str(
            "\nOpen them with `read` when the skill mentions them; its paths are \
             relative to its folder.",
        );
    }
    Ok(Loaded {
        text,
        lines: shown.lines().count(),
        files,
        left_out_bytes: if cut { left_out_bytes } else { 0 },
    })
}

/// The beginning of a text, cut at the end of a line where there is one.
fn head(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let start = &text[..end];
    match start.rfind('\n') {
        Some(at) if at >= most / 2 => &start[..=at],
        _ => start,
    }
}

/// The files that come with a skill, and how many more there are.
fn beside(workspace: &Workspace, skill: &SkillInfo) -> (Vec<String>, usize) {
    let options = WalkOptions {
        depth: Some(DEPTH),
        ignored: Ignored::Include,
        limit: ENTRIES,
    };
    let Ok(walk) = workspace.walk(&skill.folder.to_string_lossy(), &options) else {
        return (Vec::new(), 0);
    };
    let own = skill.file.file_name();
    let mut files: Vec<String> = Vec::new();
    walk.each(|entry| {
        let relative = entry.relative();
        let is_own = entry.depth() == 1 && relative.file_name() == own;
        if entry.kind() == EntryKind::File && !is_own {
            let name = relative.to_string_lossy();
            files.push(name.replace(char::is_control, "?"));
        }
        ControlFlow::Continue(())
    });
    files.sort();
    let more = files.len().saturating_sub(FILES_TOLD);
    files.truncate(FILES_TOLD);
    (files, more)
}

fn answer(skill: &SkillInfo, loaded: Loaded) -> ToolOutput {
    let summary = said(skill, &loaded);
    let data = json!({
        "name": skill.name,
        "folder": skill.folder.to_string_lossy(),
        "file": skill.file.to_string_lossy(),
        "source": skill.source,
        "text": loaded.text,
        "files": loaded.files,
        "left_out_bytes": loaded.left_out_bytes,
    });
    let display = Display::Text {
        summary,
        body: String::new(),
    };
    ToolOutput::ok(data, loaded.text, display)
}

/// One line for people: what was loaded, and how much of it.
#[must_use]
pub fn said(skill: &SkillInfo, loaded: &Loaded) -> String {
    let plural = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let mut said = format!(
        "skill `{}` loaded: {}",
        skill.name,
        plural(loaded.lines, "line")
    );
    if !loaded.files.is_empty() {
        said.push_str(&format!(", with {}", plural(loaded.files.len(), "file")));
    }
    if loaded.left_out_bytes > 0 {
        said.push_str(&format!(", {} bytes left out", loaded.left_out_bytes));
    }
    said
}

fn list(skills: &[SkillInfo]) -> ToolOutput {
    let described: Vec<Value> = skills
        .iter()
        .map(|skill| {
            json!({"name": skill.name, "description": skill.description, "source": skill.source})
        })
        .collect();
    let lines: Vec<String> = skills
        .iter()
        .map(|skill| {
            let short: String = skill.description.chars().take(DESCRIBED).collect();
            let cut = if short.len() < skill.description.len() {
                "…"
            } else {
                ""
            };
            format!("- {}: {short}{cut}", skill.name)
        })
        .collect();
    let rows = skills
        .iter()
        .map(|skill| {
            vec![
                skill.name.clone(),
                skill.source.name().to_owned(),
                skill.description.clone(),
            ]
        })
        .collect();
    let display = Display::Table {
        columns: ["skill", "source", "description"]
            .map(String::from)
            .to_vec(),
        rows,
    };
    let text = if lines.is_empty() {
        String::from("there are no skills")
    } else {
        lines.join("\n")
    };
    ToolOutput::ok(json!({ "skills": described }), text, display)
}
