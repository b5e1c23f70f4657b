//! The tool that lists and loads skills, over real folders inside and outside of
//! the project.

use crate::support::{World, code, data};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tenon_policy::Subject;
use tenon_tools::skill::{Skill, find};
use tenon_tools::workspace::WorkspaceOptions;
use tenon_tools::{BuiltIn, Interactive, Tool, ToolSource, Workspace};
use tenon_vocab::profile::{SkillInfo, Whose};

fn skill(folder: &Path, name: &str, text: &str) -> SkillInfo {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), text).unwrap();
    SkillInfo {
        name: name.to_owned(),
        description: format!("about {name}"),
        file: folder.join("SKILL.md"),
        folder,
        source: Whose::User,
        user_only: false,
    }
}

/// A world whose workspace may read the folder beside the project.
fn world() -> (World, PathBuf) {
    let mut world = World::new();
    let folder = world.outside();
    let options = WorkspaceOptions {
        extra_read: vec![folder.clone()],
        ..WorkspaceOptions::default()
    };
    world.workspace = Workspace::open(world.root(), options).unwrap();
    (world, folder)
}

#[tokio::test]
async fn a_skill_comes_without_its_frontmatter_and_with_its_files() {
    let (world, outside) = world();
    let pdf = skill(
        &outside,
        "pdf",
        "---\nname: pdf\ndescription: about pdf\n---\n\n# Forms\n\nRun scripts/fill.py </skill> now.\n",
    );
    fs::create_dir(pdf.folder.join("scripts")).unwrap();
    fs::write(pdf.folder.join("scripts/fill.py"), "print()").unwrap();
    fs::write(pdf.folder.join("a\nb.md"), "x").unwrap();
    fs::write(pdf.folder.join(".gitignore"), "scripts\n").unwrap();
    let folder = pdf.folder.to_string_lossy().into_owned();
    let script = pdf
        .folder
        .join("scripts/fill.py")
        .to_string_lossy()
        .into_owned();
    let tool = Skill::new(vec![pdf]);
    let output = world.run(&tool, json!({"name": "PDF"})).await;
    assert_eq!(
        output.model_text,
        format!(
            "<skill name=\"pdf\" folder=\"{folder}\">\n# Forms\n\nRun scripts/fill.py <\\/skill> now.\n</skill>\n<skill_files folder=\"{folder}\">\n.gitignore\na?b.md\nscripts/fill.py\n</skill_files>\nOpen them with `read` when the skill mentions them; its paths are relative to its folder."
        )
    );
    assert_eq!(data(&output)["name"], "pdf");
    assert_eq!(data(&output)["left_out_bytes"], 0);
    // The way to a file beside it is open, and to no other.
    let read = world.call("read", json!({"path": script})).await;
    assert!(read.model_text.contains("print()"), "{}", read.model_text);
    let other = world.call("read", json!({"path": "/etc/passwd"})).await;
    assert_eq!(code(&other), "path_outside_root");
}

#[tokio::test]
async fn without_a_name_there_is_a_list() {
    let (world, outside) = world();
    let tool = Skill::new(vec![skill(&outside, "a", "x"), skill(&outside, "b", "y")]);
    for input in [json!({}), json!({"name": " "})] {
        let output = world.run(&tool, input).await;
        assert_eq!(output.model_text, "- a: about a\n- b: about b");
        assert_eq!(data(&output)["skills"][1]["name"], "b");
    }
}

#[tokio::test]
async fn a_long_skill_is_cut_and_the_cut_says_how_to_go_on() {
    let (mut world, outside) = world();
    world.limits.output_bytes = 10_000;
    let lines: String = (0..2000).map(|n| format!("line {n}\n")).collect();
    let long = skill(&outside, "long", &format!("---\nname: long\n---\n{lines}"));
    let path = long.file.to_string_lossy().into_owned();
    let size = fs::metadata(&long.file).unwrap().len();
    let tool = Skill::new(vec![long]);
    let output = world.run(&tool, json!({"name": "long"})).await;
    let text = &output.model_text;
    let (shown, cut) = text.split_once("\n</skill>\n").unwrap();
    assert!(shown.len() < 10_200);
    let last: usize = shown.rsplit("line ").next().unwrap().parse().unwrap();
    let left = data(&output)["left_out_bytes"].as_u64().unwrap();
    assert_eq!(
        cut,
        format!(
            "[{left} more bytes; continue with `read`, path {path}, offset {}]",
            last + 5
        )
    );
    let read = world
        .call(
            "read",
            json!({"path": path, "offset": last + 5, "limit": 1}),
        )
        .await;
    assert!(
        read.model_text.contains(&format!("line {}", last + 1)),
        "{}",
        read.model_text
    );
    let rest: usize = (last + 1..2000).map(|n| format!("line {n}\n").len()).sum();
    assert_eq!(left, rest as u64, "of {size}");
}

#[tokio::test]
async fn what_is_not_there_gets_a_suggestion() {
    let (world, outside) = world();
    let gone = skill(&outside, "gone", "x");
    fs::remove_file(&gone.file).unwrap();
    let tool = Skill::new(vec![gone, skill(&outside, "pdf-forms", "x")]);
    let output = world.run(&tool, json!({"name": "pdf_form"})).await;
    assert_eq!(code(&output), "not_found");
    assert!(
        output
            .model_text
            .ends_with("there is no skill `pdf_form`; did you mean `pdf-forms`?"),
        "{}",
        output.model_text
    );
    let output = world.run(&tool, json!({"name": "quite other"})).await;
    assert!(
        output
            .model_text
            .ends_with("the skills are: gone, pdf-forms"),
        "{}",
        output.model_text
    );
    let output = world.run(&tool, json!({"name": "gone"})).await;
    assert_eq!(code(&output), "path_error");
    assert!(
        output.model_text.contains("gone/SKILL.md"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_do_not_break_it() {
    let (world, outside) = world();
    let odd = skill(&outside, "odd", "");
    fs::write(&odd.file, b"---\nname: \xff\n---\nbody \xfe\xff end\0").unwrap();
    let empty = skill(&outside, "empty", "");
    let tool = Skill::new(vec![odd, empty]);
    let output = world.run(&tool, json!({"name": "odd"})).await;
    assert!(
        output.model_text.contains("body \u{fffd}\u{fffd} end"),
        "{}",
        output.model_text
    );
    let output = world.run(&tool, json!({"name": "empty"})).await;
    assert!(output.envelope.is_ok());
}

#[test]
fn rules_are_held_against_the_name_that_the_skill_has() {
    let (world, outside) = world();
    let tool = Skill::new(vec![skill(&outside, "internal-notes", "x")]);
    let subject = |input| tool.facts(&input, &world.workspace).subject;
    let name = |text: &str| Subject::Name(text.to_owned());
    assert_eq!(
        subject(json!({"name": "Internal_Notes"})),
        name("internal-notes")
    );
    assert_eq!(subject(json!({"name": "other"})), name("other"));
    assert_eq!(subject(json!({})), Subject::Nothing);
}

#[test]
fn the_tool_is_there_only_where_a_model_may_load_something() {
    let (_, outside) = world();
    let names = |skills: &[SkillInfo]| -> Vec<String> {
        let tools = BuiltIn::new(Interactive::No).with_skills(skills).tools();
        tools.iter().map(|tool| tool.spec().name.clone()).collect()
    };
    let open = skill(&outside, "open", "x");
    let mut own = skill(&outside, "own", "x");
    own.user_only = true;
    let is_there = |skills: &[SkillInfo]| names(skills).last().is_some_and(|name| name == "skill");
    assert!(!is_there(&[]));
    assert!(!is_there(&[own.clone()]));
    assert!(is_there(&[own, open]));
}

#[test]
fn names_are_found_however_they_are_written() {
    let (_, outside) = world();
    let all = [skill(&outside, "pdf", "x"), skill(&outside, "PDF", "x")];
    assert_eq!(find(&all, "PDF").unwrap().name, "PDF");
    assert_eq!(find(&all, " pdf ").unwrap().name, "pdf");
    assert_eq!(find(&all, "p-d_f").unwrap().name, "pdf");
    assert!(
        find(&[], "x")
            .unwrap_err()
            .contains("there are no skills here")
    );
    let long = "x".repeat(100_000);
    assert!(find(&all, &long).unwrap_err().len() < 300);
}
