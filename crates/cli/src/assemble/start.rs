//! What a start says of the place, and what it does beside the work.

use crate::place::Place;
use crate::settings::Configured;
use crate::told::Remarks;
use crate::trust;
use std::time::Duration;
use tenon_config::Resolved;
use tenon_engine::{Ambient, RealAmbient};
use tenon_vocab::figures::count;

pub(super) fn remarks(configured: &Configured) -> Remarks {
    let mut remarks = Remarks::default();
    remarks.act.extend(configured.loaded.warnings().to_vec());
    remarks
        .act
        .extend(configured.resolved.warnings.iter().cloned());
    remarks.extend(trust::remarks(&configured.loaded, &configured.custom));
    remarks
}

/// Two sessions in one tree do not see what the other changes: an edit of a file
/// that is not as it was read is refused, so it is enough to know of them.
pub(super) fn neighbours(place: &Place) -> Option<String> {
    let others = place.store().in_use(&place.root_text());
    let verb = if others.len() == 1 { "is" } else { "are" };
    let sessions = count(others.len(), "other session");
    (!others.is_empty()).then(|| format!("{sessions} {verb} open here"))
}

/// Old sessions and unused caches are removed on a thread of their own: start does not wait for it.
pub(super) fn prune(place: &Place, resolved: &Resolved) {
    let (cache, ttl) = (place.paths.cache.clone(), resolved.cache_ttl);
    let store = place.store();
    let days = resolved.retention_days;
    std::thread::spawn(move || {
        crate::logs::prune_cache(&cache, ttl);
        if days > 0 {
            store.prune(Duration::from_secs(days * 24 * 60 * 60), RealAmbient.now());
        }
    });
}
