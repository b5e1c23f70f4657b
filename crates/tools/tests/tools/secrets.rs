//! Secrets in what commands print: masked on the screen, in the result, in the
//! file that keeps the whole, and in what is read of a job.

use crate::jobs::{Yard, soon};
use std::time::Duration;
use tenon_policy::Masker;
use tenon_tools::jobs::{Ended, RunSpec, Secrets, Whole};

/// In two halves, so that neither this file nor a command line holds it whole.
const HALVES: (&str, &str) = ("ghp_a1B2c3D4e5F6g7H", "8i9J0k1L2m3N4o5P6q7R8");

fn secret() -> String {
    format!("{}{}", HALVES.0, HALVES.1)
}

/// Prints the secret in two pieces with a pause between them.
fn print_slowly() -> String {
    let (first, second) = HALVES;
    format!("printf 'key: {first}'; sleep 0.2; printf '{second}'; echo ' end'")
}

#[tokio::test]
async fn a_secret_that_comes_in_two_pieces_is_masked_everywhere() {
    let yard = Yard::new();
    let command = print_slowly();
    let outcome = yard.sh(&format!("{command}; ({command}) >&2")).await;
    let masked = "key: [masked:github-token] end\n";
    let cut = |_: &_| String::from("[cut]");
    assert_eq!(outcome.output.stdout.joined(cut), masked);
    assert_eq!(outcome.output.stderr.joined(cut), masked);
    assert_eq!(yard.live(), format!("{masked}{masked}"));
    assert_eq!(
        outcome.output.masked.to_string(),
        "2 secrets masked: github-token"
    );
}

#[tokio::test]
async fn the_file_with_the_whole_output_has_no_secret_either() {
    let yard = Yard::new();
    let (first, second) = HALVES;
    let spec = RunSpec {
        output_bytes: 1024,
        ..yard.spec(&format!(
            "for i in $(seq 300); do echo line $i; done; echo {first}{second}; for i in $(seq 300); do echo line $i; done"
        ))
    };
    let outcome = yard.run(spec).await;
    let Whole::File(path) = &outcome.output.whole else {
        panic!("{:?}", outcome.output.whole);
    };
    let kept = std::fs::read_to_string(path).unwrap();
    assert!(kept.contains("\n[masked:github-token]\n") && !kept.contains(&secret()));
    assert!(!yard.live().contains(&secret()));
}

#[tokio::test]
async fn what_is_read_of_a_job_is_masked_and_a_prompt_is_shown_at_once() {
    let yard = Yard::new();
    let (first, second) = HALVES;
    let outcome = yard
        .background(&format!(
            "printf 'Password: '; read x; printf {first}; read x; printf '{second}\\n'; sleep 600"
        ))
        .await;
    let id = outcome.job.clone().unwrap();
    let early = outcome.output.stdout.joined(|_| String::new());
    if early.is_empty() {
        assert_eq!(yard.read_until(&id, "Password: ").await, "Password: ");
    } else {
        assert_eq!(early, "Password: ");
    }
    soon(yard.jobs.write(&id, "x\n")).await.unwrap();
    // Half of it is there and not shown: it may become what it does become.
    let quiet = soon(yard.jobs.read(&id, Duration::from_millis(300)))
        .await
        .unwrap();
    assert!(quiet.text.is_empty(), "{quiet:?}");
    soon(yard.jobs.write(&id, "x\n")).await.unwrap();
    let text = yard.read_until(&id, "\n").await;
    assert_eq!(text, "[masked:github-token]\n");
    soon(yard.jobs.kill(&id)).await.unwrap();
}

#[tokio::test]
async fn what_was_held_is_shown_when_the_command_is_killed() {
    let yard = Yard::new();
    let spec = RunSpec {
        timeout: Some(Duration::from_millis(700)),
        on_timeout: tenon_tools::OnTimeout::Kill,
        ..yard.spec("printf 'a task, sk'; sleep 600")
    };
    let outcome = yard.run(spec).await;
    assert!(matches!(outcome.ended, Ended::TimedOut));
    assert_eq!(
        outcome.output.stdout.joined(|_| String::new()),
        "a task, sk"
    );
}

#[tokio::test]
async fn a_credential_command_gets_the_key_as_it_is() {
    let yard = Yard::new();
    let spec = RunSpec {
        secrets: Secrets::Exact,
        ..yard.spec(&print_slowly())
    };
    let outcome = yard.run(spec).await;
    let text = outcome.output.stdout.joined(|_| String::new());
    assert_eq!(text, format!("key: {} end\n", secret()));
}

#[tokio::test]
async fn another_masker_holds_for_all_clones() {
    let yard = Yard::new();
    let masker = Masker::with_patterns([("ticket", "TCK-[0-9]+")]).unwrap();
    let _ = yard.jobs.clone().with_masker(masker);
    let outcome = yard.sh("echo a TCK-12345 b").await;
    assert_eq!(
        outcome.output.stdout.joined(|_| String::new()),
        "a [masked:ticket] b\n"
    );
}
