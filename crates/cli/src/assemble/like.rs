//! Settings for another session like one that is open (U9): the configuration as
//! it was read for that one, and what was changed in it since, which counts more
//! than the flags that it was started with.

use super::{Configured, Options, Session};
use std::sync::Arc;
use tenon_config::provider_named;
use tenon_vocab::{Settings, effort};

/// What the other session is opened with.
#[derive(Debug)]
pub struct Like {
    pub options: Options,
    pub configured: Arc<Configured>,
}

pub fn like(
    given: &Options,
    configured: &Configured,
    settings: &Settings,
    session: Session,
) -> Like {
    let mut options = given.clone();
    // A copy has the agent, the mode and the effort of the place where it was cut.
    let is_copy = matches!(session, Session::Fork(..));
    options.agent = (!is_copy).then(|| settings.agent_name.clone());
    options.permission_mode = (!is_copy).then_some(settings.permission_mode);
    options.provider = None;
    options.model = None;
    let mut configured = configured.clone();
    let resolved = &mut configured.resolved;
    let current = resolved.provider.take();
    let named = match &current {
        Some(current) if current.name == settings.provider => Some(current.clone()),
        _ => provider_named(&configured.loaded, &settings.provider).ok(),
    };
    resolved.provider = match named {
        None => current,
        Some(mut provider) => {
            provider.model = Some(settings.model.clone());
            let parameters = resolved.parameters_of(&provider, &settings.model);
            if !is_copy && parameters.reasoning_effort != settings.effort {
                let word = settings.effort.as_deref().unwrap_or(effort::DEFAULT);
                resolved.by_hand.reasoning_effort = Some(word.to_owned());
            }
            Some(provider)
        }
    };
    Like {
        options,
        configured: Arc::new(configured),
    }
}
