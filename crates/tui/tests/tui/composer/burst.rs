//! Pastes into terminals that do not mark them: keys faster than fingers.

use super::{Desk, read};
use std::time::Duration;
use tenon_tui::composer::Typed;

/// All keys of a text at once, `gap` apart; line feeds are Enter.
pub fn burst(desk: &mut Desk, text: &str, gap: Duration) -> Vec<Typed> {
    let keys = text.replace('\n', "<Enter>").replace('\t', "<Tab>");
    read(&keys)
        .into_iter()
        .map(|key| {
            desk.now += gap;
            desk.composer.key(key, desk.now)
        })
        .collect()
}

fn pause(desk: &mut Desk, milliseconds: u64) {
    desk.now += Duration::from_millis(milliseconds);
}

#[test]
fn a_burst_with_line_ends_is_one_text_and_is_not_sent() {
    let mut desk = Desk::new();
    let typed = burst(
        &mut desk,
        "fn main() {\n\tok\\\n}\n",
        Duration::from_micros(200),
    );
    assert!(
        typed.iter().all(|typed| *typed == Typed::Taken),
        "{typed:?}"
    );
    assert_eq!(desk.composer.text(), "fn main() {\n\tok\\\n}\n");
    pause(&mut desk, 30);
    assert_eq!(
        desk.composer.key(read("<Enter>")[0], desk.now),
        Typed::Submit(String::from("fn main() {\n\tok\\\n}\n"))
    );
}

#[test]
fn a_burst_is_one_step_to_undo() {
    let mut desk = Desk::new();
    burst(&mut desk, "one two\nthree four", Duration::ZERO);
    desk.keys("<C-_>");
    assert_eq!(desk.seen(), "|");
}

#[test]
fn fingers_are_no_burst_however_quick() {
    let mut desk = Desk::new();
    let typed = burst(&mut desk, "ok\n", Duration::from_millis(6));
    assert_eq!(typed.last(), Some(&Typed::Submit(String::from("ok"))));
    // One letter and Enter at once: two keys that were rolled over.
    let typed = burst(&mut desk, "y\n", Duration::from_millis(1));
    assert_eq!(typed.last(), Some(&Typed::Submit(String::from("y"))));
}

#[test]
fn enter_after_a_pause_sends_what_came_in_a_burst() {
    let mut desk = Desk::new();
    burst(&mut desk, "a long pasted line", Duration::ZERO);
    pause(&mut desk, 6);
    let typed = desk.composer.key(read("<Enter>")[0], desk.now);
    assert_eq!(typed, Typed::Submit(String::from("a long pasted line")));
}

#[test]
fn what_an_input_method_commits_is_no_burst() {
    for text in ["你好世界\n", "こんにちは\n", "다\n", "tiếng\n", "été\n"] {
        let mut desk = Desk::new();
        let typed = burst(&mut desk, text, Duration::ZERO);
        let sent = Typed::Submit(text.trim_end().to_owned());
        assert_eq!(typed.last(), Some(&sent), "{text}");
    }
}

#[test]
fn a_burst_beyond_ascii_that_no_input_method_commits_is_a_paste() {
    for text in [
        "你好 世界\n再见\n",
        "長い文章。これは入力方式が一度に確定する長さではない文章である。本当に。\n",
    ] {
        let mut desk = Desk::new();
        let typed = burst(&mut desk, text, Duration::ZERO);
        assert!(typed.iter().all(|typed| *typed == Typed::Taken), "{text}");
        assert_eq!(desk.composer.text(), text);
    }
}

#[test]
fn a_key_that_is_no_letter_ends_a_burst() {
    let mut desk = Desk::new();
    burst(&mut desk, "abc", Duration::ZERO);
    assert_eq!(desk.composer.key(read("<Left>")[0], desk.now), Typed::Taken);
    let typed = desk.composer.key(read("<Enter>")[0], desk.now);
    assert_eq!(typed, Typed::Submit(String::from("abc")));
}

#[test]
fn a_large_burst_is_folded_when_the_next_key_comes() {
    let mut desk = Desk::new();
    desk.keys("see ");
    pause(&mut desk, 100);
    let text = "word\n".repeat(40);
    burst(&mut desk, &text, Duration::ZERO);
    desk.keys("x");
    assert_eq!(desk.seen(), "see [pasted 40 lines #1]x|");
    assert_eq!(desk.composer.text(), format!("see {text}x"));
}

#[test]
fn a_tab_alone_is_the_menus_and_never_text() {
    let mut desk = Desk::new();
    desk.keys("ab");
    assert_eq!(desk.keys("<Tab>"), Typed::Passed);
}

#[test]
fn a_burst_is_known_while_it_lasts() {
    let mut desk = Desk::new();
    burst(&mut desk, "see @src", Duration::ZERO);
    assert!(desk.composer.is_pasting(desk.now));
    pause(&mut desk, 6);
    assert!(!desk.composer.is_pasting(desk.now));
    desk.keys("ab");
    assert!(!desk.composer.is_pasting(desk.now));
}
