//! Which failures are put down to the walls, by the words of real programs, and
//! which are not.

use tenon_sandbox::{
    Adapter, Confinement, Lacking, Level, Limits, Mode, Network, Private, SandboxPolicy, recognise,
};

fn policy() -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network: Network::Inherit,
        adapter: Adapter::Auto,
        root: "/home/me/project".into(),
        writable: vec!["/tmp".into()],
        read_only: vec![
            "/home/me/project/.git/config".into(),
            "/home/me/project/.git/hooks".into(),
        ],
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: vec!["/home/me/.ssh".into()],
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::RunPartial,
    }
}

fn full() -> Confinement {
    Confinement {
        adapter: "native",
        level: Level::Full,
        not_covered: Vec::new(),
    }
}

/// The switch that a failure with this message is put down to.
fn switch(policy: &SandboxPolicy, stderr: &str) -> Option<String> {
    recognise(policy, &full(), Some(1), None, stderr).map(|denial| denial.switch)
}

#[test]
fn names_the_switch_for_what_programs_say() {
    for (message, expected) in [
        (
            "touch: cannot touch '/etc/x': Read-only file system",
            "sandbox.writable",
        ),
        (
            "bash: line 1: /home/me/.cache/x: Read-only file system",
            "sandbox.writable",
        ),
        (
            "OSError: [Errno 30] Read-only file system: '/usr/lib/python3/x.pyc'",
            "sandbox.writable",
        ),
        (
            "Error: EROFS: read-only file system, open '/home/me/.npm/_logs/a.log'",
            "sandbox.writable",
        ),
        (
            "error: could not write config file .git/config: Device or resource busy",
            "sandbox.read_only",
        ),
        (
            "mv: cannot move 'x' to './.git/hooks/pre-commit': Read-only file system",
            "sandbox.read_only",
        ),
        (
            "error: could not lock config file .git/config.lock: Read-only file system",
            "sandbox.read_only",
        ),
        (
            "cat: /home/me/.ssh/id_ed25519: No such file or directory",
            "sandbox.hidden",
        ),
        (
            "sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.",
            "sandbox.mode",
        ),
        (
            "unshare: unshare failed: Operation not permitted",
            "sandbox.mode",
        ),
        (
            "strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted",
            "sandbox.mode",
        ),
        (
            "error: failed to open: Read-only file system (os error 30)",
            "sandbox.writable",
        ),
    ] {
        assert_eq!(
            switch(&policy(), message).as_deref(),
            Some(expected),
            "{message}"
        );
    }
}

#[test]
fn a_failure_of_another_cause_is_not_put_down_to_the_walls() {
    for message in [
        "cat: /etc/shadow: Permission denied",
        "bash: ./script.sh: Permission denied",
        "rm: cannot remove '/home/me/project/closed/file': Permission denied",
        "cat: missing.txt: No such file or directory",
        "ssh: Could not resolve hostname nowhere: Name or service not known",
        "error[E0308]: mismatched types",
        "touch: cannot touch '/home/me/project/mnt/x': Read-only file system",
        "",
    ] {
        assert_eq!(switch(&policy(), message), None, "{message}");
    }
}

#[test]
fn the_network_is_named_only_where_it_is_denied() {
    let message = "curl: (6) Could not resolve host: example.com";
    assert_eq!(switch(&policy(), message), None);
    let mut denied = policy();
    denied.network = Network::Deny;
    assert_eq!(switch(&denied, message).as_deref(), Some("sandbox.network"));
    assert_eq!(
        switch(&denied, "socket: Operation not permitted").as_deref(),
        Some("sandbox.network")
    );
}

#[test]
fn limits_are_named_when_they_are_set() {
    let message = "bash: fork: retry: Resource temporarily unavailable";
    assert_eq!(switch(&policy(), message), None);
    let mut limited = policy();
    limited.limits.processes = Some(10);
    limited.limits.file_bytes = Some(10);
    assert_eq!(
        switch(&limited, message).as_deref(),
        Some("sandbox.limits.processes")
    );
    let by_signal = recognise(&limited, &full(), None, Some(libc::SIGXFSZ), "");
    assert_eq!(by_signal.unwrap().switch, "sandbox.limits.file_bytes");
}

#[test]
fn a_success_and_a_command_without_walls_are_never_denied() {
    let message = "touch: cannot touch '/etc/x': Read-only file system";
    assert_eq!(recognise(&policy(), &full(), Some(0), None, message), None);
    assert_eq!(recognise(&policy(), &full(), None, None, message), None);
    let bare = Confinement::none();
    assert_eq!(recognise(&policy(), &bare, Some(1), None, message), None);
    let mut off = policy();
    off.mode = Mode::Off;
    assert_eq!(recognise(&off, &full(), Some(1), None, message), None);
}

#[test]
fn a_killed_system_call_is_ours_also_behind_a_shell() {
    for (exit, signal) in [(None, Some(libc::SIGSYS)), (Some(128 + libc::SIGSYS), None)] {
        let denial = recognise(&policy(), &full(), exit, signal, "");
        assert_eq!(denial.unwrap().switch, "sandbox.mode");
    }
}

#[test]
fn hostile_output_is_read_without_harm() {
    let long = format!("{}: Permission denied\n", "/x".repeat(100_000));
    let many = "'/: Read-only file system\n".repeat(100_000);
    let odd = "\u{0}'''\"`: erofs ../../../../.. : permission denied";
    for text in [long.as_str(), many.as_str(), odd] {
        let _ = recognise(&policy(), &full(), Some(1), None, text);
    }
}
