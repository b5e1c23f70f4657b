//! `tenon policy explain`: the decision about a call that nobody has made, by
//! the facts, rules and grants that would decide it now (G6). Runs nothing.

use super::pages;
use super::tools::{self, word};
use crate::args::{Format, PolicyCommand, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use crate::{CommandResult, grants};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tenon_config::Resolved;
use tenon_engine::{Ambient, RealAmbient};
use tenon_policy::{Authority, Facts, Subject, canonical_tool, decide};
use tenon_tools::{Toolbox, input};
use tenon_vocab::{Class, Effect, Explanation, Printable};

pub fn run(shared: &Shared, command: PolicyCommand) -> CommandResult {
    let PolicyCommand::Explain {
        tool,
        argument,
        format,
    } = command;
    let place = Place::find(shared)?;
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let (_, resolved) = assemble::settings(&place, &options)?;
    let facts = facts(&place, &resolved, &tool, &argument)?;
    let explanation = explain(&place, &resolved, &facts)?;
    match format {
        Format::Json => pages::print_json(&json!({
            "tool": facts.tool,
            "argument": argument,
            "decision": explanation.decision(),
            "class": explanation.class,
            "reason": explanation.reason,
            "tried": explanation.tried,
        })),
        Format::Text => pages::print(&page(&facts.tool, &argument, &explanation)),
    }
}

fn explain(place: &Place, resolved: &Resolved, facts: &Facts) -> Result<Explanation, CliError> {
    let (grants, trouble) = grants::load(place);
    if let Some(trouble) = trouble {
        complain(Printable::line(&trouble).as_str());
    }
    let agent = assemble::agent(&resolved.agent)?;
    let authority = Authority::of(&agent);
    let now = RealAmbient.now();
    Ok(decide(facts, &resolved.rules, &grants, &authority, now))
}

/// From the tool itself, over the real workspace; a tool that this version has
/// no code for yet is judged by its name alone.
fn facts(
    place: &Place,
    resolved: &Resolved,
    tool: &str,
    argument: &str,
) -> Result<Facts, CliError> {
    let toolbox = tools::all();
    let name = match toolbox.get(tool) {
        Some(_) => tool.to_owned(),
        None => match input::canonical_name(tool) {
            Some(name) => name.to_owned(),
            None => canonical_tool(tool),
        },
    };
    if let Some(tool) = toolbox.get(&name) {
        let scratch = tempfile::tempdir()?;
        let workspace = assemble::workspace(place, resolved, scratch.path())?;
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
        "bash" => json!({ "command": argument }),
        "patch" if argument.contains('\n') => {
            return Err(CliError::usage(
                "for `patch` give the path of a file, not a patch",
            ));
        }
        "patch" => json!({
            "patch": format!("*** Begin Patch\n*** Delete File: {argument}\n*** End Patch\n")
        }),
        "process" => json!({ "action": argument }),
        "ask_user" => json!({ "question": argument }),
        _ => json!({ "path": argument, "pattern": "*" }),
    })
}

fn page(tool: &str, argument: &str, explanation: &Explanation) -> String {
    let mut page = format!("{tool}  {}\n\n", Printable::line(argument));
    let mut table = Table::new(&["", "rule", "from"]);
    for tried in &explanation.tried {
        let mark = if tried.matched { "matched" } else { "-" };
        table.row([mark.to_owned(), tried.rule.clone(), tried.origin.clone()]);
    }
    // Writing to a String cannot fail.
    let _ = write!(
        page,
        "{table}\n{} ({}): {}\n{}\n",
        word(&explanation.decision()),
        word(&explanation.class),
        Printable::line(&explanation.reason),
        meaning(explanation.class)
    );
    page
}

fn meaning(class: Class) -> &'static str {
    match class {
        Class::HardDeny => "It is refused, and nothing can change that.",
        Class::Deny => "It is refused. No flag changes that; the rule that matched does.",
        Class::Confirm => {
            "You are asked each time, also with --yes. With nobody to ask it is refused."
        }
        Class::Ask => "You are asked; --yes answers for you. With nobody to ask it is refused.",
        Class::Allow => "It runs without a question.",
    }
}
