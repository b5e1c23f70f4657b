use crate::support::World;
use tenon_config::{Kind, keys, reference_markdown, schema, template};

#[test]
fn the_template_loads_and_changes_nothing() {
    let world = World::new().user(&template());
    assert!(world.resolved().provider.is_none());
    assert_eq!(
        world.loaded().iter().count(),
        World::new().loaded().iter().count()
    );
}

/// The template with one level of comment taken off.
fn uncommented() -> String {
    template()
        .lines()
        .map(|line| line.strip_prefix("  // ").unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_template_is_right_also_without_its_comments() {
    let text = uncommented();
    let world = World::new()
        .user(&text.replace("\"…\"", "\"local\""))
        .file("home/local", "prompt");
    let loaded = world.loaded();
    for key in keys::all()
        .iter()
        .filter(|key| !key.name.contains('*'))
        .filter(|key| !matches!(key.kind, Kind::Permission | Kind::Hooks | Kind::TextMap))
    {
        let (_, origin) = loaded
            .get(key.name)
            .unwrap_or_else(|| panic!("{} is missing", key.name));
        assert!(origin.to_string().contains("tenon.jsonc"), "{}", key.name);
    }
    assert!(world.resolved().provider.is_some());
}

#[test]
fn every_default_fits_its_own_key() {
    for key in keys::all().iter().filter(|key| !key.default.is_empty()) {
        let value = key
            .default_value()
            .unwrap_or_else(|| panic!("{}", key.name));
        if !key.name.contains('*') {
            World::new().flag(key.name, value).loaded();
        }
    }
}

#[test]
fn the_schema_knows_every_key_and_refuses_others() {
    let schema = schema();
    for key in keys::all() {
        let mut at = &schema;
        for segment in key.name.split('.') {
            at = if segment == "*" {
                &at["additionalProperties"]
            } else {
                &at["properties"][segment]
            };
        }
        assert_eq!(at["description"], key.doc, "{}", key.name);
    }
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(
        schema["properties"]["limits"]["additionalProperties"],
        false
    );
}

#[test]
fn the_reference_names_every_key_once() {
    let page = reference_markdown();
    for key in keys::all() {
        let name = format!("| `{}` |", key.name.replace('*', "NAME"));
        assert_eq!(page.matches(&name).count(), 1, "{name}");
    }
}

#[test]
fn no_key_and_no_variable_stands_twice() {
    let mut names: Vec<String> = keys::all().iter().map(|key| key.name.to_owned()).collect();
    names.extend(keys::all().iter().filter_map(keys::Key::variable));
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn what_config_init_writes_has_no_links_of_a_page() {
    let page = template();
    assert!(page.contains("See docs/safety.md."), "{page}");
    assert!(!page.contains("]("), "{page}");
}
