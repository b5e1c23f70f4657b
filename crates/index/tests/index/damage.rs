//! A database is a cache: whatever happens to it, the search goes on.

use crate::build::{Home, ids, session};
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tenon_index::{Answer, Filter, Freshness, Index, Query, look_up};

fn home() -> Home {
    let home = Home::new();
    home.said(1, &["the needle", "found"]);
    home.said(2, &["the hay", "found"]);
    home.update();
    home
}

fn is_found(answer: &Answer) {
    assert_eq!(ids(&answer.found.hits), [session(1)]);
}

#[test]
fn a_file_that_is_no_database_is_made_again() {
    for rubbish in [
        &b"not a database, but long enough to be looked at"[..],
        &[0xff; 9000],
    ] {
        let home = home();
        fs::write(home.file(), rubbish).unwrap();
        let answer = home.look_up("needle");
        is_found(&answer);
        assert_eq!(
            answer.notes, [""; 0],
            "made again, so there is nothing to say"
        );
        home.update();
        is_found(&home.look_up("needle"));
    }
}

#[test]
fn a_database_with_a_hole_in_it_is_made_again() {
    let home = home();
    let mut bytes = fs::read(home.file()).unwrap();
    let from = 4096.min(bytes.len() / 2);
    bytes[from..].fill(0xaa);
    fs::write(home.file(), bytes).unwrap();
    is_found(&home.look_up("needle"));
    is_found(&home.look_up("needle"));
}

#[test]
fn a_database_that_was_cut_short_is_made_again() {
    let home = home();
    let bytes = fs::read(home.file()).unwrap();
    for length in [0, 1, 100, 4096, bytes.len() / 2, bytes.len() - 1] {
        fs::write(home.file(), &bytes[..length]).unwrap();
        is_found(&home.look_up("needle"));
    }
}

#[test]
fn a_database_of_another_version_is_made_again() {
    for version in [0, 99] {
        let home = home();
        let other = Connection::open(home.file()).unwrap();
        other.execute_batch("DROP TABLE session").unwrap();
        other.pragma_update(None, "user_version", version).unwrap();
        drop(other);
        is_found(&home.look_up("needle"));
    }
}

#[test]
fn a_damaged_database_that_another_process_has_open_is_left_alone() {
    let home = home();
    let other = home.index();
    let damaged = Connection::open(home.file()).unwrap();
    damaged.pragma_update(None, "user_version", 99).unwrap();
    drop(damaged);
    let answer = home.look_up("needle");
    is_found(&answer);
    assert!(
        answer.notes[0].contains("searched the logs instead"),
        "{:?}",
        answer.notes
    );
    drop(other);
    assert_eq!(home.look_up("needle").notes, [""; 0]);
}

#[test]
fn where_no_database_can_be_the_logs_themselves_are_searched() {
    let home = Home::new();
    home.said(1, &["the needle"]);
    fs::create_dir_all(home.file()).unwrap();
    let answer = home.look_up("needle");
    is_found(&answer);
    assert_eq!(answer.notes.len(), 1);
    let cache = home.folder.path().join("cache");
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "a file where a folder should be").unwrap();
    let answer = home.look_up("needle");
    is_found(&answer);
    assert!(answer.notes[0].contains("can't use"), "{:?}", answer.notes);
}

#[test]
fn a_folder_that_cannot_be_written_to_keeps_nobody_from_searching() {
    let home = Home::new();
    home.said(1, &["the needle"]);
    let cache = home.folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o500)).unwrap();
    is_found(&home.look_up("needle"));
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn rows_that_lie_are_passed_over() {
    let home = home();
    let other = Connection::open(home.file()).unwrap();
    // Words that no log says, in the row of another session's passage.
    let row: i64 = other
        .query_row("SELECT max(number) FROM passage", [], |row| row.get(0))
        .unwrap();
    other
        .execute("DELETE FROM words WHERE rowid = ?1", [row])
        .unwrap();
    other
        .execute(
            "INSERT INTO words (rowid, text) VALUES (?1, 'invented')",
            [row],
        )
        .unwrap();
    drop(other);
    assert_eq!(home.look_up("invented").found.hits, []);
    is_found(&home.look_up("needle"));
}

#[test]
fn rebuilding_reads_everything_again() {
    let home = home();
    let other = Connection::open(home.file()).unwrap();
    other
        .execute_batch("DELETE FROM words; DELETE FROM passage")
        .unwrap();
    drop(other);
    assert_eq!(
        home.look_up("needle").found.hits,
        [],
        "it believes that it has all"
    );
    let query = Query::parse("needle").unwrap();
    let rebuilt = |file: &std::path::Path| {
        look_up(
            file,
            &home.store,
            &query,
            &Filter::default(),
            Freshness::Rebuilt,
            &mut |_| {},
        )
    };
    is_found(&rebuilt(&home.file()));
    // Also while another process has it open, and that one goes on.
    let other = home.index();
    is_found(&rebuilt(&home.file()));
    let found = other.search(&query, &Filter::default()).unwrap();
    assert_eq!(ids(&found.hits), [session(1)]);
}

#[test]
fn a_database_that_somebody_locks_for_ever_keeps_nobody_from_searching() {
    let home = home();
    let other = Connection::open(home.file()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let answer = home.look_up("needle");
    is_found(&answer);
    assert!(
        answer.notes[0].contains("another process"),
        "{:?}",
        answer.notes
    );
    other.execute_batch("ROLLBACK").unwrap();
    home.said(3, &["the needle again"]);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = home.look_up("needle");
    let ids: Vec<_> = answer.found.hits.iter().map(|hit| hit.session).collect();
    assert_eq!(ids.len(), 2, "the newest is found, too: {ids:?}");
    assert!(
        answer.notes[0].contains("searched the logs instead"),
        "{:?}",
        answer.notes
    );
}

#[test]
fn an_index_is_opened_and_remade_side_by_side() {
    let home = home();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    match Index::open(&home.file(), &home.store) {
                        Ok(index) => drop(index.rebuild()),
                        Err(error) => panic!("{error}"),
                    }
                    is_found(&home.look_up("needle"));
                }
            });
        }
    });
    is_found(&home.look_up("needle"));
}
