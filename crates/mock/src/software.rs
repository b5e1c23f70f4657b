//! The servers that this one can pretend to be: what each tells about its
//! model and window, and where. How each complains is in `words`.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::shape::Quirk;

/// What most models of today were trained with.
const TRAINED: u64 = 131_072;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Software {
    OpenAi,
    Anthropic,
    LlamaCpp,
    Ollama,
    LmStudio,
    Vllm,
    LiteLlm,
    OpenRouter,
    Gemini,
}

impl Software {
    /// How it bends the formats that are not its own.
    pub(crate) fn quirk(self) -> Option<Quirk> {
        match self {
            Self::LlamaCpp => Some(Quirk::LlamaCpp),
            Self::LiteLlm => Some(Quirk::LiteLlm),
            _ => None,
        }
    }
}

/// What a server says about itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Card<'s> {
    pub(crate) software: Option<Software>,
    pub(crate) model: &'s str,
    pub(crate) window: Option<u64>,
    pub(crate) trained: Option<u64>,
}

impl Card<'_> {
    /// What stands at a path that only this software has, with the method that
    /// it takes.
    pub(crate) fn endpoint(&self, path: &str) -> Option<(&'static str, Value)> {
        match (self.software?, path) {
            (Software::LlamaCpp, "/props") => Some(("GET", self.props())),
            (Software::LlamaCpp, "/slots") => Some(("GET", self.slots())),
            (Software::Ollama, "/api/show") => Some(("POST", self.show())),
            (Software::Ollama, "/api/ps") => Some(("GET", self.loaded())),
            (Software::Ollama, "/api/tags") => Some(("GET", self.tags())),
            (Software::Ollama, "/api/version") => Some(("GET", json!({"version": "0.17.5"}))),
            (Software::LmStudio, "/api/v0/models") => {
                let list = json!({"object": "list", "data": [self.of_lm_studio()]});
                Some(("GET", list))
            }
            (Software::LmStudio, path) => {
                let id = path.strip_prefix("/api/v0/models/")?;
                (id == self.model).then(|| ("GET", self.of_lm_studio()))
            }
            (Software::LiteLlm, "/model/info" | "/v1/model/info") => Some(("GET", self.info())),
            (Software::Vllm, "/version") => Some(("GET", json!({"version": "0.15.0"}))),
            _ => None,
        }
    }

    /// The list at `/v1/models`.
    pub(crate) fn models(&self) -> Value {
        let plain = json!({"id": self.model, "object": "model", "created": 0, "owned_by": "tenon"});
        let entry = match self.software {
            Some(Software::LlamaCpp) => return self.of_llama_cpp(),
            Some(Software::Anthropic) => return self.of_anthropic(),
            Some(Software::Vllm) => self.of_vllm(),
            Some(Software::OpenRouter) => return json!({"data": [self.of_open_router()]}),
            _ => plain,
        };
        json!({"object": "list", "data": [entry]})
    }

    pub(crate) fn of_anthropic(&self) -> Value {
        let entry = json!({
            "type": "model",
            "id": self.model,
            "display_name": self.model,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active",
            "max_input_tokens": self.window,
            "max_tokens": null,
        });
        json!({
            "data": [entry],
            "has_more": false,
            "first_id": self.model,
            "last_id": self.model,
        })
    }

    fn trained(&self) -> u64 {
        self.trained
            .unwrap_or(TRAINED)
            .max(self.window.unwrap_or(0))
    }

    fn of_llama_cpp(&self) -> Value {
        let model = self.model;
        let meta = json!({
            "vocab_type": 2, "n_vocab": 49152, "n_ctx": self.window,
            "n_ctx_train": self.trained(), "n_embd": 576, "n_params": 134_515_008,
            "size": 96_576_768,
        });
        json!({
            "models": [{
                "name": model, "model": model, "type": "model", "tags": [""],
                "capabilities": ["completion"], "details": {"format": "gguf"},
            }],
            "object": "list",
            "data": [{
                "id": model, "aliases": [model], "tags": [], "object": "model",
                "created": 0, "owned_by": "llamacpp", "meta": meta,
            }],
        })
    }

    fn props(&self) -> Value {
        json!({
            "default_generation_settings": {
                "id": 0, "is_processing": false, "n_ctx": self.window, "speculative": false,
                "params": {"n_predict": -1, "temperature": 0.8},
            },
            "total_slots": 1,
            "model_alias": self.model,
            "model_path": format!("/models/{}.gguf", self.model),
            "modalities": {"vision": false, "audio": false},
            "chat_template": "",
            "chat_template_caps": {"supports_tools": true, "supports_tool_calls": true},
            "bos_token": "", "eos_token": "",
            "build_info": "b11669-mock",
            "is_sleeping": false,
        })
    }

    fn slots(&self) -> Value {
        json!([{"id": 0, "n_ctx": self.window, "is_processing": false}])
    }

    fn show(&self) -> Value {
        let parameters = match self.window {
            Some(window) => format!("num_ctx                        {window}"),
            None => String::new(),
        };
        json!({
            "modelfile": format!("FROM {}", self.model),
            "parameters": parameters,
            "template": "{{ .Prompt }}",
            "details": {
                "parent_model": "", "format": "gguf", "family": "llama", "families": ["llama"],
                "parameter_size": "8.0B", "quantization_level": "Q4_K_M",
            },
            "model_info": {
                "general.architecture": "llama",
                "general.parameter_count": 8_030_261_312_u64,
                "llama.attention.head_count": 32,
                "llama.context_length": self.trained(),
                "llama.embedding_length": 4096,
            },
            "capabilities": ["completion", "tools"],
        })
    }

    /// The only place where Ollama tells what it really serves.
    fn loaded(&self) -> Value {
        let mut entry = self.tag();
        entry["context_length"] = json!(self.window);
        entry["size_vram"] = json!(0);
        entry["expires_at"] = json!("2026-01-01T00:05:00Z");
        json!({"models": [entry]})
    }

    fn tags(&self) -> Value {
        json!({"models": [self.tag()]})
    }

    fn tag(&self) -> Value {
        json!({
            "name": self.model, "model": self.model, "size": 4_920_753_328_u64,
            "digest": "46e0c10c039e", "details": {"format": "gguf", "family": "llama"},
        })
    }

    fn of_lm_studio(&self) -> Value {
        json!({
            "id": self.model, "object": "model", "type": "llm", "publisher": "tenon",
            "arch": "llama", "compatibility_type": "gguf", "quantization": "Q4_K_M",
            "state": "loaded", "max_context_length": self.trained(),
            "loaded_context_length": self.window, "capabilities": ["tool_use"],
        })
    }

    fn of_vllm(&self) -> Value {
        json!({
            "id": self.model, "object": "model", "created": 0, "owned_by": "vllm",
            "root": self.model, "parent": null, "max_model_len": self.window,
            "permission": [{"id": "modelperm-mock", "object": "model_permission"}],
        })
    }

    fn info(&self) -> Value {
        json!({"data": [{
            "model_name": self.model,
            "litellm_params": {"model": format!("openai/{}", self.model)},
            "model_info": {
                "id": "mock", "db_model": false, "key": self.model,
                "max_tokens": 8192, "max_input_tokens": self.window, "max_output_tokens": 8192,
                "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6,
                "cache_read_input_token_cost": 1e-7,
                "supports_vision": false, "supports_function_calling": true,
                "litellm_provider": "openai", "mode": "chat",
            },
        }]})
    }

    fn of_open_router(&self) -> Value {
        json!({
            "id": self.model, "canonical_slug": self.model, "name": self.model,
            "created": 0, "description": "", "context_length": self.window,
            "architecture": {
                "modality": "text->text", "input_modalities": ["text"],
                "output_modalities": ["text"], "tokenizer": "Other", "instruct_type": null,
            },
            "pricing": {
                "prompt": "0.000001", "completion": "0.000002", "request": "0", "image": "0",
                "input_cache_read": "0.0000001",
            },
            "top_provider": {
                "context_length": self.window, "max_completion_tokens": 8192,
                "is_moderated": false,
            },
            "per_request_limits": null,
            "supported_parameters": ["max_tokens", "temperature", "tool_choice", "tools"],
        })
    }
}
