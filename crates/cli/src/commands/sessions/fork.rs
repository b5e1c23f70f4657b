//! `sessions fork`: a copy of a session, whole or up to a message. The copy is a
//! session like any other; what happened to files is not undone by it.

use crate::CommandResult;
use crate::commands::pages;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use tenon_session::Store;
use tenon_vocab::SessionId;

pub fn run(place: &Place, id: SessionId, at: Option<u32>) -> CommandResult {
    let store = place.store();
    let seq = at.map(|number| message(&store, id, number)).transpose()?;
    let copy = SessionId::generate();
    // Nothing is done with it here: the lock is free at once.
    drop(store.fork(id, copy, seq)?);
    complain(&told(at));
    complain(&format!("Continue with: tenon --session {copy}"));
    pages::print(&copy.to_string())
}

/// The record of a message that is named by its number.
pub fn message(store: &Store, id: SessionId, number: u32) -> Result<u64, CliError> {
    let numbers = store.numbered(id)?;
    let found = numbers.iter().find(|(each, _)| *each == number);
    found.map(|(_, seq)| *seq).ok_or_else(|| {
        let there = match numbers.len() {
            0 => String::from("the session has no messages yet"),
            1 => String::from("the session has 1"),
            many => format!("the session has {many}"),
        };
        CliError::usage(format!("there is no message {number}: {there}"))
            .with_hint(format!("`tenon sessions show {id}` numbers them."))
    })
}

pub fn told(at: Option<u32>) -> String {
    let what = match at {
        Some(number) => format!("Made a copy up to message {number}."),
        None => String::from("Made a copy."),
    };
    format!("{what} Your files did not change.")
}
