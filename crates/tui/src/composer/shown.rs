//! How one grapheme of the text looks, and how wide: tabs as spaces, folded
//! pastes as their label, what a terminal would obey made visible. The text
//! itself stays as it is.

use super::paste::{self, Pastes};
use crate::text;
use std::borrow::Cow;
use tenon_vocab::Printable;

const TAB: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Text,
    Paste,
}

#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) width: usize,
    pub(super) sort: Sort,
}

/// `column` is where it begins in its row; `room` what a row has at most.
pub(super) fn shown<'a>(
    grapheme: &'a str,
    column: usize,
    room: usize,
    pastes: &'a Pastes,
) -> Shown<'a> {
    if let [0x20..0x7f] = grapheme.as_bytes() {
        return Shown {
            text: Cow::Borrowed(grapheme),
            width: 1,
            sort: Sort::Text,
        };
    }
    if grapheme == "\t" {
        let width = TAB - column % TAB;
        return Shown {
            text: Cow::Owned(" ".repeat(width)),
            width,
            sort: Sort::Text,
        };
    }
    if let Some(mark) = paste::mark(grapheme) {
        return fit(Cow::Borrowed(pastes.label(mark)), room, Sort::Paste);
    }
    // Flags of regions are a black flag and letters that nobody sees.
    if grapheme.starts_with('🏴') && grapheme.chars().skip(1).all(is_tag) {
        return fit(Cow::Borrowed("🏴"), room, Sort::Text);
    }
    match Printable::line(grapheme).into_string() {
        same if same == grapheme => fit(Cow::Borrowed(grapheme), room, Sort::Text),
        visible => fit(Cow::Owned(visible), room, Sort::Text),
    }
}

fn is_tag(c: char) -> bool {
    ('\u{e0020}'..='\u{e007f}').contains(&c)
}

/// What is wider than a whole row is cut to one.
fn fit(text: Cow<'_, str>, room: usize, sort: Sort) -> Shown<'_> {
    let width = text::width(&text);
    if width <= room.max(2) {
        return Shown { text, width, sort };
    }
    let cut = text::split_at(&text, room).0.to_owned();
    Shown {
        width: text::width(&cut),
        text: Cow::Owned(cut),
        sort,
    }
}
