//! The programs that people serve models with themselves, and what each is told
//! for a larger window and for tools. The only place where that advice stands.

use crate::{Window, WindowSource};

/// Which program serves a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Software {
    LlamaCpp,
    Ollama,
    Vllm,
    SgLang,
    LmStudio,
    LiteLlm,
    Unknown,
}

/// A smaller window holds little besides the instructions and the tools.
pub const SMALL_WINDOW: u64 = 16 * 1024;

impl Software {
    /// By what is known of a provider: the path at which it told its window, else
    /// the name of its preset.
    #[must_use]
    pub fn serving(provider: &str, window: &Window) -> Self {
        let known = Self::of_preset(Some(provider));
        match &window.source {
            WindowSource::Server(path) => known.or_seen(path),
            WindowSource::User | WindowSource::Catalogue => known,
        }
    }

    /// Those whose window the user sets.
    const OWN_WINDOW: [Self; 5] = [
        Self::Ollama,
        Self::LlamaCpp,
        Self::Vllm,
        Self::SgLang,
        Self::LmStudio,
    ];

    /// By the preset of that name.
    #[must_use]
    pub fn of_preset(name: Option<&str>) -> Self {
        match name {
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
    #[must_use]
    pub fn or_seen(self, path: &str) -> Self {
        if path.contains("/props") || path.contains("of llama.cpp") {
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

    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::LlamaCpp => Some("llama.cpp"),
            Self::Ollama => Some("Ollama"),
            Self::Vllm => Some("vLLM"),
            Self::SgLang => Some("SGLang"),
            Self::LmStudio => Some("LM Studio"),
            Self::LiteLlm => Some("LiteLLM"),
            Self::Unknown => None,
        }
    }

    /// What to start it with, for a window in which an agent has room.
    #[must_use]
    pub fn window(self) -> Option<&'static str> {
        match self {
            Self::LlamaCpp => Some("-c 65536"),
            Self::Ollama => Some("OLLAMA_CONTEXT_LENGTH=65536"),
            Self::Vllm => Some("--max-model-len 65536"),
            Self::SgLang => Some("--context-length 65536"),
            Self::LmStudio => Some("lms load MODEL --context-length 65536"),
            Self::LiteLlm | Self::Unknown => None,
        }
    }

    /// The same of each, for whoever does not know which it is:
    /// `Ollama: OLLAMA_CONTEXT_LENGTH=65536, llama.cpp: -c 65536, …`.
    #[must_use]
    pub fn windows() -> String {
        let each: Vec<String> = Self::OWN_WINDOW
            .into_iter()
            .filter_map(|software| Some(format!("{}: {}", software.name()?, software.window()?)))
            .collect();
        each.join(", ")
    }

    /// How it serves a larger window, in a sentence.
    #[must_use]
    pub fn larger_window(self) -> String {
        String::from(match self {
            Self::LlamaCpp => "Start llama-server with -c 65536, or as much as memory allows.",
            Self::Ollama => {
                "Start Ollama with OLLAMA_CONTEXT_LENGTH=65536, or set num_ctx for the model."
            }
            Self::LmStudio => {
                "Load the model with a larger context length in LM Studio (lms load MODEL --context-length 65536)."
            }
            Self::Vllm => "Start vLLM with --max-model-len 65536.",
            Self::SgLang => "Start SGLang with --context-length 65536.",
            Self::LiteLlm => "Serve the model behind LiteLLM with a larger window.",
            Self::Unknown => {
                return format!(
                    "Serve the model with a larger window ({}), or choose another model.",
                    Self::windows()
                );
            }
        })
    }

    /// How it is made to take tools, in a sentence.
    #[must_use]
    pub const fn tools_on(self) -> &'static str {
        match self {
            Self::LlamaCpp => {
                "Start llama-server with --jinja and a chat template with tools \
                 (--chat-template-file)."
            }
            Self::Vllm => {
                "Start vLLM with --enable-auto-tool-choice --tool-call-parser PARSER, where PARSER fits the model (hermes, qwen3_coder, llama3_json, mistral, …)."
            }
            Self::SgLang => {
                "Start SGLang with --tool-call-parser PARSER, where PARSER fits the model."
            }
            Self::Ollama => "Use a model with the tag `tools` on its page.",
            Self::LmStudio => "Use a model that LM Studio marks for tool use.",
            Self::LiteLlm => "Check whether the model behind LiteLLM supports tools.",
            Self::Unknown => "Check in the server's manual how to turn on tools.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Software;
    use crate::presets;

    #[test]
    fn every_server_that_people_run_has_its_own_advice_and_one_size_of_window() {
        for software in Software::OWN_WINDOW {
            let name = software.name().unwrap();
            assert!(Software::windows().contains(name), "{name}");
            assert!(software.window().unwrap().contains("65536"), "{name}");
            assert!(software.larger_window().contains("65536"), "{name}");
        }
        for name in ["llamacpp", "ollama", "vllm", "lmstudio", "litellm"] {
            assert!(presets().iter().any(|preset| preset.name == name), "{name}");
            assert_ne!(Software::of_preset(Some(name)), Software::Unknown, "{name}");
        }
    }
}
