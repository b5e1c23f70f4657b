//! `tenon policy explain`: the decision about a call that nobody has made, by
//! the facts, rules and grants that would decide it now (G6). Runs nothing.

use crate::args::Format;
use crate::assemble;
use crate::commands::tools::{self, word};
use crate::commands::{pages, policy::Standing};
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::runner::session_jobs;
use crate::sandbox::{Walls, shortfall};
use crate::screen::complain;
use crate::settings::forbidden;
use crate::{CommandResult, grants, runner, skills};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tenon_config::Resolved;
use tenon_engine::{Ambient, RealAmbient, SandboxState};
use tenon_policy::{
    Access, Authority, Commands, Danger, Deed, Enforced, Facts, Grants, Mode, PathFact,
    Place as Spot, ReadingRoom, Script, Subject, canonical_tool, decide,
};
use tenon_tools::{Toolbox, input};
use tenon_vocab::names::tool;
use tenon_vocab::profile::AgentProfile;
use tenon_vocab::{Class, Effect, Explanation, PLAN_AGENT, PermissionMode, Printable, RuleTried};

pub fn run(
    standing: &Standing,
    tool: &str,
    argument: &str,
    who: Who<'_>,
    format: Format,
) -> CommandResult {
    let facts = facts(standing, tool, argument)?;
    let explanation = explain(standing, &facts, who)?;
    match format {
        Format::Json => pages::print_json(&json!({
            "tool": facts.tool,
            "argument": argument,
            "decision": explanation.decision(),
            "class": explanation.class,
            "reason": explanation.reason,
            "responders": explanation.responders,
            "parts": script(&facts).map(parts),
            "dangers": dangers(&facts).iter().map(danger_json).collect::<Vec<_>>(),
            "targets": targets(&facts).iter().map(Touched::json).collect::<Vec<_>>(),
            "reads_only": explanation.reads_only,
            "sandbox": explanation.sandbox,
            "tried": explanation.tried,
        })),
        Format::Text => pages::print(&page(&facts, argument, &explanation)),
    }
}

/// On whose behalf a call would be made; the configured ones where nothing is
/// said.
#[derive(Debug, Clone, Copy)]
pub struct Who<'a> {
    pub agent: Option<&'a str>,
    pub mode: Option<PermissionMode>,
}

fn explain(standing: &Standing, facts: &Facts, who: Who<'_>) -> Result<Explanation, CliError> {
    let Standing {
        place, resolved, ..
    } = standing;
    let (grants, trouble) = if resolved.grants.keeps() {
        grants::load(place, resolved.grants.ttl)
    } else {
        (Grants::new(), None)
    };
    if let Some(trouble) = trouble {
        complain(Printable::line(&trouble).as_str());
    }
    let named = who.agent.unwrap_or(match who.mode {
        Some(PermissionMode::Plan) => PLAN_AGENT,
        _ => &resolved.agent,
    });
    let agent = assemble::agent(named)?;
    if !agent.tools.is_empty() && !agent.tools.contains(&facts.tool) {
        return Ok(unseen(&agent, &facts.tool));
    }
    let room = match &facts.subject {
        Subject::Command(_) => {
            runner::reading_room(place, resolved, &agent, (facts, &standing.added))?
        }
        _ => ReadingRoom::Absent,
    };
    let mode = who.mode.unwrap_or(resolved.permission_mode);
    let mode = mode.with_agent(&agent.name);
    if let Some(file) = resolved.locks.forbids(mode) {
        return Err(forbidden(&format!("the permission mode {mode}"), file));
    }
    let state = match mode {
        PermissionMode::Auto => Some(sandbox_state(place, resolved)?),
        _ => None,
    };
    let authority = Authority::of(&agent).with_reading_room(room).in_mode(Mode {
        permission: mode,
        sandbox: match &state {
            None | Some(SandboxState::Unknown) => Enforced::Unknown,
            Some(SandboxState::Enforced) => Enforced::Yes,
            Some(SandboxState::Lacking(why)) => Enforced::No(why),
        },
    });
    let now = RealAmbient.now();
    Ok(decide(facts, &resolved.rules, &grants, &authority, now))
}

/// Where the kernel leaves it in doubt, a command that does nothing is tried.
fn sandbox_state(place: &Place, resolved: &Resolved) -> Result<SandboxState, CliError> {
    let scratch = tempfile::tempdir()?;
    let walls = Walls::find(place, &resolved.sandbox, None);
    if walls.policy.is_none() {
        let why = "no sandbox is set up here (`sandbox.mode`)";
        return Ok(SandboxState::Lacking(why.to_owned()));
    }
    let jobs = session_jobs(scratch.path(), resolved).with_sandbox(walls.policy);
    let looking = shortfall(&jobs, &place.root);
    let found = assemble::runtime()?.block_on(looking);
    Ok(assemble::sandbox_state(found.as_ref()))
}

/// An agent is not offered what its list of tools leaves out, and no rule gives
/// it to it.
fn unseen(agent: &AgentProfile, tool: &str) -> Explanation {
    let reason = format!("the agent `{}` does not have `{tool}`", agent.name);
    let mut explanation = Explanation::new(Class::HardDeny, reason);
    explanation.tried.push(RuleTried {
        rule: format!("tools of the agent {}", agent.name),
        origin: agent.source.clone(),
        matched: true,
    });
    explanation
}

/// From the tool itself, over the real workspace; a tool that this version has
/// no code for yet is judged by its name alone.
fn facts(standing: &Standing, tool: &str, argument: &str) -> Result<Facts, CliError> {
    let Standing {
        place,
        resolved,
        custom,
        ..
    } = standing;
    let mut toolbox = tools::all();
    // What is wrong with a tool of the user is told where tools are listed.
    drop(custom.add_to(&mut toolbox));
    let name = match toolbox.get(tool) {
        Some(_) => tool.to_owned(),
        None => match input::canonical_name(tool) {
            Some(name) => name.to_owned(),
            None => canonical_tool(tool),
        },
    };
    if let Some(tool) = toolbox.get(&name) {
        let scratch = tempfile::tempdir()?;
        let agent = assemble::agent(&resolved.agent)?;
        let skills = skills::find(place, resolved, &agent).usable;
        let workspace = assemble::workspace(place, resolved, scratch.path(), &skills)?;
        for folder in &standing.added {
            workspace
                .add_root(&folder.path)
                .map_err(|error| CliError::usage(error.to_string()))?;
        }
        return Ok(tool.facts(&plain_input(&name, argument)?, &workspace));
    }
    if tenon_vocab::names::canonical_names().all(|known| known != name) {
        return Err(unknown(&toolbox, tool));
    }
    Ok(Facts {
        tool: name,
        effect: Effect::Interact,
        subject: Subject::Name(argument.to_owned()),
        input: json!({ "name": argument }).to_string(),
    })
}

fn unknown(toolbox: &Toolbox, tool: &str) -> CliError {
    let specs = toolbox.specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let near = input::suggest_name(tool, &names)
        .map(|near| format!(" Did you mean `{near}`?"))
        .unwrap_or_default();
    CliError::usage(format!("there is no tool `{tool}`.{near}"))
        .with_hint(format!("The tools are: {}.", names.join(", ")))
}

/// The smallest input that is about the argument.
fn plain_input(tool: &str, argument: &str) -> Result<Value, CliError> {
    Ok(match tool {
        tool::BASH => json!({ "command": argument }),
        tool::PATCH if argument.contains('\n') => {
            return Err(CliError::usage(
                "for `patch`, pass the path of a file, not a patch",
            ));
        }
        tool::PATCH => json!({
            "patch": format!("*** Begin Patch\n*** Delete File: {argument}\n*** End Patch\n")
        }),
        tool::SKILL => json!({ "name": argument }),
        tool::PROCESS => json!({ "action": argument }),
        tool::ASK_USER => json!({ "question": argument }),
        _ => json!({ "path": argument, "pattern": "*" }),
    })
}

fn script(facts: &Facts) -> Option<&Script> {
    match &facts.subject {
        Subject::Command(script) => Some(script),
        Subject::Nothing | Subject::Paths(_) | Subject::Name(_) => None,
    }
}

fn parts(script: &Script) -> Value {
    match &script.commands {
        Commands::Exact(all) => {
            let lines: Vec<String> = all.iter().map(|one| one.argv().join(" ")).collect();
            json!({ "certain": true, "commands": lines })
        }
        Commands::Unknown(why) => json!({ "certain": false, "why": why }),
    }
}

fn dangers(facts: &Facts) -> Vec<Danger> {
    script(facts).map(Script::verdicts).unwrap_or_default()
}

fn danger_json(danger: &Danger) -> Value {
    json!({ "class": danger.class, "what": danger.what, "piece": danger.piece })
}

/// One file that the call would touch.
struct Touched<'a> {
    path: &'a str,
    deed: &'static str,
    certain: bool,
    fact: Option<&'a PathFact>,
    /// Which command of the line it belongs to.
    part: usize,
}

/// Programs whose arguments are files that they read.
const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "tac",
    "nl",
    "wc",
    "ls",
    "stat",
    "file",
    "du",
    "diff",
    "cmp",
    "sort",
    "uniq",
    "cut",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "sha256sum",
    "md5sum",
    "grep",
    "rg",
    "jq",
    "source",
    ".",
    "find",
    "tree",
    "readlink",
    "realpath",
];

impl Touched<'_> {
    fn json(&self) -> Value {
        json!({
            "path": self.path,
            "deed": self.deed,
            "certain": self.certain,
            "leads_to": self.fact.map(|fact| &fact.path),
            "exists": self.fact.map(|fact| fact.exists),
            "inside": self.fact.map(|fact| fact.inside),
            "symlink": self.fact.map(|fact| fact.symlink),
            "place": self.fact.map(|fact| spot(fact.place)),
        })
    }

    /// A word of a program that may have nothing to do with files, such as the
    /// `status` of `git status`: the policy reckons with it, a reader is misled.
    fn is_guess(&self, script: Option<&Script>) -> bool {
        let Some(script) = script else {
            return false;
        };
        let missing = self.fact.is_some_and(|fact| !fact.exists && fact.inside);
        let reader = script
            .exact()
            .and_then(|all| all.get(self.part)?.argv().first().map(ToString::to_string))
            .is_none_or(|program| READERS.contains(&program.as_str()));
        self.deed == deed(Deed::Read) && missing && !reader
    }

    /// What is known of it, in words.
    fn words(&self) -> String {
        let Some(fact) = self.fact else {
            return String::from("not checked");
        };
        let mut words = vec![
            if fact.exists {
                "exists"
            } else {
                "does not exist"
            },
            if fact.is_added() {
                "outside the project"
            } else if fact.inside {
                "in the project"
            } else {
                "outside the project"
            },
        ];
        if fact.symlink {
            words.push("through a link");
        }
        if fact.place != Spot::Ordinary {
            words.push(spot(fact.place));
        }
        if !self.certain {
            words.push("uncertain: the shell decides which file it is");
        }
        words.join(", ")
    }
}

fn targets(facts: &Facts) -> Vec<Touched<'_>> {
    match &facts.subject {
        Subject::Command(script) => script
            .observed()
            .map(|(target, fact)| Touched {
                path: &target.path,
                deed: deed(target.deed),
                certain: target.certain,
                fact,
                part: target.part,
            })
            .collect(),
        Subject::Paths(paths) => paths
            .iter()
            .map(|fact| Touched {
                path: &fact.path,
                deed: match fact.access {
                    Access::Read => "read",
                    Access::Write => "write",
                },
                certain: true,
                fact: Some(fact),
                part: 0,
            })
            .collect(),
        Subject::Nothing | Subject::Name(_) => Vec::new(),
    }
}

fn deed(deed: Deed) -> &'static str {
    match deed {
        Deed::Read => "read",
        Deed::Overwrite => "overwrite",
        Deed::Append => "append",
        Deed::Delete => "delete",
        Deed::Move => "move",
        Deed::Change => "change",
    }
}

fn spot(place: Spot) -> &'static str {
    match place {
        Spot::Ordinary => "ordinary",
        Spot::FileSystemRoot => "root of the file system",
        Spot::Home => "home",
        Spot::Root => "root of the project",
        Spot::AboveRoot => "above the project",
        Spot::Device => "device",
        Spot::Added => "in a folder that you added",
        Spot::AddedRoot => "a folder that you added",
    }
}

fn page(facts: &Facts, argument: &str, explanation: &Explanation) -> String {
    let mut page = format!("{}  {}\n\n", facts.tool, Printable::line(argument));
    page.push_str(&found(facts));
    let mut table = Table::new(&["", "rule", "from"]);
    let decided = explanation.tried.iter().rposition(|tried| tried.matched);
    for (at, tried) in explanation.tried.iter().enumerate() {
        let heading = tried.origin.is_empty() && !tried.matched;
        let mark = match (tried.matched, heading) {
            (true, _) if Some(at) == decided => "decided",
            (true, _) => "matched",
            (false, true) => "",
            (false, false) => "-",
        };
        table.row([mark.to_owned(), tried.rule.clone(), tried.origin.clone()]);
    }
    let (decision, class) = (word(&explanation.decision()), word(&explanation.class));
    let verdict = if decision == class {
        class
    } else {
        format!("{decision} ({class})")
    };
    // Writing to a String cannot fail.
    let _ = write!(
        page,
        "{table}\n{verdict}: {}\n{}\n",
        Printable::line(&explanation.reason),
        meaning(explanation)
    );
    page
}

/// What was found in the argument, where there is something to tell.
fn found(facts: &Facts) -> String {
    let mut table = Table::new(&["found", "", ""]);
    if let Some(script) = script(facts) {
        match &script.commands {
            Commands::Exact(all) => {
                for one in all {
                    table.row([String::from("command"), one.argv().join(" "), String::new()]);
                }
            }
            Commands::Unknown(why) => {
                table.row([String::from("uncertain"), why.clone(), String::new()]);
            }
        }
    }
    for danger in dangers(facts) {
        let class = word(&danger.class);
        table.row([
            String::from("danger"),
            danger.piece,
            format!("{class}: {}", danger.what),
        ]);
    }
    for target in targets(facts)
        .into_iter()
        .filter(|target| !target.is_guess(script(facts)))
    {
        let words = target.words();
        table.row([target.deed.to_owned(), target.path.to_owned(), words]);
    }
    format!("{table}\n")
}

fn meaning(explanation: &Explanation) -> &'static str {
    match explanation.class {
        Class::HardDeny => "It is refused, and nothing can change that.",
        Class::Deny => "It is refused. No flag changes that; the rule that matched does.",
        Class::Confirm if !explanation.responders.is_any() => {
            "Only you can allow it, each time; no flag or hook can. If there is no one to ask, it is refused."
        }
        Class::Confirm => {
            "You are asked each time, even with --yes. If there is no one to ask, it is refused."
        }
        Class::Ask => {
            "You are asked; --yes answers for you. If there is no one to ask, it is refused."
        }
        Class::Allow if explanation.reads_only => {
            "It runs without a question, in a sandbox where nothing can be written and there is no network."
        }
        Class::Allow => "It runs without a question.",
    }
}
