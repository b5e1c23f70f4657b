//! Files that a program writes anew because an option or a place in its words
//! says so: as a redirection onto them would.

use super::{Sweep, Touched};
use crate::script::Deed;
use crate::shell::argv::Argv;
use crate::shell::danger::lists;
use crate::shell::word::Term;

/// Programs, the letter of the option, its long name.
const OPTIONS: &[(&str, &str, &[&str])] = &[
    (
        "shuf iconv gpg gpg2 pandoc uudecode uuencode dot neato fdp circo twopi strace ltrace time \
         gtime pv bison yacc flex age rage qrencode xmllint xsltproc base64 nasm yasm rpmbuild tree \
         terser uglifyjs sass lessc jq yq markdown cmark asciidoctor rst2html kubectl helm openscad \
         inkscape rsvg-convert plantuml mmdc ld-script objdump strings ctags etags minisign",
        "o",
        &["output", "out", "outfile", "output-file"],
    ),
    (
        "esbuild swc tsc babel rollup",
        "o",
        &["outfile", "out-file", "file"],
    ),
    ("wget", "o", &["output-file"]),
    (
        "curl",
        "Dc",
        &[
            "dump-header",
            "cookie-jar",
            "trace",
            "trace-ascii",
            "stderr",
            "libcurl",
            "hsts",
            "alt-svc",
            "etag-save",
        ],
    ),
    ("pg_dump pg_dumpall", "f", &["file"]),
    ("mysqldump mariadb-dump", "r", &["result-file"]),
    ("tcpdump dumpcap tshark", "w", &["write"]),
    ("gcov lcov", "o", &["output-file"]),
];

/// Compilers and linkers. What they make is made again and again.
const COMPILERS: &str = "gcc cc g++ c++ clang clang++ rustc ld lld gold as tcc ghc ocamlc ocamlopt \
     gfortran nvcc emcc em++ dmd ldc2 gdc swiftc kotlinc crystal nim go zig";

/// Endings and folders of what a build makes.
const PRODUCTS: &str = "o obj a lib so dylib dll exe out bin elf wasm class jar pdb d i ii s ll bc \
     gch pch hi rlib rmeta ko test";
const BUILDS: &str = "target build dist out bin obj .build cmake-build-debug cmake-build-release";

pub(super) fn written(argv: Argv<'_>, name: &str) -> Vec<Touched> {
    let mut found: Vec<Term> = Vec::new();
    for (names, short, long) in OPTIONS {
        if lists(names, name) {
            found.extend(values(argv, short, long, Clusters::Read));
        }
    }
    if is_compiler(name) {
        let made = values(argv, "o", &["output"], Clusters::Ignored);
        found.extend(made.into_iter().filter(|term| !is_product(&term.text)));
    }
    let operands = || argv.operands("");
    let last = || operands().last().map(|term| (*term).clone());
    let second = || operands().get(1).map(|term| (*term).clone());
    match name {
        "openssl" => found.extend(behind(
            argv,
            &["-out", "-keyout", "-CAserial", "-writerand"],
        )),
        "xxd" | "objcopy" | "zopflipng" | "pdftotext" | "ps2pdf" => found.extend(second()),
        "ffmpeg" | "sox" if argv.texts().any(|text| text == "-y") => found.extend(last()),
        "convert" | "magick" | "wkhtmltopdf" | "cwebp" => found.extend(last()),
        "logsave" | "script" if !argv.has_short("a") => {
            let term = argv
                .operands("cEIOoTBm")
                .first()
                .map(|term| (*term).clone());
            found.extend(term);
        }
        "sqlite3" => found.extend(argv.texts().filter_map(of_sqlite)),
        "vim" | "vi" | "nvim" | "ex" | "view" => found.extend(argv.texts().filter_map(of_vi)),
        _ => {}
    }
    found
        .into_iter()
        .filter(|term| !term.text.is_empty() && term.text != "-")
        .map(|term| (term, Deed::Overwrite, Sweep::One))
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clusters {
    /// `-qo FILE`
    Read,
    /// One dash stands before a long name.
    Ignored,
}

/// The values of all these options, in the same word or in the next.
fn values(argv: Argv<'_>, short: &str, long: &[&str], clusters: Clusters) -> Vec<Term> {
    const SHORT: usize = 6;
    let mut found = Vec::new();
    let mut words = argv.arguments().iter();
    while let Some(term) = words.next() {
        let text = term.text.as_str();
        let cut = |value: &str| Term {
            text: value.to_owned(),
            ..term.clone()
        };
        if let Some(rest) = text.strip_prefix("--") {
            match rest.split_once('=') {
                Some((name, value)) if long.contains(&name) => found.push(cut(value)),
                None if long.contains(&rest) => found.extend(words.next().cloned()),
                _ => {}
            }
        } else if let Some(letters) = text.strip_prefix('-') {
            let first = letters.chars().next().is_some_and(|c| short.contains(c));
            let last = letters
                .chars()
                .next_back()
                .is_some_and(|c| short.contains(c));
            if first && letters.len() > 1 {
                found.push(cut(&letters[1..]));
            } else if last
                && (letters.len() == 1 || (clusters == Clusters::Read && letters.len() < SHORT))
            {
                found.extend(words.next().cloned());
            }
        }
    }
    found
}

fn behind(argv: Argv<'_>, options: &[&str]) -> Vec<Term> {
    let words = argv.arguments();
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(|(option, _)| options.contains(&option.text.as_str()))
        .map(|(_, value)| value.clone())
        .collect()
}

/// `x86_64-linux-gnu-gcc-12` is a `gcc`.
fn is_compiler(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    lists(COMPILERS, bare) || lists(COMPILERS, bare.rsplit('-').next().unwrap_or(bare))
}

/// Whether a file is one that a build makes, by its name: an ending of theirs, one
/// of their folders, or no ending and small letters, as programs have.
fn is_product(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let in_build = path
        .split('/')
        .rev()
        .skip(1)
        .any(|folder| lists(BUILDS, folder));
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    in_build
        || match ending {
            Some((_, ending)) => lists(PRODUCTS, ending),
            None => !name.starts_with(|c: char| c.is_ascii_uppercase() || c == '.'),
        }
}

/// `.output FILE` and its kin.
fn of_sqlite(text: &str) -> Option<Term> {
    let commands = [
        ".output ", ".once ", ".save ", ".backup ", ".clone ", ".log ",
    ];
    let file = commands
        .iter()
        .find_map(|command| text.strip_prefix(command))?;
    Some(Term::literal(file.split_whitespace().last()?))
}

/// `:w! FILE`, `:saveas FILE`.
fn of_vi(text: &str) -> Option<Term> {
    let text = text.trim_start_matches(['+', ':']);
    let commands = [
        "w! ", "w ", "write! ", "write ", "sav! ", "saveas! ", "saveas ", "wq! ",
    ];
    let file = commands
        .iter()
        .find_map(|command| text.strip_prefix(command))?;
    Some(Term::literal(file.split_whitespace().next()?))
}
