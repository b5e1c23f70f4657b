//! Redirections in the tree. The grammar hangs on them what belongs elsewhere:
//! words behind a redirection, the pipe and the list behind a here-document.

use super::find::{Context, Raw, Redirect};
use super::grammar::{MAX_LEVELS, children};
use super::walk::Walker;
use super::word::Term;
use tree_sitter::Node;

impl Walker<'_> {
    pub(super) fn redirected(&mut self, node: Node<'_>, context: &Context) {
        let mut raw = Raw::default();
        let mut later: Vec<Node<'_>> = Vec::new();
        let mut body = None;
        for (child, field) in children(node) {
            match child.kind() {
                "file_redirect" => later.extend(self.file_redirect(child, &mut raw, context)),
                "herestring_redirect" => self.here_string(child, &mut raw, context),
                "heredoc_redirect" => later.extend(self.here_document(child, &mut raw, context)),
                _ if field == Some("body") || child.is_named() => body = Some(child),
                _ => {}
            }
        }
        let first = self.finder.fetched;
        match body {
            Some(body) if body.kind() == "command" => {
                self.attached.insert(body.id(), raw);
                self.visit(body, context);
            }
            // The grammar hangs the redirection of the last command on the list.
            Some(body) if matches!(body.kind(), "list" | "pipeline") => {
                if let Some(last) = last_command(body) {
                    self.attached.insert(last.id(), raw);
                } else {
                    self.finder.command(raw, context);
                }
                self.visit(body, context);
            }
            Some(body) => {
                let mut inner = context.clone();
                if raw.given.is_some() {
                    inner.given = raw.given.take();
                }
                inner.from_file |= raw.redirects.iter().any(|one| one.operator == "<");
                let words = std::mem::take(&mut raw.words);
                if let Some(last) = last_command(body).filter(|_| !words.is_empty()) {
                    let extra = Raw {
                        words,
                        ..Raw::default()
                    };
                    self.attached.insert(last.id(), extra);
                }
                self.finder.command(raw, context);
                self.visit(body, &inner);
            }
            None => self.finder.command(raw, context),
        }
        for node in later {
            if node.kind() == "pipeline" {
                let given = self.finder.output.take();
                self.stages(node, context, first, Some(given));
            } else if node.kind() == "process_substitution" {
                let outer = std::mem::replace(&mut self.mark, first);
                self.visit(node, context);
                self.mark = outer;
            } else {
                self.visit(node, context);
            }
        }
    }

    /// Returns the commands that are fed by the one with this redirection.
    pub(super) fn file_redirect<'t>(
        &mut self,
        node: Node<'t>,
        raw: &mut Raw,
        context: &Context,
    ) -> Vec<Node<'t>> {
        let mut operator = None;
        let mut files = Vec::new();
        let mut fed = Vec::new();
        for (child, field) in children(node) {
            if field == Some("destination") {
                if self.slice(child).starts_with(">(") {
                    fed.push(child);
                } else {
                    self.inside(child, context);
                }
                files.push(self.terms(child));
            } else if !child.is_named() && operator.is_none() {
                operator = Some(child.kind().to_owned());
            }
        }
        let mut files = files.into_iter();
        let mut first = files.next().unwrap_or_default().into_iter();
        let file = first.next().unwrap_or_default();
        raw.redirects.push(Redirect {
            operator: operator.unwrap_or_else(|| ">".into()),
            file,
        });
        // The grammar takes the words behind a redirection for more files.
        raw.words.extend(first);
        raw.words.extend(files.flatten());
        fed
    }

    pub(super) fn here_string(&mut self, node: Node<'_>, raw: &mut Raw, context: &Context) {
        for (child, _) in children(node)
            .into_iter()
            .filter(|(child, _)| child.is_named() && child.kind() != "file_descriptor")
        {
            self.inside(child, context);
            self.give(self.terms(child), raw);
        }
    }

    /// What is not written out is a redirection from a file that nobody knows.
    pub(super) fn give(&mut self, terms: Vec<Term>, raw: &mut Raw) {
        if let Some(open) = terms.iter().find(|term| term.open) {
            raw.redirects.push(Redirect {
                operator: "<".into(),
                file: Term {
                    raw: format!("<({})", open.raw),
                    ..open.clone()
                },
            });
        }
        let texts: Vec<String> = terms.into_iter().map(|term| term.text).collect();
        raw.given = Some(texts.join(" "));
    }

    /// Returns what runs after the command, though it stands in its redirection.
    pub(super) fn here_document<'t>(
        &mut self,
        node: Node<'t>,
        raw: &mut Raw,
        context: &Context,
    ) -> Vec<Node<'t>> {
        let mut later = Vec::new();
        for (child, field) in children(node) {
            match (child.kind(), field) {
                ("heredoc_body", _) => {
                    raw.given = Some(self.slice(child).to_owned());
                    self.inside(child, context);
                }
                ("file_redirect", _) => later.extend(self.file_redirect(child, raw, context)),
                ("herestring_redirect", _) => self.here_string(child, raw, context),
                ("heredoc_start" | "heredoc_end" | "file_descriptor", _) => {}
                (_, Some("argument")) => {
                    self.inside(child, context);
                    raw.words.extend(self.terms(child));
                }
                _ if child.is_named() => later.push(child),
                _ => {}
            }
        }
        later
    }
}

/// The command that a redirection at the end belongs to.
fn last_command(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..MAX_LEVELS {
        if node.kind() == "command" {
            return Some(node);
        }
        node = children(node)
            .into_iter()
            .map(|(child, _)| child)
            .rfind(|child| child.is_named())?;
    }
    None
}
