//! Finding and removing sessions.

use crate::build::{Home, at, meta, session, settings};
use std::fs;
use std::time::Duration;
use tenon_session::SessionError;
use tenon_vocab::SessionId;

#[test]
fn finds_by_whole_id_and_by_unique_beginning() {
    let home = Home::new();
    let ids: Vec<SessionId> = [
        "0197f0aa-0000-4000-8000-000000000001",
        "0197f0ab-0000-4000-8000-000000000002",
        "f0000000-0000-4000-8000-000000000003",
    ]
    .iter()
    .map(|text| text.parse().unwrap())
    .collect();
    for id in &ids {
        drop(home.store.create(&meta(*id, "/p")).unwrap());
    }
    let find = |text: &str| home.store.find(text);
    assert_eq!(find("f").unwrap(), ids[2]);
    assert_eq!(find("F0000000-0000").unwrap(), ids[2]);
    assert_eq!(find("0197f0ab").unwrap(), ids[1]);
    assert_eq!(find(&ids[0].to_string()).unwrap(), ids[0]);
    assert_eq!(find(&ids[0].0.simple().to_string()).unwrap(), ids[0]);
    match find("0197f0a").unwrap_err() {
        SessionError::Ambiguous { candidates, .. } => assert_eq!(candidates, ids[..2]),
        other => panic!("{other}"),
    }
    assert!(matches!(find("abc"), Err(SessionError::NotFound { .. })));
    assert!(matches!(
        find("0197f0aa-0000-4000-8000-00000000000f"),
        Err(SessionError::NotFound { .. })
    ));
    for text in [
        "",
        "-",
        "hello",
        "../x",
        "0197f0aa-0000-4000-8000-0000000000011",
    ] {
        assert!(
            matches!(find(text), Err(SessionError::NotAnId { .. })),
            "{text}"
        );
    }
    assert!(home.store.exists(ids[0]));
    assert!(!home.store.exists(session(9)));
}

#[test]
fn what_does_not_exist_cannot_be_opened_loaded_or_deleted() {
    let home = Home::new();
    let id = session(1);
    assert!(matches!(
        home.store.open(id, at(0)),
        Err(SessionError::NotFound { .. })
    ));
    assert!(matches!(
        home.store.load(id),
        Err(SessionError::NotFound { .. })
    ));
    assert!(matches!(
        home.store.delete(id),
        Err(SessionError::NotFound { .. })
    ));
    assert!(!home.root().exists(), "looking makes nothing");
}

#[test]
fn deleting_removes_all_and_is_refused_while_the_session_is_in_use() {
    let home = Home::new();
    let writer = home.begin(1);
    let path = writer.path();
    assert!(matches!(
        home.store.delete(session(1)),
        Err(SessionError::Locked { .. })
    ));
    assert!(path.exists());
    drop(writer);
    home.store.delete(session(1)).unwrap();
    assert!(!path.exists());
    assert!(!path.with_extension("d").exists());
    assert!(!home.root().join("2026").exists(), "empty folders go too");
    // And the id is free again.
    drop(home.begin(1));
}

#[test]
fn a_pin_in_the_middle_of_a_long_log_without_a_digest_is_seen() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let fill = |writer: &mut crate::build::Writer| (1..=300).for_each(|n| writer.small_run(n));
    fill(&mut writer);
    let mut pinned = settings(None);
    pinned.pinned = true;
    writer.put(pinned);
    fill(&mut writer);
    let digest = writer.log.folder().unwrap().join("digest");
    drop(writer);
    fs::remove_file(digest).unwrap();
    let later = at(1_000 * 24 * 3600);
    assert_eq!(home.store.prune(Duration::from_secs(3600), later), []);
    assert!(home.store.exists(session(1)));
}

#[test]
fn pruning_takes_the_old_and_leaves_the_pinned_the_used_and_the_damaged() {
    const DAY: i64 = 24 * 3600;
    let home = Home::new();
    for n in 1..=4 {
        home.begin(n).small_run(1);
    }
    let mut pinned = settings(None);
    pinned.pinned = true;
    home.reopen(2).put(pinned);
    let in_use = home.reopen(3);
    let damaged = home.root().join(format!("2026/05/{}.jsonl", session(5)));
    fs::write(&damaged, "???").unwrap();
    let orphan = home.root().join(format!("2026/05/{}.d", session(6)));
    fs::create_dir(&orphan).unwrap();

    let month = Duration::from_secs(30 * 24 * 3600);
    assert_eq!(home.store.prune(month, at(29 * DAY)), []);
    let mut removed = home.store.prune(month, at(31 * DAY));
    removed.sort();
    assert_eq!(removed, [session(1), session(4)]);
    assert!(home.store.exists(session(2)));
    assert!(home.store.exists(session(3)));
    assert!(damaged.exists());
    drop(in_use);
    assert_eq!(home.store.prune(month, at(31 * DAY)), [session(3)]);
    // The orphan is young by its file time, whatever the logs say.
    assert!(orphan.exists());
    let later = tenon_vocab::Timestamp::now() + Duration::from_secs(31 * 24 * 3600);
    home.store.prune(month, later);
    assert!(!orphan.exists());
}
