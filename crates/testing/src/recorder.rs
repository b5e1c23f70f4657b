//! Collects the events of a session while it runs, and waits for one of them
//! instead of for a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tenon_vocab::port::EventSource;
use tenon_vocab::{Event, EventKind};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Long, because it only costs time in a test that fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// Must be made inside a runtime. Ends with it, with the session, or when it
/// is dropped.
#[derive(Debug)]
pub struct Recorder {
    events: Arc<Mutex<Vec<Arc<Event>>>>,
    progress: watch::Receiver<Progress>,
    pump: JoinHandle<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Recorded(usize),
    Ended,
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl Recorder {
    #[must_use]
    pub fn new(mut source: Box<dyn EventSource>) -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let (sender, progress) = watch::channel(Progress::Recorded(0));
        let kept = Arc::clone(&events);
        let pump = tokio::spawn(async move {
            while let Some(event) = source.next().await {
                let count = {
                    let mut kept = lock(&kept);
                    kept.push(event);
                    kept.len()
                };
                sender.send_replace(Progress::Recorded(count));
            }
            sender.send_replace(Progress::Ended);
        });
        Self {
            events,
            progress,
            pump,
        }
    }

    /// The first event that fits, whether it has already come or not.
    ///
    /// # Panics
    /// When the session ends, or a minute passes, without it.
    pub async fn wait_for(&self, fits: impl Fn(&Event) -> bool) -> Arc<Event> {
        self.wait_after(0, fits).await
    }

    /// As [`Recorder::wait_for`], but only among those after the first `skip`.
    ///
    /// # Panics
    /// As [`Recorder::wait_for`].
    pub async fn wait_after(&self, skip: usize, fits: impl Fn(&Event) -> bool) -> Arc<Event> {
        match tokio::time::timeout(DEADLINE, self.find(skip, fits)).await {
            Ok(Some(event)) => event,
            Ok(None) => panic!("the session ended without it; seen: {:?}", self.names()),
            Err(_) => panic!("it did not come in {DEADLINE:?}; seen: {:?}", self.names()),
        }
    }

    async fn find(&self, skip: usize, fits: impl Fn(&Event) -> bool) -> Option<Arc<Event>> {
        let mut progress = self.progress.clone();
        let mut looked_at = skip;
        loop {
            let seen = *progress.borrow_and_update();
            {
                let events = lock(&self.events);
                let new = events.get(looked_at..).unwrap_or_default();
                if let Some(event) = new.iter().find(|event| fits(event)) {
                    return Some(Arc::clone(event));
                }
                looked_at = looked_at.max(events.len());
            }
            if seen == Progress::Ended || progress.changed().await.is_err() {
                return None;
            }
        }
    }

    /// Waits until the session has ended and gives all of its events.
    ///
    /// # Panics
    /// When it does not end within a minute.
    pub async fn wait_for_end(&self) -> Vec<Arc<Event>> {
        let mut progress = self.progress.clone();
        let ended = progress.wait_for(|progress| *progress == Progress::Ended);
        if tokio::time::timeout(DEADLINE, ended).await.is_err() {
            panic!("no end in {DEADLINE:?}; seen: {:?}", self.names());
        }
        self.events()
    }

    /// What has come so far.
    #[must_use]
    pub fn events(&self) -> Vec<Arc<Event>> {
        lock(&self.events).clone()
    }

    /// The names of what has come so far: `["meta", "run_started", …]`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let events = lock(&self.events);
        events
            .iter()
            .map(|event| event.kind.name().to_owned())
            .collect()
    }

    /// The text of every message so far, in order, without deltas.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let events = lock(&self.events);
        events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Message(message) => Some(message.text()),
                _ => None,
            })
            .collect()
    }
}

/// A panic in a predicate must not hide what was recorded.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
