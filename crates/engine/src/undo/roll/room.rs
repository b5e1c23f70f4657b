//! Whether there is room to keep what an undo takes away. It is asked before
//! anything is done, so that a look can say it too. Writes nothing.

use super::super::chain::Item;
use std::collections::BTreeSet;
use tenon_session::Blobs;
use tenon_tools::Workspace;
use tenon_tools::workspace::Standing;
use tenon_vocab::BlobRef;

/// A content that would have to be kept.
struct Wanted<'a> {
    path: &'a str,
    name: BlobRef,
}

/// The paths of files that cannot be kept within this many bytes. Links are so
/// short that they always can.
pub(super) fn lacking(
    workspace: &Workspace,
    blobs: &Blobs,
    items: &[Item],
    limit: u64,
) -> BTreeSet<String> {
    let mut wanted: Vec<Wanted<'_>> = items
        .iter()
        .filter_map(|item| {
            let name = BlobRef {
                sha256: item.left.file_hash()?.to_owned(),
                bytes: workspace.stamp(&item.path)?.size,
            };
            let path = item.path.as_str();
            Some(Wanted { path, name })
        })
        .collect();
    let mut used = blobs.stored_bytes();
    let fits = |used: u64, bytes: u64| used.saturating_add(bytes) <= limit;
    let all = wanted.iter().map(|one| one.name.bytes).sum();
    if fits(used, all) {
        return BTreeSet::new();
    }
    wanted.retain(|one| blobs.get(&one.name).is_err());
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut lacking = BTreeSet::new();
    for one in &wanted {
        let hash = one.name.sha256.as_str();
        if taken.contains(hash) {
            continue;
        }
        // Packed it may be much smaller.
        match packed(workspace, blobs, one.path, limit.saturating_sub(used)) {
            Some(bytes) if fits(used, bytes) => {
                used += bytes;
                taken.insert(hash);
            }
            _ => {
                lacking.insert(one.path.to_owned());
            }
        }
    }
    lacking
}

/// What a file takes when it is kept; `None` where there is nothing to try.
fn packed(workspace: &Workspace, blobs: &Blobs, path: &str, free: u64) -> Option<u64> {
    if free == 0 {
        return None;
    }
    match workspace.stand(path).ok()?.standing {
        Standing::File { bytes, .. } => Some(blobs.would_take(&bytes)),
        _ => None,
    }
}
