//! Calls in tokens that stand for nothing else: those of Qwen and Hermes, of
//! GLM, Mistral, Llama, DeepSeek, Kimi, gpt-oss, and tags that invoke.

use super::cursor::{Call, Cursor, name};
use super::place::{Place, is_said};
use super::shape::{Sign, calls};
use super::{Ending, Found, MOST_CALLS, Source};
use serde_json::{Map, Value};

/// Places that look like a call and are none, before looking is given up: a
/// hostile text must not cost the square of its length.
const MOST_MISSES: usize = 32;
/// The same for places that are only shown.
const MOST_SHOWN: usize = 256;
/// The head of a call is short.
const HEAD: usize = 256;

/// Some write their tags with a namespace before the name.
const NAMESPACES: &[&str] = &["", "antml:", "｜DSML｜", "minimax:"];

/// What can come after the first character of an opening.
const SECOND: &str = "tfiam｜|T";

/// Tags that open a call, and how they go on.
const TAGS: &[(&str, Kind)] = &[
    ("tool_call>", Kind::Wrapper),
    ("tool_calls>", Kind::Wrapper),
    ("function_call>", Kind::Wrapper),
    ("function_calls>", Kind::Wrapper),
    ("function=", Kind::Function),
    ("invoke ", Kind::Invoke),
];

/// Tokens that open a call.
const TOKENS: &[(&str, Kind)] = &[
    ("<|tool_call|>", Kind::Wrapper),
    ("[TOOL_CALLS]", Kind::Mistral),
    ("<|python_tag|>", Kind::Wrapper),
    ("<｜tool▁calls▁begin｜>", Kind::Separated),
    ("<｜tool▁call▁begin｜>", Kind::Separated),
    ("<|tool_calls_section_begin|>", Kind::Separated),
    ("<|tool_call_begin|>", Kind::Separated),
    ("<|start|>assistant", Kind::Channel),
    ("<|channel|>", Kind::Channel),
];

/// Tags and tokens that may stand between and after calls.
const CLOSING_TAGS: &[&str] = &[
    "tool_call>",
    "tool_calls>",
    "function_call>",
    "function_calls>",
    "function>",
    "invoke>",
];
const CLOSING_TOKENS: &[&str] = &[
    "<|/tool_call|>",
    "[/TOOL_CALLS]",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<｜end▁of▁sentence｜>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<|call|>",
    "<|end|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "</s>",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wrapper,
    Function,
    Invoke,
    Mistral,
    Separated,
    Channel,
}

/// The calls that end the text.
pub(super) fn find(text: &str, ending: Ending, source: Source) -> Option<Found> {
    let mut found = Found {
        calls: Vec::new(),
        start: 0,
    };
    let mut at = 0;
    let (mut misses, mut shown) = (0, 0);
    let mut place = Place::default();
    while let Some(opening) = next_opening(text, at) {
        let began = !found.calls.is_empty();
        // Something was said after a call: those were examples.
        if began && !text[at..opening.at].trim().is_empty() {
            return None;
        }
        let quoted = !began && place.is_quoted(text, opening.at);
        let read = (!quoted).then(|| read(text, &opening, ending)).flatten();
        match read {
            Some((calls, end)) => {
                if !began {
                    found.start = opening.at;
                }
                let form = opening.form();
                found
                    .calls
                    .extend(calls.into_iter().map(|call| (call, form)));
                if found.calls.len() > MOST_CALLS {
                    return None;
                }
                at = skip_closing(text, end);
            }
            None if began => return None,
            None => {
                misses += usize::from(!quoted);
                shown += usize::from(quoted);
                if misses > MOST_MISSES || shown > MOST_SHOWN {
                    return None;
                }
                at = opening.after;
            }
        }
    }
    let ends = text[at..].trim().is_empty();
    let whole = ends && !found.calls.is_empty();
    (whole && is_said(text, found.start, source)).then_some(found)
}

struct Opening {
    at: usize,
    after: usize,
    kind: Kind,
    name: &'static str,
}

impl Opening {
    /// How people know it.
    fn form(&self) -> &'static str {
        match self.kind {
            Kind::Wrapper if self.name == "<|python_tag|>" => "<|python_tag|>",
            Kind::Wrapper => "<tool_call>",
            Kind::Function => "<function=…>",
            Kind::Invoke => "<invoke …>",
            Kind::Mistral => "[TOOL_CALLS]",
            Kind::Separated => "<tool_call_begin>",
            Kind::Channel => "<|channel|>",
        }
    }
}

fn next_opening(text: &str, from: usize) -> Option<Opening> {
    let mut at = from;
    loop {
        at += text[at..].find(['<', '['])?;
        let second = text[at + 1..].chars().next();
        if !second.is_some_and(|c| SECOND.contains(c)) {
            at += 1;
            continue;
        }
        let mut cursor = Cursor::new(text, at);
        let token = TOKENS.iter().find(|(token, _)| cursor.eat(token));
        let tag = || TAGS.iter().find(|(tag, _)| eat_tag(&mut cursor, "<", tag));
        let known = token.or_else(tag).copied();
        if let Some((name, kind)) = known {
            return Some(Opening {
                at,
                after: cursor.at(),
                kind,
                name,
            });
        }
        at += 1;
    }
}

/// A tag with any namespace. `bracket` is `<` or `</`.
fn eat_tag(cursor: &mut Cursor<'_>, bracket: &str, tag: &str) -> bool {
    let begin = *cursor;
    for namespace in NAMESPACES {
        if cursor.eat(bracket) && cursor.eat(namespace) && cursor.eat(tag) {
            return true;
        }
        *cursor = begin;
    }
    false
}

fn skip_closing(text: &str, from: usize) -> usize {
    let mut cursor = Cursor::new(text, from);
    loop {
        cursor.skip_space();
        let closed = cursor.eat_any(CLOSING_TOKENS)
            || CLOSING_TAGS
                .iter()
                .any(|tag| eat_tag(&mut cursor, "</", tag));
        if !closed {
            return cursor.at();
        }
    }
}

/// The calls that begin at an opening, and where they end.
fn read(text: &str, opening: &Opening, ending: Ending) -> Option<(Vec<Call>, usize)> {
    let mut cursor = Cursor::new(text, opening.after);
    let calls = match opening.kind {
        Kind::Wrapper => wrapped(&mut cursor, ending)?,
        Kind::Function => vec![function(&mut cursor, ending)?],
        Kind::Invoke => vec![invoke(&mut cursor)?],
        Kind::Mistral => mistral(&mut cursor)?,
        Kind::Separated => vec![separated(&mut cursor)?],
        Kind::Channel => vec![channel(&mut cursor)?],
    };
    Some((calls, cursor.at()))
}

/// What stands in `<tool_call>`: JSON, inner tags, or a name and its fields.
fn wrapped(cursor: &mut Cursor<'_>, ending: Ending) -> Option<Vec<Call>> {
    cursor.skip_space();
    // `<tool_calls><tool_call>`: one more layer, not more.
    if ["tool_call>", "function_call>"]
        .iter()
        .any(|tag| eat_tag(cursor, "<", tag))
    {
        cursor.skip_space();
    }
    let fenced = cursor.eat("```json") || cursor.eat("```");
    cursor.skip_space();
    if cursor.rest().starts_with(['{', '[']) {
        let found = objects(cursor)?;
        cursor.skip_space();
        return (!fenced || cursor.eat("```")).then_some(found);
    }
    if eat_tag(cursor, "<", "function=") {
        return Some(vec![function(cursor, ending)?]);
    }
    if eat_tag(cursor, "<", "invoke ") {
        return Some(vec![invoke(cursor)?]);
    }
    Some(vec![keyed(cursor, ending)?])
}

/// A name, and then either an object or `<arg_key>` and `<arg_value>` in turn.
fn keyed(cursor: &mut Cursor<'_>, ending: Ending) -> Option<Call> {
    let called = cursor.name()?;
    cursor.skip_space();
    if cursor.rest().starts_with('{') {
        let arguments = cursor.object()?;
        return Some(Call {
            name: called,
            arguments,
        });
    }
    let mut arguments = Map::new();
    while cursor.eat("<arg_key>") {
        let key = cursor.until("</arg_key>", HEAD)?.trim().to_owned();
        cursor.skip_space();
        if !cursor.eat("<arg_value>") {
            return None;
        }
        let value = value(cursor, &|cursor| cursor.eat("</arg_value>"))?;
        arguments.insert(key, value);
        cursor.skip_space();
    }
    let mut ahead = *cursor;
    let closed = CLOSING_TAGS
        .iter()
        .any(|tag| eat_tag(&mut ahead, "</", tag));
    // Without any sign of the form this is a word after a tag; a cut call may
    // lack whole arguments.
    let whole = closed || (ending == Ending::Whole && !arguments.is_empty());
    whole.then_some(Call {
        name: called,
        arguments,
    })
}

/// `<function=read><parameter=path>a</parameter></function>`
fn function(cursor: &mut Cursor<'_>, ending: Ending) -> Option<Call> {
    let called = name(cursor.until(">", HEAD)?)?;
    cursor.skip_space();
    if cursor.rest().starts_with('{') {
        let arguments = cursor.object()?;
        return Some(Call {
            name: called,
            arguments,
        });
    }
    let mut arguments = Map::new();
    while eat_tag(cursor, "<", "parameter=") {
        let key = cursor.until(">", HEAD)?.trim().to_owned();
        let value = parameter(cursor, "parameter=", "function>")?;
        arguments.insert(key, value);
        cursor.skip_space();
    }
    let closed = eat_tag(cursor, "</", "function>");
    // A cut call may lack whole parameters.
    let whole = closed || (ending == Ending::Whole && !arguments.is_empty());
    whole.then_some(Call {
        name: called,
        arguments,
    })
}

/// `<invoke name="read"><parameter name="path">a</parameter></invoke>`
fn invoke(cursor: &mut Cursor<'_>) -> Option<Call> {
    let called = name(attribute(cursor.until(">", HEAD)?, "name")?)?;
    cursor.skip_space();
    let mut arguments = Map::new();
    while eat_tag(cursor, "<", "parameter ") {
        let key = attribute(cursor.until(">", HEAD)?, "name")?.to_owned();
        let value = parameter(cursor, "parameter ", "invoke>")?;
        arguments.insert(key, value);
        cursor.skip_space();
    }
    eat_tag(cursor, "</", "invoke>").then_some(Call {
        name: called,
        arguments,
    })
}

fn attribute<'t>(head: &'t str, key: &str) -> Option<&'t str> {
    let rest = head.trim_start().strip_prefix(key)?.trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Some(rest[1..].split_once(quote)?.0)
}

/// The value of a parameter. Some leave its closing tag out, and go on with the
/// next one on a line of its own.
fn parameter(cursor: &mut Cursor<'_>, next: &str, outer: &str) -> Option<Value> {
    value(cursor, &|cursor| {
        if eat_tag(cursor, "</", "parameter>") {
            return true;
        }
        let own_line = cursor.before() == Some('\n');
        let mut ahead = *cursor;
        own_line && (eat_tag(&mut ahead, "<", next) || eat_tag(&mut ahead, "</", outer))
    })
}

/// The text up to an end that `ends` recognises and passes.
fn value(cursor: &mut Cursor<'_>, ends: &dyn Fn(&mut Cursor<'_>) -> bool) -> Option<Value> {
    let start = *cursor;
    loop {
        let next = cursor.rest().find('<')?;
        cursor.advance(next);
        let text = &start.rest()[..cursor.at() - start.at()];
        if ends(cursor) {
            return Some(Value::String(without_outer_breaks(text).to_owned()));
        }
        cursor.advance(1);
    }
}

/// The line breaks next to the tags are the template's.
fn without_outer_breaks(text: &str) -> &str {
    let text = text
        .strip_prefix("\r\n")
        .or_else(|| text.strip_prefix('\n'))
        .unwrap_or(text);
    text.strip_suffix("\r\n")
        .or_else(|| text.strip_suffix('\n'))
        .unwrap_or(text)
}

/// `[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]read[ARGS]{…}`.
fn mistral(cursor: &mut Cursor<'_>) -> Option<Vec<Call>> {
    cursor.skip_space();
    if cursor.rest().starts_with(['{', '[']) {
        return objects(cursor);
    }
    let called = cursor.name()?;
    if cursor.eat("[CALL_ID]") {
        cursor.name()?;
    }
    cursor.eat("[ARGS]");
    cursor.skip_space();
    let arguments = cursor.object()?;
    Some(vec![Call {
        name: called,
        arguments,
    }])
}

/// JSON values one after the other, each a call or a list of calls.
fn objects(cursor: &mut Cursor<'_>) -> Option<Vec<Call>> {
    let mut all = calls(cursor.json()?, Sign::Tokens)?;
    loop {
        let mut ahead = *cursor;
        ahead.skip_space();
        ahead.eat_any(&[";", ","]);
        ahead.skip_space();
        if !ahead.rest().starts_with('{') || all.len() > MOST_CALLS {
            return Some(all);
        }
        all.extend(calls(ahead.json()?, Sign::Tokens)?);
        *cursor = ahead;
    }
}

/// DeepSeek: `function<｜tool▁sep｜>read` and a block of JSON, or
/// `read<｜tool▁sep｜>{…}`. Kimi: `functions.read:0<|tool_call_argument_begin|>{…}`.
fn separated(cursor: &mut Cursor<'_>) -> Option<Call> {
    cursor.skip_space();
    cursor.eat_any(&["<｜tool▁call▁begin｜>", "<|tool_call_begin|>"]);
    cursor.skip_space();
    let mut called = cursor.name()?;
    cursor.skip_space();
    if !cursor.eat_any(&["<｜tool▁sep｜>", "<|tool_call_argument_begin|>"]) {
        return None;
    }
    cursor.skip_space();
    if called == "function" {
        called = cursor.name()?;
        cursor.skip_space();
    }
    let fenced = cursor.eat("```json") || cursor.eat("```");
    cursor.skip_space();
    let arguments = cursor.object()?;
    cursor.skip_space();
    if fenced && !cursor.eat("```") {
        return None;
    }
    Some(Call {
        name: called,
        arguments,
    })
}

/// gpt-oss: `<|channel|>commentary to=functions.read <|constrain|>json<|message|>{…}`
fn channel(cursor: &mut Cursor<'_>) -> Option<Call> {
    let head = cursor.until("<|message|>", HEAD)?;
    let to = head.split_once("to=")?.1;
    let end = to
        .find(|c: char| c.is_whitespace() || c == '<')
        .unwrap_or(to.len());
    let called = name(&to[..end])?;
    cursor.skip_space();
    let arguments = cursor.object()?;
    Some(Call {
        name: called,
        arguments,
    })
}
