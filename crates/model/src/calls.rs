//! Tool calls put together from deltas, as servers really send them: without
//! ids, without indexes, every call at index 0, names in pieces or repeated.
//! Nothing is judged here; arguments stay the exact string received.

use crate::repair::{Arguments, JsonScan, is_cut, parse_arguments};
use serde_json::Value;
use std::collections::HashSet;
use tenon_vocab::{CallId, ToolCallPart};

/// No honest reply asks for more at once.
pub(crate) const MAX_CALLS: usize = 256;

/// One entry of a delta's list, whatever fields it has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallDelta<'d> {
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<&'d str>,
    pub(crate) name: Option<&'d str>,
    pub(crate) arguments: Option<&'d Value>,
}

impl<'d> CallDelta<'d> {
    /// Reads `{index, id, function: {name, arguments}}`, or the same without `function`.
    pub(crate) fn read(value: &'d Value) -> Self {
        let function = value.get("function").unwrap_or(value);
        let text = |value: Option<&'d Value>| {
            value
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        Self {
            index: value.get("index").and_then(Value::as_u64),
            id: text(value.get("id")),
            name: text(function.get("name")),
            arguments: function
                .get("arguments")
                .filter(|arguments| !arguments.is_null()),
        }
    }

    fn begins_object(&self) -> bool {
        match self.arguments {
            Some(Value::String(text)) => text.trim_start().starts_with('{'),
            Some(Value::Object(_)) => true,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Call {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    scan: JsonScan,
    end: End,
}

/// Whether a call is all that the model meant to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum End {
    /// As its arguments look.
    #[default]
    Open,
    /// The server says that it was cut, however closed they look.
    Cut,
}

impl Call {
    /// The arguments. Those of a call that was cut lack their end, so that it
    /// is seen to be so by whoever reads them.
    fn written(&self) -> String {
        if self.end == End::Open || is_cut(&self.arguments) {
            return self.arguments.clone();
        }
        let open = self.arguments.trim_end();
        match open.strip_suffix('}') {
            Some(open) => open.to_owned(),
            None => String::from("{"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyCalls;

/// What one delta did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) position: usize,
    pub(crate) opened: bool,
    /// Bytes of name, id and arguments that were added.
    pub(crate) added: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    current: Option<usize>,
    repairs: Vec<&'static str>,
}

impl Calls {
    /// The name, cut to what a line shows.
    pub(crate) fn shown_name(&self, position: usize) -> String {
        self.calls
            .get(position)
            .map_or_else(String::new, |call| call.name.chars().take(64).collect())
    }

    pub(crate) fn bytes(&self, position: usize) -> usize {
        self.calls
            .get(position)
            .map_or(0, |call| call.arguments.len())
    }

    /// The arguments so far of the last call at this index.
    pub(crate) fn arguments_at(&self, index: u64) -> &str {
        self.calls
            .iter()
            .rfind(|call| call.index == Some(index))
            .map_or("", |call| &call.arguments)
    }

    /// The last call at this index is not whole, whatever it looks like.
    pub(crate) fn cut_at(&mut self, index: u64) {
        let mut calls = self.calls.iter_mut().rev();
        if let Some(call) = calls.find(|call| call.index == Some(index)) {
            call.end = End::Cut;
        }
    }

    /// Takes one entry of a stream.
    pub(crate) fn push(&mut self, delta: &CallDelta<'_>) -> Result<Touched, TooManyCalls> {
        match self.route(delta) {
            Some(position) => Ok(self.extend(position, delta)),
            None => self.open(delta),
        }
    }

    /// Takes one entry of a whole message: always a call of its own.
    pub(crate) fn open(&mut self, delta: &CallDelta<'_>) -> Result<Touched, TooManyCalls> {
        if self.calls.len() >= MAX_CALLS {
            return Err(TooManyCalls);
        }
        self.calls.push(Call {
            index: delta.index,
            ..Call::default()
        });
        let mut touched = self.extend(self.calls.len() - 1, delta);
        touched.opened = true;
        Ok(touched)
    }

    /// Which call an entry goes on with; `None` when it begins one. The id
    /// counts first: a new id at a used index is a new call, an entry without
    /// an id goes on with its index, one without both with the call being written.
    fn route(&self, delta: &CallDelta<'_>) -> Option<usize> {
        let position = match delta.id {
            Some(id) => self.find_id(id, delta.index)?,
            None => match delta.index {
                Some(_) => self
                    .calls
                    .iter()
                    .rposition(|call| call.index == delta.index)?,
                None => self.current?,
            },
        };
        let call = self.calls.get(position)?;
        (!Self::begins_another(call, delta)).then_some(position)
    }

    fn find_id(&self, id: &str, index: Option<u64>) -> Option<usize> {
        let same_id = |call: &Call| call.id.as_deref() == Some(id);
        let same_index =
            |call: &Call| index.is_none() || call.index.is_none() || call.index == index;
        self.calls
            .iter()
            .rposition(|call| same_id(call) && same_index(call))
            .or_else(|| {
                // The id may come after the name.
                let position = self
                    .calls
                    .iter()
                    .rposition(|call| index.is_some() && call.index == index)?;
                let call = &self.calls[position];
                (call.id.is_none() && !call.scan.is_closed()).then_some(position)
            })
    }

    /// After a whole object nothing can go on: a second object, or another
    /// name, is another call, whatever id and index say.
    fn begins_another(call: &Call, delta: &CallDelta<'_>) -> bool {
        let Some(name) = delta.name else { return false };
        call.scan.is_closed()
            && (delta.begins_object() || (delta.id.is_none() && name != call.name))
    }

    fn extend(&mut self, position: usize, delta: &CallDelta<'_>) -> Touched {
        self.current = Some(position);
        let mut repairs = Vec::new();
        let mut added = 0;
        if let Some(call) = self.calls.get_mut(position) {
            if call.id.is_none()
                && let Some(id) = delta.id
            {
                call.id = Some(id.to_owned());
                added += id.len();
            }
            added += delta.name.map_or(0, |name| add_name(call, name));
            added += delta
                .arguments
                .map_or(0, |arguments| add_arguments(call, arguments, &mut repairs));
        }
        self.repairs.append(&mut repairs);
        self.repairs.sort_unstable();
        self.repairs.dedup();
        Touched {
            position,
            opened: false,
            added,
        }
    }

    /// The calls as they stand, by position, with ids that are there and unique;
    /// `None` for one that never got a name. And what was put right.
    pub(crate) fn settle(&self) -> (Vec<Option<ToolCallPart>>, Vec<String>) {
        let mut repairs: Vec<String> = self.repairs.iter().map(|&text| text.into()).collect();
        let given: HashSet<&str> = self
            .calls
            .iter()
            .filter_map(|call| call.id.as_deref())
            .collect();
        let mut used: HashSet<String> = HashSet::new();
        let mut settled = Vec::with_capacity(self.calls.len());
        for (position, call) in self.calls.iter().enumerate() {
            if call.name.is_empty() {
                repairs.push(String::from("a tool call without a name was left out"));
                settled.push(None);
                continue;
            }
            let id = match &call.id {
                Some(id) if !used.contains(id) => id.clone(),
                Some(_) => {
                    repairs.push(String::from("two tool calls had the same id"));
                    free_id(position, &given, &used)
                }
                None => {
                    repairs.push(String::from("tool call without an id"));
                    free_id(position, &given, &used)
                }
            };
            used.insert(id.clone());
            settled.push(Some(ToolCallPart {
                id: CallId::new(id),
                name: call.name.clone(),
                arguments: call.written(),
                form: tenon_vocab::CallForm::Native,
            }));
        }
        repairs.dedup();
        (settled, repairs)
    }

    /// Whether the arguments of a call are a whole object.
    pub(crate) fn is_whole(&self, position: usize) -> bool {
        self.calls.get(position).is_some_and(|call| {
            call.end == End::Open
                && call.scan.is_closed()
                && matches!(parse_arguments(&call.arguments), Arguments::Object(_))
        })
    }
}

fn free_id(position: usize, given: &HashSet<&str>, used: &HashSet<String>) -> String {
    let mut number = position + 1;
    loop {
        let id = format!("call_{number}");
        if !given.contains(id.as_str()) && !used.contains(&id) {
            return id;
        }
        number += 1;
    }
}

/// A name comes once, in pieces, or again with every delta.
fn add_name(call: &mut Call, name: &str) -> usize {
    let before = call.name.len();
    if call.name.is_empty() || name.starts_with(&call.name) {
        name.clone_into(&mut call.name);
    } else if call.arguments.is_empty() {
        call.name.push_str(name);
    }
    call.name.len().saturating_sub(before)
}

fn add_arguments(call: &mut Call, arguments: &Value, repairs: &mut Vec<&'static str>) -> usize {
    let before = call.arguments.len();
    match arguments {
        Value::String(text) => {
            call.arguments.push_str(text);
            call.scan.feed(text.as_bytes());
        }
        other => {
            repairs.push("tool call arguments came as JSON instead of a string");
            call.arguments = other.to_string();
            call.scan = JsonScan::default();
            call.scan.feed(call.arguments.as_bytes());
        }
    }
    call.arguments.len().saturating_sub(before)
}
