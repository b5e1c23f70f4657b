//! Lists: right figures from few bytes, and no damage that hides the rest.

use crate::build::{Home, asks, at, compacted, result, session, settings, used};
use std::fs;
use tenon_session::{ListFilter, Summary};
use tenon_vocab::{Message, Outcome};

fn all(home: &Home) -> Vec<Summary> {
    home.store.list(&ListFilter::default()).sessions
}

#[test]
fn a_summary_tells_what_a_session_was_about() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(settings(None));
    writer.start(1, "  fix the test\nplease");
    writer.put(asks("", &["a"]));
    writer.put(used("a"));
    writer.put(result("a", "ok"));
    let kept = writer.put(Message::assistant("done"));
    writer.put(compacted(kept, "s"));
    writer.finish();
    let bytes = fs::metadata(writer.path()).unwrap().len();
    let updated = at(i64::try_from(writer.log.next_seq()).unwrap() - 1);
    drop(writer);
    let list = all(&home);
    let one = &list[0];
    assert_eq!(one.id, session(1));
    assert_eq!((one.created, one.updated), (at(0), updated));
    assert_eq!(one.title, "fix the test");
    assert_eq!(one.prompt, "  fix the test\nplease");
    assert_eq!(one.cwd, "/project");
    assert_eq!(one.git_branch.as_deref(), Some("main"));
    assert_eq!(one.model.as_deref(), Some("small"));
    assert_eq!(one.agent.as_deref(), Some("main"));
    assert_eq!((one.runs, one.compactions), (1, 1));
    assert_eq!(one.usage.input, 100);
    assert_eq!(one.bytes, bytes);
    assert_eq!(one.outcome, Some(Outcome::Completed));
    assert!(!one.partial && !one.pinned);
    let json = serde_json::to_value(one).unwrap();
    assert_eq!(json["title"], "fix the test");
}

#[test]
fn figures_are_the_same_without_the_digest_and_with_an_old_one() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    let digest = writer.log.folder().unwrap().join("digest");
    let old = fs::read(&digest).unwrap();
    writer.small_run(2);
    drop(writer);
    let right = all(&home);
    assert_eq!(right[0].runs, 2);
    fs::write(&digest, &old).unwrap();
    assert_eq!(
        all(&home),
        right,
        "what came after the digest is read on top"
    );
    fs::write(&digest, b"{ nonsense").unwrap();
    assert_eq!(all(&home), right);
    fs::remove_file(&digest).unwrap();
    assert_eq!(all(&home), right);
}

#[test]
fn a_long_log_without_a_digest_is_listed_from_its_two_ends() {
    let home = Home::new();
    let mut writer = home.begin(1);
    for n in 1..=300 {
        writer.small_run(n);
    }
    writer.put(settings(Some("A name")));
    writer.start(301, "still going");
    let digest = writer.log.folder().unwrap().join("digest");
    let live = writer.state.clone();
    drop(writer);
    let exact = all(&home).remove(0);
    assert_eq!((exact.runs, exact.usage), (301, live.usage()));
    fs::remove_file(&digest).unwrap();
    let ends = all(&home).remove(0);
    assert!(ends.partial);
    assert!(ends.runs < 301);
    assert_eq!(ends.prompt, "prompt 1");
    assert_eq!(ends.title, "A name");
    assert_eq!(ends.updated, exact.updated);
    assert_eq!(ends.outcome, None);
    // Opening it makes the digest again.
    drop(home.reopen(1));
    let again = all(&home).remove(0);
    assert_eq!(again.runs, 301);
    assert_eq!(again.outcome, Some(Outcome::Interrupted));
}

#[test]
fn a_session_that_runs_now_is_listed_as_unfinished() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "now");
    let list = all(&home);
    assert_eq!(list[0].prompt, "now");
    assert_eq!(list[0].outcome, None);
}

#[test]
fn damaged_files_are_skipped_with_a_note_and_hide_nothing() {
    let home = Home::new();
    for n in 1..=3 {
        home.begin(n).small_run(1);
    }
    let month = home.root().join("2026/05");
    let spoil = |n: u128, bytes: &[u8]| {
        fs::remove_dir_all(month.join(format!("{}.d", session(n)))).unwrap();
        fs::write(month.join(format!("{}.jsonl", session(n))), bytes).unwrap();
    };
    spoil(1, b"");
    spoil(2, &[0; 4096]);
    fs::write(month.join("notes.jsonl"), "not a session").unwrap();
    fs::write(home.root().join("stray"), "x").unwrap();
    let listing = home.store.list(&ListFilter::default());
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.skipped.len(), 2);
    assert!(listing.skipped.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn filters_by_directory_exactly_and_by_text_anywhere_it_was_said() {
    let home = Home::new();
    for (n, cwd, said) in [
        (1, "/a/b-c", "the Needle"),
        (2, "/a-b/c", "nothing"),
        (3, "/a/b-c", "nothing"),
    ] {
        let mut writer = home.begin_in(n, cwd);
        writer.start(1, "hello");
        writer.put(Message::assistant(said));
        writer.finish();
    }
    let ids = |cwd: Option<&str>, text: Option<&str>| -> Vec<_> {
        let filter = ListFilter {
            cwd: cwd.map(ToOwned::to_owned),
            text: text.map(ToOwned::to_owned),
        };
        let listing = home.store.list(&filter);
        listing.sessions.iter().map(|s| s.id).collect()
    };
    assert_eq!(ids(None, None).len(), 3);
    assert_eq!(ids(Some("/a/b-c"), None), [session(3), session(1)]);
    assert_eq!(ids(Some("/a"), None), []);
    assert_eq!(ids(None, Some("needle")), [session(1)]);
    assert_eq!(ids(None, Some("HELLO")).len(), 3);
    assert_eq!(ids(Some("/a-b/c"), Some("needle")), []);
}

#[test]
fn the_latest_is_the_one_written_to_last() {
    let home = Home::new();
    assert_eq!(home.store.latest(None).unwrap(), None);
    home.begin_in(1, "/x").small_run(1);
    home.begin_in(2, "/y").small_run(1);
    let mut first = home.reopen(1);
    first.small_run(2);
    first.small_run(3);
    drop(first);
    assert_eq!(home.store.latest(None).unwrap(), Some(session(1)));
    assert_eq!(home.store.latest(Some("/y")).unwrap(), Some(session(2)));
    assert_eq!(home.store.latest(Some("/z")).unwrap(), None);
}
