//! How the walls travel from Tenon to the supervisor: over the socket and not
//! in the argv, since paths are bytes and `ps` shows arguments to everyone.
//! Both ends are the same binary, so there is no version; what does not parse
//! means that the command does not run.

use crate::walls::{Adapter, Lacking, Limits, Mode, Network, OwnCopy, Private, SandboxPolicy};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Fits into the socket's buffer at once, so that sending never waits.
pub(crate) const MAX_POLICY: usize = 128 * 1024;

/// The bytes with their length before them; `None` when there are too many
/// paths.
pub(crate) fn encode(policy: &SandboxPolicy) -> Option<Vec<u8>> {
    let mut body = vec![
        match policy.mode {
            Mode::Off => 0,
            Mode::ReadOnly => 1,
            Mode::WorkspaceWrite => 2,
        },
        match policy.network {
            Network::Inherit => 0,
            Network::Deny => 1,
        },
        match policy.adapter {
            Adapter::Auto => 0,
            Adapter::Native => 1,
            Adapter::Bubblewrap => 2,
        },
        match policy.lacking {
            Lacking::RunPartial => 0,
            Lacking::Refuse => 1,
        },
    ];
    for limit in each(&policy.limits) {
        body.push(u8::from(limit.is_some()));
        body.extend(limit.unwrap_or_default().to_be_bytes());
    }
    put_paths(&mut body, std::slice::from_ref(&policy.root));
    put_paths(&mut body, &policy.writable);
    put_paths(&mut body, &policy.read_only);
    put_paths(&mut body, &policy.guarded);
    let (files, copies): (Vec<PathBuf>, Vec<PathBuf>) = (policy.copies.iter())
        .map(|own| (own.file.clone(), own.copy.clone()))
        .unzip();
    put_paths(&mut body, &files);
    put_paths(&mut body, &copies);
    put_paths(&mut body, &policy.hidden);
    put_paths(&mut body, &policy.sockets);
    put_paths(&mut body, &policy.private.folders);
    put_paths(&mut body, &policy.private.closed);
    put_paths(&mut body, &policy.private.seen);
    if body.len() > MAX_POLICY {
        return None;
    }
    let mut framed = u32::try_from(body.len()).ok()?.to_be_bytes().to_vec();
    framed.extend(body);
    Some(framed)
}

pub(crate) fn decode(body: &[u8]) -> Option<SandboxPolicy> {
    let mut rest = Rest(body);
    let mode = match rest.byte()? {
        0 => Mode::Off,
        1 => Mode::ReadOnly,
        2 => Mode::WorkspaceWrite,
        _ => return None,
    };
    let network = match rest.byte()? {
        0 => Network::Inherit,
        1 => Network::Deny,
        _ => return None,
    };
    let adapter = match rest.byte()? {
        0 => Adapter::Auto,
        1 => Adapter::Native,
        2 => Adapter::Bubblewrap,
        _ => return None,
    };
    let lacking = match rest.byte()? {
        0 => Lacking::RunPartial,
        1 => Lacking::Refuse,
        _ => return None,
    };
    let limits = Limits {
        processes: rest.limit()?,
        file_bytes: rest.limit()?,
        open_files: rest.limit()?,
        cpu_seconds: rest.limit()?,
        memory_bytes: rest.limit()?,
    };
    let root = rest.paths()?.into_iter().next()?;
    let policy = SandboxPolicy {
        mode,
        network,
        adapter,
        root,
        writable: rest.paths()?,
        read_only: rest.paths()?,
        guarded: rest.paths()?,
        copies: rest.copies()?,
        hidden: rest.paths()?,
        sockets: rest.paths()?,
        private: Private {
            folders: rest.paths()?,
            closed: rest.paths()?,
            seen: rest.paths()?,
        },
        limits,
        lacking,
    };
    rest.0.is_empty().then_some(policy)
}

fn each(limits: &Limits) -> [Option<u64>; 5] {
    [
        limits.processes,
        limits.file_bytes,
        limits.open_files,
        limits.cpu_seconds,
        limits.memory_bytes,
    ]
}

fn put_paths(body: &mut Vec<u8>, paths: &[PathBuf]) {
    body.extend(length(paths.len()));
    for path in paths {
        let bytes = path.as_os_str().as_bytes();
        body.extend(length(bytes.len()));
        body.extend(bytes);
    }
}

/// What does not fit is far beyond [`MAX_POLICY`] and refused by it.
fn length(count: usize) -> [u8; 4] {
    u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes()
}

struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn count(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    }

    fn limit(&mut self) -> Option<Option<u64>> {
        let present = self.byte()?;
        let value = u64::from_be_bytes(self.take(8)?.try_into().ok()?);
        match present {
            0 => Some(None),
            1 => Some(Some(value)),
            _ => None,
        }
    }

    fn paths(&mut self) -> Option<Vec<PathBuf>> {
        let count = self.count()?;
        let mut paths = Vec::new();
        for _ in 0..count {
            let length = self.count()?;
            let bytes = self.take(length)?.to_vec();
            paths.push(PathBuf::from(OsString::from_vec(bytes)));
        }
        Some(paths)
    }

    fn copies(&mut self) -> Option<Vec<OwnCopy>> {
        let (files, copies) = (self.paths()?, self.paths()?);
        let pairs = files.into_iter().zip(copies);
        Some(pairs.map(|(file, copy)| OwnCopy { file, copy }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_POLICY, decode, encode};
    use crate::walls::{Adapter, Lacking, Limits, Mode, Network, OwnCopy, Private, SandboxPolicy};
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    fn policy() -> SandboxPolicy {
        SandboxPolicy {
            mode: Mode::WorkspaceWrite,
            network: Network::Deny,
            adapter: Adapter::Native,
            root: "/project".into(),
            writable: vec!["/tmp".into()],
            read_only: vec![PathBuf::from(OsString::from_vec(
                b"/project/\xff\n".to_vec(),
            ))],
            guarded: vec!["/project/lib/.git/config".into()],
            copies: vec![OwnCopy {
                file: "/project/.git/config".into(),
                copy: "/project/.git/own/config".into(),
            }],
            hidden: Vec::new(),
            sockets: vec!["/run/db/socket".into()],
            private: Private {
                folders: vec!["/tmp".into()],
                closed: vec!["/home".into()],
                seen: vec!["/tmp/project".into()],
            },
            limits: Limits {
                open_files: Some(64),
                ..Limits::default()
            },
            lacking: Lacking::Refuse,
        }
    }

    #[test]
    fn a_policy_survives_the_wire_with_paths_that_are_no_text() {
        let framed = encode(&policy()).unwrap();
        assert_eq!(decode(framed.get(4..).unwrap()), Some(policy()));
    }

    #[test]
    fn a_policy_cut_anywhere_is_no_policy() {
        let framed = encode(&policy()).unwrap();
        let body = framed.get(4..).unwrap();
        for end in 0..body.len() {
            assert_eq!(decode(body.get(..end).unwrap()), None, "{end}");
        }
        let mut longer = body.to_vec();
        longer.push(0);
        assert_eq!(decode(&longer), None);
    }

    #[test]
    fn a_policy_too_long_for_the_socket_is_refused() {
        let mut long = policy();
        long.hidden = vec![PathBuf::from("/x".repeat(4096)); MAX_POLICY / 4096];
        assert_eq!(encode(&long), None);
    }
}
