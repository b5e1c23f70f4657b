//! What a command moved: an undo never takes the only copy away.

use super::{Node, Op, REVERT, Session, Tree};
use crate::whole::Dice;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tenon_tools::workspace::sha256;
use tenon_vocab::{BlobRef, Command, Notice, NoticeLevel};

const LARGE: usize = 1_200_000;

fn large(seed: &str) -> String {
    let mut text = format!("{seed}\n").repeat(LARGE / (seed.len() + 1) + 1);
    text.truncate(LARGE + seed.len());
    text
}

fn says(notice: &Notice, words: &str) {
    assert!(notice.message.contains(words), "{}", notice.message);
}

#[tokio::test]
async fn a_large_file_that_was_moved_is_moved_back_and_again() {
    let mut session = Session::new();
    session.write("big.bin", &large("big"));
    session.write("other.txt", "small\n");
    Op::Mode("big.bin".into(), 0o640).by_hand(&session.root());
    let before = session.tree();
    let script = "mv big.bin deep.bin; mkdir -p far/away; mv deep.bin far/away/it; echo 1 > big.bin; mv other.txt there.txt";
    session.bash(script).await;
    session.bash("mv far/away/it other.txt").await;
    let after = session.tree();
    session.ask(Command::Undo).await;
    session.leave().await;
    let notice = session.ask(Command::Undo).await;
    assert!(session.tree() == before, "{}", notice.message);
    assert_eq!(notice.level, NoticeLevel::Info, "{}", notice.message);
    session.ask(Command::Redo).await;
    session.leave().await;
    let notice = session.ask(Command::Redo).await;
    assert!(session.tree() == after, "{}", notice.message);
    let notice = session.ask(Command::Revert { message: Some(1) }).await;
    assert!(session.tree() == before, "{}", notice.message);
    assert_eq!(session.blobs().stored_bytes() / LARGE as u64, 0);
    session.leave().await;
}

#[tokio::test]
async fn a_file_too_large_to_read_is_moved_back_too() {
    let mut session = Session::new();
    let path = session.root().join("huge.bin");
    fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    session.bash("mkdir d; mv huge.bin d/h").await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 30);
    assert!(!session.has("d"), "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_folder_with_large_files_that_was_moved_comes_back() {
    let mut session = Session::new();
    session.write("data/one.bin", &large("one"));
    session.write("data/deep/two.bin", &large("two"));
    session.write("data/small.txt", "small\n");
    let before = session.tree();
    session.bash("mv data data2").await;
    let after = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert!(session.tree() == before, "{}", notice.message);
    let notice = session.ask(Command::Redo).await;
    assert!(session.tree() == after, "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn large_files_that_moved_up_in_a_row_move_back() {
    let mut session = Session::new();
    session.write("log", &large("first"));
    session.write("log.1", &large("second"));
    let before = session.tree();
    session
        .bash("mv log.1 log.2; mv log log.1; echo new > log")
        .await;
    let after = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert!(session.tree() == before, "{}", notice.message);
    let notice = session.ask(Command::Redo).await;
    assert!(session.tree() == after, "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_large_file_that_is_not_as_it_was_moved_stays_where_it_is_and_is_named() {
    for change in [
        "printf x >> renamed.bin",
        "chmod 600 renamed.bin",
        "echo mine > big.bin",
        "mv renamed.bin elsewhere.bin",
    ] {
        let mut session = Session::new();
        session.write("big.bin", &large("big"));
        Op::Mode("big.bin".into(), 0o644).by_hand(&session.root());
        session
            .bash("mv big.bin renamed.bin; echo 1 > new.txt")
            .await;
        let done = std::process::Command::new("sh")
            .args(["-c", change])
            .current_dir(session.root())
            .status();
        assert!(done.unwrap().success());
        let mut wanted = session.tree();
        wanted.remove("new.txt");
        let notice = session.ask(REVERT).await;
        assert!(session.tree() == wanted, "{change}: {}", notice.message);
        says(&notice, "big.bin: ");
        says(&notice, "renamed.bin");
        session.leave().await;
    }
}

#[tokio::test]
async fn a_large_file_that_the_command_moved_and_changed_stays_and_is_named() {
    let mut session = Session::new();
    session.write("big.bin", &large("big"));
    let ops = json!([
        ["rename", "big.bin", "renamed.bin"],
        ["write", "renamed.bin", large("other")]
    ]);
    session.run(&[("hand", json!({ "ops": ops }))]).await;
    let wanted = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert!(session.tree() == wanted);
    says(&notice, "renamed.bin: moved here from big.bin, not made");
    session.leave().await;
}

/// The time is set back, so that nothing but the writing itself gives it away.
#[tokio::test]
async fn a_large_file_that_was_moved_and_written_with_its_old_time_is_not_said_to_be_as_before() {
    let write = "printf EVIL | dd of=$1 conv=notrunc 2>/dev/null; touch -r ../stamp $1";
    let stories = [
        ("mv big.bin new.bin; w new.bin", "new.bin"),
        ("w big.bin; mv big.bin new.bin", "new.bin"),
        (
            "mv big.bin t; w t; mv t new.bin; echo 1 > big.bin",
            "new.bin",
        ),
        ("w d/in.bin; mv d e", "e/in.bin"),
        ("mv d e; w e/in.bin", "e/in.bin"),
    ];
    for (story, path) in stories {
        let mut session = Session::new();
        session.write("big.bin", &large("big"));
        session.write("d/in.bin", &large("in"));
        let stamp = "touch -r big.bin d/in.bin; cp -p big.bin ../stamp; true";
        session.bash(stamp).await;
        session.bash(&format!("w() {{ {write}; }}; {story}")).await;
        assert_eq!(&session.read(path)[..4], "EVIL");
        let notice = session.ask(Command::Undo).await;
        assert_eq!(
            &session.read(path)[..4],
            "EVIL",
            "{story}: {}",
            notice.message
        );
        assert_eq!(
            notice.level,
            NoticeLevel::Warning,
            "{story}: {}",
            notice.message
        );
        says(&notice, &format!("{path}: moved here from "));
        session.leave().await;
    }
}

#[tokio::test]
async fn of_a_large_file_that_was_moved_back_it_is_said_that_nobody_has_read_it() {
    let mut session = Session::new();
    session.write("big.bin", &large("big"));
    session.bash("mv big.bin new.bin").await;
    let notice = session.ask(Command::Undo).await;
    says(&notice, "moved back   big.bin");
    says(&notice, "were not read");
    session.leave().await;
}

#[tokio::test]
async fn large_files_that_changed_places_stay_and_are_named() {
    let mut session = Session::new();
    session.write("a.bin", &large("first"));
    session.write("b.bin", &large("second"));
    session.bash("mv a.bin t; mv b.bin a.bin; mv t b.bin").await;
    let wanted = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert!(session.tree() == wanted);
    says(&notice, "a.bin: it was moved here from b.bin");
    says(&notice, "b.bin: it was moved here from a.bin");
    session.leave().await;
}

#[tokio::test]
async fn what_was_ignored_or_outside_and_was_moved_in_stays() {
    let mut session = Session::new();
    session.write(".gitignore", "*.db\nsecret/\n");
    session.write("user.db", "all users\n");
    session.write("secret/u", "a secret\n");
    session.write("over.txt", "what is there\n");
    session.write("third.db", "third\n");
    let beside = session.world.dir.path().join("ext");
    fs::create_dir_all(beside.join("folder")).unwrap();
    fs::write(beside.join("p.txt"), "theirs\n").unwrap();
    fs::write(beside.join("folder/q.txt"), "theirs too\n").unwrap();
    // Long enough ago for any clock.
    session.bash("sleep 0.1").await;
    session
        .bash("mv user.db user.db.bak; mv secret/u moved_u; mv ../ext/p.txt ../ext/folder .; mv third.db over.txt; echo 1 > made.txt")
        .await;
    let notice = session.ask(REVERT).await;
    for (path, text) in [
        ("user.db.bak", "all users\n"),
        ("moved_u", "a secret\n"),
        ("p.txt", "theirs\n"),
        ("folder/q.txt", "theirs too\n"),
        ("over.txt", "third\n"),
    ] {
        assert!(session.has(path), "{path}: {}", notice.message);
        assert_eq!(session.read(path), text);
        says(&notice, &format!("{path}: moved here, not made"));
    }
    assert!(!session.has("made.txt"));
    session.leave().await;
}

#[tokio::test]
async fn a_copy_with_the_old_time_is_taken_for_a_move_from_another_disk() {
    let mut session = Session::new();
    let beside = session.world.dir.path().join("p.txt");
    fs::write(&beside, "theirs\n").unwrap();
    session.write("inside.txt", "ours\n");
    session.bash("sleep 0.1").await;
    // What `mv` does between two file systems.
    session
        .bash("cp -p ../p.txt . && rm ../p.txt; cp -p inside.txt copy.txt")
        .await;
    session.ask(Command::Undo).await;
    assert_eq!(session.read("p.txt"), "theirs\n");
    assert!(!session.has("copy.txt"), "its original is still there");
    session.leave().await;
}

#[tokio::test]
async fn a_copy_of_a_large_file_that_was_then_removed_stays() {
    let mut session = Session::new();
    session.write("big.bin", &large("big"));
    session.bash("cat big.bin > other.bin; rm big.bin").await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("other.bin"), large("big"));
    says(&notice, "other.bin: it may be all that is left of big.bin");
    session.leave().await;
}

#[tokio::test]
async fn a_second_name_of_a_large_file_stays() {
    let mut session = Session::new();
    session.write("big.bin", &large("big"));
    session.bash("ln big.bin second.bin").await;
    session.bash("rm big.bin").await;
    session.ask(Command::Undo).await;
    session.ask(Command::Undo).await;
    assert_eq!(session.read("second.bin"), large("big"));
    session.leave().await;
}

#[tokio::test]
async fn small_files_that_changed_places_change_back_and_again() {
    let mut session = Session::new();
    session.write("a.txt", "first\n");
    session.write("b.txt", "second\n");
    session.write("src/c.txt", "third\n");
    session.write("over.txt", "fourth\n");
    let before = session.tree();
    session
        .bash(
            "mv a.txt t; mv b.txt a.txt; mv t b.txt; mv src lib; mv lib/c.txt over.txt; rmdir lib",
        )
        .await;
    let after = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), after);
    session.leave().await;
}

#[tokio::test]
async fn what_was_moved_stays_when_its_old_place_is_taken() {
    let mut session = Session::new();
    session.write("a.txt", "precious\n");
    session.bash("mv a.txt b.txt").await;
    session.write("a.txt", "by the user\n");
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "by the user\n");
    assert_eq!(session.read("b.txt"), "precious\n");
    says(&notice, "b.txt: it has the content of a.txt");
    session.leave().await;
}

#[tokio::test]
async fn what_was_moved_stays_when_something_else_stands_where_its_folder_was() {
    for way in ["mv x.db src", "ln -s elsewhere src", "mv x.db src/deep"] {
        let mut session = Session::new();
        session.write(".gitignore", "*.db\n");
        session.write("x.db", "ignored\n");
        session.write("src/deep/one.txt", "precious\n");
        session.write("src/deep/big.bin", &large("big"));
        session.bash("sleep 0.1").await;
        let (from, to) = match way {
            "mv x.db src/deep" => ("src/deep", "moved"),
            _ => ("src", "moved"),
        };
        session.bash(&format!("mv {from} {to}")).await;
        let stands = std::process::Command::new("sh")
            .args(["-c", way])
            .current_dir(session.root())
            .status();
        assert!(stands.unwrap().success());
        let wanted = session.tree();
        let notice = session.ask(Command::Undo).await;
        assert!(session.tree() == wanted, "{way}: {}", notice.message);
        says(&notice, "src/deep/one.txt: ");
        says(&notice, "moved/");
        session.leave().await;
    }
}

#[tokio::test]
async fn a_command_in_a_tree_that_is_not_watched_is_named_by_an_undo() {
    let mut session = Session::new();
    // More than is looked at, and quickly made: names of one file.
    session.write("many/0", "x");
    let many = session.root().join("many");
    for folder in 0..8 {
        let folder = many.join(format!("d{folder}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..25_100 {
            fs::hard_link(many.join("0"), folder.join(file.to_string())).unwrap();
        }
    }
    session.bash("echo 1 > new.txt").await;
    let notice = session.ask(Command::Undo).await;
    says(&notice, "what commands changed: not watched: ");
    assert!(session.has("new.txt"));
    session.leave().await;
}

/// Every content of the tree, by hash.
fn contents(tree: &Tree) -> BTreeMap<String, u64> {
    tree.values()
        .filter_map(|node| match node {
            Node::File(bytes, _) | Node::Link(bytes) => Some((sha256(bytes), bytes.len() as u64)),
            Node::Folder(_) => None,
        })
        .collect()
}

const PLACES: &[&str] = &[
    "a.txt",
    "b.txt",
    "big.bin",
    "x.db",
    "y.db",
    "src/one.rs",
    "src/big.bin",
    "src/z.db",
    "lib/two.rs",
    "secret/key",
    "deep/er/three.rs",
    "../beside/p",
    "../beside/q",
];
const FOLDERS: &[&str] = &[
    "src",
    "lib",
    "secret",
    "deep",
    "deep/er",
    "moved",
    "../beside",
];

struct Tale {
    dice: Dice,
    count: u64,
}

impl Tale {
    fn text(&mut self) -> String {
        self.count += 1;
        let seed = format!("text {} ", self.count);
        match self.dice.roll(6) {
            0 => large(&seed),
            lines => seed.repeat(lines as usize),
        }
    }

    fn line(&mut self) -> String {
        let (a, b) = (self.dice.one(PLACES), self.dice.one(PLACES));
        let (f, g) = (self.dice.one(FOLDERS), self.dice.one(FOLDERS));
        let made = self.count;
        self.count += 1;
        match self.dice.roll(9) {
            0..=2 => format!("mkdir -p $(dirname {b}); test -d {b} || mv -f {a} {b}"),
            3 => format!("mv {f} {g}"),
            4 => format!("mv {a} {g}"),
            5 => format!("mv {a} t && mv {b} {a} && mv t {b}"),
            6 => format!("mkdir -p $(dirname {a}); echo made {made} > {a}"),
            7 => format!("ln {a} {b}"),
            _ => format!("cp -p {a} {b} && rm {a}"),
        }
    }
}

/// No content that the user had in the project is taken from the tree by an undo
/// or a revert, and nothing at all is gone that a redo would need.
async fn tale(seed: u64) {
    let mut session = Session::new();
    let mut tale = Tale {
        dice: Dice(seed.wrapping_mul(104_729) + 5),
        count: seed * 1_000,
    };
    session.write(".gitignore", "*.db\nsecret/\n");
    let mut users: BTreeSet<String> = BTreeSet::new();
    for path in PLACES {
        let text = tale.text();
        session.write(path, &text);
        users.insert(sha256(text.as_bytes()));
    }
    let mut told = String::new();
    for step in 0..8 {
        let before = contents(&session.tree());
        let (what, is_back) = match tale.dice.roll(10) {
            0..=4 => {
                let count = 1 + tale.dice.roll(3);
                let lines: Vec<String> = (0..count).map(|_| tale.line()).collect();
                let script = lines.join("\n") + "\ntrue";
                session.bash(&script).await;
                told += &format!("--\n{script}\n");
                continue;
            }
            5 => {
                let (path, text) = (tale.dice.one(PLACES), tale.text());
                session.write(path, &text);
                users.insert(sha256(text.as_bytes()));
                told += &format!("-- user writes {path}\n");
                continue;
            }
            6 | 7 => (session.ask(Command::Undo).await.message, true),
            8 => (session.ask(REVERT).await.message, true),
            _ => (session.ask(Command::Redo).await.message, false),
        };
        told += &format!("-- {what}\n");
        let after = contents(&session.tree());
        let blobs = session.blobs();
        for (hash, bytes) in before {
            let stands = after.contains_key(&hash);
            let blob = BlobRef {
                sha256: hash.clone(),
                bytes,
            };
            let is_users = is_back && users.contains(&hash);
            assert!(
                stands || (!is_users && blobs.get(&blob).is_ok()),
                "seed {seed}, step {step}: {bytes} bytes are gone\n{told}"
            );
        }
    }
    session.leave().await;
}

#[tokio::test]
async fn nothing_that_was_moved_is_lost_in_histories_0_to_39() {
    for seed in 0..40 {
        tale(seed).await;
    }
}

#[tokio::test]
async fn nothing_that_was_moved_is_lost_in_histories_40_to_79() {
    for seed in 40..80 {
        tale(seed).await;
    }
}

/// `TENON_HISTORIES=from-to` tells any others.
#[tokio::test]
async fn nothing_that_was_moved_is_lost_in_the_histories_that_are_named() {
    let Ok(wanted) = std::env::var("TENON_HISTORIES") else {
        return;
    };
    let (from, to) = wanted.split_once('-').unwrap();
    for seed in from.parse().unwrap()..to.parse().unwrap() {
        tale(seed).await;
    }
}
