//! The scenario file as it is written: which words of the user start which
//! script, and what the model then says, step by step.
//!
//! Parsing only. `choose` finds the step of a conversation, `answer` fills it.

use std::fmt;
use std::io::Read;
use std::num::NonZeroU32;
use std::path::Path;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use serde_json::{Map, Value};

use crate::complaint::ScenarioError;
use crate::fault::Fault;
use crate::shape::Shape;
use crate::software::Software;

/// Larger files are refused: no script that a person wrote is that long.
const FILE_LIMIT: u64 = 64 << 20;

/// The scripts of a server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `scenarios`")]
pub struct Scenarios {
    pub(crate) scenarios: Vec<Scenario>,
    #[serde(default = "no_match")]
    pub(crate) default_response: Response,
    /// The scope of the scenarios that name none.
    #[serde(default)]
    pub(crate) scope: Scope,
    /// The server that this one pretends to be.
    #[serde(default)]
    pub(crate) server: Option<Software>,
    /// The window that it announces.
    #[serde(default)]
    pub(crate) window: Option<u64>,
    /// The window of the model's training, where a server tells both.
    #[serde(default)]
    pub(crate) trained_window: Option<u64>,
    /// Met by every request whose step has no fault of its own.
    #[serde(default)]
    pub(crate) fault: Option<Fault>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a scenario with `trigger` and `steps`"
)]
pub(crate) struct Scenario {
    /// For the reader of the file.
    #[serde(default, rename = "name")]
    _name: String,
    pub(crate) trigger: String,
    #[serde(deserialize_with = "at_least_one")]
    pub(crate) steps: Vec<Step>,
    #[serde(default)]
    pub(crate) scope: Option<Scope>,
    #[serde(default)]
    pub(crate) shape: Shape,
}

/// Which tool messages count as steps taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    #[default]
    Conversation,
    /// Those after the last user message.
    Turn,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a step with `response`")]
pub(crate) struct Step {
    pub(crate) response: Response,
    /// The step stands for so many steps.
    #[serde(default = "once")]
    pub(crate) repeat: NonZeroU32,
    #[serde(default)]
    pub(crate) fault: Option<Fault>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    deny_unknown_fields,
    default,
    expecting = "a response with `content` or `tool_calls`"
)]
pub(crate) struct Response {
    pub(crate) content: Option<String>,
    pub(crate) reasoning: Option<String>,
    /// What goes with the reasoning where a format has such a thing.
    pub(crate) signature: Option<String>,
    pub(crate) tool_calls: Vec<ScriptedCall>,
    pub(crate) finish_reason: Option<String>,
    /// Sent as it is, so that the usage of any server can be imitated.
    pub(crate) usage: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a tool call with `function`")]
pub(crate) struct ScriptedCall {
    #[serde(default)]
    pub(crate) id: Option<String>,
    #[serde(default, rename = "type")]
    _kind: CallKind,
    pub(crate) function: ScriptedFunction,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CallKind {
    #[default]
    Function,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a function with `name` and `arguments`"
)]
pub(crate) struct ScriptedFunction {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: Arguments,
}

/// Arguments as the text that goes over the wire. A string stands for itself,
/// broken or not; an object is written as compact JSON.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(pub(crate) String);

impl Default for Arguments {
    fn default() -> Self {
        Self("{}".to_owned())
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct TextOrObject;
        impl<'de> Visitor<'de> for TextOrObject {
            type Value = Arguments;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("arguments as an object or as a string that holds JSON")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Arguments, E> {
                Ok(Arguments(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Arguments, A::Error> {
                let object = Map::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Arguments(Value::Object(object).to_string()))
            }
        }
        input.deserialize_any(TextOrObject)
    }
}

impl Scenarios {
    /// Reads a scenario file's text. An unknown key is an error: a misspelt
    /// one would otherwise be a script that silently does nothing.
    pub fn parse(json: &str) -> Result<Self, ScenarioError> {
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        serde_json::from_str(json).map_err(|error| ScenarioError::of_json(&error))
    }

    /// Reads a scenario file.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let text = read(path).map_err(|source| ScenarioError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|error| error.in_file(path))
    }

    /// The scripts that are always at hand: the demo, a hello, a chat.
    pub fn built_in() -> Self {
        crate::demo::scenarios()
    }

    pub(crate) fn none() -> Self {
        Self {
            scenarios: Vec::new(),
            default_response: no_match(),
            scope: Scope::default(),
            server: None,
            window: None,
            trained_window: None,
            fault: None,
        }
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    file.take(FILE_LIMIT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_LIMIT {
        return Err(std::io::Error::other("it is larger than 64 MiB"));
    }
    Ok(text)
}

fn no_match() -> Response {
    Response {
        content: Some("I'm a mock server. I only understand specific test scenarios.".to_owned()),
        ..Response::default()
    }
}

fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn at_least_one<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Step>, D::Error> {
    let steps = Vec::<Step>::deserialize(input)?;
    if steps.is_empty() {
        return Err(de::Error::custom(
            "`steps` is empty, expected at least one step",
        ));
    }
    Ok(steps)
}
