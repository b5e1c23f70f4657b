//! Asking about content of others: the one way for every front end, which only
//! shows the question and gives back what was chosen. What was asked once is not
//! asked again by the same program, whoever of it asked.

use super::{Pending, Whose, pending, record};
use crate::assemble::Options;
use crate::error::CliError;
use crate::place::Place;
use crate::render::question;
use crate::repl::typed_alone;
use crate::screen::{Paint, complain};
use tenon_config::TrustAnswer;
use tenon_vocab::{Choice, Question};

/// What one program has asked already: whose content, and which.
#[derive(Debug, Default)]
pub struct Asking(Vec<(Whose, String)>);

impl Asking {
    /// What has to be asked next; it counts as asked from now on.
    pub fn next(&mut self, place: &Place, options: &Options) -> Result<Option<Pending>, CliError> {
        for pending in pending(place, options)? {
            let about = (pending.whose.clone(), pending.hash.clone());
            if !self.0.contains(&about) {
                self.0.push(about);
                return Ok(Some(pending));
            }
        }
        Ok(None)
    }
}

impl Pending {
    /// Keeps what was chosen, and gives what is to be said of it. Of "not now"
    /// nothing is kept, and nothing is trusted.
    pub fn chosen(&self, place: &Place, choice: &str) -> Result<Option<String>, CliError> {
        let (answer, said) = match choice {
            Choice::ALWAYS => (Some(TrustAnswer::Trusted), None),
            Choice::NOT_NOW => (
                None,
                Some("Not now: what it would enable is ignored, and the next start asks again."),
            ),
            _ => (
                Some(TrustAnswer::Refused),
                Some("Not trusted: what it would enable is ignored."),
            ),
        };
        if let Some(answer) = answer {
            record(place, &self.whose, &self.hash, &self.lines, answer)?;
        }
        Ok(said.map(String::from))
    }
}

/// What a typed line chooses. An empty line is "not now", and so is the end of
/// what is typed.
pub fn typed_choice(asked: &Question, line: Option<&str>) -> String {
    match line {
        Some(line) if !question::is_silence(line) => question::answer(asked, line).choice,
        _ => Choice::NOT_NOW.to_owned(),
    }
}

/// Asks on this terminal, before anything runs: for a single run, and before the
/// screen is taken. The line interface has its own keyboard.
pub fn ask_at_terminal(
    asking: &mut Asking,
    place: &Place,
    options: &Options,
    paint: Paint,
) -> Result<(), CliError> {
    while let Some(pending) = asking.next(place, options)? {
        complain(&question::show(paint, &pending.question));
        let mut line = typed_alone("> ");
        while let Some(said) = line
            .as_deref()
            .and_then(|line| question::slip(&pending.question, line))
        {
            complain(&said);
            line = typed_alone("> ");
        }
        let choice = typed_choice(&pending.question, line.as_deref());
        if let Some(said) = pending.chosen(place, &choice)? {
            complain(&said);
        }
    }
    Ok(())
}
