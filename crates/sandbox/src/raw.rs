//! The system calls that no safe wrapper offers, each behind a safe function.
//! Nothing else in Tenon may be `unsafe`.

use rustix::process::{Pid, Signal};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
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

/// Has the command start with a clean signal state, and end when the
/// supervisor is killed: should both it and Tenon be killed at once, at least
/// the command itself goes.
pub(crate) fn tie_to_parent(command: &mut Command, parent: Pid) {
    #[expect(
        unsafe_code,
        reason = "pre_exec: the state is set between fork and exec"
    )]
    // SAFETY: the closure only makes async-signal-safe system calls and
    // neither allocates nor locks.
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
            Ok(())
        });
    }
}
