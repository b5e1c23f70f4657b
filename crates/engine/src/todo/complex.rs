//! Whether a prompt asks for several things: at least three. They are counted in
//! what the user typed, not in what came along with it, and by two signs: the
//! items of a list, in any language, and clauses of English prose that begin with
//! a verb of work. Where it is not certain, it is one request: a list that nobody
//! needed costs a step.

mod prose;

use prose::{Sentences, is_question, opens_with_a_verb};

/// Requests from which a prompt has several parts.
const SEVERAL: usize = 3;
/// A text with more words has several parts already with two.
const WORDS: usize = 200;
/// In a script without spaces so many characters count as a word.
const CHARACTERS_A_WORD: usize = 2;
/// Of a longer prompt the middle was pasted: nobody types so many lines.
const TYPED_LINES: usize = 60;

/// Whether the prompt asks for several things.
pub(super) fn is_complex(prompt: &str) -> bool {
    let typed = typed(prompt);
    let mut lead = Sentences::default();
    let mut after = Sentences::default();
    let mut items: Vec<&str> = Vec::new();
    for line in &typed {
        match item(line) {
            Some(text) => items.push(text),
            // What goes on below an item belongs to it.
            None if line.starts_with([' ', '\t']) && !items.is_empty() => {}
            None if items.is_empty() => lead.add(line),
            None => after.add(line),
        }
    }
    let wanted = items.iter().filter(|item| !is_question(item)).count();
    let verbs = items.iter().filter(|item| opens_with_a_verb(item)).count();
    // A list below a question, or before a request of its own, explains.
    let explains =
        lead.ends_with_a_question() || after.ends_with_a_question() || after.requests() > 0;
    if verbs >= SEVERAL || (wanted >= SEVERAL && !explains) {
        return true;
    }
    let requests = lead.requests() + after.requests() + verbs;
    let words: usize = typed.iter().map(|line| words_of(line)).sum();
    requests >= SEVERAL
        || (words > WORDS && (requests + 1 >= SEVERAL || is_of_another_script(&typed)))
}

/// The lines that the user typed: without what was piped in, quoted, pasted
/// between tags or in a block of code.
fn typed(prompt: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut fence = None;
    let mut inside: Option<&str> = None;
    for line in prompt.lines() {
        let text = line.trim();
        if let Some(tag) = inside {
            if text
                .strip_prefix("</")
                .is_some_and(|rest| rest.starts_with(tag))
            {
                inside = None;
            }
            continue;
        }
        match (fence, fence_of(text)) {
            (None, Some(opened)) => fence = Some(opened),
            (None, None) if text.starts_with('>') => {}
            (None, None) => match opened_tag(text, prompt) {
                Some(tag) => inside = Some(tag),
                None => lines.push(line),
            },
            (Some(opened), Some(closed)) if opened == closed => fence = None,
            (Some(_), _) => {}
        }
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    if filled > TYPED_LINES {
        return ends(&lines);
    }
    lines
}

/// The first and the last paragraph: what stands between was pasted.
fn ends<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let paragraphs: Vec<&[&str]> = lines
        .split(|line| line.trim().is_empty())
        .filter(|paragraph| !paragraph.is_empty() && paragraph.len() <= TYPED_LINES)
        .collect();
    let first = paragraphs.first().copied().unwrap_or_default();
    let last = paragraphs.get(1..).and_then(<[_]>::last).copied();
    [first, last.unwrap_or_default()].concat()
}

/// `<stdin>` on a line of its own, when it is closed further below.
fn opened_tag<'a>(line: &'a str, prompt: &str) -> Option<&'a str> {
    let inside = line.strip_prefix('<')?.split_once('>')?;
    let tag = inside.0.split_whitespace().next()?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_closed = prompt.contains(&format!("</{tag}>")) && !inside.1.contains("</");
    (tag.chars().all(is_name) && is_closed).then_some(tag)
}

fn fence_of(line: &str) -> Option<char> {
    ['`', '~']
        .into_iter()
        .find(|mark| line.chars().take_while(|c| c == mark).count() >= 3)
}

/// The text of `- x`, `* x`, `• x`, `1. x`, `2) x`, `(3) x`, `4、x`
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let mut rest = line.chars();
    if matches!(rest.next(), Some('-' | '*' | '+' | '•' | '·' | '–')) {
        return rest
            .next()
            .is_some_and(char::is_whitespace)
            .then(|| rest.as_str().trim());
    }
    let number = line.strip_prefix(['(', '（']).unwrap_or(line);
    let digits = number.chars().take_while(|c| c.is_numeric()).count();
    if digits == 0 || digits > 3 {
        return None;
    }
    let mut rest = number.chars();
    // The digits.
    rest.by_ref().take(digits).for_each(drop);
    match rest.next() {
        Some('.' | ')' | ':') => rest
            .next()
            .is_some_and(char::is_whitespace)
            .then(|| rest.as_str().trim()),
        Some('、' | '．' | '）' | '：') => Some(rest.as_str().trim()),
        _ => None,
    }
}

fn words_of(line: &str) -> usize {
    let spaced = line
        .split_whitespace()
        .filter(|word| word.chars().any(|c| c.is_alphanumeric() && !is_dense(c)))
        .count();
    spaced + line.chars().filter(|c| is_dense(*c)).count() / CHARACTERS_A_WORD
}

/// Whether most of its letters are none of the Latin alphabet: its verbs are not
/// known, so a long text has to do.
fn is_of_another_script(lines: &[&str]) -> bool {
    let letters = || {
        lines
            .iter()
            .flat_map(|line| line.chars())
            .filter(|c| c.is_alphabetic())
    };
    let latin = letters()
        .filter(|c| matches!(c, '\u{0}'..='\u{024F}'))
        .count();
    latin * 2 < letters().count()
}

/// A letter of a script that puts no spaces between words: Thai, Lao, Burmese,
/// Khmer, kana, Han.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::is_complex;

    #[test]
    fn three_items_of_any_usual_list_are_several_parts() {
        for list in [
            "Do:\n- a\n- b\n- c",
            "1. a\n2. b\n3. c",
            "  * a\n\n  * b\n\n  * c",
            "(1) a\n(2) b\n(3) c",
            "1、读\n2、写\n3、测",
            "• один\n• два\n• три",
            "- add a\n- add b\n- add c\n\nUpdate the docs as well.",
        ] {
            assert!(is_complex(list), "{list}");
        }
    }

    #[test]
    fn two_items_or_lines_that_only_look_like_items_are_not() {
        for text in [
            "Do:\n- a\n- b",
            "-a\n-b\n-c",
            "1.5 s\n2.5 s\n3.5 s",
            "---\n***\n---",
            "2024: x\n2025: x\n2026: x",
            "fix the test",
            "",
        ] {
            assert!(!is_complex(text), "{text}");
        }
    }

    #[test]
    fn several_requests_in_prose_are_several_parts() {
        for text in [
            "add a login page, and also a logout button, then write tests, and update the docs",
            "Add a login page, write tests and update the docs.",
            "Please rename the module, fix the imports and bump the version",
            "First create the table. Then write the queries. Finally, document the API.",
            "Can you add a flag for it, write a test, and update the README?",
            "I want you to move the parser into its own crate, then fix the build; also remove the old feature.",
            "We need to migrate the schema. Update the models, and adapt the tests to it.",
            "write a function that parses dates, add a test, and document it",
            "Implement the endpoint and make sure to validate the input, and add an integration test",
        ] {
            assert!(is_complex(text), "{text}");
        }
    }

    #[test]
    fn questions_and_single_requests_are_not_however_long_they_are() {
        let explained = "Fix the crash in the parser. It happens when the input is empty, and then the loop reads past the end, and the test fails, and the log shows nothing. ";
        for text in [
            "Why does it add a user, write a row and update the index?",
            "What does this do, how do I build it, and where are the tests?",
            "How would you add a login page, write tests and update the docs?",
            "Should I add a cache, use a queue, or write to the disk?",
            "What is the difference between these?\n- tokio\n- smol\n- async-std",
            "- does it build?\n- does it run?\n- is it tested?",
            "fix it, test it, and ship it",
            "run the tests and fix what fails",
            "Add a function with a name, a description and an id",
            "Add, update and delete users in the API",
            "When I add a user, and then update it and delete the row, the list is wrong. Fix it.",
            "My machine:\n- ubuntu\n- node 20\n- pnpm\n\nFix the build.",
            "Create a CLI that reads a file, counts the words and prints the result",
            explained,
            &format!(
                "{explained}{}",
                "The input comes from a pipe that another program writes. ".repeat(40)
            ),
        ] {
            assert!(!is_complex(text), "{text}");
        }
    }

    #[test]
    fn a_long_text_with_two_requests_has_several_parts() {
        let long = "The old one stays as it is for those who need it. ".repeat(25);
        assert!(is_complex(&format!(
            "Add a new parser. {long} Write tests for it."
        )));
        assert!(!is_complex(&format!("Add a new parser. {long}")));
    }

    #[test]
    fn of_a_script_whose_verbs_are_not_known_the_length_counts() {
        assert!(!is_complex(&"слово ".repeat(200)));
        assert!(is_complex(&"слово слово слово слово слово\n".repeat(41)));
        assert!(!is_complex(&"字".repeat(400)));
        assert!(is_complex(&"字".repeat(402)));
        assert!(is_complex(&"ก".repeat(402)));
    }

    #[test]
    fn what_the_user_did_not_type_is_not_asked_for() {
        let several = "- add a\n- write b\n- remove c";
        for text in [
            format!("```\n{several}\n```\nfix this"),
            format!("~~~diff\n{several}\n```\n- b\n- c"),
            format!("fix this\n\n<stdin>\n{several}\n</stdin>"),
            format!("fix this\n\n<file path=\"a.md\">\n{several}\n</file>"),
            format!("fix this:\n> {}", several.replace('\n', "\n> ")),
            format!("fix this\n\n{}", "- add an entry to the log\n".repeat(80)),
        ] {
            assert!(!is_complex(&text), "{text}");
        }
        assert!(is_complex(&format!("```\nx\n```\n{several}")));
        assert!(is_complex(&format!("{several}\n\n<stdin>\nlog\n</stdin>")));
        assert!(is_complex("use a Vec<u8> here:\n- a\n- b\n- c"));
    }
}
