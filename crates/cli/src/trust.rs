//! What the start asks about content that others wrote (C7, T22), and what
//! becomes of the answer. The answer is kept for the content, never for the
//! project: a changed byte asks again.
//!
//! Asking and using are apart: the answer is recorded for the hash of what was
//! shown, and what is used afterwards is read and hashed anew. Content that was
//! changed in between is content that nobody accepted.

use crate::assemble::Options;
use crate::custom::{self, Custom};
use crate::error::CliError;
use crate::place::Place;
use crate::render::question;
use crate::screen::{Paint, complain};
use rustix::termios::{QueueSelector, tcflush};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use tenon_config::{
    Curable, Loaded, ProjectTrust, Snapshot, Sources, Standing, Trust, TrustAnswer, TrustSubject,
    project_key,
};
use tenon_engine::{Ambient, RealAmbient};
use tenon_vocab::{Answer, Choice, Display, Printable, Question, QuestionId, QuestionKind};

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
            record(place, &whose, hash, TrustAnswer::Trusted)?;
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
    CliError::usage(why).with_hint("Make its folder `.tenon` smaller, or go on without it.")
}

pub fn store(place: &Place) -> Trust {
    Trust::new(&place.paths.state)
}

pub fn record(
    place: &Place,
    whose: &Whose,
    hash: &str,
    answer: TrustAnswer,
) -> Result<(), CliError> {
    store(place)
        .record(whose.subject(), hash, answer, RealAmbient.now())
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
    pub hash: String,
    pub question: Question,
}

/// What would have to be asked now; nothing where all is answered.
pub fn pending(place: &Place, options: &Options) -> Result<Vec<Pending>, CliError> {
    let loaded = load(place, options)?;
    let mut found = Vec::new();
    let project = loaded.project();
    if let (Standing::Unknown, Some(hash)) = (&project.standing, project.hash()) {
        found.push(Pending {
            whose: Whose::Project(project_key(&place.root)),
            hash: hash.to_owned(),
            question: ask(
                "This project wants to change how Tenon works. Trust it?",
                project_lines(&loaded),
                "trust this content",
            ),
        });
    }
    let user = custom::UserTools::find(place, options.accepts.user_tools)?;
    if let (Standing::Unknown, Some(snapshot)) = (&user.standing, &user.snapshot) {
        found.push(Pending {
            whose: Whose::UserTools(snapshot.folder().to_owned()),
            hash: snapshot.hash().unwrap_or_default().to_owned(),
            question: ask(
                "There are new tools in your configuration folder. Use them?",
                user_lines(snapshot),
                "use these tools",
            ),
        });
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

fn ask(title: &str, lines: Vec<String>, yes: &str) -> Question {
    let choice = |id: &str, key: char, label: &str| Choice {
        id: id.to_owned(),
        key,
        label: label.to_owned(),
        rule: None,
        typed: None,
    };
    let count = lines.len();
    // One line each, whatever a name or a description holds: nobody else may
    // write lines of this question.
    let lines: Vec<String> = lines
        .iter()
        .map(|line| Printable::line(line).to_string())
        .collect();
    Question {
        id: QuestionId::new("trust"),
        kind: QuestionKind::Trust,
        title: title.to_owned(),
        body: format!("It would enable {count}:\n{}", lines.join("\n")),
        display: Display::Nothing,
        choices: vec![
            choice(Choice::ALWAYS, 'y', yes),
            choice(Choice::DENY, 'n', "go on without it"),
        ],
        free_text: false,
        call: None,
        tool: None,
        reason: Some(String::from(
            "whoever wrote it decides what runs here; a changed byte asks again; `tenon trust` changes the answer",
        )),
        intent: None,
        affects: Vec::new(),
    }
}

impl Pending {
    /// Keeps what was answered. `None` was no answer: nothing is kept, and
    /// nothing is trusted.
    pub fn settle(&self, place: &Place, line: Option<&str>) -> Result<(), CliError> {
        let Some(line) = line else {
            return Ok(());
        };
        let Answer { choice, .. } = question::answer(&self.question, line);
        let answer = if choice == Choice::ALWAYS {
            TrustAnswer::Trusted
        } else {
            complain("Not trusted; what it would enable is left out.");
            TrustAnswer::Refused
        };
        record(place, &self.whose, &self.hash, answer)
    }
}

/// Asks on this terminal, before anything runs. For a single run; the
/// interactive session has its own keyboard.
pub fn ask_at_terminal(place: &Place, options: &Options, paint: Paint) -> Result<(), CliError> {
    for pending in pending(place, options)? {
        complain(&question::show(paint, &pending.question));
        // What was typed before the question stood there is no answer to it.
        let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
        let _ = write!(std::io::stderr().lock(), "> ");
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let answered = read.is_ok_and(|bytes| bytes > 0);
        pending.settle(place, answered.then_some(line.as_str()))?;
    }
    Ok(())
}

/// What a person should know at the start: what is left out, why, and how to
/// have it.
pub fn remarks(loaded: &Loaded, custom: &Custom) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    let project = loaded.project();
    let wants = loaded.project_wants().len();
    let refused = project.standing == Standing::Refused;
    for ignored in loaded.ignored() {
        // Who said no knows what it is about.
        if !(refused && ignored.curable == Curable::ByTrust) {
            remarks.push(format!(
                "ignored: {} ({}): {}",
                ignored.key, ignored.origin, ignored.why
            ));
        }
    }
    match &project.standing {
        Standing::Nothing => {}
        Standing::Trusted => remarks.push(format!(
            "the project is trusted: {wants} of its settings and tools hold; `tenon trust` shows them"
        )),
        Standing::Unknown => {
            let files = loaded.project_wants();
            let files = files.iter().filter(|line| {
                ["tool  ", "agent  ", "command  "]
                    .iter()
                    .any(|kind| line.starts_with(kind))
            });
            remarks.extend(files.map(|line| format!("ignored: {line}: the project is not trusted")));
            remarks.push(format!(
                "the project is not trusted: {wants} of its settings and tools are ignored; `tenon trust` shows them, --trust-project accepts them"
            ));
        }
        Standing::Refused => remarks.push(format!(
            "the project is not trusted, as you said: {wants} of its settings and tools are ignored; `tenon trust accept` changes that"
        )),
        Standing::Impossible(why) => remarks.push(why.clone()),
    }
    match (&custom.user.standing, &custom.user.snapshot) {
        (Standing::Unknown, Some(snapshot)) => remarks.push(format!(
            "the tools in {} are not used: you have not accepted them; `tenon trust` shows them, --trust-user-tools accepts them",
            snapshot.folder().display()
        )),
        (Standing::Refused, Some(_)) => remarks.push(String::from(
            "your own tools are not used, as you said; `tenon trust accept --user-tools` changes that",
        )),
        (Standing::Impossible(why), _) => remarks.push(why.clone()),
        _ => {}
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::ask;

    #[test]
    fn nobody_else_writes_lines_of_the_question() {
        let lie = String::from("tool `x`: fine\n  y  harmless\u{1b}[2K");
        let question = ask(
            "Trust it?",
            vec![lie, String::from("rule  bash: allow")],
            "yes",
        );
        let lines: Vec<&str> = question.body.lines().collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], "It would enable 2:");
        assert!(!question.body.contains('\u{1b}'));
    }
}
