//! The page: everything in it is foreign, and none of it can act.

use crate::build::{Home, asks, result, session, settings, used, written};
use tenon_session::{Reading, export};
use tenon_vocab::{DiffFile, Display, ImageSource, Message, Part, TodoItem, TodoList, TodoStatus};

const HOSTILE: &str = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)> \
    <svg onload=alert(3)> \" onmouseover=\"alert(4) [x](javascript:alert(5)) \u{202e}evil\u{2066} \u{1b}[2J &lt;";

fn hostile(home: &Home) -> Reading {
    let mut writer = home.begin_in(1, &format!("/p/{HOSTILE}"));
    let blobs = writer.log.blobs();
    let mut named = settings(Some(HOSTILE));
    named.model = HOSTILE.to_owned();
    writer.put(named);
    writer.start(1, HOSTILE);
    let mut message = asks(HOSTILE, &["a"]);
    message.parts.push(Part::Reasoning {
        text: HOSTILE.to_owned(),
        signature: None,
        provider: None,
    });
    writer.put(message);
    let mut call = used("a");
    call.name = HOSTILE.to_owned();
    call.input = serde_json::json!({ "path": HOSTILE });
    writer.put(call);
    let mut made = result("a", HOSTILE);
    made.name = HOSTILE.to_owned();
    made.display = Display::Diff {
        files: vec![DiffFile {
            path: HOSTILE.to_owned(),
            from: None,
            operation: HOSTILE.to_owned(),
            additions: 1,
            deletions: 1,
            unified: format!("@@ -1 +1 @@\n-{HOSTILE}\n+{HOSTILE}\n"),
            left_out_bytes: 7,
        }],
    };
    made.images.push((
        blobs.put(b"<svg onload=alert(1)>").unwrap(),
        String::from("image/svg+xml"),
    ));
    made.images
        .push((blobs.put(b"\x89PNG").unwrap(), String::from("image/png")));
    made.images
        .push((blobs.put(b"x").unwrap(), HOSTILE.to_owned()));
    writer.put(made);
    writer.put(TodoList {
        items: vec![TodoItem {
            text: HOSTILE.to_owned(),
            status: TodoStatus::Completed,
        }],
    });
    let mut shown = Message::assistant(format!(
        "```\n{HOSTILE}\n```\n# {HOSTILE}\n- {HOSTILE}\n`{HOSTILE}`\n**{HOSTILE}**"
    ));
    shown.parts.push(Part::Image {
        source: ImageSource::Url(format!("https://e/{HOSTILE}")),
        media_type: String::from("image/png"),
    });
    writer.put(shown);
    writer.finish();
    drop(writer);
    home.store.read(session(1)).unwrap()
}

#[test]
fn hostile_text_stays_text_everywhere_in_the_page() {
    let home = Home::new();
    let page = written(&hostile(&home), export::write_html);
    let body = page.split_once("</style>").unwrap().1;
    let lower = body.to_lowercase();
    for never in [
        "<script",
        "<svg",
        "<img src=x",
        "<iframe",
        "<object",
        "javascript:alert(5)\"",
        "href=\"javascript",
    ] {
        assert!(!lower.contains(never), "{never}");
    }
    // Every attribute is one that we write.
    for tag in lower
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split_once('>'))
        .map(|(tag, _)| tag)
    {
        for attribute in tag
            .split_whitespace()
            .skip(1)
            .filter(|word| word.contains('='))
        {
            let name = attribute.split('=').next().unwrap();
            assert!(
                ["class", "id", "dir", "rel", "href", "alt", "src"].contains(&name),
                "{tag}"
            );
        }
    }
    assert!(!page.contains('\u{202e}') && !page.contains('\u{2066}') && !page.contains('\u{1b}'));
    assert!(page.contains("⟨U+202E⟩"), "what deceives is made visible");
    assert_eq!(
        lower.matches("<img ").count(),
        1,
        "only the one that is a picture"
    );
    assert!(
        body.contains("data:image/png;base64,iVBORw=="),
        "it is in the page itself"
    );
}

#[test]
fn the_page_may_load_and_run_nothing() {
    let home = Home::new();
    let page = written(&hostile(&home), export::write_html);
    let head = page.split_once("<style>").unwrap().0;
    assert!(
        head.contains("default-src 'none'; style-src 'sha256-"),
        "{head}"
    );
    assert!(
        head.contains("img-src data:; base-uri 'none'; form-action 'none'"),
        "{head}"
    );
    assert!(!head.contains("unsafe"), "{head}");
    // The policy comes before anything that it is about.
    assert!(head.find("Content-Security-Policy") < head.find("<title>"));
    assert!(!page.contains("<link") && !page.contains("<script") && !page.contains("style=\""));
    let outside = page.matches("http://").count() + page.matches("https://").count();
    assert_eq!(
        outside, 1,
        "the address of an image that is named, not loaded"
    );
}

#[test]
fn numbers_diffs_and_tasks_are_on_the_page() {
    let home = Home::new();
    let page = written(&hostile(&home), export::write_html);
    assert!(page.contains("<article class=\"user\" id=\"m1\"><h2>#1 User"));
    assert!(page.contains("id=\"m3\"><h2>#3 Model"));
    for wanted in [
        "<span class=\"add\">+",
        "<span class=\"del\">-",
        "<span class=\"hunk\">@@",
        "☑ ",
        "7 bytes of the diff left out",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
}

#[test]
fn a_large_session_gives_a_page_of_bounded_size_that_says_what_is_missing() {
    let home = Home::new();
    let mut writer = home.begin(1);
    for n in 1..=40 {
        writer.start(n, "go");
        writer.put(asks("big", &["a"]));
        writer.put(used("a"));
        writer.put(result(
            "a",
            &format!("{}the end", "line of output\n".repeat(17_000)),
        ));
        writer.put(Message::assistant("ok"));
        writer.finish();
    }
    drop(writer);
    let loaded = home.store.read(session(1)).unwrap();
    let page = written(&loaded, export::write_html);
    assert!(page.len() < 4 * 1024 * 1024, "{}", page.len());
    assert_eq!(page.matches("bytes left out …]").count(), 40);
    assert_eq!(
        page.matches("the end</pre>").count(),
        40,
        "the end of an output matters most"
    );
}
