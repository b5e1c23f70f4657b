//! The markdown dialect: tools for models and servers that know none. A wrapper
//! around any model teaches a form of reply in the system prompt, turns the
//! history into text, and reads calls out of what comes back. The engine sees
//! a model like any other: the same registry, permissions and events (K1-K7).
//!
//! ```
//! use tenon_model::dialect::{Action, parse};
//! use tenon_vocab::{Effect, ToolSpec};
//!
//! let read = ToolSpec {
//!     name: "read".into(),
//!     description: "Read a file.".into(),
//!     parameters: serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
//!     effect: Effect::Read,
//!     source: "built-in".into(),
//! };
//! let reply = "# Agent Response\n\n## Thoughts\nI look.\n\n## Tool Choice\nREAD_FILE\n\n## Tool Input\n\"src/main.rs\"";
//! let parsed = parse(reply, &[read]).expect("it has the form");
//! let Action::Calls(calls) = parsed.action else { unreachable!() };
//! assert_eq!((calls[0].name.as_str(), calls[0].input["path"].as_str()), ("read", Some("src/main.rs")));
//! ```

mod control;
mod forms;
mod headings;
mod history;
mod input;
mod lines;
mod pairs;
mod parse;
mod paths;
mod plain;
mod problem;
mod render;
mod replies;
mod tasks;
mod teach;
mod template;

pub(crate) use lines::Fence;
pub use parse::{Action, Call, Parsed, parse};
pub use problem::Problem;

use crate::{DeltaStream, Identity, Model, ModelEntry, ModelError, Prefix, Request, Window};
use history::{History, Tags};
use plain::Plain;
use replies::Replies;
use std::sync::{Arc, Mutex, PoisonError};
use tenon_vocab::Message;
use tenon_vocab::port::BoxFuture;

/// The call by which a reply that could not be read goes back to the model. Its
/// arguments are `{"problem": …}`. No toolbox has it.
pub const REPLY_FORMAT: &str = "reply_format";

/// Whether a text is a response of the dialect, or the parts of one, readable or not.
#[must_use]
pub fn is_reply(text: &str) -> bool {
    let reply = template::Reply::new(text);
    reply.last_response().is_some() || reply.has_choice()
}

/// A message of the assistant as the model wrote it, or would have: the last response,
/// in the one form that the history keeps. `None` when it says nothing.
#[must_use]
pub fn written(message: &Message) -> Option<String> {
    render::assistant(message).pop().map(|(_, text)| text)
}

/// Its name in an identity.
pub const NAME: &str = "markdown";

/// Whose parts are the dialect's own: the task list of a reply, and the
/// thoughts before an answer.
const OWNER: &str = tenon_vocab::form::OWNER;

/// Speaks the dialect through any model.
pub struct Markdown {
    inner: Arc<dyn Model>,
    history: History,
    /// The last prefix and what was made of it.
    taught: Mutex<Option<(Arc<Prefix>, Arc<Prefix>)>>,
}

impl std::fmt::Debug for Markdown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Markdown").finish_non_exhaustive()
    }
}

impl Markdown {
    #[must_use]
    pub fn new(inner: Arc<dyn Model>) -> Self {
        Self {
            inner,
            history: History::default(),
            taught: Mutex::default(),
        }
    }

    fn teach(&self, prefix: &Arc<Prefix>) -> Arc<Prefix> {
        let mut taught = self.taught.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, made)) = &*taught
            && Arc::ptr_eq(of, prefix)
        {
            return Arc::clone(made);
        }
        let made = Arc::new(Prefix {
            system: teach::system(&prefix.system, &prefix.tools),
            tools: Vec::new(),
        });
        *taught = Some((Arc::clone(prefix), Arc::clone(&made)));
        made
    }
}

impl Model for Markdown {
    fn identity(&self) -> Arc<Identity> {
        let mut identity = Identity::clone(&self.inner.identity());
        identity.dialect = String::from(NAME);
        Arc::new(identity)
    }

    /// A request without tools wants plain text: only its history is written
    /// in the dialect. A model that knows no other form may answer in it all the
    /// same.
    fn stream(&self, mut request: Request) -> DeltaStream {
        let number = request.entries.len();
        let prefix = Arc::clone(&request.prefix);
        let tags = if prefix.tools.is_empty() {
            Tags::None
        } else {
            Tags::Named
        };
        request.entries = self.history.entries(&request.entries, tags);
        if prefix.tools.is_empty() {
            return Box::pin(Plain::new(self.inner.stream(request)));
        }
        request.prefix = self.teach(&prefix);
        Box::pin(Replies::new(
            Arc::clone(&self.inner),
            request,
            prefix,
            number,
        ))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        self.inner.models()
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        self.inner.served_window()
    }
}
