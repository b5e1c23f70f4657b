//! Kill at any instant: the log may end at any byte.

use crate::build::{Home, asks, assert_valid, broken, denied, result, session, used};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use tenon_session::{SessionError, verify};
use tenon_vocab::{Message, Status};

fn write_everything(home: &Home) -> std::path::PathBuf {
    let mut writer = home.begin(1);
    writer.start(1, "two in parallel, one denied");
    writer.put(asks("Both.", &["c1", "c2", "c3"]));
    writer.put(used("c1"));
    writer.put(used("c2"));
    writer.put(denied("c3"));
    writer.put(result("c2", "second first"));
    writer.put(result("c1", "first second"));
    writer.put(broken("a half sent", Status::Abandoned));
    writer.put(asks("", &["c4"]));
    writer.put(used("c4"));
    let (run, parent) = (writer.run, writer.parent);
    writer.parent = run;
    writer.run = Some(crate::build::run(9));
    writer.put(crate::build::started("a child"));
    writer.put(asks("child looks", &["c1"]));
    writer.put(used("c1"));
    writer.put(result("c1", "child content"));
    writer.put(crate::build::finished(tenon_vocab::Outcome::Completed));
    (writer.run, writer.parent) = (run, parent);
    writer.put(result("c4", "the child says"));
    writer.snapshot();
    writer.put(Message::assistant("naïve ✓ done"));
    writer.finish();
    writer.path()
}

/// Without cutting the file to nothing first: file systems flush such a file
/// when it is closed, and there are thousands of them.
fn overwrite(path: &Path, bytes: &[u8]) {
    let file = File::options().write(true).open(path).unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file.set_len(bytes.len() as u64).unwrap();
}

/// A log that ends after a whole line: checked in every way.
fn open_at_a_boundary(home: &Home, path: &Path, kept: &[u8]) -> Vec<u8> {
    overwrite(path, kept);
    let before = home.store.load(session(1)).unwrap();
    assert!(!before.torn);
    assert_eq!(
        verify(&home.store.read(before.id).unwrap()).unwrap(),
        [],
        "before opening"
    );
    let writer = home.reopen(1);
    assert_valid(writer.state.history().messages());
    assert!(writer.state.open_calls().is_empty());
    assert_eq!(writer.state.open_run(), None);
    assert_eq!(writer.state.history(), before.state().history());
    drop(writer);
    let after = home.store.load(session(1)).unwrap();
    assert_eq!(
        verify(&home.store.read(after.id).unwrap()).unwrap(),
        [],
        "after opening"
    );
    assert!(after.virtual_tail.is_empty());
    let added = &after.records[before.records.len()..];
    assert_eq!(added.len(), before.virtual_tail.len());
    for (really, virtually) in added.iter().zip(&before.virtual_tail) {
        assert_eq!(really.event.kind.name(), virtually.kind.name());
    }
    fs::read(path).unwrap()
}

#[test]
fn a_log_cut_at_every_byte_opens_whole_and_loses_nothing_before_the_cut() {
    let home = Home::new();
    let path = write_everything(&home);
    let whole = fs::read(&path).unwrap();
    let mut boundaries = (1..=whole.len()).filter(|end| whole[end - 1] == b'\n');
    let mut kept = boundaries.next().unwrap();
    loop {
        let next = boundaries.next().unwrap_or(kept);
        let opened = open_at_a_boundary(&home, &path, &whole[..kept]);
        assert!(opened.starts_with(&whole[..kept]));
        // A cut inside of the next line gives the same, to the byte.
        for cut in kept + 1..next {
            overwrite(&path, &whole[..cut]);
            drop(home.reopen(1));
            assert_eq!(fs::read(&path).unwrap(), opened, "cut at {cut}");
        }
        if next == kept {
            break;
        }
        kept = next;
    }
}

#[test]
fn a_torn_line_is_seen_without_being_cut_by_looking() {
    let home = Home::new();
    let path = write_everything(&home);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let loaded = home.store.load(session(1)).unwrap();
    assert!(loaded.torn);
    assert_eq!(verify(&home.store.read(loaded.id).unwrap()).unwrap(), []);
    assert_eq!(fs::read(&path).unwrap().len(), whole.len() - 3);
}

#[test]
fn a_log_without_a_whole_first_line_is_refused_and_can_be_deleted() {
    let home = Home::new();
    let path = write_everything(&home);
    for length in [0, 1, 50] {
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(length)
            .unwrap();
        fs::remove_file(path.with_extension("d").join("digest")).ok();
        let error = home
            .store
            .open(session(1), crate::build::at(0))
            .unwrap_err();
        assert!(matches!(error, SessionError::Empty { .. }), "{error:?}");
        let listing = home.store.list(&tenon_session::ListFilter::default());
        assert_eq!((listing.sessions.len(), listing.skipped.len()), (0, 1));
    }
    home.store.delete(session(1)).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_log_full_of_lines_that_say_nothing_is_counted_and_not_kept() {
    const EMPTY: usize = 1_000_000;
    let home = Home::new();
    let path = write_everything(&home);
    let whole = home.reopen(1).state;
    let text = fs::read_to_string(&path).unwrap();
    let middle = text.match_indices('\n').nth(3).unwrap().0 + 1;
    let spoiled = format!(
        "{}{}{}",
        &text[..middle],
        "\n".repeat(EMPTY),
        &text[middle..]
    );
    fs::write(&path, spoiled).unwrap();
    let writer = home.reopen(1);
    let damage = writer.log.damage();
    assert_eq!(damage.lines, EMPTY);
    assert!(damage.named.len() <= 1_000, "{}", damage.named.len());
    let told = damage.told().unwrap();
    assert!(told.contains("1000000 lines") && told.len() < 200, "{told}");
    assert_eq!(
        writer.state.history().messages(),
        whole.history().messages()
    );
    drop(writer);
    let standing = home.store.standing(session(1)).unwrap();
    assert_eq!(
        standing.state().history().messages(),
        whole.history().messages()
    );
    assert!(home.findings(1).len() <= 1_001);
}

#[test]
fn one_bad_line_does_not_take_the_session_away() {
    let home = Home::new();
    let path = write_everything(&home);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[3] = "\u{0}\u{0} not json";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let writer = home.reopen(1);
    assert_eq!(writer.log.damage().lines, 1);
    assert_valid(writer.state.history().messages());
    drop(writer);
    assert!(!home.findings(1).is_empty());
}

#[test]
fn hostile_bytes_are_an_error_or_damage_and_never_a_panic() {
    let home = Home::new();
    let path = write_everything(&home);
    let whole = fs::read(&path).unwrap();
    let mut seed = 12345_u64;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..4 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = usize::try_from(seed >> 33).unwrap() % bytes.len();
            bytes[at] = u8::try_from((seed >> 20) & 0xff).unwrap();
        }
        fs::write(&path, &bytes).unwrap();
        if let Ok(loaded) = home.store.load(session(1)) {
            let _ = home
                .store
                .read(loaded.id)
                .and_then(|reading| verify(&reading));
        }
        if let Ok((_, state)) = home.store.open(session(1), crate::build::at(0)) {
            assert_valid(state.history().messages());
        }
    }
}
