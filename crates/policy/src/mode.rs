//! What the permission mode of a session answers by itself: questions that nobody
//! wrote. A rule of somebody that asks, a question of a managed file, and all
//! that is stricter than a question are the same in every mode.

use crate::aspect::Aspect;
use crate::heard::Heard;
use crate::judge::Judge;
use crate::line;
use crate::names::{in_edit_group, is_built_in};
use crate::protected::is_steering;
use crate::rule::{Layer, Matcher, Rule, Target, Weight};
use crate::trail::{Trail, Verdict};
use crate::{Deed, PathFact, Rules, Script, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Effect, PermissionMode};

/// Where a rule of a mode comes from.
const ORIGIN: &str = "permission mode";

/// Whether commands of this session really run in a sandbox that holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enforced<'a> {
    Yes,
    /// Why not, as the end of a sentence; nothing where nobody has looked.
    #[default]
    Unknown,
    No(&'a str),
}

impl<'a> Enforced<'a> {
    /// Why commands are asked about in the mode that would run them.
    #[must_use]
    pub fn doubt(self) -> Option<&'a str> {
        match self {
            Self::Yes => None,
            Self::No(why) => Some(why),
            Self::Unknown => Some("Tenon has not checked whether the sandbox works here"),
        }
    }
}

/// The mode in which a call is made, and what it may rely on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mode<'a> {
    pub permission: PermissionMode,
    pub sandbox: Enforced<'a>,
}

impl Mode<'_> {
    fn runs_commands(self) -> bool {
        self.permission == PermissionMode::Auto && self.sandbox == Enforced::Yes
    }

    fn changes_files(self) -> bool {
        matches!(
            self.permission,
            PermissionMode::AcceptEdits | PermissionMode::Auto
        )
    }
}

impl Judge<'_> {
    /// The same verdict, or the answer of the mode to a question that nobody
    /// wrote.
    pub(crate) fn in_mode(
        &self,
        found: Verdict,
        heard: &Heard<'_>,
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Verdict {
        if found.class != Class::Ask {
            return found;
        }
        let mode = self.authority.mode;
        let name = mode.permission;
        let (rule, holds) = if changes_project(aspect) {
            let rule = format!("permission mode {name}: changes a file of the project");
            (rule, mode.changes_files())
        } else if is_command(aspect) {
            let rule = format!("permission mode {name}: runs in the sandbox");
            (rule, mode.permission == PermissionMode::Auto)
        } else {
            return found;
        };
        if !holds {
            return found;
        }
        let written = heard.own.iter().chain(&heard.all);
        if let Some(rule) = written.copied().find(|rule| asks(rule, aspect.target)) {
            let reason = format!(
                "{}; the mode {name} doesn't override a rule that asks",
                found.reason
            );
            return Verdict {
                reason,
                ..trail.decided(rule.to_string(), &rule.origin, found)
            };
        }
        if let Some(why) = mode.sandbox.doubt().filter(|_| is_command(aspect)) {
            let reason = format!("{}; the mode {name} doesn't allow it: {why}", found.reason);
            // The rule that asks is still the one that decided.
            trail.missed(rule, ORIGIN);
            return Verdict { reason, ..found };
        }
        let reason = match changes_project(aspect) {
            true => format!("the mode {name} allows changes to files in the project"),
            false => format!("the mode {name} allows commands in the sandbox"),
        };
        trail.decided(rule, ORIGIN, Verdict::new(Class::Allow, reason))
    }

    /// Whether the sandbox is what stands between a command and what lies outside
    /// the project, and no question.
    pub(crate) fn is_held_by_sandbox(&self, script: &Script) -> bool {
        self.runs_unasked() && !self.asks_about(script)
    }

    /// Whether a file which the line names is asked about: because somebody wrote
    /// so, or because it steers the agent. A line that shows files which it finds
    /// shows those of a rule about reading, too.
    fn asks_about(&self, script: &Script) -> bool {
        if script.shows_trees() && self.asks_for_some_reading() {
            return true;
        }
        let mut observed = script.observed();
        observed.any(|(target, fact)| {
            let is_written = target.deed != Deed::Read;
            fact.is_some_and(|fact| {
                (is_written && is_steering(&fact.path))
                    || self.asks_for_path(line::tool_for(target.deed), fact)
            })
        })
    }

    /// Whether lines run unasked that would ask otherwise.
    pub(crate) fn runs_unasked(&self) -> bool {
        self.authority.mode.runs_commands()
    }

    /// The rule that asks about a file which the line names, where the mode
    /// would run the line unasked: such a rule is for the file, whoever touches it.
    pub(crate) fn asked_path(&self, script: &Script, trail: &mut Trail) -> Option<Verdict> {
        const RULE: &str = "bash: files that are asked about in every mode = ask";
        if !self.runs_unasked() {
            return None;
        }
        if !self.asks_about(script) {
            trail.missed(RULE, "built-in");
            return None;
        }
        let reason = "it names a file that every mode asks about, because a rule says so or \
             because the file gives the agent instructions";
        Some(trail.decided(RULE, "built-in", Verdict::new(Class::Ask, reason)))
    }

    /// Whether somebody wrote that files of some name are not to be read, or not
    /// unasked.
    fn asks_for_some_reading(&self) -> bool {
        let own = self.authority.agent_rules.into_iter().flat_map(Rules::iter);
        let mut rules = self.rules.iter().chain(own);
        rules.any(|rule| {
            let names_files = matches!(rule.matcher, Matcher::Path(_));
            let narrows = is_meant(rule) && rule.class() != Class::Allow;
            names_files && narrows && rule.speaks_of(tool::READ)
        })
    }

    fn asks_for_path(&self, tool: &str, fact: &PathFact) -> bool {
        let own = self.authority.agent_rules.into_iter().flat_map(Rules::iter);
        let target = Target::Path(fact);
        let outside = (!fact.inside).then_some(crate::EXTERNAL_DIRECTORY);
        let mut rules = self.rules.iter().chain(own);
        rules.any(|rule| {
            // What speaks of all that a tool does speaks of no file.
            let names_files = matches!(rule.matcher, Matcher::Path(_));
            let of_tool = names_files && rule.speaks_of(tool);
            let of_outside = outside.is_some_and(|outside| rule.speaks_of(outside));
            (of_tool || of_outside) && asks(rule, target)
        })
    }
}

/// Whether a mode that runs commands leaves to this rule what it asks about.
pub(crate) fn is_written_question(rule: &Rule) -> bool {
    rule.class() == Class::Ask && is_meant(rule)
}

/// Whether a rule was written to ask about this. What is written as `*` says
/// what holds without a mode.
fn asks(rule: &Rule, target: Target<'_>) -> bool {
    // A deny that decides has decided before; one for other tools is no allow.
    is_meant(rule) && rule.class() != Class::Allow && rule.fits(target)
}

fn is_meant(rule: &Rule) -> bool {
    match rule.layer {
        Layer::BuiltIn => false,
        Layer::Managed => true,
        Layer::User | Layer::Project | Layer::Extra | Layer::Agent => {
            rule.weight == Weight::Explicit
        }
    }
}

/// A change by a file tool, inside the root; what steers the agent is asked about.
fn changes_project(aspect: &Aspect<'_>) -> bool {
    let is_plain = |fact: &PathFact| fact.inside && !is_steering(&fact.path);
    in_edit_group(aspect.tool) && aspect.written_path().is_some_and(is_plain)
}

/// Something that is started in the sandbox, or ends what was: a line for the
/// shell, a background process, a tool made of a folder. What is called by a name
/// runs elsewhere.
fn is_command(aspect: &Aspect<'_>) -> bool {
    match aspect.tool {
        tool::BASH | tool::PROCESS => aspect.facts.effect == Effect::Execute,
        other => {
            aspect.facts.effect == Effect::Execute
                && aspect.facts.subject == Subject::Nothing
                && !is_built_in(other)
        }
    }
}
