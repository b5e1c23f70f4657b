//! A question as text, and an answer from what was typed. What is shown is what
//! runs: nothing is left out of it.

#[cfg(test)]
mod tests;

use super::{lines, wrap};
use crate::screen::{Paint, Style};
use tenon_vocab::{
    Answer, AnsweredBy, BodyRow, Choice, DiffFile, Display, Printable, Question, QuestionKind,
};
use unicode_width::UnicodeWidthStr;

/// The whole question, ready for the terminal.
pub fn show(paint: Paint, question: &Question) -> String {
    laid_out(paint, question, wrap::columns())
}

/// What is said of it is broken at words; what would run is not broken at all.
fn laid_out(paint: Paint, question: &Question, columns: Option<usize>) -> String {
    let mut text = format!(
        "\n{}\n",
        paint.paint(Style::Bold, Printable::line(&question.title).as_str())
    );
    if let Display::Diff { files } = &question.display {
        for (at, file) in files.iter().enumerate() {
            let number = match files.len() {
                0 | 1 => String::new(),
                all => format!("{}/{all} ", at + 1),
            };
            text.push_str(&change(paint, file, &number));
        }
    }
    let body = match (&question.display, question.body.as_str()) {
        (Display::Terminal { command, .. }, "") => command,
        (Display::Text { summary, .. }, "") => summary,
        (_, body) => body,
    };
    if !body.is_empty() {
        let body = body.strip_suffix('\n').unwrap_or(body);
        for row in BodyRow::of(body) {
            text.push_str(&match row {
                BodyRow::Line(line) => format!("  {}\n", Printable::line(line)),
                BodyRow::Empty(count) => {
                    let said = format!("  … {count} empty lines");
                    format!("{}\n", paint.paint(Style::Dim, &said))
                }
            });
        }
    }
    if let Some(reason) = &question.reason {
        let reason = Printable::line(reason);
        for line in wrap::hanging("  why: ", reason.as_str(), columns) {
            text.push_str(&format!("{}\n", paint.paint(Style::Dim, &line)));
        }
    }
    for affected in &question.affects {
        let line = format!("  affects: {}", Printable::line(affected));
        text.push_str(&format!("{}\n", paint.paint(Style::Red, &line)));
    }
    // After what is known: it may be as long as the model likes.
    if let Some(intent) = &question.intent {
        let mut label = "the model says:";
        for line in intent.split('\n') {
            let said = format!("  {label} {}", Printable::line(line));
            text.push_str(&format!("{}\n", paint.paint(Style::Dim, &said)));
            label = "               ";
        }
    }
    // Last, where it is still on the screen when the choices are read.
    if let Display::Diff { files } = &question.display {
        for file in files.iter().filter(|file| file.left_out_bytes > 0) {
            text.push_str(&warning(paint, file));
        }
    }
    for choice in &question.choices {
        text.push_str(&offered(choice, columns));
    }
    if question.kind == QuestionKind::Trust {
        text.push_str("  Enter  not now: continue without it and ask again later\n");
    }
    if question.free_text && question.kind == QuestionKind::Permission {
        text.push_str("  any other text denies, and the model reads it\n");
    }
    text
}

/// A way to answer, with the exact rule that it would store: on the same line, or
/// whole on the next.
fn offered(choice: &Choice, columns: Option<usize>) -> String {
    let label = Printable::line(&choice.label);
    let (key, after) = match &choice.typed {
        Some(word) => (
            Printable::line(word).into_string(),
            " (type the whole word)",
        ),
        None => (choice.key.to_string(), ""),
    };
    let rule = choice
        .covers()
        .map(|rule| Printable::line(rule).into_string());
    let head = format!("  {key}  ");
    let mut lines = vec![match &rule {
        Some(rule) => format!("{head}{label}: {rule}{after}"),
        None => format!("{head}{label}{after}"),
    }];
    if columns.is_some_and(|columns| lines.iter().any(|line| line.width() > columns)) {
        let colon = if rule.is_some() { ":" } else { "" };
        lines = wrap::hanging(&head, &format!("{label}{after}{colon}"), columns);
        let below = " ".repeat(head.width());
        lines.extend(
            rule.into_iter()
                .flat_map(|rule| wrap::hanging(&below, &rule, columns)),
        );
    }
    lines.join("\n") + "\n"
}

fn change(paint: Paint, file: &DiffFile, number: &str) -> String {
    let mut text = format!(
        "  {number}{} {} (+{} -{})\n",
        Printable::line(file.to_do()),
        Printable::line(&lines::name(file)),
        file.additions,
        file.deletions
    );
    for line in lines::whole_diff(paint, &file.unified) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn warning(paint: Paint, file: &DiffFile) -> String {
    let loud = format!(
        "  NOT ALL OF THE CHANGE IS SHOWN: {} bytes more in {}",
        file.left_out_bytes,
        Printable::line(&file.path)
    );
    format!("{}\n", paint.paint(Style::Red, &loud))
}

/// What was typed, without what surrounds it. A key that is no text, such as
/// Esc, says nothing: it is a no.
fn said(line: &str) -> &str {
    let typed = line.trim();
    if typed.starts_with('\x1b') { "" } else { typed }
}

/// Whether nothing was said.
pub fn is_silence(line: &str) -> bool {
    said(line).is_empty()
}

/// Yes or no, written out.
fn is_a_word(typed: &str) -> bool {
    [Choice::YES, "no"]
        .iter()
        .any(|word| typed.eq_ignore_ascii_case(word))
}

/// The choice whose key was typed, alone.
fn keyed<'a>(question: &'a Question, typed: &str) -> Option<&'a Choice> {
    let mut characters = typed.chars();
    let key = characters.next().filter(|_| characters.next().is_none())?;
    question
        .choices
        .iter()
        .find(|choice| choice.key.eq_ignore_ascii_case(&key))
}

/// What to say when a line is no answer but a slip: a single key that is not
/// offered here, or is not enough. `None` when it is an answer.
pub fn slip(question: &Question, line: &str) -> Option<String> {
    let typed = said(line);
    if let Some(choice) = keyed(question, typed) {
        let word = Printable::line(choice.typed.as_deref()?);
        return Some(format!(
            "`{typed}` is not enough here: type `{word}` to allow it; anything else denies"
        ));
    }
    let is_slip = match question.kind {
        QuestionKind::AskUser => false,
        // What is remembered for long is said in so many words.
        QuestionKind::Trust => !is_silence(line) && !is_a_word(typed),
        // Nobody is there to read a reason.
        QuestionKind::Permission if !question.free_text => !is_silence(line) && !is_a_word(typed),
        // A command of the program is no reason for the model.
        _ => typed.chars().count() == 1 || typed.starts_with('/'),
    };
    if !is_slip {
        return None;
    }
    let keys: Vec<String> = question
        .choices
        .iter()
        .map(|choice| match &choice.typed {
            Some(word) => Printable::line(word).into_string(),
            None => choice.key.to_string(),
        })
        .collect();
    Some(format!(
        "`{}` is not offered here: {}",
        lines::shorten(typed, 40),
        keys.join(", ")
    ))
}

/// The answer that a typed line means: a key, or free text. Nothing typed is no.
pub fn answer(question: &Question, line: &str) -> Answer {
    let typed = said(line);
    let lower = typed.to_ascii_lowercase();
    let asks_leave = question.kind != QuestionKind::AskUser;
    let yes = (asks_leave && lower == Choice::YES)
        .then(|| question.choices.first())
        .flatten();
    let (choice, text) = match keyed(question, typed).or(yes) {
        // The word goes along where it is wanted; a key alone does not have it.
        Some(choice) => {
            let word = choice.typed.clone().filter(|word| *word == lower);
            (choice.id.clone(), word)
        }
        None if typed.is_empty() || (asks_leave && lower == "no") => {
            (Choice::DENY.to_owned(), None)
        }
        None => (Choice::DENY.to_owned(), Some(typed.to_owned())),
    };
    Answer {
        question: question.id.clone(),
        choice,
        text,
        by: AnsweredBy::User,
        call: None,
    }
}
