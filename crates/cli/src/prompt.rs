//! Where the prompt comes from: a flag, words, standard input. Never waits for
//! an input that may never come (I5).

use crate::args::RunArgs;
use crate::error::CliError;
use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

/// How long to wait for the first byte of a pipe when there is a prompt already.
const FIRST_BYTE: Duration = Duration::from_millis(200);
/// How long a pipe that has begun may stay silent before we go on without its end.
const SILENCE: Duration = Duration::from_secs(2);
/// A prompt larger than this is a mistake.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The whole prompt, or `None` when there is none at all.
pub fn gather(args: &RunArgs) -> Result<Option<String>, CliError> {
    let words = args.words.join(" ");
    if words == "-" {
        return Ok(Some(read_to_end()?));
    }
    let given = match (&args.prompt, words.is_empty()) {
        (Some(_), false) => {
            return Err(CliError::usage(
                "the prompt was given twice: with --prompt and as words",
            ));
        }
        (Some(prompt), true) => Some(prompt.clone()),
        (None, false) => Some(words),
        (None, true) => None,
    };
    if std::io::stdin().is_terminal() {
        return Ok(given);
    }
    match given {
        None => Ok(Some(read_to_end()?).filter(|text| !text.trim().is_empty())),
        Some(prompt) => Ok(Some(append(prompt, &read_patiently()))),
    }
}

fn append(prompt: String, piped: &str) -> String {
    if piped.trim().is_empty() {
        return prompt;
    }
    format!("{prompt}\n\n<stdin>\n{}\n</stdin>", piped.trim_end())
}

fn read_to_end() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LIMIT + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::usage(format!(
            "the prompt on standard input is larger than {LIMIT} bytes"
        )));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a pipe that may never be closed: what comes soon is taken, and a pipe
/// that stays silent is left alone.
fn read_patiently() -> String {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut total = 0;
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count) = stdin.read(&mut buffer) {
            total += count as u64;
            if count == 0 || total > LIMIT || sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut bytes = Vec::new();
    let mut patience = FIRST_BYTE;
    while let Ok(chunk) = receiver.recv_timeout(patience) {
        bytes.extend_from_slice(&chunk);
        patience = SILENCE;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
