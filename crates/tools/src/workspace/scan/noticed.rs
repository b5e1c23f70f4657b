//! What a `sentry` says, on systems where it sees and where it does not.

use super::Writes;
use std::collections::BTreeSet;

/// What has happened since it was last asked.
#[derive(Debug, PartialEq, Eq)]
pub enum Noticed {
    Nothing,
    Changes(Changes),
    /// Something was missed, or the rules of what is ignored were touched.
    Lost,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Relative to the root, which is the empty path.
    pub folders: BTreeSet<String>,
    /// Folders that are watched no more, since they were removed. Another may
    /// stand there by now, under the same number.
    pub ended: BTreeSet<String>,
    /// Entries that were named; their contents are not known any more, whatever
    /// their times say.
    pub paths: BTreeSet<String>,
    pub written: Writes,
}
