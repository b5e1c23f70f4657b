//! Unified diffs: plain ones and git's, several files, wrong or missing counts.

use super::section::{Action, Existing, Hunk, OldRange, RowEnd, Section, Sign, Text, Unreadable};

const NULL: &str = "/dev/null";

/// The first line of a hunk.
pub(super) enum Header<'p> {
    Numbered {
        range: OldRange,
        added: Option<usize>,
    },
    Anchor(&'p str),
    Bare,
}

/// Reads `@@ -1,3 +1,4 @@ …`, `@@ fn main`, `@@`; `None` for any other line.
pub(super) fn header(text: &str) -> Option<Header<'_>> {
    let rest = text.strip_prefix("@@")?;
    if !rest.is_empty() && !rest.starts_with([' ', '@', '\t', '-']) {
        return None;
    }
    let rest = rest.trim();
    if let Some(old) = rest.strip_prefix('-')
        && let Some((start, count, rest)) = range(old)
    {
        let added = rest
            .trim_start()
            .strip_prefix('+')
            .and_then(range)
            .and_then(|(_, count, _)| count.or(Some(1)));
        return Some(Header::Numbered {
            range: OldRange {
                start,
                // `-4` alone means one line, where the new side is written too.
                count: count.or(added.map(|_| 1)),
            },
            added,
        });
    }
    let anchor = rest.trim_end_matches("@@").trim();
    if anchor.chars().all(|c| matches!(c, '.' | '…' | '@')) {
        return Some(Header::Bare);
    }
    Some(Header::Anchor(anchor))
}

/// `12,3` and what follows.
fn range(text: &str) -> Option<(usize, Option<usize>, &str)> {
    let (start, rest) = digits(text)?;
    match rest.strip_prefix(',').and_then(digits) {
        Some((count, rest)) => Some((start, Some(count), rest)),
        None => Some((start, None, rest)),
    }
}

fn digits(text: &str) -> Option<(usize, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..length].parse().ok()?;
    Some((number, &text[length..]))
}

pub(super) fn sections<'p>(rows: &[Text<'p>]) -> Result<Vec<Section<'p>>, Unreadable> {
    let mut reader = Reader {
        rows,
        at: 0,
        sections: Vec::new(),
        open: None,
    };
    while reader.at < rows.len() {
        reader.next()?;
    }
    reader.close()?;
    Ok(reader.sections)
}

/// What is known of the file that is being read.
#[derive(Default)]
struct Open<'p> {
    line: usize,
    git: Option<(String, String)>,
    names: Option<(String, String)>,
    created: bool,
    deleted: bool,
    renamed_from: Option<String>,
    renamed_to: Option<String>,
    mode_changed: bool,
    hunks: Vec<Hunk<'p>>,
}

struct Reader<'r, 'p> {
    rows: &'r [Text<'p>],
    at: usize,
    sections: Vec<Section<'p>>,
    open: Option<Open<'p>>,
}

impl<'p> Reader<'_, 'p> {
    fn next(&mut self) -> Result<(), Unreadable> {
        let row = self.rows[self.at];
        if let Some(rest) = row.text.strip_prefix("diff --git ") {
            self.close()?;
            self.open = Some(Open {
                line: row.number,
                git: git_names(rest),
                ..Open::default()
            });
        } else if self.is_file_header(self.at) {
            self.file_header(row)?;
            self.at += 1;
        } else if let Some(found) = header(row.text) {
            return self.hunk(row, &found);
        } else {
            self.extended(row)?;
        }
        self.at += 1;
        Ok(())
    }

    fn is_file_header(&self, at: usize) -> bool {
        let starts = |at: usize, mark: &str| {
            self.rows
                .get(at)
                .is_some_and(|row| row.text.starts_with(mark))
        };
        starts(at, "--- ") && starts(at + 1, "+++ ")
    }

    fn file_header(&mut self, row: Text<'p>) -> Result<(), Unreadable> {
        let old = name(&row.text[4..]);
        let new = name(&self.rows[self.at + 1].text[4..]);
        let (Some(old), Some(new)) = (old, new) else {
            return Err(row.unreadable("can't read the name of the file"));
        };
        // A git header before it belongs to the same file.
        let fresh = self
            .open
            .as_ref()
            .is_none_or(|open| open.names.is_some() || !open.hunks.is_empty());
        if fresh {
            self.close()?;
        }
        let open = self.open.get_or_insert_with(|| Open {
            line: row.number,
            ..Open::default()
        });
        open.names = Some((old, new));
        Ok(())
    }

    /// The lines that git writes between `diff --git` and `---`.
    fn extended(&mut self, row: Text<'p>) -> Result<(), Unreadable> {
        let Some(open) = self.open.as_mut().filter(|open| open.hunks.is_empty()) else {
            return Ok(());
        };
        let text = row.text;
        if text.starts_with("new file mode") {
            open.created = true;
        } else if text.starts_with("deleted file mode") {
            open.deleted = true;
        } else if let Some(from) = text.strip_prefix("rename from ") {
            open.renamed_from = name(from);
        } else if let Some(to) = text.strip_prefix("rename to ") {
            open.renamed_to = name(to);
        } else if text.starts_with("old mode") || text.starts_with("new mode") {
            open.mode_changed = true;
        } else if text.starts_with("copy from ") {
            return Err(row.unreadable("copies are not supported; create the file instead"));
        } else if text.starts_with("GIT binary patch") || text.starts_with("Binary files ") {
            return Err(row.unreadable("binary files cannot be patched"));
        }
        Ok(())
    }

    fn hunk(&mut self, row: Text<'p>, found: &Header<'p>) -> Result<(), Unreadable> {
        if self.open.is_none() {
            return Err(row.unreadable(
                "there is a hunk before any file is named with `---` and \
                 `+++`",
            ));
        }
        let mut hunk = Hunk {
            header: row.text,
            ..Hunk::default()
        };
        let mut left = None;
        match found {
            Header::Numbered { range, added } => {
                hunk.range = Some(*range);
                left = range.count.zip(*added);
            }
            Header::Anchor(anchor) => hunk.anchors.push(anchor),
            Header::Bare => {}
        }
        self.at += 1;
        self.body(&mut hunk, left);
        if hunk.lines.is_empty() {
            return Err(row.unreadable("this hunk has no lines"));
        }
        if let Some(open) = &mut self.open {
            open.hunks.push(hunk);
        }
        Ok(())
    }

    /// Reads the lines of a hunk. The counts tell a removed `-- x` from the
    /// `--- x` of the next file; where they are wrong, the signs decide.
    fn body(&mut self, hunk: &mut Hunk<'p>, mut left: Option<(usize, usize)>) {
        while let Some(row) = self.rows.get(self.at) {
            let counted = left.is_some_and(|left| left != (0, 0));
            if row.text.starts_with('\\') {
                if let Some(last) = hunk.lines.last_mut() {
                    last.end = RowEnd::Nothing;
                }
                self.at += 1;
                continue;
            }
            let is_next = header(row.text).is_some() || row.text.starts_with("diff --git ");
            let is_file = self.is_file_header(self.at);
            if is_next || (is_file && (!counted || self.is_hunk_at(self.at + 2))) {
                break;
            }
            let signed = row.text.starts_with(['+', '-', ' ']);
            let over = left == Some((0, 0));
            if over && (!signed || row.text == "-- ") {
                break;
            }
            if row.text.is_empty() && !counted && self.only_blank_until_header() {
                break;
            }
            let line = row.row();
            if let Some((old, new)) = &mut left {
                *old = old.saturating_sub(usize::from(line.sign != Sign::Add));
                *new = new.saturating_sub(usize::from(line.sign != Sign::Remove));
            }
            hunk.lines.push(line);
            self.at += 1;
        }
    }

    fn is_hunk_at(&self, at: usize) -> bool {
        self.rows
            .get(at)
            .is_some_and(|row| header(row.text).is_some())
    }

    fn only_blank_until_header(&self) -> bool {
        let rest = &self.rows[self.at..];
        match rest.iter().position(|row| !row.text.is_empty()) {
            None => true,
            Some(next) => {
                let at = self.at + next;
                self.is_file_header(at)
                    || self.is_hunk_at(at)
                    || self.rows[at].text.starts_with("diff --git ")
            }
        }
    }

    fn close(&mut self) -> Result<(), Unreadable> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let line = open.line;
        let section = open
            .section()
            .map_err(|reason| Unreadable { line, reason })?;
        self.sections.push(section);
        Ok(())
    }
}

impl<'p> Open<'p> {
    fn section(self) -> Result<Section<'p>, String> {
        if let (Some(from), Some(to)) = (self.renamed_from, self.renamed_to) {
            return Ok(Section {
                paths: vec![from],
                action: Action::Rename {
                    to,
                    existing: Existing::Refuse,
                },
                hunks: self.hunks,
            });
        }
        let Some((old, new)) = self.names.or(self.git) else {
            return Err(String::from("the file name is missing"));
        };
        let (action, paths) = if old == NULL || self.created {
            (Action::Create(Existing::Refuse), vec![without(&new, "b/")])
        } else if new == NULL || self.deleted {
            (Action::Delete, vec![without(&old, "a/")])
        } else {
            (Action::Update, candidates(&old, &new))
        };
        if action == Action::Update && self.hunks.is_empty() {
            return Err(if self.mode_changed {
                format!("it only changes the mode of `{new}`; use `bash` (chmod) for that")
            } else {
                format!("there is no hunk for `{new}`")
            });
        }
        Ok(Section {
            paths,
            action,
            hunks: self.hunks,
        })
    }
}

fn without(path: &str, prefix: &str) -> String {
    path.strip_prefix(prefix).unwrap_or(path).to_owned()
}

/// Where a changed file may be. `a/` and `b/` are git's and go; the names of a
/// plain diff may have a folder before them (`old/x`, `new/x`) or a suffix.
fn candidates(old: &str, new: &str) -> Vec<String> {
    let pair = |a: &str, b: &str| Some((old.strip_prefix(a)?, new.strip_prefix(b)?));
    let known = [
        ("a/", "b/"),
        ("i/", "w/"),
        ("c/", "i/"),
        ("c/", "w/"),
        ("o/", "w/"),
    ];
    if let Some((_, plain)) = known.iter().find_map(|(a, b)| pair(a, b)) {
        return vec![plain.to_owned()];
    }
    let mut all = vec![new.to_owned()];
    let mut add = |path: &str| {
        if !path.is_empty() && !all.iter().any(|known| known == path) {
            all.push(path.to_owned());
        }
    };
    add(old);
    let foreign = old != new || old.starts_with("a/") || old.starts_with("b/");
    if foreign {
        for path in [new, old] {
            if let Some((_, rest)) = path.split_once('/') {
                add(rest);
            }
        }
    }
    all
}

/// Both names of `diff --git a/x b/x`, where they can be told apart.
fn git_names(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') {
        return None;
    }
    let middle = rest.match_indices(" b/").find(|(at, _)| {
        let (old, new) = (&rest[..*at], &rest[at + 1..]);
        old.strip_prefix("a/") == new.strip_prefix("b/")
    });
    let (at, _) = middle.or_else(|| rest.match_indices(" b/").next())?;
    Some((rest[..at].to_owned(), rest[at + 1..].to_owned()))
}

/// A name in a header: up to the tab before a date, or quoted as in C.
fn name(text: &str) -> Option<String> {
    let text = text.trim_start();
    let name = match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted)?,
        None => text
            .split('\t')
            .next()
            .unwrap_or(text)
            .trim_end()
            .to_owned(),
    };
    (!name.is_empty()).then_some(name)
}

fn unquoted(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    loop {
        match rest.next()? {
            b'"' => return String::from_utf8(bytes).ok(),
            b'\\' => bytes.push(match rest.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                first @ b'0'..=b'3' => {
                    let digit = |b: u8| matches!(b, b'0'..=b'7').then_some(b - b'0');
                    let (second, third) = (digit(rest.next()?)?, digit(rest.next()?)?);
                    (first - b'0') * 64 + second * 8 + third
                }
                other => other,
            }),
            byte => bytes.push(byte),
        }
    }
}
