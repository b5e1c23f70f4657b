//! Skills with the real program: listed, shown, checked, loaded by name and by a
//! model, hidden by a rule, and never a way out of the project.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::time::Duration;

const PENS: &str = "---\nname: pens\ndescription: How to write letters. Use it for letters.\n---\n# Pens\n\nUse the blue pen.\n";

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\n---\nDo {name}.\n")
}

fn configure(program: &Program, content: &Value) {
    std::fs::write(
        program.home.tenon().join("tenon.jsonc"),
        content.to_string(),
    )
    .unwrap();
}

/// Below the user's folder of configuration.
fn own(program: &Program, path: &str, content: &str) {
    let path = program.home.tenon().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn exec(model: &Model, program: &Program, args: &[&str]) -> Ran {
    Ran::of(
        model
            .command(&program.home)
            .arg("exec")
            .args(args)
            .output()
            .unwrap(),
    )
}

#[test]
fn skills_are_listed_and_shown_without_any_model() {
    let program = Program::new();
    program
        .run(&["skills", "list"])
        .ended(0)
        .complains("There are no skills here.");
    program.file(".agents/skills/pens/SKILL.md", PENS);
    program.file(".agents/skills/pens/more.md", "x");
    own(&program, "skills/zip/SKILL.md", &skill("zip"));
    own(&program, "skills/pens/SKILL.md", &skill("pens"));
    own(&program, "skills/bad/SKILL.md", "");
    let ran = program
        .run(&["skills", "list"])
        .ended(0)
        .says(".agents/skills/pens")
        .says("How to write letters.")
        .complains("skills found more than once, using the nearest: `pens`")
        .complains("bad/SKILL.md is ignored: it has no description and no text")
        .complains("skills of the project: pens");
    assert!(!ran.out.contains("bad"), "{}", ran.out);
    let listed = program.run(&["skills", "list", "--json"]).ended(0).json();
    let rows: Vec<(&str, &str)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap(),
                row["source"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(rows, [("pens", "project"), ("zip", "user")]);
    let shown = program.run(&["skills", "show", "Pens"]).ended(0).out;
    assert!(shown.starts_with("<skill name=\"pens\" folder="), "{shown}");
    assert!(
        shown.contains("\n# Pens\n\nUse the blue pen.\n</skill>"),
        "{shown}"
    );
    assert!(shown.contains("\nmore.md\n"), "{shown}");
    program
        .run(&["skills", "show", "pnes"])
        .ended(2)
        .complains("did you mean `pens`?");
}

#[test]
fn folders_are_checked_by_the_letter() {
    let program = Program::new();
    program.file("all/good/SKILL.md", &skill("good"));
    program
        .run(&["skills", "validate", "all"])
        .ended(0)
        .says("all/good: valid\n1 checked, 0 not valid");
    program.file("all/Bad/SKILL.md", "---\nname: Bad\nversion: 1\n---\n");
    program
        .run(&["skills", "validate", "all", "nowhere"])
        .ended(1)
        .says("all/Bad: not valid\n  error: version: not a skill field")
        .says("  error: name: `Bad` must be lower case\n")
        .says("  error: description: it is missing\n")
        .says("nowhere: not valid\n  error: SKILL.md: nowhere does not exist\n")
        .says("3 checked, 2 not valid");
    let rows = program
        .run(&["skills", "validate", "all", "--json"])
        .ended(1)
        .json();
    assert_eq!(rows[0]["valid"], false);
    assert_eq!(
        rows[0]["errors"][1],
        json!({"field": "name", "message": "`Bad` must be lower case"})
    );
    assert_eq!(
        rows[1],
        json!({"folder": "all/good", "valid": true, "errors": [], "advice": []})
    );
    let inside = program.project().join("all/good");
    program
        .run_in(&inside, &["skills", "validate", "."])
        .ended(0);
}

#[test]
fn a_model_is_told_of_skills_and_loads_one_with_the_files_beside_it() {
    let program = Program::new();
    own(&program, "skills/pens/SKILL.md", PENS);
    own(&program, "skills/pens/ink.md", "Ink is in the drawer.");
    own(
        &program,
        "skills/mine/SKILL.md",
        &skill("mine").replace("---\nDo", "disable-model-invocation: true\n---\nDo"),
    );
    let ink = program.home.tenon().join("skills/pens/ink.md");
    let call = |name: &str, arguments: Value| json!({"response": {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}});
    let model = Model::scripted(
        json!({
            "scenarios": [{"trigger": "a letter", "scope": "turn", "steps": [
                call("skill", json!({"name": "pens"})),
                call("read", json!({"path": ink})),
            ]}],
            "default_response": {"content": "Written."},
        }),
        Duration::ZERO,
    );
    let ran = exec(&model, &program, &["-p", "write a letter"]).ended(0);
    assert_eq!(ran.out, "Written.\n");
    assert!(
        ran.err
            .contains("skill `pens` loaded: 3 lines, with 1 file"),
        "{}",
        ran.err
    );
    let bodies = model.bodies();
    assert_eq!(bodies.len(), 3);
    assert!(
        bodies[0].contains("- pens: How to write letters."),
        "{}",
        bodies[0]
    );
    assert!(
        !bodies[0].contains("blue pen") && !bodies[0].contains("mine"),
        "{}",
        bodies[0]
    );
    assert!(bodies[1].contains("Use the blue pen."), "{}", bodies[1]);
    assert!(bodies[2].contains("Ink is in the drawer."), "{}", bodies[2]);
}

#[test]
fn without_skills_there_is_no_tool_for_them() {
    let program = Program::new();
    let model = Model::says("ok");
    exec(&model, &program, &["-p", "hello"]).ended(0);
    assert!(
        !model.bodies()[0].contains("\"skill\""),
        "{}",
        model.bodies()[0]
    );
}

#[test]
fn a_rule_that_denies_hides_a_skill_from_everybody() {
    let program = Program::new();
    own(
        &program,
        "skills/internal-pens/SKILL.md",
        &skill("internal-pens"),
    );
    own(&program, "skills/zip/SKILL.md", &skill("zip"));
    configure(
        &program,
        &json!({"permission": {"skill": {"internal-*": "deny"}}}),
    );
    let model = Model::says("ok");
    exec(&model, &program, &["-p", "hello"]).ended(0);
    let body = &model.bodies()[0];
    assert!(
        body.contains("about zip") && !body.contains("internal-pens"),
        "{body}"
    );
    program.run(&["skills", "list"]).ended(0).says("denied");
    program
        .run(&["skills", "show", "internal-pens"])
        .ended(2)
        .complains("the skill `internal-pens` is denied");
    program
        .run(&["policy", "explain", "skill", "internal-pens"])
        .ended(0)
        .says("deny");
}

#[test]
fn the_plan_agent_has_skills_too() {
    let program = Program::new();
    own(&program, "skills/zip/SKILL.md", &skill("zip"));
    let model = Model::says("ok");
    exec(&model, &program, &["--agent", "plan", "-p", "hello"]).ended(0);
    let body: Value = serde_json::from_str(&model.bodies()[0]).unwrap();
    let tools = body["tools"].as_array().unwrap();
    assert!(
        tools.iter().any(|tool| tool["function"]["name"] == "skill"),
        "{tools:?}"
    );
}

#[test]
fn a_project_loads_its_skills_with_a_notice_and_leads_nowhere() {
    let program = Program::new();
    program.file(".tenon/skills/pens/SKILL.md", PENS);
    let secret = program.home.tenon().join("secret");
    std::fs::create_dir_all(&secret).unwrap();
    std::fs::write(secret.join("SKILL.md"), skill("hidden-words")).unwrap();
    symlink(&secret, program.project().join(".tenon/skills/out")).unwrap();
    program.file(".env", "PLAIN=hidden-words\n");
    std::fs::create_dir_all(program.project().join(".claude/skills/env")).unwrap();
    symlink(
        "../../../.env",
        program.project().join(".claude/skills/env/SKILL.md"),
    )
    .unwrap();
    let model = Model::says("ok");
    let ran = exec(&model, &program, &["-p", "hello"]).ended(0);
    assert!(
        ran.err.contains("skills of the project: pens"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("a link out of the project"), "{}", ran.err);
    let body = &model.bodies()[0];
    assert!(
        body.contains("- pens: ") && !body.contains("hidden-words"),
        "{body}"
    );
}
