//! One more run with less around it, for a command that the sandbox stopped (S4):
//! outside of it, or inside with the network.
//! Only a person who is there may allow it: no flag, no hook and no grant
//! answers, because all of those were given for commands behind walls.

use crate::ask::question;
use crate::core::Core;
use crate::parts::{Approval, Confirm};
use std::path::{Path, PathBuf};
use tenon_tools::HostReply;
use tenon_tools::jobs::Walls;
use tenon_vocab::names::tool;
use tenon_vocab::{
    Answer, AnsweredBy, CallId, Choice, Display, Question, QuestionKind, RunId, RunState,
    StateChanged,
};
use tokio_util::sync::CancellationToken;

/// What stopped a command, and the key that would permit it for good.
pub(crate) struct Blocked {
    /// A clause.
    pub(crate) denial: String,
    pub(crate) switch: String,
    /// What it would run behind.
    pub(crate) walls: Walls,
    /// Withheld variables that it would get.
    pub(crate) variables: Vec<String>,
    pub(crate) folder: PathBuf,
    /// Files that the command names, and that its first run changed.
    pub(crate) changed: Vec<String>,
}

impl Blocked {
    fn title(&self) -> &'static str {
        match self.walls {
            Walls::Inside | Walls::Offline => "Run it once with network?",
            Walls::Outside | Walls::Own => "Run it once outside the sandbox?",
        }
    }

    fn reason(&self) -> String {
        let gets = match self.variables.as_slice() {
            [] => String::new(),
            names => format!(" It would get {} from your environment.", names.join(", ")),
        };
        format!(
            "{}. It would run again from the beginning; part of it may already be done.{}{gets} To always allow it: `{}` in tenon.jsonc",
            self.denial,
            self.rewritten(),
            self.switch
        )
    }

    /// What would run is not what was there when it was first allowed.
    fn rewritten(&self) -> String {
        match self.changed.as_slice() {
            [] => String::new(),
            [file] => format!(" Its first run changed `{file}`: look at it before you say yes."),
            files => format!(
                " Its first run changed {}: look at them before you say yes.",
                files.join(", ")
            ),
        }
    }

    /// Where it would run, if that is not the project.
    fn place(&self, root: &Path) -> String {
        match self.folder.strip_prefix(root) {
            Ok(below) if below.as_os_str().is_empty() => String::new(),
            Ok(below) => format!("\n(in the folder `{}`)", below.display()),
            Err(_) => format!("\n(in the folder `{}`)", self.folder.display()),
        }
    }

    fn refused(&self) -> &'static str {
        match self.walls {
            Walls::Inside | Walls::Offline => "the user did not allow a run with network",
            Walls::Outside | Walls::Own => "the user did not allow a run outside the sandbox",
        }
    }
}

pub(crate) async fn ask(
    core: &Core,
    run: RunId,
    token: &CancellationToken,
    call: &CallId,
    command: String,
    blocked: &Blocked,
) -> HostReply {
    match core.approval {
        Approval::Ask | Approval::Yes(Confirm::Ask) | Approval::Yolo(Confirm::Ask) => {}
        Approval::Nobody | Approval::Yes(Confirm::Nobody) | Approval::Yolo(Confirm::Nobody) => {
            return HostReply::Unavailable(String::from("there is no one to ask"));
        }
    }
    let place = blocked.place(core.workspace.root());
    let asked = question(core, run, token, |id| Question {
        id,
        kind: QuestionKind::Permission,
        title: blocked.title().to_owned(),
        body: format!("{command}{place}"),
        display: Display::Terminal {
            command,
            output: place.trim_start().to_owned(),
            exit_code: None,
            job: None,
            state: None,
        },
        choices: choices(),
        free_text: true,
        call: Some(call.clone()),
        tool: Some(String::from(tool::BASH)),
        reason: Some(blocked.reason()),
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    })
    .await;
    let reply = match asked {
        Err(error) => HostReply::Unavailable(error.to_string()),
        Ok(answer) => reply(&answer, blocked.refused()),
    };
    // The call goes on, whatever was said.
    let _ = core
        .emitter
        .emit(Some(run), StateChanged::from(RunState::ToolRunning));
    reply
}

fn choices() -> Vec<Choice> {
    [
        (Choice::ONCE, 'y', "run it once"),
        (Choice::DENY, 'n', "deny"),
    ]
    .into_iter()
    .map(|(id, key, label)| Choice {
        id: id.to_owned(),
        key,
        label: label.to_owned(),
        rule: None,
        typed: None,
    })
    .collect()
}

fn reply(answer: &Answer, refused: &str) -> HostReply {
    let live = matches!(answer.by, AnsweredBy::User | AnsweredBy::Client);
    if live && answer.choice == Choice::ONCE {
        return HostReply::Allowed;
    }
    if !live {
        return HostReply::Unavailable(String::from("nobody answered"));
    }
    let words = answer.text.as_deref().map(str::trim).unwrap_or_default();
    HostReply::Refused(if words.is_empty() {
        refused.to_owned()
    } else {
        format!("{refused} and said: {words}")
    })
}
