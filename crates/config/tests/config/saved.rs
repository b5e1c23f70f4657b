use crate::managed;
use crate::support::{World, provider};
use std::os::unix::fs::PermissionsExt as _;
use tenon_config::{Choice, Origin};

const TWO: &str = r#"{"default_provider": "a", "model": "m", "providers": {
    "a": {"base_url": "http://127.0.0.1:1/v1"},
    "b": {"base_url": "http://127.0.0.1:2/v1", "model": "own"}
}}"#;

fn in_use(world: &World) -> (String, Option<String>) {
    let provider = world.resolved().provider.unwrap();
    (provider.name, provider.model)
}

fn pair(provider: &str, model: &str) -> (String, Option<String>) {
    (provider.to_owned(), Some(model.to_owned()))
}

fn choosing(world: &World, provider: &str, model: &str) {
    world.loaded().keep_choice(provider, model).unwrap();
}

#[test]
fn what_was_chosen_by_hand_holds_above_the_files_and_says_so() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    assert_eq!(in_use(&world), pair("b", "n"));
    let loaded = world.loaded();
    for key in ["default_provider", "model"] {
        assert_eq!(loaded.get(key).unwrap().1, &Origin::Saved);
    }
}

#[test]
fn a_flag_and_a_variable_are_above_it_and_mean_the_files() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    let chosen = |choice: &Choice| {
        let provider = world.resolve_with(choice).unwrap().provider.unwrap();
        (provider.name, provider.model)
    };
    assert_eq!(chosen(&provider("a")), pair("a", "m"));
    assert_eq!(chosen(&provider("b")), pair("b", "own"));
    let model = Choice {
        provider: None,
        model: Some("x".into()),
    };
    assert_eq!(chosen(&model), pair("a", "x"));

    for (name, value, used) in [
        ("TENON_PROVIDER", "a", pair("a", "m")),
        ("TENON_PROVIDER", "b", pair("b", "own")),
    ] {
        let world = World::new().user(TWO);
        choosing(&world, "b", "n");
        assert_eq!(in_use(&world.env(name, value)), used);
    }
}

#[test]
fn a_variable_that_names_a_model_alone_keeps_the_provider_that_was_chosen() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    let world = world.env("TENON_MODEL", "y");
    assert_eq!(in_use(&world), pair("b", "y"));
    // A flag still means the files.
    let found = world
        .resolve_with(&provider("a"))
        .unwrap()
        .provider
        .unwrap();
    assert_eq!(
        (found.name.as_str(), found.model.as_deref()),
        ("a", Some("y"))
    );
    // And with nothing configured there is nothing to keep (P16).
    assert!(world.user("{}").resolved().provider.is_none());
}

#[test]
fn the_administrator_is_above_it() {
    let Some(world) = managed::world() else {
        return;
    };
    let world = world.user(TWO);
    choosing(&world, "b", "n");
    let world = world.managed(r#"{"default_provider": "a"}"#);
    assert_eq!(in_use(&world), pair("a", "m"));
}

#[test]
fn choosing_what_the_files_say_forgets_the_choice() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    choosing(&world, "a", "m");
    assert_eq!(in_use(&world), pair("a", "m"));
    let (_, origin) = world
        .loaded()
        .get("model")
        .map(|(v, o)| (v.clone(), o.clone()))
        .unwrap();
    assert_ne!(origin, Origin::Saved);
    // Changed files hold again, too.
    let world = world.user(&TWO.replace("\"m\"", "\"newer\""));
    assert_eq!(in_use(&world), pair("a", "newer"));
}

#[test]
fn a_choice_that_cannot_be_used_any_more_is_as_if_it_had_not_been_made() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    let world =
        world.user(r#"{"providers": {"a": {"base_url": "http://127.0.0.1:1/v1", "model": "m"}}}"#);
    assert_eq!(in_use(&world), pair("a", "m"));
    let world = world.user("{}");
    assert!(world.resolved().provider.is_none(), "P16: no guess");
}

#[test]
fn the_choice_is_of_one_project_and_in_a_file_for_nobody_else() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    let path = world.sources().paths.state.join("choices.json");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0);
    let text = std::fs::read_to_string(&path).unwrap();
    let elsewhere = text.replace("/root\"", "/elsewhere\"");
    assert_ne!(text, elsewhere);
    std::fs::write(&path, elsewhere).unwrap();
    assert_eq!(in_use(&world), pair("a", "m"));
}

#[test]
fn a_damaged_file_is_none() {
    let world = World::new().user(TWO);
    choosing(&world, "b", "n");
    let path = world.sources().paths.state.join("choices.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    for damaged in [
        "",
        "[]",
        "{\"choices\": 1}",
        "\u{0}",
        "{\"choices\": [7, {}]}",
    ] {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(in_use(&world), pair("a", "m"), "{damaged:?}");
    }
    let page = whole.replace("\"n\"", "\"\"");
    std::fs::write(&path, page).unwrap();
    assert_eq!(in_use(&world), pair("a", "m"));
    choosing(&world, "b", "n");
    assert_eq!(in_use(&world), pair("b", "n"));
}
