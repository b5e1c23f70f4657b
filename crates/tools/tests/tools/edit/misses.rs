//! What an edit that cannot be made says, and how it says more each time.

use super::edit;
use crate::support::{World, code, data};
use serde_json::json;
use tenon_tools::files::edit::Edit;

#[tokio::test]
async fn an_edit_that_is_there_already_is_not_an_error() {
    let world = World::new();
    world.file("f", "let x = 2;\nlet y = 3;\n");
    let output = edit(&world, "f", "let x = 1;", "let x = 2;").await;
    assert_eq!(data(&output)["already_applied"], true);
    assert!(output.model_text.starts_with("already applied"));
    assert!(
        output.model_text.contains("line 1"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn a_misspelt_old_is_not_taken_for_an_applied_edit() {
    let world = World::new();
    // The new text stands elsewhere; the line that was meant is misspelt.
    world.file(
        "f",
        "total = 2\n\n\ncounter_of_things = compute(alpha, beta)\n",
    );
    let output = edit(
        &world,
        "f",
        "counter_of_thing = compute(alpha, beta)",
        "total = 2",
    )
    .await;
    assert_eq!(code(&output), "old_not_found");
    // A part of a longer word is not the new text.
    world.file("g", "totalled\n");
    assert_eq!(
        code(&edit(&world, "g", "sum", "total").await),
        "old_not_found"
    );
    // A deletion cannot be told from a misspelling.
    assert_eq!(code(&edit(&world, "g", "sum", "").await), "old_not_found");
}

#[tokio::test]
async fn a_new_text_that_stands_somewhere_does_not_make_a_failed_edit_a_success() {
    let world = World::new();
    world.file("a.py", "def f():\n    return 1\n");
    let output = edit(&world, "a.py", "class Q: pass", "f").await;
    assert_eq!(code(&output), "old_not_found");
    assert!(
        output
            .model_text
            .contains("`new` is already in the file, at line 1"),
        "{}",
        output.model_text
    );
    let cases = [
        // One line of code that says nothing about its place.
        ("x()\nreturn\n", "y()", "return"),
        ("a = 1\nb = 2\n", "c = 1", "a = 1"),
        // What both have in common stands in two places.
        (
            "fn a() {\n    go(2);\n}\nfn b() {\n    go(x);\n}\n",
            "go(1);",
            "go(2);",
        ),
        ("start\n1\nstart\n2\n", "start\n0\n", "start\n1\n"),
        // Only brackets are in common.
        ("{\n  b\n}\n", "{\n  a\n}\n", "{\n  b\n}\n"),
        // The lines that would have gone may never have been there.
        ("one\ntwo\n", "one\nzero\n", "one\n"),
    ];
    for (content, old, new) in cases {
        world.file("f", content);
        let output = edit(&world, "f", old, new).await;
        assert_eq!(code(&output), "old_not_found", "{old:?} -> {new:?}");
        assert_eq!(world.text("f"), content);
    }
}

#[tokio::test]
async fn an_edit_sent_again_is_applied_already() {
    let world = World::new();
    let tool = Edit::new();
    world.file("a.py", "class Q: pass\ndone\n");
    let same = json!({"path": "a.py", "old": "class Q: pass", "new": "f"});
    world.run(&tool, same.clone()).await;
    assert_eq!(world.text("a.py"), "f\ndone\n");
    let again = world.run(&tool, same.clone()).await;
    assert_eq!(data(&again)["already_applied"], true);
    // In another file, or once its text is gone, it is a miss.
    world.file("b.py", "f\n");
    let other = json!({"path": "b.py", "old": "class Q: pass", "new": "f"});
    assert_eq!(code(&world.run(&tool, other).await), "old_not_found");
    world.file("a.py", "g\ndone\n");
    assert_eq!(code(&world.run(&tool, same).await), "old_not_found");
}

#[tokio::test]
async fn an_edit_is_applied_already_where_its_surroundings_stand_around_the_new_text() {
    let world = World::new();
    let cases = [
        (
            "def f():\n    return 2\n",
            "def f():\n    return 1",
            "def f():\n    return 2",
            1,
        ),
        ("x\na\nc\n", "a\nb\nc\n", "a\nc\n", 2),
        ("x\r\na\r\nB\r\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", 2),
        ("p\nlog(\"new\");\n", "log(\"old\");", "log(\"new\");", 2),
    ];
    for (content, old, new, line) in cases {
        world.file("f", content);
        let output = edit(&world, "f", old, new).await;
        assert_eq!(data(&output)["already_applied"], true, "{old:?} -> {new:?}");
        let place = format!("(line {line})");
        assert!(output.model_text.contains(&place), "{}", output.model_text);
        assert_eq!(world.text("f"), content);
    }
}

#[tokio::test]
async fn the_same_text_twice_is_no_change() {
    let world = World::new();
    world.file("f", "a\n");
    let output = edit(&world, "f", "a", "a").await;
    assert_eq!(code(&output), "no_change");
    assert!(
        output.model_text.contains("line 1"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn an_empty_old_points_to_write() {
    let world = World::new();
    world.file("empty", "");
    world.file("full", "x\n");
    for (path, expected) in [
        ("empty", "invalid_input"),
        ("full", "invalid_input"),
        ("none", "path_error"),
    ] {
        let output = edit(&world, path, "", "text").await;
        assert_eq!(code(&output), expected);
        assert!(
            output.model_text.contains("`write`"),
            "{}",
            output.model_text
        );
    }
}

#[tokio::test]
async fn several_matches_are_listed_and_changed_only_when_asked() {
    let world = World::new();
    world.file("f", "a\nx\na\nx\na\n");
    let output = edit(&world, "f", "a", "b").await;
    assert_eq!(code(&output), "replacement_count_mismatch");
    assert!(output.model_text.contains("occurs 3 times"));
    assert!(
        output.model_text.contains("1\ta\n3\ta\n5\ta"),
        "{}",
        output.model_text
    );
    let two = json!({"path": "f", "old": "a", "new": "b", "expected_replacements": 2});
    assert_eq!(
        code(&world.run(&Edit::new(), two).await),
        "replacement_count_mismatch"
    );
    let three = json!({"path": "f", "old": "a", "new": "b", "expected_replacements": 3});
    assert_eq!(
        data(&world.run(&Edit::new(), three).await)["replacements"],
        3
    );
    let all = json!({"path": "f", "old": "x", "new": "y", "replace_all": true});
    assert_eq!(data(&world.run(&Edit::new(), all).await)["replacements"], 2);
    assert_eq!(world.text("f"), "b\ny\nb\ny\nb\n");
}

#[tokio::test]
async fn a_repair_is_not_used_when_it_fits_in_two_places() {
    let world = World::new();
    world.file("f", "\tgo\nx\n\t\tgo\n");
    let output = edit(&world, "f", "    go\n", "    stop\n").await;
    assert_eq!(code(&output), "replacement_count_mismatch");
    assert_eq!(world.text("f"), "\tgo\nx\n\t\tgo\n");
}

#[tokio::test]
async fn a_miss_shows_the_nearest_lines_and_the_characters_that_differ() {
    let world = World::new();
    world.file(
        "f",
        "fn one() {}\n\nfn compute(alpha: u32) -> u32 {\n    alpha + 1\n}\n",
    );
    let output = edit(
        &world,
        "f",
        "fn compute(alpha: u64) -> u32 {\n    alpha + 1\n}",
        "x",
    )
    .await;
    assert_eq!(code(&output), "old_not_found");
    let text = &output.model_text;
    assert!(text.contains("closest match is at line 3"), "{text}");
    assert!(text.contains("3\tfn compute(alpha: u32)"), "{text}");
    assert!(text.contains("the file has `3`, `old` has `6`"), "{text}");
}

#[tokio::test]
async fn invisible_differences_are_made_visible() {
    let world = World::new();
    world.file(
        "f",
        "if ready {\n\tlaunch_the\u{a0}rocket(now)\n    wait()\n}\n",
    );
    let old = "if ready {\n  launch_the rocket(now)\n\twait()\n}";
    let text = edit(&world, "f", old, "x").await.model_text;
    assert!(
        text.contains("the file has a tab, `old` has a space"),
        "{text}"
    );
    assert!(text.contains("\\u{a0}"), "{text}");
}

#[tokio::test]
async fn misses_escalate_and_the_fourth_identical_call_is_refused() {
    let world = World::new();
    let body: String = (1..=40)
        .map(|i| format!("line number {i} of the file\n"))
        .collect();
    world.file("f", &body);
    let tool = Edit::new();
    let old: String = (10..=30)
        .map(|i| format!("line numbr {i} of the file\n"))
        .collect();
    let input = json!({"path": "f", "old": old, "new": "x"});
    let first = world.run(&tool, input.clone()).await;
    let second = world.run(&tool, input.clone()).await;
    let third = world.run(&tool, input.clone()).await;
    let fourth = world.run(&tool, input.clone()).await;
    assert!(
        first.model_text.contains("more lines]"),
        "{}",
        first.model_text
    );
    assert!(
        second.model_text.contains("30\tline number 30"),
        "{}",
        second.model_text
    );
    assert!(
        second
            .model_text
            .contains("the file has `e`, `old` has `r`")
    );
    assert!(!second.model_text.contains("`write`"));
    assert!(third.model_text.contains("`write`"), "{}", third.model_text);
    assert!(
        third.model_text.contains("@@ -10,21 @@\n-line number 10"),
        "{}",
        third.model_text
    );
    assert_eq!(code(&third), "old_not_found");
    assert_eq!(code(&fourth), "repeated");
    // Another text may be tried, and the same one works once the file fits.
    let other = json!({"path": "f", "old": "nothing like it at all", "new": "x"});
    assert_eq!(code(&world.run(&tool, other).await), "old_not_found");
    world.file("f", &old);
    data(&world.run(&tool, input).await);
}

#[tokio::test]
async fn the_line_range_that_the_third_miss_offers_works() {
    let world = World::new();
    world.file("f", "alpha beta gamma\ndelta epsilon zeta\n");
    let tool = Edit::new();
    let mut text = String::new();
    for _ in 0..3 {
        let input = json!({"path": "f", "old": "delta epsilom zetta", "new": "x"});
        text = world.run(&tool, input).await.model_text;
    }
    let patch = &text[text.find("--- a/f").unwrap()..];
    let output = world
        .run(
            &tenon_tools::files::patch::Patch::new(),
            json!({"patch": patch}),
        )
        .await;
    data(&output);
    assert_eq!(world.text("f"), "alpha beta gamma\nyour lines\n");
}

#[tokio::test]
async fn a_success_ends_the_count_of_misses() {
    let world = World::new();
    world.file("f", "one thing\n");
    let tool = Edit::new();
    let miss = json!({"path": "f", "old": "one thinf", "new": "x"});
    world.run(&tool, miss.clone()).await;
    world.run(&tool, miss.clone()).await;
    data(
        &world
            .run(
                &tool,
                json!({"path": "f", "old": "one thing", "new": "one thing more"}),
            )
            .await,
    );
    let text = world.run(&tool, miss).await.model_text;
    assert!(!text.contains("third miss"), "{text}");
}

#[tokio::test]
async fn a_large_file_of_equal_lines_ends_in_a_miss_not_in_a_wait() {
    let world = World::new();
    world.file("f", "same line here\n".repeat(50_000));
    let old = format!("{}same line her", "same line here\n".repeat(50));
    let output = edit(&world, "f", &format!("{old}X\n"), "x").await;
    assert_eq!(code(&output), "old_not_found");
    assert!(output.model_text.len() < 8_000);
}
