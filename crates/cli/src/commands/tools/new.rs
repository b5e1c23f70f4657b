//! `tenon tools new`: a tool of one's own to begin with, as small as one that
//! works. Never over something that is there.

use super::pages;
use crate::CommandResult;
use crate::custom;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use serde_json::json;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use tenon_tools::custom::{MANIFEST, Manifest};

/// Whose tool it shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    User,
    Project,
}

const PROGRAM: &str = r#"#!/bin/sh
# The input is one line of JSON on standard input; the working folder is the
# project. TENON_TOOL_DIR is the folder of this file.
# Standard output is the answer: JSON or text. {"ok": false, "error": "why"}, or
# an exit code other than 0, says that it failed. Standard error is shown to
# whoever watches.
input=$(cat)
printf 'got %s bytes\n' "${#input}" >&2
printf '{"ok": true, "data": {"received": %s}}\n' "$input"
"#;

pub fn run(place: &Place, name: &str, owner: Owner) -> CommandResult {
    let manifest = serde_json::to_string_pretty(&json!({
        "name": name,
        "description": "Say here what it does and when to use it: a model decides by this.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string", "description": "What it is about."}},
            "required": ["text"],
            "additionalProperties": false
        },
        "command": ["./run.sh"],
        "effect": "execute",
        "timeout_secs": 60
    }))
    .map_err(|error| CliError::runtime(error.to_string()))?;
    Manifest::parse(name, manifest.as_bytes()).map_err(CliError::usage)?;
    let folder = match owner {
        Owner::User => custom::folder(place),
        Owner::Project => place.root.join(".tenon").join("tools"),
    }
    .join(name);
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            CliError::usage(format!("{} already exists", folder.display()))
        }
        _ => CliError::runtime(format!("can't write {}: {error}", folder.display())),
    };
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(cannot)?;
    }
    DirBuilder::new()
        .mode(0o755)
        .create(&folder)
        .map_err(cannot)?;
    write(&folder.join(MANIFEST), &format!("{manifest}\n"), 0o644).map_err(cannot)?;
    write(&folder.join("run.sh"), PROGRAM, 0o755).map_err(cannot)?;
    complain(match owner {
        Owner::User => {
            "Edit the two files, then accept them with `tenon trust accept --user-tools`; do that again after each change."
        }
        Owner::Project => {
            "Edit the two files, then accept them with `tenon trust accept`; do that again after each change."
        }
    });
    pages::print(&folder.display().to_string())
}

fn write(path: &Path, content: &str, mode: u32) -> std::io::Result<()> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?
        .write_all(content.as_bytes())
}
