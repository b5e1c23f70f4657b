//! The log of a session that is not saved: the last events in memory, for a
//! reader that lags. Bounded in number and in bytes, because such a session may
//! run for days and a result holds all that its call gave.

use std::collections::VecDeque;
use std::io;
use tenon_vocab::Event;

const EVENTS: usize = 4096;
const BYTES: usize = 32 * 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Ring {
    events: VecDeque<(usize, Event)>,
    bytes: usize,
}

impl Ring {
    /// The event that came last is held whatever its size.
    pub fn push(&mut self, event: &Event) {
        let bytes = length(event);
        while self.events.len() == EVENTS || self.bytes + bytes > BYTES {
            let Some((freed, _)) = self.events.pop_front() else {
                break;
            };
            self.bytes -= freed;
        }
        self.bytes += bytes;
        self.events.push_back((bytes, event.clone()));
    }

    /// From `seq` on, or from the oldest that is still held.
    pub fn from(&self, seq: u64) -> Vec<Event> {
        self.events
            .iter()
            .map(|(_, event)| event)
            .filter(|event| event.seq >= seq)
            .cloned()
            .collect()
    }
}

/// What it takes as a line, which is about what it takes in memory.
fn length(event: &Event) -> usize {
    let mut counter = Counter(0);
    // Counting cannot fail; an event that is no JSON could not be logged either.
    let _ = serde_json::to_writer(&mut counter, event);
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Ring};
    use tenon_vocab::{Event, Message, SessionId, Timestamp};

    fn event(seq: u64, bytes: usize) -> Event {
        Event {
            seq,
            sub: None,
            ts: Timestamp::UNIX_EPOCH,
            session: SessionId::generate(),
            run: None,
            parent: None,
            agent: "build".into(),
            kind: Message::assistant("x".repeat(bytes)).into(),
        }
    }

    #[test]
    fn the_oldest_events_go_when_the_bytes_do_not_fit() {
        let mut ring = Ring::default();
        let large = BYTES / 4;
        for seq in 0..10 {
            ring.push(&event(seq, large));
            assert!(ring.bytes <= BYTES);
        }
        let held: Vec<u64> = ring.from(0).iter().map(|event| event.seq).collect();
        assert_eq!(held, [7, 8, 9]);
        // One that is too large by itself is still the last of the log.
        ring.push(&event(10, BYTES + 1));
        assert_eq!(ring.from(0).len(), 1);
        ring.push(&event(11, 1));
        assert_eq!(ring.from(0).len(), 1);
    }
}
