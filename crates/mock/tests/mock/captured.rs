//! The imitations beside what was captured from the real servers: an event of
//! ours has the fields of theirs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tenon_mock::Options;

use crate::client::{Reply, post_to, questions, start_json, streamed};

/// The fields of each type of event, and of the objects right below.
fn fields(reply: &Reply) -> BTreeMap<String, BTreeSet<String>> {
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, data) in reply.named() {
        let Some(object) = data.as_object() else {
            continue;
        };
        let kind = object["type"].as_str().unwrap().to_owned();
        let known = fields.entry(kind).or_default();
        for (name, value) in object {
            known.insert(name.clone());
            if matches!(name.as_str(), "delta" | "item" | "part" | "content_block")
                && let Value::Object(below) = value
            {
                known.extend(below.keys().map(|key| format!("{name}.{key}")));
            }
        }
    }
    fields
}

fn captured(name: &str) -> Reply {
    let path = format!(
        "{}/../model/tests/wire/{name}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    // A line with the status, then the body.
    let text = std::fs::read_to_string(path).unwrap();
    let (_, body) = text.split_once('\n').unwrap();
    Reply {
        status: 200,
        head: String::new(),
        body: body.as_bytes().to_vec(),
        end: crate::client::End::Complete,
    }
}

async fn ours(server: &str, path: &str) -> Reply {
    let call = json!({"function": {"name": "read_file", "arguments": {"path": "notes.txt"}}});
    let scenarios = json!({"server": server, "scenarios": [
        {"trigger": "call", "steps": [{"response": {"tool_calls": [call]}}]},
    ], "default_response": {"content": "Hello there."}});
    let running = start_json(&scenarios, Options::default()).await;
    let mut whole = Vec::new();
    for prompt in ["call", "say"] {
        let question = questions(prompt).into_iter().find(|(at, _)| *at == path);
        let (_, question) = question.unwrap();
        whole.extend(post_to(&running, path, &streamed(question)).await.body);
    }
    Reply {
        status: 200,
        head: String::new(),
        body: whole,
        end: crate::client::End::Complete,
    }
}

/// Types that both have, and what the real server leaves out of them.
async fn compare(server: &str, path: &str, transcripts: &[&str]) {
    let mut real: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in transcripts {
        for (kind, names) in fields(&captured(name)) {
            real.entry(kind).or_default().extend(names);
        }
    }
    // Beside the format: what the program adds about itself, and a number that
    // one of them gives to one kind of event only.
    let extra = ["timings", "model", "sequence_number"];
    let ours = fields(&ours(server, path).await);
    let kinds: BTreeSet<&String> = ours.keys().filter(|kind| *kind != "error").collect();
    assert_eq!(kinds, real.keys().collect::<BTreeSet<_>>(), "{server}");
    for (kind, names) in &real {
        let wanted: BTreeSet<&String> = names
            .iter()
            .filter(|name| !extra.contains(&name.as_str()))
            .collect();
        let got: BTreeSet<&String> = ours[kind].iter().collect();
        assert_eq!(got, wanted, "{server} {kind}");
    }
}

#[tokio::test]
async fn llama_cpp_messages() {
    let transcripts = ["llama_messages_stream", "llamag_messages_tools_any_stream"];
    compare("llamacpp", "/v1/messages", &transcripts).await;
}

#[tokio::test]
async fn llama_cpp_responses() {
    let transcripts = [
        "llama_responses_stream",
        "llamag_responses_tools_required_stream",
    ];
    compare("llamacpp", "/v1/responses", &transcripts).await;
}

#[tokio::test]
async fn litellm_messages() {
    let transcripts = [
        "litellm_scripted_messages_stream",
        "litellm_scripted_call_messages_stream",
    ];
    compare("litellm", "/v1/messages", &transcripts).await;
}

#[tokio::test]
async fn litellm_responses() {
    let transcripts = [
        "litellm_scripted_responses_stream",
        "litellm_scripted_call_responses_stream",
    ];
    compare("litellm", "/v1/responses", &transcripts).await;
}
