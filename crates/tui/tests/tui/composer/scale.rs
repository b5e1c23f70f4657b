//! Large texts. Durations are printed, not judged: machines differ.

use super::{Desk, plain, read};
use std::time::Instant;

#[expect(
    clippy::print_stdout,
    reason = "whoever wants to know how long it took reads it there"
)]
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what}: {:?}", start.elapsed());
    result
}

#[test]
fn a_megabyte_is_pasted_shown_and_sent() {
    let text = "some words of a line, and more\r\n".repeat(33_000);
    let mut desk = Desk::new();
    timed("paste of 1 MB with CRLF, with its view", || {
        desk.composer.paste(&text, desk.now);
        assert_eq!(
            plain(&desk.composer.view(80, 10)),
            ["> [pasted 33000 lines #1]"]
        );
    });
    timed("key beside it", || {
        desk.keys("x");
        desk.composer.view(80, 10)
    });
    timed("the whole text", || {
        assert_eq!(desk.composer.text().len(), text.len() - 33_000 + 1);
    });
    timed("unfolding", || {
        desk.keys("<Left><C-o>");
        desk.composer.view(80, 10)
    });
}

#[test]
fn a_hundred_thousand_lines_are_edited() {
    let text = "a line of text\n".repeat(100_000);
    let mut desk = Desk::new();
    timed("set", || desk.composer.set(&text));
    timed("1,000 keys at the end, each with its view", || {
        for _ in 0..500 {
            desk.keys("x<Left>");
            let _ = desk.composer.view(80, 10);
        }
    });
    timed("1,000 keys at the beginning, each with its view", || {
        desk.keys("<C-Home>");
        for _ in 0..250 {
            desk.keys("x<C-j>漢<BS>");
            let _ = desk.composer.view(80, 10);
        }
    });
    assert_eq!(desk.composer.text().len(), text.len() + 500 + 500);
}

#[test]
fn a_line_of_a_megabyte_is_edited_at_its_end_and_in_its_middle() {
    let mut desk = Desk::new();
    desk.composer.set(&"words and 漢字 ".repeat(60_000));
    timed("first view", || desk.composer.view(80, 10));
    timed("400 keys at the end, each with its view", || {
        for _ in 0..200 {
            desk.keys("x<BS>");
            let _ = desk.composer.view(80, 10);
        }
    });
    timed("200 rows up and keys there, each with its view", || {
        for _ in 0..200 {
            desk.keys("<Up>x");
            let _ = desk.composer.view(80, 10);
        }
    });
}

#[test]
fn a_burst_of_many_keys_costs_no_more_per_key_than_a_short_one() {
    let mut desk = Desk::new();
    let now = desk.now;
    let line = read("some words of a line, and more<Enter>");
    timed("200,000 keys at once", || {
        for _ in 0..6_500 {
            for key in &line {
                desk.composer.key(*key, now);
            }
        }
    });
    desk.keys("<BS>");
    assert!(desk.composer.is_empty(), "folded, it is deleted as one");
}
