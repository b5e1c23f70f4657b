//! What is for the shell: a state that the key `!` enters, never a reading of the
//! text.

use super::burst::burst;
use super::{Desk, plain, read};
use std::time::Duration;
use tenon_tui::composer::Typed;
use tenon_tui::house::Keys;

/// Faster than fingers.
const QUICK: Duration = Duration::from_millis(1);

fn marked() -> Desk {
    let mut desk = Desk::new();
    desk.composer.expect_marked_pastes();
    desk
}

fn submitted(text: &str) -> Typed {
    Typed::Submit(text.to_owned())
}

#[test]
fn a_pasted_sign_is_a_part_of_the_text() {
    for text in ["!touch x", "\n\n  !touch x", "!!! warning\n\n!touch x"] {
        let mut desk = marked();
        desk.composer.paste(text, desk.now);
        assert!(!desk.composer.is_shell());
        assert_eq!(desk.keys("<Enter>"), submitted(text));
    }
    let mut desk = marked();
    let text = "!!! warning\n".repeat(16);
    desk.composer.paste(&text, desk.now);
    desk.keys(" explain");
    assert!(desk.seen().starts_with("[pasted 16 lines #1] explain"));
    assert_eq!(desk.keys("<Enter>"), submitted(&format!("{text} explain")));
}

#[test]
fn a_text_that_is_given_is_for_the_model_whatever_it_begins_with() {
    let mut desk = marked();
    desk.composer.set("!touch x");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["> !touch x"]);
    desk.keys("<Home><Right><BS>!");
    assert_eq!(desk.keys("<Enter>"), submitted("!touch x"));
}

#[test]
fn the_sign_is_taken_in_an_input_without_text_and_left_at_its_start() {
    let mut desk = marked();
    desk.keys("  !ls");
    assert_eq!(desk.keys("<Enter>"), Typed::Run(String::from("  ls")));
    desk.keys("!ls<Home><BS>");
    assert_eq!(desk.keys("<Enter>"), submitted("ls"));
    desk.keys("!<BS>");
    assert!(desk.composer.is_empty());
    desk.keys("a!");
    assert!(!desk.composer.is_shell());
}

#[test]
fn every_row_of_a_command_has_its_mark() {
    let mut desk = marked();
    desk.keys("!one<A-Enter>two<A-Enter>three");
    for rows in 1..4 {
        let shown = plain(&desk.composer.view(40, rows));
        assert_eq!(shown.len(), rows);
        assert!(shown.iter().all(|row| row.starts_with("! ")), "{shown:?}");
    }
    let shown = plain(&desk.composer.view(3, 3));
    assert!(shown.iter().all(|row| row.starts_with('!')), "{shown:?}");
}

#[test]
fn a_command_that_comes_at_once_waits_for_an_enter_of_its_own() {
    let mut desk = marked();
    let typed = burst(&mut desk, "please look\n!touch x\n", QUICK);
    let sent: Vec<&Typed> = typed
        .iter()
        .filter(|typed| **typed != Typed::Taken)
        .collect();
    assert_eq!(sent, [&submitted("please look")]);
    assert!(desk.composer.is_shell());
    assert_eq!(desk.keys("<Enter>"), Typed::Run(String::from("touch x\n")));
}

#[test]
fn several_lines_at_once_are_a_text_also_where_the_first_begins_with_the_sign() {
    for mut desk in [marked(), Desk::new()] {
        let text = "!!! warning\n!touch x\nplease read\n";
        let typed = burst(&mut desk, text, QUICK);
        assert!(typed.iter().all(|typed| *typed == Typed::Taken));
        assert!(!desk.composer.is_shell());
        assert_eq!(desk.keys("<Enter>"), submitted(text));
    }
}

#[test]
fn what_comes_right_behind_a_paste_belongs_to_it() {
    for paste in ["innocent", ""] {
        let mut desk = marked();
        desk.composer.paste(paste, desk.now);
        let typed = burst(&mut desk, "\n!touch x\n", QUICK);
        assert!(typed.iter().all(|typed| *typed == Typed::Taken));
        assert!(!desk.composer.is_shell());
        let text = format!("{paste}\n!touch x\n");
        assert_eq!(desk.keys("<Enter>"), submitted(&text));
    }
    let mut desk = marked();
    desk.composer.paste("", desk.now);
    burst(&mut desk, "!touch x\n", QUICK);
    assert!(!desk.composer.is_shell());
}

#[test]
fn an_old_command_is_a_command_and_a_draft_stays_what_it_was() {
    let mut desk = Desk::with(Keys::Emacs, &["!make", "words"]);
    desk.composer.paste("!draft", desk.now);
    desk.keys("<Up><Up>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["! make"]);
    desk.keys("<Down>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["> words"]);
    desk.keys("<Down>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["> !draft"]);
    desk.keys("<C-r>!ma");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["! make"]);
    desk.keys("<Esc>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["> !draft"]);
    desk.keys("<C-r>make<Enter>");
    assert_eq!(desk.keys("<Enter>"), Typed::Run(String::from("make")));
}

#[test]
fn undo_gives_back_for_whom_a_text_was() {
    let mut desk = marked();
    desk.keys("!ls");
    desk.composer.clear();
    assert!(desk.composer.is_empty());
    desk.keys("<C-_>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["! ls"]);
    let mut desk = marked();
    desk.keys("words");
    desk.composer.clear();
    desk.keys("!<C-_>");
    assert_eq!(plain(&desk.composer.view(40, 5)), ["> words"]);
}

#[test]
fn an_editor_gives_back_what_it_was_given() {
    let mut desk = marked();
    desk.composer.set("draft");
    desk.composer.edited("!touch x");
    assert_eq!(
        desk.composer.key(read("<Enter>")[0], desk.now),
        submitted("!touch x")
    );
    desk.keys("!ls");
    assert_eq!(desk.composer.written(), "ls");
    desk.composer.edited("ls -l");
    assert_eq!(desk.keys("<Enter>"), Typed::Run(String::from("ls -l")));
}
