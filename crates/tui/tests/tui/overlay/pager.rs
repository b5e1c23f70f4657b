use super::{control, key, letter, text, with};
use crossterm::event::KeyCode;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;
use tenon_tui::overlay::pager::{From, Paged, Pager, Pieces, Source};
use tenon_tui::text::{Line, Role, Size};

const SIZE: Size = Size {
    columns: 30,
    rows: 7,
};

fn numbered(count: usize) -> Source {
    Box::new(move |_| {
        (1..=count)
            .map(|at| Line::new(Role::Text, &format!("line {at}")))
            .collect()
    })
}

fn pager(count: usize, from: From) -> Pager {
    let mut pager = Pager::new("Title", numbered(count), from);
    let _ = pager.view(SIZE);
    pager
}

fn rows(pager: &mut Pager) -> Vec<String> {
    let frame = pager.view(SIZE);
    assert_eq!(frame.lines.len(), SIZE.rows);
    frame.lines[1..6].iter().map(Line::plain).collect()
}

fn press(pager: &mut Pager, keys: &str) {
    for c in keys.chars() {
        let pressed = match c {
            '\n' => key(KeyCode::Enter),
            c => letter(c),
        };
        assert_eq!(pager.key(pressed), Paged::Stay, "{c}");
    }
}

#[test]
fn it_moves_by_lines_pages_and_to_the_ends() {
    let mut it = pager(20, From::Start);
    assert_eq!(rows(&mut it)[0], "line 1");
    press(&mut it, "jj");
    assert_eq!(rows(&mut it)[0], "line 3");
    press(&mut it, "k ");
    assert_eq!(rows(&mut it)[0], "line 6");
    press(&mut it, "b");
    assert_eq!(rows(&mut it)[0], "line 2");
    press(&mut it, "G");
    assert_eq!(rows(&mut it)[4], "line 20");
    press(&mut it, "jjj");
    assert_eq!(rows(&mut it)[4], "line 20");
    press(&mut it, "g");
    assert_eq!(rows(&mut it)[0], "line 1");
    it.key(control('d'));
    assert_eq!(rows(&mut it)[0], "line 3");
    it.key(control('u'));
    assert_eq!(rows(&mut it)[0], "line 1");
    assert_eq!(rows(&mut pager(20, From::End))[4], "line 20");
}

#[test]
fn it_says_where_it_is() {
    let mut it = pager(20, From::Start);
    let shown = text(&it.view(Size {
        columns: 80,
        rows: 7,
    }));
    assert!(shown.starts_with("── Title ──"), "{shown}");
    let below = "─ 1–5 of 20 · 25 % · space, b page · g, G ends · / search · q close ──";
    assert!(shown.ends_with(below), "{shown}");
    let mut short = pager(2, From::End);
    assert!(text(&short.view(SIZE)).contains("1–2/2"));
    let mut empty = pager(0, From::End);
    assert!(text(&empty.view(SIZE)).contains("0–0/0"));
}

#[test]
fn it_closes() {
    for pressed in [letter('q'), key(KeyCode::Esc), control('c'), control('t')] {
        assert_eq!(pager(3, From::Start).key(pressed), Paged::Closed);
    }
}

#[test]
fn lines_are_made_once_for_a_width() {
    let made = Rc::new(Cell::new(0));
    let count = Rc::clone(&made);
    let source = move |columns: usize| {
        count.set(count.get() + 1);
        vec![Line::new(Role::Text, &"x".repeat(columns))]
    };
    let mut it = Pager::new("t", Box::new(source), From::Start);
    for _ in 0..5 {
        let _ = it.view(SIZE);
        it.key(letter('j'));
    }
    let _ = it.view(Size {
        columns: 30,
        rows: 9,
    });
    assert_eq!(made.get(), 1);
    let _ = it.view(Size {
        columns: 31,
        rows: 9,
    });
    assert_eq!(made.get(), 2);
}

#[test]
fn another_width_stays_near_the_place() {
    let source = |columns: usize| {
        let rows = if columns < 25 { 2_000 } else { 1_000 };
        (0..rows)
            .map(|at| Line::new(Role::Text, &format!("{at}")))
            .collect::<Vec<Line>>()
    };
    let mut it = Pager::new("t", Box::new(source), From::Start);
    let _ = it.view(SIZE);
    for _ in 0..500 {
        it.key(letter('j'));
    }
    let frame = it.view(Size {
        columns: 20,
        rows: 7,
    });
    assert_eq!(frame.lines[1].plain(), "1000");
    it.key(letter('G'));
    assert_eq!(rows(&mut it)[4], "999");
}

#[test]
fn long_lines_are_folded_and_lose_nothing() {
    let long: String = (0..100).map(|at| format!("{at:>3} ")).collect();
    let line = long.clone();
    let source = move |_: usize| vec![Line::new(Role::Text, &line).unbroken()];
    let mut it = Pager::new("t", Box::new(source), From::Start);
    let frame = it.view(Size {
        columns: 30,
        rows: 40,
    });
    let body: String = frame.lines[1..39].iter().map(Line::plain).collect();
    assert_eq!(body, long);
}

#[test]
fn a_search_marks_and_jumps() {
    let mut it = pager(100, From::Start);
    press(&mut it, "/LINE 77\n");
    assert!(text(&it.view(SIZE)).contains("`LINE 77` is not in it"));
    press(&mut it, "/line 7\n");
    assert!(text(&it.view(SIZE)).contains("match 1/11"));
    let frame = it.view(SIZE);
    let hit = frame.lines.iter().find(|line| line.plain() == "line 7");
    assert_eq!(
        hit.map(|line| with(Role::Match, line)).as_deref(),
        Some("<line 7>")
    );
    press(&mut it, "n");
    assert!(text(&it.view(SIZE)).contains("line 70\n"));
    press(&mut it, "N");
    assert!(text(&it.view(SIZE)).contains("line 7\n"));
    press(&mut it, "N");
    assert!(text(&it.view(SIZE)).contains("line 79\n"));
    assert!(text(&it.view(SIZE)).contains("match 11/11"));
    // Nothing typed takes the marks away.
    press(&mut it, "/\n");
    assert!(!text(&it.view(SIZE)).contains("match"));
}

#[test]
fn a_search_finds_what_runs_over_the_edge() {
    let line = format!("{}needle{}", "x".repeat(27), "y".repeat(10));
    let source = move |_: usize| vec![Line::new(Role::Text, &line).unbroken()];
    let mut it = Pager::new("t", Box::new(source), From::Start);
    let _ = it.view(SIZE);
    press(&mut it, "/needle\n");
    let frame = it.view(SIZE);
    assert!(with(Role::Match, &frame.lines[1]).ends_with("x<nee>"));
    assert!(with(Role::Match, &frame.lines[2]).starts_with("<dle>y"));
    assert!(text(&frame).contains("match 1/1"));
}

#[test]
fn other_letters_are_found_in_either_case() {
    let source = |_: usize| vec![Line::new(Role::Text, "Ärger, İstanbul, 漢字")];
    for word in ["ärger", "漢字", "istanbul", "stan"] {
        let mut it = Pager::new("t", Box::new(source), From::Start);
        let _ = it.view(SIZE);
        press(&mut it, &format!("/{word}\n"));
        let shown = text(&it.view(SIZE));
        assert_eq!(
            shown.contains("match 1/1"),
            word != "istanbul",
            "{word}: {shown}"
        );
    }
}

#[test]
fn keys_of_a_search_are_text_until_it_is_over() {
    let mut it = pager(20, From::Start);
    press(&mut it, "/q");
    let frame = it.view(SIZE);
    assert!(text(&frame).ends_with("\n/q"));
    assert_eq!(frame.caret, Some((6, 2)));
    it.paste("uit");
    assert!(text(&it.view(SIZE)).ends_with("\n/quit"));
    assert_eq!(it.key(key(KeyCode::Esc)), Paged::Stay);
    assert_eq!(it.view(SIZE).caret, None);
    assert_eq!(it.key(key(KeyCode::Esc)), Paged::Closed);
}

#[test]
fn a_hundred_thousand_lines_open_and_are_searched() {
    let mut it = Pager::new("t", numbered(100_000), From::End);
    let start = Instant::now();
    let _ = it.view(SIZE);
    let opened = start.elapsed();
    let start = Instant::now();
    press(&mut it, "/line 99\n");
    let _ = it.view(SIZE);
    println!(
        "100,000 lines: opened in {opened:?}, searched in {:?}",
        start.elapsed()
    );
    let wide = Size {
        columns: 100,
        rows: 7,
    };
    let shown = text(&it.view(wide));
    assert!(shown.contains("/1111, n next"), "{shown}");
}

/// A page of so many pieces with a hundred lines each, and how many were made.
fn in_pieces(count: usize, from: From) -> (Pager, Rc<Cell<usize>>) {
    let made = Rc::new(Cell::new(0));
    let counted = Rc::clone(&made);
    let maker = move |_: usize| {
        let counted = Rc::clone(&counted);
        counted.set(0);
        Box::new((0..count).map(move |piece| {
            counted.set(counted.get() + 1);
            (1..=100)
                .map(|at| Line::new(Role::Text, &format!("line {}", piece * 100 + at)))
                .collect()
        })) as Pieces
    };
    (Pager::in_pieces("t", Box::new(maker), from), made)
}

#[test]
fn a_very_long_text_is_made_little_by_little_while_keys_are_answered() {
    let (mut it, made) = in_pieces(1_000, From::End);
    let shown = rows(&mut it);
    assert!(made.get() < 20, "{}", made.get());
    assert_eq!(shown[4], format!("line {}", made.get() * 100));
    assert!(text(&it.view(SIZE)).contains("+ · q close"));
    // Keys count in what is there.
    press(&mut it, "g");
    assert_eq!(rows(&mut it)[0], "line 1");
    let before = made.get();
    it.work();
    assert!(it.has_work() && made.get() <= before + 3);
    assert_eq!(rows(&mut it)[0], "line 1");
    press(&mut it, "/line 99999\n");
    assert!(text(&it.view(SIZE)).contains("is not in it"));
    while it.has_work() {
        it.work();
    }
    assert_eq!(made.get(), 1_000);
    assert_eq!(rows(&mut it)[0], "line 1");
    press(&mut it, "G");
    assert_eq!(rows(&mut it)[4], "line 100000");
    // What was looked for is found in what came later.
    press(&mut it, "n");
    assert!(rows(&mut it).iter().any(|row| row == "line 99999"));
}

#[test]
fn who_opens_it_at_the_end_is_at_the_end_when_all_is_there() {
    let (mut it, _) = in_pieces(50, From::End);
    while {
        let _ = it.view(SIZE);
        it.has_work()
    } {
        it.work();
    }
    assert_eq!(rows(&mut it)[4], "line 5000");
    let shown = text(&it.view(SIZE));
    assert!(shown.contains("4996–5000/5000"), "{shown}");
}
