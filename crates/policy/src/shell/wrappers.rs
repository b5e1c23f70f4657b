//! The tables of programs that run other programs, with the options that take a
//! value: without those it is not known where the other program begins.

use super::danger::names;
use super::unfold::Where;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A program that runs the words behind its own.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub names: &'static str,
    /// Short options that take a value.
    pub valued: &'static str,
    /// Long options that take the next word.
    pub long: &'static [&'static str],
    /// Other options that are known to take nothing.
    pub flags: &'static str,
    /// How many words of its own come before the program.
    pub skip: usize,
}

const fn wrapper(
    names: &'static str,
    valued: &'static str,
    flags: &'static str,
    skip: usize,
) -> Wrapper {
    Wrapper {
        names,
        valued,
        long: &[],
        flags,
        skip,
    }
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: "env",
        valued: "uCS",
        long: &["unset", "chdir", "split-string"],
        flags: "i0v-",
        skip: 0,
    },
    Wrapper {
        names: "sudo",
        valued: "ugpChrtTDRU",
        long: &[
            "user", "group", "prompt", "host", "role", "type", "chdir", "chroot",
        ],
        flags: "AbEeHiKklnPSsVv",
        skip: 0,
    },
    wrapper("doas", "uC", "nsL", 0),
    wrapper(
        "nohup command builtin busybox toybox noglob nocorrect catchsegv eatmydata unbuffer proxychains proxychains4 torsocks fakeroot linux32 linux64 caffeinate rlwrap winpty",
        "",
        "pqisdmu",
        0,
    ),
    Wrapper {
        names: "nice",
        valued: "n",
        long: &["adjustment"],
        flags: "0123456789",
        skip: 0,
    },
    Wrapper {
        names: "ionice",
        valued: "cnpPu",
        long: &["class", "classdata"],
        flags: "t",
        skip: 0,
    },
    Wrapper {
        names: "time",
        valued: "fo",
        long: &["format", "output"],
        flags: "pvaqV",
        skip: 0,
    },
    Wrapper {
        names: "timeout gtimeout",
        valued: "ks",
        long: &["kill-after", "signal"],
        flags: "vfp",
        skip: 1,
    },
    Wrapper {
        names: "stdbuf",
        valued: "ioe",
        long: &["input", "output", "error"],
        flags: "",
        skip: 0,
    },
    wrapper("setsid", "", "cfw", 0),
    wrapper("chrt", "TPD", "abdfimopRrv", 1),
    wrapper("taskset", "", "acp", 1),
    Wrapper {
        names: "flock",
        valued: "wEc",
        long: &["timeout", "wait", "conflict-exit-code", "command"],
        flags: "sxeuonF",
        skip: 1,
    },
    Wrapper {
        names: "xargs",
        valued: "IEdLnPsa",
        long: &[
            "replace",
            "delimiter",
            "max-lines",
            "max-args",
            "max-procs",
            "max-chars",
            "arg-file",
            "eof",
            "process-slot-var",
        ],
        flags: "0rtpxile",
        skip: 0,
    },
    wrapper("exec", "a", "cl", 0),
    wrapper("coproc", "", "", 0),
    wrapper("chroot", "", "", 1),
    wrapper("unshare", "SGRw", "impunCTUfrc", 0),
    wrapper("nsenter", "tSGW", "amuinpCUFreZ", 0),
    wrapper(
        "strace ltrace",
        "abeoOpPsSuEIXUnA",
        "cCdDfFhiknNqrtTvVwxyYz",
        0,
    ),
    wrapper("valgrind heaptrack", "", "", 0),
    wrapper(
        "setpriv systemd-run chpst firejail bwrap prlimit numactl cgexec runcon",
        "",
        "",
        0,
    ),
    wrapper("faketime softlimit", "", "", 1),
    wrapper("runuser", "ugG", "mplf", 0),
    Wrapper {
        names: "pkexec",
        valued: "",
        long: &["user"],
        flags: "",
        skip: 0,
    },
    wrapper("gosu su-exec setuidgid", "", "", 1),
    wrapper("entr", "", "acdnprsz", 0),
    wrapper("npx bunx pnpx uvx pipx", "pc", "y", 0),
    wrapper("cross-env dotenv dotenvx direnv op", "", "", 0),
    wrapper(
        "setarch i386 i486 i586 i686 x86_64 uname26 ppc ppc32 ppc64 sparc sparc64 mips mips64 arm aarch64",
        "",
        "",
        0,
    ),
    wrapper("ssh-agent", "aEtOP", "cDdks", 0),
    wrapper(
        "dbus-run-session dbus-launch systemd-inhibit systemd-cat choom tini dumb-init catatonit",
        "",
        "",
        0,
    ),
    wrapper(
        "xvfb-run proot fakechroot chronic ifne dtach abduco run-one run-this-one watchexec nodemon setlock",
        "",
        "",
        0,
    ),
    wrapper("envdir logsave", "", "", 1),
    wrapper(
        "xterm urxvt konsole alacritty kitty foot gnome-terminal wezterm terminator xfce4-terminal",
        "",
        "",
        0,
    ),
];

/// Programs with a subcommand behind which another program stands.
pub(super) const RUNNERS: &[(&str, &str, Where)] = &[
    (
        "docker podman nerdctl",
        "exec run compose",
        Where::Elsewhere,
    ),
    ("docker-compose", "exec run", Where::Elsewhere),
    ("kubectl oc", "exec run debug", Where::Elsewhere),
    ("lxc incus", "exec", Where::Elsewhere),
    ("vagrant", "ssh", Where::Elsewhere),
    ("npm pnpm yarn bun", "exec x dlx", Where::Here),
    (
        "poetry uv pipenv pdm hatch rye conda mamba mise asdf bundle rbenv pyenv",
        "run exec x",
        Where::Here,
    ),
    ("rustup", "run", Where::Here),
    (
        "perf",
        "stat record trace mem c2c kvm sched lock ftrace",
        Where::Here,
    ),
    ("nix", "run shell develop", Where::Here),
    ("direnv op dotenvx", "exec run", Where::Here),
    ("toolbox distrobox", "run enter", Where::Elsewhere),
];

/// Options whose value is text for a shell.
pub(super) const CODE_OPTIONS: &[(&str, Option<char>, &str)] = &[
    (
        "su runuser script scriptlive flock sg newgrp",
        Some('c'),
        "command",
    ),
    ("capsh", Some('c'), ""),
    ("nodemon", Some('x'), "exec"),
    ("mapfile readarray compgen complete", Some('C'), ""),
    ("nix-shell", None, "run"),
    ("nix-shell", None, "command"),
    ("env", Some('S'), "split-string"),
    ("rsync", Some('e'), "rsh"),
    ("rsync", None, "rsync-path"),
    ("sort", None, "compress-program"),
    ("tar bsdtar", Some('I'), "use-compress-program"),
    ("tar bsdtar", None, "to-command"),
    ("rg", None, "pre"),
    ("man", Some('P'), "pager"),
    ("make gmake", None, "eval"),
    ("watch", None, "exec"),
    ("scp sftp", Some('S'), ""),
    ("npx npm pnpm pnpx", Some('c'), "call"),
];

/// Variables whose value some program runs.
pub(super) const CODE_VARIABLES: &str = "
    GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR
    GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER SYSTEMD_PAGER
    EDITOR VISUAL SUDO_EDITOR LESSOPEN LESSCLOSE BASH_ENV ENV PROMPT_COMMAND BROWSER
    RSYNC_RSH CVS_RSH RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER
";

/// Options that say in which folder the other program runs.
pub(super) const FOLDER_OPTIONS: &[(&str, Option<char>, &str)] = &[
    ("env make gmake git ninja npm pnpm", Some('C'), "chdir"),
    ("sudo", Some('D'), "chdir"),
    ("make gmake uv poetry", None, "directory"),
    ("npm", None, "prefix"),
    ("bwrap", None, "chdir"),
    ("systemd-run", None, "working-directory"),
    ("unshare", Some('w'), "wd"),
    ("nsenter", Some('W'), "wd"),
];

pub(super) static WRAPPING: LazyLock<HashSet<&str>> =
    LazyLock::new(|| names(WRAPPERS.iter().map(|wrapper| wrapper.names)));
pub(super) static LISTED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let runners = RUNNERS.iter().map(|(names, _, _)| *names);
    let options = CODE_OPTIONS.iter().map(|(names, _, _)| *names);
    let mut all = names(runners.chain(options));
    all.extend(WRAPPING.iter().copied());
    all
});
