//! Programs that only read where nothing can be written and nobody can be
//! reached. Wider than `readers`, which has to hold without that: an error here
//! costs a refusal of the kernel, never a file. What must not stand here are
//! options that read other files than the words say, follow links out of the
//! project, or run something that the line names.

use super::Shown::{Files, Names, Tree};
use super::row::Words::{None as NoWords, OnePath, Paths, PathsOrHere, PatternThenPaths, Text};
use super::row::{Row, row};

pub(super) const ROWS: &[Row] = &[
    Row {
        flags: "EFGPivwxyclLoqsbHhnTZzUaIru0123456789",
        valued: "emABCdD",
        paths: "f",
        long: "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case \
               invert-match word-regexp line-regexp count color colour files-with-matches \
               files-without-match only-matching quiet silent no-messages byte-offset \
               with-filename no-filename line-number initial-tab null null-data text recursive \
               line-buffered no-group-separator binary unix-byte-offsets",
        long_valued: "regexp max-count context after-context before-context include exclude \
                      exclude-dir binary-files directories devices label group-separator",
        long_paths: "file",
        deep: "-r -d --recursive --directories",
        ..row("grep egrep fgrep", PatternThenPaths, Files)
    },
    Row {
        flags: "iSsvwxclnNHIouUaFPpqhV.0123456789",
        valued: "eABCgtTmMdjrE",
        paths: "f",
        long: "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count \
               count-matches files-with-matches files-without-match line-number no-line-number \
               with-filename no-filename only-matching unrestricted multiline multiline-dotall \
               text fixed-strings pcre2 pretty quiet hidden no-hidden no-ignore no-ignore-vcs \
               no-ignore-parent no-ignore-global no-ignore-dot heading no-heading column \
               no-column json files null null-data stats passthru trim vimgrep byte-offset \
               no-messages no-config sort-files glob-case-insensitive one-file-system crlf \
               line-buffered no-unicode type-list color debug trace include-zero auto-hybrid-regex \
               no-mmap mmap block-buffered no-follow max-columns-preview",
        long_valued: "regexp glob iglob type type-not type-add type-clear max-count context \
                      after-context before-context max-depth max-columns max-filesize threads \
                      sort sortr replace encoding engine colors context-separator \
                      field-match-separator field-context-separator path-separator dfa-size-limit \
                      regex-size-limit",
        long_paths: "file",
        ..row("rg", PatternThenPaths, Tree)
    },
    Row {
        flags: "HIusigFapl0q1",
        valued: "deEctSj",
        long: "hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive \
               ignore-case glob regex fixed-strings absolute-path list-details full-path print0 \
               prune one-file-system strip-cwd-prefix quiet no-follow",
        long_valued: "max-depth min-depth exact-depth exclude type extension size changed-within \
                      changed-before owner max-results color threads path-separator and",
        ..row("fd fdfind", PatternThenPaths, Names)
    },
    Row {
        flags: "adfipshugDFvtUrcCnAJXSxNqQ",
        valued: "LPI",
        long: "dirsfirst filesfirst noreport gitignore prune du si inodes device ignore-case \
               matchdirs metafirst nolinks timefmt sort",
        long_valued: "filelimit charset",
        ..row("tree", PathsOrHere, Names)
    },
    // `-r` goes behind the links that it meets.
    Row {
        flags: "abBcdeEiNnpqstTuwyZ0123456789",
        valued: "UCWILF",
        long: "brief unified context side-by-side color text ignore-case ignore-all-space \
               ignore-space-change ignore-blank-lines ignore-trailing-space ignore-tab-expansion \
               report-identical-files minimal show-c-function new-file expand-tabs left-column \
               suppress-common-lines strip-trailing-cr speed-large-files ed rcs normal",
        long_valued: "width label ignore-matching-lines show-function-line tabsize",
        ..row("diff", Paths, Files)
    },
    Row {
        flags: "abeEiprCuPd",
        valued: "cglsoRn",
        ..row("xxd", OnePath, Files)
    },
    Row {
        flags: "abcdfhilosxv",
        valued: "ANjt",
        own: "w",
        ..row("od", Paths, Files)
    },
    Row {
        flags: "bcCdoxvX",
        valued: "ns",
        ..row("hexdump hd", Paths, Files)
    },
    Row {
        flags: "txeJLm",
        valued: "socNRTOHWE",
        long: "table json table-right-last keep-empty-lines",
        long_valued: "separator output-separator output-width table-columns table-right \
                      table-hide table-order table-wrap table-name",
        ..row("column", Paths, Files)
    },
    Row {
        flags: "di",
        valued: "w",
        long: "decode ignore-garbage",
        long_valued: "wrap",
        ..row("base64 base32", OnePath, Files)
    },
    Row {
        flags: "zr",
        valued: "ni",
        long: "zero-terminated repeat",
        long_valued: "head-count input-range",
        ..row("shuf", OnePath, Files)
    },
    Row {
        flags: "iz",
        valued: "12jtaevo",
        long: "ignore-case header check-order nocheck-order zero-terminated",
        ..row("join", Paths, Files)
    },
    Row {
        flags: "cstu",
        valued: "wpg",
        long: "crown-margin tagged-paragraph split-only uniform-spacing",
        long_valued: "width goal prefix",
        ..row("fmt", Paths, Files)
    },
    Row {
        flags: "iat",
        long: "initial all first-only",
        long_valued: "tabs",
        ..row("expand unexpand", Paths, Files)
    },
    Row {
        flags: "cs",
        valued: "ft",
        long: "silent list",
        long_valued: "from-code to-code",
        ..row("iconv", Paths, Files)
    },
    Row {
        long: "all",
        long_valued: "ignore",
        ..row("nproc", NoWords, Names)
    },
    Row {
        flags: "bkmghtlsw",
        long: "bytes kibi mebi gibi tebi human si lohi total wide",
        ..row("free", NoWords, Names)
    },
    Row {
        flags: "ps",
        long: "pretty since",
        ..row("uptime", NoWords, Names)
    },
    Row {
        flags: "abceJpxy",
        long: "all online offline bytes caches extended json parse hex physical",
        ..row("lscpu", NoWords, Names)
    },
    Row {
        flags: "a",
        ..row("getconf", Text, Names)
    },
    Row {
        flags: "bmsu",
        ..row("whereis", Text, Names)
    },
];

/// Read by itself: it takes words out of files, too.
pub(super) const STRINGS: Row = Row {
    flags: "afdw",
    valued: "nte",
    ..row("strings", Paths, Files)
};

/// The subcommands of build tools that only tell.
pub(super) const TOLD: &[(&str, Row)] = &[
    (
        "cargo",
        Row {
            flags: "qv",
            valued: "F",
            long: "no-deps offline locked frozen all-features no-default-features quiet verbose \
                   color",
            long_valued: "features filter-platform format-version",
            long_paths: "manifest-path",
            ..row("metadata", NoWords, Names)
        },
    ),
    (
        "cargo",
        Row {
            flags: "qvd",
            valued: "pefF",
            own: "i",
            long: "offline locked frozen all-features no-default-features quiet verbose color \
                   duplicates workspace no-dedupe all all-targets no-dev-dependencies invert",
            long_valued: "package edges depth prefix charset format target features exclude prune",
            long_paths: "manifest-path",
            ..row("tree", Text, Names)
        },
    ),
    (
        "cargo",
        Row {
            flags: "qv",
            long: "offline locked frozen quiet verbose color workspace",
            long_valued: "message-format package",
            long_paths: "manifest-path",
            ..row("locate-project pkgid version", Text, Names)
        },
    ),
    (
        "npm",
        Row {
            flags: "al",
            long: "all json long parseable depth omit include link package-lock-only unicode \
                   workspaces",
            long_valued: "workspace",
            ..row("ls list ll la", Text, Names)
        },
    ),
];
