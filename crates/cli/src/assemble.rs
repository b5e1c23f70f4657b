//! Settings become parts: everything that a session is made of is put together
//! here, and nowhere else.

mod equipment;
mod folders;
mod like;
mod mode;
mod options;
mod runtime;
mod start;

pub use equipment::{agent, toolbox, workspace};
pub use folders::{author, by_flag, recorded};
pub use like::like;
pub use mode::sandbox_state;
pub use options::{ChoiceSource, Neighbours, Options, Session};
pub use runtime::runtime;

use crate::briefing;
use crate::error::CliError;
use crate::grants;
use crate::outputs;
use crate::own_commands;
use crate::place::{Place, RootFrom};
use crate::provider::{self, Models, Wanted};
use crate::record::log;
use crate::runner::session_jobs;
use crate::sandbox::{self, Shortfall, Walls};
use crate::skills;
use crate::told::{self, Remarks, Remember};
use equipment::{agents, opening, parameters, tool_limits};
use start::{neighbours, prune, remarks};
use std::path::PathBuf;
use std::sync::Arc;
use tenon_config::Env;
use tenon_engine::{ModelSource, Parts, RealAmbient};
use tenon_model::{Delivery, Model, Parameters};
use tenon_session::{Log, State};
use tenon_tools::Jobs;
use tenon_vocab::{SessionId, Settings, effort};

pub use crate::runner::{SUPERVISE, jobs, supervisor};
pub use crate::settings::{Configured, settings};

#[derive(Debug)]
pub struct Assembled {
    pub session: SessionId,
    pub parts: Parts,
    pub configured: Arc<Configured>,
    /// What this machine does not enforce of the walls, if anything.
    pub shortfall: Option<Shortfall>,
}

/// P16: nothing configured, so no guess and no request. With a key in the
/// environment only the provider and a model are left to say.
pub fn nothing_configured(env: &Env) -> CliError {
    let error = CliError::config("no model server is configured");
    if let Some((preset, variable)) = provider::keyed(env).next() {
        let name = preset.name;
        return error.with_hint(format!(
            "{variable} is set. Say which provider and which model to use:\n  tenon exec --provider {name} --model MODEL -p \"explain this project\"\n`tenon models --provider {name}` lists the models; `tenon` alone asks once and keeps the answers."
        ));
    }
    error.with_hint(
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
    let wanted = provider::wanted(&place.env, &configured, options, known)?;
    let mut remarks = remarks(&configured);
    remarks.act.extend(wanted.remark.clone());
    if place.root_from == RootFrom::Session {
        remarks.act.push(format!(
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
    remarks.act.extend(log.damage().told().map(|told| {
        let id = log.id();
        format!(
            "{told}. The rest of the session is intact; `tenon sessions verify {id}` says more."
        )
    }));
    if options.neighbours == Neighbours::Said {
        remarks.found.extend(neighbours(&place));
    }
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
            out: None,
            remarks,
            remember: if session == Session::Unsaved {
                Remember::No
            } else {
                Remember::Yes
            },
        },
    )?;
    let shortfall = sandbox::shortfall(&assembled.parts.jobs, &place.root).await;
    let said = shortfall.as_ref().map(|short| short.said.clone());
    assembled.parts.remarks.extend(said);
    assembled.parts.modes.sandbox = sandbox_state(shortfall.as_ref());
    assembled.shortfall = shortfall;
    Ok(assembled)
}

/// The parts for a call without a model: the same gate, the same tools.
pub fn parts_without_model(place: &Place, options: &Options) -> Result<Parts, CliError> {
    let configured = Arc::new(Configured::read(place, options)?);
    let (log, state) = log(place, Session::Unsaved)?;
    // The folder of the log goes with the program, before anybody has read it.
    outputs::tidy(place);
    let kept = outputs::folder(place);
    let jobs = session_jobs(&kept.join(log.id().to_string()), &configured.resolved);
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
            out: Some(kept),
            remarks,
            remember: Remember::No,
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
        out: None,
        remember: Remember::No,
    };
    let mut assembled = assemble(&place, options, &configured, made)?;
    if let Some(known) = known {
        assembled.parts.settings = Settings {
            side: None,
            add_dirs: std::mem::take(&mut assembled.parts.settings.add_dirs),
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
    /// Where outputs lie that tools may read, where that is not beside the log.
    out: Option<PathBuf>,
    remarks: Remarks,
    remember: Remember,
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
        out,
        mut remarks,
        remember,
    } = made;
    let mode::Start {
        agent,
        mode: permission,
        remarks: told,
    } = mode::start(options, configured, state.settings())?;
    remarks.act.extend(told);
    let skills = skills::find(place, resolved, &agent);
    remarks.found.extend(skills.at_start());
    let skills = skills.usable;
    let out = out.map_or_else(|| Ok(log.folder()?.join("out")), Ok::<_, CliError>)?;
    let workspace = workspace(place, resolved, &out, &skills)?;
    let walls = Walls::find(place, &resolved.sandbox, Some(&log.folder()?));
    remarks.act.extend(walls.remarks());
    let masker = resolved
        .masker
        .knowing(provider::keys_in_use(place, resolved));
    let agents = agents(resolved, &walls);
    let jobs = jobs
        .with_sandbox(walls.of_agent(&agent))
        .with_opened(walls.opened.clone())
        .with_shown(walls.shown.clone())
        .with_masker(Arc::clone(&masker));
    let keeps = resolved.grants.keeps();
    let (grants, trouble) = match keeps {
        true => grants::load(place, resolved.grants.ttl),
        false => Default::default(),
    };
    remarks.act.extend(trouble);
    let session = (log.folder()?, state.settings());
    let doors = (&workspace, &jobs);
    let opened = folders::open(place, options, configured, session, doors)?;
    remarks.act.extend(opened.remarks);
    let (toolbox, told) = toolbox(options.approval, resolved, &configured.custom, &skills);
    remarks.act.extend(told);
    let mut context = briefing::context(place, options, resolved, &agent, &skills, &mut remarks);
    let own = own_commands::find(place, &configured.loaded);
    context.commands = own.commands;
    let trouble = (!own.remarks.is_empty()).then(|| own.remarks.join("; "));
    remarks.found.extend(trouble);
    remarks.act.extend(mode::told(permission, options));
    let id = log.id();
    let parameters = parameters(resolved, model.as_ref(), wanted.as_ref());
    let doubts = doubts(configured, wanted.as_ref(), &parameters);
    remarks.act.extend(doubts);
    let tool_limits = tool_limits(resolved, wanted.as_ref());
    let models = wanted.map(|wanted| source(place, configured, wanted, &jobs));
    let told = options.told(told::sort(place, remarks.found, remember));
    remarks.act.extend(told.new);
    let parts = Parts {
        remarks: remarks.act,
        known: told.known,
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
        settings: opening(
            model.as_ref(),
            &agent,
            (permission, opened.paths),
            &parameters,
        ),
        agent,
        agents,
        limits: resolved.limits.clone(),
        tool_limits,
        parameters,
        delivery: delivery(resolved),
        retry: resolved.retry.plan(),
        approval: options.approval,
        effects: options.effects,
        modes: mode::parts(configured),
        folders: opened.folders,
        hooks: resolved.hooks.clone(),
        masker,
        ambient: Arc::new(RealAmbient),
        model,
    };
    Ok(Assembled {
        session: id,
        parts,
        configured: Arc::clone(configured),
        shortfall: None,
    })
}

/// What of the effort and of the small model will not be as it was written.
fn doubts(
    configured: &Configured,
    wanted: Option<&Wanted>,
    parameters: &Parameters,
) -> Vec<String> {
    let effort = parameters.reasoning_effort.as_deref();
    let small = wanted.and_then(|wanted| provider::small_doubt(configured, &wanted.provider));
    effort
        .and_then(effort::doubt)
        .into_iter()
        .chain(small)
        .collect()
}

fn delivery(resolved: &tenon_config::Resolved) -> Delivery {
    match resolved.streaming {
        true => Delivery::Streamed,
        false => Delivery::Whole,
    }
}

/// Where another model comes from, when one is changed to.
fn source(
    place: &Place,
    configured: &Arc<Configured>,
    wanted: Wanted,
    jobs: &Jobs,
) -> Arc<dyn ModelSource> {
    Arc::new(Models {
        place: place.clone(),
        configured: Arc::clone(configured),
        first: wanted.provider,
        jobs: jobs.clone(),
    })
}
