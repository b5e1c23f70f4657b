//! The writer: one record a line, in order, private, alone.

use crate::build::{Home, at, meta, result, session, settings};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use tenon_session::{Log, SessionError, Store};
use tenon_vocab::{Event, EventKind, Message, RunState, StateChanged};

#[test]
fn writes_one_line_for_each_event_and_tells_its_offset() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    let path = writer.path();
    let bytes = fs::read_to_string(&path).unwrap();
    let loaded = home.store.load(session(1)).unwrap();
    assert_eq!(bytes.lines().count(), loaded.records.len());
    for record in &loaded.records {
        let from = usize::try_from(record.offset).unwrap();
        assert!(bytes[from..].starts_with(&record.line));
    }
    assert!(path.ends_with(format!("2026/05/{}.jsonl", session(1))));
}

#[test]
fn files_and_folders_are_for_the_owner_only() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(result("c1", &"x".repeat(100_000)));
    writer.finish();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = writer.log.folder().unwrap();
    assert_eq!(mode(&writer.path()), 0o600);
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("blobs")), 0o700);
    assert_eq!(mode(&home.root()), 0o700);
    for file in ["lock", "digest"] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
    for blob in fs::read_dir(folder.join("blobs")).unwrap() {
        assert_eq!(mode(&blob.unwrap().path()), 0o600);
    }
}

#[test]
fn refuses_an_event_out_of_sequence_and_one_that_is_not_durable() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let mut event = meta(session(1), "/project");
    event.kind = Message::user("hi").into();
    event.seq = 7;
    assert!(matches!(
        writer.log.append(&event),
        Err(SessionError::OutOfSequence {
            expected: 1,
            found: 7
        })
    ));
    event.seq = 1;
    event.kind = EventKind::State(StateChanged::from(RunState::Idle));
    assert!(matches!(
        writer.log.append(&event),
        Err(SessionError::NotDurable { .. })
    ));
    assert_eq!(writer.log.next_seq(), 1);
}

#[test]
fn the_first_event_must_be_meta_and_an_id_is_taken_once() {
    let home = Home::new();
    let mut event = meta(session(1), "/project");
    event.kind = Message::user("hi").into();
    assert!(matches!(
        home.store.create(&event),
        Err(SessionError::NotMeta { .. })
    ));
    let first = meta(session(1), "/project");
    drop(home.store.create(&first).unwrap());
    assert!(matches!(
        home.store.create(&first),
        Err(SessionError::Exists { .. })
    ));
    // Also when the second would fall into another month.
    let mut later = first;
    later.ts = at(90 * 24 * 3600);
    assert!(matches!(
        home.store.create(&later),
        Err(SessionError::Exists { .. })
    ));
}

#[test]
fn a_second_writer_is_refused_with_the_pid_of_the_first() {
    let home = Home::new();
    let writer = home.begin(1);
    let other = Store::new(home.root());
    let error = other.open(session(1), at(0)).unwrap_err();
    let pid = std::process::id();
    assert!(matches!(error, SessionError::Locked { pid: found, .. } if found == pid));
    assert!(
        error
            .to_string()
            .contains(&format!("{} is in use by process {pid}", session(1)))
    );
    assert_eq!(other.load(session(1)).unwrap().in_use_by, Some(pid));
    drop(writer);
    assert_eq!(other.load(session(1)).unwrap().in_use_by, None);
    other.open(session(1), at(0)).unwrap();
}

#[test]
fn twenty_threads_make_twenty_whole_sessions() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for n in 0..20 {
            let home = &home;
            scope.spawn(move || {
                let mut writer = home.begin(n);
                for run in 1..=5 {
                    writer.small_run(run);
                }
            });
        }
    });
    let listing = home.store.list(&tenon_session::ListFilter::default());
    assert_eq!(listing.sessions.len(), 20);
    assert!(listing.skipped.is_empty());
    for n in 0..20 {
        assert_eq!(home.findings(n), []);
        assert_eq!(home.reopen(n).state.runs(), 5);
    }
}

#[test]
fn of_many_threads_that_create_one_id_just_one_wins() {
    let home = Home::new();
    let won = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| match home.store.create(&meta(session(1), "/p")) {
                Ok(_) => {
                    won.fetch_add(1, Ordering::Relaxed);
                }
                Err(SessionError::Exists { .. } | SessionError::Locked { .. }) => {}
                Err(error) => panic!("{error}"),
            });
        }
    });
    assert_eq!(won.into_inner(), 1);
    assert_eq!(home.findings(1), []);
}

#[test]
fn reads_from_any_seq_what_was_written() {
    let home = Home::new();
    let mut writer = home.begin(1);
    for run in 1..=40 {
        writer.small_run(run);
    }
    let all = writer.log.read_from(0).unwrap();
    assert_eq!(all.len() as u64, writer.log.next_seq());
    for seq in [0, 1, 63, 64, 65, 130, writer.log.next_seq() - 1] {
        let from = usize::try_from(seq).unwrap();
        assert_eq!(writer.log.read_from(seq).unwrap(), all[from..]);
    }
    assert_eq!(writer.log.read_from(10_000).unwrap(), []);
    drop(writer);
    let again = home.reopen(1);
    assert_eq!(again.log.read_from(130).unwrap(), all[130..]);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_said_plainly() {
    let home = Home::new();
    // Root may write everywhere but into the kernel's own file system.
    let root = if rustix::process::geteuid().is_root() {
        std::path::PathBuf::from("/sys/sessions")
    } else {
        let folder = home.folder.path().join("locked");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
        folder.join("sessions")
    };
    let error = Store::new(root)
        .create(&meta(session(1), "/project"))
        .unwrap_err();
    assert!(matches!(error, SessionError::ReadOnly { .. }), "{error:?}");
    assert!(error.to_string().contains("--no-save"), "{error}");
}

#[test]
fn a_newer_schema_is_refused_with_both_versions() {
    let home = Home::new();
    let path = home.begin(1).path();
    let text = fs::read_to_string(&path).unwrap();
    let newer = text.replace("\"schema_version\":1", "\"schema_version\":99");
    fs::write(&path, newer).unwrap();
    fs::remove_file(path.with_extension("d").join("digest")).unwrap();
    for error in [
        home.store.open(session(1), at(0)).unwrap_err(),
        home.store.load(session(1)).unwrap_err(),
    ] {
        assert!(matches!(
            error,
            SessionError::NewerSchema {
                found: 99,
                known: 1,
                ..
            }
        ));
        assert!(error.to_string().contains("99"));
    }
}

#[test]
fn an_unsaved_session_leaves_nothing_behind() {
    let (mut log, mut state) = Log::ephemeral(&meta(session(1), "/project")).unwrap();
    assert!(log.path().is_none());
    let mut events: Vec<Event> = Vec::new();
    for seq in 1..=5000 {
        let mut event = meta(session(1), "/project");
        event.seq = seq;
        event.kind = settings(None).into();
        let offset = log.append(&event).unwrap();
        state.apply(&event, offset);
        events.push(event);
    }
    assert_eq!(log.read_from(4990).unwrap(), events[4989..]);
    let oldest = log.read_from(0).unwrap();
    assert!(oldest.len() < 5000, "the ring is bounded");
    assert_eq!(log.bytes_since_snapshot(), 0);
    log.sync().unwrap();

    let blobs = log.blobs();
    let small = blobs.put(b"small").unwrap();
    let large = blobs.put(&vec![7; 40 * 1024 * 1024]).unwrap();
    assert_eq!(blobs.get(&small).unwrap(), b"small");
    assert_eq!(blobs.get(&large).unwrap().len(), 40 * 1024 * 1024);
    let folder = log.folder().unwrap();
    fs::create_dir(folder.join("out")).unwrap();
    assert_eq!(
        fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    drop((log, blobs));
    assert!(!folder.exists());
}

const CHILD: &str = "TENON_TEST_FULL_DISK";

/// The part that runs with a limit on the size of files.
fn write_until_full(folder: &std::path::Path) {
    let store = Store::new(folder.to_path_buf());
    let (mut log, _) = store.create(&meta(session(1), "/project")).unwrap();
    let error = loop {
        let mut event = meta(session(1), "/project");
        event.seq = log.next_seq();
        event.kind = Message::user("x".repeat(3000)).into();
        if let Err(error) = log.append(&event) {
            break error;
        }
    };
    assert!(matches!(error, SessionError::DiskFull { .. }), "{error:?}");
    assert!(error.to_string().contains("disk is full"), "{error}");
    let text = fs::read_to_string(log.path().unwrap()).unwrap();
    assert!(text.ends_with('\n'), "no torn record is left");
    assert_eq!(text.lines().count() as u64, log.next_seq());
}

#[test]
fn a_full_disk_is_said_plainly_and_leaves_a_whole_log() {
    if let Some(folder) = std::env::var_os(CHILD) {
        write_until_full(folder.as_ref());
        return;
    }
    let home = Home::new();
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 100; exec \"$0\" --exact \"$1\"")
        .arg(std::env::current_exe().unwrap())
        .arg("logs::a_full_disk_is_said_plainly_and_leaves_a_whole_log")
        .env(CHILD, home.root())
        .status()
        .unwrap();
    assert!(status.success());
    let before = home.store.load(session(1)).unwrap().records.len();
    assert!(before > 10);
    let mut writer = home.reopen(1);
    writer.small_run(1);
    drop(writer);
    assert_eq!(home.findings(1), []);
}
