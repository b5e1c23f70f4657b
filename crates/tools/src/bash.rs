//! `bash`: a command line for the shell (T8). It says what happened; whether it
//! may happen is the gate's matter, and how processes are kept is that of
//! [`crate::jobs`].

mod describe;

use crate::builtin::{facts, number, text};
use crate::contract::{Host, HostReply, HostRequest, Tool};
use crate::jobs::{
    Detached, Ended, Input, Jobs, Leftovers, NotStarted, Placement, Report, Room, RunOutcome,
    RunSpec, Walls, WayOut, end_line, seconds,
};
use crate::named::NamedFiles;
use crate::workspace::Workspace;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenon_policy::{Access, Deed, Facts, PathFact, Place, ReadingRoom, Script, Subject, Target};
use tenon_sandbox::Level;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::ToolLimits;
use tenon_vocab::{
    Display, Envelope, ErrorCode, ToolDelta, ToolError, ToolOutput, ToolSpec, ToolStream,
};

/// Bytes of each stream that a program finds in the result, whatever a model reads
/// of them.
const WHOLE: usize = 1024 * 1024;
/// The system takes no longer argument than 128 KiB.
const MAX_COMMAND: usize = 120 * 1024;

/// In the data of a result: what the sandbox of a command that only reads stopped.
pub const READING_STOPPED: &str = "reading_stopped";

/// Runs a command line.
#[derive(Debug)]
pub struct Bash {
    spec: ToolSpec,
    example: String,
}

impl Bash {
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(&ToolLimits::default())
    }

    /// With the times that hold here, which the model is told.
    #[must_use]
    pub fn with_limits(limits: &ToolLimits) -> Self {
        Self {
            spec: describe::spec_of(limits),
            example: describe::example(limits),
        }
    }
}

impl Default for Bash {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn example(&self) -> Option<&str> {
        Some(&self.example)
    }

    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts {
        let command = text(input, "command").unwrap_or_default();
        // The words mean what they mean in the folder that the command runs in.
        let folder = text(input, "workdir").unwrap_or_default();
        let script = tenon_policy::analyse(command)
            .with_matches(|pattern| workspace.matches(pattern, Path::new(folder)));
        let found = observed(&script, Path::new(folder), workspace);
        let foreign = workspace.foreign_programs(&script, Path::new(folder));
        let script = script.with_facts(found).with_foreign(foreign);
        let script = match placement(input) {
            Placement::Foreground => script,
            Placement::Background => script.in_background(),
        };
        facts(&self.spec, Subject::Command(script), input)
    }

    fn preview(&self, input: &Value, workspace: &Workspace) -> Display {
        Display::Terminal {
            command: text(input, "command").unwrap_or_default().to_owned(),
            output: circumstances(input, workspace),
            exit_code: None,
            job: None,
            state: None,
        }
    }

    fn obstacle(
        &self,
        input: &Value,
        workspace: &Workspace,
        _: &Jobs,
        _: &ToolLimits,
    ) -> Option<ToolOutput> {
        begin(input, workspace).err().map(|obstacle| *obstacle)
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let (command, cwd) = match begin(&input, host.workspace()) {
                Ok(begun) => begun,
                Err(obstacle) => return *obstacle,
            };
            let hidden = named_but_hidden(command, &cwd, host);
            let before = NamedFiles::look(command, &cwd);
            let spec = run_spec(&input, command, cwd, host);
            let mut outcome = run_once(spec.clone(), host).await;
            // What was only read is asked about as any other command: no switch
            // of the configuration is for it.
            let stopped = match spec.room {
                Room::Reading => {
                    let denial = outcome.denial.take().map(|denial| denial.what);
                    denial.or(outcome.missing.take().map(|missing| missing.what))
                }
                Room::Session => None,
            };
            let mut first = answer(&outcome, command, host.limits());
            if let (Some(what), Envelope::Ok(data)) = (stopped, &mut first.envelope) {
                data[READING_STOPPED] = json!(what);
            }
            if !hidden.is_empty() && outcome.sandbox.level != Level::None.name() {
                let names = hidden.join(", ");
                first = noted(
                    first,
                    &format!(
                        "the sandbox hides {names} from commands (sandbox.show); use `read` instead"
                    ),
                );
            }
            perhaps_again(spec, outcome, first, (host, before)).await
        })
    }
}

/// The command line and the folder in which it runs.
fn begin<'a>(
    input: &'a Value,
    workspace: &Workspace,
) -> Result<(&'a str, PathBuf), Box<ToolOutput>> {
    let command = text(input, "command").unwrap_or_default();
    if let Some(problem) = unusable(command) {
        return Err(Box::new(ToolOutput::error(
            ErrorCode::InvalidInput,
            problem,
        )));
    }
    let folder = match text(input, "workdir").filter(|path| !path.is_empty()) {
        None => Ok(workspace.root().to_owned()),
        Some(path) => workspace.resolve_dir(path),
    };
    let folder = folder.map_err(|error| Box::new(error.output()))?;
    Ok((command, folder))
}

async fn run_once(spec: RunSpec, host: &dyn Host) -> RunOutcome {
    let show = |stream, bytes: &[u8]| tell(host, stream, String::from_utf8_lossy(bytes).into());
    host.jobs().run(spec, host.cancelled(), &show).await
}

fn tell(host: &dyn Host, stream: ToolStream, text: String) {
    host.progress(ToolDelta {
        call: host.call().clone(),
        stream,
        text,
    });
}

/// The key that opens the network for commands.
const NETWORK: &str = "sandbox.network";

/// What the walls did to a command, and what it may be offered instead.
struct Stop {
    /// A clause.
    why: String,
    switch: String,
    walls: Walls,
    variables: Vec<String>,
}

/// `None` where nothing was stopped, or there is no way on. The network that only
/// this mode closes is no way out of the sandbox.
fn stop(spec: &RunSpec, outcome: &RunOutcome, way_out: WayOut) -> Option<Stop> {
    let (why, switch, variables) = match (&outcome.denial, &outcome.missing) {
        (Some(denial), _) => {
            let why = format!("the sandbox blocked it: {}", denial.what);
            (why, &denial.switch, Vec::new())
        }
        (None, Some(missing)) => (
            missing.what.clone(),
            &missing.switch,
            missing.variables.clone(),
        ),
        (None, None) => return None,
    };
    let walls = match (spec.walls, way_out) {
        (Walls::Offline, _) if switch == NETWORK => Walls::Inside,
        (Walls::Inside | Walls::Offline, WayOut::Offered) => Walls::Outside,
        (_, WayOut::Closed) | (Walls::Outside | Walls::Own, _) => return None,
    };
    Some(Stop {
        why,
        switch: switch.clone(),
        walls,
        variables,
    })
}

/// After a run that the walls stopped: once more with less around it, if a person
/// says so. What got the network may then miss a credential.
async fn perhaps_again(
    mut spec: RunSpec,
    mut outcome: RunOutcome,
    mut output: ToolOutput,
    (host, before): (&dyn Host, NamedFiles),
) -> ToolOutput {
    // What was only read is asked about as any other command first.
    if host.room() == Room::Reading {
        return output;
    }
    while let Some(stop) = stop(&spec, &outcome, host.jobs().way_out()) {
        let asked = NamedFiles::look(&spec.command, &spec.cwd);
        let request = HostRequest::RunAgain {
            folder: spec.cwd.clone(),
            changed: asked.changed_since(&before, host.workspace().root()),
            command: spec.command.clone(),
            denial: stop.why.clone(),
            switch: stop.switch,
            walls: stop.walls,
            variables: stop.variables.clone(),
        };
        match host.request(request).await {
            HostReply::Allowed => {}
            HostReply::Refused(reason) => return noted(output, &reason),
            HostReply::Answer(_) | HostReply::Todo(_) | HostReply::Unavailable(_) => return output,
        }
        // The yes was for what was there when it was asked for.
        let now = NamedFiles::look(&spec.command, &spec.cwd);
        let others = now.changed_since(&asked, host.workspace().root());
        if let Some(other) = others.first() {
            let note = format!("not run again: `{other}` changed while the user was asked");
            return noted(output, &note);
        }
        let (again, how) = match stop.walls {
            Walls::Outside | Walls::Own => ("outside the sandbox", "outside it"),
            Walls::Inside | Walls::Offline => ("with network", "with network"),
        };
        tell(host, ToolStream::Status, format!("again, {again}"));
        spec.walls = stop.walls;
        spec.lent = stop.variables;
        outcome = run_once(spec.clone(), host).await;
        let note = format!(
            "this is the second run: in the first, {}; the user allowed this one {how}",
            stop.why
        );
        output = noted(answer(&outcome, &spec.command, host.limits()), &note);
    }
    output
}

/// A line may name any number of files; so many are looked at. The rest counts
/// as what cannot be observed.
const LOOKED_AT: usize = 256;

pub(crate) fn observed(script: &Script, folder: &Path, workspace: &Workspace) -> Vec<PathFact> {
    script
        .targets
        .iter()
        .enumerate()
        .map(|(at, target)| {
            let access = match target.deed {
                Deed::Read => Access::Read,
                _ => Access::Write,
            };
            match meant(target, folder, workspace).filter(|_| at < LOOKED_AT) {
                Some(path) => workspace.observe(&path.to_string_lossy(), access),
                None => PathFact {
                    path: target.path.clone(),
                    access,
                    exists: true,
                    inside: false,
                    symlink: false,
                    place: Place::Ordinary,
                },
            }
        })
        .collect()
}

/// The path that the shell would use: `~` is the home, another user's home is
/// anywhere.
fn meant(target: &Target, folder: &Path, workspace: &Workspace) -> Option<PathBuf> {
    let Some(below) = target.path.strip_prefix('~') else {
        return Some(folder.join(&target.path));
    };
    if !(below.is_empty() || below.starts_with('/')) {
        return None;
    }
    let home = workspace.home()?;
    Some(home.join(below.trim_start_matches('/')))
}

/// The files that a command names and will see empty, as it names them.
fn named_but_hidden(command: &str, cwd: &Path, host: &dyn Host) -> Vec<String> {
    let script = tenon_policy::analyse(command);
    let found = observed(&script, cwd, host.workspace());
    hidden_from(&script.with_facts(found), host.workspace(), host.jobs())
}

/// Of the files that a command line names, those that the walls hide from it: a
/// command sees them empty, which is no error to it.
#[must_use]
pub fn hidden_from(script: &Script, workspace: &Workspace, jobs: &Jobs) -> Vec<String> {
    let Some(policy) = jobs.sandbox() else {
        return Vec::new();
    };
    let mut names: Vec<String> = script
        .observed()
        .filter_map(|(target, fact)| {
            let path = workspace.root().join(&fact?.path);
            let is_hidden = policy.hidden.iter().any(|hidden| path.starts_with(hidden));
            is_hidden.then(|| target.path.clone())
        })
        .collect();
    names.dedup();
    names
}

/// What the sandbox can hold this call to, were it only to read. Whether all
/// secrets are hidden is looked up only for who goes through whole folders.
#[must_use]
pub fn reading_room(facts: &Facts, jobs: &Jobs) -> ReadingRoom {
    let Subject::Command(script) = &facts.subject else {
        return ReadingRoom::Absent;
    };
    if script.exact().is_none() || !jobs.holds_readers() {
        ReadingRoom::Absent
    } else if script.shows_trees() && !jobs.secrets_hidden_whole() {
        ReadingRoom::SomeSecretsShown
    } else {
        ReadingRoom::Enforced
    }
}

/// One more fact for the model.
fn noted(mut output: ToolOutput, note: &str) -> ToolOutput {
    output.model_text.push_str(&format!("\n[{note}]"));
    output
}

/// Where and how the command would run, where that is not as usual: the same
/// line does other things in another folder.
fn circumstances(input: &Value, workspace: &Workspace) -> String {
    let mut told = Vec::new();
    if let Some(folder) = text(input, "workdir").filter(|path| !path.is_empty()) {
        let real = workspace.observe(folder, Access::Write).path;
        match workspace.alias(folder, &real) {
            Some(link) => told.push(format!("in {link} → {real}")),
            None if real == "." => {}
            None => told.push(format!("in {real}")),
        }
    }
    if placement(input) == Placement::Background {
        told.push(String::from("in the background"));
    }
    told.join("\n")
}

fn unusable(command: &str) -> Option<String> {
    if command.trim().is_empty() {
        return Some(String::from(
            "the command is empty; pass a command line, for example {\"command\":\"ls\"}",
        ));
    }
    if command.contains('\0') {
        return Some(String::from(
            "the command contains a NUL character, which no shell can read; remove it",
        ));
    }
    if command.len() > MAX_COMMAND {
        return Some(format!(
            "the command is {} bytes long and the system takes at most {MAX_COMMAND}; write it \
             to a file and run that",
            command.len()
        ));
    }
    None
}

fn placement(input: &Value) -> Placement {
    match input.get("background").and_then(Value::as_bool) {
        Some(true) => Placement::Background,
        _ => Placement::Foreground,
    }
}

fn run_spec(input: &Value, command: &str, cwd: PathBuf, host: &dyn Host) -> RunSpec {
    let limits = host.limits();
    let placement = placement(input);
    let stdin = match placement {
        Placement::Background => Input::Open,
        Placement::Foreground => Input::Nothing,
    };
    let asked = number(input, "timeout_ms")
        .filter(|timeout| *timeout > 0)
        .map(|timeout| Duration::from_millis(timeout).min(limits.bash_timeout_max));
    RunSpec {
        timeout: asked.or(limits.bash_timeout),
        on_timeout: limits.on_timeout,
        placement,
        input: stdin,
        leftovers: Leftovers::BecomeJob,
        kept_bytes: WHOLE.max(limits.output_bytes),
        output_bytes: limits.output_bytes,
        label: host.call().to_string(),
        confirmed: host.confirmed().to_vec(),
        room: host.room(),
        walls: host.walls(),
        ..RunSpec::new(command, cwd)
    }
}

fn answer(outcome: &RunOutcome, command: &str, limits: &ToolLimits) -> ToolOutput {
    let report = Report::new(outcome, command, limits.output_bytes);
    let mut output = match &outcome.ended {
        Ended::NotStarted(reason) => {
            let code = match reason {
                NotStarted::Spawn(_) | NotStarted::TooMany(_) | NotStarted::NoSandbox => {
                    ErrorCode::Internal
                }
                NotStarted::Closing => ErrorCode::Interrupted,
            };
            return ToolOutput::error(code, reason.to_string());
        }
        Ended::Interrupted => failed(ErrorCode::Interrupted, &report, outcome),
        Ended::Unknown => failed(ErrorCode::UnknownOutcome, &report, outcome),
        Ended::Exited { .. } | Ended::Running(_) | Ended::TimedOut => ToolOutput::ok(
            data(outcome, &report),
            report.text.clone(),
            Display::Nothing,
        ),
    };
    output.display = Display::Terminal {
        command: command.to_owned(),
        output: report.screen(),
        exit_code: outcome.exit_code(),
        job: outcome.job.as_ref().map(ToString::to_string),
        state: matches!(outcome.ended, Ended::TimedOut)
            .then(|| format!("timed out after {}, killed", seconds(outcome.duration))),
    };
    output.sandbox = Some(outcome.sandbox.clone());
    output.masked = outcome.output.masked.counts();
    output
}

fn data(outcome: &RunOutcome, report: &Report) -> Value {
    let timed_out = matches!(
        outcome.ended,
        Ended::TimedOut | Ended::Running(Detached::TimedOut)
    );
    let exit_code = match outcome.ended {
        Ended::TimedOut => Some(-1),
        _ => outcome.exit_code(),
    };
    let mut stderr = report.stderr.clone();
    // A reader of the data alone must see why nothing more comes.
    if matches!(outcome.ended, Ended::TimedOut) {
        end_line(&mut stderr);
        stderr.push_str(&format!(
            "timed out after {} and was killed\n",
            seconds(outcome.duration)
        ));
    }
    let mut data = Map::new();
    data.insert("stdout".into(), report.stdout.clone().into());
    data.insert("stderr".into(), stderr.into());
    data.insert("exit_code".into(), exit_code.into());
    data.insert("timed_out".into(), timed_out.into());
    data.insert("duration_ms".into(), milliseconds(outcome.duration).into());
    data.insert("truncated".into(), report.truncated.into());
    if let Some(path) = outcome.output.whole.path() {
        let path = path.to_string_lossy().into_owned();
        data.insert("whole_output".into(), path.into());
    }
    if let Some(job) = &outcome.job {
        data.insert("process_id".into(), job.as_str().into());
    }
    let denial = outcome.denial.as_ref().map(|it| (&it.what, &it.switch));
    let missing = outcome.missing.as_ref().map(|it| (&it.what, &it.switch));
    if let Some((what, switch)) = denial.or(missing) {
        let told = json!({"what": what, "switch": switch});
        data.insert("sandbox_denial".into(), told);
    }
    Value::Object(data)
}

/// An error that carries what was printed before it.
fn failed(code: ErrorCode, report: &Report, outcome: &RunOutcome) -> ToolOutput {
    let mut output = ToolOutput::error(code, report.facts.clone());
    output.envelope = Envelope::Err(ToolError {
        code,
        message: report.facts.clone(),
        details: Some(data(outcome, report)),
    });
    output.model_text = format!("error: {}: {}", code.name(), report.text);
    output
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
