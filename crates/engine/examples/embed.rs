//! Another program with the engine inside: it brings its own tool and its own
//! model, sends a prompt and reads events. Run it with
//! `cargo run -p tenon-engine --example embed`.

use serde_json::{Value, json};
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tenon_engine::{Ambient, Approval, Effects, Engine, Parts, RealAmbient, agents};
use tenon_model::{
    Delivery, Delta, DeltaStream, Finished, Identity, Model, ModelEntry, ModelError, Parameters,
    Request, RetryPlan,
};
use tenon_policy::{Facts, Grants, Layer, Masker, Rules, Subject};
use tenon_sandbox::Supervisor;
use tenon_session::Log;
use tenon_tools::workspace::WorkspaceOptions;
use tenon_tools::{
    BuiltIn, Host, Interactive, Jobs, Tool, ToolLimits, ToolSource, Toolbox, Workspace,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::Limits;
use tenon_vocab::{
    CallId, Command, Display, Effect, Event, EventKind, Message, Meta, Part, SCHEMA_VERSION,
    SessionId, Settings, StopReason, ToolCallPart, ToolOutput, ToolSpec,
};

/// A tool of this program.
struct Weather(ToolSpec);

impl Weather {
    fn new() -> Self {
        Self(ToolSpec {
            name: String::from("weather"),
            description: String::from("Tell the weather of a town."),
            parameters: json!({"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}),
            effect: Effect::Read,
            source: String::from("embed"),
        })
    }
}

impl Tool for Weather {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        let town = input["town"].as_str().unwrap_or_default().to_owned();
        Facts {
            tool: self.0.name.clone(),
            effect: Effect::Read,
            subject: Subject::Name(town),
            input: input.to_string(),
        }
    }

    fn preview(&self, _: &Value, _: &Workspace) -> Display {
        Display::Nothing
    }

    fn run<'a>(&'a self, input: Value, _: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let text = format!(
                "It is sunny in {}.",
                input["town"].as_str().unwrap_or("nowhere")
            );
            ToolOutput::ok(json!({"text": text}), text, Display::Nothing)
        })
    }
}

/// The tools of this program. A name that a built-in tool has is refused.
struct Mine;

impl ToolSource for Mine {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut read = Weather::new();
        read.0.name = String::from("read");
        vec![Arc::new(Weather::new()), Arc::new(read)]
    }
}

/// A model of this program: it asks for the weather once, then answers.
struct Canned {
    identity: Arc<Identity>,
    asked: AtomicUsize,
}

impl Model for Canned {
    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let (parts, stop) = if self.asked.fetch_add(1, Ordering::Relaxed) == 0 {
            let call = ToolCallPart {
                id: CallId::new("call_1"),
                name: String::from("weather"),
                arguments: String::from(r#"{"town":"Ghent"}"#),
                form: tenon_vocab::CallForm::Native,
            };
            (vec![Part::ToolCall(call)], StopReason::ToolUse)
        } else {
            (vec![Part::text(last_result(&request))], StopReason::EndTurn)
        };
        let message = Message {
            parts,
            ..Message::assistant("")
        };
        let finished = Finished {
            message,
            stop,
            usage: None,
            repairs: Vec::new(),
            todo: None,
        };
        Box::pin(futures_util::stream::iter([Ok(Delta::Finished(finished))]))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

fn last_result(request: &Request) -> String {
    request
        .entries
        .iter()
        .rev()
        .find_map(|entry| match entry.message.parts.first() {
            Some(Part::ToolResult { text, .. }) => Some(text.clone()),
            _ => None,
        })
        .unwrap_or_default()
}

fn first(id: SessionId, root: &Path) -> Event {
    let meta = Meta {
        schema_version: SCHEMA_VERSION,
        id,
        cwd: root.display().to_string(),
        program_version: String::from("embed"),
        git_branch: None,
        forked_from: None,
    };
    Event {
        seq: 0,
        sub: None,
        ts: RealAmbient.now(),
        session: id,
        run: None,
        parent: None,
        agent: String::from("build"),
        kind: meta.into(),
    }
}

fn parts(root: &Path) -> Result<(Parts, Vec<String>), Box<dyn Error>> {
    let (log, state) = Log::ephemeral(&first(SessionId::generate(), root))?;
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(Interactive::No));
    let refused = toolbox.add(&Mine);
    let mut rules = Rules::built_in();
    rules.add_config(&json!({"weather": "allow"}), Layer::User, "embed")?;
    let agent = agents::built_in().swap_remove(0);
    let identity = Arc::new(Identity::new("embed", "canned"));
    let parts = Parts {
        model: Arc::new(Canned {
            identity,
            asked: AtomicUsize::new(0),
        }),
        toolbox,
        workspace: Workspace::open(root, WorkspaceOptions::default())?,
        // No command runs here; a program that wants them names its supervisor.
        jobs: Jobs::new(
            Supervisor::new("/nonexistent", Vec::new()),
            log.folder()?,
            Vec::new(),
        ),
        log,
        state,
        rules,
        grants: Grants::new(),
        models: None,
        on_grant: None,
        folders: Arc::new(tenon_engine::NoFolders),
        context: tenon_engine::ContextParts::of_prompt(&agent.prompt),
        settings: Settings {
            provider: String::from("embed"),
            model: String::from("canned"),
            agent_name: agent.name.clone(),
            mode: String::from("single"),
            permission_mode: Default::default(),
            effort: None,
            title: None,
            pinned: false,
            add_dirs: Vec::new(),
            side: None,
        },
        agent,
        agents: Vec::new(),
        limits: Limits::default(),
        tool_limits: ToolLimits::default(),
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        retry: RetryPlan::default(),
        approval: Approval::Nobody,
        effects: Effects::Real,
        modes: Default::default(),
        hooks: Vec::new(),
        masker: Masker::standard(),
        ambient: Arc::new(RealAmbient),
        remarks: Vec::new(),
        known: Vec::new(),
    };
    Ok((parts, refused))
}

/// One prompt; gives the answer and the names of the tools that were refused.
pub async fn ask(root: &Path) -> Result<(String, Vec<String>), Box<dyn Error>> {
    let (parts, refused) = parts(root)?;
    let mut handle = Engine::start(parts.log.id(), parts);
    handle.commands.send(Command::Prompt {
        text: String::from("How is the weather in Ghent?"),
        attachments: Vec::new(),
    });
    let mut answer = String::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::Message(message) => answer = message.text(),
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
    }
    Ok((answer, refused))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    let (answer, refused) = ask(&std::env::current_dir()?).await?;
    let mut out = std::io::stdout();
    writeln!(out, "{answer}")?;
    writeln!(
        out,
        "refused, because a built-in tool has the name: {}",
        refused.join(", ")
    )?;
    Ok(())
}
