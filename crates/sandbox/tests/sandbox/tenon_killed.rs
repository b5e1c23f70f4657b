//! Tenon itself is killed: this test binary runs itself again in Tenon's role
//! and kills that.

use crate::support::{Place, TAG, is_alive, spec, supervisor, until};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const ROLE: &str = "TENON_TEST_ROLE";

const SCRIPTS: [(&str, &str); 5] = [
    ("plain", "echo x > plain; sleep 600"),
    (
        "session",
        "setsid sh -c 'echo x > session; sleep 600' & sleep 600",
    ),
    (
        "double",
        "(setsid sh -c '(echo x > double; exec sleep 600) & exit' &) ; sleep 600",
    ),
    (
        "nohup",
        "nohup sh -c 'trap \"\" HUP TERM; echo x > nohup; sleep 600' >/dev/null 2>&1 &",
    ),
    (
        "bare",
        "(echo $BASHPID > bare; exec env -i sleep 600) & sleep 600",
    ),
];

/// Not a test of its own: what the killed process does.
#[test]
fn plays_tenon_when_asked() {
    let Some(folder) = std::env::var_os(ROLE).map(PathBuf::from) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut held = Vec::new();
        for (_, script) in SCRIPTS {
            held.push(supervisor().spawn(spec(&folder, script)).await.unwrap());
        }
        std::future::pending::<()>().await;
    });
}

#[test]
fn nothing_outlives_a_killed_tenon() {
    let place = Place::new();
    let mut tenon = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tenon_killed::plays_tenon_when_asked"])
        .env(ROLE, place.path())
        .env_remove(TAG)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for (name, _) in SCRIPTS {
        place.line(name);
    }
    assert!(place.alive().len() >= SCRIPTS.len());
    let bare = place.line("bare").parse().unwrap();
    tenon.kill().unwrap();
    tenon.wait().unwrap();
    until("every descendant has ended", || place.alive().is_empty());
    until("also the one without the tag", || !is_alive(bare));
}
