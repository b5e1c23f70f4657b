//! Which walls a command runs behind, and how that is told: every result names
//! what really stood around its command (S3), and a failure that the walls
//! caused is named as such (S4). The walls themselves are the sandbox's.

use super::spec::{Collected, Ended};
use tenon_sandbox::{Confinement, Denial, Level, SandboxPolicy, recognise};
use tenon_vocab::SandboxReport;

/// Whether a command runs behind the walls of its session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Walls {
    #[default]
    Inside,
    /// Behind the same, and off the network, whatever they say of it.
    Offline,
    /// Without any: a person has allowed this one run, or it is the user's own
    /// command for a credential.
    Outside,
    /// Without any, and with all of the user's environment: a line that the user
    /// typed.
    Own,
}

/// Whether a command that the walls stopped may be offered a run outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WayOut {
    #[default]
    Offered,
    /// A policy of the machine's owner says that there is none.
    Closed,
}

/// Of either stream, so much of the end is looked at for a denial.
const EVIDENCE: usize = 8 * 1024;

pub(super) fn report(confinement: &Confinement) -> SandboxReport {
    SandboxReport {
        adapter: confinement.adapter.to_owned(),
        level: confinement.level.name().to_owned(),
        not_covered: in_few_words(&confinement.not_covered),
    }
}

/// Of sentences, and of the paths that a sentence ends with, so many are told
/// with every result; `tenon doctor` names all.
const TOLD: usize = 5;

fn in_few_words(sentences: &[String]) -> Vec<String> {
    let mut told: Vec<String> = sentences.iter().take(TOLD).map(|s| shortened(s)).collect();
    if let more @ 1.. = sentences.len().saturating_sub(TOLD) {
        told.push(format!("and {more} more; `tenon doctor` lists all"));
    }
    told
}

fn shortened(sentence: &str) -> String {
    let Some((what, paths)) = sentence.split_once(": /") else {
        return sentence.to_owned();
    };
    let paths: Vec<&str> = paths.split(", ").collect();
    match paths.len().saturating_sub(TOLD) {
        0 => sentence.to_owned(),
        more => format!("{what}: /{} and {more} more", paths[..TOLD].join(", ")),
    }
}

/// For a command that never ran.
pub(super) fn nothing_ran() -> SandboxReport {
    report(&Confinement::none())
}

/// Whether the walls made a command fail. What it printed on standard error
/// counts first; some programs complain on standard output.
pub(super) fn denial(
    policy: &SandboxPolicy,
    confinement: &Confinement,
    ended: &Ended,
    output: &Collected,
) -> Option<Denial> {
    let Ended::Exited { code, signal } = ended else {
        return None;
    };
    evidence(output)
        .iter()
        .find_map(|text| recognise(policy, confinement, *code, *signal, text))
        .map(with_switch)
}

/// Whether it failed by itself, with walls around it.
pub(super) fn is_failure(confinement: &Confinement, ended: &Ended) -> bool {
    let failed = matches!(ended, Ended::Exited { code, .. } if *code != Some(0));
    failed && confinement.level != Level::None
}

/// What is read of the two streams, the errors first.
pub(super) fn evidence(output: &Collected) -> [String; 2] {
    [&output.stderr, &output.stdout]
        .map(|excerpt| excerpt.within(2 * EVIDENCE).joined(|_| String::new()))
}

/// The walls know which of their lists refused; most of those lists come along
/// with the program, and what a user writes to get past them is another key.
fn with_switch(denial: Denial) -> Denial {
    let switch = match denial.switch.as_str() {
        "sandbox.hidden" => "sandbox.show",
        "sandbox.read_only" => "sandbox.writable",
        other => other,
    };
    Denial {
        switch: switch.to_owned(),
        what: denial.what,
    }
}
