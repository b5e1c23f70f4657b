//! A question as text, and an answer from what was typed. What is shown is what
//! runs: nothing is left out of it.

use super::lines;
use crate::screen::{Paint, Style};
use tenon_vocab::{Answer, AnsweredBy, Display, Printable, Question, QuestionKind};

/// The whole question, ready for a terminal.
pub fn show(paint: Paint, question: &Question) -> String {
    let mut text = format!(
        "\n{}\n",
        paint.paint(Style::Bold, Printable::line(&question.title).as_str())
    );
    if let Display::Diff { files } = &question.display {
        for file in files {
            let head = format!(
                "  {} {} (+{} -{})",
                file.operation,
                Printable::line(&file.path),
                file.additions,
                file.deletions
            );
            text.push_str(&head);
            text.push('\n');
            text.push_str(&lines::diff(paint, &file.unified, usize::MAX).join("\n"));
            text.push('\n');
        }
    }
    for line in question.body.lines() {
        text.push_str(&format!("  {}\n", Printable::line(line)));
    }
    if let Some(reason) = &question.reason {
        let why = format!("  why: {}\n", Printable::line(reason));
        text.push_str(&paint.paint(Style::Dim, &why));
    }
    for choice in &question.choices {
        let rule = choice
            .rule
            .as_ref()
            .map(|rule| format!("  [{}]", Printable::line(rule)))
            .unwrap_or_default();
        text.push_str(&format!(
            "  {}  {}{rule}\n",
            choice.key,
            Printable::line(&choice.label)
        ));
    }
    if question.free_text && question.kind == QuestionKind::Permission {
        text.push_str("  any other text denies and is told to the model\n");
    }
    text
}

/// The answer that a typed line means: a key, or free text. Nothing typed is no.
pub fn answer(question: &Question, line: &str) -> Answer {
    let typed = line.trim();
    let mut characters = typed.chars();
    let key = characters.next().filter(|_| characters.next().is_none());
    let chosen = key.and_then(|key| {
        question
            .choices
            .iter()
            .find(|choice| choice.key.eq_ignore_ascii_case(&key))
    });
    let yes = matches!(typed.to_ascii_lowercase().as_str(), "yes")
        .then(|| question.choices.first())
        .flatten();
    let no = matches!(typed.to_ascii_lowercase().as_str(), "no");
    let (choice, text) = match chosen.or(yes) {
        Some(choice) => (choice.id.clone(), None),
        None if typed.is_empty() || no => (String::from("deny"), None),
        None => (String::from("deny"), Some(typed.to_owned())),
    };
    Answer {
        question: question.id.clone(),
        choice,
        text,
        by: AnsweredBy::User,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::{Choice, QuestionId};

    fn question() -> Question {
        let choice = |id: &str, key| Choice {
            id: id.into(),
            key,
            label: id.into(),
            rule: None,
        };
        Question {
            id: QuestionId::new("q_1"),
            kind: QuestionKind::Permission,
            title: "Run a command?".into(),
            body: "echo \u{202e}safe\x1b[2K\nrm x".into(),
            display: Display::Nothing,
            choices: vec![
                choice("once", 'y'),
                choice("session", 's'),
                choice("deny", 'n'),
            ],
            free_text: true,
            call: None,
            tool: None,
            reason: None,
        }
    }

    #[test]
    fn nothing_typed_is_no() {
        assert_eq!(answer(&question(), "\n").choice, "deny");
        assert_eq!(answer(&question(), "n").choice, "deny");
        assert_eq!(answer(&question(), "Y").choice, "once");
        assert_eq!(answer(&question(), "yes").choice, "once");
        assert_eq!(answer(&question(), "s").choice, "session");
    }

    #[test]
    fn other_text_denies_and_is_passed_on() {
        let said = answer(&question(), "use make instead");
        assert_eq!(
            (said.choice.as_str(), said.text.as_deref()),
            ("deny", Some("use make instead"))
        );
    }

    #[test]
    fn what_would_deceive_is_made_visible() {
        let shown = show(Paint::Plain, &question());
        assert!(shown.contains("echo ⟨U+202E⟩safe␛[2K"), "{shown}");
        assert!(shown.contains("rm x"), "{shown}");
    }
}
