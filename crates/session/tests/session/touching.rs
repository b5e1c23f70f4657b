//! Which files a session changed, from its checkpoints.

use crate::build::{Home, session};
use tenon_session::{After, Before, touched};
use tenon_vocab::{BlobRef, Checkpoint, CheckpointAction, FileChange, FileMark, Unkept};

fn change(path: &str, before: Option<&BlobRef>, after: Option<&str>) -> FileChange {
    FileChange {
        path: path.to_owned(),
        mode: before.map(|_| 0o644),
        before: before.cloned(),
        after: after.map(ToOwned::to_owned),
        after_mode: None,
        ..FileChange::default()
    }
}

fn saved(files: Vec<FileChange>) -> Checkpoint {
    Checkpoint {
        action: CheckpointAction::Saved,
        call: None,
        to_seq: None,
        files,
        unkept: Vec::new(),
        ahead: false,
        untouched: Vec::new(),
    }
}

#[test]
fn a_file_that_was_only_moved_is_told_in_both_places_as_not_known() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let mark = FileMark {
        device: 1,
        inode: 2,
        bytes: 3_000_000,
        modified: (4, 5),
    };
    writer.put(saved(vec![
        FileChange {
            mode: Some(0o644),
            before_mark: Some(mark.clone()),
            ..change("from", None, None)
        },
        FileChange {
            after_mode: Some(0o644),
            after_mark: Some(mark),
            ..change("to", None, None)
        },
    ]));
    drop(writer);
    let found = home.store.touched(session(1)).unwrap();
    assert_eq!(found.len(), 2);
    assert!(matches!(&found[0].before, Before::Unkept(_)), "{found:?}");
    assert_eq!(found[0].after, After::Gone);
    assert!(matches!(&found[1].before, Before::Unkept(_)), "{found:?}");
    assert_eq!(found[1].after, After::Unknown);
    let changed = home.store.load(session(1)).unwrap().changed_files();
    let paths: Vec<&str> = changed.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["from", "to"]);
}

#[test]
fn a_file_is_told_from_its_first_state_to_its_last() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let blobs = writer.log.blobs();
    let (one, two) = (blobs.put(b"one").unwrap(), blobs.put(b"two").unwrap());
    writer.put(saved(vec![change("a", Some(&one), Some("h2"))]));
    writer.put(saved(vec![change("new", None, Some("h9"))]));
    writer.put(saved(vec![
        change("a", Some(&two), Some("h3")),
        change("gone", Some(&one), None),
    ]));
    writer.put(Checkpoint {
        action: CheckpointAction::Undone,
        to_seq: Some(1),
        unkept: vec![Unkept {
            path: String::from("mine"),
            reason: String::from("left as it is"),
        }],
        ..saved(vec![change("new", Some(&two), None)])
    });
    writer.put(Checkpoint {
        unkept: vec![Unkept {
            path: String::from("large"),
            reason: String::from("larger than is kept"),
        }],
        ..saved(vec![FileChange {
            mode: Some(0o040_755),
            ..change("folder", None, None)
        }])
    });
    drop(writer);
    let found = home.store.touched(session(1)).unwrap();
    let kept = |content: &BlobRef| Before::Kept {
        content: content.clone(),
        mode: Some(0o644),
    };
    let told: Vec<(&str, Before, After)> = found
        .iter()
        .map(|file| (file.path.as_str(), file.before.clone(), file.after.clone()))
        .collect();
    assert_eq!(
        told,
        [
            ("a", kept(&one), After::Content(String::from("h3"))),
            ("gone", kept(&one), After::Gone),
            (
                "large",
                Before::Unkept(String::from("larger than is kept")),
                After::Unknown
            ),
            ("new", Before::Absent, After::Gone),
        ]
    );
    assert_eq!(
        touched(home.store.load(session(1)).unwrap().events()),
        found
    );
}

#[test]
fn what_was_only_kept_ahead_is_no_change_until_it_is_one() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let one = writer.log.blobs().put(b"one").unwrap();
    writer.put(Checkpoint {
        ahead: true,
        ..saved(vec![
            change("a", Some(&one), None),
            change("b", Some(&one), None),
        ])
    });
    writer.put(Checkpoint {
        unkept: vec![Unkept {
            path: String::from("b"),
            reason: String::from("too many"),
        }],
        ..saved(Vec::new())
    });
    drop(writer);
    let found = home.store.touched(session(1)).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, "b");
    assert!(
        matches!(found[0].before, Before::Kept { .. }),
        "the state from ahead is known"
    );
}
