//! Providers that variables make, or change.

use super::env;
use crate::support::{World, provider};
use tenon_config::{KeySource, Origin, SmallNamed};
use tenon_model::Kind;

#[test]
fn an_address_and_a_model_in_the_environment_are_enough() {
    let world = World::new()
        .env("TENON_BASE_URL", "http://localhost:8000/v1/")
        .env("TENON_MODEL", "m");
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.name.as_str(), found.kind, found.base_url.as_str()),
        ("env", Kind::Chat, "http://localhost:8000/v1")
    );
    assert_eq!(
        (found.model.as_deref(), found.key),
        (Some("m"), KeySource::None)
    );
    assert_eq!(
        found.base_url_origin,
        Origin::Environment("TENON_BASE_URL".into())
    );
    let world = world.env("TENON_API_KEY", "k");
    assert_eq!(
        world.resolved().provider.unwrap().key,
        env(&["TENON_API_KEY"])
    );
    let world = World::new().env("TENON_BASE_URL", "http://x");
    assert_eq!(world.resolved().provider.unwrap().model, None);
}

#[test]
fn nothing_configured_means_no_provider_even_when_keys_lie_about() {
    let world = World::new()
        .env("OPENAI_API_KEY", "k")
        .env("TENON_MODEL", "m")
        .env("OPENAI_BASE_URL", "http://x");
    assert!(world.resolved().provider.is_none());
}

#[test]
fn an_address_in_the_environment_is_above_the_provider_of_a_file() {
    let world = World::new()
        .user(r#"{"default_provider": "a", "model": "file", "providers": {"a": {"base_url": "http://a", "api_key_env": "A"}}}"#)
        .env("TENON_BASE_URL", "http://b");
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (
            found.base_url.as_str(),
            found.key.clone(),
            found.model.clone()
        ),
        ("http://b", KeySource::None, None)
    );
    let found = world
        .resolve_with(&provider("a"))
        .unwrap()
        .provider
        .unwrap();
    assert_eq!(
        (found.base_url.as_str(), found.key),
        ("http://a", env(&["A"]))
    );
}

#[test]
fn a_provider_named_by_variable_takes_address_and_key_from_variables() {
    let world = World::new()
        .env("TENON_PROVIDER", "groq")
        .env("TENON_API_KEY", "k");
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.base_url.as_str(), found.key),
        ("https://api.groq.com/openai/v1", env(&["TENON_API_KEY"]))
    );
    let world = world.env("TENON_BASE_URL", "http://proxy/v1");
    assert_eq!(
        world.resolved().provider.unwrap().base_url,
        "http://proxy/v1"
    );
}

#[test]
fn the_variables_of_the_llm_kind_work_as_given_and_yield_to_a_configuration() {
    let world = World::new()
        .env("LLM_BASE_URL", "https://proxy.example")
        .env("LLM_AUTH_TOKEN", "t")
        .env("LLM_DEFAULT_MODEL", "big")
        .env("LLM_SMALL_FAST_MODEL", "small");
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.base_url.as_str(), found.key.clone()),
        ("https://proxy.example", env(&["LLM_AUTH_TOKEN"]))
    );
    assert_eq!(
        (found.model.as_deref(), found.models.clone()),
        (Some("big"), vec!["big".to_owned(), "small".to_owned()])
    );
    let world = world.user(r#"{"providers": {"a": {"base_url": "http://a"}}}"#);
    assert_eq!(world.resolved().provider.unwrap().name, "a");
    let world = world.env("TENON_BASE_URL", "http://mine");
    let found = world.resolved().provider.unwrap();
    assert_eq!(
        (found.base_url.as_str(), found.key),
        ("http://mine", KeySource::None)
    );
}

#[test]
fn openais_variables_hold_for_openai_only() {
    let world = World::new()
        .env("OPENAI_BASE_URL", "http://proxy/v1")
        .env("OPENAI_API_KEY", "k");
    let found = world
        .resolve_with(&provider("openai"))
        .unwrap()
        .provider
        .unwrap();
    assert_eq!(
        (found.base_url.as_str(), found.key),
        ("http://proxy/v1", env(&["OPENAI_API_KEY"]))
    );
    let found = world
        .resolve_with(&provider("groq"))
        .unwrap()
        .provider
        .unwrap();
    assert_eq!(found.base_url, "https://api.groq.com/openai/v1");
}

#[test]
fn the_variables_of_services_are_above_the_files_and_below_the_administrator() {
    for (name, variable) in [
        ("openai", "OPENAI_BASE_URL"),
        ("anthropic", "ANTHROPIC_BASE_URL"),
    ] {
        let file = format!(r#"{{"providers": {{"{name}": {{"base_url": "http://file/v1"}}}}}}"#);
        let world = World::new().user(&file).env(variable, "http://proxy/v1");
        let found = world.resolved().provider.unwrap();
        assert_eq!(
            (found.base_url.as_str(), &found.base_url_origin),
            ("http://proxy/v1", &Origin::Environment(variable.into()))
        );
        // Only for the provider of that very name.
        let other = file.replace(name, "other");
        let world = World::new().user(&other).env(variable, "http://proxy/v1");
        assert_eq!(
            world.resolved().provider.unwrap().base_url,
            "http://file/v1"
        );
    }
    let Some(world) = crate::managed::world() else {
        return;
    };
    let world = world
        .managed(r#"{"default_provider": "openai", "providers": {"openai": {"base_url": "http://fixed/v1"}}}"#)
        .env("OPENAI_BASE_URL", "http://proxy/v1")
        .env("TENON_BASE_URL", "http://mine/v1");
    assert_eq!(
        world.resolved().provider.unwrap().base_url,
        "http://fixed/v1"
    );
}

#[test]
fn the_small_model_of_the_llm_kind_is_the_servers_whatever_slashes_it_has() {
    for written in ["azure/gpt-5-mini", "env/azure/gpt-5-mini"] {
        let found = World::new()
            .env("LLM_BASE_URL", "http://127.0.0.1:1")
            .env("LLM_DEFAULT_MODEL", "azure/gpt-5-1")
            .env("LLM_SMALL_FAST_MODEL", written)
            .resolved();
        assert_eq!(
            found.provider.unwrap().models,
            ["azure/gpt-5-1", "azure/gpt-5-mini"]
        );
        assert_eq!(found.small.unwrap().named, SmallNamed::OfLlmServer);
    }
}

#[test]
fn dashscope_takes_the_older_key_first() {
    let found = World::new()
        .resolve_with(&provider("dashscope"))
        .unwrap()
        .provider
        .unwrap();
    assert_eq!(found.key, env(&["AGENT_API_KEY", "DASHSCOPE_API_KEY"]));
}
