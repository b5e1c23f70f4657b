//! What the program gives to the terminal interface. One thread serves both, so
//! cells are enough; nothing is borrowed across a wait.

use super::open::{Live, Wanted};
use crate::assemble::Options;
use crate::error::CliError;
use crate::place::Place;
use crate::repl::{Past, line};
use crate::trust::Pending;
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;
use tenon_engine::slash::SLASH;
use tenon_tui::house::{Entry, House, Later, Listing, Outcome, Row};
use tenon_vocab::slash::{Line, Local};
use tenon_vocab::{Answer, Event, SessionId, Settings};

/// The program around one terminal interface.
pub struct Program {
    pub place: RefCell<Place>,
    /// As the user gave them.
    pub given: Options,
    pub live: RefCell<Option<Live>>,
    past: RefCell<Past>,
    /// Content of others that was asked about already, by its hash.
    pub asked: RefCell<Vec<String>>,
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

impl Program {
    pub fn new(place: Place, given: Options) -> Self {
        let past = Past::open(place.paths.state.join("history"));
        Self {
            place: RefCell::new(place),
            given,
            live: RefCell::new(None),
            past: RefCell::new(past),
            asked: RefCell::new(Vec::new()),
            waiting: RefCell::new(None),
        }
    }

    pub fn place(&self) -> Place {
        self.place.borrow().clone()
    }

    /// The session that is open.
    pub fn session(&self) -> Result<SessionId, CliError> {
        let live = self.live.borrow();
        live.as_ref()
            .map(|live| live.id)
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
        let live = self.0.live.borrow();
        let names = live.as_ref().map(|live| live.names.clone());
        line::read(text, &names.unwrap_or_default())
    }

    fn menu(&self) -> Vec<Entry> {
        let own = SLASH.iter().map(|own| Entry {
            name: own.name.to_owned(),
            aliases: own.aliases.iter().map(|&name| name.to_owned()).collect(),
            argument: own.argument.to_owned(),
            what: own.what.to_owned(),
        });
        let live = self.0.live.borrow();
        let added = live.as_ref().map(|live| live.entries.clone());
        own.chain(added.unwrap_or_default()).collect()
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

    fn themed(&self, name: &str) {
        super::wishes::keep_theme(&self.0.place.borrow(), name);
    }

    fn edit(&self, text: &str) -> Result<String, String> {
        edit(&self.0.place.borrow(), text)
    }
}

/// The user's editor over a private file.
fn edit(place: &Place, text: &str) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| place.env.get(name).filter(|value| !value.trim().is_empty()));
    let editor = named.map_or_else(|| String::from("vi"), |editor| editor.to_string());
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("prompt.md");
    crate::screen::write_private(&path, text.as_bytes()).map_err(|error| error.to_string())?;
    // As git does it: the variable may hold arguments.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(&path)
        .current_dir(&place.root)
        .status()
        .map_err(|error| format!("the editor cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the editor `{editor}` ended with {status}; the text is as it was"
        ));
    }
    std::fs::read_to_string(&path)
        .map_err(|error| format!("what was written cannot be read: {error}"))
}
