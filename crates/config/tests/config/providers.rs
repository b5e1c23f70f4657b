mod keys;
mod variables;

use crate::support::{World, provider};
use std::time::Duration;
use tenon_config::{Choice, KeySource, Proxy};
use tenon_model::{Auth, FirstToken, Kind, Timeouts, Verify};

fn env(names: &[&str]) -> KeySource {
    KeySource::Env(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn every_preset_of_a_kind_that_is_spoken_works_by_its_name_alone() {
    for preset in tenon_model::presets()
        .iter()
        .filter(|preset| preset.kind != Kind::External)
    {
        let found = World::new().resolve_with(&provider(preset.name));
        match preset.base_url {
            Some(url) => assert_eq!(found.unwrap().provider.unwrap().base_url, url),
            None => assert!(
                found.unwrap_err().to_string().contains("it isn't set"),
                "{}",
                preset.name
            ),
        }
    }
}

#[test]
fn a_program_with_a_loop_of_its_own_is_refused_and_every_wire_format_is_not() {
    let world = World::new().user(r#"{"default_provider": "a", "providers": {"a": {"base_url": "http://a"}, "c": {"preset": "anthropic"}}}"#);
    assert_eq!(world.resolved().providers["c"].kind, Kind::Messages);
    for (name, kind) in [
        ("c", Kind::Messages),
        ("anthropic", Kind::Messages),
        ("codex", Kind::Responses),
    ] {
        let found = world.resolve_with(&provider(name)).unwrap();
        assert_eq!(found.provider.unwrap().kind, kind);
    }
    let error = world.resolve_with(&provider("claudecode")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("which this version doesn't support yet"),
        "{error}"
    );
}

#[test]
fn azure_is_recognised_by_its_address() {
    let world = World::new()
        .user(r#"{"providers": {"work": {"base_url": "https://r.openai.azure.com/openai/v1"}}}"#);
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.auth, found.key),
        (
            Auth::Header("api-key".into()),
            env(&["AZURE_OPENAI_API_KEY"])
        )
    );
}

#[test]
fn a_provider_without_an_address_is_never_guessed() {
    let world = World::new().user(r#"{"providers": {"mine": {"model": "m"}}}"#);
    let error = world.error();
    assert!(error.starts_with("the provider `mine` has no `base_url`\nwrite `providers.mine.base_url`, or choose a preset: openai"), "{error}");
    let error = World::new()
        .resolve_with(&provider("olama"))
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("did you mean `ollama`?"), "{error}");
}

#[test]
fn of_several_providers_one_must_be_chosen() {
    let world = World::new()
        .user(r#"{"providers": {"a": {"base_url": "http://a"}, "b": {"base_url": "http://b"}}}"#);
    assert_eq!(
        world.error(),
        "several providers are configured: a, b\nchoose one with --provider, --model PROVIDER/MODEL, or `default_provider` in the configuration; `tenon models` lists them"
    );
    assert_eq!(
        world
            .resolve_with(&provider("b"))
            .unwrap()
            .provider
            .unwrap()
            .base_url,
        "http://b"
    );
    let world = world.flag("default_provider", "a");
    assert_eq!(world.resolved().provider.unwrap().name, "a");
}

#[test]
fn the_model_of_a_file_belongs_to_the_provider_of_that_file() {
    let world = World::new().user(
        r#"{"default_provider": "a", "model": "top", "providers": {"a": {"base_url": "http://a", "model": "am"}, "b": {"base_url": "http://b", "model": "bm"}}}"#,
    );
    let model = |world: &World, choice: &Choice| {
        world.resolve_with(choice).unwrap().provider.unwrap().model
    };
    assert_eq!(model(&world, &Choice::default()).as_deref(), Some("top"));
    assert_eq!(model(&world, &provider("b")).as_deref(), Some("bm"));
    let choice = Choice {
        provider: Some("b".into()),
        model: Some("x".into()),
    };
    assert_eq!(model(&world, &choice).as_deref(), Some("x"));
    let world = world.env("TENON_MODEL", "e");
    assert_eq!(model(&world, &provider("b")).as_deref(), Some("e"));
}

#[test]
fn all_fields_of_a_provider_arrive() {
    let world = World::new().env("TOKEN", "t1").user(
        r#"{"providers": {"p": {
            "type": "openai-compatible", "base_url": "http://${HOST:-localhost}:1/v1", "model": "m", "models": ["n"],
            "api_key_command": "pass x", "api_key_env": "IGNORED", "auth": "header:X-Key",
            "headers": {"X-Token": "a-${TOKEN}"}, "context_window": 5, "ca_file": "ca.pem", "client_cert": "/abs.pem",
            "insecure": true, "proxy": "http://proxy:1",
            "timeouts": {"connect_ms": 1, "first_token_ms": 0, "silence_ms": 3},
            "quirks": {"omit": ["temperature"], "max_tokens_field": "max_completion_tokens", "content_null": "omit"}
        }}}"#,
    );
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.kind, found.base_url.as_str()),
        (Kind::Chat, "http://localhost:1/v1")
    );
    assert_eq!(found.models, ["m", "n"]);
    assert_eq!(found.key, KeySource::Command("pass x".into()));
    assert_eq!(found.auth, Auth::Header("X-Key".into()));
    assert_eq!(found.headers, [("X-Token".to_owned(), "a-t1".to_owned())]);
    assert_eq!(found.ca_file.unwrap(), world.path("home/ca.pem"));
    assert_eq!(
        found.client_cert.unwrap(),
        std::path::PathBuf::from("/abs.pem")
    );
    assert_eq!(
        (found.verify, found.proxy),
        (Verify::Insecure, Proxy::Url("http://proxy:1".into()))
    );
    assert_eq!(
        found.timeouts,
        Timeouts {
            connect: Duration::from_millis(1),
            first_token: FirstToken::Never,
            silence: Some(Duration::from_millis(3)),
        }
    );
    assert!(found.quirks.omits("temperature"));
    assert_eq!(
        found.quirks.names(),
        ["omit:temperature", "max_completion_tokens", "content:omit"]
    );
    let resolved = world.resolved();
    let provider = resolved.provider.as_ref().unwrap();
    assert_eq!(resolved.window_of(provider, "any"), Some(5));
}

#[test]
fn a_preset_keeps_its_quirks_where_nothing_else_is_written() {
    let world = World::new().user(
        r#"{"providers": {"work": {"preset": "openai", "quirks": {"content_null": "null"}}}}"#,
    );
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        found.quirks.names(),
        ["max_completion_tokens", "content:null"]
    );
}

#[test]
fn an_unusable_provider_does_not_spoil_the_others() {
    let world = World::new().user(
        r#"{"default_provider": "a", "providers": {"a": {"base_url": "http://a"}, "b": {"base_url": "http://b", "headers": {"X": "${NOPE}"}}}}"#,
    );
    let resolved = world.resolved();
    assert_eq!(resolved.provider.unwrap().name, "a");
    assert!(
        resolved.unusable["b"]
            .to_string()
            .contains("the variable NOPE isn't set")
    );
}

#[test]
fn an_address_is_put_right_or_refused() {
    let of = |url: &str| World::new().env("TENON_BASE_URL", url).resolve();
    let found = of("http://x/v1/chat/completions/").unwrap();
    assert_eq!(found.provider.unwrap().base_url, "http://x/v1");
    assert_eq!(
        found.warnings,
        ["`base_url` must not end in `/chat/completions`; Tenon uses http://x/v1"]
    );
    for url in [
        "localhost:8000",
        "ftp://x",
        "http://",
        "http:///v1",
        "http://a b",
        "https://:80",
    ] {
        let error = of(url).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("variable TENON_BASE_URL: `{url}`: it ")),
            "{error}"
        );
        assert!(
            error.ends_with("an address looks like http://localhost:8000/v1"),
            "{error}"
        );
    }
}

fn model(name: &str) -> Choice {
    Choice {
        provider: None,
        model: Some(name.into()),
    }
}

#[test]
fn a_model_may_name_its_provider() {
    let two = r#""providers": {"a": {"base_url": "http://a", "models": ["b/own"]}, "b": {"base_url": "http://b"}}"#;
    let chosen = |world: &World, name: &str| {
        let resolved = world.resolve_with(&model(name)).unwrap();
        let provider = resolved.provider.unwrap();
        (provider.name, provider.model.unwrap(), resolved.warnings)
    };
    let is = |world: &World, name: &str, provider: &str, model: &str| {
        let (found, its, warnings) = chosen(world, name);
        assert_eq!((found.as_str(), its.as_str()), (provider, model), "{name}");
        warnings
    };
    let none = World::new().user(&format!("{{{two}}}"));
    assert!(is(&none, "b/m", "b", "m").is_empty());
    is(&none, "b/x/y", "b", "x/y");
    is(&none, "ollama/m", "ollama", "m");
    assert!(none.resolve_with(&model("nobody/m")).is_err());
    // With another one chosen it is said, and a preset's name is part of the model's.
    let first = World::new().user(&format!(r#"{{"default_provider": "a", {two}}}"#));
    let warnings = is(&first, "b/m", "b", "m");
    assert!(warnings[0].contains("--provider a"), "{warnings:?}");
    is(&first, "b/own", "a", "b/own");
    is(&first, "a/m", "a", "m");
    is(&first, "openai/gpt-oss-20b", "a", "openai/gpt-oss-20b");
    let flag = Choice {
        provider: Some("a".into()),
        ..model("b/m")
    };
    let provider = first.resolve_with(&flag).unwrap().provider.unwrap();
    assert_eq!(provider.model.as_deref(), Some("b/m"));
    // A service's own models may be called after it.
    let router = World::new().user(r#"{"default_provider": "openrouter"}"#);
    is(&router, "openrouter/auto", "openrouter", "openrouter/auto");
}

#[test]
fn a_name_that_nobody_has_is_told_with_the_users_own_providers() {
    let world = World::new()
        .user(r#"{"providers": {"work": {"base_url": "http://a"}, "empty": {"model": "m"}}}"#);
    let error = |name: &str| world.resolve_with(&provider(name)).unwrap_err().to_string();
    assert_eq!(
        error("wrok"),
        "there is no provider `wrok`\ndid you mean `work`?"
    );
    let nobody = error("zzzzzz");
    assert!(
        nobody.starts_with(
            "there is no provider `zzzzzz`\nchoose one of yours: empty, work; or write"
        ),
        "{nobody}"
    );
    assert!(error("empty").starts_with("the provider `empty` has no `base_url`\n"));
}

#[test]
fn it_is_known_which_quirks_the_user_wrote() {
    let world = World::new().user(
        r#"{"providers": {"work": {"preset": "openai", "quirks": {"content_null": "empty_string", "omit": []}}}}"#,
    );
    let found = world.resolved().provider.unwrap();
    let written: Vec<&str> = found.written_quirks.iter().map(String::as_str).collect();
    assert_eq!(
        written,
        ["content_null", "omit"],
        "also as they are by default"
    );
}
