//! The rules of a session stay as they were when it started, also when it is
//! resumed: what was edited since comes as a note, and the prefix stays what the
//! server has in its cache (C2, N12). So the pieces are kept beside the log.

use super::{Fragment, system};
use tenon_session::{Blobs, SessionError, State};
use tenon_vocab::BlobRef;

/// The pieces of a session's prompt, of which those from files are as they were
/// before. Where anything else changed, the prefix is another one anyway, and
/// the files are taken as they are now.
#[must_use]
pub fn frozen(now: Vec<Fragment>, before: Option<Vec<Fragment>>) -> Vec<Fragment> {
    let Some(before) = before else { return now };
    let fixed = |all: &[Fragment]| -> Vec<Fragment> {
        let fixed = all.iter().filter(|piece| !piece.kind.is_of_a_file());
        fixed.cloned().collect()
    };
    if system(&fixed(&now)) == system(&fixed(&before)) {
        before
    } else {
        now
    }
}

/// The pieces that the last prefix of a session was made of.
#[must_use]
pub fn read(blobs: &Blobs, state: &State) -> Option<Vec<Fragment>> {
    let kept = state.compiled()?.fragments.as_ref()?;
    let bytes = blobs.get(kept).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Keeps the pieces.
pub(crate) fn stored(blobs: &Blobs, fragments: &[Fragment]) -> Result<BlobRef, SessionError> {
    blobs.put(&serde_json::to_vec(fragments).unwrap_or_default())
}

/// What a session goes on with.
pub(crate) fn kept(now: Vec<Fragment>, blobs: &Blobs, state: &State) -> Vec<Fragment> {
    frozen(now, read(blobs, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::FragmentKind;

    fn piece(kind: FragmentKind, text: &str) -> Fragment {
        Fragment {
            kind,
            source: "x".into(),
            text: text.into(),
        }
    }

    #[test]
    fn rules_stay_as_they_were_while_the_rest_is_the_same() {
        let of = |base: &str, rules: &str| {
            vec![
                piece(FragmentKind::Base, base),
                piece(FragmentKind::Rules, rules),
            ]
        };
        assert_eq!(frozen(of("a", "new"), Some(of("a", "old"))), of("a", "old"));
        assert_eq!(frozen(of("b", "new"), Some(of("a", "old"))), of("b", "new"));
        assert_eq!(frozen(of("a", "new"), None), of("a", "new"));
        let without = vec![piece(FragmentKind::Base, "a")];
        assert_eq!(frozen(of("a", "new"), Some(without.clone())), without);
    }
}
