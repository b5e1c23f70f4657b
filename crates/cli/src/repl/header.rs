//! What a person should know before the first prompt: which model, why that
//! one, where, and what was loaded (U6).

use crate::again::LastRun;
use crate::assemble::{Assembled, Configured, Options};
use crate::place::Place;
use crate::render::lines::shorten;
use crate::render::wrap;
use crate::screen::{Paint, Style};
use crate::talk::Kept;
use tenon_config::{Loaded, Origin, Resolved};
use tenon_vocab::{Message, Part, Printable, Role, Settings, figures, marked};

pub struct Facts<'a> {
    pub place: &'a Place,
    pub options: &'a Options,
    pub settings: &'a Settings,
    pub assembled: &'a Assembled,
    pub kept: Kept,
    /// That it is a copy, and how to get back.
    pub copied: Option<String>,
    pub paint: Paint,
}

pub fn header(facts: &Facts<'_>) -> String {
    let dim = |text: &str| facts.paint.paint(Style::Dim, text);
    let Configured {
        loaded, resolved, ..
    } = &*facts.assembled.configured;
    let (mut provider, mut model) = (
        provider_source(facts.options, loaded, resolved),
        model_source(facts.options, loaded, resolved),
    );
    // A resumed session has its own, whatever is configured.
    if let Some(chosen) = &resolved.provider {
        let settings = facts.settings;
        if chosen.name != settings.provider {
            provider = String::from("of this session");
            model.clone_from(&provider);
        } else if chosen.model.as_ref().is_some_and(|m| *m != settings.model) {
            model = String::from("of this session");
        }
    }
    let line = |name: &str, value: &str, source: &str| {
        let source = if source.is_empty() {
            String::new()
        } else {
            format!("  {}", dim(&format!("({})", Printable::line(source))))
        };
        format!("  {name:<9}{}{source}", Printable::line(value))
    };
    let name = concat!("tenon ", env!("CARGO_PKG_VERSION"));
    let settings = facts.settings;
    let mut lines = vec![
        facts.paint.paint(Style::Bold, name),
        line("provider", &settings.provider, &provider),
        line("model", &settings.model, &model),
        line("agent", &settings.agent_name, ""),
        line("mode", &mode(facts), ""),
        line("root", &facts.place.root_text(), ""),
        line("session", &session(facts), ""),
    ];
    let parts = &facts.assembled.parts;
    for remark in parts.known.iter().chain(&parts.remarks) {
        let remark = Printable::line(remark);
        lines.push(match remark.as_str().strip_prefix("rules: ") {
            Some(path) => line("rules", path, ""),
            None => format!("  {}", dim(remark.as_str())),
        });
    }
    lines.extend(facts.copied.iter().map(|text| format!("  {}", dim(text))));
    lines.extend(last_exchange(facts).iter().map(|line| dim(line)));
    let keys =
        "/help lists the commands, !cmd runs one of the shell, @ names a file, Ctrl+D leaves.";
    lines.push(dim(&wrap::paragraphs(keys, wrap::columns())));
    if facts.assembled.parts.state.runs() == 0 && resolved.providers.len() > 1 {
        lines.push(dim(&wrap::paragraphs(super::start::HINT, wrap::columns())));
    }
    lines.join("\n")
}

/// With the flags that answer beside it.
fn mode(facts: &Facts<'_>) -> String {
    let mode = facts.settings.permission_mode.name();
    let flags = facts.options.shown_flags();
    [mode]
        .into_iter()
        .chain(flags)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where a resumed session stood: the last prompt, what was answered to it, and
/// how that ended.
fn last_exchange(facts: &Facts<'_>) -> Vec<String> {
    let last = LastRun::of(&facts.assembled.parts);
    let shown = |mark: &str, text: &str| {
        let first = text.trim().lines().next().unwrap_or_default().to_owned();
        format!("  {mark} {}", shorten(&first, 200))
    };
    let mut lines = Vec::new();
    lines.extend(last.prompt().map(|prompt| shown(">", &words(prompt))));
    let answer = last.answer().map(words);
    lines.extend(answer.as_deref().map(|text| shown("…", text)));
    match (last.prompt(), answer, last.broken()) {
        (_, Some(_), Some(broken)) => lines.push(format!("  ({broken})")),
        (Some(_), None, Some(broken)) => lines.push(format!("  (no answer: {broken})")),
        _ => {}
    }
    lines
}

/// What was said, without what went along with it.
fn words(message: &Message) -> String {
    let said = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    match message.role {
        Role::User => said
            .filter(|text| marked::of(text).is_none())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => message.text(),
    }
}

/// The beginning of the id: its time to the millisecond.
fn session(facts: &Facts<'_>) -> String {
    let id: String = facts
        .assembled
        .session
        .to_string()
        .chars()
        .take(13)
        .collect();
    match facts.kept {
        Kept::Never => String::from("not saved (--no-save)"),
        Kept::IfUsed | Kept::Always => match facts.assembled.parts.state.runs() {
            0 => id,
            runs => format!(
                "{id}  resumed after {}",
                figures::count(runs as usize, "run")
            ),
        },
    }
}

fn provider_source(options: &Options, loaded: &Loaded, resolved: &Resolved) -> String {
    let Some(provider) = &resolved.provider else {
        return String::new();
    };
    if options.provider.is_some() {
        return options.provider_by.text("--provider");
    }
    match loaded.get("default_provider") {
        Some((value, origin)) if value.as_str() == Some(&provider.name) => source(origin),
        _ => source(&provider.base_url_origin),
    }
}

fn model_source(options: &Options, loaded: &Loaded, resolved: &Resolved) -> String {
    let Some(provider) = &resolved.provider else {
        return String::new();
    };
    let Some(model) = &provider.model else {
        return String::from("the server's only model");
    };
    if options.model.is_some() {
        return options.model_by.text("--model");
    }
    let own = format!("providers.{}.model", provider.name);
    ["model", own.as_str()]
        .iter()
        .filter_map(|key| loaded.get(key))
        .find(|(value, _)| value.as_str() == Some(model))
        .map(|(_, origin)| source(origin))
        .unwrap_or_else(|| String::from("environment"))
}

fn source(origin: &Origin) -> String {
    match origin {
        Origin::BuiltIn => String::from("preset"),
        Origin::Environment(name) => format!("environment: {name}"),
        Origin::Flag(_) => String::from("for this session"),
        other => other.to_string(),
    }
}
