use crate::support::World;

fn user_error(content: &str) -> String {
    World::new().user(content).error()
}

#[test]
fn an_unknown_key_names_place_line_and_the_nearest_key() {
    let error = user_error(
        "{\n  \"providers\": {\n    \"local\": {\n      \"base_ulr\": \"http://x\"\n    }\n  }\n}",
    );
    assert_eq!(
        error,
        "W/home/tenon.jsonc:4:7: unknown key `base_ulr` in `providers.local`\n\
         4 |       \"base_ulr\": \"http://x\"\n  |       ^\n\
         did you mean `base_url`?"
    );
}

#[test]
fn other_spellings_of_a_key_are_recognised() {
    for (wrong, right) in [
        ("baseURL", "base_url"),
        ("apiKeyEnv", "api_key_env"),
        ("base-url", "base_url"),
    ] {
        let error = user_error(&format!(
            "{{\"providers\": {{\"a\": {{\"{wrong}\": \"x\"}}}}}}"
        ));
        assert!(
            error.ends_with(&format!("did you mean `{right}`?")),
            "{error}"
        );
    }
}

#[test]
fn a_key_at_a_wrong_place_is_told_where_it_belongs() {
    let error = user_error(r#"{"base_url": "http://x"}"#);
    assert!(error.contains("unknown key `base_url`\n"), "{error}");
    assert!(error.ends_with("it belongs to a provider: `providers.NAME.base_url`, where NAME is a name of your choice"), "{error}");
    let error = user_error(r#"{"max_turns": 5}"#);
    assert!(
        error.ends_with("it belongs at `limits.max_turns`"),
        "{error}"
    );
    let error = user_error(r#"{"providers": {"a": {"temperature": 1}}}"#);
    assert!(
        error.ends_with(
            "`temperature` belongs at the top level, or in an entry of `models` for just one model"
        ),
        "{error}"
    );
    let error = user_error(r#"{"providers": {"a": {"streaming": false}}}"#);
    assert!(
        error.ends_with("`streaming` belongs at the top level"),
        "{error}"
    );
    let error = user_error(r#"{"providers": {"base_url": "http://x"}}"#);
    assert!(
        error.contains("`providers.base_url`: expected an object"),
        "{error}"
    );
}

#[test]
fn a_section_of_a_later_version_is_named_as_such() {
    let error = user_error(r#"{"mcp": {}}"#);
    assert!(
        error.ends_with("this version doesn't have `mcp` yet: remove it, or comment it out"),
        "{error}"
    );
}

#[test]
fn a_key_that_resembles_nothing_gets_the_list_of_what_is_known() {
    let error = user_error(r#"{"context": {"zzzzzzzz": 1}}"#);
    assert!(error.ends_with("known here: window, max_tokens"), "{error}");
}

#[test]
fn a_value_of_a_wrong_type_says_what_was_expected_and_found() {
    let cases = [
        (
            r#"{"limits": {"max_turns": "5"}}"#,
            "`limits.max_turns`: expected a whole number from 1 to 4294967295, found \"5\"",
            "write it without quotes: 5",
        ),
        (r#"{"limits": {"max_turns": 0}}"#, "found 0", ""),
        (r#"{"limits": {"max_turns": 1.5}}"#, "found 1.5", ""),
        (r#"{"limits": {"max_turns": -1}}"#, "found -1", ""),
        (
            r#"{"limits": 5}"#,
            "`limits`: expected an object, found 5",
            "",
        ),
        (
            r#"{"streaming": "true"}"#,
            "expected true or false, found \"true\"",
            "write it without quotes",
        ),
        (
            r#"{"temperature": 3}"#,
            "expected a number from 0 to 2, found 3",
            "",
        ),
        (
            r#"{"instructions": "a.md"}"#,
            "expected a list of strings, found \"a.md\"",
            "write it as a list: [\"a.md\"]",
        ),
        (
            r#"{"tools": {"on_timeout": "kil"}}"#,
            "expected one of background, kill, found \"kil\"",
            "did you mean `kill`?",
        ),
        (
            r#"{"model": null}"#,
            "`model`: expected a string, found null",
            "",
        ),
        (
            r#"{"providers": {"a": {"headers": {"X": 1}}}}"#,
            "`providers.a.headers.X`: expected a string, found 1",
            "",
        ),
        (r#"{"providers": {"a b": {}}}"#, "`a b` can't be a name", ""),
        (
            r#"[]"#,
            "expected an object with settings, found a list",
            "",
        ),
        (
            r#"{"providers": {"a": {"type": "claudecode-api-legacy"}}}"#,
            "expected one of chat",
            "use the preset `claudecode`",
        ),
    ];
    for (content, message, hint) in cases {
        let error = user_error(content);
        assert!(error.contains(message), "{error}");
        assert!(error.contains(hint), "{error}");
        assert!(error.starts_with("W/home/tenon.jsonc:1:"), "{error}");
    }
}

#[test]
fn broken_json_points_at_the_place() {
    let error = user_error("{\n  \"model\": \"a\"\n  \"streaming\": true\n}");
    assert!(
        error.starts_with("W/home/tenon.jsonc:3:") || error.starts_with("W/home/tenon.jsonc:2:"),
        "{error}"
    );
    assert!(error.to_lowercase().contains("comma"), "{error}");
    for content in [
        "{",
        "{\"a\"",
        "nope",
        "{'model': 'x'}",
        "{model: 1}",
        "{\"temperature\": 0x1}",
        "{\"temperature\": NaN}",
        "{\"temperature\": .5}",
        "{} {}",
    ] {
        assert!(
            user_error(content).starts_with("W/home/tenon.jsonc:1:"),
            "{content}"
        );
    }
}

#[test]
fn comments_and_trailing_commas_are_fine() {
    let world = World::new().user("// hi\n{\n /* x */ \"model\": \"a\", // y\n}\n");
    assert_eq!(world.loaded().get("model").unwrap().0, "a");
}

#[test]
fn a_key_written_twice_is_an_error() {
    let error = user_error("{\n\"model\": \"a\",\n\"model\": \"b\"}");
    assert!(
        error.starts_with("W/home/tenon.jsonc:3:1: `model` is written twice"),
        "{error}"
    );
    let error = World::new()
        .file("home/tenon.toml", "model = 'a'\nmodel = 'b'\n")
        .error();
    assert!(error.starts_with("W/home/tenon.toml:2:1: "), "{error}");
}

#[test]
fn toml_means_the_same_and_points_at_the_same_places() {
    let toml = "model = \"m\"\ntemperature = 1\n[limits]\nmax_turns = 7\n[providers.local]\nbase_url = \"http://x\"\n[permission.bash]\n\"git *\" = \"deny\"\n";
    let world = World::new().file("home/tenon.toml", toml);
    let loaded = world.loaded();
    let (value, origin) = loaded.get("limits.max_turns").unwrap();
    assert_eq!(value, 7);
    assert_eq!(
        world.short(std::path::Path::new(&origin.to_string())),
        "W/home/tenon.toml:4"
    );
    assert!(loaded.get("permission.bash.git *").is_some());
    assert_eq!(world.resolved().provider.unwrap().base_url, "http://x");

    let error = World::new()
        .file("home/tenon.toml", "[limits]\nmax_turn = 7\n")
        .error();
    assert_eq!(
        error,
        "W/home/tenon.toml:2:1: unknown key `max_turn` in `limits`\n2 | max_turn = 7\n  | ^\ndid you mean `max_turns`?"
    );
    let error = World::new().file("home/tenon.toml", "model = \n").error();
    assert!(error.starts_with("W/home/tenon.toml:1:"), "{error}");
}

#[test]
fn two_configurations_in_one_folder_are_an_error_that_names_both() {
    let error = World::new().user("{}").file("home/tenon.toml", "").error();
    assert_eq!(
        error,
        "there are two configurations: W/home/tenon.jsonc and W/home/tenon.toml\nmove what you need into one of them and remove the other"
    );
}

#[test]
fn a_wrong_rule_is_an_error_with_its_line() {
    let error = user_error("{\n\"permission\": {\n\"bash\": {\n\"git *\": \"alow\"}}}");
    assert!(
        error.starts_with(
            "W/home/tenon.jsonc:4:1: `permission.bash.git *`: expected allow, ask, confirm or deny"
        ),
        "{error}"
    );
    assert!(error.ends_with("did you mean `allow`?"), "{error}");
}

#[test]
fn an_error_never_shows_a_key() {
    let error = user_error("{\"providers\": {\"a\": {\n\"api_key\": [\"sk-very-secret\"]}}}");
    assert!(error.contains("api_key"), "{error}");
    assert!(!error.contains("sk-very"), "{error}");
}

#[test]
fn an_extra_file_that_is_not_there_is_an_error() {
    let world = World::new().env("TENON_CONFIG", "/nonexistent/tenon.json");
    assert!(
        world
            .error()
            .starts_with("can't read /nonexistent/tenon.json: ")
    );
    let world = World::new().file("x.yaml", "").env("TENON_CONFIG", "W");
    let mut sources = world.sources();
    sources.extra = Some(world.path("x.yaml"));
    let error = tenon_config::load(&sources).unwrap_err().to_string();
    assert!(
        error.ends_with("must end in .jsonc, .json or .toml"),
        "{error}"
    );
}

#[test]
fn a_wrong_variable_and_a_wrong_flag_name_themselves() {
    let error = World::new().env("TENON_MAX_TOKENS", "many").error();
    assert!(
        error.starts_with(
            "the variable TENON_MAX_TOKENS: expected a whole number of at least 1, found \"many\""
        ),
        "{error}"
    );
    let error = World::new().flag("limits.max_turn", 3).error();
    assert_eq!(
        error,
        "there is no setting `limits.max_turn`\ndid you mean `max_turns`?"
    );
    let error = World::new().flag("limits.max_turns", "x").error();
    assert!(
        error.starts_with("`limits.max_turns`: expected a whole number"),
        "{error}"
    );
}

#[test]
fn a_variable_of_ours_that_is_not_known_is_warned_about_with_what_is_near() {
    let told = |name: &str| World::new().env(name, "3").loaded().warnings().to_vec();
    for (name, near) in [
        ("TENON_MODLE", Some("TENON_MODEL")),
        ("TENON_MODE", Some("TENON_MODEL")),
        ("TENON_MAX_TURNS", Some("TENON_LIMITS_MAX_TURNS")),
        ("TENON_KEEP_TURNS", Some("TENON_COMPACTION_KEEP_TURNS")),
        ("TENON_BASEURL", Some("TENON_BASE_URL")),
        ("TENON_SOMETHING_ELSE_ENTIRELY", None),
        ("TENON_MAIN_MODEL", Some("TENON_MODEL")),
        ("TENON_MAIN_PROVIDER", Some("TENON_PROVIDER")),
        ("TENON_MAIN_KEEP_RAW_DELEGATE_RESULTS", None),
        ("TENON_SUB_MAX_CONTEXT_TOKENS", None),
    ] {
        let expected = match near {
            Some(near) => format!("unknown variable {name}; did you mean {near}?"),
            None => format!("unknown variable {name}; it has no effect"),
        };
        assert_eq!(told(name), [expected]);
    }
    // What the program and its tests set for others is no slip.
    for name in [
        "TENON_TOOL_DIR",
        "TENON_TOOL_NAME",
        "TENON_JOB",
        "TENON_NAME",
        "TENON_TEST_ANYTHING",
        "TENON_UPDATE_SNAPSHOTS",
    ] {
        assert!(told(name).is_empty(), "{name}");
    }
}

#[test]
fn the_variables_of_the_main_agent_set_what_there_is_and_say_so() {
    let world = World::new()
        .env("TENON_MAIN_COMPACT_AT_RATIO", "0.5")
        .env("TENON_MAIN_MAX_CONTEXT_TOKENS", "48000");
    let resolved = world.resolved();
    assert_eq!(resolved.compaction.at_percent, 50);
    assert_eq!(resolved.request_tokens, Some(48_000));
    let loaded = world.loaded();
    assert_eq!(
        loaded.warnings(),
        [
            "reading the variable TENON_MAIN_MAX_CONTEXT_TOKENS as TENON_CONTEXT_MAX_TOKENS",
            "reading the variable TENON_MAIN_COMPACT_AT_RATIO as TENON_COMPACTION_AT_RATIO",
        ]
    );
    let world = world.env("TENON_COMPACTION_AT_RATIO", "0.6");
    let error = world.load().unwrap_err().to_string();
    assert!(error.contains("are the same setting"), "{error}");
}

#[test]
fn second_names_of_settings_are_read_with_their_place() {
    let world = World::new()
        .user(
            r#"{
  "compaction": { "compact_at_ratio": 0.5, "compression": "deterministic" },
  "context": { "max_context_tokens": 9000 },
  "ui": { "theme": "dark" }
}"#,
        )
        .env("TENON_UI_KEYS", "vim");
    let loaded = world.loaded();
    for (key, value, line) in [
        ("compaction.at_ratio", "0.5", 2),
        ("compaction.strategy", "\"deterministic\"", 2),
        ("context.max_tokens", "9000", 3),
        ("tui.theme", "\"dark\"", 4),
    ] {
        let (found, origin) = loaded.get(key).unwrap();
        assert_eq!(found.to_string(), value);
        assert!(
            origin.to_string().ends_with(&format!("tenon.jsonc:{line}")),
            "{key}: {origin}"
        );
    }
    let (found, origin) = loaded.get("tui.keys").unwrap();
    assert_eq!(
        (found.as_str(), origin.to_string().as_str()),
        (Some("vim"), "variable TENON_UI_KEYS")
    );
    assert!(loaded.iter().all(|(key, _)| !key.starts_with("ui.")));
    // The same in TOML, and as a flag.
    let world = World::new()
        .file("home/tenon.toml", "[context]\nmax_context_tokens = 9000\n")
        .flag("compaction.compact_at_ratio", 0.4);
    let resolved = world.resolved();
    assert_eq!(resolved.request_tokens, Some(9000));
    assert_eq!(resolved.compaction.at_percent, 40);
}

#[test]
fn a_setting_under_both_of_its_names_is_an_error_with_its_line() {
    for (text, second, first) in [
        (
            r#"{"compaction": {"at_ratio": 0.5,
 "compact_at_ratio": 0.5}}"#,
            "compaction.compact_at_ratio",
            "compaction.at_ratio",
        ),
        (
            r#"{"tui": {"theme": "dark"},
 "ui": {"keys": "vim"}}"#,
            "ui",
            "tui",
        ),
    ] {
        let error = World::new().user(text).error();
        assert!(error.contains("tenon.jsonc:2"), "{error}");
        assert!(
            error.contains(&format!("`{second}` and `{first}` are the same setting")),
            "{error}"
        );
    }
    // In two files one stands above the other, as ever.
    let world = World::new()
        .user(r#"{"context": {"max_context_tokens": 9000}}"#)
        .extra(r#"{"context": {"max_tokens": 8000}}"#);
    assert_eq!(world.resolved().request_tokens, Some(8000));
    let error = World::new()
        .user(r#"{"compaction": {"compact_at_ratio": 7}}"#)
        .error();
    assert!(error.contains("`compaction.at_ratio`: expected"), "{error}");
}

#[test]
fn a_slip_in_a_tools_name_is_warned_about() {
    let world = World::new().user(r#"{"permission": {"bsah": "deny", "github_create": "ask"}}"#);
    let warnings = world.resolved().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("a rule names the tool `bsah`")
            && warnings[0].ends_with("did you mean `bash`?"),
        "{warnings:?}"
    );
    let of = |content: &str| World::new().user(content).resolved().warnings;
    for (wrong, right) in [
        ("bsh", "bash"),
        ("shel", "bash"),
        ("run_comand", "bash"),
        ("raed", "read"),
    ] {
        let rule = of(&format!(
            r#"{{"permission": {{"{wrong}": {{"git push": "deny", "x": "deny"}}}}}}"#
        ));
        let hook = of(&format!(
            r#"{{"hooks": {{"PreToolUse": [{{"name": "guard", "tool": "{wrong}", "command": "x"}}]}}}}"#
        ));
        assert_eq!((rule.len(), hook.len()), (1, 1), "{rule:?} {hook:?}");
        assert!(hook[0].contains("the hook `guard`"), "{hook:?}");
        for told in [&rule[0], &hook[0]] {
            assert!(
                told.ends_with(&format!("did you mean `{right}`?")),
                "{told}"
            );
        }
    }
}

#[test]
fn a_name_that_may_be_right_is_not_warned_about() {
    for name in ["Bash", "run_command", "ls", "gh_*", "*", "github_create"] {
        let world = World::new().user(&format!(
            r#"{{"permission": {{"{name}": "ask"}}, "hooks": {{"PreToolUse": [{{"tool": "{name}", "command": "x"}}]}}}}"#
        ));
        assert_eq!(world.resolved().warnings, [""; 0], "{name}");
    }
    let rule = r#"{"permission": {"lint": "ask"}}"#;
    assert_eq!(World::new().user(rule).resolved().warnings.len(), 1);
    for folder in ["home/tools/lint", "root/.tenon/tools/lint"] {
        let world = World::new().user(rule);
        std::fs::create_dir_all(world.path(folder)).unwrap();
        let world = world.file(&format!("{folder}/tool.json"), "{}");
        assert_eq!(world.resolved().warnings, [""; 0], "{folder}");
    }
}
