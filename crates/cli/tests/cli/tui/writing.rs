//! The composer: what is typed, pasted and committed by an input method, and
//! where the cursor stands meanwhile.

use super::stage::{Prompt, Stage, written};
use tenon_testing::screen::{BACKSPACE, ENTER, LEFT, RIGHT, Screen, View, control};
use unicode_width::UnicodeWidthStr;

/// The composer's mark.
const MARK: usize = 2;

/// Types it, and sees cursor and text where they belong.
fn holds(screen: &Screen, before: &str, after: &str) {
    let text = format!("{before}{after}");
    screen.until(&format!("{before:?} | {after:?}"), |view| {
        view.cursor_shown && view.cursor.1 == MARK + before.width() && written(view) == text
    });
    intact(&screen.view());
}

/// The rule of the input and the status line are below, and nothing else is.
fn intact(view: &View) {
    let below: Vec<&String> = view.rows[view.cursor.0 + 1..]
        .iter()
        .filter(|row| !row.is_empty())
        .collect();
    assert_eq!(below.len(), 2, "{view:#?}");
    assert!(below[0].starts_with("───"), "{view:#?}");
    assert!(below[1].contains("mock-model"), "{view:#?}");
}

#[test]
fn wide_characters_are_typed_moved_over_and_deleted_one_by_one() {
    for text in ["漢字入力", "ひらがな", "한국어", "a漢b字c", "🙂🚀✅"] {
        let stage = Stage::says("fine");
        let screen = stage.open();
        screen.ready();
        let letters: Vec<char> = text.chars().collect();
        let part = |range: &[char]| range.iter().collect::<String>();
        for at in 0..letters.len() {
            screen.key(&letters[at].to_string());
            holds(&screen, &part(&letters[..=at]), "");
        }
        for at in (0..letters.len()).rev() {
            screen.key(LEFT);
            holds(&screen, &part(&letters[..at]), &part(&letters[at..]));
        }
        screen.key(RIGHT);
        holds(&screen, &part(&letters[..1]), &part(&letters[1..]));
        screen.key(BACKSPACE);
        holds(&screen, "", &part(&letters[1..]));
        screen.key(&control('e'));
        holds(&screen, &part(&letters[1..]), "");
        for end in (1..letters.len()).rev() {
            screen.key(BACKSPACE);
            holds(&screen, &part(&letters[1..end]), "");
        }
        screen.ready();
    }
}

#[test]
fn what_looks_like_one_character_is_moved_over_and_deleted_as_one() {
    // A family, a flag, an accent of its own, a keycap.
    for one in ["👨‍👩‍👧‍👦", "🇯🇵", "e\u{301}", "1\u{fe0f}\u{20e3}"] {
        let stage = Stage::says("fine");
        let screen = stage.open();
        screen.ready().key("a").composed("a").key(one).key("b");
        let behind = screen.until("the b behind it", |view| {
            view.cursor.1 > MARK + 1 && view.at_cursor().ends_with('b')
        });
        screen.key(LEFT);
        let column = behind.cursor.1 - 1;
        screen.until("the caret before b", |view| view.cursor.1 == column);
        screen.key(LEFT);
        screen.until("the caret before it", |view| view.cursor.1 == MARK + 1);
        screen.key(RIGHT);
        screen.until("the caret behind it", |view| view.cursor.1 == column);
        screen.key(BACKSPACE);
        holds(&screen, "a", "b");
        screen.key(ENTER).see("fine");
        assert_eq!(stage.model.last_prompt(), "ab", "{one}");
    }
}

#[test]
fn what_an_input_method_commits_at_once_is_taken_whole() {
    let stage = Stage::says("はい");
    let screen = stage.open();
    screen.ready();
    screen.keys("今日は");
    holds(&screen, "今日は", "");
    screen.key("良い天気です");
    holds(&screen, "今日は良い天気です", "");
    screen.key(LEFT).key("안녕");
    holds(&screen, "今日は良い天気で안녕", "す");
    screen.key(ENTER).see("はい").done();
    assert_eq!(stage.model.last_prompt(), "今日は良い天気で안녕す");
}

/// What follows a paste sooner is a part of it.
fn rested(screen: &Screen) -> &Screen {
    std::thread::sleep(std::time::Duration::from_millis(300));
    screen
}

#[test]
fn a_paste_of_a_megabyte_is_folded_and_sent_whole() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    screen.ready();
    let line = "0123456789abcdefghijklmnopqrstuvwxyz the end of this line\n";
    let text = line.repeat((1 << 20) / line.len());
    screen.text("look: ").paste(&text).see("[pasted");
    assert!(
        screen.view().at_cursor().len() < 80,
        "{}",
        screen.view().text()
    );
    assert!(stage.model.asked().is_empty(), "a paste is not sent");
    rested(&screen).key(ENTER).see("got it").done();
    let sent = stage.model.last_prompt();
    assert_eq!(sent.len(), "look: ".len() + text.trim_end().len());
    assert_eq!(sent, format!("look: {}", text.trim_end()));
}

#[test]
fn a_paste_has_its_line_ends_and_is_not_sent_by_them() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    screen
        .ready()
        .paste("one\r\ntwo\rthree\n\tfour")
        .see("four");
    let view = screen.view();
    assert!(
        view.has("> one") && view.has("  two") && view.has("  three"),
        "{view:#?}"
    );
    assert!(stage.model.asked().is_empty());
    rested(&screen).key(ENTER).see("got it");
    assert_eq!(stage.model.last_prompt(), "one\ntwo\nthree\n\tfour");
}

#[test]
fn a_paste_cannot_act_on_the_terminal() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    screen
        .ready()
        .paste("safe \x1b[2Jand \x1b]0;title\x07sound")
        .see("sound");
    let raw = String::from_utf8_lossy(&screen.raw()).into_owned();
    assert!(!raw.contains("\x1b[2J") && !raw.contains("\x1b]0;title"));
}

#[test]
fn there_are_four_ways_to_write_a_new_line() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    screen.ready().text("one");
    // Shift+Enter as kitty's protocol says it, Alt+Enter, Ctrl+J, a backslash.
    for (keys, word) in [("\x1b[13;2u", "two"), ("\x1b\r", "three"), ("\n", "four")] {
        screen.key(keys).key(word).see(word);
    }
    screen
        .key("\\")
        .see("four\\")
        .key(ENTER)
        .gone("four\\")
        .key("five")
        .see("five");
    screen.key(ENTER).see("got it");
    assert_eq!(stage.model.last_prompt(), "one\ntwo\nthree\nfour\nfive");
}

#[test]
fn a_long_text_wraps_inside_the_composer_and_is_sent_as_one_line() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    let text = "word ".repeat(60);
    screen.ready().key(&text);
    screen.until("three rows", |view| {
        view.rows
            .iter()
            .filter(|row| row.contains("word word"))
            .count()
            >= 3
    });
    intact(&screen.view());
    screen.key(ENTER).see("got it");
    assert_eq!(stage.model.last_prompt(), text.trim_end());
}

#[test]
fn a_folded_paste_that_begins_with_the_sign_of_the_shell_is_a_prompt() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    let text = format!("!!! warning\ntouch {{x}}\n{}", "line\n".repeat(14));
    screen.ready().paste(&text).see("> [pasted 16 lines #1]");
    rested(&screen)
        .text(" explain")
        .key(ENTER)
        .see("got it")
        .done();
    assert!(stage.model.last_prompt().starts_with("!!! warning"));
}

#[test]
fn a_paste_with_the_mark_of_its_end_in_it_neither_sends_nor_runs() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    let text = "innocent\x1b[201~\r!touch ran-it\r";
    screen.ready().paste(text).see("!touch ran-it");
    rested(&screen).key(ENTER).see("got it").done();
    assert!(stage.model.last_prompt().contains("!touch ran-it"));
    assert!(!stage.home.project().join("ran-it").exists());
}

#[test]
fn keys_behind_the_end_of_a_paste_change_nothing_but_the_text() {
    let stage = Stage::says("got it");
    let screen = stage.open();
    // Shift+Tab, Ctrl+D, Escape, Ctrl+C twice: a mode, an end, a stop.
    let keys = "\x1b[Z\x04\x1b[A\x03\x03";
    screen.ready();
    let before = screen.view();
    screen
        .paste(&format!("one\x1b[201~{keys}two"))
        .see("onetwo");
    let after = screen.view();
    for mode in ["accept", "auto", "plan"] {
        assert_eq!(before.has(mode), after.has(mode), "{}", after.text());
    }
    rested(&screen).key(ENTER).see("got it").done();
    assert_eq!(stage.model.last_prompt(), "onetwo");
}

#[test]
fn the_editor_writes_where_no_command_of_the_session_sees_it() {
    let stage = Stage::says("fine");
    let script = "#!/bin/sh\nprintf '!touch %s' \"$1\" > \"$1\"\n";
    let editor = stage.script("editor", script);
    let screen = stage.open_with(&[], &[("EDITOR", &editor)], super::stage::USUAL);
    screen.ready().text("draft").key(&control('g'));
    // What it left is for the model, as what it was given.
    screen.see("> !touch ").key(ENTER).see("fine").done();
    let prompt = stage.model.last_prompt();
    let place = prompt.strip_prefix("!touch ").unwrap();
    assert!(
        std::path::Path::new(place).starts_with(stage.home.tenon()),
        "{place}"
    );
}
