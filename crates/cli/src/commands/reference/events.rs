//! `events.md`: what `--format json` prints and the log holds. The samples pass
//! through the real types, so a field that is renamed changes the page.

use crate::error::CliError;
use serde_json::{Value, json};
use std::fmt::Write as _;
use tenon_vocab::{Durability, Event};

const HEAD: &str = "# Events

Generated from the vocabulary. `tenon exec --format json` prints one event per line, the log of a \
session (`tenon sessions show --events`) holds the durable ones. Fields and kinds are only ever \
added: ignore those that you do not know.

Every event has:

| field | |
|---|---|
| `seq` | Counts the durable events of a session, from 0 without gaps. An ephemeral event carries that of the last durable one. |
| `sub` | Only with ephemeral events: counts them after that durable one, from 1. |
| `ts` | When, RFC 3339 in UTC. |
| `session` | The id of the session, a UUID. |
| `run` | The run it belongs to: one prompt and all that follows from it. |
| `parent` | The run that this run is a part of, when an agent works for another. |
| `agent` | The agent at work. |
| `type` | The kind, below; its own fields follow. |

The first line of a stream is the `meta` of its session, also where one is gone on with: \
`schema_version` is that of all that follows. The last event of a run is `run_finished`. When a run cannot begin, the only line is \
`{\"type\": \"error\", \"kind\", \"message\", \"hint\", \"exit_code\"}`.

In the log a text of more than 16 KB in a long line stands as `{\"$blob\": SHA-256, \"bytes\": N}` \
and lies in the folder beside it.

";

/// Name, meaning, and the kind's own fields as they may look.
const KINDS: &[(&str, &str, &str)] = &[
    (
        "meta",
        "The first event of a session: what it is and where it was held.",
        r#"{"schema_version":1,"id":"0199c0de-0000-7000-8000-000000000001","cwd":"/home/me/project","program_version":"0.1.0","git_branch":"main"}"#,
    ),
    (
        "run_started",
        "A prompt was taken. `prompt` is its beginning; the `message` that follows has all of it. `origin`: prompt, follow_up, shell, delegated.",
        r#"{"prompt":"why does the test fail?","origin":"prompt"}"#,
    ),
    (
        "run_finished",
        "The run is over, once for each run. `outcome`: completed, interrupted, failed, limit, loop, denied, filtered; `reason` unless it completed.",
        r#"{"outcome":"limit","reason":"10 steps were made","steps":10,"calls":12,"failed_calls":1,"denied_calls":0,"usage":{"input":41200,"output":1830},"duration_ms":48210}"#,
    ),
    (
        "state",
        "What the engine does now: idle, planning, awaiting_permission, tool_running, model_generating, done, error.",
        r#"{"state":"model_generating"}"#,
    ),
    (
        "message",
        "A whole message. Parts: text, image, reasoning, tool_call, opaque. `status`: complete, interrupted, broken, abandoned. `segment`: plan before tools, answer at the end.",
        r#"{"role":"assistant","parts":[{"type":"text","text":"I will look."},{"type":"tool_call","id":"call_1","name":"read","arguments":"{\"path\":\"src/price.sh\"}"}],"status":"complete","in_context":true,"origin":"model","stop":"tool_use","usage":{"input":2100,"output":31},"segment":"plan"}"#,
    ),
    (
        "model_request",
        "A request goes out to a model; each try is one. `purpose`: step, compaction, title, other. `messages` counts those of the conversation, `estimated_tokens` all that is sent.",
        r#"{"purpose":"step","model":"qwen3-coder","endpoint":"local","messages":3,"estimated_tokens":2130}"#,
    ),
    (
        "message_delta",
        "A piece of the message that is being written. `channel`: text, reasoning.",
        r#"{"channel":"text","text":"I will"}"#,
    ),
    (
        "tool_delta",
        "A piece of what a running call prints. `stream`: stdout, stderr, status.",
        r#"{"call":"call_2","stream":"stdout","text":"ok 1\n"}"#,
    ),
    (
        "tool_use",
        "A call was allowed and begins. `input` is as it runs, after repair; `explanation` says why it may. Calls of one `batch` run side by side.",
        r#"{"call":"call_1","name":"read","input":{"path":"src/price.sh"},"explanation":{"class":"allow","reason":"the rule `read: allow` (built-in) allows it","tried":[{"rule":"read: allow","origin":"built-in","matched":true}]},"batch":1}"#,
    ),
    (
        "tool_result",
        "The one result of a call. `status`: completed, denied, interrupted, not_started, unknown_outcome. `model_text` is exactly what the model reads, `display` what a screen draws.",
        r#"{"call":"call_1","name":"read","ok":true,"status":"completed","envelope":{"ok":true,"data":{"path":"/home/me/project/src/price.sh","content":"price=$1\n","truncated":false,"bytes":9,"lines":1}},"model_text":"1\tprice=$1\n","display":{"shape":"text","summary":"1 line"},"duration_ms":1,"reads":[{"path":"src/price.sh","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]}"#,
    ),
    (
        "question",
        "Somebody is asked. `kind`: permission, ask_user, trust. A choice with a `rule` would store that rule.",
        r#"{"id":"q_1","kind":"permission","title":"Run a command?","body":"sh tests/run.sh","display":{"shape":"nothing"},"choices":[{"id":"once","key":"y","label":"allow once"},{"id":"deny","key":"n","label":"deny"}],"free_text":true,"call":"call_2","tool":"bash","reason":"Tenon doesn't know `sh` as a command that only reads"}"#,
    ),
    (
        "answer",
        "The answer to a question. `by`: user, client, hook, flag, nobody, interrupt.",
        r#"{"question":"q_1","choice":"once","by":"user"}"#,
    ),
    (
        "context",
        "What every request begins with has changed (`compiled`), or the history was replaced by a summary (`compacted`).",
        r#"{"change":"compiled","system":{"sha256":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae","bytes":2980},"tools":{"sha256":"fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9","bytes":6120},"model":"qwen3-coder","endpoint":"local","dialect":"native","reason":"start"}"#,
    ),
    (
        "snapshot",
        "All that is needed to go on without reading what stands before it.",
        r#"{"settings":null,"compiled":null,"todo":[],"usage":{"input":41200,"output":1830},"runs":1,"compactions":0,"prompt":"why does the test fail?","checkpoint_head":null,"history":[{"seq":3,"offset":412}]}"#,
    ),
    (
        "checkpoint",
        "Files as they were before a change. `action`: saved, undone, redone, reverted.",
        r#"{"action":"saved","call":"call_3","files":[{"path":"src/price.sh","mode":420,"before":{"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","bytes":212},"after":"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"}]}"#,
    ),
    (
        "review",
        "A check of the work. `kind`: validation, audit; `state`: started, passed, failed, skipped.",
        r#"{"kind":"validation","state":"failed","round":1,"detail":"exit code 1"}"#,
    ),
    (
        "hook",
        "A hook ran. `result`: pass, warn, block, failed.",
        r#"{"event":"tool.before","hook":"format","result":"pass","duration_ms":12}"#,
    ),
    (
        "retry",
        "A request to the model failed and is made again after a pause.",
        r#"{"attempt":1,"of":5,"delay_ms":1000,"reason":"the server answered 503"}"#,
    ),
    (
        "job",
        "A process of its own. `action`: started, detached, exited, killed.",
        r#"{"id":"proc_1","action":"exited","command":"npm run dev","exit_code":0}"#,
    ),
    (
        "mcp",
        "A tool server changed its state.",
        r#"{"server":"docs","state":"ready","detail":"4 tools"}"#,
    ),
    (
        "todo",
        "The list of tasks, whole. `status`: pending, in_progress, completed, cancelled.",
        r#"{"items":[{"text":"find the failing test","status":"completed"}]}"#,
    ),
    (
        "settings",
        "The settings from here on, in full.",
        r#"{"provider":"local","model":"qwen3-coder","agent_name":"build","mode":"single","permission_mode":"ask","title":"Fix the price test","pinned":false}"#,
    ),
    (
        "notice",
        "Something that the user should know. `level`: info, warning, error.",
        r#"{"level":"warning","kind":"permission","message":"bash was denied: there is no one to ask.","hint":"Allow it with --yes."}"#,
    ),
    (
        "interrupted",
        "The run was stopped. `by`: user, shutdown, crash.",
        r#"{"by":"user"}"#,
    ),
];

pub fn page() -> Result<String, CliError> {
    let mut page = String::from(HEAD);
    page.push_str("| kind | in the log | |\n|---|---|---|\n");
    let mut samples = String::from("\n## Samples\n");
    for (name, meaning, fields) in KINDS {
        let event = sample(name, fields).map_err(|error| {
            CliError::runtime(format!("the sample of the event `{name}`: {error}"))
        })?;
        let logged = match event.kind.durability() {
            Durability::Durable => "yes",
            Durability::Ephemeral => "no",
        };
        let line = serde_json::to_string(&event)
            .map_err(|error| CliError::runtime(format!("the event `{name}`: {error}")))?;
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| [`{name}`](#{name}) | {logged} | {meaning} |");
        let _ = write!(samples, "\n### {name}\n\n```json\n{line}\n```\n");
    }
    page.push_str(&samples);
    Ok(page)
}

fn sample(name: &str, fields: &str) -> Result<Event, serde_json::Error> {
    let mut event = json!({
        "seq": 7, "ts": "2026-01-01T12:00:00Z",
        "session": "0199c0de-0000-7000-8000-000000000001",
        "run": "0199c0de-0000-7000-8000-000000000002",
        "agent": "build", "type": name,
    });
    let fields: serde_json::Map<String, Value> = serde_json::from_str(fields)?;
    if let Some(event) = event.as_object_mut() {
        event.extend(fields);
    }
    let mut event: Event = serde_json::from_value(event)?;
    match name {
        "meta" => (event.seq, event.run) = (0, None),
        "settings" | "context" => event.run = None,
        _ => {}
    }
    event.sub = (!event.is_durable()).then_some(1);
    Ok(event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::EventKind;

    #[test]
    fn every_kind_of_event_has_its_place_on_the_page() {
        let told: Vec<&str> = KINDS.iter().map(|(name, _, _)| *name).collect();
        assert_eq!(told, EventKind::NAMES);
    }

    /// A field that the types do not know would vanish, and one that they gained
    /// with a default would appear: either way the table is behind.
    #[test]
    fn every_sample_passes_the_types_unchanged() {
        for (name, _, fields) in KINDS {
            let event = serde_json::to_value(sample(name, fields).unwrap()).unwrap();
            let given: serde_json::Map<String, Value> = serde_json::from_str(fields).unwrap();
            let own: serde_json::Map<String, Value> = event
                .as_object()
                .unwrap()
                .iter()
                .filter(|(key, _)| {
                    !["seq", "sub", "ts", "session", "run", "agent", "type"].contains(&key.as_str())
                })
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            assert_eq!(own, given, "{name}");
        }
    }
}
