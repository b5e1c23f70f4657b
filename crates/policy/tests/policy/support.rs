//! Short ways to say what a call is about.

use serde_json::Value;
use tenon_policy::{
    Access, Authority, Deed, Facts, Grants, Layer, PathFact, Place, ReadOnly, ReadingRoom, Rules,
    Subject, analyse, decide,
};
use tenon_vocab::{Class, Effect, Explanation, Timestamp};

pub fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// As the tool says it, in a workspace where each path exists and none is a link.
pub fn bash(command: &str) -> Facts {
    let script = analyse(command);
    let seen = script
        .targets
        .iter()
        .map(|target| match target.deed {
            Deed::Read => inside(&target.path, Access::Read),
            _ => inside(&target.path, Access::Write),
        })
        .collect();
    Facts {
        tool: "bash".into(),
        effect: Effect::Execute,
        subject: Subject::Command(script.with_facts(seen)),
        input: serde_json::json!({"command": command}).to_string(),
    }
}

pub fn inside(path: &str, access: Access) -> PathFact {
    PathFact {
        path: path.into(),
        access,
        exists: true,
        inside: !path.starts_with('/'),
        symlink: false,
        place: Place::Ordinary,
    }
}

pub fn files(tool: &str, access: Access, paths: &[&str]) -> Facts {
    Facts {
        tool: tool.into(),
        effect: match access {
            Access::Read => Effect::Read,
            Access::Write => Effect::Write,
        },
        subject: Subject::Paths(paths.iter().map(|path| inside(path, access)).collect()),
        input: serde_json::json!({"paths": paths}).to_string(),
    }
}

pub fn read(path: &str) -> Facts {
    files("read", Access::Read, &[path])
}

pub fn write(path: &str) -> Facts {
    files("write", Access::Write, &[path])
}

pub fn plain(tool: &str, effect: Effect) -> Facts {
    Facts {
        tool: tool.into(),
        effect,
        subject: Subject::Nothing,
        input: "{}".into(),
    }
}

pub fn user_rules(json: &str) -> Rules {
    rules_of(json, Layer::User)
}

pub fn rules_of(json: &str, layer: Layer) -> Rules {
    let mut rules = Rules::built_in();
    let value: Value = serde_json::from_str(json).unwrap();
    rules.add_config(&value, layer, "test:1").unwrap();
    rules
}

pub fn main_agent() -> Authority<'static> {
    Authority {
        agent: "build",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    }
}

pub fn verdict(facts: &Facts, rules: &Rules) -> Explanation {
    decide(facts, rules, &Grants::new(), &main_agent(), now())
}

pub fn class(facts: &Facts, rules: &Rules) -> Class {
    verdict(facts, rules).class
}

pub fn default_class(facts: &Facts) -> Class {
    class(facts, &Rules::built_in())
}
