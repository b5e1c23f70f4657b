//! Windows of few rows, as a terminal shows them: a command is not allowed before
//! each line of it was there.

use super::ask::{dangerous, grave, permission};
use crate::stage::Stage;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;
use tenon_tui::input::{Effect, Input};
use tenon_tui::overlay::ask::Ask;
use tenon_tui::screen::Shown;
use tenon_tui::state::{Asker, Overlay};
use tenon_tui::update::update;
use tenon_tui::view;
use tenon_vocab::{
    Choice, Class, Command, DiffFile, Display, Question, TodoItem, TodoList, TodoStatus,
};

const COLUMNS: usize = 40;
/// Longer than any pause that is asked for.
const PAUSE: Duration = Duration::from_secs(1);

fn lines() -> impl Iterator<Item = String> {
    (1..=9).map(|line| format!("  touch file-{line}"))
}

fn with_lines(question: Question) -> Question {
    let body: Vec<String> = lines().map(|line| line.trim().to_owned()).collect();
    Question {
        body: body.join("\n"),
        ..question
    }
}

fn answered(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(Command::Answer(answer)) => Some(answer.choice.clone()),
        _ => None,
    })
}

/// A question in the middle of a run, and all that stood on the screen since.
struct Low {
    stage: Stage,
    seen: BTreeSet<String>,
    answer: Option<String>,
}

impl Low {
    fn of(rows: usize, question: Question) -> Self {
        let mut stage = Stage::new(COLUMNS, rows);
        stage.begin_run("go");
        let item = |text: &str| TodoItem {
            text: text.into(),
            status: TodoStatus::InProgress,
        };
        stage.event(TodoList {
            items: vec![item("one"), item("two")],
        });
        stage.event(question);
        let mut low = Self {
            stage,
            seen: BTreeSet::new(),
            answer: None,
        };
        low.look();
        low
    }

    fn look(&mut self) {
        let rows = self.stage.shown();
        self.seen
            .extend(rows.lines().map(|row| row.trim_end().to_owned()));
    }

    fn press(&mut self, code: KeyCode) {
        self.stage.now += PAUSE;
        let effects = self.stage.key(code);
        self.answer = answered(&effects).or(self.answer.take());
        self.look();
    }

    fn is_allowed(&self) -> bool {
        self.answer
            .as_deref()
            .is_some_and(|answer| answer != Choice::DENY)
    }

    /// What of the command was never on the screen.
    fn unseen(&self) -> Vec<String> {
        lines().filter(|line| !self.seen.contains(line)).collect()
    }
}

/// What somebody presses over and over who wants it to run.
fn ways() -> Vec<Vec<KeyCode>> {
    use KeyCode::{Char, Down, Enter, PageDown, PageUp, Tab};
    vec![
        vec![Char('y')],
        vec![Char('s')],
        vec![Char('a')],
        vec![Char(' '), Char('y')],
        vec![Down, Down, Char('y')],
        vec![PageDown, PageUp, Char('y')],
        vec![Tab, Tab, Enter],
        vec![Char('x'), Char('y')],
        vec![Char('y'), Char('e'), Char('s'), Enter],
    ]
}

#[test]
fn a_yes_needs_each_line_on_the_screen_at_every_height() {
    for rows in 1..=8 {
        for question in [grave(permission()), dangerous()] {
            for way in ways() {
                let mut low = Low::of(rows, with_lines(question.clone()));
                for code in way.iter().cycle().take(80) {
                    low.press(*code);
                    if low.answer.is_some() {
                        break;
                    }
                }
                if low.is_allowed() {
                    let unseen = low.unseen();
                    assert!(unseen.is_empty(), "{rows} rows, {way:?}: {unseen:?}");
                }
            }
        }
    }
}

#[test]
fn four_rows_are_enough_to_read_and_allow_and_fewer_are_said_to_be_too_few() {
    for rows in 1..=8 {
        let mut low = Low::of(rows, with_lines(permission()));
        for _ in 0..40 {
            low.press(KeyCode::Char('y'));
            if low.answer.is_some() {
                break;
            }
        }
        assert_eq!(low.is_allowed(), rows >= 4, "{rows} rows");
        let mut word = Low::of(rows, with_lines(dangerous()));
        for _ in 0..3 {
            for c in "yes".chars() {
                word.press(KeyCode::Char(c));
            }
            for _ in 0..30 {
                word.press(KeyCode::Enter);
            }
            if word.answer.is_some() || rows < 4 {
                break;
            }
        }
        assert_eq!(word.is_allowed(), rows >= 4, "{rows} rows");
        if rows < 4 {
            let said = |row: &String| row.contains("too small to show it");
            assert!(low.seen.iter().any(said), "{rows} rows: {:?}", low.seen);
            low.press(KeyCode::Char('n'));
            assert_eq!(low.answer.as_deref(), Some(Choice::DENY));
        }
    }
}

#[test]
fn an_ordinary_question_is_answered_by_one_key_at_every_height_that_shows_some_of_it() {
    for rows in 4..=8 {
        let mut low = Low::of(rows, with_lines(permission()));
        assert!(!low.unseen().is_empty(), "{rows} rows");
        low.press(KeyCode::Char('y'));
        assert_eq!(low.answer.as_deref(), Some(Choice::ONCE), "{rows} rows");
    }
}

#[test]
fn of_a_frame_that_was_cut_nothing_counts_as_seen() {
    for (shown, wanted) in [(Shown::Cut, None), (Shown::Whole, Some(Choice::ONCE))] {
        let mut stage = Stage::new(COLUMNS, 20);
        let ask = Box::new(Ask::new(permission()));
        stage.state.overlay = Some(Overlay::Ask(ask, Asker::Session));
        let _ = view::live(&stage.state);
        stage.state.reached(shown);
        stage.state.face(stage.now);
        let yes = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE);
        let effects = update(&mut stage.state, Input::Key(yes), stage.now + PAUSE);
        assert_eq!(answered(&effects).as_deref(), wanted);
    }
}

fn any_code() -> impl Strategy<Value = KeyCode> {
    // Not the one that goes to the end over what lies between.
    prop::sample::select(vec![
        KeyCode::Char('y'),
        KeyCode::Char('s'),
        KeyCode::Char('a'),
        KeyCode::Char('e'),
        KeyCode::Char('r'),
        KeyCode::Char(' '),
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Enter,
        KeyCode::Esc,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_pressed_and_however_high_the_window_becomes_each_line_comes_first(
        question in prop::sample::select(vec![grave(permission()), dangerous()]),
        rows in 1_usize..=8,
        steps in prop::collection::vec(
            prop_oneof![
                12 => any_code().prop_map(Step::Press),
                1 => (1_usize..=8).prop_map(Step::Resize),
            ],
            0..80,
        ),
    ) {
        let mut low = Low::of(rows, with_lines(question));
        // In the end it is wanted, by one key.
        let last = std::iter::repeat_n(Step::Press(KeyCode::Char('y')), 20);
        for step in steps.into_iter().chain(last) {
            match step {
                Step::Press(code) => low.press(code),
                Step::Resize(rows) => {
                    low.stage.resize(COLUMNS, rows);
                    low.look();
                }
            }
            if low.is_allowed() {
                let unseen = low.unseen();
                prop_assert!(unseen.is_empty(), "{unseen:?}");
            }
            if low.answer.is_some() {
                break;
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Press(KeyCode),
    Resize(usize),
}

#[test]
fn in_a_low_window_a_question_about_a_change_begins_at_the_change() {
    let same = |name: &str| -> String { (1..=3).map(|line| format!(" {name} {line}\n")).collect() };
    let (before, after) = (same("same"), same("after"));
    let unified = format!("@@ -1,7 +1,7 @@\n{before}-old\n+new\n{after}");
    let file = DiffFile {
        path: "src/a.rs".into(),
        from: None,
        operation: "updated".into(),
        additions: 1,
        deletions: 1,
        unified,
        left_out_bytes: 0,
    };
    let question = |class| Question {
        body: String::new(),
        display: Display::Diff {
            files: vec![file.clone()],
        },
        class,
        ..permission()
    };
    let shown = |rows, class| Low::of(rows, question(class)).stage.shown();
    let low = shown(15, None);
    assert!(low.contains("+new") && !low.contains("same 1"), "{low}");
    let high = shown(40, None);
    assert!(high.contains("+new") && high.contains("same 1"), "{high}");
    // What must be read to its end is read from its beginning.
    let grave = shown(15, Some(Class::Confirm));
    assert!(grave.contains("same 1"), "{grave}");
}
