//! The table of servers.

use base64::Engine as _;
use std::collections::BTreeSet;
use std::sync::Arc;
use tenon_model::{
    AuthStyle, Chat, Codec, Delivery, Entry, Kind, MaxTokensField, Messages, Parameters, Prefix,
    Quirks, Reach, Request, Responses, ResponsesOptions, infer, preset, presets,
};
use tenon_vocab::{ImageSource, Message, Part};

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

#[test]
fn a_kind_says_where_its_codec_sends_requests() {
    let codecs: [(Kind, Box<dyn Codec>); 3] = [
        (Kind::Chat, Box::new(Chat::new(Quirks::default()))),
        (
            Kind::Messages,
            Box::new(Messages::new(Quirks::default(), "p/m")),
        ),
        (
            Kind::Responses,
            Box::new(Responses::new(
                Quirks::default(),
                "p/m",
                ResponsesOptions::default(),
            )),
        ),
    ];
    for (kind, codec) in codecs {
        assert_eq!(kind.path(), Some(codec.path()));
        assert_eq!(kind.name(), codec.key());
    }
    assert_eq!(Kind::External.path(), None);
}

#[test]
fn the_largest_image_of_a_kind_is_the_largest_that_its_codec_sends() {
    let largest = usize::try_from(Kind::Messages.image_bytes().unwrap()).unwrap();
    for (size, fits) in [(largest, true), (largest + 1, false)] {
        let mut content = b"\x89PNG\r\n\x1a\n".to_vec();
        content.resize(size, 0);
        let text = base64::engine::general_purpose::STANDARD.encode(content);
        let mut message = Message::user("look");
        message.parts.push(Part::Image {
            source: ImageSource::Url(format!("data:image/png;base64,{text}")),
            media_type: String::from("image/png"),
        });
        let request = Request {
            prefix: Arc::new(Prefix {
                system: String::new(),
                tools: Vec::new(),
            }),
            entries: vec![Arc::new(Entry::new(Arc::new(message)))],
            parameters: Parameters::default(),
            delivery: Delivery::Whole,
            cache_key: None,
            room: None,
        };
        let body = Messages::new(Quirks::default(), "p/m").body("m", &request);
        let body = body.concat();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let is_image = body["messages"][0]["content"][1]["type"] == "image";
        assert_eq!(is_image, fits, "{size}");
    }
}
