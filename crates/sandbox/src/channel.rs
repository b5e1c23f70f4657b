//! The socket between the supervisor and the first process of a sandbox.
//! Waits, unlike the socket to Tenon; for the supervisor's loop there is
//! [`Channel::heard`], which does not.

use crate::message::{GO, MAX_LINE, Status, take_line};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

#[derive(Debug)]
pub(crate) struct Channel {
    socket: OwnedFd,
    received: Vec<u8>,
}

impl Channel {
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        )?;
        Ok((Self::new(one), Self::new(other)))
    }

    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            received: Vec::new(),
        }
    }

    pub(crate) fn into_socket(self) -> OwnedFd {
        self.socket
    }

    /// To a peer that is gone there is nothing to say.
    pub(crate) fn tell(&mut self, status: &Status) {
        self.send(status.line().as_bytes());
    }

    pub(crate) fn go(&mut self) {
        self.send(&[GO]);
    }

    pub(crate) fn send(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match send(&self.socket, bytes, SendFlags::NOSIGNAL) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// The next byte, or `None` when the peer is gone.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.exactly(1)?.pop()
    }

    pub(crate) fn exactly(&mut self, count: usize) -> Option<Vec<u8>> {
        read_exactly(self.socket.as_fd(), count)
    }

    /// The next status, or `None` when the peer is gone.
    pub(crate) fn next(&mut self) -> Option<Status> {
        loop {
            if let Some(line) = take_line(&mut self.received) {
                return Status::parse(&line);
            }
            self.receive(RecvFlags::empty()).ok()?;
        }
    }

    /// A status that has arrived, if any.
    pub(crate) fn heard(&mut self) -> Option<Status> {
        loop {
            if let Some(line) = take_line(&mut self.received) {
                return Status::parse(&line);
            }
            self.receive(RecvFlags::DONTWAIT).ok()?;
        }
    }

    fn receive(&mut self, flags: RecvFlags) -> Result<(), Errno> {
        if self.received.len() > MAX_LINE {
            return Err(Errno::PROTO);
        }
        let mut bytes = [0_u8; 1024];
        match recv(&self.socket, &mut bytes, flags) {
            Ok((0, _)) => Err(Errno::PIPE),
            Ok((count, _)) => {
                self.received.extend(bytes.iter().take(count));
                Ok(())
            }
            Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// So many bytes and not one more, or `None` when the peer is gone.
pub(crate) fn read_exactly(socket: BorrowedFd<'_>, count: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; count];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match recv(socket, rest, RecvFlags::empty()) {
            Ok((0, _)) => return None,
            Ok((more, _)) => filled += more,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(bytes)
}
