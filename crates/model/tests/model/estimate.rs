//! The estimate of tokens, held against figures that servers reported.

use crate::support::{decode, transcript};
use std::sync::Arc;
use tenon_model::{
    Delivery, Entry, Parameters, Prefix, Request, estimate_message, estimate_text, estimate_tokens,
};
use tenon_vocab::Message;

fn request(system: &str, entries: Vec<Arc<Entry>>) -> Request {
    Request {
        prefix: Arc::new(Prefix {
            system: system.into(),
            tools: Vec::new(),
        }),
        entries,
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    }
}

#[test]
fn texts_come_near_to_what_tokenizers_count() {
    // The mean of what o200k_base and cl100k_base count.
    for (text, counted) in [
        (
            "The quick brown fox jumps over the lazy dog. ".repeat(40),
            401,
        ),
        (
            "fn main() {\n    let total: u64 = items.iter().map(|item| item.price).sum();\n}\n"
                .repeat(20),
            480,
        ),
        (
            "{\"path\":\"src/main.rs\",\"line\":42,\"text\":\"let x = 1;\"}\n".repeat(20),
            400,
        ),
        ("今天天气很好，我们去公园散步吧。".repeat(30), 480),
        ("吾輩は猫である。名前はまだ無い。".repeat(30), 525),
        (
            "오늘은 날씨가 좋아서 공원에 산책하러 갔습니다. ".repeat(20),
            481,
        ),
        (
            "Съешь же ещё этих мягких французских булок. ".repeat(20),
            421,
        ),
        ("Zażółć gęślą jaźń, bo jutro będzie padać. ".repeat(20), 401),
    ] {
        let estimated = estimate_text(&text);
        let start: String = text.chars().take(30).collect();
        assert!(
            estimated >= counted * 3 / 4 && estimated <= counted * 4 / 3,
            "estimated {estimated}, counted {counted}: {start}"
        );
    }
    assert_eq!(estimate_text(""), 0);
}

/// SmolLM2's own count of its answer, from a real server.
#[test]
fn an_answer_comes_near_to_the_count_of_its_server() {
    let (_, body) = transcript("llama_chat_tools_auto");
    let run = decode([body.as_slice()]);
    let counted = run.finished().usage.expect("a count").output;
    let estimated = estimate_text(&run.text());
    assert!(
        estimated >= counted * 2 / 3 && estimated <= counted * 3 / 2,
        "estimated {estimated}, counted {counted}"
    );
}

#[test]
fn a_request_is_the_sum_of_its_parts_and_grows() {
    let first = Arc::new(Entry::new(Arc::new(Message::user(
        "Read the file notes.txt",
    ))));
    let one = estimate_tokens(&request("You have tools.", vec![first.clone()]));
    let two = estimate_tokens(&request(
        "You have tools.",
        vec![first.clone(), first.clone()],
    ));
    assert_eq!(two - one, estimate_message(&first.message));
    assert_eq!(estimate_tokens(&request("", Vec::new())), 0);
}
