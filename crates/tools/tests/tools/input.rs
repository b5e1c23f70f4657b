//! Names and inputs as models really send them.

use serde_json::{Value, json};
use tenon_tools::files::{edit::Edit, grep::Grep, patch::Patch, read::Read, write::Write};
use tenon_tools::input::{canonical_name, check, repair, suggest_name};
use tenon_tools::{BuiltIn, Interactive, Tool, ToolSource};

fn bash_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "workdir": {"type": "string"},
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 600_000},
            "background": {"type": "boolean"}
        },
        "required": ["command"],
        "additionalProperties": false
    })
}

fn process_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["list", "read", "write", "kill"]},
            "id": {"type": "string"},
            "input": {"type": "string"}
        },
        "required": ["action"],
        "additionalProperties": false
    })
}

/// Repairs and checks an input that must come out right.
fn repaired(tool: &str, schema: &Value, input: Value) -> Value {
    let (input, _) = repair(tool, schema, input);
    check(schema, &input).unwrap_or_else(|fault| panic!("{fault}: {input}"));
    input
}

fn schema(tool: &dyn Tool) -> Value {
    tool.spec().parameters.clone()
}

#[test]
fn every_spelling_of_the_known_products_finds_its_tool() {
    let table = [
        (
            "read",
            "read_file READ_FILE Read cat view view_file ReadFile",
        ),
        (
            "write",
            "write_file WRITE_FILE create_file Write write_to_file",
        ),
        (
            "edit",
            "edit_file str_replace str_replace_editor str_replace_based_edit_tool Edit replace FIND_AND_REPLACE_IN_FILE replace_in_file search_replace",
        ),
        ("patch", "apply_patch ApplyPatch patch_file apply_diff"),
        (
            "list",
            "list_directory LIST_DIRECTORY list_dir ls LS LIST_FILES",
        ),
        ("glob", "glob find_files Glob file_search"),
        (
            "grep",
            "grep search search_files ripgrep Grep SEARCH search_file_content grep_search",
        ),
        (
            "bash",
            "bash shell run_command execute_command run_shell_command Bash EXECUTE_COMMAND RUN_COMMAND COMMAND run_terminal_cmd local_shell",
        ),
        (
            "process",
            "process READ_BACKGROUND_PROCESS LIST_BACKGROUND_PROCESSES KILL_BACKGROUND_PROCESS BashOutput KillShell",
        ),
        (
            "ask_user",
            "ask_user ask ASK_USER AskUserQuestion ask_followup_question",
        ),
        (
            "todowrite",
            "TodoWrite todo_write UPDATE_TASK_LIST update_plan",
        ),
        ("todoread", "TodoRead todo_read"),
        ("task", "task Task delegate_agent dispatch_agent"),
        ("skill", "skill Skill load_skill"),
        ("done", "done DONE attempt_completion"),
    ];
    for (canonical, spellings) in table {
        for spelling in spellings.split(' ') {
            assert_eq!(canonical_name(spelling), Some(canonical), "{spelling}");
        }
    }
    assert_eq!(canonical_name("functions.read_file"), Some("read"));
    assert_eq!(canonical_name("default_api:Grep"), Some("grep"));
}

#[test]
fn a_name_of_nobody_is_unknown() {
    let long = "read".repeat(1000);
    for name in [
        "",
        "  ",
        "github_create_issue",
        "reading",
        long.as_str(),
        "é\u{202e}",
    ] {
        assert_eq!(canonical_name(name), None, "{name}");
    }
}

#[test]
fn every_built_in_tool_is_its_own_canonical_name() {
    for tool in BuiltIn::new(Interactive::Yes).tools() {
        let name = &tool.spec().name;
        assert_eq!(canonical_name(name), Some(name.as_str()));
    }
}

#[test]
fn a_misspelt_name_gets_a_suggestion_and_nonsense_gets_none() {
    let known = ["read", "write", "edit", "grep", "github_search"];
    assert_eq!(suggest_name("raed", &known).as_deref(), Some("read"));
    assert_eq!(
        suggest_name("gihub_search", &known).as_deref(),
        Some("github_search")
    );
    assert_eq!(suggest_name("read_file", &known).as_deref(), Some("read"));
    assert_eq!(suggest_name("launch_rocket", &known), None);
    assert_eq!(suggest_name(&"x".repeat(100_000), &known), None);
    assert_eq!(suggest_name("read", &[]), None);
}

#[test]
fn keys_of_other_products_become_ours() {
    let edit = schema(&Edit::new());
    let wanted = json!({"path": "a", "old": "b", "new": "c"});
    for input in [
        json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
        json!({"path": "a", "oldString": "b", "newString": "c"}),
        json!({"filename": "a", "old_str": "b", "new_str": "c"}),
        json!({"file": "a", "search": "b", "replace": "c"}),
        json!({"Path": "a", "OLD": "b", "NEW": "c"}),
    ] {
        assert_eq!(repaired("edit", &edit, input), wanted);
    }
    let all = json!({"path": "a", "old": "b", "new": "c", "replaceAll": "true"});
    assert_eq!(repaired("Edit", &edit, all)["replace_all"], true);
    assert_eq!(
        repaired(
            "write",
            &schema(&Write::new()),
            json!({"file_path": "a", "file_text": "x"})
        ),
        json!({"path": "a", "content": "x"})
    );
    assert_eq!(
        repaired(
            "grep",
            &schema(&Grep::new()),
            json!({"regex": "x", "directory": "src", "include": "*.rs"})
        ),
        json!({"pattern": "x", "path": "src", "glob": "*.rs"})
    );
    for key in ["diff", "input", "patch_text"] {
        assert_eq!(
            repaired(
                "apply_patch",
                &schema(&Patch::new()),
                json!({key: "*** Begin Patch"})
            ),
            json!({"patch": "*** Begin Patch"})
        );
    }
    assert_eq!(
        repaired(
            "bash",
            &bash_schema(),
            json!({"cmd": "ls", "cwd": "src", "timeoutMs": "500"})
        ),
        json!({"command": "ls", "workdir": "src", "timeout_ms": 500})
    );
}

#[test]
fn a_key_that_is_there_wins_over_its_alias_and_strangers_are_dropped_with_a_note() {
    let (input, notes) = repair(
        "read",
        &schema(&Read::new()),
        json!({"path": "a", "file_path": "b", "description": "why\u{1b}[31m"}),
    );
    assert_eq!(input, json!({"path": "a"}));
    assert_eq!(notes.len(), 2);
    assert!(
        notes.iter().all(|note| note.starts_with("dropped")),
        "{notes:?}"
    );
}

#[test]
fn an_input_that_is_right_is_left_alone() {
    let input = json!({"path": "a", "offset": 3, "limit": 10});
    let (after, notes) = repair("read", &schema(&Read::new()), input.clone());
    assert_eq!(after, input);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn values_are_brought_to_the_wanted_type() {
    let wanted = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "flag": {"type": "boolean"},
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"type": "string"}},
            "maybe": {"type": ["string", "null"]},
            "optional": {"type": "string"},
            "inner": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "mode": {"type": "string", "enum": ["files", "count"]}
        },
        "required": ["count"]
    });
    let input = json!({
        "count": "5", "share": "2.5", "flag": "True", "text": 5, "list": "one",
        "maybe": null, "optional": null, "inner": "{\"n\": \"7\"}", "mode": "FILES"
    });
    let (after, notes) = repair("foreign_tool", &wanted, input);
    assert_eq!(
        after,
        json!({
            "count": 5, "share": 2.5, "flag": true, "text": "5", "list": ["one"],
            "maybe": null, "inner": {"n": 7}, "mode": "files"
        })
    );
    assert!(notes.len() >= 8, "{notes:?}");
    let (after, _) = repair("t", &wanted, json!({"count": 5.0, "list": "[\"a\",\"b\"]"}));
    assert_eq!(after, json!({"count": 5, "list": ["a", "b"]}));
    // What has no single reading stays, and the check names it.
    let (after, _) = repair("t", &wanted, json!({"count": "five", "flag": "maybe"}));
    assert_eq!(after, json!({"count": "five", "flag": "maybe"}));
    assert!(
        check(&wanted, &after)
            .unwrap_err()
            .contains("`count` must be an integer")
    );
}

#[test]
fn the_object_is_found_inside_strings_and_wrappers() {
    let read = schema(&Read::new());
    let wanted = json!({"path": "a"});
    for input in [
        json!("{\"path\": \"a\"}"),
        json!("\"{\\\"path\\\": \\\"a\\\"}\""),
        json!({"arguments": {"path": "a"}}),
        json!({"parameters": "{\"path\": \"a\"}"}),
        json!([{"path": "a"}]),
        json!("a"),
    ] {
        assert_eq!(repaired("read", &read, input), wanted);
    }
    assert_eq!(repair("read", &read, Value::Null).0, json!({}));
    assert_eq!(repair("read", &read, json!("")).0, json!({}));
    assert_eq!(
        repair("edit", &schema(&Edit::new()), json!("text")).0,
        json!("text")
    );
    assert_eq!(repair("read", &read, json!([1, 2])).0, json!([1, 2]));
}

#[test]
fn texts_arrive_in_other_shapes_too() {
    let bash = bash_schema();
    for (words, line) in [
        (json!(["bash", "-lc", "make all"]), "make all"),
        (
            json!(["git", "commit", "-m", "it's done"]),
            r"git commit -m 'it'\''s done'",
        ),
        (json!(["ls"]), "ls"),
    ] {
        assert_eq!(
            repaired("shell", &bash, json!({"command": words})),
            json!({"command": line})
        );
    }
    let write = schema(&Write::new());
    assert_eq!(
        repaired(
            "write",
            &write,
            json!({"path": " a.json\n", "content": {"k": 1}})
        ),
        json!({"path": "a.json", "content": "{\n  \"k\": 1\n}\n"})
    );
    assert_eq!(
        repaired("write", &write, json!({"path": "a", "content": ["x", "y"]})),
        json!({"path": "a", "content": "x\ny"})
    );
}

#[test]
fn the_name_of_a_process_tool_says_its_action() {
    let process = process_schema();
    assert_eq!(
        repaired("KILL_BACKGROUND_PROCESS", &process, json!("proc_1")),
        json!({"id": "proc_1", "action": "kill"})
    );
    assert_eq!(
        repaired("BashOutput", &process, json!({"bash_id": "proc_1"})),
        json!({"id": "proc_1", "action": "read"})
    );
    assert_eq!(
        repaired("LIST_BACKGROUND_PROCESSES", &process, Value::Null),
        json!({"action": "list"})
    );
    // Nothing is guessed when the name does not say it.
    let (input, _) = repair("process", &process, json!({"id": "proc_1"}));
    assert!(
        check(&process, &input)
            .unwrap_err()
            .contains("`action` is missing")
    );
}

#[test]
fn a_foreign_tool_keeps_the_fields_that_it_does_not_list() {
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let input = json!({"a": "x", "file_path": 1});
    assert_eq!(repair("server_tool", &open, input.clone()).0, input);
}

#[test]
fn a_missing_field_is_named_in_one_line_with_an_example() {
    let fault = check(&bash_schema(), &json!({})).unwrap_err();
    assert_eq!(
        fault,
        "`command` is missing; it must be a string. Example: {\"command\":\"ls -la\"}"
    );
    assert_eq!(fault.lines().count(), 1);
    let fault = check(&bash_schema(), &json!({"command": "ls", "timeout_ms": 0})).unwrap_err();
    assert!(
        fault.starts_with("`timeout_ms` must be at least 1; it is 0."),
        "{fault}"
    );
    assert!(fault.contains("\"timeout_ms\":1"), "{fault}");
    let fault = check(&bash_schema(), &json!({"command": "ls", "x": 0})).unwrap_err();
    assert!(
        fault.contains("`x` is not a field of this tool; it has `command`"),
        "{fault}"
    );
    assert!(
        check(&bash_schema(), &json!("ls"))
            .unwrap_err()
            .contains("the input must be an object")
    );
}

#[test]
fn every_example_is_itself_a_valid_input() {
    for tool in BuiltIn::new(Interactive::Yes).tools() {
        let schema = &tool.spec().parameters;
        let Err(fault) = check(schema, &json!(3)) else {
            panic!("a number passed for {}", tool.spec().name);
        };
        let (_, example) = fault.split_once("Example: ").unwrap();
        let example: Value = serde_json::from_str(example).unwrap();
        check(schema, &example).unwrap_or_else(|fault| panic!("{}: {fault}", tool.spec().name));
    }
}

#[test]
fn the_check_knows_the_keywords_that_tools_use() {
    let schema = json!({
        "type": "object",
        "properties": {
            "mode": {"enum": ["a", "b"]},
            "list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, "minItems": 1},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "one": {"oneOf": [{"const": 1}, {"type": "null"}]},
            "name": {"type": "string", "minLength": 1, "maxLength": 3},
            "size": {"type": ["integer", "null"], "maximum": 9}
        },
        "additionalProperties": {"type": "boolean"}
    });
    for good in [
        json!({"mode": "a", "list": [{"n": 1}], "either": 1, "one": null, "name": "abc", "size": null, "more": true}),
        json!({}),
    ] {
        check(&schema, &good).unwrap();
    }
    for (bad, part) in [
        (json!({"mode": "c"}), "`mode` must be one of \"a\", \"b\""),
        (json!({"list": []}), "`list` must have at least 1"),
        (json!({"list": [{"n": 1}, {}]}), "`list[1].n` is missing"),
        (
            json!({"either": true}),
            "`either` must be a string, not a boolean",
        ),
        (json!({"one": 2}), "`one` must be one of 1"),
        (json!({"name": ""}), "`name` must not be empty"),
        (json!({"name": "abcd"}), "`name` must have at most 3"),
        (json!({"size": 10}), "`size` must be at most 9"),
        (json!({"size": 1.5}), "`size` must be an integer or null"),
        (json!({"more": 1}), "`more` must be true or false"),
    ] {
        let fault = check(&schema, &bad).unwrap_err();
        assert!(fault.contains(part), "{fault}");
    }
}

#[test]
fn hostile_depth_and_size_neither_hang_nor_overflow() {
    let mut deep = json!(1);
    let mut schema = json!({"type": "integer"});
    for _ in 0..100 {
        deep = json!({"a": deep});
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    let (deep, _) = repair("read", &schema, deep);
    let _ = check(&schema, &deep);
    let key = "k".repeat(1_000_000);
    let (_, notes) = repair("read", &bash_schema(), json!({key: 1}));
    assert!(notes.iter().all(|note| note.len() < 200));
}
