//! Which models there are to choose from: those that are configured and those
//! that the server of the current one offers.

use super::table;
use crate::active::{Current, source};
use crate::core::Core;
use crate::parts::ModelSource;
use std::time::Duration;
use tenon_model::{ModelEntry, ModelError};
use tenon_vocab::Reply;

/// How long a completion waits for a server's list.
const PATIENCE: Duration = Duration::from_millis(400);
const SHOWN: usize = 100;

/// A model as it is named to choose it.
#[derive(Debug, PartialEq, Eq)]
struct Choice {
    name: String,
    window: Option<String>,
    from: &'static str,
}

/// Which models a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    All,
    /// Those of the provider in use.
    InUse,
}

pub(super) async fn list(core: &Core, whose: Whose) -> Reply {
    let current = core.active.get();
    let identity = current.identity();
    let offered = ask(&current).await;
    let mut notes = Vec::new();
    let entries = offered.unwrap_or_else(|error| {
        notes.push(format!("can't get the server's list: {error}"));
        Vec::new()
    });
    let configured = configured(core, &identity.endpoint, whose);
    let rows = choices(&current, configured, entries)
        .into_iter()
        .map(|choice| {
            let mark = if choice.name == identity.model {
                "*"
            } else {
                ""
            };
            vec![
                mark.to_owned(),
                choice.name,
                choice.window.unwrap_or_default(),
                choice.from.to_owned(),
            ]
        })
        .collect();
    let effort = current.parameters.reasoning_effort.as_deref();
    notes.push(format!(
        "/models NAME changes the model, /effort LEVEL how hard it thinks (now: {})",
        effort.unwrap_or("default")
    ));
    table(
        &["", "model", "window", "from"],
        rows,
        Some(notes.join("; ")),
    )
}

async fn ask(current: &Current) -> Result<Vec<ModelEntry>, ModelError> {
    let offered = current.model.models().await?;
    current.note_offered(offered.iter().map(|entry| entry.id.clone()).collect());
    Ok(offered)
}

/// The current one first, then the configured ones, then the server's; each once.
fn choices(current: &Current, configured: Vec<String>, offered: Vec<ModelEntry>) -> Vec<Choice> {
    let identity = current.identity();
    let window = current
        .window()
        .map(|window| format!("{} ({})", window.tokens, source(&window)));
    let mut all = vec![Choice {
        name: identity.model.clone(),
        window,
        from: "in use",
    }];
    let more = configured.into_iter().map(|name| Choice {
        name,
        window: None,
        from: "configured",
    });
    let servers = offered.into_iter().map(|entry| Choice {
        name: entry.id,
        window: entry.context_window.map(|tokens| tokens.to_string()),
        from: "server",
    });
    merge(&mut all, more.chain(servers));
    all
}

/// The models of another provider, named with it.
pub(super) async fn elsewhere(source: &dyn ModelSource, provider: &str) -> Reply {
    let mut notes = Vec::new();
    let offered = source.offered(provider).await.unwrap_or_else(|error| {
        notes.push(format!("can't get the server's list: {error}"));
        Vec::new()
    });
    let own = source.configured().into_iter();
    let own = own.filter(|(name, _)| name == provider);
    let own = own.map(|(_, model)| Choice {
        name: format!("{provider}/{model}"),
        window: None,
        from: "configured",
    });
    let servers = offered.into_iter().map(|entry| Choice {
        name: format!("{provider}/{}", entry.id),
        window: entry.context_window.map(|tokens| tokens.to_string()),
        from: "server",
    });
    let mut all = Vec::new();
    merge(&mut all, own.chain(servers));
    let rows = all
        .into_iter()
        .map(|choice| {
            vec![
                String::new(),
                choice.name,
                choice.window.unwrap_or_default(),
                choice.from.to_owned(),
            ]
        })
        .collect();
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    table(&["", "model", "window", "from"], rows, note)
}

/// Each once; what a later one knows of the window is taken over.
fn merge(all: &mut Vec<Choice>, more: impl Iterator<Item = Choice>) {
    for choice in more {
        match all.iter_mut().find(|known| known.name == choice.name) {
            None => all.push(choice),
            Some(known) if known.window.is_none() => known.window = choice.window,
            Some(_) => {}
        }
    }
}

/// Those of other providers are named with their provider.
fn configured(core: &Core, endpoint: &str, whose: Whose) -> Vec<String> {
    let models = core.models.as_ref().map(|models| models.configured());
    models
        .unwrap_or_default()
        .into_iter()
        .filter(|(provider, _)| whose == Whose::All || provider == endpoint)
        .map(|(provider, model)| {
            if provider == endpoint {
                model
            } else {
                format!("{provider}/{model}")
            }
        })
        .collect()
}

/// The names that begin with, or contain, what was typed. The server is asked
/// once, and not waited for long.
pub(super) async fn beginning_with(core: &Core, typed: &str) -> Vec<String> {
    let current = core.active.get();
    let offered = match current.offered() {
        Some(names) => names,
        None => match tokio::time::timeout(PATIENCE, ask(&current)).await {
            Ok(Ok(entries)) => entries.into_iter().map(|entry| entry.id).collect(),
            Ok(Err(_)) | Err(_) => Vec::new(),
        },
    };
    let mut names = configured(core, &current.identity().endpoint, Whose::All);
    for name in offered {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.retain(|name| name.contains(typed));
    names.sort_by_key(|name| !name.starts_with(typed));
    names.truncate(SHOWN);
    names
}
