//! The reference page, the JSON Schema and the template, all from the one table.

use crate::keys::{self, Key, Kind, Project};
use crate::models::DIALECTS;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use tenon_vocab::profile::HookEvent;

/// JSON Schema of a configuration file, for editors.
#[must_use]
pub fn schema() -> Value {
    let mut root = section();
    if let Some(fields) = root.as_object_mut() {
        fields.insert(
            "$schema".into(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        fields.insert("title".into(), json!("Tenon configuration"));
    }
    for key in keys::all() {
        let segments: Vec<&str> = key.segments().collect();
        insert(&mut root, &segments, key);
        for name in key.second_names() {
            insert(&mut root, &name.split('.').collect::<Vec<_>>(), key);
        }
    }
    if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("$schema".into(), json!({"type": "string"}));
    }
    root
}

fn section() -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": {}})
}

fn insert(at: &mut Value, segments: &[&str], key: &Key) {
    let Some((first, rest)) = segments.split_first() else {
        return;
    };
    let Some(fields) = at.as_object_mut() else {
        return;
    };
    let slot = if *first == "*" {
        let slot = fields.entry("additionalProperties").or_insert(Value::Null);
        if !slot.is_object() {
            *slot = section();
        }
        slot
    } else {
        let properties = fields
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
        let Some(properties) = properties.as_object_mut() else {
            return;
        };
        properties.entry(*first).or_insert_with(section)
    };
    if rest.is_empty() {
        *slot = schema_of(key);
    } else {
        insert(slot, rest, key);
    }
}

fn schema_of(key: &Key) -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let mut schema = match key.kind {
        Kind::Text | Kind::Effort => json!({"type": "string"}),
        Kind::Word(words) => json!({"enum": words}),
        Kind::Words(words) => json!({"type": "array", "items": {"enum": words}}),
        Kind::Integer { least, most } if most == u64::MAX => {
            json!({"type": "integer", "minimum": least})
        }
        Kind::Integer { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::Number { least, most } => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::AutoOrOff => json!({"enum": ["auto", "off", true, false]}),
        Kind::Span => json!({"anyOf": [
            {"type": "integer", "minimum": 1},
            {"type": "string", "pattern": "^[0-9]+ *(s|m|min|h|d|w)?$"}
        ]}),
        Kind::Texts => texts,
        Kind::TextOrTexts => json!({"anyOf": [{"type": "string"}, texts]}),
        Kind::TextMap => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Kind::Models => models_schema(),
        Kind::Permission => permission_schema(),
        Kind::Hooks => hooks_schema(),
    };
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".into(), json!(key.doc));
        if let Some(default) = key.default_value() {
            fields.insert("default".into(), default);
        }
    }
    schema
}

fn models_schema() -> Value {
    let price = json!({"type": "number", "minimum": 0});
    let profile = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id"],
        "properties": {
            "id": {"type": "string"},
            "context_window": {"type": "integer", "minimum": 1},
            "max_tokens": {"type": "integer", "minimum": 1},
            "reasoning_effort": {"type": "string"},
            "temperature": {"type": "number", "minimum": 0, "maximum": 2},
            "vision": {"type": "boolean"},
            "dialect": {"enum": DIALECTS},
            "prices": {
                "type": "object",
                "additionalProperties": false,
                "required": ["input", "output"],
                "properties": {
                    "input": price, "output": price, "cached": price, "cache_write": price
                }
            }
        }
    });
    json!({"type": "array", "items": {"anyOf": [{"type": "string"}, profile]}})
}

fn hooks_schema() -> Value {
    let hook = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["command"],
        "properties": {
            "name": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
            "tool": {"type": "string"},
            "pattern": {"type": "string"},
            "command": {"type": "string"},
            "timeout_secs": {"type": "integer", "minimum": 1, "maximum": 600, "default": 30},
            "required": {"type": "boolean", "default": false}
        }
    });
    let lists: Map<String, Value> = HookEvent::ALL
        .iter()
        .map(|event| {
            let list = json!({"type": "array", "items": hook});
            (event.name().to_owned(), list)
        })
        .collect();
    json!({"type": "object", "additionalProperties": false, "properties": lists})
}

fn permission_schema() -> Value {
    let decision = json!({"enum": ["allow", "ask", "confirm", "deny"]});
    let by_pattern = json!({"type": "object", "additionalProperties": decision});
    let rule = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["tool", "decision"],
        "properties": {
            "tool": {"type": "string"},
            "match": {
                "type": "object",
                "additionalProperties": false,
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {
                    "path_glob": {"type": "string"},
                    "command_prefix": {"type": "string"},
                    "name": {"type": "string"}
                }
            },
            "decision": decision,
            "reason": {"type": "string"},
            "examples": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "match": {"type": "array", "items": {"type": "string"}},
                    "not_match": {"type": "array", "items": {"type": "string"}}
                }
            }
        }
    });
    json!({"anyOf": [
        decision,
        {"type": "object", "additionalProperties": {"anyOf": [decision, by_pattern]}},
        {"type": "array", "items": rule}
    ]})
}

/// `docs/reference/config.md`.
#[must_use]
pub fn reference_markdown() -> String {
    let mut page = String::from(
        "# Settings\n\nGenerated from the table of keys. [The guide](../config.md) explains \
         files, layers and permissions.\n\n\"Untrusted project\" says what a project's \
         configuration may do with a key before you trust the project.\n",
    );
    for group in groups() {
        let title = if group.is_empty() { "top level" } else { group };
        let _ = write!(
            page,
            "\n## {title}\n\n| key | takes | default | variable | untrusted project | |\n|---|---|---|---|---|---|\n"
        );
        for key in keys::all().iter().filter(|key| group_of(key) == group) {
            let _ = writeln!(page, "{}", row(key));
        }
    }
    page
}

/// The section that a key stands in; empty for the top level.
fn group_of(key: &Key) -> &'static str {
    key.name.split_once('.').map_or("", |(group, _)| group)
}

fn groups() -> Vec<&'static str> {
    let mut groups = vec![""];
    for key in keys::all() {
        if !groups.contains(&group_of(key)) {
            groups.push(group_of(key));
        }
    }
    groups
}

fn row(key: &Key) -> String {
    let project = match key.project {
        Project::Allowed => "allowed",
        Project::Narrowing => "only stricter",
        Project::Ignored => "ignored",
    };
    let code = |text: &str| {
        if text.is_empty() {
            String::new()
        } else {
            format!("`{text}`")
        }
    };
    let second: String = key
        .second_names()
        .iter()
        .map(|name| format!(" Also `{name}`."))
        .collect();
    format!(
        "| `{}` | {} | {} | {} | {project} | {}{second} |",
        key.name.replace('*', "NAME"),
        key.kind.expected(),
        code(key.default),
        code(&key.variable().unwrap_or_default()),
        key.doc.replace('|', "\\|"),
    )
}

/// What `config init` writes: every setting, in comments, with its default.
#[must_use]
pub fn template() -> String {
    let mut page = String::from(
        "// Tenon's settings with their defaults or an example. To change one, remove one `// `\n\
         // from its line and from the lines around it; what is still a comment then explains\n\
         // the line below it.\n\
         // `tenon config show` prints every setting and where it comes from.\n{\n",
    );
    page.push_str(EXAMPLE_PROVIDER);
    for group in groups() {
        let plain = |key: &&Key| {
            !key.name.contains('*') && !matches!(key.kind, Kind::Permission | Kind::Hooks)
        };
        let members: Vec<&Key> = keys::all()
            .iter()
            .filter(|key| group_of(key) == group)
            .filter(plain)
            .collect();
        if !members.is_empty() {
            template_of(&mut page, group, &members);
        }
    }
    page.push_str(EXAMPLE_PERMISSION);
    page.push_str("}\n");
    page
}

/// A section, with sections inside it where names have three parts.
fn template_of(page: &mut String, group: &str, members: &[&Key]) {
    let mut indent = String::new();
    // Writing to a String cannot fail.
    if !group.is_empty() {
        let _ = writeln!(page, "\n  // \"{group}\": {{");
        indent.push_str("  ");
    }
    let mut inside = "";
    for key in members {
        let (_, name) = key.name.split_once('.').unwrap_or(("", key.name));
        let (inner, name) = name.rsplit_once('.').unwrap_or(("", name));
        if inner != inside && !inside.is_empty() {
            indent.truncate(2);
            let _ = writeln!(page, "  // {indent}}},");
        }
        if inner != inside && !inner.is_empty() {
            let _ = writeln!(page, "  // {indent}\"{inner}\": {{");
            indent.push_str("  ");
        }
        inside = inner;
        let example = if key.default.is_empty() {
            " Not set by default."
        } else {
            ""
        };
        let _ = writeln!(page, "  // {indent}// {}{example}", without_links(key.doc));
        let _ = writeln!(page, "  // {indent}\"{name}\": {},", sample(key));
    }
    if !inside.is_empty() {
        page.push_str("  //   },\n");
    }
    if !group.is_empty() {
        page.push_str("  // },\n");
    }
}

/// A comment has no links: `[safety](../safety.md#x)` is `docs/safety.md`.
fn without_links(doc: &str) -> String {
    let mut text = String::new();
    let mut rest = doc;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((target, after)) = link
            .split_once("](../")
            .and_then(|(_, target)| target.split_once(')'))
        else {
            break;
        };
        let file = target.split('#').next().unwrap_or(target);
        text.push_str(&format!("{before}docs/{file}"));
        rest = after;
    }
    text + rest
}

/// The default, or a value that makes sense where there is none.
fn sample(key: &Key) -> String {
    if !key.default.is_empty() {
        return key.default.to_owned();
    }
    match key.name {
        "max_tokens" => return "8192".into(),
        "tool_timeout_secs" => return "120".into(),
        "context.window" => return "32768".into(),
        "temperature" => return "0.2".into(),
        "top_p" => return "0.95".into(),
        "reasoning_effort" => return "\"medium\"".into(),
        _ => {}
    }
    match key.kind {
        Kind::Text | Kind::Effort | Kind::TextOrTexts => "\"…\"".into(),
        Kind::Span => "\"7d\"".into(),
        Kind::Word(words) => format!("\"{}\"", words.first().unwrap_or(&"")),
        Kind::Integer { least, .. } => least.max(1).to_string(),
        Kind::Number { most, .. } => (most / 2.0).to_string(),
        Kind::Boolean => "true".into(),
        Kind::AutoOrOff => "\"auto\"".into(),
        Kind::Texts | Kind::Words(_) | Kind::Models => "[]".into(),
        Kind::TextMap | Kind::Permission | Kind::Hooks => "{}".into(),
    }
}

const EXAMPLE_PROVIDER: &str = r#"
  // // A server that speaks OpenAI's chat completions:
  // "providers": {
  //   "local": {
  //     "base_url": "http://localhost:8000/v1",
  //     "model": "the name that the server gives it",
  //     "api_key_env": "LOCAL_API_KEY",
  //   },
  // },

"#;

const EXAMPLE_PERMISSION: &str = r#"
  // // Who decides about which call: allow, ask, confirm or deny. The most specific rule wins.
  // "permission": {
  //   "edit": { "docs/**": "allow" },
  //   "bash": { "cargo test *": "allow", "git push": "deny" },
  // },
"#;
