//! A session that changes its model and keeps it (P12).

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;
use tenon_testing::wait_until;

/// Two servers under two names, and a third that nobody configured.
struct World {
    program: Program,
    one: Model,
    two: Model,
}

impl World {
    fn new() -> Self {
        let (program, one, two) = (Program::new(), Model::says("one"), Model::says("two"));
        program.configure(
            &json!({"default_provider": "first", "providers": {
                "first": {"base_url": one.url, "model": "a", "models": ["b", {"id": "c", "reasoning_effort": "high"}]},
                "second": {"type": "messages", "base_url": two.url, "model": "z", "api_key": "k"},
            }})
            .to_string(),
        );
        Self { program, one, two }
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.program.run(args)
    }

    /// Sends lines, each after the last run has ended, and gives the events.
    fn converse(&self, prompts: &[Value]) -> Vec<Value> {
        let mut child = self
            .program
            .command()
            .args(["exec", "--format", "json", "--input-format", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut events: Vec<Value> = Vec::new();
        for line in prompts {
            writeln!(input, "{line}").unwrap();
            if line["type"] != "prompt" {
                continue;
            }
            loop {
                let event: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
                let ended = event["type"] == "run_finished";
                events.push(event);
                if ended {
                    break;
                }
            }
        }
        drop(input);
        for line in output {
            events.push(serde_json::from_str(&line.unwrap()).unwrap());
        }
        assert!(child.wait().unwrap().success());
        events
    }

    fn session(&self) -> String {
        let sessions = self.run(&["sessions", "list", "--json"]).ended(0).json();
        sessions[0]["id"].as_str().unwrap().to_owned()
    }
}

fn asked(model: &Model) -> Vec<Value> {
    model
        .bodies()
        .iter()
        .filter_map(|body| serde_json::from_str(body).ok())
        .filter(|body: &Value| body["messages"].is_array())
        .collect()
}

fn models(model: &Model) -> Vec<String> {
    asked(model)
        .iter()
        .map(|body| body["model"].as_str().unwrap().to_owned())
        .collect()
}

fn prompt(text: &str) -> Value {
    json!({"type": "prompt", "text": text})
}

fn switch(model: &str) -> Value {
    json!({"type": "switch", "model": model})
}

#[test]
fn a_session_changes_its_model_and_its_provider_and_comes_back() {
    let world = World::new();
    world.converse(&[
        prompt("1"),
        switch("b"),
        prompt("2"),
        switch("second/z"),
        prompt("3"),
        switch("first/c"),
        prompt("4"),
    ]);
    assert_eq!(models(&world.one), ["a", "b", "c"]);
    assert_eq!(models(&world.two), ["z"]);
    assert_eq!(asked(&world.one)[2]["reasoning_effort"], "high");
    for model in [&world.one, &world.two] {
        for request in model.requests() {
            assert_eq!(request.violations, Vec::<String>::new(), "{}", request.path);
        }
    }
}

#[test]
fn a_name_that_no_server_knows_is_refused_with_the_nearest_and_the_model_stays() {
    let world = World::new();
    let events = world.converse(&[
        prompt("1"),
        switch("mock-modle"),
        prompt("2"),
        switch("nobody/x"),
        prompt("3"),
    ]);
    assert_eq!(models(&world.one), ["a", "a", "a"]);
    let said = Value::from(events).to_string();
    assert!(said.contains("has no model `mock-modle`"), "{said}");
    assert!(said.contains("mock-model"), "{said}");
    assert!(said.contains("nobody/x"), "{said}");
}

#[test]
fn a_preset_without_its_key_is_not_asked() {
    let world = World::new();
    let events = world.converse(&[prompt("1"), switch("groq/some-model"), prompt("2")]);
    let said = Value::from(events).to_string();
    assert!(said.contains("GROQ_API_KEY"), "{said}");
    assert_eq!(models(&world.one), ["a", "a"]);
}

#[test]
fn a_resumed_session_goes_on_with_its_own_model_unless_a_flag_says_otherwise() {
    let world = World::new();
    world.converse(&[prompt("1"), switch("second/z"), prompt("2")]);
    let id = world.session();
    let resumed = ["sessions", "resume", &id, "-p", "3"];
    world.run(&resumed).ended(0).says("two");
    assert_eq!(models(&world.two), ["z", "z"]);
    let flagged = ["exec", "--session", &id, "--provider", "first", "-p", "4"];
    world.run(&flagged).ended(0).says("one");
    assert_eq!(models(&world.one), ["a", "a"]);
    // From here on that is the session's own.
    let model = ["exec", "--session", &id, "--model", "b", "-p", "5"];
    world.run(&model).ended(0).says("one");
    world.run(&["exec", "--resume", "-p", "6"]).ended(0);
    assert_eq!(models(&world.one), ["a", "a", "b", "b"]);
    assert_eq!(models(&world.two), ["z", "z"]);
}

#[test]
fn a_provider_that_is_no_longer_configured_is_told_of_and_the_configured_one_is_used() {
    let world = World::new();
    world.converse(&[prompt("1"), switch("second/z"), prompt("2")]);
    world.program.configure(
        &json!({"providers": {"first": {"base_url": world.one.url, "model": "a"}}}).to_string(),
    );
    world
        .run(&["exec", "--resume", "-p", "3"])
        .ended(0)
        .says("one")
        .complains("can't use this session's provider `second`");
    assert_eq!(models(&world.one), ["a", "a"]);
}

#[test]
fn one_prompt_to_a_private_address_is_one_request() {
    let world = World::new();
    world.run(&["exec", "-p", "hello"]).ended(0);
    assert_eq!(asked(&world.one).len(), 1);
    // A name alone is not enough for a server that has one place for a session.
    let mut command = world.program.command();
    command
        .args(["exec", "-p", "hello"])
        .env("LLM_SMALL_FAST_MODEL", "b")
        .env("TENON_SMALL_MODEL", "b");
    Ran::of(command.output().unwrap()).ended(0);
    assert_eq!(asked(&world.one).len(), 2);
    assert!(asked(&world.two).is_empty());
}

#[test]
fn side_work_goes_to_the_small_model_that_was_named_with_its_provider() {
    let world = World::new();
    let mut child = world
        .program
        .command()
        .args(["exec", "--format", "json", "--input-format", "json"])
        .env("TENON_SMALL_MODEL", "second/tiny")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", prompt("hello")).unwrap();
    // A session that ends does not wait for its title.
    let titled = wait_until(Duration::from_secs(60), || models(&world.two) == ["tiny"]);
    drop(input);
    child.wait_with_output().unwrap();
    assert!(titled, "{:?}", world.two.bodies());
    assert_eq!(models(&world.one), ["a"]);
}

#[test]
fn a_small_model_is_no_way_around_the_administrators_model() {
    let world = World::new();
    // Not among the temporary files: where anybody may write, nothing is believed.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("managed.jsonc");
    std::fs::write(&file, r#"{"model": "a"}"#).unwrap();
    if std::os::unix::fs::MetadataExt::uid(&file.metadata().unwrap()) != 0 {
        return;
    }
    let mut child = world
        .program
        .command()
        .args(["exec", "--format", "json", "--input-format", "json"])
        .env("TENON_MANAGED_CONFIG", &file)
        .env("TENON_SMALL_MODEL", "second/tiny")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    // A title would be begun after the first of them.
    for text in ["one", "two"] {
        writeln!(input, "{}", prompt(text)).unwrap();
        let ended = |line: std::io::Result<String>| line.unwrap().contains("run_finished");
        assert!(output.any(ended));
    }
    drop(input);
    child.wait().unwrap();
    assert_eq!(models(&world.one), ["a", "a"]);
    assert!(asked(&world.two).is_empty());
}

#[test]
fn a_flag_may_name_provider_and_model_at_once_also_of_a_session() {
    let world = World::new();
    world
        .run(&["exec", "--model", "second/z", "-p", "1"])
        .ended(0)
        .says("two")
        .complains("--provider first");
    world
        .run(&["exec", "--resume", "--model", "first/b", "-p", "2"])
        .ended(0)
        .says("one");
    assert_eq!(models(&world.one), ["b"]);
    assert_eq!(models(&world.two), ["z"]);
}

#[test]
fn the_name_of_a_provider_is_no_model_and_the_way_to_write_it_is_told() {
    let world = World::new();
    let events = world.converse(&[prompt("1"), switch("second"), prompt("2")]);
    let said = Value::from(events).to_string();
    assert!(said.contains("`second/MODEL`"), "{said}");
}

fn agent(name: &str) -> Value {
    json!({"type": "switch", "agent": name})
}

/// The agent of each session, as they are listed.
fn agents(world: &World) -> Vec<String> {
    let sessions = world.run(&["sessions", "list", "--json"]).ended(0).json();
    let sessions = sessions.as_array().unwrap().iter();
    let names = sessions.map(|session| session["agent"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn a_session_goes_on_with_its_own_agent_and_a_copy_with_that_of_its_cut() {
    let world = World::new();
    let events = world.converse(&[prompt("1"), agent("plan"), prompt("2")]);
    let last = events.last().unwrap();
    assert_eq!(last["agent"], "plan", "{last}");
    assert_eq!(agents(&world), ["plan"]);
    let id = world.session();
    world
        .run(&["exec", "--resume", "-p", "3"])
        .ended(0)
        .complains("this session's own agent: plan");
    assert_eq!(agents(&world), ["plan"]);
    // The prompt is what it was, and the agent is told of once.
    let asked = asked(&world.one);
    assert_eq!(asked[0]["tools"], asked[1]["tools"]);
    let tools = asked[2]["tools"].to_string();
    assert!(tools.contains("\"bash\""), "offered as before: {tools}");
    assert_eq!(asked[0]["messages"][0], asked[2]["messages"][0]);
    let all = asked[2].to_string();
    assert_eq!(all.matches("<agent name=").count(), 1, "{all}");
    world.run(&["sessions", "fork", &id, "--at", "2"]).ended(0);
    // In a list a copy stands where it was made.
    assert_eq!(agents(&world), ["build", "plan"]);
    let back = ["exec", "--session", &id, "--agent", "build", "-p", "4"];
    world.run(&back).ended(0);
    assert!(agents(&world).iter().all(|agent| agent == "build"));
    let all = self::asked(&world.one).pop().unwrap().to_string();
    assert_eq!(all.matches("<agent name=").count(), 2, "{all}");
}

#[test]
fn a_provider_is_changed_to_with_its_own_model() {
    let world = World::new();
    let provider = |name: &str| json!({"type": "switch", "provider": name});
    let events = world.converse(&[
        prompt("1"),
        provider("second"),
        prompt("2"),
        provider("nosuch"),
        prompt("3"),
        provider("first"),
        prompt("4"),
    ]);
    assert_eq!(models(&world.one), ["a", "a"]);
    assert_eq!(models(&world.two), ["z", "z"]);
    let said = Value::from(events).to_string();
    assert!(said.contains("There is no provider `nosuch`."), "{said}");
}
