//! Attempts to reach somebody while the network is denied: over TCP, UDP and
//! unix sockets by path and by name, and by the calls that hide such calls.

use crate::stage::{CASES, Case, Ran, Stage};
use crate::support::soon;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use tenon_sandbox::{Network, recognise};

/// Servers that a command would like to reach; each as a stand-in for a real
/// one: a web server, a name server, a container engine, a session bus.
struct World {
    stage: Stage,
    tcp: std::net::TcpListener,
    udp: std::net::UdpSocket,
    engine: UnixListener,
    bus: UnixListener,
}

impl World {
    fn new(case: Case, network: Network) -> Self {
        let mut stage = Stage::new(case);
        stage.policy.network = network;
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let path = stage.top.join("docker.sock");
        let engine = UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
        let name = stage.top.to_string_lossy().into_owned();
        let bus = UnixListener::bind_addr(&SocketAddr::from_abstract_name(name).unwrap()).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        engine.set_nonblocking(true).unwrap();
        bus.set_nonblocking(true).unwrap();
        Self {
            stage,
            tcp,
            udp,
            engine,
            bus,
        }
    }

    async fn try_all(&self) -> Ran {
        let script = format!(
            r#"python3 - <<'END'
import os, socket
top = os.environ["TOP"]
def attempt(name, family, kind, act):
    try:
        s = socket.socket(family, kind)
        s.settimeout(5)
        act(s)
        print("reached", name)
    except OSError as error:
        print("refused", name, error.errno)
attempt("tcp", socket.AF_INET, socket.SOCK_STREAM, lambda s: s.connect(("127.0.0.1", {tcp})))
attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, lambda s: (s.connect(("127.0.0.1", {udp})), s.send(b"x")))
attempt("path", socket.AF_UNIX, socket.SOCK_STREAM, lambda s: s.connect(top + "/docker.sock"))
attempt("path-datagram", socket.AF_UNIX, socket.SOCK_DGRAM, lambda s: s.sendto(b"x", top + "/docker.sock"))
attempt("abstract", socket.AF_UNIX, socket.SOCK_STREAM, lambda s: s.connect("\0" + top))
attempt("netlink", socket.AF_NETLINK, socket.SOCK_RAW, lambda s: s.bind((0, 0)))
try:
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", top + "/docker.sock")
    print("reached pair")
except OSError as error:
    print("refused datagram-pair", error.errno == 1)
one, other = socket.socketpair()
one.send(b"pair")
print(other.recv(4).decode())
END"#,
            tcp = self.tcp.local_addr().unwrap().port(),
            udp = self.udp.local_addr().unwrap().port(),
        );
        self.stage.run(&script).await
    }

    /// By the servers' own account.
    fn reached(&self) -> Vec<&'static str> {
        let mut reached = Vec::new();
        if self.tcp.accept().is_ok() {
            reached.push("tcp");
        }
        if self.udp.recv(&mut [0; 8]).is_ok() {
            reached.push("udp");
        }
        if self.engine.accept().is_ok() {
            reached.push("path");
        }
        if self.bus.accept().is_ok() {
            reached.push("abstract");
        }
        reached
    }
}

#[tokio::test]
async fn nobody_is_reached_while_the_network_is_denied() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let world = World::new(case, Network::Deny);
        let ran = world.try_all().await;
        let context = format!("{case:?} {ran:#?}");
        assert_eq!(world.reached(), Vec::<&str>::new(), "{context}");
        for name in ["tcp", "path", "path-datagram", "abstract", "netlink"] {
            assert!(ran.out.contains(&format!("refused {name} ")), "{context}");
        }
        assert!(ran.out.contains("refused datagram-pair True"), "{context}");
        assert!(ran.out.ends_with("pair\n"), "{context}");
    }
}

#[tokio::test]
async fn an_inherited_network_is_there_but_for_unix_sockets_of_others() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let world = World::new(case, Network::Inherit);
        let ran = world.try_all().await;
        let context = format!("{case:?} {ran:#?}");
        let reached = world.reached();
        assert_eq!(reached, ["tcp", "udp"], "{context}");
    }
}

#[tokio::test]
async fn behind_mounts_a_denied_network_still_has_a_loopback_of_its_own() {
    let script = r#"python3 - <<'END'
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
def serve():
    peer, _ = server.accept()
    peer.sendall(b"hello")
    peer.close()
threading.Thread(target=serve).start()
print(socket.create_connection(server.getsockname()).recv(5).decode())
END"#;
    for case in CASES {
        if !case.is_possible() || !case.has_mounts() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.network = Network::Deny;
        let ran = stage.run(script).await;
        assert_eq!(ran.out, "hello\n", "{case:?} {ran:#?}");
    }
}

#[tokio::test]
async fn a_refused_network_is_recognised_by_what_programs_say_of_it() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.network = Network::Deny;
        let ran =
            soon(stage.run(
                "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 5)'",
            ))
            .await;
        let denial = recognise(
            &stage.policy,
            &ran.confinement,
            ran.code,
            ran.signal,
            &ran.err,
        );
        assert_eq!(
            denial.map(|denial| denial.switch).as_deref(),
            Some("sandbox.network"),
            "{case:?} {ran:#?}"
        );
    }
}

#[tokio::test]
async fn the_host_of_the_machine_is_not_reached_whatever_the_network() {
    let script = "python3 -c 'import socket
try: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); print(\"made\")
except OSError as error: print(error.errno)'";
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        for network in [Network::Inherit, Network::Deny] {
            let mut stage = Stage::new(case);
            stage.policy.network = network;
            let ran = stage.run(script).await;
            assert_eq!(ran.out, "1\n", "{case:?} {ran:#?}");
        }
    }
}
