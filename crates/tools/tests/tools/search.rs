//! `list`, `glob` and `grep`.

use crate::support::{World, code, data, tool};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tenon_policy::Subject;
use tenon_tools::Tool;
use tenon_tools::workspace::Resolution;
use tenon_vocab::Display;

fn paths(output: &tenon_vocab::ToolOutput) -> Vec<&str> {
    let paths = data(output)["paths"].as_array().unwrap();
    paths.iter().map(|path| path.as_str().unwrap()).collect()
}

fn date(world: &World, path: &str, seconds: u64) {
    let file = std::fs::File::options()
        .write(true)
        .open(world.root().join(path))
        .unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        .unwrap();
}

fn project() -> World {
    let world = World::new();
    world.file(".gitignore", "target/\n*.log\n");
    world.file("Cargo.toml", "[package]\n");
    world.file("src/main.rs", "fn main() {\n    needle();\n}\n");
    world.file(
        "src/deep/mod.rs",
        "// needle one\n// needle two\n// nothing\n",
    );
    world.file("target/out.rs", "needle\n");
    world.file("debug.log", "needle\n");
    world.file("node_modules/x/index.js", "needle\n");
    world.file(".git/config", "needle\n");
    world.file(".env", "needle=secret\n");
    world.file("image.bin", b"needle\0needle\n");
    world
}

#[tokio::test]
async fn list_shows_a_tree_without_what_is_ignored() {
    let world = project();
    let output = world.call("list", json!({})).await;
    assert_eq!(
        output.model_text,
        "./\n.env\n.gitignore\nCargo.toml\nimage.bin\nsrc/\n  deep/\n    mod.rs\n  main.rs\n"
    );
    let output = world.call("list", json!({"path": "src", "depth": 1})).await;
    assert_eq!(output.model_text, "src/\ndeep/\nmain.rs\n");
    let output = world.call("list", json!({"glob": "mod.*"})).await;
    assert_eq!(output.model_text, "./\nsrc/\n  deep/\n    mod.rs\n");
}

#[tokio::test]
async fn list_stops_at_a_level_so_that_one_folder_does_not_hide_the_others() {
    let world = World::new();
    for n in 0..600 {
        world.file(&format!("a_big/{n:04}"), "");
    }
    world.file("z_small/x", "");
    let output = world.call("list", json!({})).await;
    let text = &output.model_text;
    assert!(text.starts_with("./\na_big/\n  0000\n"), "{text}");
    let left = "  0496\n  [… 103 more in this folder; list it with depth 1 and offset 498]\n";
    assert!(text.ends_with(&format!("{left}z_small/\n  x\n")), "{text}");
    let found = data(&output);
    assert_eq!(
        (&found["truncated"], &found["entries"]),
        (&json!(true), &json!(500))
    );
    let left_out = &found["left_out"][0];
    assert!(left_out["path"].as_str().unwrap().ends_with("/a_big"));
    assert_eq!(
        (&left_out["entries"], &left_out["offset"]),
        (&json!(103), &json!(498))
    );
    let next = world
        .call("list", json!({"path": "a_big", "depth": 1, "offset": 498}))
        .await;
    let text = &next.model_text;
    assert!(text.starts_with("a_big/\n0497\n"), "{text}");
    assert!(
        text.ends_with("0599\n[entries 498-600 of 600, the end]\n"),
        "{text}"
    );
    assert_eq!(data(&next)["truncated"], false);
}

#[tokio::test]
async fn list_goes_through_a_large_folder_page_by_page_and_misses_nothing() {
    let world = World::new();
    for n in 0..6000 {
        world.file(&format!("big/a file with a longer name {n:04}"), "");
    }
    for depth in [1, 3] {
        let (mut offset, mut seen) = (1, Vec::new());
        loop {
            let input = json!({"path": "big", "depth": depth, "offset": offset});
            let output = world.call("list", input).await;
            let found = data(&output);
            let names = found["tree"].as_str().unwrap().lines().map(str::to_owned);
            seen.extend(names);
            let Some(next) = found["next_offset"].as_u64() else {
                assert_eq!(found["truncated"], false);
                break;
            };
            assert_eq!(found["truncated"], true);
            // The text says what the envelope says.
            let note = found["note"].as_str().unwrap();
            assert!(
                note.ends_with(&format!("of 6000; use offset={next} to continue]")) || depth > 1
            );
            assert!(output.model_text.ends_with(&format!("{note}\n")));
            offset = next;
        }
        let expected: Vec<String> = (0..6000)
            .map(|n| format!("a file with a longer name {n:04}"))
            .collect();
        assert_eq!(seen, expected);
    }
    // From above the folder is shown in part, with the way to the rest.
    let output = world.call("list", json!({"depth": 2})).await;
    assert!(output.model_text.contains("longer name 0000"));
    let left = &data(&output)["left_out"][0];
    let shown = data(&output)["entries"].as_u64().unwrap() - 1;
    assert_eq!(left["entries"], 6000 - shown);
    assert_eq!(left["offset"], shown + 1);
    assert!(
        output
            .model_text
            .contains(&format!("offset {}]", shown + 1))
    );
    let beyond = world
        .call("list", json!({"path": "big", "offset": 6001}))
        .await;
    assert_eq!(code(&beyond), "invalid_input");
}

#[tokio::test]
async fn list_shows_links_and_does_not_follow_them() {
    let world = World::new();
    std::fs::write(world.outside().join("secret"), "").unwrap();
    world.link("out", world.outside());
    let output = world.call("list", json!({"depth": 5})).await;
    assert!(
        output.model_text.contains("out -> "),
        "{}",
        output.model_text
    );
    assert!(!output.model_text.contains("secret"));
    let output = world.call("list", json!({"path": "out"})).await;
    assert_eq!(code(&output), "path_outside_root");
    world.file("file", "");
    let output = world.call("list", json!({"path": "file"})).await;
    assert_eq!(code(&output), "path_error");
    let output = world.call("list", json!({"glob": "../*"})).await;
    assert_eq!(code(&output), "invalid_input");
}

#[tokio::test]
async fn glob_gives_the_newest_first() {
    let world = project();
    world.file("src/new.rs", "");
    for (path, time) in [
        ("src/main.rs", 100),
        ("src/deep/mod.rs", 300),
        ("src/new.rs", 200),
    ] {
        date(&world, path, time);
    }
    let output = world.call("glob", json!({"pattern": "**/*.rs"})).await;
    assert_eq!(
        paths(&output),
        ["src/deep/mod.rs", "src/new.rs", "src/main.rs"]
    );
    assert_eq!(
        output.model_text,
        "src/deep/mod.rs\nsrc/new.rs\nsrc/main.rs\n"
    );
    let output = world
        .call("glob", json!({"pattern": "*.rs", "path": "src/deep"}))
        .await;
    assert_eq!(paths(&output), ["src/deep/mod.rs"]);
    let output = world.call("glob", json!({"pattern": "src/*.rs"})).await;
    assert_eq!(paths(&output), ["src/new.rs", "src/main.rs"]);
    let output = world.call("glob", json!({"pattern": "*.log"})).await;
    assert!(
        output.model_text.contains(".gitignore"),
        "{}",
        output.model_text
    );
    let output = world
        .call("glob", json!({"pattern": "a[", "path": "."}))
        .await;
    assert_eq!(code(&output), "invalid_input");
}

#[tokio::test]
async fn glob_is_capped_with_a_marker() {
    let mut world = World::new();
    world.limits.glob_paths = 10;
    for n in 0..25 {
        world.file(&format!("f{n:02}"), "");
        date(&world, &format!("f{n:02}"), n);
    }
    let output = world.call("glob", json!({"pattern": "*"})).await;
    assert_eq!(paths(&output)[0], "f24");
    assert_eq!(paths(&output).len(), 10);
    assert!(
        output.model_text.contains("[the newest 10 of 25 files"),
        "{}",
        output.model_text
    );
    world.limits.glob_paths = 1000;
    world.limits.output_bytes = 20;
    let output = world.call("glob", json!({"pattern": "*"})).await;
    assert!(
        output.model_text.contains("of 25 files"),
        "{}",
        output.model_text
    );
    assert!(paths(&output).len() < 10);
}

#[tokio::test]
async fn grep_shows_lines_under_their_file_sorted_by_path() {
    let world = project();
    let output = world.call("grep", json!({"pattern": "needle"})).await;
    assert_eq!(
        output.model_text,
        ".env\n1:needle=secret\n\nsrc/deep/mod.rs\n1:// needle one\n2:// needle two\n\nsrc/main.rs\n2:    needle();\n"
    );
    assert_eq!(
        (&data(&output)["count"], &data(&output)["files"]),
        (&json!(4), &json!(3))
    );
    assert_eq!(data(&output)["results"][1]["line"], 1);
    assert!(matches!(&output.display, Display::Files { entries, .. } if entries.len() == 4));
    let output = world
        .call(
            "grep",
            json!({"pattern": "NEEDLE", "ignore_case": true, "glob": "*.rs"}),
        )
        .await;
    assert_eq!(data(&output)["count"], 3);
    let output = world
        .call("grep", json!({"pattern": "needle", "path": "src/main.rs"}))
        .await;
    assert_eq!(output.model_text, "src/main.rs\n2:    needle();\n");
    let output = world.call("grep", json!({"pattern": "absent"})).await;
    assert!(
        output.model_text.starts_with("[no match"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn grep_has_modes_and_context() {
    let world = project();
    let output = world
        .call(
            "grep",
            json!({"pattern": "needle", "path": "src", "mode": "files"}),
        )
        .await;
    assert_eq!(output.model_text, "src/deep/mod.rs\nsrc/main.rs\n");
    let output = world
        .call(
            "grep",
            json!({"pattern": "needle", "path": "src", "mode": "count"}),
        )
        .await;
    assert_eq!(output.model_text, "src/deep/mod.rs:2\nsrc/main.rs:1\n");
    world.file("gaps", "1\nhit\n3\n4\n5\n6\nhit\n8\n");
    let output = world
        .call("grep", json!({"pattern": "hit", "context": 1}))
        .await;
    assert_eq!(
        output.model_text,
        "gaps\n1-1\n2:hit\n3-3\n--\n6-6\n7:hit\n8-8\n"
    );
}

#[tokio::test]
async fn grep_shows_the_same_first_matches_every_time_and_says_there_are_more() {
    let world = World::new();
    for n in 0..300 {
        world.file(&format!("d{}/f{n:03}", n % 7), "hit\nhit\n");
    }
    let first = world.call("grep", json!({"pattern": "hit"})).await;
    assert_eq!(data(&first)["count"], 200);
    assert_eq!(data(&first)["truncated"], true);
    assert!(
        first.model_text.contains("[the first 200 matches by path"),
        "{}",
        first.model_text
    );
    for _ in 0..10 {
        let again = world.call("grep", json!({"pattern": "hit"})).await;
        assert_eq!(again.model_text, first.model_text);
    }
    world.file("a_flood", "hit\n".repeat(1000));
    let output = world.call("grep", json!({"pattern": "hit"})).await;
    assert_eq!(
        (&data(&output)["count"], &data(&output)["files"]),
        (&json!(200), &json!(1))
    );
    let output = world
        .call(
            "grep",
            json!({"pattern": "hit", "path": "a_flood", "mode": "count"}),
        )
        .await;
    assert_eq!(output.model_text, "a_flood:1000\n");
}

#[tokio::test]
async fn exactly_as_many_matches_as_may_be_shown_are_all() {
    let world = World::new();
    world.file("a", "hit\n".repeat(200));
    let output = world.call("grep", json!({"pattern": "hit"})).await;
    assert_eq!(data(&output)["truncated"], false);
    assert!(!output.model_text.contains("there may be more"));
}

#[tokio::test]
async fn grep_explains_a_pattern_that_it_cannot_use() {
    let world = World::new();
    for (pattern, word) in [
        ("foo(", "put a \\ before"),
        ("(?=x)", "look-around"),
        ("a\\nb", "within one line"),
    ] {
        let output = world.call("grep", json!({"pattern": pattern})).await;
        assert_eq!(code(&output), "invalid_input");
        assert!(output.model_text.contains(word), "{}", output.model_text);
    }
    let bomb = "(a{1000}){1000}";
    let output = world.call("grep", json!({"pattern": bomb})).await;
    assert_eq!(code(&output), "invalid_input");
}

#[tokio::test]
async fn grep_cuts_long_lines_around_the_match_and_passes_endless_ones_by() {
    let world = World::new();
    let long = format!("{}needle{}\n", "a".repeat(1_000_000), "b".repeat(1_000_000));
    world.file("min.js", &long);
    let output = world.call("grep", json!({"pattern": "needle"})).await;
    let text = &output.model_text;
    assert!(text.contains("aneedleb") && text.len() < 600, "{text}");
    world.file("endless", vec![b'x'; 20 * 1024 * 1024]);
    let output = world.call("grep", json!({"pattern": "needle"})).await;
    assert!(
        output.model_text.contains("[1 files could not be searched"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn grep_finds_text_in_utf16_and_in_files_that_are_not_utf8() {
    let world = World::new();
    let mut wide = b"\xff\xfe".to_vec();
    wide.extend("a needle\n".encode_utf16().flat_map(u16::to_le_bytes));
    world.file("wide", wide);
    world.file("latin", b"caf\xe9 needle\n");
    let output = world.call("grep", json!({"pattern": "needle"})).await;
    assert_eq!(
        output.model_text,
        "latin\n1:caf\u{fffd} needle\n\nwide\n1:a needle\n"
    );
}

#[tokio::test]
async fn grep_does_not_look_into_private_files_and_says_so() {
    let mut world = project();
    world.workspace = world
        .workspace
        .with_private(Arc::new(|path| path == ".env"));
    let output = world.call("grep", json!({"pattern": "secret"})).await;
    assert!(!output.model_text.contains("needle=secret"));
    assert!(
        output.model_text.contains("[1 files were not searched"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn searches_stay_inside_and_never_follow_links() {
    let mut world = World::new();
    std::fs::write(world.outside().join("a"), "needle\n").unwrap();
    world.link("out", world.outside());
    world.link("file", world.outside().join("a"));
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        world.root().join("fifo"),
        rustix::fs::Mode::from_raw_mode(0o600),
    )
    .unwrap();
    for way in [Resolution::Kernel, Resolution::Walk] {
        world.workspace = world.workspace.with_resolution(way);
        let output = world.call("grep", json!({"pattern": "needle"})).await;
        assert_eq!(data(&output)["count"], 0);
        for tool in ["grep", "glob"] {
            for path in ["out", "..", "/", "file"] {
                let input = json!({"pattern": "needle", "path": path});
                let output = world.call(tool, input).await;
                assert_eq!(code(&output), "path_outside_root", "{tool} {path}");
            }
        }
        let output = world.call("glob", json!({"pattern": "**/*"})).await;
        assert!(!output.model_text.contains("out/"), "{}", output.model_text);
    }
}

#[tokio::test]
async fn an_interrupt_and_the_end_of_the_time_stop_a_search() {
    let mut world = project();
    world.cancelled.cancel();
    for (tool, input) in [
        ("grep", json!({"pattern": "needle"})),
        ("glob", json!({"pattern": "*"})),
        ("list", json!({})),
    ] {
        assert_eq!(code(&world.call(tool, input).await), "interrupted");
    }
    world.cancelled = tokio_util::sync::CancellationToken::new();
    world.limits.timeout = Some(Duration::ZERO);
    let output = world.call("grep", json!({"pattern": "needle"})).await;
    assert_eq!(code(&output), "timeout");
    assert!(
        output.model_text.contains("narrow it"),
        "{}",
        output.model_text
    );
    world.limits.timeout = None;
    let output = world.call("grep", json!({"pattern": "needle"})).await;
    assert_eq!(data(&output)["truncated"], false);
}

#[test]
fn the_facts_of_a_search_are_its_folder() {
    let world = project();
    for (name, input, path) in [
        ("grep", json!({"pattern": "x"}), "."),
        ("glob", json!({"pattern": "x", "path": ""}), "."),
        ("list", json!({"path": "src/"}), "src"),
    ] {
        let tool: Arc<dyn Tool> = tool(name);
        let facts = tool.facts(&input, &world.workspace);
        assert!(
            matches!(&facts.subject, Subject::Paths(paths) if paths[0].path == path && paths[0].inside)
        );
        let _: Value = serde_json::from_str(&facts.input).unwrap();
    }
}
