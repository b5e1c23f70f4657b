//! Hands events to whoever listens, without ever waiting for them.
//!
//! Each subscriber has a bounded queue. Deltas that wait are merged; when
//! durable events do not fit any more the queue is emptied and the subscriber
//! reads them again from the log, so a slow reader costs time and never facts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tenon_vocab::{Event, EventKind};
use tokio::sync::Notify;

/// Events that wait for one subscriber before it counts as lagging.
const QUEUE: usize = 1024;
/// From this many on, deltas of the same stream are merged.
const MERGE_FROM: usize = 16;

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<Arc<Event>>,
    /// Durable events from this seq on must be read from the log.
    lag_from: Option<u64>,
    closed: bool,
}

/// One subscriber's end of the publisher.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    queue: Mutex<Queue>,
    arrived: Notify,
}

/// What a look into a mailbox found.
pub(crate) enum Taken {
    Event(Arc<Event>),
    /// Read from the log, from this seq on.
    Lagging(u64),
    Empty,
    Closed,
}

impl Mailbox {
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: &Arc<Event>) {
        let mut queue = self.lock();
        if queue.lag_from.is_some() {
            return;
        }
        if queue.events.len() >= MERGE_FROM && merge(&mut queue.events, event) {
            return;
        }
        if queue.events.len() >= QUEUE {
            let first = queue.events.iter().find(|e| e.is_durable()).map(|e| e.seq);
            let here = event.is_durable().then_some(event.seq);
            // With only deltas waiting, the oldest are dropped: the durable
            // message that follows has their text.
            queue.lag_from = first.or(here);
            queue.events.clear();
            if queue.lag_from.is_none() {
                queue.events.push_back(Arc::clone(event));
            }
        } else {
            queue.events.push_back(Arc::clone(event));
        }
        drop(queue);
        self.arrived.notify_one();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_one();
    }

    pub(crate) fn take(&self) -> Taken {
        let mut queue = self.lock();
        if let Some(event) = queue.events.pop_front() {
            return Taken::Event(event);
        }
        match (queue.lag_from, queue.closed) {
            (Some(seq), _) => Taken::Lagging(seq),
            (None, true) => Taken::Closed,
            (None, false) => Taken::Empty,
        }
    }

    /// Puts back what was read from the log. The caller holds the emitter, so
    /// nothing can be published in between.
    pub(crate) fn catch_up(&self, events: Vec<Event>) {
        let mut queue = self.lock();
        queue.lag_from = None;
        queue.events = events.into_iter().map(Arc::new).collect();
    }

    pub(crate) async fn arrived(&self) {
        self.arrived.notified().await;
    }
}

/// Appends a delta to the one that waits last, when both belong together.
fn merge(events: &mut VecDeque<Arc<Event>>, event: &Arc<Event>) -> bool {
    let Some(last) = events.back_mut() else {
        return false;
    };
    if last.run != event.run || last.seq != event.seq {
        return false;
    }
    let together = match (&last.kind, &event.kind) {
        (EventKind::MessageDelta(a), EventKind::MessageDelta(b)) => a.channel == b.channel,
        (EventKind::ToolDelta(a), EventKind::ToolDelta(b)) => {
            a.call == b.call && a.stream == b.stream
        }
        _ => false,
    };
    if together {
        match (&mut Arc::make_mut(last).kind, &event.kind) {
            (EventKind::MessageDelta(a), EventKind::MessageDelta(b)) => a.text.push_str(&b.text),
            (EventKind::ToolDelta(a), EventKind::ToolDelta(b)) => a.text.push_str(&b.text),
            _ => {}
        }
    }
    together
}

#[derive(Debug, Default)]
pub(crate) struct Publisher {
    mailboxes: Vec<Arc<Mailbox>>,
}

impl Publisher {
    pub(crate) fn subscribe(&mut self) -> Arc<Mailbox> {
        let mailbox = Arc::new(Mailbox::default());
        self.mailboxes.push(Arc::clone(&mailbox));
        mailbox
    }

    /// A subscriber that is gone is forgotten here.
    pub(crate) fn publish(&mut self, event: &Arc<Event>) {
        self.mailboxes
            .retain(|mailbox| Arc::strong_count(mailbox) > 1);
        for mailbox in &self.mailboxes {
            mailbox.push(event);
        }
    }

    pub(crate) fn close(&mut self) {
        for mailbox in self.mailboxes.drain(..) {
            mailbox.close();
        }
    }
}
