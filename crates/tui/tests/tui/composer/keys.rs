//! The keys of readline.

use super::{Desk, plain, read, table};
use crossterm::event::KeyEventKind;
use tenon_tui::composer::Typed;
use tenon_tui::text::Role;

#[test]
fn the_caret_moves_by_graphemes_words_and_lines() {
    table(&[
        ("abc<Left><Left>", "a|bc"),
        ("abc<C-b><C-b><C-f>", "ab|c"),
        ("<Left><Right>", "|"),
        ("one two<C-Left>", "one |two"),
        ("one two<A-b><A-b><A-f>", "one| two"),
        ("one two<A-Left><A-Left><C-Right>", "one| two"),
        ("one<C-j>two<Home>", "one\n|two"),
        ("one<C-j>two<C-a><Left>", "one|\ntwo"),
        ("one<C-j>two<C-a><Left><Home><End>x", "onex|\ntwo"),
        ("one<C-j>two<C-Home>", "|one\ntwo"),
        ("one<C-j>two<A-<><C-End>", "one\ntwo|"),
        ("漢字かな<A-b>", "漢字|かな"),
    ]);
}

#[test]
fn deleting_takes_whole_graphemes() {
    for grapheme in [
        "漢",
        "한",
        "か\u{3099}",
        "👨‍👩‍👧",
        "👍🏽",
        "🇩🇪",
        "❤️",
        "1️⃣",
        "e\u{301}",
        "กำ",
        "क्षि",
        "ש\u{5c1}",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    ] {
        let mut desk = Desk::new();
        desk.keys(&format!("a{grapheme}b<Left>"));
        assert!(desk.seen().ends_with("|b"), "{grapheme}: {}", desk.seen());
        desk.keys("<BS>");
        assert_eq!(desk.seen(), "a|b", "{grapheme}");
        desk.keys(&format!("{grapheme}<Left><Del>"));
        assert_eq!(
            desk.seen(),
            "a|b",
            "{grapheme} is one step to the left, and one to delete"
        );
    }
}

#[test]
fn deletes_words_and_parts_of_lines() {
    table(&[
        ("ab<BS>", "a|"),
        ("ab<C-h>", "a|"),
        ("ab<Home><C-d>", "|b"),
        ("ab<Home><Del>", "|b"),
        ("run ./a-b.c<C-w>", "run |"),
        ("run ./a-b.c<A-BS>", "run ./a-b.|"),
        ("run ./a-b.c<C-BS>", "run ./a-b.|"),
        ("one two<Home><A-d>", "| two"),
        ("one two<C-u>", "|"),
        ("one<C-j>two<C-u><C-u>", "one|"),
        ("one two<Home><C-k>", "|"),
        ("one<C-j>two<C-Home><C-k><C-k>", "|two"),
        ("one<C-j>two<Home><BS>", "one|two"),
        ("日本語のテスト<C-w>", "日本語の|"),
        ("你好 世界<C-w>", "你好 |"),
    ]);
}

#[test]
fn what_was_cut_comes_back_and_the_ring_turns() {
    table(&[
        ("one two<C-w><C-y>", "one two|"),
        ("one two<C-w><C-w><C-y><C-y>", "one twoone two|"),
        ("one two<Home><A-d><A-d>x<C-y>", "xone two|"),
        ("a<C-u>b<C-u><C-y><A-y>", "a|"),
        ("a<C-u>b<C-u><C-y><A-y><A-y>", "b|"),
        ("a<C-u>b<A-y>", "b|"),
        ("<C-y>", "|"),
    ]);
}

#[test]
fn undo_takes_back_words_and_redo_brings_them_again() {
    table(&[
        ("one two<C-_>", "one |"),
        ("one two<C-7>", "one |"),
        ("one two<C-/><C-_>", "|"),
        ("one two<C-_><C-_><A-_>", "one |"),
        ("one two<C-_><C-_><C-S-z><C-S-z><C-S-z>", "one two|"),
        ("one two<C-_>x<A-_>", "one x|"),
        ("ab<BS><BS><C-_>", "a|"),
        ("ab<BS><BS><C-_><C-_>", "ab|"),
        ("one two<C-w><C-_>", "one two|"),
        ("a<C-j>b<C-_><C-_>", "a|"),
        ("ab<C-x><C-u>", "|"),
        ("你好，世界<C-_>", "你好，|"),
        ("你好，世界<C-_><C-_>", "|"),
    ]);
}

#[test]
fn setting_and_clearing_can_be_undone() {
    let mut desk = Desk::new();
    desk.keys("draft");
    desk.composer.clear();
    assert!(desk.composer.is_empty());
    desk.composer.set("from\r\nthe editor");
    assert_eq!(desk.seen(), "from\nthe editor|");
    desk.keys("<C-_>");
    assert!(desk.composer.is_empty());
    desk.keys("<C-_>");
    assert_eq!(desk.seen(), "draft|");
}

#[test]
fn enter_sends_and_the_keys_for_a_newline_do_not() {
    for newline in ["<S-Enter>", "<A-Enter>", "<C-j>", "\\<Enter>"] {
        let mut desk = Desk::new();
        assert_eq!(desk.keys(&format!("a{newline}b")), Typed::Taken);
        assert_eq!(desk.keys("<Enter>"), Typed::Submit(String::from("a\nb")));
        assert!(desk.composer.is_empty());
        assert_eq!(desk.seen(), "|");
    }
    let mut desk = Desk::new();
    assert_eq!(
        desk.keys("a\\b<Enter>"),
        Typed::Submit(String::from("a\\b"))
    );
    assert_eq!(desk.keys("x<C-m>"), Typed::Submit(String::from("x")));
}

#[test]
fn what_was_sent_cannot_be_undone_into_the_next_text() {
    let mut desk = Desk::new();
    desk.keys("one<Enter><C-_>");
    assert_eq!(desk.seen(), "|");
}

#[test]
fn a_text_of_spaces_is_not_sent() {
    let mut desk = Desk::new();
    assert_eq!(desk.keys("<Enter>"), Typed::Taken);
    assert_eq!(desk.keys(" \u{3000}<C-j><Enter>"), Typed::Taken);
    assert!(!desk.composer.is_empty());
}

#[test]
fn keys_of_the_application_are_passed() {
    for key in [
        "<C-c>",
        "<Esc>",
        "<Tab>",
        "<BackTab>",
        "<S-BackTab>",
        "<F1>",
        "<PgUp>",
        "<PgDn>",
        "<C-t>",
        "<C-z>",
        "<C-l>",
        "<C-s>",
        "<C-v>",
        "<C-o>",
        "<A-Up>",
        "<A-x>",
        "<M-a>",
    ] {
        let mut desk = Desk::new();
        desk.keys("text");
        assert_eq!(desk.keys(key), Typed::Passed, "{key}");
        assert_eq!(desk.composer.text(), "text", "{key}");
    }
    assert_eq!(Desk::new().keys("<C-d>"), Typed::Passed, "the end of input");
    let mut desk = Desk::new();
    assert_eq!(
        desk.keys("a<C-d>"),
        Typed::Taken,
        "nothing to delete is not the end"
    );
}

#[test]
fn the_editor_is_asked_for() {
    assert_eq!(Desk::new().keys("<C-g>"), Typed::Edit);
    assert_eq!(Desk::new().keys("a<C-x><C-e>"), Typed::Edit);
    let mut desk = Desk::new();
    assert_eq!(
        desk.keys("ab<C-x><C-a><C-e>"),
        Typed::Taken,
        "the chord was left"
    );
    assert_eq!(desk.seen(), "ab|");
}

#[test]
fn a_key_that_is_let_go_does_nothing_and_a_held_one_repeats() {
    let mut desk = Desk::new();
    desk.keys("a");
    for text in ["b", "<Enter>", "<Esc>", "<BS>"] {
        let mut key = read(text)[0];
        key.kind = KeyEventKind::Release;
        assert_eq!(desk.composer.key(key, desk.now), Typed::Taken, "{text}");
    }
    let mut key = read("b")[0];
    key.kind = KeyEventKind::Repeat;
    desk.composer.key(key, desk.now);
    assert_eq!(desk.composer.text(), "ab");
}

#[test]
fn shell_mode_has_its_own_mark_which_is_the_sign_itself() {
    let mut desk = Desk::new();
    desk.keys("!ls");
    assert!(desk.composer.is_shell());
    let frame = desk.composer.view(40, 5);
    assert_eq!(plain(&frame), ["! ls"]);
    assert_eq!(frame.lines[0].spans[0].style.role, Role::Accent);
    assert_eq!(frame.caret, Some((0, 4)));
    desk.keys("<Home>");
    assert_eq!(desk.composer.view(40, 5).caret, Some((0, 2)));
    desk.keys("<BS>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["> ls"]);
    assert!(!desk.composer.is_shell());
    desk.keys("<C-k>!ls \\<Enter>-a");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["! ls \\", "! -a"]);
    assert_eq!(desk.keys("<Enter>"), Typed::Run(String::from("ls \\\n-a")));
    assert!(!desk.composer.is_shell(), "each command has its own sign");
}

#[test]
fn altgr_types_characters_and_controls_are_never_typed() {
    let mut desk = Desk::new();
    assert_eq!(desk.keys("<C-A-@>"), Typed::Taken);
    assert_eq!(desk.keys("\x07"), Typed::Passed);
    assert_eq!(
        desk.keys("\u{e0200}"),
        Typed::Passed,
        "nobody types a folded paste"
    );
    assert_eq!(desk.composer.text(), "@");
}
