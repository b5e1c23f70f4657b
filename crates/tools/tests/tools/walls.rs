//! Commands behind walls, as a model meets them: what really stood is told, a
//! failure that the walls caused is named, and only a yes leads outside.

use crate::jobs::{Yard, soon};
use crate::support::{data, tool};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tenon_policy::{Access, Place, Subject};
use tenon_sandbox::{Adapter, Lacking, Limits, Mode, Network, Private, Probe, SandboxPolicy};
use tenon_tools::jobs::{
    Ended, NotStarted, Placement, Repair, RepairEffect, RunSpec, Walls, WayOut,
};
use tenon_tools::workspace::{Workspace, WorkspaceOptions};
use tenon_tools::{Host, HostReply, HostRequest, Jobs, ToolLimits};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{CallId, Envelope, ToolDelta, ToolOutput};
use tokio_util::sync::CancellationToken;

/// A project, a folder beside it, and someone who answers.
struct Walled {
    yard: Yard,
    jobs: Jobs,
    workspace: Workspace,
    limits: ToolLimits,
    call: CallId,
    says: HostReply,
    walls: Walls,
    asked: Mutex<Vec<HostRequest>>,
}

fn policy(root: PathBuf) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network: Network::Inherit,
        adapter: Adapter::Auto,
        root,
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: Vec::new(),
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::RunPartial,
    }
}

impl Walled {
    fn new(says: HostReply) -> Self {
        let yard = Yard::new();
        let root = yard.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let options = WorkspaceOptions {
            home: Some(yard.path().to_owned()),
            ..WorkspaceOptions::default()
        };
        Self {
            workspace: Workspace::open(&root, options).unwrap(),
            jobs: yard.jobs.clone().with_sandbox(Some(policy(root))),
            yard,
            limits: ToolLimits::default(),
            call: CallId::new("call_1"),
            says,
            walls: Walls::Inside,
            asked: Mutex::default(),
        }
    }

    fn nobody() -> Self {
        Self::new(HostReply::Unavailable(String::from("nobody is there")))
    }

    fn outside(&self) -> PathBuf {
        self.yard.path().join("outside")
    }

    async fn bash(&self, command: &str) -> ToolOutput {
        let input = json!({ "command": command });
        soon(tool("bash").run(input, self)).await
    }
}

impl Host for Walled {
    fn call(&self) -> &CallId {
        &self.call
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.yard.cancelled
    }

    fn progress(&self, _: ToolDelta) {}

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn limits(&self) -> &ToolLimits {
        &self.limits
    }

    fn walls(&self) -> Walls {
        self.walls
    }

    fn request(&self, request: HostRequest) -> BoxFuture<'_, HostReply> {
        self.asked.lock().unwrap().push(request);
        Box::pin(std::future::ready(self.says.clone()))
    }
}

/// Whether this machine has walls at all; said aloud where it has none.
fn has_walls() -> bool {
    let there = Probe::look().level != "none";
    if !there {
        eprintln!("skipped: this machine offers no walls");
    }
    there
}

#[tokio::test]
async fn a_result_tells_what_stood_around_its_command() {
    if !has_walls() {
        return;
    }
    let walled = Walled::nobody();
    let output = walled.bash("echo hi > inside; cat inside").await;
    assert_eq!(output.model_text, "hi\n[exit code 0]");
    let report = output.sandbox.unwrap();
    assert_ne!(
        (report.adapter.as_str(), report.level.as_str()),
        ("none", "none")
    );
    assert!(report.level == "full" || !report.not_covered.is_empty());
    assert!(walled.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_write_outside_is_blocked_and_the_result_names_the_switch() {
    if !has_walls() {
        return;
    }
    let walled = Walled::nobody();
    let output = walled.bash("echo x > ../outside").await;
    assert_ne!(data(&output)["exit_code"], 0);
    assert!(!walled.outside().exists());
    assert!(
        output.model_text.contains("the sandbox blocked it")
            && output.model_text.contains("sandbox.writable"),
        "{}",
        output.model_text
    );
    assert_eq!(walled.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_yes_runs_it_once_outside_and_the_next_command_is_inside_again() {
    if !has_walls() {
        return;
    }
    let walled = Walled::new(HostReply::Allowed);
    let output = walled.bash("echo x > ../outside && echo done").await;
    assert_eq!(data(&output)["exit_code"], 0);
    assert!(walled.outside().exists());
    assert_eq!(output.sandbox.as_ref().unwrap().adapter, "none");
    assert!(
        output.model_text.contains("the user allowed this one"),
        "{}",
        output.model_text
    );
    let next = walled.bash("true").await;
    assert_ne!(next.sandbox.unwrap().adapter, "none");
    let asked = walled.asked.lock().unwrap();
    let HostRequest::RunAgain {
        command,
        denial,
        switch,
        walls: Walls::Outside,
        ..
    } = &asked[0]
    else {
        panic!("{asked:?}");
    };
    assert_eq!(switch, "sandbox.writable");
    assert_eq!(command, "echo x > ../outside && echo done");
    assert!(!denial.is_empty());
}

#[tokio::test]
async fn a_script_that_its_first_run_rewrites_is_named_in_the_question() {
    if !has_walls() {
        return;
    }
    let walled = Walled::new(HostReply::Refused(String::from("no")));
    let root = walled.workspace.root().to_owned();
    std::fs::write(root.join("plain.sh"), "echo x > ../outside").unwrap();
    let script = "printf 'touch ../pwned' > own.sh; echo x > ../outside";
    std::fs::write(root.join("own.sh"), script).unwrap();
    walled.bash("sh plain.sh").await;
    walled.bash("sh ./own.sh").await;
    let asked = walled.asked.lock().unwrap();
    let changed = asked.iter().map(|asked| match asked {
        HostRequest::RunAgain { changed, .. } => changed.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        changed.collect::<Vec<_>>(),
        [vec![], vec!["own.sh".to_owned()]]
    );
}

#[tokio::test]
async fn a_hidden_file_that_a_command_names_is_said_to_be_hidden() {
    if !has_walls() {
        return;
    }
    let walled = Walled::nobody();
    let root = walled.workspace.root().to_owned();
    std::fs::create_dir(root.join("sub")).unwrap();
    std::fs::write(root.join(".env"), "A=1\n").unwrap();
    let policy = SandboxPolicy {
        hidden: vec![root.join(".env")],
        ..policy(root)
    };
    let walled = Walled {
        jobs: walled.jobs.clone().with_sandbox(Some(policy)),
        ..walled
    };
    for command in ["cat .env", "cd sub && cat ../.env", "grep A .env"] {
        let text = walled.bash(command).await.model_text;
        assert!(
            text.contains(".env from commands (sandbox.show); use `read` instead]"),
            "{command}: {text}"
        );
    }
    let text = walled.bash("echo .env.example").await.model_text;
    assert!(!text.contains("from commands"), "{text}");
}

#[tokio::test]
async fn what_is_not_covered_is_told_in_few_words() {
    if !has_walls() {
        return;
    }
    let walled = Walled::nobody();
    let root = walled.workspace.root().to_owned();
    let policy = SandboxPolicy {
        read_only: (0..40).map(|n| root.join(format!("absent{n}"))).collect(),
        ..policy(root)
    };
    let walled = Walled {
        jobs: walled.jobs.clone().with_sandbox(Some(policy)),
        ..walled
    };
    let report = walled.bash("true").await.sandbox.unwrap();
    assert!(report.not_covered.len() <= 6, "{report:?}");
    let all = report.not_covered.join("\n");
    assert!(all.contains("and 35 more"), "{all}");
    assert!(!all.contains("absent30"), "{all}");
}

#[tokio::test]
async fn a_no_is_told_to_the_model_and_nothing_runs_again() {
    if !has_walls() {
        return;
    }
    let walled = Walled::new(HostReply::Refused(String::from("the user said no")));
    let output = walled.bash("echo x >> tries; echo x > ../outside").await;
    assert!(output.model_text.ends_with("[the user said no]"));
    assert!(!walled.outside().exists());
    let tries = std::fs::read_to_string(walled.workspace.root().join("tries")).unwrap();
    assert_eq!(tries, "x\n");
}

#[tokio::test]
async fn where_the_way_out_is_closed_nobody_is_asked() {
    let walled = Walled::new(HostReply::Allowed);
    let walled = Walled {
        jobs: walled.jobs.clone().with_way_out(WayOut::Closed),
        ..walled
    };
    walled.bash("echo x > ../outside").await;
    assert!(walled.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_ordinary_failure_is_not_blamed_on_the_walls() {
    let walled = Walled::new(HostReply::Allowed);
    for command in ["false", "cat missing", "ls /nowhere", "exit 13"] {
        let output = walled.bash(command).await;
        assert!(
            !output.model_text.contains("the sandbox blocked"),
            "{command}: {}",
            output.model_text
        );
    }
    assert!(walled.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_run_outside_has_no_walls_and_says_so() {
    let walled = Walled::nobody();
    let spec = RunSpec {
        walls: Walls::Outside,
        ..RunSpec::new("echo x > ../outside", walled.workspace.root())
    };
    let outcome = soon(walled.jobs.run(spec, &walled.yard.cancelled, &|_, _| {})).await;
    assert_eq!(outcome.exit_code(), Some(0));
    assert_eq!(outcome.sandbox.adapter, "none");
    assert!(walled.outside().exists());
}

#[tokio::test]
async fn a_job_in_the_background_is_behind_the_walls_too() {
    if !has_walls() {
        return;
    }
    let walled = Walled::nobody();
    let input = json!({"command": "echo x > ../outside; sleep 600", "background": true});
    let output = soon(tool("bash").run(input, &walled)).await;
    assert_ne!(output.sandbox.as_ref().unwrap().adapter, "none");
    let id = data(&output)["process_id"].as_str().unwrap().into();
    soon(walled.jobs.kill(&id)).await.unwrap();
    assert!(!walled.outside().exists());
}

#[tokio::test]
async fn what_is_done_about_a_protected_path_is_told_also_for_a_job() {
    if !has_walls() {
        return;
    }
    let walled = Walled::nobody();
    let root = walled.workspace.root().to_owned();
    let mut policy = policy(root.clone());
    policy.read_only.push(root.join(".tenon"));
    let jobs = walled.yard.jobs.clone().with_sandbox(Some(policy));
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    jobs.on_repair(Arc::new(move |repair: &Repair| {
        tell.send(repair.clone()).unwrap();
    }));
    let job = RunSpec {
        placement: Placement::Background,
        ..RunSpec::new("sleep 600", &root)
    };
    let outcome = walled.yard.run(job).await;
    // A person's own folder, which no command made.
    std::fs::create_dir(root.join(".tenon")).unwrap();
    let repair = soon(told.recv()).await.unwrap();
    assert_eq!(repair.effect, RepairEffect::Undone);
    let what = repair.text;
    let names = [root.join(".tenon"), root.join(".tenon.set-aside-")];
    for name in names {
        assert!(what.contains(&format!("`{}", name.display())), "{what}");
    }
    jobs.kill(&outcome.job.unwrap()).await.unwrap();
}

#[tokio::test]
async fn walls_that_cannot_be_had_stop_the_command_where_that_is_asked_for() {
    // An adapter that is not there stands for a machine without walls.
    if std::path::Path::new("/usr/bin/bwrap").exists() {
        eprintln!("skipped: bubblewrap is installed");
        return;
    }
    let walled = Walled::nobody();
    let policy = SandboxPolicy {
        adapter: Adapter::Bubblewrap,
        lacking: Lacking::Refuse,
        ..policy(walled.workspace.root().to_owned())
    };
    let walled = Walled {
        jobs: walled.jobs.clone().with_sandbox(Some(policy)),
        ..walled
    };
    let spec = RunSpec::new("echo x > ran", walled.workspace.root());
    let outcome = soon(walled.jobs.run(spec, &walled.yard.cancelled, &|_, _| {})).await;
    assert!(
        matches!(&outcome.ended, Ended::NotStarted(NotStarted::Spawn(_))),
        "{:?}",
        outcome.ended
    );
    assert!(!walled.workspace.root().join("ran").exists());
    let output = walled.bash("echo x > ran").await;
    assert!(matches!(output.envelope, Envelope::Err(_)));
}

#[test]
fn a_place_whose_loss_is_worse_than_that_of_a_file_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let root = home.join("code/project");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::os::unix::fs::symlink(&home, root.join("link")).unwrap();
    let options = WorkspaceOptions {
        home: Some(home.clone()),
        ..WorkspaceOptions::default()
    };
    let workspace = Workspace::open(&root, options).unwrap();
    let place = |text: &str| workspace.observe(text, Access::Write).place;
    assert_eq!(place("/"), Place::FileSystemRoot);
    assert_eq!(place("/tmp/../"), Place::FileSystemRoot);
    assert_eq!(place(&home.to_string_lossy()), Place::Home);
    assert_eq!(place("../.."), Place::Home);
    assert_eq!(place("link"), Place::Home);
    assert_eq!(place("."), Place::Root);
    assert_eq!(place(&root.to_string_lossy()), Place::Root);
    assert_eq!(place(".."), Place::AboveRoot);
    assert_eq!(
        place(&home.parent().unwrap().to_string_lossy()),
        Place::AboveRoot
    );
    assert_eq!(place("sub"), Place::Ordinary);
    assert_eq!(place("/etc"), Place::Ordinary);
    let disk = std::fs::read_dir("/dev").unwrap().flatten().find(|entry| {
        use std::os::unix::fs::FileTypeExt;
        entry.file_type().is_ok_and(|kind| kind.is_block_device())
    });
    match disk {
        Some(disk) => {
            assert_eq!(place(&disk.path().to_string_lossy()), Place::Device);
        }
        None => eprintln!("skipped: there is no block device"),
    }
}

#[test]
fn the_files_that_a_line_names_are_looked_at_where_the_shell_would_find_them() {
    let walled = Walled::nobody();
    std::fs::create_dir(walled.workspace.root().join("sub")).unwrap();
    std::fs::write(walled.workspace.root().join("sub/a"), "x").unwrap();
    let facts = |input: Value| {
        let facts = tool("bash").facts(&input, &walled.workspace);
        let Subject::Command(script) = facts.subject else {
            panic!("{:?}", facts.subject);
        };
        script.facts().to_vec()
    };
    let found = facts(json!({"command": "rm a", "workdir": "sub"}));
    let [fact] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((fact.path.as_str(), fact.exists), ("sub/a", true));
    assert_eq!((fact.access, fact.inside), (Access::Write, true));

    let found = facts(json!({"command": "cat ~/notes"}));
    let [fact] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(!fact.inside, "{fact:?}");
    assert!(fact.path.ends_with("/notes"), "{fact:?}");

    let found = facts(json!({"command": "cat ~root/notes"}));
    assert!(
        found.iter().all(|fact| !fact.inside && fact.exists),
        "{found:?}"
    );
}

/// Reaches this test over the loopback of the machine, which is no other
/// command's; says what a program says that cannot.
fn reaching(listener: &std::net::TcpListener) -> String {
    let port = listener.local_addr().unwrap().port();
    format!(
        "if (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; then echo reached; else echo 'network is unreachable' >&2; exit 1; fi"
    )
}

#[tokio::test]
async fn off_the_network_a_command_is_offered_one_run_with_it_and_stays_in_the_sandbox() {
    if !has_walls() {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    for way_out in [WayOut::Offered, WayOut::Closed] {
        let walled = Walled::new(HostReply::Allowed);
        let walled = Walled {
            walls: Walls::Offline,
            jobs: walled.jobs.clone().with_way_out(way_out),
            ..walled
        };
        let output = walled.bash(&reaching(&listener)).await;
        assert_eq!(data(&output)["exit_code"], 0, "{}", output.model_text);
        assert!(
            output.model_text.contains("reached"),
            "{}",
            output.model_text
        );
        assert_ne!(output.sandbox.unwrap().adapter, "none");
        let asked = walled.asked.lock().unwrap();
        assert!(
            matches!(&asked[..], [HostRequest::RunAgain { switch, walls: Walls::Inside, .. }] if switch == "sandbox.network"),
            "{asked:?}"
        );
    }
}

#[tokio::test]
async fn off_the_network_with_nobody_to_ask_the_result_names_the_key() {
    if !has_walls() {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let walled = Walled {
        walls: Walls::Offline,
        ..Walled::nobody()
    };
    let output = walled.bash(&reaching(&listener)).await;
    assert_eq!(data(&output)["exit_code"], 1);
    assert!(
        output.model_text.contains("sandbox.network"),
        "{}",
        output.model_text
    );
}
