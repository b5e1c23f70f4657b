//! What holds for a command line as a whole, whatever its parts are allowed:
//! what never runs, what somebody denied, what needs a yes each time, and what
//! at least asks. A floor only: nothing here allows.

mod dangers;

use crate::aspect::{Aspect, line_tool};
use crate::grant::{Grant, GrantKey};
use crate::guard::is_secret;
use crate::judge::{EACH_TIME, Judge, decided_by, is_explicit_deny};
use crate::mode::is_written_question;
use crate::names::speaks_of;
use crate::protected::{is_git_internal, sensitive};
use crate::reading::secret_words;
use crate::rule::{self, Layer, Matcher, Rule, Weight, strictness};
use crate::rules::PROTECT_ENV_FILES;
use crate::script::{Danger, Deed, Script, Target};
use crate::trail::{Finding, Trail, Verdict};
use crate::{Access, EXTERNAL_DIRECTORY, Facts, PathFact, Place, Rules};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Decision};

/// G10 seen as a hook (H5): its table is that of the dangers of the shell.
const BLOCK_DANGEROUS: &str = "built-in hook, cannot be changed";

/// A command line with the call that it is of.
struct Line<'a> {
    facts: &'a Facts,
    script: &'a Script,
    dangers: Vec<Danger>,
}

impl Judge<'_> {
    /// The floor under a line, strictest first.
    pub(crate) fn whole_line(&self, facts: &Facts, script: &Script) -> Finding {
        let mut trail = Trail::default();
        let line = Line {
            facts,
            script,
            dangers: script.verdicts(),
        };
        let verdict = never_runs(&line, &mut trail)
            .or_else(|| self.denied_somewhere(&line, &mut trail))
            .or_else(|| self.denied_path(&line, &mut trail))
            .or_else(|| self.needs_yes(&line, &mut trail))
            .or_else(|| self.outside_write(&line, &mut trail))
            .or_else(|| self.asked_somewhere(&line, &mut trail))
            .or_else(|| self.asked_path(line.script, &mut trail))
            .or_else(|| self.secret_named(&line, &mut trail));
        Finding {
            part: String::new(),
            verdict,
            trail,
        }
    }

    /// An explicit deny of a command that stands anywhere in the line, also where
    /// a wrapper or a string hides it.
    fn denied_somewhere(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        self.found_by(line, trail, is_explicit_deny)
    }

    /// All that needs a yes each time: whoever says yes says it to everything in
    /// the line, so that none of it may hide behind the first.
    fn needs_yes(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        let found = [
            dangerous(line, trail),
            self.confirmed_somewhere(line, trail),
            self.protected_write(line, trail),
        ];
        let reasons: Vec<String> = found
            .into_iter()
            .flatten()
            .map(|verdict| verdict.reason)
            .collect();
        (!reasons.is_empty()).then(|| Verdict::new(Class::Confirm, reasons.join("; ")))
    }

    fn confirmed_somewhere(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        let confirms =
            |rule: &Rule| rule.class() == Class::Confirm && rule.weight == Weight::Explicit;
        self.found_by(line, trail, confirms)
    }

    /// In a mode that would run the line unasked, a question that somebody wrote,
    /// also where a wrapper hides what it is about.
    fn asked_somewhere(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        let asks = self.runs_unasked();
        asks.then(|| self.found_by(line, trail, is_written_question))?
    }

    /// A line that is not certain is held against these rules anyway, as a whole.
    fn found_by(
        &self,
        line: &Line<'_>,
        trail: &mut Trail,
        wanted: impl Fn(&Rule) -> bool,
    ) -> Option<Verdict> {
        line.script.exact()?;
        let aspect = Aspect {
            facts: line.facts,
            tool: line_tool(line.facts),
            target: rule::Target::Line(line.script),
        };
        let patterned = |rule: &&Rule| {
            matches!(rule.matcher, Matcher::Command(_))
                && speaks_of(&rule.tool, line_tool(line.facts))
                && wanted(rule)
        };
        let mut rules = self.rules.iter().filter(patterned);
        let found = rules.find(|rule| rule.fits(aspect.target))?;
        Some(decided_by(found, &aspect, trail))
    }

    /// A path that a rule denies to the file tools is denied to a command that
    /// names it. A sentence with blanks, such as a commit message, names no file
    /// unless there is one.
    fn denied_path(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        let weight = |finding: &Finding| {
            let verdict = finding.verdict.as_ref();
            verdict.map_or(0, |verdict| strictness(verdict.class))
        };
        let mut strictest: Option<Finding> = None;
        for (target, fact) in line.script.observed() {
            let named = fact.filter(|fact| fact.exists || !fact.path.contains(char::is_whitespace));
            let Some(fact) = named else { continue };
            for finding in self.denials_of(target.deed, fact) {
                if weight(&finding) > strictest.as_ref().map_or(1, weight) {
                    strictest = Some(finding);
                }
            }
        }
        let found = strictest?;
        trail.0.extend(found.trail.0);
        found.verdict
    }

    /// What the file tools would be told, where a rule denies this path to them.
    fn denials_of(&self, deed: Deed, fact: &PathFact) -> Vec<Finding> {
        let fact = PathFact {
            access: access(deed),
            ..fact.clone()
        };
        let outside = (!fact.inside || fact.is_added()).then_some(EXTERNAL_DIRECTORY);
        outside
            .into_iter()
            .chain([tool_for(deed)])
            .filter(|tool| self.denies_by_path(tool, &fact))
            .map(|tool| self.finding_of_path(tool, &fact))
            .collect()
    }

    fn denies_by_path(&self, tool: &str, fact: &PathFact) -> bool {
        let own = self.authority.agent_rules.into_iter().flat_map(Rules::iter);
        self.rules.iter().chain(own).any(|rule| {
            rule.decision == Decision::Deny
                && matches!(rule.matcher, Matcher::Path(_))
                && rule.matches(tool, rule::Target::Path(fact))
        })
    }

    /// Files whose change runs code or leaks, git's own and Tenon's own (T21). For
    /// a file tool the last two are out of the question; a command may have a
    /// reason that a person sees.
    fn protected_write(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        const RULE: &str = "bash: changes of protected files = confirm";
        let what = |path: &str| {
            if is_git_internal(path) {
                return Some("part of git's own data");
            }
            if self.is_own(path) {
                return Some("one of Tenon's own files");
            }
            sensitive(path).map(|kind| kind.what())
        };
        let written = line
            .script
            .observed()
            .filter(|(target, _)| target.deed != Deed::Read);
        for (target, fact) in written {
            let observed = fact.map(|fact| fact.path.as_str());
            for path in observed.into_iter().chain([target.path.as_str()]) {
                if let Some(what) = what(path) {
                    let reason = format!(
                        "it would {} `{path}`, which is {what}, so each change to it needs your yes",
                        verb(target.deed)
                    );
                    let verdict = Verdict::new(Class::Confirm, reason);
                    return Some(trail.decided(RULE, EACH_TIME, verdict));
                }
            }
        }
        trail.missed(RULE, EACH_TIME);
        None
    }

    /// A write outside of the root at least asks, unless a rule for
    /// `external_directory` allows that place.
    fn outside_write(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        const RULE: &str = "bash: changes outside the project = ask";
        if self.is_held_by_sandbox(line.script) || self.is_granted(line) {
            trail.missed(RULE, "built-in");
            return None;
        }
        let reason = line.script.observed().find_map(|(target, fact)| {
            if target.deed == Deed::Read {
                return None;
            }
            let verb = verb(target.deed);
            let Some(fact) = fact.filter(|_| target.certain) else {
                return Some(format!(
                    "it would {verb} `{}`, and which file that is only shows when it runs",
                    target.path
                ));
            };
            if fact.inside || self.is_allowed_outside(fact) {
                return None;
            }
            Some(format!(
                "it would {verb} `{}`, outside the project",
                fact.path
            ))
        });
        match reason {
            Some(reason) => Some(trail.decided(RULE, "built-in", Verdict::new(Class::Ask, reason))),
            None => {
                trail.missed(RULE, "built-in");
                None
            }
        }
    }

    /// Whether a person has allowed this very line, with all that it reaches. A
    /// question that a managed file asks about a file is not answered by that.
    fn is_granted(&self, line: &Line<'_>) -> bool {
        let of_files = [EXTERNAL_DIRECTORY, tool::READ, tool::WRITE];
        let asks_for_manager = self.rules.iter().any(|rule| {
            rule.layer == Layer::Managed
                && rule.decision != Decision::Allow
                && of_files.iter().any(|name| rule.speaks_of(name))
        });
        let target = rule::Target::Line(line.script);
        let covers = |grant: &Grant| {
            matches!(grant.key, GrantKey::Line(_))
                && !grant.is_over(self.now)
                && grant.covers(line_tool(line.facts), target, line.facts)
        };
        !asks_for_manager && self.grants.iter().any(covers)
    }

    fn is_allowed_outside(&self, fact: &PathFact) -> bool {
        self.of_path(EXTERNAL_DIRECTORY, fact)
            .is_some_and(|verdict| verdict.class == Class::Allow)
    }

    /// A file with secrets asks, whatever the rules for the command say; only a
    /// rule for `read` that names the file lets it pass (H3).
    fn secret_named(&self, line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
        const RULE: &str = "bash: secret files (protect-env-files) = ask";
        if self.is_granted(line) {
            trail.missed(RULE, PROTECT_ENV_FILES);
            return None;
        }
        let observed = line.script.observed().filter_map(|(target, fact)| {
            let fact = fact.filter(|fact| is_secret(&fact.path))?;
            // What only shows names may show those of secrets.
            (target.deed == Deed::Read && !shows_names_only(line.script, target))
                .then(|| fact.clone())
        });
        let named = secret_words(line.script)
            .into_iter()
            .map(|word| named_fact(&word));
        let secret = observed.chain(named).find(|fact| {
            let may_read = !fact.path.contains(['*', '?', '['])
                && self
                    .of_path(tool::READ, fact)
                    .is_some_and(|found| found.class == Class::Allow);
            !may_read
        });
        match secret {
            Some(fact) => {
                let reason = format!("it names `{}`, which may hold secrets", fact.path);
                Some(trail.decided(RULE, PROTECT_ENV_FILES, Verdict::new(Class::Ask, reason)))
            }
            None => {
                trail.missed(RULE, PROTECT_ENV_FILES);
                None
            }
        }
    }
}

fn shows_names_only(script: &Script, target: &Target) -> bool {
    let command = script.exact().and_then(|all| all.get(target.part));
    command.is_some_and(|command| command.program() == "ls")
}

fn never_runs(line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
    by_danger(
        line,
        trail,
        Class::HardDeny,
        "bash: commands that never run (block-dangerous-bash) = deny",
        BLOCK_DANGEROUS,
    )
}

fn dangerous(line: &Line<'_>, trail: &mut Trail) -> Option<Verdict> {
    by_danger(
        line,
        trail,
        Class::Confirm,
        "bash: dangerous commands = confirm",
        EACH_TIME,
    )
}

fn by_danger(
    line: &Line<'_>,
    trail: &mut Trail,
    class: Class,
    rule: &str,
    origin: &str,
) -> Option<Verdict> {
    match dangers::named(&line.dangers, class) {
        Some(reason) => Some(trail.decided(rule, origin, Verdict::new(class, reason))),
        None => {
            trail.missed(rule, origin);
            None
        }
    }
}

pub(crate) fn tool_for(deed: Deed) -> &'static str {
    match deed {
        Deed::Read => "read",
        // Of the tools that change files the one that rules for all of them meet.
        Deed::Overwrite | Deed::Append | Deed::Delete | Deed::Move | Deed::Change => "write",
    }
}

fn access(deed: Deed) -> Access {
    match deed {
        Deed::Read => Access::Read,
        Deed::Overwrite | Deed::Append | Deed::Delete | Deed::Move | Deed::Change => Access::Write,
    }
}

fn verb(deed: Deed) -> &'static str {
    match deed {
        Deed::Read => "read",
        Deed::Overwrite => "overwrite",
        Deed::Append => "add to",
        Deed::Delete => "delete",
        Deed::Move => "move",
        Deed::Change => "change",
    }
}

/// A word of a command as the file that it names. Nobody has looked.
fn named_fact(word: &str) -> PathFact {
    let path = word.rsplit(['=', '@', ':']).next().unwrap_or(word);
    let path = path.strip_prefix("./").unwrap_or(path);
    PathFact {
        path: path.to_owned(),
        access: Access::Read,
        exists: true,
        inside: !path.starts_with('/'),
        symlink: false,
        place: Place::Ordinary,
    }
}
