//! Takes secrets out of text before it is stored or sent (H3, H6): cloud keys,
//! tokens, private keys, passwords in addresses. What is taken out is replaced by
//! a marker such as `[masked:github-token]`.
//!
//! Not a proof that no secret is left: it knows shapes, and a secret without one
//! passes. It is careful the other way, too: what is not a secret comes out byte
//! for byte, because an agent works with what it reads.
//!
//! A shape is a literal with which it begins and a matcher for the rest. Ordinary
//! text meets one automaton over the literals and nothing else.

mod assign;
mod body;
mod custom;
mod findings;
mod known;
mod parts;
mod pem;
mod random;
mod request;
mod scan;
mod sight;
mod stream;
mod table;
mod token;
mod url;
mod value;

pub use custom::PatternError;
pub use findings::Findings;
pub use stream::MaskStream;

use custom::Custom;
use known::Known;
use scan::Scanner;
use sight::Ending;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// How a marker begins; a name and `]` follow.
pub(crate) const MARKER: &str = "[masked:";
/// No name is longer.
const NAME_BYTES: usize = 40;

/// Finds secrets in text. Cheap to make.
#[derive(Debug)]
pub struct Masker {
    state: State,
    /// Grows while the program runs: a key that a command prints is known only
    /// when it is needed.
    known: RwLock<Arc<Known>>,
    custom: Vec<Custom>,
}

/// The same for all, and never changed: made from the table when the first text
/// comes, so that a start pays nothing for it.
static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    On,
    Off,
}

/// How much is masked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Extent {
    #[default]
    All,
    /// Only what a reader loses nothing by: one word that no shell takes for
    /// more than a word, and that names no file.
    Plain,
}

impl Extent {
    fn covers(self, secret: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+=.~".contains(&byte);
        self == Self::All || secret.bytes().all(is_plain)
    }
}

impl Masker {
    /// The shapes that come along.
    #[must_use]
    pub fn standard() -> Arc<Self> {
        Self::make(State::On, Vec::new())
    }

    /// Lets everything through.
    #[must_use]
    pub fn none() -> Arc<Self> {
        Self::make(State::Off, Vec::new())
    }

    /// The shapes that come along and those of the user: name and regular
    /// expression. What such an expression matches within a line is masked whole,
    /// or only its group `secret` where it has one.
    ///
    /// # Errors
    /// When a name or an expression cannot be used; the first one that cannot.
    pub fn with_patterns<'a>(
        patterns: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Arc<Self>, PatternError> {
        let custom = patterns
            .into_iter()
            .map(|(name, pattern)| Custom::new(name, pattern))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::make(State::On, custom))
    }

    fn make(state: State, custom: Vec<Custom>) -> Arc<Self> {
        Arc::new(Self {
            state,
            known: RwLock::default(),
            custom,
        })
    }

    /// The same, and these texts to the letter: the keys in use, which may have
    /// no shape at all. What is short, or a word, is not taken for one.
    #[must_use]
    pub fn knowing(&self, secrets: impl IntoIterator<Item = String>) -> Arc<Self> {
        let mut known = Known::clone(&self.known());
        known.add(secrets);
        Arc::new(Self {
            state: self.state,
            known: RwLock::new(Arc::new(known)),
            custom: self.custom.clone(),
        })
    }

    /// From now on this text is masked, too, by everybody who has this masker.
    /// What is short, or a word, is not taken for a secret.
    pub fn learn(&self, secret: &str) {
        if self.known().has(secret) {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let mut more = Known::clone(&known);
        more.add([secret.to_owned()]);
        *known = Arc::new(more);
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The text with markers in place of secrets; the text itself when it holds none.
    #[must_use]
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.mask_noting(text, &mut Findings::default())
    }

    /// The same, and what was found is added to `found`.
    #[must_use]
    pub fn mask_noting<'a>(&self, text: &'a str, found: &mut Findings) -> Cow<'a, str> {
        self.mask_within(Extent::All, text, found)
    }

    /// For text on which somebody is to decide: only single words are masked,
    /// never a key of many lines or a value in which a command could hide.
    #[must_use]
    pub fn mask_plain<'a>(&self, text: &'a str, found: &mut Findings) -> Cow<'a, str> {
        self.mask_within(Extent::Plain, text, found)
    }

    fn mask_within<'a>(&self, extent: Extent, text: &'a str, found: &mut Findings) -> Cow<'a, str> {
        if self.state == State::Off {
            return Cow::Borrowed(text);
        }
        let masked = match self.known().mask(extent, text, found) {
            Cow::Borrowed(text) => self.mask_shapes(extent, text, found),
            Cow::Owned(text) => Cow::Owned(self.mask_shapes(extent, &text, found).into_owned()),
        };
        match (extent, masked) {
            (Extent::Plain, masked) => masked,
            (Extent::All, Cow::Borrowed(text)) => body::mask(text, found),
            (Extent::All, Cow::Owned(text)) => Cow::Owned(body::mask(&text, found).into_owned()),
        }
    }

    fn mask_shapes<'a>(&self, extent: Extent, text: &'a str, found: &mut Findings) -> Cow<'a, str> {
        match custom::mask(&self.custom, extent, text, found) {
            Cow::Borrowed(text) => built_in(extent, text, found),
            Cow::Owned(text) => Cow::Owned(built_in(extent, &text, found).into_owned()),
        }
    }

    /// For text that comes in pieces.
    #[must_use]
    pub fn stream(self: &Arc<Self>) -> MaskStream {
        MaskStream::new(Arc::clone(self))
    }
}

fn built_in<'a>(extent: Extent, text: &'a str, found: &mut Findings) -> Cow<'a, str> {
    let mut out = String::new();
    let place = scan::Place::new(extent);
    let progress = SCANNER.scan(text, place, Ending::Closed, &mut out, found);
    if progress.masked == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(progress.place.emitted..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a text holds the marker of something masked: such a text must not be
/// written into a file, for the secret that stood there would be lost (H6).
#[must_use]
pub fn holds_marker(text: &str) -> bool {
    text.match_indices(MARKER).any(|(at, _)| {
        let rest = &text.as_bytes()[at + MARKER.len()..];
        let name = rest
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-')
            .count();
        (1..=NAME_BYTES).contains(&name) && rest.get(name) == Some(&b']')
    })
}

fn marker(name: &str) -> String {
    format!("{MARKER}{name}]")
}
