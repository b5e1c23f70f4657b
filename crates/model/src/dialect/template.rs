//! Finds the response in a reply and takes it apart. The last `# Agent
//! Response` counts (K2): what stands before it are drafts and thinking. One
//! inside the block of another response is content of a file.

use super::forms::{Choice, choose};
use super::headings::{Heading, Style, heading, is_response};
use super::lines::{Fence, fenced, lines};
use tenon_vocab::ToolSpec;

/// How results are given to the model. A reply that holds such a line went on
/// to invent them.
pub(super) const RESULT: &str = "Tool result of ";

/// A reply as lines, with the places where responses may begin.
pub(super) struct Reply<'t> {
    pub(super) lines: Vec<&'t str>,
    /// Lines that are a response's heading, fenced or not.
    pub(super) starts: Vec<usize>,
    around: Vec<Option<usize>>,
    /// Whether invented results were cut off.
    pub(super) invented: bool,
}

/// One choice with the lines of its input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pair<'t> {
    pub(super) choice: Vec<&'t str>,
    pub(super) input: Vec<&'t str>,
    /// The line of the reply that the input begins at.
    pub(super) at: usize,
}

/// The parts of one response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sections<'t> {
    pub(super) thoughts: Vec<&'t str>,
    pub(super) tasks: Vec<&'t str>,
    pub(super) pairs: Vec<Pair<'t>>,
}

impl<'t> Reply<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lines = lines(text);
        let mut around = fenced(&lines);
        let end = invented(&lines, &around);
        if let Some(end) = end {
            lines.truncate(end);
            around.truncate(end);
        }
        let starts = (0..lines.len())
            .filter(|&line| is_response(lines[line]))
            .collect();
        Self {
            lines,
            starts,
            around,
            invented: end.is_some(),
        }
    }

    /// The last heading that opens a response and is not content of an earlier one.
    pub(super) fn last_response(&self) -> Option<usize> {
        let mut last: Option<usize> = None;
        let mut input: Option<usize> = None;
        let mut seen = 0;
        for &start in &self.starts {
            let Some(opened) = self.around[start] else {
                (last, input, seen) = (Some(start), None, start);
                continue;
            };
            for line in seen..start {
                let found = heading(self.lines[line]).map(|found| found.heading);
                if self.around[line].is_none() && found == Some(Heading::Input) {
                    input = Some(line);
                }
            }
            seen = start;
            let content = last.is_some() && input.is_some_and(|input| input < opened);
            if !content {
                (last, input) = (Some(start), None);
            }
        }
        last
    }

    /// Whether the text has the sections of a response but no heading for them.
    pub(super) fn has_choice(&self) -> bool {
        self.lines.iter().enumerate().any(|(line, text)| {
            self.around[line].is_none()
                && heading(text).is_some_and(|found| found.heading == Heading::Choice)
        })
    }

    /// The lines after the heading at `start`, without the fence that some put
    /// around the whole response; with the number of the first of them.
    pub(super) fn body(&self, start: Option<usize>) -> (usize, &[&'t str]) {
        let from = start.map_or(0, |start| start + 1);
        let body = &self.lines[from..];
        let wrapped = start.and_then(|start| {
            let before = self.lines[..start].iter().rev();
            let fence = before
                .map(|line| line.trim())
                .find(|line| !line.is_empty())?;
            Fence::of(fence).filter(|fence| matches!(fence.info, "" | "md" | "markdown" | "text"))
        });
        let Some(wrapper) = wrapped else {
            return (from, body);
        };
        let fences = |line: &&&str| Fence::of(line).is_some_and(|f| f.belongs_to(&wrapper));
        let uneven = body.iter().filter(fences).count() % 2 == 1;
        let last = body
            .iter()
            .rposition(|line| Fence::of(line).is_some_and(|fence| fence.closes(&wrapper)));
        match last {
            Some(last) if uneven => (from, &body[..last]),
            _ => (from, body),
        }
    }
}

/// Where invented results begin: after a choice, outside every block.
fn invented(lines: &[&str], around: &[Option<usize>]) -> Option<usize> {
    let mut chosen = false;
    for (number, line) in lines.iter().enumerate() {
        if around[number].is_some() {
            continue;
        }
        if chosen && line.starts_with(RESULT) {
            return Some(number);
        }
        chosen |= heading(line).is_some_and(|found| found.heading == Heading::Choice);
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Preamble,
    Thoughts,
    Tasks,
    Choice,
    Input,
}

/// Takes the lines of a response apart. `at` is the number of the first line.
/// A fence that was left open in the thoughts may hide all that follows: when
/// nothing was chosen, fences count only from the last choice on.
pub(super) fn sections<'t>(at: usize, body: &[&'t str], tools: &[ToolSpec]) -> Sections<'t> {
    let found = split(at, body, &fenced(body), tools);
    let is_choice = |line: &str| {
        heading(line).is_some_and(|f| f.heading == Heading::Choice && f.style == Style::Marked)
    };
    match body.iter().rposition(|line| is_choice(line)) {
        Some(last) if found.pairs.is_empty() => {
            let mut around = vec![None; last + 1];
            around.extend(fenced(&body[last + 1..]));
            split(at, body, &around, tools)
        }
        _ => found,
    }
}

fn split<'t>(
    at: usize,
    body: &[&'t str],
    around: &[Option<usize>],
    tools: &[ToolSpec],
) -> Sections<'t> {
    let mut sections = Sections::default();
    let mut current = At::Preamble;
    for (number, &line) in body.iter().enumerate() {
        let found = heading(line).filter(|_| around[number].is_none());
        let Some(found) =
            found.filter(|found| opens(&sections, current, *found, body, number, tools))
        else {
            push(&mut sections, current, line);
            continue;
        };
        current = match found.heading {
            Heading::Result => break,
            Heading::Thoughts => At::Thoughts,
            Heading::Tasks => At::Tasks,
            Heading::Choice => {
                sections.pairs.push(Pair::default());
                At::Choice
            }
            Heading::Input => {
                match sections.pairs.last_mut() {
                    Some(pair) => pair.at = at + number + usize::from(found.rest.is_empty()),
                    None => continue,
                }
                At::Input
            }
            Heading::Response => continue,
        };
        if !found.rest.is_empty() {
            push(&mut sections, current, found.rest);
        }
    }
    sections
}

fn push<'t>(sections: &mut Sections<'t>, current: At, line: &'t str) {
    match current {
        At::Preamble => {}
        At::Thoughts => sections.thoughts.push(line),
        At::Tasks => sections.tasks.push(line),
        At::Choice => {
            if let Some(pair) = sections.pairs.last_mut() {
                pair.choice.push(line);
            }
        }
        At::Input => {
            if let Some(pair) = sections.pairs.last_mut() {
                pair.input.push(line);
            }
        }
    }
}

/// Whether a heading ends the section it stands in. Inside an input, which may
/// be any text, only what the template still lacks does, or another choice of
/// a tool that there is.
fn opens(
    sections: &Sections<'_>,
    current: At,
    found: super::headings::Found<'_>,
    body: &[&str],
    number: usize,
    tools: &[ToolSpec],
) -> bool {
    if current != At::Input {
        return true;
    }
    match found.heading {
        Heading::Thoughts => found.style == Style::Marked && sections.thoughts.is_empty(),
        Heading::Tasks => found.style == Style::Marked && sections.tasks.is_empty(),
        Heading::Result => found.style == Style::Marked,
        Heading::Choice if found.style == Style::Marked => {
            let mut after = body[number + 1..].iter().copied();
            let named = match found.rest {
                "" => after
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or_default(),
                rest => rest,
            };
            matches!(
                chosen(&[named], tools),
                Some((_, Choice::Tool(_) | Choice::Answer))
            )
        }
        _ => false,
    }
}

/// The choice that the lines name, and the name as it was written.
pub(super) fn chosen<'s>(lines: &[&str], tools: &'s [ToolSpec]) -> Option<(String, Choice<'s>)> {
    let line = lines
        .iter()
        .map(|line| line.trim())
        .find(|line| !line.is_empty() && Fence::of(line).is_none())?;
    let name = super::headings::without_bullet(line)
        .trim_matches(['*', '_', '`', '"', '\'', ' ', '.', ':', '[', ']']);
    let first = name.split([' ', '(', ':', ',']).next().unwrap_or_default();
    let first = first.trim_matches(['*', '`', '"', '\'', '.']);
    let known = |choice: &Choice<'_>| !matches!(choice, Choice::Unknown(_));
    // A word that is no tool is a name only when it stands alone.
    let alone = first == name;
    choose(name, tools)
        .filter(known)
        .map(|choice| (name.to_owned(), choice))
        .or_else(|| {
            choose(first, tools)
                .filter(|choice| alone || known(choice))
                .map(|choice| (first.to_owned(), choice))
        })
}
