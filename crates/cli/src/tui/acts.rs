//! The `/` commands that no engine does.

use super::house::{INIT, Program, Waiting};
use super::lists::{aside, kept};
use super::open::Wanted;
use crate::args::RunArgs;
use crate::assemble::{Configured, Options, Session};
use crate::commands::handoff;
use crate::commands::sessions::search::shown as found;
use crate::commands::sessions::{diff, export, fork};
use crate::drive::Desk;
use crate::error::CliError;
use crate::repl::{draft, handoff_again, handoff_of, mode, resumable, say_effort, write_new};
use crate::screen::complain;
use crate::secrets;
use std::sync::Arc;
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
    let like = || Some(settings.clone());
    let session = match command {
        Local::Clear => Wanted {
            session: program.anew(),
            like: like(),
        },
        Local::New => Wanted::first(program.anew()),
        Local::Resume(named) => {
            let (current, place) = (program.session()?, program.place());
            let found = move || resumable(&place, current, named.as_deref());
            Wanted::first(Session::Existing(aside(found).await?))
        }
        Local::Fork(at) => {
            let id = kept(program, "it cannot be copied")?;
            let store = program.place().store();
            let cut = move || {
                at.map(|number| fork::message(&store, id, number))
                    .transpose()
            };
            let seq = aside(cut).await?;
            Wanted {
                session: Session::Fork(id, seq),
                like: like(),
            }
        }
        other => return quiet(program, other, settings).await,
    };
    program.another(session).await
}

/// What leaves the session open.
async fn quiet(
    program: &Program,
    command: Local,
    settings: &Settings,
) -> Result<Outcome, CliError> {
    match command {
        Local::Search(text) => {
            let place = program.place();
            let columns = terminal::size().map_or(80, |size| size.columns);
            let said = aside(move || found(&place, text, columns)).await?;
            Ok(Outcome::Said(said))
        }
        Local::Diff => {
            let id = kept(program, "it cannot be compared")?;
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
        Local::Init => init(program),
        Local::Mode(wanted) => Ok(Outcome::Said(mode(wanted.as_deref()).to_owned())),
        Local::Effort => Ok(Outcome::Said(say_effort(settings))),
        Local::Exit => Ok(Outcome::Leave),
        Local::Help
        | Local::Sessions
        | Local::History
        | Local::Rename(_)
        | Local::Pin(_)
        | Local::Theme(_)
        | Local::Clear
        | Local::New
        | Local::Resume(_)
        | Local::Fork(_) => Err(CliError::runtime(
            "this is done elsewhere, and should not have come here",
        )),
    }
}

async fn exported(program: &Program, to: Option<String>) -> Result<Outcome, CliError> {
    let id = kept(program, "there is nothing to export")?;
    let (place, configured) = (program.place(), configured(program)?);
    aside(move || {
        let reading = place.store().read(id)?;
        // What is said of it goes to standard error, which is shown.
        if let Some(to) = to {
            let path = place.root.join(to);
            export::write(&place, &reading, None, Some(&path), export::Over::Never)?;
            return Ok(Outcome::Done);
        }
        let mut page = Vec::new();
        tenon_session::export::write_markdown(&reading, &mut page)?;
        secrets::warn_of_typed(&place, Some(&configured), &reading);
        Ok(Outcome::Page {
            title: String::from("This session as Markdown"),
            text: String::from_utf8_lossy(&page).into_owned(),
        })
    })
    .await
}

fn configured(program: &Program) -> Result<Arc<Configured>, CliError> {
    let live = program.live.borrow();
    live.as_ref()
        .map(|live| Arc::clone(&live.configured))
        .ok_or_else(|| CliError::runtime("no session is open"))
}

async fn handed_off(program: &Program, goal: Option<&str>) -> Result<Outcome, CliError> {
    let id = kept(program, "there is nothing to hand off")?;
    let (place, configured) = (program.place(), configured(program)?);
    let store = place.store();
    let standing = aside(move || Ok(store.standing(id)?)).await?;
    handoff_of(&standing)?;
    // The session names its model; no flag does.
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let page = handoff::of_session(&place, &options, &configured, &standing, goal).await?;
    // Below the conversation, where it can be copied.
    complain(&handoff_again(id, goal));
    Ok(Outcome::Page {
        title: String::from("Handoff"),
        text: page,
    })
}

fn init(program: &Program) -> Result<Outcome, CliError> {
    let path = program.place().root.join(RULES);
    if path.symlink_metadata().is_ok() {
        return Err(
            CliError::usage(format!("{} is there already", path.display()))
                .with_hint("Ask the model to improve it, or edit it yourself."),
        );
    }
    let draft = draft(&program.place().root);
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
                return Ok(Outcome::Said(String::from("Nothing was written.")));
            }
            write_new(&path, &draft)?;
            Ok(Outcome::Said(format!(
                "{RULES} was written. It is read by the next session: /new starts one."
            )))
        }
        Some(Waiting::Trust { pending, wanted }) => {
            if answer.choice != Choice::NOT_NOW {
                pending.answered(&program.place(), &answer.choice)?;
            }
            program.another(*wanted).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, RootFrom};
    use tenon_config::{Env, Paths};
    use tenon_vocab::AnsweredBy;

    fn yes(question: &str) -> Answer {
        Answer {
            question: QuestionId::new(question),
            choice: Choice::ONCE.to_owned(),
            text: None,
            by: AnsweredBy::User,
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
        let program = Program::new(place, options);
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
