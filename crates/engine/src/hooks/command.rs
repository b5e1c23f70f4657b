//! Runs the command of one hook: JSON on its standard input, its answer on
//! standard output. It runs where commands run, behind the same walls, and its
//! whole tree ends with it, at its timeout, or when the run is stopped.

use super::answer::{Answer, understand};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tenon_tools::Jobs;
use tenon_tools::jobs::{Ended, Input, RunSpec, Secrets};
use tenon_vocab::profile::HookSpec;
use tokio_util::sync::CancellationToken;

/// A hook that prints more than this has not answered.
const OUTPUT: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Answer(Answer),
    /// Why there is no answer.
    Failed(String),
    Interrupted,
}

/// What came of one hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub reply: Reply,
    pub duration: Duration,
}

/// Asks one hook. Never fails: what goes wrong is the reply.
pub async fn ask(
    jobs: &Jobs,
    root: &Path,
    hook: &HookSpec,
    input: &Value,
    token: &CancellationToken,
) -> Asked {
    let mut line = input.to_string().into_bytes();
    line.push(b'\n');
    let spec = RunSpec {
        timeout: Some(hook.timeout),
        input: Input::Bytes(line),
        kept_bytes: OUTPUT,
        output_bytes: OUTPUT,
        label: format!("hook-{}", hook.name),
        // A patch must come back as it was given; what is recorded is masked there.
        secrets: Secrets::Exact,
        ..RunSpec::new(hook.command.clone(), root)
    };
    let outcome = jobs.run(spec, token, &|_, _| {}).await;
    let stdout = &outcome.output.stdout;
    let reply = match &outcome.ended {
        _ if token.is_cancelled() => Reply::Interrupted,
        Ended::Interrupted => Reply::Interrupted,
        Ended::Exited { .. } if stdout.left_out_bytes > 0 => {
            Reply::Failed(format!("it printed more than {OUTPUT} bytes"))
        }
        Ended::Exited { .. } => {
            let code = outcome.exit_code().unwrap_or(-1);
            let stderr = outcome.output.stderr.joined(|_| String::from("[…]"));
            match understand(code, &stdout.joined(|_| String::new()), &stderr) {
                Ok(answer) => Reply::Answer(answer),
                Err(why) => Reply::Failed(match &outcome.denial {
                    Some(denial) => format!("{why}; the sandbox stopped it: {}", denial.what),
                    None => why,
                }),
            }
        }
        Ended::TimedOut => Reply::Failed(format!(
            "it took longer than {} s and was killed",
            hook.timeout.as_secs_f64()
        )),
        Ended::NotStarted(reason) => Reply::Failed(format!("it could not be started: {reason}")),
        Ended::Running(_) | Ended::Unknown => {
            Reply::Failed(String::from("it ended, and Tenon doesn't know how"))
        }
    };
    Asked {
        reply,
        duration: outcome.duration,
    }
}
