//! What a found command runs as text: shells and other languages, with text that
//! stands in the line, comes from a file, or through a pipe.

use super::argv::Argv;
use super::awk::{self, AwkRun, Fed};
use super::code::{self, Source};
use super::danger;
use super::find::{Context, Feed, Finder};
use super::language;
use super::place::is_connection;
use super::sed::{self, SedDeed};
use super::unfold::Where;
use super::word::Term;
use crate::room;
use crate::script::Sight;
use tenon_vocab::Class;

impl Finder {
    /// Text for a shell, as a word of the line.
    pub(super) fn code(&mut self, term: &Term, argv: Argv<'_>, below: &Context) {
        if self.brings_download(term) {
            self.report(
                Class::HardDeny,
                "a shell would run a download",
                argv.piece(),
            );
        }
        if term.open {
            self.opaque(
                Class::Confirm,
                "what the shell runs only shows when it runs",
                argv.piece(),
            );
        }
        self.text(&term.text, below);
    }

    /// Shells and interpreters.
    pub(super) fn run_text(&mut self, argv: Argv<'_>, name: &str, context: &Context) {
        let below = context.deeper();
        self.evaluated(argv, name, &below);
        self.renames(argv, name);
        self.keeps_download(argv, name, context);
        if code::is_shell(name) {
            match code::of_shell(argv) {
                Source::Text(term) => {
                    let outer = self.variables.clone();
                    // The word behind the text is `$0`.
                    let rest = argv.texts().skip_while(|text| *text != term.text).skip(2);
                    self.variables.note_arguments(rest);
                    self.code(&term, argv, &below);
                    self.variables = outer;
                }
                Source::File(term) => self.file(&term, argv),
                Source::Stdin => self.code_from_input(argv, context),
                Source::Nothing => {}
            }
        } else if name == "source" || name == "." {
            match argv.operands("").first() {
                Some(term) if term.text == "/dev/stdin" => self.code_from_input(argv, context),
                Some(term) => self.file(term, argv),
                None => {}
            }
        } else if code::is_interpreter(name) {
            let words: Vec<&str> = argv.texts().collect();
            if room::tells_version(name, &words) {
                return;
            }
            match code::of_interpreter(argv) {
                Source::Text(term) => {
                    if self.brings_download(&term) {
                        self.report(
                            Class::HardDeny,
                            "it would run a download as a program",
                            argv.piece(),
                        );
                    }
                    if context.feed == Feed::Download && runs_text(&term.text) {
                        self.report(
                            Class::Confirm,
                            format!("`{name}` gets a download and a program that may run it"),
                            argv.piece(),
                        );
                    }
                    self.program(&term.text, argv, &below);
                }
                Source::File(term) => self.file(&term, argv),
                Source::Stdin
                    if context.given.is_some()
                        || context.feed != Feed::Nothing
                        || context.from_file =>
                {
                    self.program_from_input(argv, context);
                }
                Source::Stdin => {
                    self.opaque(Class::Ask, format!("`{name}` runs a program"), argv.piece())
                }
                Source::Nothing => {}
            }
        } else {
            self.other_languages(argv, name, context);
        }
    }

    /// `curl x | tee f`: what was fetched lies in a file from here on.
    fn keeps_download(&mut self, argv: Argv<'_>, name: &str, context: &Context) {
        if name == "tee" && context.feed == Feed::Download {
            let files = argv.operands("");
            let files = files.iter().map(|term| term.text.trim_start_matches("./"));
            self.downloaded.extend(files.map(str::to_owned));
        }
    }

    fn other_languages(&mut self, argv: Argv<'_>, name: &str, context: &Context) {
        let below = context.deeper();
        match name {
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(argv, context),
            "sed" | "gsed" => self.sed(argv, &below),
            "parallel" if argv.operands("jNISPLdCEkX").is_empty() => {
                self.code_from_input(argv, context);
            }
            "expect" => {
                if let Some(script) = argv.value_of(Some('c'), "") {
                    self.program(&script.text, argv, &below);
                }
            }
            "make" | "gmake"
                if argv
                    .value_of(Some('f'), "file")
                    .is_some_and(|file| matches!(file.text.as_str(), "-" | "/dev/stdin")) =>
            {
                let recipe = context.given.clone().map(|text| {
                    let lines = text.lines().flat_map(|line| line.split(['\t', ';']));
                    lines
                        .map(|line| line.trim_start_matches(['@', '-', '+']))
                        .collect::<Vec<_>>()
                        .join("\n")
                });
                match recipe {
                    Some(text) => self.text(&text, &below),
                    None => self.code_from_input(argv, context),
                }
                self.opaque(
                    Class::Ask,
                    "`make` runs commands from its input",
                    argv.piece(),
                );
            }
            "at" | "batch" | "crontab"
                if context.given.is_some() || context.feed != Feed::Nothing =>
            {
                self.code_from_input(argv, context);
            }
            _ => {
                if let Some(given) = &context.given
                    && let Some(word) = danger::database_input(name, given)
                {
                    self.report(
                        Class::Confirm,
                        format!("`{word}` destroys data"),
                        argv.piece(),
                    );
                }
            }
        }
    }

    /// A shell or an interpreter runs a file.
    pub(super) fn file(&mut self, term: &Term, argv: Argv<'_>) {
        let name = argv.name();
        if self.brings_download(term) || is_connection(&term.text) {
            self.report(
                Class::HardDeny,
                format!("`{name}` would run a download"),
                argv.piece(),
            );
        }
        if term.raw.starts_with("<(") {
            self.opaque(
                Class::Confirm,
                format!("what `{name}` runs only shows when it runs"),
                argv.piece(),
            );
            return;
        }
        let fetched = self
            .downloaded
            .iter()
            .any(|path| *path == term.text.trim_start_matches("./"));
        if fetched {
            self.report(
                Class::Confirm,
                format!("`{name}` runs a file that was just downloaded"),
                argv.piece(),
            );
        }
        self.opaque(
            Class::Ask,
            format!("`{name}` runs a script file"),
            argv.piece(),
        );
    }

    /// A shell takes its text from a pipe, a here-document or a file.
    pub(super) fn code_from_input(&mut self, argv: Argv<'_>, context: &Context) {
        let name = argv.name();
        if context.feed == Feed::Download {
            self.report(
                Class::HardDeny,
                format!("it would pipe a download into `{name}`"),
                argv.piece(),
            );
        }
        match &context.given {
            Some(text) => {
                let mut below = context.deeper();
                below.given = None;
                self.text(&text.clone(), &below);
                if has_expansions(text) {
                    self.sight = Sight::Partial;
                }
                self.report(
                    Class::Ask,
                    format!("`{name}` runs the command it is given"),
                    argv.piece(),
                );
            }
            None if context.feed == Feed::Nothing && !context.from_file => {
                self.opaque(
                    Class::Ask,
                    format!("`{name}` runs the command it is given"),
                    argv.piece(),
                );
            }
            None => self.opaque(
                Class::Confirm,
                format!(
                    "`{name}` runs commands from a pipe or a file, which only show when it runs"
                ),
                argv.piece(),
            ),
        }
    }

    fn program_from_input(&mut self, argv: Argv<'_>, context: &Context) {
        let name = argv.name();
        if context.feed == Feed::Download {
            self.report(
                Class::HardDeny,
                format!("it would pipe a download into `{name}`"),
                argv.piece(),
            );
        }
        match context.given.clone() {
            Some(text) => self.program(&text, argv, &context.deeper()),
            None => self.opaque(
                Class::Confirm,
                format!(
                    "`{name}` runs commands from a pipe or a file, which only show when it runs"
                ),
                argv.piece(),
            ),
        }
    }

    /// A program in another language: only its strings are looked at.
    fn program(&mut self, text: &str, argv: Argv<'_>, below: &Context) {
        let name = argv.name();
        self.opaque(
            Class::Ask,
            format!("`{name}` runs a program that Tenon doesn't check"),
            argv.piece(),
        );
        if code::forks_forever(text) {
            self.report(
                Class::HardDeny,
                "it starts endless copies of itself",
                argv.piece(),
            );
        }
        if let Some((class, what)) = language::danger(&name, text) {
            self.report(class, what, argv.piece());
        }
        for string in code::suspicious_strings(text) {
            self.dangerous_words(&string, argv, below);
        }
    }

    /// What an awk program runs. Where it is fed from another machine, what it puts
    /// together comes from there.
    fn awk(&mut self, argv: Argv<'_>, context: &Context) {
        let operands = argv.operands("FvfiE");
        let from_input = argv
            .value_of(Some('f'), "file")
            .is_some_and(|file| matches!(file.text.as_str(), "-" | "/dev/stdin"));
        let program = match (&context.given, operands.first()) {
            (Some(given), _) if from_input => given.clone(),
            (_, Some(program)) => program.text.clone(),
            _ => return,
        };
        for run in awk::runs(&program) {
            match run {
                AwkRun::Written { code, fed } => {
                    let mut below = context.deeper();
                    below.given = None;
                    if fed == Fed::Yes {
                        below.feed = below.feed.max(Feed::Something);
                    }
                    self.opaque(Class::Ask, "the `awk` program runs a command", argv.piece());
                    self.text(&code, &below);
                }
                AwkRun::Unknown if context.feed == Feed::Download => {
                    self.report(Class::HardDeny, "`awk` would run a download", argv.piece())
                }
                AwkRun::Unknown => self.opaque(
                    Class::Confirm,
                    "what `awk` runs only shows when it runs",
                    argv.piece(),
                ),
            }
        }
    }

    fn sed(&mut self, argv: Argv<'_>, below: &Context) {
        let deeds = sed::script(argv).map(|script| sed::deeds(&script));
        for deed in deeds.unwrap_or_default() {
            let SedDeed::Run(code) = deed else { continue };
            self.opaque(
                Class::Confirm,
                "the `sed` script runs a program",
                argv.piece(),
            );
            self.text(&code, below);
        }
    }

    /// Text that may be a command, in a place where it may also be none.
    fn dangerous_words(&mut self, text: &str, argv: Argv<'_>, below: &Context) {
        let mut inner = below.clone();
        // Its paths are strings of a program and no targets.
        inner.place = Where::Elsewhere;
        let words: Vec<&str> = text.split_whitespace().collect();
        let at = words.iter().position(|word| {
            danger::is_dangerous_name(word.trim_matches(['"', '\'', '(', ';', '`', '$']))
        });
        self.text(text, &inner);
        if let Some(at) = at {
            self.text(&words[at..].join(" "), &inner);
            self.report(
                Class::Confirm,
                format!("the program contains `{}` in a string", words[at]),
                argv.piece(),
            );
        }
    }

    /// Whether a word that is not written out gets its text from a download.
    pub(super) fn brings_download(&self, term: &Term) -> bool {
        if !term.open {
            return false;
        }
        let mut sources = vec![term.raw.clone()];
        let names: Vec<&str> = self.variables.names().collect();
        for _ in 0..3 {
            let used: Vec<String> = names
                .iter()
                .filter(|name| {
                    sources.iter().any(|source| {
                        source.contains(&format!("${name}"))
                            || source.contains(&format!("${{{name}"))
                    })
                })
                .filter_map(|name| self.variables.source(name).map(str::to_owned))
                .collect();
            sources.extend(used);
            sources.dedup();
        }
        sources.iter().any(|source| names_download(source))
    }
}

/// Whether a program of another language names a way to run text.
fn runs_text(program: &str) -> bool {
    const WAYS: &[&str] = &[
        "exec",
        "eval",
        "compile",
        "system",
        "popen",
        "spawn",
        "process",
        "pickle",
        "marshal",
        "import_module",
        "__",
        "Function",
        "qx",
        "`",
    ];
    WAYS.iter().any(|way| program.contains(way))
}

fn has_expansions(text: &str) -> bool {
    text.contains(['$', '`'])
}

/// Whether a text holds the name of a program that downloads, where a command
/// could begin.
fn names_download(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || "()`|;&<>{}\"'".contains(c))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .any(|word| code::downloads(&word.replace('\\', "")))
}
