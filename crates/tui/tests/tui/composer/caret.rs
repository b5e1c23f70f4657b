//! The caret's cell, and what is seen around it, on a real terminal emulator.

use super::{Desk, plain};
use proptest::prelude::*;
use std::num::NonZeroU16;
use tenon_tui::text::{Frame, width};
use unicode_segmentation::UnicodeSegmentation;

fn size(cells: usize) -> NonZeroU16 {
    NonZeroU16::new(cells as u16).expect("a screen")
}

/// Writes a frame to a terminal and gives its screen.
fn drawn(frame: &Frame, columns: usize, rows: usize) -> vt100::Parser {
    let mut terminal = vt100::Parser::new(size(rows), size(columns), 0);
    terminal.process(plain(frame).join("\r\n").as_bytes());
    terminal
}

/// What stands in the caret's cell.
fn under_caret(frame: &Frame, columns: usize, rows: usize) -> String {
    let terminal = drawn(frame, columns, rows);
    let (row, column) = frame.caret.expect("a caret");
    assert!(row < frame.lines.len() && column < columns, "{frame:?}");
    let cell = terminal
        .screen()
        .cell(row as u16, column as u16)
        .expect("a cell");
    assert!(
        !cell.is_wide_continuation(),
        "inside of a wide character: {frame:?}"
    );
    cell.contents().to_owned()
}

#[test]
fn a_full_row_leaves_the_caret_on_the_screen() {
    let mut desk = Desk::new();
    desk.keys("abcdefg");
    assert_eq!(desk.on(10, 5), "abcdefg|");
    assert_eq!(desk.composer.view(10, 5).caret, Some((0, 9)));
    desk.keys("h");
    assert_eq!(desk.on(10, 5), "abcdefg\nh|");
    desk.keys("<BS> ");
    assert_eq!(
        desk.on(10, 5),
        "abcdefg \n|",
        "the next word will stand there"
    );
    desk.keys("<Left>");
    assert_eq!(desk.on(10, 5), "abcdefg| \n");
}

#[test]
fn a_wide_character_that_does_not_fit_takes_the_caret_with_it() {
    let mut desk = Desk::new();
    desk.keys("漢字漢字");
    assert_eq!(desk.on(10, 5), "漢字漢\n字|");
    desk.keys("<Left>");
    assert_eq!(desk.on(10, 5), "漢字漢\n|字");
    desk.keys("<Left>");
    assert_eq!(desk.on(10, 5), "漢字|漢\n字");
    assert_eq!(desk.composer.view(10, 5).caret, Some((0, 6)));
}

#[test]
fn rows_are_walked_with_the_column_kept() {
    let mut desk = Desk::new();
    desk.keys("abcdef<C-j>x<C-j>漢字漢字<Left>");
    assert_eq!(desk.seen(), "abcdef\nx\n漢字漢|字");
    desk.keys("<Up>");
    assert_eq!(desk.seen(), "abcdef\nx|\n漢字漢字");
    desk.keys("<Up>");
    assert_eq!(desk.seen(), "abcdef|\nx\n漢字漢字");
    desk.keys("<Down><C-n>");
    assert_eq!(desk.seen(), "abcdef\nx\n漢字漢|字");
    desk.keys("<C-p><C-p><Left><Down><Down>");
    assert_eq!(
        desk.seen(),
        "abcdef\nx\n漢字|漢字",
        "never inside of a wide one"
    );
}

#[test]
fn rows_of_one_long_line_are_walked_too() {
    let mut desk = Desk::new();
    desk.keys("one two three four");
    assert_eq!(desk.on(12, 5), "one two \nthree \nfour|");
    desk.keys("<Up>");
    assert_eq!(desk.on(12, 5), "one two \nthre|e \nfour");
    desk.keys("<Up>");
    assert_eq!(desk.on(12, 5), "one |two \nthree \nfour");
    desk.keys("<Right><Right><Right><Right>");
    assert_eq!(
        desk.on(12, 5),
        "one two \n|three \nfour",
        "a border belongs to the later row"
    );
    desk.keys("<Up><Down>");
    assert_eq!(desk.on(12, 5), "one two \n|three \nfour");
}

#[test]
fn a_row_that_is_too_short_is_still_a_row_on_the_way() {
    let mut desk = Desk::new();
    desk.keys("aaa bbbbbbbb");
    assert_eq!(desk.on(12, 5), "aaa \nbbbbbbbb|");
    desk.keys("<Up>");
    assert_eq!(desk.on(12, 5), "aaa| \nbbbbbbbb", "its end is the next row");
    desk.keys("<Down>");
    assert_eq!(desk.on(12, 5), "aaa \nbbbbbbbb|");
}

#[test]
fn the_view_scrolls_only_as_far_as_it_must() {
    let mut desk = Desk::new();
    desk.keys("1<C-j>2<C-j>3<C-j>4<C-j>5");
    assert_eq!(desk.on(20, 3), "3\n4\n5|");
    desk.keys("<Up><Up>");
    assert_eq!(desk.on(20, 3), "3|\n4\n5");
    desk.keys("<Up>");
    assert_eq!(desk.on(20, 3), "2|\n3\n4");
    desk.keys("<Down>");
    assert_eq!(desk.on(20, 3), "2\n3|\n4");
    assert_eq!(desk.on(20, 9), "1\n2\n3|\n4\n5", "no row is left empty");
    assert_eq!(desk.on(20, 1), "3|");
    assert_eq!(plain(&desk.composer.view(20, 0)), Vec::<String>::new());
    desk.keys("<C-End><C-w><BS><C-w><BS>");
    assert_eq!(desk.on(20, 3), "1\n2\n3|");
}

#[test]
fn the_mark_stands_before_the_first_row_only() {
    let mut desk = Desk::new();
    desk.keys("one two<C-j>three");
    assert_eq!(
        plain(&desk.composer.view(8, 5)),
        ["> one ", "  two", "  three"]
    );
}

#[test]
fn tabs_are_spaces_up_to_four_and_the_text_keeps_them() {
    let mut desk = Desk::new();
    desk.composer.paste("\ta\tb", desk.now);
    assert_eq!(desk.seen(), "    a   b|");
    assert_eq!(desk.composer.text(), "\ta\tb");
    desk.keys("<Left><Left>");
    assert_eq!(desk.seen(), "    a|   b");
}

#[test]
fn text_from_right_to_left_keeps_its_order_and_its_marks() {
    let text = "abc שלום \u{200f}עולם";
    let mut desk = Desk::new();
    desk.composer.paste(text, desk.now);
    assert_eq!(desk.composer.text(), text);
    assert_eq!(desk.seen(), "abc שלום ⟨U+200F⟩עולם|");
    desk.keys("<Left>x<Right><BS>");
    assert_eq!(desk.composer.text(), "abc שלום \u{200f}עולx");
}

#[test]
fn chinese_japanese_and_korean_are_typed_moved_over_and_deleted() {
    for text in [
        "你好，世界",
        "こんにちは世界",
        "안녕하세요 세계",
        "ﾊﾝｶｸ全角",
    ] {
        let mut desk = Desk::new();
        desk.keys(text);
        let count = text.graphemes(true).count();
        assert_eq!(desk.composer.view(40, 3).caret, Some((0, 2 + width(text))));
        for back in 1..=count {
            desk.keys("<Left>");
            let next = text.graphemes(true).nth(count - back).unwrap();
            // The terminal leaves a cell that only holds a space empty.
            let seen = under_caret(&desk.composer.view(40, 3), 40, 3);
            assert_eq!(seen.trim(), next.trim(), "{text}");
        }
        for _ in 0..count {
            desk.keys("<Del>");
        }
        assert!(desk.composer.is_empty(), "{text}");
    }
}

/// Letters that the emulator measures as we do: it knows no sequences that are
/// narrower than their parts.
fn letters() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        4 => "[a-z ]",
        1 => Just(String::from("漢")),
        1 => Just(String::from("。")),
        1 => Just(String::from("한")),
        1 => Just(String::from("e\u{301}")),
        1 => Just(String::from("😀")),
        1 => Just(String::from("\n")),
        1 => Just(String::from("\t")),
        1 => Just(String::from("ก")),
        1 => Just(String::from("ע")),
    ];
    prop::collection::vec(one, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn the_caret_cell_holds_the_letter_behind_the_caret(
        text in letters(),
        columns in 4_usize..40,
        rows in 1_usize..8,
        moves in prop::collection::vec(0_u8..6, 0..30),
    ) {
        let mut desk = Desk::new();
        desk.composer.set(&text);
        for step in moves {
            let frame = desk.composer.view(columns, rows);
            prop_assert!(frame.lines.len() <= rows);
            for line in &frame.lines {
                prop_assert!(line.width() <= columns, "{line:?}");
            }
            let seen = under_caret(&frame, columns, rows);
            // A letter that is nowhere else tells where the caret is.
            let before = desk.composer.text();
            desk.keys("Z");
            let marked = desk.composer.text();
            desk.keys("<C-_>");
            prop_assert_eq!(desk.composer.text(), before);
            let at = marked.find('Z').expect("it was typed");
            let next = marked[at + 1..].graphemes(true).next().unwrap_or_default();
            prop_assert_eq!(seen.trim(), next.trim(), "{:?}", frame);
            prop_assert_eq!(&desk.composer.view(columns, rows), &frame, "undo moved the view");
            desk.keys(["<Left>", "<Right>", "<Up>", "<Down>", "<A-b>", "<Home>"][step as usize]);
        }
    }
}
