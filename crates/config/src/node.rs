//! A file's values with the place of each, whatever format they were written in.

use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Byte offset of the value, or of its key where it has one.
    pub at: usize,
    pub value: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Leaf(Value),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Something that could not be read, with its byte offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub at: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl Trouble {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl Node {
    pub(crate) fn to_value(&self) -> Value {
        match &self.value {
            Shape::Leaf(value) => value.clone(),
            Shape::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Shape::Map(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(key, node)| (key.clone(), node.to_value()))
                    .collect::<Map<String, Value>>(),
            ),
        }
    }
}

/// What a value is, in a word for people.
pub(crate) fn what(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() <= 40 => format!("\"{text}\""),
        Value::String(_) => "a long string".into(),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}
