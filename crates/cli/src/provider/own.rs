//! A session that is resumed keeps its own provider, model and effort (P12),
//! unless the flags of this run name others.

use crate::assemble::{Configured, Options, nothing_configured};
use crate::error::CliError;
use tenon_config::{Env, ResolvedProvider, managed_model, provider_named};
use tenon_vocab::Settings;

/// Which provider and model a session is opened with.
#[derive(Debug)]
pub struct Wanted {
    /// With the model, where one is known.
    pub provider: ResolvedProvider,
    /// How hard the session's model is to think, where it was chosen in it.
    pub effort: Option<String>,
    /// What the user should know of the choice.
    pub remark: Option<String>,
}

/// # Errors
/// When nothing is configured.
pub fn wanted(
    env: &Env,
    configured: &Configured,
    options: &Options,
    session: Option<&Settings>,
) -> Result<Wanted, CliError> {
    let chosen = configured.resolved.provider.as_ref();
    let plain = |provider: &ResolvedProvider, remark| Wanted {
        provider: provider.clone(),
        effort: None,
        remark,
    };
    // An imported session says no provider.
    let session = session.filter(|session| {
        !session.provider.is_empty()
            && options.provider.is_none()
            && !names_provider(options, chosen)
    });
    let Some(session) = session else {
        let provider = chosen.ok_or_else(|| nothing_configured(env))?;
        return Ok(plain(provider, None));
    };
    let found = match chosen.filter(|chosen| chosen.name == session.provider) {
        Some(chosen) => Ok(chosen.clone()),
        None => provider_named(&configured.loaded, &session.provider),
    };
    let mut provider = match (found, chosen) {
        (Ok(provider), _) => provider,
        (Err(error), Some(chosen)) => {
            let remark = format!(
                "can't use this session's provider `{}` ({}); continuing with `{}`",
                session.provider,
                error.message(),
                chosen.name
            );
            return Ok(plain(chosen, Some(remark)));
        }
        (Err(_), None) => return Err(nothing_configured(env)),
    };
    provider.model = Some(
        managed_model(&configured.loaded)
            .or_else(|| options.model.clone())
            .unwrap_or_else(|| session.model.clone()),
    );
    let given = chosen.and_then(|chosen| chosen.model.as_ref());
    let differs = chosen.is_none_or(|chosen| chosen.name != provider.name)
        || (options.model.is_none() && given != provider.model.as_ref());
    Ok(Wanted {
        effort: session.effort.clone(),
        remark: differs.then(|| {
            let model = provider.model.as_deref().unwrap_or_default();
            format!("this session's own model: {}/{model}", provider.name)
        }),
        provider,
    })
}

/// Whether `--model PROVIDER/MODEL` chose the provider too.
fn names_provider(options: &Options, chosen: Option<&ResolvedProvider>) -> bool {
    let given = options.model.as_deref();
    chosen.is_some_and(|chosen| {
        let model = chosen.model.as_deref().unwrap_or_default();
        given.is_some_and(|given| given != model && given == format!("{}/{model}", chosen.name))
    })
}
