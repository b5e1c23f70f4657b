//! The system calls that a confined command is refused (seccomp). Each is
//! either a way around the walls (mounts, namespaces, other processes' memory,
//! io_uring, which no filter sees through) or a way to the network or the
//! terminal. They fail with EPERM, so that programs can go on without them.
//! What makes files that lend their owner's rights is in `lending`.

use crate::lending;
use crate::walls::Network;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;

/// What the network namespace already holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loopback {
    /// The command has a network of its own with nothing but a loopback.
    Own,
    /// It shares the machine's.
    Shared,
}

/// To which unix sockets a command may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visits {
    Free,
    /// As the supervisor judges.
    Judged,
    /// As it would, if it could.
    Unjudged,
}

/// Programs to load, in this order.
#[derive(Debug)]
pub(crate) struct Filters(Vec<BpfProgram>);

/// Always refused, whatever the arguments.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // Keys of the user.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    // Files by handle go around every mount.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // A second way to make every other call.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_fanotify_init,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Any of these in `clone` or `unshare` makes a namespace, in which the command
/// would be privileged again.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// Of `unshare` only: `clone` has signal numbers there.
const NEW_TIME: u64 = 0x80;

/// Types into a terminal as if a person did; and its like for the console.
const TYPING: [u64; 2] = [0x5412, 0x541C];

/// Calls of the x32 ABI carry this in their number and would pass by every
/// rule above.
const X32: u32 = 0x4000_0000;

impl Filters {
    /// `None` where this processor has no filters here.
    pub(crate) fn build(network: Network, loopback: Loopback, visits: Visits) -> Option<Self> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
            REFUSED.iter().map(|number| (*number, Vec::new())).collect();
        let namespaces = NAMESPACES.map(|flag| u64::from(flag.cast_unsigned()));
        refused.insert(libc::SYS_clone, bits(0, &namespaces)?);
        let mut unshared = bits(0, &namespaces)?;
        unshared.extend(bits(0, &[NEW_TIME])?);
        refused.insert(libc::SYS_unshare, unshared);
        let mut typing = Vec::new();
        for request in TYPING {
            let equal =
                SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request);
            typing.push(SeccompRule::new(vec![equal.ok()?]).ok()?);
        }
        refused.insert(libc::SYS_ioctl, typing);
        let sockets = match network {
            Network::Deny => sockets(loopback)?,
            Network::Inherit => host_sockets()?,
        };
        refused.insert(libc::SYS_socket, sockets);
        if visits != Visits::Free {
            // Each message may name another receiver, in memory, where no
            // filter can see it. One of a pair can send to others, too.
            refused.insert(libc::SYS_socketpair, datagrams()?);
        }
        // Where the supervisor judges, it makes them: ones that cannot send.
        if let Some(rules) = refused.get_mut(&libc::SYS_socket)
            && visits == Visits::Unjudged
            && !rules.is_empty()
        {
            rules.extend(datagrams()?);
        }
        refused.extend(lending::refused()?);
        // Their flags and modes are in memory, where no filter can see them;
        // libraries that are told they do not exist use `clone` and `openat`.
        let absent = BTreeMap::from([
            (libc::SYS_clone3, Vec::new()),
            (libc::SYS_openat2, Vec::new()),
        ]);
        Some(Self(vec![
            foreign(arch),
            program(refused, libc::EPERM, arch)?,
            program(absent, libc::ENOSYS, arch)?,
        ]))
    }

    /// Holds from here on, for this process and all it starts.
    pub(crate) fn load(&self) -> Result<(), seccompiler::Error> {
        for program in &self.0 {
            seccompiler::apply_filter(program)?;
        }
        Ok(())
    }
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: libc::c_int,
    arch: TargetArch,
) -> Option<BpfProgram> {
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)
        .ok()?
        .try_into()
        .ok()
}

/// One rule for each bit: any of them is enough.
fn bits(argument: u8, flags: &[u64]) -> Option<Vec<SeccompRule>> {
    flags
        .iter()
        .map(|flag| {
            let set = SeccompCondition::new(
                argument,
                SeccompCmpArgLen::Qword,
                SeccompCmpOp::MaskedEq(*flag),
                *flag,
            );
            SeccompRule::new(vec![set.ok()?]).ok()
        })
        .collect()
}

/// In a network of its own the command may use IP; unix sockets by path reach
/// out of it, and so do the odder families. In the machine's network, nothing.
/// `socketpair` stays: it connects to nobody.
fn sockets(loopback: Loopback) -> Option<Vec<SeccompRule>> {
    if loopback == Loopback::Shared {
        return Some(Vec::new());
    }
    let other_than = |family: libc::c_int| {
        SeccompCondition::new(
            0,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Ne,
            u64::from(family.cast_unsigned()),
        )
        .ok()
    };
    let neither = vec![other_than(libc::AF_INET)?, other_than(libc::AF_INET6)?];
    Some(vec![SeccompRule::new(neither).ok()?])
}

/// A machine's host listens there, to whom every guest is the machine itself;
/// no namespace holds it.
fn host_sockets() -> Option<Vec<SeccompRule>> {
    let family = u64::from(libc::AF_VSOCK.cast_unsigned());
    let equal = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family);
    Some(vec![SeccompRule::new(vec![equal.ok()?]).ok()?])
}

/// Unix sockets whose messages need no connection: of that type, and of the
/// one that the kernel takes for it.
fn datagrams() -> Option<Vec<SeccompRule>> {
    let unix = u64::from(libc::AF_UNIX.cast_unsigned());
    [libc::SOCK_DGRAM, libc::SOCK_RAW]
        .into_iter()
        .map(|kind| {
            let word = SeccompCmpArgLen::Dword;
            let kind = u64::from(kind.cast_unsigned());
            let family = SeccompCondition::new(0, word.clone(), SeccompCmpOp::Eq, unix).ok()?;
            let typed = SeccompCondition::new(1, word, SeccompCmpOp::MaskedEq(0xf), kind).ok()?;
            SeccompRule::new(vec![family, typed]).ok()
        })
        .collect()
}

/// The filter that asks about what connects, about what gets a name, and about
/// unix sockets for datagrams. Its answer is weaker than every refusal of the
/// others.
pub(crate) fn asking() -> Vec<libc::sock_filter> {
    let instruction = |code: u32, yes: u8, no: u8, value: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt: yes,
        jf: no,
        k: value,
    };
    let load = |at: u32| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, at);
    let equal =
        |yes, no, value| instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, yes, no, value);
    let end = |value| instruction(libc::BPF_RET | libc::BPF_K, 0, 0, value);
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    vec![
        load(0),
        equal(9, 0, number(libc::SYS_connect)),
        equal(8, 0, number(libc::SYS_bind)),
        equal(0, 6, number(libc::SYS_socket)),
        load(FIRST_ARGUMENT),
        equal(0, 4, libc::AF_UNIX.cast_unsigned()),
        load(FIRST_ARGUMENT + 8),
        instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, 0xf),
        equal(2, 0, libc::SOCK_DGRAM.cast_unsigned()),
        equal(1, 0, libc::SOCK_RAW.cast_unsigned()),
        end(libc::SECCOMP_RET_ALLOW),
        end(libc::SECCOMP_RET_USER_NOTIF),
    ]
}

/// Where a filter finds it; each has eight bytes, the lower half first.
const FIRST_ARGUMENT: u32 = 16;

/// Calls of another ABI: those of x32 fail here; those of 32 bits end the
/// process, by the check that every program of the library begins with.
fn foreign(arch: TargetArch) -> BpfProgram {
    let instruction = |code: u32, yes: u8, no: u8, value: u32| sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt: yes,
        jf: no,
        k: value,
    };
    let first = match arch {
        TargetArch::x86_64 => X32,
        TargetArch::aarch64 | TargetArch::riscv64 => u32::MAX,
    };
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
    vec![
        // The number of the call is the first word of what a filter sees.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, first),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refuse),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
