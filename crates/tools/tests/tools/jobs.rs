//! The runner of processes, with real ones.

mod yard;

pub use yard::{NOBODY, Yard, soon, supervisor_program, until};

use std::time::Duration;
use tenon_tools::OnTimeout;
use tenon_tools::jobs::{
    Cut, Detached, Ended, Input, JobError, JobState, Leftovers, NotStarted, Placement, RunOutcome,
    RunSpec, Whole,
};
use tenon_vocab::{JobAction, JobId};
use tokio_util::sync::CancellationToken;
use yard::alive_with;

fn stdout(outcome: &RunOutcome) -> String {
    outcome.output.stdout.joined(|_| String::from("[cut]"))
}

fn stderr(outcome: &RunOutcome) -> String {
    outcome.output.stderr.joined(|_| String::from("[cut]"))
}

#[tokio::test]
async fn a_command_gives_both_streams_and_its_code() {
    let yard = Yard::new();
    let outcome = yard.sh("echo out; echo err >&2; exit 3").await;
    assert_eq!(stdout(&outcome), "out\n");
    assert_eq!(stderr(&outcome), "err\n");
    assert_eq!(outcome.exit_code(), Some(3));
    assert_eq!((outcome.job, outcome.output.whole), (None, Whole::Here));
    assert_eq!(yard.jobs.list(), []);
    assert_eq!(yard.actions(), []);
}

#[tokio::test]
async fn what_a_command_leaves_running_becomes_a_job() {
    let yard = Yard::new();
    let outcome = yard.sh("sleep 600 & echo done").await;
    assert_eq!(outcome.exit_code(), Some(0));
    assert_eq!(stdout(&outcome), "done\n");
    let job = yard.only_job();
    assert_eq!(outcome.job.as_ref(), Some(&job.id));
    assert_eq!(job.id.as_str(), "proc_1");
    assert_eq!((job.state, job.exit_code), (JobState::Running, Some(0)));
    assert_eq!(yard.actions(), [JobAction::Detached]);

    let killed = soon(yard.jobs.kill(&job.id)).await.unwrap();
    assert_eq!(killed.state, JobState::Killed);
    assert_eq!(yard.actions(), [JobAction::Detached, JobAction::Killed]);
    assert_eq!(yard.alive(), NOBODY);
}

#[tokio::test]
async fn a_leftover_without_the_pipes_becomes_a_job_too() {
    let yard = Yard::new();
    let outcome = yard
        .sh("setsid sleep 600 >/dev/null 2>&1 & echo done")
        .await;
    assert_eq!(stdout(&outcome), "done\n");
    let id = outcome.job.unwrap();
    soon(yard.jobs.kill(&id)).await.unwrap();
    assert_eq!(yard.alive(), NOBODY);
}

#[tokio::test]
async fn a_leftover_that_never_pauses_does_not_hold_the_result() {
    let yard = Yard::new();
    let outcome = yard.sh("yes & sleep 0.1; exit 5").await;
    assert_eq!(outcome.exit_code(), Some(5));
    let id = outcome.job.unwrap();
    let more = yard.read_until(&id, "y\ny\n").await;
    assert!(more.starts_with('y'));
    soon(yard.jobs.kill(&id)).await.unwrap();
}

#[tokio::test]
async fn leftovers_can_be_killed_instead() {
    let yard = Yard::new();
    let outcome = yard
        .run(RunSpec {
            leftovers: Leftovers::Kill,
            ..yard.spec("sleep 600 & (setsid sleep 600 &) ; echo done")
        })
        .await;
    assert_eq!(outcome.exit_code(), Some(0));
    assert_eq!(stdout(&outcome), "done\n");
    assert_eq!(outcome.job, None);
    assert_eq!(yard.alive(), NOBODY);
}

#[tokio::test]
async fn a_flood_on_both_streams_neither_blocks_nor_hides_the_last_line() {
    let yard = Yard::new();
    let command = "for i in 1 2 3 4 5; do head -c 1000000 /dev/zero | tr '\\0' x; head -c 1000000 /dev/zero | tr '\\0' y >&2; done; echo; echo error: the reason >&2; exit 1";
    let outcome = yard.sh(command).await;
    assert_eq!(outcome.exit_code(), Some(1));
    assert_eq!(outcome.output.stdout.total_bytes(), 5_000_001);
    assert!(stderr(&outcome).ends_with("error: the reason\n"));
    let Whole::File(path) = &outcome.output.whole else {
        panic!("{:?}", outcome.output.whole);
    };
    let whole = std::fs::read_to_string(path).unwrap();
    assert_eq!(whole.matches('x').count(), 5_000_000);
    assert_eq!(whole.matches('y').count(), 5_000_000);
}

#[tokio::test]
async fn an_output_beyond_every_cap_does_not_grow_memory() {
    let yard = Yard::new();
    let outcome = yard
        .sh("yes 'a line of the flood' | head -c 70000000; echo the end")
        .await;
    assert_eq!(outcome.output.stdout.total_bytes(), 70_000_008);
    assert!(stdout(&outcome).ends_with("the end\n"));
    let Whole::FileCut(path, Cut::File) = &outcome.output.whole else {
        panic!("{:?}", outcome.output.whole);
    };
    let size = path.metadata().unwrap().len();
    assert!(size < 64 * 1024 * 1024 + 200, "{size}");
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak: u64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.trim().trim_end_matches(" kB").parse().ok())
        .unwrap();
    assert!(peak < 60 * 1024, "{peak} kB");
}

#[tokio::test]
async fn live_output_is_bounded_and_says_what_it_skipped() {
    let yard = Yard::new();
    let command = "yes | head -c 20000000; sleep 0.3; echo last";
    yard.sh(command).await;
    let live = yard.live();
    assert!(live.len() < 15_000_000, "{}", live.len());
    assert!(live.contains("bytes not shown]"));
    assert!(live.ends_with("last\n"));
}

#[tokio::test]
async fn a_character_split_between_reads_stays_whole_on_the_screen() {
    let yard = Yard::new();
    yard.sh(r"printf '\xe6'; sleep 0.05; printf '\x97'; sleep 0.05; printf '\xa5\n'")
        .await;
    assert_eq!(yard.live(), "日\n");
}

#[tokio::test]
async fn at_its_time_a_command_goes_on_in_the_background() {
    let yard = Yard::new();
    let outcome = yard
        .run(RunSpec {
            timeout: Some(Duration::from_millis(300)),
            on_timeout: OnTimeout::Background,
            ..yard
                .spec("echo -n first; while ! test -e go; do sleep 0.01; done; echo second; exit 9")
        })
        .await;
    assert!(matches!(outcome.ended, Ended::Running(Detached::TimedOut)));
    assert_eq!(stdout(&outcome), "first");
    assert_eq!(yard.actions(), [JobAction::Detached]);
    let id = outcome.job.unwrap();
    std::fs::write(yard.path().join("go"), "").unwrap();
    // What was told is not told again.
    assert_eq!(yard.read_until(&id, "second").await, "second\n");
    until("it ends", || yard.only_job().state == JobState::Exited).await;
    assert_eq!(yard.only_job().exit_code, Some(9));
    let events = yard.events.lock().unwrap().clone();
    assert_eq!(events.last(), Some(&(JobAction::Exited, Some(9))));
}

#[tokio::test]
async fn at_its_time_a_command_is_killed_with_all_it_started() {
    let yard = Yard::new();
    let outcome = yard
        .run(RunSpec {
            timeout: Some(Duration::from_millis(300)),
            on_timeout: OnTimeout::Kill,
            ..yard.spec("echo before; sh -c 'setsid sleep 600 & sleep 600 & wait'")
        })
        .await;
    assert!(matches!(outcome.ended, Ended::TimedOut));
    assert_eq!(stdout(&outcome), "before\n");
    assert_eq!((outcome.job, yard.jobs.list()), (None, Vec::new()));
    assert_eq!(yard.alive(), NOBODY);
}

#[tokio::test]
async fn an_interrupt_kills_and_keeps_what_was_printed() {
    let yard = Yard::new();
    let spec = yard.spec("echo before; (setsid sleep 600 &) ; echo > started; sleep 600");
    let interrupt = async {
        until("it runs", || yard.path().join("started").exists()).await;
        yard.cancelled.cancel();
    };
    let (outcome, ()) = tokio::join!(yard.run(spec), interrupt);
    assert!(matches!(outcome.ended, Ended::Interrupted));
    assert_eq!(stdout(&outcome), "before\n");
    assert_eq!(yard.alive(), NOBODY);
    assert_eq!(yard.jobs.list(), []);
}

#[tokio::test]
async fn a_dropped_run_leaves_nothing() {
    let yard = Yard::new();
    {
        let spec = yard.spec("(setsid sleep 600 &) ; echo > started; sleep 600");
        let run = yard.run(spec);
        tokio::pin!(run);
        let started = until("it runs", || yard.path().join("started").exists());
        tokio::select! {
            _ = &mut run => panic!("ended"),
            () = started => {}
        }
    }
    until("nothing is left", || yard.alive().is_empty()).await;
}

#[tokio::test]
async fn the_end_of_the_session_ends_everything_and_names_it() {
    let yard = Yard::new();
    let gentle = "trap 'echo > cleaned; exit' TERM; echo > ready; while :; do sleep 0.02; done";
    let first = yard.background(gentle).await.job.unwrap();
    let deaf = "trap '' TERM; (trap '' TERM; setsid sleep 600) & while :; do sleep 0.05; done";
    let second = yard.background(deaf).await.job.unwrap();
    let over = yard.sh("sleep 0.3 &").await.job.unwrap();
    until("it ends", || {
        !yard
            .jobs
            .list()
            .iter()
            .any(|job| job.id == over && job.state == JobState::Running)
    })
    .await;
    until("it can be asked", || yard.path().join("ready").exists()).await;

    let waiting = yard.sh("sleep 600");
    let shutdown = async {
        until("it runs", || yard.alive().len() > 4).await;
        soon(yard.jobs.shutdown()).await
    };
    let (outcome, ended) = tokio::join!(waiting, shutdown);
    assert!(matches!(outcome.ended, Ended::Interrupted));
    let ids: Vec<JobId> = ended.into_iter().map(|job| job.id).collect();
    assert_eq!(ids, [first, second]);
    assert!(yard.path().join("cleaned").exists());
    assert_eq!(yard.alive(), NOBODY);
    let late = yard.sh("echo no").await;
    assert!(matches!(late.ended, Ended::NotStarted(NotStarted::Closing)));
}

#[tokio::test]
async fn jobs_end_when_nobody_holds_them() {
    let Yard { dir, jobs, .. } = Yard::new();
    let spec = RunSpec {
        placement: Placement::Background,
        ..RunSpec::new("(setsid sleep 600 &) ; sleep 600", dir.path())
    };
    let outcome = jobs.run(spec, &CancellationToken::new(), &|_, _| {}).await;
    assert!(outcome.job.is_some());
    assert!(!alive_with(dir.path()).is_empty());
    drop(jobs);
    until("nothing is left", || alive_with(dir.path()).is_empty()).await;
}

#[tokio::test]
async fn a_command_in_the_background_is_written_to_and_read() {
    let yard = Yard::new();
    let outcome = yard.background("echo hello; cat; echo bye").await;
    assert!(matches!(outcome.ended, Ended::Running(Detached::Asked)));
    assert_eq!(yard.actions(), [JobAction::Started]);
    let id = outcome.job.clone().unwrap();
    let mut seen = stdout(&outcome);
    if seen.is_empty() {
        seen = yard.read_until(&id, "hello").await;
    }
    assert_eq!(seen, "hello\n");

    yard.jobs.write(&id, "one\n").await.unwrap();
    assert_eq!(yard.read_until(&id, "one").await, "one\n");
    // An unfinished line is there as well.
    yard.jobs.write(&id, "name: ").await.unwrap();
    assert_eq!(yard.read_until(&id, "name").await, "name: ");
    yard.jobs.write(&id, "two\n\u{4}").await.unwrap();
    assert_eq!(yard.read_until(&id, "bye").await, "two\nbye\n");
    until("it ends", || yard.only_job().state == JobState::Exited).await;
    let error = yard.jobs.write(&id, "late").await.unwrap_err();
    assert!(matches!(
        error,
        JobError::Ended {
            exit_code: Some(0),
            ..
        }
    ));
}

#[tokio::test]
async fn a_command_that_fails_at_once_is_no_job() {
    let yard = Yard::new();
    let outcome = yard.background("echo no such option >&2; exit 2").await;
    assert_eq!(outcome.exit_code(), Some(2));
    assert_eq!((outcome.job, yard.jobs.list()), (None, Vec::new()));
}

#[tokio::test]
async fn what_cannot_be_written_to_says_why() {
    let yard = Yard::new();
    let unknown = yard
        .jobs
        .write(&JobId::from("proc_7"), "x")
        .await
        .unwrap_err();
    assert!(
        unknown.to_string().contains("no background process"),
        "{unknown}"
    );

    let id = yard.sh("sleep 600 &").await.job.unwrap();
    let error = yard.jobs.write(&id, "x").await.unwrap_err();
    assert!(error.to_string().contains("background true"), "{error}");
    let unknown = yard.jobs.kill(&JobId::from("proc_7")).await.unwrap_err();
    assert!(
        unknown.to_string().contains("the jobs are: proc_1"),
        "{unknown}"
    );
    soon(yard.jobs.kill(&id)).await.unwrap();
    let again = yard.jobs.kill(&id).await.unwrap_err();
    assert!(matches!(again, JobError::Ended { .. }));
}

#[tokio::test]
async fn input_that_nobody_reads_is_bounded() {
    let yard = Yard::new();
    let id = yard.background("sleep 600").await.job.unwrap();
    let piece = "x".repeat(300_000);
    let mut last = Ok(());
    for _ in 0..10 {
        last = yard.jobs.write(&id, &piece).await.map(|_| ());
    }
    assert!(matches!(last, Err(JobError::InputFull(..))), "{last:?}");
    soon(yard.jobs.kill(&id)).await.unwrap();
}

#[tokio::test]
async fn a_command_can_be_fed_whatever_it_does_with_it() {
    let yard = Yard::new();
    let feed = |command: &str| RunSpec {
        input: Input::Bytes(vec![b'x'; 3_000_000]),
        ..yard.spec(command)
    };
    assert_eq!(stdout(&yard.run(feed("wc -c")).await).trim(), "3000000");
    let outcome = yard.run(feed("cat")).await;
    assert_eq!(outcome.output.stdout.total_bytes(), 3_000_000);
    assert_eq!(yard.run(feed("exit 4")).await.exit_code(), Some(4));
}

#[tokio::test]
async fn a_command_that_kills_its_supervisor_gains_nothing() {
    let yard = Yard::new();
    let outcome = yard
        .sh("echo before; (setsid sleep 600 &) ; kill -9 $PPID; sleep 600")
        .await;
    assert!(matches!(
        outcome.ended,
        Ended::Exited {
            code: None,
            signal: None
        }
    ));
    assert_eq!(stdout(&outcome), "before\n");
    assert_eq!(yard.alive(), NOBODY);
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let yard = Yard::new();
    let outcome = yard
        .run(RunSpec::new("true", yard.path().join("nowhere")))
        .await;
    let Ended::NotStarted(reason) = outcome.ended else {
        panic!("{outcome:?}");
    };
    assert!(reason.to_string().contains("nowhere"), "{reason}");
}
