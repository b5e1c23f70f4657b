//! Reasoning that a server left in the text: `<think>…</think>` at its start,
//! and the other tags that models are trained with. Splits while the text
//! streams. A tag inside an answer is an answer's business: once answer text
//! has begun nothing is taken out of it here.

/// What opens reasoning and what closes it.
const PAIRS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    (
        "<|start|>assistant<|channel|>analysis<|message|>",
        "<|end|>",
    ),
];
/// Closing tags that say it even without an opening one.
const CLOSES: &[&str] = &["</think>", "</thinking>", "[/THINK]"];
/// What stands before an answer and is no part of it.
const LEADS: &[&str] = &[
    "<|channel|>final<|message|>",
    "<|start|>assistant<|channel|>final<|message|>",
];
/// White space before a tag is held back up to here; more of it is an answer's.
const MAX_LEADING_SPACE: usize = 1024;
/// Closing tags in a text that are looked at, so that a text of nothing else is
/// not read again for each.
const MOST_CLOSES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Answer,
    Reasoning,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Only white space so far.
    #[default]
    Start,
    /// White space after a closed block, which goes with the block.
    AfterBlock,
    Inside {
        open: &'static str,
        close: &'static str,
        depth: usize,
    },
    Answer,
}

/// How the text stood when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Regular,
    /// Inside reasoning, though a closing tag had come: the tags did not match,
    /// and the answer was taken for reasoning.
    Unbalanced,
    /// No block was ever opened.
    Plain,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ThinkSplitter {
    state: State,
    held: String,
    /// The last character given out, because a tag in quotes is a quotation.
    previous: Option<char>,
    closed: usize,
    opened: usize,
}

impl ThinkSplitter {
    pub(crate) fn push(&mut self, text: &str, sink: &mut dyn FnMut(Channel, &str)) {
        if self.state == State::Answer && self.held.is_empty() {
            sink(Channel::Answer, text);
            return;
        }
        self.held.push_str(text);
        let held = std::mem::take(&mut self.held);
        let mut rest: &str = &held;
        while let Some(next) = self.step(rest, sink) {
            rest = next;
        }
        // `step` stops where it needs more text; that much waits.
        rest.clone_into(&mut self.held);
        if self.state == State::Answer {
            let rest = std::mem::take(&mut self.held);
            if !rest.is_empty() {
                sink(Channel::Answer, &rest);
            }
        }
    }

    /// The text has ended: what was held back is given out.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Channel, &str)) -> Ending {
        let held = std::mem::take(&mut self.held);
        let (channel, rest) = match self.state {
            // It waited for what comes after the tag: nothing does, so it closes.
            State::Inside { close, depth, .. } if held == close => {
                self.closed += 1;
                if depth == 1 {
                    self.state = State::AfterBlock;
                }
                (Channel::Answer, "")
            }
            State::Inside { .. } => (Channel::Reasoning, held.as_str()),
            State::AfterBlock => (Channel::Answer, held.trim_start()),
            State::Start | State::Answer => (Channel::Answer, held.as_str()),
        };
        if !rest.is_empty() {
            sink(channel, rest);
        }
        match self.state {
            State::Inside { .. } if self.closed > 0 => Ending::Unbalanced,
            _ if self.opened == 0 => Ending::Plain,
            _ => Ending::Regular,
        }
    }

    /// Consumes the beginning of `rest`; `None` when it needs more text.
    fn step<'t>(&mut self, rest: &'t str, sink: &mut dyn FnMut(Channel, &str)) -> Option<&'t str> {
        if rest.is_empty() {
            return None;
        }
        match self.state {
            State::Answer => None,
            State::Start | State::AfterBlock => self.step_start(rest, sink),
            State::Inside { open, close, depth } => {
                self.step_inside(rest, (open, close), depth, sink)
            }
        }
    }

    fn step_start<'t>(
        &mut self,
        rest: &'t str,
        sink: &mut dyn FnMut(Channel, &str),
    ) -> Option<&'t str> {
        let trimmed = rest.trim_start();
        for &(open, close) in PAIRS {
            if let Some(after) = trimmed.strip_prefix(open) {
                self.opened += 1;
                self.previous = None;
                self.state = State::Inside {
                    open,
                    close,
                    depth: 1,
                };
                return Some(after);
            }
        }
        // A closing tag of a block that the template opened, or one too many.
        for tag in CLOSES.iter().chain(LEADS) {
            if let Some(after) = trimmed.strip_prefix(tag) {
                self.opened += 1;
                self.state = State::AfterBlock;
                return Some(after);
            }
        }
        if trimmed.is_empty() && self.state == State::AfterBlock {
            return Some("");
        }
        let opens = PAIRS.iter().map(|(open, _)| open);
        let may_be_tag = opens
            .chain(CLOSES)
            .chain(LEADS)
            .any(|tag| tag.starts_with(trimmed));
        if may_be_tag && rest.len() <= MAX_LEADING_SPACE {
            return None;
        }
        let answer = match self.state {
            State::AfterBlock => trimmed,
            _ => rest,
        };
        self.state = State::Answer;
        sink(Channel::Answer, answer);
        Some("")
    }

    fn step_inside<'t>(
        &mut self,
        rest: &'t str,
        (open, close): (&'static str, &'static str),
        depth: usize,
        sink: &mut dyn FnMut(Channel, &str),
    ) -> Option<&'t str> {
        let Some(start) = rest.find(['<', '[']) else {
            self.reasoning(rest, sink);
            return Some("");
        };
        let (before, tag) = rest.split_at(start);
        if start > 0 {
            self.reasoning(before, sink);
            return Some(tag);
        }
        let found = [close, open]
            .into_iter()
            .find(|known| tag.starts_with(known));
        let Some(found) = found else {
            if open.starts_with(tag) || close.starts_with(tag) {
                return None;
            }
            self.reasoning(&tag[..1], sink);
            return Some(&tag[1..]);
        };
        let after = &tag[found.len()..];
        match self.quotation(after) {
            Quotation::Unknown => return None,
            Quotation::Yes => self.reasoning(found, sink),
            Quotation::No if found == close => {
                self.closed += 1;
                if depth > 1 {
                    self.reasoning(close, sink);
                }
                self.state = match depth {
                    0 | 1 => State::AfterBlock,
                    _ => State::Inside {
                        open,
                        close,
                        depth: depth - 1,
                    },
                };
            }
            Quotation::No => {
                self.reasoning(open, sink);
                self.state = State::Inside {
                    open,
                    close,
                    depth: depth + 1,
                };
            }
        }
        Some(after)
    }

    /// A tag in quotes is a quotation; after a quote alone it may be a tag.
    fn quotation(&self, after: &str) -> Quotation {
        let quote = self.previous.filter(|c| matches!(c, '`' | '"' | '\''));
        match (quote, after.chars().next()) {
            (None, _) => Quotation::No,
            (Some(_), None) => Quotation::Unknown,
            (Some(quote), Some(next)) if quote == next => Quotation::Yes,
            (Some(_), Some(_)) => Quotation::No,
        }
    }

    fn reasoning(&mut self, text: &str, sink: &mut dyn FnMut(Channel, &str)) {
        self.previous = text.chars().next_back().or(self.previous);
        sink(Channel::Reasoning, text);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotation {
    Yes,
    No,
    /// What comes next decides.
    Unknown,
}

/// Where an answer begins in a text that holds a closing tag and no opening
/// one: `reasoning…</think>answer`. A tag in a quotation, or after a mention of
/// the tags, is left alone.
pub(crate) fn stray_close(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    for _ in 0..MOST_CLOSES {
        let (start, close) = CLOSES
            .iter()
            .filter_map(|close| Some((from + text[from..].find(close)?, close)))
            .min()?;
        let (before, after) = text.split_at(start);
        let opened = PAIRS.iter().any(|(open, _)| before.contains(open));
        if opened {
            return None;
        }
        if !is_shown(before) {
            return Some((before, after[close.len()..].trim_start()));
        }
        from = start + close.len();
    }
    None
}

/// Whether what follows this text stands in a code block or in backticks.
fn is_shown(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    before.matches("```").count() % 2 == 1 || line.matches('`').count() % 2 == 1
}

/// What stands after the last closing tag of reasoning whose tags did not match.
pub(crate) fn after_last_close(reasoning: &str) -> Option<(&str, &str)> {
    let (start, close) = CLOSES
        .iter()
        .filter_map(|close| Some((reasoning.rfind(close)?, close)))
        .max()?;
    let (before, after) = reasoning.split_at(start);
    Some((before, after[close.len()..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::{Channel, Ending, ThinkSplitter, stray_close};

    fn split(pieces: &[&str]) -> (String, String, Ending) {
        let mut splitter = ThinkSplitter::default();
        let (mut reasoning, mut answer) = (String::new(), String::new());
        let mut sink = |channel: Channel, text: &str| match channel {
            Channel::Reasoning => reasoning.push_str(text),
            Channel::Answer => answer.push_str(text),
        };
        for piece in pieces {
            splitter.push(piece, &mut sink);
        }
        let ending = splitter.finish(&mut sink);
        (reasoning, answer, ending)
    }

    #[test]
    fn a_block_at_the_start_is_reasoning_wherever_the_text_is_cut() {
        let text = " <think>a < b, see `</think>` here</think>\n\nThe `</think>` tag";
        let whole = split(&[text]);
        assert_eq!(whole.0, "a < b, see `</think>` here");
        assert_eq!(whole.1, "The `</think>` tag");
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            assert_eq!(split(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(split(&letters), whole);
    }

    #[test]
    fn nested_blocks_close_together() {
        let (reasoning, answer, ending) = split(&["<think>a<think>b</think>c</think>d"]);
        assert_eq!(reasoning, "a<think>b</think>c");
        assert_eq!(answer, "d");
        assert_eq!(ending, Ending::Regular);
    }

    #[test]
    fn a_tag_that_opens_and_does_not_close_is_reported() {
        let (_, answer, ending) = split(&["<think>use <think> tags</think>answer"]);
        assert_eq!(answer, "");
        assert_eq!(ending, Ending::Unbalanced);
    }

    #[test]
    fn text_that_only_looks_like_a_tag_is_kept() {
        assert_eq!(split(&["  <thi"]).1, "  <thi");
        assert_eq!(split(&["<", "th", "ing> x"]).1, "<thing> x");
        assert_eq!(split(&["<think>x</think>  <th"]).1, "<th");
        assert_eq!(split(&["  plain"]).1, "  plain");
        assert_eq!(split(&["x <think>y</think>"]).1, "x <think>y</think>");
    }

    #[test]
    fn several_blocks_and_one_close_too_many_are_all_taken() {
        let (reasoning, answer, _) = split(&["<think>a</think>\n<think>b</think></think> c"]);
        assert_eq!((reasoning.as_str(), answer.as_str()), ("ab", "c"));
        assert_eq!(split(&["</think>\n\nanswer"]).1, "answer");
    }

    #[test]
    fn a_stray_close_splits_only_where_it_is_no_quotation() {
        assert_eq!(
            stray_close("reasoning...</think>answer"),
            Some(("reasoning...", "answer"))
        );
        assert_eq!(stray_close("write `</think>` at the end"), None);
        assert_eq!(stray_close("```\na</think>\n```"), None);
        assert_eq!(stray_close("<think> opens, </think> closes"), None);
        assert_eq!(stray_close("nothing"), None);
    }

    /// However the text is cut, the same is told of it.
    fn split_everywhere(text: &str) -> (String, String, Ending) {
        let whole = split(&[text]);
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            assert_eq!(
                split(&[&text[..cut], &text[cut..]]),
                whole,
                "{text:?} cut at {cut}"
            );
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(split(&letters), whole);
        whole
    }

    #[test]
    fn the_tags_of_other_models_are_known() {
        for (text, reasoning, answer) in [
            ("<thinking>a</thinking>b", "a", "b"),
            ("[THINK]a[/THINK]b", "a", "b"),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
                "a",
                "b",
            ),
            ("<|channel|>final<|message|>b", "", "b"),
            ("</thinking>b", "", "b"),
            ("<thinking>a <think> b</thinking>c", "a <think> b", "c"),
        ] {
            let (found, rest, _) = split_everywhere(text);
            assert_eq!(
                (found.as_str(), rest.as_str()),
                (reasoning, answer),
                "{text}"
            );
        }
        let call = "<|channel|>commentary to=functions.read<|message|>{}";
        assert_eq!(split_everywhere(call).1, call);
    }

    #[test]
    fn a_tag_after_a_quotation_closes_and_one_inside_does_not() {
        for (text, reasoning, answer) in [
            ("<think>use `foo`</think>answer", "use `foo`", "answer"),
            (
                "<think>he said \"no\"</think>answer",
                "he said \"no\"",
                "answer",
            ),
            (
                "<think>end with \"</think>\" then</think>answer",
                "end with \"</think>\" then",
                "answer",
            ),
            (
                "<think>see `<think>` here</think>answer",
                "see `<think>` here",
                "answer",
            ),
            ("<think>only `x`</think>", "only `x`", ""),
        ] {
            let (found, rest, ending) = split_everywhere(text);
            assert_eq!(
                (found.as_str(), rest.as_str()),
                (reasoning, answer),
                "{text}"
            );
            assert_eq!(ending, Ending::Regular, "{text}");
        }
    }

    #[test]
    fn a_stray_close_after_a_quoted_one_still_splits() {
        assert_eq!(
            stray_close("I must write `</think>` last</think>answer"),
            Some(("I must write `</think>` last", "answer"))
        );
        assert_eq!(
            stray_close("reasoning</thinking>\nanswer"),
            Some(("reasoning", "answer"))
        );
        assert_eq!(stray_close(&"`</think>` ".repeat(10_000)), None);
    }
}
