//! No sequence of keys panics, draws beyond its place, or allows by accident.

use super::ask::{dangerous, long, of_the_model, permission, trust};
use super::look;
use super::menu::{commands, files};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use std::time::{Duration, Instant};
use tenon_tui::composer::Token;
use tenon_tui::house::Row;
use tenon_tui::overlay::ask::{Ask, Verdict};
use tenon_tui::overlay::menu::Menu;
use tenon_tui::overlay::pager::{From, Pager};
use tenon_tui::overlay::picker::Picker;
use tenon_tui::text::{Frame, Line, Role, Size};
use tenon_vocab::Question;

fn any_code() -> impl Strategy<Value = KeyCode> {
    prop_oneof![
        4 => any::<char>().prop_map(KeyCode::Char),
        8 => prop::sample::select("ysanr12qgGnjk/ @漢é\u{301}\u{200d}👩".chars().collect::<Vec<char>>())
            .prop_map(KeyCode::Char),
        8 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace,
            KeyCode::Delete, KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right,
            KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown, KeyCode::F(1),
        ]),
    ]
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let modifiers = prop_oneof![
        6 => Just(KeyModifiers::NONE),
        1 => Just(KeyModifiers::CONTROL),
        1 => Just(KeyModifiers::ALT),
        1 => Just(KeyModifiers::SHIFT),
    ];
    (any_code(), modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

#[derive(Debug, Clone)]
enum Step {
    Key(KeyEvent),
    Paste(String),
    Draw(Size),
}

fn any_size() -> impl Strategy<Value = Size> {
    (0_usize..70, 0_usize..25).prop_map(|(columns, rows)| Size { columns, rows })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(
        prop_oneof![
            6 => any_key().prop_map(Step::Key),
            1 => "\\PC{0,12}|[a\r\n\t]{0,5}".prop_map(Step::Paste),
            3 => any_size().prop_map(Step::Draw),
        ],
        0..40,
    )
}

fn fits(frame: &Frame, size: Size) -> Result<(), TestCaseError> {
    prop_assert!(
        frame.lines.len() <= size.rows,
        "{} rows in {size:?}",
        frame.lines.len()
    );
    for line in &frame.lines {
        prop_assert!(
            line.width() <= size.columns,
            "{:?} in {size:?}",
            line.plain()
        );
    }
    if let Some((row, column)) = frame.caret {
        prop_assert!(
            row < frame.lines.len() && column < size.columns.max(1),
            "{frame:?}"
        );
    }
    Ok(())
}

fn any_question() -> impl Strategy<Value = Question> {
    let hostile = Question {
        title: "漢\x1b[2J".repeat(40),
        body: "\u{202e}👨‍👩‍👧 x\r\n".repeat(30),
        ..permission()
    };
    let bare = Question {
        choices: Vec::new(),
        ..permission()
    };
    prop::sample::select(vec![
        permission(),
        dangerous(),
        long(),
        of_the_model(),
        trust(),
        hostile,
        bare,
    ])
}

fn text_of(question: &Question, key: KeyEvent) -> bool {
    let KeyCode::Char(c) = key.code else {
        return false;
    };
    let plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    plain
        && question
            .choices
            .iter()
            .any(|choice| choice.key.eq_ignore_ascii_case(&c))
}

fn is_allowed(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Answered(answer) => {
            ["once", "session", "always"].contains(&answer.choice.as_str())
        }
        Verdict::Stay | Verdict::Page | Verdict::Elsewhere => false,
    }
}

proptest! {
    #[test]
    fn a_question_takes_any_keys_and_stays_in_its_place(
        question in any_question(), steps in steps(), last in any_size(),
    ) {
        let start = Instant::now();
        let mut ask = Ask::new(question);
        ask.shown(start);
        let now = start + Duration::from_secs(1);
        for step in steps {
            match step {
                Step::Key(key) => { ask.key(key, now); }
                Step::Paste(text) => ask.paste(&text),
                Step::Draw(size) => fits(&look(&ask, size), size)?,
            }
        }
        fits(&look(&ask, last), last)?;
    }

    #[test]
    fn nothing_is_allowed_without_its_key_or_a_mark_by_hand(
        question in prop::sample::select(vec![permission(), dangerous(), long(), trust()]),
        steps in steps(),
    ) {
        let start = Instant::now();
        let mut ask = Ask::new(question.clone());
        ask.shown(start);
        let now = start + Duration::from_secs(1);
        for step in steps {
            match step {
                Step::Key(key) => {
                    let moves = matches!(
                        key.code,
                        KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right
                            | KeyCode::Up | KeyCode::Down
                    );
                    if moves || text_of(&question, key) {
                        continue;
                    }
                    let verdict = ask.key(key, now);
                    prop_assert!(!is_allowed(&verdict), "{key:?} gave {verdict:?}");
                }
                Step::Paste(text) => ask.paste(&text),
                Step::Draw(size) => { let _ = look(&ask, size); }
            }
        }
    }

    #[test]
    fn typing_ahead_never_answers(
        question in any_question(),
        keys in prop::collection::vec((any_key(), 1_u64..390), 1..40),
        lead in 0_u64..150,
    ) {
        let mut now = Instant::now();
        let mut ask = Ask::new(question);
        ask.shown(now);
        now += Duration::from_millis(lead);
        for (key, pause) in keys {
            let verdict = ask.key(key, now);
            prop_assert!(!matches!(verdict, Verdict::Answered(_)), "{key:?} gave {verdict:?}");
            now += Duration::from_millis(pause);
        }
    }

    #[test]
    fn a_picker_takes_any_keys_and_stays_in_its_place(
        labels in prop::collection::vec("\\PC{0,60}|[\x1b\ta-c]{0,9}", 0..20),
        filled in any::<bool>(), steps in steps(), last in any_size(),
    ) {
        let rows: Vec<Row> = labels
            .iter()
            .enumerate()
            .map(|(at, label)| Row {
                id: at.to_string(),
                label: label.clone(),
                detail: label.chars().rev().take(at).collect(),
            })
            .collect();
        let mut picker = Picker::new("漢字 title", filled.then_some(rows));
        for step in steps {
            match step {
                Step::Key(key) => { picker.key(key); }
                Step::Paste(text) => picker.paste(&text),
                Step::Draw(size) => fits(&picker.view(size), size)?,
            }
        }
        fits(&picker.view(last), last)?;
    }

    #[test]
    fn a_menu_takes_any_words_and_keys_and_stays_in_its_place(
        paths in prop::collection::vec("[a-c/.漢 ]{0,12}/?|\\PC{0,30}", 0..30),
        steps in steps(), words in prop::collection::vec("[a-c/.漢\"]{0,5}|\\PC{0,9}", 1..6),
    ) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut menu = Menu::new(commands());
        for (at, step) in steps.into_iter().enumerate() {
            let word = words[at % words.len()].clone();
            match step {
                Step::Key(key) => { menu.key(key); }
                Step::Paste(_) => menu.files(files(&paths)),
                Step::Draw(size) => {
                    let frame = Frame::of(menu.view(size.columns, size.rows));
                    fits(&frame, size)?;
                }
            }
            menu.words(&format!("/models {word}"), words.clone());
            menu.follow(match at % 6 {
                0 => Some(Token::Slash(word)),
                1 => Some(Token::Argument { line: format!("/models {word}"), word }),
                5 => None,
                _ => Some(Token::Mention(word)),
            });
            menu.work();
        }
    }

    #[test]
    fn a_pager_takes_any_keys_and_fills_its_screen(
        texts in prop::collection::vec("\\PC{0,90}|[ -~]{0,200}", 0..12),
        steps in steps(), last in any_size(),
    ) {
        let source = move |columns: usize| {
            let made = texts.iter().map(|text| Line::new(Role::Text, text).unbroken());
            // Another width has other lines.
            made.take(columns.max(3)).collect::<Vec<Line>>()
        };
        let mut pager = Pager::new("漢字 title", Box::new(source), From::End);
        for step in steps.into_iter().chain([Step::Draw(last)]) {
            match step {
                Step::Key(key) => { pager.key(key); }
                Step::Paste(text) => pager.paste(&text),
                Step::Draw(size) => {
                    let frame = pager.view(size);
                    fits(&frame, size)?;
                    if size.columns > 0 {
                        prop_assert!(size.rows < 2 || frame.lines.len() == size.rows);
                    }
                }
            }
        }
    }
}
