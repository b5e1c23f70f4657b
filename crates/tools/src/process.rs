//! `process`: looks at, writes to and ends what `bash` left in the background
//! (T9).

use crate::bash::observed;
use crate::builtin::{facts, number, spec, text};
use crate::contract::{Host, Tool};
use crate::jobs::{
    Excerpt, JobError, JobInfo, JobOutput, JobState, Jobs, LinePattern, Until, Waited, Whole,
    left_out, seconds,
};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tenon_policy::{Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::ToolLimits;
use tenon_vocab::{Display, Effect, Envelope, ErrorCode, JobId, ToolDelta, ToolOutput, ToolSpec};

/// How long a read waits for something new, so that a model does not ask in a
/// tight circle.
const NEWS: Duration = Duration::from_secs(1);

/// How long a call waits that does not say how long, and the longest.
const WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The word for the end of a process, in `until`.
const EXIT: &str = "exit";

const DESCRIPTION: &str = "List, read, wait for, write to or kill the background processes that bash started. \
read returns what was printed since the last read. \
wait does the same when the process has ended, or when a line matches until: use it instead of reading again and again. \
write sends input to a process started with background true; end it with \\u0004 to close its input. \
kill ends the process and everything it started.";

const EXAMPLE: &str = "For a build that went on in the background: {\"action\": \"wait\", \"id\": \"proc_1\", \"timeout_ms\": 300000}, once, instead of reading every few seconds.";

/// Handles background processes.
#[derive(Debug)]
pub struct Process {
    spec: ToolSpec,
}

impl Process {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["list", "read", "wait", "write", "kill"]},
                "id": {"type": "string", "description": "proc_N; not needed for list."},
                "input": {"type": "string", "description": "For write."},
                "until": {
                    "type": "string",
                    "description": "For wait: `exit` (default), or a regular expression to find in a new line of output."
                },
                "timeout_ms": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "For wait: 60000 when left out, at most 600000."
                }
            },
            "required": ["action"],
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::PROCESS, DESCRIPTION, Effect::Execute, parameters),
        }
    }
}

impl Default for Process {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Process {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn example(&self) -> Option<&str> {
        Some(EXAMPLE)
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        let action = text(input, "action").unwrap_or_default();
        let subject = match action {
            // A shell may read it: it is judged as what it would be there. Where
            // the process stands is not known; it began in the project.
            "write" => {
                let script = tenon_policy::analyse(text(input, "input").unwrap_or_default());
                let found = observed(&script, Path::new(""), workspace);
                Subject::Command(script.with_facts(found))
            }
            _ => Subject::Name(action.to_owned()),
        };
        let mut facts = facts(&self.spec, subject, input);
        if matches!(action, "list" | "read" | "wait") {
            facts.effect = Effect::Read;
        }
        facts
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        let action = text(input, "action").unwrap_or_default();
        let id = text(input, "id").unwrap_or_default();
        Display::Text {
            summary: format!("{action} {id}").trim().to_owned(),
            body: text(input, "input").unwrap_or_default().to_owned(),
        }
    }

    fn obstacle(
        &self,
        input: &Value,
        _: &Workspace,
        jobs: &Jobs,
        _: &ToolLimits,
    ) -> Option<ToolOutput> {
        let action = text(input, "action").unwrap_or_default();
        let can = match action {
            "write" => Jobs::can_write,
            "kill" => Jobs::can_kill,
            _ => return None,
        };
        match id_of(input, action) {
            Ok(id) => can(jobs, &id).err().map(|error| refused(&error)),
            Err(missing) => Some(*missing),
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let action = text(&input, "action").unwrap_or_default();
            if action == "list" {
                host.jobs().tell();
                return list(&host.jobs().list());
            }
            let id = match id_of(&input, action) {
                Ok(id) => id,
                Err(missing) => return *missing,
            };
            let done = match action {
                "read" => read(&id, host).await,
                "wait" => wait(&id, &input, host).await,
                "write" => write(&id, &input, host).await,
                "kill" => kill(&id, host).await,
                _ => {
                    return ToolOutput::error(
                        ErrorCode::InvalidInput,
                        format!("`{action}` is not an action; use list, read, wait, write or kill"),
                    );
                }
            };
            done.unwrap_or_else(|error| refused(&error))
        })
    }
}

fn id_of(input: &Value, action: &str) -> Result<JobId, Box<ToolOutput>> {
    match text(input, "id").filter(|id| !id.is_empty()) {
        Some(id) => Ok(JobId::from(id)),
        None => Err(Box::new(ToolOutput::error(
            ErrorCode::InvalidInput,
            format!("{action} needs an id; the action list shows them"),
        ))),
    }
}

fn refused(error: &JobError) -> ToolOutput {
    let code = match error {
        JobError::Unknown { .. } => ErrorCode::NotFound,
        JobError::StillAlive(_) => ErrorCode::UnknownOutcome,
        JobError::Ended { .. }
        | JobError::NoInput(_)
        | JobError::InputClosed(_)
        | JobError::InputFull(..) => ErrorCode::InvalidInput,
    };
    ToolOutput::error(code, error.to_string())
}

fn list(jobs: &[JobInfo]) -> ToolOutput {
    let data = json!({"processes": jobs.iter().map(described).collect::<Vec<_>>()});
    if jobs.is_empty() {
        let none = "no background process was started";
        let display = Display::Text {
            summary: none.to_owned(),
            body: String::new(),
        };
        return ToolOutput::ok(data, none, display);
    }
    let lines: Vec<String> = jobs
        .iter()
        .map(|job| {
            format!(
                "{}: {}, {} bytes unread: {}",
                job.id,
                state(job),
                job.unread_bytes,
                job.command
            )
        })
        .collect();
    let rows = jobs
        .iter()
        .map(|job| {
            vec![
                job.id.to_string(),
                state(job),
                job.unread_bytes.to_string(),
                job.command.clone(),
            ]
        })
        .collect();
    let columns = ["id", "state", "unread", "command"];
    let display = Display::Table {
        columns: columns.map(String::from).to_vec(),
        rows,
    };
    ToolOutput::ok(data, lines.join("\n"), display)
}

/// `running for 12 s`, `exited with code 0 after 1.2 s`.
fn state(job: &JobInfo) -> String {
    let time = seconds(job.elapsed);
    match (job.state, job.exit_code) {
        (JobState::Running, None) => format!("running for {time}"),
        (JobState::Running, Some(code)) => {
            format!("running for {time} (its command exited with code {code})")
        }
        (JobState::Exited, Some(code)) => format!("exited with code {code} after {time}"),
        (JobState::Exited, None) => format!("exited after {time}"),
        (JobState::Killed, _) => format!("killed after {time}"),
    }
}

fn described(job: &JobInfo) -> Value {
    json!({
        "id": job.id,
        "command": job.command,
        "state": job.state.name(),
        "exit_code": job.exit_code,
        "elapsed_ms": u64::try_from(job.elapsed.as_millis()).unwrap_or(u64::MAX),
        "unread_bytes": job.unread_bytes,
    })
}

async fn read(id: &JobId, host: &dyn Host) -> Result<ToolOutput, JobError> {
    let patient = host.jobs().read(id, NEWS);
    let output = tokio::select! {
        biased;
        () = host.cancelled().cancelled() => {
            return Ok(ToolOutput::error(ErrorCode::Interrupted, "interrupted; nothing was read"));
        }
        read = patient => read?,
    };
    let stands = state(&output.info);
    Ok(answer(id, output, &stands, host))
}

async fn wait(id: &JobId, input: &Value, host: &dyn Host) -> Result<ToolOutput, JobError> {
    let pattern = text(input, "until").filter(|until| !until.is_empty() && *until != EXIT);
    let until = match pattern.map(LinePattern::new) {
        None => Until::Exit,
        Some(Ok(pattern)) => Until::Line(pattern),
        Some(Err(problem)) => {
            return Ok(ToolOutput::error(
                ErrorCode::InvalidInput,
                format!(
                    "`until` is not a valid regular expression: {problem}; use `exit` to wait \
                     for the end"
                ),
            ));
        }
    };
    let limit = number(input, "timeout_ms").map_or(WAIT, Duration::from_millis);
    let limit = limit.min(LONGEST_WAIT);
    let show = |stream, bytes: &[u8]| {
        host.progress(ToolDelta {
            call: host.call().clone(),
            stream,
            text: String::from_utf8_lossy(bytes).into_owned(),
        });
    };
    let waiting = host
        .jobs()
        .wait_for(id, &until, limit, host.cancelled(), &show);
    let (waited, output) = waiting.await?;
    let stands = state(&output.info);
    let (reason, said) = match (&waited, pattern) {
        (Waited::Interrupted, _) => {
            return Ok(ToolOutput::error(
                ErrorCode::Interrupted,
                format!("interrupted; {id} was left alone: {stands}"),
            ));
        }
        (Waited::Line(line), _) => ("match", format!("matched `{}`; {stands}", line.trim())),
        (Waited::Ended, None) => ("exit", stands),
        (Waited::Ended, Some(pattern)) => {
            ("exit", format!("{stands}; no line matched `{pattern}`"))
        }
        (Waited::TimeUp, None) => (
            "timeout",
            format!(
                "it did not end within {}; {stands}; wait again, or kill it",
                seconds(limit)
            ),
        ),
        (Waited::TimeUp, Some(pattern)) => (
            "timeout",
            format!(
                "no new line matched `{pattern}` within {}; {stands}; read its output before you \
                 wait again",
                seconds(limit)
            ),
        ),
    };
    let mut answer = answer(id, output, &said, host);
    if let Envelope::Ok(Value::Object(fields)) = &mut answer.envelope {
        fields.insert("ended_by".into(), reason.into());
        if let Waited::Line(line) = waited {
            fields.insert("line".into(), line.into());
        }
    }
    Ok(answer)
}

/// What a process has printed, and how it stands.
fn answer(id: &JobId, output: JobOutput, said: &str, host: &dyn Host) -> ToolOutput {
    let JobOutput {
        info,
        text,
        whole,
        masked,
    } = output;
    let (text, whole) = page(id, text, whole, host);
    let truncated = text.left_out_bytes > 0;
    let printed = text.joined(|excerpt| left_out(excerpt, &whole));
    let mut answer = if printed.is_empty() {
        String::from("(nothing new)")
    } else {
        printed.clone()
    };
    if !answer.ends_with('\n') {
        answer.push('\n');
    }
    answer.push_str(&format!("[{id}: {said}]"));
    let mut data = described(&info);
    if let Value::Object(fields) = &mut data {
        fields.insert("output".into(), printed.clone().into());
        fields.insert("truncated".into(), truncated.into());
        if let Some(path) = whole.path().filter(|_| truncated) {
            let path = path.to_string_lossy().into_owned();
            fields.insert("whole_output".into(), path.into());
        }
    }
    let (job, stands) = match info.state {
        JobState::Running => (Some(id.to_string()), None),
        JobState::Exited | JobState::Killed => (None, Some(state(&info))),
    };
    let display = Display::Terminal {
        command: info.command,
        output: printed,
        // Whoever ends a process has not failed at anything.
        exit_code: info.exit_code.filter(|_| info.state == JobState::Exited),
        job,
        state: stands,
    };
    ToolOutput {
        masked: masked.counts(),
        ..ToolOutput::ok(data, answer, display)
    }
}

/// As much of it as a result may hold. What was read is not given again, so what
/// is left out of it must stand in a file.
fn page(id: &JobId, text: Excerpt, whole: Whole, host: &dyn Host) -> (Excerpt, Whole) {
    let page = text.within(host.limits().output_bytes);
    if page == text || whole != Whole::Here {
        return (page, whole);
    }
    let label = format!("{}_{id}", host.call());
    (
        page,
        host.jobs().keep(&label, &text.joined(|_| String::new())),
    )
}

async fn write(id: &JobId, input: &Value, host: &dyn Host) -> Result<ToolOutput, JobError> {
    let Some(words) = text(input, "input") else {
        return Ok(ToolOutput::error(
            ErrorCode::InvalidInput,
            "write needs `input`; end a line with \\n",
        ));
    };
    let info = host.jobs().write(id, words).await?;
    let said = format!("wrote {} bytes to {id}", words.len());
    Ok(brief(&info, said))
}

async fn kill(id: &JobId, host: &dyn Host) -> Result<ToolOutput, JobError> {
    let info = host.jobs().kill(id).await?;
    host.jobs().tell_of(id);
    let said = format!(
        "{id} and everything it started have ended ({})",
        state(&info)
    );
    Ok(brief(&info, said))
}

fn brief(info: &JobInfo, said: String) -> ToolOutput {
    let display = Display::Text {
        summary: said.clone(),
        body: String::new(),
    };
    ToolOutput::ok(described(info), said, display)
}
