//! `tenon doctor`: looks at everything that a session stands on, and says of
//! each thing whether it is fine and what to do where it is not. It changes
//! nothing, and it asks the network only when told to.

mod machine;
mod network;
mod settings;
mod walls;

use super::pages;
use crate::CommandResult;
use crate::args::{DoctorArgs, Shared};
use crate::assemble;
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use serde_json::{Value, json};
use std::process::ExitCode;
use tenon_config::Resolved;
use tenon_policy::Masker;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Problem,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Problem => "problem",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug)]
struct Finding {
    section: &'static str,
    state: State,
    what: String,
    /// What to do; every finding that is not fine has it.
    advice: String,
    /// What the sentence ends with; people see only the first of many.
    list: Vec<String>,
}

/// How much of a long list a page for people shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Short,
    Whole,
}

impl Finding {
    /// Without secrets: it may hold what a server said, and is shown to others.
    fn new(section: &'static str, state: State, what: String, advice: String) -> Self {
        let masker = Masker::standard();
        let masked = |text: &str| masker.mask(text).into_owned();
        Self {
            section,
            state,
            what: masked(&what),
            advice: masked(&advice),
            list: Vec::new(),
        }
    }

    fn ok(section: &'static str, what: impl Into<String>) -> Self {
        Self::new(section, State::Ok, what.into(), String::new())
    }

    fn warn(section: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(section, State::Warn, what.into(), advice.into())
    }

    fn problem(section: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(section, State::Problem, what.into(), advice.into())
    }

    /// The same, with these at the end of its sentence.
    fn listing(mut self, list: Vec<String>) -> Self {
        self.list = list;
        self
    }

    /// The sentence with its list.
    fn told(&self, lists: Lists) -> String {
        const SHORT: usize = 6;
        let all = self.list.len();
        if all == 0 {
            return self.what.clone();
        }
        if lists == Lists::Whole || all <= SHORT {
            return format!("{}: {}", self.what, self.list.join(", "));
        }
        format!("{}: {all} (--verbose lists them)", self.what)
    }
}

pub fn run(shared: &Shared, args: &DoctorArgs) -> CommandResult {
    let place = Place::find(shared)?;
    let examined = assemble::runtime()?.block_on(examine(&place, args));
    let findings = &examined.findings;
    let worst = findings.iter().any(|found| found.state == State::Problem);
    if args.json {
        let mut page = as_json(findings);
        if let Some(network) = examined.network {
            page["network"] = network;
        }
        pages::print_json(&page)?;
    } else {
        let lists = if args.verbose {
            Lists::Whole
        } else {
            Lists::Short
        };
        print(findings, lists)?;
    }
    Ok(ExitCode::from(u8::from(worst)))
}

#[derive(Debug)]
struct Examined {
    findings: Vec<Finding>,
    /// What the server can do, for programs.
    network: Option<Value>,
}

async fn examine(place: &Place, args: &DoctorArgs) -> Examined {
    let mut findings = machine::program();
    findings.extend(walls::kernel());
    let loaded = settings::load(place, args);
    let settings = loaded.as_ref().ok().map(|(_, resolved)| resolved);
    findings.extend(walls::sandbox(place, settings).await);
    findings.extend(settings::configuration(place, &loaded));
    findings.extend(settings::provider(place, settings));
    let network = match settings {
        Some(settings) => server(place, settings, args, &mut findings).await,
        None => None,
    };
    findings.extend(machine::terminal(place));
    findings.extend(machine::programs(place));
    findings.extend(machine::folders(place));
    Examined { findings, network }
}

/// The configured server is asked only when that was wanted.
async fn server(
    place: &Place,
    settings: &Resolved,
    args: &DoctorArgs,
    findings: &mut Vec<Finding>,
) -> Option<Value> {
    let chosen = settings.provider.as_ref()?;
    if !args.network {
        findings.extend(settings::window(place, settings, chosen));
        findings.push(Finding::ok(
            settings::PROVIDER,
            "the server was not contacted; --network does that",
        ));
        return None;
    }
    let images = if args.images {
        network::Images::Send
    } else {
        network::Images::DoNotSend
    };
    let progress = if args.json {
        network::Progress::Silent
    } else {
        network::Progress::Told
    };
    let mut report = network::examine(place, settings, chosen, images, progress).await;
    findings.append(&mut report.findings);
    Some(network::facts(&report, chosen))
}

fn as_json(findings: &[Finding]) -> Value {
    let count = |state| findings.iter().filter(|found| found.state == state).count();
    json!({
        "findings": findings
            .iter()
            .map(|found| json!({
                "section": found.section,
                "state": found.state.name(),
                "what": found.told(Lists::Whole),
                "advice": found.advice,
            }))
            .collect::<Vec<_>>(),
        "problems": count(State::Problem),
        "warnings": count(State::Warn),
    })
}

fn print(findings: &[Finding], lists: Lists) -> Result<(), CliError> {
    let mut table = Table::new(&["section", "", "finding"]);
    let mut last = "";
    for found in findings {
        let section = if found.section == last {
            ""
        } else {
            found.section
        };
        last = found.section;
        let mut what = found.told(lists);
        if !found.advice.is_empty() {
            what.push_str(" → ");
            what.push_str(&found.advice);
        }
        // A cell is one line; an error may have several.
        let mut lines = what.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        table.row([section.to_owned(), found.state.name().to_owned(), first]);
        for line in lines {
            table.row([String::new(), String::new(), line.to_owned()]);
        }
    }
    let mut page = pages::fitting(&table);
    let count = |state| findings.iter().filter(|found| found.state == state).count();
    page.push_str(&match (count(State::Problem), count(State::Warn)) {
        (0, 0) => String::from("\nEverything is fine.\n"),
        (problems, warnings) => format!(
            "\n{}, {}.\n",
            pages::counted(problems, "problem"),
            pages::counted(warnings, "warning")
        ),
    });
    pages::print(&page)?;
    Ok(())
}
