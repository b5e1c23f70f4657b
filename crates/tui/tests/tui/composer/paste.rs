//! Pastes, small and large.

use super::{Desk, plain};
use tenon_tui::composer::Typed;
use tenon_tui::text::Role;

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn a_small_paste_is_text_with_its_line_ends_made_equal() {
    let mut desk = Desk::new();
    desk.composer.paste("one\r\ntwo\rthree\x1b[0m\0", desk.now);
    assert_eq!(desk.composer.text(), "one\ntwo\nthree[0m");
    desk.keys("<C-_>");
    assert!(desk.composer.is_empty(), "one step to undo");
}

#[test]
fn a_large_paste_is_one_mark_and_is_sent_whole() {
    let mut desk = Desk::new();
    desk.keys("see ");
    desk.composer.paste(&lines(120), desk.now);
    desk.keys("!");
    let frame = desk.composer.view(60, 5);
    assert_eq!(plain(&frame), ["> see [pasted 120 lines #1]!"]);
    assert_eq!(frame.lines[0].spans[2].style.role, Role::Accent);
    assert_eq!(desk.composer.text(), format!("see {}!", lines(120)));
    assert_eq!(
        desk.keys("<Enter>"),
        Typed::Submit(format!("see {}!", lines(120)))
    );
}

#[test]
fn a_mark_is_moved_over_and_deleted_as_one() {
    let mut desk = Desk::new();
    desk.keys("a");
    desk.composer.paste(&lines(11), desk.now);
    desk.keys("b<Left><Left>");
    assert_eq!(desk.seen(), "a|[pasted 11 lines #1]b");
    desk.keys("<Right>");
    assert_eq!(desk.seen(), "a[pasted 11 lines #1]|b");
    desk.keys("<BS>");
    assert_eq!(desk.seen(), "a|b");
    desk.keys("<C-_>");
    assert_eq!(desk.seen(), "a[pasted 11 lines #1]|b");
    desk.keys("<A-b><Del><C-_>");
    assert_eq!(desk.composer.text(), format!("a{}b", lines(11)));
}

#[test]
fn a_mark_survives_being_cut_and_put_back_elsewhere() {
    let mut desk = Desk::new();
    desk.composer.paste(&lines(11), desk.now);
    desk.keys(" x<C-a><C-k>");
    desk.composer.paste(&"y".repeat(1500), desk.now);
    desk.keys("<C-y>");
    assert_eq!(
        desk.seen(),
        "[pasted 1500 characters #2][pasted 11 lines #1] x|"
    );
    assert_eq!(
        desk.composer.text(),
        format!("{}{} x", "y".repeat(1500), lines(11))
    );
    // Sent, the cut text still knows its paste.
    desk.keys("<Enter><C-y>");
    assert_eq!(desk.composer.text(), format!("{} x", lines(11)));
}

#[test]
fn what_only_looks_like_a_mark_is_text() {
    let mut desk = Desk::new();
    desk.keys("[pasted 120 lines #1]<BS>");
    assert_eq!(desk.seen(), "[pasted 120 lines #1|");
    assert_eq!(desk.composer.text(), "[pasted 120 lines #1");
}

#[test]
fn a_key_unfolds_the_mark_beside_the_caret() {
    let mut desk = Desk::new();
    desk.keys("<<");
    desk.composer.paste(&lines(12), desk.now);
    assert_eq!(desk.keys("<C-o>"), Typed::Taken);
    assert!(desk.on(60, 3).ends_with("line 12\n|"), "{}", desk.on(60, 3));
    desk.keys("<C-_>");
    assert_eq!(desk.seen(), "<<[pasted 12 lines #1]|");
    desk.keys("<Left>");
    assert_eq!(desk.keys("<C-o>"), Typed::Taken, "also before it");
    assert_eq!(desk.composer.text(), format!("<<{}", lines(12)));
    assert_eq!(
        desk.keys("<C-o>"),
        Typed::Passed,
        "nothing is left to unfold"
    );
}

#[test]
fn a_mark_wider_than_the_screen_is_cut_to_a_row() {
    let mut desk = Desk::new();
    desk.composer.paste(&lines(120), desk.now);
    let frame = desk.composer.view(12, 5);
    assert!(
        frame.lines.iter().all(|line| line.width() <= 12),
        "{frame:?}"
    );
    assert_eq!(desk.composer.text(), lines(120));
}

#[test]
fn marks_are_counted_anew_after_sending() {
    let mut desk = Desk::new();
    for _ in 0..3 {
        desk.composer.paste(&lines(20), desk.now);
    }
    assert!(desk.seen().contains("#3"));
    desk.keys("<Enter>");
    desk.composer.paste(&lines(20), desk.now);
    assert_eq!(desk.seen(), "[pasted 20 lines #1]|");
}
