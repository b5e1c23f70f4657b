//! The search itself: threads walk the tree, each with a searcher of its own.
//! Nothing is allocated for a file without a match.

use super::collect::{Collector, FileHits, Found, Line, LineKind};
use crate::files::blocking::Stop;
use crate::files::glob::threads;
use crate::files::pattern::Pattern;
use crate::output;
use crate::workspace::{Entry, EntryKind, OpenFile, Walk, Walked};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish,
    SinkMatch,
};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

/// A line longer than this is not held in memory; its file is passed by.
const HEAP: usize = 8 * 1024 * 1024;
/// Asking whether to stop takes a lock that all threads share: it is asked
/// once in so many files, and once in so many pieces of a large file.
const ASKED_EVERY: u32 = 16;
/// What is shown of a line.
const LINE_BYTES: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Content,
    Files,
    Count,
}

pub(super) struct Job<'a> {
    pub(super) matcher: RegexMatcher,
    pub(super) mode: Mode,
    pub(super) context: u64,
    /// Matches to show, or files where only files are shown.
    pub(super) most: usize,
    pub(super) stop: &'a Stop,
}

/// What a search of one file came to.
enum Searched {
    Hits(FileHits),
    Nothing,
    Unsearchable,
}

impl Job<'_> {
    pub(super) fn in_file(&self, open: &OpenFile) -> Found {
        let collector = Collector::new(self.most);
        let mut searcher = self.searcher();
        match self.search(&self.matcher, &mut searcher, &open.file) {
            Searched::Hits(mut hits) => {
                hits.shown.clone_from(&open.path);
                let weight = self.weight(&hits);
                collector.add(open.path.as_bytes(), weight, hits);
            }
            Searched::Nothing => {}
            Searched::Unsearchable => collector.count_unsearchable(),
        }
        collector.finish()
    }

    pub(super) fn in_folder(&self, walk: &Walk, pattern: Option<&Pattern>) -> Found {
        let collector = Collector::new(self.most);
        let walked = walk.parallel(threads(), || {
            let mut searcher = self.searcher();
            let matcher = self.matcher.clone();
            let collector = &collector;
            let mut seen = 0_u32;
            Box::new(move |entry: &Entry| {
                seen = seen.wrapping_add(1);
                if seen.is_multiple_of(ASKED_EVERY) && self.stop.reason().is_some() {
                    return ControlFlow::Break(());
                }
                let wanted = entry.kind() == EntryKind::File
                    && pattern.is_none_or(|pattern| pattern.matches(entry.relative()));
                if wanted {
                    self.visit(walk, entry, &matcher, &mut searcher, collector);
                }
                ControlFlow::Continue(())
            })
        });
        let mut found = collector.finish();
        found.partial = walked == Walked::Part;
        found
    }

    fn visit(
        &self,
        walk: &Walk,
        entry: &Entry,
        matcher: &RegexMatcher,
        searcher: &mut Searcher,
        collector: &Collector,
    ) {
        let path = entry.relative().as_os_str().as_bytes();
        if !collector.wants(path) {
            return;
        }
        if walk.is_private(entry) {
            return collector.count_private();
        }
        let Some(file) = walk.open(entry) else { return };
        match self.search(matcher, searcher, &file) {
            Searched::Hits(mut hits) => {
                hits.shown = walk.shown(entry);
                collector.add(path, self.weight(&hits), hits);
            }
            Searched::Nothing => {}
            Searched::Unsearchable => collector.count_unsearchable(),
        }
    }

    fn weight(&self, hits: &FileHits) -> usize {
        match self.mode {
            Mode::Content => usize::try_from(hits.matches).unwrap_or(usize::MAX),
            Mode::Files | Mode::Count => 1,
        }
    }

    fn searcher(&self) -> Searcher {
        let context = match self.mode {
            Mode::Content => usize::try_from(self.context).unwrap_or(0),
            Mode::Files | Mode::Count => 0,
        };
        SearcherBuilder::new()
            .line_number(self.mode == Mode::Content)
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::quit(0))
            .memory_map(MmapChoice::never())
            .heap_limit(Some(HEAP))
            .build()
    }

    fn search(&self, matcher: &RegexMatcher, searcher: &mut Searcher, file: &File) -> Searched {
        let mut gather = Gather {
            job: self,
            matcher,
            hits: FileHits::default(),
            binary: false,
        };
        let reader = Stoppable {
            file,
            stop: self.stop,
            reads: 0,
        };
        match searcher.search_reader(matcher, reader, &mut gather) {
            Err(_) => Searched::Unsearchable,
            Ok(()) if gather.binary || gather.hits.matches == 0 => Searched::Nothing,
            Ok(()) => Searched::Hits(gather.hits),
        }
    }
}

/// Ends the search of a large file when the call ends.
struct Stoppable<'a> {
    file: &'a File,
    stop: &'a Stop,
    reads: u32,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads = self.reads.wrapping_add(1);
        if self.reads.is_multiple_of(ASKED_EVERY) && self.stop.reason().is_some() {
            return Err(io::Error::other("stopped"));
        }
        self.file.read(buffer)
    }
}

struct Gather<'a> {
    job: &'a Job<'a>,
    matcher: &'a RegexMatcher,
    hits: FileHits,
    binary: bool,
}

impl Sink for Gather<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.hits.matches += 1;
        match self.job.mode {
            Mode::Files => return Ok(false),
            Mode::Count => return Ok(true),
            Mode::Content => {}
        }
        let bytes = found.bytes();
        let at = match self.matcher.find(bytes) {
            Ok(Some(place)) => place.start(),
            _ => 0,
        };
        self.hits.lines.push(Line {
            number: found.line_number().unwrap_or(0),
            kind: LineKind::Match,
            text: window(bytes, at),
        });
        // One more than can be shown: then it is known that there are more.
        Ok(self.hits.matches <= self.job.most as u64)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.hits.lines.push(Line {
            number: found.line_number().unwrap_or(0),
            kind: LineKind::Context,
            text: window(found.bytes(), 0),
        });
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, found: &SinkFinish) -> Result<(), io::Error> {
        self.binary = found.binary_byte_offset().is_some();
        Ok(())
    }
}

/// The line, or where it is long, the part of it around a place.
fn window(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= LINE_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = at
        .saturating_sub(LINE_BYTES / 4)
        .min(line.len() - LINE_BYTES);
    // Some bytes more on both sides, so that no character is torn at the cut.
    let wide = &line[from.saturating_sub(4)..line.len().min(from + LINE_BYTES + 4)];
    let text = String::from_utf8_lossy(wide);
    let start = output::ceil(&text, from.min(4));
    let end = output::floor(&text, start + LINE_BYTES);
    let before = if from > 0 { "…" } else { "" };
    let after = if from + LINE_BYTES < line.len() {
        "…"
    } else {
        ""
    };
    format!(
        "{before}{}{after} [line of {} bytes]",
        &text[start..end],
        line.len()
    )
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, window};

    #[test]
    fn a_long_line_is_shown_around_the_match_and_between_characters() {
        let line = format!("{}needle{}\n", "ä".repeat(5000), "ö".repeat(5000));
        let at = line.find("needle").unwrap();
        for shift in 0..4 {
            let shown = window(line.as_bytes(), at + shift);
            assert!(shown.contains("needle"), "{shown}");
            assert!(!shown.contains('\u{FFFD}'), "{shown}");
            assert!(shown.len() < LINE_BYTES + 50);
            assert!(shown.starts_with('…') && shown.contains("20006 bytes"));
        }
        assert_eq!(window(b"short\r\n", 0), "short");
    }
}
