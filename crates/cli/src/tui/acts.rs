//! The `/` commands that no engine does.

use super::house::{Program, Waiting};
use super::lists::kept;
use super::open::Wanted;
use crate::args::RunArgs;
use crate::assemble::{Options, Session};
use crate::commands::handoff;
use crate::commands::sessions::search::shown as found;
use crate::commands::sessions::{diff, export, fork};
use crate::drive::Desk;
use crate::error::CliError;
use crate::repl::{draft, mode, resumable, say_effort, write_new};
use tenon_tui::house::Outcome;
use tenon_tui::overlay::ask::NOT_NOW;
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
            session: Session::New(None),
            like: like(),
        },
        Local::New => Wanted::first(Session::New(None)),
        Local::Resume(named) => {
            let current = program.session()?;
            let id = resumable(&program.place(), current, named.as_deref())?;
            Wanted::first(Session::Existing(id))
        }
        Local::Fork(at) => {
            let id = kept(program, "it cannot be copied")?;
            let store = program.place().store();
            let seq = at
                .map(|number| fork::message(&store, id, number))
                .transpose()?;
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
            let searched = tokio::task::spawn_blocking(move || found(&place, text, 78)).await;
            let text =
                searched.map_err(|_| CliError::runtime("the search broke off; try it again"))??;
            Ok(Outcome::Said(text))
        }
        Local::Diff => {
            let id = kept(program, "it cannot be compared")?;
            let told = diff::told(&program.place(), id, diff::Form::Patch)?;
            Ok(match told.page.is_empty() {
                true => Outcome::Said(told.remarks.join("\n")),
                false => Outcome::Diff {
                    text: told.page,
                    remarks: told.remarks,
                },
            })
        }
        Local::Export(to) => exported(program, to.as_deref()),
        Local::Handoff(goal) => handed_off(program, goal.as_deref()).await,
        Local::Init => init(program),
        Local::Mode(wanted) => Ok(Outcome::Said(mode(wanted.as_deref()).to_owned())),
        Local::Effort => Ok(Outcome::Said(say_effort(settings))),
        Local::Exit => Ok(Outcome::Leave),
        // The interface does these itself.
        _ => Ok(Outcome::Done),
    }
}

fn exported(program: &Program, to: Option<&str>) -> Result<Outcome, CliError> {
    let id = kept(program, "there is nothing to export")?;
    let place = program.place();
    let reading = place.store().read(id)?;
    let Some(to) = to else {
        let mut page = Vec::new();
        tenon_session::export::write_markdown(&reading, &mut page)?;
        return Ok(Outcome::Page {
            title: String::from("This session as Markdown"),
            text: String::from_utf8_lossy(&page).into_owned(),
        });
    };
    let path = place.root.join(to);
    // What it says goes to standard error, which is shown.
    export::write(&place, &reading, None, Some(&path), export::Over::Never)?;
    Ok(Outcome::Done)
}

async fn handed_off(program: &Program, goal: Option<&str>) -> Result<Outcome, CliError> {
    let id = kept(program, "there is nothing to hand off")?;
    let place = program.place();
    if place.store().summary(id)?.runs == 0 {
        return Err(CliError::usage(
            "nothing was said in this session yet, so there is nothing to hand off",
        ));
    }
    let configured = {
        let live = program.live.borrow();
        live.as_ref().map(|live| live.configured.clone())
    };
    let configured = configured.ok_or_else(|| CliError::runtime("no session is open"))?;
    // The session names its model; no flag does.
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let standing = place.store().standing(id)?;
    let page = handoff::of_session(&place, &options, &configured, &standing, goal).await?;
    Ok(Outcome::Page {
        title: format!("Handoff. To keep it: tenon handoff --from-session {id} --out handoff.md"),
        text: page,
    })
}

fn init(program: &Program) -> Result<Outcome, CliError> {
    let path = program.place().root.join("AGENTS.md");
    if path.symlink_metadata().is_ok() {
        return Err(
            CliError::usage(format!("{} is there already", path.display()))
                .with_hint("Ask the model to improve it, or edit it yourself."),
        );
    }
    let draft = draft(&program.place().root);
    let question = Question {
        id: QuestionId::new("init"),
        kind: QuestionKind::Permission,
        title: String::from("Write this to AGENTS.md?"),
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
    let waiting = program.waiting.borrow_mut().take();
    match waiting {
        None => Ok(Outcome::Done),
        Some(Waiting::Init { path, draft }) => {
            if answer.choice != Choice::ONCE {
                return Ok(Outcome::Said(String::from("Nothing was written.")));
            }
            write_new(&path, &draft)?;
            Ok(Outcome::Said(String::from(
                "AGENTS.md was written. It is read by the next session: /new starts one.",
            )))
        }
        Some(Waiting::Trust { pending, wanted }) => {
            if answer.choice != NOT_NOW {
                pending.answered(&program.place(), &answer.choice)?;
            }
            program.another(*wanted).await
        }
    }
}
