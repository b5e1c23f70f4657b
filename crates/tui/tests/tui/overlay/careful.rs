//! What was not shown is not allowed, and no key of habit comes near a yes.

use super::ask::{SIZE, dangerous, grave, long, permission, ready, trust};
use super::{key, letter, look, text};
use crossterm::event::KeyCode;
use std::time::{Duration, Instant};
use tenon_tui::overlay::ask::{Ask, Verdict};
use tenon_tui::text::Size;
use tenon_vocab::Question;

/// Longer than any pause that is asked for.
const PAUSE: Duration = Duration::from_secs(1);

fn choice(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Answered(answer) => &answer.choice,
        Verdict::Stay | Verdict::Page | Verdict::Elsewhere => "",
    }
}

/// A command that empties a folder between lines that are as good as nothing.
fn hidden(between: &str) -> Question {
    let mut question = permission();
    question.choices.drain(1..3);
    question.body = format!(
        "echo ok{}rm -rf sub{}echo end",
        between.repeat(120),
        between.repeat(100)
    );
    question.affects = vec![String::from("sub: 3 files, 12 KB")];
    question
}

/// Presses a key with a pause before each, until it is an answer. What stood on
/// the screen at each.
fn pressed(ask: &mut Ask, code: KeyCode, size: Size, mut now: Instant) -> (Vec<String>, String) {
    let mut shown = Vec::new();
    for _ in 0..400 {
        shown.push(text(&look(ask, size)));
        now += PAUSE;
        let verdict = ask.key(key(code), now);
        if verdict != Verdict::Stay {
            return (shown, choice(&verdict).to_owned());
        }
    }
    (shown, String::new())
}

#[test]
fn empty_lines_hide_no_command_and_what_it_would_destroy_comes_first() {
    for between in ["\n", "   \n", "\n  "] {
        let (ask, _) = ready(hidden(between));
        let shown = text(&look(&ask, SIZE));
        for part in [
            "rm -rf sub",
            "affects: sub: 3 files",
            "… 119 empty lines",
            "… 99 empty lines",
        ] {
            assert!(shown.contains(part), "no {part:?} in\n{shown}");
        }
        let at = |part: &str| shown.find(part).unwrap();
        assert!(at("affects:") < at("echo ok"), "{shown}");
        assert!(at("why:") < at("echo ok"), "{shown}");
    }
}

#[test]
fn a_few_empty_lines_are_shown_as_they_are() {
    let question = Question {
        body: String::from("one\n\n\ntwo"),
        ..permission()
    };
    let (ask, _) = ready(question);
    let shown = text(&look(&ask, SIZE));
    assert!(shown.contains("  one\n  \n  \n  two"), "{shown:?}");
}

#[test]
fn a_yes_to_what_was_not_read_to_its_end_reads_on() {
    for (code, wanted) in [('y', "once"), ('s', "session"), ('a', "always")] {
        let (mut ask, now) = ready(grave(long()));
        let (shown, answer) = pressed(&mut ask, KeyCode::Char(code), SIZE, now);
        assert_eq!(answer, wanted);
        for line in 1..=240 {
            let row = format!("  echo {line}");
            let seen = shown
                .iter()
                .flat_map(|page| page.lines())
                .any(|it| it == row);
            assert!(seen, "{row:?} was never shown");
        }
        assert!(
            shown[1].contains("the same key shows the next part"),
            "{}",
            shown[1]
        );
        let last = shown.last().unwrap();
        assert!(last.contains("press the key again to allow"), "{last}");
    }
}

#[test]
fn a_mark_is_no_way_around_it() {
    let (mut ask, now) = ready(grave(long()));
    ask.key(key(KeyCode::Tab), now);
    ask.key(key(KeyCode::Tab), now);
    let (shown, answer) = pressed(&mut ask, KeyCode::Enter, SIZE, now);
    assert_eq!(answer, "once");
    assert!(shown.len() > 10, "{}", shown.len());
}

#[test]
fn the_word_of_a_danger_is_no_way_around_it() {
    let question = Question {
        body: long().body,
        ..dangerous()
    };
    let (mut ask, now) = ready(question);
    for c in "yes".chars() {
        assert_eq!(ask.key(letter(c), now), Verdict::Stay);
    }
    let (shown, answer) = pressed(&mut ask, KeyCode::Enter, SIZE, now);
    assert_eq!(answer, "once");
    assert!(shown.len() > 10, "{}", shown.len());
}

#[test]
fn a_key_that_is_held_down_does_not_go_on_to_a_yes() {
    let (mut ask, mut now) = ready(grave(long()));
    for _ in 0..400 {
        let _ = look(&ask, SIZE);
        now += Duration::from_millis(30);
        assert_eq!(ask.key(letter('y'), now), Verdict::Stay);
    }
    assert!(text(&look(&ask, SIZE)).contains("echo 240"));
    assert_eq!(choice(&ask.key(letter('y'), now + PAUSE)), "once");
}

#[test]
fn a_low_window_shows_all_of_a_danger_before_it_takes_a_yes() {
    for (columns, rows) in [(40, 10), (30, 6)] {
        let size = Size { columns, rows };
        let question = Question {
            body: String::from(
                "cd sub\nfor it in a b c\ndo\n  echo one\n  echo two\n  rm -rf $it\n  echo three\ndone\ncd ..",
            ),
            ..hidden("\n")
        };
        let mut ask = Ask::new(question);
        let start = Instant::now();
        let _ = look(&ask, size);
        ask.shown(start);
        let (shown, answer) = pressed(&mut ask, KeyCode::Char('y'), size, start);
        assert_eq!(answer, "once");
        let all = shown.join("\n");
        assert!(shown.len() > 1, "at once:\n{all}");
        for part in ["rm -rf $it", "affects: sub", "why: ", "cd .."] {
            assert!(all.contains(part), "no {part:?} in\n{all}");
        }
    }
}

#[test]
fn where_there_is_no_room_at_all_nothing_is_allowed_and_a_no_is_heard() {
    let size = Size {
        columns: 30,
        rows: 1,
    };
    let mut ask = Ask::new(permission());
    let start = Instant::now();
    let _ = look(&ask, size);
    ask.shown(start);
    let (_, answer) = pressed(&mut ask, KeyCode::Char('y'), size, start);
    assert_eq!(answer, "");
    assert_eq!(choice(&ask.key(letter('n'), start + 500 * PAUSE)), "deny");
}

#[test]
fn what_was_scrolled_past_before_it_came_on_the_screen_was_not_read() {
    for code in [KeyCode::Char(' '), KeyCode::PageDown] {
        let (mut ask, now) = ready(grave(long()));
        let first = text(&look(&ask, SIZE));
        // Faster than anything is drawn.
        for _ in 0..400 {
            ask.key(key(code), now);
        }
        let last = text(&look(&ask, SIZE));
        assert!(last.contains("echo 240"), "{last}");
        assert_eq!(ask.key(letter('y'), now), Verdict::Stay);
        let (shown, answer) = pressed(&mut ask, KeyCode::Char('y'), SIZE, now);
        assert_eq!(answer, "once");
        let all = format!("{first}\n{last}\n{}", shown.join("\n"));
        for line in 1..=240 {
            let row = format!("  echo {line}");
            assert!(all.lines().any(|it| it == row), "{row:?} was never shown");
        }
    }
}

#[test]
fn a_frame_that_does_not_reach_the_screen_shows_nothing() {
    let mut ask = Ask::new(permission());
    let start = Instant::now();
    ask.shown(start);
    for step in 1..20 {
        let _ = ask.view(SIZE);
        let verdict = ask.key(letter('y'), start + step * PAUSE);
        assert_eq!(verdict, Verdict::Stay);
    }
    let _ = look(&ask, SIZE);
    assert_eq!(choice(&ask.key(letter('y'), start + 30 * PAUSE)), "once");
}

#[test]
fn who_goes_to_the_end_by_its_key_may_answer() {
    let (mut ask, now) = ready(grave(long()));
    ask.key(key(KeyCode::End), now);
    let _ = look(&ask, SIZE);
    assert_eq!(choice(&ask.key(letter('y'), now)), "once");
}

#[test]
fn the_key_of_the_agents_marks_nothing_and_makes_no_letter_count() {
    for question in [permission(), dangerous(), trust()] {
        let (mut ask, now) = ready(question);
        let before = text(&look(&ask, SIZE));
        let mark = |shown: &str| {
            shown
                .lines()
                .find(|row| row.starts_with('▸'))
                .map(str::to_owned)
        };
        assert_eq!(ask.key(key(KeyCode::BackTab), now), Verdict::Stay);
        let shown = text(&look(&ask, SIZE));
        assert_eq!(mark(&shown), mark(&before));
        assert!(shown.contains("answer first"), "{shown}");
        let verdict = ask.key(key(KeyCode::Enter), now + PAUSE);
        assert!(
            ["deny", "not_now"].contains(&choice(&verdict)),
            "{verdict:?}"
        );
    }
    // Half a word stands in the input: its next letters are no answers either.
    let (mut ask, now) = ready(permission());
    ask.guard();
    ask.key(key(KeyCode::BackTab), now);
    for c in "stop".chars() {
        assert_eq!(ask.key(letter(c), now + PAUSE), Verdict::Elsewhere);
    }
    assert_eq!(ask.key(key(KeyCode::Enter), now + PAUSE), Verdict::Stay);
    assert!(text(&look(&ask, SIZE)).contains("goes into your message"));
    // Nor do they count right behind it.
    let (mut ask, now) = ready(permission());
    ask.key(key(KeyCode::BackTab), now);
    let soon = now + Duration::from_millis(100);
    assert_eq!(ask.key(letter('s'), soon), Verdict::Elsewhere);
}

#[test]
fn no_step_of_the_mark_goes_from_a_no_to_what_lasts() {
    for code in [
        KeyCode::Tab,
        KeyCode::Right,
        KeyCode::Left,
        KeyCode::Down,
        KeyCode::Up,
    ] {
        let (mut ask, now) = ready(permission());
        ask.key(key(code), now);
        let shown = text(&look(&ask, SIZE));
        let marked = shown.lines().find(|row| row.starts_with('▸')).unwrap();
        assert!(!marked.contains("bash git push"), "{code:?}: {marked}");
    }
}
