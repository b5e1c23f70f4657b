//! The verdict, in a fixed order (G2): hard deny, explicit deny, mandatory
//! confirm, grants, the most specific rule, the default. Nothing further down
//! can weaken what stands above.

use crate::aspect::{Aspect, aspects};
use crate::grant::Grants;
use crate::names::{only_talks, tool_rank};
use crate::protected::{is_below, is_git_internal, sensitive};
use crate::reading::doubt;
use crate::rule::{Layer, Matcher, Rule, Target, Weight, strictness, word};
use crate::{EXTERNAL_DIRECTORY, Facts, PathFact, Rules, Subject};
use tenon_vocab::profile::AgentProfile;
use tenon_vocab::{Class, Decision, Effect, ErrorCode, Explanation, RuleTried, Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOnly {
    Yes,
    No,
}

/// On whose behalf a call is made.
#[derive(Debug, Clone, Copy)]
pub struct Authority<'a> {
    pub agent: &'a str,
    pub read_only: ReadOnly,
    pub agent_rules: Option<&'a Rules>,
}

impl<'a> Authority<'a> {
    /// That of an agent by its profile, without rules of its own.
    #[must_use]
    pub fn of(agent: &'a AgentProfile) -> Self {
        Self {
            agent: &agent.name,
            read_only: if agent.read_only {
                ReadOnly::Yes
            } else {
                ReadOnly::No
            },
            agent_rules: None,
        }
    }
}

/// Decides about one call. The strictest verdict over all that it touches
/// counts, and the result does not depend on the order of rules or grants.
#[must_use]
pub fn decide(
    facts: &Facts,
    rules: &Rules,
    grants: &Grants,
    authority: &Authority<'_>,
    now: Timestamp,
) -> Explanation {
    let judge = Judge {
        rules,
        grants,
        authority,
        now,
    };
    let mut strictest: Option<Explanation> = None;
    let verdicts = aspects(facts)
        .into_iter()
        .flat_map(|aspect| std::iter::once(judge.about(&aspect)).chain(judge.denied_read(&aspect)));
    for verdict in verdicts {
        let stricter = strictest
            .as_ref()
            .is_none_or(|held| rank(verdict.class) > rank(held.class));
        if stricter {
            strictest = Some(verdict);
        }
    }
    strictest.unwrap_or_else(|| Explanation::new(Class::Ask, "nothing is known of this call"))
}

/// The code that a denied call answers with.
#[must_use]
pub fn error_code(explanation: &Explanation) -> ErrorCode {
    let decider = explanation.tried.iter().rev().find(|rule| rule.matched);
    match decider {
        Some(rule) if rule.rule.starts_with(EXTERNAL_DIRECTORY) => ErrorCode::PathOutsideRoot,
        _ => ErrorCode::PermissionDenied,
    }
}

fn rank(class: Class) -> u8 {
    match class {
        Class::HardDeny => 4,
        Class::Deny => 3,
        Class::Confirm => 2,
        Class::Ask => 1,
        Class::Allow => 0,
    }
}

struct Judge<'a> {
    rules: &'a Rules,
    grants: &'a Grants,
    authority: &'a Authority<'a>,
    now: Timestamp,
}

/// The rules that were looked at so far.
#[derive(Default)]
struct Trail(Vec<RuleTried>);

impl Trail {
    fn missed(&mut self, rule: impl Into<String>, origin: &str) {
        self.0.push(RuleTried {
            rule: rule.into(),
            origin: origin.to_owned(),
            matched: false,
        });
    }

    /// Ends the walk with the rule that decided.
    fn decided(
        &mut self,
        rule: impl Into<String>,
        origin: &str,
        class: Class,
        reason: String,
    ) -> Explanation {
        self.0.push(RuleTried {
            rule: rule.into(),
            origin: origin.to_owned(),
            matched: true,
        });
        let mut explanation = Explanation::new(class, reason);
        explanation.tried = std::mem::take(&mut self.0);
        explanation
    }
}

impl Judge<'_> {
    fn about(&self, aspect: &Aspect<'_>) -> Explanation {
        let mut trail = Trail::default();
        self.hard_deny(aspect, &mut trail)
            .or_else(|| self.explicit_deny(aspect, &mut trail))
            .or_else(|| self.confirm(aspect, &mut trail))
            .or_else(|| self.granted(aspect, &mut trail))
            .or_else(|| self.most_specific(aspect, &mut trail))
            .unwrap_or_else(|| {
                let reason = format!(
                    "no rule speaks of {}; the default is to ask",
                    aspect.subject()
                );
                trail.decided("*: ask", "built-in", Class::Ask, reason)
            })
    }

    fn hard_deny(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
        const ORIGIN: &str = "built-in, cannot be changed";
        if self.authority.read_only == ReadOnly::Yes
            && matches!(aspect.facts.effect, Effect::Write | Effect::Execute)
        {
            let agent = self.authority.agent;
            return Some(trail.decided(
                format!("agent `{agent}` only reads"),
                ORIGIN,
                Class::HardDeny,
                format!("the agent `{agent}` only reads: it may not change files or run commands"),
            ));
        }
        let fact = aspect.written_path()?;
        if is_git_internal(&fact.path) {
            return Some(trail.decided(
                "edit: \".git/**\" = deny",
                ORIGIN,
                Class::HardDeny,
                format!(
                    "`{}` belongs to git itself; use git to change it",
                    fact.path
                ),
            ));
        }
        if self
            .rules
            .own_folders()
            .iter()
            .any(|own| is_below(&fact.path, own))
        {
            return Some(trail.decided(
                "edit: the program's own folders = deny",
                ORIGIN,
                Class::HardDeny,
                format!("`{}` belongs to Tenon itself; edit it by hand", fact.path),
            ));
        }
        trail.missed(
            "edit: \".git/**\" and the program's own folders = deny",
            ORIGIN,
        );
        None
    }

    /// A deny that somebody wrote for this. One written as `*` is a fallback and
    /// yields to more specific rules, but in a managed file only to those of
    /// managed files.
    fn explicit_deny(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
        let mut denies = self.candidates(self.rules, aspect);
        let managed = denies
            .iter()
            .find(|rule| rule.layer == Layer::Managed && rule.matches(aspect.tool, aspect.target))
            .copied();
        if let Some(rule) = managed.filter(|rule| rule.decision == Decision::Deny) {
            return Some(decided_by(rule, aspect, trail));
        }
        denies.retain(|rule| {
            rule.decision == Decision::Deny
                && rule.weight == Weight::Explicit
                && matches!(rule.layer, Layer::User | Layer::Extra | Layer::Managed)
        });
        first_match(&denies, aspect, trail)
    }

    fn confirm(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
        if let Some(explanation) = self.denied_by_agent(aspect, trail) {
            return Some(explanation);
        }
        const ORIGIN: &str = "built-in, asks each time";
        let fact = aspect.written_path()?;
        match sensitive(&fact.path) {
            Some(kind) => Some(trail.decided(
                "edit: protected files = confirm",
                ORIGIN,
                Class::Confirm,
                format!(
                    "`{}` is {}: each change needs a yes of its own",
                    fact.path,
                    kind.what()
                ),
            )),
            None => {
                trail.missed("edit: protected files = confirm", ORIGIN);
                None
            }
        }
    }

    /// An agent's own deny is a matter for the user's live answer: no grant and
    /// no flag expands it, so it stands before the grants.
    fn denied_by_agent(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
        let rules = self.authority.agent_rules?;
        let best = self
            .candidates(rules, aspect)
            .into_iter()
            .find(|rule| rule.matches(aspect.tool, aspect.target))?;
        (best.decision == Decision::Deny).then(|| {
            trail.decided(
                best.to_string(),
                &best.origin,
                Class::Confirm,
                format!(
                    "the agent `{}` may not do this by its own rules; only your answer can allow {} once",
                    self.authority.agent,
                    aspect.subject()
                ),
            )
        })
    }

    fn granted(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
        if aspect.command_names_secret() {
            return None;
        }
        let mut held: Vec<_> = self
            .grants
            .iter()
            .filter(|grant| grant.speaks_of(aspect.tool) && !grant.is_over(self.now))
            .collect();
        held.sort_by_key(|grant| grant.to_string());
        for grant in held {
            if grant.covers(aspect.tool, aspect.target, aspect.facts) {
                let reason = format!("you allowed this before: {grant}");
                return Some(trail.decided(grant.to_string(), "grant", Class::Allow, reason));
            }
            trail.missed(grant.to_string(), "grant");
        }
        None
    }

    /// The agent's rules, then everybody's. Those of a project are held against
    /// the result and count only where they are stricter: a repository that was
    /// just cloned may narrow, never loosen.
    fn most_specific(&self, aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
        let mut candidates = Vec::new();
        if let Some(rules) = self.authority.agent_rules {
            candidates.extend(self.candidates(rules, aspect));
        }
        candidates.extend(self.candidates(self.rules, aspect));
        let (project, mut others): (Vec<&Rule>, Vec<&Rule>) = candidates
            .into_iter()
            .partition(|rule| rule.layer == Layer::Project);
        let secret = aspect.command_names_secret();
        if secret {
            others.retain(|rule| rule.decision != Decision::Allow);
        }
        let doubt = self.withhold(&mut others, aspect, trail);
        let found = first_match(&others, aspect, trail);
        let narrower = project
            .into_iter()
            .filter(|rule| {
                let held = found.as_ref().map_or(Decision::Ask, Explanation::decision);
                strictness(rule.decision) > strictness(held)
            })
            .find(|rule| rule.matches(aspect.tool, aspect.target));
        if let Some(rule) = narrower {
            if let Some(found) = found {
                trail.0 = found.tried;
            }
            return Some(decided_by(rule, aspect, trail));
        }
        found.map(|mut explanation| {
            if explanation.class == Class::Ask {
                if secret {
                    explanation.reason =
                        format!("{} names a file that may hold secrets", aspect.subject());
                } else if let Some(doubt) = doubt {
                    explanation.reason = doubt;
                }
            }
            explanation
        })
    }

    /// Takes out a built-in rule that would allow a command of which it is not
    /// certain that it reads only what a `read` may, and says why. What a person
    /// wrote stays.
    fn withhold(
        &self,
        rules: &mut Vec<&Rule>,
        aspect: &Aspect<'_>,
        trail: &mut Trail,
    ) -> Option<String> {
        let Target::Command(script) = aspect.target else {
            return None;
        };
        let at = rules
            .iter()
            .position(|rule| rule.matches(aspect.tool, aspect.target))?;
        let rule = rules[at];
        let built_in = rule.layer == Layer::BuiltIn
            && rule.decision == Decision::Allow
            && matches!(rule.matcher, Matcher::Command(_));
        if !built_in {
            return None;
        }
        let doubt = doubt(script).or_else(|| {
            let program = script.argv()?.first()?;
            script.paths.iter().find_map(|fact| {
                if !fact.inside {
                    let path = &fact.path;
                    return Some(format!("{program} would read {path}, outside the project"));
                }
                let found = self.read_of(fact);
                (found.class != Class::Allow)
                    .then(|| format!("{program} would read {}: {}", fact.path, found.reason))
            })
        })?;
        for passed in rules.drain(..=at) {
            trail.missed(passed.to_string(), &passed.origin);
        }
        Some(doubt)
    }

    /// A path that a rule for `read` denies is denied for a command that names
    /// it. A sentence with blanks, such as a commit message, names no file
    /// unless there is one.
    fn denied_read(&self, aspect: &Aspect<'_>) -> Option<Explanation> {
        let Target::Command(script) = aspect.target else {
            return None;
        };
        let denies = |rule: &Rule, fact: &PathFact| {
            rule.decision == Decision::Deny
                && matches!(rule.matcher, Matcher::Path(_))
                && rule.matches("read", Target::Path(fact))
        };
        script
            .paths
            .iter()
            .filter(|fact| fact.exists || !fact.path.contains(char::is_whitespace))
            .filter(|fact| {
                let own = self.authority.agent_rules.into_iter().flat_map(Rules::iter);
                self.rules.iter().chain(own).any(|rule| denies(rule, fact))
            })
            .map(|fact| self.read_of(fact))
            .filter(|found| rank(found.class) >= rank(Class::Confirm))
            .max_by_key(|found| rank(found.class))
    }

    /// What the tool `read` would be told about this path, wherever it lies.
    fn read_of(&self, fact: &PathFact) -> Explanation {
        let facts = Facts {
            tool: "read".to_owned(),
            effect: Effect::Read,
            subject: Subject::Nothing,
            input: String::new(),
        };
        self.about(&Aspect {
            facts: &facts,
            tool: "read",
            target: Target::Path(fact),
        })
    }

    /// The rules that speak of the tool, most specific first.
    fn candidates<'r>(&self, rules: &'r Rules, aspect: &Aspect<'_>) -> Vec<&'r Rule> {
        let guard = aspect.guard();
        let speaks = |rule: &&Rule| match rule.tool.as_str() {
            // Being outside of the root is a question of its own, and so is talking.
            "*" if aspect.tool == EXTERNAL_DIRECTORY => false,
            "*" if only_talks(aspect.tool) => rule.decision == Decision::Deny,
            name => tool_rank(name, aspect.tool).is_some(),
        };
        // What is guarded yields only to a rule that names it.
        let strong = |rule: &&Rule| {
            guard.is_none_or(|guard| {
                strictness(rule.decision) >= strictness(guard.decision())
                    || matches!(&rule.matcher, Matcher::Path(pattern) if pattern.names == Some(guard))
            })
        };
        let mut found: Vec<&Rule> = rules.iter().filter(speaks).filter(strong).collect();
        found.sort_by(|a, b| {
            b.specificity(aspect.tool)
                .cmp(&a.specificity(aspect.tool))
                .then_with(|| a.to_string().cmp(&b.to_string()))
                .then_with(|| a.origin.cmp(&b.origin))
        });
        found
    }
}

fn first_match(rules: &[&Rule], aspect: &Aspect<'_>, trail: &mut Trail) -> Option<Explanation> {
    for rule in rules {
        if rule.matches(aspect.tool, aspect.target) {
            return Some(decided_by(rule, aspect, trail));
        }
        trail.missed(rule.to_string(), &rule.origin);
    }
    None
}

fn decided_by(rule: &Rule, aspect: &Aspect<'_>, trail: &mut Trail) -> Explanation {
    let class = match rule.decision {
        Decision::Allow => Class::Allow,
        Decision::Ask => Class::Ask,
        Decision::Deny => Class::Deny,
    };
    let verb = word(rule.decision);
    let mut reason = match class {
        Class::Deny if aspect.tool == EXTERNAL_DIRECTORY => format!(
            "path_outside_root: {} is outside of the project; `external_directory` in the configuration can allow it",
            aspect.subject()
        ),
        Class::Deny => format!(
            "{} is denied by `{rule}` ({})",
            aspect.subject(),
            rule.origin
        ),
        _ => format!("`{rule}` ({}) says {verb}", rule.origin),
    };
    if let Some(why) = &rule.reason {
        reason = format!("{reason}: {why}");
    }
    trail.decided(rule.to_string(), &rule.origin, class, reason)
}
