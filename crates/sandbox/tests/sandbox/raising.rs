//! Walls that cannot be built, machines that lack something, and the honesty
//! of the reports.

use crate::stage::{CASES, Case, Kind, Stage, Who, finish};
use tenon_sandbox::{
    Adapter, Held, Lacking, Level, Mode, Probe, SpawnError, Supervisor, Support, recognise,
};

fn without(what: &[&str]) -> Supervisor {
    let words = what.iter().map(|word| format!("without={word}").into());
    Supervisor::new(env!("CARGO_BIN_EXE_tenon-supervise"), words.collect())
}

fn stage() -> Stage {
    Stage::new(Case {
        who: Who::Self_,
        kind: Kind::Full,
    })
}

async fn refusal(stage: &Stage, supervisor: &Supervisor) -> String {
    let error = supervisor
        .spawn(stage.spec("echo ran > ran"))
        .await
        .err()
        .unwrap();
    assert!(!stage.root.join("ran").exists());
    match error {
        SpawnError::Confinement(why) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn where_full_walls_are_demanded_and_not_to_be_had_nothing_runs() {
    let mut stage = stage();
    stage.policy.lacking = Lacking::Refuse;
    let why = refusal(&stage, &without(&["namespaces"])).await;
    assert!(why.contains("sandbox.lacking"), "{why}");
}

#[tokio::test]
async fn a_machine_that_gives_namespaces_but_no_mounts_is_at_the_partial_level() {
    let stage = stage();
    let command = without(&["mounts"])
        .spawn(stage.spec("echo x > new"))
        .await
        .unwrap();
    let ran = finish(command).await;
    assert_ne!(ran.confinement.level, Level::Full, "{ran:#?}");
    assert_eq!(ran.code, Some(0));
    assert!(ran.names("mounts are not allowed"), "{ran:#?}");
}

#[tokio::test]
async fn without_any_wall_the_report_says_none_and_what_that_means() {
    let stage = stage();
    let supervisor = without(&["namespaces", "landlock"]);
    let ran = finish(
        supervisor
            .spawn(stage.spec("echo x > $TOP/outside/new"))
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(
        (ran.confinement.adapter, ran.confinement.level),
        ("none", Level::None)
    );
    assert!(stage.top.join("outside/new").exists());
    assert!(
        ran.names("a command can read and write whatever this user can"),
        "{ran:#?}"
    );
}

#[tokio::test]
async fn without_landlock_the_mounts_hold_alone() {
    let stage = stage();
    if !stage.case.is_possible() {
        return;
    }
    let script = "echo x > $TOP/outside/new; echo x > .git/config; cat .env; echo done > done";
    let command = without(&["landlock"])
        .spawn(stage.spec(script))
        .await
        .unwrap();
    let ran = finish(command).await;
    assert_eq!(ran.confinement.adapter, "native", "{ran:#?}");
    assert!(!stage.top.join("outside/new").exists());
    assert_eq!(stage.text("root/.git/config").unwrap(), "[core]\n");
    assert_eq!(ran.out, "");
    assert!(stage.root.join("done").exists());
    assert!(ran.names("Landlock"), "{ran:#?}");
}

#[tokio::test]
async fn a_root_that_is_gone_or_the_whole_disk_is_refused() {
    let mut gone = stage();
    gone.policy.root = gone.top.join("gone");
    let supervisor = gone.case.supervisor();
    let why = refusal(&gone, &supervisor).await;
    assert!(why.contains("does not exist"), "{why}");
    gone.policy.root = "/".into();
    let why = refusal(&gone, &supervisor).await;
    assert!(why.contains("sandbox.mode"), "{why}");
}

#[tokio::test]
async fn a_working_folder_that_is_hidden_is_refused() {
    let mut stage = stage();
    if !stage.case.is_possible() {
        return;
    }
    stage.policy.mode = Mode::ReadOnly;
    stage.policy.hidden = vec![stage.top.clone()];
    let why = refusal(&stage, &stage.case.supervisor()).await;
    assert!(why.contains("can't enter"), "{why}");
}

#[tokio::test]
async fn a_missing_bubblewrap_is_refused_and_says_what_to_do() {
    if Probe::look().bubblewrap.is_some() {
        return crate::stage::skip("bwrap is installed");
    }
    let mut stage = stage();
    stage.policy.adapter = Adapter::Bubblewrap;
    let why = refusal(&stage, &stage.case.supervisor()).await;
    assert!(why.contains("install it"), "{why}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_no_matter_of_walls() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let mut spec = stage.spec("");
        spec.argv = vec!["/nowhere/program".into()];
        match case.supervisor().spawn(spec).await {
            Err(SpawnError::Command { source, .. }) => {
                assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
            }
            other => panic!("{case:?} {other:?}"),
        }
    }
}

#[tokio::test]
async fn input_reaches_a_confined_command() {
    use tokio::io::AsyncWriteExt;
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let mut spec = stage.spec("cat");
        spec.stdin = tenon_sandbox::StdinKind::Pipe;
        let mut command = case.supervisor().spawn(spec).await.unwrap();
        let mut stdin = command.stdin.take().unwrap();
        stdin.write_all(b"hello\n").await.unwrap();
        drop(stdin);
        let ran = finish(command).await;
        assert_eq!(ran.out, "hello\n", "{case:?} {ran:#?}");
    }
}

#[tokio::test]
async fn with_the_mode_off_there_are_no_walls_and_no_claim_of_any() {
    let mut stage = stage();
    stage.policy.mode = Mode::Off;
    let ran = stage.run("echo x > $TOP/outside/new").await;
    assert_eq!(ran.confinement, tenon_sandbox::Confinement::none());
    assert!(stage.top.join("outside/new").exists());
}

#[tokio::test]
async fn a_refused_write_is_recognised_at_every_level() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        for (script, switch) in [
            ("echo x > $TOP/outside/new", "sandbox.writable"),
            ("touch $TOP/outside/new", "sandbox.writable"),
            ("git config -f .git/config a.b c", "sandbox.read_only"),
        ] {
            let ran = stage.run(script).await;
            if ran.code == Some(0) {
                assert!(ran.is_partial(), "{case:?} {ran:#?}");
                continue;
            }
            let (policy, walls) = (&stage.policy, &ran.confinement);
            let denial = recognise(policy, walls, ran.code, ran.signal, &ran.err);
            let told = denial.map(|denial| denial.switch);
            assert_eq!(told.as_deref(), Some(switch), "{case:?} {ran:#?}");
        }
        if case.who == Who::Nobody {
            // What Tenon itself may do decides, and it is root here.
            continue;
        }
        let ran = stage.run("cat /etc/shadow.none; false").await;
        let denial = recognise(&stage.policy, &ran.confinement, ran.code, None, &ran.err);
        assert_eq!(denial, None, "{case:?} {ran:#?}");
    }
}

#[tokio::test]
async fn the_trial_tries_every_wall_and_finds_what_the_level_promises() {
    let probe = Probe::look();
    assert_eq!(probe.subreaper, Support::Present);
    for case in CASES {
        if !case.is_possible() || case.kind == Kind::Bubblewrap || case.who == Who::Nobody {
            continue;
        }
        let trial = Probe::trial(&case.supervisor()).await;
        let confinement = trial.confinement.as_ref().unwrap();
        assert_eq!(trial.findings.len(), 6);
        for finding in &trial.findings {
            let may_fail = confinement.level == Level::Partial && finding.wall == "write protected";
            assert!(
                finding.held == Held::Yes || may_fail,
                "{case:?} {finding:?}"
            );
        }
    }
    let bare = Probe::trial(&without(&["namespaces", "landlock"])).await;
    assert_eq!(bare.confinement.unwrap().level, Level::None);
    let held = |wall| {
        let finding = bare.findings.iter().find(|finding| finding.wall == wall);
        finding.unwrap().held
    };
    assert_eq!(held("write outside"), Held::No);
    assert_eq!(held("read hidden"), Held::No);
    assert_eq!(held("signal"), Held::No);
}

#[tokio::test]
async fn where_proc_is_covered_the_walls_hold_and_the_report_says_so() {
    let mut stage = stage();
    if !crate::stage::is_root() || !stage.case.is_possible() {
        return crate::stage::skip("only root can cover parts of /proc as containers do");
    }
    stage.policy.network = tenon_sandbox::Network::Deny;
    let own = env!("CARGO_BIN_EXE_tenon-supervise");
    let cover = "mount -t tmpfs none /proc/sys && exec \"$0\" \"$@\"";
    let words = ["-m", "sh", "-c", cover, own].map(Into::into).to_vec();
    let supervisor = Supervisor::new("/usr/bin/unshare", words);
    let script = "echo x > $TOP/outside/new; echo x > .git/config; cat .env
        kill -0 $TENON && echo signalled; cat /proc/$TENON/environ | head -c 10; cat /proc/$TENON/root$TOP/.env; echo end";
    let ran = finish(supervisor.spawn(stage.spec(script)).await.unwrap()).await;
    assert_eq!(ran.out, "end\n", "{ran:#?}");
    assert!(ran.names("which processes run"), "{ran:#?}");
    assert!(!stage.top.join("outside/new").exists());
    assert_eq!(stage.text("root/.git/config").unwrap(), "[core]\n");
}
