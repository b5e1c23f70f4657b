//! The headings of the template, as models really write them: any level, any
//! case, with or without a space after the hashes, bold instead of a heading,
//! with the value on the same line.

/// What a heading opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    Response,
    Thoughts,
    Tasks,
    Choice,
    Input,
    /// A result that the model invented: nothing after it counts.
    Result,
}

/// How a heading is written. A plain one is the weakest sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Marked,
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'t> {
    pub(super) heading: Heading,
    pub(super) style: Style,
    /// What stands after it on the same line.
    pub(super) rest: &'t str,
}

/// Longer lines are prose.
const LONGEST: usize = 300;

const NAMES: &[(&str, Heading)] = &[
    ("agent response", Heading::Response),
    ("thoughts", Heading::Thoughts),
    ("thought", Heading::Thoughts),
    ("task list", Heading::Tasks),
    ("tasklist", Heading::Tasks),
    ("tool choice", Heading::Choice),
    ("toolchoice", Heading::Choice),
    ("chosen tool", Heading::Choice),
    ("tool name", Heading::Choice),
    ("tool input", Heading::Input),
    ("toolinput", Heading::Input),
    ("tool inputs", Heading::Input),
    ("tool arguments", Heading::Input),
    ("tool parameters", Heading::Input),
    ("tool result", Heading::Result),
    ("tool results", Heading::Result),
    ("tool output", Heading::Result),
    ("tool response", Heading::Result),
];

pub(super) fn heading(line: &str) -> Option<Found<'_>> {
    if line.is_empty() || line.len() > LONGEST || is_indented(line) {
        return None;
    }
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    if let Some(rest) = line.strip_prefix('#') {
        return marked(rest.trim_start_matches('#').trim_matches(['#', ' ', '\t']));
    }
    let item = without_bullet(line);
    for mark in ["**", "__"] {
        if let Some((name, rest)) = item
            .strip_prefix(mark)
            .and_then(|bold| bold.split_once(mark))
        {
            let name = name.trim().trim_end_matches(':').trim_end();
            return exact(name).map(|heading| Found {
                heading,
                style: Style::Marked,
                rest: value(rest),
            });
        }
    }
    plain(line)
}

/// Whether a line is code by its indentation: what stands there is shown, not said.
pub(super) fn is_indented(line: &str) -> bool {
    let rest = line.trim_start_matches(' ');
    line.len() - rest.len() >= 4 || rest.starts_with('\t')
}

/// Whether a line can open a response.
pub(super) fn is_response(line: &str) -> bool {
    heading(line).is_some_and(|found| found.heading == Heading::Response)
}

/// After the hashes: `Tool Choice`, `**Tool Choice:** read`, `1. Tool Choice: read`.
fn marked(text: &str) -> Option<Found<'_>> {
    let text =
        text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let text = text.trim_start_matches(['*', '_', ' ']);
    for &(name, heading) in NAMES.iter().rev() {
        let Some(rest) = strip_name(text, name) else {
            continue;
        };
        let bare = rest.trim_matches(['*', '_', ' ', ':']).is_empty();
        let valued = rest.trim_start_matches(['*', '_']).starts_with(':');
        // `## Tool Choice read`; other headings with more words are prose.
        if bare || valued || heading == Heading::Choice {
            return Some(Found {
                heading,
                style: Style::Marked,
                rest: value(rest),
            });
        }
    }
    None
}

/// `Tool Choice: read` without any mark.
fn plain(line: &str) -> Option<Found<'_>> {
    let found = |heading, rest| {
        Some(Found {
            heading,
            style: Style::Plain,
            rest: value(rest),
        })
    };
    let (name, rest) = match line.split_once(':') {
        Some(split) => split,
        None if exact(line) == Some(Heading::Response) => (line, ""),
        None => return None,
    };
    match exact(name.trim_end())? {
        heading @ (Heading::Thoughts | Heading::Tasks | Heading::Choice | Heading::Input) => {
            found(heading, rest)
        }
        Heading::Response if rest.trim().is_empty() => found(Heading::Response, rest),
        Heading::Response | Heading::Result => None,
    }
}

fn exact(name: &str) -> Option<Heading> {
    NAMES
        .iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known))
        .map(|(_, heading)| *heading)
}

/// The rest after the name, if the text begins with it and the name ends there.
fn strip_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let head = text.get(..name.len())?;
    let rest = &text[name.len()..];
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric());
    (head.eq_ignore_ascii_case(name) && ends).then_some(rest)
}

fn value(rest: &str) -> &str {
    rest.trim_start_matches(['*', '_', ' ', ':']).trim()
}

/// Without the mark of a list item.
pub(super) fn without_bullet(line: &str) -> &str {
    let line = line.trim();
    for mark in ["- ", "* ", "+ ", "• "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < line.len()
        && let Some(rest) = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    {
        return rest.trim_start();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{Heading, heading, is_response};

    #[test]
    fn headings_are_known_in_every_way_in_which_models_write_them() {
        for line in [
            "## Tool Choice",
            "##Tool Choice",
            "### tool choice",
            "## TOOL CHOICE ##",
            "**Tool Choice**",
            "**Tool Choice:**",
            "- **Tool Choice**",
            "Tool Choice:",
            "## **Tool Choice**",
            "## 3. Tool Choice",
            "  ## Tool Choice:",
            "__Tool Choice__",
        ] {
            let found = heading(line).map(|found| (found.heading, found.rest));
            assert_eq!(found, Some((Heading::Choice, "")), "{line}");
        }
    }

    #[test]
    fn a_value_on_the_line_of_its_heading_is_found() {
        for line in [
            "## Tool Choice: read",
            "Tool Choice: read",
            "**Tool Choice:** read",
            "**Tool Choice**: read",
            "## Tool Choice read",
            "## **Tool Choice:** read",
        ] {
            assert_eq!(
                heading(line).map(|found| found.rest),
                Some("read"),
                "{line}"
            );
        }
    }

    #[test]
    fn other_lines_are_no_headings() {
        for line in [
            "Tool Choice",
            "thoughts on this",
            "# Agent Responses",
            "## Tool Inputting",
            "## Plan",
            "",
            "   ",
            "#",
            "    ## Tool Choice",
            "\t# Agent Response",
            "  \t# Agent Response",
        ] {
            assert_eq!(heading(line), None, "{line}");
        }
        assert!(
            is_response("# Agent Response")
                && is_response("**agent response**")
                && is_response("Agent Response:")
        );
    }
}
