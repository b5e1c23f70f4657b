//! Random keys against a model that is too simple to be wrong, and against
//! nothing at all: no sequence of keys may break the composer.

use super::{Desk, read};
use proptest::prelude::*;
use std::time::Duration;
use tenon_tui::house::Keys;
use unicode_segmentation::UnicodeSegmentation;

/// The text as graphemes in a row; a line feed is one.
#[derive(Debug, Default, Clone)]
struct Model {
    before: String,
    after: String,
}

impl Model {
    fn text(&self) -> String {
        format!("{}{}", self.before, self.after)
    }

    /// Two pieces that meet may become one grapheme: the caret goes behind it.
    fn settle(&mut self) {
        let text = self.text();
        let at = self.before.len();
        let mut ends = text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .chain([text.len()]);
        let at = ends.find(|end| *end >= at).unwrap_or(text.len());
        self.before = text[..at].to_owned();
        self.after = text[at..].to_owned();
    }

    fn last(&self) -> usize {
        self.before.graphemes(true).next_back().map_or(0, str::len)
    }

    fn first(&self) -> usize {
        self.after.graphemes(true).next().map_or(0, str::len)
    }

    fn obey(&mut self, action: &Action) {
        match action {
            Action::Type(text) => {
                // Typed one character after the other.
                for c in text.chars() {
                    self.before.push(c);
                    self.settle();
                }
            }
            Action::Newline => {
                self.before.push('\n');
                self.settle();
            }
            Action::Paste(text) => {
                self.before.push_str(text);
                self.settle();
            }
            Action::Left => {
                let cut = self.before.len() - self.last();
                let moved = self.before.split_off(cut);
                self.after.insert_str(0, &moved);
            }
            Action::Right => {
                let rest = self.after.split_off(self.first());
                self.before.push_str(&self.after);
                self.after = rest;
            }
            Action::Backspace => {
                self.before.truncate(self.before.len() - self.last());
                self.settle();
            }
            Action::Delete => {
                self.after.replace_range(..self.first(), "");
                self.settle();
            }
            Action::Home => {
                let from = self.before.rfind('\n').map_or(0, |at| at + 1);
                let moved = self.before.split_off(from);
                self.after.insert_str(0, &moved);
            }
            Action::End => {
                let to = self.after.find('\n').unwrap_or(self.after.len());
                let rest = self.after.split_off(to);
                self.before.push_str(&self.after);
                self.after = rest;
            }
            Action::KillToEnd => {
                let to = match self.after.find('\n') {
                    Some(0) => 1,
                    Some(to) => to,
                    None => self.after.len(),
                };
                self.after.replace_range(..to, "");
                self.settle();
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Action {
    Type(String),
    Newline,
    Paste(String),
    Left,
    Right,
    Backspace,
    Delete,
    Home,
    End,
    KillToEnd,
}

fn piece() -> impl Strategy<Value = String> {
    let parts = [
        "a", "b", " ", "漢", "한", "か", "\u{3099}", "e\u{301}", "\u{301}", "👨", "\u{200d}", "👩",
        "🇩", "🇪", "❤", "\u{fe0f}", "ก", "ำ", "क", "\u{94d}", "ष", "ि", "ש", "\u{200f}", "\t", "👍🏽",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 1..5)
        .prop_map(|parts| parts.concat())
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => piece().prop_map(|text| Action::Type(text.replace('\t', " "))),
        1 => Just(Action::Newline),
        1 => prop::collection::vec(piece(), 1..4).prop_map(|pieces| Action::Paste(pieces.join("\n"))),
        3 => Just(Action::Left),
        2 => Just(Action::Right),
        2 => Just(Action::Backspace),
        2 => Just(Action::Delete),
        1 => Just(Action::Home),
        1 => Just(Action::End),
        1 => Just(Action::KillToEnd),
    ]
}

fn obey(desk: &mut Desk, action: &Action) {
    match action {
        Action::Type(text) => {
            desk.keys(text);
        }
        Action::Paste(text) => desk.composer.paste(text, desk.now),
        Action::Newline => drop(desk.keys("<C-j>")),
        Action::Left => drop(desk.keys("<Left>")),
        Action::Right => drop(desk.keys("<Right>")),
        Action::Backspace => drop(desk.keys("<BS>")),
        Action::Delete => drop(desk.keys("<Del>")),
        Action::Home => drop(desk.keys("<Home>")),
        Action::End => drop(desk.keys("<End>")),
        Action::KillToEnd => drop(desk.keys("<C-k>")),
    }
}

/// Any key, also those that make no sense here.
fn any_key() -> impl Strategy<Value = String> {
    let keys = [
        "<Up>",
        "<Down>",
        "<Left>",
        "<Right>",
        "<C-Left>",
        "<A-Right>",
        "<Home>",
        "<End>",
        "<C-w>",
        "<C-u>",
        "<C-k>",
        "<C-y>",
        "<A-y>",
        "<A-d>",
        "<A-BS>",
        "<BS>",
        "<Del>",
        "<C-_>",
        "<A-_>",
        "<C-r>",
        "<C-s>",
        "<C-o>",
        "<C-j>",
        "<Enter>",
        "<Esc>",
        "<C-x>",
        "<C-e>",
        "<C-d>",
        "<Tab>",
        "d",
        "c",
        "y",
        "w",
        "b",
        "e",
        "g",
        "G",
        "p",
        "P",
        "x",
        "X",
        "J",
        "~",
        "r",
        "f",
        "t",
        "F",
        "T",
        ";",
        ",",
        "3",
        "0",
        "$",
        "^",
        "i",
        "a",
        "o",
        "O",
        "I",
        "A",
        "u",
        "j",
        "k",
        "h",
        "l",
        "D",
        "C",
        "/",
        "@",
        "!",
        "\"",
        "漢",
        "\u{301}",
        "🇩",
        "\u{200d}",
        "👩",
    ];
    prop::sample::select(keys.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn random_edits_equal_the_model(actions in prop::collection::vec(action(), 1..60)) {
        let mut desk = Desk::new();
        let mut model = Model::default();
        for action in &actions {
            obey(&mut desk, action);
            model.obey(action);
            prop_assert_eq!(desk.composer.text(), model.text(), "{:?}", action);
            // Where the caret is, too: all before it goes away.
        }
        let after = model.after.clone();
        desk.keys("<C-Home>");
        let moves = model.before.graphemes(true).count();
        for _ in 0..moves {
            desk.keys("<Right>");
        }
        desk.keys("Z");
        let text = desk.composer.text();
        prop_assert!(text.ends_with(&format!("Z{after}")), "{:?} {:?}", text, after);
    }

    #[test]
    fn the_caret_is_where_the_model_has_it(actions in prop::collection::vec(action(), 1..40)) {
        let mut desk = Desk::new();
        let mut model = Model::default();
        for action in &actions {
            obey(&mut desk, action);
            model.obey(action);
        }
        desk.keys("Z");
        prop_assert_eq!(desk.composer.text(), format!("{}Z{}", model.before, model.after));
    }

    #[test]
    fn undoing_everything_leads_back_and_redoing_forth(
        actions in prop::collection::vec(action(), 1..40),
    ) {
        let mut desk = Desk::new();
        for action in &actions {
            obey(&mut desk, action);
        }
        let text = desk.composer.text();
        for _ in 0..200 {
            desk.keys("<C-_>");
        }
        prop_assert_eq!(desk.composer.text(), "");
        for _ in 0..200 {
            desk.keys("<A-_>");
        }
        prop_assert_eq!(desk.composer.text(), text);
    }

    #[test]
    fn no_keys_break_it_and_the_view_keeps_its_bounds(
        vim in prop::bool::ANY,
        keys in prop::collection::vec(any_key(), 0..80),
        paste in 0_usize..40,
        columns in 1_usize..50,
        rows in 1_usize..6,
    ) {
        let mode = if vim { Keys::Vim } else { Keys::Emacs };
        let mut desk = Desk::with(mode, &["one", "two\nlines", "漢字 @x"]);
        for (turn, key) in keys.iter().enumerate() {
            if turn == paste {
                desk.composer.paste(&"x\n漢\n".repeat(paste), desk.now);
            }
            let gap = if turn % 7 == 0 { 1 } else { 20 };
            desk.now += Duration::from_millis(gap);
            desk.composer.key(read(key)[0], desk.now);
            let _ = desk.composer.token();
            if turn % 11 == 0 {
                desk.composer.complete("some file");
            }
            let frame = desk.composer.view(columns, rows);
            prop_assert!(!frame.lines.is_empty() && frame.lines.len() <= rows);
            let (row, column) = frame.caret.expect("a caret");
            prop_assert!(row < frame.lines.len() && column < columns, "{:?}", frame);
            for line in &frame.lines {
                prop_assert!(line.width() <= columns, "{:?}", line);
            }
        }
    }
}
