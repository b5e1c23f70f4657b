//! The same search without an index: a walk through every log. For a home where
//! no database can be, or while it cannot be used. Slow, and always right.

use crate::found::{Filter, Found, Hit, Speaker};
use crate::passage::{self, may_speak};
use crate::query::Query;
use crate::snippet::Snippet;
use tenon_session::{ListFilter, Numbers, SessionError, Store, Summary};

/// Sessions in which all words occur. What cannot be read has none.
#[must_use]
pub fn scan(store: &Store, query: &Query, filter: &Filter) -> Found {
    let listing = store.list(&ListFilter {
        cwd: filter.cwd.clone(),
    });
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    for summary in listing.sessions {
        let mut looking = Looking::new(query, &summary);
        // What was read before an error counts.
        let _ = looking.read(store, &summary);
        if let Some(hit) = looking.together {
            together.push(hit);
        } else if looking.terms == query.all() {
            apart.extend(looking.apart);
        }
    }
    together.append(&mut apart);
    Found {
        more: together.len().saturating_sub(filter.most),
        hits: {
            together.truncate(filter.most);
            together
        },
    }
}

struct Looking<'a> {
    query: &'a Query,
    /// The newest passage with all terms.
    together: Option<Hit>,
    /// The newest passage with some.
    apart: Option<Hit>,
    /// Of the session so far.
    terms: u64,
}

impl<'a> Looking<'a> {
    fn new(query: &'a Query, summary: &Summary) -> Self {
        let mut looking = Self {
            query,
            together: None,
            apart: None,
            terms: 0,
        };
        looking.look(summary, &summary.title, Speaker::Title, None, None);
        looking
    }

    fn read(&mut self, store: &Store, summary: &Summary) -> Result<(), SessionError> {
        let mut stream = store.stream(summary.id, 0)?;
        let mut numbers = Numbers::default();
        while let Some(line) = stream.next_line()? {
            if !may_speak(&line) {
                continue;
            }
            let Some(event) = stream.decode(&line) else {
                continue;
            };
            let message = numbers.of(&event);
            if let Some(passage) = passage::of(&event) {
                let seq = Some(event.seq);
                self.look(summary, &passage.text, passage.speaker, seq, message);
            }
        }
        Ok(())
    }

    fn look(
        &mut self,
        summary: &Summary,
        text: &str,
        role: Speaker,
        seq: Option<u64>,
        message: Option<u32>,
    ) {
        let Some((snippet, terms)) = Snippet::of(text, self.query) else {
            return;
        };
        self.terms |= terms;
        let slot = if terms == self.query.all() {
            &mut self.together
        } else {
            &mut self.apart
        };
        let passages = slot.as_ref().map_or(0, |before| before.passages);
        *slot = Some(Hit {
            session: summary.id,
            title: summary.title.clone(),
            cwd: summary.cwd.clone(),
            updated: summary.updated,
            seq,
            message,
            role,
            snippet,
            passages: passages.saturating_add(1),
        });
    }
}
