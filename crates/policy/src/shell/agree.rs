//! Whether the grammar reads a line as the plain reading does. It knows a few
//! kinds of nodes and refuses all others, with the reason that a person sees.

use super::grammar::{MAX_LEVELS, children};
use super::plain::PlainCommand;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Whether the tree says the same as the plain reading: the same words at the
/// same places, and a command where a command is. Why not, otherwise.
pub(super) fn agrees(tree: &Tree, plain: &[PlainCommand]) -> Result<(), String> {
    let root = tree.root_node();
    if root.has_error() {
        return Err("it isn't a complete shell command".into());
    }
    let mut places = Places::default();
    places.visit(root, 0)?;
    let heads: Vec<usize> = plain
        .iter()
        .filter_map(|command| command.words.first())
        .map(|word| word.range.start)
        .collect();
    let in_test = |range: &Range<usize>| {
        places
            .tests
            .iter()
            .any(|test| test.start <= range.start && range.end <= test.end)
    };
    let words: Vec<Range<usize>> = plain
        .iter()
        .flat_map(|command| command.ranges.iter().cloned())
        .filter(|range| !in_test(range))
        .collect();
    places.words.sort_by_key(|range| range.start);
    if places.heads == heads && places.words == words {
        return Ok(());
    }
    Err("shells read it in different ways".into())
}

/// Where the tree sees commands and words.
#[derive(Default)]
struct Places {
    heads: Vec<usize>,
    words: Vec<Range<usize>>,
    /// `[ … ]`, which the grammar takes apart in its own way.
    tests: Vec<Range<usize>>,
}

impl Places {
    fn visit(&mut self, node: Node<'_>, level: usize) -> Result<(), String> {
        if level > MAX_LEVELS {
            return Err("it is nested too deeply".into());
        }
        match node.kind() {
            "program"
            | "list"
            | "pipeline"
            | "redirected_statement"
            | "subshell"
            | "compound_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "negated_command" => {
                for (child, _) in children(node) {
                    match child.kind() {
                        "&&" | "||" | "|" | ";" | "\n" | "(" | ")" | "{" | "}" | "if" | "then"
                        | "elif" | "else" | "fi" | "!" => {}
                        "herestring_redirect" => self.text(child)?,
                        "file_redirect" => self.redirect(child)?,
                        _ if child.is_named() => self.visit(child, level + 1)?,
                        token => return Err(format!("it uses `{token}`")),
                    }
                }
                Ok(())
            }
            "command" => self.command(node),
            "test_command" if node.child(0).is_some_and(|first| first.kind() == "[") => {
                self.heads.push(node.start_byte());
                self.tests.push(node.byte_range());
                plain_inside(node)
            }
            kind => Err(refusal(kind)),
        }
    }

    fn command(&mut self, node: Node<'_>) -> Result<(), String> {
        for (child, _) in children(node) {
            match child.kind() {
                "file_redirect" => self.redirect(child)?,
                "herestring_redirect" => self.text(child)?,
                "command_name" => {
                    self.heads.push(child.start_byte());
                    self.word(child)?;
                }
                _ => self.word(child)?,
            }
        }
        Ok(())
    }

    fn redirect(&mut self, node: Node<'_>) -> Result<(), String> {
        for (child, field) in children(node) {
            if field == Some("destination") {
                self.word(child)?;
            }
        }
        Ok(())
    }

    fn text(&mut self, node: Node<'_>) -> Result<(), String> {
        for (child, _) in children(node) {
            if child.is_named() {
                self.word(child)?;
            }
        }
        Ok(())
    }

    fn word(&mut self, node: Node<'_>) -> Result<(), String> {
        plain_inside(node)?;
        self.words.push(node.byte_range());
        Ok(())
    }
}

/// Whether nothing in a word is for the shell to work out.
fn plain_inside(node: Node<'_>) -> Result<(), String> {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        for (child, _) in children(node) {
            match child.kind() {
                "word"
                | "number"
                | "string"
                | "string_content"
                | "raw_string"
                | "concatenation"
                | "variable_assignment"
                | "variable_name"
                | "command_name"
                | "unary_expression"
                | "binary_expression"
                | "test_operator" => {
                    waiting.push(child);
                }
                kind if child.is_named() => return Err(refusal(kind)),
                _ => {}
            }
        }
    }
    match node.kind() {
        "word"
        | "number"
        | "string"
        | "raw_string"
        | "concatenation"
        | "command_name"
        | "variable_assignment"
        | "test_command" => Ok(()),
        kind if node.is_named() => Err(refusal(kind)),
        _ => Ok(()),
    }
}

fn refusal(kind: &str) -> String {
    let what = match kind {
        "command_substitution" => "the output of another command",
        "process_substitution" => "a command in place of a file",
        "simple_expansion" | "expansion" => "a variable",
        "variable_assignment" | "variable_assignments" | "declaration_command" => {
            return "it sets a variable".into();
        }
        "arithmetic_expansion" => "arithmetic",
        "subshell" | "compound_statement" => "a group of commands",
        "function_definition" => "a function",
        "heredoc_redirect" | "herestring_redirect" => "a here-document or here-string",
        "comment" => return "it has a comment".into(),
        "ansi_c_string" | "translated_string" => "special quoting",
        "if_statement"
        | "while_statement"
        | "for_statement"
        | "case_statement"
        | "c_style_for_statement" => "a condition or a loop",
        "negated_command" => "`!`",
        _ => "syntax that isn't plain",
    };
    format!("it uses {what}")
}
