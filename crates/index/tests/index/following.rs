//! The index follows the logs: only what is new is read, and what is gone goes.

use crate::build::{Home, session};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tenon_index::Updated;
use tenon_vocab::SessionId;

fn read(count: usize) -> Updated {
    Updated {
        read: count,
        ..Updated::default()
    }
}

#[test]
fn what_is_appended_is_found_and_nothing_is_read_twice() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.said(&["first words"]);
    home.said(2, &["something else"]);
    assert_eq!(home.update(), read(2));
    assert_eq!(home.update(), Updated::default());
    writer.said(&["later words"]);
    assert_eq!(home.update(), read(1));
    assert_eq!(home.found("later"), [session(1)]);
    assert_eq!(home.found("first"), [session(1)]);
    let hits = home.find("later");
    assert_eq!(hits[0].message, Some(2), "the count goes on");
    assert_eq!(home.find("words")[0].passages, 2, "none is there twice");
}

#[test]
fn an_index_that_is_up_to_date_is_not_written_to() {
    let home = Home::new();
    home.said(1, &["words"]);
    home.update();
    let before = fs::read(home.file()).unwrap();
    assert_eq!(home.found("words"), [session(1)]);
    assert_eq!(fs::read(home.file()).unwrap(), before);
}

#[test]
fn a_line_that_is_still_being_written_is_read_when_it_is_whole() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.said(&["first"]);
    let path = writer.log.path().unwrap().to_owned();
    let whole = fs::read(&path).unwrap();
    writer.said(&["second"]);
    let both = fs::read(&path).unwrap();
    fs::write(&path, &both[..both.len() - 10]).unwrap();
    home.update();
    assert_eq!(home.found("second"), []);
    assert!(both.len() > whole.len());
    fs::write(&path, &both).unwrap();
    assert_eq!(home.update(), read(1));
    assert_eq!(home.found("second"), [session(1)]);
    assert_eq!(home.find("second")[0].message, Some(2));
}

#[test]
fn a_session_that_is_deleted_goes_with_its_words() {
    let home = Home::new();
    home.said(1, &["confidential plans"]);
    home.said(2, &["ordinary plans"]);
    home.update();
    home.store.delete(session(1)).unwrap();
    let updated = home.update();
    assert_eq!((updated.read, updated.removed), (0, 1));
    assert_eq!(home.found("plans"), [session(2)]);
    let bytes = fs::read(home.file()).unwrap();
    let word = b"confidential";
    let is_there = bytes.windows(word.len()).any(|part| part == word);
    assert!(!is_there, "of a small index nothing is left in the file");
}

#[test]
fn a_fork_is_a_session_of_its_own() {
    let home = Home::new();
    home.said(1, &["common beginning"]);
    home.update();
    let (log, _) = home.store.fork(session(1), session(2), None).unwrap();
    drop(log);
    let mut fork = home.reopen(2, 90_000);
    fork.said(&["another way"]);
    drop(fork);
    assert_eq!(home.found("beginning"), [session(2), session(1)]);
    assert_eq!(home.found("another"), [session(2)]);
}

#[test]
fn a_new_title_is_found_and_the_old_one_is_not() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.said(&["hello"]);
    writer.titled("Northern lights");
    assert_eq!(home.found("northern"), [session(1)]);
    writer.titled("Southern cross");
    assert_eq!(home.found("southern"), [session(1)]);
    assert_eq!(home.found("northern"), []);
    assert_eq!(home.find("southern")[0].title, "Southern cross");
}

#[test]
fn a_log_that_is_another_one_now_is_read_from_its_beginning() {
    let home = Home::new();
    home.said(1, &["what was there before, at some length"]);
    home.update();
    home.store.delete(session(1)).unwrap();
    home.said(
        1,
        &[
            "something new",
            "and it is longer than what was there before",
        ],
    );
    home.update();
    assert_eq!(home.found("something"), [session(1)]);
    assert_eq!(home.found("length"), []);
    // Shorter than before.
    home.store.delete(session(1)).unwrap();
    home.said(1, &["short"]);
    assert_eq!(home.found("short"), [session(1)]);
    assert_eq!(home.found("something"), []);
}

#[test]
fn damage_in_a_log_hides_neither_its_rest_nor_other_sessions() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.said(&["before"]);
    let path = writer.log.path().unwrap().to_owned();
    let half = fs::read(&path).unwrap().len();
    writer.said(&["damaged", "after"]);
    drop(writer);
    let mut bytes = fs::read(&path).unwrap();
    bytes[half + 3..half + 20].fill(0xff);
    fs::write(&path, bytes).unwrap();
    home.said(2, &["other"]);
    home.said(3, &["empty"]);
    let month = path.parent().unwrap();
    fs::write(month.join(format!("{}.jsonl", session(3))), b"").unwrap();
    fs::remove_dir_all(month.join(format!("{}.d", session(3)))).unwrap();
    let updated = home.update();
    let unread: Vec<SessionId> = updated.unread.iter().map(|(id, _)| *id).collect();
    assert_eq!((updated.read, unread), (2, vec![session(3)]));
    assert_eq!(home.found("before"), [session(1)]);
    assert_eq!(home.found("after"), [session(1)]);
    assert_eq!(home.found("damaged"), []);
    assert_eq!(home.found("other"), [session(2)]);
}

#[test]
fn only_its_owner_can_read_the_index() {
    let home = Home::new();
    home.said(1, &["words"]);
    home.update();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.file()), 0o600);
    assert_eq!(mode(home.file().parent().unwrap()), 0o700);
}

#[test]
fn a_home_without_sessions_has_nothing_to_find() {
    let home = Home::new();
    assert_eq!(home.update(), Updated::default());
    assert_eq!(home.found("anything"), []);
}
