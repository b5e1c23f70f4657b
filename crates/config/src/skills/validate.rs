//! Whether a folder is a skill by the letter of the Agent Skills specification.
//! The verdict is that of the reference validator (`skills-ref`), also where the
//! letter leaves room; what it lets pass and a reader may still stumble over is
//! advice.

use super::search::FILES;
use crate::frontmatter::{Fields, Value, strict};
use icu_normalizer::ComposingNormalizerBorrowed;
use regex::Regex;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_COMPATIBILITY: usize = 500;
const FIELDS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];
/// A larger file is no instruction.
const LARGEST: u64 = 4 * 1024 * 1024;
/// What the specification recommends.
const LINES: usize = 500;

/// Whether something is against the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Wrong,
    Advice,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub level: Level,
    /// A field of the frontmatter, `frontmatter`, or `SKILL.md`.
    pub field: String,
    pub message: String,
}

fn wrong(field: &str, message: impl Into<String>) -> Finding {
    Finding {
        level: Level::Wrong,
        field: field.to_owned(),
        message: message.into(),
    }
}

fn advice(field: &str, message: impl Into<String>) -> Finding {
    Finding {
        level: Level::Advice,
        ..wrong(field, message)
    }
}

/// All that there is to say of a skill: nothing of level [`Level::Wrong`] means
/// that it is valid. Takes the folder, or its `SKILL.md`.
#[must_use]
pub fn validate(folder: &Path) -> Vec<Finding> {
    let is_file = folder.is_file()
        && folder
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("skill.md"));
    let folder = match folder.parent() {
        Some(parent) if is_file => parent,
        _ => folder,
    };
    let text = match text(folder) {
        Ok(text) => text,
        Err(message) => return vec![wrong("SKILL.md", message)],
    };
    // The reference reads lines so.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let Some(rest) = text.strip_prefix("---") else {
        return vec![wrong("frontmatter", "the file must start with `---`")];
    };
    let Some((front, body)) = rest.split_once("---") else {
        return vec![wrong(
            "frontmatter",
            "it has no end: a line `---` must follow it",
        )];
    };
    let mut findings = match strict(front) {
        Ok(fields) => of_fields(&fields, &name_of(folder)),
        Err(message) => vec![wrong("frontmatter", message)],
    };
    if !front.ends_with('\n') {
        findings.push(advice(
            "frontmatter",
            format!(
                "it ends at the first `---`, which is in the middle of line {}; use other dashes there",
                front.matches('\n').count() + 1
            ),
        ));
    }
    findings.extend(of_body(body));
    findings
}

/// The skills that a path means: itself, or those in it.
#[must_use]
pub fn folders(path: &Path) -> Vec<PathBuf> {
    let holds = |folder: &Path| FILES.iter().any(|name| folder.join(name).exists());
    let itself = || vec![path.to_owned()];
    if !path.is_dir() || holds(path) {
        return itself();
    }
    let entries = path.read_dir().into_iter().flatten();
    let mut below: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.is_dir() && holds(folder))
        .collect();
    below.sort();
    if below.is_empty() { itself() } else { below }
}

fn text(folder: &Path) -> Result<String, String> {
    if !folder.exists() {
        return Err(format!("{} does not exist", folder.display()));
    }
    if !folder.is_dir() {
        return Err(format!("{} isn't a folder", folder.display()));
    }
    let mut files = FILES.iter().map(|name| folder.join(name));
    let Some(file) = files.find(|file| file.exists()) else {
        return Err(String::from("the folder has no SKILL.md"));
    };
    if !file.is_file() {
        return Err(String::from("it isn't a file"));
    }
    let opened = tenon_files::open(&file).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let read = opened.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is longer than {LARGEST} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| String::from("it isn't UTF-8"))
}

/// The name of a folder, also of `.`.
fn name_of(folder: &Path) -> String {
    let real = || folder.canonicalize().ok();
    let name = match folder.file_name() {
        Some(name) => Some(name.to_owned()),
        None => real().and_then(|real| Some(real.file_name()?.to_owned())),
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

fn of_fields(fields: &Fields, folder: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = fields
        .names()
        .filter(|name| !FIELDS.contains(name))
        .map(|name| {
            wrong(
                name,
                format!("not a skill field; the fields are: {}", FIELDS.join(", ")),
            )
        })
        .collect();
    match written(fields, "name") {
        Ok(name) => findings.extend(of_name(name, folder)),
        Err(finding) => findings.push(finding),
    }
    match written(fields, "description") {
        Ok(text) => findings.extend(too_long("description", text, LONGEST_DESCRIPTION)),
        Err(finding) => findings.push(finding),
    }
    match fields.get("compatibility") {
        None => {}
        Some(Value::Text(text)) => {
            findings.extend(too_long("compatibility", text, LONGEST_COMPATIBILITY));
        }
        Some(_) => findings.push(wrong("compatibility", "it must be a string")),
    }
    for name in ["license", "allowed-tools"] {
        if matches!(fields.get(name), Some(Value::List(_) | Value::Map(_))) {
            findings.push(advice(name, "the specification requires a string here"));
        }
    }
    if matches!(
        fields.get("metadata"),
        Some(Value::Text(_) | Value::List(_))
    ) {
        findings.push(advice(
            "metadata",
            "the specification requires a mapping here",
        ));
    }
    findings
}

/// A field that must be there and say something.
fn written<'a>(fields: &'a Fields, name: &str) -> Result<&'a str, Finding> {
    match fields.get(name) {
        None => Err(wrong(name, "it is missing")),
        Some(Value::Text(text)) if !text.trim().is_empty() => Ok(text),
        Some(_) => Err(wrong(name, "it must be a string that isn't empty")),
    }
}

fn too_long(field: &str, text: &str, most: usize) -> Option<Finding> {
    let length = text.chars().count();
    (length > most).then(|| {
        wrong(
            field,
            format!("it is {length} characters long; at most {most} are allowed"),
        )
    })
}

fn of_name(name: &str, folder: &str) -> Vec<Finding> {
    let normal = |text: &str| {
        ComposingNormalizerBorrowed::new_nfkc()
            .normalize(text)
            .into_owned()
    };
    let name = normal(name.trim());
    let mut findings: Vec<Finding> = Vec::new();
    let mut must = |holds: bool, message: String| {
        if !holds {
            findings.push(wrong("name", message));
        }
    };
    let length = name.chars().count();
    must(
        length <= LONGEST_NAME,
        format!("it is {length} characters long; at most {LONGEST_NAME} are allowed"),
    );
    must(
        name == name.to_lowercase(),
        format!("`{name}` must be lower case"),
    );
    must(
        !name.starts_with('-') && !name.ends_with('-'),
        format!("`{name}` must not begin or end with a hyphen"),
    );
    must(
        !name.contains("--"),
        format!("`{name}` must not have two hyphens in a row"),
    );
    let plain = Regex::new(r"^[\p{L}\p{N}-]*$").is_ok_and(|plain| plain.is_match(&name));
    must(
        plain,
        format!("`{name}` can only have letters, digits and hyphens"),
    );
    must(
        name == normal(folder),
        format!("`{name}` must be the same as the folder's name, `{folder}`"),
    );
    findings
}

fn of_body(body: &str) -> Vec<Finding> {
    let lines = body.lines().count();
    let mut findings = Vec::new();
    if body.trim().is_empty() {
        findings.push(advice(
            "SKILL.md",
            "there are no instructions below the frontmatter",
        ));
    }
    if lines > LINES {
        findings.push(advice(
            "SKILL.md",
            format!("all {lines} lines are loaded at once; move what is rarely needed to other files in the folder (at most {LINES} lines are recommended)"),
        ));
    }
    findings
}
