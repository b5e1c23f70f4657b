//! Sessions that are copied, carried elsewhere and looked at: fork, export,
//! import, diff, with the real program.

use crate::exec::run;
use crate::model::Model;
use crate::program::Program;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

#[test]
fn a_fork_prints_the_new_session_and_keeps_what_was_asked_for() {
    let program = Program::new();
    let id = program.session("explain the parser").to_string();
    program
        .run(&["sessions", "show", &id])
        .ended(0)
        .says("#1 you> explain the parser")
        .says("#2 model> The answer is 42.");
    let ran = program
        .run(&["sessions", "fork", &id, "--at", "1"])
        .ended(0)
        .complains("Made a copy up to message 1. Your files did not change")
        .complains("Continue with: tenon --session ");
    let copy = ran.out.trim().to_owned();
    let shown = program.run(&["sessions", "show", &copy]).ended(0);
    assert!(
        shown.out.contains("#1 you> explain the parser"),
        "{}",
        shown.out
    );
    assert!(!shown.out.contains("42"), "{}", shown.out);
    // Without an id it is the last session of this directory: the copy.
    let second = program.run(&["sessions", "fork"]).ended(0).out;
    assert_ne!(second.trim(), copy);
    program
        .run(&["sessions", "verify"])
        .ended(0)
        .says("whole: 3 sessions");
}

#[test]
fn a_message_that_is_not_there_is_a_mistake_and_no_copy_is_made() {
    let program = Program::new();
    let id = program.session("hello").to_string();
    program
        .run(&["sessions", "fork", &id, "--at", "9"])
        .ended(2)
        .complains("there is no message 9: the session has 2")
        .complains("tenon sessions show");
    let listed = program.run(&["sessions", "list", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
}

#[test]
fn an_exported_session_goes_on_in_another_directory() {
    let program = Program::new();
    let id = program.session("explain the \u{202e} parser").to_string();
    let file = program.home.path().join("session.json");
    let path = file.to_str().unwrap();
    program
        .run(&["sessions", "export", &id, "--format", "json", "-o", path])
        .ended(0);
    let document: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(document["format"], "tenon-session");
    let elsewhere = program.home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let ran = program
        .run_in(&elsewhere, &["sessions", "import", path])
        .ended(0)
        .complains("6 records of session")
        .complains("elsewhere; it came from")
        .complains("Continue with: tenon --session ");
    let copy = ran.out.trim().to_owned();
    assert_ne!(copy, id);
    program
        .run(&["sessions", "verify"])
        .ended(0)
        .says("whole: 2 sessions");
    let model = Model::says("still here");
    let (code, out, err) = run(model
        .command(&program.home)
        .current_dir(&elsewhere)
        .args(["exec", "--resume", "-p", "and now?"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, "still here\n");
    let body = model.bodies().pop().unwrap();
    assert!(
        body.contains("explain the") && body.contains("The answer is 42."),
        "{body}"
    );
    // From a pipe, too.
    let text = fs::read_to_string(&file).unwrap();
    program
        .run_with(&text, &["sessions", "import", "-"])
        .ended(0);
}

#[test]
fn what_is_no_session_is_not_imported() {
    let program = Program::new();
    program
        .run_with("{\"hello\": 1}", &["sessions", "import", "-"])
        .ended(1)
        .complains("this isn't an exported session")
        .complains("tenon sessions export --format json");
    program
        .run_with("# A session", &["sessions", "import", "-"])
        .ended(1)
        .complains("this isn't an exported session: it isn't JSON");
    program
        .run(&["sessions", "import", "nowhere.json"])
        .ended(2)
        .complains("can't read nowhere.json");
    program
        .run(&["sessions", "import", "/dev/zero"])
        .ended(2)
        .complains("isn't a regular file");
    let listed = program.run(&["sessions", "list", "--all", "--json"]).json();
    assert_eq!(listed, json!([]));
}

#[test]
fn a_page_is_one_file_with_a_policy() {
    let program = Program::new();
    program.session("<script>alert(1)</script>");
    let file = program.home.path().join("session.html");
    program
        .run(&[
            "sessions",
            "export",
            "--format",
            "html",
            "-o",
            file.to_str().unwrap(),
        ])
        .ended(0);
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("Content-Security-Policy"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !page.contains("<script>"));
}

/// One more run of the last session, which reads a file and writes it.
fn writes(program: &Program, path: &str, content: &str) {
    let call = |name: &str, arguments: Value| json!({"response": {"content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}});
    let script = json!({
        "scenarios": [{"name": "one", "trigger": "go", "scope": "turn", "steps": [
            call("read", json!({"path": path})),
            call("write", json!({"path": path, "content": content})),
            {"response": {"content": "done"}},
        ]}],
        "default_response": {"content": "nothing"},
    });
    let model = Model::new(&script.to_string());
    let (code, _, err) = run(model
        .command(&program.home)
        .args(["exec", "--yes", "--resume", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
}

fn begin(program: &Program) {
    program.session("before anything");
}

#[test]
fn a_diff_goes_from_before_the_session_to_now_and_can_be_taken_back_with_git() {
    let program = Program::new();
    program.file("a.txt", "one\ntwo\nthree\n");
    begin(&program);
    program
        .run(&["sessions", "diff"])
        .ended(0)
        .complains("This session changed no files");
    writes(&program, "a.txt", "one\n2\nthree\n");
    writes(&program, "a.txt", "one\n2\nthree\nfour\n");
    writes(&program, "sub/new file.txt", "fresh\n");
    let ran = program
        .run(&["sessions", "diff"])
        .ended(0)
        .complains("2 files changed, +3 -1, from before the session to now.");
    assert_eq!(
        ran.out,
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n\
         diff --git a/sub/new file.txt b/sub/new file.txt\nnew file mode 100644\n--- /dev/null\n+++ b/sub/new file.txt\n@@ -0,0 +1 @@\n+fresh\n"
    );
    program
        .run(&["sessions", "diff", "--stat"])
        .ended(0)
        .says("a.txt")
        .says("changed")
        .says("created");
    let patch = program.home.path().join("patch");
    fs::write(&patch, &ran.out).unwrap();
    let applied = Command::new("git")
        .current_dir(program.project())
        .args(["apply", "--reverse"])
        .arg(&patch)
        .output();
    if let Ok(applied) = applied {
        assert!(
            applied.status.success(),
            "{}",
            String::from_utf8_lossy(&applied.stderr)
        );
        assert_eq!(program.content("a.txt"), "one\ntwo\nthree\n");
    }
}

#[test]
fn what_others_changed_after_the_session_is_said() {
    let program = Program::new();
    program.file("a.txt", "one\n");
    begin(&program);
    writes(&program, "a.txt", "two\n");
    writes(&program, "b.txt", "made\n");
    program.file("a.txt", "mine\n");
    fs::remove_file(program.project().join("b.txt")).unwrap();
    let ran = program
        .run(&["sessions", "diff"])
        .ended(0)
        .says("-one\n+mine\n")
        .complains("a.txt: it was changed after the session; the diff includes that too.");
    assert!(!ran.out.contains("b.txt"), "it is gone again: {}", ran.out);
    program
        .run(&["sessions", "diff", "--stat"])
        .ended(0)
        .says("it was changed after the session")
        .says("it was removed after the session");
    program.file("a.txt", "one\n");
    program
        .run(&["sessions", "diff"])
        .ended(0)
        .complains("none of them differs from before");
}

#[test]
fn content_that_is_no_text_and_modes_are_told_and_not_shown() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    program.file("a.txt", "one\n");
    program.file("bin", "x");
    begin(&program);
    writes(&program, "a.txt", "two\n");
    writes(&program, "bin", "y");
    program.file("a.txt", "one\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(program.project().join("a.txt"), mode).unwrap();
    fs::write(program.project().join("bin"), b"\x00\xff").unwrap();
    let ran = program.run(&["sessions", "diff"]).ended(0);
    assert!(
        ran.out.contains("old mode 100644\nnew mode 100755\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("Binary files a/bin and b/bin differ\n"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains('\u{0}'));
}

#[test]
fn a_link_is_compared_by_where_it_leads_and_not_followed() {
    let program = Program::new();
    let outside = program.home.path().join("outside.txt");
    fs::write(&outside, "secret outside\n").unwrap();
    program.file("a.txt", "one\n");
    begin(&program);
    writes(&program, "a.txt", "two\n");
    fs::remove_file(program.project().join("a.txt")).unwrap();
    std::os::unix::fs::symlink(&outside, program.project().join("a.txt")).unwrap();
    let ran = program
        .run(&["sessions", "diff"])
        .ended(0)
        .says("new mode 120000");
    assert!(!ran.out.contains("secret outside"), "{}", ran.out);
    assert!(ran.out.contains("outside.txt"), "{}", ran.out);
}

#[test]
fn a_session_that_is_open_elsewhere_is_named_with_its_process_and_what_to_do() {
    let program = Program::new();
    let free = program.session("the older one").to_string();
    let id = program.session("the newest one");
    let (log, _) = program
        .store()
        .open(id, tenon_vocab::Timestamp::now())
        .unwrap();
    let pid = std::process::id();
    let held = format!("session {id} (the newest one) is open in process {pid}");
    program
        .run(&["exec", "-c", "-p", "go on"])
        .ended(1)
        .complains(&held)
        .complains(&format!("tenon --session {id} --fork"))
        .complains(&format!("tenon --session {free}` (the older one)"));
    program
        .run(&["sessions", "list"])
        .ended(0)
        .says("open in")
        .says(&format!("process {pid}"));
    let listed = program.run(&["sessions", "list", "--json"]).json();
    assert_eq!(listed[0]["open_in"], json!(pid));
    assert_eq!(listed[1].get("open_in"), None);
    drop(log);
    let list = program.run(&["sessions", "list"]).ended(0).out;
    assert!(!list.contains("open in"), "{list}");
}

#[test]
fn an_export_that_fails_leaves_the_file_that_was_there() {
    let program = Program::new();
    let id = program.session("explain the parser").to_string();
    program.file("page.html", "the old page");
    let page = program.project().join("page.html");
    let export = ["sessions", "export", &id, "--force", "-o", "page.html"];
    // No file may grow beyond a kilobyte, and the page is longer.
    let mut shell = program.home.command("/bin/sh".as_ref());
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"])
        .arg(crate::model::tenon())
        .args(export);
    let (code, _, err) = run(&mut shell);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("can't write page.html"), "{err}");
    assert_eq!(program.content("page.html"), "the old page");
    let names: Vec<_> = fs::read_dir(program.project()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing is left beside it: {names:?}");
    // What a link leads to is replaced, and the link stays.
    std::os::unix::fs::symlink("page.html", program.project().join("link.html")).unwrap();
    program
        .run(&["sessions", "export", &id, "--force", "-o", "link.html"])
        .ended(0);
    assert!(program.content("page.html").contains("explain the parser"));
    assert!(page.symlink_metadata().unwrap().is_file());
    let link = program.project().join("link.html");
    assert!(link.symlink_metadata().unwrap().is_symlink());
}
