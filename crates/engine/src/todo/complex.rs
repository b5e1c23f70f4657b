//! Whether a prompt asks for several things. Two counts that anybody can make by
//! hand, in any language; no look at what the words mean.

/// Lines that are items of a list, from which a prompt has several parts.
const ITEMS: usize = 3;
/// More words than this are a task with several parts, whatever they say.
const WORDS: usize = 200;
/// In a script without spaces so many characters count as a word.
const CHARACTERS_A_WORD: usize = 2;

/// At least three items of a list, or more than 200 words. What stands in a code
/// block is quoted, and not asked for.
pub(super) fn is_complex(prompt: &str) -> bool {
    let mut items = 0;
    let mut words = 0;
    let mut fence = None;
    for line in prompt.lines() {
        let line = line.trim();
        match (fence, fence_of(line)) {
            (None, Some(opened)) => fence = Some(opened),
            (None, None) => {
                items += usize::from(is_item(line));
                words += words_of(line);
            }
            (Some(opened), Some(closed)) if opened == closed => fence = None,
            (Some(_), _) => {}
        }
    }
    items >= ITEMS || words > WORDS
}

fn fence_of(line: &str) -> Option<char> {
    ['`', '~']
        .into_iter()
        .find(|mark| line.chars().take_while(|c| c == mark).count() >= 3)
}

/// `- x`, `* x`, `• x`, `1. x`, `2) x`, `(3) x`, `4、x`
fn is_item(line: &str) -> bool {
    let mut rest = line.chars();
    if matches!(rest.next(), Some('-' | '*' | '+' | '•' | '·' | '–')) {
        return rest.next().is_some_and(char::is_whitespace);
    }
    let number = line.strip_prefix(['(', '（']).unwrap_or(line);
    let digits = number.chars().take_while(|c| c.is_numeric()).count();
    let mut rest = number.chars().skip(digits);
    if digits == 0 || digits > 3 {
        return false;
    }
    match rest.next() {
        Some('.' | ')' | ':') => rest.next().is_some_and(char::is_whitespace),
        Some('、' | '．' | '）' | '：') => true,
        _ => false,
    }
}

fn words_of(line: &str) -> usize {
    let spaced = line
        .split_whitespace()
        .filter(|word| word.chars().any(|c| c.is_alphanumeric() && !is_dense(c)))
        .count();
    spaced + line.chars().filter(|c| is_dense(*c)).count() / CHARACTERS_A_WORD
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
    fn more_than_two_hundred_words_are_several_parts() {
        assert!(!is_complex(&"word ".repeat(200)));
        assert!(is_complex(&"word ".repeat(201)));
        assert!(!is_complex(&"слово ".repeat(200)));
        assert!(is_complex(&"слово\n".repeat(201)));
    }

    #[test]
    fn without_spaces_characters_are_counted() {
        assert!(!is_complex(&"字".repeat(400)));
        assert!(is_complex(&"字".repeat(402)));
        assert!(is_complex(&"ก".repeat(402)));
    }

    #[test]
    fn what_is_quoted_is_not_asked_for() {
        let log = "```\n- a\n- b\n- c\n```\nfix this";
        assert!(!is_complex(log));
        assert!(!is_complex("~~~diff\n- a\n```\n- b\n- c"));
        assert!(!is_complex(&format!("```\n{}\n```", "word ".repeat(500))));
        assert!(is_complex("```\nx\n```\n- a\n- b\n- c"));
    }
}
