//! The keys of vim.

use super::Desk;
use tenon_tui::composer::Typed;
use tenon_tui::house::Keys;

/// Text typed in insert mode, then keys in normal mode from its beginning.
fn table(rows: &[(&str, &str, &str)]) {
    for (text, keys, seen) in rows {
        let mut desk = Desk::vim();
        desk.keys(text);
        desk.keys("<Esc>gg0");
        desk.keys(keys);
        assert_eq!(desk.seen(), *seen, "{text:?} {keys}");
    }
}

#[test]
fn esc_belongs_to_the_composer_in_insert_mode_only() {
    let mut desk = Desk::vim();
    assert_eq!(desk.composer.mode(), "INSERT");
    desk.keys("abc");
    assert_eq!(desk.keys("<Esc>"), Typed::Taken);
    assert_eq!(desk.composer.mode(), "NORMAL");
    assert_eq!(desk.seen(), "ab|c");
    assert_eq!(desk.keys("<Esc>"), Typed::Passed);
    assert_eq!(
        desk.keys("d<Esc>"),
        Typed::Taken,
        "first the half of a command"
    );
    assert_eq!(desk.keys("<Esc>"), Typed::Passed);
    assert_eq!(desk.keys("<C-c>"), Typed::Passed);
    assert_eq!(desk.keys("<Tab>"), Typed::Passed);
    assert_eq!(
        desk.keys("i<C-[>"),
        Typed::Taken,
        "the same key to older terminals"
    );
    assert_eq!(desk.composer.mode(), "NORMAL");
}

#[test]
fn enter_sends_from_both_modes_and_writing_begins_anew() {
    let mut desk = Desk::vim();
    desk.keys("abc<Esc>");
    assert_eq!(desk.keys("<Enter>"), Typed::Submit(String::from("abc")));
    assert_eq!(desk.composer.mode(), "INSERT");
    assert_eq!(desk.keys("x<Enter>"), Typed::Submit(String::from("x")));
}

#[test]
fn motions() {
    table(&[
        ("abc", "ll", "ab|c"),
        ("abc", "9l", "ab|c"),
        ("abc", "$", "ab|c"),
        ("abc", "$hh", "|abc"),
        ("one two.three", "w", "one |two.three"),
        ("one two.three", "ww", "one two|.three"),
        ("one two.three", "3w", "one two.|three"),
        ("one two.three", "W", "one |two.three"),
        ("one two.three", "e", "on|e two.three"),
        ("one two.three", "2e", "one tw|o.three"),
        ("one two.three", "$b", "one two.|three"),
        ("one two.three", "$B", "one |two.three"),
        ("  one", "$^", "  |one"),
        ("  one", "$0", "|  one"),
        ("a<C-j>b<C-j>  c", "G", "a\nb\n  |c"),
        ("a<C-j>b<C-j>c", "2G", "a\n|b\nc"),
        ("a<C-j>b<C-j>c", "Ggg", "|a\nb\nc"),
        ("a<C-j>b<C-j>c", "2j", "a\nb\n|c"),
        ("a<C-j>b<C-j>c", "jjk", "a\n|b\nc"),
        ("a<C-j><C-j>b", "w", "a\n|\nb"),
        ("漢字かなabc", "w", "漢字|かなabc"),
        ("漢字かなabc", "$b", "漢字かな|abc"),
        ("👨‍👩‍👧x", "l", "👨‍👩‍👧|x"),
    ]);
}

#[test]
fn letters_are_found_in_the_line() {
    table(&[
        ("a.b.c.d", "f.", "a|.b.c.d"),
        ("a.b.c.d", "2f.", "a.b|.c.d"),
        ("a.b.c.d", "t.", "|a.b.c.d"),
        ("a.b.c.d", "t.;", "a.|b.c.d"),
        ("a.b.c.d", "f.;;,", "a.b|.c.d"),
        ("a.b.c.d", "$F.", "a.b.c|.d"),
        ("a.b.c.d", "$T.h", "a.b.c|.d"),
        ("a.b.c.d", "dt.", "|.b.c.d"),
        ("a.b.c.d", "df.", "|b.c.d"),
        ("a.b.c.d", "$dF.", "a.b.c|d"),
        ("a.b.c.d", "fx", "|a.b.c.d"),
        ("一、二、三", "f、x", "一|二、三"),
    ]);
}

#[test]
fn insert_mode_is_entered_in_many_ways() {
    table(&[
        ("abc", "ix", "x|abc"),
        ("abc", "ax", "ax|bc"),
        ("  abc", "$Ix", "  x|abc"),
        ("abc", "Ax", "abcx|"),
        ("abc", "ox", "abc\nx|"),
        ("abc", "Ox", "x|\nabc"),
        ("", "ax", "x|"),
    ]);
}

#[test]
fn deletes_and_changes() {
    table(&[
        ("abc", "x", "|bc"),
        ("abc", "2x", "|c"),
        ("abc", "$x", "a|b"),
        ("abc", "$X", "a|c"),
        ("one two three", "dw", "|two three"),
        ("one two three", "2dw", "|three"),
        ("one two three", "d2w", "|three"),
        ("one two three", "$db", "one two |e"),
        ("one two three", "wd$", "one| "),
        ("one two three", "wD", "one| "),
        ("one two three", "d0", "|one two three"),
        ("one<C-j>two", "dw", "|\ntwo"),
        ("one two", "de", "| two"),
        ("one two", "cwx", "x| two"),
        ("one two", "c2wx", "x|"),
        ("one two", "wCx", "one x|"),
        ("a<C-j>b<C-j>c", "dd", "|b\nc"),
        ("a<C-j>b<C-j>c", "2dd", "|c"),
        ("a<C-j>b<C-j>c", "Gdd", "a\n|b"),
        ("a<C-j>b<C-j>c", "dj", "|c"),
        ("a<C-j>b<C-j>c", "Gdk", "|a"),
        ("a<C-j>b<C-j>c", "dG", "|"),
        ("a<C-j>b<C-j>c", "Gdgg", "|"),
        ("a<C-j>b", "ccx", "x|\nb"),
        ("abc", "sx", "x|bc"),
        ("abc", "Sx", "x|"),
        ("abc", "rx", "|xbc"),
        ("abc", "3rx", "xx|x"),
        ("abc", "4rx", "|abc"),
        ("aBc", "~~", "Ab|c"),
        ("straße", "6~", "STRASS|E"),
        ("a<C-j>  b", "J", "a| b"),
        ("a<C-j>b<C-j>c", "3J", "a b| c"),
        ("漢字", "x", "|字"),
        ("ab", "dzx", "|b"),
    ]);
}

#[test]
fn what_was_yanked_or_deleted_is_put_back() {
    table(&[
        ("ab", "xp", "b|a"),
        ("one two", "dwP", "one| two"),
        ("one two", "yw$p", "one twoone| "),
        ("a<C-j>b", "yyp", "a\n|a\nb"),
        ("a<C-j>b", "yyP", "|a\na\nb"),
        ("a<C-j>b", "ddp", "b\n|a"),
        ("a<C-j>b", "yyG2p", "a\nb\n|a\na"),
        ("a<C-j>b", "yjGp", "a\nb\n|a\nb"),
        ("ab", "p", "|ab"),
    ]);
}

#[test]
fn undo_and_redo_take_counts() {
    table(&[
        ("abc", "xxu", "|bc"),
        ("abc", "xxuu", "|abc"),
        ("abc", "xx2u", "|abc"),
        ("abc", "xxuu<C-r>", "|bc"),
        ("a<C-j>b<C-j>c", "3Ju", "|a\nb\nc"),
    ]);
}

#[test]
fn j_and_k_reach_the_history() {
    let mut desk = Desk::with(Keys::Vim, &["old"]);
    desk.keys("new<Esc>k");
    assert_eq!(desk.seen(), "ol|d");
    desk.keys("j");
    assert_eq!(desk.seen(), "ne|w");
}

#[test]
fn the_keys_of_readline_work_while_writing() {
    let mut desk = Desk::vim();
    desk.keys("one two<C-w><C-y><C-a>x");
    assert_eq!(desk.seen(), "x|one two");
    desk.keys("<C-r>");
    assert_eq!(desk.composer.mode(), "search: ");
    desk.keys("<Esc>");
    assert_eq!(desk.composer.mode(), "INSERT");
}

#[test]
fn a_menu_completes_only_what_is_being_written() {
    let mut desk = Desk::vim();
    desk.keys("/mo");
    assert!(desk.composer.token().is_some());
    desk.keys("<Esc>");
    assert_eq!(desk.composer.token(), None);
}
