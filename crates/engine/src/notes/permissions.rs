//! What may run right now: the permission mode, who answers, the sandbox. Told
//! in the full tier with the first prompt, and again when it has changed. The
//! policy decides whatever the model believes; this saves it from trying.

use crate::core::Core;
use crate::parts::{Approval, AutoNetwork, Confirm, Effects, SandboxState};
use std::sync::Arc;
use tenon_vocab::marked::{self, Mark, element};
use tenon_vocab::profile::PromptTier;
use tenon_vocab::{Message, Part, PermissionMode, Role};

/// What goes along with the next prompt, where the conversation does not hold it.
pub(super) fn note(core: &Core, history: &[Arc<Message>]) -> Option<Part> {
    // An agent that only reads is told so by its prompt.
    let is_short = core.layout().tier.tier == PromptTier::Compact || core.agent().profile.read_only;
    let added = added(core);
    let words = match (is_short, added) {
        (true, None) => return None,
        (true, Some(added)) => added,
        (false, None) => Permissions::of(core).words(),
        (false, Some(added)) => format!("{}\n{added}", Permissions::of(core).words()),
    };
    let note = element(Mark::Permissions.tag(), &[], &words);
    (last_told(history) != Some(note.as_str())).then(|| Part::text(note))
}

/// The folders that the user opened beside the project.
fn added(core: &Core) -> Option<String> {
    let folders = core.added_folders();
    (!folders.is_empty()).then(|| {
        format!(
            "The user also opened these folders outside the project, under the same rules: {}. Use absolute paths there.",
            folders.join(", ")
        )
    })
}

fn last_told(history: &[Arc<Message>]) -> Option<&str> {
    let said = history.iter().rev().filter(|said| said.role == Role::User);
    said.flat_map(|message| message.parts.iter().rev())
        .find_map(|part| match part {
            Part::Text { text } if marked::of(text) == Some(Mark::Permissions) => {
                Some(text.as_str())
            }
            _ => None,
        })
}

/// What is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Permissions {
    mode: PermissionMode,
    approval: Approval,
    effects: Effects,
    /// `None`: commands run bare.
    sandbox: Option<Sandbox>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Sandbox {
    state: SandboxState,
    writes: Writes,
    network: Network,
}

/// Where a command may write besides temporary folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    Project,
    Nowhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    Open,
    Closed,
}

impl Permissions {
    fn of(core: &Core) -> Self {
        let mode = core.permission_mode();
        let sandbox = core.jobs.sandbox().map(|policy| Sandbox {
            state: core.modes.sandbox.clone(),
            writes: match policy.writable_roots().any(|root| *root == policy.root) {
                true => Writes::Project,
                false => Writes::Nowhere,
            },
            network: match (mode, core.modes.network) {
                (PermissionMode::Auto, AutoNetwork::Closed) => Network::Closed,
                _ if policy.reaches_network() => Network::Open,
                _ => Network::Closed,
            },
        });
        Self {
            mode,
            approval: core.approval,
            effects: core.effects,
            sandbox,
        }
    }

    fn words(&self) -> String {
        let mut lines = vec![format!("Permission mode: {}.", self.mode), self.decisions()];
        lines.push(match &self.sandbox {
            None => String::from("Commands run without a sandbox."),
            Some(sandbox) => sandbox.words(),
        });
        if self.effects == Effects::DryRun {
            lines.push(String::from(
                "This is a dry run: nothing is changed, and no command runs.",
            ));
        }
        lines.join("\n")
    }

    /// What runs, what is asked about, and who answers.
    fn decisions(&self) -> String {
        match self.approval {
            Approval::Yolo(_) => String::from(
                "The user is not asked: changes and commands run, even dangerous ones, unless a rule forbids them.",
            ),
            Approval::Yes(confirm) => {
                let dangerous = match confirm {
                    Confirm::Ask => "the user is asked about those",
                    Confirm::Nobody => "those are refused, because nobody is here to confirm them",
                };
                format!(
                    "Changes and commands run without asking, except dangerous commands, such as those that delete files: {dangerous}."
                )
            }
            Approval::Ask => format!(
                "{} without asking. The user is asked about everything else, unless a rule decides it.",
                self.free()
            ),
            Approval::Nobody => format!(
                "{} without asking. Nobody is here to answer, so everything else is refused, unless a rule allows it.",
                self.free()
            ),
        }
    }

    fn free(&self) -> &'static str {
        let is_held =
            (self.sandbox.as_ref()).is_some_and(|sandbox| sandbox.state == SandboxState::Enforced);
        match (self.mode, is_held) {
            (PermissionMode::Auto, true) => {
                "Edits to project files, and commands that are not dangerous, run"
            }
            (PermissionMode::AcceptEdits, true) => {
                "Edits to project files, and commands that only read, run"
            }
            (PermissionMode::AcceptEdits | PermissionMode::Auto, false) => {
                "Edits to project files, and the simplest commands that read (`cat`, `ls`), run"
            }
            (PermissionMode::Ask | PermissionMode::Plan, true) => "Commands that only read run",
            (PermissionMode::Ask | PermissionMode::Plan, false) => {
                "Only the simplest commands that read (`cat`, `ls`) run"
            }
        }
    }
}

impl Sandbox {
    fn words(&self) -> String {
        let writes = match self.writes {
            Writes::Project => "to the project and to temporary folders",
            Writes::Nowhere => "to temporary folders only",
        };
        let network = match self.network {
            Network::Open => "can use the network",
            Network::Closed => "have no network",
        };
        let held = match self.state {
            SandboxState::Lacking(_) => " This machine enforces that only in part.",
            SandboxState::Enforced | SandboxState::Unknown => "",
        };
        format!("Commands run in a sandbox: they can write {writes}, and they {network}.{held}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(mode: PermissionMode, approval: Approval) -> Permissions {
        Permissions {
            mode,
            approval,
            effects: Effects::Real,
            sandbox: Some(Sandbox {
                state: SandboxState::Enforced,
                writes: Writes::Project,
                network: Network::Open,
            }),
        }
    }

    #[test]
    fn what_is_told_is_what_the_mode_and_the_one_who_answers_make_of_a_call() {
        for (mode, approval, told) in [
            (
                PermissionMode::Ask,
                Approval::Ask,
                "Commands that only read run without asking. The user is asked about everything else",
            ),
            (
                PermissionMode::AcceptEdits,
                Approval::Nobody,
                "Edits to project files, and commands that only read, run without asking. Nobody is here",
            ),
            (
                PermissionMode::Auto,
                Approval::Ask,
                "commands that are not dangerous, run without asking.",
            ),
            (
                PermissionMode::Ask,
                Approval::Yes(Confirm::Nobody),
                "such as those that delete files: those are refused",
            ),
            (
                PermissionMode::Ask,
                Approval::Yolo(Confirm::Nobody),
                "The user is not asked",
            ),
        ] {
            let words = given(mode, approval).words();
            assert!(words.contains(told), "{words}");
            assert!(words.starts_with(&format!("Permission mode: {mode}.\n")));
            assert!(words.ends_with("temporary folders, and they can use the network."));
        }
    }

    #[test]
    fn no_mode_promises_what_only_a_sandbox_can_hold() {
        for mode in [
            PermissionMode::Ask,
            PermissionMode::AcceptEdits,
            PermissionMode::Auto,
        ] {
            let mut open = given(mode, Approval::Ask);
            let lacking = SandboxState::Lacking("it is not there".into());
            for state in [Some(SandboxState::Unknown), Some(lacking), None] {
                match (state, &mut open.sandbox) {
                    (Some(state), Some(sandbox)) => sandbox.state = state,
                    (_, sandbox) => *sandbox = None,
                }
                let words = open.words();
                assert!(words.contains("simplest commands that read"), "{words}");
                assert!(!words.contains("that only read"), "{words}");
                assert!(!words.contains("not dangerous"), "{words}");
            }
            assert!(open.words().ends_with("Commands run without a sandbox."));
        }
    }

    #[test]
    fn a_closed_network_and_a_dry_run_are_told() {
        let mut closed = given(PermissionMode::Ask, Approval::Ask);
        closed.effects = Effects::DryRun;
        let sandbox = closed.sandbox.as_mut().unwrap();
        sandbox.network = Network::Closed;
        sandbox.writes = Writes::Nowhere;
        let words = closed.words();
        assert!(words.contains("temporary folders only, and they have no network."));
        assert!(words.ends_with("and no command runs."), "{words}");
    }
}
