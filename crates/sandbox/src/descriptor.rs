//! Sends a descriptor over a socket. One that is sent needs no gap in
//! close-on-exec, which another thread's fork could meet.

use crate::message::STDIN;
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub(crate) fn send(socket: impl AsFd, descriptor: BorrowedFd<'_>) -> io::Result<()> {
    let descriptors = [descriptor];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(
        socket,
        &[IoSlice::new(&[STDIN])],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

pub(crate) fn receive(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8; 1];
    let received = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut byte)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    if received.bytes != 1 || byte[0] != STDIN {
        return Err(Errno::PROTO.into());
    }
    ancillary
        .drain()
        .find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        })
        .ok_or_else(|| Errno::PROTO.into())
}

/// All that is said until the other side is gone, and a descriptor if one came
/// with it.
pub(crate) fn receive_all(socket: BorrowedFd<'_>) -> (Vec<u8>, Option<OwnedFd>) {
    let (mut said, mut handed) = (Vec::new(), None);
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut bytes = [0_u8; 1024];
        let mut parts = [IoSliceMut::new(&mut bytes)];
        match recvmsg(socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) => {
                for message in ancillary.drain() {
                    if let RecvAncillaryMessage::ScmRights(mut descriptors) = message {
                        handed = descriptors.next().or(handed);
                    }
                }
                if received.bytes == 0 {
                    return (said, handed);
                }
                said.extend(bytes.iter().take(received.bytes));
            }
            Err(Errno::INTR) => {}
            Err(_) => return (said, handed),
        }
    }
}
