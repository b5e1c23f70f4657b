//! `write`, and `ask_user`, which is too small for a file of its own.

use crate::support::{World, code, data, tool};
use serde_json::json;
use tenon_policy::{Access, Subject};
use tenon_tools::{BuiltIn, HostRequest, Interactive, StaleWrites, ToolSource};
use tenon_vocab::{Display, Effect, ToolOutput};

fn unified(output: &ToolOutput) -> &str {
    match &output.display {
        Display::Diff { files } => &files[0].unified,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_new_file_is_created_with_its_folders() {
    let world = World::new();
    let output = world
        .call(
            "write",
            json!({"path": "a/b/c.txt", "content": "one\ntwo\n"}),
        )
        .await;
    assert_eq!(world.text("a/b/c.txt"), "one\ntwo\n");
    let data = data(&output);
    assert_eq!(
        data["path"],
        world.root().join("a/b/c.txt").to_str().unwrap()
    );
    assert_eq!(data["created"], true);
    assert_eq!(data["operation"], "created");
    assert_eq!(
        (&data["bytes"], &data["additions"], &data["deletions"]),
        (&json!(8), &json!(2), &json!(0))
    );
    assert_eq!(output.model_text, "created a/b/c.txt (2 lines, 8 bytes)");
    assert_eq!(output.reads[0].path, "a/b/c.txt");
}

#[tokio::test]
async fn what_was_read_or_written_can_be_written_again() {
    let world = World::new();
    world.file("a", "one\ntwo\n");
    world.set_mode("a", 0o755);
    world.call("read", json!({"path": "a"})).await;
    let output = world
        .call("write", json!({"path": "a", "content": "one\n2\nthree\n"}))
        .await;
    assert_eq!(data(&output)["operation"], "updated");
    assert_eq!(
        (&data(&output)["additions"], &data(&output)["deletions"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(
        unified(&output),
        "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n"
    );
    assert_eq!(world.mode("a"), 0o755);
    let output = world
        .call("write", json!({"path": "./a", "content": "again"}))
        .await;
    assert_eq!(data(&output)["operation"], "updated");
    let output = world
        .call("write", json!({"path": "a", "content": "again"}))
        .await;
    assert_eq!(data(&output)["operation"], "unchanged");
    assert!(
        matches!(&output.display, Display::Text { summary, .. } if summary.contains("unchanged"))
    );
}

#[tokio::test]
async fn a_file_that_was_never_read_is_not_written_over() {
    let world = World::new();
    world.file("a", "precious");
    let output = world
        .call("write", json!({"path": "a", "content": "x"}))
        .await;
    assert_eq!(code(&output), "stale");
    assert!(
        output.model_text.contains("`read` it first"),
        "{}",
        output.model_text
    );
    assert_eq!(world.text("a"), "precious");
    // The same under another name of the file.
    world.link("link", "a");
    let output = world
        .call("write", json!({"path": "link", "content": "x"}))
        .await;
    assert_eq!(code(&output), "stale");
    // Nothing can be lost here.
    let output = world
        .call("write", json!({"path": "a", "content": "precious"}))
        .await;
    assert_eq!(data(&output)["operation"], "unchanged");
    world.file("empty", "");
    let output = world
        .call("write", json!({"path": "empty", "content": "x"}))
        .await;
    assert_eq!(data(&output)["operation"], "updated");
}

#[tokio::test]
async fn a_change_since_the_last_read_is_refused_once_with_its_diff() {
    let world = World::new();
    world.file("a", "one\ntwo\n");
    world.call("read", json!({"path": "a"})).await;
    world.file("a", "one\nTWO\n");
    let input = json!({"path": "a", "content": "mine\n"});
    let output = world.call("write", input.clone()).await;
    assert_eq!(code(&output), "stale");
    let text = &output.model_text;
    assert!(text.contains("-two\n+TWO\n"), "{text}");
    assert_eq!(world.text("a"), "one\nTWO\n");
    let output = world.call("write", input).await;
    assert_eq!(data(&output)["operation"], "updated");
}

#[tokio::test]
async fn a_change_too_large_to_show_must_be_read_again() {
    let world = World::new();
    world.file("a", "x\n");
    world.call("read", json!({"path": "a"})).await;
    world.file("a", "another line\n".repeat(5000));
    for _ in 0..2 {
        let output = world
            .call("write", json!({"path": "a", "content": "mine"}))
            .await;
        assert_eq!(code(&output), "stale");
        assert!(output.model_text.len() < 10 * 1024);
    }
    world.call("read", json!({"path": "a"})).await;
    let output = world
        .call("write", json!({"path": "a", "content": "mine"}))
        .await;
    assert_eq!(data(&output)["operation"], "updated");
}

#[tokio::test]
async fn a_new_time_on_the_same_content_is_not_stale() {
    let world = World::new();
    let path = world.file("a", "one");
    world.call("read", json!({"path": "a"})).await;
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(later).unwrap();
    let output = world
        .call("write", json!({"path": "a", "content": "two"}))
        .await;
    assert_eq!(data(&output)["operation"], "updated");
}

#[tokio::test]
async fn the_stale_rule_can_be_switched_off() {
    let mut world = World::new();
    world.limits.stale_writes = StaleWrites::Permit;
    world.file("a", "precious");
    let output = world
        .call("write", json!({"path": "a", "content": "x"}))
        .await;
    assert_eq!(data(&output)["operation"], "updated");
}

#[tokio::test]
async fn lost_line_ends_and_marks_are_said() {
    let world = World::new();
    world.file("a", "\u{feff}one\r\ntwo\r\n");
    world.call("read", json!({"path": "a"})).await;
    let output = world
        .call("write", json!({"path": "a", "content": "one\n"}))
        .await;
    let text = &output.model_text;
    assert!(
        text.contains("CRLF") && text.contains("byte order mark"),
        "{text}"
    );
}

#[tokio::test]
async fn failures_carry_their_code() {
    let world = World::new();
    world.file("file", "x");
    std::fs::create_dir(world.root().join("folder")).unwrap();
    for (path, expected) in [
        ("../outside/x", "path_outside_root"),
        ("folder", "path_error"),
        ("file/below", "mkdir_error"),
        ("a\0b", "path_error"),
    ] {
        let output = world
            .call("write", json!({"path": path, "content": "x"}))
            .await;
        assert_eq!(code(&output), expected, "{path}: {}", output.model_text);
    }
    let output = world
        .call("write", json!({"path": "../outside/x", "content": "x"}))
        .await;
    assert!(
        output.model_text.contains("not written"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_content_and_says_so() {
    // /dev/full cannot be a folder; a limit on file size gives the same error
    // path only with a signal. A folder without space is a tmpfs, which needs
    // root: where it cannot be mounted there is nothing to test.
    let world = World::new();
    let mount = world.root().join("small");
    std::fs::create_dir(&mount).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&mount)
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        return;
    }
    world
        .call("write", json!({"path": "small/a", "content": "old"}))
        .await;
    let content = "x".repeat(1024 * 1024);
    let output = world
        .call("write", json!({"path": "small/a", "content": content}))
        .await;
    let left: Vec<_> = std::fs::read_dir(&mount)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    let kept = world.text("small/a");
    let unmounted = std::process::Command::new("umount").arg(&mount).status();
    assert!(unmounted.unwrap().success());
    assert_eq!(code(&output), "write_error");
    assert!(
        output.model_text.contains("free some space"),
        "{}",
        output.model_text
    );
    assert_eq!((kept.as_str(), left.len()), ("old", 1));
}

#[test]
fn the_preview_is_the_diff_and_changes_nothing() {
    let world = World::new();
    world.file("a", "one\n");
    let input = json!({"path": "a", "content": "two\n"});
    let display = tool("write").preview(&input, &world.workspace);
    let Display::Diff { files } = display else {
        panic!("not a diff");
    };
    assert_eq!(files[0].unified, "@@ -1 +1 @@\n-one\n+two\n");
    assert_eq!(world.text("a"), "one\n");
    let facts = tool("write").facts(&input, &world.workspace);
    assert_eq!(facts.effect, Effect::Write);
    let Subject::Paths(paths) = facts.subject else {
        panic!("no paths");
    };
    assert_eq!(
        (paths[0].path.as_str(), paths[0].access),
        ("a", Access::Write)
    );
}

#[tokio::test]
async fn ask_user_gives_the_answer_or_says_that_there_is_none() {
    let mut world = World::new();
    let input = json!({"question": "Which?", "options": ["a", "b"]});
    let output = world.call("ask_user", input.clone()).await;
    assert!(
        output.model_text.contains("nobody is there"),
        "{}",
        output.model_text
    );
    world.answer = Some(String::from("b"));
    let output = world.call("ask_user", input).await;
    assert_eq!(data(&output)["answer"], "b");
    let asked = world.asked.lock().unwrap();
    assert!(matches!(&asked[0], HostRequest::Ask { question, options }
        if question == "Which?" && options == &["a", "b"]));
}

#[test]
fn the_tools_come_in_a_fixed_order_and_ask_user_only_with_somebody_there() {
    let names = |interactive| -> Vec<String> {
        let tools = BuiltIn::new(interactive).tools();
        tools.iter().map(|tool| tool.spec().name.clone()).collect()
    };
    let alone = names(Interactive::No);
    assert_eq!(
        alone,
        [
            "read",
            "write",
            "edit",
            "patch",
            "list",
            "glob",
            "grep",
            "bash",
            "process",
            "todoread",
            "todowrite"
        ]
    );
    assert_eq!(names(Interactive::Yes).last().unwrap(), "ask_user");
}

#[test]
fn schemas_are_objects_and_need_only_what_is_needed() {
    for tool in BuiltIn::new(Interactive::Yes).tools() {
        let spec = tool.spec();
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        assert_eq!(spec.source, "built-in");
        assert!(spec.description.len() < 700, "{} is wordy", spec.name);
        let properties = spec.parameters["properties"].as_object().unwrap();
        let required = spec.parameters["required"].as_array();
        for name in required.into_iter().flatten() {
            assert!(properties.contains_key(name.as_str().unwrap()));
        }
    }
}
