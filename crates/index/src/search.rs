//! From a question to sessions. The index names rows; what is shown is read
//! from the logs, and a row whose words are not there is passed over: an index
//! that is wrong can leave something out, but it cannot make something up.

use crate::database::Index;
use crate::error::IndexError;
use crate::found::{Filter, Found, Hit, Speaker};
use crate::passage;
use crate::query::Query;
use crate::snippet::Snippet;
use crate::update::{Known, SHIFT, TITLE, unsigned};
use rusqlite::OptionalExtension;
use std::collections::HashMap;

/// Sessions that are looked up one by one rather than all at once.
const FEW: usize = 200;

/// Rows of one session that fit.
#[derive(Debug, Clone, Copy)]
struct Rows {
    newest: i64,
    count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Apart,
    Together,
}

impl Index {
    /// Sessions in which all words occur, as far as the index was updated.
    ///
    /// # Errors
    /// When the database is locked for too long, or damaged.
    pub fn search(&self, query: &Query, filter: &Filter) -> Result<Found, IndexError> {
        let mut candidates = self.candidates(query, filter)?;
        candidates.sort_by(|(near, _, one), (nearer, _, other)| {
            let key = |near: Nearness, known: &Known| (near, known.about.updated, known.id);
            key(*nearer, other).cmp(&key(*near, one))
        });
        let mut found = Found {
            more: candidates.len().saturating_sub(filter.most),
            hits: Vec::new(),
        };
        for (near, rows, known) in candidates.into_iter().take(filter.most) {
            found.hits.extend(self.hit(query, near, rows, known)?);
        }
        Ok(found)
    }

    fn candidates(
        &self,
        query: &Query,
        filter: &Filter,
    ) -> Result<Vec<(Nearness, Rows, Known)>, IndexError> {
        let together = self.rows(&query.expression())?;
        let mut fitting = self.fitting(Nearness::Together, &together, filter)?;
        // Looking for each word alone costs more than for all together.
        if query.terms().len() > 1 && fitting.len() < filter.most {
            let mut apart = self.rows_apart(query)?;
            apart.retain(|number, _| !together.contains_key(number));
            fitting.extend(self.fitting(Nearness::Apart, &apart, filter)?);
        }
        Ok(fitting)
    }

    fn fitting(
        &self,
        near: Nearness,
        rows: &HashMap<i64, Rows>,
        filter: &Filter,
    ) -> Result<Vec<(Nearness, Rows, Known)>, IndexError> {
        let mut fitting = Vec::new();
        let mut take = |known: Known| {
            let cwd = filter.cwd.as_ref();
            if let Some(rows) = rows.get(&known.number)
                && cwd.is_none_or(|cwd| *cwd == known.about.cwd)
            {
                fitting.push((near, *rows, known));
            }
        };
        if rows.len() < FEW {
            for number in rows.keys() {
                self.numbered(*number)?.map(&mut take);
            }
        } else {
            self.known()?.into_values().for_each(take);
        }
        Ok(fitting)
    }

    /// By session; rows of one stand side by side and come in order.
    fn rows(&self, expression: &str) -> Result<HashMap<i64, Rows>, IndexError> {
        let mut statement = self
            .connection
            .prepare("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid")?;
        let mut rows = statement.query([expression])?;
        let mut all = HashMap::new();
        let mut last: Option<(i64, Rows)> = None;
        while let Some(row) = rows.next()? {
            let newest: i64 = row.get(0)?;
            let number = newest >> SHIFT;
            match &mut last {
                Some((same, rows)) if *same == number => {
                    rows.newest = newest;
                    rows.count = rows.count.saturating_add(1);
                }
                _ => {
                    all.extend(last.take());
                    last = Some((number, Rows { newest, count: 1 }));
                }
            }
        }
        all.extend(last);
        Ok(all)
    }

    /// Sessions that have all terms, in whatever passages; the rows are those
    /// of the term that is rarest.
    fn rows_apart(&self, query: &Query) -> Result<HashMap<i64, Rows>, IndexError> {
        let mut each = Vec::new();
        for term in query.terms() {
            let rows = self.rows(&term.expression())?;
            if rows.is_empty() {
                return Ok(HashMap::new());
            }
            each.push(rows);
        }
        each.sort_by_key(HashMap::len);
        let mut each = each.into_iter();
        let mut rarest = each.next().unwrap_or_default();
        for other in each {
            rarest.retain(|number, _| other.contains_key(number));
        }
        Ok(rarest)
    }

    /// `None` when the log does not say so.
    fn hit(
        &self,
        query: &Query,
        near: Nearness,
        rows: Rows,
        known: Known,
    ) -> Result<Option<Hit>, IndexError> {
        let Some(shown) = self.shown(rows.newest, &known)? else {
            return Ok(None);
        };
        let Some((snippet, terms)) = Snippet::of(&shown.text, query) else {
            return Ok(None);
        };
        if near == Nearness::Together && terms != query.all() {
            return Ok(None);
        }
        Ok(Some(Hit {
            session: known.id,
            title: known.about.title,
            cwd: known.about.cwd,
            updated: known.about.updated,
            seq: shown.seq,
            message: shown.message,
            role: shown.speaker,
            snippet,
            passages: rows.count,
        }))
    }

    fn shown(&self, row: i64, known: &Known) -> Result<Option<Shown>, IndexError> {
        if row & ((1 << SHIFT) - 1) == TITLE {
            return Ok(Some(Shown {
                text: known.about.title.clone(),
                speaker: Speaker::Title,
                seq: None,
                message: None,
            }));
        }
        let place = self
            .connection
            .query_row(
                "SELECT place, message FROM passage WHERE number = ?1",
                [row],
                |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<u32>>(1)?)),
            )
            .optional()?;
        let Some((offset, message)) = place else {
            return Ok(None);
        };
        // A session that was deleted since, or cannot be read now.
        let Ok(mut stream) = self.store.stream(known.id, unsigned(offset)) else {
            return Ok(None);
        };
        let Ok(Some(line)) = stream.next_line() else {
            return Ok(None);
        };
        let Some(event) = stream.decode(&line) else {
            return Ok(None);
        };
        Ok(passage::of(&event).map(|passage| Shown {
            text: passage.text,
            speaker: passage.speaker,
            seq: Some(event.seq),
            message,
        }))
    }
}

struct Shown {
    text: String,
    speaker: Speaker,
    seq: Option<u64>,
    message: Option<u32>,
}
