//! A yes is never given by accident: what was typed for something else, or came
//! in one piece, is no answer.

use super::asking::{answer, asked, is_made, stage};
use tenon_testing::screen::{Screen, control};

/// At a question that takes keys: one has counted already.
fn armed(screen: &Screen) {
    answer(screen, "\t");
    screen.see("▸ r  ");
}

#[test]
fn keys_that_come_together_are_no_answer() {
    for together in ["yy", "y\r", "sn"] {
        let stage = stage();
        let screen = asked(&stage);
        armed(&screen);
        screen.keys(together);
        // The first key of its own is the one that counts.
        answer(&screen, "n");
        screen.see("that was it");
        assert!(!is_made(&stage), "{together:?}");
    }
}

#[test]
fn a_key_that_comes_before_the_question_is_on_the_screen_is_no_answer() {
    let stage = stage();
    let screen = asked(&stage);
    armed(&screen);
    screen.key(&control('t'));
    screen.until("the page over it", |view| view.paged);
    // The first one closes the page; at the second the question is not drawn yet.
    screen.keys("qy");
    screen.see("too early to count");
    answer(&screen, "n");
    screen.see("that was it");
    assert!(!is_made(&stage));
}
