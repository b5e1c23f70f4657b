//! The permissive walk: every command that the line runs, at any depth, with what
//! wrappers, shells and pipes would run in turn. It finds danger and never proves
//! that there is none; whatever it cannot follow it reports.

use super::argv::Argv;
use super::code;
use super::place::{self, Standing};
use super::targets::{self, Sweep};
use super::unfold::{self, Inner, What, Where};
use super::variables::Variables;
use super::word::{self, Term};
use super::{danger, scan, settings, walk};
use crate::script::{Danger, Deed, Sight, Simple, Target};
use std::collections::HashSet;
use tenon_vocab::Class;

/// How deep commands inside of commands are followed.
const MAX_DEPTH: usize = 8;
/// How many texts are read as code, all in all.
const MAX_TEXTS: usize = 64;
/// How many commands are looked at, all in all.
const MAX_COMMANDS: usize = 2_000;
/// How many dangers are told.
const MAX_DANGERS: usize = 200;
/// How many targets are kept; of more, one says that there are more.
pub(super) const MAX_TARGETS: usize = 500;

/// What comes through the pipes before a command. More is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feed {
    Nothing,
    Something,
    /// Something from another machine.
    Download,
}

/// What surrounds a command.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub depth: usize,
    /// What reaches its input through pipes.
    pub feed: Feed,
    /// Its input, where that stands in the line.
    pub given: Option<String>,
    /// Whether it is fed from a file.
    pub from_file: bool,
    pub place: Where,
}

impl Context {
    pub(super) fn start() -> Self {
        Self {
            depth: 0,
            feed: Feed::Nothing,
            given: None,
            from_file: false,
            place: Where::Here,
        }
    }

    pub(super) fn deeper(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

/// A redirection with its file.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub operator: String,
    pub file: Term,
}

/// A command as a grammar gave it.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
    pub words: Vec<Term>,
    pub assignments: Vec<String>,
    pub redirects: Vec<Redirect>,
    /// The text of a here-document or a here-string.
    pub given: Option<String>,
}

pub(super) struct Finder {
    pub found: Vec<Simple>,
    pub dangers: Vec<Danger>,
    pub targets: Vec<Target>,
    pub sight: Sight,
    pub variables: Variables,
    /// Names that the line gives a meaning of its own.
    pub defined: HashSet<String>,
    pub standing: Standing,
    /// What the command that was looked at last writes, where that is known.
    pub output: Option<String>,
    /// How many commands were found that bring something from elsewhere.
    pub fetched: usize,
    /// How deep the walk is in trees, over all texts inside of texts.
    pub level: usize,
    /// Which command of the top level is being looked at.
    pub part: usize,
    texts: usize,
    /// Files that the line downloads.
    pub downloaded: Vec<String>,
}

impl Finder {
    pub(super) fn new() -> Self {
        Self {
            found: Vec::new(),
            dangers: Vec::new(),
            targets: Vec::new(),
            sight: Sight::Whole,
            variables: Variables::default(),
            defined: HashSet::new(),
            standing: Standing::start(),
            output: None,
            fetched: 0,
            level: 0,
            part: 0,
            texts: 0,
            downloaded: Vec::new(),
        }
    }

    pub(super) fn report(
        &mut self,
        class: Class,
        what: impl Into<String>,
        piece: impl Into<String>,
    ) {
        let danger = Danger {
            class,
            what: what.into(),
            piece: piece.into(),
        };
        // Of thousands the first hundreds say enough, and each class is among them.
        let full = self.dangers.len() >= MAX_DANGERS
            && self.dangers.iter().any(|held| held.class == class);
        if !full && !self.dangers.contains(&danger) {
            self.dangers.push(danger);
        }
    }

    /// Something runs that is not written in the line.
    pub(super) fn opaque(
        &mut self,
        class: Class,
        what: impl Into<String>,
        piece: impl Into<String>,
    ) {
        self.sight = Sight::Partial;
        self.report(class, what, piece);
    }

    /// The grammar gave up: what can be seen without it.
    pub(super) fn too_tangled(&mut self, text: &str, context: &Context) {
        self.opaque(
            Class::Confirm,
            "the command is too complex to check",
            brief(text),
        );
        scan::scan(self, text, context);
    }

    /// Reads a text that a shell would run.
    pub(super) fn text(&mut self, text: &str, context: &Context) {
        self.texts += 1;
        let long = text.len() > super::MAX_BYTES;
        if long || context.depth > MAX_DEPTH || self.texts > MAX_TEXTS {
            self.opaque(
                Class::Confirm,
                "commands are nested too deeply to check",
                brief(text),
            );
            return;
        }
        let variables = self.variables.inside();
        let outer = std::mem::replace(&mut self.variables, variables);
        let standing = self.standing.clone();
        walk::walk(self, text, context);
        // A shell inside may have gone elsewhere; `eval` takes us along.
        self.standing = standing.or(&self.standing);
        self.variables = outer;
    }

    /// One command with all that hangs on it.
    pub(super) fn command(&mut self, raw: Raw, context: &Context) {
        let mut context = context.clone();
        if let Some(given) = &raw.given {
            context.given = Some(given.clone());
            context.feed = Feed::Nothing;
        }
        let name = Argv { words: &raw.words }.name();
        let fetches = code::downloads(&name) || context.feed == Feed::Download;
        let connects = raw
            .redirects
            .iter()
            .any(|redirect| place::is_connection(&redirect.file.text));
        if connects && (code::is_shell(&name) || code::is_interpreter(&name) || name == "exec") {
            let what = format!("`{name}` is connected to another machine");
            self.opaque(Class::Confirm, what, Argv { words: &raw.words }.piece());
        }
        for redirect in &raw.redirects {
            if fetches && redirect.operator.contains('>') {
                let file = redirect.file.text.trim_start_matches("./");
                self.downloaded.push(file.to_owned());
            }
            self.redirect(redirect, &mut context);
        }
        for assignment in &raw.assignments {
            self.assigned(assignment, &context);
        }
        self.output = None;
        if raw.words.is_empty() {
            return;
        }
        self.run(&raw.words, &raw.assignments, &context);
    }

    /// A variable whose value is code for whoever reads it.
    pub(super) fn assigned(&mut self, assignment: &str, context: &Context) {
        if let Some(what) = settings::of_variable(assignment) {
            self.opaque(Class::Confirm, what, brief(assignment));
        }
        if !unfold::holds_code(assignment) {
            return;
        }
        let held = terms(self, assignment, usize::MAX);
        let Some(term) = held.first().and_then(unfold::held_code) else {
            return;
        };
        let words = [Term::literal(assignment)];
        let below = Context {
            feed: Feed::Nothing,
            given: None,
            from_file: false,
            ..context.deeper()
        };
        let standing = self.standing.clone();
        self.code(&term, Argv { words: &words }, &below);
        self.standing = standing;
    }

    fn redirect(&mut self, redirect: &Redirect, context: &mut Context) {
        let file = &redirect.file;
        let number = !file.text.is_empty()
            && file
                .text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-');
        let deed = match redirect.operator.as_str() {
            "<" => {
                context.from_file = true;
                context.given = None;
                if self.brings_download(file) {
                    context.feed = Feed::Download;
                }
                Deed::Read
            }
            ">&" | "<&" | ">&-" | "<&-" if number || file.text.is_empty() => {
                // From another of its inputs, wherever that leads.
                if redirect.operator == "<&" && !matches!(file.text.as_str(), "-" | "0") {
                    context.from_file = true;
                    context.given = None;
                }
                return;
            }
            ">>" | "&>>" => Deed::Append,
            "<>" => Deed::Change,
            _ => Deed::Overwrite,
        };
        if file.raw.starts_with("<(") || file.raw.starts_with(">(") {
            return;
        }
        if place::is_connection(&file.text) {
            self.report(
                Class::Ask,
                "it opens a connection to another machine",
                &file.text,
            );
            if deed == Deed::Read {
                context.feed = Feed::Download;
            }
            return;
        }
        let operator = redirect.operator.clone();
        self.touch(
            file,
            deed,
            Sweep::One,
            context,
            &format!("{operator} {}", file.text),
        );
    }

    /// A program with its words, and what it would run in turn.
    fn run(&mut self, words: &[Term], assignments: &[String], context: &Context) {
        let argv = Argv { words };
        let name = argv.name();
        if self.found.len() >= MAX_COMMANDS || context.depth > MAX_DEPTH {
            self.opaque(
                Class::Confirm,
                "there are too many nested commands to check",
                "",
            );
            return;
        }
        self.found.push(argv.simple(assignments));
        self.fetched += usize::from(code::downloads(&name));
        self.check_name(argv, &name);
        for (class, what) in danger::of(argv) {
            self.report(class, what, argv.piece());
        }
        self.follow_folder(argv, &name);
        let piece = argv.piece();
        for (term, deed, sweep) in targets::of(argv) {
            self.touch(&term, deed, sweep, context, &piece);
        }
        self.edits_many(argv, &name);
        self.names_by_name(argv, &name);
        let output = code::written(argv, context.given.as_deref());
        for inner in unfold::unfold(argv) {
            self.inner(inner, argv, &name, context);
        }
        self.run_text(argv, &name, context);
        self.output = output;
    }

    /// The name itself: written out, or not; given a meaning by the line, or not.
    fn check_name(&mut self, argv: Argv<'_>, name: &str) {
        let Some(head) = argv.words.first() else {
            return;
        };
        if head.open || (head.expands && place::is_glob(head)) {
            if self.brings_download(head) {
                self.report(
                    Class::HardDeny,
                    "it would run a download as a command",
                    argv.piece(),
                );
            }
            self.opaque(
                Class::Confirm,
                "the command's name only shows when it runs",
                argv.piece(),
            );
        } else if head.raw.starts_with('$') && self.variables.source("IFS").is_some() {
            self.opaque(
                Class::Confirm,
                "the line changes IFS, so a variable may split into other words",
                argv.piece(),
            );
        } else if self.defined.contains(&head.text) {
            self.report(
                Class::Ask,
                format!("the line defines what `{}` means", head.text),
                argv.piece(),
            );
        }
        if name == "alias" {
            for text in argv.texts() {
                if let Some((alias, _)) = text.split_once('=') {
                    self.defined.insert(alias.to_owned());
                }
            }
        }
    }

    /// Variables that make a program run another one, set by a wrapper or for good,
    /// and names that stand for other names.
    fn names_by_name(&mut self, argv: Argv<'_>, name: &str) {
        let declares = matches!(
            name,
            "export" | "declare" | "typeset" | "readonly" | "local"
        );
        if !declares && !unfold::is_wrapper(name) {
            return;
        }
        for text in argv.texts() {
            if let Some(what) = settings::of_variable(text) {
                self.opaque(Class::Confirm, what, argv.piece());
            }
        }
        if declares && name != "export" && name != "readonly" && argv.has_short("n") {
            let what = "a nameref hides which variable is used";
            self.opaque(Class::Confirm, what, argv.piece());
        }
    }

    fn inner(&mut self, inner: Inner, argv: Argv<'_>, name: &str, context: &Context) {
        let mut below = context.deeper();
        if inner.place == Where::Elsewhere {
            below.place = Where::Elsewhere;
        }
        let standing = self.standing.clone();
        // The option may also be one of the other program: both folders count.
        if let Some(folder) = unfold::folder(argv, name) {
            self.standing = standing.or(&standing.after_cd(Some(&folder)));
        }
        match inner.what {
            What::Words(mut words) => {
                if name == "xargs" {
                    words.extend(handed_over(context));
                    let runs_text = words.first().is_some_and(|head| {
                        let head = head.text.rsplit('/').next().unwrap_or_default();
                        code::is_shell(head) || code::is_interpreter(head) || head == "eval"
                    });
                    if runs_text {
                        self.code_from_input(argv, context);
                    }
                    below.given = None;
                }
                self.run(&words, &[], &below);
            }
            What::Code(term) => self.code(&term, argv, &below),
        }
        if name != "command" && name != "builtin" && name != "exec" && name != "eval" {
            self.standing = standing;
        }
    }
}

/// What `xargs` hands to its program: the words of its input where they stand in
/// the line, else anything.
fn handed_over(context: &Context) -> Vec<Term> {
    const MAX: usize = 64;
    match &context.given {
        Some(text) => text
            .split_whitespace()
            .take(MAX)
            .map(Term::literal)
            .collect(),
        None => vec![Term::anything()],
    }
}

pub(super) fn brief(text: &str) -> String {
    const MAX: usize = 200;
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The words of one written word.
pub(super) fn terms(finder: &Finder, raw: &str, at: usize) -> Vec<Term> {
    word::read(raw, &finder.variables, at)
}
