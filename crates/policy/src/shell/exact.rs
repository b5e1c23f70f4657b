//! The strict walk: what exactly a line runs, or why that is not certain. The
//! plain reading and the grammar must agree; wrappers that add nothing of their
//! own are taken off where every word of theirs is understood.

use super::agree::agrees;
use super::plain::{self, PlainCommand, PlainWord, is_safe_variable};
use crate::script::{Commands, Simple, Word};
use tree_sitter::Tree;

pub(super) fn commands(text: &str, tree: Option<&Tree>) -> Commands {
    let proven = plain::read(text).and_then(|plain| {
        let tree = tree.ok_or_else(|| "it is too complex to check".to_owned())?;
        agrees(tree, &plain)?;
        plain.into_iter().map(unwrapped).collect()
    });
    match proven {
        Ok(commands) => Commands::Exact(commands),
        Err(why) => Commands::Unknown(why),
    }
}

fn unwrapped(command: PlainCommand) -> Result<Simple, String> {
    let mut words = command.words;
    let mut assignments = command.assignments;
    // Each round takes at least one word away.
    loop {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let Some(own) = own_words(&texts)? else {
            break;
        };
        for word in words.drain(..own).skip(1) {
            if word.text.contains('=') && !word.text.starts_with('-') {
                assignments.push(word.text);
            }
        }
        if let Some(head) = words.first() {
            check_inner(head)?;
        }
    }
    let words = words
        .into_iter()
        .map(|word| Word {
            text: word.text,
            expands: word.expands,
        })
        .collect();
    Ok(Simple { words, assignments })
}

fn check_inner(head: &PlainWord) -> Result<(), String> {
    if head.expands || head.text.is_empty() || head.text.contains('=') {
        return Err("the command's name only shows when it runs".into());
    }
    Ok(())
}

/// How many words in front are a wrapper's own. `None` where there is none.
fn own_words(words: &[&str]) -> Result<Option<usize>, String> {
    let Some((name, rest)) = words.split_first() else {
        return Ok(None);
    };
    let own = match *name {
        "nohup" => plain_options(rest, &[], &[]),
        "command" if matches!(rest.first(), Some(&"-v" | &"-V")) => return Ok(None),
        "command" => plain_options(rest, &[], &[]),
        "time" => plain_options(rest, &["-p"], &[]),
        "nice" => plain_options(rest, &[], &["-n"]),
        "timeout" => timeout(rest),
        "env" if rest.is_empty() => return Ok(None),
        "env" => variables(rest),
        _ => return Ok(None),
    };
    match own {
        Some(own) if own < rest.len() => Ok(Some(own + 1)),
        _ => Err(format!("it isn't clear what `{name}` runs")),
    }
}

/// The number of options, all of them known; `None` otherwise.
fn plain_options(words: &[&str], flags: &[&str], valued: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        if flags.contains(word) {
            at += 1;
        } else if valued.contains(word) {
            words.get(at + 1).filter(|value| is_number(value))?;
            at += 2;
        } else {
            return None;
        }
    }
    Some(at)
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_duration(text: &str) -> bool {
    let digits = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn timeout(words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        match *word {
            "--foreground" | "--preserve-status" | "-v" | "--verbose" => at += 1,
            "-k" | "--kill-after" => {
                words.get(at + 1).filter(|value| is_duration(value))?;
                at += 2;
            }
            "-s" | "--signal" => {
                let signal = words.get(at + 1)?;
                signal
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric())
                    .then_some(())?;
                at += 2;
            }
            word => {
                let (name, value) = word.split_once('=')?;
                let fits = match name {
                    "--kill-after" => is_duration(value),
                    "--signal" => value.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                    _ => false,
                };
                fits.then_some(())?;
                at += 1;
            }
        }
    }
    words.get(at).filter(|word| is_duration(word))?;
    Some(at + 1)
}

/// `env NAME=value … program`, without options.
fn variables(words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some((name, value)) = word.split_once('=') else {
            break;
        };
        is_safe_variable(name, value).then_some(())?;
        at += 1;
    }
    words.get(at).filter(|word| !word.starts_with('-'))?;
    Some(at)
}
