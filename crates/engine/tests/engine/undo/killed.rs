//! An undo that is killed in the middle: nothing is lost, and both ways are open.
//! And what changes between the plan and the deed.

use super::{Session, Tree};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use tenon_engine::undo::{Outcome, Plan, Stage, records};
use tenon_session::{Log, SessionError, State, Store};
use tenon_tools::workspace::{Workspace, WorkspaceOptions};
use tenon_vocab::{
    Checkpoint, CheckpointAction, Command, Event, FileChange, SessionId, Timestamp, Unkept,
};

const FOLDER: &str = "TENON_TEST_UNDO_IN";
const SESSION: &str = "TENON_TEST_UNDO_OF";
/// More than one record.
const FILES: u32 = 700;

/// The last run of a session, taken back without an engine.
struct Outside {
    log: Log,
    state: State,
    workspace: Workspace,
}

impl Outside {
    fn open(folder: &Path, id: SessionId) -> Self {
        let store = Store::new(folder.join("sessions"));
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let (log, state) = store.open(id, now).unwrap();
        let root = folder.join("project");
        let workspace = Workspace::open(&root, WorkspaceOptions::default()).unwrap();
        Self {
            log,
            state,
            workspace,
        }
    }

    fn undo(&mut self, mut seen: impl FnMut(Stage, &[FileChange])) -> Outcome {
        let places = self.state.undo().done.last().unwrap().at.clone();
        let (records, missing) = records(&self.log, &places);
        assert_eq!(missing, 0);
        let plan = Plan::make(&self.workspace, &records);
        let blobs = self.log.blobs();
        let workspace = self.workspace.clone();
        let to_seq = places[0].seq - 1;
        plan.carry_out(&workspace, &blobs, |stage, files, unkept| {
            seen(stage, &files);
            self.write(stage, to_seq, files, unkept)
        })
        .unwrap()
    }

    fn write(
        &mut self,
        stage: Stage,
        to_seq: u64,
        files: Vec<FileChange>,
        unkept: Vec<Unkept>,
    ) -> Result<(), SessionError> {
        let event = Event {
            seq: self.log.next_seq(),
            sub: None,
            ts: Timestamp::from_second(1_800_000_000).unwrap(),
            session: self.log.id(),
            run: None,
            parent: None,
            agent: "build".into(),
            kind: Checkpoint {
                action: CheckpointAction::Undone,
                call: None,
                to_seq: Some(to_seq),
                files,
                ahead: stage == Stage::Ahead,
                untouched: Vec::new(),
                unkept,
            }
            .into(),
        };
        let offset = self.log.append(&event)?;
        self.state.apply(&event, offset);
        Ok(())
    }
}

#[test]
#[ignore = "no test of its own: the others start it, and kill it"]
fn an_undo_in_a_process_of_its_own() {
    let (Some(folder), Ok(id)) = (std::env::var_os(FOLDER), std::env::var(SESSION)) else {
        return;
    };
    Outside::open(Path::new(&folder), id.parse().unwrap()).undo(|_, _| {});
}

fn start(session: &Session) -> Child {
    Process::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "undo::killed::an_undo_in_a_process_of_its_own",
            "--ignored",
        ])
        .env(FOLDER, session.world.dir.path())
        .env(SESSION, session.id.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills an undo as soon as this has happened. Gives the tree that it left.
fn killed_when(session: &Session, mut happened: impl FnMut() -> bool) -> Tree {
    let mut child = start(session);
    while !happened() {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "it ended before: {ended:?}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What was being written then has a name of Tenon's own, and no other use.
    for name in session.tree().into_keys() {
        if name.rsplit('/').next().unwrap().starts_with(".tenon-tmp-") {
            fs::remove_file(session.root().join(name)).unwrap();
        }
    }
    session.tree()
}

#[tokio::test]
async fn an_undo_that_is_killed_can_be_redone_and_gone_on_with() {
    let mut session = Session::new();
    for number in 0..FILES {
        session.write(&format!("old{number:03}"), &format!("old {number}\n"));
    }
    let before = session.tree();
    let write = |name: &str, number: u32| -> Value {
        json!([
            "write",
            format!("{name}{number:03}"),
            format!("{name} by the session {number}\n")
        ])
    };
    let ops: Vec<Value> = (0..FILES)
        .flat_map(|number| [write("new/", number), write("old", number)])
        .collect();
    session.run(&[("hand", json!({ "ops": ops }))]).await;
    let after = session.tree();
    session.leave().await;
    let root = session.root();
    // The first ones go, the last ones, and some come back.
    for last in ["new/001", "new/650"] {
        let path = root.join(last);
        let half = killed_when(&session, || !path.exists());
        assert!(half != before && half != after, "{last}");
        let notice = session.ask(Command::Redo).await;
        assert_eq!(session.tree(), after, "{last}: {}", notice.message);
        session.leave().await;
    }
    let path = root.join("old100");
    let is_back = || fs::read_to_string(&path).is_ok_and(|text| text == "old 100\n");
    let half = killed_when(&session, is_back);
    assert!(half != before && half != after);
    // To go on is to undo this run, and not one more.
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    session.leave().await;
    let notice = session.ask(Command::Redo).await;
    assert_eq!(session.tree(), after, "{}", notice.message);
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before);
    session.leave().await;
}

#[tokio::test]
async fn an_undo_that_was_killed_at_its_very_end_does_not_take_one_more_run() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    // Too large to be kept: it can only be moved.
    session.write("large.bin", &"large\n".repeat(200_000));
    session.bash("echo 2 > a.txt").await;
    session
        .bash("echo 3 > a.txt; echo 3 > b.txt; mv large.bin there.bin")
        .await;
    let after = session.tree();
    session.leave().await;
    let mut outside = Outside::open(session.world.dir.path(), session.id);
    let cut = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        outside.undo(|stage, _| assert_eq!(stage, Stage::Ahead, "as if killed"));
    }));
    assert!(cut.is_err());
    drop(outside);
    assert_eq!(session.read("a.txt"), "2\n");
    assert!(session.has("large.bin") && !session.has("there.bin"));
    session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "2\n");
    assert!(session.has("large.bin") && !session.has("there.bin"));
    let notice = session.ask(Command::Redo).await;
    assert!(session.tree() == after, "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn what_changes_between_the_plan_and_the_deed_is_left_and_named() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    session.write("b.txt", "1\n");
    session.write("mode.txt", "1\n");
    session
        .bash("echo 2 > a.txt; echo 2 > b.txt; echo 2 > mode.txt; echo 2 > new.txt")
        .await;
    session.leave().await;
    let root = session.root();
    let mut outside = Outside::open(session.world.dir.path(), session.id);
    let mut done: Vec<String> = Vec::new();
    let outcome = outside.undo(|stage, files| match stage {
        // It has been looked at, and nothing was done yet.
        Stage::Ahead => {
            fs::write(root.join("a.txt"), "by the user\n").unwrap();
            fs::write(root.join("new.txt"), "by the user\n").unwrap();
            super::Op::Mode("mode.txt".into(), 0o600).by_hand(&root);
        }
        Stage::Done => done.extend(files.iter().map(|file| file.path.clone())),
    });
    drop(outside);
    assert_eq!(session.read("a.txt"), "by the user\n");
    assert_eq!(session.read("new.txt"), "by the user\n");
    assert_eq!(session.read("mode.txt"), "2\n");
    assert_eq!(session.read("b.txt"), "1\n");
    let left: Vec<&str> = outcome.left.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(left, ["new.txt", "a.txt", "mode.txt"]);
    assert_eq!(done, ["b.txt"], "the record says what was done");
    session.leave().await;
}
