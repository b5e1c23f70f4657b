//! Code in colour: what each piece of a line is, by language. It says roles and
//! no colours, so that themes stay the only place that knows those.
//!
//! It knows words, strings, comments and numbers, not grammars: a grammar takes
//! half a millisecond for a line of Rust, more than a second for a line written
//! against it, and a megabyte for its tables.

mod languages;
mod lexer;

use crate::shapes::tabs::Stops;
use crate::text::{Role, Span};
use lexer::Lexer;
use std::ops::Range;

/// Longer lines are data and not code.
const LONGEST_LINE: usize = 2_000;
/// Of a longer block the rest is plain.
const MOST_LINES: usize = 20_000;

/// Reads the lines of one block, from its first to its last.
#[derive(Debug, Clone)]
pub struct Highlighter {
    lexer: Lexer,
    kind: Kind,
    lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    /// A session at a prompt: only what was typed is code.
    Console,
    /// A change of files: the first letter of a line says what it is.
    Diff,
}

impl Highlighter {
    /// By what stands behind a code fence.
    #[must_use]
    pub fn for_language(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        if name.is_empty() || name.len() > 40 {
            return None;
        }
        let kind = match name.as_str() {
            "text" | "txt" | "plain" | "plaintext" | "output" | "none" => return None,
            "console" | "shell-session" | "shellsession" | "terminal" => Kind::Console,
            _ => Kind::Code,
        };
        Self::of(&name, kind)
    }

    fn of(name: &str, kind: Kind) -> Option<Self> {
        let (words, kind) = match name {
            "diff" | "patch" => (languages::PLAIN, Kind::Diff),
            name => (languages::named(name)?, kind),
        };
        Some(Self {
            lexer: Lexer::new(words),
            kind,
            lines: 0,
        })
    }

    /// By the name of a file. A file that is a diff itself is text.
    #[must_use]
    pub fn for_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let language = match name.rsplit_once('.') {
            Some((_, extension)) => extension,
            None => &name,
        };
        match language {
            "diff" | "patch" | "txt" => None,
            language if language.len() > 40 => None,
            language => Self::of(language, Kind::Code),
        }
    }

    /// What of the next line is what, by its bytes.
    pub(crate) fn ranges(&mut self, text: &str) -> Vec<(Role, Range<usize>)> {
        self.lines += 1;
        if self.lines > MOST_LINES || text.len() > LONGEST_LINE {
            return vec![(Role::Text, 0..text.len())];
        }
        self.lexer.line(text)
    }

    /// What follows stands at another place: nothing is open there.
    pub(crate) fn begin(&mut self) {
        self.lexer.begin();
    }

    /// The next line, without its line feed. Tabs are spaces.
    pub fn line(&mut self, text: &str) -> Vec<Span> {
        self.lines += 1;
        if self.lines > MOST_LINES || text.len() > LONGEST_LINE {
            return plain(text);
        }
        match self.kind {
            Kind::Diff => changed(text),
            Kind::Code => self.code(text, 0),
            Kind::Console => match prompt(text) {
                None => plain(text),
                Some(typed) => {
                    self.lexer.begin();
                    self.code(text, typed)
                }
            },
        }
    }

    /// What follows the first bytes of a line, as code.
    fn code(&mut self, text: &str, from: usize) -> Vec<Span> {
        let (before, code) = text.split_at(from);
        let pieces = self.lexer.line(code);
        let mut stops = Stops::code();
        let mut spans = Vec::new();
        if !before.is_empty() {
            spans.push(Span::new(Role::Accent, &stops.spaced(before)));
        }
        for (role, range) in pieces {
            let piece = code.get(range).unwrap_or_default();
            if !piece.is_empty() {
                spans.push(Span::new(role, &stops.spaced(piece)));
            }
        }
        spans
    }
}

/// A line of a diff.
fn changed(text: &str) -> Vec<Span> {
    let role = match text.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Role::Dim,
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        [b'@', b'@', ..] => Role::Hunk,
        [] => return Vec::new(),
        _ => Role::Text,
    };
    vec![Span::new(role, &Stops::code().spaced(text))]
}

/// Without colour, and with tabs as spaces.
pub(crate) fn plain(text: &str) -> Vec<Span> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Span::new(Role::Text, &Stops::code().spaced(text))]
}

/// Where the command begins behind a prompt.
fn prompt(text: &str) -> Option<usize> {
    ["$ ", "# ", "% ", "> "]
        .iter()
        .find(|mark| text.starts_with(**mark))
        .map(|mark| mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each piece with the first letters of what it is.
    fn shown(language: &str, lines: &[&str]) -> Vec<String> {
        let mut highlighter = Highlighter::for_language(language).unwrap();
        let piece = |span: &Span| {
            let role = format!("{:?}", span.style.role);
            match role.as_str() {
                "Text" => span.text().to_owned(),
                role => format!("{}<{}>", &role[..3], span.text()),
            }
        };
        lines
            .iter()
            .map(|line| highlighter.line(line).iter().map(piece).collect())
            .collect()
    }

    #[test]
    fn pieces_of_code_have_roles() {
        assert_eq!(
            shown("rs", &["let a: u8 = 12; // no", "fn go() { \"x\" }"]),
            [
                "Key<let> aPun<:> Typ<u8> Pun<=> Lit<12>Pun<;> Com<// no>",
                "Key<fn> Fun<go>Pun<()> Pun<{> Str<\"x\"> Pun<}>"
            ]
        );
        assert_eq!(
            shown(
                "rs",
                &["for i in 0..9 { x!('a', &'b 1.5) } /* a", "b */ Vec"]
            ),
            [
                "Key<for> i Key<in> Lit<0>Pun<..>Lit<9> Pun<{> Fun<x>Pun<!(>Str<'a'>Pun<,> Pun<&>Typ<'b> Lit<1.5>Pun<)> Pun<}> Com</* a>",
                "Com<b */> Typ<Vec>"
            ]
        );
        assert_eq!(
            shown("sh", &["a=1 # no", "cat x#y | grep -v \"z", "z\" && ls"]),
            [
                "aPun<=>Lit<1> Com<# no>",
                "Fun<cat> xPun<#>y Pun<|> Fun<grep> -v Str<\"z>",
                "Str<z\"> Pun<&&> Fun<ls>"
            ]
        );
        assert_eq!(
            shown("json", &["{\"a\": [\"b\", 1, null]}"]),
            ["Pun<{>Typ<\"a\">Pun<:> Pun<[>Str<\"b\">Pun<,> Lit<1>Pun<,> Lit<null>Pun<]}>"]
        );
        assert_eq!(
            shown("yaml", &["a-b: yes # x"]),
            ["Typ<a-b>Pun<:> Lit<yes> Com<# x>"]
        );
        assert_eq!(
            shown("sql", &["SELECT a FROM b"]),
            ["Key<SELECT> a Key<FROM> b"]
        );
    }

    #[test]
    fn comments_and_changes_are_told_apart_in_other_languages() {
        assert_eq!(shown("css", &["/* x */"]), ["Com</* x */>"]);
        assert_eq!(shown("diff", &["+a", "-b"]), ["Add<+a>", "Rem<-b>"]);
    }

    #[test]
    fn what_a_line_opens_the_next_line_knows() {
        assert_eq!(
            shown("py", &["\"\"\"one", "two\"\"\"", "x = 1"])[1],
            "Str<two\"\"\">"
        );
    }

    #[test]
    fn names_that_people_write_are_known() {
        for name in [
            "rs",
            "rust",
            "py",
            "python",
            "js",
            "javascript",
            "jsx",
            "ts",
            "typescript",
            "tsx",
            "sh",
            "bash",
            "zsh",
            "shell",
            "console",
            "diff",
            "patch",
            "go",
            "golang",
            "java",
            "c",
            "cpp",
            "c++",
            "cs",
            "csharp",
            "rb",
            "ruby",
            "php",
            "json",
            "jsonc",
            "yaml",
            "yml",
            "toml",
            "html",
            "css",
            "sql",
            "dockerfile",
            "makefile",
            "md",
            "xml",
            "kotlin",
            "swift",
            "lua",
            "Rust",
            "haskell",
            "scala",
            "proto",
            "tf",
            "ini",
        ] {
            assert!(Highlighter::for_language(name).is_some(), "{name}");
        }
        for name in ["", "text", "no such language", "plaintext"] {
            assert!(Highlighter::for_language(name).is_none(), "{name}");
        }
    }

    #[test]
    fn in_a_console_only_what_was_typed_is_code() {
        let lines = shown("console", &["$ echo 'a'", "it's \"plain", "$ ls"]);
        assert!(lines[0].starts_with("Acc<$ >Fun<echo>"), "{lines:?}");
        assert_eq!(lines[1], "it's \"plain");
        assert!(lines[2].starts_with("Acc<$ >Fun<ls>"), "{lines:?}");
    }

    #[test]
    fn a_long_line_is_plain_and_tabs_are_spaces() {
        let mut highlighter = Highlighter::for_language("rs").unwrap();
        assert_eq!(highlighter.line(&"let ".repeat(600)).len(), 1);
        let text: String = highlighter
            .line("\tlet\ta")
            .iter()
            .map(Span::text)
            .collect();
        assert_eq!(text, "    let a");
    }
}
