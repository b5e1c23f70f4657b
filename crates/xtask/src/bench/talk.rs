//! A small session of made-up words, as thousands of them lie in a home after
//! some months.

use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use tenon_session::{Log, State, Store};
use tenon_vocab::{
    CallId, Class, Event, EventKind, Explanation, Message, Meta, Outcome, RunFinished, RunId,
    RunOrigin, RunStarted, SCHEMA_VERSION, SessionId, Settings, Timestamp, ToolUse, Usage,
};

const MESSAGES: u32 = 20;
const WORDS: u32 = 100;
/// Different words that there are.
const VOCABULARY: u64 = 20_000;
/// One session in so many says the rare word.
const SELDOM: u32 = 500;

/// Gives the path of its log.
pub fn write(store: &Store, cwd: &Path, number: u32, rare: &str) -> Result<PathBuf> {
    let id = SessionId::generate();
    let meta = Meta {
        schema_version: SCHEMA_VERSION,
        id,
        cwd: cwd.to_string_lossy().into_owned(),
        program_version: String::from(env!("CARGO_PKG_VERSION")),
        git_branch: Some(String::from("main")),
        forked_from: None,
    };
    let (log, state) = store.create(&event(0, id, None, meta.into()))?;
    let mut talk = Talk {
        log,
        state,
        run: None,
        dice: u64::from(number) + 1,
    };
    talk.put(settings())?;
    let first = if number.is_multiple_of(SELDOM) {
        format!("{rare} {}", talk.words())
    } else {
        talk.words()
    };
    talk.run = Some(RunId::generate());
    talk.put(RunStarted {
        prompt: first.chars().take(80).collect(),
        origin: RunOrigin::Prompt,
    })?;
    talk.put(Message::user(first))?;
    for step in 0..MESSAGES {
        talk.step(step)?;
    }
    talk.put(finished())?;
    Ok(talk
        .log
        .path()
        .context("the log is on the disk")?
        .to_owned())
}

struct Talk {
    log: Log,
    state: State,
    run: Option<RunId>,
    dice: u64,
}

impl Talk {
    fn put(&mut self, kind: impl Into<EventKind>) -> Result<()> {
        let event = event(self.log.next_seq(), self.log.id(), self.run, kind.into());
        let offset = self.log.append(&event)?;
        self.state.apply(&event, offset);
        Ok(())
    }

    fn step(&mut self, step: u32) -> Result<()> {
        let text = self.words();
        let mut message = Message::assistant(text);
        message.usage = Some(Usage {
            input: 1_000,
            output: 100,
            ..Usage::default()
        });
        self.put(message)?;
        self.put(ToolUse {
            call: CallId::new(format!("call_{step}")),
            name: String::from("read"),
            input: json!({"path": format!("src/part_{step}.rs")}),
            explanation: Explanation::new(Class::Allow, "reading is allowed"),
            batch: step,
        })
    }

    /// Some words are in every text and others in few, as in a language, and few
    /// begin alike.
    fn words(&mut self) -> String {
        let mut text = String::from("common");
        for _ in 0..WORDS {
            self.dice = self
                .dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let thrown = (self.dice >> 33) % VOCABULARY;
            let again = (self.dice >> 17) % VOCABULARY;
            text.push(' ');
            text.push_str(&word(thrown * again / VOCABULARY));
        }
        text
    }
}

/// Words that many of the sessions say.
pub fn four_words() -> String {
    format!("common {} {} {}", word(0), word(1), word(2))
}

/// Three or four syllables.
fn word(mut number: u64) -> String {
    const FIRST: &[u8] = b"bdfghklmnprstvwz";
    const SECOND: &[u8] = b"aeiou";
    let syllables = (FIRST.len() * SECOND.len()) as u64;
    // Neighbours in number are no neighbours in the alphabet.
    number = number * 7_919 % 511_997;
    let mut word = String::new();
    while number > 0 || word.len() < 6 {
        let syllable = (number % syllables) as usize;
        word.push(char::from(FIRST[syllable % FIRST.len()]));
        word.push(char::from(SECOND[syllable / FIRST.len()]));
        number /= syllables;
    }
    word
}

fn event(seq: u64, session: SessionId, run: Option<RunId>, kind: EventKind) -> Event {
    Event {
        seq,
        sub: None,
        ts: Timestamp::now(),
        session,
        run,
        parent: None,
        agent: String::from("build"),
        kind,
    }
}

fn settings() -> Settings {
    Settings {
        provider: String::from("local"),
        model: String::from("mock-model"),
        agent_name: String::from("build"),
        mode: String::from("single"),
        permission_mode: Default::default(),
        effort: None,
        title: None,
        pinned: false,
        add_dirs: Vec::new(),
        side: None,
    }
}

fn finished() -> RunFinished {
    RunFinished {
        outcome: Outcome::Completed,
        reason: None,
        steps: MESSAGES,
        calls: MESSAGES,
        failed_calls: 0,
        denied_calls: 0,
        usage: Usage::default(),
        cost: None,
        duration_ms: 1_000,
        snapshot: None,
    }
}
