//! Where the prompt comes from: a flag, words, standard input. Never waits for
//! an input that may never come (I5).

use crate::args::RunArgs;
use crate::error::CliError;
use crate::screen::complain;
use std::io::{IsTerminal, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How long to wait for the first byte of a pipe when there is a prompt already.
const FIRST_BYTE: Duration = Duration::from_secs(3);
/// How long a pipe that has begun may stay silent before we go on without its end.
const SILENCE: Duration = Duration::from_secs(60);
/// When to say what is waited for.
const SAY_AFTER: Duration = Duration::from_secs(1);
/// A prompt larger than this is a mistake.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The prompt of the flags alone, for when standard input carries something else.
pub fn given(args: &RunArgs) -> Result<Option<String>, CliError> {
    let words = args.words.join(" ");
    if words == "-" {
        return Err(CliError::usage(
            "`-` reads the prompt from standard input, which carries commands here",
        ));
    }
    let prompt = from_flags(args, words)?;
    match &prompt {
        Some(text) if text.trim().is_empty() => Err(CliError::usage("the prompt is empty")),
        _ => Ok(prompt),
    }
}

/// What an interactive session begins with.
pub fn first(args: &RunArgs) -> Result<Option<String>, CliError> {
    from_flags(args, args.words.join(" "))
}

fn from_flags(args: &RunArgs, words: String) -> Result<Option<String>, CliError> {
    match (&args.prompt, words.is_empty()) {
        (Some(_), false) => Err(CliError::usage(
            "the prompt was given twice: with --prompt and as words",
        )),
        (Some(prompt), true) => Ok(Some(prompt.clone())),
        (None, false) => Ok(Some(words)),
        (None, true) => Ok(None),
    }
}

/// The whole prompt, or `None` when there is none at all.
pub fn gather(args: &RunArgs) -> Result<Option<String>, CliError> {
    let words = args.words.join(" ");
    if words == "-" {
        return Ok(Some(read_to_end()?));
    }
    let given = from_flags(args, words)?;
    if std::io::stdin().is_terminal() {
        return Ok(given);
    }
    match given {
        None => Ok(Some(read_to_end()?).filter(|text| !text.trim().is_empty())),
        Some(prompt) => Ok(Some(append(prompt, &read_patiently()?))),
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
        return Err(too_large());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a pipe that may never be closed. One that brings nothing for a while is
/// left alone, and so is one that stops in the middle; both are said.
fn read_patiently() -> Result<String, CliError> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count) = stdin.read(&mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut bytes = Vec::new();
    loop {
        match next(&receiver, bytes.is_empty()) {
            Ok(chunk) => bytes.extend_from_slice(&chunk),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if bytes.is_empty() => {
                complain("standard input is open but sent nothing; continuing without it");
                break;
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(CliError::usage("standard input did not end").with_hint(
                    "Close it, or pass the whole prompt with `-`, which waits for the end.",
                ));
            }
        }
        if bytes.len() as u64 > LIMIT {
            return Err(too_large());
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The next piece; says what is waited for when it takes a while.
fn next(receiver: &Receiver<Vec<u8>>, is_first: bool) -> Result<Vec<u8>, RecvTimeoutError> {
    let patience = if is_first { FIRST_BYTE } else { SILENCE };
    match receiver.recv_timeout(SAY_AFTER) {
        Err(RecvTimeoutError::Timeout) => {
            complain("reading standard input… (Ctrl+C stops; `</dev/null` gives none)");
            receiver.recv_timeout(patience - SAY_AFTER)
        }
        other => other,
    }
}

fn too_large() -> CliError {
    CliError::usage(format!("standard input is larger than {LIMIT} bytes"))
}
