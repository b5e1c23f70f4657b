//! The head of one `SKILL.md`: its name and what it is for. Forgives what can be
//! forgiven; the text below is not read.

use crate::frontmatter::{LONGEST, lenient};
use rustix::fs::CWD;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use tenon_vocab::frontmatter::split;

/// Enough for nearly every frontmatter.
const FIRST: u64 = 8 * 1024;
const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) description: String,
    /// Only the user loads it.
    pub(super) user_only: bool,
}

/// Reads the head of a file without links, in a folder of this name, and counts
/// the bytes.
pub(super) fn read(file: &Path, folder: &str, count: &mut u64) -> Result<Head, String> {
    let mut file = tenon_files::open_in(CWD, file).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    more(&mut file, FIRST, &mut bytes)?;
    if !split(&String::from_utf8_lossy(&bytes)).closed {
        more(&mut file, LONGEST as u64, &mut bytes)?;
        *count += bytes.len() as u64;
        if bytes.len() > LONGEST && !split(&String::from_utf8_lossy(&bytes)).closed {
            return Err(format!("its frontmatter is longer than {LONGEST} bytes"));
        }
    }
    *count += bytes.len() as u64;
    of(text(&bytes)?, folder)
}

/// What is no text is no skill, however it begins. Only the end may lie in the
/// middle of a letter: the rest was not read.
fn text(bytes: &[u8]) -> Result<&str, String> {
    let none = || String::from("it isn't UTF-8 text (`tenon skills validate` says more)");
    if bytes.contains(&0) {
        return Err(none());
    }
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            str::from_utf8(whole).map_err(|_| none())
        }
        Err(_) => Err(none()),
    }
}

fn more(file: &mut File, most: u64, bytes: &mut Vec<u8>) -> Result<(), String> {
    let read = file.take(most).read_to_end(bytes);
    read.map(drop).map_err(|error| error.to_string())
}

fn of(text: &str, folder: &str) -> Result<Head, String> {
    let found = split(text);
    let fields = found.front.map(lenient).unwrap_or_default();
    let written = fields.text("name").map(|name| tidy(name).replace(' ', "-"));
    let name = written
        .filter(|name| is_name(name))
        .unwrap_or_else(|| tidy(folder).replace(' ', "-"));
    let description = match fields.text("description") {
        Some(text) => tidy(text),
        None => first_paragraph(found.body),
    };
    if name.is_empty() {
        return Err(String::from("it has no name"));
    }
    if description.is_empty() {
        return Err(String::from("it has no description and no text"));
    }
    Ok(Head {
        name,
        description: cut(&description),
        user_only: fields
            .text("disable-model-invocation")
            .is_some_and(|said| said.eq_ignore_ascii_case("true")),
    })
}

/// Whether it can be typed after a slash and stand in a list. The specification
/// wants less; `[x` of a list that was never closed is nobody's name.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+');
    name.chars().any(char::is_alphanumeric)
        && name.chars().all(fits)
        && name.chars().count() <= LONGEST_NAME
}

/// One line, without what could move a cursor.
fn tidy(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_DESCRIPTION) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// The first lines that are no heading; a heading where there is nothing else.
fn first_paragraph(body: &str) -> String {
    let is_heading = |line: &str| line.starts_with('#');
    let lines = body.lines().map(str::trim);
    let paragraph: Vec<&str> = lines
        .clone()
        .skip_while(|line| line.is_empty() || is_heading(line))
        .take_while(|line| !line.is_empty() && !is_heading(line))
        .collect();
    if !paragraph.is_empty() {
        return tidy(&paragraph.join(" "));
    }
    let heading = lines.into_iter().find(|line| is_heading(line));
    tidy(heading.unwrap_or_default().trim_start_matches('#'))
}

#[cfg(test)]
mod tests {
    use super::{Head, of, text};

    fn head(name: &str, description: &str) -> Result<Head, String> {
        Ok(Head {
            name: name.to_owned(),
            description: description.to_owned(),
            user_only: false,
        })
    }

    #[test]
    fn what_the_frontmatter_lacks_comes_from_the_folder_and_the_text() {
        for (text, name, description) in [
            ("---\nname: a\ndescription: b\n---\nc", "a", "b"),
            (
                "# Title\n\nFirst lines\nof it.\n\nSecond.",
                "box",
                "First lines of it.",
            ),
            ("---\nname: a\n---\n# Only a title\n", "a", "Only a title"),
            ("---\ndescription: |\n  one\n  two\n---\n", "box", "one two"),
            ("---\nname: [x]\ndescription: b\n---\n", "box", "b"),
            (
                "---\nname: My Skill\ndescription: x: y\n---\n",
                "My-Skill",
                "x: y",
            ),
            ("---\nname: a\ndescription: b\n\nnever closed", "a", "b"),
            ("---\nname: [x\ndescription: b\n\nnever closed", "box", "b"),
            ("---\nname: \"`rm`\"\ndescription: b\n---\n", "box", "b"),
            (
                "---\nname: café_2.1\ndescription: b\n---\n",
                "café_2.1",
                "b",
            ),
        ] {
            assert_eq!(of(text, "box"), head(name, description), "{text}");
        }
    }

    #[test]
    fn what_is_not_text_is_no_skill_and_a_letter_cut_at_the_end_is_none_of_it() {
        let noise: Vec<u8> = (0..300u32).map(|n| (n * 131 + 7) as u8).collect();
        for bytes in [
            noise.as_slice(),
            b"---\nname: a\ndescription: b\n---\n\xff\xfe\n",
            b"---\nname: a\ndescription: b\n---\n\0\n",
        ] {
            let why = text(bytes).unwrap_err();
            assert!(why.contains("UTF-8") && why.contains("validate"), "{why}");
        }
        assert_eq!(text("caf\u{e9}".as_bytes()), Ok("caf\u{e9}"));
        assert_eq!(text(b"caf\xc3"), Ok("caf"));
    }

    #[test]
    fn nothing_at_all_is_no_skill() {
        assert!(of("", "box").is_err());
        assert!(of("---\nname: a\n---\n", "box").is_err());
    }

    #[test]
    fn a_name_and_a_description_are_one_line_each() {
        let long = "x".repeat(3000);
        let made = of(
            &format!("---\nname: {long}\ndescription: {long}\n---\n"),
            "box",
        )
        .unwrap();
        assert_eq!(made.name, "box");
        assert_eq!(made.description.chars().count(), 1025);
        let made = of(
            "---\nname: \"a\\e[2Jb\"\ndescription: \"x\\ny\\e]0;t\"\n---\n",
            "box",
        )
        .unwrap();
        assert_eq!(made.name, "box");
        assert_eq!(made.description, "x y ]0;t");
    }
}
