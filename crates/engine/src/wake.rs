//! A background process that ends while nobody works. The model is told with the
//! next prompt; where the user wants it, a run starts by itself. What it does may
//! start the next process, so it does that only so often before the user says
//! something.

use crate::core::Core;
use crate::inbox::Work;
use std::sync::atomic::{AtomicU32, Ordering};
use tenon_tools::jobs::{JobInfo, JobState};
use tenon_vocab::marked::{Mark, element};
use tenon_vocab::{NoticeLevel, Part, RunOrigin, figures};

/// Runs that start by themselves between two words of the user.
const MOST: u32 = 3;

/// What such a run begins with. What has ended stands before it.
const PROMPT: &str = "A background process has ended, as said above. Go on with what waited for it; if nothing did, say in one sentence what came of it.";

/// What becomes of a process that ends while nobody works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wake {
    /// It is told with the next prompt.
    #[default]
    Never,
    /// It starts a run.
    AtAnEnd,
}

/// Runs that started by themselves since the user said something.
#[derive(Debug, Default)]
pub(crate) struct Wakes(AtomicU32);

impl Wakes {
    /// The user is here.
    pub(crate) fn begin_anew(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Which one this is; `None` when there were enough.
    fn another(&self) -> Option<u32> {
        let count = self.0.load(Ordering::Relaxed) + 1;
        (count <= MOST).then(|| {
            self.0.store(count, Ordering::Relaxed);
            count
        })
    }
}

/// What has ended since the model was told last, to go before the next prompt.
pub(crate) fn note(core: &Core) -> Option<Part> {
    let ended = core.jobs.tell();
    if ended.is_empty() {
        return None;
    }
    let lines: Vec<String> = ended.iter().map(line).collect();
    // Escaped, a secret could no longer be told by its form.
    let text = core.masker.mask(&lines.join("\n")).into_owned();
    Some(Part::text(element(Mark::Jobs.tag(), &[], &text)))
}

/// `proc_1 exited with code 0 after 12 s: npm test. 1204 bytes …`
fn line(job: &JobInfo) -> String {
    let unread = match job.unread_bytes {
        0 => String::from("You have read all of its output."),
        bytes => format!(
            "{bytes} bytes of its output are unread: process with action read and id {} shows them.",
            job.id
        ),
    };
    format!("{} {}: {}. {unread}", job.id, ending(job), job.command)
}

fn ending(job: &JobInfo) -> String {
    let time = figures::took(job.elapsed);
    match (job.state, job.exit_code) {
        (JobState::Killed, _) => format!("was killed after {time}"),
        (_, Some(code)) => format!("exited with code {code} after {time}"),
        (_, None) => format!("exited after {time}"),
    }
}

/// Starts a run when nobody works and the model does not know of an end.
pub(crate) fn if_due(core: &Core) {
    if core.given.wake == Wake::Never || core.inbox.is_busy() {
        return;
    }
    // Whoever ends a process knows that it has ended.
    let untold = core.jobs.untold();
    let Some(job) = untold.iter().find(|job| job.state == JobState::Exited) else {
        return;
    };
    let Some(count) = core.wakes.another() else {
        return;
    };
    let message = format!(
        "{} {}. A run starts by itself ({count} of {MOST} until your next prompt; `jobs.wake`).",
        job.id,
        ending(job)
    );
    core.notice(None, NoticeLevel::Info, "wake", message);
    core.inbox.push(Work::Prompt {
        text: String::from(PROMPT),
        attachments: Vec::new(),
        origin: RunOrigin::Job,
        skill: None,
    });
}
