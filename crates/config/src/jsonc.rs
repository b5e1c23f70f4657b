//! JSON with comments and trailing commas, and nothing else beyond JSON.

use crate::node::{Node, Shape, Trouble};
use jsonc_parser::ast::{ObjectProp, ObjectPropName, Value as Ast};
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Number, Value};
use std::collections::BTreeSet;

/// No setting lies deeper than this; a hostile file does.
const MAX_DEPTH: usize = 32;

/// The parser's default also takes missing commas, single quotes and more.
fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// `None` when there is nothing but comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Trouble> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict())
        .map_err(|error| Trouble::new(error.range().start, advice(error.kind())))?;
    parsed
        .value
        .map(|value| convert(&value, None, MAX_DEPTH))
        .transpose()
}

/// What is wrong, in words that say what to do.
fn advice(kind: &ParseErrorKind) -> String {
    use ParseErrorKind as Kind;
    let text = match kind {
        Kind::ExpectedComma => "a comma is missing before this",
        Kind::UnexpectedComma => "there is a comma too many",
        Kind::UnexpectedWord => "a text is missing its double quotes",
        Kind::ExpectedStringObjectProperty => "a key in double quotes belongs here",
        Kind::ExpectedColonAfterObjectKey => "a colon is missing after the key",
        Kind::ExpectedObjectValue => "a value is missing after the colon",
        Kind::SingleQuotedStringsNotAllowed => "texts stand in double quotes, not in single ones",
        Kind::UnterminatedObject => "a `}` is missing at the end of what begins here",
        Kind::UnterminatedArray => "a `]` is missing at the end of what begins here",
        Kind::UnexpectedCloseBrace => "there is a `}` too many, or a `{` is missing before it",
        Kind::UnexpectedCloseBracket => "there is a `]` too many, or a `[` is missing before it",
        Kind::MultipleRootJsonValues => {
            "the file ended before this: remove what follows the last `}`"
        }
        Kind::UnterminatedCommentBlock => {
            "a `*/` is missing at the end of the comment that begins here"
        }
        other => return other.to_string(),
    };
    text.to_owned()
}

fn convert(ast: &Ast<'_>, key: Option<usize>, depth: usize) -> Result<Node, Trouble> {
    let (own, value) = match ast {
        Ast::StringLit(text) => (text.range.start, leaf(text.value.to_string())),
        Ast::NumberLit(number) => {
            let parsed: Number = serde_json::from_str(number.value).map_err(|_| {
                Trouble::new(
                    number.range.start,
                    format!("`{}` isn't a number", number.value),
                )
            })?;
            (number.range.start, Shape::Leaf(Value::Number(parsed)))
        }
        Ast::BooleanLit(flag) => (flag.range.start, leaf(flag.value)),
        Ast::NullKeyword(null) => (null.range.start, Shape::Leaf(Value::Null)),
        Ast::Object(object) => {
            let depth = deeper(object.range.start, depth)?;
            (object.range.start, fields(&object.properties, depth)?)
        }
        Ast::Array(array) => {
            let depth = deeper(array.range.start, depth)?;
            let items = array.elements.iter().map(|item| convert(item, None, depth));
            (
                array.range.start,
                Shape::List(items.collect::<Result<_, _>>()?),
            )
        }
    };
    Ok(Node {
        at: key.unwrap_or(own),
        value,
    })
}

fn leaf(value: impl Into<Value>) -> Shape {
    Shape::Leaf(value.into())
}

fn deeper(at: usize, depth: usize) -> Result<usize, Trouble> {
    depth
        .checked_sub(1)
        .ok_or_else(|| Trouble::new(at, "it is nested too deeply"))
}

fn fields(properties: &[ObjectProp<'_>], depth: usize) -> Result<Shape, Trouble> {
    let mut seen = BTreeSet::new();
    let mut fields = Vec::new();
    for property in properties {
        let name = property.name.as_str().to_owned();
        let at = match &property.name {
            ObjectPropName::String(text) => text.range.start,
            ObjectPropName::Word(word) => word.range.start,
        };
        if !seen.insert(name.clone()) {
            return Err(Trouble::new(at, format!("`{name}` is written twice"))
                .with_hint(Some("keep one of them".into())));
        }
        fields.push((name, convert(&property.value, Some(at), depth)?));
    }
    Ok(Shape::Map(fields))
}
