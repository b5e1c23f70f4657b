//! `/permissions`: what somebody allowed on top, and then in words what the rules
//! leave free, ask about and deny. To look at only: what decides is the gate.

use super::table;
use crate::core::Core;
use crate::parts::Approval;
use tenon_policy::{
    EXTERNAL_DIRECTORY, Facts, Grant, Grants, Layer, Matcher, Rule, Scope, Subject, decide,
};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Effect, Reply, Timestamp, ToolSpec};

/// In the order in which they are listed.
const CLASSES: [Class; 5] = [
    Class::Allow,
    Class::Ask,
    Class::Confirm,
    Class::Deny,
    Class::HardDeny,
];

pub(super) fn list(core: &Core) -> Reply {
    let now = core.ambient.now();
    let granted = core.grants();
    let mut rows: Vec<Vec<String>> = granted
        .iter()
        .filter(|grant| !grant.is_over(now))
        .map(|grant| row("granted", given(grant)))
        .collect();
    drop(granted);
    let added = core.added_folders().into_iter();
    rows.extend(
        added.map(|folder| row("added", format!("{folder} (as the project; this session)"))),
    );
    for class in CLASSES {
        let said = whole(core, class)
            .into_iter()
            .chain(exceptions(core, class));
        rows.extend(said.map(|what| decided(class, what)));
    }
    let flag = match core.approval {
        Approval::Yes(_) => "--yes answers what is asked about. ",
        Approval::Yolo(_) => "--yolo answers what is asked about. ",
        Approval::Ask | Approval::Nobody => "",
    };
    let mode = core.permission_mode();
    let note = format!(
        "The mode is {mode}: Tenon {}. {flag}`tenon policy list` shows the rules as they are written, `tenon policy explain` what they make of one call.",
        mode.what()
    );
    // What may be long stands last, where a front end can wrap it.
    table(&["", "what"], rows, Some(note))
}

fn row(heading: &str, what: String) -> Vec<String> {
    vec![heading.to_owned(), what]
}

fn decided(class: Class, what: String) -> Vec<String> {
    match class {
        Class::Allow => row("free", what),
        Class::Ask => row("asked", what),
        Class::Confirm => row("asked", format!("each time: {what}")),
        Class::Deny | Class::HardDeny => row("denied", what),
    }
}

/// What was allowed, for how long, and what ends it.
fn given(grant: &Grant) -> String {
    let until = |end: Timestamp| end.strftime("until %Y-%m-%d %H:%MZ").to_string();
    let what = grant.to_string();
    let what = what.strip_suffix(" = allow").unwrap_or(&what);
    let what = what.strip_suffix(": allow").unwrap_or(what);
    match grant.scope {
        Scope::Session => format!("{what} (this session; leaving it or /new ends it)"),
        Scope::Project => format!(
            "{what} ({}; `tenon policy remove` ends it)",
            grant.expires.map(until).unwrap_or_default()
        ),
    }
}

/// The tools of which a plain call is decided so.
fn whole(core: &Core, class: Class) -> Option<String> {
    let names: Vec<String> = core
        .agent()
        .toolbox
        .specs()
        .iter()
        .filter_map(|spec| named(core, spec, class))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// `process` is three tools in one; every other is named as it is.
fn named(core: &Core, spec: &ToolSpec, class: Class) -> Option<String> {
    let acts = plain(core, &spec.name, spec.effect, Subject::Nothing);
    if spec.name != tool::PROCESS {
        return (acts == class).then(|| spec.name.clone());
    }
    let name = Subject::Name(String::from("list"));
    let looks = plain(core, &spec.name, Effect::Read, name);
    // What is typed into one is never answered for by a rule.
    let types = match acts {
        Class::Deny | Class::HardDeny => acts,
        Class::Allow | Class::Ask | Class::Confirm => Class::Confirm,
    };
    let parts: Vec<&str> = [
        (looks, "list, read, wait"),
        (acts, "kill"),
        (types, "write"),
    ]
    .into_iter()
    .filter_map(|(is, part)| (is == class).then_some(part))
    .collect();
    match parts.len() {
        0 => None,
        3 => Some(spec.name.clone()),
        _ => Some(format!("{} ({})", spec.name, parts.join(", "))),
    }
}

fn plain(core: &Core, name: &str, effect: Effect, subject: Subject) -> Class {
    let facts = Facts {
        tool: name.to_owned(),
        effect,
        subject,
        input: String::from("{}"),
    };
    let agent = core.agent();
    let authority = core.authority(&agent.profile);
    decide(
        &facts,
        &core.rules,
        &Grants::new(),
        &authority,
        core.ambient.now(),
    )
    .class
}

/// What rules say of a part of what a tool does. Tools of which the same is said
/// stand together.
fn exceptions(core: &Core, class: Class) -> Vec<String> {
    let mut said: Vec<(Vec<&str>, String)> = Vec::new();
    let rules = core.rules.iter().filter(|rule| rule.class() == class);
    for rule in rules.filter(|rule| concerns(core, rule)) {
        let Some(about) = about(rule) else { continue };
        match said.iter_mut().find(|(_, held)| *held == about) {
            Some((tools, _)) => tools.push(&rule.tool),
            None => said.push((vec![&rule.tool], about)),
        }
    }
    said.into_iter()
        .map(|(tools, about)| match tools.as_slice() {
            [EXTERNAL_DIRECTORY] => about,
            tools => format!("{}: {about}", tools.join(", ")),
        })
        .collect()
}

/// Whether the agent in use has a tool that the rule speaks of, and may do more
/// with it than look: what it may not do at all has no exceptions.
fn concerns(core: &Core, rule: &Rule) -> bool {
    let agent = core.agent();
    let reads_only = agent.profile.read_only;
    rule.tool == EXTERNAL_DIRECTORY
        || agent.toolbox.specs().iter().any(|spec| {
            let open = !(reads_only && matches!(spec.effect, Effect::Write | Effect::Execute));
            open && rule.speaks_of(&spec.name)
        })
}

/// `None` for a rule that speaks of a whole tool.
fn about(rule: &Rule) -> Option<String> {
    let outside = rule.tool == EXTERNAL_DIRECTORY;
    let about = match &rule.matcher {
        Matcher::Any if outside => String::from("files outside the project"),
        Matcher::Any => return None,
        _ => {
            let text = rule.to_string();
            let text = text
                .strip_prefix(&format!("{}: ", rule.tool))
                .unwrap_or(&text);
            let about = text.rsplit_once(" = ").map_or(text, |(about, _)| about);
            match outside {
                true => format!("files outside the project: {about}"),
                false => about.to_owned(),
            }
        }
    };
    Some(match rule.layer {
        Layer::BuiltIn => about,
        _ => format!("{about} ({})", rule.origin),
    })
}
