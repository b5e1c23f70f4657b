//! Attempts on other processes, on the kernel and on the privileges of the
//! command, and what a sandbox leaves behind.

use crate::stage::{CASES, Stage, Who, finish, is_root};
use crate::support::{alive_with, soon, until};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use tenon_sandbox::{Level, Limits, Survivors};

/// A process outside that commands try to get at, of the same user.
struct Victim(std::process::Child);

impl Victim {
    fn start(who: Who) -> Self {
        let mut command = match who {
            Who::Self_ => Command::new("sleep"),
            Who::Nobody => {
                let mut command = Command::new("/usr/bin/setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sleep"]);
                command
            }
        };
        command
            .arg("600")
            .env("VICTIM_SECRET", "SECRET=victim")
            .stdin(Stdio::null());
        Self(command.spawn().unwrap())
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn other_processes_can_be_neither_signalled_nor_traced_nor_read() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut victim = Victim::start(case.who);
        let stage = Stage::new(case);
        let pid = victim.0.id();
        let ran = stage
            .run(&format!(
                r#"
                kill -9 {pid}; kill -STOP {pid}
                tr '\0' '\n' < /proc/{pid}/environ; cat /proc/{pid}/maps; ls /proc/{pid}/fd/
                cat /proc/$PPID/environ; ls -l /proc/$PPID/root/
                python3 - <<'END'
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for pid in ({pid}, 1):
    if libc.ptrace(16, pid, 0, 0) == 0: print("traced", pid)
    if libc.ptrace(0x4206, pid, 0, 0) == 0: print("seized", pid)
    buffer = ctypes.create_string_buffer(8)
    if libc.process_vm_readv(pid, buffer, 1, buffer, 1, 0) >= 0: print("read", pid)
    try:
        open("/proc/%d/mem" % pid, "r+b"); print("opened", pid)
    except OSError: pass
END
                echo end"#
            ))
            .await;
        let context = format!("{case:?} {ran:#?}");
        assert!(ran.out.ends_with("end\n"), "{context}");
        for word in ["SECRET", "traced", "seized", "opened", "read ", "r-xp"] {
            assert!(!ran.out.contains(word), "{word} {context}");
        }
        assert!(
            victim.lives() || ran.names("signals to other processes"),
            "{context}"
        );
        if case.has_mounts() {
            assert!(ran.err.contains("No such process"), "{context}");
        }
    }
}

/// Only processes that belong to the test are aimed at: should a wall not
/// stand, the machine must not suffer.
#[tokio::test]
async fn a_command_cannot_end_its_supervisor() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let ran = stage
            .run("kill -9 $PPID; kill -STOP $PPID; echo alive")
            .await;
        let context = format!("{case:?} {ran:#?}");
        if ran.names("signals to other processes") {
            continue;
        }
        assert_eq!(ran.out, "alive\n", "{context}");
        assert_eq!(ran.code, Some(0), "{context}");
    }
}

/// Runs a system call by number in Python and prints what came of it.
const CALLS: &str = r#"python3 - <<'END'
import ctypes, errno, fcntl, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, name)(*arguments) if isinstance(name, str) else libc.syscall(name, *arguments)
    return "ok" if result >= 0 else errno.errorcode.get(ctypes.get_errno(), "?")
machine = os.uname().machine
numbers = {"io_uring_setup": 425, "clone3": 435, "open_tree": 428, "fsopen": 430, "mount_setattr": 442, "pidfd_getfd": 438}
numbers.update({"bpf": 321, "keyctl": 250, "perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246} if machine == "x86_64" else
               {"bpf": 280, "keyctl": 219, "perf_event_open": 241, "userfaultfd": 282, "kexec_load": 104})
for name, number in numbers.items():
    print(name, call(number, 0, 0, 0, 0, 0))
print("unshare", call("unshare", 0x10000000))
print("unshare-mounts", call("unshare", 0x20000))
print("mount", call("mount", b"none", b"nowhere", b"tmpfs", 0, None))
print("umount", call("umount2", b"nowhere", 2))
print("chroot", call("chroot", b"nowhere"))
print("setuid", call("setuid", 1))
for request in (0x5412, 0x541C):
    try:
        fcntl.ioctl(0, request, b"x")
        print("typed")
    except OSError as error:
        print("typing", errno.errorcode[error.errno])
END"#;

#[tokio::test]
async fn ways_around_the_walls_are_refused_by_the_kernel() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let ran = stage.run(CALLS).await;
        let context = format!("{case:?} {ran:#?}");
        for line in ran.out.lines() {
            let (name, result) = line.split_once(' ').unwrap();
            let expected: &[&str] = match name {
                // So that libraries fall back to `clone`.
                "clone3" => &["ENOSYS"],
                // An id that is not mapped does not exist.
                "setuid" => &["EPERM", "EINVAL"],
                _ => &["EPERM"],
            };
            assert!(expected.contains(&result), "{name} {context}");
        }
        assert_eq!(ran.out.lines().count(), 19, "{context}");
    }
}

#[tokio::test]
async fn no_privilege_is_left_and_none_can_be_gained() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let set_uid = stage.root.join("set-uid");
        std::fs::copy("/usr/bin/id", &set_uid).unwrap();
        if is_root() {
            std::os::unix::fs::chown(&set_uid, Some(0), Some(0)).unwrap();
        }
        std::fs::set_permissions(&set_uid, PermissionsExt::from_mode(0o6755)).unwrap();
        let ran = stage
            .run("grep -E 'CapEff|CapBnd|CapPrm|CapInh|CapAmb|NoNewPrivs|^Seccomp:' /proc/self/status; ./set-uid -u; id -u")
            .await;
        let context = format!("{case:?} {ran:#?}");
        // Of files only: chown, dac_override, fowner.
        let most = 0b1011_u64;
        for line in ran.out.lines().filter(|line| line.starts_with("Cap")) {
            let set = line.split_ascii_whitespace().last().unwrap();
            let set = u64::from_str_radix(set, 16).unwrap();
            let allowed = if case.who == Who::Self_ && is_root() {
                set & !most == 0
            } else {
                set == 0 || line.starts_with("CapBnd")
            };
            assert!(allowed, "{line} {context}");
        }
        assert!(ran.out.contains("NoNewPrivs:\t1"), "{context}");
        assert!(ran.out.contains("Seccomp:\t2"), "{context}");
        let ids: Vec<&str> = ran.out.lines().rev().take(2).collect();
        assert_eq!(ids.first(), ids.last(), "{context}");
    }
}

#[tokio::test]
async fn root_can_work_in_the_folder_of_another_user() {
    if !is_root() {
        return crate::stage::skip("only root has other users' files");
    }
    for case in CASES.into_iter().filter(|case| case.who == Who::Self_) {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        stage.give_to_nobody();
        std::fs::set_permissions(&stage.root, PermissionsExt::from_mode(0o700)).unwrap();
        let ran = stage
            .run(
                "echo x > src/main.rs && echo y > new && stat -c %u src/main.rs && chown 65534 new",
            )
            .await;
        assert_eq!(ran.code, Some(0), "{case:?} {ran:#?}");
        assert_eq!(ran.out, "65534\n");
    }
}

#[tokio::test]
async fn nothing_of_a_sandbox_survives_a_kill() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let command = stage
            .start(
                "setsid sh -c 'echo x > one; sleep 600' & (setsid sh -c '(trap \"\" TERM HUP; echo x > two; sleep 600) &' &)
                 nohup sh -c 'while :; do (sleep 600 &) ; sleep 0.01; done' >/dev/null 2>&1 &
                 while [ ! -s one ] || [ ! -s two ]; do sleep 0.01; done; echo ready; sleep 600",
            )
            .await;
        until("the runaways run", || {
            stage.text("root/one").is_some_and(|text| !text.is_empty())
                && stage.text("root/two").is_some_and(|text| !text.is_empty())
        });
        command.kill();
        let ran = finish(command).await;
        assert_eq!(ran.signal, Some(9), "{case:?} {ran:#?}");
        until("all have ended", || alive_with(&stage.top).is_empty());
    }
}

#[tokio::test]
async fn what_a_confined_command_leaves_running_is_told_and_lives_on() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let mut command = stage.start("sleep 600 >/dev/null 2>&1 & exit 7").await;
        let exit = soon(command.exited()).await;
        assert_eq!(
            (exit.code, exit.survivors),
            (Some(7), Survivors::Some),
            "{case:?}"
        );
        assert!(!alive_with(&stage.top).is_empty(), "{case:?}");
        drop(command);
        until("letting go ends it", || alive_with(&stage.top).is_empty());
    }
}

#[tokio::test]
async fn a_confined_tree_can_be_asked_to_end() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let command = stage
            .start("trap 'echo asked > asked; exit 3' TERM; echo ready > ready; while :; do sleep 0.05; done")
            .await;
        until("it runs", || {
            stage
                .text("root/ready")
                .is_some_and(|text| !text.is_empty())
        });
        command.terminate();
        let ran = finish(command).await;
        assert_eq!(ran.code, Some(3), "{case:?} {ran:#?}");
        assert_eq!(stage.text("root/asked").as_deref(), Some("asked\n"));
    }
}

#[tokio::test]
async fn the_number_of_a_confined_command_is_the_one_that_others_see() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let command = stage.start("exec sleep 600").await;
        until("it is `sleep` under that number", || {
            std::fs::read_to_string(format!("/proc/{}/comm", command.pid.unwrap()))
                .is_ok_and(|name| name == "sleep\n")
        });
    }
}

#[tokio::test]
async fn limits_hold() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.limits = Limits {
            file_bytes: Some(4096),
            open_files: Some(40),
            memory_bytes: Some(4 << 30),
            cpu_seconds: Some(500),
            processes: None,
        };
        let ran = stage
            .run("ulimit -c; ulimit -n; ulimit -v; ulimit -t; head -c 100000 /dev/zero > big; wc -c < big")
            .await;
        assert_eq!(ran.out, "0\n40\n4194304\n500\n4096\n", "{case:?} {ran:#?}");
    }
}

#[tokio::test]
async fn a_limit_that_does_not_hold_for_root_is_named() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.limits.processes = Some(1000);
        let ran = stage.run("true").await;
        let is_root = case.who == crate::stage::Who::Self_ && crate::stage::is_root();
        assert_eq!(ran.names("limits.processes"), is_root, "{case:?} {ran:#?}");
    }
}

#[tokio::test]
async fn a_program_in_memory_can_be_executed() {
    let script = r#"python3 - <<'END'
import os
memory = os.memfd_create("program")
os.write(memory, open("/bin/echo", "rb").read())
os.execve("/proc/self/fd/%d" % memory, ["echo", "from memory"], os.environ)
END"#;
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let ran = Stage::new(case).run(script).await;
        assert_eq!(ran.out, "from memory\n", "{case:?} {ran:#?}");
    }
}

#[tokio::test]
async fn behind_mounts_a_command_sees_only_its_own_processes_and_terminals() {
    let script =
        "ls /proc | grep -c '^[0-9]*$'; ls /dev/pts /dev/shm; echo x > /dev/shm/mine && echo shared
        python3 -c 'import os; print(os.ttyname(os.openpty()[1]))'";
    for case in CASES {
        if !case.is_possible() || !case.has_mounts() {
            continue;
        }
        let ran = Stage::new(case).run(script).await;
        let context = format!("{case:?} {ran:#?}");
        let mut lines = ran.out.lines();
        let processes: u32 = lines.next().unwrap().parse().unwrap();
        assert!(processes <= 6, "{context}");
        assert!(ran.out.contains("shared\n/dev/pts/0"), "{context}");
        assert!(!std::path::Path::new("/dev/shm/mine").exists());
        assert_eq!(ran.confinement.level, Level::Full);
    }
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn calls_of_another_abi_do_not_get_past_the_filter() {
    // `getpid` by the gate of 32-bit programs, and by that of x32.
    let script = r#"python3 - <<'END'
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
print("x32", libc.syscall(0x40000000 + 39), errno.errorcode[ctypes.get_errno()], flush=True)
import mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
print("i386", ctypes.CFUNCTYPE(ctypes.c_int)(address)(), flush=True)
END"#;
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let ran = Stage::new(case).run(script).await;
        let context = format!("{case:?} {ran:#?}");
        assert_eq!(ran.out, "x32 -1 EPERM\n", "{context}");
        assert_ne!(ran.code, Some(0), "{context}");
    }
}

#[tokio::test]
async fn a_killed_supervisor_takes_its_sandbox_with_it() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let script = "setsid env -i sleep 600 & echo x > ready; sleep 600";
        let mut command = stage.start(script).await;
        until("it runs", || stage.root.join("ready").exists());
        // Up from the command to the one below this process.
        let mut keeper = command.pid.unwrap();
        while let Some(parent) = parent_of(keeper).filter(|pid| *pid != std::process::id()) {
            keeper = parent;
        }
        let keeper = rustix::process::Pid::from_raw(keeper.cast_signed()).unwrap();
        rustix::process::kill_process(keeper, rustix::process::Signal::KILL).unwrap();
        soon(command.emptied()).await;
        until("all have ended", || alive_with(&stage.top).is_empty());
    }
}

fn parent_of(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("PPid:"))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}
