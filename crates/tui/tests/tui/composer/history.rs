//! Old texts: walking through them, and looking for one.

use super::{Desk, plain};
use tenon_tui::composer::Typed;
use tenon_tui::house::Keys;
use tenon_tui::text::Role;

fn desk() -> Desk {
    Desk::with(
        Keys::Emacs,
        &["first", "second", "second", "third\nof two lines"],
    )
}

#[test]
fn up_and_down_walk_and_the_draft_comes_back() {
    let mut desk = desk();
    desk.keys("draft<Left><Up>");
    assert_eq!(desk.seen(), "third\nof two lines|");
    desk.keys("<Up>");
    assert_eq!(
        desk.seen(),
        "second|",
        "one that was brought back is passed whole"
    );
    desk.keys("<C-p><Up><Up>");
    assert_eq!(desk.seen(), "first|");
    desk.keys("<Down><C-n>");
    assert_eq!(desk.seen(), "third\nof two lines|");
    desk.keys("<Down>");
    assert_eq!(desk.seen(), "draft|");
    desk.keys("<Down>");
    assert_eq!(desk.seen(), "draft|");
}

#[test]
fn rows_come_before_the_history() {
    let mut desk = desk();
    desk.keys("<Up><Left><Up>");
    assert_eq!(desk.seen(), "third|\nof two lines");
    desk.keys("<Up>");
    assert_eq!(desk.seen(), "second|");
    desk.keys("<Down><Left><Up><Down><Down>");
    assert_eq!(desk.seen(), "|", "the draft was empty");
}

#[test]
fn what_was_changed_on_the_way_is_still_there() {
    let mut desk = desk();
    desk.keys("<Up><Up>X<Up><Down>");
    assert_eq!(desk.seen(), "secondX|");
    assert_eq!(desk.keys("<Enter>"), Typed::Submit(String::from("secondX")));
    desk.keys("<Up><Up>");
    assert_eq!(desk.seen(), "second|", "what was sent is never changed");
}

#[test]
fn a_folded_paste_in_a_draft_survives_the_walk() {
    let mut desk = desk();
    let text = "x\n".repeat(50);
    desk.composer.paste(&text, desk.now);
    desk.keys("<Up>");
    desk.composer.paste(&"y\n".repeat(50), desk.now);
    desk.keys("<Home><Up><Up><Down><Down><Down>");
    assert_eq!(desk.composer.text(), text);
    assert_eq!(desk.seen(), "[pasted 50 lines #1]|");
}

#[test]
fn a_folded_paste_in_a_draft_outlives_what_undo_remembers() {
    let mut desk = desk();
    let text = "x\n".repeat(50);
    desk.composer.paste(&text, desk.now);
    desk.keys("<Up>");
    for _ in 0..210 {
        desk.keys("a<BS>");
    }
    desk.composer.paste(&"y\n".repeat(50), desk.now);
    desk.keys("<Down><Down>");
    assert_eq!(desk.composer.text(), text);
}

#[test]
fn what_is_sent_is_brought_back_first_and_once() {
    let mut desk = Desk::new();
    for text in ["one", "two", "two"] {
        desk.keys(&format!("{text}<Enter>"));
        desk.composer.sent(text);
    }
    desk.keys("<Up>");
    assert_eq!(desk.seen(), "two|");
    desk.keys("<Up>");
    assert_eq!(desk.seen(), "one|");
}

#[test]
fn a_recalled_text_can_be_undone() {
    let mut desk = desk();
    desk.keys("draft<Up><C-_>");
    assert_eq!(desk.seen(), "draft|");
}

#[test]
fn a_search_narrows_while_typing_and_goes_to_older_ones() {
    let mut desk = Desk::with(
        Keys::Emacs,
        &["fix the parser", "run tests", "Fix the test", "other"],
    );
    desk.keys("draft<C-r>");
    assert_eq!(desk.composer.mode(), "search: ");
    assert_eq!(desk.seen(), "draft|");
    desk.keys("fix");
    assert_eq!(desk.composer.mode(), "search: fix");
    assert_eq!(desk.seen(), "|Fix the test");
    let frame = desk.composer.view(40, 3);
    assert_eq!(frame.lines[0].spans[1].text(), "Fix");
    assert_eq!(frame.lines[0].spans[1].style.role, Role::Match);
    desk.keys("<C-r>");
    assert_eq!(desk.seen(), "|fix the parser");
    desk.keys("<C-r>");
    assert_eq!(desk.seen(), "|fix the parser", "there is no older one");
    desk.keys("<C-s>");
    assert_eq!(desk.seen(), "|Fix the test");
    desk.keys("<BS><BS><BS>test");
    assert_eq!(desk.seen(), "Fix the |test");
    desk.keys("zzz");
    assert_eq!(desk.composer.mode(), "search: testzzz (nothing found)");
}

#[test]
fn enter_takes_what_was_found_without_sending_it() {
    let mut desk = desk();
    desk.keys("draft<C-r>ir");
    assert_eq!(desk.keys("<Enter>"), Typed::Taken);
    assert_eq!(desk.composer.mode(), "");
    assert_eq!(desk.composer.text(), "third\nof two lines");
    desk.keys("<C-_>");
    assert_eq!(desk.seen(), "draft|", "one step to undo");
}

#[test]
fn esc_and_ctrl_c_give_back_what_was_written() {
    for key in ["<Esc>", "<C-c>", "<C-g>"] {
        let mut desk = desk();
        desk.keys("my draft<Left><C-r>first");
        assert_eq!(desk.composer.text(), "first");
        assert_eq!(desk.keys(key), Typed::Taken, "{key}");
        assert_eq!(desk.seen(), "my draf|t", "{key}");
        assert_eq!(desk.composer.mode(), "");
    }
}

#[test]
fn another_key_takes_what_was_found_and_is_obeyed() {
    let mut desk = desk();
    desk.keys("<C-r>first<C-e>!");
    assert_eq!(desk.seen(), "first!|");
}

#[test]
fn a_paste_during_a_search_is_looked_for() {
    let mut desk = desk();
    desk.keys("<C-r>");
    desk.composer.paste("fir\nst", desk.now);
    assert_eq!(desk.composer.mode(), "search: fir");
    assert_eq!(plain(&desk.composer.view(40, 3)), ["> first"]);
}
