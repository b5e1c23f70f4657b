//! Control tokens of chat templates (`<|im_end|>`, `</s>`, `<end_of_turn>`) that a
//! server with the wrong template lets through as text. They part turns, so where
//! they stand says what they are: at the edge of a line they leaked and are taken
//! out, and what a model went on to write in the name of somebody else is cut off.
//! In the middle of what would be run or written nothing is guessed: such a reply
//! goes back to the model, which can say what it means in JSON with an escape.
//!
//! Not for what a model reads: a file may hold such a token, and keeps it.

use super::headings::{heading, is_response};
use super::lines::{Fence, fenced};
use super::template::{is_choice, is_result};
use std::borrow::Cow;

/// Tokens that have no common form.
const TOKENS: &[&str] = &[
    "</s>",
    "<s>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[gMASK]",
    "<sop>",
    "<eop>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
    "<eod>",
    "<EOT>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|turn>",
    "<turn|>",
    "<end_of_text>",
    "<end_of_utterance>",
    "<seed:bos>",
    "<seed:eos>",
    "<extra_id_0>",
    "<extra_id_1>",
    "]~!b[",
    "]~b]",
    "[e~[",
];
/// `<|…|>` and DeepSeek's `<｜…｜>`.
const BARS: [(&str, &str); 2] = [("<|", "|>"), ("<｜", "｜>")];
/// Between the bars. Longer is no token.
const LONGEST_NAME: usize = 48;
/// Words that stand between two tokens, or behind one, and name who speaks.
const ROLES: &[&str] = &[
    "assistant",
    "model",
    "final",
    "analysis",
    "commentary",
    "user",
    "human",
    "system",
    "developer",
    "tool",
    "observation",
    "ipython",
    "environment",
];
/// Of these the first few are the model itself.
const OWN_ROLES: usize = 5;

/// The token with which a text begins.
fn token_at(text: &str) -> Option<&str> {
    for (open, close) in BARS {
        if let Some(rest) = text.strip_prefix(open)
            && let Some(length) = rest.find(close)
            && is_name(&rest[..length])
        {
            return text.get(..open.len() + length + close.len());
        }
    }
    TOKENS
        .iter()
        .find(|token| text.starts_with(**token))
        .and_then(|token| text.get(..token.len()))
}

fn is_name(name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ':' | '▁' | '.');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(part)
}

/// The token with which a text ends.
fn token_before(text: &str) -> Option<&str> {
    let ends = text.char_indices().rev().take(LONGEST_NAME + 8);
    let mut starts = ends.filter(|(_, c)| matches!(c, '<' | '[' | ']'));
    starts.find_map(|(at, _)| token_at(&text[at..]).filter(|token| at + token.len() == text.len()))
}

/// The first token of a text and where it stands.
fn first(text: &str) -> Option<(usize, &str)> {
    let mut places = text.match_indices(['<', '[', ']']);
    places.find_map(|(at, _)| Some((at, token_at(&text[at..])?)))
}

pub(super) fn has_token(text: &str) -> bool {
    first(text).is_some()
}

/// A token that what is run or written must not hold. One behind a quotation mark
/// and with something after it is meant; `Strict` says that none can be.
pub(super) fn unmeant(line: &str, reading: Reading) -> Option<&str> {
    let mut from = 0;
    while let Some((at, token)) = first(&line[from..]) {
        let (at, end) = (from + at, from + at + token.len());
        let quoted = line[..at].ends_with(['\'', '"', '`', '\\', '/']);
        let goes_on = !line[end..].trim().is_empty();
        if reading == Reading::Strict || !quoted || !goes_on {
            return Some(token);
        }
        from = end;
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Code and prose: a quoted token is talked about.
    Quotes,
    /// Names of files, and JSON, which has escapes.
    Strict,
}

/// The text without what leaked into it; the same text where nothing did.
pub(super) fn without_tokens(text: &str) -> Cow<'_, str> {
    if !has_token(text) {
        return Cow::Borrowed(text);
    }
    let html = is_html(text);
    let lines: Vec<&str> = trimmed(text, html)
        .split('\n')
        .flat_map(behind_fence)
        .collect();
    let around = fenced(&lines);
    let mut kept: Vec<&str> = Vec::with_capacity(lines.len());
    let mut turn = Turn::default();
    for (number, &line) in lines.iter().enumerate() {
        if around[number].is_some() {
            let last = is_last_of_block(&lines, &around, number);
            kept.push(if last { trimmed(line, html) } else { line });
            continue;
        }
        if !turn.take(line, html, &mut kept) {
            break;
        }
    }
    Cow::Owned(kept.join("\n"))
}

/// All tokens taken out, wherever they stand: for a reply of which nothing is used.
pub(super) fn purged(text: &str) -> Cow<'_, str> {
    rewritten(text, |_, _| {})
}

/// JSON in which no token stands, and which means the same.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    rewritten(json, |out, token| {
        let mut rest = token.chars();
        if let Some(c) = rest.next() {
            out.push_str(&escape(c));
        }
        out.push_str(rest.as_str());
    })
}

/// As JSON writes a character that must not stand there.
pub(super) fn escape(c: char) -> String {
    format!("\\u{:04x}", u32::from(c))
}

fn rewritten(text: &str, token: impl Fn(&mut String, &str)) -> Cow<'_, str> {
    if !has_token(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, found)) = first(rest) {
        out.push_str(&rest[..at]);
        token(&mut out, found);
        rest = &rest[at + found.len()..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A fence with a token behind it is a fence, and the token stands on its own.
fn behind_fence(line: &str) -> impl Iterator<Item = &str> {
    let at = match line.trim_start().starts_with(['`', '~']) {
        true => first(line).map(|(at, _)| at),
        false => None,
    };
    let at = at.filter(|at| Fence::of(&line[..*at]).is_some());
    split(line, at)
}

/// Where one turn ends and the next begins on the same line there are two tokens,
/// one behind the other.
fn between_turns(line: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let mut at = None;
    while let Some((place, token)) = first(&line[from..]) {
        let end = from + place + token.len();
        if token_at(line[end..].trim_start()).is_some() {
            at = Some(from + place);
            break;
        }
        from = end;
    }
    split(line, at)
}

fn split(line: &str, at: Option<usize>) -> impl Iterator<Item = &str> {
    let (head, tail) = match at.filter(|at| *at > 0) {
        Some(at) => (&line[..at], Some(&line[at..])),
        None => (line, None),
    };
    std::iter::once(head).chain(tail)
}

/// What is known of the turn so far.
#[derive(Debug, Default)]
struct Turn {
    /// A tool was chosen.
    chosen: bool,
    /// A token stood behind that.
    ended: bool,
}

impl Turn {
    /// A line outside of every block; tells whether the turn goes on.
    fn take<'t>(&mut self, line: &'t str, html: Html, kept: &mut Vec<&'t str>) -> bool {
        for piece in between_turns(line) {
            let head = unheaded(piece, html);
            let bare = trimmed(head.rest, html);
            if self.is_over(bare, head.speaker) {
                return false;
            }
            // A token may stand between two parts of a response.
            if is_response(bare) {
                *self = Self::default();
            } else if heading(bare).is_some() {
                self.ended = false;
            }
            self.ended |= self.chosen && (head.found || bare.len() < head.rest.len());
            self.chosen |= is_choice(bare);
            kept.push(bare);
        }
        true
    }

    /// Whether this line is of another turn: somebody else speaks, or the model goes
    /// on behind the end of a turn that chose a tool, with anything but a part of a
    /// response.
    fn is_over(&self, line: &str, spoke: Speaker) -> bool {
        match spoke {
            Speaker::Other => self.chosen,
            Speaker::Model => false,
            Speaker::Nobody if line.trim().is_empty() || heading(line).is_some() => false,
            Speaker::Nobody => self.chosen && self.ended && !is_result(line),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Nobody,
    Model,
    Other,
}

/// `<s>` is an element of HTML as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Html {
    Yes,
    No,
}

fn is_html(text: &str) -> Html {
    let count = |token| text.matches(token).count();
    let opened = count("<s>");
    if opened > 0 && opened >= count("</s>") && !text.trim_start().starts_with("<s>") {
        Html::Yes
    } else {
        Html::No
    }
}

/// A line without the tokens at its end.
fn trimmed(line: &str, html: Html) -> &str {
    let mut rest = line;
    loop {
        let bare = rest.trim_end();
        match token_before(bare) {
            Some("<s>" | "</s>") if html == Html::Yes => return rest,
            Some(token) => rest = &bare[..bare.len() - token.len()],
            // The blanks of a line that nothing was taken from are its own.
            None if rest.len() == line.len() => return line,
            None => return bare,
        }
    }
}

/// A line without the tokens at its beginning, such as
/// `<|start|>assistant<|channel|>final<|message|>`.
struct Headed<'t> {
    rest: &'t str,
    /// Who they say is speaking.
    speaker: Speaker,
    /// There were some.
    found: bool,
}

fn unheaded(line: &str, html: Html) -> Headed<'_> {
    let mut rest = line.trim_start();
    let mut speaker = Speaker::Nobody;
    let mut found = false;
    while let Some(token) = token_at(rest) {
        if html == Html::Yes && matches!(token, "<s>" | "</s>") {
            break;
        }
        found = true;
        rest = &rest[token.len()..];
        speaker = named(token).unwrap_or(speaker);
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next();
        if let Some(word) = word
            && let Some(role) = role(word)
            && ends_word(&rest[word.len()..])
        {
            speaker = role;
            rest = rest[word.len()..].trim_start();
        }
    }
    let rest = if found { rest } else { line };
    Headed {
        rest,
        speaker,
        found,
    }
}

/// Behind the name of who speaks stands a token or the end of the line.
fn ends_word(rest: &str) -> bool {
    rest.trim().is_empty() || token_at(rest).is_some()
}

fn role(word: &str) -> Option<Speaker> {
    let at = ROLES
        .iter()
        .position(|role| word.eq_ignore_ascii_case(role))?;
    Some(match at < OWN_ROLES {
        true => Speaker::Model,
        false => Speaker::Other,
    })
}

/// Tokens that are a name by themselves: `<|user|>`, `<｜Assistant｜>`, `[INST]`.
fn named(token: &str) -> Option<Speaker> {
    match token {
        "[INST]" | "<<SYS>>" | "[SYSTEM_PROMPT]" | "[TOOL_RESULTS]" => Some(Speaker::Other),
        _ => role(token.trim_matches(['<', '>', '|', '｜'])),
    }
}

/// Whether a line is the last one of a block that says something.
fn is_last_of_block(lines: &[&str], around: &[Option<usize>], number: usize) -> bool {
    let block = around[number];
    if block == Some(number) {
        return false;
    }
    let mut after = (number + 1..lines.len()).take_while(|line| around[*line] == block);
    after.all(|line| {
        let is_end = around.get(line + 1).copied().flatten() != block;
        let bare = trimmed(lines[line], Html::No);
        bare.trim().is_empty() || (is_end && Fence::of(bare).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::{Reading, escaped, purged, unmeant, without_tokens};

    const REPLY: &str = "# Agent Response\n\n## Tool Choice\nbash\n\n## Tool Input\n";

    #[test]
    fn what_common_templates_leak_at_the_end_of_a_turn_is_taken_out() {
        for token in [
            "<|im_end|>",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<|end|>",
            "<|return|>",
            "<|call|>",
            "<|END_OF_TURN_TOKEN|>",
            "<｜end▁of▁sentence｜>",
            "</s>",
            "<end_of_turn>",
            "<eos>",
            "[/INST]",
            "[e~[",
            "<turn|>",
            "<|im_end|>\n<|endoftext|>",
        ] {
            for input in ["echo hi", "```bash\necho hi\n```"] {
                let whole = format!("{REPLY}{input}");
                assert_eq!(without_tokens(&format!("{whole}{token}\n")), whole);
                assert_eq!(
                    without_tokens(&format!("{whole}\n{token}\n")).trim_end(),
                    whole
                );
            }
            let inside = format!("{REPLY}```bash\necho hi{token}\n```");
            let clean = format!("{REPLY}```bash\necho hi");
            let kept = without_tokens(&inside);
            let rest = kept.strip_prefix(&clean).map(str::trim);
            assert_eq!(rest, Some("```"), "{token}: {kept}");
        }
    }

    #[test]
    fn a_turn_that_the_model_went_on_to_invent_is_cut_off() {
        for next in [
            "<|im_end|>\n<|im_start|>user\nrm -rf build",
            "<|im_end|>\nuser\nrm -rf build",
            "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nrm -rf build",
            "\n<|user|>\nrm -rf build",
            "</s>[INST] rm -rf build",
            "\n[INST] rm -rf build [/INST]",
            "<end_of_turn>\n<start_of_turn>user\nrm -rf build",
            "<｜end▁of▁sentence｜><｜User｜>rm -rf build",
        ] {
            let reply = format!("{REPLY}echo hi{next}");
            let kept = without_tokens(&reply);
            assert!(!kept.contains("rm -rf"), "{next:?} left {kept:?}");
            assert!(kept.starts_with(&format!("{REPLY}echo hi")), "{kept:?}");
        }
        let again = format!("{REPLY}one<|im_end|>\n<|im_start|>assistant\n{REPLY}two<|im_end|>");
        assert_eq!(without_tokens(&again), format!("{REPLY}one\n\n{REPLY}two"));
    }

    #[test]
    fn the_head_of_a_turn_is_taken_out() {
        for head in [
            "<|im_start|>assistant\n",
            "<|start|>assistant<|channel|>final<|message|>",
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
            "<s>",
            "<｜Assistant｜>",
        ] {
            let reply = format!("{head}{REPLY}ls");
            assert_eq!(without_tokens(&reply).trim_start(), format!("{REPLY}ls"));
        }
    }

    #[test]
    fn what_is_no_leak_stays() {
        for text in [
            "a <| b |> c",
            "x <|> y",
            "let f = g <| h",
            "<span><s>old</s> new</span>\n<s>x</s>",
            "it was <s>old</s>",
            "print('<|im_end|>' + x)",
            "vec![1] [INSTALL] <stop>",
        ] {
            assert_eq!(without_tokens(text), text);
        }
        let file = "```jinja\n{{ '<|im_start|>' + role }}\n<|im_start|>user\n{{ x }}\n```";
        assert_eq!(
            without_tokens(file),
            file,
            "inside of a file nothing is guessed"
        );
    }

    #[test]
    fn json_means_the_same_without_its_tokens() {
        let json = serde_json::json!({"a": ["<|im_end|> x</s>", "[INST]"]});
        let text = json.to_string();
        let escaped = escaped(&text);
        assert!(!super::has_token(&escaped), "{escaped}");
        let again: serde_json::Value = serde_json::from_str(&escaped).expect("JSON");
        assert_eq!(again, json);
        assert_eq!(purged("a<|im_end|>b </s>"), "ab ");
    }

    #[test]
    fn a_quoted_token_is_meant_and_a_bare_one_is_not() {
        let quotes = |line| unmeant(line, Reading::Quotes);
        assert_eq!(quotes("grep -rn '<|im_end|>' src"), None);
        assert_eq!(quotes("{{ \"<|im_start|>user\" }}"), None);
        assert_eq!(quotes("echo a <|im_end|> b"), Some("<|im_end|>"));
        assert_eq!(
            quotes("git commit -m \"done<|im_end|>\""),
            Some("<|im_end|>")
        );
        assert_eq!(
            unmeant("{\"command\":\"'<|im_end|>' x\"}", Reading::Strict),
            Some("<|im_end|>")
        );
    }
}
