//! What an answer means, and what to set: on the server where it is one that
//! people run themselves, else in the configuration.

use super::ask::{Call, Heard, Sight};
use super::{PROVIDER, SMALL, source};
use crate::commands::doctor::Finding;
use serde_json::Value;
use tenon_config::ResolvedProvider;
use tenon_model::{Dialect, ModelError, Reach, Window};
use tenon_transport::{Endpoint, get_json};
use tenon_vocab::Usage;

/// Which program serves the model, where that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Software {
    LlamaCpp,
    Ollama,
    Vllm,
    LmStudio,
    LiteLlm,
    Unknown,
}

impl Software {
    /// By the preset.
    pub(super) fn of(provider: &ResolvedProvider) -> Self {
        match provider.preset {
            Some("llamacpp") => Self::LlamaCpp,
            Some("ollama") => Self::Ollama,
            Some("vllm") => Self::Vllm,
            Some("lmstudio") => Self::LmStudio,
            Some("litellm") => Self::LiteLlm,
            _ => Self::Unknown,
        }
    }

    /// By the path at which the server told its window, which says more than
    /// the name that a user gave it.
    pub(super) fn or_seen(self, path: &str) -> Self {
        if path.contains("/props") {
            Self::LlamaCpp
        } else if path.contains("/api/show") || path.contains("/api/ps") {
            Self::Ollama
        } else if path.contains("/api/v0/models") {
            Self::LmStudio
        } else if path.contains("/model/info") {
            Self::LiteLlm
        } else {
            self
        }
    }

    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::LlamaCpp => Some("llama.cpp"),
            Self::Ollama => Some("Ollama"),
            Self::Vllm => Some("vLLM"),
            Self::LmStudio => Some("LM Studio"),
            Self::LiteLlm => Some("LiteLLM"),
            Self::Unknown => None,
        }
    }

    fn larger_window(self) -> &'static str {
        match self {
            Self::LlamaCpp => "start llama-server with a larger -c (--ctx-size)",
            Self::Ollama => "set OLLAMA_CONTEXT_LENGTH for `ollama serve`, for example to 32768",
            Self::Vllm => "start vLLM with a larger --max-model-len",
            Self::LmStudio => "load the model with a larger context length in LM Studio",
            Self::LiteLlm | Self::Unknown => "start the server with a larger window",
        }
    }

    fn tools_on(self) -> &'static str {
        match self {
            Self::LlamaCpp => {
                "start llama-server with --jinja and a template that knows tools (--chat-template-file)"
            }
            Self::Vllm => {
                "start vLLM with --enable-auto-tool-choice --tool-call-parser PARSER, where PARSER fits the model (hermes, qwen3_coder, llama3_json, mistral, …)"
            }
            Self::Ollama => "use a model whose page says `tools`",
            Self::LmStudio => "use a model that LM Studio marks for tool use",
            Self::LiteLlm => "see whether the model behind LiteLLM takes tools",
            Self::Unknown => "see how the server is told to take tools",
        }
    }
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
                software.larger_window(),
                setting(provider, "context_window", &served.tokens.to_string())
            ),
        ),
        (Some(window), _) | (None, Some(window)) if window.tokens < SMALL => Finding::warn(
            PROVIDER,
            format!("{}, which is little for an agent", told(window)),
            software.larger_window(),
        ),
        (Some(window), _) | (None, Some(window)) => Finding::ok(PROVIDER, told(window)),
        (None, None) => {
            let mut advice = setting(
                provider,
                "context_window",
                "what the server was started with",
            );
            if software == Software::Ollama {
                advice = format!("{}, and {advice}", software.larger_window());
            }
            Finding::warn(
                PROVIDER,
                "the server does not say how large its window is",
                advice,
            )
        }
    }
}

pub(super) fn no_answer(error: &ModelError) -> Finding {
    let otherwise = "look at the server's own log; `tenon models` lists its models";
    Finding::problem(
        PROVIDER,
        format!("the model does not answer: {}", error.message),
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
            "nothing can be set here; newer versions of most servers report it",
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
    let mut switch_on = software.tools_on().to_owned();
    if caps == Some(Template::KnowsNoTools) {
        switch_on = String::from(
            "the template of the model knows no tools (/props): give llama-server one that does with --chat-template-file, or use another model",
        );
    }
    match outcome {
        Call::Called(_) if configured == Dialect::Markdown => Finding::warn(
            PROVIDER,
            "the server takes tools, but the configuration has them described in the prompt",
            setting(provider, "dialect", "\"auto\""),
        ),
        Call::Called(_) => Finding::ok(PROVIDER, "it takes tools, and the model calls them"),
        Call::WrittenAsText => Finding::warn(
            PROVIDER,
            "the model calls tools, but the server leaves the calls in the text; Tenon finds most of them there",
            format!("{switch_on}; or {markdown}"),
        ),
        Call::Ignored(text) => Finding::warn(
            PROVIDER,
            format!("the server takes tools, but the model called none and said: {text}"),
            format!("{switch_on}; or {markdown}; or use a model that was trained for tools"),
        ),
        Call::Refused(error) => Finding::warn(
            PROVIDER,
            format!(
                "the server takes no tools ({}); Tenon describes them in the prompt instead",
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
            Finding::ok(PROVIDER, "tools work also without streaming")
        }
        (Call::Called(_), other) => Finding::warn(
            PROVIDER,
            format!("without streaming, tools do not work: {}", other.told()),
            "leave `streaming` on",
        ),
        (_, Call::Called(_)) => Finding::warn(
            PROVIDER,
            "tools work only without streaming",
            "set `streaming` to false, or take a newer version of the server",
        ),
        (_, _) => Finding::ok(PROVIDER, "without streaming it is the same with tools"),
    }
}

/// What the error itself advises knows more than we do.
fn hint_or(error: &ModelError, else_this: &str) -> String {
    match &error.hint {
        Some(hint) => hint.trim_end_matches('.').to_owned(),
        None => else_this.to_owned(),
    }
}

pub(super) fn images(provider: &str, seen: &Sight) -> Finding {
    let advice = setting(provider, "vision", "false");
    match seen {
        Sight::Seen => Finding::ok(PROVIDER, "it sees images"),
        Sight::Missed(text) => Finding::warn(
            PROVIDER,
            format!("a red picture was sent, and the answer was: {text}"),
            format!("{advice}, if the model has no eyes"),
        ),
        Sight::Refused(error) => Finding::warn(
            PROVIDER,
            format!("it takes no images: {}", error.message),
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
