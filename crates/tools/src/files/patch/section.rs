//! A patch as read, before any file was looked at; the same for both formats.

/// What is to happen to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'p> {
    /// Where the file may be, best first. More than one only for plain diffs,
    /// whose names may carry a leading folder that is not ours.
    pub paths: Vec<String>,
    pub action: Action,
    pub hunks: Vec<Hunk<'p>>,
}

impl Section<'_> {
    /// The name by which a report calls it.
    pub(super) fn path(&self) -> &str {
        self.paths.first().map_or("", String::as_str)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Create(Existing),
    Delete,
    Update,
    Rename { to: String, existing: Existing },
}

/// What becomes of a file that stands where a new one is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// A diff was made against a tree in which there was none: it does not fit.
    Refuse,
    /// The marked format says what the file shall hold, whatever it held.
    Replace,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk<'p> {
    /// The header line as written; empty when there was none.
    pub header: &'p str,
    pub range: Option<OldRange>,
    /// Lines that must come before, outermost first.
    pub anchors: Vec<&'p str>,
    pub lines: Vec<Row<'p>>,
    pub place: Place,
}

/// The old side of a numbered header: line from 1, and how many if it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OldRange {
    pub start: usize,
    pub count: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    #[default]
    Anywhere,
    EndOfFile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row<'p> {
    pub sign: Sign,
    pub text: &'p str,
    pub end: RowEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Context,
    Remove,
    Add,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowEnd {
    Lf,
    CrLf,
    /// Marked `\ No newline at end of file`.
    Nothing,
}

impl RowEnd {
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Nothing => b"",
        }
    }
}

/// Why a patch cannot be read, and in which of its lines (from 1).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {reason}")]
pub(super) struct Unreadable {
    pub line: usize,
    pub reason: String,
}

/// One line of the patch text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'p> {
    pub number: usize,
    pub text: &'p str,
    pub end: RowEnd,
}

impl<'p> Text<'p> {
    pub(super) fn unreadable(&self, reason: impl Into<String>) -> Unreadable {
        Unreadable {
            line: self.number,
            reason: reason.into(),
        }
    }

    /// Reads it as a line of a hunk. A line without any sign is taken as
    /// context whose blank was forgotten: it must be in the file anyway.
    pub(super) fn row(&self) -> Row<'p> {
        let (sign, text) = match self.text.as_bytes().first() {
            Some(b'+') => (Sign::Add, &self.text[1..]),
            Some(b'-') => (Sign::Remove, &self.text[1..]),
            Some(b' ') => (Sign::Context, &self.text[1..]),
            _ => (Sign::Context, self.text),
        };
        Row {
            sign,
            text,
            end: self.end,
        }
    }
}
