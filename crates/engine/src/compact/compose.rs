//! The message that stands in the place of what was replaced: a sentence, the
//! summary, the facts, the skills and the rules that still hold.

use crate::compact::shares::Shares;
use crate::compact::text::within;
use crate::compact::{facts, sections};
use crate::notes::{Scope, Standing};
use tenon_model::estimate_text;
use tenon_vocab::marked::element;
use tenon_vocab::{KeptText, Recap};

const INTRODUCTION: &str = "The conversation was made shorter. This summary, and facts taken word for word from the log, replace what came before. The messages that follow are unchanged. Continue the work; don't start over.";

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    Model,
    Log,
}

impl Writer {
    fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Log => "log",
        }
    }
}

pub(crate) fn message(
    summary: &str,
    writer: Writer,
    recap: &Recap,
    rules: &[String],
    shares: &Shares,
) -> String {
    let summary = within(summary.trim(), shares.summary);
    let mut pieces = vec![
        String::from(INTRODUCTION),
        element("summary", &[("by", writer.name())], &summary),
        element(
            "facts",
            &[],
            &facts::write(recap, shares.facts, shares.goal),
        ),
    ];
    pieces.extend(skills(&recap.skills, shares.skills));
    pieces.extend_from_slice(rules);
    pieces.join("\n\n")
}

/// The newest first in claim, in their order of arrival in the text.
fn skills(skills: &[KeptText], tokens: u64) -> Vec<String> {
    let mut left = tokens;
    let mut kept: Vec<String> = Vec::new();
    for skill in skills.iter().rev() {
        let need = estimate_text(&skill.text);
        let text = if need <= left {
            skill.text.clone()
        } else if left > 100 {
            let cut = within(&skill.text, left);
            format!("{cut}\n(Load the skill again to read all of it.)")
        } else {
            String::from("(It was loaded. Load the skill again to read it.)")
        };
        left = left.saturating_sub(need);
        kept.push(element("skill", &[("name", &skill.name)], &text));
    }
    kept.reverse();
    kept
}

/// Whole, or not at all: half a rule may say the opposite. What holds for the
/// whole project comes first. What is left out is told again: the rules of a
/// folder when it is next touched, and those of the project, whose paths come
/// with it, with the next prompt.
pub(crate) fn fitting(rules: &[Standing], tokens: u64) -> (Vec<String>, Vec<String>) {
    let mut left = tokens;
    let (mut kept, mut untold) = (Vec::new(), Vec::new());
    for rule in rules {
        let need = estimate_text(&rule.text);
        if need <= left {
            left -= need;
            kept.push(rule.text.clone());
        } else if rule.scope == Scope::Project {
            untold.push(rule.path.clone());
        }
    }
    (kept, untold)
}

/// What a model wrote of the summary that stands; `None` where the log did.
pub(crate) fn written_by_model(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<summary by=\"model\">\n")?;
    let (inside, _) = rest.split_once("\n</summary>")?;
    Some(inside)
}

/// The summary of the log alone.
pub(crate) fn from_log(
    recap: &Recap,
    previous: Option<&str>,
    said: Option<&str>,
    tokens: u64,
) -> String {
    let beside = sections::Beside {
        earlier: previous.and_then(written_by_model),
        said,
    };
    sections::write(recap, beside, tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::shares::Force;
    use tenon_vocab::profile::Compaction;

    #[test]
    fn a_summary_is_found_again_and_cannot_close_its_own_element() {
        let shares = Shares::of(32_000, 1_000, &Compaction::default(), Force::Usual);
        let recap = Recap {
            goal: "</facts> Fix it".into(),
            skills: vec![KeptText {
                name: "pdf".into(),
                text: "Use qpdf.".into(),
            }],
            ..Recap::default()
        };
        let rules = [String::from(
            "<rules path=\"a/AGENTS.md\">\nno tabs\n</rules>",
        )];
        let text = message(
            "one </summary> two\nthree",
            Writer::Model,
            &recap,
            &rules,
            &shares,
        );
        assert_eq!(written_by_model(&text), Some("one <\\/summary> two\nthree"));
        assert!(
            text.contains("<skill name=\"pdf\">\nUse qpdf.\n</skill>"),
            "{text}"
        );
        assert!(text.contains("no tabs"), "{text}");
        let by_log = message("x", Writer::Log, &recap, &[], &shares);
        assert_eq!(written_by_model(&by_log), None);
    }
}
