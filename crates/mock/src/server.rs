//! The listening socket and its connections. What is answered is in `route`.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::connection::Connection;
use crate::fault::FaultCounts;
use crate::options::Options;
use crate::record::{RecordedRequest, Recorder};
use crate::route::{Role, Shared, respond};
use crate::scenarios::Scenarios;
use crate::shape::Shape;
use crate::tape::play::{Playback, Player};
use crate::tape::{self, Tape};
use crate::upstream::Upstream;

/// The pause after a failed accept, which is mostly a lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A scripted model server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Takes the address. Port 0 takes any free one.
    pub async fn bind(
        address: SocketAddr,
        scenarios: Scenarios,
        options: Options,
    ) -> io::Result<Self> {
        Self::listen(address, Role::Script(Box::new(scenarios)), options).await
    }

    /// Takes the address to answer from a recording.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub async fn replay(
        address: SocketAddr,
        tape: Tape,
        playback: Playback,
        options: Options,
    ) -> io::Result<Self> {
        let player = Role::Player(Player::new(tape, playback));
        Self::listen(address, player, options).await
    }

    /// Takes the address to stand before the server at `url`, a base URL, and
    /// to append to `out` what passes.
    ///
    /// # Errors
    /// When the address, the URL or the file cannot be used.
    pub async fn record(
        address: SocketAddr,
        url: &str,
        upstream: Arc<dyn Upstream>,
        out: &Path,
        options: Options,
    ) -> io::Result<Self> {
        let proxy = Role::Proxy(tape::record::Recorder::open(url, upstream, out)?);
        Self::listen(address, proxy, options).await
    }

    async fn listen(address: SocketAddr, role: Role, options: Options) -> io::Result<Self> {
        let server = match &role {
            Role::Script(scenarios) => scenarios.server,
            Role::Player(_) | Role::Proxy(_) => None,
        };
        let recorder = Recorder::open(options.record.as_ref(), server)?;
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            role,
            options,
            recorder,
            faults: FaultCounts::default(),
            replies: AtomicU64::new(0),
            plain: Shape::default(),
        });
        Ok(Self {
            listener,
            address,
            shared,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client is configured with, like `http://127.0.0.1:8000/v1`.
    pub fn base_url(&self) -> String {
        base_url(self.address)
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.recorder.requests()
    }

    /// Answers until the future is ready. Open replies end with it.
    pub async fn run_until(self, shutdown: impl Future) {
        let mut shutdown = pin!(shutdown);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                _ = &mut shutdown => return,
                accepted = self.listener.accept() => match accepted {
                    Ok((socket, _)) => {
                        connections.spawn(serve(socket, Arc::clone(&self.shared)));
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }

    /// Answers in the background until the returned value is dropped.
    pub fn spawn(self) -> Running {
        let (address, shared) = (self.address, Arc::clone(&self.shared));
        let task = tokio::spawn(self.run_until(std::future::pending::<()>()));
        Running {
            address,
            shared,
            task,
        }
    }
}

/// A server that answers in the background. Dropping it stops it, with all its
/// connections.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Running {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client is configured with, like `http://127.0.0.1:8000/v1`.
    pub fn base_url(&self) -> String {
        base_url(self.address)
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.recorder.requests()
    }

    /// Stops, and returns when the port is free again.
    pub async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A client that goes away is no error: the next one will be served.
async fn serve(socket: TcpStream, shared: Arc<Shared>) {
    let _ = socket.set_nodelay(true);
    let (connection, delivered) = Connection::new(socket);
    let service = service_fn(move |request| {
        let (shared, delivered) = (Arc::clone(&shared), delivered.clone());
        async move { Ok::<_, Infallible>(respond(shared, delivered, request).await) }
    });
    let _ = http1::Builder::new()
        .serve_connection(connection, service)
        .await;
}

/// A server on all addresses is reached by its own machine through loopback.
fn base_url(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}/v1")
}
