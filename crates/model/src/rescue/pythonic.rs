//! `[read(path="a"), list()]`: how Llama 4 and Gemma write calls. It looks much
//! like prose and code, so it counts only when it is the whole message and
//! every name is a tool.

use super::Found;
use super::cursor::{Call, Cursor};
use serde_json::{Map, Number, Value};

const DEPTH: usize = 16;
const FORM: &str = "calls in Python's form";

pub(super) fn find(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Option<Found> {
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    let start = cursor.at();
    let fenced = cursor.eat("```tool_code");
    cursor.skip_space();
    let listed = cursor.eat("[");
    if !listed && !fenced {
        return None;
    }
    let mut calls = Vec::new();
    loop {
        let call = call(&mut cursor)?;
        if !is_tool(&call.name) {
            return None;
        }
        calls.push((call, FORM));
        cursor.skip_space();
        if !cursor.eat(",") {
            break;
        }
    }
    if listed && !cursor.eat("]") {
        return None;
    }
    cursor.skip_space();
    if fenced && !cursor.eat("```") {
        return None;
    }
    cursor.skip_space();
    cursor.is_at_end().then_some(Found { calls, start })
}

fn call(cursor: &mut Cursor<'_>) -> Option<Call> {
    cursor.skip_space();
    let name = cursor.name()?;
    if !cursor.eat("(") {
        return None;
    }
    let mut arguments = Map::new();
    loop {
        cursor.skip_space();
        if cursor.eat(")") {
            break;
        }
        let key = cursor.name()?;
        cursor.skip_space();
        if !cursor.eat("=") {
            return None;
        }
        cursor.skip_space();
        arguments.insert(key, value(cursor, 0)?);
        cursor.skip_space();
        if !cursor.eat(",") && !cursor.rest().starts_with(')') {
            return None;
        }
    }
    Some(Call { name, arguments })
}

fn value(cursor: &mut Cursor<'_>, depth: usize) -> Option<Value> {
    if depth > DEPTH {
        return None;
    }
    let rest = cursor.rest();
    if rest.starts_with(['"', '\'']) {
        return string(cursor).map(Value::String);
    }
    if cursor.eat("[") {
        return list(cursor, depth);
    }
    if cursor.eat("{") {
        return dictionary(cursor, depth);
    }
    for (word, value) in [
        ("True", Value::Bool(true)),
        ("true", Value::Bool(true)),
        ("False", Value::Bool(false)),
        ("false", Value::Bool(false)),
        ("None", Value::Null),
        ("null", Value::Null),
    ] {
        if cursor.eat(word) {
            return Some(value);
        }
    }
    number(cursor)
}

fn list(cursor: &mut Cursor<'_>, depth: usize) -> Option<Value> {
    let mut items = Vec::new();
    loop {
        cursor.skip_space();
        if cursor.eat("]") {
            return Some(Value::Array(items));
        }
        items.push(value(cursor, depth + 1)?);
        cursor.skip_space();
        if !cursor.eat(",") && !cursor.rest().starts_with(']') {
            return None;
        }
    }
}

fn dictionary(cursor: &mut Cursor<'_>, depth: usize) -> Option<Value> {
    let mut fields = Map::new();
    loop {
        cursor.skip_space();
        if cursor.eat("}") {
            return Some(Value::Object(fields));
        }
        let key = string(cursor)?;
        cursor.skip_space();
        if !cursor.eat(":") {
            return None;
        }
        cursor.skip_space();
        fields.insert(key, value(cursor, depth + 1)?);
        cursor.skip_space();
        if !cursor.eat(",") && !cursor.rest().starts_with('}') {
            return None;
        }
    }
}

fn string(cursor: &mut Cursor<'_>) -> Option<String> {
    let quote = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| cursor.eat(quote))?;
    let mut out = String::new();
    loop {
        if cursor.eat(quote) {
            return Some(out);
        }
        let character = cursor.next()?;
        if character != '\\' {
            out.push(character);
            continue;
        }
        match cursor.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            same @ ('\\' | '\'' | '"') => out.push(same),
            '\n' => {}
            other => {
                out.push('\\');
                out.push(other);
            }
        }
    }
}

fn number(cursor: &mut Cursor<'_>) -> Option<Value> {
    let rest = cursor.rest();
    let of_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    let end = rest.find(|c| !of_number(c)).unwrap_or(rest.len());
    let text = &rest[..end];
    let number = match text.parse::<i64>() {
        Ok(whole) => Number::from(whole),
        Err(_) => Number::from_f64(text.parse().ok()?)?,
    };
    cursor.advance(end);
    Some(Value::Number(number))
}
