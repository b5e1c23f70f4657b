//! What a conversation lists of itself and of its neighbours.

use crate::commands::sessions::{Ids, Open, age};
use crate::error::CliError;
use crate::place::Place;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{ListFilter, Prompt, Reach};
use tenon_vocab::SessionId;

/// A session of this directory.
#[derive(Debug)]
pub struct Neighbour {
    pub id: SessionId,
    /// As much of the id as is enough.
    pub short: String,
    /// How long ago something was said in it.
    pub last: String,
    pub runs: u32,
    pub title: String,
    /// `open in process 4711`, or nothing.
    pub open: String,
}

/// The sessions of this directory, the newest first. One to which nothing was
/// said is none, unless it is the one that is talked to.
pub fn sessions(place: &Place, current: Option<SessionId>) -> Vec<Neighbour> {
    let store = place.store();
    let listing = store.list(&ListFilter {
        cwd: Some(place.root_text()),
    });
    let (now, ids) = (RealAmbient.now(), Ids::of(listing.ids));
    let open = Open::among(&store, &listing.sessions);
    listing
        .sessions
        .into_iter()
        .filter(|summary| summary.runs > 0 || Some(summary.id) == current)
        .map(|summary| Neighbour {
            id: summary.id,
            short: ids.short(summary.id),
            last: age(summary.updated, now),
            runs: summary.runs,
            open: open.mark(summary.id),
            title: summary.title,
        })
        .collect()
}

/// The prompts of a session that a way leads back to, the oldest first.
pub fn prompts(place: &Place, id: SessionId) -> Result<Vec<Prompt>, CliError> {
    Ok(within_reach(place.store().prompts(id)?))
}

fn within_reach(mut prompts: Vec<Prompt>) -> Vec<Prompt> {
    prompts.retain(|prompt| prompt.reach != Reach::GivenUp);
    prompts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_up_is_not_offered() {
        let prompt = |number, reach| Prompt {
            number,
            seq: u64::from(number),
            text: String::new(),
            reach,
        };
        let left = within_reach(vec![
            prompt(1, Reach::Summarised),
            prompt(3, Reach::GivenUp),
            prompt(5, Reach::Seen),
        ]);
        let numbers: Vec<u32> = left.iter().map(|prompt| prompt.number).collect();
        assert_eq!(numbers, [1, 5]);
    }
}
