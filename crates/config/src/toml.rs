//! TOML, into the same shapes. Its parser bounds the depth itself.

use crate::node::{Node, Shape, Trouble};
use serde_json::{Number, Value};
use toml::de::{DeTable, DeValue};

pub(crate) fn parse(text: &str) -> Result<Option<Node>, Trouble> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Trouble::new(at, error.message().to_owned())
    })?;
    Ok(Some(Node {
        at: table.span().start,
        value: fields(table.get_ref())?,
    }))
}

fn fields(table: &DeTable<'_>) -> Result<Shape, Trouble> {
    let mut fields = Vec::new();
    for (key, value) in table {
        let at = key.span().start;
        fields.push((
            key.get_ref().to_string(),
            Node {
                at,
                value: convert(value.get_ref(), at)?,
            },
        ));
    }
    Ok(Shape::Map(fields))
}

fn convert(value: &DeValue<'_>, at: usize) -> Result<Shape, Trouble> {
    Ok(match value {
        DeValue::String(text) => Shape::Leaf(Value::String(text.to_string())),
        DeValue::Boolean(flag) => Shape::Leaf(Value::Bool(*flag)),
        DeValue::Integer(integer) => {
            let parsed = i64::from_str_radix(integer.as_str(), integer.radix())
                .map_err(|_| Trouble::new(at, format!("`{}` is too large", integer.as_str())))?;
            Shape::Leaf(Value::Number(parsed.into()))
        }
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            let number = number
                .ok_or_else(|| Trouble::new(at, format!("`{}` isn't a number", float.as_str())))?;
            Shape::Leaf(Value::Number(number))
        }
        DeValue::Datetime(date) => Shape::Leaf(Value::String(date.to_string())),
        DeValue::Array(items) => {
            let mut list = Vec::new();
            for item in items.iter() {
                list.push(Node {
                    at: item.span().start,
                    value: convert(item.get_ref(), item.span().start)?,
                });
            }
            Shape::List(list)
        }
        DeValue::Table(table) => fields(table)?,
    })
}
