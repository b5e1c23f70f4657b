//! The supervisor's choice of walls for one command, and the start behind
//! them: namespaces if they are to be had, else what stands without them, or
//! bubblewrap where it is asked for. Nothing here runs a command bare that was
//! to be confined.

use crate::channel::Channel;
use crate::confinement::Level;
use crate::guard::{Care, Guard};
use crate::inside::{self, Builder};
use crate::message::Status;
use crate::places::Places;
use crate::raw::Forked;
use crate::start::{Job, NotStarted, start};
use crate::walls::{Adapter, Mode, SandboxPolicy};
use crate::{alone, bubblewrap, descriptor, namespaces, tree};
use rustix::process::Pid;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Launched {
    /// The supervisor's own child: the command, or the first process of its
    /// sandbox.
    pub(crate) main: Pid,
    /// The command's number as everybody outside sees it.
    pub(crate) command: u32,
    /// To the first process of the sandbox, if there is one.
    pub(crate) inside: Option<Channel>,
    /// Where the kernel asks to what the command may connect.
    pub(crate) listener: Option<OwnedFd>,
    pub(crate) guard: Guard,
}

/// Starts the command; `tell` hears what stands around it.
pub(crate) fn launch(
    job: Job,
    folder: &Path,
    policy: Option<&SandboxPolicy>,
    tell: &mut dyn FnMut(Status),
) -> Result<Launched, NotStarted> {
    let Some(policy) = policy.filter(|policy| policy.mode != Mode::Off) else {
        tell(Status::Starting);
        let main = start(job, None)?.main;
        return Ok(Launched {
            main,
            command: main.as_raw_nonzero().get().cast_unsigned(),
            inside: None,
            listener: None,
            guard: Guard::default(),
        });
    };
    let places = Places::resolve(policy).map_err(NotStarted::Walls)?;
    for note in &places.notes {
        tell(Status::Note(note.clone()));
    }
    match policy.adapter {
        Adapter::Bubblewrap => bubblewrap::launch(job, folder, policy, &places, tell),
        Adapter::Auto | Adapter::Native => native(job, folder, policy, &places, tell),
    }
}

fn native(
    job: Job,
    folder: &Path,
    policy: &SandboxPolicy,
    places: &Places,
    tell: &mut dyn FnMut(Status),
) -> Result<Launched, NotStarted> {
    let (ours, theirs) = Channel::pair().map_err(NotStarted::Command)?;
    match namespaces::fork(policy.network) {
        Ok(Forked::Child) => {
            drop(ours);
            release_stdin();
            inside::live(theirs, job, folder, policy, places, Builder::Own);
            std::process::exit(0)
        }
        Ok(Forked::Parent(first)) => {
            drop(theirs);
            match accompany(first, ours, "native", places, tell)? {
                Accompanied::Runs(launched) => Ok(launched),
                Accompanied::Unavailable(why) => alone::launch(job, policy, places, &why, tell),
            }
        }
        Err(error) => alone::launch(job, policy, places, &error.to_string(), tell),
    }
}

/// What became of a sandbox.
pub(crate) enum Accompanied {
    Runs(Launched),
    Unavailable(String),
}

/// Lets the first process build and start, and hears how it went.
pub(crate) fn accompany(
    first: Pid,
    mut inside: Channel,
    adapter: &'static str,
    places: &Places,
    tell: &mut dyn FnMut(Status),
) -> Result<Accompanied, NotStarted> {
    let guard = Guard::remember(watched(places));
    let mut uncovered = [loose_note(places), guarded_note(places)]
        .into_iter()
        .flatten()
        .map(Status::Note)
        .collect::<Vec<_>>();
    tell(Status::Starting);
    inside.go();
    let mut listener = None;
    let end = loop {
        match inside.next() {
            Some(Status::Handing) => {
                inside.go();
                listener = descriptor::receive(inside.as_fd()).ok();
            }
            Some(told @ (Status::Note(_) | Status::Gap(_))) => uncovered.push(told),
            Some(Status::Started(_)) => break None,
            Some(Status::Unavailable(why)) => break Some(Ok(Accompanied::Unavailable(why))),
            Some(Status::Failed(number)) => {
                let error = io::Error::from_raw_os_error(number);
                break Some(Err(NotStarted::Command(error)));
            }
            Some(Status::Refused(why)) => break Some(Err(NotStarted::Walls(why))),
            _ => {
                let why = "the first process of the sandbox ended before the sandbox was set up";
                break Some(Err(NotStarted::Walls(String::from(why))));
            }
        }
    };
    if let Some(end) = end {
        namespaces::end(first);
        return end;
    }
    // Of the first process; bubblewrap stays outside as the parent of that.
    let command = match adapter {
        "bubblewrap" => tree::only_child(first).and_then(tree::only_child),
        _ => tree::only_child(first),
    };
    let command = command.unwrap_or(first);
    inside.go();
    let level = if uncovered.iter().any(|told| matches!(told, Status::Gap(_))) {
        Level::Partial
    } else {
        Level::Full
    };
    uncovered.into_iter().for_each(&mut *tell);
    tell(Status::Confined { adapter, level });
    Ok(Accompanied::Runs(Launched {
        main: first,
        command: command.as_raw_nonzero().get().cast_unsigned(),
        inside: Some(inside),
        listener,
        guard,
    }))
}

/// What is put back or set aside, whichever walls stand.
pub(crate) fn watched(places: &Places) -> impl Iterator<Item = (&Path, &Path, Care)> {
    let loose = places.loose.iter().map(|loose| (loose, Care::Protected));
    let guarded = places.guarded.iter().map(|loose| (loose, Care::Guarded));
    loose
        .chain(guarded)
        .map(|(loose, care)| (loose.base.as_path(), loose.below.as_path(), care))
}

pub(crate) fn guarded_note(places: &Places) -> Option<String> {
    if places.guarded.is_empty() {
        return None;
    }
    let paths: Vec<String> = places
        .guarded
        .iter()
        .map(|loose| loose.path().display().to_string())
        .collect();
    Some(format!(
        "commands can change settings files deeper in the project while they run; these are \
         restored afterwards: {}",
        paths.join(", ")
    ))
}

fn loose_note(places: &Places) -> Option<String> {
    if places.loose.is_empty() {
        return None;
    }
    let paths: Vec<String> = places
        .loose
        .iter()
        .map(|loose| loose.path().display().to_string())
        .collect();
    Some(format!(
        "commands can create or replace protected paths that do not exist yet or are links; \
         these are moved aside or restored afterwards: {}",
        paths.join(", ")
    ))
}

/// The socket to Tenon is the supervisor's alone.
fn release_stdin() {
    if let Ok(null) = std::fs::File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&null);
    }
}
