//! Indentation: how the one that a model sent relates to the one in the file,
//! and the same relation applied to the lines that the model wants there.
//!
//! A relation holds for all lines or not at all: one line that is out of step
//! may be what the edit is about, so it is never smoothed over.

use super::lines::{Lines, indent, is_blank};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tab,
    Spaces(usize),
}

/// Sent indentation becomes the file's: level plus `shift`, in the file's unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reindent {
    sent: Unit,
    file: Unit,
    shift: isize,
    /// Indentations whose counterpart was seen in the match itself.
    seen: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Reindent {
    /// The line as it must stand in the file.
    pub(crate) fn apply(&self, line: &[u8]) -> Vec<u8> {
        let space = indent(line);
        let rest = &line[space.len()..];
        if rest.is_empty() {
            return line.to_vec();
        }
        let mut out = self.translate(space);
        out.extend_from_slice(rest);
        out
    }

    fn translate(&self, space: &[u8]) -> Vec<u8> {
        if let Some((_, file)) = self.seen.iter().find(|(sent, _)| sent == space) {
            return file.clone();
        }
        match depth(space, self.sent) {
            Some((level, rest)) => render(self.file, level + self.shift, rest),
            // Not the style of the rest: sent as it was meant.
            None => space.to_vec(),
        }
    }
}

/// Level and left-over spaces; `None` when this is not in that unit.
fn depth(space: &[u8], unit: Unit) -> Option<(isize, usize)> {
    let tabs = space.iter().take_while(|b| **b == b'\t').count();
    let spaces = space.len() - tabs;
    if space[tabs..].contains(&b'\t') {
        return None;
    }
    match unit {
        Unit::Tab => Some((isize::try_from(tabs).ok()?, spaces)),
        Unit::Spaces(_) if tabs > 0 => None,
        Unit::Spaces(width) => Some((isize::try_from(spaces / width).ok()?, spaces % width)),
    }
}

fn render(unit: Unit, level: isize, rest: usize) -> Vec<u8> {
    let level = usize::try_from(level).unwrap_or(0);
    let mut out = match unit {
        Unit::Tab => vec![b'\t'; level],
        Unit::Spaces(width) => vec![b' '; level * width],
    };
    out.extend(std::iter::repeat_n(b' ', rest));
    out
}

/// What is known besides the matched lines: steps of the whole texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habits {
    file: Option<Unit>,
    sent_step: Option<usize>,
}

impl Habits {
    /// `sent` are all lines of the old and the new text.
    pub(crate) fn observe<'t>(lines: &Lines<'_>, sent: impl Iterator<Item = &'t [u8]>) -> Self {
        /// Enough to know a file's habit.
        const LOOKED_AT: usize = 20_000;
        let file = (0..lines.len().min(LOOKED_AT)).map(|i| lines.text(i));
        Self {
            file: habit(file),
            sent_step: match habit(sent) {
                Some(Unit::Spaces(step)) => Some(step),
                _ => None,
            },
        }
    }
}

/// Tabs, or the most frequent step from one line to a deeper one.
fn habit<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Option<Unit> {
    let mut tabs = 0_usize;
    let mut spaced = 0_usize;
    let mut steps = [0_usize; 9];
    let mut last = 0;
    for text in texts {
        let space = indent(text);
        if space.len() == text.len() {
            continue;
        }
        if space.first() == Some(&b'\t') {
            tabs += 1;
            continue;
        }
        spaced += usize::from(!space.is_empty());
        if space.len() > last && space.len() - last < steps.len() {
            steps[space.len() - last] += 1;
        }
        last = space.len();
    }
    if tabs > spaced {
        return Some(Unit::Tab);
    }
    (2..steps.len())
        .filter(|step| steps[*step] > 0)
        .max_by_key(|step| (steps[*step], std::cmp::Reverse(*step)))
        .map(Unit::Spaces)
}

/// The relation that explains every pair (sent, file), or `None`.
pub(crate) fn relate(pairs: &[(&[u8], &[u8])], habits: Habits) -> Option<Reindent> {
    let sent_units = units(pairs.iter().map(|p| p.0), habits.sent_step, None);
    let file_step = match habits.file {
        Some(Unit::Spaces(step)) => Some(step),
        _ => None,
    };
    let file_units = units(pairs.iter().map(|p| p.1), file_step, habits.file);
    let mut fits = Vec::new();
    for sent in &sent_units {
        for file in &file_units {
            if let Some(shift) = constant_shift(pairs, *sent, *file) {
                fits.push((*sent, *file, shift));
            }
        }
    }
    // Another unit with no shift explains more than a shift does; a plain shift
    // (the first that fits) explains more than both at once.
    let (sent, file, shift) = fits
        .iter()
        .find(|(sent, file, shift)| *shift == 0 && sent != file)
        .or_else(|| fits.iter().find(|(sent, file, _)| sent == file))
        .or_else(|| fits.first())
        .copied()?;
    let mut seen: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for (from, to) in pairs {
        if !seen.iter().any(|(known, _)| known == from) {
            seen.push((from.to_vec(), to.to_vec()));
        }
    }
    Some(Reindent {
        sent,
        file,
        shift,
        seen,
    })
}

fn units<'t>(
    spaces: impl Iterator<Item = &'t [u8]>,
    step: Option<usize>,
    otherwise: Option<Unit>,
) -> Vec<Unit> {
    let mut any = false;
    for space in spaces {
        if space.contains(&b'\t') {
            return vec![Unit::Tab];
        }
        any |= space.iter().any(|b| is_blank(*b));
    }
    if !any && otherwise == Some(Unit::Tab) {
        return vec![Unit::Tab];
    }
    let mut widths: Vec<usize> = step.into_iter().collect();
    for width in [4, 2, 8, 3, 1] {
        if !widths.contains(&width) {
            widths.push(width);
        }
    }
    widths.into_iter().map(Unit::Spaces).collect()
}

fn constant_shift(pairs: &[(&[u8], &[u8])], sent: Unit, file: Unit) -> Option<isize> {
    let mut constant = None;
    for (from, to) in pairs {
        let (level, rest) = depth(from, sent)?;
        let (wanted, over) = depth(to, file)?;
        if rest != over || *constant.get_or_insert(wanted - level) != wanted - level {
            return None;
        }
    }
    constant
}

#[cfg(test)]
mod tests {
    use super::{Habits, relate};
    use crate::files::edit::lines::Lines;

    fn reindent(file: &str, pairs: &[(&str, &str)], sent: &[&str], line: &str) -> Option<String> {
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(a, b)| (a.as_bytes(), b.as_bytes()))
            .collect();
        let lines = Lines::of(file.as_bytes());
        let habits = Habits::observe(&lines, sent.iter().map(|s| s.as_bytes()));
        let relation = relate(&pairs, habits)?;
        String::from_utf8(relation.apply(line.as_bytes())).ok()
    }

    #[test]
    fn four_spaces_become_a_tab_at_every_depth() {
        let file = "f {\n\tif x {\n\t\ty\n\t}\n}\n";
        let pairs = [("    ", "\t"), ("        ", "\t\t")];
        assert_eq!(
            reindent(file, &pairs, &[], "            z").as_deref(),
            Some("\t\t\tz")
        );
    }

    #[test]
    fn two_spaces_become_a_tab_when_the_match_says_so() {
        let pairs = [("  ", "\t")];
        assert_eq!(
            reindent("\tx\n", &pairs, &["  x", "    y"], "    y").as_deref(),
            Some("\t\ty")
        );
    }

    #[test]
    fn a_uniform_shift_is_kept_for_new_lines() {
        let file = "a:\n    b:\n        c\n";
        let pairs = [("", "    "), ("    ", "        ")];
        assert_eq!(
            reindent(file, &pairs, &[], "        d").as_deref(),
            Some("            d")
        );
    }

    #[test]
    fn tabs_become_the_spaces_of_the_file() {
        let file = "a:\n  b:\n    c\n";
        let pairs = [("\t", "  "), ("\t\t", "    ")];
        assert_eq!(
            reindent(file, &pairs, &[], "\t\t\td").as_deref(),
            Some("      d")
        );
    }

    #[test]
    fn a_line_out_of_step_explains_nothing() {
        let pairs = [("", ""), ("    ", "        "), ("    ", "    ")];
        assert_eq!(reindent("x\n", &pairs, &[], "y"), None);
    }
}
