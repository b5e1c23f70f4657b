//! Devices of the machine, and those that a command gets of its own.

use crate::files::{describe, everywhere};

#[tokio::test]
async fn devices_of_the_machine_cannot_be_read_or_written_not_even_by_root() {
    let script = r#"python3 - <<'END'
import os, stat
for folder in ("/dev", "/dev/input", "/dev/mapper"):
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        if name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "console") or name.startswith("watchdog"): continue
        try:
            mode = os.lstat(path).st_mode
            if not (stat.S_ISBLK(mode) or stat.S_ISCHR(mode)): continue
            os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            print("opened", path)
        except OSError: pass
        try:
            os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            print("read", path)
        except OSError: pass
for kind, number in ((stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFCHR, os.makedev(1, 1))):
    try:
        os.mknod("node", 0o600 | kind, number)
        print("made")
    except OSError: pass
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/proc/sys/vm/drop_caches"):
    try:
        os.open(path, os.O_WRONLY)
        print("opened", path)
    except OSError: pass
print("end")
END"#;
    everywhere(script, |stage, ran| {
        assert_eq!(ran.out, "end\n", "{}", describe(stage.case, ran));
    })
    .await;
}

#[tokio::test]
async fn a_terminal_and_shared_memory_of_its_own_work_behind_mounts() {
    let script = r#"echo kept > /dev/shm/own; cat /dev/shm/own; python3 - <<'END'
import os, pty
one, other = pty.openpty()
os.write(other, b"typed")
print(os.read(one, 5).decode(), os.ttyname(other).startswith("/dev/pts/"))
END"#;
    everywhere(script, |stage, ran| {
        if stage.case.has_mounts() {
            assert_eq!(
                ran.out,
                "kept\ntyped True\n",
                "{}",
                describe(stage.case, ran)
            );
        }
    })
    .await;
}
