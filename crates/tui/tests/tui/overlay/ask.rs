use super::{control, key, letter, look, text};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};
use tenon_tui::overlay::ask::{Ask, Before, Verdict, whole};
use tenon_tui::text::{Line, Size};
use tenon_vocab::{AnsweredBy, Choice, Class, Display, Question, QuestionId, QuestionKind};

pub const SIZE: Size = Size {
    columns: 70,
    rows: 20,
};

fn choice(id: &str, key: char, label: &str, rule: Option<&str>) -> Choice {
    Choice {
        id: id.into(),
        key,
        label: label.into(),
        rule: rule.map(str::to_owned),
        typed: None,
    }
}

pub fn permission() -> Question {
    Question {
        id: QuestionId::new("q_1"),
        kind: QuestionKind::Permission,
        title: "Run a command?".into(),
        body: "git push origin main".into(),
        display: Display::Nothing,
        choices: vec![
            choice("once", 'y', "allow once", None),
            choice(
                "session",
                's',
                "allow for this session",
                Some("bash git push"),
            ),
            choice(
                "always",
                'a',
                "always allow, for 7 days",
                Some("bash git push"),
            ),
            choice("deny", 'n', "deny", None),
        ],
        free_text: true,
        call: None,
        tool: Some("bash".into()),
        reason: Some("no rule allows it".into()),
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    }
}

pub fn dangerous() -> Question {
    let mut question = permission();
    question.body = "rm -rf ../other".into();
    question.choices.drain(1..3);
    question.choices[0].typed = Some("yes".into());
    question
}

pub fn long() -> Question {
    let lines: Vec<String> = (1..=240).map(|line| format!("echo {line}")).collect();
    Question {
        body: lines.join("\n"),
        reason: None,
        ..permission()
    }
}

/// The same where a yes must be meant.
pub fn grave(question: Question) -> Question {
    Question {
        class: Some(Class::Confirm),
        ..question
    }
}

pub fn of_the_model() -> Question {
    Question {
        kind: QuestionKind::AskUser,
        title: "The agent asks".into(),
        body: "Which database?".into(),
        choices: vec![
            choice("1", '1', "sqlite", None),
            choice("2", '2', "postgres", None),
        ],
        reason: None,
        ..permission()
    }
}

pub fn trust() -> Question {
    Question {
        kind: QuestionKind::Trust,
        title: "Trust this project?".into(),
        body: "It would enable 1:\nhook  make".into(),
        choices: vec![
            choice("always", 'y', "trust it", None),
            choice("deny", 'n', "continue without it", None),
        ],
        free_text: false,
        ..permission()
    }
}

/// A question that stands on the screen for long, and the time.
pub fn ready(question: Question) -> (Ask, Instant) {
    let start = Instant::now();
    let mut ask = Ask::new(question);
    ask.shown(start);
    let _ = look(&ask, SIZE);
    (ask, start + Duration::from_secs(1))
}

pub fn after(question: Question, keys: &[KeyEvent]) -> Verdict {
    let (mut ask, now) = ready(question);
    let mut verdict = Verdict::Stay;
    for key in keys {
        assert_eq!(verdict, Verdict::Stay, "answered before the last key");
        verdict = ask.key(*key, now);
        let _ = look(&ask, SIZE);
    }
    verdict
}

pub fn said(verdict: &Verdict) -> (&str, Option<&str>) {
    match verdict {
        Verdict::Answered(answer) => {
            assert_eq!(answer.by, AnsweredBy::User);
            assert_eq!(answer.question, QuestionId::new("q_1"));
            (answer.choice.as_str(), answer.text.as_deref())
        }
        other => panic!("no answer but {other:?}"),
    }
}

pub fn typed(text: &str) -> Vec<KeyEvent> {
    text.chars().map(letter).collect()
}

const ENTER: KeyCode = KeyCode::Enter;

#[test]
fn the_key_of_a_choice_answers_at_once() {
    for (pressed, choice) in [
        ('y', "once"),
        ('Y', "once"),
        ('s', "session"),
        ('a', "always"),
        ('n', "deny"),
    ] {
        let verdict = after(permission(), &[letter(pressed)]);
        assert_eq!(said(&verdict), (choice, None), "{pressed}");
    }
}

#[test]
fn enter_and_escape_deny() {
    for code in [ENTER, KeyCode::Esc] {
        assert_eq!(said(&after(permission(), &[key(code)])), ("deny", None));
        assert_eq!(said(&after(dangerous(), &[key(code)])), ("deny", None));
    }
}

#[test]
fn enter_takes_what_was_marked_by_hand() {
    let tab = key(KeyCode::Tab);
    // From `deny` over the reason around to the first.
    let verdict = after(permission(), &[tab, tab, key(ENTER)]);
    assert_eq!(said(&verdict), ("once", None));
    let verdict = after(permission(), &[tab, tab, tab, tab, key(ENTER)]);
    assert_eq!(said(&verdict), ("always", None));
    let verdict = after(permission(), &[tab, key(KeyCode::Left), key(ENTER)]);
    assert_eq!(said(&verdict), ("deny", None));
}

#[test]
fn what_enter_does_is_said() {
    let (mut ask, now) = ready(permission());
    assert!(text(&look(&ask, SIZE)).contains("enter or esc deny"));
    ask.key(key(KeyCode::Tab), now);
    let shown = text(&look(&ask, SIZE));
    assert!(
        shown.contains("enter takes what is marked · esc denies"),
        "{shown}"
    );
}

#[test]
fn letters_from_before_the_question_go_into_the_text_and_do_not_answer_it() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut ask = Ask::new(permission());
    // Not on the screen at all.
    assert_eq!(ask.key(letter('y'), start), Verdict::Elsewhere);
    let mut ask = Ask::new(permission());
    ask.shown(start);
    let _ = look(&ask, SIZE);
    assert_eq!(ask.key(letter('a'), at(149)), Verdict::Elsewhere);
    assert!(text(&look(&ask, SIZE)).contains("goes into your message"));
    // The rest of the word follows it, and the question is turned to by a key.
    assert_eq!(ask.key(letter('y'), at(300)), Verdict::Elsewhere);
    assert_eq!(ask.key(letter('y'), at(5_000)), Verdict::Elsewhere);
    ask.key(key(KeyCode::Tab), at(6_000));
    assert_eq!(said(&ask.key(letter('y'), at(6_100))), ("once", None));
    // Nothing was written: one key is enough.
    let mut ask = Ask::new(permission());
    ask.shown(start);
    let _ = look(&ask, SIZE);
    assert_eq!(said(&ask.key(letter('y'), at(150))), ("once", None));
}

#[test]
fn the_key_of_an_answer_before_is_neither_an_answer_nor_a_text() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut ask = Ask::new(permission()).behind(Before::Answer);
    ask.shown(start);
    let _ = look(&ask, SIZE);
    assert_eq!(ask.key(letter('y'), at(100)), Verdict::Stay);
    assert!(text(&look(&ask, SIZE)).contains("too early"));
    assert_eq!(said(&ask.key(letter('y'), at(700))), ("once", None));
}

#[test]
fn who_was_typing_elsewhere_types_on() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut ask = Ask::new(permission());
    ask.shown(start);
    let _ = look(&ask, SIZE);
    ask.typed_before(start);
    assert_eq!(ask.key(letter('s'), at(200)), Verdict::Elsewhere);
    assert_eq!(ask.key(letter('a'), at(400)), Verdict::Elsewhere);
    assert_eq!(ask.key(key(ENTER), at(600)), Verdict::Stay);
    assert_eq!(ask.key(key(KeyCode::Tab), at(1_000)), Verdict::Stay);
    assert_eq!(said(&ask.key(letter('s'), at(1_000))), ("session", None));
}

#[test]
fn the_tab_that_comes_back_from_the_message_marks_nothing() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut ask = Ask::new(permission());
    ask.shown(start);
    let _ = look(&ask, SIZE);
    ask.typed_before(start);
    assert_eq!(ask.key(letter('s'), at(200)), Verdict::Elsewhere);
    let before = text(&look(&ask, SIZE));
    assert_eq!(ask.key(key(KeyCode::Tab), at(1_000)), Verdict::Stay);
    let after = text(&look(&ask, SIZE));
    assert!(before.contains("goes into your message"), "{before}");
    assert!(after.contains("enter or esc deny"), "{after}");
    assert_eq!(said(&ask.key(key(ENTER), at(1_000))), ("deny", None));
}

#[test]
fn a_long_change_is_allowed_by_one_key_and_what_is_not_shown_is_counted_beside_it() {
    let (mut ask, now) = ready(long());
    let shown = text(&look(&ask, SIZE));
    let counted =
        |row: &str| row.starts_with("  y  allow once  (+2") && row.ends_with("more lines)");
    assert!(shown.lines().any(counted), "{shown}");
    assert!(shown.contains("space reads on (2"), "{shown}");
    assert_eq!(said(&ask.key(letter('y'), now)), ("once", None));
    for (pressed, choice) in [('s', "session"), ('a', "always")] {
        assert_eq!(said(&after(long(), &[letter(pressed)])), (choice, None));
    }
}

#[test]
fn a_released_key_and_a_key_with_control_are_no_answer() {
    let (mut ask, now) = ready(permission());
    let mut up = letter('y');
    up.kind = KeyEventKind::Release;
    let alt = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::ALT);
    for pressed in [up, alt, control('y'), control('a'), control('c')] {
        assert_eq!(ask.key(pressed, now), Verdict::Stay, "{pressed:?}");
    }
}

#[test]
fn a_key_that_is_not_offered_says_which_are() {
    let (mut ask, now) = ready(permission());
    assert_eq!(ask.key(letter('x'), now), Verdict::Stay);
    let shown = text(&look(&ask, SIZE));
    assert!(
        shown.contains("`x` is not offered here: y, s, a, n, r"),
        "{shown}"
    );
}

#[test]
fn the_exact_rule_stands_behind_its_choice_and_the_mark_on_no() {
    let (ask, _) = ready(permission());
    let shown = text(&look(&ask, SIZE));
    for line in [
        "Run a command?",
        "  y  allow once",
        "  s  allow for this session: bash git push",
        "▸ n  deny",
        "  r  deny and say why",
    ] {
        assert!(
            shown.lines().any(|row| row.trim_end() == line),
            "no {line:?} in\n{shown}"
        );
    }
    let marked = shown.lines().find(|row| row.starts_with('▸'));
    let width = marked.map(|row| row.chars().count());
    assert_eq!(width, Some(SIZE.columns), "a bar over the whole width");
    assert_eq!(look(&ask, SIZE).caret, None);
}

#[test]
fn a_long_choice_breaks_between_words_and_its_rule_stands_below_it() {
    let mut question = permission();
    question.choices[2].label = "always allow what begins so, in this project, for 7 days".into();
    let size = Size {
        columns: 40,
        rows: 30,
    };
    let shown = text(&Ask::new(question).view(size));
    let below = "\
  a  always allow what begins so, in
     this project, for 7 days:
     bash git push";
    assert!(shown.contains(below), "{shown}");
    assert!(
        shown.contains("  s  allow for this session:\n     bash git push"),
        "{shown}"
    );
}

#[test]
fn a_long_rule_is_folded_and_not_cut() {
    let mut question = permission();
    let rule = format!("bash {}", "x".repeat(90));
    question.choices[1].rule = Some(rule.clone());
    let (ask, _) = ready(question);
    let joined: String = text(&look(&ask, SIZE)).replace('\n', "");
    assert!(joined.contains(&rule), "{joined}");
}

#[test]
fn a_reason_goes_with_the_no() {
    let mut keys = typed("r");
    keys.extend(typed("use make"));
    keys.push(key(ENTER));
    assert_eq!(
        said(&after(permission(), &keys)),
        ("deny", Some("use make"))
    );
    let none = [letter('r'), key(ENTER)];
    assert_eq!(said(&after(permission(), &none)), ("deny", None));
}

#[test]
fn letters_of_a_reason_are_no_answers_and_escape_goes_back() {
    let mut keys = typed("rays");
    keys.push(key(KeyCode::Esc));
    let (mut ask, now) = ready(permission());
    for pressed in keys {
        assert_eq!(ask.key(pressed, now), Verdict::Stay);
    }
    assert_eq!(said(&ask.key(letter('s'), now)), ("session", None));
}

#[test]
fn a_reason_can_be_pasted_and_an_answer_cannot() {
    let (mut ask, now) = ready(permission());
    ask.paste("y");
    ask.key(letter('r'), now);
    ask.paste("because\r\nof this");
    assert_eq!(
        said(&ask.key(key(ENTER), now)),
        ("deny", Some("because\nof this"))
    );
}

#[test]
fn danger_wants_the_whole_word() {
    let (mut ask, now) = ready(dangerous());
    assert_eq!(ask.key(letter('y'), now), Verdict::Stay);
    let frame = look(&ask, SIZE);
    assert!(text(&frame).contains("type yes: y"), "{}", text(&frame));
    assert!(frame.caret.is_some());
    assert_eq!(ask.key(key(ENTER), now), Verdict::Stay);
    assert!(text(&look(&ask, SIZE)).contains("that is not `yes`"));
    ask.key(letter('e'), now);
    ask.key(letter('S'), now);
    assert_eq!(said(&ask.key(key(ENTER), now)), ("once", Some("yes")));
}

#[test]
fn the_word_of_a_danger_is_not_pasted_and_can_be_left() {
    let (mut ask, now) = ready(dangerous());
    ask.key(letter('y'), now);
    ask.paste("es");
    assert_eq!(ask.key(key(ENTER), now), Verdict::Stay);
    ask.key(key(KeyCode::Esc), now);
    assert_eq!(said(&ask.key(key(KeyCode::Esc), now)), ("deny", None));
}

#[test]
fn a_danger_that_was_marked_by_hand_still_wants_its_word() {
    let tab = key(KeyCode::Tab);
    let mut keys = vec![tab, tab, key(ENTER)];
    keys.extend(typed("yes"));
    keys.push(key(ENTER));
    assert_eq!(said(&after(dangerous(), &keys)), ("once", Some("yes")));
}

#[test]
fn a_long_question_says_what_was_not_seen() {
    let (mut ask, now) = ready(long());
    let shown = text(&look(&ask, SIZE));
    assert!(shown.contains("lines 1–"), "{shown}");
    assert!(shown.contains(" of 240 · "), "{shown}");
    assert!(shown.contains("more lines) · ctrl+t"), "{shown}");
    assert!(shown.contains("y  allow once"), "{shown}");
    ask.key(key(KeyCode::End), now);
    let shown = text(&look(&ask, SIZE));
    assert!(shown.contains("echo 240"), "{shown}");
    // The middle was jumped over.
    assert!(shown.contains("more lines"), "{shown}");
    ask.key(key(KeyCode::Home), now);
    for _ in 0..60 {
        let _ = look(&ask, SIZE);
        ask.key(letter(' '), now);
    }
    let shown = text(&look(&ask, SIZE));
    assert!(
        shown.contains("echo 240") && !shown.contains("more lines"),
        "{shown}"
    );
    // A no can be said at any time.
    assert_eq!(said(&after(long(), &[letter('n')])), ("deny", None));
}

#[test]
fn all_of_it_goes_to_the_pager() {
    assert_eq!(after(permission(), &[control('t')]), Verdict::Page);
    let page: String = whole(&long(), 60).iter().map(Line::plain).collect();
    for part in ["Run a command?", "echo 1", "echo 240", ": bash git push"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_title_that_is_too_long_is_read_whole_below() {
    let names: Vec<String> = (0..40).map(|at| format!("src/file{at}.rs")).collect();
    let question = Question {
        title: format!("Change {}?", names.join(", ")),
        ..permission()
    };
    let (ask, _) = ready(question);
    let tall = Size {
        columns: 60,
        rows: 60,
    };
    let shown = text(&look(&ask, tall)).replace('\n', "");
    assert!(shown.contains("src/file39.rs?"), "{shown}");
}

#[test]
fn numbers_answer_a_question_of_the_model() {
    assert_eq!(said(&after(of_the_model(), &[letter('2')])), ("2", None));
    let marked = [key(KeyCode::Down), key(ENTER)];
    assert_eq!(said(&after(of_the_model(), &marked)), ("1", None));
    assert_eq!(
        said(&after(of_the_model(), &[key(KeyCode::Esc)])),
        ("deny", None)
    );
}

#[test]
fn the_model_is_answered_in_own_words() {
    let mut keys = typed("mysql 2");
    keys.push(key(ENTER));
    assert_eq!(
        said(&after(of_the_model(), &keys)),
        ("deny", Some("mysql 2"))
    );
    // A number begins an answer once the line was chosen.
    let mut keys = vec![key(KeyCode::Tab), key(KeyCode::Up)];
    keys.extend(typed("2 of them"));
    keys.push(key(ENTER));
    assert_eq!(
        said(&after(of_the_model(), &keys)),
        ("deny", Some("2 of them"))
    );
}

#[test]
fn enter_alone_does_not_end_a_question_of_the_model() {
    assert_eq!(after(of_the_model(), &[key(ENTER)]), Verdict::Stay);
    let mut bare = of_the_model();
    bare.choices.clear();
    assert_eq!(after(bare, &[key(ENTER)]), Verdict::Stay);
}

#[test]
fn trust_is_put_off_unless_it_is_answered() {
    for code in [ENTER, KeyCode::Esc] {
        assert_eq!(said(&after(trust(), &[key(code)])), (Choice::NOT_NOW, None));
    }
    assert_eq!(said(&after(trust(), &[letter('n')])), ("deny", None));
    assert_eq!(said(&after(trust(), &[letter('y')])), ("always", None));
    for c in ['q', 'a', '/', 'r'] {
        assert_eq!(after(trust(), &[letter(c)]), Verdict::Stay, "{c}");
    }
    let (ask, _) = ready(trust());
    let shown = text(&look(&ask, SIZE));
    assert!(
        shown.contains("▸ Enter  not now: continue without it and ask again later"),
        "{shown}"
    );
}

#[test]
fn a_low_screen_keeps_the_keys() {
    let (ask, _) = ready(long());
    for rows in 1..8 {
        let frame = look(&ask, Size { columns: 40, rows });
        assert!(frame.lines.len() <= rows);
        assert!(text(&frame).contains("y allow"), "{}", text(&frame));
    }
}
