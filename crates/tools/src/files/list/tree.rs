//! How entries are laid out on a page: whole levels first, then the beginnings
//! of the folders below, each with what is left of it.

use super::Row;
use crate::workspace::{EntryKind, Walk, Walked};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The first entry to show, from 1.
    pub(super) offset: usize,
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

/// One page.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) text: String,
    pub(super) shown: usize,
    /// Entries over which `offset` counts.
    pub(super) total: usize,
    /// Where the next page begins.
    pub(super) next: Option<usize>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) walked: Walked,
    offset: usize,
    level: usize,
    depth: usize,
    /// Entries that are on no page and in no folder of `left_out`.
    below: usize,
}

/// A folder that is shown in part.
#[derive(Debug)]
pub(super) struct LeftOut {
    folder: PathBuf,
    entries: usize,
    offset: usize,
}

impl LeftOut {
    pub(super) fn data(&self, walk: &Walk) -> Value {
        json!({
            "path": walk.absolute().join(&self.folder).to_string_lossy(),
            "entries": self.entries,
            "depth": 1,
            "offset": self.offset,
        })
    }
}

impl Tree {
    pub(super) fn of(rows: &[Row], depth: usize, limits: Limits, walked: Walked) -> Self {
        let up_to = |level| rows.iter().filter(|row| row.depth <= level).count();
        let level = (1..=depth)
            .rev()
            .find(|level| up_to(*level) <= limits.entries)
            .unwrap_or(1);
        let mut tree = Self {
            text: String::new(),
            shown: 0,
            total: up_to(level),
            next: None,
            left_out: Vec::new(),
            walked,
            offset: limits.offset,
            level,
            depth,
            below: 0,
        };
        tree.page(rows, limits);
        if tree.next.is_none() && limits.offset == 1 && tree.shown < rows.len() {
            tree.fill(rows, limits);
        }
        if tree.next.is_none() {
            let told: usize = tree.left_out.iter().map(|it| it.entries).sum();
            let before = tree.offset - 1;
            tree.below = rows.len().saturating_sub(before + tree.shown + told);
        }
        tree
    }

    /// The entries of the shown levels from the offset on.
    fn page(&mut self, rows: &[Row], limits: Limits) {
        let level = self.level;
        let rows = rows.iter().filter(|row| row.depth <= level);
        for row in rows.skip(limits.offset - 1) {
            if self.shown == limits.entries || self.is_full(row, limits) {
                self.next = Some(limits.offset + self.shown);
                return;
            }
            self.push(row);
        }
        if self.walked == Walked::Part {
            self.next = Some(limits.offset + self.shown);
        }
    }

    /// Lays the page out anew, with the beginnings of the folders of its last
    /// level: what room is left is shared between them.
    fn fill(&mut self, rows: &[Row], limits: Limits) {
        let room = limits.entries - self.shown;
        let mut spare = limits.bytes.saturating_sub(self.text.len());
        self.text.clear();
        self.shown = 0;
        let mut counts: Vec<usize> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            if row.depth == self.level && row.kind == EntryKind::Folder {
                counts.push(children(&rows[at + 1..], self.level).count());
            }
        }
        let mut shares = shares(&counts, room).into_iter();
        for (at, row) in rows.iter().enumerate() {
            if row.depth > self.level {
                continue;
            }
            self.push(row);
            if row.depth < self.level || row.kind != EntryKind::Folder {
                continue;
            }
            let share = shares.next().unwrap_or(0);
            let inside: Vec<&Row> = children(&rows[at + 1..], self.level).collect();
            let mut taken = 0;
            for child in inside.iter().take(share) {
                let width = width(child);
                if width > spare {
                    break;
                }
                spare -= width;
                self.push(child);
                taken += 1;
            }
            if share > 0 && taken < inside.len() {
                self.leave_out(&row.relative, inside.len() - taken, taken + 1, &mut spare);
            }
        }
    }

    fn leave_out(&mut self, folder: &Path, entries: usize, offset: usize, spare: &mut usize) {
        let line = format!(
            "{}[… {entries} more in this folder; list it with depth 1 and offset {offset}]\n",
            "  ".repeat(self.level)
        );
        if line.len() > *spare {
            return;
        }
        *spare -= line.len();
        self.text.push_str(&line);
        self.left_out.push(LeftOut {
            folder: folder.to_owned(),
            entries,
            offset,
        });
    }

    fn is_full(&self, row: &Row, limits: Limits) -> bool {
        self.shown > 0 && self.text.len() + width(row) > limits.bytes
    }

    fn push(&mut self, row: &Row) {
        self.text.push_str(&"  ".repeat(row.depth - 1));
        self.text.push_str(&row.name);
        self.text.push_str(match row.kind {
            EntryKind::Folder => "/\n",
            _ => "\n",
        });
        self.shown += 1;
    }

    pub(super) fn is_cut(&self) -> bool {
        self.next.is_some() || self.below > 0 || !self.left_out.is_empty()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let last = self.offset + self.shown - 1;
        let to = match self.level < self.depth {
            true => format!(", to depth {}", self.level),
            false => String::new(),
        };
        match self.next {
            Some(next) => {
                let more = match self.walked {
                    Walked::Whole => format!("{}", self.total),
                    Walked::Part => format!("more than {}", self.total),
                };
                notes.push(format!(
                    "entries {}-{last} of {more}{to}; use offset={next} to continue",
                    self.offset
                ));
            }
            None if self.offset > 1 => notes.push(format!(
                "entries {}-{last} of {}{to}, the end",
                self.offset, self.total
            )),
            None if self.total == 0 => notes.push(String::from("no entries")),
            None => {}
        }
        if self.below > 0 {
            notes.push(format!(
                "{} more entries below; list one of these folders to see them",
                self.below
            ));
        }
        notes
    }
}

fn width(row: &Row) -> usize {
    2 * (row.depth - 1) + row.name.len() + 2
}

/// What a folder of this level holds, given the rows after it.
fn children(after: &[Row], level: usize) -> impl Iterator<Item = &Row> {
    after
        .iter()
        .take_while(move |row| row.depth > level)
        .filter(move |row| row.depth == level + 1)
}

/// Divides room between folders: small ones are shown whole, the others get the
/// same.
fn shares(counts: &[usize], mut room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|at| counts[*at]);
    let mut shares = vec![0; counts.len()];
    for (done, at) in order.iter().enumerate() {
        let share = counts[*at].min(room / (counts.len() - done));
        shares[*at] = share;
        room -= share;
    }
    shares
}
