//! The answer to a query, as wide as the terminal.

use crate::render::table::Table;
use crate::render::wrap;
use tenon_vocab::{Printable, Reply, TableReply};

/// As wide as the terminal, 80 where there is none.
pub fn width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|columns| *columns > 0)
        .unwrap_or(80)
}

pub fn reply(reply: &Reply, width: usize) -> String {
    match reply {
        Reply::Table(table) => draw(table, width),
        // Asked by front ends that draw it themselves.
        Reply::Meter(meter) => format!("{} tokens", meter.used),
        Reply::Words { words } => Printable::block(&words.join("\n")).into_string(),
        Reply::Unavailable { reason } => format!("not available: {}", Printable::line(reason)),
    }
}

fn draw(reply: &TableReply, width: usize) -> String {
    let mut lines = Vec::new();
    if reply.rows.is_empty() {
        // A note says what there is not, and where one would come from.
        if reply.note.is_none() {
            lines.push(String::from("(nothing)"));
        }
    } else {
        let columns: Vec<&str> = reply.columns.iter().map(String::as_str).collect();
        let mut table = Table::new(&columns);
        for row in &reply.rows {
            table.row(row.iter().cloned());
        }
        lines = table.wrapped(width);
    }
    lines.extend(
        reply
            .note
            .iter()
            .map(|note| wrap::paragraphs(Printable::line(note).as_str(), Some(width))),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        let rows = vec![vec![String::from("\x1b[2J"), String::from("a\nb")]];
        let table = TableReply {
            columns: vec!["name".into(), "what".into()],
            rows,
            note: None,
        };
        assert!(!draw(&table, 80).contains('\x1b'));
        let refused = Reply::Unavailable {
            reason: "\x1b[2J".into(),
        };
        assert!(!reply(&refused, 80).contains('\x1b'));
    }

    #[test]
    fn neither_a_cell_nor_a_note_is_broken_within_a_word() {
        let words = "how hard the model thinks: none, minimal, low, medium, high";
        let table = TableReply {
            columns: vec!["name".into(), "what".into()],
            rows: vec![vec!["effort".into(), words.into()]],
            note: Some(words.into()),
        };
        let drawn = draw(&table, 40);
        assert!(drawn.lines().all(|line| line.len() <= 40), "{drawn}");
        let said: Vec<&str> = drawn.split_whitespace().collect();
        let whole: Vec<&str> = words.split(' ').collect();
        assert!(said.ends_with(&whole), "{drawn}");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        assert_eq!(draw(&TableReply::default(), 80), "(nothing)");
        let told = TableReply {
            note: Some("there are none".into()),
            ..TableReply::default()
        };
        assert_eq!(draw(&told, 80), "there are none");
    }
}
