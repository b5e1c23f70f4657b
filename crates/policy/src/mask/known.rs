//! Secrets that are known to the letter: the keys that the program itself was
//! given. Whatever shape they have, they are found.

use super::sight::Ending;
use super::{Extent, Findings, marker};
use std::borrow::Cow;
use std::fmt;

/// What a key is called in the text that it was taken out of.
const NAME: &str = "api-key";
/// Shorter ones are found in words.
const SHORTEST: usize = 8;
/// So long a text is no word, even without a digit. Servers that want no key
/// are given one like `not-needed`, which must not be masked everywhere.
const NO_WORD: usize = 20;

/// The keys, the longest first.
#[derive(Clone, Default)]
pub(super) struct Known(Vec<String>);

/// Shows none of them.
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({})", self.0.len())
    }
}

fn is_secret(text: &str) -> bool {
    text.len() >= SHORTEST
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && (text.len() >= NO_WORD || text.bytes().any(|byte| byte.is_ascii_digit()))
}

/// What stands at a place of a text.
enum Here<'a> {
    Secret(&'a str),
    /// The end of the text, which may be the beginning of a secret.
    Beginning,
    Nothing,
}

impl Known {
    pub(super) fn add(&mut self, secrets: impl IntoIterator<Item = String>) {
        let fit = secrets.into_iter().map(|secret| secret.trim().to_owned());
        self.0.extend(fit.filter(|secret| is_secret(secret)));
        self.0
            .sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.0.dedup();
    }

    pub(super) fn has(&self, secret: &str) -> bool {
        let secret = secret.trim();
        self.0.iter().any(|known| known == secret)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The whole text; the text itself when it holds none of them.
    pub(super) fn mask<'a>(
        &self,
        extent: Extent,
        text: &'a str,
        found: &mut Findings,
    ) -> Cow<'a, str> {
        if !self.0.iter().any(|secret| text.contains(secret)) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        self.scan(text, extent, Ending::Closed, &mut out, found);
        Cow::Owned(out)
    }

    fn here(&self, rest: &str, ending: Ending) -> Here<'_> {
        for secret in &self.0 {
            if rest.starts_with(secret) {
                return Here::Secret(secret);
            }
            if ending == Ending::Open && secret.starts_with(rest) {
                return Here::Beginning;
            }
        }
        Here::Nothing
    }

    /// Writes what is certain; gives how much of the text that was.
    fn scan(
        &self,
        text: &str,
        extent: Extent,
        ending: Ending,
        out: &mut String,
        found: &mut Findings,
    ) -> usize {
        // A secret is ASCII, so where its first byte stands a character begins.
        let begins = |byte: &u8| self.0.iter().any(|secret| secret.as_bytes()[0] == *byte);
        let mut written = 0;
        let mut at = 0;
        while let Some(next) = text.as_bytes()[at..].iter().position(begins) {
            at += next;
            match self.here(&text[at..], ending) {
                Here::Beginning => {
                    out.push_str(&text[written..at]);
                    return at;
                }
                Here::Secret(secret) if extent.covers(secret) => {
                    out.push_str(&text[written..at]);
                    out.push_str(&marker(NAME));
                    found.note(NAME);
                    at += secret.len();
                    written = at;
                }
                Here::Secret(_) | Here::Nothing => at += 1,
            }
        }
        out.push_str(&text[written..]);
        text.len()
    }
}

/// Text in pieces; held back is only what may be the beginning of a key.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    waiting: String,
}

impl Pieces {
    pub(super) fn held(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn push(&mut self, known: &Known, text: &str, found: &mut Findings) -> String {
        self.waiting.push_str(text);
        let mut out = String::new();
        let done = known.scan(&self.waiting, Extent::All, Ending::Open, &mut out, found);
        self.waiting.drain(..done);
        out
    }

    pub(super) fn finish(&mut self, known: &Known, found: &mut Findings) -> String {
        let waiting = std::mem::take(&mut self.waiting);
        known.mask(Extent::All, &waiting, found).into_owned()
    }
}
