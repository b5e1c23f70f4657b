//! Questions to whoever sits in front of a front end. One shape for permission,
//! `ask_user` and trust, so that each front end has one prompt to draw.

use crate::{CallId, Class, Display, QuestionId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    Permission,
    AskUser,
    Trust,
}

/// One way to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What an [`Answer`] names: `once`, `session`, `always`, `all`, `each`, `deny`,
    /// or an option's number.
    pub id: String,
    /// The key in a terminal.
    pub key: char,
    pub label: String,
    /// The exact rule that would be stored by this choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What must come as the text of the answer for this choice to count: a key
    /// pressed by habit is not enough for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<String>,
}

impl Choice {
    pub const ONCE: &'static str = "once";
    pub const SESSION: &'static str = "session";
    pub const ALWAYS: &'static str = "always";
    /// Yes to every call of a question about several.
    pub const ALL: &'static str = "all";
    /// To be asked about each of them by itself.
    pub const EACH: &'static str = "each";
    /// Also what counts when nobody answers, or with something else.
    pub const DENY: &'static str = "deny";
    /// What is typed where a key is not enough.
    pub const YES: &'static str = "yes";
    /// Puts a question of trust off. None of the choices is called so: who does
    /// not know it takes it for a no.
    pub const NOT_NOW: &'static str = "not_now";

    /// How far a yes of this id reaches, where that is more than this once.
    #[must_use]
    pub fn reach(id: &str) -> Option<&'static str> {
        match id {
            Self::SESSION => Some("for this session"),
            Self::ALWAYS => Some("in this project for 7 days"),
            _ => None,
        }
    }

    /// What a lasting yes would be for, as it stands behind the label: the exact
    /// rule, without what the question says already.
    #[must_use]
    pub fn covers(&self) -> Option<&str> {
        let rule = self.rule.as_deref()?;
        let rule = rule.strip_suffix(" = allow").unwrap_or(rule);
        let mut tools = ["bash: ", "edit: "].iter();
        Some(
            tools
                .find_map(|tool| rule.strip_prefix(tool))
                .unwrap_or(rule),
        )
    }

    /// What is said when this was chosen and a rule stands now, with the way to
    /// take it back.
    #[must_use]
    pub fn standing(&self) -> Option<String> {
        let (rule, usual) = (self.rule.as_deref()?, Self::reach(&self.id)?);
        // How long is the user's setting, which the label says.
        let reach = self.label.strip_prefix("allow ").unwrap_or(usual);
        let rule = rule.strip_suffix(" = allow").unwrap_or(rule);
        let back = match self.id.as_str() {
            Self::ALWAYS => " (`tenon policy remove` takes it back)",
            _ => "",
        };
        Some(format!("Allowed {reach}: {rule}{back}"))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub id: QuestionId,
    pub kind: QuestionKind,
    /// One line: `bash wants to run a command`.
    pub title: String,
    /// What it is about, in full: the command, the diff, the question.
    pub body: String,
    #[serde(default)]
    pub display: Display,
    pub choices: Vec<Choice>,
    /// Whether free text may come with the answer.
    #[serde(default)]
    pub free_text: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Every call it is about, in their order, where one answer may be for several;
    /// `call` is the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallId>,
    /// How strong the policy's verdict is: `ask`, or `confirm`, which wants all of
    /// it to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Why it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why the model wants it, in its own words; nothing vouches for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// What it would affect, a line each: files that would be lost, changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub affects: Vec<String>,
}

impl Question {
    /// Whether a yes would destroy something, as far as a question tells.
    #[must_use]
    pub fn is_danger(&self) -> bool {
        self.class == Some(Class::Confirm)
            || !self.affects.is_empty()
            || self.intent.is_some()
            || self.choices.iter().any(|choice| choice.typed.is_some())
    }
}

/// A row of what a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRow<'a> {
    Line(&'a str),
    /// So many lines of nothing but spaces, which would push the rest off the
    /// screen.
    Empty(usize),
}

impl<'a> BodyRow<'a> {
    /// Fewer empty lines than this are shown as they are.
    const MANY: usize = 3;

    /// Only line feeds part lines: a carriage return stays visible.
    #[must_use]
    pub fn of(text: &'a str) -> Vec<Self> {
        let lines: Vec<&str> = text.split('\n').collect();
        let is_empty = |line: &&str| line.chars().all(|c| c == ' ');
        lines
            .chunk_by(|one, next| is_empty(one) && is_empty(next))
            .flat_map(|run| match run.first() {
                Some(first) if is_empty(first) && run.len() >= Self::MANY => {
                    vec![Self::Empty(run.len())]
                }
                _ => run.iter().map(|line| Self::Line(line)).collect(),
            })
            .collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    User,
    Client,
    Hook,
    /// `--yes` or `--yolo`.
    Flag,
    /// Nobody could be asked.
    Nobody,
    /// The run was interrupted first.
    Interrupt,
}

impl AnsweredBy {
    /// As the log names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Client => "client",
            Self::Hook => "hook",
            Self::Flag => "flag",
            Self::Nobody => "nobody",
            Self::Interrupt => "interrupt",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub question: QuestionId,
    /// The id of the choice taken. What is not one of them counts as `deny`.
    pub choice: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub by: AnsweredBy,
    /// The later call that an answer about several is taken for, in a record of
    /// its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
}

#[cfg(test)]
mod tests {
    use super::BodyRow::{self, Empty, Line};

    #[test]
    fn many_empty_lines_are_counted_and_nothing_else_is_folded() {
        let text = "a\n\n  \n\nb\n\n\nc\n\r\n\r\n\r\n\n\n\n\n";
        assert_eq!(
            BodyRow::of(text),
            [
                Line("a"),
                Empty(3),
                Line("b"),
                Line(""),
                Line(""),
                Line("c"),
                Line("\r"),
                Line("\r"),
                Line("\r"),
                Empty(5),
            ]
        );
    }
}
