//! What the program gives to the terminal interface. One thread serves both, so
//! cells are enough; nothing is borrowed across a wait.

use crate::assemble::Options;
use crate::error::CliError;
use crate::place::Place;
use crate::talk::{self, Past, Running, Talk, Wanted};
use crate::trust::{Asking, Pending};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use tenon_engine::slash::{self, Names};
use tenon_tui::house::{Attached, House, ImageFrom, Later, Listing, Outcome, Row};
use tenon_vocab::slash::{Line, Local};
use tenon_vocab::{Answer, Event, QuestionId, SessionId, Settings};
use tokio::task::JoinHandle;

/// The program around one terminal interface.
pub struct Program {
    pub place: RefCell<Place>,
    /// As the user gave them.
    pub given: Options,
    pub live: RefCell<Option<Running>>,
    /// Sessions before it, until nobody listens to them any more.
    pub before: RefCell<Vec<Running>>,
    /// Those that are being ended.
    pub ending: RefCell<Vec<JoinHandle<Option<SessionId>>>>,
    past: RefCell<Past>,
    /// What was asked about content of others, also before the screen was taken.
    pub asking: RefCell<Asking>,
    /// What waits for an answer.
    pub waiting: RefCell<Option<Waiting>>,
}

/// A question of the program's own, and what follows it.
pub enum Waiting {
    Trust {
        pending: Box<Pending>,
        wanted: Box<Wanted>,
    },
    /// Write the draft of an AGENTS.md.
    Init { path: PathBuf, draft: String },
}

/// The question about the draft.
pub const INIT: &str = "init";

impl Waiting {
    pub fn question(&self) -> QuestionId {
        match self {
            Self::Trust { pending, .. } => pending.question.id.clone(),
            Self::Init { .. } => QuestionId::new(INIT),
        }
    }
}

impl Program {
    pub fn new(place: Place, given: Options, asking: Asking) -> Self {
        let past = Past::open(place.paths.state.join("history"));
        Self {
            place: RefCell::new(place),
            given,
            live: RefCell::new(None),
            before: RefCell::new(Vec::new()),
            ending: RefCell::new(Vec::new()),
            past: RefCell::new(past),
            asking: RefCell::new(asking),
            waiting: RefCell::new(None),
        }
    }

    pub fn place(&self) -> Place {
        self.place.borrow().clone()
    }

    /// What waits for the answer to this question.
    pub fn taken_up(&self, question: &QuestionId) -> Option<Waiting> {
        let mut waiting = self.waiting.borrow_mut();
        waiting.take_if(|waiting| waiting.question() == *question)
    }

    /// The session that is open.
    pub fn talk(&self) -> Result<Talk, CliError> {
        let live = self.live.borrow();
        live.as_ref()
            .map(|live| live.talk.clone())
            .ok_or_else(|| CliError::runtime("no session is open"))
    }
}

/// An error as the interface shows it.
pub fn failed(error: CliError) -> Outcome {
    Outcome::Failed {
        message: error.message,
        hint: error.hint,
    }
}

/// As the interface holds it.
#[derive(Clone)]
pub struct Door(pub Rc<Program>);

impl House for Door {
    fn read(&self, text: &str) -> Line {
        #[cfg(debug_assertions)]
        fail_on_purpose(&self.0.place.borrow(), text);
        let live = self.0.live.borrow();
        match live.as_ref() {
            Some(live) => slash::words(text, &live.talk.names),
            None => slash::words(text, &Names::default()),
        }
    }

    fn history(&self) -> Vec<String> {
        self.0.past.borrow().entries().to_vec()
    }

    fn remember(&self, text: &str) {
        self.0.past.borrow_mut().add(text);
    }

    fn list(&self, what: Listing) -> Later<Result<Vec<Row>, String>> {
        let program = Rc::clone(&self.0);
        Box::pin(async move {
            let rows = super::lists::rows(&program, what).await;
            rows.map_err(|error| error.message)
        })
    }

    fn transcript(&self) -> Later<Result<Vec<Arc<Event>>, String>> {
        let program = Rc::clone(&self.0);
        Box::pin(async move {
            let events = super::lists::transcript(&program).await;
            events.map_err(|error| error.message)
        })
    }

    fn act(&self, command: Local, settings: &Settings) -> Later<Outcome> {
        let (program, settings) = (Rc::clone(&self.0), settings.clone());
        Box::pin(async move {
            let outcome = super::acts::act(&program, command, &settings).await;
            outcome.unwrap_or_else(failed)
        })
    }

    fn answered(&self, answer: Answer) -> Later<Outcome> {
        let program = Rc::clone(&self.0);
        Box::pin(async move {
            let outcome = super::acts::answered(&program, &answer).await;
            outcome.unwrap_or_else(failed)
        })
    }

    fn let_go(&self) {
        self.0.let_go();
    }

    fn prompt_at(&self, seq: u64) -> Later<Option<String>> {
        let program = Rc::clone(&self.0);
        Box::pin(async move { talk::prompt_at(&program.talk().ok()?, seq).await })
    }

    fn branch(&self) -> Later<Option<String>> {
        let root = self.0.place().root;
        Box::pin(async move { crate::record::branch(&root) })
    }

    fn image(&self, from: ImageFrom) -> Later<Result<Option<Attached>, String>> {
        let program = Rc::clone(&self.0);
        Box::pin(async move {
            let found = super::images::find(&program, from).await;
            found.map_err(|error| error.message)
        })
    }

    fn themed(&self, name: &str) {
        super::wishes::keep_theme(&self.0.place.borrow(), name);
    }

    fn edit(&self, text: String) -> Later<Result<String, String>> {
        let place = self.0.place();
        Box::pin(async move { super::editor::edit(&place, &text).await })
    }
}

/// A bug on purpose, to see in a test what it leaves behind. Not in what is
/// shipped.
#[cfg(debug_assertions)]
fn fail_on_purpose(place: &Place, text: &str) {
    let word = place.env.get("TENON_TEST_PANIC");
    assert!(word.is_none_or(|word| word != text), "asked for");
}
