//! The system calls that no safe wrapper offers, each behind a safe function.
//! Nothing else in Tenon may be `unsafe`.

use rustix::process::{Pid, Signal};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Signals that must not end the supervisor before its tree has ended. They
/// are blocked, not ignored: a command would inherit "ignored" through exec.
const HELD_BACK: [libc::c_int; 9] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGTTOU,
    libc::SIGTTIN,
    libc::SIGTSTP,
    libc::SIGPIPE,
    libc::SIGCHLD,
];

/// Signals whose handling a command gets back as it is by default, whatever
/// Tenon's own parent had chosen.
const RESET: [libc::c_int; 8] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGTTOU,
    libc::SIGTTIN,
    libc::SIGTSTP,
    libc::SIGPIPE,
];

/// Closes every descriptor from 3 up: what Tenon's parent left open is no
/// business of a command. Call it before anything is opened.
pub(crate) fn close_inherited() {
    #[expect(
        unsafe_code,
        reason = "close_range has no wrapper; the caller owns no descriptor above 2 yet"
    )]
    // SAFETY: plain integers; the descriptors closed are inherited ones that
    // no Rust value owns, since this runs before any is opened.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    if done == 0 {
        return;
    }
    // Before Linux 5.9.
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let numbers: Vec<libc::c_int> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        #[expect(unsafe_code, reason = "closing inherited descriptors by number")]
        // SAFETY: as above; a number that is closed already gives EBADF.
        unsafe {
            libc::close(number);
        }
    }
}

/// Blocks what must not end this process, and gives a descriptor that becomes
/// readable when a child has ended.
pub(crate) fn hold_back_signals() -> io::Result<OwnedFd> {
    #[expect(
        unsafe_code,
        reason = "signal masks and signalfd have no safe wrapper here"
    )]
    // SAFETY: the sets are initialised by sigemptyset before use and live on
    // this stack; the descriptor is new and owned by nobody else.
    unsafe {
        let mut held: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut held);
        for signal in HELD_BACK {
            libc::sigaddset(&raw mut held, signal);
        }
        if libc::sigprocmask(libc::SIG_SETMASK, &raw const held, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        // A parent that ignored SIGCHLD would make every wait fail.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        let mut children: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut children);
        libc::sigaddset(&raw mut children, libc::SIGCHLD);
        let number = libc::signalfd(
            -1,
            &raw const children,
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        );
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(number))
    }
}

/// Has the command start with a clean signal state, and end when its parent
/// (the supervisor, or the first process of its sandbox) is killed: should that
/// and Tenon be killed at once, at least the command itself goes. Then the
/// walls are raised; when that fails, the command is not executed.
pub(crate) fn before_exec(
    command: &mut Command,
    parent: Pid,
    mut raise: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    #[expect(
        unsafe_code,
        reason = "pre_exec: the state is set between fork and exec"
    )]
    // SAFETY: the supervisor has one thread, so no lock can be held by
    // another one at the fork, and what allocates in here is safe too.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            if rustix::process::getppid() != Some(parent) {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            for signal in RESET {
                libc::signal(signal, libc::SIG_DFL);
            }
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
            raise()
        });
    }
}

/// Which of the two processes this is after a fork.
#[derive(Debug)]
pub(crate) enum Forked {
    Parent(Pid),
    Child,
}

/// A fork whose child is the first process of new namespaces.
pub(crate) fn fork_into(namespaces: libc::c_int) -> io::Result<Forked> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    #[expect(unsafe_code, reason = "clone has no safe wrapper")]
    // SAFETY: without a stack and without CLONE_VM this is a fork: the child
    // has its own copy of everything. The caller has one thread.
    let number = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    Ok(pid.map_or(Forked::Child, Forked::Parent))
}

/// As the kernel lays it out.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

pub(crate) const MOUNT_READ_ONLY: u64 = 1;
pub(crate) const MOUNT_NO_SETUID: u64 = 2;

/// Sets attributes of a mount and of all mounts below it.
pub(crate) fn change_mounts(mount: BorrowedFd<'_>, set: u64) -> io::Result<()> {
    let attributes = MountAttributes {
        set,
        clear: 0,
        propagation: 0,
        user_namespace: 0,
    };
    #[expect(unsafe_code, reason = "mount_setattr has no wrapper")]
    // SAFETY: the path is an empty C string, the structure is laid out as the
    // kernel wants it and its size is given.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Sets the loopback device of this network namespace up.
pub(crate) fn raise_loopback() -> io::Result<()> {
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        None,
    )?;
    #[expect(
        unsafe_code,
        reason = "the requests of network devices have no wrapper"
    )]
    // SAFETY: the structure is zeroed, which is valid for it, holds a name
    // shorter than its field, and outlives both calls.
    let done = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
            *to = from.cast_signed();
        }
        let number = socket.as_raw_fd();
        let mut done = libc::ioctl(number, libc::SIOCGIFFLAGS as _, &raw mut request);
        if done == 0 {
            request.ifr_ifru.ifru_flags |= LOOPBACK_UP;
            done = libc::ioctl(number, libc::SIOCSIFFLAGS as _, &raw const request);
        }
        done
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "two small flags")]
const LOOPBACK_UP: libc::c_short = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;

/// Gives up every capability that is not to be kept, for this process and for
/// whatever it executes. By number, so that those of newer kernels go too.
pub(crate) fn limit_bounding_set(keep: u64) -> io::Result<()> {
    for number in 0..64_u64 {
        if keep & (1 << number) != 0 {
            continue;
        }
        #[expect(unsafe_code, reason = "capabilities that rustix does not know by name")]
        // SAFETY: plain integers.
        let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) };
        if done < 0 {
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                // The kernel has no more of them.
                Some(libc::EINVAL) => return Ok(()),
                _ => return Err(error),
            }
        }
    }
    Ok(())
}

/// Loads a filter that asks about calls; whoever holds the descriptor answers.
pub(crate) fn load_asking(program: &mut [libc::sock_filter]) -> io::Result<OwnedFd> {
    let wanted = libc::sock_fprog {
        len: u16::try_from(program.len()).unwrap_or(u16::MAX),
        filter: program.as_mut_ptr(),
    };
    let asking = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // So that a signal does not ask a second time; older kernels have it not.
    for flags in [
        asking | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        asking,
    ] {
        #[expect(unsafe_code, reason = "seccomp has no wrapper")]
        // SAFETY: the program and its description outlive the call; the
        // descriptor is new and owned by nobody else.
        unsafe {
            let kind = libc::SECCOMP_SET_MODE_FILTER;
            let number = libc::syscall(libc::SYS_seccomp, kind, flags, &raw const wanted);
            if let Ok(number) = i32::try_from(number)
                && number >= 0
            {
                return Ok(OwnedFd::from_raw_fd(number));
            }
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::EINVAL) {
            return Err(error);
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// A call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) id: u64,
    /// Of the thread.
    pub(crate) caller: u32,
    pub(crate) call: libc::c_long,
    pub(crate) arguments: [u64; 6],
}

/// The next question; an error when who asked is gone.
pub(crate) fn question(listener: BorrowedFd<'_>) -> io::Result<Question> {
    #[expect(unsafe_code, reason = "the answers of seccomp have no wrapper")]
    // SAFETY: the structure is zeroed, as the kernel demands, and outlives the call.
    let (done, asked) = unsafe {
        let mut asked: libc::seccomp_notif = std::mem::zeroed();
        let number = listener.as_raw_fd();
        let done = libc::ioctl(number, libc::SECCOMP_IOCTL_NOTIF_RECV as _, &raw mut asked);
        (done, asked)
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Question {
        id: asked.id,
        caller: asked.pid,
        call: libc::c_long::from(asked.data.nr),
        arguments: asked.data.args,
    })
}

/// Whether who asked still waits: only then was its number still its own.
pub(crate) fn still_asks(listener: BorrowedFd<'_>, id: u64) -> bool {
    #[expect(unsafe_code, reason = "the answers of seccomp have no wrapper")]
    // SAFETY: the number outlives the call.
    let done = unsafe {
        let number = listener.as_raw_fd();
        libc::ioctl(
            number,
            libc::SECCOMP_IOCTL_NOTIF_ID_VALID as _,
            &raw const id,
        )
    };
    done == 0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It was done in the caller's stead.
    Done,
    /// The number of an error.
    Fails(i32),
    /// The caller does it itself.
    GoOn,
}

/// To a caller that is gone there is nothing to say.
pub(crate) fn answer(listener: BorrowedFd<'_>, id: u64, answer: Answer) {
    let (error, flags) = match answer {
        Answer::Done => (0, 0),
        Answer::Fails(number) => (-number, 0),
        Answer::GoOn => (0, CONTINUE),
    };
    let said = libc::seccomp_notif_resp {
        id,
        val: 0,
        error,
        flags,
    };
    #[expect(unsafe_code, reason = "the answers of seccomp have no wrapper")]
    // SAFETY: the structure outlives the call.
    unsafe {
        let number = listener.as_raw_fd();
        libc::ioctl(number, libc::SECCOMP_IOCTL_NOTIF_SEND as _, &raw const said);
    }
}

const CONTINUE: u32 = 1;

/// Answers with a descriptor of the caller's own.
pub(crate) fn hand(
    listener: BorrowedFd<'_>,
    id: u64,
    given: BorrowedFd<'_>,
    flags: libc::c_int,
) -> io::Result<()> {
    const AS_THE_ANSWER: u32 = 2;
    let addition = libc::seccomp_notif_addfd {
        id,
        flags: AS_THE_ANSWER,
        srcfd: given.as_raw_fd().cast_unsigned(),
        newfd: 0,
        newfd_flags: flags.cast_unsigned(),
    };
    #[expect(unsafe_code, reason = "the answers of seccomp have no wrapper")]
    // SAFETY: the structure outlives the call.
    let done = unsafe {
        let number = listener.as_raw_fd();
        libc::ioctl(
            number,
            libc::SECCOMP_IOCTL_NOTIF_ADDFD as _,
            &raw const addition,
        )
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Connects to an address as another process wrote it, whatever it is.
pub(crate) fn connect(socket: BorrowedFd<'_>, address: &[u8]) -> io::Result<()> {
    let length = libc::socklen_t::try_from(address.len()).unwrap_or(0);
    #[expect(unsafe_code, reason = "the address is of any family")]
    // SAFETY: the kernel copies as many bytes as there are.
    let done = unsafe { libc::connect(socket.as_raw_fd(), address.as_ptr().cast(), length) };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The home of this user by the user database, whatever `HOME` says.
pub(crate) fn home_of_account() -> Option<PathBuf> {
    let mut text = vec![0_u8; 16 * 1024];
    #[expect(unsafe_code, reason = "the user database has no safe wrapper")]
    // SAFETY: the entry is zeroed, which is valid for it, the text is as long
    // as is said, and both outlive what is read of them; the path is copied.
    unsafe {
        let mut entry: libc::passwd = std::mem::zeroed();
        let mut found: *mut libc::passwd = std::ptr::null_mut();
        let done = libc::getpwuid_r(
            rustix::process::getuid().as_raw(),
            &raw mut entry,
            text.as_mut_ptr().cast(),
            text.len(),
            &raw mut found,
        );
        if done != 0 || found.is_null() || entry.pw_dir.is_null() {
            return None;
        }
        let path = std::ffi::CStr::from_ptr(entry.pw_dir);
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(path.to_bytes())))
    }
}

/// The version of Landlock in this kernel; 0 where there is none.
pub(crate) fn landlock_version() -> u32 {
    const ASK_VERSION: u32 = 1;
    #[expect(unsafe_code, reason = "the library keeps the version to itself")]
    // SAFETY: with this flag the kernel takes no structure and makes nothing.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            ASK_VERSION,
        )
    };
    u32::try_from(version).unwrap_or(0)
}
