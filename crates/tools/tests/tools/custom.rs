//! Tools made of a manifest and a program: real programs, real answers.

use crate::support::{World, code, data};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tenon_policy::{Authority, Grants, ReadOnly, ReadingRoom, Rules, Subject, decide, offers};
use tenon_tools::custom::{FolderFile, Manifest};
use tenon_tools::{BuiltIn, CustomTools, Interactive, Tool, ToolFolder, ToolSource, Toolbox};
use tenon_vocab::{Class, Effect, Timestamp, ToolStream};

fn file(text: &str, executable: bool) -> FolderFile {
    FolderFile {
        bytes: text.as_bytes().into(),
        executable,
    }
}

fn manifest(extra: Value) -> Value {
    let mut manifest = json!({
        "description": "Tries something.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        "command": ["./run"],
    });
    for (key, value) in extra.as_object().unwrap() {
        manifest[key] = value.clone();
    }
    manifest
}

fn folder(name: &str, manifest: &Value, program: &str) -> ToolFolder {
    ToolFolder {
        name: name.into(),
        place: format!(".tenon/tools/{name}"),
        files: BTreeMap::from([
            (
                String::from("tool.json"),
                file(&manifest.to_string(), false),
            ),
            (String::from("run"), file(program, true)),
            (String::from("lib/data"), file("from the folder", false)),
        ]),
    }
}

fn tools(world: &World, folders: Vec<ToolFolder>) -> CustomTools {
    CustomTools::new(folders, world.outside().join("store"))
}

fn tool(world: &World, extra: Value, program: &str) -> Arc<dyn Tool> {
    let made = tools(world, vec![folder("probe", &manifest(extra), program)]);
    assert_eq!(made.refused, [""; 0]);
    made.tools().remove(0)
}

async fn run(world: &World, program: &str, input: Value) -> tenon_vocab::ToolOutput {
    let tool = tool(world, json!({}), program);
    world.run(tool.as_ref(), input).await
}

#[tokio::test]
async fn an_envelope_any_json_and_text_are_answers() {
    let world = World::new();
    for (program, expected, text) in [
        (
            "echo '{\"ok\": true, \"data\": {\"n\": 1}}'",
            json!({"n": 1}),
            r#"{"n":1}"#,
        ),
        ("echo '{\"ok\": true}'", Value::Null, "(no data)"),
        ("echo '[1, 2]'", json!([1, 2]), "[1,2]"),
        ("echo '\"plain\"'", json!("plain"), "plain"),
        ("echo no json", json!({"text": "no json\n"}), "no json\n"),
        ("true", json!({"text": ""}), "(no output)"),
    ] {
        let output = run(&world, &format!("#!/bin/sh\n{program}\n"), json!({})).await;
        assert_eq!(*data(&output), expected, "{program}");
        assert_eq!(output.model_text, text, "{program}");
    }
}

#[tokio::test]
async fn the_input_comes_as_json_and_the_folder_is_where_the_variable_says() {
    let world = World::new();
    let program = "#!/bin/sh\nread -r line\nprintf '{\"got\": %s, \"lib\": \"%s\", \"cwd\": \"%s\"}' \"$line\" \"$(cat \"$TENON_TOOL_DIR/lib/data\")\" \"$PWD\"\n";
    let output = run(&world, program, json!({"text": "it's \"quoted\"\n"})).await;
    let data = data(&output);
    assert_eq!(data["got"]["text"], "it's \"quoted\"\n");
    assert_eq!(data["lib"], "from the folder");
    assert_eq!(data["cwd"], world.root().to_str().unwrap());
}

#[tokio::test]
async fn words_of_the_command_stay_words_and_name_files_of_the_folder() {
    let world = World::new();
    let extra = json!({"command": ["sh", "./run", "a b", "$(touch made)", "./lib/data"]});
    let program = "printf '%s|' \"$@\"; cat \"$3\"";
    let tool = tool(&world, extra, program);
    let output = world.run(tool.as_ref(), json!({})).await;
    assert!(
        output.model_text.starts_with("a b|$(touch made)|/")
            && output.model_text.ends_with("/lib/data|from the folder"),
        "{}",
        output.model_text
    );
    assert!(!world.exists("made"));
}

#[tokio::test]
async fn a_failure_says_why() {
    let world = World::new();
    let output = run(
        &world,
        "#!/bin/sh\necho half\necho broken >&2\nexit 3\n",
        json!({}),
    )
    .await;
    assert_eq!(code(&output), "internal");
    assert_eq!(
        output.model_text,
        "error: internal: `probe` failed with exit code 3: broken"
    );
    let output = run(&world, "#!/bin/sh\nexit 1\n", json!({})).await;
    assert!(output.model_text.contains("standard error is empty"));
    let said = r#"{"ok": false, "error": {"code": "not_found", "message": "no such thing", "details": {"near": "x"}}}"#;
    for end in ["0", "1"] {
        let program = format!("#!/bin/sh\necho '{said}'\nexit {end}\n");
        let output = run(&world, &program, json!({})).await;
        assert_eq!(code(&output), "not_found");
        assert_eq!(output.model_text, "error: not_found: no such thing");
        assert_eq!(
            output.envelope.error().unwrap().details,
            Some(json!({"near": "x"}))
        );
    }
    let output = run(
        &world,
        "#!/bin/sh\necho '{\"ok\": false, \"error\": \"no\"}'\n",
        json!({}),
    )
    .await;
    assert_eq!(output.model_text, "error: internal: no");
}

#[tokio::test]
async fn a_tool_cannot_say_that_it_was_denied_or_interrupted() {
    let world = World::new();
    for claimed in [
        "permission_denied",
        "interrupted",
        "unknown_outcome",
        "dry_run",
        "nonsense",
    ] {
        let program = format!(
            "#!/bin/sh\necho '{{\"ok\": false, \"error\": {{\"code\": \"{claimed}\", \"message\": \"x\"}}}}'\n"
        );
        assert_eq!(code(&run(&world, &program, json!({})).await), "internal");
    }
}

#[tokio::test]
async fn standard_error_is_shown_as_it_comes_and_standard_output_is_not() {
    let world = World::new();
    run(
        &world,
        "#!/bin/sh\necho working >&2\necho answer\n",
        json!({}),
    )
    .await;
    let deltas = world.deltas.lock().unwrap();
    assert!(!deltas.is_empty());
    assert!(
        deltas
            .iter()
            .all(|delta| delta.stream == ToolStream::Stderr)
    );
}

#[tokio::test]
async fn a_long_answer_is_cut_and_kept_whole() {
    let mut world = World::new();
    world.limits.output_bytes = 1000;
    let program = "#!/bin/sh\nprintf '{\"ok\": true, \"data\": \"start'\nhead -c 50000 /dev/zero | tr '\\0' x\nprintf 'end\"}'\n";
    let output = run(&world, program, json!({})).await;
    assert!(
        output.model_text.len() < 2000,
        "{}",
        output.model_text.len()
    );
    let text = &output.model_text;
    assert!(text.starts_with("start") && text.ends_with("end"), "{text}");
    let (_, rest) = output
        .model_text
        .split_once("the whole output is in ")
        .unwrap();
    let (path, _) = rest.split_once(", open it").unwrap();
    let kept = std::fs::read_to_string(path).unwrap();
    assert_eq!(kept.len(), 50_008);
    // More than can be read as one value is a text like any other.
    let program = "#!/bin/sh\nprintf '{\"ok\": true, \"data\": \"'\nhead -c 3000000 /dev/zero | tr '\\0' x\nprintf '\"}'\n";
    let output = run(&world, program, json!({})).await;
    assert!(output.model_text.contains("left out"));
    assert!(output.model_text.len() < 3000);
}

#[tokio::test]
async fn a_tool_that_hangs_is_killed_at_its_timeout_with_all_it_started() {
    let world = World::new();
    let tool = tool(
        &world,
        json!({"timeout_secs": 1}),
        "#!/bin/sh\nsleep 1000 & sleep 1000\n",
    );
    let output = world.run(tool.as_ref(), json!({})).await;
    assert_eq!(code(&output), "timeout");
    assert!(output.model_text.contains("timeout_secs"));
}

#[tokio::test]
async fn an_interrupt_ends_it() {
    let world = World::new();
    world.cancelled.cancel();
    let output = run(&world, "#!/bin/sh\nsleep 1000\n", json!({})).await;
    assert_eq!(code(&output), "interrupted");
}

#[tokio::test]
async fn nothing_is_left_of_a_call() {
    let world = World::new();
    run(&world, "#!/bin/sh\necho \"$TENON_TOOL_DIR\"\n", json!({})).await;
    let store = world.outside().join("store");
    assert_eq!(store.read_dir().unwrap().count(), 0);
}

#[test]
fn what_a_tool_claims_decides_nothing_but_the_order_of_calls() {
    let world = World::new();
    let tool = tool(&world, json!({"effect": "read"}), "");
    assert_eq!(tool.spec().effect, Effect::Read);
    assert_eq!(tool.spec().source, "custom");
    let facts = tool.facts(&json!({"text": "x"}), &world.workspace);
    assert_eq!(facts.effect, Effect::Execute);
    assert_eq!(facts.subject, Subject::Nothing);
    let decided = decide(
        &facts,
        &Rules::built_in(),
        &Grants::new(),
        &Authority {
            agent: "build",
            read_only: ReadOnly::No,
            agent_rules: None,
            reading_room: ReadingRoom::Absent,
            mode: Default::default(),
        },
        Timestamp::now(),
    );
    assert_eq!(decided.class, Class::Ask);
    let rules: Vec<String> = offers(&facts).into_iter().map(|offer| offer.rule).collect();
    assert!(rules.iter().all(|rule| rule.contains("probe")), "{rules:?}");
}

#[test]
fn a_manifest_that_is_wrong_says_what_is_wrong() {
    let refusal = |name: &str, manifest: Value| {
        Manifest::parse(name, manifest.to_string().as_bytes()).unwrap_err()
    };
    for (name, extra, part) in [
        ("Probe", json!({}), "lower-case letters"),
        ("1probe", json!({}), "lower-case letters"),
        ("bash", json!({}), "built-in tool `bash`"),
        ("run_command", json!({}), "built-in tool `bash`"),
        ("skill", json!({}), "built-in tool `skill`"),
        ("external_directory", json!({}), "permission rules"),
        ("probe", json!({"name": "other"}), "must be the same"),
        ("probe", json!({"description": " "}), "empty"),
        ("probe", json!({"parameters": []}), "JSON Schema"),
        ("probe", json!({"command": "./run"}), "list of strings"),
        ("probe", json!({"command": []}), "list of strings"),
        (
            "probe",
            json!({"command": ["./../../bin/sh"]}),
            "leaves its folder",
        ),
        ("probe", json!({"command": ["bin/run"]}), "with ./ in front"),
        (
            "probe",
            json!({"effect": "nothing"}),
            "read, write or execute",
        ),
        ("probe", json!({"timeout_secs": 0}), "timeout_secs"),
        ("probe", json!({"comand": []}), "`comand`"),
    ] {
        let said = refusal(name, manifest(extra.clone()));
        assert!(said.contains(part), "{extra}: {said}");
    }
    assert!(
        Manifest::parse("probe", b"{")
            .unwrap_err()
            .contains("not JSON")
    );
    assert!(
        Manifest::parse("probe", b"[]")
            .unwrap_err()
            .contains("not a JSON object")
    );
    assert!(
        Manifest::parse("probe", &vec![b' '; 200_000])
            .unwrap_err()
            .contains("larger")
    );
}

#[test]
fn a_program_that_is_missing_or_cannot_run_is_told_at_the_start() {
    let world = World::new();
    let mut missing = folder("one", &manifest(json!({"command": ["./gone"]})), "");
    let mut marked = folder("two", &manifest(json!({})), "");
    marked.files.insert("run".into(), file("", false));
    let mut bare = folder("three", &manifest(json!({})), "");
    bare.files.remove("tool.json");
    missing.place = "A".into();
    marked.place = "B".into();
    bare.place = "C".into();
    let made = tools(&world, vec![missing, marked, bare]);
    assert!(made.is_empty());
    assert_eq!(
        made.refused,
        [
            "A is not a tool: its command names ./gone, which does not exist",
            "B is not a tool: ./run is not executable: run `chmod +x` on it",
            "C is not a tool: there is no tool.json",
        ]
    );
}

#[test]
fn the_first_owner_of_a_name_keeps_it() {
    let world = World::new();
    let one = tools(&world, vec![folder("probe", &manifest(json!({})), "")]);
    let other = tools(&world, vec![folder("probe", &manifest(json!({})), "")]);
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(Interactive::No));
    assert_eq!(toolbox.add(&one), [""; 0]);
    assert_eq!(toolbox.add(&other), ["probe"]);
    assert_eq!(other.place_of("probe"), Some(".tenon/tools/probe"));
}

#[tokio::test]
async fn a_tool_that_floods_its_input_pipe_or_reads_nothing_does_not_hang() {
    let world = World::new();
    let big = "x".repeat(4 << 20);
    let ran = tokio::time::timeout(
        Duration::from_secs(60),
        run(&world, "#!/bin/sh\necho done\n", json!({ "text": big })),
    )
    .await
    .unwrap();
    assert_eq!(ran.model_text, "done\n");
}
