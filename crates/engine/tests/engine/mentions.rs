//! `@path` in a prompt, and the commands that people write: what goes along with
//! a prompt passes the same gate as what a model asks for.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{Manner, TestTool, World, notices, outcome, results, say, until_finished};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::{Identity, Window, WindowSource};
use tenon_policy::Layer;
use tenon_tools::{BuiltIn, Interactive, Toolbox};
use tenon_vocab::port::Handle;
use tenon_vocab::profile::{CommandInfo, Whose};
use tenon_vocab::{Command, Effect, Event, EventKind, Origin, Outcome, Part, Role, SessionId};

/// A session with the real tools for files.
fn opened(world: &World, turns: Vec<Turn>) -> (Handle, Arc<Scripted>) {
    let id = SessionId::generate();
    let model = Arc::new(Scripted::with(
        Format::Chat,
        Identity {
            window: Some(Window {
                tokens: 1_000_000,
                source: WindowSource::User,
            }),
            ..Identity::new("test", "m")
        },
        turns,
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
    (Engine::start(id, parts), model)
}

/// One prompt; gives the events and the requests.
async fn prompted(world: &World, command: Command) -> (Vec<Arc<Event>>, Vec<String>) {
    let (mut handle, model) = opened(world, vec![Turn::text("done")]);
    let id = handle.session;
    handle.commands.send(command);
    let events = until_finished(&mut handle).await;
    world.verify(id);
    (events, model.texts())
}

/// A prompt, and a word in between while the first call to `tool` runs.
async fn steered(world: &World, turns: Vec<Turn>, tool: &str, word: &str) -> Vec<Arc<Event>> {
    let (mut handle, _) = opened(world, turns);
    let id = handle.session;
    handle.commands.send(text("go"));
    let mut word = Some(word.to_owned());
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::ToolUse(used) if used.name == tool => {
                if let Some(text) = word.take() {
                    handle.commands.send(Command::Steer { text });
                }
            }
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    world.verify(id);
    events
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
        argument_hint: "BUG".into(),
        template: template.into(),
        file: PathBuf::from("x.md"),
        source: Whose::User,
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
    parts_of(events, Origin::User)
}

fn parts_of(events: &[Arc<Event>], origin: Origin) -> Vec<String> {
    let is_it = |role, from| role == Role::User && from == origin;
    events
        .iter()
        .find_map(|event| match &event.kind {
            EventKind::Message(message) if is_it(message.role, message.origin) => Some(
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
        said[0].message.contains("`@src/c.rs` isn't a file"),
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
    let said = notices(&events, "mention");
    assert_eq!(said.len(), 4);
    for notice in said {
        // It is read by whoever typed the prompt, not by the model.
        for foreign in ["Do not try", "path_outside_root", "say what you need"] {
            assert!(!notice.message.contains(foreign), "{}", notice.message);
        }
    }
    let hints = notices(&events, "permission");
    for notice in hints {
        let hint = notice.hint.as_deref().unwrap_or_default();
        assert!(!hint.contains("simpler commands"), "{hint}");
    }
}

#[tokio::test(start_paused = true)]
async fn lines_that_a_file_does_not_have_are_named_as_they_were_typed() {
    let world = World::new();
    project(&world);
    let (events, _) = prompted(&world, text("see @a.txt:90-99")).await;
    let said = notices(&events, "mention");
    assert_eq!(
        said[0].message,
        "`@a.txt:90-99` is not attached: there is no line 90; it has 3 lines"
    );
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
    assert!(notices(&events, "command").is_empty());
    let bare = Command::Custom {
        name: "fix".into(),
        arguments: String::new(),
    };
    let (events, _) = prompted(&world, bare).await;
    let said = &notices(&events, "command")[0];
    assert_eq!(
        said.message,
        "$1 of /fix got no argument and was left empty."
    );
    assert_eq!(said.hint.as_deref(), Some("It is used as: /fix BUG"));
}

#[tokio::test(start_paused = true)]
async fn shell_in_a_command_passes_the_gate() {
    let mut world = World::new();
    let command = || Command::Custom {
        name: "state".into(),
        arguments: "'; rm -rf x'".into(),
    };
    // Nobody is there to say yes.
    let (events, bodies) = prompted(&world, command()).await;
    assert!(
        results(&events)[0].1.contains("not allowed"),
        "{:?}",
        results(&events)
    );
    // Without what it was to print it is another prompt.
    assert!(bodies.is_empty(), "the model was asked");
    assert_eq!(outcome(&events), Outcome::Denied);
    let why = &notices(&events, "stopped")[0].message;
    assert!(
        why.starts_with("nothing was sent: `git status") && why.ends_with("was denied"),
        "{why}"
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

#[tokio::test(start_paused = true)]
async fn a_word_in_between_brings_its_mentions_along_as_a_prompt_does() {
    let world = World::new();
    project(&world);
    let turns = vec![Turn::call("a", "look", r#"{"ms":100}"#), Turn::text("done")];
    let events = steered(&world, turns, "look", "rather @a.txt and @src").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let parts = parts_of(&events, Origin::Steer);
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert_eq!(parts[0], "rather @a.txt and @src");
    assert!(parts[1].starts_with("<file path=\"a.txt\">"), "{parts:?}");
    assert!(parts[2].contains("b.rs"), "{parts:?}");
}

#[tokio::test(start_paused = true)]
async fn what_the_user_calls_moves_no_limit_of_the_model() {
    let mut world = World::new();
    project(&world);
    let failing = TestTool::new("broken", Effect::Read, Manner::Fail);
    world.tools.push(Arc::new(failing));
    let allow: Value = json!({"broken": "allow"});
    world.rules.add_config(&allow, Layer::User, "test").unwrap();
    world.limits.max_retries = 2;
    world.limits.max_retries_automated = 2;
    let turns = vec![
        Turn::call("x", "look", r#"{"ms":100}"#).and_call("a", "broken", r#"{"text":"1"}"#),
        Turn::call("b", "broken", r#"{"text":"2"}"#),
        Turn::text("never said"),
    ];
    // What the user mentions is read, and the model has still failed twice.
    let events = steered(&world, turns, "look", "see @a.txt").await;
    assert_eq!(parts_of(&events, Origin::Steer).len(), 2);
    assert_eq!(outcome(&events), Outcome::Failed);
}

#[tokio::test(start_paused = true)]
async fn a_line_of_the_users_own_that_fails_is_no_failure_of_the_model() {
    let mut world = World::new();
    project(&world);
    world.limits.max_retries = 1;
    world.limits.max_retries_automated = 1;
    world.tools.retain(|tool| tool.spec().name != "bash");
    let failing = TestTool::new("bash", Effect::Execute, Manner::Fail);
    world.tools.push(Arc::new(failing));
    let allow: Value = json!({"bash": {"*": "allow"}});
    world.rules.add_config(&allow, Layer::User, "test").unwrap();
    let custom = Command::Custom {
        name: "state".into(),
        arguments: String::new(),
    };
    let (events, bodies) = prompted(&world, custom).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(bodies.len(), 1, "the model was not asked");
    let shell = Command::Shell {
        command: "false".into(),
    };
    let (events, _) = prompted(&world, shell).await;
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn more_than_twenty_mentions_are_cut_and_it_is_said() {
    let world = World::new();
    let mut prompt = String::from("Compare");
    for n in 0..25 {
        let name = format!("f{n:02}.txt");
        std::fs::write(world.root().join(&name), format!("content {n}\n")).unwrap();
        prompt.push_str(&format!(" @{name}"));
    }
    let (events, _) = prompted(&world, text(&prompt)).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let sent = parts(&events);
    let files = sent.iter().filter(|part| part.contains("<file ")).count();
    assert_eq!(files, 20, "{sent:?}");
    let said = notices(&events, "mention");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].message.contains("the first 20"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn mentions_bring_along_only_so_many_bytes_and_the_rest_is_named() {
    let world = World::new();
    let mut prompt = String::from("Compare");
    for n in 0..12 {
        let name = format!("f{n:02}.txt");
        let content = format!("line {n} of a long file\n").repeat(2_000);
        std::fs::write(world.root().join(&name), content).unwrap();
        prompt.push_str(&format!(" @{name}"));
    }
    let (events, _) = prompted(&world, text(&prompt)).await;
    let sent = parts(&events);
    let bytes: usize = sent.iter().map(String::len).sum();
    // The one with which it is full is still whole.
    assert!((200 * 1024..300 * 1024).contains(&bytes), "{bytes}");
    let files = sent.iter().filter(|part| part.contains("<file ")).count();
    let said = notices(&events, "mention");
    assert_eq!(files + said.len(), 12, "{said:?}");
    let last = &said.last().unwrap().message;
    assert!(last.contains("`f11.txt` is not attached"), "{last}");
}
