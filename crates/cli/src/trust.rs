//! What the start asks about content that others wrote (C7, T22), and what
//! becomes of the answer. The answer is kept for the content, never for the
//! project: a changed byte asks again.
//!
//! Asking and using are apart: the answer is recorded for the hash of what was
//! shown, and what is used afterwards is read and hashed anew. Content that was
//! changed in between is content that nobody accepted.

mod asking;

pub use asking::{Asking, ask_at_terminal, typed_choice};

use crate::assemble::Options;
use crate::custom::{self, Custom};
use crate::error::CliError;
use crate::place::Place;
use crate::told::Remarks;
use std::path::{Path, PathBuf};
use tenon_config::{
    Curable, Earlier, Loaded, ProjectTrust, Snapshot, Sources, Standing, Trust, TrustAnswer,
    TrustSubject, project_key,
};
use tenon_engine::{Ambient, RealAmbient};
use tenon_vocab::{Choice, Display, Printable, Question, QuestionId, QuestionKind};

/// What a flag says before anybody is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Accept {
    /// What was answered earlier counts.
    #[default]
    Recorded,
    /// `--trust-…`: the content as it is now.
    Now,
}

/// `--trust-project` and `--trust-user-tools`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepts {
    pub project: Accept,
    pub user_tools: Accept,
}

/// Whose content is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// By its root.
    Project(PathBuf),
    /// By their folder.
    UserTools(PathBuf),
}

impl Whose {
    fn subject(&self) -> TrustSubject<'_> {
        match self {
            Self::Project(root) => TrustSubject::Project(root),
            Self::UserTools(folder) => TrustSubject::UserTools(folder),
        }
    }
}

/// The configuration with what was recorded, after what the flags accept.
pub fn load(place: &Place, options: &Options) -> Result<Loaded, CliError> {
    let loaded = read(place, options.flags.clone())?;
    if options.accepts.project == Accept::Recorded {
        return Ok(loaded);
    }
    let whose = Whose::Project(project_key(&place.root));
    match &loaded.project().standing {
        Standing::Nothing | Standing::Trusted => Ok(loaded),
        Standing::Impossible(why) => Err(impossible(why)),
        Standing::Unknown | Standing::Refused => {
            let hash = loaded.project().hash().unwrap_or_default();
            let lines = project_lines(&loaded);
            record(place, &whose, hash, &lines, TrustAnswer::Trusted)?;
            read(place, options.flags.clone())
        }
    }
}

pub fn read(place: &Place, flags: Vec<(String, serde_json::Value)>) -> Result<Loaded, CliError> {
    Ok(tenon_config::load(&Sources {
        paths: place.paths.clone(),
        root: place.root.clone(),
        trust: ProjectTrust::Recorded,
        env: place.env.clone(),
        extra: place.config.clone(),
        flags,
    })?)
}

pub fn impossible(why: &str) -> CliError {
    CliError::usage(why).with_hint("Make its folder `.tenon` smaller, or continue without it.")
}

pub fn store(place: &Place) -> Trust {
    Trust::new(&place.paths.state)
}

pub fn record(
    place: &Place,
    whose: &Whose,
    hash: &str,
    lines: &[String],
    answer: TrustAnswer,
) -> Result<(), CliError> {
    store(place)
        .record(whose.subject(), hash, lines, answer, RealAmbient.now())
        .map_err(|error| CliError::runtime(error.to_string()))
}

pub fn forget(place: &Place, whose: &Whose) -> Result<(), CliError> {
    store(place)
        .forget(whose.subject())
        .map_err(|error| CliError::runtime(error.to_string()))
}

/// Content that nobody has answered for.
#[derive(Debug)]
pub struct Pending {
    whose: Whose,
    hash: String,
    lines: Vec<String>,
    pub question: Question,
}

/// What a question says of content that nobody has accepted.
struct Words {
    /// Nothing of this place was ever accepted.
    first: &'static str,
    /// Something was.
    again: &'static str,
    yes: &'static str,
}

const OF_PROJECT: Words = Words {
    first: "This project wants to change how Tenon works. Trust it?",
    again: "This project changed since you trusted it. Trust it?",
    yes: "trust this content",
};

const OF_USER_TOOLS: Words = Words {
    first: "There are new tools in your configuration folder. Use them?",
    again: "The tools in your configuration folder changed since you accepted them. Use them?",
    yes: "use these tools",
};

impl Pending {
    fn new(place: &Place, whose: Whose, hash: &str, lines: Vec<String>, words: &Words) -> Self {
        let earlier = earlier(place, &whose);
        Self {
            question: ask(words, &lines, earlier.as_ref()),
            hash: hash.to_owned(),
            whose,
            lines,
        }
    }
}

/// The last yes to this place. A file that cannot be read is complained about
/// where its answers are needed.
pub fn earlier(place: &Place, whose: &Whose) -> Option<Earlier> {
    store(place).earlier(whose.subject()).ok().flatten()
}

/// What would have to be asked now; nothing where all is answered.
fn pending(place: &Place, options: &Options) -> Result<Vec<Pending>, CliError> {
    let loaded = load(place, options)?;
    let mut found = Vec::new();
    let project = loaded.project();
    if let (Standing::Unknown, Some(hash)) = (&project.standing, project.hash()) {
        let whose = Whose::Project(project_key(&place.root));
        let lines = project_lines(&loaded);
        found.push(Pending::new(place, whose, hash, lines, &OF_PROJECT));
    }
    let user = custom::UserTools::find(place, options.accepts.user_tools)?;
    if let (Standing::Unknown, Some(snapshot)) = (&user.standing, &user.snapshot) {
        let whose = Whose::UserTools(snapshot.folder().to_owned());
        let hash = snapshot.hash().unwrap_or_default();
        let lines = user_lines(snapshot);
        found.push(Pending::new(place, whose, hash, lines, &OF_USER_TOOLS));
    }
    Ok(found)
}

/// All that trust in the project enables, and what each tool of it would run.
pub fn project_lines(loaded: &Loaded) -> Vec<String> {
    let mut lines = loaded.project_wants();
    if let Some(snapshot) = &loaded.project().snapshot {
        lines.extend(custom::lines(snapshot, "tools/", Path::new(".tenon/tools")));
    }
    lines
}

pub fn user_lines(snapshot: &Snapshot) -> Vec<String> {
    custom::lines(snapshot, "", snapshot.folder())
}

/// What runs programs, or decides where words and keys go and what walls stand:
/// it is read last, next to the choices.
fn weighs_most(line: &str) -> bool {
    let key = line
        .strip_prefix("setting  ")
        .map(|line| line.split(" = ").next().unwrap_or_default());
    let leads_away = |key: &str| {
        let last = key.rsplit('.').next().unwrap_or_default();
        key.starts_with("sandbox.")
            || key.starts_with("providers.")
                && matches!(last, "base_url" | "proxy" | "ca_file" | "insecure")
    };
    line.starts_with("hook  ") || line.starts_with("tool ") || key.is_some_and(leads_away)
}

/// The lines of a question: what is gone since an earlier yes, then what would
/// hold, the weightiest last.
fn body(lines: &[String], earlier: Option<&Earlier>) -> String {
    let difference = earlier.and_then(|earlier| earlier.difference(lines));
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|index| lines.get(*index).is_some_and(|line| weighs_most(line)));
    let count = lines.len();
    // One line each, whatever a name or a description holds: nobody else may
    // write lines of this question.
    let line = |mark: &str, line: &str| format!("\n{mark}{}", Printable::line(line));
    let mut text = match &difference {
        None => format!("It would enable {count}:"),
        Some(difference) => match (difference.new.len(), difference.gone.len()) {
            (0, 0) => {
                format!("It would enable the same {count}, but files behind them are different:")
            }
            (new, gone) => format!("It would enable {count} ({new} new, {gone} gone):"),
        },
    };
    for gone in difference.iter().flat_map(|difference| &difference.gone) {
        text.push_str(&line("- ", gone));
    }
    for index in order {
        let mark = match &difference {
            None => "",
            Some(difference) if difference.new.contains(&index) => "+ ",
            Some(_) => "  ",
        };
        text.push_str(&line(mark, lines.get(index).map_or("", String::as_str)));
    }
    text
}

fn ask(words: &Words, lines: &[String], earlier: Option<&Earlier>) -> Question {
    let choice = |id: &str, key: char, label: &str| Choice {
        id: id.to_owned(),
        key,
        label: label.to_owned(),
        rule: None,
        typed: None,
    };
    let title = match earlier {
        None => words.first,
        Some(_) => words.again,
    };
    Question {
        id: QuestionId::new("trust"),
        kind: QuestionKind::Trust,
        title: title.to_owned(),
        body: body(lines, earlier),
        display: Display::Nothing,
        choices: vec![
            choice(Choice::ALWAYS, 'y', words.yes),
            choice(Choice::DENY, 'n', "continue without it"),
        ],
        free_text: false,
        call: None,
        tool: None,
        reason: Some(String::from(
            "whoever wrote this decides what runs here; any change to it asks again; `tenon trust` changes your answer",
        )),
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    }
}

/// What a person should know at the start: what is left out, why, and how to
/// have it.
pub fn remarks(loaded: &Loaded, custom: &Custom) -> Remarks {
    let mut remarks = Remarks::default();
    let project = loaded.project();
    let wants = loaded.project_wants().len();
    // What trust would cure is counted below and listed by `tenon trust`; a
    // mistake stays one.
    let mistakes = loaded.ignored().iter();
    let mistakes = mistakes.filter(|ignored| ignored.curable == Curable::No);
    remarks.act.extend(mistakes.map(|ignored| {
        format!(
            "ignored: {} ({}): {}",
            ignored.key, ignored.origin, ignored.why
        )
    }));
    match &project.standing {
        Standing::Nothing => {}
        Standing::Trusted => remarks.found.push(format!(
            "you trust the project: {wants} of its settings and tools are in use; `tenon trust` shows them"
        )),
        Standing::Unknown => remarks.act.push(format!(
            "you have not trusted the project: {wants} of its settings and tools are ignored; \
             `tenon trust` shows them, --trust-project accepts them"
        )),
        Standing::Refused => remarks.found.push(format!(
            "you have not trusted the project, as you said: {wants} of its settings and tools \
             are ignored; `tenon trust accept` changes that"
        )),
        Standing::Impossible(why) => remarks.act.push(why.clone()),
    }
    match (&custom.user.standing, &custom.user.snapshot) {
        (Standing::Unknown, Some(snapshot)) => remarks.act.push(format!(
            "the tools in {} are ignored: you have not accepted them; `tenon trust` shows them, --trust-user-tools accepts them",
            snapshot.folder().display()
        )),
        (Standing::Refused, Some(_)) => remarks.found.push(String::from(
            "your own tools are ignored, as you said; `tenon trust accept --user-tools` changes that",
        )),
        (Standing::Impossible(why), _) => remarks.act.push(why.clone()),
        _ => {}
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::{OF_PROJECT, ask, body};

    #[test]
    fn nobody_else_writes_lines_of_the_question() {
        let lie = String::from("tool `x`: fine\n  y  harmless\u{1b}[2K");
        let question = ask(&OF_PROJECT, &[lie, String::from("rule  bash: allow")], None);
        let lines: Vec<&str> = question.body.lines().collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], "It would enable 2:");
        assert!(!question.body.contains('\u{1b}'));
    }

    #[test]
    fn what_runs_or_leads_away_stands_next_to_the_choices() {
        let lines = [
            "hook  Stop: \"x\"",
            "setting  providers.a.base_url = \"http://x\"",
            "setting  system_prompt = \"sandbox.mode\"",
            "tool  .tenon/tools/t/ (1 file)",
            "rule  bash: allow",
            "setting  sandbox.mode = \"off\"",
        ];
        let body = body(&lines.map(String::from), None);
        let order: Vec<&str> = body.lines().skip(1).collect();
        assert_eq!(order, [2, 4, 0, 1, 3, 5].map(|index| lines[index]));
    }
}
