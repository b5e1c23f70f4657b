//! A search as a front end wants it: over the index where that can be had, over
//! the logs themselves where not, and with a word about which of the two.

use crate::database::Index;
use crate::error::IndexError;
use crate::found::{Filter, Found};
use crate::query::Query;
use crate::scan::scan;
use crate::update::{Behind, Updated};
use std::path::Path;
use tenon_session::Store;

/// What becomes of the index before it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    Updated,
    Rebuilt,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub found: Found,
    /// What the user should know of how it was found, in sentences.
    pub notes: Vec<String>,
}

/// Sessions that are searched without an index rather than in part.
const FEW: usize = 200;

/// Whether the index could be brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    No,
    InVain,
}

/// How often an index that others empty is filled again.
const TRIES: usize = 8;

/// Looks for a query in all sessions of a store, with the index in this file.
/// `say` is told how much has to be read first.
pub fn look_up(
    file: &Path,
    store: &Store,
    query: &Query,
    filter: &Filter,
    freshness: Freshness,
    say: &mut dyn FnMut(Behind),
) -> Answer {
    let mut freshness = freshness;
    for _ in 0..2 {
        match ask(file, store, query, filter, freshness, say) {
            Ok(answer) => return answer,
            // Found out only now: once more, with one that is made again.
            Err(IndexError::Damaged(_)) if freshness == Freshness::Updated => {
                freshness = Freshness::Rebuilt;
            }
            Err(error) => return without(store, query, filter, &error),
        }
    }
    without(store, query, filter, &IndexError::Busy)
}

fn without(store: &Store, query: &Query, filter: &Filter, error: &IndexError) -> Answer {
    Answer {
        found: scan(store, query, filter),
        notes: vec![format!(
            "{error}; searched the logs instead, which takes longer."
        )],
    }
}

fn ask(
    file: &Path,
    store: &Store,
    query: &Query,
    filter: &Filter,
    freshness: Freshness,
    say: &mut dyn FnMut(Behind),
) -> Result<Answer, IndexError> {
    let mut index = Index::open(file, store)?;
    if freshness == Freshness::Rebuilt {
        index = index.rebuild()?;
    }
    // Another process may empty the index to make it again, between the two
    // steps: then it has fewer sessions than there are, and it is filled again.
    for _ in 0..TRIES {
        let mut notes = Vec::new();
        let mut unread_sessions = 0;
        let mut waited = Waited::No;
        match index.update_saying(say) {
            Ok(updated) => {
                unread_sessions = updated.unread.len();
                notes.extend(unread(&updated));
            }
            Err(IndexError::Busy) => {
                waited = Waited::InVain;
                notes.push(String::from(
                    "another process is updating the search index; the newest messages may be \
                     missing.",
                ));
            }
            Err(other) => return Err(other),
        }
        // What is found and how many sessions are there must be of one moment.
        let moment = index.connection.unchecked_transaction()?;
        let found = index.search(query, filter)?;
        let there = index.known()?.len() + unread_sessions;
        moment.commit()?;
        let all = store.ids().len();
        match waited {
            _ if there >= all => return Ok(Answer { found, notes }),
            // So few are read as quickly without an index, and then none is missing.
            Waited::InVain if all <= FEW => return Err(IndexError::Busy),
            Waited::InVain => return Ok(Answer { found, notes }),
            Waited::No => {}
        }
    }
    Err(IndexError::Busy)
}

fn unread(updated: &Updated) -> Option<String> {
    let (id, why) = updated.unread.first()?;
    let others = match updated.unread.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Some(format!("session {id}{others} was not searched: {why}"))
}
