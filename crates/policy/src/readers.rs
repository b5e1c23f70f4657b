//! Programs that only read what they name, and the options with which that stays
//! true. An option that is not listed is a doubt: it may write, run something or
//! read more than the words say.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What the words of a program are that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    Paths,
    /// Paths; the folder where the command stands if there is none.
    PathsOrHere,
    /// At most one path: a second one would be written.
    OnePath,
    /// Text, numbers, names: no paths.
    Other,
    /// A pattern first, unless an option gave it, then paths.
    PatternThenPaths,
    /// A format behind `+`, or nothing.
    Format,
    /// The expression of `test`.
    Expression,
    /// Text in which nothing is an option.
    Text,
}

#[derive(Debug)]
pub(crate) struct Reader {
    names: &'static str,
    /// Short options without a value.
    plain: &'static str,
    /// Short options with a value that is no path.
    valued: &'static str,
    long: &'static [&'static str],
    /// Long options with `=value`.
    long_valued: &'static [&'static str],
    pub operands: Operands,
}

const fn reader(
    names: &'static str,
    plain: &'static str,
    valued: &'static str,
    operands: Operands,
) -> Reader {
    Reader {
        names,
        plain,
        valued,
        long: &[],
        long_valued: &[],
        operands,
    }
}

use Operands::{Expression, Format, OnePath, Other, Paths, PathsOrHere, PatternThenPaths, Text};

const READERS: &[Reader] = &[
    Reader {
        long: &[
            "show-all",
            "number",
            "number-nonblank",
            "show-ends",
            "show-tabs",
            "show-nonprinting",
            "squeeze-blank",
        ],
        ..reader("cat", "AbeEnstTuv", "", Paths)
    },
    Reader {
        long: &[
            "extended-regexp",
            "fixed-strings",
            "basic-regexp",
            "perl-regexp",
            "ignore-case",
            "no-ignore-case",
            "invert-match",
            "word-regexp",
            "line-regexp",
            "count",
            "color",
            "colour",
            "files-with-matches",
            "files-without-match",
            "only-matching",
            "quiet",
            "silent",
            "no-messages",
            "byte-offset",
            "with-filename",
            "no-filename",
            "line-number",
            "initial-tab",
            "null",
            "text",
        ],
        long_valued: &[
            "color",
            "colour",
            "regexp",
            "max-count",
            "context",
            "after-context",
            "before-context",
        ],
        ..reader(
            "grep egrep fgrep",
            "EFGPivwxyclLoqsbHhnTZzUaI0123456789",
            "emABC",
            PatternThenPaths,
        )
    },
    // It shows names only, so that going down is harmless; with `-L` it goes on
    // behind the links that it meets, wherever they lead.
    Reader {
        long: &[
            "all",
            "almost-all",
            "recursive",
            "reverse",
            "human-readable",
            "size",
            "inode",
            "directory",
            "classify",
            "file-type",
            "group-directories-first",
            "full-time",
            "no-group",
            "numeric-uid-gid",
            "color",
        ],
        long_valued: &["color", "sort", "time", "format", "time-style"],
        ..reader("ls", "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1", "", PathsOrHere)
    },
    Reader {
        long: &["quiet", "silent", "verbose", "zero-terminated"],
        long_valued: &["lines", "bytes"],
        ..reader("head tail", "qvz0123456789", "nc", Paths)
    },
    Reader {
        long: &["lines", "words", "chars", "bytes", "max-line-length"],
        ..reader("wc", "clmLw", "", Paths)
    },
    reader("nl", "p", "bdfhilnsvw", Paths),
    reader("tac rev", "", "", Paths),
    reader("comm", "123", "", Paths),
    reader("paste", "sz", "d", Paths),
    reader("fold", "bs", "w", Paths),
    Reader {
        long: &[
            "numeric-sort",
            "reverse",
            "unique",
            "ignore-case",
            "version-sort",
            "human-numeric-sort",
            "general-numeric-sort",
            "stable",
            "check",
        ],
        long_valued: &["key", "field-separator", "sort", "parallel"],
        ..reader("sort", "bdfgiMhnRrVcCmsuz", "kt", Paths)
    },
    Reader {
        long: &["count", "repeated", "unique", "ignore-case"],
        long_valued: &["skip-fields", "skip-chars", "check-chars"],
        ..reader("uniq", "cdDiuz", "fsw", OnePath)
    },
    Reader {
        long: &["only-delimited", "complement"],
        long_valued: &[
            "delimiter",
            "fields",
            "characters",
            "bytes",
            "output-delimiter",
        ],
        ..reader("cut", "snz", "bcdf", Paths)
    },
    Reader {
        long: &["delete", "squeeze-repeats", "complement", "truncate-set1"],
        ..reader("tr", "cCdst", "", Other)
    },
    reader("basename", "az", "s", Other),
    reader("dirname", "z", "", Other),
    reader("realpath", "emLPqsz", "", Paths),
    reader("readlink", "femnqsvz", "", Paths),
    reader("seq", "w0123456789.", "fs", Other),
    reader("sleep", "", "", Other),
    Reader {
        long: &["utc", "universal", "iso-8601", "rfc-email"],
        long_valued: &["date", "iso-8601", "rfc-3339"],
        ..reader("date", "uR", "d", Format)
    },
    Reader {
        long: &["all", "machine", "kernel-name", "kernel-release"],
        ..reader("uname", "asnrvmpio", "", Other)
    },
    reader("whoami true false nproc arch tty logname", "", "", Other),
    reader("id", "gGnruz", "", Other),
    reader("pwd", "LP", "", Other),
    reader("cd", "LP", "", Paths),
    reader("echo", "", "", Text),
    reader("printf", "", "", Text),
    reader("which", "as", "", Other),
    reader("type", "aftpP", "", Other),
    // Only to ask where a program is: otherwise it was taken off.
    reader("command", "vV", "", Other),
    Reader {
        long: &[
            "summarize",
            "human-readable",
            "all",
            "total",
            "apparent-size",
            "bytes",
        ],
        long_valued: &["max-depth", "threshold", "block-size"],
        ..reader("du", "abcDhHklmsSx0", "dtB", PathsOrHere)
    },
    Reader {
        long: &["human-readable", "total", "local", "inodes", "print-type"],
        ..reader("df", "ahHiklTPv", "tx", Paths)
    },
    Reader {
        long: &["dereference", "file-system", "terse"],
        long_valued: &["format", "printf"],
        ..reader("stat", "Lft", "c", Paths)
    },
    Reader {
        long: &["brief", "mime", "mime-type", "mime-encoding", "dereference"],
        ..reader("file", "bhiLNk", "", Paths)
    },
    reader("cmp", "bls", "n", Paths),
    Reader {
        long: &["tag", "binary", "text", "zero"],
        ..reader(
            "sha256sum sha1sum sha512sum sha224sum sha384sum md5sum b2sum",
            "btz",
            "",
            Paths,
        )
    },
    reader("cksum sum", "", "", Paths),
    reader("test [", "", "", Expression),
];

/// What an option takes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// A value in the same word.
    Own(char),
    /// The next word.
    Next(char),
}

static BY_NAME: LazyLock<HashMap<&str, &Reader>> = LazyLock::new(|| {
    let named = |reader: &'static Reader| {
        let names = reader.names.split_ascii_whitespace();
        names.map(move |name| (name, reader))
    };
    READERS.iter().flat_map(named).collect()
});

pub(crate) fn reader_of(program: &str) -> Option<&'static Reader> {
    BY_NAME.get(program).copied()
}

impl Reader {
    /// `None` for an option that is not known to be harmless.
    pub(crate) fn option(&self, word: &str) -> Option<Takes> {
        if let Some(long) = word.strip_prefix("--") {
            return match long.split_once('=') {
                Some((name, _)) if self.long_valued.contains(&name) => {
                    Some(Takes::Own(if name == "regexp" { 'e' } else { '=' }))
                }
                Some(_) => None,
                None if matches!(long, "help" | "version") => Some(Takes::Nothing),
                None => self.long.contains(&long).then_some(Takes::Nothing),
            };
        }
        let letters = word.get(1..)?;
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                let last = at + letter.len_utf8() == letters.len();
                return Some(if last {
                    Takes::Next(letter)
                } else {
                    Takes::Own(letter)
                });
            }
            if !self.plain.contains(letter) {
                return None;
            }
        }
        Some(Takes::Nothing)
    }
}
