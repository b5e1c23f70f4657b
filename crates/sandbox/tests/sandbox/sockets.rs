//! Attempts to reach unix sockets that the command did not make itself, while
//! the network is open; and the work with its own, which goes on.

use crate::files::describe;
use crate::stage::{CASES, Case, Kind, NOBODY, Ran, Stage, Who, finish};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use tenon_sandbox::{Lacking, Level, SpawnError, Supervisor, recognise};

/// Servers that were there before: terminals, agents and engines have such.
struct World {
    stage: Stage,
    path: PathBuf,
    stream: UnixListener,
    named: UnixListener,
    datagram: UnixDatagram,
}

fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
}

impl World {
    fn new(case: Case) -> Self {
        let stage = Stage::new(case);
        // In the root, where the command may rename and change it.
        let path = stage.root.join("terminal");
        let stream = UnixListener::bind(&path).unwrap();
        let log = stage.root.join("log");
        let datagram = UnixDatagram::bind(&log).unwrap();
        for path in [&path, &log] {
            open_to_all(path);
            if case.who == Who::Nobody {
                std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let name = stage.top.to_string_lossy().into_owned();
        let name = SocketAddr::from_abstract_name(name).unwrap();
        let named = UnixListener::bind_addr(&name).unwrap();
        stream.set_nonblocking(true).unwrap();
        named.set_nonblocking(true).unwrap();
        datagram.set_nonblocking(true).unwrap();
        Self {
            stage,
            path,
            stream,
            named,
            datagram,
        }
    }

    /// By the servers' own account.
    fn reached(&self) -> Vec<&'static str> {
        let mut reached = Vec::new();
        if self.stream.accept().is_ok() {
            reached.push("stream");
        }
        if self.named.accept().is_ok() {
            reached.push("abstract");
        }
        if self.datagram.recv(&mut [0; 8]).is_ok() {
            reached.push("datagram");
        }
        reached
    }
}

fn python(script: &str) -> String {
    format!(
        "python3 - <<'END'\nimport os, socket, threading, time\ntop = os.environ['TOP']\n{script}\nEND"
    )
}

const ATTEMPTS: &str = r#"
def attempt(name, act):
    s = socket.socket(socket.AF_UNIX)
    try:
        act(s)
        s.send(b"evil")
        print("reached", name)
    except OSError as error:
        print("refused", name, error.errno)
attempt("plain", lambda s: s.connect("terminal"))
attempt("absolute", lambda s: s.connect(os.path.realpath("terminal")))
os.symlink("terminal", "link")
attempt("link", lambda s: s.connect("link"))
attempt("proc", lambda s: s.connect("/proc/self/cwd/terminal"))
attempt("root", lambda s: s.connect("/proc/self/root" + os.path.realpath("terminal")))
folder = os.open(".", os.O_RDONLY)
attempt("descriptor", lambda s: s.connect("/proc/self/fd/%d/terminal" % folder))
os.chmod("terminal", 0o700)
os.utime("terminal")
attempt("touched", lambda s: s.connect("terminal"))
os.link("terminal", "hard")
attempt("hard", lambda s: s.connect("hard"))
own = socket.socket(socket.AF_UNIX); own.bind("own"); own.listen()
os.rename("hard", "own")
attempt("renamed", lambda s: s.connect("own"))
os.rename("terminal", "moved")
attempt("moved", lambda s: s.connect("moved"))
attempt("abstract", lambda s: s.connect("\0" + top))
def waits(s):
    s.setblocking(False)
    s.connect("moved")
attempt("without waiting", waits)
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
    try:
        one, other = socket.socketpair(socket.AF_UNIX, kind)
        one.sendto(b"evil", "log")
        print("reached datagram")
    except OSError as error: print("refused pair", error.errno)
    try:
        socket.socket(socket.AF_UNIX, kind).sendto(b"evil", "log")
        print("reached datagram")
    except OSError as error: print("refused datagram", error.errno)
print("end")"#;

#[tokio::test]
async fn what_listened_before_the_command_is_not_reached_by_any_name_or_trick() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let world = World::new(case);
        let ran = world.stage.run(&python(ATTEMPTS)).await;
        let context = describe(case, &ran);
        assert_eq!(world.reached(), Vec::<&str>::new(), "{context}");
        assert!(ran.out.ends_with("end\n"), "{context}");
        assert!(!ran.out.contains("reached"), "{context}");
        assert!(ran.out.contains("refused plain 1\n"), "{context}");
    }
}

/// Between the look and the deed the address changes, and the descriptor.
const RACE: &str = r#"
import ctypes, struct
libc = ctypes.CDLL(None)
mine = socket.socket(socket.AF_UNIX); mine.bind("mine"); mine.listen(4096)
good, evil = (struct.pack("H", socket.AF_UNIX) + name.ljust(12, b"\0") for name in (b"mine", b"terminal"))
address = ctypes.create_string_buffer(good, len(good))
over = False
def swap():
    while not over:
        ctypes.memmove(address, evil, len(evil)); ctypes.memmove(address, good, len(good))
thread = threading.Thread(target=swap); thread.start()
done = 0
for _ in range(300):
    s = socket.socket(socket.AF_UNIX)
    done += libc.connect(s.fileno(), address, len(good)) == 0
    s.close()
over = True
thread.join()
print("end", done > 0)"#;

#[tokio::test]
async fn an_address_that_changes_while_it_is_judged_reaches_nobody() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let world = World::new(case);
        let ran = world.stage.run(&python(RACE)).await;
        let context = describe(case, &ran);
        assert_eq!(world.reached(), Vec::<&str>::new(), "{context}");
        assert_eq!(ran.out, "end True\n", "{context}");
    }
}

/// Sockets of its own by path (long, relative, through a link, deep in a
/// child) and by abstract name, TCP with and without waiting, and UDP.
const OWN: &str = r#"
import select, subprocess, sys
def serve(server):
    peer, _ = server.accept()
    peer.sendall(b"hello")
    peer.close()
def both(family, name, address=None, kind=socket.SOCK_STREAM):
    server = socket.socket(family, kind); server.bind(name); server.listen()
    threading.Thread(target=serve, args=(server,)).start()
    s = socket.socket(family, kind)
    s.connect(address or server.getsockname())
    print(s.recv(5).decode())
both(socket.AF_UNIX, "relative")
both(socket.AF_UNIX, os.path.realpath("absolute"))
both(socket.AF_UNIX, "packets", kind=socket.SOCK_SEQPACKET)
os.mkdir("folder"); os.symlink("folder", "link")
both(socket.AF_UNIX, "link/a", os.path.realpath("folder/a"))
both(socket.AF_UNIX, "\0own" + top)
both(socket.AF_INET, ("127.0.0.1", 0))
server = socket.socket(socket.AF_UNIX); server.bind("parent"); server.listen()
threading.Thread(target=serve, args=(server,)).start()
child = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('parent'); print(s.recv(5).decode())"
subprocess.run([sys.executable, "-c", child], check=True, stdout=sys.stderr)
s = socket.socket(); s.setblocking(False)
server = socket.create_server(("127.0.0.1", 0))
try: s.connect(server.getsockname())
except BlockingIOError: pass
select.select([], [s], []); print(s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); v.connect(u.getsockname()); v.send(b"x")
print(u.recv(1).decode())
stale = socket.socket(socket.AF_UNIX); stale.bind("stale"); stale.close()
def number(path):
    try: socket.socket(socket.AF_UNIX).connect(path)
    except OSError as error: return error.errno
print(number("stale"), number("missing"), number("src/main.rs"))
print(socket.if_nametoindex("lo"))
d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
try: d.sendto(b"x", "log")
except OSError as error: print(error.errno)
from multiprocessing.managers import BaseManager
from multiprocessing import Manager
if __name__ == "__main__":
    with Manager() as manager: print(list(manager.list([1, 2])))"#;

#[tokio::test]
async fn sockets_of_its_own_and_the_network_work_as_ever() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        std::fs::write(
            stage.root.join("own.py"),
            format!("import os, socket, threading, time\ntop = os.environ['TOP']\n{OWN}"),
        )
        .unwrap();
        open_to_all(&stage.root.join("own.py"));
        let ran = stage.run("TMPDIR=$PWD python3 own.py").await;
        let expected = format!("{}0\nx\n111 2 111\n1\n32\n[1, 2]\n", "hello\n".repeat(6));
        assert_eq!(ran.out, expected, "{}", describe(case, &ran));
        assert!(ran.err.contains("hello"), "{}", describe(case, &ran));
    }
}

const CONNECT: &str = "python3 -c '
import socket
s = socket.socket(socket.AF_UNIX)
try: s.connect(\"terminal\"); print(\"reached\")
except OSError as error: raise SystemExit(\"socket: %s\" % error)'";

async fn allowed_to(case: Case, allow: impl Fn(&World) -> PathBuf, script: &str) -> (World, Ran) {
    let mut world = World::new(case);
    world.stage.policy.sockets = vec![allow(&world)];
    let ran = world.stage.run(script).await;
    (world, ran)
}

#[tokio::test]
async fn a_socket_or_folder_that_the_configuration_names_is_reached() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let allowances: [fn(&World) -> PathBuf; 3] = [
            |world| world.path.clone(),
            |world| world.stage.root.clone(),
            |_| PathBuf::from("/"),
        ];
        for allow in allowances {
            let (world, ran) = allowed_to(case, allow, CONNECT).await;
            assert_eq!(ran.out, "reached\n", "{}", describe(case, &ran));
            assert_eq!(world.reached(), ["stream"]);
        }
    }
}

#[tokio::test]
async fn a_socket_that_a_command_moved_to_an_allowed_place_stays_closed() {
    let script = python(
        r#"
os.mkdir("allowed"); os.link("terminal", "allowed/hard"); os.rename("terminal", "allowed/moved")
for name in ("hard", "moved"):
    try: socket.socket(socket.AF_UNIX).connect("allowed/" + name); print("reached")
    except OSError as error: print(error.errno)"#,
    );
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let allow = |world: &World| world.stage.root.join("allowed");
        let (world, ran) = allowed_to(case, allow, &script).await;
        assert_eq!(
            world.reached(),
            Vec::<&str>::new(),
            "{}",
            describe(case, &ran)
        );
        assert_eq!(ran.out, "1\n1\n", "{}", describe(case, &ran));
    }
}

/// A server that somebody else starts while the command waits for it.
#[tokio::test]
async fn a_socket_that_another_program_makes_meanwhile_is_not_reached_either() {
    use tokio::io::AsyncReadExt;
    let script = python(
        r#"
print("ready", flush=True)
while not os.path.exists("go"): time.sleep(0.01)
try: socket.socket(socket.AF_UNIX).connect("later"); print("reached")
except OSError as error: print(error.errno)"#,
    );
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let mut command = stage.start(&script).await;
        let mut ready = [0; 6];
        let stdout = command.stdout.as_mut().unwrap();
        crate::support::soon(stdout.read_exact(&mut ready))
            .await
            .unwrap();
        let server = UnixListener::bind(stage.root.join("later")).unwrap();
        open_to_all(&stage.root.join("later"));
        std::fs::write(stage.root.join("go"), "").unwrap();
        let ran = finish(command).await;
        server.set_nonblocking(true).unwrap();
        assert!(server.accept().is_err(), "{}", describe(case, &ran));
        assert_eq!(ran.out, "1\n", "{}", describe(case, &ran));
    }
}

fn without_copies() -> Supervisor {
    let words = vec!["without=copies".into()];
    Supervisor::new(env!("CARGO_BIN_EXE_tenon-supervise"), words)
}

#[tokio::test]
async fn where_nobody_can_judge_the_report_says_so_and_refuse_refuses() {
    let case = Case {
        who: Who::Self_,
        kind: Kind::Full,
    };
    let mut world = World::new(case);
    let spec = world.stage.spec(CONNECT);
    let ran = finish(without_copies().spawn(spec).await.unwrap()).await;
    assert_eq!(ran.confinement.level, Level::Partial, "{ran:#?}");
    assert!(ran.names("other programs' Unix sockets"), "{ran:#?}");
    assert_eq!(ran.out, "reached\n", "{ran:#?}");
    world.stage.policy.lacking = Lacking::Refuse;
    match without_copies().spawn(world.stage.spec(CONNECT)).await {
        Err(SpawnError::Confinement(why)) => assert!(
            why.contains("Unix sockets") || why.contains("full sandbox"),
            "{why}"
        ),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refused_socket_is_recognised_and_names_its_switch() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let world = World::new(case);
        let ran = world.stage.run(CONNECT).await;
        let (policy, walls) = (&world.stage.policy, &ran.confinement);
        let denial = recognise(policy, walls, ran.code, ran.signal, &ran.err);
        let told = denial.map(|denial| denial.switch);
        assert_eq!(
            told.as_deref(),
            Some("sandbox.sockets"),
            "{}",
            describe(case, &ran)
        );
    }
}
