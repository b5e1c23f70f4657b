//! Commands that may write nothing but temporary folders of their own: every
//! way to leave a trace is tried, at every level that has these walls.

use crate::files::describe;
use crate::stage::{CASES, Case, Kind, Ran, Stage, finish};
use crate::support::until;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use tenon_sandbox::{Lacking, Mode, Network, Private, SpawnError, Supervisor};

/// A stage whose project lies in a temporary folder, as that of every test.
fn stage(case: Case) -> Stage {
    let mut stage = Stage::new(case);
    stage.policy.mode = Mode::ReadOnly;
    stage.policy.network = Network::Deny;
    stage.policy.lacking = Lacking::Refuse;
    stage.policy.read_only.clear();
    stage.policy.private = Private {
        folders: ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from).to_vec(),
        closed: Vec::new(),
        seen: vec![stage.root.clone(), stage.top.join("home")],
    };
    stage
}

/// Those that have mounts. The others refuse it, which has a test of its own.
fn walled() -> impl Iterator<Item = Stage> {
    let cases = CASES.into_iter().filter(|case| case.has_mounts());
    cases.filter(|case| case.is_possible()).map(stage)
}

async fn everywhere(script: &str, check: impl Fn(&Stage, &Ran)) {
    for stage in walled() {
        let ran = stage.run(script).await;
        check(&stage, &ran);
    }
}

/// All that can be told of a tree: names, kinds, modes, owners, times, bytes.
fn told(folder: &Path, into: &mut Vec<String>) {
    let facts = folder.symlink_metadata().unwrap();
    let bytes = if facts.is_file() {
        std::fs::read(folder).unwrap()
    } else {
        Vec::new()
    };
    into.push(format!(
        "{} {:o} {} {} {}.{} {} {bytes:?}",
        folder.display(),
        facts.mode(),
        facts.uid(),
        facts.nlink(),
        facts.mtime(),
        facts.mtime_nsec(),
        facts.ctime_nsec(),
    ));
    if facts.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for entry in entries {
            told(&entry, into);
        }
    }
}

fn snapshot(stage: &Stage) -> Vec<String> {
    let mut all = Vec::new();
    told(&stage.top, &mut all);
    all
}

/// Each line is tried on its own and prints its number when it worked.
const WRITES: &str = r#"
try() { n=$1; shift; if "$@" 2>/dev/null; then echo "worked: $n"; fi; }
try new bash -c ': > new'
try over bash -c 'echo x > src/main.rs'
try append bash -c 'echo x >> src/main.rs'
try read-write bash -c 'exec 3<>src/main.rs'
try chmod chmod 600 src/main.rs
try chown chown "$UID" src/main.rs
try touch touch src/main.rs
try unlink rm src/main.rs
try rename mv src/main.rs src/other.rs
try mkdir mkdir made
try rmdir rmdir src
try hard-link ln src/main.rs hard
try link ln -s src link
try pipe mkfifo pipe
try truncate truncate -s 0 src/main.rs
try attribute setfattr -n user.a -v b src/main.rs
try home bash -c ': > "$TOP/home/new"'
try over-home bash -c ': > "$TOP/home/plain/file"'
try etc bash -c ': > /etc/tenon-was-here'
try host-name bash -c 'echo x > /proc/sys/kernel/hostname'
try score bash -c 'echo 5 > /proc/self/oom_score_adj'
try comm bash -c 'echo x > /proc/self/comm'
try by-number bash -c 'exec 3<src/main.rs; echo x > /proc/self/fd/3'
try by-root bash -c ': > /proc/self/root"$PWD"/new'
try by-cwd bash -c ': > /proc/self/cwd/new'
try tenon kill -0 "$TENON"
try remount mount -o remount,rw /
try gc git gc
try moved-tree mv "$TOP/root" "$TOP/elsewhere"
echo end
"#;

#[tokio::test]
async fn nothing_of_the_user_can_be_written() {
    for stage in walled() {
        let before = snapshot(&stage);
        let ran = stage.run(WRITES).await;
        assert_eq!(ran.out, "end\n", "{}", describe(stage.case, &ran));
        assert_eq!(snapshot(&stage), before, "{:?}", stage.case);
        assert_eq!(ran.confinement.level.name(), "full");
    }
}

#[tokio::test]
async fn temporary_folders_are_empty_can_be_written_and_leave_nothing() {
    for stage in walled() {
        let name = format!("tenon-private-{}-{:?}", std::process::id(), stage.case.kind);
        let script = format!(
            "for folder in /tmp /var/tmp /dev/shm; do ls -A $folder | wc -l
             echo x > $folder/{name} && cat $folder/{name}; rm $folder/{name}; echo y > $folder/{name}; done"
        );
        let ran = stage.run(&script).await;
        // In the first lies the way to the project and the home.
        assert_eq!(
            ran.out,
            "1\nx\n0\nx\n0\nx\n",
            "{}",
            describe(stage.case, &ran)
        );
        for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
            assert!(!Path::new(folder).join(&name).exists());
        }
    }
}

#[tokio::test]
async fn what_a_temporary_folder_holds_is_seen_only_where_it_is_asked_for() {
    let script = "cat src/main.rs \"$TOP/home/plain/file\"; cat \"$TOP/outside/file\"; ls \"$TOP\"";
    everywhere(script, |stage, ran| {
        assert_eq!(
            ran.out,
            "fn main() {}\nplain\nhome\nroot\n",
            "{}",
            describe(stage.case, ran)
        );
    })
    .await;
}

#[tokio::test]
async fn secrets_stay_hidden_in_what_is_seen() {
    let script =
        "cat .env \"$TOP/home/.ssh/id\" \"$TOP/home/.netrc\"; grep -rs SECRET . \"$TOP\"; echo end";
    everywhere(script, |stage, ran| {
        assert_eq!(ran.out, "end\n", "{}", describe(stage.case, ran));
    })
    .await;
}

#[tokio::test]
async fn there_is_room_for_what_sorting_puts_aside_and_not_for_more() {
    let script = "head -c 12000000 /dev/zero | tr '\\0' 'x' | fold -w 99 | sort -S 1M -T /tmp | wc -l
        head -c 300000000 /dev/zero > /tmp/big && echo held; head -c 300000000 /dev/zero > /var/tmp/big && echo held";
    everywhere(script, |stage, ran| {
        assert_eq!(ran.out, "121213\n", "{}", describe(stage.case, ran));
    })
    .await;
}

#[tokio::test]
async fn no_server_is_reached_whatever_its_socket() {
    let script = r#"python3 - "$TOP" <<'END'
import socket, sys
def tried(name, family, kind, to):
    try:
        s = socket.socket(family, kind)
        s.settimeout(1)
        s.connect(to)
        print("reached", name)
    except OSError:
        pass
tried("path", socket.AF_UNIX, socket.SOCK_STREAM, sys.argv[1] + "/home/socket")
tried("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + sys.argv[1])
tried("datagram", socket.AF_UNIX, socket.SOCK_DGRAM, "/dev/log")
PORT
END
echo end"#;
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let tcp =
        format!("tried(\"tcp\", socket.AF_INET, socket.SOCK_STREAM, (\"127.0.0.1\", {port}))");
    let script = script.replace("PORT", &tcp);
    for stage in walled() {
        let _path = UnixListener::bind(stage.top.join("home/socket")).unwrap();
        let name = stage.top.as_os_str().as_encoded_bytes();
        let address = SocketAddr::from_abstract_name(name).unwrap();
        let _abstract = UnixListener::bind_addr(&address).unwrap();
        let mut spec = stage.spec(&script);
        // Shims of version managers are scripts that write.
        spec.env[0].1 = "/usr/bin:/bin".into();
        let command = stage.case.supervisor().spawn(spec).await.unwrap();
        let ran = finish(command).await;
        assert_eq!(ran.out, "end\n", "{}", describe(stage.case, &ran));
        assert!(!ran.err.contains("not found"), "{}", ran.err);
    }
}

#[tokio::test]
async fn a_pipe_of_another_program_is_not_written() {
    for mut stage in walled() {
        // Where the project is no part of a folder that the command may write.
        stage.policy.private.folders = vec!["/dev/shm".into()];
        stage.policy.private.seen.clear();
        let pipe = stage.top.join("home/pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        stage.give_away(&pipe);
        let ran = stage
            .run("echo x 1<> \"$TOP/home/pipe\" && echo worked; echo end")
            .await;
        assert_eq!(ran.out, "end\n", "{}", describe(stage.case, &ran));
    }
}

#[tokio::test]
async fn a_process_that_is_left_ends_when_it_is_asked_to() {
    for stage in walled() {
        let mut command = stage
            .start("setsid sleep 600 > /dev/null 2>&1 & echo")
            .await;
        command.exited().await;
        command.kill();
        crate::support::soon(command.emptied()).await;
        let tag = stage.top.clone();
        until("all of it has ended", || {
            crate::support::alive_with(&tag).is_empty()
        });
    }
}

#[tokio::test]
async fn a_machine_without_mounts_refuses_it() {
    for case in CASES.into_iter().filter(|case| case.kind == Kind::Partial) {
        if !case.is_possible() {
            continue;
        }
        let stage = stage(case);
        let spawned = case.supervisor().spawn(stage.spec("echo ran")).await;
        assert!(matches!(spawned, Err(SpawnError::Confinement(_))));
    }
}

#[tokio::test]
async fn a_kernel_without_landlock_refuses_it_for_the_sake_of_pipes() {
    let case = CASES[0];
    if !case.is_possible() {
        return;
    }
    let stage = stage(case);
    let program = env!("CARGO_BIN_EXE_tenon-supervise");
    let supervisor = Supervisor::new(program, vec!["without=landlock".into()]);
    let spawned = supervisor.spawn(stage.spec("echo ran")).await;
    let Err(SpawnError::Confinement(why)) = spawned else {
        panic!("{spawned:?}");
    };
    assert!(why.contains("write to other programs' pipes"), "{why}");
}

#[tokio::test]
async fn programs_that_only_read_work() {
    let script = "set -e
        ls -la > /dev/null; find . -name '*.rs'; sed -n 1p src/main.rs; grep -rn main src
        id > /dev/null; wc -l < src/main.rs; printf 'b\\na\\n' | sort | head -1; diff src/main.rs src/main.rs
        cat <<< here; stat -c %n src; du -s src > /dev/null; tail -c1 src/main.rs > /dev/null; env > /dev/null";
    everywhere(script, |stage, ran| {
        assert_eq!(ran.code, Some(0), "{}", describe(stage.case, ran));
        assert_eq!(
            ran.out,
            "./src/main.rs\nfn main() {}\nsrc/main.rs:1:fn main() {}\n1\na\nhere\nsrc\n"
        );
    })
    .await;
}

#[tokio::test]
async fn a_closed_folder_shows_only_what_is_to_be_seen_and_takes_nothing() {
    for mut stage in walled() {
        let home = stage.top.join("home");
        std::fs::create_dir_all(home.join("kept/deep")).unwrap();
        std::fs::write(home.join("kept/deep/file"), "kept\n").unwrap();
        std::fs::write(home.join("diary"), "dear diary\n").unwrap();
        if stage.case.who == crate::stage::Who::Nobody {
            stage.give_to_nobody();
        }
        stage.policy.private = Private {
            folders: vec!["/dev/shm".into()],
            closed: vec![home.clone()],
            seen: vec![home.join("kept/deep")],
        };
        let at = home.display();
        let script = format!(
            "cat {at}/kept/deep/file; cat {at}/diary; ls {at}; touch {at}/new {at}/kept/new {at}/kept/deep/new; ls -A {at}/kept"
        );
        let ran = stage.run(&script).await;
        let told = describe(stage.case, &ran);
        assert_eq!(ran.out, "kept\nkept\ndeep\n", "{told}");
        let refused = ran.err.matches("Read-only file system").count();
        assert_eq!(refused, 3, "{told}");
    }
}
