//! A question as it may be recorded and shown. Whoever says yes must see what
//! will run: of a permission only single words are masked, in which no command
//! can hide, and it is said that they are. All else stands there as it is, in the
//! log, too.

use super::{any, masked};
use std::borrow::Cow;
use tenon_policy::{Findings, Masker};
use tenon_vocab::{Display, Question, QuestionKind};

pub(super) fn question(masker: &Masker, question: Question, found: &mut Findings) -> Question {
    match question.kind {
        QuestionKind::Permission | QuestionKind::Trust => permission(masker, question, found),
        QuestionKind::AskUser => of_the_agent(masker, question, found),
    }
}

/// Words of the model to which no call hangs.
fn of_the_agent(masker: &Masker, mut question: Question, found: &mut Findings) -> Question {
    question.title = masked(masker, question.title, found);
    question.body = masked(masker, question.body, found);
    question.display = any(masker, question.display, found);
    for text in [&mut question.reason, &mut question.intent] {
        *text = text.take().map(|text| masked(masker, text, found));
    }
    for line in &mut question.affects {
        *line = masked(masker, std::mem::take(line), found);
    }
    for choice in &mut question.choices {
        choice.label = masked(masker, std::mem::take(&mut choice.label), found);
    }
    question
}

fn permission(masker: &Masker, mut question: Question, found: &mut Findings) -> Question {
    let (mut body, mut display, mut rest): (Findings, Findings, Findings) = Default::default();
    plain(masker, &mut question.body, &mut body);
    question.display = shown(masker, question.display, &mut display);
    plain(masker, &mut question.title, &mut rest);
    question
        .reason
        .iter_mut()
        .for_each(|text| plain(masker, text, &mut rest));
    // The model's own words: nothing of them would run.
    question.intent = question
        .intent
        .take()
        .map(|text| masked(masker, text, &mut rest));
    for line in &mut question.affects {
        plain(masker, line, &mut rest);
    }
    for choice in &mut question.choices {
        let rule = choice.rule.iter_mut();
        rule.for_each(|rule| plain(masker, rule, &mut rest));
    }
    for part in [&body, &display, &rest] {
        found.add(part);
    }
    // The same text in other clothes counts once, and what is said about it, which
    // may repeat it, only where it does not stand there itself.
    let count = match body.total().max(display.total()) {
        0 => rest.total(),
        count => count,
    };
    if count > 0 {
        question.choices.retain(|choice| choice.rule.is_none());
        question.body = labelled(question.body, count);
    }
    question
}

fn labelled(body: String, count: usize) -> String {
    let label = if count == 1 {
        String::from("(1 value masked; it runs with the real one)")
    } else {
        format!("({count} values masked; it runs with the real ones)")
    };
    if body.is_empty() {
        label
    } else {
        format!("{body}\n{label}")
    }
}

fn plain(masker: &Masker, text: &mut String, found: &mut Findings) {
    if let Cow::Owned(masked) = masker.mask_plain(text, found) {
        *text = masked;
    }
}

/// What is shown beside the text. Where it could not be masked it stays as it
/// is: a yes to something unseen is worse than a secret in the log.
fn shown(masker: &Masker, display: Display, found: &mut Findings) -> Display {
    let Ok(mut value) = serde_json::to_value(&display) else {
        return display;
    };
    let mut here = Findings::default();
    masker.mask_plain_value(&mut value, &mut here);
    if here.is_empty() {
        return display;
    }
    match serde_json::from_value(value) {
        Ok(masked) => {
            found.add(&here);
            masked
        }
        Err(_) => display,
    }
}
