//! From what is written to what is done: the provider is chosen, rules are
//! built, numbers become limits.

use crate::ConfigError;
use crate::choose::{chosen_provider, managed, speaks};
use crate::hooks;
use crate::load::{Loaded, Origin};
use crate::provider::{self, Variables};
use crate::rules::{external, rules};
use crate::sandbox;
use crate::secrets;
use crate::settings::{
    Explicit, GrantScope, GrantSettings, LogLevel, LogSettings, PromptSettings, Resolved,
    ResolvedProvider, RetrySettings, SmallModel, SmallNamed,
};
use crate::slips;
use crate::source::Source;
use crate::tui;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tenon_model::Parameters;
use tenon_policy::Layer;
use tenon_vocab::profile::{
    Checkpoints, Compaction, Limits, OnTimeout, PromptTier, StaleWrites, Strategy, TodoFirst,
    ToolLimits,
};
use tenon_vocab::{PermissionMode, effort};

/// What the command line chose, beside the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    pub provider: Option<String>,
    pub model: Option<String>,
}

/// # Errors
/// When the chosen provider cannot be used, or a file that is named cannot be read.
pub fn resolve(loaded: &Loaded, choice: &Choice) -> Result<Resolved, ConfigError> {
    let mut warnings = Vec::new();
    let provider = chosen_provider(loaded, choice, &mut warnings)?;
    if let Some(provider) = &provider {
        loaded.locks().admit(provider)?;
    }
    resolve_with(loaded, provider, warnings)
}

/// For what talks to no model: no provider is chosen, so none can be wrong.
///
/// # Errors
/// When a file that is named cannot be read.
pub fn resolve_without_provider(loaded: &Loaded) -> Result<Resolved, ConfigError> {
    resolve_with(loaded, None, Vec::new())
}

/// The model that the administrator chose, whatever anybody else says.
#[must_use]
pub fn managed_model(loaded: &Loaded) -> Option<String> {
    managed(loaded, "model")
}

/// A provider by its name, configured or a preset, whichever one is in use.
///
/// # Errors
/// When there is none of this name, or it cannot or may not be used.
pub fn provider_named(loaded: &Loaded, name: &str) -> Result<ResolvedProvider, ConfigError> {
    if let Some(fixed) = managed(loaded, "default_provider").filter(|fixed| fixed != name) {
        return Err(ConfigError::general(format!(
            "the administrator of this machine has set the provider to `{fixed}`"
        )));
    }
    let built = provider::build(loaded, name, Variables::Ignored)?;
    speaks(&built.provider)?;
    loaded.locks().admit(&built.provider)?;
    Ok(built.provider)
}

fn resolve_with(
    loaded: &Loaded,
    provider: Option<ResolvedProvider>,
    of_choice: Vec<String>,
) -> Result<Resolved, ConfigError> {
    let mut warnings = Vec::new();
    let (providers, unusable) = all_providers(loaded, &mut warnings);
    for warning in of_choice {
        // The chosen provider is among all of them.
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let rules = rules(loaded)?;
    warnings.extend(slips::in_tool_names(loaded, &rules));
    Ok(Resolved {
        external_directory: external(&rules),
        window_of_all: loaded.number("context.window"),
        provider,
        providers,
        unusable,
        rules,
        limits: limits(loaded),
        tools: tools(loaded),
        prompt: prompt(loaded)?,
        parameters: Parameters {
            temperature: float(loaded, "temperature"),
            top_p: float(loaded, "top_p"),
            max_tokens: loaded.number("max_tokens"),
            reasoning_effort: loaded
                .text("reasoning_effort")
                .and_then(|word| effort::read(word).ok()),
            ..Parameters::default()
        },
        by_hand: by_hand(loaded),
        small: small(loaded),
        logs: LogSettings {
            level: match loaded.text("logs.level") {
                Some("off") => LogLevel::Off,
                Some("error") => LogLevel::Error,
                Some("info") => LogLevel::Info,
                Some("debug" | "trace") => LogLevel::Debug,
                _ => LogLevel::Warn,
            },
            max_bytes: loaded.number("logs.max_bytes").unwrap_or(10 * 1024 * 1024),
            files: count(loaded, "logs.files", 5),
        },
        cache_ttl: span(loaded, "cache.ttl", WEEK),
        streaming: flag(loaded, "streaming"),
        request_tokens: loaded.number("context.max_tokens"),
        compaction: compaction(loaded),
        checkpoints: checkpoints(loaded),
        skill_paths: texts(loaded, "skills.paths"),
        todo_first: match loaded.get("todo.first").map(|(value, _)| value) {
            Some(value) if *value == false || *value == "off" => TodoFirst::Never,
            _ => TodoFirst::Asked,
        },
        jobs_wake: (loaded.get("jobs.wake")).is_some_and(|(value, _)| *value == true),
        retention_days: loaded.number("sessions.retention_days").unwrap_or(30),
        agent: loaded.text("default_agent").unwrap_or("build").to_owned(),
        permission_mode: loaded
            .text("permission_mode")
            .and_then(PermissionMode::named)
            .unwrap_or_default(),
        add_dirs: texts(loaded, "add_dirs"),
        network: explicit(loaded, "sandbox.network"),
        instructions: texts(loaded, "instructions"),
        retry: RetrySettings {
            attempts: count(loaded, "retry.attempts", 5),
            first_ms: loaded.number("retry.first_ms").unwrap_or(1000),
            cap_ms: loaded.number("retry.cap_ms").unwrap_or(30_000),
        },
        grants: GrantSettings {
            enabled: flag(loaded, "persistent_grants.enabled"),
            scope: match loaded.text("persistent_grants.scope") {
                Some("session") => GrantScope::Session,
                _ => GrantScope::Project,
            },
            ttl: span(loaded, "persistent_grants.ttl", WEEK),
        },
        hooks: hooks::resolve(loaded),
        sandbox: sandbox::settings(loaded)?,
        tui: tui::settings(loaded),
        masker: secrets::masker(loaded, &mut warnings)?,
        locks: loaded.locks().clone(),
        warnings,
    })
}

/// A project, which may be anybody's, says nothing that counts as a choice.
fn explicit(loaded: &Loaded, dotted: &str) -> Explicit {
    match loaded.get(dotted) {
        None
        | Some((
            _,
            Origin::BuiltIn
            | Origin::File {
                layer: Layer::Project,
                ..
            },
        )) => Explicit::No,
        Some(_) => Explicit::Yes,
    }
}

/// What a flag, a variable or the administrator set is above every profile.
fn by_hand(loaded: &Loaded) -> Parameters {
    let set = |dotted: &str| loaded.by_hand(dotted);
    Parameters {
        temperature: set("temperature").and_then(Value::as_f64),
        top_p: set("top_p").and_then(Value::as_f64),
        max_tokens: set("max_tokens").and_then(Value::as_u64),
        reasoning_effort: set("reasoning_effort")
            .and_then(Value::as_str)
            .and_then(|word| effort::read(word).ok()),
        ..Parameters::default()
    }
}

/// Only what is named is asked on the side, so an empty text is a no.
fn small(loaded: &Loaded) -> Option<SmallModel> {
    let (name, named) = match loaded.text("small_model") {
        Some(name) => (name, SmallNamed::Setting),
        None => (
            loaded.env.get("LLM_SMALL_FAST_MODEL")?,
            SmallNamed::OfLlmServer,
        ),
    };
    let name = name.trim();
    (!name.is_empty()).then(|| SmallModel {
        name: name.to_owned(),
        named,
    })
}

fn all_providers(
    loaded: &Loaded,
    warnings: &mut Vec<String>,
) -> (
    BTreeMap<String, ResolvedProvider>,
    BTreeMap<String, ConfigError>,
) {
    let mut usable = BTreeMap::new();
    let mut unusable = BTreeMap::new();
    for name in loaded.provider_names() {
        match provider::build(loaded, &name, Variables::Ignored) {
            Ok(built) => {
                warnings.extend(built.warnings);
                match loaded.locks().admit(&built.provider) {
                    Ok(()) => {
                        usable.insert(name, built.provider);
                    }
                    Err(error) => {
                        unusable.insert(name, error);
                    }
                }
            }
            Err(error) => {
                unusable.insert(name, error);
            }
        }
    }
    (usable, unusable)
}

fn prompt(loaded: &Loaded) -> Result<PromptSettings, ConfigError> {
    let text = loaded.get("system_prompt");
    let file = loaded.get("system_prompt_file");
    let rank = |held: Option<(&Value, &Origin)>| held.map_or(0, |(_, origin)| origin.rank());
    let (system_prompt, source) = match file {
        // Beside each other the file wins; a text from a higher place beats it.
        Some((value, origin)) if rank(file) >= rank(text) => {
            let path = PathBuf::from(value.as_str().unwrap_or_default());
            let path = match origin.folder() {
                Some(folder) => folder.join(path),
                None => loaded.root.join(path),
            };
            (Some(Source::read(&path)?.text), path.display().to_string())
        }
        _ => (
            loaded.text("system_prompt").map(str::to_owned),
            String::from("system_prompt"),
        ),
    };
    Ok(PromptSettings {
        system_prompt,
        source,
        append: loaded.text("append_system_prompt").map(str::to_owned),
        tier: loaded.text("prompt.tier").and_then(PromptTier::named),
    })
}

fn limits(loaded: &Loaded) -> Limits {
    let default = Limits::default();
    Limits {
        max_turns: count(loaded, "limits.max_turns", default.max_turns),
        max_retries: count(loaded, "limits.max_retries", default.max_retries),
        max_retries_automated: count(
            loaded,
            "limits.max_retries_automated",
            default.max_retries_automated,
        ),
        repeat_warn: count(loaded, "limits.repeat_warn", default.repeat_warn),
        repeat_stop: count(loaded, "limits.repeat_stop", default.repeat_stop),
        parallel_reads: size(loaded, "limits.parallel_reads", default.parallel_reads),
    }
}

fn tools(loaded: &Loaded) -> ToolLimits {
    let default = ToolLimits::default();
    // One number for all tools, bash included; 0 means never (T23).
    let set = loaded.number("tool_timeout_secs");
    let timeout = |default| match set {
        None => default,
        Some(0) => None,
        Some(seconds) => Some(Duration::from_secs(seconds)),
    };
    ToolLimits {
        timeout: timeout(default.timeout),
        bash_timeout: timeout(default.bash_timeout),
        bash_timeout_max: loaded
            .number("tools.bash_timeout_max_secs")
            .map_or(default.bash_timeout_max, Duration::from_secs),
        on_timeout: match loaded.text("tools.on_timeout") {
            Some("kill") => OnTimeout::Kill,
            _ => OnTimeout::Background,
        },
        output_bytes: size(loaded, "tools.output_bytes", default.output_bytes),
        read_lines: size(loaded, "tools.read_lines", default.read_lines),
        read_bytes: size(loaded, "tools.read_bytes", default.read_bytes),
        line_bytes: size(loaded, "tools.line_bytes", default.line_bytes),
        image_bytes: loaded
            .number("multimodal.max_bytes")
            .unwrap_or(default.image_bytes),
        glob_paths: size(loaded, "tools.glob_paths", default.glob_paths),
        grep_matches: size(loaded, "tools.grep_matches", default.grep_matches),
        list_entries: size(loaded, "tools.list_entries", default.list_entries),
        stale_writes: match loaded.text("tools.stale_writes") {
            Some("permit") => StaleWrites::Permit,
            _ => StaleWrites::Refuse,
        },
    }
}

fn compaction(loaded: &Loaded) -> Compaction {
    let default = Compaction::default();
    Compaction {
        auto: flag(loaded, "compaction.auto"),
        prune: flag(loaded, "compaction.prune"),
        at_percent: float(loaded, "compaction.at_ratio")
            .map_or(default.at_percent, |ratio| (ratio * 100.0).round() as u8),
        keep_turns: count(loaded, "compaction.keep_turns", default.keep_turns),
        summary_tokens: loaded
            .number("compaction.summary_tokens")
            .unwrap_or(default.summary_tokens),
        strategy: match loaded.text("compaction.strategy") {
            Some("deterministic") => Strategy::Deterministic,
            _ => Strategy::Model,
        },
    }
}

fn checkpoints(loaded: &Loaded) -> Checkpoints {
    let default = Checkpoints::default();
    Checkpoints {
        commands: flag(loaded, "checkpoints.commands"),
        file_bytes: loaded
            .number("checkpoints.max_file_bytes")
            .unwrap_or(default.file_bytes),
        total_bytes: loaded
            .number("checkpoints.max_bytes")
            .unwrap_or(default.total_bytes),
    }
}

fn texts(loaded: &Loaded, dotted: &str) -> Vec<String> {
    let Some((Value::Array(items), _)) = loaded.get(dotted) else {
        return Vec::new();
    };
    items
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn count(loaded: &Loaded, dotted: &str, default: u32) -> u32 {
    let number = loaded.number(dotted).map(u32::try_from);
    number.map_or(default, |number| number.unwrap_or(u32::MAX))
}

fn size(loaded: &Loaded, dotted: &str, default: usize) -> usize {
    let number = loaded.number(dotted).map(usize::try_from);
    number.map_or(default, |number| number.unwrap_or(usize::MAX))
}

const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

fn span(loaded: &Loaded, dotted: &str, default: Duration) -> Duration {
    let set = loaded.get(dotted);
    set.and_then(|(value, _)| crate::span::read(value))
        .unwrap_or(default)
}

fn float(loaded: &Loaded, dotted: &str) -> Option<f64> {
    loaded.get(dotted).and_then(|(value, _)| value.as_f64())
}

fn flag(loaded: &Loaded, dotted: &str) -> bool {
    loaded
        .get(dotted)
        .and_then(|(value, _)| value.as_bool())
        .unwrap_or(true)
}
