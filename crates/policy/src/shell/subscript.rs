//! Text that a shell evaluates though it is quoted: the subscript of a variable
//! that `test -v`, `let`, `read` and their kin are given by name, and what stands
//! in arithmetic. For the permissive walk.

use super::argv::Argv;
use super::find::{Context, Finder};
use super::word::Term;
use crate::reading::only_prints;
use tenon_vocab::Class;

/// How many substitutions of one text are read.
const MAX: usize = 16;

impl Finder {
    /// The arguments of a command of the shell itself that takes names.
    pub(super) fn evaluated(&mut self, argv: Argv<'_>, name: &str, below: &Context) {
        if !takes_names(argv, name) {
            return;
        }
        for term in argv.arguments().iter().filter(|term| hides_code(term)) {
            for code in substitutions(&term.text) {
                self.text(&code, below);
            }
            if !term.open && term.text.contains('[') {
                self.opaque(
                    Class::Confirm,
                    format!("`{name}` runs code in a subscript"),
                    argv.piece(),
                );
            }
        }
    }

    /// Arithmetic: quotes do not keep a subscript there from being run.
    pub(super) fn arithmetic(&mut self, text: &str, context: &Context) {
        if text.contains(['\'', '\\']) {
            self.subscripts(substitutions(text), context);
        }
    }

    /// A variable that holds a subscript, in a text with arithmetic.
    pub(super) fn held_subscripts(&mut self, text: &str, context: &Context) {
        if !(text.contains("((") || text.contains("$[") || text.contains("[[")) {
            return;
        }
        let held = self.variables.held();
        let codes = held
            .iter()
            .filter(|value| value.contains('['))
            .flat_map(|value| substitutions(value));
        self.subscripts(codes.take(MAX).collect(), context);
    }

    fn subscripts(&mut self, codes: Vec<String>, context: &Context) {
        let below = context.deeper();
        for code in codes {
            self.text(&code, &below);
            self.opaque(Class::Confirm, "the shell runs code in a subscript", code);
        }
    }

    /// `hash -p /bin/rm ls`: a name means something else from here on.
    pub(super) fn renames(&mut self, argv: Argv<'_>, name: &str) {
        let options = match name {
            "hash" => "p",
            "enable" => "fn",
            "complete" => "CF",
            _ => return,
        };
        if argv.has_short(options) {
            let what = format!("`{name}` changes what a command name means");
            self.opaque(Class::Confirm, what, argv.piece());
        }
    }
}

fn takes_names(argv: Argv<'_>, name: &str) -> bool {
    match name {
        "test" | "[" | "[[" | "let" | "read" | "declare" | "typeset" | "local" | "export"
        | "readonly" | "unset" | "mapfile" | "readarray" | "getopts" | "wait" => true,
        "printf" => argv
            .texts()
            .next()
            .is_some_and(|first| first.starts_with("-v") || !only_prints(first)),
        _ => false,
    }
}

/// A substitution that is not quoted is read where it stands.
fn hides_code(term: &Term) -> bool {
    let quoted = !term.open || term.raw.contains(['\'', '\\']);
    quoted && term.text.contains(['$', '`'])
}

/// What stands in `$(…)` and between backticks.
fn substitutions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("$(").take(MAX) {
        let inner = &text[at + 2..];
        let mut depth = 1usize;
        let end = inner.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let end = end.map_or(inner.len(), |(at, _)| at);
        found.push(inner[..end].to_owned());
    }
    let ticked = text.split('`').skip(1).step_by(2).take(MAX);
    found.extend(ticked.map(str::to_owned));
    found
}
