//! `edit`, complaint by complaint: what users of other agents report most often
//! must not happen here.

use crate::support::{World, code, data};
use serde_json::json;
use tenon_tools::StaleWrites;
use tenon_tools::Tool as _;
use tenon_tools::files::edit::Edit;
use tenon_tools::files::read::Read;
use tenon_vocab::{Display, ToolOutput};

mod misses;

async fn edit(world: &World, path: &str, old: &str, new: &str) -> ToolOutput {
    let input = json!({"path": path, "old": old, "new": new});
    world.run(&Edit::new(), input).await
}

/// Runs one edit on one file and gives back its bytes and what was repaired.
async fn edited(before: impl AsRef<[u8]>, old: &str, new: &str) -> (Vec<u8>, Vec<String>) {
    let world = World::new();
    world.file("f", before);
    let output = edit(&world, "f", old, new).await;
    let repairs = data(&output)["repairs"].as_array().cloned();
    let names = repairs
        .unwrap_or_default()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    (world.bytes("f"), names)
}

#[tokio::test]
async fn replaces_an_exact_match_and_says_so() {
    let world = World::new();
    world.file("src/a.txt", "one\ntwo\nthree\n");
    let output = edit(&world, "src/a.txt", "two", "2").await;
    let found = data(&output);
    assert_eq!(found["replacements"], 1);
    assert_eq!(found["matched"], "exact");
    assert!(found["diff"].as_str().unwrap().contains("-two\n+2\n"));
    assert!(found.get("repairs").is_none());
    assert!(found["path"].as_str().unwrap().ends_with("/src/a.txt"));
    assert_eq!(world.text("src/a.txt"), "one\n2\nthree\n");
    let Display::Diff { files } = &output.display else {
        panic!("{:?}", output.display);
    };
    assert_eq!((files[0].additions, files[0].deletions), (1, 1));
}

#[tokio::test]
async fn a_tab_indented_file_keeps_its_tabs_when_the_model_sends_spaces() {
    let before = "package p\n\nfunc f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n";
    let old = "    if x {\n        return 1\n    }";
    let new = "    if x {\n        log()\n        if y {\n            return 2\n        }\n    }";
    let (after, repairs) = edited(before, old, new).await;
    let after = String::from_utf8(after).unwrap();
    assert_eq!(
        after,
        "package p\n\nfunc f() {\n\tif x {\n\t\tlog()\n\t\tif y {\n\t\t\treturn 2\n\t\t}\n\t}\n}\n"
    );
    assert_eq!(repairs, ["indentation"]);
}

#[tokio::test]
async fn one_tab_indented_line_is_found_by_its_spaces() {
    let (after, _) = edited("f:\n\tgo\n", "    go", "    go\n    on").await;
    assert_eq!(after, b"f:\n\tgo\n\ton\n");
}

#[tokio::test]
async fn a_block_sent_without_its_outer_indentation_lands_at_the_right_depth() {
    let before = "class A:\n    def f(self):\n        a = 1\n        return a\n";
    let old = "def f(self):\n    a = 1\n    return a";
    let new = "def f(self):\n    a = 2\n    if a:\n        return a";
    let (after, repairs) = edited(before, old, new).await;
    assert_eq!(
        String::from_utf8(after).unwrap(),
        "class A:\n    def f(self):\n        a = 2\n        if a:\n            return a\n"
    );
    assert_eq!(repairs, ["indentation"]);
}

#[tokio::test]
async fn indentation_that_is_not_uniformly_off_is_not_repaired() {
    let world = World::new();
    world.file("f", "if a:\n    b\n        c\n");
    let output = edit(&world, "f", "if a:\n      b\n    c", "x").await;
    assert_eq!(code(&output), "old_not_found");
    assert_eq!(world.text("f"), "if a:\n    b\n        c\n");
}

#[tokio::test]
async fn a_block_copied_from_its_first_letter_on_is_found_with_tabs() {
    let (after, _) = edited(
        "x {\n\tif a {\n\t\tb\n\t}\n}\n",
        "if a {\n        b\n    }",
        "if c {\n        b\n    }",
    )
    .await;
    assert_eq!(after, b"x {\n\tif c {\n\t\tb\n\t}\n}\n");
}

#[tokio::test]
async fn line_feeds_match_a_crlf_file_and_the_file_keeps_its_line_ends() {
    let (after, repairs) = edited("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n").await;
    assert_eq!(after, b"a\r\nx\r\ny\r\nc\r\n");
    assert_eq!(repairs, ["line_endings"]);
}

#[tokio::test]
async fn a_part_of_one_line_grows_by_the_line_ends_of_its_file() {
    let (after, repairs) = edited("a\r\nb\r\n", "b", "b\nc").await;
    assert_eq!(after, b"a\r\nb\r\nc\r\n");
    assert!(repairs.is_empty());
}

#[tokio::test]
async fn one_line_of_a_file_with_mixed_line_ends_changes_and_no_other_byte() {
    let before = b"lf\ncrlf\r\ncr\rdata\nlast\r\n";
    let (after, _) = edited(before, "last", "LAST").await;
    assert_eq!(after, b"lf\ncrlf\r\ncr\rdata\nLAST\r\n");
    let (after, repairs) = edited(before, "lf\ncrlf\ncr\rdata\n", "lf\nCRLF\ncr\rdata\n").await;
    assert_eq!(after, b"lf\nCRLF\r\ncr\rdata\nlast\r\n".map(|b| b));
    assert_eq!(repairs, ["line_endings"]);
}

#[tokio::test]
async fn a_file_with_carriage_returns_only_is_matched_by_line_feeds() {
    let (after, _) = edited("a\rb\rc", "a\nb", "a\nx").await;
    assert_eq!(after, b"a\rx\rc");
}

#[tokio::test]
async fn trailing_white_space_is_forgiven_and_kept_where_nothing_changes() {
    let (after, repairs) = edited("a  \nb\t\nc\n", "a\nb\nc", "a\nb\nd").await;
    assert_eq!(after, b"a  \nb\t\nd\n");
    assert_eq!(repairs, ["trailing_whitespace"]);
    let (after, _) = edited("a\nb\n", "a   \nb   ", "a\nc").await;
    assert_eq!(after, b"a\nc\n");
}

#[tokio::test]
async fn blanks_at_the_end_of_old_do_not_let_it_match_inside_a_line() {
    let world = World::new();
    world.file("f", "foobar\n");
    assert_eq!(
        code(&edit(&world, "f", "foo  ", "x").await),
        "old_not_found"
    );
}

#[tokio::test]
async fn look_alikes_match_and_untouched_lines_keep_their_own() {
    let before = "say \u{201c}hi\u{201d}\nit\u{2019}s\u{a0}1 \u{2013} 2\ncaf\u{65}\u{301}\n";
    let old = "say \"hi\"\nit's 1 - 2\ncaf\u{e9}";
    let new = "say \"hi\"\nit's 1 - 3\ncaf\u{e9}";
    let (after, repairs) = edited(before, old, new).await;
    assert_eq!(
        String::from_utf8(after).unwrap(),
        "say \u{201c}hi\u{201d}\nit's 1 - 3\ncaf\u{65}\u{301}\n"
    );
    assert_eq!(repairs, ["unicode"]);
}

#[tokio::test]
async fn new_text_is_written_exactly_as_sent_curly_or_not() {
    let (after, _) = edited(
        "a = 'x'\n",
        "a = 'x'",
        "a = \u{2018}y\u{2019}\u{a0}e\u{301}",
    )
    .await;
    assert_eq!(after, "a = \u{2018}y\u{2019}\u{a0}e\u{301}\n".as_bytes());
}

#[tokio::test]
async fn a_no_break_space_inside_a_line_is_found_by_a_blank() {
    let (after, repairs) = edited("x\u{a0}= 1; y\u{a0}= 2\n", "x = 1", "x = 3").await;
    assert_eq!(after, "x = 3; y\u{a0}= 2\n".as_bytes());
    assert_eq!(repairs, ["unicode"]);
}

#[tokio::test]
async fn a_match_never_cuts_an_accent_from_its_letter() {
    let world = World::new();
    world.file("f", "caf\u{e9}\u{a0}x\n");
    assert_eq!(
        code(&edit(&world, "f", "cafe x", "y").await),
        "old_not_found"
    );
}

#[tokio::test]
async fn line_numbers_copied_from_read_are_taken_off() {
    let (after, repairs) = edited("a\n\tb\nc\n", "2\t\tb\n3\tc", "2\t\tB\n3\tc").await;
    assert_eq!(after, b"a\n\tB\nc\n");
    assert_eq!(repairs, ["line_numbers"]);
}

#[tokio::test]
async fn written_out_escapes_are_undone_when_only_that_matches() {
    let (after, repairs) = edited("a\n\tb\n", r"a\n\tb", r"a\n\tc").await;
    assert_eq!(after, b"a\n\tc\n");
    assert_eq!(repairs, ["escapes"]);
    let (after, _) = edited("p(\"a\\n\")\n", "p(\"a\\n\")", "p(\"b\\n\")").await;
    assert_eq!(after, b"p(\"b\\n\")\n");
}

#[tokio::test]
async fn the_byte_order_mark_stays() {
    let (after, _) = edited(b"\xef\xbb\xbfone\ntwo\n", "one", "1").await;
    assert_eq!(after, b"\xef\xbb\xbf1\ntwo\n");
    let (after, _) = edited(b"\xef\xbb\xbf\tone\ntwo\n", "    one\ntwo", "    1\ntwo").await;
    assert_eq!(after, b"\xef\xbb\xbf\t1\ntwo\n");
}

#[tokio::test]
async fn latin1_and_gbk_bytes_survive_an_ascii_edit() {
    let (after, _) = edited(b"caf\xe9\nx = 1\n\xff\xfe\n", "x = 1", "x = 2").await;
    assert_eq!(after, b"caf\xe9\nx = 2\n\xff\xfe\n");
    let gbk = b"\xc4\xe3\xba\xc3 x = 1\r\n\x81\x41\n";
    let (after, _) = edited(gbk, "x = 1\n", "x = 2\n").await;
    assert_eq!(after, b"\xc4\xe3\xba\xc3 x = 2\r\n\x81\x41\n");
}

#[tokio::test]
async fn half_of_a_gbk_character_is_no_letter() {
    let world = World::new();
    world.file("f", b"\x81\x41\n");
    let output = edit(&world, "f", "A", "B").await;
    assert_eq!(code(&output), "old_not_found");
    assert!(
        output.model_text.contains("not UTF-8"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn nothing_is_written_that_would_mix_two_encodings() {
    let world = World::new();
    world.file("latin", b"caf\xe9 x\n");
    let wide: Vec<u8> = "\u{feff}hello\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    world.file("wide", &wide);
    for (path, old, new) in [
        ("latin", "x", "th\u{e9}"),
        ("latin", "x", "\u{fffd}"),
        ("wide", "h", "j"),
    ] {
        let output = edit(&world, path, old, new).await;
        assert_eq!(code(&output), "invalid_input", "{path}");
        assert!(output.model_text.contains("nothing was changed"));
    }
    assert_eq!(world.bytes("latin"), b"caf\xe9 x\n");
    assert_eq!(world.bytes("wide"), wide);
}

#[tokio::test]
async fn a_missing_final_newline_stays_missing_and_a_present_one_stays() {
    let (after, _) = edited("a\nb", "b\n", "c\n").await;
    assert_eq!(after, b"a\nc");
    let (after, _) = edited("a\nb", "b\n", "b\nc\n").await;
    assert_eq!(after, b"a\nb\nc");
    let (after, _) = edited("a\nb\n", "b", "c").await;
    assert_eq!(after, b"a\nc\n");
}

#[tokio::test]
async fn the_mode_of_the_file_stays() {
    let world = World::new();
    world.file("run.sh", "echo a\n");
    world.set_mode("run.sh", 0o755);
    data(&edit(&world, "run.sh", "a", "b").await);
    assert_eq!(world.mode("run.sh"), 0o755);
}

#[tokio::test]
async fn a_file_changed_since_it_was_read_is_refused_once_with_the_diff() {
    let world = World::new();
    world.file("f", "a\nb\n");
    data(&world.run(&Read::new(), json!({"path": "f"})).await);
    world.file("f", "a\nb\nnew line\n");
    let output = edit(&world, "f", "a", "A").await;
    assert_eq!(code(&output), "stale");
    assert!(
        output.model_text.contains("+new line"),
        "{}",
        output.model_text
    );
    assert_eq!(output.reads.len(), 1);
    assert_eq!(world.text("f"), "a\nb\nnew line\n");
    data(&edit(&world, "f", "a", "A").await);
    assert_eq!(world.text("f"), "A\nb\nnew line\n");
}

#[tokio::test]
async fn a_new_time_with_equal_content_is_not_stale() {
    let world = World::new();
    let path = world.file("f", "a\n");
    data(&world.run(&Read::new(), json!({"path": "f"})).await);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    std::fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(later)
        .unwrap();
    data(&edit(&world, "f", "a", "b").await);
}

#[tokio::test]
async fn two_edits_in_a_row_are_not_stale_and_permit_switches_the_check_off() {
    let mut world = World::new();
    world.file("f", "a\nb\n");
    data(&world.run(&Read::new(), json!({"path": "f"})).await);
    let first = edit(&world, "f", "a", "A").await;
    assert_eq!(first.reads.len(), 1);
    data(&edit(&world, "f", "b", "B").await);
    world.file("f", "other\n");
    world.limits.stale_writes = StaleWrites::Permit;
    data(&edit(&world, "f", "other", "one").await);
}

#[tokio::test]
async fn an_edit_of_an_unread_file_does_not_count_as_reading_it() {
    let world = World::new();
    world.file("f", "a\nb\n");
    let output = edit(&world, "f", "a", "A").await;
    assert!(output.reads.is_empty());
    assert!(world.workspace.ledger().get("f").is_none());
}

#[tokio::test]
async fn a_cancelled_edit_changes_nothing() {
    let world = World::new();
    world.file("f", "a\n");
    world.cancelled.cancel();
    assert_eq!(code(&edit(&world, "f", "a", "b").await), "interrupted");
    assert_eq!(world.text("f"), "a\n");
}

#[tokio::test]
async fn a_path_outside_is_refused() {
    let world = World::new();
    std::fs::write(world.outside().join("f"), "a\n").unwrap();
    let output = edit(&world, "../outside/f", "a", "b").await;
    assert_eq!(code(&output), "path_outside_root");
    assert_eq!(std::fs::read(world.outside().join("f")).unwrap(), b"a\n");
}

#[tokio::test]
async fn the_preview_is_the_diff_and_writes_nothing() {
    let world = World::new();
    world.file("f", "a\r\nb\r\n");
    let tool = Edit::new();
    let shown = tool.preview(
        &json!({"path": "f", "old": "a\nb", "new": "a\nc"}),
        &world.workspace,
    );
    let Display::Diff { files } = shown else {
        panic!("{shown:?}");
    };
    assert!(files[0].unified.contains("+c"));
    assert_eq!(world.bytes("f"), b"a\r\nb\r\n");
    let miss = tool.preview(
        &json!({"path": "f", "old": "zzz", "new": "c"}),
        &world.workspace,
    );
    assert!(matches!(miss, Display::Text { .. }));
}

#[tokio::test]
async fn the_facts_name_the_file_for_writing() {
    let world = World::new();
    world.file("src/f", "a\n");
    let facts = Edit::new().facts(
        &json!({"path": "./src/../src/f", "old": "a", "new": "b"}),
        &world.workspace,
    );
    let tenon_policy::Subject::Paths(paths) = facts.subject else {
        panic!("{facts:?}");
    };
    assert_eq!(paths[0].path, "src/f");
    assert_eq!(paths[0].access, tenon_policy::Access::Write);
}

#[tokio::test]
async fn the_example_that_models_are_given_is_an_edit_that_applies() {
    let world = World::new();
    world.file(
        "a.py",
        "def find(path):\n    return None\n\ndef load(path):\n    return None\n",
    );
    let edit = Edit::new();
    let example = edit.example().unwrap();
    let (_, rest) = example.split_once("`old` is\n").unwrap();
    let (old, rest) = rest.split_once("\nand `new` is\n").unwrap();
    let (new, _) = rest.split_once("\nKeep").unwrap();
    let output = world
        .run(&edit, json!({"path": "a.py", "old": old, "new": new}))
        .await;
    assert_eq!(data(&output)["replacements"], 1, "{}", output.model_text);
    assert!(world.text("a.py").ends_with("return read(path)\n"));
}
