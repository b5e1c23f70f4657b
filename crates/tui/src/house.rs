//! What the program around gives to the terminal interface: all that is not the
//! session's own. The interface draws and asks; it reads no file, no setting and
//! no environment itself.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tenon_vocab::port::Handle;
use tenon_vocab::slash::{Group, Line, Local};
pub use tenon_vocab::wishes::{Keys, Motion, Notify, Thinking};
use tenon_vocab::{Answer, Event, Part, Question, Settings, TodoItem};

/// Something that takes a while. Polled beside all else, on the same thread.
pub type Later<T> = Pin<Box<dyn Future<Output = T>>>;

/// The program around. Every call returns at once; what takes long is a
/// [`Later`], so that keys are answered meanwhile.
pub trait House {
    /// What a typed line means; the same for every front end.
    fn read(&self, line: &str) -> Line;
    /// What was typed before, the oldest first.
    fn history(&self) -> Vec<String>;
    /// Keeps an input for later sessions.
    fn remember(&self, text: &str);
    fn list(&self, what: Listing) -> Later<Result<Vec<Row>, String>>;
    /// Everything that was said in this session, for the pager.
    fn transcript(&self) -> Later<Result<Vec<Arc<Event>>, String>>;
    /// Carries out what no engine does; `settings` are those in force now.
    fn act(&self, command: Local, settings: &Settings) -> Later<Outcome>;
    /// The answer to a question that came as [`Outcome::Ask`].
    fn answered(&self, answer: Answer) -> Later<Outcome>;
    /// The handle of the session before is gone: nothing keeps it open any more.
    fn let_go(&self);
    /// What was typed at this place of the log; `None` where nobody knows.
    fn prompt_at(&self, seq: u64) -> Later<Option<String>>;
    /// The branch that is checked out now.
    fn branch(&self) -> Later<Option<String>>;
    /// An image for the next prompt; `None` where there is none.
    fn image(&self, from: ImageFrom) -> Later<Result<Option<Attached>, String>>;
    /// A theme was chosen: kept for the next start.
    fn themed(&self, name: &str);
    /// The text as a program of the user's edited it, with the terminal for
    /// itself; `Err` says why it could not. Started when it is polled first;
    /// dropped, it ends that program.
    fn edit(&self, text: String) -> Later<Result<String, String>>;
}

/// Where an image may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageFrom {
    Clipboard,
    /// Text that was pasted, or dropped by the mouse: perhaps the path of a file.
    Text(String),
}

/// An image, and what it is called.
#[derive(Debug)]
pub struct Attached {
    pub part: Part,
    pub name: String,
}

/// Something that can be listed and picked from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Listing {
    /// Paths of the workspace, `/` at the end of folders. `id` is the path.
    Files,
    /// Sessions of this directory, the newest first. `id` is what `/resume` takes.
    Sessions,
    /// Prompts of this session, the last first. `id` is the number of the
    /// message, as `/fork` and `/revert` take it.
    Prompts,
}

/// One line of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    pub label: String,
    /// Dim, behind the label.
    pub detail: String,
}

/// One line of the `/` menu.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Without the `/`.
    pub name: String,
    pub aliases: Vec<String>,
    pub argument: String,
    pub what: String,
    /// Where help lists it; what has no place comes last.
    pub group: Option<Group>,
}

/// What came of a command.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing to show.
    Done,
    Said(String),
    Failed {
        message: String,
        hint: Option<String>,
    },
    /// A unified diff, and what is to be said of it.
    Diff {
        text: String,
        remarks: Vec<String>,
    },
    /// Text that is long: shown in the pager.
    Page {
        title: String,
        text: String,
    },
    /// Asked before it is done; answered with [`House::answered`].
    Ask(Box<Question>),
    /// Another session is open; the one before ends when its handle is gone.
    Opened(Box<Opened>),
    Leave,
    /// Words that belong to the conversation, and what came of it then.
    Told {
        said: Vec<String>,
        then: Box<Outcome>,
    },
}

impl Outcome {
    /// The same, after these words.
    #[must_use]
    pub fn after(self, said: impl IntoIterator<Item = String>) -> Self {
        let said: Vec<String> = said.into_iter().collect();
        match said.is_empty() {
            true => self,
            false => Self::Told {
                said,
                then: Box::new(self),
            },
        }
    }

    /// The session that was opened, if one was.
    pub fn session(&mut self) -> Option<&mut Opened> {
        match self {
            Self::Opened(session) => Some(session),
            Self::Told { then, .. } => then.session(),
            _ => None,
        }
    }
}

/// A session that is ready to be talked to.
pub struct Opened {
    pub handle: Handle,
    pub settings: Settings,
    pub facts: Facts,
    pub todo: Vec<TodoItem>,
    /// All that may follow a `/`.
    pub entries: Vec<Entry>,
    /// What is to be known before the first prompt: rules, skills, warnings.
    pub remarks: Vec<String>,
    /// The end of the conversation so far, of a session that is resumed.
    pub past: Vec<Arc<Event>>,
    /// How many runs came before `past`.
    pub before: u32,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("handle", &self.handle)
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

/// What the status line shows and no event tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub version: String,
    /// With `~` for the home folder.
    pub root: String,
    pub branch: Option<String>,
    /// Such as `workspace-write`.
    pub sandbox: String,
    /// Agents for which it is another one, by their names.
    pub sandboxes: BTreeMap<String, String>,
    /// How far the walls stand, where that is not all the way: `partial`.
    pub walls: Option<String>,
    /// Such as `--yes`: what answers besides the permission mode, or holds back.
    pub flags: Vec<&'static str>,
}

/// How the user wants the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wishes {
    pub theme: String,
    pub keys: Keys,
    /// Parts of the status line, in their order.
    pub status: Vec<String>,
    pub notify: Notify,
    pub motion: Motion,
    pub thinking: Thinking,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            theme: String::from("ansi"),
            keys: Keys::default(),
            status: Vec::new(),
            notify: Notify::default(),
            motion: Motion::default(),
            thinking: Thinking::default(),
        }
    }
}

/// A run that took longer than this is worth a notice when it ends.
pub const LONG: Duration = Duration::from_secs(10);
