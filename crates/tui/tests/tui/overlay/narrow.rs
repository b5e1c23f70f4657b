//! Questions on a screen of few columns or rows: what is decided by is whole, and
//! the keys say what they do.

use super::ask::{after, of_the_model, permission, ready, said, typed};
use super::{key, look, text};
use crossterm::event::KeyCode;
use tenon_tui::overlay::ask::Ask;
use tenon_tui::text::Size;

#[test]
fn a_rule_in_words_breaks_between_them_and_one_with_wide_gaps_to_the_letter() {
    let mut question = permission();
    question.choices[1].rule = Some("bash cargo test --workspace --all-features".into());
    question.choices[2].rule = Some("bash printf 'a      b' and some more of it".into());
    let size = Size {
        columns: 40,
        rows: 30,
    };
    let shown = text(&Ask::new(question).view(size));
    let below = "\
  s  allow for this session:
     bash cargo test --workspace
     --all-features";
    assert!(shown.contains(below), "{shown}");
    let joined = shown.replace('\n', "");
    assert!(joined.contains("'a      b' and some more of it"), "{shown}");
}

#[test]
fn on_a_low_screen_the_keys_say_that_enter_denies() {
    let size = Size {
        columns: 40,
        rows: 9,
    };
    let (mut ask, now) = ready(permission());
    let shown = text(&look(&ask, size));
    assert!(shown.contains("n/enter deny"), "{shown}");
    // Not where it would give what is marked.
    ask.key(key(KeyCode::Tab), now);
    let shown = text(&look(&ask, size));
    assert!(!shown.contains("enter deny"), "{shown}");
}

#[test]
fn a_question_of_the_model_says_that_a_number_answers_at_once() {
    let size = Size {
        columns: 60,
        rows: 20,
    };
    let (ask, _) = ready(of_the_model());
    let shown = text(&look(&ask, size));
    assert!(shown.contains("1–2 answers at once · or write"), "{shown}");
    // Behind a blank it is the beginning of an answer.
    let mut keys = typed(" 2 of them");
    keys.push(key(KeyCode::Enter));
    assert_eq!(
        said(&after(of_the_model(), &keys)),
        ("deny", Some("2 of them"))
    );
}
