//! The table of servers.

use std::collections::BTreeSet;
use tenon_model::{AuthStyle, Kind, MaxTokensField, Reach, infer, preset, presets};

#[test]
fn every_promised_preset_is_there_once() {
    let names: BTreeSet<&str> = presets().iter().map(|preset| preset.name).collect();
    assert_eq!(names.len(), presets().len());
    for name in [
        "openai",
        "gemini",
        "ollama",
        "lmstudio",
        "vllm",
        "llamacpp",
        "openrouter",
        "together",
        "groq",
        "azure",
        "dashscope",
        "dashscope-intl",
        "dashscope-us",
        "litellm",
        "anthropic",
        "codex",
        "claudecode",
    ] {
        assert!(names.contains(name), "{name}");
    }
    assert_eq!(preset("no-such"), None);
}

#[test]
fn every_preset_can_be_used() {
    for preset in presets() {
        assert!(!preset.note.is_empty(), "{}", preset.name);
        assert_eq!(Kind::from_name(preset.kind.name()), Some(preset.kind));
        match preset.base_url {
            Some(url) => {
                let scheme = match preset.reach {
                    Reach::Local => "http://localhost:",
                    Reach::Remote => "https://",
                };
                assert!(url.starts_with(scheme), "{url}");
                assert!(!url.ends_with('/'), "{url}");
            }
            None => assert!(["azure", "claudecode"].contains(&preset.name)),
        }
    }
}

#[test]
fn azure_is_known_by_its_hosts_and_by_nothing_that_looks_like_them() {
    for url in [
        "https://mine.openai.azure.com/openai/v1",
        "https://MINE.services.ai.azure.com:443",
        "https://mine.openai.azure.com.",
    ] {
        let azure = infer(url).expect("azure");
        assert_eq!(
            (azure.name, azure.auth),
            ("azure", AuthStyle::Header("api-key")),
            "{url}"
        );
    }
    for url in [
        "https://openai.azure.com.evil.test/v1",
        "https://evil.test/mine.openai.azure.com",
        "https://mine.openai.azure.com@evil.test/",
        "https://evil.test\\.openai.azure.com/",
        "https://.openai.azure.com",
        "mine.openai.azure.com",
        "http://localhost:8080/v1",
        "",
    ] {
        assert_eq!(infer(url), None, "{url}");
    }
    assert_eq!(
        infer("https://api.openai.com/v1").map(|preset| preset.name),
        Some("openai")
    );
}

#[test]
fn a_preset_gives_its_quirks() {
    let quirks = preset("openai").expect("openai").quirks();
    assert_eq!(quirks.max_tokens_field, MaxTokensField::MaxCompletionTokens);
    assert_eq!(quirks.names(), ["max_completion_tokens"]);
    assert!(preset("vllm").expect("vllm").quirks().names().is_empty());
}
