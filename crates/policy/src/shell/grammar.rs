//! The grammar of bash, by tree-sitter: the tree of a text, and what to know of it
//! before it is believed.

use super::scan::{heads, is_too_much};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// How deep a tree may be before it is not followed: each level costs stack.
pub(super) const MAX_LEVELS: usize = 100;
/// How many steps the parser may take, in its own units.
const MAX_STEPS: usize = 20_000;

/// `None` where the text takes too long to read.
pub(super) fn parse(text: &str) -> Option<Tree> {
    if is_too_much(text) {
        return None;
    }
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let mut steps = 0;
    let mut within_bounds = |_: &_| {
        steps += 1;
        if steps > MAX_STEPS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut within_bounds);
    let bytes = &plain_bytes(text);
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(options),
    )
}

/// The text for the parser, byte for byte at its place, in ASCII and without
/// control characters. To a shell all others are parts of words. The scanner of
/// the grammar reads outside of its tables when it meets a wide character in some
/// places, and takes a zero for the end.
fn plain_bytes(text: &str) -> Vec<u8> {
    text.bytes()
        .map(|byte| match byte {
            b'\n' | b'\t' | b'\r' | b' '..=b'~' => byte,
            _ => b'%',
        })
        .collect()
}

/// The text of a node, widened to whole characters: the parser does not know
/// where they end.
pub(super) fn slice<'a>(text: &'a str, node: Node<'_>) -> &'a str {
    let (mut start, mut end) = (node.start_byte(), node.end_byte().min(text.len()));
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text.get(start..end).unwrap_or_default()
}

pub(super) fn children<'tree>(node: Node<'tree>) -> Vec<(Node<'tree>, Option<&'tree str>)> {
    let mut found = Vec::new();
    if node.child_count() == 0 {
        return found;
    }
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            found.push((cursor.node(), cursor.field_name()));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found
}

/// A word ends with its line, unless the line goes on.
fn runs_over_lines(word: &str) -> bool {
    word.match_indices('\n')
        .any(|(at, _)| !word[..at].ends_with('\\'))
}

/// Whether the tree of a part of the text sees a command wherever one could be
/// seen without a grammar. The parser reads some lines wrongly and does not say
/// so: a backslash at the start of a line makes it one with the line before.
pub(super) fn sees_commands(node: Node<'_>, text: &str, part: Range<usize>) -> bool {
    let Some(inner) = text.get(part.clone()) else {
        return false;
    };
    let mut starts = HashSet::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "word" => continue,
            "command_name"
            | "test_command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "function_definition" => {
                starts.insert(node.start_byte());
            }
            _ => {}
        }
        waiting.extend(children(node).into_iter().map(|(child, _)| child));
    }
    heads(inner)
        .into_iter()
        .all(|head| starts.contains(&(part.start + head)))
}

/// Words that begin something other than a command. Where the grammar sees a
/// command of that name, it lost its way.
const RESERVED: &[&str] = &[
    "case", "esac", "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do",
    "done", "function", "{", "}", "!",
];

/// Whether the tree passes over something that is written. The parser may drop a
/// word without calling that an error: `make -f - <<X` loses the dash.
pub(super) fn leaves_out(root: Node<'_>, text: &str) -> bool {
    let blank = |range: Range<usize>| {
        let gap = text.get(range).unwrap_or_default();
        gap.chars().all(|c| c.is_whitespace() || c == '\\')
    };
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let parts = children(node);
        if node.kind() == "command_name" && RESERVED.contains(&slice(text, node)) {
            return true;
        }
        if parts.is_empty() {
            if node.kind() == "word" && runs_over_lines(slice(text, node)) {
                return true;
            }
            continue;
        }
        // Text between quotes is not cut into tokens.
        let is_text = matches!(
            node.kind(),
            "string" | "heredoc_body" | "expansion" | "translated_string" | "regex"
        );
        if !is_text {
            let mut at = node.start_byte();
            for (child, _) in &parts {
                if child.start_byte() > at && !blank(at..child.start_byte()) {
                    return true;
                }
                at = at.max(child.end_byte());
            }
            if !blank(at..node.end_byte()) {
                return true;
            }
        }
        waiting.extend(parts.into_iter().map(|(child, _)| child));
    }
    root.start_byte() > 0 && !blank(0..root.start_byte()) || !blank(root.end_byte()..text.len())
}

/// A function that calls itself twice in one pipe, or behind `&` without any
/// condition.
pub(super) fn copies_itself(text: &str, body: Node<'_>, name: &str) -> bool {
    let mut waiting = vec![(body, 0)];
    while let Some((node, level)) = waiting.pop() {
        if node.kind() == "pipeline" && calls(text, node, name) > 1 {
            return true;
        }
        let parts = children(node);
        let straight = matches!(node.kind(), "compound_statement" | "subshell");
        let backgrounds = parts
            .windows(2)
            .any(|pair| pair[1].0.kind() == "&" && calls(text, pair[0].0, name) > 0);
        if straight && backgrounds {
            return true;
        }
        if level < MAX_LEVELS {
            waiting.extend(parts.into_iter().map(|(child, _)| (child, level + 1)));
        }
    }
    false
}

fn calls(text: &str, node: Node<'_>, name: &str) -> usize {
    let mut count = 0;
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if node.kind() == "command_name" && slice(text, node) == name {
            count += 1;
        }
        waiting.extend(children(node).into_iter().map(|(child, _)| child));
    }
    count
}
