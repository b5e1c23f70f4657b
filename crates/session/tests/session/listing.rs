//! Lists: right figures from few bytes, and no damage that hides the rest.

use crate::build::{Home, asks, at, compacted, result, session, settings, used};
use std::collections::HashSet;
use std::fs;
use std::time::{Duration, SystemTime};
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
fn filters_by_directory_exactly() {
    let home = Home::new();
    for (n, cwd) in [(1, "/a/b-c"), (2, "/a-b/c"), (3, "/a/b-c")] {
        home.begin_in(n, cwd).small_run(1);
    }
    let ids = |cwd: Option<&str>| -> Vec<_> {
        let cwd = cwd.map(ToOwned::to_owned);
        let listing = home.store.list(&ListFilter { cwd });
        listing.sessions.iter().map(|s| s.id).collect()
    };
    assert_eq!(ids(None).len(), 3);
    assert_eq!(ids(Some("/a/b-c")), [session(3), session(1)]);
    assert_eq!(ids(Some("/a")), []);
}

/// So many that a list keeps a file of its own: copies of the first session.
fn many(home: &Home, count: u128) {
    let month = home.root().join("2026/05");
    home.begin(1).small_run(1);
    let (log, digest) = (
        fs::read_to_string(month.join(format!("{}.jsonl", session(1)))).unwrap(),
        fs::read_to_string(month.join(format!("{}.d/digest", session(1)))).unwrap(),
    );
    let renamed = |text: &str, n| text.replace(&session(1).to_string(), &session(n).to_string());
    for n in 2..=count {
        let folder = month.join(format!("{}.d", session(n)));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("digest"), renamed(&digest, n)).unwrap();
        let path = month.join(format!("{}.jsonl", session(n)));
        fs::write(path, renamed(&log, n)).unwrap();
    }
}

/// Until the one file has them all: it takes in no log that was changed in the
/// same tick of the clock in which it was looked at.
fn settle(home: &Home, count: u128) {
    let list = home.root().join("list");
    let has_all = || {
        let bytes = fs::read(&list).unwrap();
        let windows: HashSet<&[u8]> = bytes.windows(16).collect();
        (1..=count).all(|n| windows.contains(&session(n).0.as_bytes()[..]))
    };
    while {
        all(home);
        !has_all()
    } {
        // What was written is made old by nothing but time.
        let _ = fs::remove_file(&list);
    }
}

/// Whether a session is named, by the bytes of its id.
fn mentions(bytes: &[u8], n: u128) -> bool {
    let id = session(n);
    bytes.windows(16).any(|window| window == id.0.as_bytes())
}

fn log_of(home: &Home, n: u128) -> std::path::PathBuf {
    home.root()
        .join("2026/05")
        .join(format!("{}.jsonl", session(n)))
}

/// Another prompt that is as long.
fn replaced(log: &str) -> String {
    let changed = log.replace("prompt 1", "pr0mpt 9");
    assert!(changed != log && changed.len() == log.len());
    changed
}

fn prompt_of(home: &Home, n: u128) -> String {
    let sessions = all(home);
    let one = sessions.into_iter().find(|one| one.id == session(n));
    one.unwrap().prompt
}

#[test]
fn a_log_that_was_replaced_by_one_of_the_same_size_is_another() {
    for count in [3, 300] {
        let home = Home::new();
        many(&home, count);
        if count > 256 {
            settle(&home, count);
        }
        assert_eq!(prompt_of(&home, 1), "prompt 1");
        assert_eq!(prompt_of(&home, 2), "prompt 1");
        // An editor that writes into the file, and one that puts another there.
        for n in [1, 2] {
            let path = log_of(&home, n);
            let text = replaced(&fs::read_to_string(&path).unwrap());
            let written = match n {
                1 => path.clone(),
                _ => path.with_extension("new"),
            };
            fs::write(&written, text).unwrap();
            let file = fs::File::options().append(true).open(&written).unwrap();
            // Later, as it is outside of a test.
            file.set_modified(SystemTime::now() + Duration::from_secs(1))
                .unwrap();
            fs::rename(&written, &path).unwrap();
            assert_eq!(prompt_of(&home, n), "pr0mpt 9", "{n} of {count}");
        }
    }
}

#[test]
fn a_log_that_was_replaced_by_a_longer_one_is_another() {
    let home = Home::new();
    home.begin(1).small_run(1);
    assert_eq!(prompt_of(&home, 1), "prompt 1");
    let text = fs::read_to_string(log_of(&home, 1)).unwrap();
    let longer = text.replace("prompt 1", "a much longer prompt");
    fs::write(log_of(&home, 1), longer).unwrap();
    assert_eq!(prompt_of(&home, 1), "a much longer prompt");
}

#[test]
fn a_list_of_many_is_the_same_as_the_sum_of_its_sessions() {
    let home = Home::new();
    // Enough to be read by more than one thread.
    let count = 1_100;
    many(&home, count);
    let listing = home.store.list(&ListFilter::default());
    assert_eq!(listing.skipped, []);
    let ids: Vec<_> = listing.sessions.iter().map(|s| s.id).collect();
    let expected: Vec<_> = (1..=count).rev().map(session).collect();
    assert_eq!(ids, expected, "newest first, none twice, none lost");
    settle(&home, count);
    let again = home.store.list(&ListFilter::default());
    assert_eq!(
        again.sessions, listing.sessions,
        "from the one file the same"
    );
    for n in [1, 2, count / 2, count] {
        let one = home.store.summary(session(n)).unwrap();
        let listed = &again.sessions[usize::try_from(count - n).unwrap()];
        assert_eq!(&one, listed);
    }
    for mut known in [home.store.ids(), again.ids] {
        known.sort_by_key(|id| std::cmp::Reverse(*id));
        assert_eq!(known, expected);
    }
    let elsewhere = ListFilter {
        cwd: Some(String::from("/elsewhere")),
    };
    assert_eq!(home.store.list(&elsewhere).sessions, []);
}

#[test]
fn a_list_of_many_follows_what_happens_to_them() {
    let home = Home::new();
    many(&home, 300);
    settle(&home, 300);
    let list = home.root().join("list");
    let before = fs::read(&list).unwrap();
    let mut writer = home.reopen(7);
    writer.put(settings(Some("A new name")));
    writer.small_run(2);
    drop(writer);
    home.begin_in(301, "/elsewhere").small_run(1);
    let sessions = all(&home);
    let one = sessions.iter().find(|s| s.id == session(7)).unwrap();
    assert_eq!((one.title.as_str(), one.runs), ("A new name", 2));
    assert_eq!(sessions.len(), 301);
    assert!(
        fs::read(&list).unwrap() == before,
        "not written anew for a few"
    );
    home.store.delete(session(9)).unwrap();
    assert!(!list.exists(), "no word of it stays behind");
    assert_eq!(all(&home).len(), 300);
    // Deleted by another program.
    let month = home.root().join("2026/05");
    fs::remove_file(month.join(format!("{}.jsonl", session(8)))).unwrap();
    assert_eq!(all(&home).len(), 299);
    assert!(!mentions(&fs::read(&list).unwrap(), 8));
}

#[test]
fn a_damaged_list_of_many_is_no_more_than_slow() {
    let home = Home::new();
    many(&home, 300);
    settle(&home, 300);
    let right = all(&home);
    let list = home.root().join("list");
    let whole = fs::read(&list).unwrap();
    let mut spoiled = whole.clone();
    let middle = spoiled.len() / 2;
    spoiled[middle..middle + 5_000].fill(b'x');
    let half = whole[..middle].to_vec();
    let mut letter = whole.clone();
    let at = letter.windows(8).position(|window| window == b"prompt 1");
    letter[at.unwrap()] = b'P';
    for bytes in [spoiled, half, letter, Vec::new(), vec![0; 100_000]] {
        fs::write(&list, bytes).unwrap();
        assert_eq!(all(&home), right);
    }
    fs::remove_file(&list).unwrap();
    fs::create_dir(&list).unwrap();
    assert_eq!(all(&home), right);
}

#[test]
fn many_who_list_at_once_while_sessions_are_written_all_see_a_whole_list() {
    let home = Home::new();
    many(&home, 400);
    std::thread::scope(|scope| {
        for n in 0..10 {
            let home = &home;
            scope.spawn(move || {
                let mut writer = home.begin(500 + n);
                for turn in 1..10 {
                    writer.small_run(turn);
                }
            });
            scope.spawn(|| {
                for _ in 0..5 {
                    let listing = home.store.list(&ListFilter::default());
                    assert!(listing.sessions.len() >= 400, "{:?}", listing.skipped);
                }
            });
        }
    });
    assert_eq!(all(&home).len(), 410);
    let left: Vec<_> = fs::read_dir(home.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.as_encoded_bytes().starts_with(b".list"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_file_of_gigabytes_without_a_line_is_listed_or_named_and_not_read() {
    let home = Home::new();
    home.begin(1).small_run(1);
    home.begin(2).small_run(1);
    home.begin(3).small_run(1);
    let month = home.root().join("2026/05");
    let huge = |n: u128, keep: bool| {
        let path = month.join(format!("{}.jsonl", session(n)));
        fs::remove_dir_all(month.join(format!("{}.d", session(n)))).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        if !keep {
            file.set_len(0).unwrap();
        }
        // Sparse, so that it takes no room.
        file.set_len(2_000_000_000).unwrap();
    };
    huge(1, true);
    huge(2, false);
    let listing = home.store.list(&ListFilter::default());
    let ids: Vec<_> = listing.sessions.iter().map(|s| s.id).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&session(1)) && ids.contains(&session(3)));
    let one = listing.sessions.iter().find(|s| s.id == session(1));
    assert!(one.unwrap().partial);
    assert_eq!(listing.skipped.len(), 1);
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
