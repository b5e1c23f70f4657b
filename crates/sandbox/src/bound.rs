//! Which unix sockets of this machine listen, and where: asked of the kernel, as
//! `ss` does. A path says nothing of who listens behind it; the cookie of a
//! socket is its own for ever.

use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send,
    socket_with, sockopt,
};
use std::io;
use std::num::NonZeroU32;
use std::time::Duration;

/// One socket that listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) cookie: u64,
    /// As it was given: a path, or a zero and an abstract name.
    pub(crate) name: Vec<u8>,
    pub(crate) place: Option<Place>,
}

/// The file of a socket, by the kernel's own numbers: the lower half of that
/// of the file, and that of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: u32,
    pub(crate) device: u32,
}

const SOCK_DIAG: u32 = 4;
const BY_FAMILY: u16 = 20;
const REQUEST_DUMP: u16 = 0x1 | 0x300;
const MESSAGE_ERROR: u16 = 2;
const MESSAGE_DONE: u16 = 3;
const HEADER: usize = 16;
const LISTENING: u32 = 1 << 10;
const SHOW_NAME_AND_FILE: u32 = 0x1 | 0x2;
const OF_NAME: u16 = 0;
const OF_FILE: u16 = 1;
/// The kernel answers at once, or this is not Linux itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// All that listen in the network of this process.
pub(crate) fn listening() -> io::Result<Vec<Bound>> {
    let protocol = NonZeroU32::new(SOCK_DIAG).map(Protocol::from_raw);
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, protocol)?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(PATIENCE))?;
    send(&socket, &request(), SendFlags::empty())?;
    let mut found = Vec::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let (count, _) = recv(&socket, buffer.as_mut_slice(), RecvFlags::empty())?;
        let mut rest = buffer.get(..count).unwrap_or_default();
        if rest.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        while let Some((kind, body, after)) = message(rest) {
            match kind {
                MESSAGE_DONE => return Ok(found),
                MESSAGE_ERROR => return Err(io::ErrorKind::Unsupported.into()),
                _ => found.extend(bound(body)),
            }
            rest = after;
        }
    }
}

fn request() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(40_u32.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST_DUMP.to_ne_bytes());
    // The number of the message, and to whom: the kernel.
    bytes.extend([0; 8]);
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(LISTENING.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend(SHOW_NAME_AND_FILE.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes
}

/// Kind and body of the first message, and what comes after it.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = usize::try_from(word(bytes, 0)?).ok()?;
    let body = bytes.get(HEADER..length)?;
    let after = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some((half(bytes, 4)?, body, after))
}

fn bound(body: &[u8]) -> Option<Bound> {
    let mut found = Bound {
        cookie: u64::from(word(body, 8)?) | u64::from(word(body, 12)?) << 32,
        name: Vec::new(),
        place: None,
    };
    let mut rest = body.get(16..)?;
    while let (Some(length), Some(kind)) = (half(rest, 0), half(rest, 2)) {
        let length = usize::from(length);
        let Some(value) = rest.get(4..length) else {
            break;
        };
        match kind {
            OF_NAME => found.name = value.to_vec(),
            OF_FILE => {
                found.place = Some(Place {
                    file: word(value, 0)?,
                    device: word(value, 4)?,
                });
            }
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(found)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::listening;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_socket_that_listens_is_found_by_its_cookie_with_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let own = UnixListener::bind(&path).unwrap();
        let cookie = rustix::net::sockopt::socket_cookie(&own).unwrap();
        let found = listening().unwrap();
        let bound = found.iter().find(|bound| bound.cookie == cookie).unwrap();
        let name = bound.name.strip_suffix(&[0]).unwrap_or(&bound.name);
        assert_eq!(name, path.as_os_str().as_bytes());
        assert!(bound.place.is_some());
    }
}
