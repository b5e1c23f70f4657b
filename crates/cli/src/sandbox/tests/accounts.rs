//! Credentials that lie where no variable of this process points.

use super::super::Ground as Lists;
use super::{Ground, opened, settings};
use std::path::Path;

#[test]
fn the_account_s_own_home_is_closed_also_where_home_says_otherwise() {
    let ground = Ground::new();
    let mut expected = Vec::new();
    for file in [
        "real/.ssh/id_ed25519",
        "real/.aws/credentials",
        "real/.netrc",
    ] {
        expected.push(ground.file(file, "x"));
    }
    let start_up = ground.file("real/.bashrc", "");
    let place = ground.place(ground.root());
    let settings = settings();
    let mut lists = Lists::of(&place, &settings);
    lists.homes = vec![ground.home().join("real")];
    let hidden = lists.hidden(&lists.writable(), &[]);
    for path in expected {
        assert!(
            hidden.iter().any(|closed| path.starts_with(closed)),
            "{} {hidden:?}",
            path.display()
        );
    }
    assert!(lists.read_only().contains(&start_up));
}

#[test]
fn show_opens_a_credential_of_another_home_by_its_whole_path() {
    let ground = Ground::new();
    let key = ground.file("real/.ssh/id_ed25519", "x");
    let place = ground.place(ground.root());
    let mut shown = settings();
    shown.show = vec![key.display().to_string()];
    let mut lists = Lists::of(&place, &shown);
    lists.homes = vec![ground.home().join("real")];
    let hidden = lists.hidden(&lists.writable(), &[]);
    assert!(
        !hidden.iter().any(|closed| key.starts_with(closed)),
        "{hidden:?}"
    );
}

/// Looks at this machine as it is: whatever of these can be read, a command
/// does not see.
#[test]
fn every_home_of_the_user_database_and_the_machine_s_own_secrets_are_closed() {
    let ground = Ground::new();
    let policy = ground.policy(&settings());
    let mut paths: Vec<_> = tenon_sandbox::homes()
        .into_iter()
        .flat_map(|home| [".ssh", ".aws", ".netrc", ".bash_history"].map(|name| home.join(name)))
        .collect();
    paths.extend(["/etc/shadow", "/etc/gshadow", "/etc/ssl/private"].map(Into::into));
    for path in paths {
        let readable =
            path.read_dir().is_ok() || (path.is_file() && std::fs::File::open(&path).is_ok());
        let closed = policy.hidden.contains(&path);
        assert!(
            closed || !readable,
            "{} {:?}",
            path.display(),
            policy.hidden
        );
        assert!(!opened(&policy, &path));
    }
    assert!(!policy.hidden.contains(&Path::new("/etc").to_owned()));
}

#[test]
fn a_socket_that_the_configuration_names_may_be_connected_to_and_is_seen() {
    let ground = Ground::new();
    let socket = ground.file(".ssh/agent", "");
    let mut allowing = settings();
    allowing.sockets = vec![String::from("~/.ssh/agent")];
    let policy = ground.policy(&allowing);
    assert!(policy.sockets.contains(&socket), "{:?}", policy.sockets);
    assert!(
        !policy
            .hidden
            .iter()
            .any(|closed| socket.starts_with(closed)),
        "{:?}",
        policy.hidden
    );
    let lookups = policy.sockets.iter().filter(|path| **path != socket);
    assert!(
        lookups
            .clone()
            .all(|path| path.starts_with("/run") || path.starts_with("/var/lib/sss"))
    );
    assert!(!policy.sockets.contains(&std::path::PathBuf::from("/")));
}
