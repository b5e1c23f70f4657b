//! Pages that are made of a session for somebody else. A session keeps what its
//! user typed as typed, a token too; a page that goes on must not.

use crate::assemble::Configured;
use crate::place::Place;
use crate::provider;
use crate::screen::complain;
use std::sync::Arc;
use tenon_policy::{Findings, Masker};
use tenon_session::Reading;
use tenon_vocab::{EventKind, Origin};

/// The masker of the sessions here. Without a configuration that can be read the
/// patterns that are built in are left.
fn masker(place: &Place, configured: Option<&Configured>) -> Arc<Masker> {
    configured.map_or_else(Masker::standard, |configured| {
        let resolved = &configured.resolved;
        let keys = provider::keys_in_use(place, resolved);
        resolved.masker.knowing(keys)
    })
}

/// The page without secrets; says what was taken out.
pub fn masked(place: &Place, configured: Option<&Configured>, page: &str) -> String {
    let (page, said) = taken_out(place, configured, page);
    if let Some(said) = said {
        complain(&said);
    }
    page
}

/// The page without secrets, and what is to be said of those that were in it.
pub fn taken_out(
    place: &Place,
    configured: Option<&Configured>,
    page: &str,
) -> (String, Option<String>) {
    let mut found = Findings::default();
    let page = masker(place, configured).mask_noting(page, &mut found);
    (
        page.into_owned(),
        (!found.is_empty()).then(|| format!("{found}.")),
    )
}

/// That a copy of a session holds secrets as they were typed, if it does. All
/// else in it was masked when it was recorded.
pub fn typed(place: &Place, configured: Option<&Configured>, reading: &Reading) -> Option<String> {
    let masker = masker(place, configured);
    let mut found = Findings::default();
    // What cannot be read is said by whoever makes the copy.
    for event in reading.events().flatten() {
        if let EventKind::Message(message) = &event.kind
            && matches!(message.origin, Origin::User | Origin::Steer)
        {
            let _ = masker.mask_noting(&message.text(), &mut found);
        }
    }
    (!found.is_empty()).then(|| {
        let names: Vec<&str> = found.names().collect();
        format!(
            "It seems to contain secrets that were typed in a prompt ({}: {}). Remove them before you share it.",
            found.total(),
            names.join(", ")
        )
    })
}
