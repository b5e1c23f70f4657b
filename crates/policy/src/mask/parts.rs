//! A private key whose lines stand in strings of their own: the entries of a
//! search, the rows of a table. Each alone may be no key; together they are.
//!
//! The strings that stand at the same place in each item of a list are read as
//! the lines of one text.

use super::{Findings, body, marker, pem};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// Lists in lists are looked into so deep.
const DEEPEST: usize = 4;

/// Masks what of the strings in a list is of a private key that goes over several.
pub(super) fn mask(items: &mut [Value], found: &mut Findings) {
    if items.len() < 2 || !items.iter().any(|item| holds_armour(item, 0)) {
        return;
    }
    let mut columns: BTreeMap<String, Vec<&mut String>> = BTreeMap::new();
    for item in items {
        collect(item, String::new(), 0, &mut columns);
    }
    for column in columns.values_mut() {
        mask_column(column, found);
    }
}

fn holds_armour(value: &Value, level: usize) -> bool {
    match value {
        Value::String(text) => text.contains("PRIVATE KEY"),
        _ if level >= DEEPEST => false,
        Value::Array(items) => items.iter().any(|item| holds_armour(item, level + 1)),
        Value::Object(fields) => fields.values().any(|item| holds_armour(item, level + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The strings by the way to them within the item.
fn collect<'v>(
    value: &'v mut Value,
    way: String,
    level: usize,
    columns: &mut BTreeMap<String, Vec<&'v mut String>>,
) {
    match value {
        Value::String(text) => columns.entry(way).or_default().push(text),
        _ if level >= DEEPEST => {}
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                collect(item, format!("{way}/{at}"), level + 1, columns);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields.iter_mut() {
                collect(item, format!("{way}/{name}"), level + 1, columns);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn mask_column(column: &mut [&mut String], found: &mut Findings) {
    let mut text = String::new();
    let mut places = Vec::new();
    for line in column.iter() {
        let from = text.len();
        text.push_str(line);
        places.push(from..text.len());
        text.push('\n');
    }
    let mut ranges = pem::ranges(&text);
    let blocks = ranges.len();
    for part in body::ranges(&text) {
        if !ranges[..blocks].iter().any(|block| overlap(block, &part)) {
            ranges.push(part);
        }
    }
    ranges.sort_unstable_by_key(|range| range.start);
    // One string may hold several parts; from the last on, places stay right.
    for (line, place) in column.iter_mut().zip(&places) {
        let first = ranges.partition_point(|range| range.end <= place.start);
        let within = ranges[first..]
            .iter()
            .take_while(|range| range.start < place.end);
        let cuts: Vec<Range<usize>> = within
            .map(|range| range.start.max(place.start)..range.end.min(place.end))
            .collect();
        for cut in cuts.iter().rev() {
            line.replace_range(
                cut.start - place.start..cut.end - place.start,
                &marker(body::NAME),
            );
        }
    }
    for _ in &ranges {
        found.note(body::NAME);
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
