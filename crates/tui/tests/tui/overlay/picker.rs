use super::{control, key, letter, text, with};
use crossterm::event::KeyCode;
use std::time::Instant;
use tenon_tui::house::Row;
use tenon_tui::overlay::picker::{Picked, Picker};
use tenon_tui::text::{Role, Size};

const SIZE: Size = Size {
    columns: 60,
    rows: 12,
};

fn row(id: &str, label: &str, detail: &str) -> Row {
    Row {
        id: id.into(),
        label: label.into(),
        detail: detail.into(),
    }
}

fn models() -> Vec<Row> {
    vec![
        row("m1", "qwen3-coder", "local, 32k"),
        row("m2", "llama-3.3", "local, 128k"),
        row("m3", "claude", "remote, 200k"),
    ]
}

fn filled() -> Picker {
    Picker::new("Models", Some(models()))
}

#[test]
fn it_is_narrowed_by_what_is_typed() {
    let mut picker = filled();
    assert_eq!(picker.key(letter('l')), Picked::Over("m2".into()));
    picker.key(letter('l'));
    picker.key(letter('a'));
    let shown = text(&picker.view(SIZE));
    assert!(
        shown.starts_with("Models  1/3\n> lla\n▸ llama-3.3"),
        "{shown}"
    );
    let line = picker.view(SIZE).lines[2].clone();
    assert_eq!(with(Role::Match, &line), "▸ <lla>ma-3.3  local, 128k");
    assert_eq!(picker.key(key(KeyCode::Enter)), Picked::Row("m2".into()));
    assert_eq!(picker.label("m2").as_deref(), Some("llama-3.3"));
}

#[test]
fn the_caret_stands_behind_the_filter() {
    let mut picker = filled();
    picker.key(letter('漢'));
    assert_eq!(picker.view(SIZE).caret, Some((1, 4)));
}

#[test]
fn what_is_behind_the_label_is_found_too() {
    let mut picker = filled();
    picker.paste("remote");
    assert_eq!(picker.key(key(KeyCode::Enter)), Picked::Row("m3".into()));
}

#[test]
fn the_mark_moves_around_the_ends_and_tells_where_it_is() {
    let mut picker = filled();
    assert_eq!(picker.key(key(KeyCode::Up)), Picked::Over("m3".into()));
    assert_eq!(picker.key(control('n')), Picked::Over("m1".into()));
    assert_eq!(picker.key(key(KeyCode::Down)), Picked::Over("m2".into()));
    assert_eq!(picker.key(control('p')), Picked::Over("m1".into()));
    assert_eq!(picker.key(key(KeyCode::End)), Picked::Over("m3".into()));
    assert_eq!(picker.key(key(KeyCode::End)), Picked::Stay);
    assert_eq!(picker.key(key(KeyCode::Esc)), Picked::Closed);
}

#[test]
fn a_filter_can_be_taken_back() {
    let mut picker = filled();
    picker.paste("zzz");
    let shown = text(&picker.view(SIZE));
    assert!(
        shown.contains("0/3") && shown.contains("nothing matches `zzz`"),
        "{shown}"
    );
    assert_eq!(picker.key(key(KeyCode::Enter)), Picked::Stay);
    assert_eq!(picker.key(control('u')), Picked::Over("m1".into()));
    assert!(text(&picker.view(SIZE)).contains("3/3"));
}

#[test]
fn it_says_that_it_waits_and_that_there_is_nothing() {
    let mut picker = Picker::new("Sessions", None);
    assert!(text(&picker.view(SIZE)).contains("reading the list"));
    picker.paste("cla");
    picker.fill(models());
    assert_eq!(picker.key(key(KeyCode::Enter)), Picked::Row("m3".into()));
    let picker = Picker::new("Sessions", Some(Vec::new()));
    assert!(text(&picker.view(SIZE)).contains("nothing to choose from"));
}

#[test]
fn what_holds_now_is_marked() {
    let mut picker = filled();
    picker.select("m2");
    assert!(text(&picker.view(SIZE)).contains("▸ llama"));
    picker.select("gone");
    assert!(text(&picker.view(SIZE)).contains("▸ llama"));
}

#[test]
fn five_thousand_sessions_are_narrowed_letter_by_letter() {
    let rows = (0..5_000)
        .map(|at| {
            row(
                &format!("s{at}"),
                &format!("session about topic {at}"),
                "2 days ago",
            )
        })
        .collect();
    let mut picker = Picker::new("Sessions", Some(rows));
    let mut worst = std::time::Duration::ZERO;
    for c in "topic 4321".chars() {
        let start = Instant::now();
        picker.key(letter(c));
        let _ = picker.view(SIZE);
        worst = worst.max(start.elapsed());
    }
    println!("5,000 sessions: the slowest key took {worst:?}");
    assert_eq!(picker.key(key(KeyCode::Enter)), Picked::Row("s4321".into()));
}

#[test]
fn forty_columns_are_enough() {
    let rows = vec![
        row(
            "a",
            &"long label ".repeat(10),
            "detail that is long as well",
        ),
        row("b", "短い漢字", "x"),
    ];
    let picker = Picker::new("Sessions", Some(rows));
    let frame = picker.view(Size {
        columns: 40,
        rows: 8,
    });
    assert!(frame.lines.iter().all(|line| line.width() <= 40));
    let shown = text(&frame);
    assert!(
        shown.contains('…') && shown.contains("detail th…"),
        "{shown}"
    );
}
