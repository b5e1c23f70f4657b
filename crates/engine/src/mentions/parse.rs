//! Finds what looks like a mention in a prompt. Whether there is such a file is
//! not known here: an address or a decorator has an `@`, too.

/// Words after an `@`, as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) quoted: Quoted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    Yes,
    No,
}

/// One way to understand a word: a path, and perhaps lines of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) path: String,
    pub(super) lines: Option<Lines>,
}

/// From and to, both counted from 1 and both meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// Characters of a path, at most.
const LONGEST: usize = 4096;

/// The words after an `@` that begins a word, in order, each once. What stands
/// in a block of code is quoted, and no mention.
pub(super) fn words(prompt: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut fenced = false;
    for line in prompt.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if !fenced {
            in_line(line, &mut found);
        }
    }
    found
}

fn in_line(line: &str, found: &mut Vec<Word>) {
    let mut before = ' ';
    let mut code = false;
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        if letter == '`' {
            code = !code;
        }
        if letter == '@'
            && !code
            && (before.is_whitespace()
                || matches!(before, '(' | '[' | '"' | '\'' | '<' | ',' | ':'))
            && let Some((word, end)) = word(after)
        {
            before = ' ';
            rest = &after[end..];
            if !found.contains(&word) {
                found.push(word);
            }
            continue;
        }
        before = letter;
        rest = after;
    }
}

/// The word that begins here, and where it ends.
fn word(text: &str) -> Option<(Word, usize)> {
    if let Some(inner) = text.strip_prefix('"') {
        let end = inner.find('"')?;
        let word = Word {
            text: inner[..end].to_owned(),
            quoted: Quoted::Yes,
        };
        return (end > 0).then_some((word, end + 2));
    }
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '`' | '<' | '>' | '|'))
        .unwrap_or(text.len());
    let word = Word {
        text: text[..end].to_owned(),
        quoted: Quoted::No,
    };
    (end > 0 && end <= LONGEST).then_some((word, end))
}

/// What a word may mean, the most literal first: a name may end in a dot, and
/// `a:3` may be a file.
pub(super) fn readings(word: &Word) -> Vec<Reading> {
    let mut texts = vec![word.text.as_str()];
    if word.quoted == Quoted::No {
        let mut text = word.text.as_str();
        while let Some(shorter) = text.strip_suffix(|c: char| ".,;:!?)]}'\"".contains(c)) {
            texts.push(shorter);
            text = shorter;
        }
    }
    let mut readings = Vec::new();
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        let whole = Reading {
            path: text.to_owned(),
            lines: None,
        };
        readings.push(whole);
        readings.extend(with_lines(text));
    }
    readings
}

/// `path:10`, `path:10-20`, `path#L10`, `path#L10-L20`
fn with_lines(text: &str) -> Option<Reading> {
    let (path, lines) = match text.rsplit_once("#L") {
        Some(split) => split,
        None => text.rsplit_once(':')?,
    };
    let number = |text: &str| text.trim_start_matches('L').parse::<u64>().ok();
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(lines)?, number(lines)?),
    };
    let valid = !path.is_empty() && first >= 1 && last >= first;
    valid.then(|| Reading {
        path: path.to_owned(),
        lines: Some(Lines { first, last }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(prompt: &str) -> Vec<String> {
        words(prompt).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn a_mention_begins_a_word_and_stands_outside_of_code() {
        for (prompt, found) in [
            ("look at @src/a.rs please", vec!["src/a.rs"]),
            ("@a and @b, then @a", vec!["a", "b,"]),
            ("(@a.rs)", vec!["a.rs)"]),
            ("mail me@example.org", vec![]),
            ("`@Override` and ``@x``", vec![]),
            ("```\n@a\n```\n@b", vec!["b"]),
            ("@\"my file.txt\" now", vec!["my file.txt"]),
            ("@", vec![]),
            ("@ a", vec![]),
            ("看 @源/文件.rs 吧", vec!["源/文件.rs"]),
        ] {
            assert_eq!(texts(prompt), found, "{prompt}");
        }
    }

    #[test]
    fn the_literal_name_is_tried_before_punctuation_is_taken_off() {
        let word = Word {
            text: String::from("src/a.rs:3-7."),
            quoted: Quoted::No,
        };
        let paths: Vec<(String, Option<Lines>)> = readings(&word)
            .into_iter()
            .map(|reading| (reading.path, reading.lines))
            .collect();
        let lines = Some(Lines { first: 3, last: 7 });
        assert_eq!(paths[0], (String::from("src/a.rs:3-7."), None));
        assert!(
            paths.contains(&(String::from("src/a.rs"), lines)),
            "{paths:?}"
        );
    }

    #[test]
    fn lines_are_counted_from_one_and_in_order() {
        let lines = |text: &str| with_lines(text).and_then(|reading| reading.lines);
        assert_eq!(
            lines("a:10"),
            Some(Lines {
                first: 10,
                last: 10
            })
        );
        assert_eq!(lines("a#L2-L4"), Some(Lines { first: 2, last: 4 }));
        for wrong in [
            "a:0",
            "a:9-3",
            "a:b",
            ":3",
            "a:",
            "a:1-99999999999999999999",
        ] {
            assert_eq!(lines(wrong), None, "{wrong}");
        }
    }
}
