//! Secrets on their way to the log: masked in what the model says and in what
//! tools give, before anybody else sees it.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, results, until_finished};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tenon_engine::Engine;
use tenon_model::{Identity, Window, WindowSource};
use tenon_policy::{Facts, Masker, Subject};
use tenon_tools::{Host, Tool, ToolSource, Workspace};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{
    Command, Display, Effect, Event, EventKind, FileEntry, HookFired, SessionId, Status,
    ToolOutput, ToolSpec,
};

/// Put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

fn everything(events: &[Arc<Event>]) -> String {
    events
        .iter()
        .map(|event| serde_json::to_string(&**event).unwrap() + "\n")
        .collect()
}

fn log(world: &World, id: SessionId) -> String {
    let path = world.store.load(id).unwrap().path;
    std::fs::read_to_string(path).unwrap()
}

fn hooks(events: &[Arc<Event>]) -> Vec<(String, String)> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Hook(HookFired {
                event,
                hook,
                result,
                message,
                ..
            }) => {
                assert_eq!((hook.as_str(), result.as_str()), ("mask-secrets", "warn"));
                Some((event.clone(), message.clone().unwrap_or_default()))
            }
            _ => None,
        })
        .collect()
}

fn deltas(events: &[Arc<Event>]) -> String {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::MessageDelta(delta) => Some(delta.text.as_str()),
            _ => None,
        })
        .collect()
}

/// A reply that comes letter by letter.
fn spelled(text: &str) -> Turn {
    let mut turn = Turn::text("");
    turn.pieces = text
        .chars()
        .map(|letter| (Duration::from_millis(40), letter.to_string()))
        .collect();
    turn
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_the_model_spells_is_masked_in_stream_message_and_log() {
    let (world, id) = (World::new(), SessionId::generate());
    let text = format!("The key is {} and a task-1.", secret());
    let model = Scripted::new([spelled(&text)]);
    let events = world.run(id, &model, "which key?").await;
    let masked = "The key is [masked:github-token] and a task-1.";
    assert_eq!(deltas(&events), masked);
    assert!(!everything(&events).contains(&secret()));
    assert!(!log(&world, id).contains(&secret()));
    assert!(log(&world, id).contains(masked));
    assert_eq!(
        hooks(&events),
        [(
            String::from("AfterModelResponse"),
            String::from("1 secret masked: github-token")
        )]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_gives_is_masked_and_the_model_gets_the_masked_form() {
    let (world, id) = (World::new(), SessionId::generate());
    let input = json!({"text": secret()}).to_string();
    let model = Scripted::new([Turn::call("a", "look", &input), Turn::text("done")]);
    let events = world.run(id, &model, "look").await;
    assert_eq!(results(&events)[0].1, r#"{"text":"[masked:github-token]"}"#);
    assert!(!everything(&events).contains(&secret()));
    for body in model.bodies() {
        assert!(!String::from_utf8_lossy(&body).contains(&secret()));
    }
    let events: Vec<String> = hooks(&events).into_iter().map(|(event, _)| event).collect();
    assert_eq!(events, ["AfterModelResponse", "PostToolUse"]);
    world.verify(id);
}

/// Keeps the inputs that it was run with.
#[derive(Clone)]
struct Witness {
    spec: Arc<ToolSpec>,
    inputs: Arc<Mutex<Vec<Value>>>,
    gives: ToolOutput,
}

impl Witness {
    fn new() -> Self {
        Self {
            spec: Arc::new(ToolSpec {
                name: "wait".into(),
                description: "for this test".into(),
                parameters: json!({"type": "object", "properties": {}}),
                effect: Effect::Execute,
                source: "test".into(),
            }),
            inputs: Arc::default(),
            gives: ToolOutput::ok(json!({}), "seen", Display::Nothing),
        }
    }
}

impl Tool for Witness {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        Facts {
            tool: self.spec.name.clone(),
            effect: self.spec.effect,
            subject: Subject::Nothing,
            input: input.to_string(),
        }
    }

    fn preview(&self, _: &Value, _: &Workspace) -> Display {
        Display::Nothing
    }

    fn run<'a>(&'a self, input: Value, _: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            self.inputs.lock().unwrap().push(input);
            self.gives.clone()
        })
    }
}

impl ToolSource for Witness {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_runs_with_the_exact_input_and_only_its_record_is_masked() {
    let (world, id) = (World::new(), SessionId::generate());
    let input = json!({"header": format!("Authorization: Bearer {}", secret()), "n": 1});
    let model = Scripted::new([
        Turn::call("a", "wait", &input.to_string()),
        Turn::text("done"),
    ]);
    let witness = Witness::new();
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.toolbox.add(&witness);
    let mut handle = Engine::start(id, parts);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: Vec::new(),
    });
    let events = until_finished(&mut handle).await;
    assert_eq!(*witness.inputs.lock().unwrap(), [input]);
    let recorded = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolUse(used) => Some(used.input.clone()),
        _ => None,
    });
    assert_eq!(
        recorded.unwrap(),
        json!({"header": "Authorization: Bearer [masked:github-token]", "n": 1})
    );
    assert!(!log(&world, id).contains(&secret()));
    assert!(!String::from_utf8_lossy(&model.bodies()[1]).contains(&secret()));
}

/// The lines of a private key, none of which is one by itself to a tool that
/// finds lines.
fn key_lines() -> Vec<String> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut seed = 7_u64;
    let mut line = |width: usize| -> String {
        let letters = (0..width).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            LETTERS[usize::try_from(seed >> 58).unwrap()] as char
        });
        letters.collect()
    };
    let sign = |word: &str| format!("-----{word} RSA PRIVATE {}-----", "KEY");
    let inner = [line(64), line(64), line(64), line(30)];
    [vec![sign("BEGIN")], inner.to_vec(), vec![sign("END")]].concat()
}

#[tokio::test(start_paused = true)]
async fn the_lines_of_a_key_are_masked_in_every_field_of_a_result_that_has_them() {
    let (world, id) = (World::new(), SessionId::generate());
    let lines = key_lines();
    let entry = |(at, line): (usize, &String)| FileEntry {
        path: String::from("deploy.pem"),
        line: Some(at as u64 + 1),
        text: Some(line.clone()),
    };
    let display = Display::Files {
        summary: String::from("6 lines"),
        entries: lines.iter().enumerate().map(entry).collect(),
    };
    let matches: Vec<Value> = lines.iter().map(|line| json!({"text": line})).collect();
    let middle = json!({"matches": matches, "content": lines[2..4].join("\n")});
    let mut witness = Witness::new();
    witness.gives = ToolOutput::ok(middle, lines[2..].join("\n"), display);
    let input = json!({"text": lines[1]});
    let model = Scripted::new([
        Turn::call("a", "wait", &input.to_string()),
        Turn::text("done"),
    ]);
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.toolbox.add(&witness);
    let mut handle = Engine::start(id, parts);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: Vec::new(),
    });
    let events = until_finished(&mut handle).await;
    let sent = String::from_utf8_lossy(&model.bodies()[1]).into_owned();
    for text in [everything(&events), log(&world, id), sent] {
        for line in &lines[1..5] {
            assert!(!text.contains(&line[12..]), "{line}\n{text}");
        }
    }
    assert!(everything(&events).contains(r#""line":3,"text":"[masked:private-key]""#));
}

#[tokio::test(start_paused = true)]
async fn an_input_with_a_marker_is_not_written_into_a_file() {
    let (world, id) = (World::new(), SessionId::generate());
    let calls = Turn::call(
        "a",
        "act",
        r#"{"text":"token = \"[masked:github-token]\""}"#,
    )
    .and_call("b", "look", r#"{"text":"[masked:github-token]"}"#);
    let model = Scripted::new([calls, Turn::text("done")]);
    let events = world.run(id, &model, "go").await;
    let texts = results(&events);
    assert!(
        texts[0]
            .1
            .starts_with("error: masked_value: `act` was not run"),
        "{texts:?}"
    );
    assert!(!texts[1].1.starts_with("error"), "{texts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_text_that_breaks_off_is_kept_masked() {
    let (world, id) = (World::new(), SessionId::generate());
    let text = format!("first {} then", secret());
    let model = Scripted::new([spelled(&text).fails(tenon_model::ModelErrorKind::Auth)]);
    let events = world.run(id, &model, "go").await;
    let kept = events.iter().find_map(|event| match &event.kind {
        EventKind::Message(message) if message.status == Status::Broken => Some(message.text()),
        _ => None,
    });
    assert_eq!(kept.unwrap(), "first [masked:github-token] then");
    assert_eq!(hooks(&events).len(), 1);
    assert!(!everything(&events).contains(&secret()));
}

#[tokio::test(start_paused = true)]
async fn what_a_person_typed_is_left_as_typed() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("done")]);
    let events = world.run(id, &model, &format!("use {}", secret())).await;
    assert!(hooks(&events).is_empty());
    assert!(String::from_utf8_lossy(&model.bodies()[0]).contains(&secret()));
}

#[tokio::test(start_paused = true)]
async fn with_the_masking_switched_off_nothing_is_changed() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text(&secret())]);
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.masker = Masker::none();
    let mut handle = Engine::start(id, parts);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: Vec::new(),
    });
    let events = until_finished(&mut handle).await;
    assert!(log(&world, id).contains(&secret()));
    assert!(hooks(&events).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_result_is_whole_in_stream_and_log_with_long_texts_beside_it_and_masked() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world
        .tools
        .push(Arc::new(tenon_tools::files::read::Read::new()));
    let line = format!("{}\n", "x".repeat(99));
    let mut content = line.repeat(400);
    content.push_str(&format!("token = {}\n", secret()));
    std::fs::write(world.root().join("long.txt"), &content).unwrap();
    let input = json!({"path": "long.txt"}).to_string();
    let identity = Identity {
        window: Some(Window {
            tokens: 1_000_000,
            source: WindowSource::User,
        }),
        ..Identity::new("test", "scripted")
    };
    let turns = [Turn::call("a", "read", &input), Turn::text("done")];
    let model = Arc::new(Scripted::with(Format::Chat, identity, turns));
    let events = world.run(id, &model, "read it").await;
    let masked = content.replace(&secret(), "[masked:github-token]");
    let data_of = |kind: &EventKind| match kind {
        EventKind::ToolResult(result) => match &result.envelope {
            tenon_vocab::Envelope::Ok(data) => Some(data.clone()),
            tenon_vocab::Envelope::Err(error) => panic!("{error:?}"),
        },
        _ => None,
    };
    let published = events
        .iter()
        .find_map(|event| data_of(&event.kind))
        .unwrap();
    assert_eq!(published["content"], masked.as_str());
    assert_eq!(published["truncated"], false);
    assert_eq!(published["lines"], 401);
    assert_eq!(published["bytes"], content.len());
    assert!(published["path"].as_str().unwrap().starts_with('/'));
    // The log says the same, in a line that is short.
    let kept = world.store.load(id).unwrap();
    let kept = kept.records.iter().find_map(|it| data_of(&it.event.kind));
    assert_eq!(kept.unwrap(), published);
    let log = log(&world, id);
    assert!(log.lines().all(|line| line.len() < 64 * 1024));
    assert!(log.contains(r#""content":{"$blob":""#));
    assert!(!everything(&events).contains(&secret()) && !log.contains(&secret()));
    world.verify(id);
}
