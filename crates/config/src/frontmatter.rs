//! What stands in the frontmatter of a Markdown file: YAML, read as events, so
//! that nothing is expanded and an alias bomb is a few dozen bytes of nothing.
//! Every scalar is a text: `name: 123` is a name.
//!
//! Two readers. [`strict`] takes the small YAML that the reference validator of
//! Agent Skills takes. [`lenient`] takes whatever people wrote: a description
//! with a colon in it is no YAML and still a description.

mod lines;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use std::ops::Range;

/// A longer frontmatter is not read.
pub const LONGEST: usize = 64 * 1024;
const DEEPEST: usize = 32;
const MOST_NODES: usize = 10_000;
/// Keys of one mapping.
const MOST_KEYS: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    List(Vec<Value>),
    Map(Fields),
}

/// Keys in the order in which they stand; of two with one name the first counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, Value)>);

impl Fields {
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }

    /// A text that is not blank, trimmed.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// Reads what is YAML of the small kind: block style, no anchors, no tags, no
/// key twice.
///
/// # Errors
/// A sentence that says what is wrong and in which line of the frontmatter.
pub fn strict(front: &str) -> Result<Fields, String> {
    if let Some(bad) = front.chars().find(|c| !is_printable(*c)) {
        return Err(format!(
            "it contains the character U+{:04X}, which YAML doesn't allow",
            u32::from(bad)
        ));
    }
    // The reference takes a mark of the byte order for any other character.
    read(&front.replace('\u{feff}', "\u{2060}"), Reading::Strict)
}

/// Reads what there is to read. What is no YAML is read line by line.
#[must_use]
pub fn lenient(front: &str) -> Fields {
    let mut end = front.len().min(LONGEST);
    while !front.is_char_boundary(end) {
        end -= 1;
    }
    let front = &front[..end];
    read(front, Reading::Lenient).unwrap_or_else(|_| lines::read(front))
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{85}' | ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Strict,
    Lenient,
}

/// What is being put together, from the outside in.
enum Open {
    List(Vec<Value>),
    Map {
        fields: Vec<(String, Value)>,
        key: Option<String>,
        /// The column of the mappings directly in it.
        column: Option<usize>,
    },
}

fn read(front: &str, reading: Reading) -> Result<Fields, String> {
    if front.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let mut builder = Builder {
        reading,
        open: Vec::new(),
        root: None,
        marked: Vec::new(),
    };
    let mut documents = 0;
    for (count, next) in Parser::new_from_str(front).enumerate() {
        let (event, span) = next.map_err(|error| told(&error))?;
        if count > MOST_NODES {
            return Err(format!("it has more than {MOST_NODES} parts"));
        }
        match event {
            Event::DocumentStart(..) => documents += 1,
            other => builder.take(other, &span)?,
        }
        if documents > 1 {
            return Err(format!("line {}: a second document begins", line(&span)));
        }
    }
    if reading == Reading::Strict
        && let Some(line) = tab(front, &builder.marked)
    {
        return Err(format!(
            "line {line}: tabs are only allowed in quotes; use spaces"
        ));
    }
    match builder.root {
        Some(Value::Map(fields)) => Ok(fields),
        None => Err(String::from("it is empty")),
        Some(_) => Err(String::from("it isn't a mapping of keys to values")),
    }
}

/// The parser's words, with what helps against the most common slip.
fn told(error: &ScanError) -> String {
    let said = error.info();
    let help = if said.starts_with("mapping values are not allowed") {
        "; put quotes around text that contains a colon"
    } else {
        ""
    };
    format!("line {}: {said}{help}", error.marker().line())
}

fn line(span: &Span) -> usize {
    span.start.line()
}

struct Builder {
    reading: Reading,
    open: Vec<Open>,
    root: Option<Value>,
    /// Where texts in quotes and blocks stand, by bytes.
    marked: Vec<Range<usize>>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), String> {
        if self.reading == Reading::Strict {
            plain(&event, span)?;
        }
        if let Event::Scalar(_, style, ..) = &event
            && *style != ScalarStyle::Plain
        {
            self.marked.extend(span.byte_range());
        }
        match event {
            // The parser writes what is not there as `~`.
            Event::Scalar(..) if span.is_empty() => self.put(Value::Text(String::new()), span),
            // To the reference these two are no texts, unless they are in quotes.
            Event::Scalar(text, ScalarStyle::Plain, ..)
                if self.reading == Reading::Strict
                    && self.is_value()
                    && matches!(text.as_ref(), "=" | "<<") =>
            {
                self.put(Value::List(Vec::new()), span)
            }
            Event::Scalar(text, ..) => self.put(Value::Text(text.into_owned()), span),
            // Nothing is expanded.
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.put(Value::Text(String::new()), span)
            }
            Event::SequenceStart(..) => self.enter(Open::List(Vec::new()), span),
            Event::MappingStart(..) => {
                self.aligned(span)?;
                self.enter(
                    Open::Map {
                        fields: Vec::new(),
                        key: None,
                        column: None,
                    },
                    span,
                )
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items)) => self.put(Value::List(items), span),
                Some(Open::Map { fields, .. }) => self.put(Value::Map(Fields(fields)), span),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn is_value(&self) -> bool {
        !matches!(self.open.last(), Some(Open::Map { key: None, .. }))
    }

    fn enter(&mut self, open: Open, span: &Span) -> Result<(), String> {
        if self.open.len() >= DEEPEST {
            return Err(format!("line {}: it is nested too deeply", line(span)));
        }
        self.open.push(open);
        Ok(())
    }

    fn put(&mut self, value: Value, span: &Span) -> Result<(), String> {
        let (fields, key) = match self.open.last_mut() {
            None => {
                self.root.get_or_insert(value);
                return Ok(());
            }
            Some(Open::List(items)) => {
                items.push(value);
                return Ok(());
            }
            Some(Open::Map { fields, key, .. }) => (fields, key),
        };
        match (key.take(), value) {
            (Some(_), _) if fields.len() >= MOST_KEYS => {
                return Err(format!(
                    "line {}: there are more than {MOST_KEYS} keys",
                    line(span)
                ));
            }
            (Some(name), value) => {
                if fields.iter().all(|(held, _)| *held != name) {
                    fields.push((name, value));
                } else if self.reading == Reading::Strict {
                    return Err(format!("line {}: `{name}` is there twice", line(span)));
                }
            }
            (None, Value::Text(name)) if name == "<<" && self.reading == Reading::Strict => {
                return Err(format!("line {}: `<<` isn't supported", line(span)));
            }
            (None, Value::Text(name)) => *key = Some(name),
            (None, _) if self.reading == Reading::Strict => {
                return Err(format!("line {}: a key isn't text", line(span)));
            }
            (None, _) => *key = Some(String::new()),
        }
        Ok(())
    }

    /// Mappings that stand beside each other begin in one column.
    fn aligned(&mut self, span: &Span) -> Result<(), String> {
        let at = span.start.col();
        if let (
            Reading::Strict,
            Some(Open::Map {
                key: Some(_),
                column,
                ..
            }),
        ) = (self.reading, self.open.last_mut())
            && *column.get_or_insert(at) != at
        {
            return Err(format!(
                "line {}: its indentation doesn't match the mapping before it",
                line(span)
            ));
        }
        Ok(())
    }
}

/// The line of a tab that stands neither in a text with marks nor in a comment.
fn tab(front: &str, marked: &[Range<usize>]) -> Option<usize> {
    let is_marked = |at: usize| marked.iter().any(|range| range.contains(&at));
    let mut from = 0;
    for (number, line) in front.split_inclusive('\n').enumerate() {
        let mut before = '\n';
        for (_, c) in line.char_indices().filter(|(at, _)| !is_marked(from + at)) {
            match c {
                '#' if before.is_whitespace() => break,
                '\t' => return Some(number + 1),
                _ => {}
            }
            before = c;
        }
        from += line.len();
    }
    None
}

/// What the reference does not take.
fn plain(event: &Event<'_>, span: &Span) -> Result<(), String> {
    let at = line(span);
    let flow = matches!(
        event,
        Event::SequenceStart(StructureStyle::Flow, ..)
            | Event::MappingStart(StructureStyle::Flow, ..)
    );
    if flow {
        return Err(format!(
            "line {at}: `[…]` and `{{…}}` aren't supported; write one entry per line, or put quotes around text"
        ));
    }
    if event.is_alias() || event.anchor_id().is_some() {
        return Err(format!(
            "line {at}: a value can't start with `&` or `*`; put quotes around it"
        ));
    }
    if event.tag().is_some() {
        return Err(format!(
            "line {at}: a value can't start with `!`; put quotes around it"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Value, lenient, strict};

    #[test]
    fn every_scalar_is_a_text() {
        let fields =
            strict("name: 123\nlicense: true\ncompatibility: ~\nmetadata:\n  a: 1.0\n").unwrap();
        assert_eq!(fields.text("name"), Some("123"));
        assert_eq!(fields.text("license"), Some("true"));
        assert_eq!(fields.text("compatibility"), Some("~"));
        let Some(Value::Map(inner)) = fields.get("metadata") else {
            panic!("no mapping")
        };
        assert_eq!(inner.text("a"), Some("1.0"));
    }

    #[test]
    fn a_colon_in_a_description_does_not_lose_it() {
        let front =
            "name: a\ndescription: Use this skill when: the user asks about PDFs\nother: x\n";
        assert!(strict(front).is_err());
        let fields = lenient(front);
        assert_eq!(fields.text("name"), Some("a"));
        assert_eq!(
            fields.text("description"),
            Some("Use this skill when: the user asks about PDFs")
        );
        let folded = lenient("description: >-\n  one: two\n  three\nname: \"b\"\nbad: : :\n");
        assert_eq!(folded.text("description"), Some("one: two three"));
        assert_eq!(folded.text("name"), Some("b"));
    }

    #[test]
    fn mappings_that_are_nested_too_deeply_are_said_to_be() {
        let front: String = (0..40).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        let why = strict(&front).unwrap_err();
        assert!(why.ends_with(": it is nested too deeply"), "{why}");
    }

    #[test]
    fn what_would_blow_up_stays_small() {
        let mut bomb = String::from("a0: &a0 [x, x]\n");
        for level in 1..40 {
            let before = level - 1;
            bomb.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}]\n"));
        }
        bomb.push_str("description: fine\n");
        assert!(strict(&bomb).is_err());
        assert_eq!(lenient(&bomb).text("description"), Some("fine"));
        for hostile in [
            "[".repeat(60_000),
            "- ".repeat(30_000),
            "{a: ".repeat(15_000),
            "? ".repeat(30_000),
            "a: ".repeat(20_000),
            "&a ".repeat(20_000),
            "!".repeat(60_000),
            "\"".repeat(60_001),
            (0..180).map(|n| format!("{}a:\n", " ".repeat(n))).collect(),
            "x: y\n".repeat(60_000),
            "\u{0}\u{1}: \u{7f}".repeat(100),
            String::from("name: *missing"),
        ] {
            assert!(
                strict(&hostile).is_err(),
                "{}",
                &hostile[..40.min(hostile.len())]
            );
            let _ = lenient(&hostile);
        }
    }

    #[test]
    fn a_key_that_is_there_twice_is_an_error_or_its_first_value() {
        assert!(strict("name: a\nname: b\n").is_err());
        assert_eq!(lenient("name: a\nname: b\n").text("name"), Some("a"));
    }
}
