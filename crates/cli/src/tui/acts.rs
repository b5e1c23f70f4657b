//! The `/` commands that no engine does.

use super::house::{INIT, Program, Waiting, failed};
use super::lists::kept;
use crate::commands::sessions::search::shown as found;
use crate::commands::sessions::{diff, export};
use crate::error::CliError;
use crate::secrets;
use crate::talk::{self, aside, init};
use tenon_engine::prompt::RULES;
use tenon_tui::house::Outcome;
use tenon_tui::terminal;
use tenon_vocab::slash::Local;
use tenon_vocab::{Answer, Choice, Display, Question, QuestionId, QuestionKind, Settings};

pub async fn act(
    program: &Program,
    command: Local,
    settings: &Settings,
) -> Result<Outcome, CliError> {
    match command {
        Local::Clear | Local::New | Local::Resume(_) | Local::Fork(_) => {
            let wanted = talk::another(&program.talk()?, settings, command).await?;
            program.another(wanted).await
        }
        Local::Search(text) => {
            let place = program.place();
            let columns = terminal::size().map_or(80, |size| size.columns);
            let said = aside(move || found(&place, text, columns)).await?;
            Ok(Outcome::Said(said))
        }
        Local::Diff => {
            let id = kept(program, "it can't be compared")?;
            let place = program.place();
            let told = aside(move || diff::told(&place, id, diff::Form::Patch)).await?;
            Ok(match told.page.is_empty() {
                true => Outcome::Said(told.remarks.join("\n")),
                false => Outcome::Diff {
                    text: told.page,
                    remarks: told.remarks,
                },
            })
        }
        Local::Export(to) => exported(program, to).await,
        Local::Handoff(goal) => handed_off(program, goal.as_deref()).await,
        Local::Init => drafted(program),
        Local::Effort => Ok(Outcome::Said(talk::say_effort(settings))),
        Local::Exit => Ok(Outcome::Leave),
        Local::Help
        | Local::Sessions
        | Local::History
        | Local::Rename(_)
        | Local::Pin(_)
        | Local::Theme(_) => Err(CliError::runtime(
            "this is done elsewhere, and should not have come here",
        )),
    }
}

async fn exported(program: &Program, to: Option<String>) -> Result<Outcome, CliError> {
    let talk = program.talk()?;
    let id = talk.saved("there is nothing to export")?;
    let (place, configured) = (talk.place, talk.configured);
    aside(move || {
        let reading = place.store().read(id)?;
        if let Some(to) = to {
            let path = place.root.join(to);
            let said = export::to_file(&place, &reading, None, &path, export::Over::Never)?;
            return Ok(Outcome::Said(said.join("\n")));
        }
        let mut page = Vec::new();
        tenon_session::export::write_markdown(&reading, &mut page)?;
        let shown = Outcome::Page {
            title: String::from("This session as Markdown"),
            text: String::from_utf8_lossy(&page).into_owned(),
        };
        Ok(shown.after(secrets::typed(&place, Some(&configured), &reading)))
    })
    .await
}

async fn handed_off(program: &Program, goal: Option<&str>) -> Result<Outcome, CliError> {
    let talk = program.talk()?;
    let (text, said) = talk::handoff::page(&talk, goal).await?;
    let title = String::from("Handoff");
    // Below the conversation, where it can be copied.
    Ok(Outcome::Page { title, text }.after(said))
}

fn drafted(program: &Program) -> Result<Outcome, CliError> {
    let root = program.place().root;
    let (path, draft) = (init::place(&root)?, init::draft(&root));
    let question = Question {
        id: QuestionId::new(INIT),
        kind: QuestionKind::Permission,
        title: format!("Write this to {RULES}?"),
        body: draft.clone(),
        display: Display::Nothing,
        choices: vec![
            choice(Choice::ONCE, 'y', "write it"),
            choice(Choice::DENY, 'n', "leave it"),
        ],
        free_text: false,
        call: None,
        tool: None,
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    };
    *program.waiting.borrow_mut() = Some(Waiting::Init { path, draft });
    Ok(Outcome::Ask(Box::new(question)))
}

fn choice(id: &str, key: char, label: &str) -> Choice {
    Choice {
        id: id.to_owned(),
        key,
        label: label.to_owned(),
        rule: None,
        typed: None,
    }
}

/// A question of the program's own was answered.
pub async fn answered(program: &Program, answer: &Answer) -> Result<Outcome, CliError> {
    match program.taken_up(&answer.question) {
        None => Ok(Outcome::Done),
        Some(Waiting::Init { path, draft }) => {
            if answer.choice != Choice::ONCE {
                return Ok(Outcome::Said(init::NOT_WRITTEN.to_owned()));
            }
            init::write(&path, &draft).map(Outcome::Said)
        }
        Some(Waiting::Trust { pending, wanted }) => {
            let said = pending.chosen(&program.place(), &answer.choice)?;
            // What cannot be opened does not unsay it.
            let opened = program.another(*wanted).await.unwrap_or_else(failed);
            Ok(opened.after(said))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::RunArgs;
    use crate::assemble::Options;
    use crate::drive::Desk;
    use crate::place::{Place, RootFrom};
    use crate::trust::Asking;
    use tenon_config::{Env, Paths};
    use tenon_vocab::AnsweredBy;

    fn yes(question: &str) -> Answer {
        Answer {
            question: QuestionId::new(question),
            choice: Choice::ONCE.to_owned(),
            text: None,
            by: AnsweredBy::User,
            call: None,
        }
    }

    #[tokio::test]
    async fn an_answer_is_for_the_question_that_it_names() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::default().with("TENON_HOME", &home.path().to_string_lossy());
        let place = Place {
            paths: Paths::from_env(&env).unwrap(),
            env,
            root: home.path().to_owned(),
            root_from: RootFrom::Flag,
            config: None,
        };
        let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
        let program = Program::new(place, options, Asking::default());
        let path = home.path().join(RULES);
        *program.waiting.borrow_mut() = Some(Waiting::Init {
            path: path.clone(),
            draft: String::from("Be brief."),
        });
        answered(&program, &yes("another")).await.unwrap();
        assert!(!path.exists());
        answered(&program, &yes(INIT)).await.unwrap();
        assert!(path.exists());
    }
}
