//! How a question looks. The choices are always there, then as much of what is
//! asked about as fits, with a count of what does not.

use super::body::{Heights, Part};
use super::{Ask, Hand, Item, Writing};
use crate::overlay::field::labelled;
use crate::overlay::fold::{fold, worded};
use crate::overlay::needle::shown_width;
use crate::overlay::scroll::Mark;
use crate::rule;
use crate::shapes;
use crate::text::{Frame, Line, Role, Size, Span, Style};
use tenon_vocab::figures::count;
use tenon_vocab::{Choice, Question, QuestionKind};

/// Rows of a title that always stand there.
const TITLE: usize = 2;
/// So much of what is asked about is worth shorter choices.
const LEAST: usize = 4;
/// In so few rows there is no place for what is asked about beside the keys and a
/// word about the last one.
const TOO_LOW: usize = 2;
/// The word about the last key. Room for it is reckoned with also where it does
/// not stand: a key must not change more than the rows beside it.
const NOTICE: usize = 1;
/// What a question has at most besides its title on a low screen: keys, a line to
/// write in, a word about the last key, two rows of what is asked about.
const BELOW_TITLE: usize = 6;

/// What the keys of a yes do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Yes {
    Allows,
    /// So many rows have to be seen first: the key shows the next of them.
    ReadsOn(usize),
}

/// Whether the question has rules around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    None,
    Around,
}

/// All of a question, for the pager: also the choices with their rules.
#[must_use]
pub fn whole(question: &Question, columns: usize) -> Vec<Line> {
    let mut lines = fold(title(question), columns);
    lines.extend(shapes::question(question, columns));
    lines.push(Line::empty());
    for choice in &question.choices {
        lines.extend(offered(choice, Mark::Off, columns));
    }
    lines
}

/// Where there is room, with a rule above it in the colour of its title: where it
/// begins is seen at once.
pub(super) fn frame(ask: &Ask, size: Size, rules: Rules) -> Frame {
    if rules == Rules::None {
        return inner(ask, size, rules);
    }
    let rows = size.rows.saturating_sub(1);
    let mut frame = inner(ask, Size { rows, ..size }, rules);
    let above = rule::above(&Line::empty(), title_role(&ask.question), size.columns);
    frame.lines.insert(0, above);
    frame.caret = frame.caret.map(|(row, column)| (row + 1, column));
    frame
}

fn inner(ask: &Ask, size: Size, rules: Rules) -> Frame {
    let Size { columns, rows } = size;
    ask.body.begin();
    if columns == 0 || rows == 0 {
        return Frame::default();
    }
    let (head, rest) = heading(ask, size);
    let body = ask.body.lines(&ask.question, columns, &rest);
    let notice = notice(ask, columns);
    let wanted = body.len().min(LEAST);
    let mut foot = full(ask, columns, Yes::Allows, rules);
    let mut lasting = Vec::new();
    let mut foot_is_full = true;
    if head.len() + wanted + foot.lines.len() + NOTICE + 2 > rows {
        foot = brief(ask, size, Yes::Allows);
        foot_is_full = false;
        // They have no place below any more, and are read like the rest.
        lasting = ruled(&ask.question, columns);
    }
    let mut frame = Frame::of(head);
    let around = frame.lines.len() + foot.lines.len();
    let room = rows.saturating_sub(around + notice.len());
    let length = body.len() + lasting.len();
    // A line between them where there is one to spare.
    let air = usize::from(room > length);
    let height = |room: usize| match room {
        _ if rows <= TOO_LOW => 0,
        _ if length <= room => room,
        // A row of it says more than a count.
        0 | 1 => room,
        _ => room - 1,
    };
    let heights = Heights {
        now: height(room),
        noticed: height(rows.saturating_sub(around + NOTICE)),
    };
    if !ask.wants_all_read() {
        ask.body.start_at_change(heights.now);
    }
    let part = ask.body.part(length, heights);
    if ask.wants_all_read() && !ask.body.will_be_read() {
        let yes = Yes::ReadsOn(part.unseen);
        let reading = match foot_is_full {
            true => full(ask, columns, yes, rules),
            false => brief(ask, size, yes),
        };
        // The room for the body was reckoned with its height.
        if reading.lines.len() == foot.lines.len() {
            foot = reading;
        }
    } else if foot_is_full {
        say_unseen(&mut foot, part.unseen, columns);
    }
    let shown = body.iter().chain(&lasting).skip(part.top);
    frame.lines.extend(shown.take(part.end - part.top).cloned());
    if part.end - part.top < part.length && room > heights.now {
        frame.lines.push(bar(part, columns));
    } else if air > 0 {
        frame.lines.push(Line::empty());
    }
    frame.below(foot);
    frame.lines.extend(notice);
    last_rows(frame, rows)
}

/// How much a yes would be for that was not on the screen, beside its key.
fn say_unseen(foot: &mut Frame, unseen: usize, columns: usize) {
    let text = format!("  (+{})", count(unseen, "more line"));
    if unseen > 0
        && let Some(first) = foot.lines.first_mut()
        && first.width() + shown_width(&text) <= columns
    {
        first.push(Role::Warning, &text);
    }
}

/// The choices that would store a rule, if there are any.
fn ruled(question: &Question, columns: usize) -> Vec<Line> {
    question
        .choices
        .iter()
        .filter(|choice| choice.rule.is_some())
        .flat_map(|choice| offered(choice, Mark::Off, columns))
        .collect()
}

/// The choices come last: of a screen that is far too low they are what stays.
fn last_rows(mut frame: Frame, rows: usize) -> Frame {
    let over = frame.lines.len().saturating_sub(rows);
    frame.lines.drain(..over);
    frame.caret = frame
        .caret
        .and_then(|(row, column)| Some((row.checked_sub(over)?, column)));
    frame
}

/// The title, and all of it once more above the rest if it is too long to stay. On
/// a low screen it is read like the rest; that goes by the size alone, for the
/// rows that were read are known by their numbers.
fn heading(ask: &Ask, size: Size) -> (Vec<Line>, Vec<Line>) {
    let Size { columns, rows } = size;
    let lines = fold(title(&ask.question), columns);
    match lines.len() {
        short if short <= TITLE && short + BELOW_TITLE <= rows => (lines, Vec::new()),
        long if long > TITLE && BELOW_TITLE < rows => {
            (vec![title(&ask.question).cut(columns)], lines)
        }
        _ => (Vec::new(), lines),
    }
}

fn title(question: &Question) -> Line {
    Line::new(Style::from(title_role(question)).bold(), &question.title)
}

fn title_role(question: &Question) -> Role {
    match question.kind {
        QuestionKind::AskUser => Role::Heading,
        QuestionKind::Permission | QuestionKind::Trust => Role::Warning,
    }
}

fn notice(ask: &Ask, columns: usize) -> Vec<Line> {
    match &ask.notice {
        Some(text) => vec![Line::new(Role::Warning, text).cut(columns)],
        None => Vec::new(),
    }
}

/// A way to answer, with the exact rule that it would store: on the same line, or
/// whole on the next.
fn offered(choice: &Choice, mark: Mark, columns: usize) -> Vec<Line> {
    let key = typed_key(choice);
    let mut line = item(&key, &choice.label, mark);
    let indent = shown_width(&key) + 4;
    let rule = choice.covers().map(|rule| Span::new(Role::Code, rule));
    if choice.typed.is_some() {
        line.push(Role::Dim, " (type the whole word)");
    }
    let Some(rule) = rule else {
        return worded(&line, columns, indent);
    };
    line.push(mark.role(), ":");
    if line.width() + 1 + rule.width() <= columns {
        line.push(Role::Text, " ");
        line.spans.push(rule);
        return vec![line];
    }
    let mut lines = worded(&line, columns, indent);
    let indent = if indent * 2 < columns { indent } else { 0 };
    let in_words = is_in_words(rule.text(), columns.saturating_sub(indent));
    let below = Line::of([Span::new(Role::Text, &" ".repeat(indent)), rule]);
    lines.extend(match in_words {
        true => worded(&below, columns, indent),
        false => fold(below, columns),
    });
    lines
}

/// Whether a rule can be broken at words and still be read to the letter: each
/// break then stands for one space.
fn is_in_words(rule: &str, columns: usize) -> bool {
    rule.split(' ')
        .all(|word| (1..=columns).contains(&shown_width(word)))
}

fn item(key: &str, label: &str, mark: Mark) -> Line {
    let role = mark.role();
    Line::of([
        Span::new(role, mark.sign()),
        Span::new(Style::from(mark.key_role()).bold(), key),
        Span::new(role, "  "),
        Span::new(role, label),
    ])
}

/// Every choice on a line of its own, the marked one as a bar, and the line that is
/// written in.
fn full(ask: &Ask, columns: usize, yes: Yes, rules: Rules) -> Frame {
    let mut frame = Frame::default();
    for (at, one) in ask.items().into_iter().enumerate() {
        let mark = Mark::of(at, ask.marked);
        let lines = match one {
            Item::Choice(choice) => match (ask.question.choices.get(choice), yes) {
                (Some(choice), Yes::ReadsOn(rows)) if ask.is_yes(&choice.id) => {
                    let label = format!("read on: {}", count(rows, "more line"));
                    vec![item(&typed_key(choice), &label, mark)]
                }
                (Some(choice), _) => offered(choice, mark, columns),
                (None, _) => Vec::new(),
            },
            Item::Reason(key) => {
                let line = item(&key.to_string(), "deny and say why", mark);
                worded(&line, columns, 5)
            }
            Item::NotNow => {
                let label = "not now: continue without it and ask again later";
                let line = item("Enter", label, mark);
                worded(&line, columns, 9)
            }
            Item::Text => Vec::new(),
        };
        let rows = lines.into_iter().map(|line| mark.row(line, columns));
        frame.lines.extend(rows);
    }
    frame.below(input(ask, columns, yes));
    if ask.writing == Writing::Nothing {
        let keys = match (ask.hand, ask.question.kind) {
            (Hand::Users, QuestionKind::Permission) => "enter takes what is marked · esc denies",
            (Hand::Users, QuestionKind::AskUser) => "enter takes what is marked · esc: no answer",
            (Hand::Users, QuestionKind::Trust) => "enter takes what is marked · esc: not now",
            (Hand::Ours, QuestionKind::Permission) => "enter or esc deny · tab marks another",
            (Hand::Ours, QuestionKind::AskUser) => "tab marks one · enter or esc: no answer",
            (Hand::Ours, QuestionKind::Trust) => "tab marks another",
        };
        let keys = Line::new(Role::Dim, keys);
        frame.lines.push(match rules {
            Rules::None => keys.cut(columns),
            Rules::Around => rule::below(&keys, title_role(&ask.question), columns),
        });
    }
    frame
}

/// What is pressed or written for a choice.
fn typed_key(choice: &Choice) -> String {
    let typed = choice.typed.clone();
    typed.unwrap_or_else(|| choice.key.to_string())
}

/// The keys alone, on a screen that is too low for more.
fn brief(ask: &Ask, size: Size, yes: Yes) -> Frame {
    let columns = size.columns;
    let is_tight = size.rows < 5;
    let most = if is_tight { 1 } else { TITLE };
    let mut lines = vec![Line::empty()];
    for (at, one) in ask.items().into_iter().enumerate() {
        let Some((key, label)) = named(ask, one, yes) else {
            continue;
        };
        let mark = Mark::of(at, ask.marked);
        let spans = [
            Span::new(Style::from(mark.key_role()).bold(), &key),
            Span::new(mark.role(), &format!(" {label}")),
        ];
        let wide: usize = spans.iter().map(Span::width).sum();
        let count = lines.len();
        if let Some(line) = lines.last_mut() {
            if line.spans.is_empty() {
                line.spans.extend(spans);
            } else if line.width() + 3 + wide <= columns || count == most {
                line.push(Role::Dim, " · ");
                line.spans.extend(spans);
            } else {
                lines.push(Line::of(spans));
            }
        }
    }
    // The word and the reason are written with the keys of the choices out of use.
    if is_tight && matches!(ask.writing, Writing::Word(_) | Writing::Reason) {
        lines.clear();
    }
    let mut frame = Frame::of(lines.into_iter().map(|line| line.cut(columns)).collect());
    frame.below(input(ask, columns, yes));
    frame
}

/// The key of an answer, and a word for it.
fn named(ask: &Ask, item: Item, yes: Yes) -> Option<(String, &str)> {
    match item {
        Item::Reason(key) => Some((key.to_string(), "why")),
        Item::NotNow => Some((String::from("Enter"), "not now")),
        Item::Text => None,
        Item::Choice(choice) => {
            let choice = ask.question.choices.get(choice)?;
            let mut key = typed_key(choice);
            if choice.id == Choice::DENY && ask.hand == Hand::Ours {
                key.push_str("/enter");
            }
            match yes {
                Yes::ReadsOn(_) if ask.is_yes(&choice.id) => Some((key, "read on")),
                _ => Some((key, short(ask, choice))),
            }
        }
    }
}

/// What a permission is called is shorter than what it says, and says as much: but
/// for that of the yes, which is half of it.
fn short<'a>(ask: &Ask, choice: &'a Choice) -> &'a str {
    match ask.question.kind {
        QuestionKind::Permission if choice.id == Choice::ONCE => "allow",
        QuestionKind::AskUser | QuestionKind::Trust => &choice.label,
        QuestionKind::Permission => &choice.id,
    }
}

/// The line that is written in, with its caret.
fn input(ask: &Ask, columns: usize, yes: Yes) -> Frame {
    let label = match ask.writing {
        Writing::Nothing => return Frame::default(),
        Writing::Reason => String::from("why not: "),
        Writing::Word(choice) => {
            let word = ask.question.choices.get(choice);
            let word = word.and_then(|choice| choice.typed.as_deref());
            format!("type {}: ", word.unwrap_or_default())
        }
        Writing::Answer if ask.is_on_text() => String::from("▸ "),
        Writing::Answer => String::from("  "),
    };
    let (mut line, caret) = labelled(&label, &ask.field, columns);
    let hint = match ask.writing {
        Writing::Word(_) if !ask.field.is_empty() && yes != Yes::Allows => " · enter reads on",
        _ if !ask.field.is_empty() => "",
        Writing::Reason => "enter denies · esc goes back",
        Writing::Word(_) => "esc goes back",
        Writing::Answer => &numbered(&ask.question),
        Writing::Nothing => "",
    };
    line.push(Role::Dim, hint);
    Frame {
        lines: vec![line.cut(columns)],
        caret: Some((0, caret)),
    }
}

/// How a question of the model's is answered: a number counts at once, so that an
/// answer cannot begin with one unless something is before it.
fn numbered(question: &Question) -> String {
    let keys: Vec<char> = question.choices.iter().map(|choice| choice.key).collect();
    match keys.as_slice() {
        [] => String::from("write an answer · enter sends it"),
        [only] => format!("{only} answers at once · or write, enter sends it"),
        [first, .., last] => {
            format!("{first}–{last} answers at once · or write, enter sends it")
        }
    }
}

/// What of the body is on the screen, and what was not yet.
fn bar(part: Part, columns: usize) -> Line {
    let Part {
        top,
        end,
        length,
        unseen,
    } = part;
    let shown = if end > top {
        format!("{}–{end}", top + 1)
    } else {
        String::from("0")
    };
    let lines = |words: &str| match unseen {
        0 => String::from(words),
        _ => format!("{words} ({})", count(unseen, "more line")),
    };
    let long = [
        format!("lines {shown} of {length}"),
        lines(if unseen > 0 {
            "space reads on"
        } else {
            "space scrolls"
        }),
        String::from("ctrl+t shows all"),
    ];
    let middle = [
        format!("{shown}/{length}"),
        lines("space"),
        String::from("ctrl+t"),
    ];
    let short = [
        format!("{shown}/{length}"),
        match unseen {
            0 => String::new(),
            _ => format!("+{unseen}"),
        },
        String::from("ctrl+t"),
    ];
    let made = |words: &[String; 3]| {
        let mut line = Line::empty();
        for (at, word) in words.iter().enumerate() {
            if word.is_empty() {
                continue;
            }
            if !line.spans.is_empty() {
                line.push(Role::Dim, " · ");
            }
            let role = if at == 1 && unseen > 0 {
                Role::Warning
            } else {
                Role::Dim
            };
            line.push(role, word);
        }
        line
    };
    [&long, &middle, &short]
        .into_iter()
        .map(made)
        .find(|line| line.width() <= columns)
        .unwrap_or_else(|| made(&short).cut(columns))
}
