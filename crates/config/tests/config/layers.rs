use crate::support::World;
use serde_json::json;
use tenon_config::Origin;
use tenon_policy::{
    Authority, Facts, Grants, ReadOnly, ReadingRoom, Rules, Subject, analyse, decide,
};
use tenon_vocab::{Class, Decision, Effect, Timestamp};

fn origin_of(world: &World, key: &str) -> String {
    let loaded = world.loaded();
    let (_, origin) = loaded.get(key).unwrap();
    world.short(std::path::Path::new(&origin.to_string()))
}

pub fn bash(rules: &Rules, command: &str) -> Class {
    let facts = Facts {
        tool: "bash".into(),
        effect: Effect::Execute,
        subject: Subject::Command(analyse(command)),
        input: "{}".into(),
    };
    let authority = Authority {
        agent: "build",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    };
    decide(
        &facts,
        rules,
        &Grants::new(),
        &authority,
        Timestamp::UNIX_EPOCH,
    )
    .class
}

#[test]
fn each_layer_is_above_the_one_before_and_each_value_knows_its_origin() {
    let key = "limits.max_turns";
    let world = World::new();
    assert_eq!(
        world.loaded().get(key).unwrap(),
        (&json!(1000), &Origin::BuiltIn)
    );
    let world = world.user("{\n\"limits\": {\"max_turns\": 900}}");
    assert_eq!(origin_of(&world, key), "W/home/tenon.jsonc:2");
    let world = world.project(r#"{"limits": {"max_turns": 800}}"#);
    assert_eq!(origin_of(&world, key), "W/root/.tenon/tenon.jsonc:1");
    let world = world.extra(r#"{"limits": {"max_turns": 950}}"#);
    assert_eq!(origin_of(&world, key), "W/extra.json:1");
    let world = world.env("TENON_LIMITS_MAX_TURNS", "960");
    assert_eq!(origin_of(&world, key), "variable TENON_LIMITS_MAX_TURNS");
    let world = world.flag(key, 970);
    assert_eq!(origin_of(&world, key), "flag for limits.max_turns");
    assert_eq!(world.resolved().limits.max_turns, 970);
}

#[test]
fn maps_merge_by_key_and_lists_replace() {
    let world = World::new()
        .user(r#"{"instructions": ["a", "b"], "providers": {"p": {"base_url": "http://a", "headers": {"X-A": "1", "X-B": "2"}}}}"#)
        .extra(r#"{"instructions": ["c"], "providers": {"p": {"headers": {"X-B": "3"}}}}"#);
    let resolved = world.resolved();
    assert_eq!(resolved.instructions, ["c"]);
    let provider = resolved.provider.unwrap();
    assert_eq!(provider.base_url, "http://a");
    assert_eq!(
        provider.headers,
        [
            ("X-A".to_owned(), "1".to_owned()),
            ("X-B".to_owned(), "3".to_owned())
        ]
    );
}

#[test]
fn the_flag_for_a_file_stands_in_for_the_variable() {
    let world = World::new()
        .file("env.json", r#"{"model": "from-env"}"#)
        .extra(r#"{"model": "from-flag"}"#);
    let env = world.path("env.json").to_string_lossy().into_owned();
    let world = world.env("TENON_CONFIG", &env);
    assert_eq!(world.loaded().get("model").unwrap().0, "from-flag");
}

#[test]
fn rules_of_a_higher_layer_replace_the_same_rule_but_not_an_explicit_deny() {
    let world = World::new()
        .user(r#"{"permission": {"bash": {"make *": "ask", "git push": "deny", "*": "deny"}}}"#)
        .extra(
            r#"{"permission": {"bash": {"make *": "allow", "git push": "allow", "*": "allow"}}}"#,
        );
    let rules = world.resolved().rules;
    assert_eq!(bash(&rules, "make"), Class::Allow);
    assert_eq!(bash(&rules, "git push"), Class::Deny);
    assert_eq!(bash(&rules, "other"), Class::Allow);
}

#[test]
fn a_rule_can_come_from_a_flag() {
    let world = World::new()
        .flag("permission.bash.make *", "allow")
        .flag("permission.write", "deny");
    let rules = world.resolved().rules;
    assert_eq!(bash(&rules, "make all"), Class::Allow);
    assert!(rules.iter().any(
        |rule| rule.to_string() == "write: deny" && rule.origin == "flag for permission.write"
    ));
}

#[test]
fn a_rule_knows_its_file_and_line() {
    let world = World::new().user("{\"permission\": {\n\"bash\": {\n\"make *\": \"allow\"}}}");
    let rules = world.resolved().rules;
    let rule = rules
        .iter()
        .find(|rule| rule.to_string() == "bash: \"make *\" = allow")
        .unwrap();
    assert_eq!(
        world.short(std::path::Path::new(&rule.origin)),
        "W/home/tenon.jsonc:3"
    );
}

#[test]
fn the_programs_own_folders_are_protected_also_inside_of_the_root() {
    let world =
        World::new().user(r#"{"permission": {"edit": "allow", "external_directory": "allow"}}"#);
    let rules = world.resolved().rules;
    let write = |path: String, inside: bool| Facts {
        tool: "write".into(),
        effect: Effect::Write,
        subject: Subject::Paths(vec![tenon_policy::PathFact {
            path,
            access: tenon_policy::Access::Write,
            exists: true,
            inside,
            symlink: false,
            place: tenon_policy::Place::Ordinary,
        }]),
        input: "{}".into(),
    };
    let authority = Authority {
        agent: "build",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    };
    let class = |rules: &Rules, facts: &Facts| {
        decide(
            facts,
            rules,
            &Grants::new(),
            &authority,
            Timestamp::UNIX_EPOCH,
        )
        .class
    };
    let state = world
        .path("home/grants/x.json")
        .to_string_lossy()
        .into_owned();
    assert_eq!(class(&rules, &write(state, false)), Class::HardDeny);

    let mut sources = world.sources();
    sources.root = world.path("");
    let loaded = tenon_config::load(&sources).unwrap();
    let rules = tenon_config::rules(&loaded).unwrap();
    assert_eq!(
        class(&rules, &write("home/tenon.jsonc".into(), true)),
        Class::HardDeny
    );
    assert_eq!(class(&rules, &write("src/a.rs".into(), true)), Class::Allow);
}

#[test]
fn outside_of_the_root_the_file_tools_are_as_open_as_the_rules() {
    let of = |content: &str| World::new().user(content).resolved().external_directory;
    assert_eq!(of("{}"), Decision::Deny);
    assert_eq!(
        of(r#"{"permission": {"external_directory": "ask"}}"#),
        Decision::Ask
    );
    assert_eq!(
        of(r#"{"permission": {"external_directory": "allow"}}"#),
        Decision::Allow
    );
    assert_eq!(
        of(r#"{"permission": {"external_directory": {"*": "deny", "/opt/**": "allow"}}}"#),
        Decision::Ask
    );
    let project = World::new().project(r#"{"permission": {"external_directory": "ask"}}"#);
    assert_eq!(project.resolved().external_directory, Decision::Deny);
}

#[test]
fn the_timeout_of_tools_holds_for_bash_too_and_zero_disables() {
    let timeouts = |content: &str| {
        let tools = World::new().user(content).resolved().tools;
        [tools.timeout, tools.bash_timeout].map(|time| time.map(|time| time.as_secs()))
    };
    assert_eq!(timeouts("{}"), [Some(60), Some(30)]);
    assert_eq!(timeouts(r#"{"tool_timeout_secs": 5}"#), [Some(5), Some(5)]);
    assert_eq!(timeouts(r#"{"tool_timeout_secs": 0}"#), [None, None]);
}

#[test]
fn a_prompt_file_wins_over_a_text_beside_it_and_a_flag_over_both() {
    let both = r#"{"system_prompt": "text", "system_prompt_file": "p.md"}"#;
    let world = World::new().user(both).file("home/p.md", "from file");
    assert_eq!(
        world.resolved().prompt.system_prompt.as_deref(),
        Some("from file")
    );
    let world = world.flag("system_prompt", "");
    assert_eq!(world.resolved().prompt.system_prompt.as_deref(), Some(""));
    assert_eq!(World::new().resolved().prompt.system_prompt, None);
    let error = World::new().user(both).error();
    assert!(error.starts_with("can't read W/home/p.md"), "{error}");
}

#[test]
fn everything_has_a_default() {
    let resolved = World::new().resolved();
    assert!(resolved.provider.is_none() && resolved.providers.is_empty());
    assert_eq!(resolved.agent, "build");
    assert_eq!(resolved.limits, tenon_vocab::profile::Limits::default());
    assert_eq!(resolved.retry.plan(), tenon_model::RetryPlan::default());
    assert!(resolved.streaming && resolved.grants.enabled);
    assert_eq!(resolved.retention_days, 30);
    assert_eq!(
        resolved.rules.iter().count(),
        Rules::built_in().iter().count()
    );
    assert_eq!(resolved.warnings, Vec::<String>::new());
}

#[test]
fn secrets_are_not_shown() {
    let world = World::new().user(r#"{"providers": {"p": {"base_url": "http://h", "api_key": "sk-1", "headers": {"X-K": "sk-2"}}}}"#);
    let loaded = world.loaded();
    let shown: Vec<String> = loaded
        .iter()
        .map(|(key, entry)| format!("{key}={}", entry.shown()))
        .collect();
    assert!(shown.contains(&"providers.p.api_key=(hidden)".to_owned()));
    assert!(!shown.join(" ").contains("sk-"));
    let debug = format!("{:?} {:?}", world.resolved().provider, world.sources().env);
    assert!(!debug.contains("sk-"), "{debug}");
}
