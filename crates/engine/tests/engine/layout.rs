//! The layout of what is sent, whole, against a file that a person can read
//! (C1), and the size of what comes with Tenon. `TENON_UPDATE_SNAPSHOTS=1`
//! writes the file anew.

use crate::models::{Scripted, Turn};
use crate::rules::{parts, write};
use crate::support::{World, prompt, say};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tenon_engine::prompt::{Briefing, Environment, RuleFile, Sourced, fragments, system};
use tenon_engine::{Engine, agents};
use tenon_model::{estimate_text, estimate_tool};
use tenon_tools::{BuiltIn, Interactive, ToolSource, Toolbox};
use tenon_vocab::profile::{AgentProfile, PromptTier, SkillInfo, Whose};
use tenon_vocab::{Command, SessionId};

fn skill(name: &str, description: &str) -> SkillInfo {
    SkillInfo {
        name: name.into(),
        description: description.into(),
        folder: "/skills".into(),
        file: "/skills/SKILL.md".into(),
        source: Whose::Project,
        user_only: false,
    }
}

fn file(path: &str, text: &str) -> RuleFile {
    RuleFile {
        path: path.into(),
        text: text.into(),
    }
}

pub fn environment(root: &str) -> Environment {
    Environment {
        platform: "linux x86_64".into(),
        shell: "bash".into(),
        root: root.into(),
    }
}

pub fn compare(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/layout")
        .join(name);
    if std::env::var_os("TENON_UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(found, expected, "{}", path.display());
}

/// A request as a person reads it.
pub fn readable(body: &str, root: &Path) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    let mut page = String::new();
    for message in body["messages"].as_array().unwrap() {
        let _ = writeln!(page, "=== {}", message["role"].as_str().unwrap());
        match &message["content"] {
            Value::String(text) => page.push_str(text),
            Value::Null => {}
            parts => {
                for part in parts.as_array().unwrap() {
                    let _ = writeln!(page, "--- part\n{}", part["text"].as_str().unwrap());
                }
            }
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let _ = write!(page, "--- call\n{}", call["function"]);
        }
        page.truncate(page.trim_end().len());
        page.push_str("\n\n");
    }
    page.replace(&root.display().to_string(), "/project")
}

#[tokio::test(start_paused = true)]
async fn the_layout_of_a_request_is_as_written_down() {
    let (world, id) = (World::new(), SessionId::generate());
    let root = world.root();
    write(&root, "AGENTS.md", "Use tabs.\n");
    write(&root, "web/AGENTS.md", "No new dependencies in web.\n");
    write(&root, "web/app.js", "start()\n");
    let model = Scripted::new([
        Turn::text("Hello."),
        Turn::call("c1", "read", r#"{"path":"web/app.js"}"#),
        Turn::text("It starts."),
    ]);
    let mut parts = parts(&world, id, &model);
    let rules = [
        file("/home/me/.config/tenon/AGENTS.md", "Be brief.\n"),
        file(&root.join("AGENTS.md").display().to_string(), "Use tabs.\n"),
    ];
    let environment = environment("/project");
    let skills = [
        skill("pdf", "Fills and reads PDF forms."),
        skill("release", "Makes a release: version, notes, tag."),
    ];
    parts.context.fragments = fragments(&Briefing {
        base: Sourced {
            source: "built-in",
            text: "You are a test.",
        },
        appended: &[Sourced {
            source: "append_system_prompt",
            text: "Never push.",
        }],
        rules: &rules,
        instructions: &[file("/project/docs/style.md", "Short sentences.\n")],
        environment: &environment,
        skills: &skills,
    })
    .0;
    // The user's own file is not looked at in this test.
    let only = parts
        .context
        .fragments
        .iter()
        .position(|piece| piece.source == rules[0].path);
    let of_user = parts.context.fragments[only.unwrap()].clone();
    parts.context.rule_source = Some(std::sync::Arc::new(Fixed(
        vec![
            rules[0].clone(),
            file("/project/docs/style.md", "Short sentences.\n"),
        ],
        root.join("AGENTS.md"),
    )));
    assert!(of_user.text.starts_with("# Project Context"));
    let mut handle = Engine::start(id, parts);
    prompt(&mut handle, "Hello?").await;
    write(&root, "AGENTS.md", "Use spaces.\n");
    prompt(&mut handle, "What does web/app.js do?").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    compare("request.txt", &readable(&model.texts()[2], &root));
}

/// Files that do not change, and one that may.
struct Fixed(Vec<RuleFile>, PathBuf);

impl tenon_engine::prompt::RuleSource for Fixed {
    fn current(&self) -> Vec<RuleFile> {
        let mut files = self.0.clone();
        let text = std::fs::read_to_string(&self.1).unwrap();
        files.push(file(&self.1.display().to_string(), &text));
        files
    }
}

#[test]
fn what_comes_with_tenon_is_small_in_both_tiers() {
    // Tokens of the prompt, and of prompt and tools.
    for (tier, words, all) in [
        (PromptTier::Compact, 600, 2_600),
        (PromptTier::Full, 1_400, 4_000),
    ] {
        for agent in agents::built_in() {
            let (prompt, tools) = sizes(&agent, tier);
            println!("{} {}: {prompt} + {tools}", agent.name, tier.name());
            assert!(prompt < words, "{} {}: {prompt}", agent.name, tier.name());
            assert!(
                prompt + tools < all,
                "{} {}: {prompt} and {tools} for tools",
                agent.name,
                tier.name()
            );
        }
    }
}

/// Tokens of the prompt and of the tools.
fn sizes(agent: &AgentProfile, tier: PromptTier) -> (u64, u64) {
    let environment = environment("/home/somebody/projects/some-project");
    let skills = [skill("pdf", "Fills and reads PDF forms.")];
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(Interactive::Yes).with_skills(&skills));
    let pieces = fragments(&Briefing {
        base: Sourced {
            source: "built-in",
            text: agent.words(tier),
        },
        appended: &[],
        rules: &[],
        instructions: &[],
        environment: &environment,
        skills: &skills,
    })
    .0;
    let tools = toolbox
        .offered(tier)
        .into_iter()
        .filter(|spec| agent.tools.is_empty() || agent.tools.contains(&spec.name))
        .map(|spec| estimate_tool(&spec))
        .sum();
    (estimate_text(&system(&pieces)), tools)
}

#[test]
fn the_prompts_name_only_tools_that_their_agents_have_and_nothing_that_changes() {
    let known: Vec<String> = BuiltIn::new(Interactive::Yes)
        .tools()
        .iter()
        .map(|tool| tool.spec().name.clone())
        .collect();
    let all = agents::built_in();
    for (agent, tier) in all
        .iter()
        .flat_map(|agent| PromptTier::ALL.map(|tier| (agent, tier)))
    {
        let words = agent.words(tier);
        let quoted = words.split('`').skip(1).step_by(2);
        for word in quoted.filter(|word| !word.starts_with('<') && *word != "path:line") {
            let has = agent.tools.is_empty() || agent.tools.iter().any(|tool| tool == word);
            assert!(
                has && known.iter().any(|tool| tool == word),
                "{}: {word}",
                agent.name
            );
        }
        assert!(words.contains("the user's language"), "{words}");
        assert!(!words.chars().any(|letter| letter.is_ascii_digit()));
    }
}
