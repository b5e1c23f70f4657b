//! What is found, by which words, and what is shown of it.

use crate::build::{Home, ids, session};
use serde_json::json;
use tenon_index::{Filter, Query, Speaker};
use tenon_vocab::Message;

#[test]
fn words_must_all_occur_in_a_session_and_those_in_one_message_come_first() {
    let home = Home::new();
    home.said(1, &["the parser fails", "the lexer was wrong"]);
    home.said(2, &["the parser and the lexer", "both are fine"]);
    home.said(3, &["only the lexer", "nothing else"]);
    assert_eq!(home.found("parser lexer"), [session(2), session(1)]);
    assert_eq!(home.found("lexer"), [session(3), session(2), session(1)]);
    assert_eq!(home.found("\"parser fails\""), [session(1)]);
    assert_eq!(home.found("\"fails parser\""), []);
    assert_eq!(home.found("parser absent"), []);
}

#[test]
fn a_hit_says_where_it_stands_and_who_said_it() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.said(&[
        "what is a monad",
        "A monoid in the category of endofunctors.",
    ]);
    writer.titled("Theory");
    drop(writer);
    let hits = home.find("endofunctors");
    let hit = &hits[0];
    assert_eq!(
        (hit.role, hit.message, hit.seq),
        (Speaker::Assistant, Some(2), Some(2))
    );
    assert_eq!(
        (hit.title.as_str(), hit.cwd.as_str()),
        ("Theory", "/project")
    );
    assert_eq!(
        hit.snippet.text,
        "A monoid in the category of endofunctors."
    );
    let marked = &hit.snippet.marked[0];
    assert_eq!(&hit.snippet.text[marked.clone()], "endofunctors");
    let asked = &home.find("what is")[0];
    assert_eq!((asked.role, asked.message), (Speaker::User, Some(1)));
    let titled = &home.find("theory")[0];
    assert_eq!(
        (titled.role, titled.message, titled.seq),
        (Speaker::Title, None, None)
    );
}

#[test]
fn the_last_word_is_found_as_far_as_it_was_typed() {
    let home = Home::new();
    home.said(1, &["configuration of the reconfigurator"]);
    assert_eq!(home.found("config"), [session(1)]);
    assert_eq!(home.found("the conf"), [session(1)]);
    assert_eq!(home.found("config the"), [], "only the last one goes on");
    assert_eq!(home.found("\"config\""), [], "quoted is meant exactly");
    assert_eq!(home.found("figuration"), []);
}

#[test]
fn case_and_accents_do_not_count() {
    let home = Home::new();
    home.said(1, &["Die Größe des Cafés", "Ἀθῆναι"]);
    for text in ["grosse", "GRÖSSE", "cafés", "cafe\u{301}s", "αθηναι"] {
        assert_eq!(home.found(text), [session(1)], "{text}");
    }
}

#[test]
fn chinese_japanese_and_korean_are_found_by_any_part_of_a_sentence() {
    let home = Home::new();
    home.said(1, &["请修复这个测试", "我已经修复了登录页面的错误。"]);
    home.said(
        2,
        &[
            "テストが失敗する理由を調べて",
            "設定ファイルが壊れていました。",
        ],
    );
    home.said(3, &["로그인 오류를 고쳐줘", "설정파일이 잘못되었습니다."]);
    for (text, expected) in [
        ("测试", 1),
        ("登录页面", 1),
        ("错", 1),
        ("失敗", 2),
        ("ファイル", 2),
        ("ﾌｧｲﾙ", 2),
        ("設定 テスト", 2),
        ("오류", 3),
        ("파일", 3),
    ] {
        assert_eq!(home.found(text), [session(expected)], "{text}");
    }
    assert_eq!(home.found("试测"), [], "the order counts");
    let hits = home.find("登录");
    assert_eq!(
        &hits[0].snippet.text[hits[0].snippet.marked[0].clone()],
        "登录"
    );
}

#[test]
fn commands_and_paths_are_found_and_the_bodies_of_files_are_not() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let body = "bodyword ".repeat(1_000);
    writer.called(
        "a",
        "bash",
        json!({"command": "cargo nextest run"}),
        "12 passed",
    );
    writer.called(
        "b",
        "write",
        json!({"path": "src/deep/place.rs", "content": body}),
        "written",
    );
    writer.called(
        "c",
        "read",
        json!({"path": "notes.md"}),
        &"longresult ".repeat(1_000),
    );
    drop(writer);
    for text in [
        "\"cargo nextest\"",
        "src/deep/place.rs",
        "\"12 passed\"",
        "notes.md",
    ] {
        assert_eq!(home.found(text), [session(1)], "{text}");
    }
    for text in ["bodyword", "longresult"] {
        assert_eq!(home.found(text), [], "{text}");
    }
    assert_eq!(home.find("nextest")[0].role, Speaker::Tool);
}

#[test]
fn of_a_message_without_end_the_beginning_is_found() {
    let home = Home::new();
    let text = format!("firstword {} lastword", "filler ".repeat(200_000));
    home.said(1, &[&text]);
    assert_eq!(home.found("firstword"), [session(1)]);
    assert_eq!(home.found("lastword"), []);
}

#[test]
fn a_message_that_was_moved_beside_the_log_is_found() {
    let home = Home::new();
    // Over the length from which strings of a line are kept as blobs.
    let text = format!("{} needle", "hay ".repeat(15_000));
    let mut message = Message::user(text);
    message
        .parts
        .push(tenon_vocab::Part::text("x".repeat(30_000)));
    home.begin(1).put(message);
    assert_eq!(home.found("needle"), [session(1)]);
}

#[test]
fn no_text_of_a_user_is_an_error_and_no_text_of_a_log_breaks_the_index() {
    let home = Home::new();
    let hostile = [
        "NEAR(a b) OR NOT c AND *",
        "\"; DROP TABLE session; --",
        "col:val ^x -y {z}",
        "nul\0byte",
        "quote\"inside",
        "\u{202e}bidi \u{1b}[31mred",
    ];
    for (n, text) in (1..).zip(hostile) {
        home.said(n, &[text]);
    }
    for (n, text) in (1..).zip(hostile) {
        let found = home.found(text);
        assert!(found.contains(&session(n)), "{text:?}: {found:?}");
    }
    for text in [
        "a*",
        "(",
        "x:",
        "AND",
        "OR OR",
        "\"unclosed",
        "'",
        "%_",
        "--",
        "^",
    ] {
        if Query::parse(text).is_ok() {
            home.find(text);
        }
    }
    assert_eq!(
        home.update(),
        tenon_index::Updated::default(),
        "all is there"
    );
}

#[test]
fn only_sessions_of_a_directory_and_only_so_many() {
    let home = Home::new();
    for n in 1..=9 {
        let cwd = if n % 3 == 0 { "/a/b-c" } else { "/a-b/c" };
        home.begin_in(n, cwd).said(&["the same word"]);
    }
    let mut index = home.index();
    index.update().unwrap();
    let query = Query::parse("word").unwrap();
    let here = Filter {
        cwd: Some(String::from("/a/b-c")),
        most: 2,
    };
    let found = index.search(&query, &here).unwrap();
    assert_eq!(ids(&found.hits), [session(9), session(6)]);
    assert_eq!(found.more, 1);
    assert_eq!(tenon_index::scan(&home.store, &query, &here), found);
}

#[test]
fn each_session_is_named_once_however_often_it_says_the_word() {
    let home = Home::new();
    home.said(1, &["word", "word", "word", "word", "other"]);
    let hits = home.find("word");
    assert_eq!(ids(&hits), [session(1)]);
    assert_eq!(hits[0].message, Some(4), "the newest is shown");
    // The title is the first prompt only where a run was started with it.
    assert_eq!(hits[0].passages, 4);
}
