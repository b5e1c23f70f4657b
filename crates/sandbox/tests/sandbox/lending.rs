//! Attempts to leave a file behind that lends its owner's rights to others
//! (setuid, setgid), by every call that gives a file its mode.

use crate::files::{describe, everywhere};
use crate::stage::{CASES, Kind, Stage};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tenon_sandbox::recognise;

/// Numbers of calls without a wrapper in Python; the same on every processor.
const ATTEMPTS: &str = r#"python3 - <<'END'
import ctypes, errno, os, platform, stat
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
os.umask(0)
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "call")
def attempt(name, act):
    try:
        act()
        print("done", name)
    except OSError as error:
        print("refused", name, error.errno == errno.EPERM or (name.startswith("openat2") and error.errno == errno.ENOSYS))
def fresh(name):
    open(name, "w").close()
    return name
class How(ctypes.Structure):
    _fields_ = [(each, ctypes.c_uint64) for each in ("flags", "mode", "resolve")]
for bit in (0o4000, 0o2000, 0o6000):
    n = oct(bit)
    mode = bit | 0o755
    here = ctypes.c_int(-100)
    attempt("chmod" + n, lambda: os.chmod(fresh("chmod" + n), mode))
    attempt("fchmod" + n, lambda: os.fchmod(os.open(fresh("fchmod" + n), os.O_RDWR), mode))
    attempt("fchmodat" + n, lambda: os.chmod(fresh("fchmodat" + n), mode, dir_fd=os.open(".", os.O_RDONLY)))
    attempt("fchmodat2" + n, lambda: call(452, here, fresh("fchmodat2" + n).encode(), mode, 0x100))
    # What lies above the 32 bits of a mode is nothing to the kernel.
    attempt("high" + n, lambda: call(452, here, fresh("high" + n).encode(), ctypes.c_uint64(mode | 1 << 40), 0))
    attempt("openat" + n, lambda: os.open("openat" + n, os.O_CREAT | os.O_WRONLY, mode))
    attempt("tmpfile" + n, lambda: os.open(".", os.O_TMPFILE | os.O_WRONLY, mode))
    how = How(os.O_CREAT | os.O_WRONLY, mode, 0)
    attempt("openat2" + n, lambda: call(437, here, b"openat2" + n.encode(), ctypes.byref(how), ctypes.sizeof(how)))
    attempt("mknod" + n, lambda: os.mknod("mknod" + n, stat.S_IFREG | mode))
    attempt("mkfifo" + n, lambda: os.mkfifo("mkfifo" + n, mode))
    attempt("mkdir" + n, lambda: os.mkdir("mkdir" + n, mode))
    if x86:
        attempt("old-open" + n, lambda: call(2, b"old-open" + n.encode(), os.O_CREAT | os.O_WRONLY, mode))
        attempt("old-creat" + n, lambda: call(85, b"old-creat" + n.encode(), mode))
        attempt("old-chmod" + n, lambda: call(90, fresh("old-chmod" + n).encode(), mode))
        attempt("old-mkdir" + n, lambda: call(83, b"old-mkdir" + n.encode(), mode))
        attempt("old-mknod" + n, lambda: call(133, b"old-mknod" + n.encode(), stat.S_IFREG | mode, 0))
        # The same calls by the numbers of x32.
        attempt("x32" + n, lambda: call(0x40000000 + 90, fresh("x32" + n).encode(), mode))
    attempt("ring" + n, lambda: call(425, 8, ctypes.create_string_buffer(256)))
print("end")
END"#;

/// Files below a folder that lend rights.
fn lending(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let facts = std::fs::symlink_metadata(entry.path()).unwrap();
        if facts.permissions().mode() & 0o6000 != 0 {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
        if facts.is_dir() {
            found.extend(lending(&entry.path()));
        }
    }
    found
}

#[tokio::test]
async fn no_call_makes_a_file_that_lends_its_owners_rights() {
    everywhere(ATTEMPTS, |stage, ran| {
        let context = describe(stage.case, ran);
        assert_eq!(lending(&stage.root), Vec::<String>::new(), "{context}");
        assert!(ran.out.ends_with("end\n"), "{context}");
        for line in ran.out.lines().filter(|line| *line != "end") {
            assert!(
                line.starts_with("refused ") && line.ends_with(" True"),
                "{line} {context}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn shells_archives_and_compilers_cannot_make_one_either() {
    let script =
        "umask 0; cp /bin/true own; chmod u+s own; chmod 4755 own; install -m 4755 /bin/true two
        install -d -m 2755 folder; mkdir -m 2755 other; mkfifo -m 4666 pipe
        python3 - <<'END'
import io, tarfile
archive = tarfile.open('a.tar', 'w')
entry = tarfile.TarInfo('three'); entry.mode = 0o6755; entry.size = 1
archive.addfile(entry, io.BytesIO(b'x')); archive.close()
END
        tar xpf a.tar; true";
    everywhere(script, |stage, ran| {
        assert_eq!(
            lending(&stage.root),
            Vec::<String>::new(),
            "{}",
            describe(stage.case, ran)
        );
    })
    .await;
}

#[tokio::test]
async fn ordinary_modes_and_the_sticky_bit_go_on() {
    let script = "set -e; umask 022; echo x > file; chmod 1777 file; chmod 644 file; chmod +x file
        mkdir -m 1777 folder; mkdir -m 700 own; install -m 755 file copy
        python3 -c 'import os; os.open(\"made\", os.O_CREAT | os.O_WRONLY, 0o640); os.open(\"made\", os.O_RDONLY, 0o6777)'
        stat -c '%a' file folder own copy made";
    everywhere(script, |stage, ran| {
        let context = describe(stage.case, ran);
        assert_eq!(ran.out, "755\n1777\n700\n755\n640\n", "{context}");
        assert_eq!(ran.code, Some(0), "{context}");
    })
    .await;
}

#[tokio::test]
async fn a_program_that_lends_rights_already_loses_them_when_it_is_written_to() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let file = stage.root.join("lending");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        let owner = std::fs::metadata(&stage.root).unwrap().uid();
        std::os::unix::fs::chown(&file, Some(owner), Some(owner)).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o6755)).unwrap();
        let ran = stage.run("echo evil >> lending").await;
        assert_eq!(ran.code, Some(0), "{}", describe(case, &ran));
        assert_eq!(
            lending(&stage.root),
            Vec::<String>::new(),
            "{}",
            describe(case, &ran)
        );
    }
}

#[tokio::test]
async fn behind_mounts_no_program_of_the_machine_lends_rights() {
    // bwrap makes its own of these two, with nothing in them.
    let script = "grep -v nosuid /proc/self/mounts | cut -d' ' -f2; echo end";
    everywhere(script, |stage, ran| {
        if stage.case.has_mounts() {
            let out = match stage.case.kind {
                Kind::Bubblewrap => ran.out.replace("/dev/shm\n/dev/pts\n", ""),
                _ => ran.out.clone(),
            };
            assert_eq!(out, "end\n", "{}", describe(stage.case, ran));
        }
    })
    .await;
}

#[tokio::test]
async fn a_refused_bit_is_recognised() {
    for case in CASES {
        if !case.is_possible() || case.who == crate::stage::Who::Nobody {
            continue;
        }
        let stage = Stage::new(case);
        let ran = stage.run("chmod 4755 src/main.rs").await;
        let denial = recognise(
            &stage.policy,
            &ran.confinement,
            ran.code,
            ran.signal,
            &ran.err,
        );
        let denial = denial.unwrap_or_else(|| panic!("{}", describe(case, &ran)));
        assert_eq!(denial.switch, "sandbox.mode");
        assert!(denial.what.contains("setuid"), "{denial:?}");
    }
}
