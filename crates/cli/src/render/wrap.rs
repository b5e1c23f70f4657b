//! Text for people, broken between words. What would be copied or decided by
//! (commands, diffs, paths) is never broken here: the terminal does that, and
//! copying it gives it whole.

use std::io::IsTerminal;
use unicode_width::UnicodeWidthStr;

/// A room narrower than this is not wrapped to: it would be unreadable.
const NARROWEST: usize = 20;

/// How wide the terminal is that messages go to; `None` where they go elsewhere,
/// and lines stay whole.
pub fn columns() -> Option<usize> {
    let stderr = std::io::stderr();
    if !stderr.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(stderr).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// At words; a word that is too long stands alone.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else {
            continue;
        };
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A label and a text behind it; what does not fit goes on below the text.
pub fn hanging(label: &str, text: &str, columns: Option<usize>) -> Vec<String> {
    let indent = label.width();
    let room = columns.map(|columns| columns.saturating_sub(indent));
    let wanted = room.filter(|room| *room >= NARROWEST && text.width() > *room);
    let Some(room) = wanted else {
        return vec![format!("{label}{text}")];
    };
    wrap(text, room)
        .iter()
        .enumerate()
        .map(|(n, line)| match n {
            0 => format!("{label}{line}"),
            _ => format!("{}{line}", " ".repeat(indent)),
        })
        .collect()
}

/// Lines, each broken by itself and as far to the right as it began.
pub fn paragraphs(text: &str, columns: Option<usize>) -> String {
    let broken = |line: &str| {
        let said = line.trim_start_matches(' ');
        let indent = &line[..line.len() - said.len()];
        hanging(indent, said, columns)
    };
    let lines: Vec<String> = text.split('\n').flat_map(broken).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_broken_and_what_goes_on_stands_below_its_text() {
        let text = "one two three four five six";
        assert_eq!(
            hanging("  why: ", text, Some(27)),
            ["  why: one two three four", "       five six"]
        );
        assert_eq!(hanging("  why: ", text, None), [format!("  why: {text}")]);
        assert_eq!(
            hanging("  why: ", text, Some(10)),
            [format!("  why: {text}")]
        );
        assert_eq!(
            paragraphs("   1  two\n  three four five six seven", Some(24)),
            "   1  two\n  three four five six\n  seven"
        );
        let long = "x".repeat(40);
        assert_eq!(wrap(&format!("a {long} b"), 20), ["a", &long, "b"]);
    }
}
