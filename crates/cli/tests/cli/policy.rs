//! `tenon policy explain`.

use crate::program::Program;
use serde_json::{Value, json};

fn explain(program: &Program, tool: &str, argument: &str) -> Value {
    program
        .run(&["policy", "explain", tool, argument, "--format", "json"])
        .ended(0)
        .json()
}

#[test]
fn the_rules_are_printed_in_the_order_in_which_they_were_tried() {
    let program = Program::new();
    program.configure("{\n\"permission\": {\"bash\": {\"git push\": \"deny\"}}\n}");
    let said = explain(&program, "bash", "git push origin main");
    assert_eq!(
        (&said["decision"], &said["class"]),
        (&json!("deny"), &json!("deny"))
    );
    let tried = said["tried"].as_array().unwrap();
    let last = tried.last().unwrap();
    assert_eq!(last["matched"], true);
    assert!(
        last["rule"].as_str().unwrap().contains("git push"),
        "{last}"
    );
    assert!(
        last["origin"].as_str().unwrap().contains("tenon.jsonc:2"),
        "{last}"
    );
    let ran = program
        .run(&["policy", "explain", "bash", "git push"])
        .ended(0);
    ran.says("matched")
        .says("tenon.jsonc:2")
        .says("deny (deny)")
        .says("No flag changes that");
}

#[test]
fn the_facts_are_those_of_the_real_tool_over_the_real_files() {
    let program = Program::new();
    std::os::unix::fs::symlink("/etc", program.project().join("link")).unwrap();
    let class = |tool: &str, argument: &str| explain(&program, tool, argument)["class"].clone();
    assert_eq!(class("bash", "ls -l"), "allow");
    assert_eq!(class("bash", "ls; rm x"), "ask");
    assert_eq!(class("read", "src/main.rs"), "allow");
    assert_eq!(class("read", ".env"), "ask");
    assert_eq!(class("read", "../outside"), "deny");
    assert_eq!(class("read", "link/passwd"), "deny");
    assert_eq!(class("write", "src/main.rs"), "ask");
    assert_eq!(class("write", ".git/config"), "hard_deny");
    assert_eq!(class("patch", ".git/config"), "hard_deny");
    assert_eq!(class("grep", "/"), "deny");
    assert_eq!(class("process", "list"), "allow");
}

#[test]
fn other_names_of_a_tool_are_understood_and_unknown_ones_are_not() {
    let program = Program::new();
    assert_eq!(explain(&program, "Shell", "ls")["tool"], "bash");
    assert_eq!(explain(&program, "write_file", "x")["tool"], "write");
    assert_eq!(explain(&program, "skill", "review")["class"], "allow");
    program
        .run(&["policy", "explain", "raed", "x"])
        .ended(2)
        .complains("Did you mean `read`?");
    program.run(&["policy", "explain", "bash"]).ended(2);
    program
        .run(&["policy", "explain", "patch", "a\nb"])
        .ended(2)
        .complains("the path of a file");
}

#[test]
fn what_explain_says_is_what_a_call_gets() {
    let program = Program::new();
    program.configure(r#"{"permission": {"bash": {"echo *": "allow"}}}"#);
    assert_eq!(explain(&program, "bash", "echo hi")["decision"], "allow");
    program
        .run(&[
            "tools",
            "run",
            "bash",
            "--input",
            r#"{"command": "echo hi"}"#,
        ])
        .ended(0);
    assert_eq!(explain(&program, "bash", "echo $(id)")["decision"], "ask");
    program
        .run(&[
            "tools",
            "run",
            "bash",
            "--input",
            r#"{"command": "echo $(id)"}"#,
        ])
        .ended(5);
}

#[test]
fn an_argument_cannot_write_to_the_terminal() {
    let program = Program::new();
    let ran = program
        .run(&["policy", "explain", "bash", "echo \u{1b}[2J"])
        .ended(0);
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

#[test]
fn damaged_grants_grant_nothing_and_are_told_of() {
    let program = Program::new();
    program.run(&["policy", "explain", "bash", "make"]).ended(0);
    let grants = program.home.tenon().join("grants");
    std::fs::create_dir_all(&grants).unwrap();
    let key = tenon_tools::workspace::sha256(program.project().to_str().unwrap().as_bytes());
    std::fs::write(grants.join(format!("{key}.json")), "{").unwrap();
    program
        .run(&["policy", "explain", "bash", "make"])
        .ended(0)
        .says("ask (ask)")
        .complains("grants");
}
