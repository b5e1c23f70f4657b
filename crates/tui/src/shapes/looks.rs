//! Calls that only looked, in one line: what was read, searched and listed. The
//! names stand beside it as far as they fit; all of it is on the page.

use super::subject;
use crate::text::{Line, Role, Span, Style};
use serde_json::Value;
use tenon_vocab::{Look, look};

/// A call that only looked.
#[derive(Debug, Clone)]
pub struct Glance {
    pub look: Look,
    pub name: String,
    pub input: Value,
    /// What came of it, in a word: `120 lines`.
    pub said: String,
}

impl Glance {
    fn subject(&self) -> &str {
        let subject = tenon_vocab::subject(&self.name, &self.input).unwrap_or_default();
        match self.look {
            Look::List if subject.is_empty() => ".",
            _ => subject,
        }
    }

    /// As it stands among others: a pattern is told from a path.
    fn shown(&self) -> String {
        match self.look {
            Look::Read | Look::List => self.subject().to_owned(),
            Look::Search => format!("\"{}\"", self.subject()),
        }
    }
}

/// One call as any other, several as what they did.
pub(super) fn line(glances: &[Glance], columns: usize) -> Line {
    if let [only] = glances {
        let said = subject::apart(&only.said, &only.name, &only.input);
        let said = subject::behind(said, columns);
        let room = columns.saturating_sub(said.width());
        let mut line = subject::line(&only.name, &only.input, room);
        line.spans.extend(said.spans);
        return line;
    }
    let mut line = Line::new(Role::Dim, "▸ ");
    let pairs = glances.iter().map(|glance| (glance.look, glance.subject()));
    for (at, (verb, amount)) in look::told(pairs).into_iter().enumerate() {
        let verb = match at {
            0 => capital(verb),
            _ => verb.to_owned(),
        };
        if at > 0 {
            line.push(Role::Text, ", ");
        }
        line.spans
            .push(Span::new(Style::from(Role::Tool).bold(), &verb));
        line.push(Role::Text, &format!(" {amount}"));
    }
    let mut names: Vec<String> = Vec::new();
    for glance in glances {
        let name = glance.shown();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    line.push(Role::Dim, &format!("  {}", names.join(", ")));
    line.cut(columns)
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn glance(look: Look, name: &str, input: Value) -> Glance {
        Glance {
            look,
            name: name.into(),
            input,
            said: String::from("src/a.rs: 3 lines"),
        }
    }

    #[test]
    fn one_look_is_a_call_and_several_are_counted_and_named() {
        let read = |path: &str| glance(Look::Read, "read", json!({"path": path}));
        let one = line(&[read("src/a.rs")], 40);
        assert_eq!(one.plain(), "▸ read src/a.rs  3 lines");
        let search = glance(Look::Search, "grep", json!({"pattern": "fn main"}));
        let all = [read("a.rs"), read("b.rs"), search, read("a.rs")];
        assert_eq!(
            line(&all, 80).plain(),
            "▸ Read 2 files, searched 1 time  a.rs, b.rs, \"fn main\""
        );
        assert!(line(&all, 40).width() <= 40);
        assert!(line(&all, 40).plain().ends_with('…'));
    }
}
