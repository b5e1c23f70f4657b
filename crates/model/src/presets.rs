//! The servers that Tenon knows by name (P2), as data. Nothing here decides: a
//! user's profile may start from a preset and change every field of it.

use crate::quirks::{MaxTokensField, Quirks};

/// Which wire format a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// OpenAI's chat completions and everything compatible.
    Chat,
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
    /// A program with a loop of its own.
    External,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Chat, Self::Messages, Self::Responses, Self::External];

    /// As the configuration writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Messages => "messages",
            Self::Responses => "responses",
            Self::External => "external",
        }
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Where requests go, below the base address; `None` for what is not asked
    /// over HTTP.
    #[must_use]
    pub fn path(self) -> Option<&'static str> {
        match self {
            Self::Chat => Some("/chat/completions"),
            Self::Messages => Some("/messages"),
            Self::Responses => Some("/responses"),
            Self::External => None,
        }
    }

    /// The largest image file that can be sent; `None` where the format names
    /// no limit of its own.
    #[must_use]
    pub fn image_bytes(self) -> Option<u64> {
        match self {
            // 5 MiB as text, of which four letters stand for three bytes.
            Self::Messages => Some(5 * 1024 * 1024 / 4 * 3),
            Self::Chat | Self::Responses | Self::External => None,
        }
    }
}

/// Where the key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthStyle {
    /// `Authorization: Bearer KEY`
    Bearer,
    /// A header of this name: `api-key`.
    Header(&'static str),
    None,
}

/// Whether a server is the user's own machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Local,
    Remote,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    pub kind: Kind,
    /// `None` when only the user can know it.
    pub base_url: Option<&'static str>,
    /// Variables that may hold the key, the first one set wins.
    pub key_env: &'static [&'static str],
    pub auth: AuthStyle,
    pub reach: Reach,
    pub max_tokens_field: MaxTokensField,
    /// Fields of the request that this server does not take.
    pub omit: &'static [&'static str],
    /// One sentence for people.
    pub note: &'static str,
}

impl Preset {
    #[must_use]
    pub fn quirks(&self) -> Quirks {
        Quirks {
            omit: self.omit.iter().map(|&field| field.to_owned()).collect(),
            max_tokens_field: self.max_tokens_field,
            ..Quirks::default()
        }
    }
}

/// What most servers are like; each entry below names only its difference.
const REMOTE: Preset = Preset {
    name: "",
    kind: Kind::Chat,
    base_url: None,
    key_env: &[],
    auth: AuthStyle::Bearer,
    reach: Reach::Remote,
    max_tokens_field: MaxTokensField::MaxTokens,
    omit: &[],
    note: "",
};

const LOCAL: Preset = Preset {
    reach: Reach::Local,
    ..REMOTE
};

/// The older name first, because users of the service have it set (O §22.3).
const DASHSCOPE_KEYS: &[&str] = &["AGENT_API_KEY", "DASHSCOPE_API_KEY"];

/// The server behind Codex refuses these, where OpenAI's own takes them.
const CODEX_OMITS: &[&str] = &["max_output_tokens", "temperature", "top_p"];

static PRESETS: &[Preset] = &[
    Preset {
        name: "openai",
        base_url: Some("https://api.openai.com/v1"),
        key_env: &["OPENAI_API_KEY"],
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        note: "OpenAI's chat completions. With `type` set to `responses`, its newer format.",
        ..REMOTE
    },
    Preset {
        name: "gemini",
        base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        key_env: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        note: "Google's Gemini through its OpenAI-compatible address.",
        ..REMOTE
    },
    Preset {
        name: "ollama",
        base_url: Some("http://localhost:11434/v1"),
        note: "Ollama on this machine. Its default context window is small: raise it with \
             OLLAMA_CONTEXT_LENGTH.",
        ..LOCAL
    },
    Preset {
        name: "lmstudio",
        base_url: Some("http://localhost:1234/v1"),
        note: "LM Studio on this machine.",
        ..LOCAL
    },
    Preset {
        name: "vllm",
        base_url: Some("http://localhost:8000/v1"),
        key_env: &["VLLM_API_KEY"],
        note: "vLLM on this machine. Tool calls need --enable-auto-tool-choice and a --tool-call-parser.",
        ..LOCAL
    },
    Preset {
        name: "llamacpp",
        base_url: Some("http://localhost:8080/v1"),
        key_env: &["LLAMA_API_KEY"],
        note: "llama.cpp's server on this machine. Tool calls need --jinja and a chat template \
             with tools.",
        ..LOCAL
    },
    Preset {
        name: "openrouter",
        base_url: Some("https://openrouter.ai/api/v1"),
        key_env: &["OPENROUTER_API_KEY"],
        note: "OpenRouter.",
        ..REMOTE
    },
    Preset {
        name: "together",
        base_url: Some("https://api.together.xyz/v1"),
        key_env: &["TOGETHER_API_KEY"],
        note: "Together.",
        ..REMOTE
    },
    Preset {
        name: "groq",
        base_url: Some("https://api.groq.com/openai/v1"),
        key_env: &["GROQ_API_KEY"],
        note: "Groq.",
        ..REMOTE
    },
    Preset {
        name: "deepseek",
        base_url: Some("https://api.deepseek.com/v1"),
        key_env: &["DEEPSEEK_API_KEY"],
        note: "DeepSeek.",
        ..REMOTE
    },
    Preset {
        name: "mistral",
        base_url: Some("https://api.mistral.ai/v1"),
        key_env: &["MISTRAL_API_KEY"],
        note: "Mistral.",
        ..REMOTE
    },
    Preset {
        name: "xai",
        base_url: Some("https://api.x.ai/v1"),
        key_env: &["XAI_API_KEY"],
        note: "xAI.",
        ..REMOTE
    },
    Preset {
        name: "azure",
        key_env: &["AZURE_OPENAI_API_KEY"],
        auth: AuthStyle::Header("api-key"),
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        note: "Azure OpenAI. Set base_url to https://RESOURCE.openai.azure.com/openai/v1; the model is the name of the deployment.",
        ..REMOTE
    },
    Preset {
        name: "dashscope",
        base_url: Some("https://dashscope.aliyuncs.com/compatible-mode/v1"),
        key_env: DASHSCOPE_KEYS,
        note: "Alibaba Model Studio, China (Beijing).",
        ..REMOTE
    },
    Preset {
        name: "dashscope-intl",
        base_url: Some("https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
        key_env: DASHSCOPE_KEYS,
        note: "Alibaba Model Studio, Singapore.",
        ..REMOTE
    },
    Preset {
        name: "dashscope-us",
        base_url: Some("https://dashscope-us.aliyuncs.com/compatible-mode/v1"),
        key_env: DASHSCOPE_KEYS,
        note: "Alibaba Model Studio, US (Virginia).",
        ..REMOTE
    },
    Preset {
        name: "litellm",
        base_url: Some("http://localhost:4000/v1"),
        key_env: &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"],
        note: "A LiteLLM proxy on this machine.",
        ..LOCAL
    },
    Preset {
        name: "anthropic",
        kind: Kind::Messages,
        base_url: Some("https://api.anthropic.com/v1"),
        key_env: &["ANTHROPIC_API_KEY"],
        auth: AuthStyle::Header("x-api-key"),
        note: "Anthropic's Messages API.",
        ..REMOTE
    },
    Preset {
        name: "codex",
        kind: Kind::Responses,
        base_url: Some("https://chatgpt.com/backend-api/codex"),
        omit: CODEX_OMITS,
        note: "The login of an installed Codex: run `codex login` once.",
        ..REMOTE
    },
    Preset {
        name: "claudecode",
        kind: Kind::External,
        auth: AuthStyle::None,
        note: "An installed Claude Code, run as a program.",
        ..REMOTE
    },
];

#[must_use]
pub fn presets() -> &'static [Preset] {
    PRESETS
}

#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The preset that an address gives away, for a profile that names none:
/// Azure's hosts want their key in a header of their own.
#[must_use]
pub fn infer(base_url: &str) -> Option<&'static Preset> {
    let host = host_of(base_url)?.to_ascii_lowercase();
    let azure = [".openai.azure.com", ".services.ai.azure.com"]
        .iter()
        .any(|suffix| host.len() > suffix.len() && host.ends_with(suffix));
    if azure {
        return preset("azure");
    }
    PRESETS
        .iter()
        .filter(|preset| preset.reach == Reach::Remote)
        .find(|preset| preset.base_url.and_then(host_of) == Some(host.as_str()))
}

/// The host of a URL, without user, port and path.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let host = host.strip_suffix('.').unwrap_or(host);
    (!host.is_empty()).then_some(host)
}
