//! Providers through the binary: adding one is a matter of configuration (E8),
//! each wire format reaches its own path with its own key, what a server
//! refused is remembered, and every recipe of the page works.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tenon_config::{
    Choice, Env, KeySource, Paths, ProjectTrust, ResolvedProvider, Sources, load, resolve,
};
use tenon_mock::RecordedRequest;
use tenon_model::{Auth, AuthStyle, Kind, preset};

/// Runs a prompt with this configuration, where `URL` is the server.
fn ask(program: &Program, model: &Model, config: &Value, args: &[&str]) -> Ran {
    program.configure(&config.to_string().replace("URL", &model.url));
    let mut command = program.command();
    command.args(["exec", "-p", "hi"]).args(args);
    for name in KEYS {
        command.env(name, "test-key");
    }
    Ran::of(command.output().unwrap())
}

const KEYS: &[&str] = &[
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "LLAMA_API_KEY",
    "VLLM_API_KEY",
    "LITELLM_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "GROQ_API_KEY",
    "DEEPSEEK_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AGENT_API_KEY",
    "WORK_API_KEY",
];

fn header(request: &RecordedRequest, name: &str) -> Option<String> {
    let value = request.headers.get(name)?;
    Some(value.to_str().unwrap().to_owned())
}

fn body(request: &RecordedRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

#[test]
fn a_compatible_server_under_a_new_name_needs_configuration_and_nothing_else() {
    let program = Program::new();
    let model = Model::says("from the new one");
    let config = json!({"providers": {"never-heard-of": {
        "base_url": "URL", "model": "some/model", "api_key_env": "WORK_API_KEY",
        "auth": "header:X-Team-Key", "headers": {"X-Trace": "abc"},
    }}});
    let ran = ask(&program, &model, &config, &[]).ended(0);
    assert_eq!(ran.out, "from the new one\n");
    let asked = model.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(header(&asked[0], "x-team-key").as_deref(), Some("test-key"));
    assert_eq!(header(&asked[0], "x-trace").as_deref(), Some("abc"));
    assert_eq!(header(&asked[0], "authorization"), None);
    assert_eq!(body(&asked[0])["model"], "some/model");
    assert_eq!(asked[0].violations, Vec::<String>::new());
}

#[test]
fn each_wire_format_is_spoken_at_its_own_path_with_its_own_key() {
    for (kind, path, key) in [
        ("chat", "/v1/chat/completions", "authorization"),
        ("messages", "/v1/messages", "x-api-key"),
        ("responses", "/v1/responses", "authorization"),
    ] {
        let program = Program::new();
        let model = Model::says("understood");
        let config = json!({"providers": {"p": {
            "type": kind, "base_url": "URL", "model": "mock-model", "api_key_env": "WORK_API_KEY",
        }}});
        for args in [&[][..], &["--no-stream"]] {
            let ran = ask(&program, &model, &config, args).ended(0);
            assert_eq!(ran.out, "understood\n", "{kind}");
        }
        let asked = model.asked();
        assert_eq!(asked.len(), 2, "{kind}");
        for request in &asked {
            assert_eq!(request.path, path);
            let sent = header(request, key).unwrap();
            assert!(sent.ends_with("test-key"), "{sent}");
            assert_eq!(request.violations, Vec::<String>::new(), "{kind}");
        }
    }
}

#[test]
fn a_parameter_that_was_refused_once_is_not_sent_again() {
    let program = Program::new();
    let model = Model::scripted(
        json!({"scenarios": [], "default_response": {"content": "done"},
               "fault": {"refuse_parameters": ["temperature"]}}),
        Duration::ZERO,
    );
    let config =
        json!({"temperature": 0.5, "providers": {"p": {"base_url": "URL", "model": "mock-model"}}});
    ask(&program, &model, &config, &[])
        .ended(0)
        .complains("temperature");
    let sent = |request: &RecordedRequest| body(request).get("temperature").is_some();
    let first: Vec<bool> = model.asked().iter().map(sent).collect();
    assert_eq!(first, [true, false]);

    let file = program.home.tenon().join("learned.json");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    ask(&program, &model, &config, &[]).ended(0);
    let second: Vec<bool> = model.asked().iter().skip(2).map(sent).collect();
    assert_eq!(second, [false]);

    program.run(&["models", "--forget"]).ended(0).complains("1");
    assert!(!file.exists());
    ask(&program, &model, &config, &[]).ended(0);
    let third: Vec<bool> = model.asked().iter().skip(3).map(sent).collect();
    assert_eq!(third, [true, false]);
}

#[test]
fn the_flags_of_a_run_set_effort_and_dialect() {
    let program = Program::new();
    let model = Model::says("ok");
    let config = json!({"providers": {"p": {"base_url": "URL", "model": "m",
        "models": [{"id": "m", "reasoning_effort": "low", "max_tokens": 77}]}}});
    ask(&program, &model, &config, &[]).ended(0);
    ask(&program, &model, &config, &["--effort", "high"]).ended(0);
    let asked = model.asked();
    assert_eq!(body(&asked[0])["reasoning_effort"], "low");
    assert_eq!(body(&asked[0])["max_tokens"], 77);
    assert_eq!(body(&asked[1])["reasoning_effort"], "high");
    assert!(body(&asked[0])["tools"].is_array());
    ask(&program, &model, &config, &["--effort", "default"]).ended(0);
    assert!(body(&model.asked()[2]).get("reasoning_effort").is_none());
    ask(&program, &model, &config, &["--effort", ""]).complains("reasoning_effort");
    ask(&program, &model, &config, &["--effort", "nonsense"])
        .ended(0)
        .complains("the effort `nonsense` is none of");
    ask(&program, &model, &config, &["--dialect", "xml"])
        .ended(2)
        .complains("--dialect");
}

#[test]
fn in_the_markdown_dialect_tools_stand_in_the_prompt() {
    let program = Program::new();
    let model = Model::says("# Agent Response\n\n## Thoughts\n\nHello.\n");
    let config = json!({"providers": {"p": {"base_url": "URL", "model": "m"}}});
    // How the run ends is the dialect's matter.
    ask(
        &program,
        &model,
        &config,
        &["--dialect", "markdown", "--max-turns", "1"],
    );
    let first = body(&model.asked()[0]);
    assert!(first.get("tools").is_none(), "{first}");
    let system = first["messages"][0]["content"].to_string();
    assert!(system.contains("Tool Choice"), "{system}");
}

#[test]
fn a_server_that_refuses_tools_is_spoken_to_in_markdown_from_then_on() {
    let program = Program::new();
    let model = Model::scripted(
        json!({"scenarios": [], "fault": {"refuse_tools": true, "words": "ollama"},
               "default_response": {"content": "# Agent Response\n\n## Thoughts\n\nHello.\n\n## Tool Choice\n\nDONE\n\n## Tool Input\n\nAll is well.\n"}}),
        Duration::ZERO,
    );
    let config = json!({"providers": {"p": {"base_url": "URL", "model": "mock-model"}}});
    let with_tools = |from: usize| -> Vec<bool> {
        let asked = model.asked();
        let sent = |request: &RecordedRequest| body(request).get("tools").is_some();
        asked.iter().skip(from).map(sent).collect()
    };
    ask(&program, &model, &config, &[])
        .ended(0)
        .says("All is well.");
    assert_eq!(with_tools(0), [true, false]);
    let kept = std::fs::read_to_string(program.home.tenon().join("learned.json")).unwrap();
    assert!(kept.contains("markdown"), "{kept}");
    ask(&program, &model, &config, &[]).ended(0);
    assert_eq!(with_tools(2), [false]);
    // Who says native gets native, whatever was learned.
    let ran = ask(&program, &model, &config, &["--dialect", "native"]);
    assert_ne!(ran.code, 0);
    assert!(with_tools(3).iter().all(|tools| *tools));
}

/// The recipes of the page: each fenced block of configuration, by its heading.
fn recipes() -> Vec<(String, Value)> {
    let page = include_str!("../../../../docs/providers.md");
    let mut heading = String::new();
    let mut block: Option<String> = None;
    let mut found = Vec::new();
    for line in page.lines() {
        match (&mut block, line) {
            (None, line) if line.starts_with('#') => {
                heading = line.trim_start_matches(['#', ' ']).to_owned();
            }
            (None, "```jsonc") => block = Some(String::new()),
            (Some(text), "```") => {
                let value =
                    serde_json::from_str(text).unwrap_or_else(|error| panic!("{heading}: {error}"));
                found.push((heading.clone(), value));
                block = None;
            }
            (Some(text), line) => {
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    found
}

fn resolved(program: &Program, config: &Value) -> ResolvedProvider {
    program.configure(&config.to_string());
    let home = program.home.tenon().to_string_lossy().into_owned();
    let env: Env = [(String::from("TENON_HOME"), home)].into_iter().collect();
    let sources = Sources {
        paths: Paths::from_env(&env).unwrap(),
        root: program.project(),
        trust: ProjectTrust::Untrusted,
        env,
        extra: None,
        flags: Vec::new(),
    };
    let loaded = load(&sources).unwrap_or_else(|error| panic!("{config}: {error}"));
    let resolved = resolve(&loaded, &Choice::default());
    resolved
        .unwrap_or_else(|error| panic!("{config}: {error}"))
        .provider
        .unwrap()
}

#[test]
fn every_recipe_is_a_configuration_that_means_what_its_preset_says() {
    let program = Program::new();
    let mut covered = Vec::new();
    for (heading, config) in recipes() {
        let found = resolved(&program, &config);
        assert!(found.model.is_some(), "{heading}");
        let Some(preset) = preset(&found.name) else {
            assert!(found.base_url.starts_with("https://models.example.com"));
            continue;
        };
        covered.push(preset.name);
        if let Some(url) = preset.base_url {
            assert_eq!(found.base_url, url, "{heading}");
        }
        let written = config["providers"][preset.name].get("type");
        let kind = written.and_then(Value::as_str).and_then(Kind::from_name);
        assert_eq!(found.kind, kind.unwrap_or(preset.kind), "{heading}");
        let auth = match preset.auth {
            AuthStyle::Bearer => Auth::Bearer,
            AuthStyle::Header(name) => Auth::Header(name.to_owned()),
            AuthStyle::None => Auth::None,
        };
        assert_eq!(found.auth, auth, "{heading}");
        let key = match preset.key_env {
            [] if preset.name == "codex" => KeySource::Codex,
            [] => KeySource::None,
            names => KeySource::Env(names.iter().map(|&name| name.to_owned()).collect()),
        };
        assert_eq!(found.key, key, "{heading}");
    }
    for preset in tenon_model::presets() {
        let has = covered.contains(&preset.name);
        assert_eq!(has, preset.kind != Kind::External, "{}", preset.name);
    }
}

#[test]
fn the_page_names_the_key_variable_of_every_preset() {
    let page = include_str!("../../../../docs/providers.md");
    for name in tenon_model::presets()
        .iter()
        .flat_map(|preset| preset.key_env)
    {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn every_recipe_answers_a_prompt_when_its_address_is_the_mock() {
    let mut asked = 0;
    for (heading, mut config) in recipes() {
        let program = Program::new();
        let found = resolved(&program, &config);
        // Its key is a login, which has tests of its own.
        if found.key == KeySource::Codex {
            continue;
        }
        let model = Model::says("the recipe works");
        config["providers"][&found.name]["base_url"] = json!("URL");
        // Strict checks know the names of the plain format only.
        let ran = ask(&program, &model, &config, &[]).ended(0);
        assert_eq!(ran.out, "the recipe works\n", "{heading}");
        let requests = model.asked();
        assert_eq!(requests.len(), 1, "{heading}");
        assert_eq!(requests[0].violations, Vec::<String>::new(), "{heading}");
        let keyed = match &found.auth {
            Auth::Header(name) => header(&requests[0], name),
            Auth::Bearer => header(&requests[0], "authorization"),
            Auth::None => None,
        };
        let expected = matches!(found.key, KeySource::Env(_));
        assert_eq!(keyed.is_some(), expected, "{heading}: {keyed:?}");
        asked += 1;
    }
    assert!(asked > 15, "{asked}");
}
