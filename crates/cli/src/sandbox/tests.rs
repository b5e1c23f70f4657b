//! The lists of paths and variables, with real folders.

mod accounts;
mod repositories;
mod secret_variables;

use super::{Walls, secrets};
use crate::place::{Place, RootFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tenon_config::{
    Env, Paths, SandboxAdapter, SandboxLacking, SandboxLimits, SandboxMode, SandboxNetwork,
    SandboxSettings,
};
use tenon_sandbox::{Mode, Network, SandboxPolicy};
use tenon_vocab::profile::AgentProfile;

fn settings() -> SandboxSettings {
    SandboxSettings {
        mode: SandboxMode::WorkspaceWrite,
        network: SandboxNetwork::Inherit,
        adapter: SandboxAdapter::Auto,
        lacking: SandboxLacking::Partial,
        caches: true,
        writable: Vec::new(),
        read_only: Vec::new(),
        hidden: Vec::new(),
        show: Vec::new(),
        sockets: Vec::new(),
        withhold: Vec::new(),
        keep: Vec::new(),
        limits: SandboxLimits::default(),
    }
}

/// A home and a project in it.
struct Ground {
    dir: TempDir,
    env: Env,
}

impl Ground {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ground = Self {
            env: Env::default().with(
                "HOME",
                &dir.path().canonicalize().unwrap().to_string_lossy(),
            ),
            dir,
        };
        std::fs::create_dir_all(ground.root()).unwrap();
        ground
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn root(&self) -> PathBuf {
        self.home().join("project")
    }

    fn file(&self, path: &str, content: &str) -> PathBuf {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn place(&self, root: PathBuf) -> Place {
        Place {
            paths: Paths::from_env(&self.env).unwrap(),
            env: self.env.clone(),
            root,
            root_from: RootFrom::Flag,
            config: None,
        }
    }

    fn policy(&self, settings: &SandboxSettings) -> SandboxPolicy {
        Walls::find(&self.place(self.root()), settings, None)
            .policy
            .unwrap()
    }
}

/// Whether a path may be written, apart from lying in a temporary folder, as
/// everything of a test does.
fn opened(policy: &SandboxPolicy, path: &Path) -> bool {
    policy
        .writable
        .iter()
        .filter(|open| {
            !super::TEMPORARY
                .iter()
                .any(|folder| *open == Path::new(folder))
        })
        .any(|open| path.starts_with(open))
}

fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn credentials_of_the_home_are_hidden_and_what_is_not_there_is_left_out() {
    let ground = Ground::new();
    let key = ground.file(".ssh/id_ed25519", "key");
    let policy = ground.policy(&settings());
    assert!(policy.hidden.contains(&key.parent().unwrap().to_owned()));
    assert!(!policy.hidden.contains(&ground.home().join(".aws")));
}

#[test]
fn show_takes_a_path_out_of_what_is_hidden_also_a_part_of_it() {
    let ground = Ground::new();
    let hosts = ground.file(".ssh/known_hosts", "x");
    let key = ground.file(".ssh/id_ed25519", "key");
    let aws = ground.file(".aws/credentials", "x");
    let shown = SandboxSettings {
        show: vec![String::from("~/.ssh/known_hosts"), String::from("~/.aws")],
        ..settings()
    };
    let hidden = ground.policy(&shown).hidden;
    assert!(hidden.contains(&key), "{hidden:?}");
    assert!(!hidden.iter().any(|path| hosts.starts_with(path)));
    assert!(!hidden.iter().any(|path| aws.starts_with(path)));
}

#[test]
fn caches_are_writable_but_never_settings_keys_and_programs() {
    let ground = Ground::new();
    ground.file(".cargo/registry/x", "");
    ground.file(".cargo/bin/cargo", "");
    ground.file(".cargo/config.toml", "");
    ground.file(".gradle/caches/x", "");
    let policy = ground.policy(&settings());
    let home = ground.home();
    assert!(policy.writable.contains(&home.join(".cargo/registry")));
    for closed in [".cargo", ".cargo/bin", ".cargo/config.toml", ".config"] {
        assert!(!opened(&policy, &home.join(closed)), "{closed}");
    }
    assert!(policy.read_only.contains(&home.join(".gradle/init.d")));
    let without = SandboxSettings {
        caches: false,
        ..settings()
    };
    let policy = ground.policy(&without);
    assert!(!policy.writable.contains(&home.join(".cargo/registry")));
}

#[test]
fn of_a_cache_folder_only_stores_are_open_and_no_place_from_which_programs_run() {
    let mut ground = Ground::new();
    let open = [
        ".cache/pip/http/x",
        ".cache/go-build/x",
        ".npm/_cacache/x",
        ".gradle/caches/x",
        ".gradle/wrapper/dists/gradle-8/abc/gradle-8.zip.lck",
        "go/pkg/mod/cache/x",
        "npm/_cacache/x",
        "xdg/uv/x",
    ];
    let closed = [
        ".cache/gitstatus/gitstatusd",
        ".cache/antidote/x/y.zsh",
        ".cache/pre-commit/repo/bin/x",
        ".cache/pypoetry/virtualenvs/x/bin/python",
        ".cache/node/corepack/yarn.js",
        ".cache/pnpm/dlx/x",
        ".cache/something-new/x",
        ".npm/_npx/1/node_modules/.bin/x",
        ".gradle/wrapper/dists/gradle-8/abc/gradle-8/bin/gradle",
        ".gradle/native/1/linux/lib.so",
        ".gradle/jdks/x/bin/java",
        "go/pkg/mod/golang.org/toolchain@v1/bin/go",
        "npm/_npx/1/x",
        "xdg/pre-commit/x",
    ];
    for file in open.iter().chain(&closed) {
        ground.file(file, "");
    }
    let home = ground.home();
    for (name, folder) in [("NPM_CONFIG_CACHE", "npm"), ("XDG_CACHE_HOME", "xdg")] {
        let value = home.join(folder);
        ground.env = ground.env.with(name, &value.to_string_lossy());
    }
    let policy = ground.policy(&settings());
    for file in open {
        assert!(opened(&policy, &home.join(file)), "{file}");
    }
    for file in closed {
        let file = home.join(file);
        let is_protected = policy.read_only.iter().any(|held| file.starts_with(held));
        assert!(
            is_protected || !opened(&policy, &file),
            "{}",
            file.display()
        );
    }
}

#[test]
fn a_store_without_which_a_program_stops_is_made_for_a_session() {
    let ground = Ground::new();
    ground.file(".cache/other", "");
    let go = ground.file("programs/go", "");
    let programs = go.parent().unwrap().to_string_lossy().into_owned();
    let place = Place {
        env: ground.env.clone().with("PATH", &programs),
        ..ground.place(ground.root())
    };
    let store = ground.home().join(".cache/go-build");
    let find = |session| {
        let policy = Walls::find(&place, &settings(), session).policy.unwrap();
        policy.writable.contains(&store)
    };
    assert!(!find(None) && !store.exists());
    assert!(find(Some(Path::new("/nowhere"))) && store.is_dir());
    assert!(!ground.home().join(".cache/uv").exists());
}

#[test]
fn a_home_that_is_the_root_keeps_its_start_up_files() {
    let ground = Ground::new();
    ground.file(".ssh/id_rsa", "key");
    let place = ground.place(ground.home());
    let policy = Walls::find(&place, &settings(), None).policy.unwrap();
    for name in [".bashrc", ".zshenv", ".gitconfig", ".config/fish", ".tenon"] {
        assert!(
            policy.read_only.contains(&ground.home().join(name)),
            "{name}"
        );
    }
    assert!(policy.hidden.contains(&ground.home().join(".ssh")));
}

#[test]
fn credentials_are_hidden_where_variables_put_them() {
    let mut ground = Ground::new();
    let mut expected = Vec::new();
    for (name, value, file) in [
        ("XDG_CONFIG_HOME", "conf", "conf/gh/hosts.yml"),
        ("DOCKER_CONFIG", "docker", "docker/config.json"),
        ("CARGO_HOME", "cargo", "cargo/credentials.toml"),
        ("AWS_SHARED_CREDENTIALS_FILE", "aws", "aws"),
        ("GNUPGHOME", "gpg", "gpg/S.gpg-agent"),
    ] {
        expected.push(ground.file(file, "x"));
        let value = ground.home().join(value);
        ground.env = ground.env.with(name, &value.to_string_lossy());
    }
    let (one, other) = (ground.file("kube-1", "x"), ground.file("kube-2", "x"));
    let list = format!("{}:{}", one.display(), other.display());
    ground.env = ground.env.with("KUBECONFIG", &list);
    expected.extend([one, other]);
    let hidden = ground.policy(&settings()).hidden;
    for path in expected {
        assert!(
            hidden.iter().any(|closed| path.starts_with(closed)),
            "{}",
            path.display()
        );
    }
}

#[test]
fn settings_of_builds_are_hidden_only_when_they_hold_a_password() {
    let ground = Ground::new();
    let maven = ground.file(".m2/settings.xml", "<settings><mirrors/></settings>");
    let gradle = ground.file(".gradle/gradle.properties", "repoPassword=abc");
    let hidden = ground.policy(&settings()).hidden;
    assert!(!hidden.contains(&maven));
    assert!(hidden.contains(&gradle));
    ground.file(
        ".m2/settings.xml",
        "<server><password>x</password></server>",
    );
    assert!(ground.policy(&settings()).hidden.contains(&maven));
}

#[test]
fn a_cache_that_a_shell_runs_is_protected() {
    let ground = Ground::new();
    let prompt = ground.file(".cache/p10k-instant-prompt-me.zsh", "");
    assert!(ground.policy(&settings()).read_only.contains(&prompt));
}

#[test]
fn a_temporary_folder_in_a_hidden_one_leaves_its_neighbours_hidden() {
    let mut ground = Ground::new();
    let bus = ground.file("run/bus", "");
    let temporary = ground.file("run/tmp/x", "").parent().unwrap().to_owned();
    let run = ground.home().join("run");
    ground.env = (ground.env)
        .with("XDG_RUNTIME_DIR", &run.to_string_lossy())
        .with("TMPDIR", &temporary.to_string_lossy());
    let hidden = ground.policy(&settings()).hidden;
    assert!(hidden.contains(&bus), "{hidden:?}");
    assert!(!hidden.iter().any(|path| temporary.starts_with(path)));
}

#[test]
fn who_may_only_read_gets_no_caches_no_git_folder_and_no_root_in_a_temporary_folder() {
    let ground = Ground::new();
    ground.file(".cargo/registry/x", "");
    let top = ground.root();
    git(&top, &["init", "-q"]);
    let inner = top.join("inner");
    std::fs::create_dir(&inner).unwrap();
    let place = ground.place(inner.clone());
    let read_only = SandboxSettings {
        mode: SandboxMode::ReadOnly,
        ..settings()
    };
    let configured = Walls::find(&place, &read_only, None).policy.unwrap();
    let agents = tenon_engine::agents::built_in();
    let plan = agents.iter().find(|agent| agent.name == "plan").unwrap();
    let walls = Walls::find(&place, &settings(), None);
    for policy in [configured, walls.of_agent(plan).unwrap()] {
        assert_eq!(policy.mode, Mode::ReadOnly);
        for path in [top.join(".git"), ground.home().join(".cargo/registry")] {
            assert!(!opened(&policy, &path), "{}", path.display());
        }
        // Where tests run, the root lies in one of those.
        let is_temporary = policy.writable.iter().any(|open| inner.starts_with(open));
        assert_eq!(policy.read_only.contains(&inner), is_temporary);
    }
}

#[test]
fn a_secret_that_is_a_link_is_hidden_with_the_file_that_it_leads_to() {
    let ground = Ground::new();
    let root = ground.root();
    let real = ground.file("project/a/b/c/values", "A=1");
    std::os::unix::fs::symlink("a/b/c/values", root.join(".env")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", root.join(".env.local")).unwrap();
    let found = secrets::find(&root);
    assert_eq!(found.paths, [root.join(".env"), real]);
}

#[test]
fn secrets_that_are_too_many_to_hide_are_told() {
    let ground = Ground::new();
    for number in 0..70 {
        ground.file(&format!("project/{number}/.env"), "A=1");
    }
    let walls = Walls::find(&ground.place(ground.root()), &settings(), None);
    let told = walls.remarks().join("\n");
    assert!(told.contains("6 more secret files"), "{told}");
}

#[test]
fn secret_files_of_the_project_are_found_and_examples_are_not() {
    let ground = Ground::new();
    let root = ground.root();
    for (path, content) in [
        (".env", "A=1"),
        (".env.local", "A=1"),
        (".env.example", "A="),
        ("certs/server.pem", "-----BEGIN PRIVATE KEY-----"),
        ("certs/ca.pem", "-----BEGIN CERTIFICATE-----"),
        (
            ".npmrc",
            "registry=https://example.com\n//x/:_authToken=${TOKEN}",
        ),
        ("web/.npmrc", "//x/:_authToken=abc"),
        ("node_modules/.env", "A=1"),
        ("src/main.rs", "fn main() {}"),
    ] {
        ground.file(&format!("project/{path}"), content);
    }
    let found: Vec<String> = secrets::find(&root)
        .paths
        .iter()
        .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
        .collect();
    assert_eq!(
        found,
        [".env", ".env.local", "certs/server.pem", "web/.npmrc"]
    );
}

#[test]
fn what_is_shown_is_known_also_where_nothing_hides_it_yet() {
    let ground = Ground::new();
    let shown = SandboxSettings {
        show: vec![String::from("deploy/staging/.env"), String::from("~/.aws")],
        ..settings()
    };
    let walls = Walls::find(&ground.place(ground.root()), &shown, None);
    assert_eq!(
        walls.shown,
        [
            ground.root().join("deploy/staging/.env"),
            ground.home().join(".aws")
        ]
    );
}

#[test]
fn a_read_only_agent_gets_no_network_and_writes_nothing() {
    let ground = Ground::new();
    let walls = Walls::find(&ground.place(ground.root()), &settings(), None);
    let agents = tenon_engine::agents::built_in();
    let agent =
        |name: &str| -> &AgentProfile { agents.iter().find(|agent| agent.name == name).unwrap() };
    let plan = walls.of_agent(agent("plan")).unwrap();
    assert_eq!((plan.mode, plan.network), (Mode::ReadOnly, Network::Deny));
    let build = walls.of_agent(agent("build")).unwrap();
    assert_eq!(
        (build.mode, build.network),
        (Mode::WorkspaceWrite, Network::Inherit)
    );
}
