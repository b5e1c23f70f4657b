//! Reasoning that a server left in the text: `<think>…</think>` at its start.
//! Splits while the text streams. A tag inside an answer is an answer's
//! business: once answer text has begun nothing is taken out of it here.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// White space before a tag is held back up to here; more of it is an answer's.
const MAX_LEADING_SPACE: usize = 1024;

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
    /// The last character given out, because a tag after a backtick is a quotation.
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
            State::Inside { depth } => self.step_inside(rest, depth, sink),
        }
    }

    fn step_start<'t>(
        &mut self,
        rest: &'t str,
        sink: &mut dyn FnMut(Channel, &str),
    ) -> Option<&'t str> {
        let trimmed = rest.trim_start();
        if let Some(after) = trimmed.strip_prefix(OPEN) {
            self.opened += 1;
            self.previous = None;
            self.state = State::Inside { depth: 1 };
            return Some(after);
        }
        // A closing tag of a block that the template opened, or one too many.
        if let Some(after) = trimmed.strip_prefix(CLOSE) {
            self.opened += 1;
            self.state = State::AfterBlock;
            return Some(after);
        }
        if trimmed.is_empty() && self.state == State::AfterBlock {
            return Some("");
        }
        let may_be_tag = OPEN.starts_with(trimmed) || CLOSE.starts_with(trimmed);
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
        depth: usize,
        sink: &mut dyn FnMut(Channel, &str),
    ) -> Option<&'t str> {
        let Some(start) = rest.find('<') else {
            self.reasoning(rest, sink);
            return Some("");
        };
        let (before, tag) = rest.split_at(start);
        if start > 0 {
            self.reasoning(before, sink);
            return Some(tag);
        }
        let quoted = self.previous == Some('`');
        if !quoted && let Some(after) = tag.strip_prefix(CLOSE) {
            self.closed += 1;
            if depth > 1 {
                self.reasoning(CLOSE, sink);
                self.state = State::Inside { depth: depth - 1 };
            } else {
                self.state = State::AfterBlock;
            }
            return Some(after);
        }
        if !quoted && let Some(after) = tag.strip_prefix(OPEN) {
            self.reasoning(OPEN, sink);
            self.state = State::Inside { depth: depth + 1 };
            return Some(after);
        }
        if !quoted && (OPEN.starts_with(tag) || CLOSE.starts_with(tag)) {
            return None;
        }
        self.reasoning("<", sink);
        Some(&tag[1..])
    }

    fn reasoning(&mut self, text: &str, sink: &mut dyn FnMut(Channel, &str)) {
        self.previous = text.chars().next_back().or(self.previous);
        sink(Channel::Reasoning, text);
    }
}

/// Where an answer begins in a text that holds a closing tag and no opening
/// one: `reasoning…</think>answer`. A tag in a quotation, or after a mention of
/// the tags, is left alone.
pub(crate) fn stray_close(text: &str) -> Option<(&str, &str)> {
    let start = text.find(CLOSE)?;
    let (before, after) = text.split_at(start);
    let fenced = before.matches("```").count() % 2 == 1;
    let quoted = before
        .rsplit('\n')
        .next()
        .is_some_and(|line| line.matches('`').count() % 2 == 1);
    if fenced || quoted || before.contains(OPEN) {
        return None;
    }
    Some((before, after[CLOSE.len()..].trim_start()))
}

/// What stands after the last closing tag of reasoning whose tags did not match.
pub(crate) fn after_last_close(reasoning: &str) -> Option<(&str, &str)> {
    let start = reasoning.rfind(CLOSE)?;
    let (before, after) = reasoning.split_at(start);
    Some((before, after[CLOSE.len()..].trim_start()))
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
}
