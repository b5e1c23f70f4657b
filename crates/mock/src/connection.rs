//! A socket that tells when everything written has left the program.
//!
//! A reply that is cut off on purpose must first be delivered up to the cut.
//! hyper throws away what it still holds when a body fails, so the body waits
//! for this signal before it fails.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Whether what was written since `arm` has been handed to the kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivered(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    done: bool,
    waker: Option<Waker>,
}

impl Delivered {
    /// Forgets earlier flushes. To be called before the bytes are handed over.
    pub(crate) fn arm(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).done = false;
    }

    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.done {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn flushed(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.done = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

#[derive(Debug)]
pub(crate) struct Connection {
    socket: TokioIo<TcpStream>,
    delivered: Delivered,
}

impl Connection {
    pub(crate) fn new(socket: TcpStream) -> (Self, Delivered) {
        let delivered = Delivered::default();
        (
            Self {
                socket: TokioIo::new(socket),
                delivered: delivered.clone(),
            },
            delivered,
        )
    }
}

impl Read for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buffer)
    }
}

impl Write for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    /// hyper flushes only when it holds nothing back any more.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(cx);
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.delivered.flushed();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, slices)
    }
}
