//! The binary in a home of its own, for the commands that need no model.

use crate::model::tenon;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tenon_session::Store;
use tenon_testing::TestHome;
use tenon_vocab::{
    Event, EventKind, Message, Meta, RunFinished, RunId, RunOrigin, RunStarted, SCHEMA_VERSION,
    SessionId, Timestamp, Usage,
};

#[derive(Debug)]
pub struct Program {
    pub home: TestHome,
}

/// How it ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails the test with all that was said when it did not end so.
    #[track_caller]
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.out, self.err
        );
        self
    }

    #[track_caller]
    pub fn complains(self, text: &str) -> Self {
        assert!(self.err.contains(text), "no `{text}` in: {}", self.err);
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.out.contains(text), "no `{text}` in: {}", self.out);
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

impl Program {
    pub fn new() -> Self {
        Self {
            home: TestHome::new(),
        }
    }

    /// In the project, with nothing on standard input.
    pub fn command(&self) -> Command {
        let mut command = self.home.command(tenon());
        command.stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command().args(args).output().unwrap())
    }

    pub fn run_in(&self, folder: &Path, args: &[&str]) -> Ran {
        Ran::of(
            self.command()
                .current_dir(folder)
                .args(args)
                .output()
                .unwrap(),
        )
    }

    pub fn run_with(&self, input: &str, args: &[&str]) -> Ran {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that ends without reading is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ran::of(child.wait_with_output().unwrap())
    }

    pub fn project(&self) -> PathBuf {
        self.home.project().canonicalize().unwrap()
    }

    pub fn file(&self, path: &str, content: &str) {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn content(&self, path: &str) -> String {
        std::fs::read_to_string(self.project().join(path)).unwrap()
    }

    /// The user's configuration.
    pub fn configure(&self, content: &str) {
        std::fs::write(self.home.tenon().join("tenon.jsonc"), content).unwrap();
    }

    pub fn store(&self) -> Store {
        Store::new(self.home.tenon().join("sessions"))
    }

    /// A session of the project with one whole run.
    pub fn session(&self, prompt: &str) -> SessionId {
        self.session_of(&self.project(), prompt)
    }

    pub fn session_of(&self, folder: &Path, prompt: &str) -> SessionId {
        let (id, run) = (SessionId::generate(), RunId::generate());
        let event = |seq, run, kind| Event {
            seq,
            sub: None,
            ts: Timestamp::now(),
            session: id,
            run,
            parent: None,
            agent: String::from("build"),
            kind,
        };
        let meta = Meta {
            schema_version: SCHEMA_VERSION,
            id,
            cwd: folder.display().to_string(),
            program_version: String::from("0.1.0"),
            git_branch: None,
            forked_from: None,
        };
        let kinds: [EventKind; 4] = [
            RunStarted {
                prompt: prompt.to_owned(),
                origin: RunOrigin::Prompt,
            }
            .into(),
            Message::user(prompt).into(),
            Message::assistant("The answer is 42.").into(),
            RunFinished {
                outcome: tenon_vocab::Outcome::Completed,
                reason: None,
                steps: 1,
                calls: 0,
                failed_calls: 0,
                denied_calls: 0,
                usage: Usage::default(),
                cost: None,
                duration_ms: 1,
                snapshot: None,
            }
            .into(),
        ];
        let (mut log, _) = self.store().create(&event(0, None, meta.into())).unwrap();
        for (seq, kind) in (1..).zip(kinds) {
            log.append(&event(seq, Some(run), kind)).unwrap();
        }
        id
    }

    /// Where the log of a session lies.
    pub fn log(&self, id: SessionId) -> PathBuf {
        self.store().load(id).unwrap().path
    }
}
