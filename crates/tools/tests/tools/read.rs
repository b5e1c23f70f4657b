//! `read`: pages, long lines, and everything that is not UTF-8 text.

use crate::support::{World, code, data, tool};
use serde_json::{Value, json};
use tenon_policy::Subject;
use tenon_vocab::Display;

#[tokio::test]
async fn a_file_is_shown_with_line_numbers_and_noted() {
    let world = World::new();
    world.file("src/a.rs", "fn main() {\n\tprintln!();\n}\n");
    let output = world.call("read", json!({"path": "src/a.rs"})).await;
    assert_eq!(
        output.model_text,
        "1\tfn main() {\n2\t\tprintln!();\n3\t}\n"
    );
    let data = data(&output);
    let absolute = world.root().join("src/a.rs");
    assert_eq!(data["path"], absolute.to_str().unwrap());
    assert_eq!(data["content"], "fn main() {\n\tprintln!();\n}\n");
    assert_eq!(data["truncated"], false);
    assert_eq!((&data["bytes"], &data["lines"]), (&json!(27), &json!(3)));
    assert_eq!(output.reads[0].path, "src/a.rs");
    let known = world.workspace.ledger().get("src/a.rs");
    assert_eq!(known.as_deref(), Some(output.reads[0].sha256.as_str()));
    assert!(
        matches!(&output.display, Display::Text { summary, .. } if summary.contains("3 lines"))
    );
}

#[tokio::test]
async fn a_long_file_comes_in_pages_that_cover_it_without_gap() {
    let world = World::new();
    let text: String = (1..=4500).map(|n| format!("line {n}\n")).collect();
    world.file("long", &text);
    let mut offset = 1;
    let mut seen = String::new();
    for _ in 0..3 {
        let output = world
            .call("read", json!({"path": "long", "offset": offset}))
            .await;
        seen.push_str(data(&output)["content"].as_str().unwrap());
        assert_eq!(data(&output)["lines"], 4500);
        let last = output.model_text.lines().last().unwrap();
        if offset < 4001 {
            let next = offset + 2000;
            let marker = format!(
                "[lines {offset}-{} of 4500; use offset={next} to continue]",
                next - 1
            );
            assert_eq!(last, marker);
            assert_eq!(data(&output)["truncated"], true);
            assert_eq!(data(&output)["next_offset"], next);
        } else {
            assert_eq!(last, "[lines 4001-4500 of 4500, the end]");
            assert_eq!(data(&output)["truncated"], false);
            assert!(data(&output).get("next_offset").is_none());
        }
        assert_eq!(data(&output)["note"], last);
        offset += 2000;
    }
    assert_eq!(seen, text);
}

#[tokio::test]
async fn a_file_of_just_the_limit_is_shown_whole_and_one_byte_more_is_not() {
    let world = World::new();
    let cap = world.limits.read_bytes;
    assert_eq!(cap, 51_200);
    let line = |width: usize| "x".repeat(width);
    let whole = [
        format!("{}\n", line(49)).repeat(1024),
        format!("{}\r\n", line(98)).repeat(512),
        format!("{}{}", format!("{}\n", line(49)).repeat(1023), line(50)),
    ];
    for text in &whole {
        assert_eq!(text.len(), cap);
        world.file("whole", text);
        let output = world.call("read", json!({"path": "whole"})).await;
        assert_eq!(data(&output)["truncated"], false);
        assert_eq!(data(&output)["content"], text.replace('\r', ""));
    }
    world.file("more", format!("{}y", whole[0]));
    let output = world.call("read", json!({"path": "more"})).await;
    assert_eq!(data(&output)["truncated"], true);
    assert_eq!(data(&output)["next_offset"], 1025);
}

#[tokio::test]
async fn the_limit_in_bytes_ends_a_page_between_lines() {
    let world = World::new();
    world.file("wide", format!("{}\n", "x".repeat(1000)).repeat(100));
    let output = world.call("read", json!({"path": "wide"})).await;
    assert!(
        output.model_text.len() < 52 * 1024,
        "{}",
        output.model_text.len()
    );
    assert!(output.model_text.contains("of 100; use offset="));
    let shown = data(&output)["content"].as_str().unwrap();
    assert!(shown.ends_with("x\n") && shown.len() > 45 * 1024);
}

#[tokio::test]
async fn offset_and_limit_choose_the_lines() {
    let world = World::new();
    world.file("a", "1\n2\n3\n4\n5");
    let output = world
        .call("read", json!({"path": "a", "offset": 2, "limit": 2}))
        .await;
    assert_eq!(
        output.model_text,
        "2\t2\n3\t3\n[lines 2-3 of 5; use offset=4 to continue]\n"
    );
    let output = world.call("read", json!({"path": "a", "offset": 5})).await;
    assert_eq!(output.model_text, "5\t5\n[lines 5-5 of 5, the end]\n");
    assert_eq!(data(&output)["content"], "5");
    let output = world.call("read", json!({"path": "a", "offset": 6})).await;
    assert_eq!(code(&output), "invalid_input");
    assert!(
        output.model_text.contains("it has 5 lines"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn an_empty_file_is_said_to_be_empty() {
    let world = World::new();
    world.file("a", "");
    let output = world.call("read", json!({"path": "a"})).await;
    assert_eq!(output.model_text, "[the file is empty]\n");
    assert!(world.workspace.ledger().get("a").is_some());
}

/// What a model would do: follow the marker until it says that this is the end.
async fn page_by_bytes(world: &World, path: &str, mut offset: u64) -> String {
    let mut seen = String::new();
    for _ in 0..10_000 {
        let output = world
            .call("read", json!({"path": path, "byte_offset": offset}))
            .await;
        seen.push_str(data(&output)["content"].as_str().unwrap());
        let marker = output.model_text.lines().last().unwrap();
        let Some((_, next)) = marker.split_once("byte_offset=") else {
            assert!(marker.contains(", the end"), "{marker}");
            return seen;
        };
        offset = next.split(' ').next().unwrap().parse().unwrap();
    }
    panic!("no end");
}

#[tokio::test]
async fn a_line_of_three_megabytes_can_be_paged_by_bytes() {
    let world = World::new();
    let text = format!("[{}]", "{\"ключ\": \"значение\"},".repeat(100_000));
    assert!(text.len() > 3_000_000);
    world.file("one.json", &text);
    let output = world.call("read", json!({"path": "one.json"})).await;
    let shown = &output.model_text;
    assert!(shown.len() < 4096, "{}", shown.len());
    assert!(
        shown.contains(&format!("of {} bytes; use byte_offset=", text.len())),
        "{shown}"
    );
    assert_eq!(data(&output)["truncated"], true);
    let next = shown.split("byte_offset=").nth(1).unwrap();
    let next: u64 = next.split(' ').next().unwrap().parse().unwrap();
    let cut = json!([{"line": 1, "byte_offset": next}]);
    assert_eq!(data(&output)["cut_lines"], cut);
    let first = usize::try_from(next).unwrap();
    let rest = page_by_bytes(&world, "one.json", next).await;
    assert_eq!(format!("{}{rest}", &text[..first]), text);
    let output = world
        .call(
            "read",
            json!({"path": "one.json", "byte_offset": 99_000_000}),
        )
        .await;
    assert_eq!(code(&output), "invalid_input");
}

#[tokio::test]
async fn a_long_line_in_the_middle_names_its_own_place_in_the_file() {
    let world = World::new();
    let text = format!("\u{feff}short\n{}\nlast\n", "ä".repeat(3000));
    world.file("a", &text);
    let output = world.call("read", json!({"path": "a"})).await;
    let shown = &output.model_text;
    assert!(shown.starts_with("1\tshort\n2\tää"), "{shown}");
    assert!(shown.contains("\n3\tlast\n"), "{shown}");
    let next = shown.split("byte_offset=").nth(1).unwrap();
    let next: usize = next.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(next, 3 + 6 + 2000);
    assert!(text.is_char_boundary(next));
}

#[tokio::test]
async fn a_file_larger_than_memory_allows_is_read_as_a_stream() {
    let world = World::new();
    let path = world.file("big", "first\nsecond\n");
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    use std::io::Write;
    let block = "0123456789abcde\n".repeat(64 * 1024);
    for _ in 0..70 {
        (&file).write_all(block.as_bytes()).unwrap();
    }
    let output = world.call("read", json!({"path": "big", "limit": 2})).await;
    assert!(
        output
            .model_text
            .starts_with("1\tfirst\n2\tsecond\n[lines 1-2 of a file of ")
    );
    assert_eq!(data(&output)["lines"], Value::Null);
    assert!(output.reads.is_empty());
    let output = world
        .call(
            "read",
            json!({"path": "big", "offset": 4_000_000, "limit": 1}),
        )
        .await;
    assert!(output.model_text.starts_with("4000000\t0123456789abcde\n"));
}

#[tokio::test]
async fn a_file_of_some_megabytes_is_counted_and_hashed_whole() {
    let world = World::new();
    let text = "0123456789abcde\n".repeat(200_000);
    world.file("medium", &text);
    let output = world
        .call("read", json!({"path": "medium", "limit": 1}))
        .await;
    assert_eq!(data(&output)["lines"], 200_000);
    let hash = tenon_tools::workspace::sha256(text.as_bytes());
    assert_eq!(output.reads[0].sha256, hash);
    assert_eq!(world.workspace.ledger().get("medium"), Some(hash));
}

#[tokio::test]
async fn binary_files_are_refused_by_name_kind_and_size() {
    let world = World::new();
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(200, 0);
    world.file("tool", elf);
    world.file("noise", [1_u8, 2, 3, 0, 200, 201, 7, 8].repeat(100));
    world.file("paper.pdf", "%PDF-1.7\nlooks like text\n");
    world.file("a.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b");
    for (path, words) in [
        ("tool", ["binary", "application/x-executable"]),
        ("noise", ["binary", "800 bytes"]),
        ("paper.pdf", ["application/pdf", "bytes"]),
        ("a.gz", ["gzip", "11 bytes"]),
    ] {
        let output = world.call("read", json!({"path": path})).await;
        assert_eq!(code(&output), "read_error");
        for word in words {
            let text = output.model_text.to_lowercase();
            assert!(text.contains(word) && text.contains(path), "{text}");
        }
    }
}

#[tokio::test]
async fn an_image_is_named_with_its_size_in_pixels_and_shown() {
    let world = World::new();
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0".to_vec();
    png.extend([0; 20]);
    world.file("shot.png", &png);
    let output = world.call("read", json!({"path": "shot.png"})).await;
    let text = &output.model_text;
    assert!(
        text.contains("image/png") && text.contains("640 x 480"),
        "{text}"
    );
    let shown = tenon_vocab::ToolImage {
        content: png.clone(),
        media_type: "image/png".into(),
    };
    assert_eq!(output.images, [shown]);
    assert_eq!(data(&output)["bytes"], png.len());
}

#[tokio::test]
async fn an_image_that_is_too_large_or_that_no_model_takes_is_refused_with_its_size() {
    let world = World::new();
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0".to_vec();
    png.resize(8 * 1024 * 1024, 0);
    world.file("largest.png", &png);
    png.push(0);
    world.file("large.png", &png);
    let mut icon = b"\0\0\x01\0\x01\0".to_vec();
    icon.resize(64, 0);
    world.file("icon.ico", icon);
    let output = world.call("read", json!({"path": "largest.png"})).await;
    assert_eq!(output.images.len(), 1);
    for (path, words) in [("large.png", "8388609 bytes"), ("icon.ico", "64 bytes")] {
        let output = world.call("read", json!({"path": path})).await;
        assert_eq!(code(&output), "read_error");
        assert!(output.images.is_empty());
        assert!(output.model_text.contains(words), "{}", output.model_text);
    }
}

#[tokio::test]
async fn how_large_an_image_may_be_the_user_says() {
    let mut world = World::new();
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0".to_vec();
    png.resize(9 * 1024 * 1024, 0);
    world.file("a.png", &png);
    world.limits.image_bytes = 9 * 1024 * 1024;
    let output = world.call("read", json!({"path": "a.png"})).await;
    assert_eq!(output.images.len(), 1, "{}", output.model_text);
    world.limits.image_bytes = 1000;
    let output = world.call("read", json!({"path": "a.png"})).await;
    assert!(output.images.is_empty());
    assert!(
        output.model_text.contains("at most 1000 bytes"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn text_that_begins_like_a_format_is_still_text() {
    let world = World::new();
    for text in [
        "BM is short for bitmap\n",
        "MZ\n",
        "#!/bin/sh\n",
        "<svg></svg>\n",
        "GIF89a? no\n",
    ] {
        world.file("a", text);
        let output = world.call("read", json!({"path": "a"})).await;
        assert_eq!(data(&output)["content"], text);
    }
}

#[tokio::test]
async fn text_that_is_not_utf8_is_shown_with_a_warning() {
    let world = World::new();
    world.file("latin1", b"caf\xe9 au lait\n");
    world.file("gbk", b"\xc4\xe3\xba\xc3 world\n");
    for (path, readable) in [("latin1", "au lait"), ("gbk", "world")] {
        let output = world.call("read", json!({"path": path})).await;
        let text = &output.model_text;
        assert!(
            text.contains(readable) && text.contains("not UTF-8"),
            "{text}"
        );
    }
    let mut wide = b"\xff\xfe".to_vec();
    wide.extend(
        "héllo\nwörld 😀\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes),
    );
    world.file("wide", wide);
    let output = world.call("read", json!({"path": "wide"})).await;
    assert!(
        output
            .model_text
            .starts_with("1\théllo\n2\twörld 😀\n[the file is UTF-16")
    );
}

#[tokio::test]
async fn a_byte_order_mark_is_not_shown_and_crlf_is_said() {
    let world = World::new();
    world.file("a", "\u{feff}one\r\ntwo\r\n");
    let output = world.call("read", json!({"path": "a"})).await;
    assert_eq!(
        output.model_text,
        "1\tone\n2\ttwo\n[line endings are CRLF]\n"
    );
}

#[tokio::test]
async fn a_folder_points_to_list_and_a_slip_to_the_right_name() {
    let world = World::new();
    world.file("src/main.rs", "");
    let output = world.call("read", json!({"path": "src"})).await;
    assert_eq!(code(&output), "path_error");
    assert!(
        output.model_text.contains("`list`"),
        "{}",
        output.model_text
    );
    let output = world.call("read", json!({"path": "src/mian.rs"})).await;
    assert!(
        output.model_text.contains("`src/main.rs`"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn a_call_that_is_already_interrupted_reads_nothing() {
    let world = World::new();
    world.file("a", "x");
    world.cancelled.cancel();
    let output = world.call("read", json!({"path": "a"})).await;
    assert_eq!(code(&output), "interrupted");
    assert!(world.workspace.ledger().get("a").is_none());
}

#[test]
fn facts_name_the_file_behind_a_link() {
    let world = World::new();
    world.file(".env", "");
    world.link("notes", ".env");
    let facts = tool("read").facts(&json!({"path": "notes"}), &world.workspace);
    assert_eq!(facts.tool, "read");
    assert!(matches!(&facts.subject, Subject::Paths(paths) if paths[0].path == ".env"));
}
