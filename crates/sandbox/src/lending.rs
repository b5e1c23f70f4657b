//! Files that lend the rights of their owner or group to whoever runs them:
//! the setuid and setgid bits. A command that leaves such a file in a folder
//! that others can enter hands its user to them, long after its walls are
//! gone. So every call that gives a file its mode is refused with these bits,
//! wherever the file would lie. `openat2` has its mode in memory and is no
//! call at all for a command; `io_uring` is refused as a whole.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use std::collections::BTreeMap;

/// As the kernel numbers them everywhere.
const LENDING: [u64; 2] = [0o4000, 0o2000];

/// Calls that take a mode, and which of their arguments it is.
const WITH_MODE: &[(libc::c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mkdirat, 2),
    (libc::SYS_mknodat, 2),
    (libc::SYS_mq_open, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
];

/// Calls whose mode counts only where their flags, one argument before it,
/// make a file: else it is whatever was in the register.
const WITH_FLAGS: &[(libc::c_long, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// Either makes a file. The second is two bits, of which one says "folder".
const MAKING: [libc::c_int; 2] = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];

/// The rules for calls that are let through otherwise.
pub(crate) fn refused() -> Option<BTreeMap<i64, Vec<SeccompRule>>> {
    let mut refused = BTreeMap::new();
    for (call, mode) in WITH_MODE {
        let mut rules = Vec::new();
        for bit in LENDING {
            rules.push(SeccompRule::new(vec![has(*mode, bit)?]).ok()?);
        }
        refused.insert(*call, rules);
    }
    for (call, flags) in WITH_FLAGS {
        let mut rules = Vec::new();
        for flag in MAKING {
            for bit in LENDING {
                let making = has(*flags, u64::from(flag.cast_unsigned()))?;
                rules.push(SeccompRule::new(vec![making, has(flags + 1, bit)?]).ok()?);
            }
        }
        refused.insert(*call, rules);
    }
    Some(refused)
}

/// The kernel takes both as 32 bits, whatever stands above.
fn has(argument: u8, bit: u64) -> Option<SeccompCondition> {
    let masked = SeccompCmpOp::MaskedEq(bit);
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, masked, bit).ok()
}
