//! Which tool a model meant: by the table of names, or by likeness.

use tenon_vocab::names::{squash, without_prefix};

pub use tenon_vocab::names::canonical_name;

/// The known name that was most likely meant, or `None` when none is near.
#[must_use]
pub fn suggest_name(name: &str, known: &[&str]) -> Option<String> {
    if let Some(canonical) = canonical_name(name)
        && known.contains(&canonical)
    {
        return Some(canonical.to_owned());
    }
    let wanted = squash(without_prefix(name))?;
    known
        .iter()
        .filter_map(|candidate| Some((closeness(&wanted, &squash(candidate)?), *candidate)))
        .filter(|(score, _)| *score >= 0.72)
        // As close: two letters in the wrong order before one too many.
        .max_by(|a, b| {
            let longer = |name: &str| std::cmp::Reverse(name.len().abs_diff(wanted.len()));
            let as_long = || longer(a.1).cmp(&longer(b.1));
            a.0.total_cmp(&b.0).then_with(as_long)
        })
        .map(|(_, candidate)| candidate.to_owned())
}

fn closeness(wanted: &str, candidate: &str) -> f64 {
    let contained = candidate.len() >= 4 && wanted.contains(candidate);
    let base = strsim::normalized_damerau_levenshtein(wanted, candidate);
    if contained { base.max(0.75) } else { base }
}
