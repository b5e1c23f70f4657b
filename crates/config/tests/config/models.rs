//! Model profiles, dialects, prices, small models, images, and the addresses
//! and kinds of the two newer wire formats.

use crate::support::{World, provider};
use tenon_config::{Choice, KeySource, ModelProfile, managed_model, provider_named};
use tenon_model::{Auth, Dialect, ImageDetail, Kind, Prices, Reach};

fn configured(provider: &str) -> World {
    World::new().user(&format!(
        r#"{{"providers": {{"p": {{"base_url": "http://x/v1", {provider}}}}}}}"#
    ))
}

#[test]
fn a_model_is_a_name_or_a_profile() {
    let world = configured(
        r#""models": ["plain", {"id": "full", "context_window": 5, "max_tokens": 6, "reasoning_effort": "high",
           "temperature": 0.5, "vision": false, "dialect": "markdown", "prices": {"input": 1, "output": 2.5, "cached": 0.1}}]"#,
    );
    let resolved = world.resolved();
    let found = resolved.provider.clone().unwrap();
    assert_eq!(found.models, ["plain", "full"]);
    assert_eq!(
        found.profile("full").unwrap(),
        &ModelProfile {
            id: "full".into(),
            context_window: Some(5),
            max_tokens: Some(6),
            reasoning_effort: Some("high".into()),
            temperature: Some(0.5),
            vision: Some(false),
            dialect: Some(Dialect::Markdown),
            prices: Some(Prices {
                input: 1.0,
                output: 2.5,
                cached: Some(0.1),
                cache_write: None,
            }),
        }
    );
    assert_eq!(found.dialect_of("full"), Dialect::Markdown);
    assert_eq!(found.dialect_of("plain"), Dialect::Auto);
    assert_eq!(found.dialect_of("nobody"), Dialect::Auto);
    assert_eq!(resolved.window_of(&found, "full"), Some(5));
    assert_eq!(resolved.window_of(&found, "plain"), None);
}

#[test]
fn a_slip_in_a_profile_has_its_line_and_its_remedy() {
    for (models, expected) in [
        (
            "[\n{\"id\": \"a\",\n\"context\": 5}]",
            "W/home/tenon.jsonc:3:1: unknown key `context` in `providers.p.models.0`",
        ),
        (
            "[\"a\",\n{\"vision\": true}]",
            "W/home/tenon.jsonc:2:1: `providers.p.models.1`: `id`, the model's name on the server, is missing",
        ),
        (
            "[\n{\"id\": \"a\", \"visoin\": true}]",
            "did you mean `vision`?",
        ),
        (
            "[\n{\"id\": \"a\", \"vision\": \"yes\"}]",
            "`providers.p.models.0.vision`: expected true or false, found \"yes\"",
        ),
        (
            "[{\"id\": \"a\", \"dialect\": \"xml\"}]",
            "expected one of auto, native, markdown",
        ),
        (
            "[{\"id\": \"a\", \"prices\": {\"input\": 1}}]",
            "`output`, in dollars per million tokens, is missing",
        ),
        (
            "[{\"id\": \"a\", \"prices\": {\"input\": -1, \"output\": 1}}]",
            "expected dollars per million tokens, found -1",
        ),
        (
            "[{\"id\": \"a\", \"prices\": {\"input\": 1, \"output\": 1, \"in\": 1}}]",
            "unknown key `in`",
        ),
        ("[{\"id\": \"a\", \"max_tokens\": 0}]", "of at least 1"),
        ("[\" \"]", "a model without a name"),
        ("[3]", "expected the name of a model or an object"),
        ("\"a\"", "write it as a list: [\"a\"]"),
    ] {
        let error = configured(&format!("\"models\": {models}")).error();
        assert!(error.contains(expected), "{models}: {error}");
    }
}

#[test]
fn the_profile_of_a_model_is_above_what_holds_for_all_and_below_the_flags_of_a_run() {
    let world = World::new().user(
        r#"{"temperature": 0.1, "max_tokens": 10, "reasoning_effort": "low", "context": {"window": 7},
            "providers": {"p": {"base_url": "http://x", "models": [
              {"id": "m", "temperature": 0.9, "max_tokens": 20, "reasoning_effort": "high", "context_window": 9}]}}}"#,
    );
    let of = |world: &World, model: &str| {
        let resolved = world.resolved();
        let provider = resolved.provider.clone().unwrap();
        let window = resolved.window_of(&provider, model);
        (resolved.parameters_of(&provider, model), window)
    };
    let (own, window) = of(&world, "m");
    assert_eq!((own.temperature, own.max_tokens), (Some(0.9), Some(20)));
    assert_eq!(
        (own.reasoning_effort.as_deref(), window),
        (Some("high"), Some(9))
    );
    let (other, window) = of(&world, "other");
    assert_eq!((other.temperature, other.max_tokens), (Some(0.1), Some(10)));
    assert_eq!(
        (other.reasoning_effort.as_deref(), window),
        (Some("low"), Some(7))
    );
    let world = world
        .flag("reasoning_effort", "minimal")
        .env("TENON_TEMPERATURE", "0.3");
    let (run, _) = of(&world, "m");
    assert_eq!((run.temperature, run.max_tokens), (Some(0.3), Some(20)));
    assert_eq!(run.reasoning_effort.as_deref(), Some("minimal"));
}

#[test]
fn the_dialect_of_a_run_is_above_all_others() {
    let world = World::new().user(
        r#"{"dialect": "native", "providers": {
            "p": {"base_url": "http://x", "models": [{"id": "m", "dialect": "auto"}]},
            "q": {"base_url": "http://y", "dialect": "markdown"}}}"#,
    );
    let of = |world: &World, name: &str, model: &str| {
        let found = world.resolve_with(&provider(name)).unwrap().provider;
        found.unwrap().dialect_of(model)
    };
    assert_eq!(of(&world, "p", "m"), Dialect::Auto);
    assert_eq!(of(&world, "p", "n"), Dialect::Native);
    assert_eq!(of(&world, "q", "m"), Dialect::Markdown);
    let world = world.flag("dialect", "markdown");
    assert_eq!(of(&world, "p", "m"), Dialect::Markdown);
    let world = world.flag("dialect", "native");
    assert_eq!(of(&world, "q", "m"), Dialect::Native);
}

#[test]
fn prices_of_a_provider_need_both_ends() {
    let found = configured(r#""prices": {"input": 1, "output": 2, "cache_write": 3}"#)
        .resolved()
        .provider
        .unwrap();
    assert_eq!(
        found.prices.unwrap(),
        Prices {
            input: 1.0,
            output: 2.0,
            cached: None,
            cache_write: Some(3.0)
        }
    );
    for (prices, lacking) in [
        (r#"{"input": 1}"#, "prices.output"),
        (r#"{"cached": 1}"#, "prices.input"),
    ] {
        let error = configured(&format!("\"prices\": {prices}")).error();
        assert!(error.contains(lacking), "{error}");
        assert!(error.contains("need both `input` and `output`"), "{error}");
    }
    let error = configured(r#""prices": {"input": "cheap", "output": 1}"#).error();
    assert!(error.contains("expected a number from 0"), "{error}");
}

#[test]
fn openai_speaks_responses_when_told_so() {
    let world = World::new().user(r#"{"providers": {"openai": {"type": "responses"}}}"#);
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.kind, found.base_url.as_str(), found.auth),
        (Kind::Responses, "https://api.openai.com/v1", Auth::Bearer)
    );
    assert_eq!(found.key, KeySource::Env(vec!["OPENAI_API_KEY".into()]));
}

#[test]
fn a_server_of_ones_own_that_speaks_messages_gets_its_key_where_that_format_has_it() {
    let found = configured(r#""type": "anthropic""#)
        .resolved()
        .provider
        .unwrap();
    assert_eq!(
        (found.kind, found.auth),
        (Kind::Messages, Auth::Header("x-api-key".into()))
    );
}

#[test]
fn an_address_goes_with_or_without_the_version_wherever_it_is_written() {
    let cases = [
        ("anthropic", "http://proxy:1", "http://proxy:1/v1"),
        ("anthropic", "http://proxy:1/", "http://proxy:1/v1"),
        ("anthropic", "http://proxy:1/v1", "http://proxy:1/v1"),
        ("anthropic", "http://proxy:1/v1/", "http://proxy:1/v1"),
        (
            "anthropic",
            "https://gate.example/anthropic",
            "https://gate.example/anthropic/v1",
        ),
        (
            "anthropic",
            "https://gate.example/v2",
            "https://gate.example/v2",
        ),
        (
            "anthropic",
            "https://gate.example/v1/messages",
            "https://gate.example/v1",
        ),
        ("openai", "https://gate.example", "https://gate.example/v1"),
        (
            "openai",
            "https://gate.example/v1/",
            "https://gate.example/v1",
        ),
        (
            "openai",
            "https://gate.example/openai",
            "https://gate.example/openai",
        ),
    ];
    for (name, url, expected) in cases {
        let variable = format!("{}_BASE_URL", name.to_ascii_uppercase());
        let file = format!(r#"{{"providers": {{"{name}": {{"base_url": "{url}"}}}}}}"#);
        for world in [
            World::new().env(&variable, url),
            World::new().user(&file),
            World::new()
                .env("TENON_PROVIDER", name)
                .env("TENON_BASE_URL", url),
        ] {
            let choice = if world.resolved().provider.is_some() {
                Choice::default()
            } else {
                provider(name)
            };
            let found = world.resolve_with(&choice).unwrap();
            assert_eq!(found.provider.unwrap().base_url, expected, "{url}");
        }
    }
    let error = World::new()
        .env("ANTHROPIC_BASE_URL", "gate.example")
        .resolve_with(&provider("anthropic"))
        .unwrap_err();
    assert!(error.to_string().contains("must start with http"));
}

#[test]
fn what_speaks_like_anthropic_is_completed_as_its_own_libraries_would() {
    let address = |entry: &str| {
        let file = format!(r#"{{"providers": {{"work": {entry}}}}}"#);
        World::new()
            .user(&file)
            .resolved()
            .provider
            .unwrap()
            .base_url
    };
    for (entry, expected) in [
        (
            r#"{"preset": "anthropic", "base_url": "http://gate:1"}"#,
            "http://gate:1/v1",
        ),
        (
            r#"{"type": "messages", "base_url": "https://api.example/anthropic"}"#,
            "https://api.example/anthropic/v1",
        ),
        (
            r#"{"base_url": "https://api.anthropic.com"}"#,
            "https://api.anthropic.com/v1",
        ),
        // Others may mean a bare host as it stands.
        (r#"{"base_url": "http://gate:1"}"#, "http://gate:1"),
        (
            r#"{"type": "responses", "base_url": "http://gate:1"}"#,
            "http://gate:1",
        ),
    ] {
        assert_eq!(address(entry), expected, "{entry}");
    }
}

#[test]
fn the_login_of_codex_is_the_key_of_its_preset() {
    let found = World::new()
        .resolve_with(&provider("codex"))
        .unwrap()
        .provider
        .unwrap();
    assert_eq!((found.key, found.kind), (KeySource::Codex, Kind::Responses));
    assert_eq!(found.codex_home, None);
    assert!(!found.allow_api_key_fallback);
    assert!(found.quirks.omits("max_output_tokens"));
    let world = World::new().user(
        r#"{"providers": {"work": {"preset": "codex", "codex_home": "login", "allow_api_key_fallback": true}}}"#,
    );
    let found = world.resolved().provider.unwrap();
    assert_eq!(found.key, KeySource::Codex);
    assert_eq!(found.codex_home.unwrap(), world.path("home/login"));
    assert!(found.allow_api_key_fallback);
}

#[test]
fn a_small_model_is_only_what_somebody_named() {
    let small = |world: &World| world.resolved().small.map(|small| small.name);
    assert_eq!(small(&configured(r#""models": ["tiny"]"#)), None);
    let world = World::new().env("LLM_SMALL_FAST_MODEL", "fast");
    assert_eq!(small(&world).as_deref(), Some("fast"));
    let world = world.user(r#"{"small_model": "groq/quick"}"#);
    assert_eq!(small(&world).as_deref(), Some("groq/quick"));
    assert_eq!(small(&world.flag("small_model", " ")), None);
}

#[test]
fn images_have_a_size_and_a_detail() {
    let world = World::new().env("TENON_BASE_URL", "http://x");
    let resolved = world.resolved();
    assert_eq!(resolved.tools.image_bytes, 8 * 1024 * 1024);
    let detail = |world: &World| world.resolved().provider.unwrap().quirks.image_detail;
    assert_eq!(detail(&world), ImageDetail::Auto);
    let world = world.user(r#"{"multimodal": {"detail": "low", "max_bytes": 1000}}"#);
    assert_eq!(detail(&world), ImageDetail::Low);
    assert_eq!(world.resolved().tools.image_bytes, 1000);
}

#[test]
fn a_private_address_is_known_by_its_looks() {
    let reach = |url: &str| {
        let world = World::new().env("TENON_BASE_URL", url);
        world.resolved().provider.unwrap().reach
    };
    for url in [
        "http://localhost:1",
        "http://gpu-box:8000/v1",
        "http://10.0.0.1",
        "http://[fd00::1]/v1",
        "http://0.0.0.0:1",
        "http://a.local",
    ] {
        assert_eq!(reach(url), Reach::Local, "{url}");
    }
    for url in [
        "https://api.example.com/v1",
        "http://8.8.8.8",
        "https://localhost.evil.test",
    ] {
        assert_eq!(reach(url), Reach::Remote, "{url}");
    }
    let world = World::new()
        .user(r#"{"providers": {"vllm": {"base_url": "https://vllm.example.com/v1"}}}"#);
    assert_eq!(world.resolved().provider.unwrap().reach, Reach::Remote);
}

#[test]
fn a_project_that_nobody_trusts_chooses_a_dialect_and_nothing_of_a_provider() {
    let world = configured(r#""models": [{"id": "mine", "prices": {"input": 1, "output": 1}}]"#)
        .project(
            r#"{"model": "mine", "dialect": "markdown", "small_model": "spy", "multimodal": {"max_bytes": 100},
                "providers": {"p": {"prices": {"input": 0, "output": 0}, "vision": true, "dialect": "native",
                  "allow_api_key_fallback": true, "codex_home": "/tmp", "models": [{"id": "theirs"}], "type": "responses"}}}"#,
        );
    let resolved = world.resolved();
    let found = resolved.provider.unwrap();
    assert_eq!(
        (found.model.as_deref(), found.kind),
        (Some("mine"), Kind::Chat)
    );
    assert_eq!(found.models, ["mine"]);
    assert_eq!((found.vision, found.prices), (None, None));
    assert_eq!(found.dialect_of("mine"), Dialect::Markdown);
    assert!(!found.allow_api_key_fallback);
    assert_eq!((resolved.small, resolved.tools.image_bytes), (None, 100));
    let world = world.project(r#"{"multimodal": {"max_bytes": 100000000}}"#);
    assert!(
        !world.loaded().ignored().is_empty(),
        "a project must not raise a limit"
    );
}

#[test]
fn a_provider_can_be_had_by_name_unless_the_administrator_chose_another() {
    let world = World::new().user(
        r#"{"default_provider": "a", "providers": {"a": {"base_url": "http://a"}, "b": {"base_url": "http://b"}}}"#,
    );
    let loaded = world.loaded();
    assert_eq!(provider_named(&loaded, "b").unwrap().base_url, "http://b");
    assert_eq!(
        provider_named(&loaded, "groq").unwrap().base_url,
        "https://api.groq.com/openai/v1"
    );
    assert!(provider_named(&loaded, "nobody").is_err());
    assert!(provider_named(&loaded, "claudecode").is_err());
    assert_eq!(managed_model(&loaded), None);
    let choice = Choice::default();
    assert_eq!(
        world.resolve_with(&choice).unwrap().provider.unwrap().name,
        "a"
    );
}
