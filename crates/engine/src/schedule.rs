//! Which calls of a reply may run side by side: consecutive ones that only read.
//! A call with effects is a batch of its own. The order of the reply is kept.

use crate::core::Core;
use crate::step::{Ending, Reply};
use serde_json::Value;
use std::sync::Arc;
use tenon_model::dialect::REPLY_FORMAT;
use tenon_model::{Arguments, is_cut, parse_arguments};
use tenon_tools::{Tool, input};
use tenon_vocab::{CallId, Effect, ErrorCode, StopReason, ToolCallPart, ToolOutput};

/// A call that was understood: the tool is there and the input fits its schema.
pub(crate) struct Ready {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) input: Value,
}

/// A call on its way to the gate.
pub(crate) struct Planned {
    pub(crate) call: CallId,
    /// Canonical where the tool is known, else as the model wrote it.
    pub(crate) name: String,
    /// The arguments as the model gave them.
    pub(crate) given: String,
    /// The result to give at once when the call was not understood.
    pub(crate) ready: Result<Ready, Box<ToolOutput>>,
    pub(crate) leave: Leave,
}

/// Whether whoever made the call has said yes to it by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// A model asks, or a text that somebody else may have written.
    ToBeAsked,
    /// The user typed these very words to be run now.
    Typed,
}

impl Planned {
    fn only_reads(&self) -> bool {
        match &self.ready {
            Ok(ready) => ready.tool.spec().effect == Effect::Read,
            Err(_) => true,
        }
    }
}

pub(crate) fn batches(core: &Core, reply: &Reply) -> Vec<Vec<Planned>> {
    let mut batches: Vec<Vec<Planned>> = Vec::new();
    let mut reading = false;
    for call in &reply.calls {
        let planned = plan(core, call, reply.ending);
        let reads = planned.only_reads();
        match batches.last_mut() {
            Some(batch) if reads && reading && batch.len() < core.limits.parallel_reads => {
                batch.push(planned);
            }
            _ => batches.push(vec![planned]),
        }
        reading = reads;
    }
    batches
}

/// What is repeated of an unknown tool's name, in characters.
const LONGEST_NAME: usize = 100;

/// Finds the tool, repairs the input, checks it.
pub(crate) fn plan(core: &Core, call: &ToolCallPart, ending: Ending) -> Planned {
    let (name, tool) = find(core, &call.name);
    let ready = match tool {
        None => Err(Box::new(unknown(core, call))),
        Some(tool) => understand(&tool, call, ending).map(|input| Ready { tool, input }),
    };
    Planned {
        call: call.id.clone(),
        name,
        given: call.arguments.clone(),
        ready,
        leave: Leave::ToBeAsked,
    }
}

fn find(core: &Core, name: &str) -> (String, Option<Arc<dyn Tool>>) {
    if let Some(tool) = core.cast.tools().get(name) {
        return (name.to_owned(), Some(Arc::clone(tool)));
    }
    match input::canonical_name(name) {
        Some(canonical) => (
            canonical.to_owned(),
            core.cast.tools().get(canonical).cloned(),
        ),
        None => (name.to_owned(), None),
    }
}

fn unknown(core: &Core, call: &ToolCallPart) -> ToolOutput {
    let name = call.name.as_str();
    if name == REPLY_FORMAT {
        return unreadable(&call.arguments);
    }
    let known: Vec<String> = core
        .agent()
        .toolbox
        .specs()
        .into_iter()
        .map(|spec| spec.name)
        .collect();
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let shown = shortened(name);
    let nearest = input::suggest_name(name, &names)
        .map(|near| format!(" Did you mean `{near}`?"))
        .unwrap_or_default();
    ToolOutput::error(
        ErrorCode::UnknownTool,
        format!(
            "there is no tool `{shown}`.{nearest} The tools are: {}.",
            names.join(", ")
        ),
    )
}

/// A name comes from the model and may be of any length; it is repeated in
/// every later request.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}… ({} bytes)", &name[..end], name.len()),
        None => name.to_owned(),
    }
}

/// A reply of the markdown dialect that could not be read (K5).
fn unreadable(arguments: &str) -> ToolOutput {
    let problem = match parse_arguments(arguments) {
        Arguments::Object(fields) => fields
            .get("problem")
            .and_then(Value::as_str)
            .map(str::to_owned),
        Arguments::Empty | Arguments::Invalid { .. } => None,
    };
    let problem = problem.unwrap_or_else(|| String::from("its format is not known"));
    ToolOutput::error(
        ErrorCode::InvalidInput,
        format!("the reply could not be read: {problem}"),
    )
}

fn understand(
    tool: &Arc<dyn Tool>,
    call: &ToolCallPart,
    ending: Ending,
) -> Result<Value, Box<ToolOutput>> {
    let spec = tool.spec();
    let arguments = call.arguments.as_str();
    let given = match parse_arguments(arguments) {
        Arguments::Object(map) => Value::Object(map),
        Arguments::Empty => Value::Object(serde_json::Map::new()),
        Arguments::Invalid { error }
            if ending.stop == StopReason::MaxTokens || is_cut(arguments) =>
        {
            return Err(failed(cut(ending, arguments, &error)));
        }
        Arguments::Invalid { error } => {
            return Err(failed(format!(
                "the arguments of `{}` are not a JSON object: {error}",
                spec.name
            )));
        }
    };
    // The name as the model wrote it: some aliases say in the name what our
    // tool wants as a field (`KILL_BACKGROUND_PROCESS`).
    let (repaired, _notes) = input::repair(&call.name, &spec.parameters, given);
    if let Err(message) = input::check(&spec.parameters, &repaired) {
        return Err(failed(format!("`{}`: {message}", spec.name)));
    }
    match input::marked(spec, &repaired) {
        Some(message) => Err(Box::new(ToolOutput::error(ErrorCode::MaskedValue, message))),
        None => Ok(repaired),
    }
}

/// What the model reads of a call that ends in the middle.
fn cut(ending: Ending, arguments: &str, error: &str) -> String {
    match (ending.stop, ending.tokens) {
        (StopReason::MaxTokens, Some(tokens)) => format!(
            "your call was cut at {tokens} tokens, the limit of one reply ({error}); it was not run. Write in smaller parts."
        ),
        (_, Some(tokens)) => format!(
            "your call was cut at {tokens} tokens, most likely by the limit of one reply ({error}); it was not run. Write in smaller parts."
        ),
        (_, None) => format!(
            "this call was cut after {} bytes, most likely by the limit of output tokens ({error}); it was not run. Write in smaller parts.",
            arguments.len()
        ),
    }
}

fn failed(message: String) -> Box<ToolOutput> {
    Box::new(ToolOutput::error(ErrorCode::InvalidInput, message))
}
