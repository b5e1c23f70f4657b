//! The model that answers, and what is asked of it. It is replaced as a whole,
//! between two runs: whoever holds one keeps it to the end of its step. Not the
//! place where a model is chosen; that is `switch`.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_model::{Identity, Model, Parameters, Window, WindowSource};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// One model with its parameters, and what its server said of it.
pub(crate) struct Current {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) parameters: Parameters,
    served: Mutex<Served>,
    /// The question for the window, while it is under way.
    asking: Mutex<Option<Asking>>,
    /// The names that the server offers, once it was asked for them.
    offered: Mutex<Option<Vec<String>>>,
}

/// It is over when the other end is gone. Any number may wait for it.
#[derive(Debug, Clone)]
struct Asking {
    over: watch::Receiver<()>,
    task: AbortHandle,
}

/// What is known of the window that the server serves.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Served {
    Unasked,
    Asked,
    Said(Window),
    /// It has read more than it says to hold: what it says is not asked for again.
    Outgrown(Window),
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Current")
            .field("identity", &self.identity())
            .finish_non_exhaustive()
    }
}

impl Current {
    pub(crate) fn new(model: Arc<dyn Model>, parameters: Parameters) -> Self {
        Self {
            model,
            parameters,
            served: Mutex::new(Served::Unasked),
            asking: Mutex::new(None),
            offered: Mutex::new(None),
        }
    }

    pub(crate) fn identity(&self) -> Arc<Identity> {
        self.model.identity()
    }

    fn served(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user's word, else the server's, else the catalogue's. Never more
    /// than what the user said: a machine may have no memory for it.
    pub(crate) fn window(&self) -> Option<Window> {
        let own = self.identity().window.clone();
        if is_the_users(own.as_ref()) {
            return own;
        }
        match &*self.served() {
            Served::Said(window) | Served::Outgrown(window) => Some(window.clone()),
            Served::Unasked | Served::Asked => own,
        }
    }

    /// Asks the server for its window, once. To be called when a reply has
    /// ended: some servers drop the answer that they are giving when another
    /// request arrives, and some know their window only once the model is
    /// loaded. Nobody is asked when the user has said it.
    pub(crate) fn look_up_window(self: &Arc<Self>) {
        if is_the_users(self.identity().window.as_ref()) {
            return;
        }
        {
            let mut served = self.served();
            if *served != Served::Unasked {
                return;
            }
            *served = Served::Asked;
        }
        self.ask_for_window();
    }

    fn ask_for_window(self: &Arc<Self>) {
        let current = Arc::clone(self);
        let (under_way, over) = watch::channel(());
        let asking = tokio::spawn(async move {
            let _under_way = under_way;
            if let Some(window) = current.model.served_window().await {
                *current.served() = Served::Said(window);
            }
        });
        let task = asking.abort_handle();
        *self.asking() = Some(Asking { over, task });
    }

    /// Asks a server that has said its window whether that is still so: it may
    /// have been started anew with another. To be called before something is
    /// given up for it, and not while a reply comes in.
    pub(crate) async fn look_again(self: &Arc<Self>, token: &CancellationToken) {
        if matches!(*self.served(), Served::Said(_)) {
            self.ask_for_window();
            self.window_settled(token).await;
        }
    }

    /// The server has read so many tokens of one request, by its own count. More
    /// than its window is a wrong window, unless it is the user's word.
    pub(crate) fn has_read(&self, tokens: u64) {
        let known = self.window();
        if is_the_users(known.as_ref()) || known.is_none_or(|window| tokens <= window.tokens) {
            return;
        }
        let place = String::from("which has read a request of that length");
        *self.served() = Served::Outgrown(Window {
            tokens,
            source: WindowSource::Server(place),
        });
    }

    /// Whether the server may still say how large its window is.
    pub(crate) fn window_is_open(&self) -> bool {
        *self.served() == Served::Unasked
    }

    fn asking(&self) -> MutexGuard<'_, Option<Asking>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server was asked, and has not answered.
    pub(crate) fn is_asking(&self) -> bool {
        let asking = self.asking();
        asking
            .as_ref()
            .is_some_and(|asking| asking.over.has_changed().is_ok())
    }

    /// Waits for the question that is under way, if there is one: nothing is
    /// asked of the server beside it. An interrupt gives it up.
    pub(crate) async fn window_settled(&self, token: &CancellationToken) {
        let asking = self.asking().clone();
        if let Some(Asking { mut over, task }) = asking {
            tokio::select! {
                biased;
                () = token.cancelled() => task.abort(),
                _ = over.changed() => {}
            }
        }
    }

    pub(crate) fn offered(&self) -> Option<Vec<String>> {
        self.offered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn note_offered(&self, names: Vec<String>) {
        *self.offered.lock().unwrap_or_else(PoisonError::into_inner) = Some(names);
    }
}

fn is_the_users(window: Option<&Window>) -> bool {
    window.is_some_and(|window| window.source == WindowSource::User)
}

/// The handle: what is taken from it stays as it was.
#[derive(Debug)]
pub(crate) struct Active(Mutex<Arc<Current>>);

impl Active {
    pub(crate) fn new(current: Current) -> Self {
        Self(Mutex::new(Arc::new(current)))
    }

    pub(crate) fn get(&self) -> Arc<Current> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, current: Current) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(current);
    }
}

/// Who says how large the window is, for people.
pub(crate) fn source(window: &Window) -> String {
    match &window.source {
        WindowSource::User => String::from("your setting"),
        WindowSource::Server(place) => format!("the server, {place}"),
        WindowSource::Catalogue => String::from("the catalogue"),
    }
}
