//! `/history`: the prompts of this session with their numbers, so that a way
//! back can be named without leaving it.

use super::session::Live;
use crate::error::CliError;
use crate::place::Place;
use crate::render::lines::shorten;
use crate::talk::lists;
use std::fmt::Write as _;
use tenon_session::{Prompt, Reach};
use tenon_vocab::Printable;

/// The newest that are listed, and how much of each.
const SHOWN: usize = 20;
const TEXT: usize = 70;

pub fn listed(place: &Place, live: &Live) -> Result<String, CliError> {
    let id = live.talk().saved("its messages have no numbers")?;
    Ok(list(&lists::prompts(place, id)?))
}

fn list(there: &[Prompt]) -> String {
    let first = there.len().saturating_sub(SHOWN);
    if there.is_empty() {
        return String::from("There is no prompt yet.");
    }
    let mut text = String::new();
    if first > 0 {
        let _ = writeln!(
            text,
            "  {first} earlier ones; `tenon sessions show` has all."
        );
    }
    for prompt in &there[first..] {
        let said = shorten(&prompt.text, TEXT);
        let mark = match prompt.reach {
            Reach::Summarised => " (in the summary: /fork only)",
            Reach::Seen | Reach::GivenUp => "",
        };
        let _ = writeln!(
            text,
            "{:>6}  {}{mark}",
            prompt.number,
            Printable::line(&said)
        );
    }
    text.push_str(
        "/revert N takes conversation and files back to before that message; /fork N continues in a copy cut after it.",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(number: u32, text: &str, reach: Reach) -> Prompt {
        Prompt {
            number,
            seq: u64::from(number),
            text: text.to_owned(),
            reach,
        }
    }

    #[test]
    fn prompts_have_their_numbers_and_say_what_a_revert_does_not_reach() {
        let text = list(&[
            prompt(1, "old", Reach::Summarised),
            prompt(5, "two\nlines\u{1b}[31m", Reach::Seen),
        ]);
        assert!(text.contains("     1  old (in the summary"), "{text}");
        assert!(text.contains("     5  two"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(list(&[]), "There is no prompt yet.");
    }

    #[test]
    fn only_the_newest_are_listed_and_the_others_counted() {
        let many: Vec<Prompt> = (1..=25).map(|n| prompt(n, "x", Reach::Seen)).collect();
        let text = list(&many);
        assert!(text.contains("  5 earlier ones"), "{text}");
        assert!(
            !text.contains("     5  x") && text.contains("     6  x"),
            "{text}"
        );
    }
}
