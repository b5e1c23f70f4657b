//! `@path` in a prompt, and the commands that people write: what goes along with
//! a prompt passes the same gate as what a model asks for.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, notices, outcome, results, say, until_finished};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::Identity;
use tenon_policy::Layer;
use tenon_tools::{BuiltIn, Interactive, Toolbox};
use tenon_vocab::profile::CommandInfo;
use tenon_vocab::{Command, Event, EventKind, Outcome, Part, Role, SessionId};

/// One prompt with the real tools for files; gives the events and the requests.
async fn prompted(world: &World, command: Command) -> (Vec<Arc<Event>>, Vec<String>) {
    let id = SessionId::generate();
    let model = Arc::new(Scripted::with(
        Format::Chat,
        Identity::new("test", "m"),
        vec![Turn::text("done")],
    ));
    let mut parts = world.parts(id, Arc::clone(&model));
    // `bash` stays the harmless one of the tests.
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(Interactive::No));
    toolbox.retain(|spec| spec.name != "bash");
    for tool in parts.toolbox.iter() {
        toolbox.add(&One(Arc::clone(tool)));
    }
    parts.toolbox = toolbox;
    parts.context.commands = commands();
    let mut handle = Engine::start(id, parts);
    handle.commands.send(command);
    let events = until_finished(&mut handle).await;
    world.verify(id);
    (events, model.texts())
}

struct One(Arc<dyn tenon_tools::Tool>);

impl tenon_tools::ToolSource for One {
    fn tools(&self) -> Vec<Arc<dyn tenon_tools::Tool>> {
        vec![Arc::clone(&self.0)]
    }
}

fn commands() -> Vec<CommandInfo> {
    let command = |name: &str, template: &str| CommandInfo {
        name: name.into(),
        description: String::new(),
        argument_hint: String::new(),
        template: template.into(),
        file: PathBuf::from("x.md"),
        source: "user".into(),
    };
    vec![
        command("fix", "Fix $1 in @a.txt."),
        command("state", "It is !`git status $1` now."),
    ]
}

fn text(prompt: &str) -> Command {
    Command::Prompt {
        text: prompt.into(),
        attachments: Vec::new(),
    }
}

/// The texts of the message that the user's prompt became.
fn parts(events: &[Arc<Event>]) -> Vec<String> {
    events
        .iter()
        .find_map(|event| match &event.kind {
            EventKind::Message(message) if message.role == Role::User => Some(
                message
                    .parts
                    .iter()
                    .filter_map(|part| match part {
                        Part::Text { text } => Some(text.clone()),
                        _ => None,
                    })
                    .collect(),
            ),
            _ => None,
        })
        .unwrap()
}

fn project(world: &World) {
    std::fs::create_dir(world.root().join("src")).unwrap();
    std::fs::write(world.root().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(world.root().join("src/b.rs"), "fn b() {}\n").unwrap();
    std::fs::write(world.root().join("my file.txt"), "spaced\n").unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_mentioned_file_goes_along_with_the_prompt_once() {
    let world = World::new();
    project(&world);
    let (events, bodies) =
        prompted(&world, text("see @a.txt, (@a.txt) and @\"my file.txt\".")).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let parts = parts(&events);
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert!(parts[0].starts_with("see @a.txt"), "{parts:?}");
    assert!(parts[1].starts_with("<file path=\"a.txt\">"), "{parts:?}");
    assert!(parts[1].contains("three"), "{parts:?}");
    assert!(parts[2].contains("spaced"), "{parts:?}");
    assert_eq!(bodies.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn lines_of_a_file_and_entries_of_a_folder_can_be_mentioned() {
    let world = World::new();
    project(&world);
    let (events, _) = prompted(&world, text("@a.txt:2-2 and @src please")).await;
    let parts = parts(&events);
    assert!(
        parts[1].starts_with("<file path=\"a.txt\" lines=\"2-2\">"),
        "{parts:?}"
    );
    assert!(
        parts[1].contains("two") && !parts[1].contains("three"),
        "{parts:?}"
    );
    assert!(parts[2].starts_with("<folder path=\"src\">"), "{parts:?}");
    assert!(parts[2].contains("b.rs"), "{parts:?}");
}

#[tokio::test(start_paused = true)]
async fn what_names_no_file_is_only_text_and_a_slip_is_said() {
    let world = World::new();
    project(&world);
    let prompt = "ask @alice about @types/node and @src/c.rs";
    let (events, _) = prompted(&world, text(prompt)).await;
    assert_eq!(parts(&events), [prompt]);
    let said = notices(&events, "mention");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].message.contains("`@src/c.rs` names no file"),
        "{said:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_file_that_may_not_be_read_cannot_be_mentioned() {
    let mut world = World::new();
    project(&world);
    std::fs::write(world.root().join(".env"), "KEY=plain-words\n").unwrap();
    std::fs::write(world.dir.path().join("outside.txt"), "beyond\n").unwrap();
    std::os::unix::fs::symlink("../outside.txt", world.root().join("link.txt")).unwrap();
    let deny = json!({"read": {"src/*": "deny"}});
    world.rules.add_config(&deny, Layer::User, "test").unwrap();
    let prompt = "@.env @src/b.rs @../outside.txt @link.txt";
    let (events, bodies) = prompted(&world, text(prompt)).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(parts(&events), [prompt]);
    assert!(
        !bodies[0].contains("plain-words") && !bodies[0].contains("beyond"),
        "{bodies:?}"
    );
    assert_eq!(notices(&events, "mention").len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_command_becomes_a_prompt_with_its_arguments_and_mentions() {
    let world = World::new();
    project(&world);
    let command = Command::Custom {
        name: "fix".into(),
        arguments: "'the bug' now".into(),
    };
    let (events, _) = prompted(&world, command).await;
    let parts = parts(&events);
    assert_eq!(parts[0], "Fix the bug in @a.txt.");
    assert!(parts[1].contains("three"), "{parts:?}");
}

#[tokio::test(start_paused = true)]
async fn shell_in_a_command_passes_the_gate() {
    let mut world = World::new();
    let command = || Command::Custom {
        name: "state".into(),
        arguments: "'; rm -rf x'".into(),
    };
    // Nobody is there to say yes.
    let (events, _) = prompted(&world, command()).await;
    assert!(
        results(&events)[0].1.contains("not allowed"),
        "{:?}",
        results(&events)
    );
    let allow: Value = json!({"bash": {"*": "allow"}});
    world.rules.add_config(&allow, Layer::User, "test").unwrap();
    let (events, _) = prompted(&world, command()).await;
    let parts = parts(&events);
    assert!(parts[0].contains("git status '; rm -rf x'"), "{parts:?}");
    assert!(
        parts[0].starts_with("It is <user_shell command="),
        "{parts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_unknown_command_starts_nothing() {
    let world = World::new();
    let id = SessionId::generate();
    let model = Arc::new(Scripted::with(
        Format::Chat,
        Identity::new("t", "m"),
        Vec::new(),
    ));
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.context.commands = commands();
    let mut handle = Engine::start(id, parts);
    let command = Command::Custom {
        name: "fixe".into(),
        arguments: String::new(),
    };
    let said = |kind: &EventKind| matches!(kind, EventKind::Notice(_));
    let events = say(&mut handle, command, said).await;
    let notice = &notices(&events, "command")[0].message;
    assert!(notice.contains("Did you mean /fix?"), "{notice}");
    assert!(model.bodies().is_empty());
}
