//! `tenon trust`: what a project's `.tenon` folder and the user's own tools want
//! to do here, and what was said to it.

use super::pages;
use crate::CommandResult;
use crate::args::{RunArgs, Shared, TrustArgs, TrustCommand};
use crate::assemble::Options;
use crate::custom::{self, UserTools};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use crate::trust::{self, Accept, Accepts, Whose};
use serde_json::{Value, json};
use std::process::ExitCode;
use tenon_config::{Loaded, Standing, TrustSubject, project_key};
use tenon_vocab::{Printable, Timestamp};

pub fn run(shared: &Shared, args: &TrustArgs) -> CommandResult {
    let place = Place::find(shared)?;
    match &args.command {
        None => status(&place, Form::Text),
        Some(TrustCommand::Status { json: false }) => status(&place, Form::Text),
        Some(TrustCommand::Status { json: true }) => status(&place, Form::Json),
        Some(TrustCommand::Accept { user_tools }) => accept(&place, which(*user_tools)),
        Some(TrustCommand::Revoke { user_tools }) => revoke(&place, which(*user_tools)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Project,
    UserTools,
}

fn which(user_tools: bool) -> Which {
    if user_tools {
        Which::UserTools
    } else {
        Which::Project
    }
}

fn status(place: &Place, form: Form) -> CommandResult {
    let loaded = trust::read(place, Vec::new())?;
    let user = UserTools::find(place, Accept::Recorded)?;
    let project_lines = trust::project_lines(&loaded);
    let user_lines = user.snapshot.as_deref().map(trust::user_lines);
    let user_lines = user_lines.unwrap_or_default();
    let before = |whose: &Whose, standing: &Standing| match standing {
        Standing::Unknown => trust::earlier(place, whose).map(|earlier| earlier.at),
        _ => None,
    };
    let project_before = before(
        &Whose::Project(project_key(&place.root)),
        &loaded.project().standing,
    );
    let user_before = before(&Whose::UserTools(custom::folder(place)), &user.standing);
    if form == Form::Json {
        let one = |where_: String,
                   standing: &Standing,
                   hash: Option<&str>,
                   before: Option<Timestamp>,
                   lines: &[String]|
         -> Value {
            json!({"place": where_, "standing": word(standing), "sha256": hash, "changed_since": before.map(|at| at.to_string()), "enables": lines})
        };
        let hash = user
            .snapshot
            .as_deref()
            .and_then(|snapshot| snapshot.hash());
        return pages::print_json(&json!({
            "project": one(place.root_text(), &loaded.project().standing, loaded.project().hash(), project_before, &project_lines),
            "user_tools": one(custom::folder(place).display().to_string(), &user.standing, hash, user_before, &user_lines),
        }));
    }
    let mut page = section(
        "project",
        &place.root_text(),
        &loaded.project().standing,
        project_before,
        &project_lines,
    );
    page.push_str(&section(
        "your tools",
        &custom::folder(place).display().to_string(),
        &user.standing,
        user_before,
        &user_lines,
    ));
    pages::print(&page)
}

fn word(standing: &Standing) -> &'static str {
    match standing {
        Standing::Nothing => "nothing",
        Standing::Unknown => "unknown",
        Standing::Trusted => "trusted",
        Standing::Refused => "refused",
        Standing::Impossible(_) => "impossible",
    }
}

/// `before`: when other content of this place was accepted.
fn section(
    what: &str,
    place: &str,
    standing: &Standing,
    before: Option<Timestamp>,
    lines: &[String],
) -> String {
    let said = match (standing, before) {
        (Standing::Unknown, Some(at)) => {
            let date = at.strftime("%Y-%m-%d");
            format!("not trusted: it changed since you trusted it on {date}")
        }
        (standing, _) => plain(standing),
    };
    let mut page = format!(
        "{what}  {}\n  {}\n",
        Printable::line(place),
        Printable::line(&said)
    );
    for line in lines {
        page.push_str(&format!("    {}\n", Printable::line(line)));
    }
    page
}

fn plain(standing: &Standing) -> String {
    match standing {
        Standing::Nothing => String::from("nothing here needs trust"),
        Standing::Unknown => {
            String::from("not trusted: you have not been asked about this content")
        }
        Standing::Trusted => String::from("trusted until its content changes"),
        Standing::Refused => String::from("not trusted: you said no to this content"),
        Standing::Impossible(why) => why.clone(),
    }
}

fn accept(place: &Place, which: Which) -> CommandResult {
    let accepts = match which {
        Which::Project => Accepts {
            project: Accept::Now,
            ..Accepts::default()
        },
        Which::UserTools => Accepts {
            user_tools: Accept::Now,
            ..Accepts::default()
        },
    };
    let mut options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    options.accepts = accepts;
    let (standing, lines) = match which {
        Which::Project => {
            let loaded: Loaded = trust::load(place, &options)?;
            let lines = trust::project_lines(&loaded);
            (loaded.project().standing.clone(), lines)
        }
        Which::UserTools => {
            let user = UserTools::find(place, Accept::Now)?;
            let lines = user.snapshot.as_deref().map(trust::user_lines);
            (user.standing, lines.unwrap_or_default())
        }
    };
    match standing {
        Standing::Nothing => complain("Nothing here needs trust."),
        Standing::Trusted => {
            for line in &lines {
                complain(&format!("  {}", Printable::line(line)));
            }
            let more = match which {
                Which::Project => "",
                Which::UserTools => " --user-tools",
            };
            complain(&format!(
                "Trusted until its content changes. `tenon trust revoke{more}` takes that back."
            ));
        }
        Standing::Impossible(why) => return Err(trust::impossible(&why)),
        // Changed between the two looks: that is new content.
        Standing::Unknown | Standing::Refused => {
            return Err(CliError::runtime("it changed while Tenon read it")
                .with_hint("Check it and try again."));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(place: &Place, which: Which) -> CommandResult {
    let (whose, what) = match which {
        Which::Project => (
            Whose::Project(project_key(&place.root)),
            format!("the project {}", place.root.display()),
        ),
        Which::UserTools => (
            Whose::UserTools(custom::folder(place)),
            format!("your tools in {}", custom::folder(place).display()),
        ),
    };
    let subject = match &whose {
        Whose::Project(root) => TrustSubject::Project(root),
        Whose::UserTools(folder) => TrustSubject::UserTools(folder),
    };
    let known = trust::store(place)
        .answers(subject)
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let what = Printable::line(&what);
    if known == 0 {
        complain(&format!("There is no answer about {what} to forget."));
        return Ok(ExitCode::SUCCESS);
    }
    trust::forget(place, &whose)?;
    let answers = if known == 1 {
        String::from("your answer")
    } else {
        format!("your {known} answers")
    };
    complain(&format!(
        "Forgotten: {answers} about {what}. It is no longer trusted, and the next interactive start asks again."
    ));
    Ok(ExitCode::SUCCESS)
}
