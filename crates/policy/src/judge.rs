//! One question about a call, answered in a fixed order (G2): hard deny, explicit
//! deny, mandatory confirm, grants, the most specific rule, the default. Nothing
//! further down can weaken what stands above.

use crate::aspect::{Aspect, WRITE};
use crate::grant::Grants;
use crate::heard::Heard;
use crate::protected::{is_below, is_git_internal, sensitive};
use crate::rule::{Layer, Matcher, Rule, Target, Weight, strictness};
use crate::trail::{Finding, Trail, Verdict};
use crate::{Authority, EXTERNAL_DIRECTORY, Facts, PathFact, ReadOnly, Rules, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Decision, Effect, Responders, Timestamp};

mod reads;

pub(crate) const FIXED: &str = "built-in, cannot be changed";
pub(crate) const EACH_TIME: &str = "built-in, asks each time";

pub(crate) struct Judge<'a> {
    pub rules: &'a Rules,
    pub grants: &'a Grants,
    pub authority: &'a Authority<'a>,
    pub now: Timestamp,
}

impl Judge<'_> {
    pub(crate) fn about(&self, aspect: &Aspect<'_>) -> Finding {
        let mut trail = Trail::default();
        let heard = Heard::about(aspect, self.rules, self.authority.agent_rules);
        let verdict = self
            .hard_deny(aspect, &mut trail)
            .or_else(|| explicit_deny(&heard, aspect, &mut trail))
            .or_else(|| self.confirmed(&heard, aspect, &mut trail))
            .unwrap_or_else(|| self.usual(&heard, aspect, &mut trail));
        Finding {
            part: aspect.subject(),
            verdict: Some(verdict),
            trail,
        }
    }

    fn hard_deny(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Verdict> {
        if self.authority.read_only == ReadOnly::Yes
            && matches!(aspect.facts.effect, Effect::Write | Effect::Execute)
        {
            let agent = self.authority.agent;
            let reason =
                format!("the agent `{agent}` is read-only: it can't change files or run commands");
            return Some(trail.decided(
                format!("agent `{agent}` is read-only"),
                FIXED,
                Verdict::new(Class::HardDeny, reason),
            ));
        }
        let path = &aspect.written_path()?.path;
        if is_git_internal(path) {
            let reason = format!("`{path}` belongs to git; change it with git commands");
            return Some(trail.decided(
                "edit: \".git/**\" = deny",
                FIXED,
                Verdict::new(Class::HardDeny, reason),
            ));
        }
        if self.is_own(path) {
            let reason = format!("`{path}` belongs to Tenon; only you can edit it, by hand");
            return Some(trail.decided(
                "edit: the program's own folders = deny",
                FIXED,
                Verdict::new(Class::HardDeny, reason),
            ));
        }
        trail.missed(
            "edit: \".git/**\" and the program's own folders = deny",
            FIXED,
        );
        None
    }

    pub(crate) fn is_own(&self, path: &str) -> bool {
        let mut own = self.rules.own_folders().iter();
        own.any(|folder| is_below(path, folder))
    }

    /// What needs a yes each time; but a deny that is only somebody's fallback
    /// is still a deny.
    fn confirmed(
        &self,
        heard: &Heard<'_>,
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Option<Verdict> {
        let confirm = self.confirm(heard, aspect, trail)?;
        let tried = trail.0.len();
        // The agent's own deny is the question itself.
        let own: &[&Rule] = match confirm.responders {
            Responders::Any => &heard.own,
            Responders::Person => &[],
        };
        match self.most_specific(own, &heard.all, aspect, trail) {
            Some(verdict) if verdict.class == Class::Deny => Some(verdict),
            _ => {
                trail.0.truncate(tried);
                Some(confirm)
            }
        }
    }

    fn confirm(
        &self,
        heard: &Heard<'_>,
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Option<Verdict> {
        if let Some(verdict) = self.denied_by_agent(heard, aspect, trail) {
            return Some(verdict);
        }
        if let Some(verdict) = confirmed_by_rule(heard, aspect, trail) {
            return Some(verdict);
        }
        if let Some(verdict) = typed(aspect, trail) {
            return Some(verdict);
        }
        let path = &aspect.written_path()?.path;
        let Some(kind) = sensitive(path) else {
            trail.missed("edit: protected files = confirm", EACH_TIME);
            return None;
        };
        let reason = format!(
            "`{path}` is {}, so each change to it needs your yes",
            kind.what()
        );
        Some(trail.decided(
            "edit: protected files = confirm",
            EACH_TIME,
            Verdict::new(Class::Confirm, reason),
        ))
    }

    /// An agent's own deny is a matter for the user's live answer: no grant and
    /// no flag expands it, so it stands before the grants (G17).
    fn denied_by_agent(
        &self,
        heard: &Heard<'_>,
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Option<Verdict> {
        let best = heard.own.iter().find(|rule| rule.fits(aspect.target))?;
        if best.decision != Decision::Deny {
            return None;
        }
        let reason = format!(
            "the rules of the agent `{}` deny this; only you can allow {}, once",
            self.authority.agent,
            aspect.subject()
        );
        let verdict = Verdict {
            responders: Responders::Person,
            ..Verdict::new(Class::Confirm, reason)
        };
        Some(trail.decided(best.to_string(), &best.origin, verdict))
    }

    /// What nobody denied and nothing insists on. A question of a managed file
    /// is a floor: no grant and no rule from below answers it for good.
    fn usual(&self, heard: &Heard<'_>, aspect: &Aspect<'_>, trail: &mut Trail) -> Verdict {
        let floor = managed(heard, aspect).filter(|rule| rule.decision == Decision::Ask);
        let granted = match floor {
            None => self.granted(aspect, trail),
            Some(_) => None,
        };
        let tried = trail.0.len();
        let specific = self.most_specific(&heard.own, &heard.all, aspect, trail);
        let found = specific.unwrap_or_else(|| {
            let reason = format!(
                "no rule covers {}, and the default is to ask",
                aspect.subject()
            );
            trail.decided("*: ask", "built-in", Verdict::new(Class::Ask, reason))
        });
        // A grant answers a question and nothing stricter.
        if strictness(found.class) > strictness(Class::Ask) {
            return found;
        }
        if let Some(verdict) = granted {
            trail.0.truncate(tried);
            return verdict;
        }
        match floor {
            Some(rule) if strictness(rule.class()) > strictness(found.class) => {
                decided_by(rule, aspect, trail)
            }
            Some(_) => found,
            None => self.in_mode(found, heard, aspect, trail),
        }
    }

    /// What somebody wrote against places outside the project holds in a folder
    /// that the user added as well; the default does not, for that is what adding
    /// it is about.
    pub(crate) fn of_added_folders(&self, facts: &Facts) -> Vec<Finding> {
        let Subject::Paths(paths) = &facts.subject else {
            return Vec::new();
        };
        let added = paths.iter().filter(|fact| fact.is_added());
        added
            .filter_map(|fact| {
                let aspect = Aspect {
                    facts,
                    tool: EXTERNAL_DIRECTORY,
                    target: Target::Path(fact),
                };
                let mut trail = Trail::default();
                let verdict = self.against_added(&aspect, &mut trail)?;
                Some(Finding {
                    part: aspect.subject(),
                    verdict: Some(verdict),
                    trail,
                })
            })
            .collect()
    }

    fn against_added(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Verdict> {
        let heard = Heard::about(aspect, self.rules, self.authority.agent_rules);
        explicit_deny(&heard, aspect, trail)
            .or_else(|| self.denied_by_agent(&heard, aspect, trail))
            .or_else(|| confirmed_by_rule(&heard, aspect, trail))
            .or_else(|| {
                let rule = managed(&heard, aspect)?;
                (rule.class() != Class::Allow).then(|| decided_by(rule, aspect, trail))
            })
    }

    fn granted(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Verdict> {
        let mut held: Vec<(String, bool)> = self
            .grants
            .iter()
            .filter(|grant| grant.speaks_of(aspect.tool) && !grant.is_over(self.now))
            .map(|grant| {
                let covers = grant.covers(aspect.tool, aspect.target, aspect.facts);
                (grant.to_string(), covers)
            })
            .collect();
        held.sort();
        for (grant, covers) in held {
            if covers {
                let reason = format!("you allowed this before: {grant}");
                return Some(trail.decided(grant, "grant", Verdict::new(Class::Allow, reason)));
            }
            trail.missed(grant, "grant");
        }
        None
    }

    /// The agent's rules, then everybody's. Those of a project are held against
    /// the result and count only where they are stricter: a repository that was
    /// just cloned may narrow, never loosen.
    fn most_specific(
        &self,
        own: &[&Rule],
        all: &[&Rule],
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Option<Verdict> {
        let rules = own.iter().chain(all).copied();
        let (project, others): (Vec<&Rule>, Vec<&Rule>) =
            rules.partition(|rule| rule.layer == Layer::Project);
        let found = self.first_that_holds(&others, aspect, trail);
        let held = found.as_ref().map_or(Class::Ask, |verdict| verdict.class);
        let narrower = project
            .into_iter()
            .filter(|rule| strictness(rule.class()) > strictness(held))
            .find(|rule| rule.fits(aspect.target));
        match narrower {
            Some(rule) => Some(decided_by(rule, aspect, trail)),
            None => found,
        }
    }

    /// The first rule that matches, but for the built-in one that lets commands
    /// read: it holds only as far as a `read` of the same files would be allowed.
    fn first_that_holds(
        &self,
        rules: &[&Rule],
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Option<Verdict> {
        let mut doubt = None;
        for rule in rules {
            if rule.matcher == Matcher::Reads {
                doubt = self.doubt_reading(aspect);
                // Without a doubt the proof has been made; it need not be made twice.
                if doubt.is_none() && matches!(aspect.target, Target::Part(..)) {
                    return Some(decided_by(rule, aspect, trail).of_a_reader());
                }
            } else if rule.fits(aspect.target) {
                let mut verdict = decided_by(rule, aspect, trail);
                if let (Class::Ask, Layer::BuiltIn, Some(doubt)) =
                    (verdict.class, rule.layer, doubt)
                {
                    verdict.reason = doubt;
                }
                return Some(verdict);
            }
            trail.missed_rule(rule);
        }
        None
    }

    /// What a file tool would be told about this path, wherever it lies.
    pub(crate) fn of_path(&self, tool: &str, fact: &PathFact) -> Option<Verdict> {
        self.finding_of_path(tool, fact).verdict
    }

    pub(crate) fn finding_of_path(&self, tool: &str, fact: &PathFact) -> Finding {
        let facts = Facts {
            tool: tool.to_owned(),
            effect: Effect::Read,
            subject: Subject::Nothing,
            input: String::new(),
        };
        self.about(&Aspect {
            facts: &facts,
            tool,
            target: Target::Path(fact),
        })
    }
}

/// A deny that somebody wrote for this. One written as `*` is a fallback and
/// yields to more specific rules, but in a managed file only to those of
/// managed files.
fn explicit_deny(heard: &Heard<'_>, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Verdict> {
    if let Some(rule) = managed(heard, aspect).filter(|rule| rule.decision == Decision::Deny) {
        return Some(decided_by(rule, aspect, trail));
    }
    for rule in heard.all.iter().filter(|rule| is_explicit_deny(rule)) {
        if rule.fits(aspect.target) {
            return Some(decided_by(rule, aspect, trail));
        }
        trail.missed_rule(rule);
    }
    None
}

/// What the managed files say of it, were they alone: the most specific rule of
/// each, and of these the strictest (G13).
fn managed<'r>(heard: &Heard<'r>, aspect: &Aspect<'_>) -> Option<&'r Rule> {
    let mut files: Vec<&str> = Vec::new();
    let mut strictest: Option<&Rule> = None;
    for rule in heard.all.iter().filter(|rule| rule.layer == Layer::Managed) {
        if files.contains(&rule.file()) || !rule.fits(aspect.target) {
            continue;
        }
        files.push(rule.file());
        let stricter = |held: &Rule| strictness(rule.class()) > strictness(held.class());
        if strictest.is_none_or(stricter) {
            strictest = Some(rule);
        }
    }
    strictest
}

/// A rule that says `confirm` adds to what is confirmed and is weakened by
/// nothing. One written as `*` yields to more specific ones, as a deny does.
fn confirmed_by_rule(heard: &Heard<'_>, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Verdict> {
    for rules in [&heard.own, &heard.all] {
        if !rules.iter().any(|rule| rule.class() == Class::Confirm) {
            continue;
        }
        let mut more_specific = false;
        for rule in rules {
            let confirms = rule.class() == Class::Confirm;
            let fits = rule.fits(aspect.target);
            if confirms && fits && (rule.weight == Weight::Explicit || !more_specific) {
                return Some(decided_by(rule, aspect, trail));
            }
            if confirms {
                trail.missed_rule(rule);
            }
            more_specific |= fits && rule.layer != Layer::Project;
        }
    }
    None
}

/// Input may be half of a command whose other half comes later, and what runs
/// may be a shell or an interpreter: nobody can say beforehand what it makes of
/// the text, so that no rule and no grant answers for it.
fn typed(aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Verdict> {
    const RULE: &str = "process: \"write\" = confirm";
    if aspect.tool != tool::PROCESS || !matches!(aspect.target, Target::Name(WRITE)) {
        return None;
    }
    let reason = "Tenon can't tell what a running process does with its input, so each input \
         needs your yes";
    Some(trail.decided(RULE, EACH_TIME, Verdict::new(Class::Confirm, reason)))
}

pub(crate) fn is_explicit_deny(rule: &Rule) -> bool {
    rule.decision == Decision::Deny
        && rule.weight == Weight::Explicit
        && matches!(rule.layer, Layer::User | Layer::Extra | Layer::Managed)
}

pub(crate) fn decided_by(rule: &Rule, aspect: &Aspect<'_>, trail: &mut Trail) -> Verdict {
    let class = rule.class();
    let mut reason = match class {
        Class::Deny if aspect.tool == EXTERNAL_DIRECTORY && rule.layer == Layer::BuiltIn => {
            format!(
                "{} is outside the project; only the user can open it, with `--add-dir DIR` or `/add-dir DIR`",
                aspect.subject()
            )
        }
        Class::Deny => format!(
            "the rule `{rule}` ({1}) denies {0}",
            aspect.subject(),
            rule.origin
        ),
        Class::Ask if rule.layer == Layer::BuiltIn => {
            format!("`{}` asks by default (`{rule}`)", aspect.tool)
        }
        Class::Allow => format!("the rule `{rule}` ({}) allows it", rule.origin),
        Class::Confirm => format!("the rule `{rule}` ({}) asks each time", rule.origin),
        Class::Ask | Class::HardDeny => format!("the rule `{rule}` ({}) asks", rule.origin),
    };
    if let Some(why) = &rule.reason {
        reason = format!("{reason}: {why}");
    }
    trail.decided(rule.to_string(), &rule.origin, Verdict::new(class, reason))
}
