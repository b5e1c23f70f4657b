//! The permissive way through a tree: hands every command to the finder, with
//! what reaches its input and where it stands.
//!
//! The trees have known quirks (words behind a redirection hang on the
//! redirection, a pipe behind a here-document on the here-document): they are put
//! back here.

use super::argv::Argv;
use super::code;
use super::find::{Context, Feed, Finder, Raw, brief, terms};
use super::grammar::{
    MAX_LEVELS, children, copies_itself, leaves_out, parse, sees_commands, slice,
};
use super::place::is_glob;
use super::scan;
use super::variables::Happens;
use super::word::{self, Term};
use crate::script::Sight;
use std::collections::HashMap;
use tenon_vocab::Class;
use tree_sitter::{Node, Tree};

/// Hands every command of a text to the finder.
pub(super) fn walk(finder: &mut Finder, text: &str, context: &Context) {
    match parse(text) {
        Some(tree) => walk_tree(finder, &tree, text, context, Agreement::Unknown),
        None => finder.too_tangled(text, context),
    }
}

/// Whether the tree says the same as the plain reading of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    Proven,
    Unknown,
}

pub(super) fn walk_tree(
    finder: &mut Finder,
    tree: &Tree,
    text: &str,
    context: &Context,
    agreement: Agreement,
) {
    let mut walker = Walker {
        finder,
        text,
        attached: HashMap::new(),
        mark: 0,
    };
    let root = tree.root_node();
    if ["=", "for ", "$1", "${1", "$@", "$*"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        walker.note_variables(root, 0);
    }
    walker.visit(root, context);
    if agreement == Agreement::Unknown && text.contains("@P}") {
        let what = "the shell runs code in a variable to make the prompt";
        finder.opaque(Class::Confirm, what, brief(text));
    }
    finder.held_subscripts(text, context);
    let trusted = agreement == Agreement::Proven
        || (!root.has_error()
            && !leaves_out(root, text)
            && sees_commands(root, text, 0..text.len()));
    if !trusted {
        finder.sight = Sight::Partial;
        finder.report(
            Class::Ask,
            "Tenon could not read the whole line",
            brief(text),
        );
        scan::scan(finder, text, context);
    }
    // A word may go on behind the end of a line. The text is read in both ways:
    // in a quoted here-document the line really ends there.
    if text.contains("\\\n") {
        finder.text(&text.replace("\\\n", ""), &context.deeper());
    }
}

pub(super) struct Walker<'a> {
    pub finder: &'a mut Finder,
    text: &'a str,
    /// What hangs on a command though it stands elsewhere in the tree.
    pub attached: HashMap<usize, Raw>,
    /// How many downloads had been found before the command that is being looked at.
    pub mark: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn slice(&self, node: Node<'_>) -> &'a str {
        slice(self.text, node)
    }

    pub(super) fn terms(&self, node: Node<'_>) -> Vec<Term> {
        terms(self.finder, self.slice(node), node.start_byte())
    }

    fn note_variables(&mut self, node: Node<'_>, level: usize) {
        if level > MAX_LEVELS {
            return;
        }
        for (child, _) in children(node) {
            if child.kind() == "variable_assignment" {
                self.note_variable(child, node);
            }
            match child.kind() {
                "for_statement" => self.note_loop(child),
                "command" => self.note_arguments(child),
                _ => {}
            }
            self.note_variables(child, level + 1);
        }
    }

    /// `set -- /`, and `f /` where the line says what `f` is: what `$1` may be.
    fn note_arguments(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        let name = self.slice(name);
        // Longer texts are not searched for each of their commands.
        const SEARCHED: usize = 4 * 1024;
        let is_function = || {
            self.text.len() <= SEARCHED
                && ["()", " ()", " {"]
                    .iter()
                    .any(|end| self.text.contains(&format!("{name}{end}")))
        };
        if name != "set" && !is_function() {
            return;
        }
        let arguments = children(node)
            .into_iter()
            .filter(|(_, field)| *field == Some("argument"))
            .flat_map(|(child, _)| self.terms(child))
            .filter(|term| !term.open)
            .map(|term| term.text)
            .skip_while(|text| name == "set" && text.starts_with('-'));
        let arguments: Vec<String> = arguments.collect();
        let arguments = arguments.iter().map(String::as_str);
        self.finder.variables.note_arguments(arguments);
    }

    /// `for i in / x`: each word is a value that the variable may have.
    fn note_loop(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("variable") else {
            return;
        };
        let name = self.slice(name);
        for (child, field) in children(node) {
            if field != Some("value") {
                continue;
            }
            for term in self.terms(child) {
                let value = Some(term.text).filter(|_| !term.open);
                let (raw, end) = (self.slice(child), child.end_byte());
                let variables = &mut self.finder.variables;
                variables.note(self.text, name, raw, value, end, Happens::Perhaps);
            }
        }
    }

    fn note_variable(&mut self, node: Node<'_>, parent: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        let name = self.slice(name);
        let value = node
            .child_by_field_name("value")
            .map(|value| self.slice(value));
        let raw = value.unwrap_or_default();
        let plain = matches!(parent.kind(), "program" | "variable_assignments")
            || (parent.kind() == "declaration_command"
                && parent
                    .parent()
                    .is_some_and(|above| above.kind() == "program"));
        let adds = self
            .slice(node)
            .get(name.len()..)
            .is_some_and(|rest| rest.starts_with('+'));
        let known = match word::read(raw, &self.finder.variables, node.start_byte()).as_slice() {
            [one] if !adds && !one.open && !is_glob(one) => Some(one.text.clone()),
            [] if !adds => Some(String::new()),
            _ => None,
        };
        let happens = if plain {
            Happens::Surely
        } else {
            Happens::Perhaps
        };
        let end = node.end_byte();
        self.finder
            .variables
            .note(self.text, name, raw, known, end, happens);
    }

    pub(super) fn visit(&mut self, node: Node<'_>, context: &Context) {
        if self.finder.level >= MAX_LEVELS {
            self.finder.sight = Sight::Partial;
            self.finder.report(
                Class::Confirm,
                "commands are nested too deeply to check",
                brief(self.slice(node)),
            );
            return;
        }
        self.finder.level += 1;
        if matches!(node.kind(), "compound_statement" | "test_command")
            && self.slice(node).starts_with("((")
        {
            self.finder.arithmetic(self.slice(node), context);
        }
        match node.kind() {
            "program" | "compound_statement" | "do_group" => self.sequence(node, context),
            "subshell" => self.apart(node, context),
            "command_substitution" => {
                self.apart(node, context);
                self.look_again(node, context);
            }
            "process_substitution" => self.process_substitution(node, context),
            "list" => self.list(node, context),
            "pipeline" => self.pipeline(node, context),
            "redirected_statement" => self.redirected(node, context),
            "command" => self.command(node, context),
            "variable_assignment" => {
                self.sequence(node, context);
                self.finder.assigned(self.slice(node), context);
            }
            "declaration_command" | "unset_command" | "test_command" => {
                self.declaration(node, context)
            }
            "function_definition" => self.function(node, context),
            _ => {
                let before = self.finder.standing.clone();
                self.sequence(node, context);
                self.finder.standing = before.or(&self.finder.standing);
            }
        }
        self.finder.level -= 1;
    }

    /// One after the other; each may fail, so that the next may stand where this
    /// one stood.
    fn sequence(&mut self, node: Node<'_>, context: &Context) {
        for (child, _) in children(node) {
            if child.is_named() {
                let before = self.finder.standing.clone();
                self.visit(child, context);
                self.finder.standing = before.or(&self.finder.standing);
            }
        }
    }

    /// In a shell of its own.
    fn apart(&mut self, node: Node<'_>, context: &Context) {
        let before = self.finder.standing.clone();
        let output = self.finder.output.take();
        self.sequence(node, context);
        self.finder.standing = before;
        self.finder.output = output;
    }

    fn process_substitution(&mut self, node: Node<'_>, context: &Context) {
        let mut inner = context.clone();
        // What is written into `>(…)` comes from the command around it.
        if self.slice(node).starts_with('>') {
            inner.feed = inner.feed.max(self.fed_since(self.mark));
            inner.given = self.finder.output.clone();
        }
        self.apart(node, &inner);
        self.look_again(node, &inner);
    }

    /// Reads the text of a substitution once more for itself where the tree does
    /// not see all of its commands.
    fn look_again(&mut self, node: Node<'_>, context: &Context) {
        let text = self.slice(node);
        let (open, close) = if text.starts_with('`') {
            (1, 1)
        } else {
            (2, 1)
        };
        let part = node.start_byte() + open..node.end_byte().saturating_sub(close);
        let escaped = text.starts_with('`') && text.contains('\\');
        if !escaped && sees_commands(node, self.text, part.clone()) {
            return;
        }
        let inner = self.text.get(part).unwrap_or(text);
        let inner = if escaped {
            inner.replace("\\`", "`").replace("\\\\", "\\")
        } else {
            inner.to_owned()
        };
        let output = self.finder.output.take();
        self.finder.text(&inner, &context.deeper());
        self.finder.output = output;
    }

    /// What the commands since then put into a pipe.
    fn fed_since(&self, fetched: usize) -> Feed {
        if self.finder.fetched > fetched {
            Feed::Download
        } else {
            Feed::Something
        }
    }

    fn list(&mut self, node: Node<'_>, context: &Context) {
        let mut before = self.finder.standing.clone();
        for (child, _) in children(node) {
            match child.kind() {
                "||" | ";" | "&" => {
                    self.finder.standing = before.or(&self.finder.standing);
                    before = self.finder.standing.clone();
                }
                _ if child.is_named() => self.visit(child, context),
                _ => {}
            }
        }
    }

    fn pipeline(&mut self, node: Node<'_>, context: &Context) {
        let first = self.finder.fetched;
        self.stages(node, context, first, None);
    }

    /// The stages of a pipe. `fed` holds the output of what stands before the
    /// first, where that is known.
    pub(super) fn stages(
        &mut self,
        node: Node<'_>,
        context: &Context,
        first: usize,
        fed: Option<Option<String>>,
    ) {
        let mut fed = fed;
        let stages: Vec<Node<'_>> = children(node)
            .into_iter()
            .map(|(child, _)| child)
            .filter(|child| child.is_named() && child.kind() != "comment")
            .collect();
        for stage in stages {
            let mut inner = context.clone();
            if let Some(given) = fed.take() {
                inner.feed = inner.feed.max(self.fed_since(first));
                inner.given = given;
                inner.from_file = false;
            }
            let standing = self.finder.standing.clone();
            self.finder.output = None;
            self.visit(stage, &inner);
            self.finder.standing = standing;
            let single = matches!(stage.kind(), "command" | "redirected_statement");
            fed = Some(self.finder.output.take().filter(|_| single));
        }
    }

    /// Commands in substitutions inside of a word.
    pub(super) fn inside(&mut self, node: Node<'_>, context: &Context) {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            match node.kind() {
                "command_substitution"
                | "process_substitution"
                | "subshell"
                | "command"
                | "pipeline"
                | "list"
                | "redirected_statement" => self.visit(node, context),
                kind => {
                    if kind == "arithmetic_expansion" {
                        self.finder.arithmetic(self.slice(node), context);
                    }
                    waiting.extend(children(node).into_iter().map(|(child, _)| child));
                }
            }
        }
    }

    fn command(&mut self, node: Node<'_>, context: &Context) {
        let mut raw = Raw::default();
        let mut words: Vec<Node<'_>> = Vec::new();
        for (child, _) in children(node) {
            match child.kind() {
                "variable_assignment" if raw.words.is_empty() => {
                    raw.assignments.push(self.slice(child).to_owned());
                    words.push(child);
                }
                "file_redirect" => words.extend(self.file_redirect(child, &mut raw, context)),
                "herestring_redirect" => self.here_string(child, &mut raw, context),
                "heredoc_redirect" => {
                    let later = self.here_document(child, &mut raw, context);
                    words.extend(later);
                }
                "subshell" => words.push(child),
                _ => {
                    raw.words.extend(self.terms(child));
                    words.push(child);
                }
            }
        }
        if let Some(more) = self.attached.remove(&node.id()) {
            raw.words.extend(more.words);
            raw.redirects.extend(more.redirects);
            raw.given = more.given.or(raw.given);
        }
        // `tee >(sh)`: the command feeds what stands in its words.
        let outer = std::mem::replace(&mut self.mark, self.finder.fetched);
        let name = Argv { words: &raw.words }.name();
        self.finder.fetched += usize::from(code::downloads(&name));
        self.finder.output = None;
        for word in words {
            self.inside(word, context);
        }
        self.mark = outer;
        self.guessed(node, &raw, context);
        self.finder.command(raw, context);
        if context.depth == 0 {
            self.finder.part += 1;
        }
    }

    /// The same command with every value that its variables may have. What comes
    /// of it only adds to the dangers.
    fn guessed(&mut self, node: Node<'_>, raw: &Raw, context: &Context) {
        if !raw.words.iter().any(|term| term.open) {
            return;
        }
        for which in 0..self.finder.variables.guesses() {
            self.finder.variables.guess(Some(which));
            let mut words = Vec::new();
            for (child, field) in children(node) {
                if child.kind() == "command_name" || field == Some("argument") {
                    words.extend(self.terms(child));
                }
            }
            self.finder.variables.guess(None);
            let known = Raw {
                words,
                ..Raw::default()
            };
            if known.words != raw.words {
                self.finder.command(known, context);
            }
        }
    }

    fn declaration(&mut self, node: Node<'_>, context: &Context) {
        let mut raw = Raw::default();
        for (child, _) in children(node) {
            raw.words.extend(self.terms(child));
        }
        self.inside(node, context);
        self.finder.command(raw, context);
        if context.depth == 0 {
            self.finder.part += 1;
        }
    }

    fn function(&mut self, node: Node<'_>, context: &Context) {
        let name = node
            .child_by_field_name("name")
            .map(|name| self.slice(name))
            .unwrap_or_default();
        self.finder.defined.insert(name.to_owned());
        if let Some(body) = node.child_by_field_name("body")
            && copies_itself(self.text, body, name)
        {
            self.finder.report(
                Class::HardDeny,
                format!("`{name}` starts endless copies of itself"),
                brief(self.slice(node)),
            );
        }
        let before = self.finder.standing.clone();
        self.sequence(node, context);
        self.finder.standing = before;
    }
}
