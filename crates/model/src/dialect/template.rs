//! Finds the response in a reply and takes it apart. The last `# Agent
//! Response` counts (K2): what stands before it are drafts and thinking. One
//! inside a block is content of a file or quoted, and never opens a response,
//! unless the block is the whole reply.

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
        let mut lines = unwrapped(lines(after_thinking(text)));
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

    /// The last heading that opens a response. One in a block is content of a
    /// file, or quoted.
    pub(super) fn last_response(&self) -> Option<usize> {
        let mut starts = self.starts.iter().rev().copied();
        starts.find(|&start| self.around[start].is_none())
    }

    /// Whether the text has the sections of a response but no heading for them.
    pub(super) fn has_choice(&self) -> bool {
        self.lines.iter().enumerate().any(|(line, text)| {
            self.around[line].is_none()
                && heading(text).is_some_and(|found| found.heading == Heading::Choice)
        })
    }

    /// Whether a response is quoted, as code or otherwise.
    pub(super) fn shows_response(&self) -> bool {
        self.lines.iter().any(|line| is_response(line.trim()))
    }

    /// The lines after the heading at `start`, with the number of the first.
    pub(super) fn body(&self, start: Option<usize>) -> (usize, &[&'t str]) {
        let from = start.map_or(0, |start| start + 1);
        (from, &self.lines[from..])
    }
}

/// Whether a choice is quoted, as code or otherwise.
pub(super) fn shows_choice(body: &[&str]) -> bool {
    body.iter()
        .any(|line| heading(line.trim()).is_some_and(|found| found.heading == Heading::Choice))
}

/// The text after thinking at its beginning: drafts are no responses.
fn after_thinking(text: &str) -> &str {
    let thinking = text.trim_start().strip_prefix("<think>");
    thinking
        .and_then(|rest| rest.split_once("</think>"))
        .map_or(text, |(_, rest)| rest)
}

/// The lines without the fence that some put around the whole reply. Any text
/// before or after it makes a quotation of what is inside.
fn unwrapped(mut lines: Vec<&str>) -> Vec<&str> {
    let said = |line: &&str| !line.trim().is_empty();
    let (Some(first), Some(last)) = (lines.iter().position(said), lines.iter().rposition(said))
    else {
        return lines;
    };
    let Some(wrapper) = Fence::of(lines[first])
        .filter(|fence| matches!(fence.info, "" | "md" | "markdown" | "text"))
    else {
        return lines;
    };
    let opens = lines[first + 1..].iter().find(|line| said(line));
    let around = fenced(&lines);
    let whole = (first..=last).all(|line| around[line] == Some(first));
    if !whole || !opens.is_some_and(|line| is_response(line)) {
        return lines;
    }
    // With an even number of fences inside, the last one is the wrapper's end.
    let inside = lines[first + 1..=last].iter();
    let fences = inside.filter(|line| Fence::of(line).is_some_and(|f| f.belongs_to(&wrapper)));
    if fences.count() % 2 == 1 {
        lines.truncate(last);
    }
    lines.drain(..=first);
    lines
}

/// Whether a line begins a result as the model is given them.
pub(super) fn is_result(line: &str) -> bool {
    let text = line.trim_start();
    let head = text.get(..RESULT.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(RESULT))
}

/// Whether a line is the heading of a choice.
pub(super) fn is_choice(line: &str) -> bool {
    heading(line).is_some_and(|found| found.heading == Heading::Choice)
}

/// Where invented results begin: after a choice, outside every block. What the
/// model does with them afterwards, it does with nothing.
fn invented(lines: &[&str], around: &[Option<usize>]) -> Option<usize> {
    let mut chosen = false;
    for (number, line) in lines.iter().enumerate() {
        if around[number].is_some() {
            continue;
        }
        let found = heading(line).map(|found| found.heading);
        if chosen && (is_result(line) || found == Some(Heading::Result)) {
            return Some(number);
        }
        chosen |= found == Some(Heading::Choice);
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
pub(super) fn sections<'t>(at: usize, body: &[&'t str], tools: &[ToolSpec]) -> Sections<'t> {
    let around = fenced(body);
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
