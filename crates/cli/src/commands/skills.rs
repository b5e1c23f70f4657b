//! `tenon skills`: which there are, what the model would read of one, and
//! whether they are by the letter of the specification. Needs no model.

use super::pages;
use crate::CommandResult;
use crate::args::{RunArgs, Shared, SkillsCommand};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use crate::skills::{self, Skills};
use crate::trust;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tenon_config::Resolved;
use tenon_config::skills::{Finding, Level, folders, validate};
use tenon_tools::skill;
use tenon_vocab::Printable;
use tenon_vocab::profile::SkillInfo;

pub fn run(shared: &Shared, command: SkillsCommand) -> CommandResult {
    match command {
        SkillsCommand::List { json } => {
            let here = Here::find(shared)?;
            if json {
                return pages::print_json(&here.json());
            }
            here.list()
        }
        SkillsCommand::Show { name } => Here::find(shared)?.show(&name),
        SkillsCommand::Validate { folders, json } => check(&folders, json),
    }
}

/// The skills of this place.
struct Here {
    place: Place,
    resolved: Resolved,
    skills: Skills,
}

impl Here {
    fn find(shared: &Shared) -> Result<Self, CliError> {
        let place = Place::find(shared)?;
        let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
        let loaded = trust::load(&place, &options)?;
        let resolved = tenon_config::resolve_without_provider(&loaded)?;
        let agent = assemble::agent(&resolved.agent)?;
        let skills = skills::find(&place, &resolved, &agent);
        Ok(Self {
            place,
            resolved,
            skills,
        })
    }

    fn json(&self) -> Value {
        let row = |skill: &SkillInfo, denied: Option<&String>| {
            json!({
                "name": skill.name, "description": skill.description,
                "source": skill.source, "folder": skill.folder.to_string_lossy(),
                "file": skill.file.to_string_lossy(), "user_only": skill.user_only,
                "denied": denied,
            })
        };
        let usable = self.skills.usable.iter().map(|skill| row(skill, None));
        let denied = self.skills.denied.iter();
        usable
            .chain(denied.map(|(skill, why)| row(skill, Some(why))))
            .collect()
    }

    fn list(&self) -> CommandResult {
        for remark in self.skills.remarks.iter().chain(&self.skills.notice) {
            complain(Printable::line(remark).as_str());
        }
        let Skills { usable, denied, .. } = &self.skills;
        if usable.is_empty() && denied.is_empty() {
            complain(
                "There are no skills here. A skill is a folder with a SKILL.md in .tenon/skills, .agents/skills or .claude/skills, in the project or your home folder, or in a folder of `skills.paths`.",
            );
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["skill", "source", "loads", "folder", "description"]);
        let mut row = |skill: &SkillInfo, loads: &str| {
            table.row([
                skill.name.clone(),
                skill.source.name().to_owned(),
                loads.to_owned(),
                self.shown(&skill.folder),
                skill.description.clone(),
            ]);
        };
        for skill in usable {
            let loads = if skill.user_only {
                "/skill only"
            } else {
                "yes"
            };
            row(skill, loads);
        }
        for (skill, _) in denied {
            row(skill, "denied");
        }
        pages::print(&pages::fitting(&table))
    }

    /// Relative to the root where it is inside.
    fn shown(&self, folder: &Path) -> String {
        let relative = folder.strip_prefix(&self.place.root).unwrap_or(folder);
        relative.to_string_lossy().into_owned()
    }

    fn show(&self, name: &str) -> CommandResult {
        let all: Vec<SkillInfo> = self
            .skills
            .denied
            .iter()
            .map(|(skill, _)| skill)
            .cloned()
            .collect();
        if let (Err(_), Ok(denied)) = (
            skill::find(&self.skills.usable, name),
            skill::find(&all, name),
        ) {
            let why = self.skills.denied.iter().find(|(skill, _)| skill == denied);
            return Err(CliError::usage(format!(
                "the skill `{}` is denied: {}",
                denied.name,
                why.map_or("", |(_, why)| why)
            )));
        }
        let found = skill::find(&self.skills.usable, name).map_err(|why| {
            CliError::usage(why).with_hint("`tenon skills list` shows those that can be loaded.")
        })?;
        let scratch = tempfile::tempdir()?;
        let workspace = assemble::workspace(
            &self.place,
            &self.resolved,
            scratch.path(),
            &self.skills.usable,
        )?;
        let loaded = skill::load(&workspace, &self.resolved.tools, found)
            .map_err(|error| CliError::runtime(error.to_string()))?;
        pages::print_foreign(&loaded.text)
    }
}

fn check(given: &[PathBuf], json: bool) -> CommandResult {
    let checked: Vec<(PathBuf, Vec<Finding>)> = given
        .iter()
        .flat_map(|path| folders(path))
        .map(|folder| {
            let findings = validate(&folder);
            (folder, findings)
        })
        .collect();
    let wrong = checked
        .iter()
        .filter(|(_, findings)| !is_valid(findings))
        .count();
    if json {
        let rows: Vec<Value> = checked
            .iter()
            .map(|(folder, findings)| row(folder, findings))
            .collect();
        pages::print_json(&rows)?;
    } else {
        let mut page = String::new();
        for (folder, findings) in &checked {
            told(&mut page, folder, findings);
        }
        let _ = writeln!(page, "{} checked, {wrong} not valid", checked.len());
        pages::print(&page)?;
    }
    Ok(if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(code::RUNTIME)
    })
}

fn is_valid(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.level != Level::Wrong)
}

fn row(folder: &Path, findings: &[Finding]) -> Value {
    let of = |wanted: Level| -> Vec<Value> {
        findings
            .iter()
            .filter(|finding| finding.level == wanted)
            .map(|finding| json!({"field": finding.field, "message": finding.message}))
            .collect()
    };
    json!({
        "folder": folder.to_string_lossy(),
        "valid": is_valid(findings),
        "errors": of(Level::Wrong),
        "advice": of(Level::Advice),
    })
}

fn told(page: &mut String, folder: &Path, findings: &[Finding]) {
    let verdict = if is_valid(findings) {
        "valid"
    } else {
        "not valid"
    };
    let _ = writeln!(
        page,
        "{}: {verdict}",
        Printable::line(&folder.to_string_lossy())
    );
    for finding in findings {
        let mark = match finding.level {
            Level::Wrong => "error",
            Level::Advice => "advice",
        };
        let line = format!("{mark}: {}: {}", finding.field, finding.message);
        let _ = writeln!(page, "  {}", Printable::line(&line));
    }
}
