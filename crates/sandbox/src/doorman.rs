//! Who answers when a command connects: it may to what it made itself, and to
//! what the configuration names. Sockets of terminals, agents, editors and
//! engines act for whoever reaches them, outside of every wall, and no mount
//! and, before its version 9, no Landlock keeps a path that can be seen from
//! being connected to.
//!
//! The kernel asks about every `connect` and `bind` (seccomp), and this process,
//! which stands outside of the walls, connects in the command's stead: it takes
//! a copy of the socket, finds the file, judges that very file, and connects
//! to it. Nothing that the command can change is looked at twice, so nothing is
//! won by changing it meanwhile. `bind` goes on by itself; it only tells which
//! sockets are the command's own. Unix sockets for datagrams could name another
//! receiver with each message: those that a command gets cannot send.

use crate::bound::{self, Bound, Place};
use crate::raw::{self, Answer, Question};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, StatxFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType, sockopt};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags};
use rustix::time::{ClockId, Timespec};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// No address is longer.
const MAX_ADDRESS: usize = 128;
/// A command that gives more sockets a name is none that has to work.
const MAX_OWN: usize = 1 << 20;
/// All that a thread does is to wait for one call.
const STACK: usize = 64 * 1024;

/// The time from which on files are the command's own.
pub(crate) fn now() -> Timespec {
    // As coarse as the times of files are.
    rustix::time::clock_gettime(ClockId::RealtimeCoarse)
}

#[derive(Debug)]
pub(crate) struct Doorman {
    listener: Arc<OwnedFd>,
    allowed: Vec<PathBuf>,
    begun: Timespec,
    /// Cookies of sockets that processes of the command gave a name.
    own: HashSet<u64>,
}

/// What is to be connected, and to what.
struct Visit {
    socket: OwnedFd,
    address: Vec<u8>,
    /// The file that the address names is this one as long as it is held.
    _file: Option<OwnedFd>,
}

impl Doorman {
    pub(crate) fn new(listener: OwnedFd, allowed: &[PathBuf], begun: Timespec) -> Self {
        let allowed = allowed.iter().map(|path| canonical(path)).collect();
        Self {
            listener: Arc::new(listener),
            allowed,
            begun,
            own: HashSet::new(),
        }
    }

    pub(crate) fn listener(&self) -> &OwnedFd {
        &self.listener
    }

    /// Answers one question.
    pub(crate) fn serve(&mut self) {
        let Ok(question) = raw::question(self.listener.as_fd()) else {
            return;
        };
        if question.call == libc::SYS_bind {
            if let Ok(socket) = taken(&question)
                && sockopt::socket_domain(&socket) == Ok(AddressFamily::UNIX)
                && let Ok(cookie) = sockopt::socket_cookie(&socket)
                && self.own.len() < MAX_OWN
            {
                self.own.insert(cookie);
            }
            return self.answer(&question, Answer::GoOn);
        }
        if question.call == libc::SYS_socket {
            if self.give_mute(&question).is_err() {
                self.answer(&question, Answer::Fails(libc::EPERM));
            }
            return;
        }
        match self.receive(&question) {
            Ok(visit) => self.go(&question, visit),
            Err(error) => self.answer(&question, Answer::Fails(error.raw_os_error())),
        }
    }

    fn answer(&self, question: &Question, answer: Answer) {
        raw::answer(self.listener.as_fd(), question.id, answer);
    }

    /// A socket for datagrams that cannot send: libraries ask for devices by
    /// one, and whoever made it can receive with it.
    fn give_mute(&self, question: &Question) -> std::io::Result<()> {
        let mute = std::os::unix::net::UnixDatagram::unbound()?;
        mute.shutdown(std::net::Shutdown::Write)?;
        let kind = truncated(question.arguments[1]);
        mute.set_nonblocking(kind & libc::SOCK_NONBLOCK != 0)?;
        let flags = kind & libc::SOCK_CLOEXEC;
        raw::hand(self.listener.as_fd(), question.id, mute.as_fd(), flags)
    }

    /// Waits in a thread of its own where the caller would wait.
    fn go(&self, question: &Question, visit: Visit) {
        let waits = rustix::fs::fcntl_getfl(&visit.socket)
            .is_ok_and(|flags| !flags.contains(OFlags::NONBLOCK))
            && sockopt::socket_type(&visit.socket) != Ok(SocketType::DGRAM);
        let (listener, id) = (Arc::clone(&self.listener), question.id);
        let connect = move || {
            // Whole: the file is held until the deed is done.
            let visit = visit;
            let answer = match raw::connect(visit.socket.as_fd(), &visit.address) {
                Ok(()) => Answer::Done,
                Err(error) => Answer::Fails(error.raw_os_error().unwrap_or(libc::EPERM)),
            };
            raw::answer(listener.as_fd(), id, answer);
        };
        if !waits {
            return connect();
        }
        let thread = std::thread::Builder::new().stack_size(STACK);
        if thread.spawn(connect).is_err() {
            self.answer(question, Answer::Fails(libc::EAGAIN));
        }
    }

    fn receive(&self, question: &Question) -> Result<Visit, Errno> {
        let socket = taken(question)?;
        let address = address(question)?;
        let domain = sockopt::socket_domain(&socket)?;
        let Some((family, name)) = address.split_first_chunk::<2>() else {
            return Err(Errno::INVAL);
        };
        let is_unix = AddressFamily::from_raw(u16::from_ne_bytes(*family)) == AddressFamily::UNIX;
        let file = if domain != AddressFamily::UNIX || !is_unix || name.is_empty() {
            None
        } else if name.starts_with(&[0]) {
            self.judge_abstract(name)?;
            None
        } else {
            let path = name.split(|byte| *byte == 0).next().unwrap_or(name);
            let path = Path::new(OsStr::from_bytes(path));
            let file = find(question.caller, path)?;
            self.judge(&file, path)?;
            Some(file)
        };
        // Until here the caller's number could have become another's.
        if !raw::still_asks(self.listener.as_fd(), question.id) {
            return Err(Errno::SRCH);
        }
        let address = file
            .as_ref()
            .map_or(address, |file| address_of(file.as_fd()));
        Ok(Visit {
            socket,
            address,
            _file: file,
        })
    }

    fn is_own(&self, bound: &Bound) -> bool {
        self.own.contains(&bound.cookie)
    }

    fn judge_abstract(&self, name: &[u8]) -> Result<(), Errno> {
        let listening = bound::listening().map_err(|_| Errno::PERM)?;
        let mut there = listening
            .iter()
            .filter(|bound| bound.name == name)
            .peekable();
        if there.peek().is_none() {
            return Err(Errno::CONNREFUSED);
        }
        if there.all(|bound| self.is_own(bound)) {
            Ok(())
        } else {
            Err(Errno::PERM)
        }
    }

    fn judge(&self, file: &OwnedFd, path: &Path) -> Result<(), Errno> {
        let facts = rustix::fs::fstat(file)?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::Socket {
            return Err(Errno::CONNREFUSED);
        }
        let Ok(listening) = bound::listening() else {
            // A kernel that does not tell: what is younger than the command.
            let may = self.is_young(file) || self.is_allowed(file, &facts, &[]);
            return may.then_some(()).ok_or(Errno::PERM);
        };
        let behind = behind(&listening, &facts);
        let is_own = match &behind {
            Behind::Surely(there) => there.iter().any(|bound| self.is_own(bound)),
            // Some file systems have numbers of their own for files. Then it
            // is young, and a socket of the command has its name.
            Behind::Perhaps(there) => {
                let named = |bound: &&Bound| self.is_own(bound) && same_name(bound, path);
                self.is_young(file)
                    && (there.iter().any(|bound| self.is_own(bound))
                        || listening.iter().any(|bound| named(&bound)))
            }
        };
        if is_own || self.is_allowed(file, &facts, behind.all()) {
            return Ok(());
        }
        match behind {
            // Left by a server that is gone: programs make it anew.
            Behind::Perhaps(there) if there.is_empty() => Err(Errno::CONNREFUSED),
            _ => Err(Errno::PERM),
        }
    }

    /// Whether a file was made since the command began. The time of its
    /// birth, which nothing changes afterwards.
    fn is_young(&self, file: &OwnedFd) -> bool {
        rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).is_ok_and(|facts| {
            let born = (facts.stx_btime.tv_sec, i64::from(facts.stx_btime.tv_nsec));
            facts.stx_mask & StatxFlags::BTIME.bits() != 0
                && born >= (self.begun.tv_sec, self.begun.tv_nsec)
        })
    }

    /// Both the file and, where it is known, the name that its server gave it:
    /// a command may move a socket to where it would be allowed.
    fn is_allowed(&self, file: &OwnedFd, facts: &Stat, there: &[&Bound]) -> bool {
        let within = |path: &Path| self.allowed.iter().any(|allowed| path.starts_with(allowed));
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        facts.st_nlink == 1
            && std::fs::read_link(own).is_ok_and(|path| within(&path))
            && there.iter().all(|bound| {
                let name = bound.name.strip_suffix(&[0]).unwrap_or(&bound.name);
                let name = Path::new(OsStr::from_bytes(name));
                !name.is_absolute() || within(&canonical(name))
            })
    }
}

/// The sockets that listen behind a file.
enum Behind<'a> {
    Surely(Vec<&'a Bound>),
    /// The numbers of the device differ, as some file systems have it.
    Perhaps(Vec<&'a Bound>),
}

impl<'a> Behind<'a> {
    fn all(&self) -> &[&'a Bound] {
        match self {
            Self::Surely(there) | Self::Perhaps(there) => there,
        }
    }
}

fn behind<'a>(listening: &'a [Bound], facts: &Stat) -> Behind<'a> {
    // The kernel tells the lower half.
    let file = facts.st_ino & u64::from(u32::MAX);
    let (major, minor) = (
        rustix::fs::major(facts.st_dev),
        rustix::fs::minor(facts.st_dev),
    );
    let here = |place: Place| (place.device >> 20, place.device & 0xf_ffff) == (major, minor);
    let same = |bound: &&Bound| {
        bound
            .place
            .is_some_and(|place| u64::from(place.file) == file)
    };
    let there: Vec<&Bound> = listening.iter().filter(same).collect();
    let exactly: Vec<&Bound> = (there.iter().copied())
        .filter(|bound| bound.place.is_some_and(here))
        .collect();
    if exactly.is_empty() {
        Behind::Perhaps(there)
    } else {
        Behind::Surely(exactly)
    }
}

fn same_name(bound: &Bound, path: &Path) -> bool {
    let name = bound.name.strip_suffix(&[0]).unwrap_or(&bound.name);
    Path::new(OsStr::from_bytes(name)).file_name() == path.file_name()
}

/// With the links of the folders above it resolved; it need not exist.
fn canonical(path: &Path) -> PathBuf {
    if let Ok(found) = std::fs::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => canonical(parent).join(name),
        _ => path.to_owned(),
    }
}

/// A copy of the socket that the call is about.
fn taken(question: &Question) -> Result<OwnedFd, Errno> {
    let number = truncated(question.arguments[0]);
    let caller = process(question.caller)?;
    rustix::process::pidfd_getfd(caller, number, PidfdGetfdFlags::empty())
}

/// A descriptor for the process that a thread belongs to.
fn process(thread: u32) -> Result<OwnedFd, Errno> {
    let pid = |number: u32| i32::try_from(number).ok().and_then(Pid::from_raw);
    let own = pid(thread).ok_or(Errno::SRCH)?;
    if let Ok(process) = rustix::process::pidfd_open(own, PidfdFlags::empty()) {
        return Ok(process);
    }
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).map_err(errno)?;
    let leader = status
        .lines()
        .find_map(|line| line.strip_prefix("Tgid:"))
        .and_then(|number| number.trim().parse().ok())
        .and_then(pid)
        .ok_or(Errno::SRCH)?;
    rustix::process::pidfd_open(leader, PidfdFlags::empty())
}

/// What the caller wrote as the address, read once.
fn address(question: &Question) -> Result<Vec<u8>, Errno> {
    let length = usize::try_from(truncated(question.arguments[2])).map_err(|_| Errno::INVAL)?;
    if length > MAX_ADDRESS {
        return Err(Errno::INVAL);
    }
    let mut bytes = vec![0; length];
    let memory = std::fs::File::open(format!("/proc/{}/mem", question.caller)).map_err(errno)?;
    memory
        .read_exact_at(&mut bytes, question.arguments[1])
        .map_err(|_| Errno::FAULT)?;
    Ok(bytes)
}

/// The kernel takes the lower half of these arguments.
fn truncated(argument: u64) -> i32 {
    let [a, b, c, d, ..] = argument.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The file that the caller means. Where its world differs from ours, it may
/// be another one: it is judged as whatever it is.
fn find(caller: u32, path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let open = |path: &Path| rustix::fs::openat(CWD, path, flags, Mode::empty());
    if let Ok(own) = path.strip_prefix("/proc/self") {
        return open(&Path::new(&format!("/proc/{caller}")).join(own));
    }
    if !path.is_absolute() {
        let folder = open(Path::new(&format!("/proc/{caller}/cwd")))?;
        return rustix::fs::openat(folder, path, flags, Mode::empty());
    }
    let root = open(Path::new(&format!("/proc/{caller}/root")))?;
    match rustix::fs::openat2(root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT) {
        // A link of `/proc`, or a rename meanwhile.
        Err(Errno::XDEV | Errno::LOOP | Errno::AGAIN | Errno::NOSYS) => open(path),
        found => found,
    }
}

/// The address of a file that is held.
fn address_of(file: BorrowedFd<'_>) -> Vec<u8> {
    let mut address = AddressFamily::UNIX.as_raw().to_ne_bytes().to_vec();
    address.extend(format!("/proc/self/fd/{}\0", file.as_raw_fd()).bytes());
    address
}

fn errno(error: std::io::Error) -> Errno {
    error
        .raw_os_error()
        .map_or(Errno::PERM, Errno::from_raw_os_error)
}
