//! Paths that fit what was typed after an `@`. A large workspace has a hundred
//! thousand of them: they are looked through in slices between two keys, and a
//! word that grew is looked for only where the shorter one was found.

use crate::house::Row;
use crate::overlay::needle::Needle;
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of paths that are looked at as soon as a word is there: what a small
/// workspace has, and no time on any machine.
const FIRST: usize = 32 * 1024;
/// The time of a slice, and the bytes after which the clock is looked at.
const SLICE: Duration = Duration::from_millis(4);
const GLANCE: usize = 4 * 1024;
/// Paths that can be scrolled to; who wants another one types on.
const MOST: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Files {
    rows: Option<Arc<[Row]>>,
    order: Order,
    problem: Option<String>,
    word: String,
    search: Option<Search>,
    /// The best paths, as far as is known.
    found: Vec<u32>,
}

/// Whether a list of files is on its way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Wanted,
    Asked,
    Filled,
}

#[derive(Debug)]
struct Search {
    needle: Needle,
    /// Where to look: these, and all rows from `from` on.
    pool: Vec<u32>,
    from: usize,
    /// How many of the pool have been looked at.
    looked: usize,
    hits: Vec<u32>,
    best: Vec<(Rank, u32)>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Going,
    Over,
}

/// The smallest is the best.
type Rank = (Nearness, Reverse<u32>, usize, usize);

/// How a path fits beyond its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// The name of the file, or all of the path.
    Named,
    /// The path, or the name of the file, begins so.
    Begun,
    /// The name of the file has the letters.
    Inside,
    /// The path has them, here and there.
    Spread,
    /// A folder that is typed already: what is in it is wanted.
    Entered,
}

impl Files {
    pub(super) fn given(&mut self, rows: Arc<[Row]>) {
        self.rows = Some(rows);
        self.order = Order::Filled;
        self.problem = None;
        self.found.clear();
        let is_sought = self.search.take().is_some();
        if is_sought {
            let word = self.word.clone();
            self.start(&word);
        }
    }

    pub(super) fn failed(&mut self, why: &str) {
        self.problem = Some(why.to_owned());
        self.order = Order::Filled;
    }

    pub(super) fn stale(&mut self) {
        self.order = Order::Wanted;
    }

    pub(super) fn asked(&mut self) {
        self.order = Order::Asked;
    }

    pub(super) fn are_wanted(&self) -> bool {
        self.order == Order::Wanted
    }

    pub(super) fn has_something_to_say(&self) -> bool {
        !self.found.is_empty() || self.is_waiting() || self.is_looking() || self.problem.is_some()
    }

    fn is_waiting(&self) -> bool {
        self.rows.is_none() && self.order != Order::Filled
    }

    fn is_looking(&self) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| search.state == State::Going)
    }

    /// What stands there instead of paths.
    pub(super) fn said(&self) -> String {
        match &self.problem {
            Some(why) => format!("  can't list the files: {why}"),
            None if self.is_waiting() => String::from("  reading the files …"),
            None => String::from("  looking …"),
        }
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    pub(super) fn found(&self) -> &[u32] {
        &self.found
    }

    pub(super) fn path(&self, row: u32) -> Option<&str> {
        self.rows
            .as_ref()?
            .get(row as usize)
            .map(|row| row.id.as_str())
    }

    /// Nobody looks for a path now: what was found is not needed any more.
    pub(super) fn rest(&mut self) {
        self.search = None;
        self.found = Vec::new();
        self.word.clear();
    }

    /// Begins to look for a word, and does the first slice of it.
    pub(super) fn seek(&mut self, word: &str) {
        let word = word.trim_start_matches('"');
        let word = word.strip_prefix("./").unwrap_or(word);
        self.start(word);
    }

    fn start(&mut self, word: &str) {
        let before = self.search.take();
        let grew = word.starts_with(&self.word);
        word.clone_into(&mut self.word);
        let mut search = Search::new(Needle::path(word));
        if let Some(before) = before.filter(|_| grew) {
            search.narrow(before);
        }
        let Some(rows) = &self.rows else {
            self.search = Some(search);
            return;
        };
        // What was shown and still fits stands there until better is known.
        let mut kept: Vec<(Rank, u32)> = self
            .found
            .iter()
            .filter_map(|row| {
                let path = &rows.get(*row as usize)?.id;
                Some((rank(&mut search.needle, word, path)?, *row))
            })
            .collect();
        kept.sort_unstable();
        self.found = kept.into_iter().map(|(_, row)| row).collect();
        self.search = Some(search);
        self.look(|search, rows, word| search.look(rows, word, FIRST));
    }

    /// One slice; `false` if there was none to do.
    pub(super) fn work(&mut self) -> bool {
        let end = Instant::now() + SLICE;
        self.look(|search, rows, word| {
            while search.state == State::Going {
                search.look(rows, word, GLANCE);
                if Instant::now() >= end {
                    break;
                }
            }
        })
    }

    fn look(&mut self, work: impl FnOnce(&mut Search, &[Row], &str)) -> bool {
        let (Some(search), Some(rows)) = (&mut self.search, &self.rows) else {
            return false;
        };
        if search.state == State::Over {
            return false;
        }
        work(search, rows, &self.word);
        if search.state == State::Over || self.found.is_empty() {
            self.found = search.best.iter().map(|(_, row)| *row).collect();
        }
        true
    }
}

impl Search {
    fn new(needle: Needle) -> Self {
        Self {
            needle,
            pool: Vec::new(),
            from: 0,
            looked: 0,
            hits: Vec::new(),
            best: Vec::new(),
            state: State::Going,
        }
    }

    /// Where the shorter word was found, and where it was not yet looked for.
    fn narrow(&mut self, before: Self) {
        self.pool = before.hits;
        self.pool
            .extend(before.pool.into_iter().skip(before.looked));
        self.from = before.from;
    }

    fn look(&mut self, rows: &[Row], word: &str, mut budget: usize) {
        while budget > 0 {
            let row = match self.pool.get(self.looked) {
                Some(row) => {
                    self.looked += 1;
                    *row as usize
                }
                None => {
                    self.from += 1;
                    self.from - 1
                }
            };
            let Some(found) = rows.get(row) else {
                self.state = State::Over;
                self.from = rows.len();
                return;
            };
            // Letters that are not there are noticed soon, but not for nothing.
            budget = budget.saturating_sub(found.id.len() + 16);
            if let (Some(rank), Ok(row)) =
                (rank(&mut self.needle, word, &found.id), u32::try_from(row))
            {
                self.hits.push(row);
                self.keep((rank, row));
            }
        }
    }

    fn keep(&mut self, hit: (Rank, u32)) {
        if self.best.len() == MOST {
            if self.best.last().is_some_and(|last| *last <= hit) {
                return;
            }
            self.best.pop();
        }
        let at = self.best.partition_point(|other| *other < hit);
        self.best.insert(at, hit);
    }
}

/// Scores take most of the time: only what begins otherwise is scored, and of a
/// path only its name where the letters are all in it.
fn rank(needle: &mut Needle, word: &str, path: &str) -> Option<Rank> {
    let bare = path.strip_suffix('/').unwrap_or(path);
    let name = bare.rsplit('/').next().unwrap_or(bare);
    let (nearness, score) = match nearness(word, path, bare, name) {
        Some(nearness) => (nearness, 0),
        None => match needle.score(name) {
            Some(score) => (Nearness::Inside, score),
            None => (Nearness::Spread, needle.score(path)?),
        },
    };
    let depth = bare.matches('/').count();
    Some((nearness, Reverse(score), depth, path.len()))
}

/// How it fits if its beginning says so; letters are looked for otherwise.
fn nearness(word: &str, path: &str, bare: &str, name: &str) -> Option<Nearness> {
    if word.is_empty() {
        return Some(Nearness::Spread);
    }
    // As the letters are compared: capitals count where one was typed.
    let strict = word.chars().any(char::is_uppercase);
    let same = |a: &str, b: &str| {
        if strict {
            a == b
        } else {
            a.eq_ignore_ascii_case(b)
        }
    };
    let begins = |text: &str| {
        text.get(..word.len())
            .is_some_and(|start| same(start, word))
    };
    if path.ends_with('/') && word.ends_with('/') && same(path, word) {
        Some(Nearness::Entered)
    } else if same(name, word) || same(bare, word) {
        Some(Nearness::Named)
    } else if begins(name) || (word.contains('/') && begins(path)) {
        Some(Nearness::Begun)
    } else {
        None
    }
}
