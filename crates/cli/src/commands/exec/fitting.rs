//! The JSON in an answer that must fit a schema (`--output-schema`). Models put a
//! fence around it, or a sentence before it; whoever asked wants the value alone.
//! Only where it is clear which text is meant: the whole answer, a fence around
//! the whole of it, or the one fence in it whose JSON fits.

use serde_json::Value;

/// The value as the model wrote it, without what stands around it.
///
/// # Errors
/// A sentence about why nothing in the answer fits.
pub fn bare<'a>(schema: &Value, answer: &'a str) -> Result<&'a str, String> {
    let text = answer.trim();
    let error = match parsed(text) {
        Ok(value) => {
            return tenon_tools::input::check(schema, &value).map(|()| text);
        }
        Err(error) => error,
    };
    let fenced: Vec<(&str, Value)> = fences(text)
        .into_iter()
        .filter_map(|inside| Some((inside, parsed(inside).ok()?)))
        .collect();
    let check = |value: &Value| tenon_tools::input::check(schema, value);
    // An example of what the answer does not look like may stand beside it.
    let mut fitting = fenced.iter().filter(|(_, value)| check(value).is_ok());
    match (fitting.next(), fitting.count(), fenced.as_slice()) {
        (Some((inside, _)), 0, _) => Ok(inside),
        (Some(_), more, _) => Err(format!(
            "it has {} code blocks with JSON that fit, so it is not clear which one counts",
            more + 1
        )),
        (None, _, []) => Err(format!("it isn't JSON: {error}")),
        (None, _, [(_, value)]) => check(value).map(|()| text),
        (None, _, several) => Err(format!(
            "none of its {} code blocks with JSON fits",
            several.len()
        )),
    }
}

fn parsed(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// What stands in the fences of a text, each without blanks around it. A fence
/// that is not closed goes to the end: its answer may still be whole.
fn fences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match (open, mark(line)) {
            (None, Some((sign, length, _))) => open = Some((sign, length, end)),
            (Some((sign, length, from)), Some((other, width, Bare::Yes)))
                if sign == other && width >= length =>
            {
                found.push(text[from..at].trim());
                open = None;
            }
            _ => {}
        }
        at = end;
    }
    if let Some((_, _, from)) = open {
        found.push(text[from..].trim());
    }
    found
}

/// Whether nothing stands behind the signs of a fence: only such a line closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bare {
    Yes,
    No,
}

/// The sign of a fence, how often it stands there, and what follows.
fn mark(line: &str) -> Option<(char, usize, Bare)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    let rest = &line[length..];
    let fits = length >= 3 && !(sign == '`' && rest.contains('`'));
    let bare = match rest.trim().is_empty() {
        true => Bare::Yes,
        false => Bare::No,
    };
    fits.then_some((sign, length, bare))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ok() -> Value {
        json!({
            "type": "object",
            "properties": {"ok": {"type": "boolean"}},
            "required": ["ok"],
        })
    }

    #[test]
    fn a_value_is_found_alone_in_a_fence_around_it_and_in_the_one_fence_of_a_text() {
        let value = r#"{"ok": true}"#;
        for answer in [
            value.to_owned(),
            format!("\n {value} \n"),
            format!("```json\n{value}\n```"),
            format!("```JSON5 title=x\n{value}\n```  "),
            format!("````\n{value}\n````"),
            format!("~~~json\r\n{value}\r\n~~~"),
            format!("Here it is:\n\n```json\n{value}\n```\nAnything else?"),
            format!("Run `x`:\n```sh\nls\n```\nThen:\n  ```\n  {value}\n  ```\n"),
            format!("```json\n{value}"),
            format!("Not `1`:\n```\n{{\"ok\": 1}}\n```\nbut\n```\n{value}\n```\n"),
        ] {
            assert_eq!(bare(&ok(), &answer), Ok(value), "{answer}");
        }
    }

    #[test]
    fn the_text_of_the_value_is_kept_as_the_model_wrote_it() {
        let value = "{\n  \"ok\":true,  \"more\": [1.0, 2e3]\n}";
        assert_eq!(bare(&ok(), &format!("```\n{value}\n```")), Ok(value));
    }

    #[test]
    fn what_is_not_clear_or_does_not_fit_is_refused_with_the_reason() {
        let two = "```json\n{\"ok\": true}\n```\nor\n```json\n{\"ok\": false}\n```";
        for (answer, why) in [
            ("certainly!", "n't JSON"),
            ("It is {\"ok\": true}.", "n't JSON"),
            ("```json\n{\"ok\": tru\n```", "n't JSON"),
            ("```json\n{\"ok\": 1}\n```", "ok"),
            (two, "2 code blocks"),
            ("```\n1\n```\n```\n2\n```", "none of its 2 code blocks"),
            ("", "n't JSON"),
        ] {
            let said = bare(&ok(), answer).unwrap_err();
            assert!(said.contains(why), "{answer}: {said}");
        }
    }

    #[test]
    fn a_fence_inside_of_a_string_is_a_part_of_the_value() {
        let value = r#"{"ok": true, "text": "```\nx\n```"}"#;
        assert_eq!(bare(&ok(), value), Ok(value));
        let longer = format!("````json\n{value}\n````");
        assert_eq!(bare(&ok(), &longer), Ok(value));
    }
}
