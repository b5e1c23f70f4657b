//! The table of hosted models.

use tenon_model::{Vision, known, preset};

fn input_price(model: &str) -> Option<f64> {
    known(model)?.prices.map(|prices| prices.input)
}

#[test]
fn a_model_is_known_by_its_name_its_date_and_its_makers_name() {
    for (id, window) in [
        ("gpt-4o", 128_000),
        ("gpt-4o-2024-11-20", 128_000),
        ("gpt-4.1-mini", 1_047_576),
        ("GPT-5", 272_000),
        ("gpt-5-2025-08-07", 272_000),
        ("openai/gpt-5", 272_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-sonnet-4-5@20250929", 200_000),
        ("claude-sonnet-4-5-latest", 200_000),
        ("anthropic/claude-sonnet-4.5", 200_000),
        ("google/gemini-2.5-pro", 1_048_576),
        ("gemini-3-flash-preview", 1_048_576),
        ("gemini-2.5-flash-001", 1_048_576),
        ("mistral-large-latest", 262_144),
        ("mistral-large-2512", 262_144),
        ("x-ai/grok-4.3", 1_000_000),
        ("deepseek-chat", 131_072),
        ("openai/gpt-oss-120b", 131_072),
        ("groq/openai/gpt-oss-120b", 131_072),
    ] {
        assert_eq!(known(id).map(|known| known.window), Some(window), "{id}");
    }
}

#[test]
fn a_similar_name_is_not_taken_for_a_known_one() {
    for id in [
        "",
        "gpt",
        "gpt-4",
        "gpt-5-ultra",
        "gpt-4o-my-finetune",
        "my-gpt-4o",
        "claude-sonnet-5-7",
        "qwen3-coder:30b",
        "llama3.2",
        "meta-llama/gpt-4o",
        "openai/claude-sonnet-4-5",
        "gpt-4o/..",
        "gpt-4o-",
    ] {
        assert_eq!(known(id), None, "{id}");
    }
    assert_eq!(known(&"gpt-4o".repeat(1000)), None);
}

#[test]
fn the_longest_entry_wins() {
    assert_eq!(input_price("gpt-4o"), Some(2.5));
    assert_eq!(input_price("gpt-4o-mini-2024-07-18"), Some(0.15));
    assert_eq!(input_price("gpt-4o-2024-05-13"), Some(5.0));
    assert_eq!(input_price("claude-sonnet-5"), Some(2.0));
    assert_eq!(input_price("claude-opus-5-5"), Some(4.0));
}

#[test]
fn a_variant_of_a_router_has_a_window_but_not_the_makers_price() {
    let free = known("deepseek/deepseek-chat:free").unwrap();
    assert_eq!((free.window, free.prices), (131_072, None));
    assert!(free.prefixed);
    assert!(!known("deepseek-chat").unwrap().prefixed);
}

#[test]
fn every_maker_has_a_preset_and_eyes_are_told_apart() {
    for id in [
        "gpt-5",
        "claude-opus-5",
        "gemini-2.5-pro",
        "deepseek-chat",
        "mistral-small-latest",
        "grok-4.5",
        "groq/openai/gpt-oss-20b",
        "qwen-plus",
    ] {
        let found = known(id).unwrap();
        assert!(preset(found.maker).is_some(), "{}", found.maker);
        let prices = found.prices.unwrap();
        assert!(prices.output >= prices.input, "{id}");
        assert!(prices.cached.is_none_or(|cached| cached < prices.input));
    }
    assert_eq!(known("gpt-4o").unwrap().vision, Vision::Yes);
    assert_eq!(known("o3-mini").unwrap().vision, Vision::No);
}
