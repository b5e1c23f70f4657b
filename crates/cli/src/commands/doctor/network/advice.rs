//! What an answer means, and what to set: on the server where it is one that
//! people run themselves, else in the configuration.

use super::ask::{Call, Heard, Sight};
use super::{PROVIDER, source};
use crate::commands::doctor::Finding;
use serde_json::Value;
use tenon_config::ResolvedProvider;
use tenon_model::{Dialect, ModelError, Reach, SMALL_WINDOW, Software, Window};
use tenon_transport::{Endpoint, get_json};
use tenon_vocab::Usage;

fn larger_window(software: Software) -> String {
    let what = "serve the model with a larger window";
    match (software.name(), software.window()) {
        (Some(name), Some(how)) => format!("{what} ({name}: {how})"),
        _ => what.to_owned(),
    }
}

/// A sentence of advice, as part of a longer one.
fn clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// A line of the configuration, as people say it.
pub(super) fn setting(provider: &str, key: &str, value: &str) -> String {
    format!("set `providers.{provider}.{key}` to {value}")
}

pub(super) fn window(
    software: Software,
    provider: &str,
    served: Option<&Window>,
    configured: Option<&Window>,
) -> Finding {
    let told = |window: &Window| {
        format!(
            "the window is {} tokens ({})",
            window.tokens,
            source(window)
        )
    };
    match (served, configured) {
        (Some(served), Some(ours)) if ours.tokens > served.tokens => Finding::warn(
            PROVIDER,
            format!(
                "{}, but {} says {}",
                told(served),
                source(ours),
                ours.tokens
            ),
            format!(
                "{}, or {}",
                larger_window(software),
                setting(provider, "context_window", &served.tokens.to_string())
            ),
        ),
        (Some(window), _) | (None, Some(window)) if window.tokens < SMALL_WINDOW => Finding::warn(
            PROVIDER,
            format!("{}, which is little for an agent", told(window)),
            larger_window(software),
        ),
        (Some(window), _) | (None, Some(window)) => Finding::ok(PROVIDER, told(window)),
        (None, None) => {
            let mut advice = setting(
                provider,
                "context_window",
                "what the server was started with",
            );
            if software == Software::Ollama {
                advice = format!("{}, and {advice}", larger_window(software));
            }
            Finding::warn(PROVIDER, "the server doesn't report its window", advice)
        }
    }
}

pub(super) fn no_answer(error: &ModelError) -> Finding {
    let otherwise = "check the server's log; `tenon models` lists its models";
    Finding::problem(
        PROVIDER,
        format!("the model doesn't answer: {}", error.message),
        hint_or(error, otherwise),
    )
}

pub(super) fn streaming(heard: &Heard) -> Finding {
    let first = heard.first.unwrap_or_default().as_secs_f64();
    let pieces = heard.pieces + heard.reasoning;
    if pieces > 1 {
        return Finding::ok(
            PROVIDER,
            format!("it streams: the first piece came after {first:.1} s, {pieces} in all"),
        );
    }
    Finding::warn(
        PROVIDER,
        format!("the answer came in one piece, after {first:.1} s"),
        "if long answers also come at once, a proxy before the server holds the stream back",
    )
}

pub(super) fn usage(usage: Option<Usage>) -> Finding {
    match usage {
        Some(usage) => Finding::ok(
            PROVIDER,
            format!(
                "it reports usage: {} tokens in, {} out",
                usage.input, usage.output
            ),
        ),
        None => Finding::warn(
            PROVIDER,
            "it reports no usage, so tokens are estimated",
            "there is no setting for this; newer versions of most servers report it",
        ),
    }
}

pub(super) fn tools(
    software: Software,
    provider: &str,
    outcome: &Call,
    caps: Option<Template>,
    configured: Dialect,
) -> Finding {
    let markdown = setting(provider, "dialect", "\"markdown\"");
    let mut switch_on = clause(software.tools_on());
    if caps == Some(Template::KnowsNoTools) {
        switch_on = String::from(
            "the model's chat template has no tools (/props): pass llama-server one that does with --chat-template-file, or use another model",
        );
    }
    match outcome {
        Call::Called(_) if configured == Dialect::Markdown => Finding::warn(
            PROVIDER,
            "the server accepts tools, but the configuration describes them in the prompt",
            setting(provider, "dialect", "\"auto\""),
        ),
        Call::Called(_) => Finding::ok(PROVIDER, "it accepts tools, and the model calls them"),
        Call::WrittenAsText => Finding::warn(
            PROVIDER,
            "the model calls tools, but the server leaves the calls in the text; Tenon finds most of them there",
            format!("{switch_on}; or {markdown}"),
        ),
        Call::Ignored(text) => Finding::warn(
            PROVIDER,
            format!("the server accepts tools, but the model called none and said: {text}"),
            format!("{switch_on}; or {markdown}; or use a model that was trained for tools"),
        ),
        Call::Refused(error) => Finding::warn(
            PROVIDER,
            format!(
                "the server doesn't accept tools ({}); Tenon describes them in the prompt instead",
                error.message
            ),
            format!("{}; or {markdown}", hint_or(error, &switch_on)),
        ),
        Call::Failed(error) => Finding::warn(
            PROVIDER,
            format!("a request with a tool failed: {}", error.message),
            hint_or(error, &switch_on),
        ),
    }
}

/// Whether it makes a difference that nothing streams.
pub(super) fn tools_whole(streamed: &Call, whole: &Call) -> Finding {
    match (streamed, whole) {
        (Call::Called(_), Call::Called(_)) => {
            Finding::ok(PROVIDER, "tools also work without streaming")
        }
        (Call::Called(_), other) => Finding::warn(
            PROVIDER,
            format!("tools don't work without streaming: {}", other.told()),
            "keep `streaming` on",
        ),
        (_, Call::Called(_)) => Finding::warn(
            PROVIDER,
            "tools work only without streaming",
            "set `streaming` to false, or update the server",
        ),
        (_, _) => Finding::ok(PROVIDER, "without streaming, tools behave the same"),
    }
}

/// What the error itself advises knows more than we do.
fn hint_or(error: &ModelError, else_this: &str) -> String {
    match &error.hint {
        Some(hint) => clause(hint),
        None => else_this.to_owned(),
    }
}

pub(super) fn images(provider: &str, seen: &Sight) -> Finding {
    let advice = setting(provider, "vision", "false");
    match seen {
        Sight::Seen => Finding::ok(PROVIDER, "it accepts images"),
        Sight::Missed(text) => Finding::warn(
            PROVIDER,
            format!("a red picture was sent, and the answer was: {text}"),
            format!("{advice}, if the model can't see images"),
        ),
        Sight::Refused(error) => Finding::warn(
            PROVIDER,
            format!("it doesn't accept images: {}", error.message),
            advice,
        ),
    }
}

/// What llama.cpp says of its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Template {
    KnowsTools,
    KnowsNoTools,
}

/// Asked without the key: a server that wants one for this keeps it to itself.
pub(super) async fn template(software: Software, provider: &ResolvedProvider) -> Option<Template> {
    let may_be = matches!(software, Software::LlamaCpp | Software::Unknown);
    if !may_be || provider.reach != Reach::Local {
        return None;
    }
    let root = provider.base_url.trim_end_matches('/');
    let root = root.strip_suffix("/v1").unwrap_or(root);
    let mut endpoint = Endpoint::new(&provider.name, root);
    endpoint.ca_file.clone_from(&provider.ca_file);
    endpoint.verify = provider.verify;
    let answer = get_json(&endpoint, "/props").await.ok()?;
    if answer.status != 200 {
        return None;
    }
    let props: Value = serde_json::from_slice(&answer.body).ok()?;
    let caps = props.get("chat_template_caps")?;
    let knows = ["supports_tools", "supports_tool_calls"]
        .iter()
        .any(|name| caps.get(*name).and_then(Value::as_bool) == Some(true));
    Some(if knows {
        Template::KnowsTools
    } else {
        Template::KnowsNoTools
    })
}
