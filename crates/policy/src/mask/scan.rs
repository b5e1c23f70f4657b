//! Goes through a text from candidate to candidate. What it answers for a piece
//! is what it answers for the whole: it decides only when nothing that follows
//! could change the answer, and says what must be held back until then.

use super::pem::{self, Block, Rest};
use super::sight::{Ending, Sight, Verdict};
use super::table::{Cover, KEYWORDS, Keyword, TOKENS, Token};
use super::{Extent, Findings, assign, marker, request, token, url};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

/// How far behind a candidate a matcher may look.
pub(super) const BEHIND: usize = assign::BACK + 56;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Token(&'static Token),
    Keyword(&'static Keyword),
    Jwt,
    Telegram,
    Pem,
    Url,
    User,
    Cookie,
}

#[derive(Debug)]
pub(super) struct Scanner {
    /// Absent only if the library could not build it; then nothing passes.
    automaton: Option<AhoCorasick>,
    kinds: Vec<Kind>,
    /// In lower case, sorted.
    literals: Vec<Vec<u8>>,
    /// Those that are masked themselves, as they are written, sorted.
    covered: Vec<&'static [u8]>,
    /// By the first byte of a literal.
    begins: [bool; 256],
    longest: usize,
}

/// How far a text has been gone through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Up to here it is out, or masked.
    pub(super) emitted: usize,
    /// From here on candidates are looked for.
    pub(super) at: usize,
    /// Inside a private key whose marker is out.
    pub(super) within: Within,
    extent: Extent,
}

impl Place {
    pub(super) fn new(extent: Extent) -> Self {
        Self {
            extent,
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Within {
    #[default]
    Text,
    Key,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) place: Place,
    /// What may go out after `place.emitted` ends here.
    pub(super) hold: usize,
    pub(super) masked: usize,
}

impl Scanner {
    pub(super) fn new() -> Self {
        let tokens = TOKENS
            .iter()
            .map(|token| (token.prefix, Kind::Token(token)));
        let keywords = KEYWORDS.iter().map(|word| (word.word, Kind::Keyword(word)));
        let others = [
            ("eyJ", Kind::Jwt),
            (":AA", Kind::Telegram),
            (pem::BEGIN, Kind::Pem),
            ("://", Kind::Url),
            (":\\/\\/", Kind::Url),
            (request::SHORT, Kind::User),
            (request::LONG, Kind::User),
            (request::COOKIE, Kind::Cookie),
        ];
        let (words, kinds): (Vec<&str>, Vec<Kind>) = tokens.chain(keywords).chain(others).unzip();
        let mut literals: Vec<Vec<u8>> = words
            .iter()
            .map(|word| word.to_ascii_lowercase().into_bytes())
            .collect();
        literals.sort_unstable();
        let mut covered: Vec<&'static [u8]> = TOKENS
            .iter()
            .filter(|token| token.cover == Cover::Whole)
            .map(|token| token.prefix.as_bytes())
            .chain([b"eyJ".as_slice(), pem::BEGIN.as_bytes()])
            .collect();
        covered.sort_unstable();
        let mut begins = [false; 256];
        for literal in &literals {
            if let Some(first) = literal.first() {
                begins[usize::from(*first)] = true;
            }
        }
        Self {
            automaton: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostLongest)
                .kind(Some(AhoCorasickKind::DFA))
                .build(&words)
                .ok(),
            longest: literals.iter().map(Vec::len).max().unwrap_or(0),
            kinds,
            literals,
            covered,
            begins,
        }
    }

    /// Masks `text` from `place` on. What is certain goes to `out`, up to the last
    /// thing masked; the caller adds what follows, up to `hold`.
    pub(super) fn scan(
        &self,
        text: &str,
        mut place: Place,
        ending: Ending,
        out: &mut String,
        found: &mut Findings,
    ) -> Progress {
        let Some(automaton) = &self.automaton else {
            return withhold(text, out, found);
        };
        let mut masked = 0;
        let tail = match ending {
            Ending::Open => self.open_tail(text.as_bytes(), place.at),
            Ending::Closed => text.len(),
        };
        loop {
            if place.within == Within::Key && !go_on(text, &mut place, ending) {
                let hold = place.emitted;
                return Progress {
                    place,
                    hold,
                    masked,
                };
            }
            let next = automaton.find(Input::new(text).span(place.at.min(text.len())..text.len()));
            let begun = next.map_or(text.len(), |next| next.start());
            let Some(next) = next.filter(|next| next.start() < tail) else {
                place.at = place.at.max(tail);
                let hold = self.covered_tail(text, tail, ending).min(begun);
                return Progress {
                    hold: hold.max(place.emitted),
                    place,
                    masked,
                };
            };
            let sight = Sight {
                text,
                start: next.start(),
                end: next.end(),
                ending,
            };
            let kind = self.kinds.get(next.pattern().as_usize()).copied();
            let (verdict, within) = kind.map_or((Verdict::No, Within::Text), |k| judge(sight, k));
            match verdict {
                Verdict::Mask { from, to, name } if place.extent.covers(sight.slice(from, to)) => {
                    let from = from.max(place.emitted);
                    out.push_str(sight.slice(place.emitted, from));
                    out.push_str(&marker(name));
                    found.note(name);
                    masked += 1;
                    place = Place {
                        emitted: to,
                        at: to,
                        within,
                        ..place
                    };
                }
                Verdict::No | Verdict::Mask { .. } => place.at = sight.start + 1,
                Verdict::More { hold } => {
                    place.at = sight.start;
                    let hold = place.emitted.max(hold);
                    return Progress {
                        place,
                        hold,
                        masked,
                    };
                }
            }
        }
    }

    /// Where the end of the text may be the beginning of a literal; its length
    /// when it cannot.
    fn open_tail(&self, bytes: &[u8], from: usize) -> usize {
        let first = bytes
            .len()
            .saturating_sub(self.longest.saturating_sub(1))
            .max(from);
        (first..bytes.len())
            .find(|at| {
                let rest = &bytes[*at..];
                self.begins[usize::from(rest[0].to_ascii_lowercase())] && self.is_begun(rest)
            })
            .unwrap_or(bytes.len())
    }

    /// Where the end of the text may be the beginning of what is masked with its
    /// literal. A name before a secret need not wait: it goes out as it is.
    fn covered_tail(&self, text: &str, from: usize, ending: Ending) -> usize {
        let bytes = text.as_bytes();
        if ending == Ending::Closed {
            return bytes.len();
        }
        (from..bytes.len())
            .find(|at| {
                let rest = &bytes[*at..];
                let next = self.covered.partition_point(|literal| *literal <= rest);
                let is_begun = self.covered.get(next).is_some_and(|l| l.starts_with(rest));
                let sight = Sight {
                    text,
                    start: *at,
                    end: *at,
                    ending,
                };
                let after_dash = sight.before(*at, 1) == Some(b'-');
                is_begun && (rest[0] == b'-' || after_dash || sight.begins_word(*at))
            })
            .unwrap_or(bytes.len())
    }

    /// Whether some literal begins with all of this and is longer.
    fn is_begun(&self, rest: &[u8]) -> bool {
        let lower = || rest.iter().map(u8::to_ascii_lowercase);
        let at = self
            .literals
            .partition_point(|literal| literal.iter().copied().cmp(lower()).is_le());
        self.literals.get(at).is_some_and(|literal| {
            literal.len() > rest.len() && lower().zip(literal).all(|(a, b)| a == *b)
        })
    }
}

/// Passes over what is left of a private key; false when more text is needed.
fn go_on(text: &str, place: &mut Place, ending: Ending) -> bool {
    while place.within == Within::Key {
        let to = match pem::rest(text, place.at, ending) {
            Rest::Key(to) => to,
            Rest::Over(to) => {
                place.within = Within::Text;
                to
            }
            Rest::More => return false,
        };
        place.at = to;
        place.emitted = to;
    }
    true
}

fn judge(sight: Sight<'_>, kind: Kind) -> (Verdict, Within) {
    let verdict = match kind {
        Kind::Token(kind) => token::judge(sight, kind),
        Kind::Keyword(word) => assign::judge(sight, word),
        Kind::Jwt => token::jwt(sight),
        Kind::Telegram => token::telegram(sight),
        Kind::Url => url::judge(sight),
        Kind::User => request::user(sight),
        Kind::Cookie => request::cookie(sight),
        Kind::Pem => match pem::judge(sight) {
            Block::Verdict(verdict) => verdict,
            Block::Unfinished { from, to } => {
                let name = "private-key";
                return (Verdict::Mask { from, to, name }, Within::Key);
            }
        },
    };
    (verdict, Within::Text)
}

/// Without an automaton nothing can be told from a secret.
fn withhold(text: &str, out: &mut String, found: &mut Findings) -> Progress {
    out.push_str(&marker("all"));
    found.note("all");
    let end = text.len();
    Progress {
        place: Place {
            emitted: end,
            at: end,
            ..Place::default()
        },
        hold: end,
        masked: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    #[test]
    fn the_automaton_is_built_and_every_literal_is_found_by_its_beginning() {
        let scanner = Scanner::new();
        assert!(scanner.automaton.is_some());
        for literal in &scanner.literals {
            let cut = &literal[..literal.len() - 1];
            assert!(scanner.is_begun(cut), "{literal:?}");
        }
        assert!(!scanner.is_begun(b"zz"));
    }
}
