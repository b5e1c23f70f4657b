//! `tenon config`: where the settings are, what they are and why.

use super::pages;
use crate::CommandResult;
use crate::args::{ConfigCommand, Shared};
use crate::editor::Editor;
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tenon_config::{
    Choice, ConfigError, Entry, KeySource, Loaded, ProjectTrust, Resolved, ResolvedProvider,
    Sources,
};
use tenon_vocab::Printable;

/// In the order in which they are looked for.
const NAMES: [&str; 3] = ["tenon.jsonc", "tenon.json", "tenon.toml"];

/// What stands where a secret would.
const HIDDEN: &str = "***";

pub fn run(shared: &Shared, command: ConfigCommand) -> CommandResult {
    let place = || Place::find(shared);
    match command {
        ConfigCommand::Path { json } => {
            path(&place()?, if json { Form::Json } else { Form::Table })
        }
        ConfigCommand::Init { force } => {
            let existing = if force {
                Existing::Overwrite
            } else {
                Existing::Keep
            };
            let file = init(&place()?, existing)?;
            complain("Wrote a configuration with every setting as a comment.");
            pages::print(&file.display().to_string())
        }
        ConfigCommand::Edit => edit(&place()?),
        ConfigCommand::Show { json } => {
            show(&place()?, if json { Form::Json } else { Form::Table })
        }
        ConfigCommand::Schema => pages::print_json(&tenon_config::schema()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Table,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Existing {
    Keep,
    Overwrite,
}

/// The file of a folder, if it has one.
fn file_in(folder: &Path) -> Option<PathBuf> {
    NAMES
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.symlink_metadata().is_ok())
}

/// The one that is there, else the one that `init` would write.
fn users_file(place: &Place) -> PathBuf {
    file_in(&place.paths.config).unwrap_or_else(|| place.paths.config.join(NAMES[0]))
}

fn path(place: &Place, form: Form) -> CommandResult {
    let project = place.root.join(".tenon");
    let project = file_in(&project).unwrap_or_else(|| project.join(NAMES[0]));
    let paths = [
        ("config", users_file(place)),
        ("project", project),
        ("state", place.paths.state.clone()),
        ("cache", place.paths.cache.clone()),
    ];
    if form == Form::Json {
        let named: serde_json::Map<String, Value> = paths
            .iter()
            .map(|(what, path)| ((*what).to_owned(), json!(path.to_string_lossy())))
            .collect();
        return pages::print_json(&named);
    }
    if !std::io::stdout().is_terminal() {
        let lines: Vec<String> = paths
            .iter()
            .map(|(_, path)| path.display().to_string())
            .collect();
        return pages::print(&lines.join("\n"));
    }
    let mut table = Table::new(&["what", "where", ""]);
    for (what, path) in paths {
        let there = path.symlink_metadata().is_ok();
        let there = if there { "" } else { "not there yet" };
        table.row([what, &path.display().to_string(), there]);
    }
    pages::print(&pages::fitting(&table))
}

fn init(place: &Place, existing: Existing) -> Result<PathBuf, CliError> {
    let folder = &place.paths.config;
    let found = file_in(folder);
    let path = match (&found, existing) {
        (None, _) => folder.join(NAMES[0]),
        (Some(path), Existing::Keep) => {
            return Err(CliError::runtime(format!(
                "a configuration already exists: {}",
                path.display()
            ))
            .with_hint("Change it with `tenon config edit`, or overwrite it with --force."));
        }
        // Beside it the new file would be a second configuration, which is an error.
        (Some(path), Existing::Overwrite) if path.ends_with("tenon.toml") => {
            return Err(CliError::runtime(format!(
                "can't overwrite {}: the new configuration is JSON",
                path.display()
            ))
            .with_hint("Move it away first."));
        }
        (Some(path), Existing::Overwrite) => path.clone(),
    };
    let cannot = |error: std::io::Error| {
        CliError::runtime(format!("can't write {}: {error}", path.display()))
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(cannot)?;
    // For its owner alone: people write keys into it.
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    match existing {
        Existing::Keep => options.create_new(true),
        Existing::Overwrite => options.create(true).truncate(true),
    };
    let mut file = options.open(&path).map_err(cannot)?;
    file.write_all(tenon_config::template().as_bytes())
        .map_err(cannot)?;
    Ok(path)
}

fn edit(place: &Place) -> CommandResult {
    let path = users_file(place);
    let seated = std::io::stdin().is_terminal();
    let at_terminal = || seated.then(|| Editor::of(&place.env));
    let Some(editor) = Editor::named(&place.env).or_else(at_terminal) else {
        return Err(CliError::usage("no editor is set").with_hint(format!(
            "Set VISUAL or EDITOR, or open the file yourself: {}",
            path.display()
        )));
    };
    if path.symlink_metadata().is_err() {
        init(place, Existing::Keep)?;
    }
    let status = editor
        .command(&path)
        .status()
        .map_err(|error| CliError::runtime(format!("can't start the editor: {error}")))?;
    if !status.success() {
        return Err(CliError::runtime(format!(
            "the editor `{}` failed ({status}); {} stays as the editor left it",
            editor.name(),
            path.display()
        )));
    }
    let loaded = load(place)?;
    let resolved = tenon_config::resolve(&loaded, &Choice::default())?;
    for warning in loaded.warnings().iter().chain(&resolved.warnings) {
        complain(Printable::line(warning).as_str());
    }
    complain(&format!("{} is valid.", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn load(place: &Place) -> Result<Loaded, ConfigError> {
    tenon_config::load(&Sources {
        paths: place.paths.clone(),
        root: place.root.clone(),
        trust: ProjectTrust::Recorded,
        env: place.env.clone(),
        extra: place.config.clone(),
        flags: Vec::new(),
    })
}

/// What was read is shown also when nothing can be made of it: that is when a
/// person looks here.
fn show(place: &Place, form: Form) -> CommandResult {
    let loaded = load(place)?;
    let resolved = tenon_config::resolve(&loaded, &Choice::default());
    let shown = match form {
        Form::Json => pages::print_json(&as_json(&loaded, resolved.as_ref().ok())),
        Form::Table => as_table(&loaded, resolved.as_ref().ok()),
    }?;
    resolved?;
    Ok(shown)
}

fn shown(entry: &Entry) -> String {
    if entry.is_hidden() {
        HIDDEN.to_owned()
    } else {
        entry.value.to_string()
    }
}

fn as_table(loaded: &Loaded, resolved: Option<&Resolved>) -> CommandResult {
    let mut table = Table::new(&["key", "value", "from"]);
    for (key, entry) in loaded.iter() {
        // The rules below say the same, one by one.
        if entry.key.name != "permission" || resolved.is_none() {
            table.row([key.to_owned(), shown(entry), entry.origin.to_string()]);
        }
    }
    for rule in resolved.iter().flat_map(|resolved| resolved.rules.iter()) {
        let key = String::from("permission");
        table.row([key, rule.to_string(), rule.origin.clone()]);
    }
    let mut page = pages::fitting(&table);
    if let Some(provider) = resolved.and_then(|resolved| resolved.provider.as_ref()) {
        page = format!("{}\n{page}", pages::fitting(&in_use(loaded, provider)));
    }
    if !loaded.ignored().is_empty() {
        let mut table = Table::new(&["ignored", "from", "why"]);
        for ignored in loaded.ignored() {
            let origin = ignored.origin.to_string();
            table.row([ignored.key.clone(), origin, ignored.why.clone()]);
        }
        page = format!("{page}\n{}", pages::fitting(&table));
    }
    for warning in warnings(loaded, resolved) {
        complain(Printable::line(warning).as_str());
    }
    pages::print(&page)
}

/// The server that a run would ask: the first thing that one looks for when
/// something is wrong.
fn in_use(loaded: &Loaded, provider: &ResolvedProvider) -> Table {
    let key = match &provider.key {
        KeySource::None => String::from("none"),
        KeySource::Env(names) => format!("the variable {}", names.join(" or ")),
        KeySource::Command(_) => String::from("api_key_command"),
        KeySource::Codex => String::from("the Codex login"),
        KeySource::Literal(_) => String::from("api_key in the configuration"),
    };
    let chosen = loaded
        .get("model")
        .filter(|(value, _)| value.as_str() == provider.model.as_deref());
    let model_origin = chosen
        .map(|(_, origin)| origin.to_string())
        .unwrap_or_default();
    let model = provider
        .model
        .clone()
        .unwrap_or_else(|| String::from("from the server"));
    let mut table = Table::new(&["in use", "value", "from"]);
    table.row([
        String::from("provider"),
        crate::provider::called(provider).to_owned(),
        String::new(),
    ]);
    let origin = provider.base_url_origin.to_string();
    table.row([String::from("base_url"), provider.base_url.clone(), origin]);
    table.row([String::from("model"), model, model_origin]);
    table.row([String::from("key"), key, String::new()]);
    table
}

fn warnings<'a>(
    loaded: &'a Loaded,
    resolved: Option<&'a Resolved>,
) -> impl Iterator<Item = &'a String> {
    let more = resolved.into_iter().flat_map(|resolved| &resolved.warnings);
    loaded.warnings().iter().chain(more)
}

fn as_json(loaded: &Loaded, resolved: Option<&Resolved>) -> Value {
    let value = |entry: &Entry| {
        if entry.is_hidden() {
            json!(HIDDEN)
        } else {
            entry.value.clone()
        }
    };
    let values: Vec<Value> = loaded
        .iter()
        .map(|(key, entry)| {
            json!({"key": key, "value": value(entry), "origin": entry.origin.to_string()})
        })
        .collect();
    let rules: Vec<Value> = resolved
        .iter()
        .flat_map(|resolved| resolved.rules.iter())
        .map(|rule| json!({"rule": rule.to_string(), "origin": rule.origin}))
        .collect();
    let ignored: Vec<Value> = loaded
        .ignored()
        .iter()
        .map(|ignored| {
            json!({"key": ignored.key, "origin": ignored.origin.to_string(), "why": ignored.why})
        })
        .collect();
    json!({
        "files": loaded.files(),
        "values": values,
        "rules": rules,
        "ignored": ignored,
        "warnings": warnings(loaded, resolved).collect::<Vec<_>>(),
    })
}
