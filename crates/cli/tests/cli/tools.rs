//! `tenon tools`, `tenon apply-patch`: one call by hand, by the gate of a session.

use crate::program::Program;
use serde_json::json;

const PATCH: &str = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n";

#[test]
fn the_list_says_what_each_tool_does_and_what_the_rules_say() {
    let program = Program::new();
    program.configure(r#"{"permission": {"bash": "deny", "write": "allow"}}"#);
    let tools = program.run(&["tools", "list", "--json"]).ended(0).json();
    let of = |name: &str| {
        let all = tools.as_array().unwrap();
        all.iter()
            .find(|tool| tool["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(
        (of("read")["effect"].clone(), of("read")["decision"].clone()),
        (json!("read"), json!("allow"))
    );
    assert_eq!(of("bash")["decision"], "deny");
    assert_eq!(of("write")["decision"], "allow");
    assert_eq!(of("edit")["decision"], "ask");
    assert_eq!(of("ask_user")["source"], "built-in");
    program
        .run(&["tools", "list"])
        .ended(0)
        .says("name")
        .says("deny (list, read, wait: allow)")
        .says("grep");
    assert_eq!(of("process")["looking"], "allow");
}

#[test]
fn a_call_prints_its_whole_envelope() {
    let program = Program::new();
    program.file("a.txt", "one\ntwo\n");
    let ran = program
        .run(&["tools", "run", "read", "--input", r#"{"path": "a.txt"}"#])
        .ended(0);
    assert_eq!(ran.out.lines().count(), 1);
    let envelope = ran.json();
    assert_eq!(envelope["ok"], true);
    assert!(
        envelope["data"].to_string().contains("one\\n"),
        "{envelope}"
    );
    let ran = program
        .run_with(
            r#"{"path": "a.txt"}"#,
            &["tools", "run", "read", "--input", "-"],
        )
        .ended(0);
    assert_eq!(ran.json(), envelope);
    assert!(
        !program.home.tenon().join("sessions").exists(),
        "nothing of it is kept"
    );
}

#[test]
fn what_is_asked_counts_as_no_until_yes_is_said() {
    let program = Program::new();
    let input = r#"{"command": "echo hi > made.txt"}"#;
    let ran = program
        .run(&["tools", "run", "bash", "--input", input])
        .ended(5);
    assert_eq!(ran.json()["error"]["code"], "permission_denied");
    ran.complains("Not allowed").complains("--yes");
    assert!(!program.project().join("made.txt").exists());
    let ran = program
        .run(&["tools", "run", "bash", "--yes", "--input", input])
        .ended(0);
    assert_eq!(ran.json()["data"]["exit_code"], 0);
    assert_eq!(program.content("made.txt"), "hi\n");
}

#[test]
fn yes_does_not_pass_a_deny_nor_a_confirm() {
    let program = Program::new();
    program.configure(r#"{"permission": {"bash": {"git push": "deny"}}}"#);
    let run =
        |name: &str, input: &str| program.run(&["tools", "run", name, "--yes", "--input", input]);
    run("bash", r#"{"command": "git push"}"#).ended(5);
    run("write", r#"{"path": ".git/config", "content": "x"}"#).ended(5);
    run("read", r#"{"path": "/etc/hostname"}"#)
        .ended(5)
        .says("path_outside_root");
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let program = Program::new();
    program.file("a.txt", "one\n");
    let input = r#"{"path": "a.txt", "old": "one", "new": "two"}"#;
    let ran = program
        .run(&["tools", "run", "edit", "--dry-run", "--input", input])
        .ended(0);
    assert_eq!(ran.json()["error"]["code"], "dry_run");
    ran.complains("nothing was done")
        .complains("-one")
        .complains("+two");
    assert_eq!(program.content("a.txt"), "one\n");
}

#[test]
fn a_call_that_cannot_be_understood_is_an_envelope_too() {
    let program = Program::new();
    let code = |args: &[&str]| program.run(args).ended(1).json()["error"]["code"].clone();
    assert_eq!(code(&["tools", "run", "nope"]), "unknown_tool");
    assert_eq!(
        code(&["tools", "run", "read", "--input", "{"]),
        "invalid_input"
    );
    assert_eq!(
        code(&["tools", "run", "read", "--input", "{\"path\": {}}"]),
        "invalid_input"
    );
    assert_eq!(code(&["tools", "run", "read"]), "invalid_input");
    assert_eq!(
        code(&["tools", "run", "read", "--input", r#"{"path": "none"}"#]),
        "path_error"
    );
}

#[test]
fn a_root_that_is_none_is_a_mistake_of_the_caller() {
    let program = Program::new();
    program.file("a.txt", "");
    program
        .run(&["tools", "list", "--root", "nowhere"])
        .ended(2)
        .complains("nowhere");
    program
        .run(&["tools", "list", "--root", "a.txt"])
        .ended(2)
        .complains("isn't a directory");
}

#[test]
fn a_patch_is_applied_from_a_file_and_from_standard_input() {
    let program = Program::new();
    program.file("p.diff", PATCH);
    program
        .run(&["apply-patch", "p.diff"])
        .ended(5)
        .complains("--yes");
    assert!(!program.project().join("new.txt").exists());
    let ran = program.run(&["apply-patch", "p.diff", "--yes"]).ended(0);
    assert_eq!(ran.json()["data"]["files"][0]["operation"], "created");
    ran.complains("patch applied");
    assert_eq!(program.content("new.txt"), "hello\n");
    let diff = "--- a/new.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-hello\n+bye\n";
    for args in [
        &["apply-patch", "--yes"][..],
        &["apply-patch", "-", "--yes"],
    ] {
        program.run_with(diff, args).ended(0);
        assert_eq!(program.content("new.txt"), "bye\n");
    }
}

#[test]
fn a_patch_can_be_tried_without_being_applied() {
    let program = Program::new();
    let ran = program
        .run_with(PATCH, &["apply-patch", "--dry-run"])
        .ended(0);
    assert_eq!(ran.json()["ok"], true);
    ran.complains("the patch fits; nothing was written")
        .complains("+hello");
    assert!(!program.project().join("new.txt").exists());
    let misfit = "*** Begin Patch\n*** Update File: none.txt\n@@\n-a\n+b\n*** End Patch\n";
    let ran = program
        .run_with(misfit, &["apply-patch", "--dry-run"])
        .ended(1);
    assert_eq!(ran.json()["ok"], false);
    let inside_git = PATCH.replace("new.txt", ".git/hooks/pre-commit");
    program
        .run_with(&inside_git, &["apply-patch", "--dry-run"])
        .ended(5);
}

#[test]
fn a_patch_that_is_none_changes_nothing() {
    let program = Program::new();
    program
        .run(&["apply-patch"])
        .ended(2)
        .complains("the patch is empty");
    program
        .run(&["apply-patch", "none.diff"])
        .ended(2)
        .complains("can't read none.diff");
    let ran = program
        .run_with("not a patch\n", &["apply-patch", "--yes"])
        .ended(1);
    assert_eq!(ran.json()["error"]["code"], "invalid_input");
    program.file("bad", "");
    std::fs::write(program.project().join("bad"), [0xff, 0xfe]).unwrap();
    program
        .run(&["apply-patch", "bad"])
        .ended(2)
        .complains("bad isn't UTF-8");
}

#[test]
fn on_a_first_run_in_a_temporary_folder_nothing_of_tenons_own_is_set_aside() {
    let program = Program::new();
    let home = program.home.tenon();
    std::fs::remove_dir(&home).unwrap();
    let input = json!({"command": "seq 1 20000"}).to_string();
    let ran = program.run(&["tools", "run", "bash", "--yes", "--input", &input]);
    let ran = ran.ended(0);
    assert!(!ran.err.contains("was moved to"), "{}", ran.err);
    let envelope = ran.json();
    let whole = envelope["data"]["whole_output"].as_str().unwrap();
    assert!(std::fs::read_to_string(whole).unwrap().ends_with("20000\n"));
    assert!(whole.starts_with(home.to_str().unwrap()), "{whole}");
}

#[test]
fn the_whole_output_of_a_call_is_there_when_the_program_is_gone() {
    let program = Program::new();
    let run = |tool: &str, input: serde_json::Value| {
        let input = input.to_string();
        program
            .run(&["tools", "run", tool, "--yes", "--input", &input])
            .ended(0)
            .json()
    };
    let ran = run("bash", json!({"command": "seq 1 20000"}));
    let file = ran["data"]["whole_output"].as_str().unwrap().to_owned();
    let whole: String = (1..=20_000).map(|n| format!("{n}\n")).collect();
    assert_eq!(ran["data"]["stdout"], whole);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), whole);
    // The next call can do what the text says.
    let read = run("read", json!({"path": file, "offset": 19_999}));
    assert_eq!(read["data"]["content"], "19999\n20000\n");
    // A week later it goes; what is not ours stays.
    let kept = program.home.tenon().join("outputs");
    let of_call = std::path::Path::new(&file).ancestors().nth(2).unwrap();
    assert_eq!(of_call.parent().unwrap(), kept);
    std::fs::create_dir(kept.join("mine")).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 24 * 60 * 60);
    for folder in [of_call, &kept.join("mine")] {
        let folder = std::fs::File::open(folder).unwrap();
        folder.set_modified(old).unwrap();
    }
    let young = run("bash", json!({"command": "seq 1 20000"}));
    run("bash", json!({"command": "true"}));
    assert!(!of_call.exists() && kept.join("mine").exists());
    let young = young["data"]["whole_output"].as_str().unwrap();
    assert!(std::path::Path::new(young).exists());
}

#[test]
fn a_process_of_the_background_is_said_to_end_with_a_call_by_hand() {
    let program = Program::new();
    let input = json!({"command": "sleep 600", "background": true}).to_string();
    let ran = program
        .run(&["tools", "run", "bash", "--yes", "--input", &input])
        .ended(0)
        .complains("proc_1 ended with this call");
    let data = &ran.json()["data"];
    assert_eq!(
        (&data["process_id"], &data["process_ended"]),
        (&json!("proc_1"), &json!(true))
    );
    let ran = program
        .run(&[
            "tools",
            "run",
            "bash",
            "--yes",
            "--input",
            r#"{"command": "true"}"#,
        ])
        .ended(0);
    assert!(ran.json()["data"].get("process_ended").is_none());
    assert!(!ran.err.contains("was ended"), "{}", ran.err);
}
