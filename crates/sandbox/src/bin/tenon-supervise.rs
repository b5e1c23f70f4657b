//! The supervisor as a program of its own, for tests. The shipped binary holds
//! the same behind its hidden subcommand `__supervise`.
//!
//! Words of the form `without=…` before the others take something away that
//! the kernel of the test machine has: `namespaces`, `user-namespaces`, `mounts`,
//! `landlock`, `copies`.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).peekable();
    while let Some(word) = words.next_if(|word| word.to_string_lossy().starts_with("without=")) {
        if without(&word.to_string_lossy()).is_none() {
            return ExitCode::from(124);
        }
    }
    tenon_sandbox::supervise(words)
}

fn without(what: &str) -> Option<()> {
    let any_of = |flags: &[libc::c_int]| {
        flags
            .iter()
            .map(|flag| {
                let flag = u64::from(flag.cast_unsigned());
                let set = SeccompCondition::new(
                    0,
                    SeccompCmpArgLen::Qword,
                    SeccompCmpOp::MaskedEq(flag),
                    flag,
                );
                SeccompRule::new(vec![set.ok()?]).ok()
            })
            .collect::<Option<Vec<_>>>()
    };
    let (rules, errno) = match what {
        "without=namespaces" => (
            vec![(
                libc::SYS_clone,
                any_of(&[libc::CLONE_NEWUSER, libc::CLONE_NEWNS])?,
            )],
            libc::EPERM,
        ),
        "without=user-namespaces" => (
            vec![(libc::SYS_clone, any_of(&[libc::CLONE_NEWUSER])?)],
            libc::ENOSPC,
        ),
        // As a system that gives namespaces and no rights in them.
        "without=mounts" => (vec![(libc::SYS_mount, Vec::new())], libc::EACCES),
        // As containers have it.
        "without=copies" => (vec![(libc::SYS_pidfd_getfd, Vec::new())], libc::EPERM),
        "without=landlock" => (
            vec![(libc::SYS_landlock_create_ruleset, Vec::new())],
            libc::ENOSYS,
        ),
        _ => return None,
    };
    let filter = SeccompFilter::new(
        BTreeMap::from_iter(rules),
        SeccompAction::Allow,
        SeccompAction::Errno(errno.cast_unsigned()),
        TargetArch::try_from(std::env::consts::ARCH).ok()?,
    );
    let program: BpfProgram = filter.ok()?.try_into().ok()?;
    seccompiler::apply_filter(&program).ok()
}
