use super::{Kept, Missing, programs};
use std::path::Path;
use tenon_sandbox::{Adapter, Lacking, Limits, Mode, Network, Private, SandboxPolicy};

fn policy(home: &Path, hidden: &[&str]) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network: Network::Inherit,
        adapter: Adapter::Auto,
        root: home.join("project"),
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: hidden.iter().map(|path| home.join(path)).collect(),
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::RunPartial,
    }
}

/// A home with everything in it that these tests hide.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for file in [
        ".ssh/id_ed25519",
        ".aws/credentials",
        ".npmrc",
        ".kube/config",
    ] {
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "secret").unwrap();
    }
    home
}

const ALL: &[&str] = &[".ssh", ".aws", ".npmrc", ".kube"];

fn missed(hidden: &[&str], withheld: &[&str], command: &str, printed: &str) -> Option<Missing> {
    let home = home();
    let policy = policy(home.path(), hidden);
    let withheld: Vec<(String, String)> = withheld
        .iter()
        .map(|name| ((*name).to_owned(), String::from("/run/agent.1")))
        .collect();
    let kept = Kept {
        policy: &policy,
        home: Some(home.path()),
        withheld: &withheld,
    };
    kept.missed_by(command, printed)
}

const PUBLICKEY: &str =
    "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.";

#[test]
fn a_push_without_its_keys_is_said_to_miss_them_and_names_the_keys_of_the_configuration() {
    let missing = missed(ALL, &["SSH_AUTH_SOCK"], "git push origin main", PUBLICKEY).unwrap();
    assert_eq!(
        missing.what,
        "git push failed because the sandbox hides your SSH keys (~/.ssh, SSH_AUTH_SOCK)"
    );
    assert_eq!(
        missing.switch,
        "sandbox.show: [\"~/.ssh\"], sandbox.sockets: [\"/run/agent.1\"], sandbox.environment.keep: [\"SSH_AUTH_SOCK\"]"
    );
    assert_eq!(missing.variables, ["SSH_AUTH_SOCK"]);
}

#[test]
fn nothing_is_offered_where_nothing_that_the_program_uses_is_hidden() {
    assert_eq!(missed(&[], &[], "git push", PUBLICKEY), None);
    assert_eq!(
        missed(&[".aws"], &["AWS_PROFILE"], "git push", PUBLICKEY),
        None
    );
    // A home without keys: they are missing outside as well.
    assert_eq!(
        missed(
            &[".gnupg"],
            &[],
            "git commit -S",
            "gpg failed to sign the data"
        ),
        None
    );
}

#[test]
fn nothing_is_offered_for_a_program_that_does_not_use_it_or_does_not_say_so() {
    assert_eq!(missed(ALL, &[], "make test", PUBLICKEY), None);
    assert_eq!(missed(ALL, &[], "cat log", PUBLICKEY), None);
    assert_eq!(
        missed(
            ALL,
            &[],
            "git push",
            "! [rejected] main -> main (fetch first)"
        ),
        None
    );
    assert_eq!(missed(ALL, &[], "npm test", "1 failing"), None);
}

#[test]
fn a_server_that_was_not_reached_is_no_matter_of_credentials() {
    let printed = "ssh: Could not resolve hostname github.com: Name or service not known\nfatal: Could not read from remote repository.";
    assert_eq!(missed(ALL, &[], "git push", printed), None);
}

#[test]
fn each_program_is_known_by_its_own_words() {
    for (command, printed, names) in [
        (
            "npm publish",
            "npm error code ENEEDAUTH",
            "npm publish failed because the sandbox hides your login for the package registry (~/.npmrc)",
        ),
        (
            "aws s3 ls",
            "Unable to locate credentials. You can configure credentials by running \"aws configure\".",
            "aws s failed because",
        ),
        (
            "kubectl get pods",
            "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
            "kubectl get failed because the sandbox hides your login for the cluster (~/.kube)",
        ),
        (
            "ssh host uptime",
            "Host key verification failed.",
            "ssh failed because the sandbox hides your SSH keys (~/.ssh)",
        ),
    ] {
        let missing = missed(ALL, &[], command, printed);
        if names.starts_with("aws") {
            let what = missing.unwrap().what;
            assert!(what.contains("your login for AWS (~/.aws)"), "{what}");
            continue;
        }
        assert_eq!(missing.unwrap().what, names);
    }
    let gh = missed(
        ALL,
        &["GH_TOKEN"],
        "gh pr create",
        "To get started with GitHub CLI, please run:  gh auth login",
    );
    assert!(
        gh.unwrap()
            .what
            .ends_with("hides your login for GitHub (GH_TOKEN)")
    );
    let cargo = missed(
        ALL,
        &["CARGO_REGISTRY_TOKEN"],
        "cargo publish",
        "error: no token found, please run `cargo login`",
    );
    assert_eq!(cargo.unwrap().variables, ["CARGO_REGISTRY_TOKEN"]);
}

#[test]
fn the_program_is_found_behind_a_wrapper_and_in_a_line_that_cannot_be_read() {
    for (line, found) in [
        ("cd sub && timeout 60 git push", "git"),
        ("GIT_TRACE=1 /usr/bin/git push", "git"),
        ("for r in a b; do git push \"$r\" || exit 1; done", "git"),
        ("env A=1 nice -n 5 git push", "git"),
    ] {
        let used = programs(line);
        assert!(used.iter().any(|used| used.program() == found), "{line}");
    }
    assert!(
        programs("echo git")
            .iter()
            .all(|used| used.program() != "git")
    );
}
