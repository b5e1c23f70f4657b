//! Texts cut to a number of tokens, and numbers as people read them.

use tenon_model::estimate_text;

/// `12,345`
pub(crate) fn figure(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The text in at most so many tokens: whole, or its head and tail with a mark
/// that says how much is missing.
pub(crate) fn within(text: &str, tokens: u64) -> String {
    let all = estimate_text(text);
    if all <= tokens {
        return text.to_owned();
    }
    let characters = text.chars().count();
    let mut keep = share(characters, tokens.saturating_sub(12), all);
    loop {
        let cut = cut_to(text, characters, keep);
        // The estimate is not the same all over a text.
        if keep == 0 || estimate_text(&cut) <= tokens {
            return cut;
        }
        keep = keep * 3 / 4;
    }
}

fn share(characters: usize, part: u64, all: u64) -> usize {
    let share = (characters as u64).saturating_mul(part) / all.max(1);
    usize::try_from(share).unwrap_or(0)
}

fn cut_to(text: &str, characters: usize, keep: usize) -> String {
    let (head, tail) = (keep * 3 / 4, keep / 4);
    let missing = characters - head - tail;
    let head: String = text.chars().take(head).collect();
    let tail: String = text.chars().skip(characters - tail).collect();
    let mark = format!("[… {} characters cut …]", figure(missing as u64));
    [head.trim_end(), &mark, tail.trim_start()]
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// As many lines as fit, in their order, and a line that counts the others.
pub(crate) fn lines_within(lines: &[String], tokens: u64) -> Vec<String> {
    let mut left = tokens;
    let mut shown = Vec::new();
    for line in lines {
        let cost = estimate_text(line) + 1;
        if cost > left {
            continue;
        }
        left -= cost;
        shown.push(line.clone());
    }
    let missing = lines.len() - shown.len();
    if missing > 0 && !shown.is_empty() {
        shown.push(format!("- and {missing} more"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_commas() {
        let all: Vec<String> = [0, 7, 999, 1_000, 12_345, 1_234_567].map(figure).into();
        assert_eq!(all, ["0", "7", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn a_cut_text_keeps_both_ends_says_what_is_missing_and_fits() {
        for text in ["word ".repeat(4_000), "a1!é漢\n".repeat(2_000)] {
            for tokens in [20, 100, 1_000] {
                let cut = within(&text, tokens);
                assert!(estimate_text(&cut) <= tokens, "{tokens}: {cut}");
                assert!(cut.contains("characters cut"), "{cut}");
            }
        }
        assert_eq!(within("short", 50), "short");
    }
}
