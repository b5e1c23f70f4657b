use crate::support::World;
use proptest::prelude::*;

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for content in [
        "[".repeat(10_000),
        "{\"a\":".repeat(10_000),
        format!("{{\"permission\": {}", "{\"a\":".repeat(400)),
        format!(
            "{{\"instructions\": {}{}}}",
            "[".repeat(300),
            "]".repeat(300)
        ),
    ] {
        World::new().user(&content).error();
    }
    for content in [
        format!("a = {}", "[".repeat(10_000)),
        format!("a = {}", "{a=".repeat(10_000)),
        format!("{} = 1", vec!["a"; 10_000].join(".")),
        format!("[{}]", vec!["a"; 10_000].join(".")),
    ] {
        World::new().file("home/tenon.toml", content).error();
    }
}

#[test]
fn a_value_that_is_nested_too_deeply_is_said_to_be() {
    let lists = format!("{{\"a\": {}{}}}", "[".repeat(300), "]".repeat(300));
    let error = World::new().user(&lists).error();
    let says = |line: &str| line.ends_with(": it is nested too deeply");
    assert!(error.lines().any(says), "{error}");
}

#[test]
fn a_huge_file_is_refused_without_being_read() {
    let error = World::new()
        .user(&format!("{{{}}}", " ".repeat(2 << 20)))
        .error();
    assert!(
        error.ends_with("is larger than 1 MiB, which is too large for a configuration"),
        "{error}"
    );
}

#[test]
fn invalid_utf8_names_the_line() {
    let error = World::new()
        .file("home/tenon.json", b"{\n\"model\": \"\xff\"}")
        .error();
    assert_eq!(
        error,
        "W/home/tenon.json:2: this line isn't UTF-8\nsave the file as UTF-8"
    );
}

#[test]
fn a_byte_order_mark_is_no_matter() {
    let world = World::new().user("\u{feff}{\"model\": \"a\"}");
    assert_eq!(world.loaded().get("model").unwrap().0, "a");
}

#[test]
fn an_empty_file_is_an_empty_configuration() {
    World::new().user("").loaded();
    World::new().user("// nothing\n").loaded();
    World::new().file("home/tenon.toml", "").loaded();
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_folder_is_not_waited_for() {
    let world = World::new();
    std::fs::create_dir(world.path("home/tenon.json")).unwrap();
    assert_eq!(
        world.error(),
        "can't read W/home/tenon.json: it isn't a regular file"
    );
    let world = World::new();
    let made = std::process::Command::new("mkfifo")
        .arg(world.path("home/tenon.json"))
        .status()
        .unwrap();
    assert!(made.success());
    assert_eq!(
        world.error(),
        "can't read W/home/tenon.json: it isn't a regular file"
    );
}

#[test]
fn a_line_of_a_hostile_file_reaches_an_error_without_control_characters() {
    let error = World::new().user("{\"mod\u{1b}[31mel\": 1}").error();
    assert!(
        !error.lines().nth(1).unwrap().contains('\u{1b}'),
        "{error:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_text_makes_it_panic(text in "[\\PC\n]{0,200}", toml in any::<bool>()) {
        let name = if toml { "home/tenon.toml" } else { "home/tenon.jsonc" };
        let _ = World::new().file(name, text).resolve();
    }

    #[test]
    fn no_json_makes_it_panic(
        key in prop::sample::select(tenon_config::keys::all().iter().map(|key| key.name).collect::<Vec<_>>()),
        value in prop::sample::select(vec!["null", "0", "-1", "1e400", "99999999999999999999", "\"\"", "\"${\"", "[]", "[null]", "{}", "{\"*\":{\"*\":{}}}", "{\"\":\"allow\"}", "true"]),
    ) {
        let mut text = value.to_owned();
        for segment in key.split('.').rev() {
            text = format!("{{\"{}\": {text}}}", segment.replace('*', "n"));
        }
        let _ = World::new().user(&text).resolve();
    }
}
