//! `tenon config`.

use crate::program::Program;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_paths_are_printed_also_when_nothing_is_there_or_all_is_wrong() {
    let program = Program::new();
    let ran = program.run(&["config", "path"]).ended(0);
    let home = program.home.tenon();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 4, "one path per line, no heading: {}", ran.out);
    assert!(
        lines.iter().all(|line| line.starts_with('/')),
        "{}",
        ran.out
    );
    assert_eq!(lines[0], home.join("tenon.jsonc").to_str().unwrap());
    program.configure("{ this is no json");
    let ran = program.run(&["config", "path", "--json"]).ended(0);
    let paths: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(paths["config"], lines[0]);
    assert_eq!(paths["project"], lines[1]);
    assert_eq!(paths["state"], lines[2]);
    assert_eq!(paths["cache"], lines[3]);
}

#[test]
fn init_writes_a_configuration_that_is_valid_and_private() {
    let program = Program::new();
    let ran = program.run(&["config", "init"]).ended(0);
    let path = program.home.tenon().join("tenon.jsonc");
    assert_eq!(ran.out.trim(), path.to_str().unwrap());
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    program.run(&["config", "show"]).ended(0);
    program
        .run(&["config", "init"])
        .ended(1)
        .complains("a configuration already exists")
        .complains("--force");
    program.configure("{\"streaming\": false}");
    program.run(&["config", "init", "--force"]).ended(0);
    assert!(std::fs::read_to_string(path).unwrap().starts_with("//"));
}

#[test]
fn init_never_makes_a_second_configuration_beside_another() {
    for name in ["tenon.json", "tenon.toml"] {
        let program = Program::new();
        std::fs::write(program.home.tenon().join(name), "").unwrap();
        program.run(&["config", "init"]).ended(1).complains(name);
        program.run(&["config", "init", "--force"]);
        program.run(&["config", "show"]).ended(0);
    }
}

#[test]
fn edit_needs_an_editor_and_checks_what_it_left() {
    let program = Program::new();
    program
        .run(&["config", "edit"])
        .ended(2)
        .complains("no editor is set")
        .complains("tenon.jsonc");
    let edit = |editor: &str| {
        let mut command = program.command();
        command.args(["config", "edit"]).env("EDITOR", editor);
        crate::program::Ran::of(command.output().unwrap())
    };
    edit("true").ended(0).complains("is valid");
    edit("printf '{\"streamng\": true}' >")
        .ended(2)
        .complains("streamng")
        .complains("did you mean `streaming`");
    edit("false")
        .ended(1)
        .complains("the editor `false` failed");
    edit("/no/such/editor").ended(1).complains("failed");
}

#[test]
fn show_names_the_origin_of_every_value_and_hides_keys() {
    let program = Program::new();
    program.configure(
        "{\n\"streaming\": false,\n\"providers\": {\"local\": {\"base_url\": \"http://127.0.0.1:1/v1\", \"api_key\": \"s3cret\"}},\n\"permission\": {\"bash\": {\"git push\": \"deny\"}}\n}",
    );
    let mut command = program.command();
    command
        .args(["config", "show"])
        .env("TENON_MODEL", "my-model");
    let ran = crate::program::Ran::of(command.output().unwrap()).ended(0);
    assert!(
        !ran.out.contains("s3cret") && !ran.err.contains("s3cret"),
        "{ran:?}"
    );
    let line = |part: &str| {
        let found = ran.out.lines().find(|line| line.contains(part));
        found
            .unwrap_or_else(|| panic!("no {part} in {}", ran.out))
            .to_owned()
    };
    assert!(line("streaming").contains("tenon.jsonc:2"));
    assert!(line("providers.local.api_key").contains("***"));
    assert!(line("git push").contains("deny"));
    assert!(line("my-model").contains("variable TENON_MODEL"));
    assert!(line("limits.max_turns").contains("built-in"));
}

#[test]
fn what_a_project_may_not_set_is_shown_with_the_reason() {
    let program = Program::new();
    program.file(
        ".tenon/tenon.jsonc",
        r#"{"providers": {"evil": {"base_url": "http://evil.example/v1"}}}"#,
    );
    let ran = program.run(&["config", "show"]).ended(0);
    ran.says("ignored").says("providers.evil.base_url");
    let json = program.run(&["config", "show", "--json"]).ended(0).json();
    assert_eq!(json["ignored"][0]["key"], "providers.evil.base_url");
    assert!(!json["ignored"][0]["why"].as_str().unwrap().is_empty());
    assert!(json["values"].as_array().unwrap().len() > 10);
    assert!(json["rules"].as_array().unwrap().len() > 10);
}

#[test]
fn a_mistake_in_the_configuration_is_named_with_its_place() {
    let program = Program::new();
    program.configure("{\n  \"limits\": {\"max_turns\": \"many\"}\n}");
    for args in [
        &["config", "show"][..],
        &["tools", "list"],
        &["policy", "explain", "bash", "ls"],
    ] {
        program
            .run(args)
            .ended(2)
            .complains("tenon.jsonc:2:")
            .complains("max_turns");
    }
}

#[test]
fn the_schema_is_json_and_needs_no_home() {
    let program = Program::new();
    let mut command = program.command();
    command
        .args(["config", "schema"])
        .env_remove("HOME")
        .env_remove("TENON_HOME");
    let ran = crate::program::Ran::of(command.output().unwrap()).ended(0);
    assert_eq!(ran.json()["title"], "Tenon configuration");
}

#[test]
fn show_begins_with_the_server_in_use_and_where_it_comes_from() {
    let home = tenon_testing::TestHome::new();
    let output = home
        .command(crate::model::tenon())
        .args(["config", "show"])
        .env("TENON_BASE_URL", "http://127.0.0.1:1234/v1")
        .env("TENON_API_KEY", "sk-secret")
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.contains("http://127.0.0.1:1234/v1") && page.contains("TENON_BASE_URL"),
        "{page}"
    );
    assert!(!page.contains("sk-secret"), "{page}");
}
