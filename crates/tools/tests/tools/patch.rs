//! `patch`: both formats, all or nothing. What a person can check by eye stands
//! in `tests/scenarios/`; here is what needs a world.

use crate::support::{World, code, data};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tenon_tools::Tool as _;
use tenon_tools::files::edit::Edit;
use tenon_tools::files::patch::{Apply, Patch, apply_text};
use tenon_tools::files::read::Read;
use tenon_vocab::{Display, Envelope, ToolOutput};

async fn patch(world: &World, text: &str) -> ToolOutput {
    world.run(&Patch::new(), json!({"patch": text})).await
}

fn files(output: &ToolOutput) -> &Vec<Value> {
    data(output)["files"].as_array().unwrap()
}

#[tokio::test]
async fn several_files_change_together_and_each_hunk_is_reported() {
    let world = World::new();
    let body: String = (1..=30).map(|i| format!("line {i}\n")).collect();
    world.file("a", format!("new top\n{body}"));
    world.file("gone", "x\n");
    let text = "--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n line 2\n-line 3\n+LINE 3\n line 4\n@@ -20,3 +20,3 @@\n line 20\n-line 21\n+LINE 21\n line 22\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- /dev/null\n+++ b/sub/made\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    let output = patch(&world, text).await;
    let found = files(&output);
    assert_eq!(found[0]["operation"], "updated");
    assert_eq!(
        found[0]["hunks"],
        json!([{"offset": 1, "fuzz": 0}, {"offset": 1, "fuzz": 0}])
    );
    assert_eq!(
        (&found[0]["additions"], &found[0]["deletions"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(found[1]["operation"], "deleted");
    assert_eq!(found[2]["operation"], "created");
    assert!(world.text("a").contains("LINE 3\n") && world.text("a").contains("LINE 21\n"));
    assert!(!world.exists("gone"));
    assert_eq!(world.text("sub/made"), "one\ntwo\n");
    let Display::Diff { files } = &output.display else {
        panic!("{:?}", output.display);
    };
    assert_eq!(files.len(), 3);
}

#[tokio::test]
async fn one_hunk_that_does_not_fit_leaves_every_file_alone() {
    let world = World::new();
    world.file("a", "one\n");
    world.file("b", "fn compute(alpha: u32) {\n    alpha + 1\n}\n");
    let text = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+ONE\n--- a/b\n+++ b/b\n@@ -1,3 +1,3 @@\n fn compute(alpha: u64) {\n-    alpha * 7 - 1\n+    alpha\n }\n--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+c\n";
    let output = patch(&world, text).await;
    assert_eq!(code(&output), "patch_rejected");
    let shown = &output.model_text;
    assert!(shown.contains("`b`: hunk 1 (@@ -1,3 +1,3 @@)"), "{shown}");
    assert!(shown.contains("-    alpha * 7 - 1"), "{shown}");
    assert!(shown.contains("closest match is at line 1"), "{shown}");
    assert!(
        shown.contains("the file has `3`, the patch has `6`"),
        "{shown}"
    );
    assert_eq!(world.text("a"), "one\n");
    assert!(!world.exists("c"));
}

#[tokio::test]
async fn a_write_that_fails_midway_puts_the_others_back() {
    use tenon_tools::workspace::{Change, Journal, JournalError};
    struct Full;
    impl Journal for Full {
        fn changing(&self, change: &Change<'_>) -> Result<(), JournalError> {
            match change.path {
                "c" => Err(JournalError(String::from("the disk is full"))),
                _ => Ok(()),
            }
        }
    }
    let world = World::new();
    world.file("a", "a\n");
    world.file("m", "m\n");
    world.file("c", "c\n");
    let text = "*** Begin Patch\n*** Update File: a\n-a\n+A\n*** Add File: n\n+n\n*** Update File: m\n*** Move to: moved\n-m\n+M\n*** Update File: c\n-c\n+C\n*** End Patch\n";
    let workspace = world.workspace.with_journal(std::sync::Arc::new(Full));
    let output = apply_text(&workspace, text, Apply::Write);
    assert_eq!(code(&output), "write_error");
    assert!(
        output.model_text.contains("the disk is full"),
        "{}",
        output.model_text
    );
    assert!(
        output.model_text.contains("Restored: moved, n, a"),
        "{}",
        output.model_text
    );
    assert_eq!(
        (world.text("a"), world.text("m"), world.text("c")),
        ("a\n".into(), "m\n".into(), "c\n".into())
    );
    assert!(!world.exists("n") && !world.exists("moved"));
}

#[tokio::test]
async fn what_a_patch_overwrites_is_asked_about_and_kept_for_undo() {
    use std::sync::{Arc, Mutex};
    use tenon_tools::workspace::{Change, Journal, JournalError};
    #[derive(Default)]
    struct Kept(Mutex<Vec<(String, Option<Vec<u8>>)>>);
    impl Journal for Kept {
        fn changing(&self, change: &Change<'_>) -> Result<(), JournalError> {
            let before = change.before.map(<[u8]>::to_vec);
            let mut kept = self.0.lock().unwrap();
            kept.push((change.path.to_owned(), before));
            Ok(())
        }
    }
    let world = World::new();
    world.file("a", "old a\n");
    world.file("from", "moved\n");
    world.file("to", "old to\n");
    let text = "*** Begin Patch\n*** Add File: a\n+new a\n*** Update File: from\n*** Move to: to\n*** End Patch\n";
    let input = json!({"patch": text});
    let facts = Patch::new().facts(&input, &world.workspace);
    let tenon_policy::Subject::Paths(paths) = facts.subject else {
        panic!("{facts:?}");
    };
    let asked: Vec<_> = paths
        .iter()
        .map(|it| (it.path.as_str(), it.exists))
        .collect();
    assert_eq!(asked, [("a", true), ("from", true), ("to", true)]);
    let Display::Diff { files } = Patch::new().preview(&input, &world.workspace) else {
        panic!("no diff");
    };
    assert!(files[0].unified.contains("-old a\n+new a\n"));
    let kept = Arc::new(Kept::default());
    let workspace = world.workspace.with_journal(Arc::clone(&kept) as _);
    data(&apply_text(&workspace, text, Apply::Write));
    assert_eq!(
        (world.text("a"), world.text("to")),
        ("new a\n".into(), "moved\n".into())
    );
    assert!(!world.exists("from"));
    let kept = kept.0.lock().unwrap();
    for (path, before) in [("a", "old a\n"), ("to", "old to\n"), ("from", "moved\n")] {
        let entry = (path.to_owned(), Some(before.as_bytes().to_vec()));
        assert!(kept.contains(&entry), "{path}: {kept:?}");
    }
}

#[tokio::test]
async fn a_check_says_what_would_happen_and_writes_nothing() {
    let world = World::new();
    world.file("a", "a\n");
    let text = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    let output = apply_text(&world.workspace, text, Apply::Check);
    assert_eq!(files(&output)[0]["operation"], "updated");
    assert!(output.model_text.contains("nothing was written"));
    let shown = Patch::new().preview(&json!({"patch": text}), &world.workspace);
    assert!(matches!(shown, Display::Diff { .. }));
    assert_eq!(world.text("a"), "a\n");
}

#[tokio::test]
async fn the_facts_name_every_path_for_writing() {
    let world = World::new();
    world.file("a", "a\n");
    let text = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n-a\n+A\n*** Add File: sub/c\n+c\n*** Delete File: ../d\n*** End Patch\n";
    let facts = Patch::new().facts(&json!({"patch": text}), &world.workspace);
    let tenon_policy::Subject::Paths(paths) = facts.subject else {
        panic!("{facts:?}");
    };
    let names: Vec<_> = paths
        .iter()
        .map(|fact| (fact.path.as_str(), fact.inside))
        .collect();
    assert_eq!(&names[..3], [("a", true), ("b", true), ("sub/c", true)]);
    assert!(!names[3].1);
    assert!(
        paths
            .iter()
            .all(|fact| fact.access == tenon_policy::Access::Write)
    );
    // Every reading of a plain diff's names is named.
    let plain = "--- old/.git/config\n+++ new/.git/config\n@@ -1 +1 @@\n-a\n+b\n";
    let facts = Patch::new().facts(&json!({"patch": plain}), &world.workspace);
    let tenon_policy::Subject::Paths(paths) = facts.subject else {
        panic!("{facts:?}");
    };
    assert!(
        paths.iter().any(|fact| fact.path == ".git/config"),
        "{paths:?}"
    );
}

#[tokio::test]
async fn paths_outside_are_refused_and_nothing_is_written() {
    let world = World::new();
    world.file("a", "a\n");
    for path in ["../outside/x", "/etc/passwd-tenon-test"] {
        let text = format!(
            "*** Begin Patch\n*** Update File: a\n-a\n+A\n*** Add File: {path}\n+x\n*** End Patch\n"
        );
        let output = patch(&world, &text).await;
        assert_eq!(code(&output), "path_outside_root");
    }
    assert_eq!(world.text("a"), "a\n");
    assert!(!world.outside().join("x").exists());
}

#[tokio::test]
async fn a_rename_keeps_the_mode_and_an_update_too() {
    let world = World::new();
    world.file("run", "a\n");
    world.set_mode("run", 0o750);
    let text = "diff --git a/run b/bin/run\nsimilarity index 50%\nrename from run\nrename to bin/run\n--- a/run\n+++ b/bin/run\n@@ -1 +1 @@\n-a\n+b\n";
    let output = patch(&world, text).await;
    assert_eq!(files(&output)[0]["operation"], "renamed");
    assert_eq!(world.text("bin/run"), "b\n");
    assert_eq!(world.mode("bin/run"), 0o750);
    assert!(!world.exists("run"));
}

#[tokio::test]
async fn what_was_read_stays_known_and_what_was_not_stays_unread() {
    let world = World::new();
    world.file("read", "a\n");
    world.file("unread", "a\n");
    data(&world.run(&Read::new(), json!({"path": "read"})).await);
    let text = "*** Begin Patch\n*** Update File: read\n-a\n+b\n*** Update File: unread\n-a\n+b\n*** Add File: made\n+x\n*** End Patch\n";
    let output = patch(&world, text).await;
    let names: Vec<_> = output.reads.iter().map(|read| read.path.as_str()).collect();
    assert_eq!(names, ["read", "made"]);
    data(
        &world
            .run(
                &Edit::new(),
                json!({"path": "read", "old": "b", "new": "c"}),
            )
            .await,
    );
}

#[tokio::test]
async fn unreadable_patches_are_explained_and_none_panics() {
    let world = World::new();
    world.file("a", "a\n");
    for (text, part) in [
        ("hello", "it names no file"),
        ("@@ -1 +1 @@\n-a\n+b\n", "before any file is named"),
        (
            "*** Begin Patch\n*** Update File: a\n-a\n+b\n",
            "`*** End Patch` is missing",
        ),
        (
            "*** Begin Patch\n*** Frobnicate: a\n*** End Patch",
            "instead of",
        ),
        (
            "*** Begin Patch\n*** Add File: b\nno plus\n*** End Patch",
            "must begin with `+`",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            "there is no change",
        ),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n", "has no lines"),
        ("--- a/a\n+++ b/a\n", "there is no hunk"),
        (
            "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
            "chmod",
        ),
        (
            "diff --git a/a b/a\nindex 1..2\nGIT binary patch\nliteral 1\n",
            "binary files",
        ),
        ("\0\u{feff}\u{202e}", "it names no file"),
    ] {
        let output = patch(&world, text).await;
        assert_eq!(code(&output), "invalid_input", "{text}");
        assert!(
            output.model_text.contains(part),
            "{text}: {}",
            output.model_text
        );
    }
    assert_eq!(world.text("a"), "a\n");
}

#[tokio::test]
async fn a_cancelled_patch_changes_nothing() {
    let world = World::new();
    world.file("a", "a\n");
    world.cancelled.cancel();
    let output = patch(&world, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n").await;
    assert_eq!(code(&output), "interrupted");
    assert_eq!(world.text("a"), "a\n");
}

/// The files of a folder by relative path; empty when it is not there.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(current) = left.pop() {
        let Ok(entries) = std::fs::read_dir(&current) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                files.insert(
                    name.to_str().unwrap().to_owned(),
                    std::fs::read(&path).unwrap(),
                );
            }
        }
    }
    files
}

/// What a scenario folder may hold; anything else is a mistake.
const PARTS: &[&str] = &[
    "before",
    "after",
    "patch.txt",
    "edit.json",
    "result.json",
    "note.md",
];

async fn scenario(folder: &Path) -> Result<(), String> {
    for entry in std::fs::read_dir(folder).map_err(|e| e.to_string())? {
        let name = entry.unwrap().file_name();
        if !PARTS.iter().any(|part| *part == name) {
            return Err(format!("{name:?} is not a part of a scenario"));
        }
    }
    let world = World::new();
    let before = tree(&folder.join("before"));
    for (path, bytes) in &before {
        world.file(path, bytes);
    }
    let sent = std::fs::read_to_string(folder.join("patch.txt"));
    let edit = std::fs::read_to_string(folder.join("edit.json"));
    let output = match (sent, edit) {
        (Ok(text), Err(_)) => patch(&world, &text).await,
        (Err(_), Ok(text)) => {
            let input = serde_json::from_str(&text).map_err(|e| format!("edit.json: {e}"))?;
            world.run(&Edit::new(), input).await
        }
        _ => return Err("needs either patch.txt or edit.json".into()),
    };
    let has_after = folder.join("after").is_dir();
    let expected = match std::fs::read_to_string(folder.join("result.json")) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| format!("result.json: {e}"))?,
        Err(_) if has_after => json!({}),
        Err(_) => return Err("needs after/ or result.json".into()),
    };
    compare(&output, &expected)?;
    let wanted = if has_after {
        tree(&folder.join("after"))
    } else {
        before
    };
    let found = tree(world.root());
    if found != wanted {
        let lossy = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
            files
                .iter()
                .map(|(k, v)| format!("{k}: {:?}", String::from_utf8_lossy(v)))
                .collect()
        };
        return Err(format!(
            "{:#?}\nwanted {:#?}\n{}",
            lossy(&found),
            lossy(&wanted),
            output.model_text
        ));
    }
    Ok(())
}

/// `{"code"}`, `{"data"}` (a part of it), `{"says": [text, …]}`.
fn compare(output: &ToolOutput, expected: &Value) -> Result<(), String> {
    let found = match &output.envelope {
        Envelope::Ok(_) => None,
        Envelope::Err(error) => Some(error.code.name()),
    };
    let wanted = expected["code"].as_str().map(str::to_owned);
    if found != wanted {
        return Err(format!(
            "code {found:?}, wanted {wanted:?}: {}",
            output.model_text
        ));
    }
    if let Some(part) = expected.get("data")
        && let Envelope::Ok(data) = &output.envelope
        && !holds(data, part)
    {
        return Err(format!("{data:#}\ndoes not hold {part:#}"));
    }
    for text in expected["says"].as_array().into_iter().flatten() {
        if !output
            .model_text
            .contains(text.as_str().unwrap_or_default())
        {
            return Err(format!("does not say {text}: {}", output.model_text));
        }
    }
    Ok(())
}

fn holds(found: &Value, part: &Value) -> bool {
    match (found, part) {
        (Value::Object(found), Value::Object(part)) => part
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| holds(found, value))),
        (Value::Array(found), Value::Array(part)) => {
            found.len() == part.len() && found.iter().zip(part).all(|(f, p)| holds(f, p))
        }
        (found, part) => found == part,
    }
}

#[tokio::test]
async fn every_scenario_folder_comes_out_as_written() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    assert!(folders.len() >= 30, "only {} scenarios", folders.len());
    let mut failed = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let numbered = name.len() > 4
            && name.as_bytes()[..3].iter().all(u8::is_ascii_digit)
            && name.as_bytes()[3] == b'_';
        let result = if numbered {
            scenario(&folder).await
        } else {
            Err("must be called NNN_name".into())
        };
        if let Err(reason) = result {
            failed.push(format!("{name}: {reason}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[tokio::test]
async fn the_example_that_models_are_given_is_a_patch_that_applies() {
    let world = World::new();
    let tool = Patch::new();
    let example = tool.example().unwrap();
    let text = &example[example.find("*** Begin Patch").unwrap()..];
    world.file(
        "src/greet.py",
        "class Other:\n    def greet(self, name):\n        return \"hello\"\n\nclass Greeter:\n    def greet(self, name):\n        return \"hello\"\n",
    );
    let output = patch(&world, text).await;
    assert_eq!(files(&output).len(), 2, "{}", output.model_text);
    let changed = world.text("src/greet.py");
    let (other, greeter) = changed.split_once("class Greeter").unwrap();
    assert!(!other.contains("f\"hello"), "{changed}");
    assert!(greeter.contains("f\"hello, {name}\""), "{changed}");
    assert_eq!(
        world.text("src/__init__.py"),
        "from .greet import Greeter\n"
    );
}
