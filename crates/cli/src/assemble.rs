//! Settings become parts: everything that a session is made of is put together
//! here, and nowhere else.

use crate::args::RunArgs;
use crate::briefing;
use crate::custom::Custom;
use crate::drive::Desk;
use crate::error::CliError;
use crate::grants;
use crate::own_commands;
use crate::place::{Place, RootFrom};
use crate::provider::{self, Models, Wanted};
use crate::record::log;
use crate::runner::session_jobs;
use crate::sandbox::{self, Walls};
use crate::skills;
use crate::trust::{self, Accept, Accepts};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tenon_config::Resolved;
use tenon_engine::{Ambient, Approval, Confirm, Effects, ModelSource, Parts, RealAmbient, agents};
use tenon_model::{Delivery, Model, Parameters};
use tenon_session::{Log, State};
use tenon_tools::workspace::{External, WorkspaceOptions};
use tenon_tools::{BuiltIn, Interactive, Jobs, Toolbox, Workspace};
use tenon_vocab::profile::{AgentProfile, SkillInfo, ToolLimits};
use tenon_vocab::{Decision, SessionId, Settings, effort};

pub use crate::runner::{SUPERVISE, jobs, supervisor};
pub use crate::settings::{Configured, settings};

/// What the flags of a run ask for.
#[derive(Debug, Clone)]
pub struct Options {
    pub provider: Option<String>,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub approval: Approval,
    pub effects: Effects,
    pub flags: Vec<(String, Value)>,
    /// Added to the prompt by this run alone.
    pub instruction: Option<String>,
    /// Content of others that the flags accept.
    pub accepts: Accepts,
}

impl Options {
    pub fn from_args(args: &RunArgs, desk: Desk) -> Self {
        let mut flags = Vec::new();
        if let Some(turns) = args.max_turns {
            flags.push((String::from("limits.max_turns"), json!(turns)));
        }
        if let Some(prompt) = &args.system_prompt {
            flags.push((String::from("system_prompt"), json!(prompt)));
        }
        if let Some(more) = &args.append_system_prompt {
            flags.push((String::from("append_system_prompt"), json!(more)));
        }
        if let Some(effort) = &args.effort {
            flags.push((String::from("reasoning_effort"), json!(effort)));
        }
        if let Some(dialect) = args.dialect {
            flags.push((String::from("dialect"), json!(dialect.name())));
        }
        if args.no_stream {
            flags.push((String::from("streaming"), json!(false)));
        }
        Self {
            provider: args.provider.clone(),
            model: args.model.clone(),
            agent: args.agent.clone(),
            approval: approval(args, desk),
            effects: if args.dry_run {
                Effects::DryRun
            } else {
                Effects::Real
            },
            flags,
            instruction: None,
            accepts: accepts(args),
        }
    }
}

fn accepts(args: &RunArgs) -> Accepts {
    let accept = |given: bool| if given { Accept::Now } else { Accept::Recorded };
    Accepts {
        project: accept(args.trust_project),
        user_tools: accept(args.trust_user_tools),
    }
}

fn approval(args: &RunArgs, desk: Desk) -> Approval {
    match (args.yolo, args.yes, desk) {
        (true, _, Desk::Terminal(_) | Desk::Client) => Approval::Yolo(Confirm::Ask),
        (true, _, Desk::Nobody) => Approval::Yolo(Confirm::Nobody),
        (false, true, Desk::Terminal(_) | Desk::Client) => Approval::Yes(Confirm::Ask),
        (false, true, Desk::Nobody) => Approval::Yes(Confirm::Nobody),
        (false, false, Desk::Terminal(_) | Desk::Client) => Approval::Ask,
        (false, false, Desk::Nobody) => Approval::Nobody,
    }
}

/// Which session to work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session {
    /// A new one, with this id if one is given (N8).
    New(Option<SessionId>),
    Existing(SessionId),
    /// A copy of this one, which may be in use (N13), up to the message with
    /// this seq where one is named.
    Fork(SessionId, Option<u64>),
    /// Nothing of it is kept.
    Unsaved,
}

impl Session {
    /// The one that is gone on with, or copied.
    pub fn existing(self) -> Option<SessionId> {
        match self {
            Self::Existing(id) | Self::Fork(id, _) => Some(id),
            Self::New(_) | Self::Unsaved => None,
        }
    }
}

#[derive(Debug)]
pub struct Assembled {
    pub session: SessionId,
    pub parts: Parts,
    pub configured: Arc<Configured>,
}

/// The runtime of one command: it never waits for a blocking thread at its end,
/// because what such a thread waits for (a name server, a pipe) may never come.
#[derive(Debug)]
pub struct Runtime(tokio::runtime::Runtime);

impl Runtime {
    pub fn block_on<T>(self, work: impl Future<Output = T>) -> T {
        let result = self.0.block_on(work);
        self.0.shutdown_timeout(Duration::from_millis(100));
        result
    }
}

/// One thread for the engine and its front end, few for what blocks.
pub fn runtime() -> Result<Runtime, CliError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(8)
        .build()
        .map(Runtime)
        .map_err(|error| CliError::runtime(format!("the program cannot start: {error}")))
}

/// P16: nothing configured, so no guess and no request.
pub fn nothing_configured() -> CliError {
    CliError::config("no model server is configured").with_hint(
        "Set TENON_BASE_URL and TENON_MODEL, for example:\n  TENON_BASE_URL=http://127.0.0.1:8080/v1 TENON_MODEL=my-model tenon\nor write a configuration with `tenon config init`.\nTo see it work without a server: tenon demo",
    )
}

pub async fn open(
    place: &Place,
    options: &Options,
    session: Session,
) -> Result<Assembled, CliError> {
    open_with(place, options, session, None).await
}

/// The same with settings that were read before.
pub async fn open_with(
    place: &Place,
    options: &Options,
    session: Session,
    held: Option<Arc<Configured>>,
) -> Result<Assembled, CliError> {
    let existing = match session {
        Session::Existing(_) | Session::Fork(..) => Some(log(place, session)?),
        Session::New(_) | Session::Unsaved => None,
    };
    let place = match &existing {
        Some((_, state)) => place.of_session(&state.meta().cwd)?,
        None => place.clone(),
    };
    let configured = match held {
        Some(held) => held,
        None => Arc::new(Configured::read(&place, options)?),
    };
    let resolved = &configured.resolved;
    let known = existing.as_ref().and_then(|(_, state)| state.settings());
    let wanted = provider::wanted(&configured, options, known)?;
    let mut remarks = remarks(&configured);
    remarks.extend(wanted.remark.clone());
    if place.root_from == RootFrom::Session {
        remarks.push(format!(
            "working in the session's directory: {}",
            place.root.display()
        ));
    }
    // The configuration is good: only now does a new session leave a trace.
    let fresh = existing.is_none();
    let (log, state) = match existing {
        Some(opened) => opened,
        None => log(&place, session)?,
    };
    remarks.extend(log.damage().iter().cloned());
    remarks.extend(neighbours(&place));
    let jobs = session_jobs(&log.folder()?, resolved);
    let made = provider::model(&place, resolved, &wanted.provider, &jobs).await;
    let model = match made {
        Ok(model) => model,
        Err(error) => {
            let id = log.id();
            drop(log);
            if fresh {
                // Nothing was said in it; a list need not show it.
                let _ = place.store().delete(id);
            }
            return Err(error);
        }
    };
    prune(&place, resolved);
    let mut assembled = assemble(
        &place,
        options,
        &configured,
        Made {
            model,
            wanted: Some(wanted),
            log,
            state,
            jobs,
            remarks,
        },
    )?;
    let shortfall = sandbox::shortfall(&assembled.parts.jobs, &place.root).await;
    assembled.parts.remarks.extend(shortfall);
    Ok(assembled)
}

/// The parts for a call without a model: the same gate, the same tools.
pub fn parts_without_model(place: &Place, options: &Options) -> Result<Parts, CliError> {
    let configured = Arc::new(Configured::read(place, options)?);
    let (log, state) = log(place, Session::Unsaved)?;
    let jobs = session_jobs(&log.folder()?, &configured.resolved);
    let model = Arc::new(provider::NoModel::default());
    let remarks = remarks(&configured);
    Ok(assemble(
        place,
        options,
        &configured,
        Made {
            model,
            wanted: None,
            log,
            state,
            jobs,
            remarks,
        },
    )?
    .parts)
}

/// A session that is there, for what is done to it without a model. What it says
/// of itself stays: nobody has chosen another model.
pub fn open_without_model(
    place: &Place,
    options: &Options,
    id: SessionId,
) -> Result<Assembled, CliError> {
    let (log, state) = log(place, Session::Existing(id))?;
    let place = place.of_session(&state.meta().cwd)?;
    let configured = Arc::new(Configured::read(&place, options)?);
    let known = state.settings().cloned();
    let jobs = session_jobs(&log.folder()?, &configured.resolved);
    let made = Made {
        model: Arc::new(provider::NoModel::default()),
        wanted: None,
        remarks: remarks(&configured),
        log,
        state,
        jobs,
    };
    let mut assembled = assemble(&place, options, &configured, made)?;
    if let Some(known) = known {
        assembled.parts.settings = Settings {
            side: None,
            ..known
        };
    }
    Ok(assembled)
}

/// What differs between a session and a single call.
struct Made {
    model: Arc<dyn Model>,
    /// What the model was made of; a single call has none.
    wanted: Option<Wanted>,
    log: Log,
    state: State,
    jobs: Jobs,
    remarks: Vec<String>,
}

fn assemble(
    place: &Place,
    options: &Options,
    configured: &Arc<Configured>,
    made: Made,
) -> Result<Assembled, CliError> {
    let resolved = &configured.resolved;
    let Made {
        model,
        wanted,
        log,
        state,
        jobs,
        mut remarks,
    } = made;
    let agent = agent(options.agent.as_deref().unwrap_or(&resolved.agent))?;
    let skills = skills::find(place, resolved, &agent);
    remarks.extend(skills.at_start());
    let skills = skills.usable;
    let workspace = workspace(place, resolved, &log.folder()?, &skills)?;
    let walls = Walls::find(place, &resolved.sandbox, Some(&log.folder()?));
    remarks.extend(walls.remarks());
    let masker = resolved
        .masker
        .knowing(provider::keys_in_use(place, resolved));
    let jobs = jobs
        .with_sandbox(walls.of_agent(&agent))
        .with_masker(Arc::clone(&masker));
    let keeps = resolved.grants.enabled;
    let (grants, trouble) = if keeps {
        grants::load(place)
    } else {
        Default::default()
    };
    remarks.extend(trouble);
    let (toolbox, told) = toolbox(&agent, options.approval, &configured.custom, &skills);
    remarks.extend(told);
    let mut context = briefing::context(place, options, resolved, &agent, &skills, &mut remarks);
    let own = own_commands::find(place, &configured.loaded);
    if !own.remarks.is_empty() {
        remarks.push(own.remarks.join("; "));
    }
    context.commands = own.commands;
    if matches!(options.approval, Approval::Yolo(_)) {
        remarks.push(String::from(
            "--yolo: what must be confirmed is answered with yes, too",
        ));
    }
    let id = log.id();
    let parameters = parameters(resolved, &agent, model.as_ref(), wanted.as_ref());
    remarks.extend(
        parameters
            .reasoning_effort
            .as_deref()
            .and_then(effort::doubt),
    );
    let tool_limits = tool_limits(resolved, wanted.as_ref());
    remarks.extend(
        wanted
            .as_ref()
            .and_then(|wanted| provider::small_doubt(configured, &wanted.provider)),
    );
    let models = wanted.map(|wanted| -> Arc<dyn ModelSource> {
        Arc::new(Models {
            place: place.clone(),
            configured: Arc::clone(configured),
            first: wanted.provider,
            temperature: agent.temperature,
            jobs: jobs.clone(),
        })
    });
    let parts = Parts {
        remarks,
        toolbox,
        workspace,
        jobs,
        log,
        state,
        rules: resolved.rules.clone(),
        grants,
        models,
        on_grant: keeps.then(|| grants::sink(place)),
        context,
        settings: opening(model.as_ref(), &agent, &parameters),
        agent,
        limits: resolved.limits.clone(),
        tool_limits,
        parameters,
        delivery: if resolved.streaming {
            Delivery::Streamed
        } else {
            Delivery::Whole
        },
        retry: resolved.retry.plan(),
        approval: options.approval,
        effects: options.effects,
        hooks: resolved.hooks.clone(),
        masker,
        ambient: Arc::new(RealAmbient),
        model,
    };
    Ok(Assembled {
        session: id,
        parts,
        configured: Arc::clone(configured),
    })
}

/// What a session says of itself when it begins.
fn opening(model: &dyn Model, agent: &AgentProfile, parameters: &Parameters) -> Settings {
    let identity = model.identity();
    Settings {
        provider: identity.endpoint.clone(),
        model: identity.model.clone(),
        agent_name: agent.name.clone(),
        mode: String::from("single"),
        effort: parameters.reasoning_effort.clone(),
        title: None,
        pinned: false,
        side: None,
    }
}

/// What the provider's format cannot carry is not shown to the model either.
fn tool_limits(resolved: &Resolved, wanted: Option<&Wanted>) -> ToolLimits {
    let mut limits = resolved.tools.clone();
    if let Some(largest) = wanted.and_then(|wanted| wanted.provider.kind.image_bytes()) {
        limits.image_bytes = limits.image_bytes.min(largest);
    }
    limits
}

/// What is asked of the model: the agent's temperature before the profile's, the
/// effort of this run before the session's, and that before the profile's.
fn parameters(
    resolved: &Resolved,
    agent: &AgentProfile,
    model: &dyn Model,
    wanted: Option<&Wanted>,
) -> Parameters {
    let Some(wanted) = wanted else {
        return resolved.parameters.clone();
    };
    let known = resolved.parameters_of(&wanted.provider, &model.identity().model);
    let hand = resolved.by_hand.reasoning_effort.clone();
    Parameters {
        temperature: agent.temperature.or(known.temperature),
        reasoning_effort: effort::sent(
            hand.or_else(|| wanted.effort.clone())
                .or(known.reasoning_effort),
        ),
        ..known
    }
}

fn remarks(configured: &Configured) -> Vec<String> {
    let mut remarks: Vec<String> = configured.loaded.warnings().to_vec();
    remarks.extend(configured.resolved.warnings.iter().cloned());
    remarks.extend(trust::remarks(&configured.loaded, &configured.custom));
    remarks
}

/// Two sessions in one tree do not see what the other changes.
fn neighbours(place: &Place) -> Option<String> {
    let others = place.store().in_use(&place.root_text());
    let named: Vec<String> = others
        .iter()
        .map(|(id, pid)| format!("{id} (process {pid})"))
        .collect();
    (!named.is_empty()).then(|| {
        format!(
            "another session works in this directory: {}; each may change files that the other has read",
            named.join(", ")
        )
    })
}

pub fn agent(name: &str) -> Result<AgentProfile, CliError> {
    let all = agents::built_in();
    let names: Vec<String> = all.iter().map(|agent| agent.name.clone()).collect();
    all.into_iter()
        .find(|agent| agent.name == name)
        .ok_or_else(|| {
            CliError::config(format!(
                "there is no agent `{name}`; there are: {}",
                names.join(", ")
            ))
        })
}

/// The tools of an agent, and what the user should know of those that are not
/// among them.
pub fn toolbox(
    agent: &AgentProfile,
    approval: Approval,
    custom: &Custom,
    skills: &[SkillInfo],
) -> (Toolbox, Vec<String>) {
    let interactive = match approval {
        Approval::Ask | Approval::Yes(Confirm::Ask) => Interactive::Yes,
        _ => Interactive::No,
    };
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(interactive).with_skills(skills));
    let told = custom.add_to(&mut toolbox);
    if !agent.tools.is_empty() {
        toolbox.retain(|spec| agent.tools.contains(&spec.name));
    }
    (toolbox, told)
}

/// The project's files, what the session keeps, and the folders of skills.
pub fn workspace(
    place: &Place,
    resolved: &Resolved,
    folder: &Path,
    skills: &[SkillInfo],
) -> Result<Workspace, CliError> {
    let folders = skills.iter().map(|skill| skill.folder.clone());
    let options = WorkspaceOptions {
        external: match resolved.external_directory {
            Decision::Deny => External::Deny,
            Decision::Ask => External::Ask,
            Decision::Allow => External::Allow,
        },
        extra_read: folders.chain([folder.join("out")]).collect(),
        home: place.env.get("HOME").map(PathBuf::from),
    };
    Workspace::open(&place.root, options).map_err(|error| CliError::runtime(error.to_string()))
}

/// Old sessions are removed on a thread of their own: start does not wait for it.
fn prune(place: &Place, resolved: &Resolved) {
    if resolved.retention_days == 0 {
        return;
    }
    let store = place.store();
    let age = Duration::from_secs(resolved.retention_days * 24 * 60 * 60);
    std::thread::spawn(move || store.prune(age, RealAmbient.now()));
}
