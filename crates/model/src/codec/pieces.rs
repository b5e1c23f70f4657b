//! The bytes that a request is made of, the same for every wire format: JSON
//! written into memory, and the head that is written once for each prefix.

use crate::Prefix;
use bytes::Bytes;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// What stands before the history, kept as long as neither prefix nor model
/// changes: tools are encoded once, not with every step.
#[derive(Debug, Default)]
pub(super) struct HeadCache {
    kept: Mutex<Option<Head>>,
}

/// Holds the prefix itself, not its address: an address may be used again.
#[derive(Debug)]
struct Head {
    prefix: Arc<Prefix>,
    model: String,
    bytes: Bytes,
}

impl HeadCache {
    pub(super) fn get(
        &self,
        model: &str,
        prefix: &Arc<Prefix>,
        encode: impl FnOnce() -> Bytes,
    ) -> Bytes {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = &*kept
            && Arc::ptr_eq(&head.prefix, prefix)
            && head.model == model
        {
            return head.bytes.clone();
        }
        let bytes = encode();
        *kept = Some(Head {
            prefix: Arc::clone(prefix),
            model: model.to_owned(),
            bytes: bytes.clone(),
        });
        bytes
    }
}

/// Writing to memory fails only for maps with keys that are no strings, and
/// there are none; a null keeps the body well-formed should that ever change.
pub(super) fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}
