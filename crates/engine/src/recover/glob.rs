//! Which files a glob of the shell would name, generously: it may find more
//! than the shell does, never less. Good for keeping, not for deciding.

use std::ops::ControlFlow;
use tenon_tools::Workspace;
use tenon_tools::workspace::{Ignored, WalkOptions};
use tokio_util::sync::CancellationToken;

/// Entries that are looked at for one glob.
const LIMIT: usize = 100_000;

/// The paths, relative to the root, that a glob relative to it may name.
pub(super) fn expand(
    workspace: &Workspace,
    glob: &str,
    token: &CancellationToken,
) -> Option<Vec<String>> {
    let parts: Vec<&str> = glob
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let fixed = parts.iter().take_while(|part| !has_magic(part)).count();
    let base = match parts.get(..fixed)? {
        [] => String::from("."),
        names => names.join("/"),
    };
    let patterns: Vec<Vec<Piece>> = parts
        .get(fixed..)?
        .iter()
        .map(|part| pieces(part))
        .collect();
    let options = WalkOptions {
        depth: Some(patterns.len()),
        ignored: Ignored::Include,
        limit: LIMIT,
    };
    // A folder that is not there holds nothing that could be lost.
    let Ok(walk) = workspace.walk(&base, &options) else {
        return Some(Vec::new());
    };
    let mut found = Vec::new();
    walk.each(|entry| {
        let names: Vec<_> = entry
            .relative()
            .iter()
            .map(|name| name.to_string_lossy())
            .collect();
        let matches = names.len() == patterns.len()
            && names
                .iter()
                .zip(&patterns)
                .all(|(name, pattern)| fits(pattern, name));
        if matches {
            found.push(walk.shown(entry));
        }
        if token.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    Some(found)
}

pub(super) fn has_magic(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Any,
    One,
    Is(char),
}

/// `[abc]` counts as any one character.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        pieces.push(match next {
            '*' => Piece::Any,
            '?' => Piece::One,
            '[' => {
                let tail = rest.as_str();
                match tail.char_indices().skip(1).find(|(_, c)| *c == ']') {
                    Some((at, _)) => {
                        rest = tail.get(at + 1..).unwrap_or_default().chars();
                        Piece::One
                    }
                    None => Piece::Is('['),
                }
            }
            '\\' => Piece::Is(rest.next().unwrap_or('\\')),
            other => Piece::Is(other),
        });
    }
    pieces
}

/// Whether a name fits. Linear: each `*` is tried again only from the last one.
fn fits(pattern: &[Piece], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some(Piece::Any) => {
                star = Some((at, seen));
                at += 1;
            }
            Some(Piece::One) => {
                at += 1;
                seen += 1;
            }
            Some(Piece::Is(wanted)) if name.get(seen) == Some(wanted) => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                Some((from, tried)) => {
                    at = from + 1;
                    seen = tried + 1;
                    star = Some((from, seen));
                }
                None => return false,
            },
        }
    }
    pattern
        .get(at..)
        .is_some_and(|rest| rest.iter().all(|piece| *piece == Piece::Any))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_finds_at_least_what_the_shell_would() {
        let cases = [
            ("*.o", "a.o", true),
            ("*.o", "a.c", false),
            ("*", ".hidden", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[ab]*", "x1", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "ab.", false),
            ("[", "[", true),
            ("\\*", "x", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(fits(&pieces(pattern), name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        let pattern = pieces(&"*a".repeat(200));
        assert!(!fits(&pattern, &"a".repeat(150)));
    }
}
