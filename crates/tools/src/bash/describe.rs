//! What a model is told of `bash`: what it does, which times hold here, and an
//! example for those with room to read it.

use super::milliseconds;
use crate::builtin::spec;
use serde_json::json;
use std::time::Duration;
use tenon_vocab::names::tool;
use tenon_vocab::profile::{OnTimeout, ToolLimits};
use tenon_vocab::{Effect, ToolSpec};

const DESCRIPTION: &str = "Run a command line with bash and return its output and exit code. \
There is no terminal and no standard input: pass answers as arguments (-m, -y, --no-edit).";
const GOES_ON: &str = "A command that takes longer than timeout_ms goes on in the background as proc_N; process with action wait waits for its end.";
const KILLED: &str = "A command that takes longer than timeout_ms is killed.";
const SERVERS: &str = "Start servers and watchers with background true.";
/// What the example of a slow command waits, where that may be asked for.
const SLOW: Duration = Duration::from_secs(300);

pub(super) fn spec_of(limits: &ToolLimits) -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1},
            "workdir": {
                "type": "string",
                "description": "Folder to run in; the project root when left out."
            },
            "timeout_ms": {
                "type": "integer",
                "minimum": 1,
                "description": times(limits)
            },
            "background": {
                "type": "boolean",
                "description": "Do not wait: for servers and watchers."
            }
        },
        "required": ["command"],
        "additionalProperties": false
    });
    let description = match limits.on_timeout {
        OnTimeout::Background => format!("{DESCRIPTION} {GOES_ON} {SERVERS}"),
        OnTimeout::Kill => format!("{DESCRIPTION} {KILLED} {SERVERS}"),
    };
    spec(tool::BASH, &description, Effect::Execute, parameters)
}

pub(super) fn example(limits: &ToolLimits) -> String {
    let slow = milliseconds(SLOW.min(limits.bash_timeout_max));
    format!(
        "A slow build: {{\"command\": \"make all\", \"timeout_ms\": {slow}}}. A server: {{\"command\": \"npm run dev\", \"background\": true}}, then process with {{\"action\": \"wait\", \"id\": \"proc_1\", \"until\": \"listening\"}}, then use it; never `npm run dev &` or `sleep 30`."
    )
}

/// `How long to wait: 30000 when left out, at most 600000.`
fn times(limits: &ToolLimits) -> String {
    let usual = match limits.bash_timeout {
        Some(usual) => milliseconds(usual).to_string(),
        None => String::from("without end"),
    };
    let most = milliseconds(limits.bash_timeout_max);
    format!("How long to wait: {usual} when left out, at most {most}.")
}
